/* From pieces to deals: tapes with exactly the cards of the deck, their cycles, the basins of these. */
#ifndef BEGGAR_FACTORY_TAPES_H
#define BEGGAR_FACTORY_TAPES_H

#include "cycles.h"
#include "factory.h"

/* Limits, all counted in work. */
typedef struct {
    int parts;                   /* pieces of a tape at most */
    int peak;                    /* one of them has at least this peak */
    int ranks;                   /* choices of ranks tried for one row of shapes */
    uint32_t basin;              /* positions of a basin at most */
    uint64_t tricks;             /* of a cycle at most */
} tape_limits;

typedef struct {
    char name[POSITION_TEXT];
    uint32_t period, cards, basin, deals;
    uint8_t parts, complete;
} made_cycle;

typedef struct {
    uint8_t codes[MAX_PACKED_CARDS];
    uint32_t cycle, lead_in;
} made_deal;

typedef struct {
    uint64_t rows, tapes, cycles, with_deals, deals, basin_positions, incomplete, long_cycles, broken;
} tape_counts;

typedef struct tapes tapes;

/* `leader_cards`: cards of the hand that leads in a deal. NULL: no memory. */
tapes *tapes_new(factory *f, const pays *pay, int leader_cards, const tape_limits *limits);
void tapes_free(tapes *t);

/* Makes all tapes that have a piece with an index in first..last-1 and otherwise pieces with smaller
 * ones, until `most` tapes have been made in all. Returns 0 if memory ran out. */
int tapes_make(tapes *t, size_t first, size_t last, uint64_t most);

const tape_counts *tapes_counts(const tapes *t);
/* Cycles that deals lead into, and the deals, in the order in which they were found. */
size_t tapes_cycles(const tapes *t);
const made_cycle *tapes_cycle(const tapes *t, size_t i);
size_t tapes_deals(const tapes *t);
const made_deal *tapes_deal(const tapes *t, size_t i);

#endif
