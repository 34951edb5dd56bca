#include "random_leg.h"

#include "seats.h"

static void play_codes(const pays *p, const dealer *d, const uint16_t *sizes, int seats, rng_stream stream,
                       uint64_t number, uint64_t games, uint64_t limit, gather *g)
{
    uint8_t codes[MAX_CARDS];
    int cards = dealer_cards(d);

    for (uint64_t i = 0; i < games; i++) {
        dealer_codes(d, stream, number + i, codes);
        outcome o = careful_play(p, codes, sizes, seats, limit);
        gather_codes(g, codes, cards, &o);
    }
}

void random_leg(const engine *e, const pays *p, const dealer *d, const uint16_t *sizes, int seats, rng_stream stream,
                uint64_t number, uint64_t games, uint64_t limit, gather *g)
{
    if (seats > 2 || limit != NO_LIMIT || !dealer_packs(d)) {
        play_codes(p, d, sizes, seats, stream, number, games, limit, g);
        return;
    }
    dealt source = dealt_between(d, stream, number, number + games);
    gather_sink sink = gather_sink_for(g);
    e->run(p, &source.source, &sink.sink);
}

typedef struct {
    result_sink sink;
    uint64_t cards;
} adding_sink;

static void add_cards(result_sink *self, const game_result *results, const packed_deal *deals, size_t n)
{
    for (size_t i = 0; i < n; i++)
        ((adding_sink *)self)->cards += results[i].cards;
}

uint64_t random_bare(const engine *e, const pays *p, const dealer *d, rng_stream stream, uint64_t number, uint64_t games)
{
    dealt source = dealt_between(d, stream, number, number + games);
    adding_sink sink = {.sink.take = add_cards};

    e->run(p, &source.source, &sink.sink);
    return sink.cards;
}
