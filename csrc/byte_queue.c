#include "byte_queue.h"

#include <string.h>

#include "packed.h"
#include "ring.h"

#define BYTE(gap, pay) ((gap) << BQ_GAP_SHIFT | (pay))

/* --J-/K-J-, which comes back after 4 tricks; the pays are those of the standard rules whatever the
 * rules of the stream are. */
const bq_start BQ_IDLE = {
    .leader = {BYTE(2, 1), BYTE(1, 0)},
    .other = {BYTE(0, 3), BYTE(1, 1), BYTE(1, 0)},
    .leader_courts = 1,
    .courts = 3,
    .playable = 1,
};

/* Where court cards are so rare that gaps often do not fit, other engines are faster: there the
 * number cards are on average more than a third of the largest gap apart. */
int bq_plays(const pays *p, int cards, int courts)
{
    for (int c = JACK; c < CLASSES; c++)
        if (p->pay[c] < 1 || p->pay[c] > BQ_MAX_PAY)
            return 0;
    return cards <= MAX_PACKED_CARDS && courts >= 2 && courts <= MAX_PACKED_COURTS
           && 3 * (cards - courts) <= BQ_MAX_GAP * courts;
}

void bq_open(bq_stream *s, const pays *p, deal_source *source, result_sink *sink, bq_convert convert)
{
    s->p = p;
    s->source = source;
    s->sink = sink;
    s->convert = convert;
    s->dry = 0;
    s->next = s->ready = s->ended = 0;
}

static game_result careful_result(const pays *p, const packed_deal *deal, uint64_t number)
{
    outcome o = ring_play_packed(p, deal);
    return result_of(number, &o);
}

int bq_refill(bq_stream *s)
{
    while (!s->dry) {
        uint64_t number;
        size_t n = s->source->next(s->source, s->deals, BQ_BLOCK, &number);

        if (n == 0) {
            s->dry = 1;
            break;
        }
        s->convert(s->p, s->deals, n, s->starts);
        s->next = s->ready = 0;
        for (size_t i = 0; i < n; i++) {
            if (s->starts[i].playable) {
                bq_start *start = &s->starts[s->ready];
                if (s->ready != i)
                    *start = s->starts[i];
                start->number = number + i;
                start->deal = (uint8_t)i;
                s->ready++;
            } else {
                game_result r = careful_result(s->p, &s->deals[i], number + i);
                s->sink->take(s->sink, &r, &s->deals[i], 1);
            }
        }
        if (s->ready)
            return 1;
    }
    return 0;
}

/* Did a gap overflow at any time in this game? A mark that the pile of the last trick holds is seen
 * too. Where that pile was appended as usual, this is plain. Where the hand that won by count was
 * exhausted, its sentinel has been counted as a court card, the pile was shifted by one byte too
 * few, and its first byte came round into the last place of the hand, which is empty. */
static int bq_spoilt(const bq_end *e)
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
static inline int32_t play_alone(int32_t gap, int32_t pay, int32_t *left)
{
    int32_t after_gap = *left - gap, before = *left, least = after_gap < pay ? after_gap : pay;

    *left = after_gap <= 0 ? -1 : after_gap - pay;
    return after_gap <= 0 ? 2 * before + 1   /* he turns all he has, and then must turn once more */
                          : 2 * gap + 1 + least;
}

/* Plays such a game to its end from its second trick on. The leader takes every pile, so the number
 * cards between two of his court cards become as many as both players turned before the later one,
 * and the payment lies below it. */
static __attribute__((noinline)) void play_alone_on(const bq_end *e, int32_t left, game_result *r)
{
    struct {
        uint8_t gap, pay;
    } court[BQ_HAND + MAX_PACKED_CARDS];   /* a trick moves one to the end, and costs a card */
    int first, end;
    int32_t tail = e->payment >> BQ_GAP_SHIFT;

    for (end = 0; end < BQ_HAND && (e->leader[end] & BQ_PAY_BITS); end++) {
        court[end].gap = e->leader[end] >> BQ_GAP_SHIFT;
        court[end].pay = e->leader[end] & BQ_PAY_BITS;
    }
    for (first = 0;; first++, end++) {
        court[end].gap = (uint8_t)(tail + 2 * court[first].gap);
        court[end].pay = court[first].pay;
        tail = court[first].pay;
        if (first > 0) {
            r->tricks++;
            r->cards += (uint32_t)play_alone(court[first].gap, court[first].pay, &left);
        }
        if (left <= 0)
            return;
    }
}

/* Half of all games end because somebody could not pay, and the most of the others a trick after
 * the other player's last court card is gone: that one is played without a branch. */
static inline game_result result_of_end(const pays *p, const bq_end *e)
{
    game_result r = {.number = e->number, .cards = e->cards, .tricks = e->tricks, .status = FINITE};
    int32_t left = e->payment ? e->other[0] >> BQ_GAP_SHIFT : 0;
    uint32_t plays = left > 0;
    uint32_t cards = (uint32_t)play_alone(e->leader[0] >> BQ_GAP_SHIFT, e->leader[0] & BQ_PAY_BITS, &left);

    if (__builtin_expect(e->too_old | (e->payment == BQ_ALL_COURTS) | bq_spoilt(e), 0))
        return careful_result(p, &e->deal, e->number);
    r.tricks += plays;
    r.cards += plays * cards;
    if (__builtin_expect(plays & (left > 0), 0))
        play_alone_on(e, left, &r);
    return r;
}

void bq_flush(bq_stream *s)
{
    game_result results[BQ_BLOCK];
    packed_deal deals[BQ_BLOCK];

    for (size_t i = 0; i < s->ended; i++) {
        results[i] = result_of_end(s->p, &s->ends[i]);
        deals[i] = s->ends[i].deal;
    }
    if (s->ended)
        s->sink->take(s->sink, results, deals, s->ended);
    s->ended = 0;
}
