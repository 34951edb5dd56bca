#include "backward_leg.h"

#include <stdlib.h>

static void keep_find(line_sink *s, const line_find *find)
{
    if (s->n == s->room) {
        const size_t room = s->room ? 2 * s->room : 64;
        line_find *more = realloc(s->finds, room * sizeof *more);
        if (!more) {
            s->failed = 1;
            return;
        }
        s->finds = more;
        s->room = room;
    }
    s->finds[s->n++] = *find;
}

/* Walks back from a long game, and searches the top of its line if that is long enough. */
void line_sink_follow(line_sink *s, const game_result *result, const packed_deal *deal)
{
    const line_wishes *wishes = &s->wishes;
    position start;
    live_walk walk;
    const uint64_t own = wishes->top.by_tricks ? result->tricks : result->cards;

    position_from_packed(deal, &start);
    walk_line(s->p, &start, 0, &walk);
    s->walks++;
    s->beyond += own - wishes->walk_from;
    s->walked += walk.ahead_tricks + walk.back_tricks;
    const uint64_t cards = result->cards - walk.ahead_cards + walk.back_cards;
    const uint64_t tricks = result->tricks - walk.ahead_tricks + walk.back_tricks;
    const uint64_t whole = wishes->top.by_tricks ? tricks : cards;
    if ((own > whole ? own : whole) + wishes->margin < wishes->least)
        return;

    top_result best;
    if (!search_top(s->p, &walk.top, cards, tricks, &wishes->top, &best)) {
        s->failed = 1;
        return;
    }
    s->searches++;
    s->unfinished += !best.complete;
    s->walked += best.nodes;
    /* The deal itself is on the line, but may lie below what was searched. */
    offer_deal(&wishes->top, &start, result->cards, result->tricks, &best);
    if (!best.found || (wishes->top.by_tricks ? best.tricks : best.cards) < wishes->least)
        return;
    const line_find find = {result->number, best.cards, best.tricks, best.deal, walk.top, walk.status == WALK_TOP};
    keep_find(s, &find);
}

static void line_take(result_sink *self, const game_result *results, const packed_deal *deals, size_t n)
{
    line_sink *s = (line_sink *)self;
    const int by_tricks = s->wishes.top.by_tricks;

    for (size_t i = 0; i < n; i++) {
        gather_packed(s->into, &deals[i], &results[i]);
        const uint64_t length = by_tricks ? results[i].tricks : results[i].cards;
        if (__builtin_expect(length >= s->wishes.walk_from, 0) && results[i].status == FINITE)
            line_sink_follow(s, &results[i], &deals[i]);
    }
}

line_sink line_sink_for(const pays *p, const line_wishes *wishes, gather *into)
{
    return (line_sink){.sink.take = line_take, .p = p, .wishes = *wishes, .into = into};
}

void line_sink_play(line_sink *s, const engine *e, deal_source *source)
{
    e->run(s->p, source, &s->sink);
}

static int by_number(const void *x, const void *y)
{
    const line_find *a = x, *b = y;
    return a->number < b->number ? -1 : a->number > b->number;
}

int line_sink_close(line_sink *s)
{
    if (s->n)
        qsort(s->finds, s->n, sizeof *s->finds, by_number);
    return !s->failed;
}

void line_sink_free(line_sink *s)
{
    free(s->finds);
    s->finds = NULL;
}
