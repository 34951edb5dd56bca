#include "sampler.h"

#include <stdlib.h>

#include "picks.h"

#if BEGGAR_X86
#include <immintrin.h>
#endif

enum {
    RANKS = CLASSES - 1,      /* court classes less one: bit 0 and bit 1 of them are the planes of a packed deal */
    MASK_BITS = MAX_PACKED_COURTS - 2, /* the court cards whose ranks are picked: all but the two last ones */
    GROUP_PLACES = 13,
    MAX_GROUPS = 6,           /* both hands' places, at most 62, in groups of at most GROUP_PLACES */
    GROUPS_A_WORD = 3,        /* masks picked with one word: each is one of at most 1716 */
    RANK_BITS = 2,            /* of a way: the last court card of either hand, then the groups */
    COUNT_BITS = 4,
    COUNT_MASK = (1 << COUNT_BITS) - 1,
};

/* How the ranks of the other court cards are picked, given the two last ones. */
typedef struct {
    uint32_t highs, aces, queens;                       /* kings and aces; of these; of the rest */
    uint32_t high_choices, ace_choices, queen_choices;
} rank_picks;

struct sampler {
    int cards, first;
    int first_slots, slots;                             /* court cards less the last ones: the leader's, all */
    int groups, first_groups;                           /* the leader's groups come first */
    int words;                                          /* random words a sample */
    uint8_t start[MAX_GROUPS];                          /* a group's first place in the deck */
    uint8_t last_at[2][RANKS];                          /* place of a hand's last court card, by its rank */
    uint16_t choices[MAX_GROUPS][RANKS][GROUP_PLACES + 1]; /* masks with so many ones, by the hand's last rank */
    rank_picks ranks[RANKS * RANKS];
    uint32_t from[MASK_BITS + 1];
    uint16_t masks[1 << MASK_BITS];
    alias_cell *ways;
    uint32_t n_ways;
};

/* Places of group g that lie before the last court card of its hand, if that is of rank `last`. */
static int places_of(const sampler *s, int g, int last)
{
    const int hand = g >= s->first_groups;
    const int is_last = g + 1 == (hand ? s->groups : s->first_groups);
    const int end = is_last ? s->cards : s->start[g + 1];
    const int last_at = s->last_at[hand][last];
    const int places = (end < last_at ? end : last_at) - s->start[g];
    return places > 0 ? places : 0;
}

/* Lists the ways that begin with `way`, from group g on, with so many court cards left for the hands,
 * and their weights; counts only while `ways` is NULL. */
static uint32_t list_ways(const sampler *s, int g, int left_first, int left_other, const int last[2], uint32_t way,
                          unsigned __int128 weight, alias_cell *ways, unsigned __int128 *weights, uint32_t n)
{
    if (g == s->groups) {
        if (left_first || left_other)
            return n;
        if (ways) {
            ways[n].own = way;
            weights[n] = weight;
        }
        return n + 1;
    }
    const int hand = g >= s->first_groups;
    const int places = places_of(s, g, last[hand]);
    const int left = hand ? left_other : left_first;
    for (int k = 0; k <= left && k <= places; k++)
        n = list_ways(s, g + 1, left_first - (hand ? 0 : k), left_other - (hand ? k : 0), last,
                      way | (uint32_t)k << (2 * RANK_BITS + COUNT_BITS * g), weight * binomial(places, k), ways,
                      weights, n);
    return n;
}

/* All ways, for all pairs of last court cards. The weight of a pair is the number of ways to choose
 * them in order: in proportion to that, their fellows can be arranged. */
static uint32_t list_all_ways(const sampler *s, const composition *deck, const int fits[2][RANKS], alias_cell *ways,
                              unsigned __int128 *weights)
{
    uint32_t n = 0;
    for (int a = 0; a < RANKS; a++) {
        for (int b = 0; b < RANKS; b++) {
            const int pairs = deck->of[a + 1] * (deck->of[b + 1] - (a == b));
            const int last[2] = {a, b};
            if (pairs > 0 && fits[0][a] && fits[1][b])
                n = list_ways(s, 0, s->first_slots, s->slots - s->first_slots, last, (uint32_t)(a | b << RANK_BITS),
                              (unsigned)pairs, ways, weights, n);
        }
    }
    return n;
}

static void set_rank_picks(sampler *s, const composition *deck)
{
    for (int way = 0; way < RANKS * RANKS; way++) {
        const int a = 1 + way % RANKS, b = 1 + way / RANKS;
        const int aces = deck->of[ACE] - (a == ACE) - (b == ACE), kings = deck->of[KING] - (a == KING) - (b == KING);
        const int queens = deck->of[QUEEN] - (a == QUEEN) - (b == QUEEN);
        if (aces < 0 || kings < 0 || queens < 0)
            continue; /* no such pair */
        s->ranks[way] = (rank_picks){
            .highs = (uint32_t)(aces + kings),
            .aces = (uint32_t)aces,
            .queens = (uint32_t)queens,
            .high_choices = (uint32_t)binomial(s->slots, aces + kings),
            .ace_choices = (uint32_t)binomial(aces + kings, aces),
            .queen_choices = (uint32_t)binomial(s->slots - aces - kings, queens),
        };
    }
}

/* Divides the places of a hand, those before the earliest possible last court card, into groups. */
static void add_groups(sampler *s, int start, int places)
{
    const int n = (places + GROUP_PLACES - 1) / GROUP_PLACES;
    for (int g = 0; g < n; g++)
        s->start[s->groups++] = (uint8_t)(start + places * g / n);
}

sampler *sampler_new(composition deck, const pays *p, int first, int *possible)
{
    int cards = 0;
    for (int class = 0; class < CLASSES; class++)
        cards += deck.of[class];
    const int courts = cards - deck.of[NUMBER];
    *possible = 0;
    if (cards > MAX_PACKED_CARDS || courts > MAX_PACKED_COURTS || courts < 2 || first < 1 || first >= cards)
        return NULL;
    *possible = 1;
    sampler *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->cards = cards;
    s->first = first;
    s->slots = courts - 2;
    s->first_slots = (courts + 1) / 2 - 1;

    /* Where the last court card of either hand lies, by its rank; where it can lie nowhere, no fit. */
    int fits[2][RANKS];
    const int start[2] = {0, first}, end[2] = {first, cards};
    for (int hand = 0; hand < 2; hand++) {
        int places = 0;
        for (int rank = 0; rank < RANKS; rank++) {
            const int at = end[hand] - 1 - p->pay[rank + 1];
            fits[hand][rank] = deck.of[rank + 1] > 0 && at >= start[hand];
            s->last_at[hand][rank] = (uint8_t)(fits[hand][rank] ? at : 0);
            if (fits[hand][rank] && at - start[hand] > places)
                places = at - start[hand];
        }
        add_groups(s, start[hand], places);
        if (hand == 0)
            s->first_groups = s->groups;
    }
    masks_by_ones(MASK_BITS, s->masks, s->from);
    for (int g = 0; g < s->groups; g++)
        for (int rank = 0; rank < RANKS; rank++)
            for (int k = 0; k <= GROUP_PLACES; k++)
                s->choices[g][rank][k] = (uint16_t)binomial(places_of(s, g, rank), k);
    set_rank_picks(s, &deck);
    s->words = 2 + (s->groups + GROUPS_A_WORD - 1) / GROUPS_A_WORD;

    s->n_ways = list_all_ways(s, &deck, fits, NULL, NULL);
    if (s->n_ways == 0) {
        *possible = 0;
        sampler_free(s);
        return NULL;
    }
    s->ways = malloc(s->n_ways * sizeof *s->ways);
    unsigned __int128 *weights = malloc(s->n_ways * sizeof *weights);
    uint32_t *stack = malloc(s->n_ways * sizeof *stack);
    const int made = s->ways && weights && stack;
    if (made) {
        list_all_ways(s, &deck, fits, s->ways, weights);
        alias_fill(s->ways, weights, stack, s->n_ways);
    }
    free(weights);
    free(stack);
    if (!made) {
        sampler_free(s);
        return NULL;
    }
    return s;
}

void sampler_free(sampler *s)
{
    if (!s)
        return;
    free(s->ways);
    free(s);
}

/* One sample from its words. `groups` and `first_groups` are constants where it matters. */
INLINE packed_deal sample(const sampler *s, rng_stream stream, uint64_t word, const int groups, const int first_groups,
                          const int has_pdep)
{
    const uint32_t way = alias_pick(s->ways, s->n_ways, rng_word(stream, word++));
    const uint32_t last[2] = {way & (RANKS - 1), way >> RANK_BITS & (RANKS - 1)};
    uint64_t courts = (uint64_t)1 << s->last_at[0][last[0]] | (uint64_t)1 << s->last_at[1][last[1]];
    uint64_t rest = 0;

    for (int g = 0; g < groups; g++) {
        const uint32_t ones = way >> (2 * RANK_BITS + COUNT_BITS * g) & COUNT_MASK;
        if (g % GROUPS_A_WORD == 0)
            rest = rng_word(stream, word++);
        const uint64_t choice = pick(rest, s->choices[g][last[g >= first_groups]][ones], &rest);
        courts |= (uint64_t)s->masks[s->from[ones] + choice] << s->start[g];
    }

    /* The ranks of all court cards but the two last ones, as if these were not there. */
    const rank_picks *r = &s->ranks[way & (RANKS * RANKS - 1)];
    const uint32_t all = (1u << s->slots) - 1;
    const uint32_t high = s->masks[s->from[r->highs] + pick(rng_word(stream, word), r->high_choices, &rest)];
    const uint32_t aces = s->masks[s->from[r->aces] + pick(rest, r->ace_choices, &rest)];
    const uint32_t queens = s->masks[s->from[r->queens] + pick(rest, r->queen_choices, &rest)];
    uint32_t low;
#if BEGGAR_X86 && defined(__BMI2__)
    if (has_pdep)
        low = _pdep_u32(aces, high) | _pdep_u32(queens, high ^ all);
    else
#endif
        low = deposit16(aces, high) | deposit16(queens, high ^ all);

    /* Put the last ones in: behind the leader's others, and at the end. */
    const uint32_t below = (1u << s->first_slots) - 1;
    const int at_first = s->first_slots, at_other = s->slots + 1;
    return (packed_deal){
        .courts = courts,
        .rank_lo = (uint16_t)((low & below) | (low & ~below) << 1 | (last[0] & 1) << at_first | (last[1] & 1) << at_other),
        .rank_hi = (uint16_t)((high & below) | (high & ~below) << 1 | (last[0] >> 1) << at_first | (last[1] >> 1) << at_other),
        .cards = (uint8_t)s->cards,
        .first = (uint8_t)s->first,
    };
}

INLINE void make_samples(const sampler *s, rng_stream stream, uint64_t number, size_t n, packed_deal *deals,
                         const int has_pdep)
{
    /* The common case with constants, so that its loops are unrolled. */
    if (s->groups == 4 && s->first_groups == 2)
        for (size_t i = 0; i < n; i++)
            deals[i] = sample(s, stream, (number + i) * 4, 4, 2, has_pdep);
    else
        for (size_t i = 0; i < n; i++)
            deals[i] = sample(s, stream, (number + i) * (uint64_t)s->words, s->groups, s->first_groups, has_pdep);
}

#if BEGGAR_X86
AVX2_CODE static void make_samples_bmi2(const sampler *s, rng_stream stream, uint64_t number, size_t n, packed_deal *deals)
{
    make_samples(s, stream, number, n, deals, 1);
}
#endif

void sampler_packed(const sampler *s, rng_stream stream, uint64_t number, size_t n, packed_deal *deals)
{
#if BEGGAR_X86
    if (cpu_has_avx2()) {
        make_samples_bmi2(s, stream, number, n, deals);
        return;
    }
#endif
    make_samples(s, stream, number, n, deals, 0);
}

static size_t samples_next(deal_source *self, packed_deal *deals, size_t room, uint64_t *number)
{
    samples *s = (samples *)self;
    const uint64_t left = s->end - s->next;
    const size_t n = left < room ? (size_t)left : room;

    sampler_packed(s->sampler, s->stream, s->next, n, deals);
    *number = s->next;
    s->next += n;
    return n;
}

samples samples_between(const sampler *s, rng_stream stream, uint64_t number, uint64_t end)
{
    return (samples){
        .source.next = samples_next,
        .sampler = s,
        .stream = stream,
        .next = number,
        .end = end,
    };
}
