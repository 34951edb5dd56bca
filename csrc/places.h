/* Loops of a two-player game, searched for card by card, without any seam: all short ones of a deck.
 *
 * How the tricks of a loop go depends little on the ranks: where a court card is beaten within its
 * payment, it only matters that it asks for more than was paid. So what is searched for is a *loop of
 * places*: which cards are court cards, and for each of these the set of ranks that leave every trick as
 * it is. Its places come back; its cards of one class have then changed places, and each must fit where
 * it now stands, too, and so on round the orbit. Any ranks out of the sets that make up the deck give an
 * infinite game, which closes after so many rounds as its ranks need.
 *
 * What a player turns in one round is a row of *cells*; what he turns in the next one is the same row, or,
 * where the loop exchanges the two hands, that of the other player, so that both read one ring of cells.
 * The winner of a trick writes its cards into the cells that lie as far ahead of the next one that he
 * reads as he has cards. Each cell is read once in a round and written once, and must be given back what
 * was in it. Cells are decided when they are first needed: a number card or a court card, and a court card
 * asks for as much as the trick needs it to. Who wins a trick is guessed before its first card, so that
 * each card is written when it is turned, and a contradiction is met at once. */
#ifndef BEGGAR_PLACES_H
#define BEGGAR_PLACES_H

#include "cards.h"
#include "strings.h"

enum {
    MAX_ROUND_CARDS = 128,   /* turned in a round */
};

/* Where a loop is looked for. It begins at the state in which the hands are most equal. */
typedef struct {
    uint8_t exchange;        /* whether a round exchanges the two hands, and who leads with them */
    uint8_t short_leads;     /* whether the shorter hand leads at first */
    uint8_t short_cards;     /* in that hand; the other is as long, or longer */
    uint8_t short_reads, long_reads;  /* cards that each turns in a round; each at least 1 */
} round_frame;

/* A loop of places at its first state. sets[i] has bit c - 1 for each class c that fits the i-th card,
 * the leader's hand first; 0 is a number card. */
typedef struct {
    uint8_t leader_cards, tricks;
    uint8_t sets[MAX_PACKED_CARDS];
} places_loop;

typedef struct {
    uint64_t steps, tricks;  /* cards turned, tricks ended */
    size_t n, room;
    places_loop *loops;
} places_found;

/* Adds all loops of a frame to a list. The deck has at most MAX_PACKED_CARDS cards, at least two of them in
 * each hand, and a round turns at most MAX_ROUND_CARDS. Returns 0 if memory ran out. */
int places_search(const pays *p, composition deck, const round_frame *frame, places_found *found);
void places_free(places_found *found);

#endif
