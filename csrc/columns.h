/* Batches as Python sees them: packed deals in a buffer, results in columns. */
#ifndef BEGGAR_COLUMNS_H
#define BEGGAR_COLUMNS_H

#include "engine.h"
#include "strings.h"

/* Columns of results, of equal length. */
typedef struct {
    uint32_t *cards, *tricks, *lead_in, *period, *status;
} columns;

static inline void columns_set(const columns *c, size_t i, const game_result *r)
{
    c->cards[i] = r->cards;
    c->tricks[i] = r->tricks;
    c->lead_in[i] = r->lead_in;
    c->period[i] = r->period;
    c->status[i] = r->status;
}

/* Plays the n packed deals in `bytes` (aligned to nothing) on the engine called `name`, or on the
 * fastest for each where that is NULL. `deck`: the composition that all must have; NULL: any.
 * Returns n, or the place of the first deal that is malformed or of another composition. */
size_t columns_play(const char *name, const pays *p, const uint8_t *bytes, size_t n, const composition *deck,
                    const columns *results);

#endif
