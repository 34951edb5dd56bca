/* Backward play for two to four players: all states that lead to a state, dropping out included.
 *
 * The leader of a state has just taken a pile, so his hand ends in it. As for two players
 * (backward.h) a pile must end in a court card followed by exactly its pay in number cards, and
 * before that every court card must be followed by fewer than it asks for. Here every seat that was
 * in may have led, and any of those that are out now may have dropped out in this very trick: each
 * of them gave at least one card and then either had to turn a card and had none, or was just left
 * with none. All ways are tried that give back every card of the pile.
 *
 * A state has one successor, so what leads to a loop is a forest, and no state of it is met twice.
 * That is how infinite games for three and four players can be built from those of two: they go
 * round in a loop of two after the others have dropped out. */
#ifndef BEGGAR_ANCESTRY_H
#define BEGGAR_ANCESTRY_H

#include "cards.h"

/* A state of up to four hands, 64 cards in all; a seat without cards is out. */
typedef struct {
    uint8_t seats, leader;
    uint8_t n[MAX_SEATS];
    uint8_t cards[MAX_SEATS][MAX_PACKED_CARDS];
} seats_state;

/* What is done with a predecessor; 0 stops the search. */
typedef int (*on_predecessor)(void *context, const seats_state *before);

/* Calls `take` for every predecessor. Returns 0 if it was stopped. */
int seats_predecessors(const pays *p, const seats_state *s, on_predecessor take, void *context);

typedef struct {
    uint64_t states;        /* that lead to the loop, its own not counted; at most `most` */
    uint64_t full;          /* of them, those in which nobody is out */
    size_t n, room;         /* deals found */
    seats_state *deals;     /* the leader is the seat that leads the first trick */
    int complete;           /* was everything looked at? */
} ancestry;

/* Fills an empty ancestry with all deals that lead to `s`, which stands on a loop, or anywhere else:
 * `before` is the state that comes before it on its loop and is left out, or NULL. A deal is a state
 * in which the leader has sizes[0] cards, the next seat sizes[1] cards, and so on.
 * 0: out of memory. */
int ancestry_of(ancestry *a, const pays *p, const seats_state *s, const seats_state *before, const uint16_t *sizes,
                uint64_t most);
void ancestry_free(ancestry *a);

int seats_state_equal(const seats_state *a, const seats_state *b);

#endif
