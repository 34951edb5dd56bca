/* The byte queue with AVX-512: four games a vector. The steps are those of byte_queue_avx2.c, which
 * explains them; here a choice between hands is a mask register, and the lengths of the four piles
 * are found together, in one general register. */
#include "byte_queue.h"
#include "cpu.h"

#if BEGGAR_X86

#include <immintrin.h>
#include <string.h>

typedef __m512i vector;

#define VECTOR vector
#define CODE AVX512_CODE
#define STEP AVX512_CODE static inline __attribute__((always_inline))
enum { VECTORS = 6, GAMES = 4 };

/* One bit of each lane in a mask with a bit a byte. */
#define EACH_LANE(bits) ((bits) * UINT64_C(0x0001000100010001))

/* A byte shuffle gives 0 for an index with the top bit set, which adding this makes of those above
 * 15. Counts of court cards are kept with it added, so that their differences fit the shuffles. */
enum { OVER = 0x70 };

/* A lane is a quarter of a vector: the hands, and bytes that are the same in all 16 places: the
 * court cards of the leader plus OVER, and the last payment as a gap. `cards` counts the cards
 * played, times BQ_COUNTED, in four parts. */
typedef struct {
    vector leader[VECTORS], other[VECTORS], courts[VECTORS], payment[VECTORS], cards[VECTORS];
} lanes;

/* Court cards in the deck, the same byte in the whole lane: plus twice OVER, plus once. */
typedef struct {
    vector courts2[VECTORS], courts1[VECTORS];
} fixed;

typedef struct {
    __mmask64 other_first;   /* lanes in which the other player turned the first court card */
    vector f, s;             /* first's and second's hand */
    vector chain;            /* their court cards by turns */
    vector pay;              /* by place in the chain: what must be paid there, as a gap */
    vector length;           /* court cards in the pile; the same byte in the whole lane */
} trick;

STEP vector all(int byte)
{
    return _mm512_set1_epi8((char)byte);
}

STEP vector four(__m128i lane)
{
    return _mm512_broadcast_i32x4(lane);
}

STEP vector on_top(int byte)
{
    return four(_mm_cvtsi32_si128(byte));
}

/* (0, 1 .. 15) * step + from, in each lane. */
STEP vector places(int from, int step)
{
    __m128i place = _mm_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    __m128i scaled = step == 2 ? _mm_add_epi8(place, place) : place;
    return _mm512_add_epi8(four(scaled), all(from));
}

/* Of each byte the pay, as a gap: bits 0 to 2 moved to 3 to 5. Row i of a bit matrix, counted from the
 * top of the word, says which bits make bit i. */
STEP vector pay_as_gap(vector hand)
{
    const vector rows = _mm512_set1_epi64(0x0000000102040000);
    return _mm512_gf2p8affine_epi64_epi8(hand, rows, 0);
}

STEP void find_first(trick *t, vector leader, vector other)
{
    /* Only the top bytes matter; b1 has the other's pay in its low bits. Where both gaps are 31, b1 is
     * wrong, but what they add up to then does not fit, whoever is called first. */
    vector b1 = _mm512_adds_epu8(other, all(BQ_ONE_CARD));
    vector turned = _mm512_and_si512(_mm512_min_epu8(leader, b1), on_top(BQ_GAP_BITS));
    vector farther = _mm512_shuffle_epi8(_mm512_sub_epi8(b1, turned), _mm512_setzero_si512());

    t->other_first = _mm512_testn_epi8_mask(farther, all(BQ_GAP_BITS));
    t->f = _mm512_adds_epu8(_mm512_mask_blend_epi8(t->other_first, leader, other), turned);
    t->s = _mm512_sub_epi8(_mm512_mask_blend_epi8(t->other_first, other, leader), turned);
}

/* Returns a bit a place of each chain: not reached, place 0 without meaning. */
STEP uint64_t find_chain(trick *t)
{
    t->chain = _mm512_unpacklo_epi8(t->f, t->s);
    t->pay = _mm512_alignr_epi8(pay_as_gap(t->chain), all(BQ_ALL_COURTS), BQ_HAND - 1);
    return _mm512_cmpge_epu8_mask(t->chain, t->pay);
}

/* As many bits in each lane as the pile has court cards: those below the first place not reached. The
 * four numbers of 16 bits are treated together; none is 0, so none borrows from its neighbour. */
STEP uint64_t pile_bits(uint64_t not_reached)
{
    uint64_t from_1 = not_reached >> 1 | EACH_LANE(UINT64_C(0x8000));
    return from_1 ^ (from_1 - EACH_LANE(1));   /* up to and with the lowest bit */
}

STEP vector measure_piles(uint64_t pile_bits)
{
    const vector count_of_lane = _mm512_set_epi64(EACH_LANE(0x0606), EACH_LANE(0x0606), EACH_LANE(0x0404), EACH_LANE(0x0404),
                                                  EACH_LANE(0x0202), EACH_LANE(0x0202), EACH_LANE(0x0000), EACH_LANE(0x0000));
    vector counts = _mm512_popcnt_epi16(_mm512_set1_epi64((int64_t)pile_bits));

    return _mm512_shuffle_epi8(counts, count_of_lane);
}

/* Returns, in all bytes of a lane, a number greater than 0 if the lane goes on. */
STEP vector take_pile(const trick *t, const lanes *from, lanes *to, const fixed *games, int v)
{
    vector drop_more = _mm512_avg_epu8(places(2 * OVER, 2), t->length);
    vector drop_less = _mm512_avg_epu8(places(2 * OVER - 1, 2), t->length);
    __mmask64 even = _mm512_testn_epi8_mask(t->length, all(1));
    vector winner = _mm512_shuffle_epi8(_mm512_mask_blend_epi8(even, t->f, t->s), drop_more);
    vector loser = _mm512_shuffle_epi8(_mm512_mask_blend_epi8(even, t->s, t->f), drop_less);

    vector payment = _mm512_shuffle_epi8(t->pay, t->length);
    to->payment[v] = payment;
    to->other[v] = _mm512_mask_sub_epi8(loser, EACH_LANE(1), loser, payment);

    __mmask64 other_won = _kxor_mask64(t->other_first, even);
    vector had = _mm512_mask_sub_epi8(from->courts[v], other_won, games->courts2[v], from->courts[v]);
    vector has = _mm512_add_epi8(had, _mm512_sub_epi8(drop_less, places(OVER, 1)));
    __asm__("" : "+v"(has));   /* else the sum is computed once more, in another order, below */
    to->courts[v] = has;

    __mmask64 in_pile = _mm512_cmpge_epi8_mask(t->length, places(0, 1));
    vector pile = _mm512_maskz_min_epu8(in_pile, t->chain, t->pay);
    vector shift = _mm512_sub_epi8(drop_more, had);
    to->leader[v] = _mm512_adds_epu8(winner, _mm512_shuffle_epi8(pile, shift));

    vector played = _mm512_and_si512(_mm512_avg_epu8(pile, all(BQ_PAY_BITS - 1)), all(0xFF & ~(BQ_COUNTED - 1)));
    to->cards[v] = _mm512_dpbusd_epi32(from->cards[v], played, all(1));

    return _mm512_min_epi8(payment, _mm512_sub_epi8(games->courts1[v], has));
}

/* Word v of each lane from vector v; all bytes of a lane are the same. */
STEP vector gather_words(const vector go_on[VECTORS])
{
    enum { SELECT = 0xCA };   /* the truth table of `first ? second : third` */
    vector words = go_on[0];

    UNROLL
    for (int v = 1; v < VECTORS; v++) {
        const uint64_t word = UINT64_C(0xFFFF) << v % 4 * 16;
        const vector word_v = four(_mm_set_epi64x(v / 4 ? (int64_t)word : 0, v / 4 ? 0 : (int64_t)word));
        words = _mm512_ternarylogic_epi64(word_v, go_on[v], words, SELECT);
    }
    return words;
}

STEP uint64_t play_tricks(const lanes *from, lanes *to, const fixed *games)
{
    trick t[VECTORS];
    uint64_t bits[VECTORS];
    vector go_on[VECTORS];

    UNROLL
    for (int v = 0; v < VECTORS; v++)
        find_first(&t[v], from->leader[v], from->other[v]);
    UNROLL
    for (int v = 0; v < VECTORS; v++)
        bits[v] = pile_bits(find_chain(&t[v]));
    UNROLL
    for (int v = 0; v < VECTORS; v++)
        t[v].length = measure_piles(bits[v]);
    UNROLL
    for (int v = 0; v < VECTORS; v++)
        go_on[v] = take_pile(&t[v], from, to, games, v);
    const uint64_t first_bytes = EACH_LANE(UINT64_C(0x5555) >> (BQ_HAND - 2 * VECTORS));   /* of the words used */
    return _mm512_mask_cmple_epi8_mask(first_bytes, gather_words(go_on), _mm512_setzero_si512());
}

STEP void put_lane(vector *v, int game, __m128i lane)
{
    *v = _mm512_mask_broadcast_i32x4(*v, (__mmask16)(0xF << 4 * game), lane);
}

STEP __m128i load_hand(const uint8_t hand[BQ_HAND])
{
    return _mm_loadu_si128((const __m128i *)hand);
}

STEP void seat(lanes *state, fixed *games, int v, int game, const bq_start *start)
{
    put_lane(&state->leader[v], game, load_hand(start->leader));
    put_lane(&state->other[v], game, load_hand(start->other));
    put_lane(&state->courts[v], game, _mm_set1_epi8((char)(start->leader_courts + OVER)));
    put_lane(&state->cards[v], game, _mm_setzero_si128());
    put_lane(&games->courts1[v], game, _mm_set1_epi8((char)(start->courts + OVER)));
    put_lane(&games->courts2[v], game, _mm_set1_epi8((char)(start->courts + 2 * OVER)));
}

STEP uint32_t cards_at(const lanes *state, int lane)
{
    const uint32_t *parts = (const uint32_t *)state->cards + 4 * lane;
    return (parts[0] + parts[1] + parts[2] + parts[3]) / BQ_COUNTED;
}

#include "byte_queue_lanes.h"

/* Writes the hand of `size` cards with court cards at the bits of `courts`, whose classes are the low
 * bits of `lo` and `hi`; returns a mask that is not 0 if a gap does not fit. The places of the court
 * cards, and of the end, are gathered by one instruction; differences of neighbours are gaps. */
STEP uint32_t write_hand(__m128i pay_of_code, uint64_t courts, unsigned size, unsigned n, uint32_t lo, uint32_t hi, uint8_t *hand)
{
    const vector numbers = _mm512_set_epi8(
        63, 62, 61, 60, 59, 58, 57, 56, 55, 54, 53, 52, 51, 50, 49, 48, 47, 46, 45, 44, 43, 42, 41, 40, 39, 38, 37, 36, 35, 34, 33, 32,
        31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    const __m128i ones = _mm_set1_epi8(1), row = _mm_set1_epi64x(0x0000000102040810);
    __mmask16 are_courts = (__mmask16)((1u << n) - 1), are_used = (__mmask16)((2u << n) - 1);

    __m128i at = _mm512_castsi512_si128(_mm512_maskz_compress_epi8(courts | UINT64_C(1) << size, numbers));
    __m128i below = _mm_slli_si128(_mm_add_epi8(at, ones), 1);
    __m128i gap = _mm_sub_epi8(at, below);
    __m128i code = _mm_maskz_mov_epi8((__mmask16)lo, ones);
    code = _mm_mask_add_epi8(code, (__mmask16)hi, code, _mm_set1_epi8(2));
    __m128i pay = _mm_maskz_shuffle_epi8(are_courts, pay_of_code, code);
    __m128i gaps = _mm_maskz_gf2p8affine_epi64_epi8(are_used, gap, row, 0);
    _mm_storeu_si128((__m128i *)hand, _mm_or_si128(gaps, pay));
    return _mm_mask_cmpgt_epu8_mask(are_used, gap, _mm_set1_epi8(BQ_MAX_GAP));
}

CODE static void convert(const pays *p, const packed_deal *deals, size_t n, bq_start *starts)
{
    const __m128i pay_of_code = _mm_setr_epi8((char)p->pay[1], (char)p->pay[2], (char)p->pay[3], (char)p->pay[4],
                                              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

    for (size_t i = 0; i < n; i++) {
        const packed_deal *d = &deals[i];
        bq_start *s = &starts[i];
        unsigned first = d->first & 63, second = (d->cards - d->first) & 63;   /* a hand with no card does not play */
        uint64_t courts0 = _bzhi_u64(d->courts, first), courts1 = d->courts >> first;
        unsigned n0 = (unsigned)__builtin_popcountll(courts0), n1 = (unsigned)__builtin_popcountll(courts1);

        uint32_t over = write_hand(pay_of_code, courts0, first, n0, d->rank_lo, d->rank_hi, s->leader);
        over |= write_hand(pay_of_code, courts1, second, n1, (uint32_t)d->rank_lo >> n0, (uint32_t)d->rank_hi >> n0, s->other);
        s->leader_courts = (uint8_t)n0;
        s->courts = (uint8_t)(n0 + n1);
        s->playable = !over & (n0 != 0) & (n1 != 0);
    }
}

static void run(const pays *p, deal_source *source, result_sink *sink)
{
    bq_stream stream;

    bq_open(&stream, p, source, sink, convert);
    run_lanes(&stream);
}

const engine BYTE_QUEUE_AVX512_ENGINE = {
    .name = "byte_queue512",
    .summary = "byte queues, a trick at a time in 24 games: AVX-512",
    .available = cpu_has_avx512,
    .plays = bq_plays,
    .run = run,
};

#endif
