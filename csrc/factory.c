#include "factory.h"

#include <stdlib.h>
#include <string.h>

enum {
    MAX_PIECES = 1 << 17,
    MAX_PHASES = 1 << 19,
    KNOWN_SLOTS = 1 << 18,        /* of the table of known shapes */
    SEEN_SLOTS = 1 << 20,         /* of the table of words bred in one epoch */
    LEVELS = 30,                  /* good rounds that count as fitness */
    LEVEL_WORDS = 4096,           /* words kept at a level */
    PIECE_LEVEL = 3,              /* a piece's rounds never end: it is no better parent than this */
    SHORTEST_BRED = 4,
    NO_PIECE = -1,                /* in the table of known shapes: made of smaller pieces */
};

typedef struct {
    uint8_t codes[MAX_WORD + 3];
    uint8_t cards;
} word;

typedef struct {
    uint64_t mask, sets;
    int32_t piece;
    uint8_t cards, used;
} known;

struct factory {
    seam_play play;
    int tape[CLASSES];
    int tape_courts;
    uint8_t tape_within[CLASS_SETS];
    uint64_t tests, tricks, turned;

    piece *pieces;
    size_t n_pieces;
    phase *phases;
    size_t n_phases;
    known *table;
    size_t n_known;

    word *level[LEVELS + 1];
    int level_words[LEVELS + 1];
    uint64_t *seen;
    size_t n_seen;
};

static void count_within(const phase *at, int courts, uint8_t within[CLASS_SETS])
{
    memset(within, 0, CLASS_SETS);
    for (int j = 0; j < courts; j++) {
        int set = at->sets >> 4 * j & 15;
        for (int s = 0; s < CLASS_SETS; s++)
            within[s] += (set & ~s) == 0;
    }
}

factory *factory_new(const seam *s, const pays *pay, const int deck[CLASSES])
{
    factory *f = calloc(1, sizeof *f);
    if (!f)
        return NULL;
    uint8_t classes = 0;
    int cards = 0;
    for (int c = 0; c < CLASSES; c++) {
        f->tape[c] = deck[c];
        cards += deck[c];
        if (c != NUMBER && deck[c])
            classes |= 1 << (c - 1);
    }
    int fits = seam_prepare(&f->play, s, pay, classes);
    if (fits) {
        for (int i = 0; i < s->short_cards; i++)
            f->tape[s->short_hand[i]]--;
        for (int i = 0; i < s->drift_cards; i++)
            f->tape[s->drift[i]]--;
    }
    for (int c = 0; c < CLASSES; c++) {
        fits &= f->tape[c] >= 0;
        f->tape_courts += c != NUMBER ? f->tape[c] : 0;
    }
    fits &= f->tape_courts + f->play.short_courts <= MAX_COURTS && cards <= MAX_PACKED_CARDS;
    for (int set = 0; set < CLASS_SETS; set++)
        for (int c = JACK; c < CLASSES; c++)
            if (set >> (c - 1) & 1)
                f->tape_within[set] += f->tape[c];

    f->pieces = malloc(MAX_PIECES * sizeof *f->pieces);
    f->phases = malloc(MAX_PHASES * sizeof *f->phases);
    f->table = calloc(KNOWN_SLOTS, sizeof *f->table);
    f->seen = malloc(SEEN_SLOTS * sizeof *f->seen);
    fits &= f->pieces && f->phases && f->table && f->seen;
    for (int k = 0; k <= LEVELS; k++) {
        f->level[k] = malloc(LEVEL_WORDS * sizeof(word));
        fits &= f->level[k] != NULL;
    }
    if (!fits) {
        factory_free(f);
        return NULL;
    }
    return f;
}

void factory_free(factory *f)
{
    if (!f)
        return;
    for (int k = 0; k <= LEVELS; k++)
        free(f->level[k]);
    free(f->pieces);
    free(f->phases);
    free(f->table);
    free(f->seen);
    free(f);
}

size_t factory_pieces(const factory *f) { return f->n_pieces; }
const piece *factory_piece(const factory *f, size_t i) { return &f->pieces[i]; }
const phase *factory_phases(const factory *f, const piece *q) { return &f->phases[q->first]; }
const seam_play *factory_seam(const factory *f) { return &f->play; }
const int *factory_tape(const factory *f) { return f->tape; }
uint64_t factory_tests(const factory *f) { return f->tests; }
uint64_t factory_tricks(const factory *f) { return f->tricks; }
uint64_t factory_turned(const factory *f) { return f->turned; }

void phase_codes(const phase *at, int cards, uint8_t *codes)
{
    uint64_t sets = at->sets;
    for (int i = 0; i < cards; i++) {
        codes[i] = NUMBER;
        if (at->mask >> i & 1) {
            codes[i] = JACK + __builtin_ctz(sets & 15);
            sets >>= 4;
        }
    }
}

/* ---- the pool ---- */

static known *find_known(factory *f, const phase *name, int cards)
{
    size_t slot = mix64(name->mask * 0x9E3779B97F4A7C15u ^ mix64(name->sets + cards)) & (KNOWN_SLOTS - 1);
    for (;; slot = (slot + 1) & (KNOWN_SLOTS - 1)) {
        known *k = &f->table[slot];
        if (!k->used || (k->mask == name->mask && k->sets == name->sets && k->cards == cards))
            return k;
    }
}

/* The first of a shape's phases in the order of (mask, sets): its name, whichever phase was met. */
static int first_phase(const shape *s)
{
    int best = 0;
    for (int k = 1; k < s->rounds; k++)
        if (s->at[k].mask < s->at[best].mask ||
            (s->at[k].mask == s->at[best].mask && s->at[k].sets < s->at[best].sets))
            best = k;
    return best;
}

static int follow_codes(factory *f, const uint8_t *codes, int cards, int *peak, shape *found, int *is_piece)
{
    tape_word w;
    *is_piece = 0;
    *peak = 0;
    if (!tape_word_from_codes(&f->play, codes, cards, &w))
        return 0;
    int rounds = follow_word(&f->play, &w, MAX_ROUNDS, peak, found, is_piece);
    f->tests++;
    f->tricks += w.tricks;
    f->turned += w.turned;
    return rounds;
}

/* Puts a piece into the pool unless it is known, takes too many cards or falls into smaller ones;
 * those are added instead. */
static void add_shape(factory *f, const shape *s)
{
    int name = first_phase(s);
    known *k = find_known(f, &s->at[name], s->cards);
    if (k->used)
        return;
    uint8_t within[CLASS_SETS];
    count_within(&s->at[0], s->courts, within);
    if (s->cards - s->courts > f->tape[NUMBER])
        return;
    for (int set = 1; set < CLASS_SETS; set++)
        if (within[set] > f->tape_within[set])
            return;
    if (f->n_known >= KNOWN_SLOTS * 3 / 4 || f->n_pieces >= MAX_PIECES || f->n_phases + s->rounds > MAX_PHASES)
        return;
    *k = (known){.mask = s->at[name].mask, .sets = s->at[name].sets, .piece = NO_PIECE, .cards = s->cards, .used = 1};
    f->n_known++;

    uint8_t codes[MAX_WORD];
    phase_codes(&s->at[name], s->cards, codes);
    for (int i = f->play.is.drift_cards > 1 ? f->play.is.drift_cards : 1; i < s->cards; i++) {
        int peak, is_piece;
        shape part;
        follow_codes(f, codes, i, &peak, &part, &is_piece);
        if (!is_piece)
            continue;
        add_shape(f, &part);
        follow_codes(f, codes + i, s->cards - i, &peak, &part, &is_piece);
        if (is_piece)
            add_shape(f, &part);
        return;
    }
    piece *q = &f->pieces[f->n_pieces];
    *q = (piece){.first = f->n_phases, .cards = s->cards, .courts = s->courts, .rounds = s->rounds,
                 .peak = s->peak, .tricks = s->tricks};
    memcpy(q->within, within, sizeof within);
    for (int i = 0; i < s->rounds; i++)
        f->phases[f->n_phases++] = s->at[(name + i) % s->rounds];
    k->piece = f->n_pieces++;
}

/* Tests a word; the fitness is the number of good rounds. */
static int try_word(factory *f, const uint8_t *codes, int cards, int *peak)
{
    shape found;
    int is_piece, rounds = follow_codes(f, codes, cards, peak, &found, &is_piece);
    if (is_piece) {
        add_shape(f, &found);
        return rounds < PIECE_LEVEL ? rounds : PIECE_LEVEL;
    }
    return rounds < LEVELS ? rounds : LEVELS;
}

int factory_add(factory *f, const uint8_t *codes, int cards)
{
    shape found;
    int peak, is_piece;
    follow_codes(f, codes, cards, &peak, &found, &is_piece);
    const size_t before = f->n_pieces;
    if (is_piece)
        add_shape(f, &found);
    for (size_t i = before; i < f->n_pieces; i++)
        f->pieces[i].closed = 1;
    return is_piece;
}

/* ---- small pieces: all words whose first round is good ---- */

/* The first round of an unfinished word, card by card. Where a court card is met, nothing is said
 * of its class; the payment for it decides, as far as it must. */
typedef struct {
    uint8_t short_hand[MAX_PACKED_CARDS];      /* 0: a number card; else 1 + id of a court card */
    uint8_t pile[MAX_PACKED_CARDS];
    uint8_t out_tail[MAX_SEAM];
    uint8_t set_of[MAX_COURTS];
    uint8_t word[MAX_WORD];
    uint8_t cards, courts, numbers;
    uint8_t short_cards, pile_cards, out_cards;
    uint8_t turn;                              /* who plays the next card */
    uint8_t owed_to, top, paid;                /* who turned the last court card, 1 + its id, cards paid for it */
    uint8_t deciding;                          /* a payment might be complete */
} draft;

enum { LONG_HAND, SHORT_HAND, NOBODY };

typedef struct {
    factory *f;
    int numbers, courts;
    uint64_t nodes;          /* unfinished words still to be looked at */
} drafting;

static void try_ranks(drafting *d, draft *w, int court, uint8_t *codes)
{
    /* Any ranks out of the sets: which do, the later rounds say. */
    int at = 0, seen = 0;
    for (; at < w->cards; at++)
        if (w->word[at] && seen++ == court)
            break;
    if (at == w->cards) {
        int peak;
        try_word(d->f, codes, w->cards, &peak);
        return;
    }
    for (int c = JACK; c < CLASSES; c++)
        if (w->set_of[w->word[at] - 1] >> (c - 1) & 1) {
            codes[at] = c;
            try_ranks(d, w, court + 1, codes);
        }
}

/* A trick is over: if the word may end here, tests it with all ranks that fit. */
static void try_draft(drafting *d, const draft *from)
{
    const seam_play *p = &d->f->play;
    if (from->turn != p->is.short_leads || from->short_cards != p->is.short_cards || from->out_cards != from->cards)
        return;
    draft w = *from;
    for (int i = 0; i < w.short_cards; i++) {
        int c = p->is.short_hand[i], card = w.short_hand[i];
        if (!c != !card || (c && !(w.set_of[card - 1] &= 1 << (c - 1))))
            return;
    }
    uint8_t codes[MAX_WORD] = {0};
    try_ranks(d, &w, 0, codes);
}

/* Turns `card` of the long hand (unless negative: nothing yet), then cards of the short hand until
 * the long hand must play again; then goes on with every next card. */
static void draft_on(drafting *d, draft *w, int card)
{
    const seam_play *p = &d->f->play;
    for (;;) {
        if (w->deciding) {
            uint8_t *set = &w->set_of[w->top - 1];
            uint8_t complete = *set & p->exactly[w->paid], more = *set & p->above[w->paid];
            w->deciding = 0;
            if (complete && more) {
                draft on = *w;
                on.set_of[w->top - 1] = more;
                draft_on(d, &on, card);
            }
            *set = complete ? complete : more;
            if (!*set)
                return;
            if (complete) {
                if (w->owed_to == LONG_HAND) {
                    w->out_cards += w->pile_cards;
                } else {
                    memcpy(w->short_hand + w->short_cards, w->pile, w->pile_cards);
                    w->short_cards += w->pile_cards;
                }
                w->turn = w->owed_to;
                w->owed_to = NOBODY;
                w->pile_cards = 0;
                try_draft(d, w);
            }
        }
        if (w->turn == LONG_HAND) {
            if (card < 0)
                break;
        } else {
            if (w->short_cards == 0)
                return;
            card = w->short_hand[0];
            memmove(w->short_hand, w->short_hand + 1, --w->short_cards);
        }
        w->pile[w->pile_cards++] = card;
        if (card) {
            if (w->owed_to != NOBODY && !(w->set_of[w->top - 1] &= p->above[w->paid]))
                return;
            w->owed_to = w->turn;
            w->top = card;
            w->paid = 0;
            w->turn ^= 1;
        } else if (w->owed_to == NOBODY)
            w->turn ^= 1;
        else {
            w->paid++;
            w->deciding = 1;
        }
        card = -1;
    }

    if (w->cards == MAX_WORD || d->nodes == 0)
        return;
    d->nodes--;
    /* The next card of the word: a number card, or a court card of some class; the drift is given. */
    const int in_drift = w->cards < p->is.drift_cards, given = in_drift ? p->is.drift[w->cards] : 0;
    if (w->numbers < d->numbers && (!in_drift || given == NUMBER)) {
        draft next = *w;
        next.word[next.cards++] = 0;
        next.numbers++;
        draft_on(d, &next, 0);
    }
    if (w->courts < d->courts && (!in_drift || given != NUMBER)) {
        draft next = *w;
        int id = p->short_courts + next.courts++;
        next.set_of[id] = in_drift ? 1 << (given - 1) : p->all;
        next.word[next.cards++] = 1 + id;
        draft_on(d, &next, 1 + id);
    }
}

void factory_small(factory *f, int numbers, int courts, uint64_t nodes)
{
    const seam_play *p = &f->play;
    drafting d = {.f = f, .nodes = nodes};
    d.numbers = numbers < f->tape[NUMBER] ? numbers : f->tape[NUMBER];
    d.courts = courts < f->tape_courts ? courts : f->tape_courts;
    draft start = {.turn = p->is.short_leads ? SHORT_HAND : LONG_HAND, .owed_to = NOBODY};
    int id = 0;
    for (int i = 0; i < p->is.short_cards; i++)
        if (p->is.short_hand[i]) {
            start.set_of[id] = 1 << (p->is.short_hand[i] - 1);
            start.short_hand[start.short_cards++] = ++id;
        } else
            start.short_hand[start.short_cards++] = 0;
    draft_on(&d, &start, -1);
}

/* ---- big pieces: breeding ---- */

static uint64_t word_hash(const uint8_t *codes, int cards)
{
    uint64_t h = cards;
    for (int i = 0; i < cards; i++)
        h = h * 0x9E3779B97F4A7C15u + codes[i] + 1;
    return mix64(h) | 1;
}

/* Whether the word was not met in this epoch; when the table is full, every word is new. */
static int is_new(factory *f, const uint8_t *codes, int cards)
{
    uint64_t h = word_hash(codes, cards);
    size_t slot = h >> 8 & (SEEN_SLOTS - 1);
    for (; f->seen[slot]; slot = (slot + 1) & (SEEN_SLOTS - 1))
        if (f->seen[slot] == h)
            return 0;
    if (f->n_seen < SEEN_SLOTS / 4 * 3) {
        f->seen[slot] = h;
        f->n_seen++;
    }
    return 1;
}

static int fits_tape(const factory *f, const uint8_t *codes, int cards)
{
    int left[CLASSES];
    memcpy(left, f->tape, sizeof left);
    for (int i = 0; i < cards; i++)
        if (--left[codes[i]] < 0)
            return 0;
    return 1;
}

/* Tests a word and keeps it as a parent if it does what parents must. */
static void consider(factory *f, rng *random, const breed *how, const uint8_t *codes, int cards)
{
    if (cards < SHORTEST_BRED || cards > how->cards || !fits_tape(f, codes, cards))
        return;
    int peak, rounds = try_word(f, codes, cards, &peak);
    if (rounds < 1 || peak < how->peak || !is_new(f, codes, cards))
        return;
    int at = f->level_words[rounds] < LEVEL_WORDS ? f->level_words[rounds]++ : (int)rng_below(random, LEVEL_WORDS);
    word *w = &f->level[rounds][at];
    memcpy(w->codes, codes, cards);
    w->cards = cards;
}

static int chance(rng *random, int of_1024)
{
    return (int)(rng_next(random) >> 54) < of_1024;
}

/* Makes a word from nothing while playing it: few court cards until the short hand has reached
 * the wanted peak, then many; tests it wherever its first round could end. */
static void fresh_word(factory *f, rng *random, const breed *how)
{
    const seam_play *p = &f->play;
    uint8_t codes[MAX_WORD], hand[2 * MAX_PACKED_CARDS], pile[MAX_PACKED_CARDS];
    int left[CLASSES], courts_left = f->tape_courts;
    int cards = 0, top = 0, end = p->is.short_cards, leader = p->is.short_leads ? SHORT_HAND : LONG_HAND;
    int reached = 0;
    /* The densities vary from word to word, between a third and the double of what was asked. */
    int early = (int)(how->early * (341 + rng_below(random, 1024)) / 768);
    int late = (int)(how->late * (682 + rng_below(random, 682)) / 1024);
    memcpy(left, f->tape, sizeof left);
    memcpy(hand, p->is.short_hand, end);
    for (;;) {
        int pile_cards = 0, turn = leader, owner = NOBODY, owed = 0;
        for (;;) {
            int c;
            if (turn == LONG_HAND) {
                if (cards >= how->cards)
                    return;
                if (cards < p->is.drift_cards)
                    c = p->is.drift[cards];
                else if (chance(random, reached ? late : early)) {
                    if (courts_left == 0)
                        return;
                    int r = (int)rng_below(random, courts_left);
                    for (c = JACK; r >= left[c]; c++)
                        r -= left[c];
                } else
                    c = NUMBER;
                if (left[c] == 0)
                    return;
                left[c]--;
                courts_left -= c != NUMBER;
                codes[cards++] = c;
            } else {
                if (top == end)
                    return;
                c = hand[top++];
            }
            pile[pile_cards++] = c;
            if (c) {
                owner = turn;
                owed = p->pay[c];
                turn ^= 1;
            } else if (owner == NOBODY)
                turn ^= 1;
            else if (--owed == 0)
                break;
        }
        leader = owner;
        if (owner == SHORT_HAND) {
            if (end + pile_cards > (int)sizeof hand) {
                memmove(hand, hand + top, end - top);
                end -= top;
                top = 0;
            }
            memcpy(hand + end, pile, pile_cards);
            end += pile_cards;
            reached |= end - top >= how->peak;
        }
        if (leader == p->is.short_leads && end - top == p->is.short_cards && !memcmp(hand + top, p->is.short_hand, end - top)) {
            if (!reached)
                return;
            consider(f, random, how, codes, cards);
            if (chance(random, 512))
                return;
        }
    }
}

static int any_class(rng *random)
{
    return chance(random, 460) ? NUMBER : JACK + (int)rng_below(random, CLASSES - 1);
}

/* One of five edits at random places behind the drift. */
static int edit(rng *random, uint8_t *codes, int cards, int first)
{
    int room = cards - first;
    if (room < 2)
        return cards;
    int i = first + (int)rng_below(random, room), j = first + (int)rng_below(random, room);
    uint8_t c = codes[i];
    switch (rng_below(random, 5)) {
    case 0:
        if (cards == MAX_WORD)
            return cards;
        i = first + (int)rng_below(random, room + 1);
        memmove(codes + i + 1, codes + i, cards - i);
        codes[i] = any_class(random);
        return cards + 1;
    case 1:
        memmove(codes + i, codes + i + 1, cards - i - 1);
        return cards - 1;
    case 2:
        codes[i] = any_class(random);
        return cards;
    case 3:
        codes[i] = codes[j];
        codes[j] = c;
        return cards;
    default:
        memmove(codes + i, codes + i + 1, cards - i - 1);
        memmove(codes + j + 1, codes + j, cards - 1 - j);
        codes[j] = c;
        return cards;
    }
}

void factory_breed(factory *f, rng *random, const breed *how, uint64_t tests)
{
    enum { FRESH = 51 /* of 1024 children */, SECOND = 512, THIRD = 256, FOURTH = 128 };
    const uint64_t until = f->tests + tests;
    /* Words that do not fit the tape cost nothing and are not tests: bounded too. */
    uint64_t children = 4 * tests;
    int top = 0;
    memset(f->level_words, 0, sizeof f->level_words);
    memset(f->seen, 0, SEEN_SLOTS * sizeof *f->seen);
    f->n_seen = 0;
    while (f->tests < until && children--) {
        while (top < LEVELS && f->level_words[top + 1])
            top++;
        for (int k = LEVELS; k > top; k--)
            if (f->level_words[k])
                top = k;
        if (top == 0 || chance(random, FRESH)) {
            fresh_word(f, random, how);
            continue;
        }
        int k;
        do
            k = 1 + (int)rng_below(random, top);
        while (!f->level_words[k]);
        const word *parent = &f->level[k][rng_below(random, f->level_words[k])];
        uint8_t codes[MAX_WORD];
        int cards = parent->cards;
        memcpy(codes, parent->codes, cards);
        int edits = 1 + chance(random, SECOND) + chance(random, THIRD) + chance(random, FOURTH);
        while (edits--)
            cards = edit(random, codes, cards, f->play.is.drift_cards);
        consider(f, random, how, codes, cards);
    }
}

/* ---- closure ---- */

typedef struct {
    factory *f;
    uint64_t until;
} closing;

/* Calls itself for every word that is one edit away, `edits` deep, and tests each. */
static void close_word(closing *c, const uint8_t *codes, int cards, int edits)
{
    factory *f = c->f;
    const int first = f->play.is.drift_cards;
    uint8_t near[MAX_WORD + 1];
    for (int i = first; i <= cards; i++)
        for (int kind = 0; kind <= 2 * CLASSES; kind++) {
            int n = cards;
            memcpy(near, codes, cards);
            if (kind < CLASSES) {                 /* insert before card i; equal neighbours give equal words */
                if (cards == MAX_WORD || (i > 0 && codes[i - 1] == kind))
                    continue;
                memcpy(near + i + 1, codes + i, cards - i);
                near[i] = kind;
                n++;
            } else if (kind < 2 * CLASSES) {      /* another rank */
                if (i == cards || codes[i] == kind - CLASSES)
                    continue;
                near[i] = kind - CLASSES;
            } else {                              /* take out */
                if (i == cards || cards <= first + 1 || (i > 0 && codes[i] == codes[i - 1]))
                    continue;
                memcpy(near + i, codes + i + 1, cards - i - 1);
                n--;
            }
            if (f->tests >= c->until)
                return;
            int peak;
            if (fits_tape(f, near, n))
                try_word(f, near, n, &peak);
            if (edits > 1)
                close_word(c, near, n, edits - 1);
        }
}

/* Marks what number of cards and court cards up to two pieces can add to a tape. */
enum { TABLE = MAX_WORD + 3 };

static void mark_complements(const factory *f, uint8_t reach[TABLE][MAX_COURTS + 3])
{
    static const int slack = 1;
    uint8_t one[TABLE][MAX_COURTS + 3] = {{0}};
    memset(reach, 0, TABLE * (MAX_COURTS + 3));
    one[0][0] = 1;
    for (size_t i = 0; i < f->n_pieces; i++)
        one[f->pieces[i].cards - f->pieces[i].courts][f->pieces[i].courts] = 1;
    for (int n1 = 0; n1 <= f->tape[NUMBER]; n1++)
        for (int c1 = 0; c1 <= f->tape_courts; c1++)
            if (one[n1][c1])
                for (int n2 = 0; n1 + n2 <= f->tape[NUMBER]; n2++)
                    for (int c2 = 0; c1 + c2 <= f->tape_courts; c2++)
                        if (one[n2][c2])
                            for (int dn = -slack; dn <= slack; dn++)
                                for (int dc = -slack; dc <= slack; dc++)
                                    if (n1 + n2 + dn >= 0 && c1 + c2 + dc >= 0)
                                        reach[n1 + n2 + dn][c1 + c2 + dc] = 1;
}

void factory_close(factory *f, int peak, rng *random, uint64_t tests)
{
    uint8_t reach[TABLE][MAX_COURTS + 3];
    closing c = {.f = f, .until = f->tests + tests};
    mark_complements(f, reach);
    while (f->tests < c.until) {
        /* The highest peak first; where equal, a random one. */
        size_t best = f->n_pieces, ties = 0;
        for (size_t i = 0; i < f->n_pieces; i++) {
            const piece *q = &f->pieces[i];
            if (q->closed || q->peak < peak ||
                !reach[f->tape[NUMBER] - (q->cards - q->courts)][f->tape_courts - q->courts])
                continue;
            if (best == f->n_pieces || q->peak > f->pieces[best].peak) {
                best = i;
                ties = 1;
            } else if (q->peak == f->pieces[best].peak && rng_below(random, ++ties) == 0)
                best = i;
        }
        if (best == f->n_pieces)
            return;
        piece *q = &f->pieces[best];
        q->closed = 1;
        /* Any ranks that fit the shape do; so does any phase. */
        const phase *at = &f->phases[q->first + rng_below(random, q->rounds)];
        uint8_t codes[MAX_WORD];
        uint64_t sets = at->sets;
        for (int i = 0; i < q->cards; i++) {
            codes[i] = NUMBER;
            if (at->mask >> i & 1) {
                int set = sets & 15, pick = (int)rng_below(random, __builtin_popcount(set));
                while (pick--)
                    set &= set - 1;
                codes[i] = JACK + __builtin_ctz(set);
                sets >>= 4;
            }
        }
        close_word(&c, codes, q->cards, 2);
    }
}
