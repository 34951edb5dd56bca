/* Packed deals: reading and writing them, card by card. */
#ifndef BEGGAR_PACKED_H
#define BEGGAR_PACKED_H

#include <string.h>

#include "cards.h"

/* Ones in a word. Where no instruction is sure to be there, compilers call a function; this is faster. */
static inline int count_ones(uint64_t x)
{
#if defined(__POPCNT__) || defined(__aarch64__)
    return __builtin_popcountll(x);
#else
    x -= x >> 1 & 0x5555555555555555u;                                /* sums of pairs of bits, */
    x = (x & 0x3333333333333333u) + (x >> 2 & 0x3333333333333333u);   /* of fours, */
    x = (x + (x >> 4)) & 0x0F0F0F0F0F0F0F0Fu;                         /* of bytes, */
    return (int)(x * 0x0101010101010101u >> 56);                      /* of all bytes */
#endif
}

/* The class of the court card number `j` of a deal. */
static inline uint8_t packed_court(const packed_deal *deal, int j)
{
    return (uint8_t)(1 + (deal->rank_lo >> j & 1) + 2 * (deal->rank_hi >> j & 1));
}

/* Is it well formed: counts in range, no bit where there is no card? */
static inline int packed_valid(const packed_deal *deal)
{
    if (deal->cards > MAX_PACKED_CARDS || deal->first > deal->cards || deal->spare[0] || deal->spare[1])
        return 0;
    if (deal->cards < MAX_PACKED_CARDS && deal->courts >> deal->cards)
        return 0;
    int courts = count_ones(deal->courts);
    return courts <= MAX_PACKED_COURTS && (((uint32_t)deal->rank_lo | deal->rank_hi) >> courts) == 0;
}

/* How many court cards a deal has, and with which bits of their class set: rank_hi, rank_lo, both.
 * With the number of cards this is the composition. */
typedef struct {
    int courts;
    uint16_t high, low, aces;
} class_counts;

static inline class_counts packed_class_counts(const packed_deal *deal)
{
    enum { WIDTH = 16 };
    uint64_t both = deal->rank_hi & deal->rank_lo;
    uint64_t x = deal->rank_hi | (uint64_t)deal->rank_lo << WIDTH | both << 2 * WIDTH;

    x -= x >> 1 & 0x5555555555555555u;   /* as in count_ones(), in each 16 bits */
    x = (x & 0x3333333333333333u) + (x >> 2 & 0x3333333333333333u);
    x = (x + (x >> 4)) & 0x0F0F0F0F0F0F0F0Fu;
    x = (x + (x >> 8)) & 0x00FF00FF00FF00FFu;
    return (class_counts){
        .courts = count_ones(deal->courts),
        .high = (uint16_t)x,
        .low = (uint16_t)(x >> WIDTH),
        .aces = (uint16_t)(x >> 2 * WIDTH),
    };
}

/* Writes the codes of deal->cards cards. */
static inline void packed_to_codes(const packed_deal *deal, uint8_t *codes)
{
    int j = 0;
    memset(codes, NUMBER, deal->cards);
    for (uint64_t rest = deal->courts; rest; rest &= rest - 1)
        codes[__builtin_ctzll(rest)] = packed_court(deal, j++);
}

/* Packs a deal of `cards` codes, of which `first` belong to seat 0.
 * Returns 0 where it does not fit: too many cards or court cards. */
static inline int codes_to_packed(const uint8_t *codes, int cards, int first, packed_deal *deal)
{
    if (cards > MAX_PACKED_CARDS)
        return 0;
    memset(deal, 0, sizeof *deal);
    deal->cards = (uint8_t)cards;
    deal->first = (uint8_t)first;
    int courts = 0;
    for (int i = 0; i < cards; i++) {
        if (codes[i] == NUMBER)
            continue;
        if (courts == MAX_PACKED_COURTS)
            return 0;
        unsigned rank = codes[i] - 1u;
        deal->courts |= (uint64_t)1 << i;
        deal->rank_lo |= (uint16_t)((rank & 1) << courts);
        deal->rank_hi |= (uint16_t)((rank >> 1) << courts);
        courts++;
    }
    return 1;
}

/* A deal of up to MAX_PACKED_CARDS cards as bits by place: court cards, and the bits of their ranks. */
typedef struct {
    uint64_t court, lo, hi;
} planes;

/* Packs planes of `cards` cards; at most MAX_PACKED_COURTS of them may be court cards. */
static inline packed_deal planes_packed(const planes *p, int cards, int first)
{
    uint64_t lo = 0, hi = 0;
    int j = 0;

    for (uint64_t rest = p->court; rest; rest &= rest - 1, j++) {
        int i = __builtin_ctzll(rest);
        lo |= (p->lo >> i & 1) << j;
        hi |= (p->hi >> i & 1) << j;
    }
    return (packed_deal){
        .courts = p->court,
        .rank_lo = (uint16_t)lo,
        .rank_hi = (uint16_t)hi,
        .cards = (uint8_t)cards,
        .first = (uint8_t)first,
    };
}

/* The result of a batch that says the same as an outcome. Counts of games that can be packed
 * stay far below 2^32 in practice; one that did not would show as the largest number. */
static inline uint32_t clip32(uint64_t n)
{
    return n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
}

static inline game_result result_of(uint64_t number, const outcome *o)
{
    game_result r = {
        .number = number,
        .cards = clip32(o->cards),
        .tricks = clip32(o->tricks),
        .lead_in = clip32(o->lead_in),
        .period = clip32(o->period),
        .status = (uint32_t)o->status,
    };
    return r;
}

#endif
