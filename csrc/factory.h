/* The factory: makes pieces by the thousand (see cycles_seam.h), puts them together to tapes with
 * the cards of a deck, and follows each tape's cycle back to the deals that lead into it.
 *
 * All work is counted in words that were tested, never in seconds, and every choice comes from the
 * caller's random numbers: equal calls make equal pieces. Memory is taken once, by factory_new. */
#ifndef BEGGAR_FACTORY_H
#define BEGGAR_FACTORY_H

#include "cycles_seam.h"
#include "rng.h"

enum { CLASS_SETS = 16 };   /* sets of court classes */

/* A piece in the pool. `within[S]` is the number of its court cards that can only be of a class in
 * the set S: with the same numbers for a deck, Hall's condition says whether ranks can be chosen. */
typedef struct {
    uint32_t first;                       /* its phases in the pool's list */
    uint8_t cards, courts, rounds, peak;
    uint16_t tricks;
    uint8_t closed;                       /* all words near it were tested */
    uint8_t within[CLASS_SETS];
} piece;

/* How words are bred; drawn anew for each epoch, so that epochs differ. */
typedef struct {
    int peak;                /* the short hand must have held so many cards */
    int cards;               /* a word has at most so many */
    int early, late;         /* court cards per 1024 cards of a fresh word, before and after the peak */
} breed;

typedef struct factory factory;

/* `deck` counts the cards of each class. NULL: no memory, or the seam does not fit the deck. */
factory *factory_new(const seam *s, const pays *pay, const int deck[CLASSES]);
void factory_free(factory *f);

/* Adds a piece that an earlier leg has closed, as one of its words in codes; returns whether it is one. */
int factory_add(factory *f, const uint8_t *codes, int cards);

/* All pieces with up to so many number cards and court cards; stops after `nodes` unfinished words. */
void factory_small(factory *f, int numbers, int courts, uint64_t nodes);

/* Breeds words for `tests` tests; the fitness of a word is the number of its good rounds. */
void factory_breed(factory *f, rng *random, const breed *how, uint64_t tests);

/* Tests all words within two edits of pieces that reached `peak`, highest first, for up to `tests` tests. */
void factory_close(factory *f, int peak, rng *random, uint64_t tests);

/* What there is. */
size_t factory_pieces(const factory *f);
const piece *factory_piece(const factory *f, size_t i);
const phase *factory_phases(const factory *f, const piece *q);
const seam_play *factory_seam(const factory *f);
/* Cards of each class that a tape has: the deck without seam and drift. */
const int *factory_tape(const factory *f);
/* Words tested so far, the tricks played for that and the cards turned in them. */
uint64_t factory_tests(const factory *f);
uint64_t factory_tricks(const factory *f);
uint64_t factory_turned(const factory *f);

/* Writes the codes of a word of a piece, every court card of the lowest class that fits. */
void phase_codes(const phase *at, int cards, uint8_t *codes);

#endif
