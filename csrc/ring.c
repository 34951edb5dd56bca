#include "ring.h"

#include <string.h>

#include "cpu.h"
#include "one_by_one.h"
#include "packed.h"

/* A hand is a ring of a power of two bytes; the mask that wraps an index around it is a constant
 * wherever it is used, because the functions below are inlined for each of the two sizes. */
enum { SMALL_MASK = MAX_PACKED_CARDS - 1, LARGE_MASK = 1023 };
_Static_assert(MAX_CARDS <= LARGE_MASK + 1, "a hand may hold the whole deck");

/* A game in its loop is found by comparing with snapshots (Brent's method): the first is taken at
 * the trick below, each later one when the game is twice as old. Few games live to see even the
 * first, so the search for loops costs the others one comparison of numbers a trick. */
enum { FIRST_SNAPSHOT = 64 };

#define INLINE static inline __attribute__((always_inline))

/* The state of a game at the start of a trick. */
typedef struct {
    uint64_t cards, tricks;       /* so far */
    uint32_t head[2], tail[2];    /* where a hand begins and ends; counted on, wrapped when used */
    uint32_t leader;
    uint8_t hand[2][LARGE_MASK + 1];
} table;

typedef enum { GOES_ON, OVER, AT_LIMIT } trick_end;

static void deal_out(table *t, const uint8_t *codes, int cards, int first)
{
    t->cards = t->tricks = 0;
    t->head[0] = t->head[1] = 0;
    t->tail[0] = (uint32_t)first;
    t->tail[1] = (uint32_t)(cards - first);
    t->leader = 0;
    memcpy(t->hand[0], codes, (size_t)first);
    memcpy(t->hand[1], codes + first, (size_t)(cards - first));
}

INLINE uint32_t in_hand(const table *t, uint32_t seat)
{
    return t->tail[seat] - t->head[seat];
}

/* Plays one trick. The pile is laid down behind both hands at once; whoever takes it only moves his
 * tail. There is room for that: a hand and the pile together are never more than the deck.
 * GOES_ON: the pile is taken and both players have cards. OVER: `leader` has won.
 * AT_LIMIT: `limit` cards have been played and nobody has won yet; the pile lies on the table. This
 * is looked at before anybody is asked for another card. */
INLINE trick_end play_trick(table *t, const pays *p, uint32_t mask, uint64_t limit)
{
    const uint32_t tail0 = t->tail[0], tail1 = t->tail[1];
    uint32_t played = 0, owed = 0;   /* owed: what is left of a payment; 0 before the first court card */
    uint32_t turn = t->leader;

    for (;;) {
        if (limit != NO_LIMIT && t->cards + played == limit) {
            t->cards += played;
            t->tricks += played > 0;
            return AT_LIMIT;
        }
        uint32_t at = t->head[turn];
        if (at == t->tail[turn]) {   /* he must turn a card and cannot: the other takes the pile */
            t->leader = turn ^ 1;
            t->cards += played;
            t->tricks++;
            return OVER;
        }
        uint8_t card = t->hand[turn][at & mask];
        t->head[turn] = at + 1;
        t->hand[0][(tail0 + played) & mask] = card;
        t->hand[1][(tail1 + played) & mask] = card;
        played++;
        if (card) {                  /* a court card: the other player pays from now on */
            owed = p->pay[card];
            turn ^= 1;
        } else if (owed) {
            if (--owed == 0)
                break;               /* paid in full */
        } else {
            turn ^= 1;
        }
    }

    uint32_t winner = turn ^ 1;
    t->tail[winner] += played;
    t->leader = winner;
    t->cards += played;
    t->tricks++;
    return in_hand(t, turn) ? GOES_ON : OVER;
}

/* Is it the same state: the same leader, and both hands the same sequences of classes? */
INLINE int same_state(const table *a, const table *b, uint32_t mask)
{
    if (a->leader != b->leader || in_hand(a, 0) != in_hand(b, 0))
        return 0;
    for (uint32_t seat = 0; seat < 2; seat++)
        for (uint32_t i = 0; i < in_hand(a, seat); i++)
            if (a->hand[seat][(a->head[seat] + i) & mask] != b->hand[seat][(b->head[seat] + i) & mask])
                return 0;
    return 1;
}

INLINE void take_snapshot(table *copy, const table *t, uint32_t mask)
{
    memcpy(copy, t, offsetof(table, hand));
    memcpy(copy->hand[0], t->hand[0], mask + 1);
    memcpy(copy->hand[1], t->hand[1], mask + 1);
}

/* The facts of a loop whose period is known. Two games are played from the deal, one a period
 * ahead of the other: where they first agree, the loop begins, and the one ahead is where the
 * repeated state is met for the second time. */
static __attribute__((noinline)) outcome measure_loop(const pays *p, const uint8_t *codes, int cards, int first,
                                                      uint64_t period, uint32_t mask)
{
    table behind, ahead;
    deal_out(&behind, codes, cards, first);
    deal_out(&ahead, codes, cards, first);
    for (uint64_t i = 0; i < period; i++)
        play_trick(&ahead, p, mask, NO_LIMIT);
    while (!same_state(&ahead, &behind, mask)) {
        play_trick(&ahead, p, mask, NO_LIMIT);
        play_trick(&behind, p, mask, NO_LIMIT);
    }
    return (outcome){
        .cards = ahead.cards,
        .tricks = ahead.tricks,
        .lead_in = behind.tricks,
        .period = period,
        .loop_cards = ahead.cards - behind.cards,
        .status = INFINITE,
        .winner = NO_WINNER,
    };
}

INLINE outcome play_on(const pays *p, const uint8_t *codes, int cards, int first, uint32_t mask)
{
    table t, snapshot;
    uint64_t next_snapshot = FIRST_SNAPSHOT;

    deal_out(&t, codes, cards, first);
    if (first == 0 || first == cards)
        return (outcome){.status = FINITE, .winner = first == 0};
    while (play_trick(&t, p, mask, NO_LIMIT) != OVER) {
        if (t.tricks < FIRST_SNAPSHOT)
            continue;
        /* The snapshot's state, once it is on the loop, comes back first after exactly one period. */
        if (t.tricks > FIRST_SNAPSHOT && same_state(&t, &snapshot, mask))
            return measure_loop(p, codes, cards, first, t.tricks - snapshot.tricks, mask);
        if (t.tricks == next_snapshot) {
            take_snapshot(&snapshot, &t, mask);
            next_snapshot *= 2;
        }
    }
    return (outcome){.cards = t.cards, .tricks = t.tricks, .status = FINITE, .winner = (int32_t)t.leader};
}

/* A game that is known not to end, and not to repeat, before `limit` cards have been played. */
static outcome play_to(const pays *p, const uint8_t *codes, int cards, int first, uint64_t limit)
{
    table t;
    trick_end end;

    deal_out(&t, codes, cards, first);
    while ((end = play_trick(&t, p, LARGE_MASK, limit)) == GOES_ON)
        ;
    if (end == OVER)
        return (outcome){.cards = t.cards, .tricks = t.tricks, .status = FINITE, .winner = (int32_t)t.leader};
    uint32_t n0 = in_hand(&t, 0), n1 = in_hand(&t, 1);
    return (outcome){.cards = t.cards, .tricks = t.tricks, .status = LIMIT, .winner = n0 == n1 ? NO_WINNER : n1 > n0};
}

outcome ring_play(const pays *p, const uint8_t *codes, int cards, int first, uint64_t limit)
{
    outcome o = cards <= MAX_PACKED_CARDS ? play_on(p, codes, cards, first, SMALL_MASK)
                                          : play_on(p, codes, cards, first, LARGE_MASK);
    /* Limits are rare: such a game is played twice, so that all others need not think of them. */
    return o.cards < limit || first == 0 || first == cards ? o : play_to(p, codes, cards, first, limit);
}

outcome ring_play_packed(const pays *p, const packed_deal *deal)
{
    uint8_t codes[MAX_PACKED_CARDS];
    packed_to_codes(deal, codes);
    return play_on(p, codes, deal->cards, deal->first, SMALL_MASK);
}

static void ring_run(const pays *p, deal_source *source, result_sink *sink)
{
    run_one_by_one(ring_play_packed, p, source, sink);
}

const engine RING_ENGINE = {
    .name = "ring",
    .summary = "ring buffers, card by card: plain C, any deck",
    .available = cpu_is_any,
    .plays = every_packed_deal,
    .run = ring_run,
};
