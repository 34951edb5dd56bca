/* Engines that play streams of packed two-player deals.
 *
 * An engine pulls deals from a source and pushes results into a sink, in whatever order games end;
 * a result carries the number of its deal. Games stay in flight from one pull to the next, and the
 * engine returns when the source is dry and every game has been played to its end. Which engine
 * plays never changes what the sink is given, only the order.
 *
 * Infinite games are exact: a fast engine hands every game that gets suspiciously old to the
 * careful engine (ring.h), which plays it again from its deal. */
#ifndef BEGGAR_ENGINE_H
#define BEGGAR_ENGINE_H

#include "cards.h"

typedef struct deal_source {
    /* Writes up to `room` deals and says how many; 0 means that there are no more. The deals are
     * numbered on from `*number`, which the source sets to the number of the first one it wrote. */
    size_t (*next)(struct deal_source *self, packed_deal *deals, size_t room, uint64_t *number);
} deal_source;

typedef struct result_sink {
    /* Takes `n` results; `deals[i]` is the deal that gave `results[i]`. */
    void (*take)(struct result_sink *self, const game_result *results, const packed_deal *deals, size_t n);
} result_sink;

typedef struct {
    const char *name;
    const char *summary;
    int (*available)(void);                             /* does this processor have what it needs? */
    int (*plays)(const pays *p, int cards, int courts); /* can it play such decks? */
    void (*run)(const pays *p, deal_source *source, result_sink *sink);
} engine;

/* All engines compiled in, fastest first, ended by NULL. The last, "ring", plays every packed deal. */
extern const engine *const ENGINES[];

/* The fastest available engine for such decks, or the one called `name` if that is not NULL and it
 * can play them; a forced engine that cannot play a deck falls back to "ring". NULL: no such name. */
const engine *engine_for(const char *name, const pays *p, int cards, int courts);

/* Plays deals[0..n-1] on `e`; results[i] is the result of deals[i]. */
void engine_play_batch(const engine *e, const pays *p, const packed_deal *deals, size_t n, game_result *results);

/* Age in tricks at which the fast engines hand a game to the careful one. A test build may lower it. */
#ifndef CAREFUL_AGE
#define CAREFUL_AGE 4096
#endif

#endif
