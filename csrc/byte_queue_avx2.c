/* The byte queue with AVX2: two games a vector, a whole trick at a time, no branch in it. */
#include "byte_queue.h"
#include "cpu.h"

#if BEGGAR_X86

#include <immintrin.h>
#include <string.h>

typedef __m256i vector;

#define VECTOR vector
#define CODE AVX2_CODE
#define STEP AVX2_CODE static inline __attribute__((always_inline))
enum { VECTORS = 4, GAMES = 2 };

/* A lane is half a vector: the leader's hand, the other's, and bytes that are the same in all 16
 * places: the court cards of the leader, and the last payment as a gap. `cards` counts the cards
 * played, times BQ_COUNTED, in the two halves of the lane. */
typedef struct {
    vector leader[VECTORS], other[VECTORS], courts[VECTORS], payment[VECTORS], cards[VECTORS];
} lanes;

typedef struct {
    vector courts[VECTORS];   /* in the deck: the same byte in the whole lane */
} fixed;

/* What a trick knows about one vector on its way. */
typedef struct {
    vector other_first;   /* all bits of the lane: the other player turned the first court card */
    vector f, s;          /* the hands: first is who turned the first court card, second the other */
    vector pay;           /* by place in the chain: what must be paid there, as a gap */
    vector least;         /* by place: the smaller of the gap (with its pay) and the payment */
    vector length;        /* court cards in the pile; the same byte in the whole lane */
    vector half;          /* of them from second's hand */
    vector even;          /* all bits: `length` is even, and second wins */
} trick;

STEP vector all(int byte)
{
    return _mm256_set1_epi8((char)byte);
}

/* A byte in the first place of each lane. */
STEP vector on_top(int byte)
{
    return _mm256_set_epi64x(0, byte, 0, byte);
}

/* 0, 1 .. 15 in each lane, plus `from`, times `step`. */
STEP vector places(int from, int step)
{
    vector place = _mm256_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
                                    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    vector scaled = step == 2 ? _mm256_add_epi8(place, place) : place;
    return _mm256_add_epi8(scaled, all(from));
}

/* `b` where the mask is set, else `a`. */
STEP vector choose(vector a, vector b, vector mask)
{
    return _mm256_xor_si256(a, _mm256_and_si256(_mm256_xor_si256(a, b), mask));
}

/* a, b, or b, a where the mask is set. */
STEP void exchange(vector a, vector b, vector mask, vector *first, vector *second)
{
    vector change = _mm256_and_si256(_mm256_xor_si256(a, b), mask);
    *first = _mm256_xor_si256(a, change);
    *second = _mm256_xor_si256(b, change);
}

/* Who turns the first court card? The players turn number cards by turns, the leader first: with
 * gaps a and b on top of the hands, the leader meets his court card in turn 2a, the other in 2b + 1,
 * so the other is first if b + 1 <= a. The second then turns min(a, b + 1) number cards, and they
 * lie above the court card like the first's own: they move from one gap to the other. */
STEP void find_first(trick *t, vector leader, vector other)
{
    vector gap = on_top(BQ_GAP_BITS);
    vector a = _mm256_and_si256(leader, gap);
    vector b1 = _mm256_adds_epu8(_mm256_and_si256(other, gap), on_top(BQ_ONE_CARD));
    vector turned = _mm256_min_epu8(a, b1);
    vector f, s;

    t->other_first = _mm256_shuffle_epi8(_mm256_cmpeq_epi8(turned, b1), _mm256_setzero_si256());
    exchange(leader, other, t->other_first, &f, &s);
    t->f = _mm256_adds_epu8(f, turned);   /* saturates to the mark of a spoilt gap */
    t->s = _mm256_sub_epi8(s, turned);
}

/* The court cards in the order in which they would meet: first's and second's by turns. Court card
 * j is reached in this trick exactly if all before it are, and its gap is smaller than the payment
 * for court card j - 1. A sentinel that is reached is a hand that could not pay: it asks for
 * nothing, so that nothing behind it is reached. Returns, a bit a place, which are not reached; the
 * first of each lane has no meaning.
 *
 * The payment at place 0 is made the largest byte: then the smaller of both is, at all places before
 * the first that is not reached, the court card, and there the payment, which is the whole pile. */
STEP uint32_t find_chain(trick *t)
{
    vector chain = _mm256_unpacklo_epi8(t->f, t->s);
    vector owed = _mm256_slli_epi16(_mm256_and_si256(chain, all(BQ_PAY_BITS)), BQ_GAP_SHIFT);

    t->pay = _mm256_alignr_epi8(owed, all(BQ_ALL_COURTS), BQ_HAND - 1);
    t->least = _mm256_min_epu8(chain, t->pay);
    return (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(t->least, t->pay));
}

/* By the number of court cards in the pile, less one: bytes to fill a lane with. */
typedef struct {
    uint64_t length, half, even;
} pile_bytes;

#define EIGHT(byte) ((byte) * UINT64_C(0x0101010101010101))
#define PILE(n) {EIGHT(n), EIGHT((n) / 2), (n) % 2 ? 0 : ~UINT64_C(0)}
static const pile_bytes PILES[BQ_HAND] = {
    PILE(1), PILE(2), PILE(3), PILE(4), PILE(5), PILE(6), PILE(7), PILE(8),
    PILE(9), PILE(10), PILE(11), PILE(12), PILE(13), PILE(14), PILE(15), PILE(16),
};

STEP vector two_lanes(const uint64_t *low, const uint64_t *high)
{
    return _mm256_blend_epi32(_mm256_set1_epi64x((int64_t)*low), _mm256_set1_epi64x((int64_t)*high), 0xF0);
}

/* The pile ends before the first place that is not reached; with none, it holds all 16 courts. */
STEP void measure_pile(trick *t, uint32_t not_reached)
{
    enum { NONE = 1 << (BQ_HAND - 1) };
    const pile_bytes *low = &PILES[__builtin_ctz(not_reached >> 1 | NONE)];
    const pile_bytes *high = &PILES[__builtin_ctz(not_reached >> (BQ_HAND + 1) | NONE)];

    t->length = two_lanes(&low->length, &high->length);
    t->half = two_lanes(&low->half, &high->half);
    t->even = two_lanes(&low->even, &high->even);
}

/* Takes the pile's court cards from the hands, puts the pile under the hand of the winner, who leads
 * the next trick, and takes the last payment from the loser's first gap. */
STEP vector take_pile(const trick *t, const lanes *from, lanes *to, vector courts, int v)
{
    /* A byte shuffle with the indices place + n takes n bytes from the top of a hand; an index with
     * the top bit set gives 0, which adding 0x70 makes of those above 15. The average of two bytes is
     * rounded up, so with twice the place in the other, (length + 1) / 2 and length / 2 are added. */
    enum { OVER = 0x70 };
    vector drop_more = _mm256_avg_epu8(places(2 * OVER, 2), t->length);
    vector drop_less = _mm256_avg_epu8(places(2 * OVER - 1, 2), t->length);
    vector winner, loser;

    exchange(t->f, t->s, t->even, &winner, &loser);
    winner = _mm256_shuffle_epi8(winner, drop_more);
    loser = _mm256_shuffle_epi8(loser, drop_less);

    vector payment = _mm256_shuffle_epi8(t->pay, t->length);
    to->payment[v] = payment;
    to->other[v] = _mm256_sub_epi8(loser, _mm256_and_si256(payment, on_top(0xFF)));

    /* Court cards of the winner: before the trick, and after it. */
    vector leader_had = from->courts[v];
    vector other_won = _mm256_xor_si256(t->other_first, t->even);
    vector had = choose(leader_had, _mm256_sub_epi8(courts, leader_had), other_won);
    vector has = _mm256_add_epi8(had, t->half);
    to->courts[v] = has;

    /* The pile goes behind what the winner has left, `had` less (length + 1) / 2; its first gap is
     * added to his sentinel, and the payment becomes the new one. */
    vector pile = _mm256_and_si256(t->least, _mm256_cmpgt_epi8(t->length, places(-1, 1)));
    vector shift = _mm256_sub_epi8(drop_more, _mm256_add_epi8(had, all(OVER)));
    to->leader[v] = _mm256_adds_epu8(winner, _mm256_shuffle_epi8(pile, shift));

    /* Cards, counted as halves of gaps. Each court card is one card more than its gap: the average
     * with 6 is (byte + 7) / 2, and 7 carries into the gap where the pay is not 0. */
    vector played = _mm256_and_si256(_mm256_avg_epu8(pile, all(BQ_PAY_BITS - 1)), all(0xFF & ~(BQ_COUNTED - 1)));
    to->cards[v] = _mm256_add_epi64(from->cards[v], _mm256_sad_epu8(played, _mm256_setzero_si256()));

    /* A lane goes on if the payment was made (greater than 0, and not the mark of all courts, which
     * is negative) and the other player has court cards left. */
    return _mm256_min_epi8(payment, _mm256_sub_epi8(courts, has));
}

/* Word v of each lane from vector v; all bytes of a lane are the same. */
STEP vector gather_words(const vector go_on[VECTORS])
{
    vector low = _mm256_blend_epi16(go_on[0], go_on[1], 1 << 1);
    vector high = _mm256_blend_epi16(go_on[2], go_on[3], 1 << 3);
    return _mm256_blend_epi16(low, high, 1 << 2 | 1 << 3);
}

/* The steps of a trick, each for all vectors before the next: while one waits for a result, others
 * have work for the processor. */
STEP uint64_t play_tricks(const lanes *from, lanes *to, const fixed *games)
{
    const uint32_t lane_bits = 0x00550055;   /* the first byte of words 0 to 3 of each lane */
    trick t[VECTORS];
    uint32_t not_reached[VECTORS];
    vector go_on[VECTORS];

    UNROLL
    for (int v = 0; v < VECTORS; v++)
        find_first(&t[v], from->leader[v], from->other[v]);
    UNROLL
    for (int v = 0; v < VECTORS; v++)
        not_reached[v] = find_chain(&t[v]);
    UNROLL
    for (int v = 0; v < VECTORS; v++)
        measure_pile(&t[v], not_reached[v]);
    UNROLL
    for (int v = 0; v < VECTORS; v++)
        go_on[v] = take_pile(&t[v], from, to, games->courts[v], v);

    vector ended = _mm256_cmpgt_epi8(all(1), gather_words(go_on));
    return (uint32_t)_mm256_movemask_epi8(ended) & lane_bits;
}

STEP vector half_mask(int game)
{
    return game ? _mm256_set_epi64x(-1, -1, 0, 0) : _mm256_set_epi64x(0, 0, -1, -1);
}

/* Replacing a hand in a register, not in memory: the next trick reads the whole vector, and could not
 * have it forwarded from two stores. */
STEP void put_hand(vector *v, int game, const uint8_t hand[BQ_HAND])
{
    vector both = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)hand));
    *v = _mm256_blendv_epi8(*v, both, half_mask(game));
}

STEP void put_byte(vector *v, int game, int byte)
{
    *v = _mm256_blendv_epi8(*v, all(byte), half_mask(game));
}

STEP void seat(lanes *state, fixed *games, int v, int game, const bq_start *start)
{
    put_hand(&state->leader[v], game, start->leader);
    put_hand(&state->other[v], game, start->other);
    put_byte(&state->courts[v], game, start->leader_courts);
    put_byte(&state->cards[v], game, 0);
    put_byte(&games->courts[v], game, start->courts);
}

STEP uint32_t cards_at(const lanes *state, int lane)
{
    const uint64_t *halves = (const uint64_t *)state->cards + 2 * lane;
    return (uint32_t)((halves[0] + halves[1]) / BQ_COUNTED);
}

#include "byte_queue_lanes.h"

/* The places of the court cards of a deal, in order; where there are fewer than 16, `cards` follows. */
STEP void list_courts(const packed_deal *deal, uint8_t places_of[BQ_HAND])
{
    uint64_t rest = deal->courts | (deal->cards < MAX_PACKED_CARDS ? ~UINT64_C(0) << deal->cards : 0);

    UNROLL
    for (int j = 0; j < BQ_HAND; j++) {
        places_of[j] = (uint8_t)_tzcnt_u64(rest);   /* 64 when nothing is left */
        rest = _blsr_u64(rest);
    }
}

/* All bits of byte j set where bit j of `bits` is. */
STEP __m128i spread_bits(unsigned bits)
{
    const __m128i byte_of = _mm_set_epi8(1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0);
    const __m128i bit_of = _mm_set1_epi64x((int64_t)UINT64_C(0x8040201008040201));
    __m128i copies = _mm_shuffle_epi8(_mm_cvtsi32_si128((int)bits), byte_of);
    return _mm_cmpeq_epi8(_mm_and_si128(copies, bit_of), bit_of);
}

/* Makes a first state from the places of the court cards, at once for both hands; what the hands do
 * not share, the two ends and the other player's first gap, is written byte by byte. */
STEP void write_hands(__m128i pay_of_code, const packed_deal *d, const uint8_t places_of[BQ_HAND], bq_start *s)
{
    const __m128i place = _mm_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15), ones = _mm_set1_epi8(1);
    unsigned first = d->first & (MAX_PACKED_CARDS - 1);   /* a hand that is the whole deck is not played */
    unsigned n = (unsigned)_mm_popcnt_u64(d->courts), n0 = (unsigned)_mm_popcnt_u64(_bzhi_u64(d->courts, first)), n1 = n - n0;

    s->playable = n0 != 0 && n1 != 0;
    if (__builtin_expect(!s->playable, 0))
        return;
    __m128i at = _mm_loadu_si128((const __m128i *)places_of);
    __m128i gap = _mm_sub_epi8(at, _mm_slli_si128(_mm_add_epi8(at, ones), 1));
    __m128i code = _mm_sub_epi8(_mm_setzero_si128(), spread_bits(d->rank_lo));
    code = _mm_or_si128(code, _mm_and_si128(spread_bits(d->rank_hi), _mm_set1_epi8(2)));
    __m128i pay = _mm_shuffle_epi8(pay_of_code, code);
    __m128i used = _mm_cmpgt_epi8(_mm_set1_epi8((char)n), place);
    __m128i most = _mm_set1_epi8(BQ_MAX_GAP);   /* the gap from hand to hand may be larger */
    __m128i gap_bits = _mm_slli_epi16(_mm_and_si128(gap, most), BQ_GAP_SHIFT);
    __m128i bytes = _mm_and_si128(used, _mm_or_si128(gap_bits, pay));
    __m128i leader = _mm_and_si128(bytes, _mm_cmpgt_epi8(_mm_set1_epi8((char)n0), place));
    __m128i other = _mm_shuffle_epi8(bytes, _mm_add_epi8(place, _mm_set1_epi8((char)(n0 + 0x70))));   /* see take_pile() */

    unsigned leader_tail = first - 1u - places_of[n0 - 1], other_tail = d->cards - 1u - places_of[n - 1];
    unsigned other_gap = places_of[n0] - first;
    unsigned pay_bits = (unsigned)_mm_extract_epi8(other, 0) & BQ_PAY_BITS;
    _mm_storeu_si128((__m128i *)s->leader, leader);
    _mm_storeu_si128((__m128i *)s->other, other);
    s->leader[n0] = (uint8_t)(leader_tail << BQ_GAP_SHIFT);
    s->other[0] = (uint8_t)(other_gap << BQ_GAP_SHIFT | pay_bits);
    s->other[n1] = (uint8_t)(other_tail << BQ_GAP_SHIFT);
    s->leader_courts = (uint8_t)n0;
    s->courts = (uint8_t)n;

    unsigned fits = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_max_epu8(gap, most), most));
    unsigned inner = ((1u << n) - 1) & ~(1u << n0);
    s->playable = (fits & inner) == inner && leader_tail <= BQ_MAX_GAP && other_tail <= BQ_MAX_GAP && other_gap <= BQ_MAX_GAP;
}

/* In two passes, because 16 bytes just stored one by one can not soon be loaded as one vector. */
CODE static void convert(const pays *p, const packed_deal *deals, size_t n, bq_start *starts)
{
    const __m128i pay_of_code = _mm_setr_epi8((char)p->pay[1], (char)p->pay[2], (char)p->pay[3], (char)p->pay[4],
                                              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    uint8_t places_of[BQ_BLOCK][BQ_HAND];

    for (size_t i = 0; i < n; i++)
        list_courts(&deals[i], places_of[i]);
    for (size_t i = 0; i < n; i++)
        write_hands(pay_of_code, &deals[i], places_of[i], &starts[i]);
}

static void run(const pays *p, deal_source *source, result_sink *sink)
{
    bq_stream stream;

    bq_open(&stream, p, source, sink, convert);
    run_lanes(&stream);
}

const engine BYTE_QUEUE_AVX2_ENGINE = {
    .name = "byte_queue",
    .summary = "byte queues, a trick at a time in 8 games: AVX2",
    .available = cpu_has_avx2,
    .plays = bq_plays,
    .run = run,
};

#endif
