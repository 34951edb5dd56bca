#include "seats.h"

#include <string.h>

#include "cpu.h"
#include "one_by_one.h"
#include "packed.h"

/* A hand is a stretch of a tape: cards are played from its head and taken in at its tail. When the
 * tail comes near the end of the tape, the hand is moved back to the beginning. That is rare where
 * the tape is several decks long, and no index ever has to be wrapped. The functions below are
 * inlined for two lengths of tape, so that small decks stay close together in the cache. */
enum { SMALL_TAPE = 512, LARGE_TAPE = 4096 };

/* Cards are looked at and copied eight at a time, so up to this many bytes behind a hand or a pile
 * are touched as well. */
enum { CHUNK = 8 };
_Static_assert(4 * (MAX_PACKED_CARDS + CHUNK) <= SMALL_TAPE, "a tape should hold several decks");
_Static_assert(4 * (MAX_CARDS + CHUNK) <= LARGE_TAPE, "a tape should hold several decks");

/* Loops are found by comparing with snapshots (Brent's method): the first is taken at the trick
 * below, each later one when the game is twice as old. */
enum { FIRST_SNAPSHOT = 64 };

#define INLINE static inline __attribute__((always_inline))

/* The state of a game at the start of a trick. */
typedef struct {
    uint64_t cards, tricks;              /* so far */
    uint32_t head[MAX_SEATS], tail[MAX_SEATS];
    uint32_t next[MAX_SEATS];            /* the next seat clockwise that is still in; of a seat that is out, stale */
    uint32_t seats;
    uint32_t leader;
    uint8_t tapes[MAX_SEATS * LARGE_TAPE];
} table;

typedef enum { GOES_ON, OVER, AT_LIMIT } trick_end;

INLINE uint8_t *tape_of(table *t, uint32_t seat, uint32_t length)
{
    return t->tapes + seat * length;
}

INLINE uint32_t in_hand(const table *t, uint32_t seat)
{
    return t->tail[seat] - t->head[seat];
}

/* The eight cards from `at` on, the first in the lowest byte. */
INLINE uint64_t load_cards(const uint8_t *at)
{
    uint64_t chunk;
    memcpy(&chunk, at, CHUNK);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    chunk = __builtin_bswap64(chunk);
#endif
    return chunk;
}

INLINE void copy_cards(uint8_t *to, const uint8_t *from, uint32_t n)
{
    for (uint32_t i = 0; i < n; i += CHUNK)
        memcpy(to + i, from + i, CHUNK);
}

/* Takes `seat` out of the circle: whoever came before him is now followed by who came after. */
INLINE void drop_out(table *t, uint32_t seat)
{
    uint32_t before = seat;
    while (t->next[before] != seat)
        before = t->next[before];
    t->next[before] = t->next[seat];
}

/* Deals, and makes the circle of those who hold cards. Returns how many they are. */
INLINE int deal_out(table *t, const uint8_t *codes, const uint16_t *sizes, uint32_t seats, uint32_t length)
{
    uint32_t last = MAX_SEATS;
    int in = 0;

    t->cards = t->tricks = 0;
    t->seats = seats;
    t->leader = 0;
    for (uint32_t seat = 0; seat < seats; seat++) {
        t->head[seat] = 0;
        t->tail[seat] = sizes[seat];
        memcpy(tape_of(t, seat, length), codes, sizes[seat]);
        codes += sizes[seat];
        if (sizes[seat] == 0)
            continue;
        if (in++ == 0)
            t->leader = seat;
        else
            t->next[last] = seat;
        last = seat;
    }
    if (in > 0)
        t->next[last] = t->leader;
    return in;
}

/* Puts the pile under the hand of `seat`. */
INLINE void take_pile(table *t, uint32_t seat, const uint8_t *pile, uint32_t played, uint32_t length)
{
    uint8_t *tape = tape_of(t, seat, length);

    if (t->tail[seat] + played + CHUNK > length) {
        uint32_t held = in_hand(t, seat);
        memmove(tape, tape + t->head[seat], held);
        t->head[seat] = 0;
        t->tail[seat] = held;
    }
    copy_cards(tape + t->tail[seat], pile, played);
    t->tail[seat] += played;
    t->leader = seat;
}

/* Plays one trick; two players or more are in.
 * GOES_ON: the pile is taken and two players or more have cards. OVER: `leader` has won.
 * AT_LIMIT: `limit` cards have been played and the pile lies on the table; this is looked at before
 * anybody is asked for another card. */
INLINE trick_end play_trick(table *t, const pays *p, uint32_t length, uint64_t limit)
{
    uint8_t pile[MAX_CARDS + CHUNK];
    const uint64_t room = limit - t->cards;   /* cards that may still be played */
    uint32_t played = 0, owed = 0, owner = 0;
    uint32_t turn = t->leader;
    trick_end end = GOES_ON;

    t->tricks++;
    for (;;) {
        if (limit != NO_LIMIT && played == room) {
            t->cards += played;
            t->tricks -= played == 0;
            return AT_LIMIT;
        }
        uint32_t at = t->head[turn], held = t->tail[turn] - at;
        if (held == 0) {
            /* He must turn a card and has none: he is out, and who comes next takes over what is
             * left of a payment. It comes round to the owner only when all others are out. */
            drop_out(t, turn);
            turn = t->next[turn];
            if (t->next[turn] == turn) {
                owner = turn;
                end = OVER;
                break;
            }
            continue;
        }
        const uint8_t *hand = tape_of(t, turn, length) + at;
        if (owed == 0) {                      /* no court card yet: one card each */
            uint8_t card = *hand;
            t->head[turn] = at + 1;
            pile[played++] = card;
            if (card) {
                owed = p->pay[card];
                owner = turn;
            }
            turn = t->next[turn];
            continue;
        }
        /* A payment, as far as eight cards go: up to the first court card, if there is one. */
        uint32_t most = owed < held ? owed : held;
        most = most < CHUNK ? most : CHUNK;
        if (limit != NO_LIMIT && most > room - played)
            most = (uint32_t)(room - played);
        uint64_t chunk = load_cards(hand);
        uint64_t courts = chunk & (UINT64_MAX >> (8 * (CHUNK - most)));
        memcpy(pile + played, hand, CHUNK);
        if (courts) {
            uint32_t before = (uint32_t)__builtin_ctzll(courts) / 8;
            owed = p->pay[hand[before]];
            owner = turn;
            played += before + 1;
            t->head[turn] = at + before + 1;
            turn = t->next[turn];
        } else {
            owed -= most;
            played += most;
            t->head[turn] = at + most;
            if (owed == 0)
                break;                        /* paid in full */
        }
    }

    t->cards += played;
    take_pile(t, owner, pile, played, length);
    if (end == OVER)
        return OVER;
    /* Whoever is without cards now is out before the next trick. The owner holds the pile, and the
     * circle is walked from him. */
    for (uint32_t last = owner, seat = t->next[owner]; seat != owner; seat = t->next[seat]) {
        if (in_hand(t, seat) == 0)
            t->next[last] = t->next[seat];
        else
            last = seat;
    }
    return t->next[owner] == owner ? OVER : GOES_ON;
}

/* Is it the same state: the same leader, and all hands the same sequences of classes? */
INLINE int same_state(table *a, table *b, uint32_t length)
{
    if (a->leader != b->leader)
        return 0;
    for (uint32_t seat = 0; seat < a->seats; seat++)
        if (in_hand(a, seat) != in_hand(b, seat))
            return 0;
    for (uint32_t seat = 0; seat < a->seats; seat++)
        if (memcmp(tape_of(a, seat, length) + a->head[seat], tape_of(b, seat, length) + b->head[seat], in_hand(a, seat)))
            return 0;
    return 1;
}

INLINE void take_snapshot(table *copy, table *t, uint32_t length)
{
    memcpy(copy, t, offsetof(table, tapes));
    for (uint32_t seat = 0; seat < t->seats; seat++)
        memcpy(tape_of(copy, seat, length) + t->head[seat], tape_of(t, seat, length) + t->head[seat], in_hand(t, seat));
}

/* The facts of a loop whose period is known. Two games are played from the deal, one a period
 * ahead of the other: where they first agree, the loop begins, and the one ahead is where the
 * repeated state is met for the second time. */
static __attribute__((noinline)) outcome measure_loop(const pays *p, const uint8_t *codes, const uint16_t *sizes,
                                                      uint32_t seats, uint64_t period, uint32_t length)
{
    table behind, ahead;

    deal_out(&behind, codes, sizes, seats, length);
    deal_out(&ahead, codes, sizes, seats, length);
    for (uint64_t i = 0; i < period; i++)
        play_trick(&ahead, p, length, NO_LIMIT);
    while (!same_state(&ahead, &behind, length)) {
        play_trick(&ahead, p, length, NO_LIMIT);
        play_trick(&behind, p, length, NO_LIMIT);
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

static outcome finished(const table *t)
{
    return (outcome){.cards = t->cards, .tricks = t->tricks, .status = FINITE, .winner = (int32_t)t->leader};
}

INLINE outcome play_on(const pays *p, const uint8_t *codes, const uint16_t *sizes, uint32_t seats, uint32_t length)
{
    table t, snapshot;
    uint64_t next_snapshot = FIRST_SNAPSHOT;

    if (deal_out(&t, codes, sizes, seats, length) < 2)
        return finished(&t);
    while (play_trick(&t, p, length, NO_LIMIT) != OVER) {
        if (t.tricks < FIRST_SNAPSHOT)
            continue;
        /* The snapshot's state, once it is on the loop, comes back first after exactly one period. */
        if (t.tricks > FIRST_SNAPSHOT && same_state(&t, &snapshot, length))
            return measure_loop(p, codes, sizes, seats, t.tricks - snapshot.tricks, length);
        if (t.tricks == next_snapshot) {
            take_snapshot(&snapshot, &t, length);
            next_snapshot *= 2;
        }
    }
    return finished(&t);
}

/* A game that is known neither to end nor to repeat before `limit` cards have been played. */
static outcome play_to(const pays *p, const uint8_t *codes, const uint16_t *sizes, uint32_t seats, uint64_t limit)
{
    table t;
    trick_end end;
    uint32_t most = 0;
    int32_t winner = NO_WINNER;

    deal_out(&t, codes, sizes, seats, LARGE_TAPE);
    while ((end = play_trick(&t, p, LARGE_TAPE, limit)) == GOES_ON)
        ;
    if (end == OVER)
        return finished(&t);
    for (uint32_t seat = 0; seat < seats; seat++) {
        if (in_hand(&t, seat) > most) {
            most = in_hand(&t, seat);
            winner = (int32_t)seat;
        } else if (in_hand(&t, seat) == most) {
            winner = NO_WINNER;
        }
    }
    return (outcome){.cards = t.cards, .tricks = t.tricks, .status = LIMIT, .winner = winner};
}

static int sum_of(const uint16_t *sizes, int seats)
{
    int cards = 0;

    for (int seat = 0; seat < seats; seat++)
        cards += sizes[seat];
    return cards;
}

static outcome play_small(const pays *p, const uint8_t *codes, const uint16_t *sizes, int seats)
{
    return play_on(p, codes, sizes, (uint32_t)seats, SMALL_TAPE);
}

static outcome play_large(const pays *p, const uint8_t *codes, const uint16_t *sizes, int seats)
{
    return play_on(p, codes, sizes, (uint32_t)seats, LARGE_TAPE);
}

outcome seats_play(const pays *p, const uint8_t *codes, const uint16_t *sizes, int seats, uint64_t limit)
{
    outcome o = sum_of(sizes, seats) <= MAX_PACKED_CARDS ? play_small(p, codes, sizes, seats)
                                                         : play_large(p, codes, sizes, seats);
    /* Limits are rare: such a game is played twice, so that all others need not think of them. */
    return o.cards < limit || o.tricks == 0 ? o : play_to(p, codes, sizes, (uint32_t)seats, limit);
}

void seats_play_batch(const pays *p, const uint8_t *codes, int cards, const uint16_t *sizes, int seats, size_t n,
                      game_result *results)
{
    for (size_t i = 0; i < n; i++) {
        outcome o = seats_play(p, codes + i * (size_t)cards, sizes, seats, NO_LIMIT);
        results[i] = result_of(i, &o);
    }
}

static outcome play_packed(const pays *p, const packed_deal *deal)
{
    const uint16_t sizes[2] = {deal->first, (uint16_t)(deal->cards - deal->first)};
    uint8_t codes[MAX_PACKED_CARDS];
    packed_to_codes(deal, codes);
    return play_small(p, codes, sizes, 2);
}

static void seats_run(const pays *p, deal_source *source, result_sink *sink)
{
    run_one_by_one(play_packed, p, source, sink);
}

const engine SEATS_ENGINE = {
    .name = "seats",
    .summary = "hands on tapes, a payment at a time: plain C, two to four players, any deck",
    .available = cpu_is_any,
    .plays = every_packed_deal,
    .run = seats_run,
};
