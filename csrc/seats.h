/* The engine for two to four players: any deck, any split, exact about everything.
 *
 * It shares no code with the careful engine for two players (ring.h), so that each checks the other. */
#ifndef BEGGAR_SEATS_H
#define BEGGAR_SEATS_H

#include "cards.h"
#include "engine.h"
#include "ring.h"

/* Plays a deal of two to four hands: `codes` holds the cards of seat 0, then of seat 1, and so on,
 * `sizes[i]` cards for seat i, up to MAX_CARDS in all and at least one. A seat without cards is out
 * before the first trick, which the first seat with cards leads. With a limit (else NO_LIMIT of
 * ring.h) the game stops when that many cards have been played: whoever holds the most cards in
 * hand wins, equal most is a draw, and the pile on the table counts for nobody. */
outcome seats_play(const pays *p, const uint8_t *codes, const uint16_t *sizes, int seats, uint64_t limit);

/* A game on the careful engine for so many players. */
static inline outcome careful_play(const pays *p, const uint8_t *codes, const uint16_t *sizes, int seats, uint64_t limit)
{
    return seats == 2 ? ring_play(p, codes, sizes[0] + sizes[1], sizes[0], limit) : seats_play(p, codes, sizes, seats, limit);
}

/* Plays n deals of `cards` codes each, which stand one after the other, all of the same `sizes`;
 * results[i] is the result of deal i. */
void seats_play_batch(const pays *p, const uint8_t *codes, int cards, const uint16_t *sizes, int seats, size_t n,
                      game_result *results);

/* For two players, as one more engine of packed deals. */
extern const engine SEATS_ENGINE;

#endif
