#include "byte_words.h"

#include <string.h>

#include "cpu.h"
#include "packed.h"
#include "ring.h"

#define INLINE static inline __attribute__((always_inline))

enum {
    GAP_SHIFT = 3,
    ONE_CARD = 1 << GAP_SHIFT,             /* one number card more in a gap */
    PAY_BITS = ONE_CARD - 1,
    GAP_BITS = 0xFF & ~PAY_BITS,
    MAX_GAP = 0xFF >> GAP_SHIFT,
    VIEW = 8,                              /* court cards of a hand that a trick can see */
    TOO_LARGE = ~0xFF,                     /* bits of a sum of gaps that do not fit a byte */
    STRETCH = CAREFUL_AGE < 64 ? CAREFUL_AGE : 64,   /* tricks between looks at the age and the room left */
    ROOM = (STRETCH + 4) * 2 * VIEW,       /* for the hand, and a pile of 16 each trick */
};

#define EACH_BYTE(byte) ((byte) * UINT64_C(0x0101010101010101))

/* A game. Its hands lie in memory, by seat: from the top, `gap << 3 | pay` for each court card, and
 * at `end` the sentinel, `tail gap << 3`. What lies behind it has no meaning. */
typedef struct {
    uint64_t leader_top, other_top;        /* places in `bytes`, of the hands of who leads and who does not */
    uint64_t less;                         /* the top byte of the other hand is to be lessened by this; it is
                                              not written to memory, where loading the word would have to wait */
    uint64_t leader;                       /* seat */
    uint64_t end[2], tail[2];              /* place of the sentinel, and what it says; by seat */
    uint32_t cards, tricks;
    packed_deal deal;
    uint64_t number;
    int live;
    uint8_t bytes[2 * ROOM];               /* seat 1 begins at ROOM */
} game;

/* Games played by turns, a trick each: what one waits for, the others use. */
enum { GAMES = 4, CHUNK = 64 };

/* The deals and results of a stream. */
typedef struct {
    const pays *p;
    deal_source *source;
    result_sink *sink;
    size_t next, ready, ended;
    uint64_t number;                       /* of deals[0] */
    int dry;
    packed_deal deals[CHUNK], ended_deals[CHUNK];
    game_result results[CHUNK];
} stream;

INLINE uint64_t load_word(const uint8_t *bytes)
{
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

#if defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector) && defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define HAVE_SHUFFLE 1
#endif
#endif

#ifdef HAVE_SHUFFLE

typedef uint8_t byte_vector __attribute__((vector_size(16)));
typedef uint64_t word_vector __attribute__((vector_size(16)));

/* Stores the bytes of two words by turns, 16 in all. */
INLINE void store_by_turns(uint8_t *to, uint64_t first, uint64_t second)
{
    byte_vector f = (byte_vector)(word_vector){first, 0}, s = (byte_vector)(word_vector){second, 0};
    byte_vector mixed = __builtin_shufflevector(f, s, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    memcpy(to, &mixed, sizeof mixed);
}

#else

/* Moves the four low bytes of a word apart, one place between two of them. */
INLINE uint64_t spread_bytes(uint64_t word)
{
    word &= UINT64_C(0xFFFFFFFF);
    word = (word | word << 16) & UINT64_C(0x0000FFFF0000FFFF);
    return (word | word << 8) & UINT64_C(0x00FF00FF00FF00FF);
}

INLINE void store_by_turns(uint8_t *to, uint64_t first, uint64_t second)
{
    uint64_t mixed[2] = {
        spread_bytes(first) | spread_bytes(second) << 8,
        spread_bytes(first >> 32) | spread_bytes(second >> 32) << 8,
    };
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    mixed[0] = __builtin_bswap64(mixed[0]);
    mixed[1] = __builtin_bswap64(mixed[1]);
#endif
    memcpy(to, mixed, sizeof mixed);
}

#endif

/* Exchanges a and b where the mask is set. */
INLINE void exchange(uint64_t *a, uint64_t *b, uint64_t mask)
{
    uint64_t change = (*a ^ *b) & mask;
    *a ^= change;
    *b ^= change;
}

INLINE uint64_t mask_if(int condition)
{
    return -(uint64_t)condition;
}

/* The place of the first court card that is not reached, in the chain of first's and second's court
 * cards by turns; place 0 is always reached. A court card is reached if its gap is smaller than the
 * pay of the one before it, if that was reached. 0: the view ends before. */
INLINE unsigned pile_length(uint64_t first, uint64_t second)
{
    const uint64_t pays = EACH_BYTE(PAY_BITS), gaps = EACH_BYTE(MAX_GAP), top_bits = EACH_BYTE(0x80);
    uint64_t first_gaps = first >> GAP_SHIFT & gaps, second_gaps = second >> GAP_SHIFT & gaps;
    uint64_t first_pays = first & pays, second_pays = second & pays;

    /* The top bit of a byte stays where the gap is at least the pay. Bits 6 and 7 of byte i become
     * the places 2i and 2i + 1. */
    uint64_t odd = ((second_gaps | top_bits) - first_pays) & top_bits;
    uint64_t even = ((first_gaps | top_bits) - (second_pays << 8)) & top_bits;
    uint64_t not_reached = odd | (even >> 1 & ~UINT64_C(0x40));
    if (__builtin_expect(not_reached == 0, 0))
        return 0;
    unsigned bit = (unsigned)__builtin_ctzll(not_reached);
    return bit >> 3 << 1 | (bit & 1);
}

/* The sum of the gaps in the lowest `n` bytes, 0 to 8 of them; it is at most the size of a deck. */
INLINE uint32_t sum_gaps(uint64_t first, unsigned n_first, uint64_t second, unsigned n_second)
{
    const uint64_t gaps = EACH_BYTE(MAX_GAP);
    uint64_t f = first >> GAP_SHIFT & gaps & ((UINT64_C(2) << (8 * n_first - 1)) - 1);   /* n_first is 1 to 8 */
    uint64_t s = second >> GAP_SHIFT & gaps & ((UINT64_C(1) << 8 * n_second) - 1);       /* n_second is 0 to 7 */
    return (uint32_t)((f + s) * EACH_BYTE(1) >> 56);
}

typedef enum { GOES_ON, OVER, TOO_HARD } progress;

INLINE progress play_trick(game *g)
{
    uint64_t less = g->less;
    uint64_t first = load_word(g->bytes + g->leader_top), second = load_word(g->bytes + g->other_top) - less;

    if (__builtin_expect((second & 0xFF) == 0, 0))
        return OVER;                       /* an empty sentinel: the other player has no cards */

    /* Number cards first, by turns. With gaps a and b on top, the leader meets his court card in turn
     * 2a, the other player in turn 2b + 1. The second to meet one turns `turned` number cards before,
     * which from now on count as lying above the first's. */
    uint64_t a = first & GAP_BITS, b1 = (second & GAP_BITS) + ONE_CARD;
    uint64_t other_first = mask_if(b1 <= a);
    uint64_t turned = a ^ ((a ^ b1) & other_first);
    exchange(&first, &second, other_first);
    uint64_t top_gap = (first & GAP_BITS) + turned;
    first += turned;
    second -= turned;

    unsigned length = pile_length(first, second);
    uint64_t from_first = (length + 1) / 2, from_second = length / 2;
    uint64_t even = mask_if(length % 2 == 0);
    uint64_t other_won = other_first ^ even;
    uint64_t winner = g->leader ^ (other_won & 1);

    uint64_t winning_hand = first ^ ((first ^ second) & even);
    uint64_t pay = winning_hand >> (8 * (from_first - 1) & 63) & PAY_BITS;
    uint64_t tail = g->tail[winner];
    if (__builtin_expect(((top_gap + tail) & (uint64_t)TOO_LARGE) | (length == 0), 0))
        return TOO_HARD;
    /* A sentinel at the end of the chain is not a card; who turned it could not pay. */
    g->cards += sum_gaps(first, (unsigned)from_first, second, (unsigned)from_second) + length + (uint32_t)pay - (pay == 0);
    g->tricks++;
    if (__builtin_expect(pay == 0, 0))
        return OVER;

    /* The pile, its first gap added to the sentinel that it covers, and the payment as the new one. */
    uint64_t end = g->end[winner];
    store_by_turns(g->bytes + end, first + tail, second);
    g->bytes[end + length] = (uint8_t)(pay << GAP_SHIFT);
    g->end[winner] = end + length;
    g->tail[winner] = pay << GAP_SHIFT;

    /* With one court card in the pile the loser keeps his top one, less what he turned before. */
    uint64_t kept = ((less & ~other_first) + turned) & mask_if(length == 1);
    g->less = kept + (pay << GAP_SHIFT);
    uint64_t change = (from_first ^ from_second) & other_first;
    uint64_t leader_top = g->leader_top + (from_first ^ change), other_top = g->other_top + (from_second ^ change);
    exchange(&leader_top, &other_top, other_won);
    g->leader_top = leader_top;
    g->other_top = other_top;
    g->leader = winner;
    return GOES_ON;
}

/* Moves the hands back to the beginning of their room. */
static void move_back(game *g)
{
    uint64_t top[2] = {g->leader ? g->other_top : g->leader_top, g->leader ? g->leader_top : g->other_top};

    for (int seat = 0; seat < 2; seat++) {
        uint64_t n = g->end[seat] - top[seat], start = seat ? ROOM : 0;
        memmove(g->bytes + start, g->bytes + top[seat], n + 1);
        g->end[seat] = start + n;
    }
    g->leader_top = g->leader ? ROOM : 0;
    g->other_top = g->leader ? 0 : ROOM;
}

/* Writes the hands of g->deal; 0 where it can not be played here. */
INLINE int deal_hands(const pays *p, game *g)
{
    uint64_t rest = g->deal.courts;
    uint32_t lo = g->deal.rank_lo, hi = g->deal.rank_hi;
    unsigned below = 0, large = 0;         /* place after the last court card or hand; all gaps, or-ed */
    unsigned hand_end = g->deal.first;

    if (g->deal.first == 0 || g->deal.first == g->deal.cards)
        return 0;
    for (int seat = 0; seat < 2; seat++) {
        uint8_t *at = g->bytes + (seat ? ROOM : 0);
        while (rest && (unsigned)__builtin_ctzll(rest) < hand_end) {
            unsigned place = (unsigned)__builtin_ctzll(rest), gap = place - below;
            large |= gap;
            *at++ = (uint8_t)(gap << GAP_SHIFT | p->pay[1 + (lo & 1) + 2 * (hi & 1)]);
            below = place + 1;
            rest &= rest - 1;
            lo >>= 1;
            hi >>= 1;
        }
        large |= hand_end - below;
        g->tail[seat] = (uint64_t)(hand_end - below) << GAP_SHIFT;
        *at = (uint8_t)g->tail[seat];
        g->end[seat] = (uint64_t)(at - g->bytes);
        below = hand_end;
        hand_end = g->deal.cards;
    }
    g->leader_top = 0;
    g->other_top = ROOM;
    g->leader = g->less = 0;
    g->cards = g->tricks = 0;
    return large <= MAX_GAP;
}

static void push(stream *s)
{
    if (s->ended)
        s->sink->take(s->sink, s->results, s->ended_deals, s->ended);
    s->ended = 0;
}

static void add_result(stream *s, const game *g, game_result r)
{
    s->ended_deals[s->ended] = g->deal;
    s->results[s->ended] = r;
    if (++s->ended == CHUNK)
        push(s);
}

static void add_careful_result(stream *s, const game *g)
{
    outcome o = ring_play_packed(s->p, &g->deal);
    add_result(s, g, result_of(g->number, &o));
}

/* Starts the next deal in `g`, or leaves it without a game when there are no more. */
static void start_next(stream *s, game *g)
{
    for (;;) {
        if (s->next == s->ready) {
            s->next = 0;
            s->ready = s->dry ? 0 : s->source->next(s->source, s->deals, CHUNK, &s->number);
            s->dry = s->ready == 0;
        }
        g->live = !s->dry;
        if (!g->live)
            return;
        g->deal = s->deals[s->next];
        g->number = s->number + s->next++;
        if (deal_hands(s->p, g))
            return;
        add_careful_result(s, g);
    }
}

static void run(const pays *p, deal_source *source, result_sink *sink)
{
    game games[GAMES] = {0};               /* bytes without a meaning are read, so they need a value */
    stream s;
    int live = 0;

    memset(&s, 0, sizeof s);
    s.p = p;
    s.source = source;
    s.sink = sink;
    for (game *g = games; g < games + GAMES; g++) {
        start_next(&s, g);
        live += g->live;
    }
    while (live)
        for (game *g = games; g < games + GAMES; g++) {
            if (__builtin_expect(!g->live, 0))
                continue;
            progress state = play_trick(g);
            if (__builtin_expect(state == GOES_ON, 1)) {
                if (__builtin_expect(g->tricks % STRETCH != 0, 1))
                    continue;
                if (g->tricks < CAREFUL_AGE) {
                    move_back(g);
                    continue;
                }
                state = TOO_HARD;
            }
            if (state == OVER) {
                game_result r = {.number = g->number, .cards = g->cards, .tricks = g->tricks, .status = FINITE};
                add_result(&s, g, r);
            } else {
                add_careful_result(&s, g);
            }
            start_next(&s, g);
            live -= !g->live;
        }
    push(&s);
}

static int plays(const pays *p, int cards, int courts)
{
    for (int c = JACK; c < CLASSES; c++)
        if (p->pay[c] < 1 || p->pay[c] > PAY_BITS)
            return 0;
    return cards <= MAX_PACKED_CARDS && courts <= MAX_PACKED_COURTS;
}

const engine BYTE_WORDS_ENGINE = {
    .name = "byte_words",
    .summary = "byte queues, a trick at a time in 64-bit words: plain C",
    .available = cpu_is_any,
    .plays = plays,
    .run = run,
};
