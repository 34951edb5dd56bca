#include "census.h"

#include <stdlib.h>
#include <string.h>

#include "ranking.h"

/* Any order of positions will do to make one position of a cycle its first. */
static int earlier(const position *a, const position *b)
{
    const uint64_t x[] = {a->leader.courts, a->leader.lo, a->leader.hi, a->leader.cards, a->other.courts, a->other.lo, a->other.hi};
    const uint64_t y[] = {b->leader.courts, b->leader.lo, b->leader.hi, b->leader.cards, b->other.courts, b->other.lo, b->other.hi};

    for (size_t i = 0; i < sizeof x / sizeof *x; i++)
        if (x[i] != y[i])
            return x[i] < y[i];
    return 0;
}

/* Steps back to the live predecessor; 0 if there is none. */
static int step_back(const pays *p, position *s)
{
    position before[MAX_PREDECESSORS];
    int pile[MAX_PREDECESSORS];
    int n = position_predecessors(p, s, before, pile);

    for (int i = 0; i < n; i++) {
        if (position_is_live(p, &before[i])) {
            *s = before[i];
            return 1;
        }
    }
    return 0;
}

/* The period of the cycle whose first position `start` is; 0 if it is on none, or not the first. */
static uint64_t period_of(const pays *p, const position *start)
{
    position s = *start;
    uint64_t steps = 0;

    do {
        if (!step_back(p, &s) || earlier(&s, start))
            return 0;
        steps++;
    } while (!position_equal(&s, start));
    return steps;
}

typedef struct {
    position *at;
    size_t n, room;
} position_stack;

/* Puts the predecessors of s on the stack, live ones only if asked for. 0: out of memory. */
static int push_predecessors(position_stack *stack, const pays *p, const position *s, int live_too)
{
    position before[MAX_PREDECESSORS];
    int pile[MAX_PREDECESSORS];
    int n = position_predecessors(p, s, before, pile);

    if (stack->room < stack->n + MAX_PREDECESSORS) {
        size_t room = 2 * stack->room + MAX_PREDECESSORS;
        position *more = realloc(stack->at, room * sizeof *more);
        if (!more)
            return 0;
        stack->at = more;
        stack->room = room;
    }
    for (int i = 0; i < n; i++)
        if (live_too || !position_is_live(p, &before[i]))
            stack->at[stack->n++] = before[i];
    return 1;
}

/* Goes through all positions that lead to the cycle. The live predecessor of one of its own
 * positions is the next one of its own. 0: out of memory. */
static int count_basin(const pays *p, cycle_found *cycle, int first)
{
    position_stack stack = {0};
    position s = cycle->at;
    int good = 1;

    for (uint64_t i = 0; good && i < cycle->period; i++) {
        cycle->basin++;
        cycle->deals += s.leader.cards == (uint64_t)first;
        good = push_predecessors(&stack, p, &s, 0);
        while (good && stack.n > 0) {
            position ancestor = stack.at[--stack.n];
            cycle->basin++;
            cycle->deals += ancestor.leader.cards == (uint64_t)first;
            good = push_predecessors(&stack, p, &ancestor, 1);
        }
        step_back(p, &s);
    }
    free(stack.at);
    return good;
}

static int note_cycle(census *c, const pays *p, const position *at, uint64_t period, int first)
{
    if (c->n == c->room) {
        size_t room = c->room ? 2 * c->room : 16;
        cycle_found *more = realloc(c->cycles, room * sizeof *more);
        if (!more)
            return 0;
        c->cycles = more;
        c->room = room;
    }
    c->cycles[c->n] = (cycle_found){.at = *at, .period = period};
    return count_basin(p, &c->cycles[c->n++], first);
}

/* The cards from place `from` to before `to` of a hand. */
static hand cut_hand(const hand *all, int from, int to)
{
    uint64_t mask = to - from < 64 ? ((uint64_t)1 << (to - from)) - 1 : UINT64_MAX;

    return (hand){
        .courts = all->courts >> from & mask,
        .lo = all->lo >> from & mask,
        .hi = all->hi >> from & mask,
        .cards = (uint64_t)(to - from),
    };
}

int census_take(census *c, const pays *p, composition deck, int first)
{
    uint8_t codes[MAX_PACKED_CARDS];
    int cards = 0;

    for (int class = CLASSES - 1; class >= 0; class--)
        for (int i = 0; i < deck.of[class]; i++)
            codes[cards++] = (uint8_t)class;
    do {
        position whole;
        hand all;
        if (!position_from_codes(codes, cards, cards - 1, &whole))
            return 1;   /* one card or none: no position */
        all = whole.leader;
        all.courts |= whole.other.courts << (cards - 1);
        all.lo |= whole.other.lo << (cards - 1);
        all.hi |= whole.other.hi << (cards - 1);
        for (int cut = 1; cut < cards; cut++) {
            position s = {.leader = cut_hand(&all, 0, cut), .other = cut_hand(&all, cut, cards)};
            c->positions++;
            if (!position_is_live(p, &s))
                continue;
            c->live++;
            uint64_t period = period_of(p, &s);
            if (period && !note_cycle(c, p, &s, period, first))
                return 0;
        }
    } while (next_order(codes, cards) >= 0);
    return 1;
}

void census_free(census *c)
{
    free(c->cycles);
}
