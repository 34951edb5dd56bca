#include "picks.h"

uint64_t binomial(int n, int k)
{
    uint64_t b = 1;

    if (k < 0 || k > n)
        return 0;
    for (int i = 1; i <= k; i++)
        b = b * (uint64_t)(n - k + i) / (uint64_t)i;
    return b;
}

/* As Vose fills it, in whole numbers. Each cell stands for 1/n of all; weights times n are compared
 * with the total, and cells that have too little are filled up from those with too much. */
void alias_fill(alias_cell *cells, unsigned __int128 *weights, uint32_t *stack, uint32_t n)
{
    uint32_t small = 0, large = n;   /* two stacks in one array: small ones from below, large ones from above */
    unsigned __int128 total = 0;

    for (uint32_t i = 0; i < n; i++)
        total += weights[i];
    for (uint32_t i = 0; i < n; i++) {
        weights[i] *= n;
        if (weights[i] < total)
            stack[small++] = i;
        else
            stack[--large] = i;
        cells[i].other = cells[i].own;
    }
    while (small > 0 && large < n) {
        uint32_t poor = stack[--small], rich = stack[large++];
        cells[poor].threshold = (uint64_t)((weights[poor] << 64) / total);
        cells[poor].other = cells[rich].own;
        weights[rich] -= total - weights[poor];
        if (weights[rich] < total)
            stack[small++] = rich;
        else
            stack[--large] = rich;
    }
    /* What is left is exactly full: `other` is still `own`, so that any threshold will do. */
    while (small > 0)
        cells[stack[--small]].threshold = UINT64_MAX;
    while (large < n)
        cells[stack[large++]].threshold = UINT64_MAX;
}

void masks_by_ones(int bits, uint16_t *masks, uint32_t *from)
{
    uint32_t n = 0;

    for (int ones = 0; ones <= bits; ones++) {
        from[ones] = n;
        for (uint32_t mask = 0; mask < 1u << bits; mask++)
            if (__builtin_popcount(mask) == ones)
                masks[n++] = (uint16_t)mask;
    }
}

/* DEPOSIT_SPREAD[m][b]: the bits of b on the ones of m; DEPOSIT_ONES[m]: how many of them m takes. */
const uint8_t DEPOSIT_SPREAD[16][16] = {
    {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
    {0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1},
    {0, 2, 0, 2, 0, 2, 0, 2, 0, 2, 0, 2, 0, 2, 0, 2},
    {0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3},
    {0, 4, 0, 4, 0, 4, 0, 4, 0, 4, 0, 4, 0, 4, 0, 4},
    {0, 1, 4, 5, 0, 1, 4, 5, 0, 1, 4, 5, 0, 1, 4, 5},
    {0, 2, 4, 6, 0, 2, 4, 6, 0, 2, 4, 6, 0, 2, 4, 6},
    {0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7},
    {0, 8, 0, 8, 0, 8, 0, 8, 0, 8, 0, 8, 0, 8, 0, 8},
    {0, 1, 8, 9, 0, 1, 8, 9, 0, 1, 8, 9, 0, 1, 8, 9},
    {0, 2, 8, 10, 0, 2, 8, 10, 0, 2, 8, 10, 0, 2, 8, 10},
    {0, 1, 2, 3, 8, 9, 10, 11, 0, 1, 2, 3, 8, 9, 10, 11},
    {0, 4, 8, 12, 0, 4, 8, 12, 0, 4, 8, 12, 0, 4, 8, 12},
    {0, 1, 4, 5, 8, 9, 12, 13, 0, 1, 4, 5, 8, 9, 12, 13},
    {0, 2, 4, 6, 8, 10, 12, 14, 0, 2, 4, 6, 8, 10, 12, 14},
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
};
const uint8_t DEPOSIT_ONES[16] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};
