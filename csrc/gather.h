/* What a leg gathers from its games: counts, a histogram of lengths, the deals worth keeping. */
#ifndef BEGGAR_GATHER_H
#define BEGGAR_GATHER_H

#include "cards.h"
#include "engine.h"
#include "keeper.h"

/* What finite games are judged by; infinite games are all kept, whatever it is. */
typedef enum { FOR_CARDS = 0, FOR_TRICKS = 1, FOR_INFINITE = 2 } objective;

/* Lengths and periods below these are counted in an array, the few above in a list. */
enum { DENSE_LENGTHS = 16384, DENSE_PERIODS = 1024 };

typedef struct {
    uint64_t *at;
    size_t n, room;
} number_list;

typedef struct {
    objective wanted;
    uint64_t games, cards, tricks, infinite;   /* cards and tricks of infinite games until they repeat */
    uint64_t lengths[DENSE_LENGTHS];           /* of finite games, in cards */
    uint64_t periods[DENSE_PERIODS];           /* of infinite games, in tricks */
    number_list long_lengths, long_periods;    /* those from DENSE_LENGTHS and DENSE_PERIODS on, one by one */
    uint64_t limited, draws;                   /* games that the limit stopped; of them, those that nobody won */
    uint64_t wins[MAX_SEATS];                  /* of each seat, as far as games are gathered by codes */
    keeper best;                               /* finite games of value `least` or more, the best so many */
    keeper loops;                              /* infinite games: all, if `loops_by_number` is not set */
    int loops_by_number;                       /* those of the smallest numbers */
    int failed;                                /* out of memory */
} gather;

/* A gather for decks of `cards` cards; NULL: out of memory. */
gather *gather_new(int cards, objective wanted, size_t keep, uint64_t least);
void gather_free(gather *g);

/* From now on only the infinite games of the smallest numbers are kept, so many of them. All are
 * counted. A game that is gathered by codes has as its number how many were gathered before it. */
void gather_first_loops(gather *g, int cards, size_t keep);

void gather_packed(gather *g, const packed_deal *deal, const game_result *result);
/* A game that a limit stopped is counted, with its winner, and not kept. */
void gather_codes(gather *g, const uint8_t *codes, int cards, const outcome *result);

/* Ends it: afterwards `best` and `loops` are in order. 0: out of memory on the way, nothing is good. */
int gather_close(gather *g);

/* A sink that gathers all that an engine plays. */
typedef struct {
    result_sink sink;
    gather *into;
} gather_sink;

gather_sink gather_sink_for(gather *g);

#endif
