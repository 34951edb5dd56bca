/* Uniform dealing by number: deal n of a stream is a function of the stream and n alone.
 *
 * A deal that can be packed (64 cards, 16 court cards at most) takes a fixed number of random
 * words, deal n the words n*W to n*W + W-1 of its stream. Nothing is rejected and nothing corrected
 * afterwards: each word picks one thing out of a few thousand, the place `word * things / 2^64` in a
 * table, and together the picks are a deal:
 *
 *   word 0       how many court cards lie in each group of 13 places or fewer, from an alias table
 *                of all the ways, weighted by the number of deals that have them;
 *   words 1..G   one a group: which places of the group they take;
 *   word G+1     which court cards, in their order, are of the two high classes (kings and aces);
 *   word G+2     which of the high ones are aces and which of the low ones are queens, as one number.
 *
 * A pick among n things is uniform up to n / 2^64 in total, and n is below 2^14; all picks of a
 * deal together are off by less than 2^-48. Every processor runs the same integer code.
 *
 * Any other deck of up to MAX_CARDS cards is shuffled (Fisher and Yates), one word a card. */
#ifndef BEGGAR_DEALING_H
#define BEGGAR_DEALING_H

#include "cards.h"
#include "engine.h"
#include "rng.h"
#include "strings.h"

/* What the numbered streams of a searcher are for (the domain in rng_stream_of). */
enum { DOMAIN_DEALS = 1, DOMAIN_PILOT = 2, DOMAIN_CLIMB = 3, DOMAIN_SAMPLES = 4, DOMAIN_SAMPLE_PILOT = 5 };

typedef struct dealer dealer;

/* A dealer of such decks, `first` cards to seat 0. NULL: out of memory. */
dealer *dealer_new(composition deck, int first);
void dealer_free(dealer *d);

int dealer_packs(const dealer *d);   /* can its deals be packed? */
composition dealer_deck(const dealer *d);
int dealer_cards(const dealer *d);   /* in a deal */
int dealer_first(const dealer *d);   /* of them, for seat 0 */

/* Writes the packed deals number .. number+n-1. Only where dealer_packs. */
void dealer_packed(const dealer *d, rng_stream stream, uint64_t number, size_t n, packed_deal *deals);

/* Writes the codes of one deal, all cards of the deck; for any deck. */
void dealer_codes(const dealer *d, rng_stream stream, uint64_t number, uint8_t *codes);

/* The deals number .. end-1 as a source for an engine. */
typedef struct {
    deal_source source;
    const dealer *dealer;
    rng_stream stream;
    uint64_t next, end;
} dealt;

dealt dealt_between(const dealer *d, rng_stream stream, uint64_t number, uint64_t end);

#endif
