#include "gather.h"

#include <stdlib.h>

#include "packed.h"

gather *gather_new(int cards, objective wanted, size_t keep, uint64_t least)
{
    gather *g = calloc(1, sizeof *g);

    if (!g)
        return NULL;
    g->wanted = wanted;
    keeper_open(&g->best, cards, keep, wanted == FOR_INFINITE ? UINT64_MAX : least);
    keeper_open(&g->loops, cards, KEEP_ALL, 0);
    return g;
}

void gather_first_loops(gather *g, int cards, size_t keep)
{
    keeper_free(&g->loops);
    keeper_open(&g->loops, cards, keep, 0);
    g->loops_by_number = 1;
}

void gather_free(gather *g)
{
    if (!g)
        return;
    free(g->long_lengths.at);
    free(g->long_periods.at);
    keeper_free(&g->best);
    keeper_free(&g->loops);
    free(g);
}

static void note_long(gather *g, number_list *list, uint64_t number)
{
    if (list->n == list->room) {
        size_t room = list->room ? 2 * list->room : 64;
        uint64_t *more = realloc(list->at, room * sizeof *more);
        if (!more) {
            g->failed = 1;
            return;
        }
        list->at = more;
        list->room = room;
    }
    list->at[list->n++] = number;
}

/* Counts an infinite game. Returns the keeper that wants its deal, or NULL. */
static __attribute__((noinline)) keeper *count_loop(gather *g, uint64_t number, uint64_t period, uint64_t *value)
{
    g->infinite++;
    if (period < DENSE_PERIODS)
        g->periods[period]++;
    else
        note_long(g, &g->long_periods, period);
    if (g->loops_by_number)
        *value = UINT64_MAX - number;
    return *value >= g->loops.least ? &g->loops : NULL;
}

/* Counts a game. Returns the keeper that wants its deal, or NULL, as nearly always. */
static inline keeper *count_game(gather *g, uint64_t number, uint64_t cards, uint64_t tricks, int status, uint64_t period,
                                 uint64_t *value)
{
    g->games++;
    g->cards += cards;
    g->tricks += tricks;
    *value = g->wanted == FOR_TRICKS ? tricks : cards;
    if (__builtin_expect(status == INFINITE, 0))
        return count_loop(g, number, period, value);
    if (__builtin_expect(cards < DENSE_LENGTHS, 1))
        g->lengths[cards]++;
    else
        note_long(g, &g->long_lengths, cards);
    return __builtin_expect(*value >= g->best.least, 0) ? &g->best : NULL;
}

static __attribute__((noinline)) void count_limited(gather *g, const outcome *result)
{
    g->games++;
    g->cards += result->cards;
    g->tricks += result->tricks;
    g->limited++;
    g->draws += result->winner == NO_WINNER;
}

void gather_codes(gather *g, const uint8_t *codes, int cards, const outcome *result)
{
    uint64_t value;

    if (result->winner != NO_WINNER)
        g->wins[result->winner]++;
    if (__builtin_expect(result->status == LIMIT, 0)) {
        count_limited(g, result);
        return;
    }
    keeper *k = count_game(g, g->games, result->cards, result->tricks, result->status, result->period, &value);

    if (k)
        keeper_offer(k, value, result->cards, result->tricks, codes, cards);
}

static __attribute__((noinline)) void offer_packed(keeper *k, uint64_t value, const packed_deal *deal,
                                                   const game_result *result)
{
    uint8_t codes[MAX_PACKED_CARDS];

    packed_to_codes(deal, codes);
    keeper_offer(k, value, result->cards, result->tricks, codes, deal->cards);
}

void gather_packed(gather *g, const packed_deal *deal, const game_result *result)
{
    uint64_t value;
    keeper *k = count_game(g, result->number, result->cards, result->tricks, (int)result->status, result->period, &value);

    if (k)
        offer_packed(k, value, deal, result);
}

int gather_close(gather *g)
{
    keeper_close(&g->best);
    keeper_close(&g->loops);
    return !(g->failed || g->best.failed || g->loops.failed);
}

static void gather_take(result_sink *self, const game_result *results, const packed_deal *deals, size_t n)
{
    gather *g = ((gather_sink *)self)->into;

    for (size_t i = 0; i < n; i++)
        gather_packed(g, &deals[i], &results[i]);
}

gather_sink gather_sink_for(gather *g)
{
    return (gather_sink){.sink.take = gather_take, .into = g};
}
