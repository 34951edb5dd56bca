/* Histograms as compact bytes, and their sum.
 *
 * A histogram is a run of entries in ascending order of value; an entry is two numbers in base 128,
 * low seven bits first, the top bit set on all bytes but the last: the distance from the previous
 * value (from -1 for the first entry, so never 0), and how often the value occurred (never 0).
 * Each number takes the fewest bytes that hold it, so equal histograms have equal bytes. */
#ifndef BEGGAR_HISTOGRAM_H
#define BEGGAR_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>

enum { HISTOGRAM_OK = 0, HISTOGRAM_MALFORMED = -1, HISTOGRAM_OVERFLOW = -2 };

/* Writes the sum of the histograms a and b to `out`, which has room for a_size + b_size bytes (a sum
 * never needs more), and its size to `*out_size`. Returns one of the codes above. */
int histogram_merge(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size, uint8_t *out, size_t *out_size);

#endif
