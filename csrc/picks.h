/* Picking one thing out of many by random words, uniformly or by weight, and the masks that most of
 * these things are. Used where deals and positions are made by number. */
#ifndef BEGGAR_PICKS_H
#define BEGGAR_PICKS_H

#include <stdint.h>

#include "cpu.h"

#define INLINE static inline __attribute__((always_inline))

/* One of n things, by one word; what is left of the word's randomness goes to `*rest`, and the next
 * pick may use it. Uniform up to the product of all n over 2^64. */
INLINE uint64_t pick(uint64_t word, uint64_t n, uint64_t *rest)
{
    unsigned __int128 product = (unsigned __int128)word * n;
    *rest = (uint64_t)product;
    return (uint64_t)(product >> 64);
}

/* Exact where the result times k fits 64 bits, as for up to 64 over 16; every step divides evenly. */
uint64_t binomial(int n, int k);

/* Walker's alias table: things by weight with one comparison. A cell stands for its own thing below
 * the threshold and for the other from there on. */
typedef struct {
    uint64_t threshold;
    uint32_t own, other;
} alias_cell;

/* Fills in thresholds and others; `own` is there. The weights (sum below 2^60, not 0) are used up,
 * `stack` is room for n numbers. */
void alias_fill(alias_cell *cells, unsigned __int128 *weights, uint32_t *stack, uint32_t n);

INLINE uint32_t alias_pick(const alias_cell *cells, uint32_t n, uint64_t word)
{
    uint64_t rest;
    const alias_cell *c = &cells[pick(word, n, &rest)];
    return rest < c->threshold ? c->own : c->other;
}

/* All masks of `bits` bits, by number of ones, then by value; those with k ones begin at from[k].
 * The first binomial(p, k) of these are the ones that use the first p bits only. */
void masks_by_ones(int bits, uint16_t *masks, uint32_t *from);

/* Puts the low bits of `bits`, in order, on the places where `mask` has ones: what the instruction
 * pdep does, in four steps of four places, for processors that have none or a slow one. */
INLINE uint32_t deposit16(uint32_t bits, uint32_t mask)
{
    extern const uint8_t DEPOSIT_SPREAD[16][16], DEPOSIT_ONES[16];
    uint32_t spread = 0;

    for (int at = 0; at < 16; at += 4) {
        uint32_t part = mask >> at & 15;
        spread |= (uint32_t)DEPOSIT_SPREAD[part][bits & 15] << at;
        bits >>= DEPOSIT_ONES[part];
    }
    return spread;
}

#endif
