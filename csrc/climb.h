/* Hill-climbing: walks that go from a random deal to ever longer neighbours, and start afresh when stuck.
 *
 * A searcher has CLIMB_WALKS walks, independent of each other, so that a fast engine always has many
 * games in flight. A walk deals itself a random deal and then *scans* the neighbours of the deal
 * that it stands on (moves.h), in an order drawn for each scan:
 *   best improvement   it goes to the longest of all neighbours, if that is longer;
 *   first improvement  it looks at FIRST_CHUNK neighbours at a time and goes to the first longer one.
 * A scan ends after `patience` tests or when all neighbours have been tested. If it found nothing
 * longer, the walk starts again. Infinite games are gathered but count as nothing to walk to.
 *
 * A test is one game. A leg gives every walk its share of tests and stops it wherever it is then;
 * all that a walk needs to go on is in the state, so legs leave no trace in where walks go. */
#ifndef BEGGAR_CLIMB_H
#define BEGGAR_CLIMB_H

#include "dealing.h"
#include "gather.h"
#include "moves.h"

enum { CLIMB_WALKS = 16 };

typedef struct climb climb;

typedef struct {
    int move_kinds;
    int first_improvement;
    uint64_t patience;
    objective wanted;        /* FOR_CARDS or FOR_TRICKS */
} climb_options;

/* The walks of a searcher before their first test; NULL: out of memory. `d` deals for `seats` hands
 * of these sizes and must stay alive. */
climb *climb_new(const dealer *d, const int *sizes, int seats, const climb_options *options, uint64_t seed, uint64_t searcher);
void climb_free(climb *c);

/* A state is so many bytes, the same on every machine. Loading one that cannot be: 0. */
size_t climb_state_size(const climb *c);
void climb_save(const climb *c, uint8_t *state);
int climb_load(climb *c, const uint8_t *state);

/* Does `tests` tests, on `e` where the deck can be packed, else on the careful engine. */
void climb_leg(climb *c, const engine *e, const pays *p, uint64_t tests, gather *g);

/* Since climb_new: how often a walk went to a longer neighbour, and how often it began with a new deal. */
uint64_t climb_improvements(const climb *c);
uint64_t climb_starts(const climb *c);

#endif
