#include "scan_leg.h"

#include <string.h>

#include "packed.h"
#include "ranking.h"
#include "seats.h"
#include "succession.h"

static void scan_codes(const pays *p, const uint8_t *codes, int cards, const uint16_t *sizes, int seats, uint64_t games,
                       uint64_t limit, gather *g)
{
    uint8_t deck[MAX_CARDS];

    memcpy(deck, codes, (size_t)cards);
    for (uint64_t i = 0; i < games; i++) {
        outcome o = careful_play(p, deck, sizes, seats, limit);
        gather_codes(g, deck, cards, &o);
        next_order(deck, cards);
    }
}

int scan_leg(const engine *e, const pays *p, const uint8_t *codes, int cards, const uint16_t *sizes, int seats,
             uint64_t games, uint64_t limit, gather *g)
{
    packed_deal deal;

    if (seats > 2 || limit != NO_LIMIT || !codes_to_packed(codes, cards, sizes[0], &deal)) {
        scan_codes(p, codes, cards, sizes, seats, games, limit, g);
        return 1;
    }
    succession *s = succession_new(codes, cards, sizes[0]);
    if (!s)
        return 0;
    successive source = successive_deals(s, games);
    gather_sink sink = gather_sink_for(g);
    e->run(p, &source.source, &sink.sink);
    succession_free(s);
    return 1;
}
