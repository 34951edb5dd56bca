/* Uniform sampling of positions in the middle of long games, by number: sample n of a stream is a
 * function of the stream and n alone.
 *
 * A sample is a legal deal (the default hand sizes, the leader's hand first) with the court cards
 * shared out as evenly as they can be, the leader's hand taking the odd one, and each hand live: it
 * ends in a court card followed by exactly its pay in number cards. All such positions are equally
 * likely. They are a small part of all deals, and the part where long games spend their time.
 *
 * Each sample takes the same number of random words, and nothing is rejected: one word picks the two
 * last court cards together with the number of court cards in each group of places, from an alias
 * table weighted by the number of positions that have them; then picks of masks say which places of
 * each group, and which ranks. All picks of one sample are off uniformity by less than 2^-24. */
#ifndef BEGGAR_SAMPLER_H
#define BEGGAR_SAMPLER_H

#include "engine.h"
#include "rng.h"
#include "strings.h"

typedef struct sampler sampler;

/* A sampler for decks that can be packed, `first` cards to the leader. Returns NULL, and then
 * `*possible` says why: 0, there is no such position; 1, there is no memory. */
sampler *sampler_new(composition deck, const pays *p, int first, int *possible);
void sampler_free(sampler *s);

/* Writes the samples number .. number+n-1. */
void sampler_packed(const sampler *s, rng_stream stream, uint64_t number, size_t n, packed_deal *deals);

/* The samples number .. end-1 as a source for an engine. */
typedef struct {
    deal_source source;
    const sampler *sampler;
    rng_stream stream;
    uint64_t next, end;
} samples;

samples samples_between(const sampler *s, rng_stream stream, uint64_t number, uint64_t end);

#endif
