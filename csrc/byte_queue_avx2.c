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

static void run(const pays *p, deal_source *source, result_sink *sink)
{
    bq_stream stream;

    bq_open(&stream, p, source, sink, bq_convert_plain);
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
