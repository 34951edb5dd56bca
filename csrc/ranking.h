/* The place of a deck among all orders of its cards, and the deck at a place.
 *
 * Decks are ordered as words over A < K < Q < J < number card, so that index 0 of the standard deck
 * is AAAAKKKKQQQQJJJJ and then 36 number cards. search/index.py does the same with integers of any
 * size; here an index is an unsigned number of 128 bits, which is enough for all decks whose number
 * of orders times their number of cards is below 2^128: the standard deck, with its
 * 653534134886878245000 orders, needs 76. */
#ifndef BEGGAR_RANKING_H
#define BEGGAR_RANKING_H

#include "cards.h"
#include "strings.h"

typedef unsigned __int128 deal_index;

/* The number of orders of a deck; 0 where the indices of such a deck do not fit. */
deal_index orders_of(composition deck);

/* The index of a deck. Only for decks whose indices fit. */
deal_index index_of_codes(const uint8_t *codes, int cards);

/* Writes the deck at a place below orders_of(deck). */
void codes_at_index(deal_index index, composition deck, uint8_t *codes);

/* Changes a deck into the one that follows it. Returns the first place that changed, or -1 (and
 * leaves the deck alone) if it is the last. */
int next_order(uint8_t *codes, int cards);

#endif
