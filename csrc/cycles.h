/* The loop that a game falls into, and its basin: every position from which play leads into it. */
#ifndef BEGGAR_CYCLES_H
#define BEGGAR_CYCLES_H

#include "backward.h"

enum { POSITION_TEXT = MAX_PACKED_CARDS + 1 };

/* Writes `leader/other` in ranks; returns its length, the number of cards and one. */
int position_name(const position *s, char text[POSITION_TEXT]);

/* A loop as a cycle, seen from the leader's side. */
typedef struct {
    position name;              /* the smallest of its states in byte order of their texts */
    uint64_t lead_in;           /* tricks before its first state */
    uint64_t period, cards;     /* different states, cards turned once around */
} loop;

/* Follows play from a position for up to `most` tricks of lead-in and loop together (up to some
 * four times that are played). Returns 1 with the loop, 0 if the game ends, -1 if neither happened. */
int find_loop(const pays *p, const position *from, uint64_t most, loop *found);

/* A list of positions with room for a fixed number. */
typedef struct basin basin;
basin *basin_new(uint32_t room);
void basin_free(basin *b);

/* Fills the basin of a loop, nearest positions first, up to `most` positions (at most the room).
 * Returns whether it is complete. The first `period` positions are the loop itself. */
int basin_fill(basin *b, const pays *p, const loop *of, uint32_t most);

uint32_t basin_size(const basin *b);
const position *basin_position(const basin *b, uint32_t i);
uint32_t basin_lead_in(const basin *b, uint32_t i);

#endif
