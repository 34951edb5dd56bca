/* A leg of random deals: dealt by number, played, gathered. */
#ifndef BEGGAR_RANDOM_LEG_H
#define BEGGAR_RANDOM_LEG_H

#include "dealing.h"
#include "gather.h"

/* Deals and plays the deals number .. number+games-1 of a stream and gathers their games; the hands
 * are of `sizes`, one a seat; games stop after `limit` cards (NO_LIMIT: never). `e` plays what can be packed
 * for two players and has no limit, in one run, the careful engines all else. */
void random_leg(const engine *e, const pays *p, const dealer *d, const uint16_t *sizes, int seats, rng_stream stream,
                uint64_t number, uint64_t games, uint64_t limit, gather *g);

/* The same games, of decks that can be packed, with nothing gathered: how fast a leg could be at
 * best. Returns the cards of all games together. */
uint64_t random_bare(const engine *e, const pays *p, const dealer *d, rng_stream stream, uint64_t number, uint64_t games);

#endif
