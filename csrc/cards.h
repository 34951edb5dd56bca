/* Cards, deals and results, as every file of the kernel sees them. */
#ifndef BEGGAR_CARDS_H
#define BEGGAR_CARDS_H

#include <stddef.h>
#include <stdint.h>

/* A card is known by its rank class alone. The codes index `pay` below. */
enum { NUMBER = 0, JACK = 1, QUEEN = 2, KING = 3, ACE = 4, CLASSES = 5 };

enum {
    MAX_CARDS = 1000,        /* in a deck, for the careful engines */
    MAX_PACKED_CARDS = 64,   /* in a packed deal */
    MAX_PACKED_COURTS = 16,
    MAX_SEATS = 4,
};

/* What a card of each class asks for; pay[NUMBER] is 0. */
typedef struct {
    uint8_t pay[CLASSES];
} pays;

/* A two-player deal of up to 64 cards, 16 of them court cards, in 16 bytes.
 * Card i of the deck (0 is the top card of seat 0) is a court card where bit i of `courts` is set.
 * The j-th court card from there has class 1 + (bit j of rank_lo) + 2*(bit j of rank_hi).
 * Bits without a card or court card are zero, so equal deals have equal bytes. */
typedef struct {
    uint64_t courts;
    uint16_t rank_lo, rank_hi;
    uint8_t cards;           /* in the deck */
    uint8_t first;           /* of them in the hand of seat 0 */
    uint8_t spare[2];
} packed_deal;

enum { FINITE = 0, INFINITE = 1, LIMIT = 2 };
enum { NO_WINNER = -1 };

/* How a game went, in full: what the careful engines return. */
typedef struct {
    uint64_t cards, tricks;
    uint64_t lead_in, period, loop_cards;   /* infinite games only, else 0 */
    int32_t status;                         /* FINITE, INFINITE, LIMIT */
    int32_t winner;                         /* seat, or NO_WINNER */
} outcome;

/* How a game of a batch went. `number` says which deal it was: its place in the batch, or the
 * number under which its source dealt it. The fast engines do not say who won. */
typedef struct {
    uint64_t number;
    uint32_t cards, tricks;
    uint32_t lead_in, period;               /* infinite games only, else 0 */
    uint32_t status;                        /* FINITE or INFINITE */
    uint32_t spare;
} game_result;

#endif
