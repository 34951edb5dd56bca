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

/* Writes one hand, `size` cards with court cards at the bits of `courts`; returns whether it can be
 * played. `rank` counts the court cards of the deal. */
static int write_hand(const pays *p, const packed_deal *deal, uint64_t courts, int size, int *rank, uint8_t *hand)
{
    int below = 0, j = 0, largest = 0;
    int gap;

    memset(hand, 0, BQ_HAND);
    for (; courts; courts &= courts - 1, (*rank)++) {
        int at = __builtin_ctzll(courts);
        gap = at - below;
        below = at + 1;
        largest = gap > largest ? gap : largest;
        hand[j++] = (uint8_t)BYTE(gap, p->pay[packed_court(deal, *rank)]);
    }
    gap = size - below;
    largest = gap > largest ? gap : largest;
    if (j == 0 || j == BQ_HAND || largest > BQ_MAX_GAP)
        return 0;
    hand[j] = (uint8_t)BYTE(gap, 0);
    return 1;
}

void bq_convert_plain(const pays *p, const packed_deal *deals, size_t n, bq_start *starts)
{
    for (size_t i = 0; i < n; i++) {
        const packed_deal *d = &deals[i];
        bq_start *s = &starts[i];
        int whole = d->first == MAX_PACKED_CARDS;   /* then a shift by `first` has no meaning */
        uint64_t courts0 = whole ? d->courts : d->courts & (((uint64_t)1 << d->first) - 1);
        uint64_t courts1 = whole ? 0 : d->courts >> d->first;
        int rank = 0;

        s->playable = (uint8_t)write_hand(p, d, courts0, d->first, &rank, s->leader);
        s->leader_courts = (uint8_t)rank;
        s->playable &= (uint8_t)write_hand(p, d, courts1, d->cards - d->first, &rank, s->other);
        s->courts = (uint8_t)rank;
    }
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
    int spoilt = 0;
    for (int i = 0; i < BQ_HAND; i++)
        spoilt |= (e->leader[i] & BQ_PAY_BITS) == BQ_SPOILT_PAY || (e->other[i] & BQ_PAY_BITS) == BQ_SPOILT_PAY;
    return spoilt;
}

/* Plays a game to its end in which the leader has all court cards and the other player `left`
 * number cards. A trick is then: both turn number cards until the leader's first court card, the
 * other pays. The leader takes it all, so the number cards between two of his court cards become
 * as many as both players turned before the later of them, and the payment lies below it. */
static void bq_finish(const bq_end *e, game_result *r)
{
    struct {
        uint8_t gap, pay;
    } court[BQ_HAND + MAX_PACKED_CARDS];   /* a trick moves one to the end, and costs a card */
    unsigned left = e->other[0] >> BQ_GAP_SHIFT;
    unsigned tail = e->payment >> BQ_GAP_SHIFT;
    int first = 0, end;

    for (end = 0; end < BQ_HAND && (e->leader[end] & BQ_PAY_BITS); end++) {
        court[end].gap = e->leader[end] >> BQ_GAP_SHIFT;
        court[end].pay = e->leader[end] & BQ_PAY_BITS;
    }
    while (left) {
        unsigned gap = court[first].gap, pay = court[first].pay;

        r->tricks++;
        if (gap >= left) {                  /* the other turns all he has, and then must turn once more */
            r->cards += 2 * left + 1;
            break;
        }
        left -= gap;
        if (left < pay) {
            r->cards += 2 * gap + 1 + left;
            break;
        }
        left -= pay;
        r->cards += 2 * gap + 1 + pay;
        court[end].gap = (uint8_t)(tail + 2 * gap);
        court[end].pay = (uint8_t)pay;
        tail = pay;
        end++;
        first++;
    }
}

static game_result result_of_end(const pays *p, const bq_end *e)
{
    game_result r = {.number = e->number, .cards = e->cards, .tricks = e->tricks, .status = FINITE};

    if (e->too_old || e->payment == BQ_ALL_COURTS || bq_spoilt(e))
        return careful_result(p, &e->deal, e->number);
    if (e->payment)                         /* else somebody could not pay: the game is over */
        bq_finish(e, &r);
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
