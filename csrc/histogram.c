#include "histogram.h"

enum { BITS = 7, MORE = 0x80, LAST_SHIFT = 63 };

/* One histogram being read: `value` and `count` are the entry at hand while `live` is set. */
typedef struct {
    const uint8_t *at, *end;
    uint64_t value, count;
    int live;
} reader;

static int read_number(reader *r, uint64_t *number)
{
    uint64_t n = 0;
    for (int shift = 0; shift <= LAST_SHIFT; shift += BITS) {
        if (r->at == r->end)
            return HISTOGRAM_MALFORMED;
        uint8_t byte = *r->at++;
        uint64_t part = byte & (MORE - 1);
        if (shift == LAST_SHIFT && part > 1)
            return HISTOGRAM_MALFORMED;             /* more than 64 bits */
        n |= part << shift;
        if (!(byte & MORE)) {
            if (part == 0 && shift > 0)
                return HISTOGRAM_MALFORMED;         /* not the fewest bytes */
            *number = n;
            return HISTOGRAM_OK;
        }
    }
    return HISTOGRAM_MALFORMED;
}

/* Moves on to the next entry; `value` starts at UINT64_MAX, which stands for -1. */
static int advance(reader *r)
{
    uint64_t distance;
    r->live = r->at != r->end;
    if (!r->live)
        return HISTOGRAM_OK;
    if (read_number(r, &distance) || read_number(r, &r->count))
        return HISTOGRAM_MALFORMED;
    uint64_t value = r->value + distance;
    int wraps = r->value != UINT64_MAX && value < r->value;
    if (distance == 0 || r->count == 0 || wraps || value == UINT64_MAX)
        return HISTOGRAM_MALFORMED;
    r->value = value;
    return HISTOGRAM_OK;
}

static uint8_t *write_number(uint8_t *out, uint64_t n)
{
    while (n >= MORE) {
        *out++ = (uint8_t)(n | MORE);
        n >>= BITS;
    }
    *out++ = (uint8_t)n;
    return out;
}

int histogram_merge(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size, uint8_t *out, size_t *out_size)
{
    reader x = {a, a + a_size, UINT64_MAX, 0, 0}, y = {b, b + b_size, UINT64_MAX, 0, 0};
    uint8_t *to = out;
    uint64_t previous = UINT64_MAX;
    int failed = advance(&x) || advance(&y);

    while (!failed && (x.live || y.live)) {
        int take_x = x.live && (!y.live || x.value <= y.value);
        int take_y = y.live && (!x.live || y.value <= x.value);
        uint64_t value = take_x ? x.value : y.value;
        uint64_t count = (take_x ? x.count : 0) + (take_y ? y.count : 0);
        if (take_x && take_y && count < x.count)
            return HISTOGRAM_OVERFLOW;
        to = write_number(to, value - previous);
        to = write_number(to, count);
        previous = value;
        failed = (take_x && advance(&x)) || (take_y && advance(&y));
    }
    *out_size = (size_t)(to - out);
    return failed ? HISTOGRAM_MALFORMED : HISTOGRAM_OK;
}
