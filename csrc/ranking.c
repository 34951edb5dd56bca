#include "ranking.h"

/* Classes in their order: the highest code comes first. */
#define FIRST_CLASS (CLASSES - 1)

static int cards_of(composition deck)
{
    int cards = 0;

    for (int class = 0; class < CLASSES; class++)
        cards += deck.of[class];
    return cards;
}

deal_index orders_of(composition deck)
{
    deal_index orders = 1;
    unsigned placed = 0, cards = (unsigned)cards_of(deck);

    /* Card by card: n cards more than `placed` before, i of them of this class, have
     * orders * (placed + 1) / i orders. Each is a whole number, and never above the last. */
    for (int class = 0; class < CLASSES; class++) {
        for (unsigned i = 1; i <= deck.of[class]; i++) {
            placed++;
            if (__builtin_mul_overflow(orders, (deal_index)placed, &orders))
                return 0;
            orders /= i;
        }
    }
    deal_index largest_product;
    return __builtin_mul_overflow(orders, (deal_index)cards, &largest_product) ? 0 : orders;
}

/* Of `orders` orders of `remaining` cards, so many begin with one of `share` of these cards. */
static inline deal_index beginning_with(deal_index orders, unsigned share, unsigned remaining)
{
    if (orders >> 54 == 0)   /* the product fits in 64 bits: shares are below 2^10 */
        return (uint64_t)orders * share / remaining;
    return orders * share / remaining;
}
_Static_assert(MAX_CARDS <= 1 << 10, "the share of a class fits in ten bits");

deal_index index_of_codes(const uint8_t *codes, int cards)
{
    composition left = codes_composition(codes, cards);
    deal_index orders = orders_of(left), index = 0;

    for (int place = 0; place < cards; place++) {
        unsigned remaining = (unsigned)(cards - place), before = 0;
        for (int class = FIRST_CLASS; class > codes[place]; class--)
            before += left.of[class];
        index += beginning_with(orders, before, remaining);
        orders = beginning_with(orders, left.of[codes[place]], remaining);
        left.of[codes[place]]--;
    }
    return index;
}

void codes_at_index(deal_index index, composition deck, uint8_t *codes)
{
    deal_index orders = orders_of(deck);

    for (unsigned remaining = (unsigned)cards_of(deck); remaining > 0; remaining--) {
        int class = FIRST_CLASS;
        deal_index beginning;
        while (index >= (beginning = beginning_with(orders, deck.of[class], remaining))) {
            index -= beginning;
            class--;
        }
        orders = beginning;
        deck.of[class]--;
        *codes++ = (uint8_t)class;
    }
}

int next_order(uint8_t *codes, int cards)
{
    int at = cards - 2, other = cards - 1;

    /* Behind the place that changes, the cards stand in falling order (rising codes). */
    while (at >= 0 && codes[at] <= codes[at + 1])
        at--;
    if (at < 0)
        return -1;
    while (codes[other] >= codes[at])
        other--;
    uint8_t card = codes[at];
    codes[at] = codes[other];
    codes[other] = card;
    for (int low = at + 1, high = cards - 1; low < high; low++, high--) {
        card = codes[low];
        codes[low] = codes[high];
        codes[high] = card;
    }
    return at;
}
