/* Plays many deals of many kinds on every engine and compares each result with the careful engine.
 *
 *   agreement GAMES [ENGINE]      games of each kind; one engine instead of all that are available
 *
 * Ends with status 1 if any result differs. agreement.py builds and runs it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine.h"
#include "packed.h"
#include "ring.h"
#include "rng.h"

enum { BATCH = 1 << 14, ANY_SPLIT = -1 };

typedef enum {
    SHUFFLED,      /* uniformly */
    CLUSTERED,     /* the court cards within a short stretch of each hand: gaps at and over every limit */
    COURTS_FIRST,  /* the court cards on top of the hands, hardly a number card between: the longest piles */
    ONE_HAND,      /* all court cards in one hand */
    ANY_DECK,      /* every deal of another deck */
} arrangement;

typedef struct {
    const char *name;
    int of[CLASSES];
    int first;
    pays pays;
    arrangement arrangement;
} kind;

#define STANDARD_DECK {36, 4, 4, 4, 4}
#define USUAL_PAYS {{0, 1, 2, 3, 4}}

static const kind KINDS[] = {
    {"standard", STANDARD_DECK, 26, USUAL_PAYS, SHUFFLED},
    {"italian, 40 cards", {28, 4, 4, 4, 0}, 20, USUAL_PAYS, SHUFFLED},
    {"64 cards", {48, 4, 4, 4, 4}, 32, USUAL_PAYS, SHUFFLED},
    {"standard, any split", STANDARD_DECK, ANY_SPLIT, USUAL_PAYS, SHUFFLED},
    {"standard, clustered", STANDARD_DECK, 26, USUAL_PAYS, CLUSTERED},
    {"64 cards, clustered", {48, 4, 4, 4, 4}, ANY_SPLIT, USUAL_PAYS, CLUSTERED},
    {"64 cards, 6 courts, clustered", {58, 1, 2, 2, 1}, ANY_SPLIT, USUAL_PAYS, CLUSTERED},
    {"standard, courts first", STANDARD_DECK, 26, USUAL_PAYS, COURTS_FIRST},
    {"64 cards, courts first", {48, 4, 4, 4, 4}, ANY_SPLIT, USUAL_PAYS, COURTS_FIRST},
    {"15 courts, courts first", {33, 4, 3, 4, 4}, ANY_SPLIT, {{0, 4, 4, 4, 3}}, COURTS_FIRST},
    {"24 cards, courts first", {8, 4, 4, 4, 4}, ANY_SPLIT, USUAL_PAYS, COURTS_FIRST},
    {"one hand", STANDARD_DECK, 26, USUAL_PAYS, ONE_HAND},
    {"one hand, any split", {48, 4, 4, 4, 4}, ANY_SPLIT, USUAL_PAYS, ONE_HAND},
    {"only courts", {0, 4, 4, 4, 4}, ANY_SPLIT, USUAL_PAYS, SHUFFLED},
    {"pays 1 only", STANDARD_DECK, 26, {{0, 1, 1, 1, 1}}, SHUFFLED},
    {"pays 4 only", STANDARD_DECK, 26, {{0, 4, 4, 4, 4}}, SHUFFLED},
    {"pays to 6", STANDARD_DECK, 26, {{0, 6, 5, 2, 1}}, SHUFFLED},
    {"pays to 7", STANDARD_DECK, ANY_SPLIT, {{0, 7, 5, 2, 1}}, SHUFFLED},
    {"four cards of one class", {8, 4, 0, 0, 0}, ANY_SPLIT, USUAL_PAYS, SHUFFLED},
    {"small", {6, 2, 1, 1, 0}, ANY_SPLIT, USUAL_PAYS, SHUFFLED},
    {"tiny", {3, 1, 0, 1, 0}, ANY_SPLIT, USUAL_PAYS, SHUFFLED},
    {"any deck", {0}, ANY_SPLIT, USUAL_PAYS, ANY_DECK},
    {"any deck, pays reversed", {0}, ANY_SPLIT, {{0, 4, 3, 2, 1}}, ANY_DECK},
};

static void shuffle(rng *r, uint8_t *codes, int n)
{
    for (int i = n - 1; i > 0; i--) {
        int j = (int)rng_below(r, (uint64_t)i + 1);
        uint8_t code = codes[i];
        codes[i] = codes[j];
        codes[j] = code;
    }
}

/* Puts the court cards of a hand among `span` cards from `start`; the rest are number cards. */
static void place_courts(rng *r, uint8_t *hand, int size, int start, int span)
{
    uint8_t in_span[MAX_PACKED_CARDS];
    int courts = 0;

    for (int i = 0; i < size; i++)
        if (hand[i])
            in_span[courts++] = hand[i];
    span = span < courts ? courts : span > size ? size : span;
    start = start > size - span ? size - span : start;
    memset(in_span + courts, NUMBER, (size_t)(span - courts));
    shuffle(r, in_span, span);
    memset(hand, NUMBER, (size_t)size);
    memcpy(hand + start, in_span, (size_t)span);
}

static void make_deal(rng *r, const kind *k, packed_deal *deal)
{
    uint8_t codes[MAX_PACKED_CARDS];
    int cards = 0, courts = 0, first;

    if (k->arrangement == ANY_DECK) {
        cards = 1 + (int)rng_below(r, MAX_PACKED_CARDS);
        courts = (int)rng_below(r, 1 + (uint64_t)(cards < MAX_PACKED_COURTS ? cards : MAX_PACKED_COURTS));
        for (int i = 0; i < cards; i++)
            codes[i] = i < courts ? (uint8_t)(JACK + rng_below(r, CLASSES - JACK)) : NUMBER;
    } else {
        for (int c = CLASSES - 1; c >= 0; c--)
            for (int i = 0; i < k->of[c]; i++, cards++)
                codes[cards] = (uint8_t)c;
        courts = cards - k->of[NUMBER];
    }
    first = k->first == ANY_SPLIT ? (int)rng_below(r, (uint64_t)cards + 1) : k->first;
    if (k->arrangement == ONE_HAND && first < courts && cards - first < courts)
        first = courts;
    if (k->arrangement == ONE_HAND) {
        if (first >= courts && (cards - first < courts || rng_below(r, 2))) {
            shuffle(r, codes, first);
        } else {
            shuffle(r, codes, courts);
            for (int i = 0; i < courts; i++) {
                codes[cards - 1 - i] = codes[i];
                codes[i] = NUMBER;
            }
            shuffle(r, codes + first, cards - first);
        }
    } else {
        shuffle(r, codes, cards);
    }
    if (k->arrangement == CLUSTERED || k->arrangement == COURTS_FIRST) {
        for (int seat = 0; seat < 2; seat++) {
            int from = seat ? first : 0, size = seat ? cards - first : first;
            int top = k->arrangement == COURTS_FIRST;
            int start = top ? 0 : (int)rng_below(r, (uint64_t)size + 1), most = top ? 10 : 14;
            place_courts(r, codes + from, size, start, (int)rng_below(r, (uint64_t)most));
        }
    }
    if (!codes_to_packed(codes, cards, first, deal))
        abort();
}

typedef struct {
    packed_deal deals[BATCH];
    game_result right[BATCH], played[BATCH];
} batch;

static void print_deal(const packed_deal *deal)
{
    uint8_t codes[MAX_PACKED_CARDS];

    packed_to_codes(deal, codes);
    for (int i = 0; i < deal->cards; i++)
        printf("%s%c", i == deal->first ? "/" : "", "-JQKA"[codes[i]]);
}

/* Returns how many results differ. */
static long compare(const engine *e, const kind *k, batch *b, size_t n)
{
    long wrong = 0;

    memset(b->played, 0xEE, n * sizeof *b->played);
    engine_play_batch(e, &k->pays, b->deals, n, b->played);
    for (size_t i = 0; i < n; i++) {
        if (memcmp(&b->right[i], &b->played[i], sizeof b->right[i]) == 0)
            continue;
        if (wrong++ == 0) {
            printf("%s, %s: ", e->name, k->name);
            print_deal(&b->deals[i]);
            printf(" is %u cards, %u tricks, status %u; played %u, %u, %u\n", b->right[i].cards, b->right[i].tricks,
                   b->right[i].status, b->played[i].cards, b->played[i].tricks, b->played[i].status);
        }
    }
    return wrong;
}

int main(int argc, char **argv)
{
    long games = argc > 1 ? atol(argv[1]) : 100000, wrong_in_all = 0;
    const char *name = argc > 2 ? argv[2] : NULL;
    batch *b = malloc(sizeof *b);
    int compared = 0;

    if (!b || games < 1)
        return 2;
    for (size_t i = 0; i < sizeof KINDS / sizeof *KINDS; i++) {
        const kind *k = &KINDS[i];
        rng r = {rng_stream_of(1, i, 0), 0};
        long infinite = 0, old = 0;

        for (long done = 0; done < games; done += BATCH) {
            size_t n = games - done < BATCH ? (size_t)(games - done) : BATCH;
            for (size_t j = 0; j < n; j++)
                make_deal(&r, k, &b->deals[j]);
            engine_play_batch(&RING_ENGINE, &k->pays, b->deals, n, b->right);
            for (size_t j = 0; j < n; j++) {
                infinite += b->right[j].status == INFINITE;
                old += b->right[j].tricks >= CAREFUL_AGE;
            }
            for (const engine *const *e = ENGINES; *e; e++) {
                if (*e == &RING_ENGINE || !(*e)->available() || (name && strcmp(name, (*e)->name) != 0))
                    continue;
                if (!(*e)->plays(&k->pays, 52, 16))   /* these pays; the deck is a matter of speed */
                    continue;
                wrong_in_all += compare(*e, k, b, n);
                compared++;
            }
        }
        printf("%-32s %ld games, %ld infinite, %ld of %d tricks or more\n", k->name, games, infinite, old, CAREFUL_AGE);
    }
    free(b);
    if (!compared)
        printf("no engine %s here\n", name ? name : "but the careful one");
    printf("%ld results differ\n", wrong_in_all);
    return wrong_in_all || !compared;
}
