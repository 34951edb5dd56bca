/* The best deals of a leg: bounded memory, and a result that does not depend on the order of offers.
 *
 * Kept are the best `limit` different deals by (value, largest first; text, in byte order). Offers
 * gather in an array; when it is full it is sorted, freed of repeats and cut. From the first cut on,
 * what stands behind the last one kept is not taken in any more. */
#ifndef BEGGAR_KEEPER_H
#define BEGGAR_KEEPER_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint64_t value, cards, tricks;
    char text[];             /* letters of all cards, seat 0 first, ended by 0 */
} kept;

typedef struct {
    uint64_t least;          /* an offer of a smaller value is not worth making */
    size_t limit;
    size_t stride;           /* bytes from one entry to the next */
    size_t n, room;
    char *entries;
    int cut;                 /* has it been cut, so that the last entry of the first `limit` is a bound? */
    int failed;              /* out of memory: what it holds is not to be used */
} keeper;

enum { KEEP_ALL = 0 };       /* as a limit: nothing is ever dropped but repeats */

/* `cards` letters a text. Offers below `least` must not be made. */
void keeper_open(keeper *k, int cards, size_t limit, uint64_t least);
void keeper_free(keeper *k);

/* Takes in a deal, as codes. */
void keeper_offer(keeper *k, uint64_t value, uint64_t cards, uint64_t tricks, const uint8_t *codes, int n);

/* Sorts and cuts: afterwards entries 0..n-1 are what is kept, best first. */
void keeper_close(keeper *k);

static inline kept *keeper_entry(const keeper *k, size_t i)
{
    return (kept *)(k->entries + i * k->stride);
}

#endif
