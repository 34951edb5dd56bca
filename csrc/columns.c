#include "columns.h"

#include <string.h>

#include "packed.h"

/* One engine run: from deal `given` on, as long as deals are good and of one kind. */
typedef struct {
    deal_source source;
    result_sink sink;
    const uint8_t *bytes;
    size_t n, given;
    const composition *deck;
    int cards, courts;       /* the kind of deal that this run is for */
    const columns *results;
} run;

static packed_deal deal_at(const run *r, size_t i)
{
    packed_deal deal;

    memcpy(&deal, r->bytes + i * sizeof deal, sizeof deal);
    return deal;
}

static int good(const run *r, const packed_deal *deal)
{
    if (!packed_valid(deal) || deal->cards == 0)
        return 0;
    if (!r->deck)
        return 1;
    composition mine = packed_composition(deal);
    return memcmp(&mine, r->deck, sizeof mine) == 0;
}

static int of_kind(const run *r, const packed_deal *deal)
{
    return r->deck || (deal->cards == r->cards && count_ones(deal->courts) == r->courts);
}

static size_t run_next(deal_source *self, packed_deal *deals, size_t room, uint64_t *number)
{
    run *r = (run *)self;
    size_t written = 0;

    *number = r->given;
    while (written < room && r->given < r->n) {
        deals[written] = deal_at(r, r->given);
        if (!of_kind(r, &deals[written]) || !good(r, &deals[written]))
            break;
        written++;
        r->given++;
    }
    return written;
}

static void run_take(result_sink *self, const game_result *results, const packed_deal *deals, size_t n)
{
    run *r = (run *)((char *)self - offsetof(run, sink));

    for (size_t i = 0; i < n; i++)
        columns_set(r->results, results[i].number, &results[i]);
}

size_t columns_play(const char *name, const pays *p, const uint8_t *bytes, size_t n, const composition *deck,
                    const columns *results)
{
    run r = {
        .source.next = run_next,
        .sink.take = run_take,
        .bytes = bytes,
        .n = n,
        .deck = deck,
        .results = results,
    };

    while (r.given < n) {
        packed_deal first = deal_at(&r, r.given);
        if (!good(&r, &first))
            break;
        r.cards = first.cards;
        r.courts = count_ones(first.courts);
        const engine *e = engine_for(name, p, r.cards, r.courts);
        e->run(p, &r.source, &r.sink);
    }
    return r.given;
}
