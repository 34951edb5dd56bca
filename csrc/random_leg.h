/* A leg of random deals: dealt by number, played, gathered. */
#ifndef BEGGAR_RANDOM_LEG_H
#define BEGGAR_RANDOM_LEG_H

#include "dealing.h"
#include "gather.h"

/* Deals and plays the deals number .. number+games-1 of a stream and gathers their games. Two
 * players; `e` plays what can be packed, in one run, the careful engine all other decks. */
void random_leg(const engine *e, const pays *p, const dealer *d, rng_stream stream, uint64_t number, uint64_t games,
                gather *g);

#endif
