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

/* Plays such a game to its end from its second trick on. The leader takes every pile, so the number
 * cards between two of his court cards become as many as both players turned before the later one,
 * and the payment lies below it. */
static void play_alone_on(const bq_end *e, int32_t left, game_result *r)
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
            r->cards += (uint32_t)bq_play_alone(court[first].gap, court[first].pay, &left);
        }
        if (left <= 0)
            return;
    }
}

game_result bq_rare_result(const pays *p, const bq_end *e, int32_t left, game_result so_far)
{
    if (left == BQ_CAREFUL)
        return careful_result(p, e->deal, e->number);
    play_alone_on(e, left, &so_far);
    return so_far;
}

void bq_push(bq_stream *s)
{
    if (s->ended)
        s->sink->take(s->sink, s->results, s->ended_deals, s->ended);
    s->ended = 0;
}
