/* Deals as text: one of the letters A K Q J - a card. */
#ifndef BEGGAR_STRINGS_H
#define BEGGAR_STRINGS_H

#include "cards.h"

/* How many cards of each class a deck holds. */
typedef struct {
    uint16_t of[CLASSES];
} composition;

/* Writes the codes of `cards` letters; 0 if one of them is none of the five. */
int text_to_codes(const uint8_t *text, int cards, uint8_t *codes);

/* Packs `cards` (1 to MAX_PACKED_CARDS) letters, of which `first` belong to seat 0.
 * Returns 0 if a letter is none of the five or there are too many court cards. */
int text_to_packed(const uint8_t *text, int cards, int first, packed_deal *deal);

void codes_to_text(const uint8_t *codes, int cards, uint8_t *text);

/* Writes the letters of deal->cards cards. */
void packed_to_text(const packed_deal *deal, uint8_t *text);

composition codes_composition(const uint8_t *codes, int cards);
composition packed_composition(const packed_deal *deal);

#endif
