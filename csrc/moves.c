#include "moves.h"

#include <stdlib.h>
#include <string.h>

enum { FROM_END = 1, TO_BEGINNING = 2 };

static void add(move_list *list, move m)
{
    if (list->at)
        list->at[list->n] = m;
    list->n++;
}

/* Goes through all moves; only counts them while list->at is NULL. */
static void enumerate(move_list *list, int kinds, const int *sizes, int seats)
{
    int start[MAX_SEATS + 1] = {0};

    list->n = 0;
    for (int seat = 0; seat < seats; seat++)
        start[seat + 1] = start[seat] + sizes[seat];
    if (kinds & MOVE_SWAP)
        for (int a = 0; a < start[seats]; a++)
            for (int b = a + 1; b < start[seats]; b++)
                add(list, (move){(uint16_t)a, (uint16_t)b, 1, MOVE_SWAP, 0});
    for (int seat = 0; seat < seats; seat++) {
        int first = start[seat], end = start[seat + 1];
        if (kinds & MOVE_SHIFT)
            for (int a = first; a < end; a++)
                for (int b = first; b < end; b++) {
                    int edges = (a == end - 1 ? FROM_END : 0) | (b == first ? TO_BEGINNING : 0);
                    if (a != b)
                        add(list, (move){(uint16_t)a, (uint16_t)b, 0, MOVE_SHIFT, (uint8_t)edges});
                }
        if (kinds & MOVE_ROTATE)
            for (int cut = 1; cut < end - first; cut++)
                add(list, (move){(uint16_t)first, (uint16_t)cut, (uint16_t)(end - first), MOVE_ROTATE, 0});
        if (kinds & MOVE_EXCHANGE)
            for (int other = seat + 1; other < seats; other++) {
                int depth = sizes[seat] < sizes[other] ? sizes[seat] : sizes[other];
                for (int at = 0; at < depth; at++)
                    for (int n = 1; at + n <= depth; n++)
                        add(list, (move){(uint16_t)(first + at), (uint16_t)(start[other] + at), (uint16_t)n, MOVE_EXCHANGE, 0});
            }
    }
}

int moves_list(move_list *list, int kinds, const int *sizes, int seats)
{
    list->at = NULL;
    enumerate(list, kinds, sizes, seats);
    list->at = malloc((list->n ? list->n : 1) * sizeof *list->at);
    if (!list->at)
        return 0;
    enumerate(list, kinds, sizes, seats);
    return 1;
}

void moves_free(move_list *list)
{
    free(list->at);
    list->at = NULL;
}

planes planes_of(const uint8_t *codes, int cards)
{
    planes p = {0, 0, 0};

    for (int i = 0; i < cards; i++) {
        if (codes[i] == NUMBER)
            continue;
        p.court |= (uint64_t)1 << i;
        p.lo |= (uint64_t)((codes[i] - 1) & 1) << i;
        p.hi |= (uint64_t)((codes[i] - 1) >> 1) << i;
    }
    return p;
}

static uint64_t ones(int n)
{
    return n < 64 ? ((uint64_t)1 << n) - 1 : UINT64_MAX;
}

/* Cards a .. a+n-1 are cut after the first `cut` of them; 0 < cut < n. */
static uint64_t cut_bits(uint64_t x, int a, int n, int cut)
{
    uint64_t part = x >> a & ones(n);

    part = (part >> cut | part << (n - cut)) & ones(n);
    return (x & ~(ones(n) << a)) | part << a;
}

/* The blocks of n cards at a and at b, which do not overlap, change places. */
static uint64_t exchange_bits(uint64_t x, int a, int b, int n)
{
    uint64_t different = (x >> a ^ x >> b) & ones(n);

    return x ^ (different << a | different << b);
}

static void cut_codes(uint8_t *codes, int a, int n, int cut)
{
    uint8_t top[MAX_CARDS];

    memcpy(top, codes + a, (size_t)cut);
    memmove(codes + a, codes + a + cut, (size_t)(n - cut));
    memcpy(codes + a + n - cut, top, (size_t)cut);
}

static void exchange_codes(uint8_t *codes, int a, int b, int n)
{
    for (int i = 0; i < n; i++) {
        uint8_t card = codes[a + i];
        codes[a + i] = codes[b + i];
        codes[b + i] = card;
    }
}

/* A move from place a to place b is a cut of the cards from one to the other, with one card cut off. */
static int shift_start(const move *m)
{
    return m->a < m->b ? m->a : m->b;
}

static int shift_length(const move *m)
{
    return (m->a < m->b ? m->b - m->a : m->a - m->b) + 1;
}

static int shift_cut(const move *m)
{
    return m->a < m->b ? 1 : shift_length(m) - 1;
}

int move_planes(const move *m, const planes *from, planes *to)
{
    if (m->kind == MOVE_SHIFT) {
        /* The last of a run of number cards goes to the beginning of a run: behind a court card. */
        uint64_t court = from->court;
        int before = m->a < m->b ? m->b : m->b - 1;
        if (court >> m->a & 1 || !(m->edges & FROM_END || court >> (m->a + 1) & 1) ||
            !(m->edges & TO_BEGINNING || court >> before & 1))
            return 0;
    }
    if (m->kind == MOVE_SHIFT || m->kind == MOVE_ROTATE) {
        int shift = m->kind == MOVE_SHIFT;
        int a = shift ? shift_start(m) : m->a, n = shift ? shift_length(m) : m->n, cut = shift ? shift_cut(m) : m->b;
        to->court = cut_bits(from->court, a, n, cut);
        to->lo = cut_bits(from->lo, a, n, cut);
        to->hi = cut_bits(from->hi, a, n, cut);
    } else {
        to->court = exchange_bits(from->court, m->a, m->b, m->n);
        to->lo = exchange_bits(from->lo, m->a, m->b, m->n);
        to->hi = exchange_bits(from->hi, m->a, m->b, m->n);
    }
    return ((to->court ^ from->court) | (to->lo ^ from->lo) | (to->hi ^ from->hi)) != 0;
}

int move_codes(const move *m, const uint8_t *from, int cards, uint8_t *to)
{
    memcpy(to, from, (size_t)cards);
    switch (m->kind) {
    case MOVE_SHIFT: {
        int before = m->a < m->b ? m->b : m->b - 1;
        if (from[m->a] != NUMBER || !(m->edges & FROM_END || from[m->a + 1] != NUMBER) ||
            !(m->edges & TO_BEGINNING || from[before] != NUMBER))
            return 0;
        cut_codes(to, shift_start(m), shift_length(m), shift_cut(m));
        break;
    }
    case MOVE_ROTATE:
        cut_codes(to, m->a, m->n, m->b);
        break;
    default:
        exchange_codes(to, m->a, m->b, m->n);
    }
    return memcmp(to, from, (size_t)cards) != 0;
}
