/* The byte queue: a representation of the game in which a whole trick is a few byte shuffles.
 *
 * A hand is 16 bytes, one a court card, from the top of the hand:
 *
 *     byte = gap << 3 | pay        gap: number cards that lie above it, up to the next court card;
 *                                  pay: what the court card asks for, 1 to 6
 *
 * After the last court card comes a sentinel, `tail gap << 3`: the number cards below it. The rest
 * is zero. A hand with all 16 court cards has no room for its sentinel; who needs it has it.
 *
 * Finite games depend on pays only, so two classes that pay the same need not be told apart here.
 *
 * Limits, and what becomes of a game that is over them:
 *  - A gap above 31 does not fit. Deals that hold one go to the careful engine at once. Where one
 *    arises in play, the saturating addition leaves the byte 0xFF, whose pay 7 no card has. All
 *    court cards stay in the game, so the mark is still in one of the hands when the lane ends (see
 *    bq_spoilt()), and the game is played again by the careful engine.
 *  - A hand without court cards has no gap to compare. In play the lane ends there, and bq_result()
 *    does the rest; a deal that begins so goes to the careful engine.
 *  - A trick that puts all 16 court cards on the table can not be decided by 8 bytes of each hand;
 *    its mark is a payment of 0xFF.
 *  - A game older than CAREFUL_AGE tricks may be in a loop; the careful engine can tell.
 *
 * This file has what the vector engines share: streams of deals that go in as bytes, and lanes that
 * come out and are made into results. byte_queue_lanes.h has the loop over lanes. */
#ifndef BEGGAR_BYTE_QUEUE_H
#define BEGGAR_BYTE_QUEUE_H

#include <string.h>

#include "cpu.h"
#include "engine.h"

enum {
    BQ_HAND = 16,                           /* bytes of a hand */
    BQ_GAP_SHIFT = 3,
    BQ_ONE_CARD = 1 << BQ_GAP_SHIFT,        /* one number card more in a gap */
    BQ_PAY_BITS = BQ_ONE_CARD - 1,
    BQ_GAP_BITS = 0xFF & ~BQ_PAY_BITS,
    BQ_COUNTED = BQ_ONE_CARD / 2,           /* what the lanes count for a card played */
    BQ_MAX_GAP = 0xFF >> BQ_GAP_SHIFT,
    BQ_SPOILT_PAY = BQ_PAY_BITS,            /* pay of a gap that did not fit */
    BQ_MAX_PAY = BQ_SPOILT_PAY - 1,
    BQ_ALL_COURTS = 0xFF,                   /* payment after a trick with all 16 court cards */
    BQ_CAREFUL = -1,                        /* instead of cards left: the careful engine has to play */
    BQ_BLOCK = 128,                         /* deals pulled, and results pushed, at a time */
};

/* The first state of a game, as a lane wants it. */
typedef struct {
    uint8_t leader[BQ_HAND], other[BQ_HAND];
    uint64_t number;
    uint8_t leader_courts, courts;          /* in the leader's hand, in both */
    uint8_t deal;                           /* index of its deal in the block */
    uint8_t playable;                       /* within the limits above */
} bq_start;

/* How a lane ended: its hands where they are, and who played there. */
typedef struct {
    const uint8_t *leader, *other;
    const packed_deal *deal;
    uint64_t number;
    uint32_t cards, tricks;
    uint8_t payment;                        /* the last one, as a gap; 0 where it could not be made */
    int too_old;
} bq_end;

typedef struct bq_stream bq_stream;

/* Makes the deals of a block into first states; `number` and `deal` are filled in by the caller. */
typedef void (*bq_convert)(const pays *p, const packed_deal *deals, size_t n, bq_start *starts);

struct bq_stream {
    const pays *p;
    deal_source *source;
    result_sink *sink;
    bq_convert convert;
    int dry;                                /* the source has no more */
    size_t next, ready;                     /* starts[next..ready-1] are waiting */
    size_t ended;                           /* results that are not pushed yet */
    packed_deal deals[BQ_BLOCK];
    bq_start starts[BQ_BLOCK];
    packed_deal ended_deals[BQ_BLOCK];
    game_result results[BQ_BLOCK];
};

/* A game for a lane that has nothing left to play: an endless one, which no exit disturbs. */
extern const bq_start BQ_IDLE;

int bq_plays(const pays *p, int cards, int courts);
void bq_open(bq_stream *s, const pays *p, deal_source *source, result_sink *sink, bq_convert convert);
/* Fetches more deals; returns 0 when there are none. */
int bq_refill(bq_stream *s);
/* Pushes the results that there are. */
void bq_push(bq_stream *s);
/* The result of a game that bq_result() can not finish. `left`: see bq_play_alone(). */
game_result bq_rare_result(const pays *p, const bq_end *e, int32_t left, game_result so_far);

/* The next game to play, or NULL when there are no more. */
static inline const bq_start *bq_next(bq_stream *s)
{
    if (s->next == s->ready && !bq_refill(s))
        return NULL;
    return &s->starts[s->next++];
}

/* Did a gap overflow at any time in this game? A mark that the pile of the last trick holds is seen
 * too. Where that pile was appended as usual, this is plain. Where the hand that won by count was
 * exhausted, its sentinel has been counted as a court card, the pile was shifted by one byte too
 * few, and its first byte came round into the last place of the hand, which is empty. */
static inline int bq_spoilt(const bq_end *e)
{
    uint64_t words[2 * BQ_HAND / sizeof(uint64_t)], spoilt = 0;

    memcpy(words, e->leader, BQ_HAND);
    memcpy(words + BQ_HAND / sizeof(uint64_t), e->other, BQ_HAND);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        spoilt |= words[i] & words[i] >> 1 & words[i] >> 2;   /* the three bits of BQ_SPOILT_PAY */
    return (spoilt & UINT64_C(0x0101010101010101)) != 0;
}

/* One trick in which the leader has all court cards and the other player `left` number cards: both
 * turn number cards until the leader's court card, of which `gap` lie above it; then the other pays.
 * Cards played; `*left` becomes what the other player keeps, less than 0 where he could not pay. */
static inline int32_t bq_play_alone(int32_t gap, int32_t pay, int32_t *left)
{
    int32_t after_gap = *left - gap, before = *left, least = after_gap < pay ? after_gap : pay;

    *left = after_gap <= 0 ? -1 : after_gap - pay;
    return after_gap <= 0 ? 2 * before + 1   /* he turns all he has, and then must turn once more */
                          : 2 * gap + 1 + least;
}

/* Half of all games end because somebody could not pay, and most of the others a trick after the
 * other player's last court card is gone: that one is played without a branch. */
static inline game_result bq_result(const pays *p, const bq_end *e)
{
    game_result r = {.number = e->number, .cards = e->cards, .tricks = e->tricks, .status = FINITE};
    int32_t left = e->payment ? e->other[0] >> BQ_GAP_SHIFT : 0;
    uint32_t plays = left > 0;
    uint32_t cards = (uint32_t)bq_play_alone(e->leader[0] >> BQ_GAP_SHIFT, e->leader[0] & BQ_PAY_BITS, &left);
    int careful = e->too_old | (e->payment == BQ_ALL_COURTS) | bq_spoilt(e);

    r.tricks += plays;
    r.cards += plays * cards;
    if (__builtin_expect(careful | (int)(plays & (left > 0)), 0))
        return bq_rare_result(p, e, careful ? BQ_CAREFUL : left, r);
    return r;
}

/* Makes a result of a lane that ended. */
static inline void bq_finish(bq_stream *s, const bq_end *e)
{
    s->results[s->ended] = bq_result(s->p, e);
    s->ended_deals[s->ended] = *e->deal;
    if (++s->ended == BQ_BLOCK)
        bq_push(s);
}

#if BEGGAR_X86
extern const engine BYTE_QUEUE_AVX512_ENGINE, BYTE_QUEUE_AVX2_ENGINE;
#endif

#endif
