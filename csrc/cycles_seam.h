/* Pieces: the words from which cycles with a short-hand seam are made.
 *
 * In such a cycle one player comes back, again and again, to the same short hand, the *seam* (`J-`
 * in the first one that was found), at the start of a trick that a fixed player leads. In between
 * he has met a part of the other hand, which is a *tape*. Play a word u of the tape against the
 * seam: the *round* of u is good if u is used up exactly at the start of a trick, the same player
 * leads as before, and the short hand is the seam again. G(u) is what the long hand collected
 * meanwhile, as many cards as u has. If every G(u) ends in the same few cards, the *drift* s, then
 * the tape of the next round is the old one with each u replaced by s + G(u) without its last |s|
 * cards: words on one tape do not touch each other. A *piece* is a word that comes back to itself
 * under this map; pieces, one after another and then s, against the seam make a cycle.
 *
 * How the tricks of a round go depends little on the ranks: where a court card is beaten within
 * its payment, it only matters that it asks for more than was paid. So a piece is found as a
 * *shape*: which cards are court cards, and for each of these the set of ranks that leave every
 * trick of every round as it is. The shape repeats after P rounds; the cards of one class have
 * then changed places, and the ranks come back later. Any ranks out of the sets do. */
#ifndef BEGGAR_CYCLES_SEAM_H
#define BEGGAR_CYCLES_SEAM_H

#include "cards.h"

enum {
    MAX_WORD = 60,           /* cards of a word, with the seam at most 62, so that a strip and its end mark fit a word of memory */
    MAX_COURTS = 16,         /* court cards of a word and a seam together: one nibble each in a strip */
    MAX_SEAM = 8,            /* cards of a seam, of a drift */
    MAX_ROUNDS = 48,         /* rounds that a word is followed for */
    MAX_SHAPE_ROUNDS = 24,   /* rounds after which the shape of a piece must be back */
};

typedef struct {
    uint8_t short_hand[MAX_SEAM], drift[MAX_SEAM];   /* codes, top card first */
    uint8_t short_cards, drift_cards;
    uint8_t short_leads;                             /* who leads at the seam */
} seam;

/* Everything about a seam that playing a round needs, made once. A class set has bit c - 1 for
 * class c. */
typedef struct {
    seam is;
    uint8_t pay[CLASSES];
    uint64_t short_mask, drift_mask;     /* court bits, bit 0 is the top card */
    uint8_t short_courts, drift_courts;
    uint8_t short_class[MAX_SEAM], drift_class[MAX_SEAM];
    uint8_t above[65];                         /* above[g]: the classes that ask for more than g */
    uint8_t exactly[65];                       /* exactly[g]: those that ask for g */
    uint8_t all;                               /* the classes there are */
} seam_play;

/* Returns 0 if the seam is too long. `classes` is the set of court classes of the deck. */
int seam_prepare(seam_play *p, const seam *s, const pays *pay, uint8_t classes);

/* A row of cards: bit i of `mask` says whether card i (0 is first) is a court card, nibble j of
 * `ids` which court card is the j-th. */
typedef struct {
    uint64_t mask, ids;
    int cards;
} strip;

/* A word with its court cards' classes by id, as rounds change it. The ids of the seam's court
 * cards come after those of the word. */
typedef struct {
    strip word, seam;
    uint8_t class_of[MAX_COURTS];
    int courts;              /* ids given out */
    unsigned tricks, turned; /* tricks played and cards turned in them, those of a round that failed included */
} tape_word;

/* Codes to word; 0 if it is too long or does not begin with the drift. */
int tape_word_from_codes(const seam_play *p, const uint8_t *codes, int cards, tape_word *w);

/* Plays one round and makes the next one's word. Returns whether the round was good. `*peak` is raised to the most cards that the short hand held; `sets`, unless NULL, has one
 * class set an id, which is narrowed to what leaves this round as it is. */
int play_round(const seam_play *p, tape_word *w, int *peak, uint8_t *sets);

/* One word of a piece: the shape as it is at one phase. Nibble j of `sets` is the class set of
 * the j-th court card. */
typedef struct {
    uint64_t mask, sets;
} phase;

typedef struct {
    uint8_t cards, courts;   /* of the word; court cards among them */
    uint8_t rounds;          /* until the shape is back: the phases */
    uint8_t peak;            /* most cards in the short hand */
    uint16_t tricks;         /* in all these rounds */
    phase at[MAX_SHAPE_ROUNDS];
} shape;

/* Follows a word for up to `most` rounds. Returns the good rounds, and whether its shape came
 * back (or ran into a shape that does): then `*found` is the piece. `*peak` as above; w->tricks and w->turned are raised. */
int follow_word(const seam_play *p, tape_word *w, int most, int *peak, shape *found, int *is_piece);

#endif
