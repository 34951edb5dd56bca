#include "ancestry.h"

#include <stdlib.h>
#include <string.h>

/* One way of giving the pile back, as far as it has been followed. */
typedef struct {
    const pays *pays;
    const seats_state *after;
    const uint8_t *pile;
    int length;
    unsigned dropped;                       /* seats that drop out in this trick, a bit each */
    int leader;
    uint8_t from[MAX_PACKED_CARDS];         /* who turned each card of the pile */
    uint8_t given[MAX_SEATS];               /* how many cards each has turned */
    on_predecessor take;
    void *context;
} giving;

static int next_in(unsigned in, int seats, int seat)
{
    do
        seat = seat + 1 < seats ? seat + 1 : 0;
    while (!(in >> seat & 1));
    return seat;
}

/* The state before the trick: everybody has what he turned on top of what he has now. */
static int give_back(const giving *g)
{
    const seats_state *after = g->after;
    seats_state before = {.seats = after->seats, .leader = (uint8_t)g->leader};
    const int winner = after->leader;

    for (int i = 0; i < g->length; i++)
        before.cards[g->from[i]][before.n[g->from[i]]++] = g->pile[i];
    for (int seat = 0; seat < after->seats; seat++) {
        int kept = after->n[seat] - (seat == winner ? g->length : 0);
        memcpy(before.cards[seat] + before.n[seat], after->cards[seat], (size_t)kept);
        before.n[seat] = (uint8_t)(before.n[seat] + kept);
    }
    return g->take(g->context, &before);
}

/* Goes on with card `at` of the pile, `turn` to turn it. Returns 0 if the search is to stop. */
static int follow(giving *g, int at, int turn, unsigned owed, int owner, unsigned in)
{
    const int seats = g->after->seats;

    for (;;) {
        if (g->dropped & in & 1u << turn && g->given[turn] > 0) {
            /* Perhaps that was all he had, and he is out now; the last one left would end the game. */
            unsigned others = in & ~(1u << turn);
            if (others & (others - 1)) {
                giving branch = *g;
                if (!follow(&branch, at, next_in(others, seats, turn), owed, owner, others))
                    return 0;
            }
        }
        if (at == g->length)
            return 1;                       /* the trick would go on */
        uint8_t card = g->pile[at];
        g->from[at++] = (uint8_t)turn;
        g->given[turn]++;
        if (card) {
            owed = g->pays->pay[card];
            owner = turn;
        } else if (owed) {
            if (--owed > 0)
                continue;
            /* Paid in full: the pile must end here, go to the right player, and have taken all
             * that those had who are out now. */
            if (at < g->length || owner != g->after->leader)
                return 1;
            for (int seat = 0; seat < seats; seat++)
                if (g->dropped >> seat & 1 && g->given[seat] == 0)
                    return 1;
            return give_back(g);
        }
        turn = next_in(in, seats, turn);
    }
}

/* Tries all who may have led, and all sets of players who may have dropped out. */
static int take_apart(const pays *p, const seats_state *s, int length, on_predecessor take, void *context)
{
    unsigned present = 0, out = 0;

    for (int seat = 0; seat < s->seats; seat++) {
        if (s->n[seat])
            present |= 1u << seat;
        else
            out |= 1u << seat;
    }
    /* All subsets of `out`, from all of it down to none. */
    for (unsigned dropped = out;; dropped = (dropped - 1) & out) {
        unsigned in = present | dropped;
        for (int leader = 0; leader < s->seats; leader++) {
            if (!(in >> leader & 1) || !(in & (in - 1)))
                continue;
            giving g = {
                .pays = p,
                .after = s,
                .pile = s->cards[s->leader] + s->n[s->leader] - length,
                .length = length,
                .dropped = dropped,
                .leader = leader,
                .take = take,
                .context = context,
            };
            if (!follow(&g, 0, leader, 0, 0, in))
                return 0;
        }
        if (dropped == 0)
            return 1;
    }
}

int seats_predecessors(const pays *p, const seats_state *s, on_predecessor take, void *context)
{
    const uint8_t *hand = s->cards[s->leader];
    int cards = s->n[s->leader], court = cards - 1;

    while (court >= 0 && hand[court] == NUMBER)
        court--;
    if (court < 0 || cards - 1 - court != p->pay[hand[court]])
        return 1;
    /* The pile begins with this court card, or with number cards before it, or goes on to an earlier
     * court card that was not paid in full. */
    for (;;) {
        int first = court;
        while (first > 0 && hand[first - 1] == NUMBER)
            first--;
        for (int begin = court; begin >= first; begin--)
            if (!take_apart(p, s, cards - begin, take, context))
                return 0;
        if (first == 0 || court - first >= p->pay[hand[first - 1]])
            return 1;
        court = first - 1;
    }
}

int seats_state_equal(const seats_state *a, const seats_state *b)
{
    if (a->seats != b->seats || a->leader != b->leader)
        return 0;
    for (int seat = 0; seat < a->seats; seat++)
        if (a->n[seat] != b->n[seat] || memcmp(a->cards[seat], b->cards[seat], a->n[seat]))
            return 0;
    return 1;
}

/* ---- all that leads to a state ---- */

typedef struct {
    seats_state *at;
    size_t n, room;
    const seats_state *left_out;
    int failed;
} state_stack;

static int push_state(seats_state **at, size_t *n, size_t *room, const seats_state *s)
{
    if (*n == *room) {
        size_t more_room = *room ? 2 * *room : 256;
        seats_state *more = realloc(*at, more_room * sizeof **at);
        if (!more)
            return 0;
        *at = more;
        *room = more_room;
    }
    (*at)[(*n)++] = *s;
    return 1;
}

static int push_predecessor(void *context, const seats_state *before)
{
    state_stack *stack = context;

    if (stack->left_out && seats_state_equal(before, stack->left_out))
        return 1;
    stack->failed = !push_state(&stack->at, &stack->n, &stack->room, before);
    return !stack->failed;
}

static int is_deal(const seats_state *s, const uint16_t *sizes)
{
    for (int i = 0; i < s->seats; i++)
        if (s->n[(s->leader + i) % s->seats] != sizes[i])
            return 0;
    return 1;
}

static int nobody_out(const seats_state *s)
{
    for (int seat = 0; seat < s->seats; seat++)
        if (s->n[seat] == 0)
            return 0;
    return 1;
}

int ancestry_of(ancestry *a, const pays *p, const seats_state *s, const seats_state *before, const uint16_t *sizes,
                uint64_t most)
{
    state_stack stack = {.left_out = before};
    int good = !is_deal(s, sizes) || push_state(&a->deals, &a->n, &a->room, s);

    good = good && seats_predecessors(p, s, push_predecessor, &stack);
    stack.left_out = NULL;
    while (good && stack.n > 0 && a->states < most) {
        seats_state ancestor = stack.at[--stack.n];
        a->states++;
        a->full += (uint64_t)nobody_out(&ancestor);
        if (is_deal(&ancestor, sizes))
            good = push_state(&a->deals, &a->n, &a->room, &ancestor);
        good = good && seats_predecessors(p, &ancestor, push_predecessor, &stack);
    }
    a->complete = good && stack.n == 0;
    free(stack.at);
    return good;
}

void ancestry_free(ancestry *a)
{
    free(a->deals);
}
