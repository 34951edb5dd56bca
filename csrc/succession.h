/* All deals of a deck, one after the other in the order of their indices (ranking.h).
 *
 * Packed deals are made nearly for nothing. The last places of the deck, ENDING of them, run through
 * all orders of the cards that lie there while the cards before them stand still. These orders are
 * listed beforehand, for every set of cards that can lie there, and an entry of a list is laid over
 * the packed cards before it: two shifts and three ors a deal. Only when a list has been gone
 * through, the cards before it are moved on, card by card, and packed anew. */
#ifndef BEGGAR_SUCCESSION_H
#define BEGGAR_SUCCESSION_H

#include "cards.h"
#include "engine.h"
#include "strings.h"

typedef struct succession succession;

/* From the deal of these codes on, `first` cards to seat 0; the deck must fit in a packed deal.
 * NULL: out of memory. */
succession *succession_new(const uint8_t *codes, int cards, int first);
void succession_free(succession *s);

/* Writes the next n deals, beginning with the one it was made with. The caller does not ask for more
 * than there are. */
void succession_packed(succession *s, size_t n, packed_deal *deals);

/* The next `left` deals of a succession as a source for an engine, numbered from 0. */
typedef struct {
    deal_source source;
    succession *deals;
    uint64_t next, end;
} successive;

successive successive_deals(succession *s, uint64_t n);

#endif
