#include "random_leg.h"

#include "ring.h"

static void play_codes(const pays *p, const dealer *d, rng_stream stream, uint64_t number, uint64_t games, gather *g)
{
    uint8_t codes[MAX_CARDS];
    int cards = dealer_cards(d), first = dealer_first(d);

    for (uint64_t i = 0; i < games; i++) {
        dealer_codes(d, stream, number + i, codes);
        outcome o = ring_play(p, codes, cards, first, NO_LIMIT);
        gather_codes(g, codes, cards, &o);
    }
}

void random_leg(const engine *e, const pays *p, const dealer *d, rng_stream stream, uint64_t number, uint64_t games,
                gather *g)
{
    if (!dealer_packs(d)) {
        play_codes(p, d, stream, number, games, g);
        return;
    }
    dealt source = dealt_between(d, stream, number, number + games);
    gather_sink sink = gather_sink_for(g);
    e->run(p, &source.source, &sink.sink);
}
