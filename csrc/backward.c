#include "backward.h"

#include <stdlib.h>
#include <string.h>

/* ---- hands ---- */

static inline uint64_t low_bits(uint64_t n)
{
    return ((uint64_t)1 << n) - 1;
}

static inline int class_at(const hand *h, int i)
{
    return 1 + (int)(h->lo >> i & 1) + 2 * (int)(h->hi >> i & 1);
}

/* Place of the last court card; the hand must have one. */
static inline int last_court(const hand *h)
{
    return 63 - __builtin_clzll(h->courts);
}

static inline void hand_drop(hand *h, uint64_t n)
{
    h->courts >>= n;
    h->lo >>= n;
    h->hi >>= n;
    h->cards -= n;
}

/* Puts `n` number cards on top. */
static inline void hand_push(hand *h, uint64_t n)
{
    h->courts <<= n;
    h->lo <<= n;
    h->hi <<= n;
    h->cards += n;
}

/* Puts card i of `from`, a court card, on top. */
static inline void hand_push_court(hand *h, const hand *from, int i)
{
    hand_push(h, 1);
    h->courts |= 1;
    h->lo |= from->lo >> i & 1;
    h->hi |= from->hi >> i & 1;
}

/* The first n cards of `below` under the cards of `above`. */
static inline hand hand_join(const hand *above, const hand *below, uint64_t n)
{
    const uint64_t mask = low_bits(n);
    hand h = *above;
    h.courts |= (below->courts & mask) << above->cards;
    h.lo |= (below->lo & mask) << above->cards;
    h.hi |= (below->hi & mask) << above->cards;
    h.cards += n;
    return h;
}

static void hand_from_codes(const uint8_t *codes, int cards, hand *h)
{
    memset(h, 0, sizeof *h);
    h->cards = (uint64_t)cards;
    for (int i = 0; i < cards; i++) {
        if (codes[i] == NUMBER)
            continue;
        h->courts |= (uint64_t)1 << i;
        h->lo |= (uint64_t)((codes[i] - 1) & 1) << i;
        h->hi |= (uint64_t)((codes[i] - 1) >> 1) << i;
    }
}

static void hand_to_codes(const hand *h, uint8_t *codes)
{
    for (int i = 0; i < (int)h->cards; i++)
        codes[i] = (uint8_t)(h->courts >> i & 1 ? class_at(h, i) : NUMBER);
}

/* ---- positions ---- */

int position_from_codes(const uint8_t *codes, int cards, int leader_cards, position *s)
{
    if (cards > MAX_PACKED_CARDS || leader_cards < 1 || leader_cards >= cards)
        return 0;
    hand_from_codes(codes, leader_cards, &s->leader);
    hand_from_codes(codes + leader_cards, cards - leader_cards, &s->other);
    return 1;
}

void position_from_packed(const packed_deal *deal, position *s)
{
    hand all = {.courts = deal->courts, .cards = deal->cards};
    int j = 0;
    for (uint64_t rest = deal->courts; rest; rest &= rest - 1, j++) {
        all.lo |= (rest & -rest) * (deal->rank_lo >> j & 1);
        all.hi |= (rest & -rest) * (deal->rank_hi >> j & 1);
    }
    const hand nothing = {0};
    s->leader = hand_join(&nothing, &all, deal->first);
    s->other = all;
    hand_drop(&s->other, deal->first);
}

void position_to_codes(const position *s, uint8_t *codes)
{
    hand_to_codes(&s->leader, codes);
    hand_to_codes(&s->other, codes + s->leader.cards);
}

static int hand_equal(const hand *a, const hand *b)
{
    return a->courts == b->courts && a->lo == b->lo && a->hi == b->hi && a->cards == b->cards;
}

int position_equal(const position *a, const position *b)
{
    return hand_equal(&a->leader, &b->leader) && hand_equal(&a->other, &b->other);
}

/* Whether a is before b in the byte order of their strings. Both have equally many cards. */
static int position_before(const position *a, const position *b)
{
    /* '-' < 'A' < 'J' < 'K' < 'Q', by code. */
    static const uint8_t order[CLASSES] = {[NUMBER] = 0, [ACE] = 1, [JACK] = 2, [KING] = 3, [QUEEN] = 4};
    uint8_t x[MAX_PACKED_CARDS], y[MAX_PACKED_CARDS];
    const int cards = (int)(a->leader.cards + a->other.cards);
    position_to_codes(a, x);
    position_to_codes(b, y);
    for (int i = 0; i < cards; i++)
        if (x[i] != y[i])
            return order[x[i]] < order[y[i]];
    return 0;
}

int hand_is_exact(const pays *p, const hand *h)
{
    if (!h->courts)
        return 0;
    const int at = last_court(h);
    return h->cards - 1 - (uint64_t)at == p->pay[class_at(h, at)];
}

int position_is_live(const pays *p, const position *s)
{
    return hand_is_exact(p, &s->leader) && hand_is_exact(p, &s->other);
}

/* ---- forward ---- */

int position_play_trick(const pays *p, position *s, int *over)
{
    hand x = s->leader, y = s->other; /* x is to turn a card */
    hand pile = {0};

    *over = 1;
    /* Leading number cards in turn, up to the first court card. */
    const uint64_t x_gap = x.courts ? (uint64_t)__builtin_ctzll(x.courts) : x.cards;
    const uint64_t y_gap = y.courts ? (uint64_t)__builtin_ctzll(y.courts) : y.cards;
    if (x_gap <= y_gap) {
        /* x turns the first court card, or has nothing but numbers and runs out first */
        if (x_gap == x.cards)
            return (int)(2 * x_gap);
        hand_drop(&x, x_gap);
        hand_drop(&y, x_gap);
        pile.cards = 2 * x_gap;
    } else {
        if (y_gap == y.cards)
            return (int)(2 * y_gap + 1);
        hand_drop(&x, y_gap + 1);
        hand_drop(&y, y_gap);
        pile.cards = 2 * y_gap + 1;
        const hand t = x;
        x = y;
        y = t;
    }
    /* x has a court card on top: he turns it and y pays, until a payment is complete. */
    for (;;) {
        pile.courts |= (uint64_t)1 << pile.cards;
        pile.lo |= (x.lo & 1) << pile.cards;
        pile.hi |= (x.hi & 1) << pile.cards;
        pile.cards++;
        const uint64_t owed = p->pay[class_at(&x, 0)];
        hand_drop(&x, 1);
        const uint64_t gap = y.courts ? (uint64_t)__builtin_ctzll(y.courts) : y.cards;
        if (gap >= owed) {
            hand_drop(&y, owed);
            pile.cards += owed;
            break;
        }
        if (gap == y.cards)
            return (int)(pile.cards + gap);
        hand_drop(&y, gap);
        pile.cards += gap;
        const hand t = x;
        x = y;
        y = t;
    }
    if (y.cards == 0)
        return (int)pile.cards;
    *over = 0;
    s->leader = hand_join(&x, &pile, pile.cards);
    s->other = y;
    return (int)pile.cards;
}

/* ---- backward: all predecessors ---- */

int position_predecessors(const pays *p, const position *s, position *out, int *pile)
{
    enum { WINNER, LOSER };
    const hand *taken = &s->leader;
    if (!hand_is_exact(p, taken))
        return 0;
    int made = 0;
    int first = last_court(taken); /* the first court card of the pile, so far */
    int turner = WINNER;           /* who turned it */
    /* What each has turned in this trick, in his order; the loser's remaining hand is below it. */
    hand turned[2] = {[WINNER] = {0}, [LOSER] = s->other};
    hand_push(&turned[LOSER], taken->cards - 1 - (uint64_t)first);

    for (;;) {
        hand_push_court(&turned[turner], taken, first);
        const uint64_t before = taken->courts & low_bits((uint64_t)first);
        const int previous = before ? 63 - __builtin_clzll(before) : -1;
        const int gap = first - 1 - previous;
        /* The pile may begin here, with 0 to `gap` leading number cards. */
        for (int leading = 0; leading <= gap; leading++) {
            hand hands[2] = {turned[WINNER], turned[LOSER]};
            hand_push(&hands[turner], (uint64_t)leading / 2);
            hand_push(&hands[!turner], ((uint64_t)leading + 1) / 2);
            const int left = first - leading; /* of the winner's hand */
            hands[WINNER] = hand_join(&hands[WINNER], taken, (uint64_t)left);
            const int leader = turner ^ (leading & 1);
            out[made].leader = hands[leader];
            out[made].other = hands[!leader];
            pile[made] = (int)taken->cards - left;
            made++;
        }
        /* Or `first` was turned in payment for the court card before it. */
        if (previous < 0 || gap >= p->pay[class_at(taken, previous)])
            return made;
        hand_push(&turned[turner], (uint64_t)gap);
        turner = !turner;
        first = previous;
    }
}

/* ---- backward: the live walk ---- */

/* A hand as its court cards from the top, each with the number cards before it. What follows the
 * last one need not be kept: in a live position it is that card's pay. Backward play takes from
 * the end and puts on top, so a ring of 256 places, whose indices wrap around by themselves. */
typedef struct {
    uint32_t court[256]; /* gap in the low byte, so that gaps can be added; then pay, then class */
    uint8_t top, end;    /* courts are top .. end - 1 */
} court_ring;

typedef struct {
    court_ring ring[2];
    int leader;
    uint64_t cards, tricks;
} walker;

static inline uint32_t court_gap(uint32_t court)
{
    return court & 0xff;
}

static inline uint32_t court_pay(uint32_t court)
{
    return court >> 8 & 0xff;
}

static void ring_from_hand(const pays *p, const hand *h, court_ring *r)
{
    int at = 0;
    r->top = r->end = 0;
    for (uint64_t rest = h->courts; rest; rest &= rest - 1) {
        const int i = __builtin_ctzll(rest);
        const uint32_t class = (uint32_t)class_at(h, i);
        r->court[r->end++] = class << 16 | (uint32_t)p->pay[class] << 8 | (uint32_t)(i - at);
        at = i + 1;
    }
}

static void ring_to_hand(const court_ring *r, hand *h)
{
    memset(h, 0, sizeof *h);
    uint32_t court = 0;
    for (uint8_t i = r->top; i != r->end; i++) {
        court = r->court[i];
        h->cards += court_gap(court);
        const uint32_t rank = (court >> 16) - 1;
        h->courts |= (uint64_t)1 << h->cards;
        h->lo |= (uint64_t)(rank & 1) << h->cards;
        h->hi |= (uint64_t)(rank >> 1) << h->cards;
        h->cards++;
    }
    h->cards += court_pay(court);
}

static void walker_position(const walker *w, position *s)
{
    ring_to_hand(&w->ring[w->leader], &s->leader);
    ring_to_hand(&w->ring[!w->leader], &s->other);
}

/* Goes to the live predecessor. Returns 0, and leaves the position as it is, if there is none. */
static inline int walker_step(walker *w)
{
    court_ring *const winner = &w->ring[w->leader];
    court_ring *const loser = &w->ring[!w->leader];
    const uint8_t winner_top = winner->top, loser_top = loser->top;
    const uint32_t last_pay = court_pay(winner->court[(uint8_t)(winner->end - 1)]);
    /* The loser's payment goes back on top of his hand. */
    loser->court[loser_top] += last_pay;

    uint32_t pile = last_pay;
    uint32_t gap, kept;
    uint8_t at = winner->end;
    int turner = w->leader;
    for (;;) {
        const uint32_t court = winner->court[--at];
        court_ring *const r = &w->ring[turner];
        gap = court_gap(court);
        r->court[--r->top] = court - gap;
        pile++;
        /* `kept` number cards must stay in the winner's hand for it to be exact. If only numbers
         * are left below the pile, the winner's last court card is the one that ends the pile. */
        if (at == winner_top) {
            kept = last_pay;
            if (gap < kept) {
                winner->top = winner_top;
                loser->top = loser_top;
                loser->court[loser_top] -= last_pay;
                return 0;
            }
            break;
        }
        kept = court_pay(winner->court[(uint8_t)(at - 1)]);
        if (gap >= kept)
            break;
        /* Too few to stay: they were turned in payment for the court card before them. */
        r->court[r->top] += gap;
        pile += gap;
        turner = !turner;
    }
    winner->end = at;
    /* The other number cards of the gap led the trick, turned in turn. */
    const uint32_t leading = gap - kept;
    court_ring *const first = &w->ring[turner], *const second = &w->ring[!turner];
    first->court[first->top] += leading / 2;
    second->court[second->top] += (leading + 1) / 2;
    w->leader = turner ^ (int)(leading & 1);
    w->cards += pile + leading;
    w->tricks++;
    return 1;
}

void walk_line(const pays *p, const position *deal, int may_loop, live_walk *walk)
{
    position s = *deal;
    walk->ahead_cards = walk->ahead_tricks = walk->back_cards = walk->back_tricks = 0;
    while (!position_is_live(p, &s)) {
        int over;
        const int turned = position_play_trick(p, &s, &over);
        if (over) {
            walk->status = WALK_NO_LIVE;
            walk->top = s;
            return;
        }
        walk->ahead_cards += (uint64_t)turned;
        walk->ahead_tricks++;
    }
    walker w;
    ring_from_hand(p, &s.leader, &w.ring[0]);
    ring_from_hand(p, &s.other, &w.ring[1]);
    w.leader = 0;
    w.cards = w.tricks = 0;
    walk->status = WALK_TOP;
    /* Each position plays into one other and has one live predecessor at most, so a walk that ever
     * repeats a position first repeats the one it began with. */
    while (walker_step(&w)) {
        if (may_loop) {
            position now;
            walker_position(&w, &now);
            if (position_equal(&now, &s)) {
                walk->status = WALK_LOOP;
                break;
            }
        }
    }
    walker_position(&w, &walk->top);
    walk->back_cards = w.cards;
    walk->back_tricks = w.tricks;
}

/* ---- backward: everything near the top ---- */

/* The ancestors of a finite game are a tree. A dead branch is no deeper than a hand has cards, a
 * live one no deeper than the steps below the top, and a position leaves fewer than 64 others
 * waiting: more than this is seen only in games without a live position, and counts as the bound. */
enum { MAX_WAITING = 1 << 14 };

typedef struct {
    position s;
    uint64_t cards, tricks; /* of the game from there */
} waiting;

/* Whether a legal deal is longer than the best so far. */
static int is_longer(const top_search *how, const position *s, uint64_t cards, uint64_t tricks, const top_result *best)
{
    if (!best->found)
        return 1;
    const uint64_t value = how->by_tricks ? tricks : cards, best_value = how->by_tricks ? best->tricks : best->cards;
    const uint64_t tie = how->by_tricks ? cards : tricks, best_tie = how->by_tricks ? best->cards : best->tricks;
    if (value != best_value)
        return value > best_value;
    if (tie != best_tie)
        return tie > best_tie;
    return position_before(s, &best->deal);
}

void offer_deal(const top_search *how, const position *s, uint64_t cards, uint64_t tricks, top_result *best)
{
    if ((int)s->leader.cards != how->leader_cards || !is_longer(how, s, cards, tricks, best))
        return;
    best->found = 1;
    best->cards = cards;
    best->tricks = tricks;
    best->deal = *s;
}

/* All ancestors of `root`, itself included. */
static void search_ancestors(const pays *p, const waiting *root, const top_search *how, waiting *stack,
                             top_result *best)
{
    position before[MAX_PREDECESSORS];
    int pile[MAX_PREDECESSORS];
    size_t n = 0;
    stack[n++] = *root;
    offer_deal(how, &root->s, root->cards, root->tricks, best);
    while (n) {
        const waiting w = stack[--n];
        const int made = position_predecessors(p, &w.s, before, pile);
        for (int i = 0; i < made; i++) {
            if (best->nodes == how->node_bound || n == MAX_WAITING) {
                best->complete = 0;
                return;
            }
            best->nodes++;
            waiting *const next = &stack[n];
            next->s = before[i];
            next->cards = w.cards + (uint64_t)pile[i];
            next->tricks = w.tricks + 1;
            offer_deal(how, &next->s, next->cards, next->tricks, best);
            /* One whose leader's hand is not exact has no predecessors. */
            n += (size_t)hand_is_exact(p, &before[i].leader);
        }
    }
}

int search_top(const pays *p, const position *top, uint64_t cards, uint64_t tricks, const top_search *how,
               top_result *best)
{
    waiting *const stack = malloc(MAX_WAITING * sizeof *stack);
    if (!stack)
        return 0;
    memset(best, 0, sizeof *best);
    best->complete = 1;
    waiting from = {*top, cards, tricks};
    int over = 0;
    for (int steps = 0, wanted = how->top_steps;;) {
        for (; steps < wanted && !over; steps++) {
            const int turned = position_play_trick(p, &from.s, &over);
            if (!over) {
                from.cards -= (uint64_t)turned;
                from.tricks--;
            }
        }
        search_ancestors(p, &from, how, stack, best);
        if (best->found || over || !best->complete)
            break;
        wanted = 2 * wanted + 1;
    }
    free(stack);
    return 1;
}
