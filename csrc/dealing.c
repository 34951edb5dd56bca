#include "dealing.h"

#include <stdlib.h>
#include <string.h>

#include "packed.h"
#include "picks.h"

enum {
    GROUP_PLACES = 13,   /* most places in a group: its table of masks stays in the first-level cache */
    MAX_GROUPS = (MAX_PACKED_CARDS + GROUP_PLACES - 1) / GROUP_PLACES,
    COUNT_BITS = 4,      /* a group's number of court cards, as a part of a way */
    COUNT_MASK = (1 << COUNT_BITS) - 1,
};
_Static_assert(GROUP_PLACES <= COUNT_MASK, "the court cards of a full group need COUNT_BITS");

/* All masks of `n` bits with `ones` of them set, in ascending order. */
typedef struct {
    uint16_t *masks;
    uint32_t n;
} mask_list;

struct dealer {
    composition deck;
    int cards, first, courts;
    int packs;

    int groups, words;
    uint8_t places[MAX_GROUPS];                            /* of a group */
    uint8_t start[MAX_GROUPS];                             /* its first place in the deck */
    uint32_t choices[MAX_GROUPS][GROUP_PLACES + 1];        /* masks of a group with so many ones */
    uint32_t from[GROUP_PLACES + 1];                       /* where masks with so many ones begin in group_masks */
    uint16_t group_masks[1 << GROUP_PLACES];               /* by number of ones, then by value */
    alias_cell *ways; /* a way: the court cards of each group, COUNT_BITS each, the first group lowest */
    uint32_t n_ways;
    mask_list high, aces, queens;
};

static int list_masks(mask_list *list, int bits, int ones)
{
    list->n = 0;
    list->masks = malloc((size_t)binomial(bits, ones) * sizeof *list->masks);
    if (!list->masks)
        return 0;
    for (uint32_t mask = 0; mask < 1u << bits; mask++)
        if (__builtin_popcount(mask) == ones)
            list->masks[list->n++] = (uint16_t)mask;
    return 1;
}

static void list_group_masks(dealer *d)
{
    masks_by_ones(GROUP_PLACES, d->group_masks, d->from);
    for (int ones = 0; ones <= GROUP_PLACES; ones++)
        for (int g = 0; g < d->groups; g++)
            d->choices[g][ones] = (uint32_t)binomial(d->places[g], ones);
}

/* Lists the ways to spread `left` court cards over the groups from g on, with the number of deals
 * that have them; counts only while `ways` is NULL. */
static uint32_t list_ways(const dealer *d, int g, int left, uint32_t way, uint64_t weight, alias_cell *ways,
                          unsigned __int128 *weights, uint32_t n)
{
    if (g == d->groups) {
        if (left > 0)
            return n;
        if (ways) {
            ways[n].own = ways[n].other = way;
            weights[n] = weight;
        }
        return n + 1;
    }
    for (int k = 0; k <= left && k <= d->places[g]; k++)
        n = list_ways(d, g + 1, left - k, way | (uint32_t)k << (COUNT_BITS * g), weight * binomial(d->places[g], k), ways,
                      weights, n);
    return n;
}

static int make_ways(dealer *d)
{
    d->n_ways = list_ways(d, 0, d->courts, 0, 1, NULL, NULL, 0);
    d->ways = malloc(d->n_ways * sizeof *d->ways);
    unsigned __int128 *weights = malloc(d->n_ways * sizeof *weights);
    uint32_t *stack = malloc(d->n_ways * sizeof *stack);
    int made = d->ways && weights && stack;

    if (made) {
        list_ways(d, 0, d->courts, 0, 1, d->ways, weights, 0);
        alias_fill(d->ways, weights, stack, d->n_ways);
    }
    free(weights);
    free(stack);
    return made;
}

dealer *dealer_new(composition deck, int first)
{
    dealer *d = calloc(1, sizeof *d);

    if (!d)
        return NULL;
    d->deck = deck;
    d->first = first;
    for (int class = 0; class < CLASSES; class++)
        d->cards += deck.of[class];
    d->courts = d->cards - deck.of[NUMBER];
    d->packs = d->cards <= MAX_PACKED_CARDS && d->courts <= MAX_PACKED_COURTS;
    if (!d->packs) {
        d->words = d->cards;
        return d;
    }

    d->groups = (d->cards + GROUP_PLACES - 1) / GROUP_PLACES;
    d->words = d->groups + 3;
    for (int g = 0, at = 0; g < d->groups; g++) {
        d->places[g] = (uint8_t)(d->cards / d->groups + (g < d->cards % d->groups));
        d->start[g] = (uint8_t)at;
        at += d->places[g];
    }
    list_group_masks(d);
    int high = deck.of[KING] + deck.of[ACE];
    if (!make_ways(d) || !list_masks(&d->high, d->courts, high) || !list_masks(&d->aces, high, deck.of[ACE]) ||
        !list_masks(&d->queens, d->courts - high, deck.of[QUEEN])) {
        dealer_free(d);
        return NULL;
    }
    return d;
}

void dealer_free(dealer *d)
{
    if (!d)
        return;
    free(d->ways);
    free(d->high.masks);
    free(d->aces.masks);
    free(d->queens.masks);
    free(d);
}

int dealer_packs(const dealer *d)
{
    return d->packs;
}

composition dealer_deck(const dealer *d)
{
    return d->deck;
}

int dealer_cards(const dealer *d)
{
    return d->cards;
}

int dealer_first(const dealer *d)
{
    return d->first;
}

INLINE void deal_groups(const dealer *d, rng_stream stream, uint64_t number, size_t n, packed_deal *deals, const int groups)
{
    const uint32_t all = (1u << d->courts) - 1;
    uint64_t rest;

    for (size_t i = 0; i < n; i++) {
        uint64_t word = (number + i) * (uint64_t)(groups + 3);
        uint32_t way = alias_pick(d->ways, d->n_ways, rng_word(stream, word++));
        uint64_t courts = 0;
        for (int g = 0; g < groups; g++) {
            uint32_t ones = way >> (COUNT_BITS * g) & COUNT_MASK;
            uint32_t choice = (uint32_t)pick(rng_word(stream, word++), d->choices[g][ones], &rest);
            courts |= (uint64_t)d->group_masks[d->from[ones] + choice] << d->start[g];
        }
        uint32_t high = d->high.masks[pick(rng_word(stream, word++), d->high.n, &rest)];
        uint64_t last = rng_word(stream, word);
        uint32_t aces = d->aces.masks[pick(last, d->aces.n, &rest)];
        uint32_t queens = d->queens.masks[pick(rest, d->queens.n, &rest)];
        /* Of the low bits of the ranks, aces and queens have one, kings and jacks none. */
        deals[i] = (packed_deal){
            .courts = courts,
            .rank_hi = (uint16_t)high,
            .rank_lo = (uint16_t)(deposit16(aces, high) | deposit16(queens, high ^ all)),
            .cards = (uint8_t)d->cards,
            .first = (uint8_t)d->first,
        };
    }
}

void dealer_packed(const dealer *d, rng_stream stream, uint64_t number, size_t n, packed_deal *deals)
{
    /* The number of groups as a constant, so that the loops over them are unrolled. */
    _Static_assert(MAX_GROUPS == 5, "one case a number of groups");
    switch (d->groups) {
    case 1: deal_groups(d, stream, number, n, deals, 1); break;
    case 2: deal_groups(d, stream, number, n, deals, 2); break;
    case 3: deal_groups(d, stream, number, n, deals, 3); break;
    case 4: deal_groups(d, stream, number, n, deals, 4); break;
    case 5: deal_groups(d, stream, number, n, deals, 5); break;
    }
}

void dealer_codes(const dealer *d, rng_stream stream, uint64_t number, uint8_t *codes)
{
    if (d->packs) {
        packed_deal deal;
        dealer_packed(d, stream, number, 1, &deal);
        packed_to_codes(&deal, codes);
        return;
    }
    int n = 0;
    for (int class = 0; class < CLASSES; class++)
        for (int i = 0; i < d->deck.of[class]; i++)
            codes[n++] = (uint8_t)class;
    rng r = {stream, number * (uint64_t)d->words};
    for (int i = n - 1; i > 0; i--) {
        int j = (int)rng_below(&r, (uint64_t)i + 1);
        uint8_t card = codes[i];
        codes[i] = codes[j];
        codes[j] = card;
    }
}

static size_t dealt_next(deal_source *self, packed_deal *deals, size_t room, uint64_t *number)
{
    dealt *s = (dealt *)self;
    uint64_t left = s->end - s->next;
    size_t n = left < room ? (size_t)left : room;

    dealer_packed(s->dealer, s->stream, s->next, n, deals);
    *number = s->next;
    s->next += n;
    return n;
}

dealt dealt_between(const dealer *d, rng_stream stream, uint64_t number, uint64_t end)
{
    return (dealt){
        .source.next = dealt_next,
        .dealer = d,
        .stream = stream,
        .next = number,
        .end = end,
    };
}
