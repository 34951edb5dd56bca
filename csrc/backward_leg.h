/* A leg of backward search: games come in, long ones are walked back, and the longest deals of long
 * lines are kept. It does not matter where the games come from: samples in the middle of games, or
 * random deals. */
#ifndef BEGGAR_BACKWARD_LEG_H
#define BEGGAR_BACKWARD_LEG_H

#include "backward.h"
#include "gather.h"

/* What is looked for. Lengths are tricks if top.by_tricks is set, else cards. */
typedef struct {
    uint64_t walk_from;    /* shorter games are dropped */
    uint64_t least;        /* shorter deals are not kept */
    uint64_t margin;       /* a line is searched if it falls short of `least` by no more than this */
    top_search top;
} line_wishes;

/* The longest legal deal of a line. */
typedef struct {
    uint64_t number;       /* of the game that led to it */
    uint64_t cards, tricks;
    position deal;
    position top;          /* names the line; a game without a live position has no line */
    int has_line;
} line_find;

/* A sink for two-player games of packed deals. Counts and infinite games go to `into`, which may be
 * NULL where games are given one by one. */
typedef struct {
    result_sink sink;
    const pays *p;
    line_wishes wishes;
    gather *into;
    uint64_t walks;        /* games walked back */
    uint64_t beyond;       /* by how much these are longer than walk_from, together */
    uint64_t walked;       /* predecessors made, and tricks played again on the way to a live position */
    uint64_t searches;     /* lines searched near their tops */
    uint64_t unfinished;   /* of these, where the bound was met */
    line_find *finds;
    size_t n, room;
    int failed;            /* out of memory */
} line_sink;

line_sink line_sink_for(const pays *p, const line_wishes *wishes, gather *into);
/* Takes one finite game that is known to be of `walk_from` or more. */
void line_sink_follow(line_sink *s, const game_result *result, const packed_deal *deal);
/* Plays all games of a source into it. */
void line_sink_play(line_sink *s, const engine *e, deal_source *source);
/* Puts the finds in the order of their games; 0: out of memory on the way, nothing is good. */
int line_sink_close(line_sink *s);
void line_sink_free(line_sink *s);

#endif
