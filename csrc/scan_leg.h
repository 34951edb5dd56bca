/* A leg of a scan: deals in the order of their indices, played, gathered. */
#ifndef BEGGAR_SCAN_LEG_H
#define BEGGAR_SCAN_LEG_H

#include "gather.h"

/* Plays `games` deals, from the deck `codes` on, the hands of `sizes`, one a seat; there must be so
 * many. Games stop after `limit` cards (NO_LIMIT: never). `e` plays what can be packed for two players and
 * has no limit, the careful engines all else.
 * 0: out of memory. */
int scan_leg(const engine *e, const pays *p, const uint8_t *codes, int cards, const uint16_t *sizes, int seats,
             uint64_t games, uint64_t limit, gather *g);

#endif
