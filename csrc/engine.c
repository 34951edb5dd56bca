#include "engine.h"

#include <string.h>

#include "byte_queue.h"
#include "byte_words.h"
#include "ring.h"
#include "seats.h"

const engine *const ENGINES[] = {
#if BEGGAR_X86
    &BYTE_QUEUE_AVX512_ENGINE,
    &BYTE_QUEUE_AVX2_ENGINE,
#endif
    &BYTE_WORDS_ENGINE,
    &SEATS_ENGINE,
    &RING_ENGINE,
    NULL,
};

const engine *engine_for(const char *name, const pays *p, int cards, int courts)
{
    int known = name == NULL;

    for (const engine *const *e = ENGINES; *e; e++) {
        if (name && strcmp(name, (*e)->name) != 0)
            continue;
        known = 1;
        if ((*e)->available() && (*e)->plays(p, cards, courts))
            return *e;
    }
    return known ? &RING_ENGINE : NULL;
}

typedef struct {
    deal_source source;
    result_sink sink;
    const packed_deal *deals;
    size_t n, given;
    game_result *results;
} batch;

static size_t batch_next(deal_source *self, packed_deal *deals, size_t room, uint64_t *number)
{
    batch *b = (batch *)self;
    size_t n = b->n - b->given < room ? b->n - b->given : room;

    memcpy(deals, b->deals + b->given, n * sizeof *deals);
    *number = b->given;
    b->given += n;
    return n;
}

static void batch_take(result_sink *self, const game_result *results, const packed_deal *deals, size_t n)
{
    batch *b = (batch *)((char *)self - offsetof(batch, sink));

    for (size_t i = 0; i < n; i++)
        b->results[results[i].number] = results[i];
}

void engine_play_batch(const engine *e, const pays *p, const packed_deal *deals, size_t n, game_result *results)
{
    batch b = {
        .source.next = batch_next,
        .sink.take = batch_take,
        .deals = deals,
        .n = n,
        .results = results,
    };

    e->run(p, &b.source, &b.sink);
}
