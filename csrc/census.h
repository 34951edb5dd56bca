/* All cycles of a small deck, and all its infinite deals, found by backward play alone.
 *
 * A second way of counting beside a scan, which plays every deal forward: it shares neither the
 * engines nor their search for loops. Every position of a cycle is live, and a live position has at
 * most one live predecessor (backward.h). So every way of laying out the deck in two hands is looked
 * at, and from those that are live the walk back along live positions is taken: it comes back to
 * where it began exactly if that is a position of a cycle. Then all predecessors of a cycle's
 * positions, and theirs, and so on, are gone through. A position has one successor only, so these
 * are trees, none is met twice, and those with as many cards in hand as a deal has are the infinite
 * deals. Two players; the time grows with the number of orders times the number of cards. */
#ifndef BEGGAR_CENSUS_H
#define BEGGAR_CENSUS_H

#include "backward.h"
#include "strings.h"

/* A cycle, and what leads to it. */
typedef struct {
    position at;             /* one of its positions */
    uint64_t period;         /* how many it has: the tricks in which it closes, seats exchanged or not */
    uint64_t deals;          /* infinite deals that end up in it */
    uint64_t basin;          /* all positions that do, its own included */
} cycle_found;

typedef struct {
    uint64_t positions;      /* looked at: orders of the deck times ways of cutting it in two hands */
    uint64_t live;           /* of them */
    size_t n, room;
    cycle_found *cycles;
} census;

/* Fills an empty census of a deck that can be packed; deals have `first` cards in the leader's hand.
 * 0: out of memory. */
int census_take(census *c, const pays *p, composition deck, int first);
void census_free(census *c);

#endif
