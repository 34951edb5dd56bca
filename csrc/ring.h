/* The careful engine: two players, any deck and any split, exact about everything.
 *
 * It plays card by card in two ring buffers, and it is the yardstick: the fast engines hand it the
 * games that they cannot finish, and the benchmarks compare with it. */
#ifndef BEGGAR_RING_H
#define BEGGAR_RING_H

#include "cards.h"
#include "engine.h"

#define NO_LIMIT UINT64_MAX

/* Plays the deal `codes[0..cards-1]`, of which the first `first` cards are the hand of seat 0.
 * Up to MAX_CARDS cards, any pays. With a limit the game stops when that many cards have been
 * played: whoever holds more cards in hand wins, the pile on the table counting for nobody.
 * Hands may be empty: then the game is over before its first trick. */
outcome ring_play(const pays *p, const uint8_t *codes, int cards, int first, uint64_t limit);

/* The same for a packed deal, without a limit. */
outcome ring_play_packed(const pays *p, const packed_deal *deal);

extern const engine RING_ENGINE;

#endif
