/* What engines share that play one deal after another. */
#ifndef BEGGAR_ONE_BY_ONE_H
#define BEGGAR_ONE_BY_ONE_H

#include "engine.h"
#include "packed.h"

static inline int every_packed_deal(const pays *p, int cards, int courts)
{
    (void)p;
    return cards <= MAX_PACKED_CARDS && courts <= MAX_PACKED_COURTS;
}

/* Inline, so that `play` is, too. */
static inline void run_one_by_one(outcome (*play)(const pays *, const packed_deal *), const pays *p, deal_source *source,
                                  result_sink *sink)
{
    enum { CHUNK = 64 };
    packed_deal deals[CHUNK];
    game_result results[CHUNK];
    uint64_t number;
    size_t n;

    while ((n = source->next(source, deals, CHUNK, &number)) > 0) {
        for (size_t i = 0; i < n; i++) {
            outcome o = play(p, &deals[i]);
            results[i] = result_of(number + i, &o);
        }
        sink->take(sink, results, deals, n);
    }
}

#endif
