#include "columns.h"

#include <string.h>

#include "packed.h"

/* One engine run: from deal `given` on, as long as deals are good and of one kind. */
typedef struct {
    deal_source source;
    result_sink sink;
    const uint8_t *bytes;
    size_t n, given;
    int any_deck;            /* else all deals must be of deck_cards and deck_counts */
    int deck_cards;
    class_counts deck_counts;
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
    if (r->any_deck)
        return 1;
    class_counts mine = packed_class_counts(deal), all = r->deck_counts;
    return deal->cards == r->deck_cards && mine.courts == all.courts && mine.high == all.high && mine.low == all.low
           && mine.aces == all.aces;
}

static int of_kind(const run *r, const packed_deal *deal)
{
    return !r->any_deck || (deal->cards == r->cards && count_ones(deal->courts) == r->courts);
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
        .any_deck = deck == NULL,
        .results = results,
    };

    if (deck) {
        const uint16_t *of = deck->of;
        r.deck_cards = of[NUMBER] + of[JACK] + of[QUEEN] + of[KING] + of[ACE];
        r.deck_counts = (class_counts){
            .courts = r.deck_cards - of[NUMBER],
            .high = (uint16_t)(of[KING] + of[ACE]),
            .low = (uint16_t)(of[QUEEN] + of[ACE]),
            .aces = of[ACE],
        };
    }
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
