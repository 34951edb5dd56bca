#include "climb.h"

#include <stdlib.h>
#include <string.h>

#include "packed.h"
#include "seats.h"

enum {
    FIRST_CHUNK = 128,      /* neighbours tested together before the first longer one is taken */
    ROUND_TESTS = 1024,     /* most tests of a walk in one engine run; makes no difference to a walk */
    STATE_FIELDS = 8,
    FIELD_BYTES = 8,
};

typedef enum { STARTING = 0, SCANNING = 1 } phase;

/* Where a walk stands. The first part is its state; what follows can be had from that. */
typedef struct {
    uint64_t phase;
    uint64_t starts;        /* deals begun with */
    uint64_t scans;         /* scans begun */
    uint64_t value;         /* of the deal it stands on */
    uint64_t done;          /* moves of this scan that have been looked at */
    uint64_t tests;         /* of them, those that gave a neighbour to test */
    uint64_t found_value;   /* of the neighbour to go to; 0: none yet */
    uint64_t found_at;      /* its place in the scan */
    uint8_t codes[MAX_CARDS];

    planes planes;          /* of the deal it stands on, if it can be packed */
    rng_stream orders;      /* what the orders of scans are drawn from */
    uint64_t offset, step;  /* move number (offset + k * step) mod moves is the k-th of this scan */
    uint64_t next_move;     /* the one with k = done */
    uint64_t left;          /* tests that remain in this leg */
    uint64_t room;          /* tests that it may still do in this round */
    int started;            /* has the deal that it starts from been tested in this round? */
} walk;

/* Which test of a round was what. */
typedef struct {
    uint32_t walk;
    uint64_t at;            /* place in the scan */
} test;

/* A deal to be tested: packed if the deck can be. */
typedef union {
    packed_deal packed;
    uint8_t codes[MAX_CARDS];
} tested_deal;

struct climb {
    deal_source source;     /* of the tests of a round */
    result_sink sink;
    const dealer *dealer;
    rng_stream starts;
    climb_options options;
    int cards, seats, packs;
    uint16_t sizes[MAX_SEATS];
    move_list moves;
    gather *gather;
    uint64_t improvements;
    uint64_t starts_before; /* of this leg */
    uint32_t turn;          /* the walk whose tests are being handed out */
    uint64_t handed_out;
    test tests[CLIMB_WALKS * ROUND_TESTS];
    walk walks[CLIMB_WALKS];
};

static uint64_t gcd(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* The order of scan number `scans`: all moves, each once, from a drawn one on by a drawn step. */
static void draw_order(const climb *c, walk *w)
{
    uint64_t n = c->moves.n;
    rng r = {w->orders, 2 * (w->scans - 1)};

    if (n < 2) {
        w->offset = w->next_move = 0;
        w->step = 1;
        return;
    }
    w->offset = rng_below(&r, n);
    w->step = 1 + rng_below(&r, n - 1);
    while (gcd(w->step, n) != 1)
        w->step++;           /* to n - 1 at the latest */
    w->next_move = (w->offset + w->done * w->step) % n;
}

static void begin_scan(const climb *c, walk *w)
{
    w->phase = SCANNING;
    w->scans++;
    w->done = w->tests = w->found_value = w->found_at = 0;
    draw_order(c, w);
}

static void begin_anew(walk *w)
{
    w->phase = STARTING;
    w->value = w->done = w->tests = w->found_value = w->found_at = 0;
}

/* The deal that a walk starts from; deals are numbered through all walks of the searcher. */
static void deal_start(climb *c, uint32_t i)
{
    walk *w = &c->walks[i];

    dealer_codes(c->dealer, c->starts, w->starts * CLIMB_WALKS + i, w->codes);
    w->starts++;
    if (c->packs)
        w->planes = planes_of(w->codes, c->cards);
}

static int scan_over(const climb *c, const walk *w)
{
    return w->done == c->moves.n || w->tests == c->options.patience;
}

/* The next move of a scan. */
static const move *take_move(const climb *c, walk *w)
{
    const move *m = &c->moves.at[w->next_move];

    w->done++;
    w->next_move += w->step;
    if (w->next_move >= c->moves.n)
        w->next_move -= c->moves.n;
    return m;
}

/* The next deal that walk number i tests in this round. 0: none in this round. */
static int next_test(climb *c, uint32_t i, tested_deal *deal)
{
    walk *w = &c->walks[i];
    int found = 0;

    if (w->room == 0)
        return 0;
    if (w->phase == STARTING) {
        deal_start(c, i);
        if (c->packs)
            deal->packed = planes_packed(&w->planes, c->cards, c->sizes[0]);
        else
            memcpy(deal->codes, w->codes, (size_t)c->cards);
        w->started = 1;
        w->room = 0;         /* nothing more before its value is known */
        found = 1;
    }
    while (!found && !scan_over(c, w)) {
        const move *m = take_move(c, w);
        planes to;
        if (c->packs) {
            found = move_planes(m, &w->planes, &to);
            if (found)
                deal->packed = planes_packed(&to, c->cards, c->sizes[0]);
        } else {
            found = move_codes(m, w->codes, c->cards, deal->codes);
        }
        if (found) {
            w->tests++;
            w->room--;
        }
    }
    if (!found) {
        w->room = 0;
        return 0;
    }
    w->left--;
    c->tests[c->handed_out++] = (test){i, w->done - 1};
    return 1;
}

/* Is `value` at place `at` of the scan a better one to go to than what was found so far? */
static int better(const climb *c, const walk *w, uint64_t value, uint64_t at)
{
    if (value <= w->value)
        return 0;
    if (w->found_value == 0)
        return 1;
    if (c->options.first_improvement)
        return at < w->found_at;
    return value > w->found_value || (value == w->found_value && at < w->found_at);
}

static void note_value(climb *c, const test *t, uint64_t cards, uint64_t tricks, int status)
{
    walk *w = &c->walks[t->walk];
    uint64_t value = status != FINITE ? 0 : c->options.wanted == FOR_TRICKS ? tricks : cards;

    if (w->phase == STARTING) {
        w->value = value;
    } else if (better(c, w, value, t->at)) {
        w->found_value = value;
        w->found_at = t->at;
    }
}

static size_t climb_next(deal_source *self, packed_deal *deals, size_t room, uint64_t *number)
{
    climb *c = (climb *)self;
    size_t n = 0;
    tested_deal deal;

    *number = c->handed_out;
    while (n < room && c->turn < CLIMB_WALKS) {
        if (next_test(c, c->turn, &deal))
            deals[n++] = deal.packed;
        else
            c->turn++;
    }
    return n;
}

static void climb_take(result_sink *self, const game_result *results, const packed_deal *deals, size_t n)
{
    climb *c = (climb *)((char *)self - offsetof(climb, sink));

    for (size_t i = 0; i < n; i++) {
        gather_packed(c->gather, &deals[i], &results[i]);
        note_value(c, &c->tests[results[i].number], results[i].cards, results[i].tricks, (int)results[i].status);
    }
}

/* The tests of a round on the careful engine, one by one. */
static void play_codes(climb *c, const pays *p)
{
    tested_deal deal;

    for (; c->turn < CLIMB_WALKS; c->turn++)
        while (next_test(c, c->turn, &deal)) {
            outcome o = careful_play(p, deal.codes, c->sizes, c->seats, NO_LIMIT);
            gather_codes(c->gather, deal.codes, c->cards, &o);
            note_value(c, &c->tests[c->handed_out - 1], o.cards, o.tricks, o.status);
        }
}

/* What a walk does next, now that all its tests have come back. */
static void step_walk(climb *c, walk *w)
{
    if (w->phase == STARTING) {
        if (w->started)
            begin_scan(c, w);
        w->started = 0;
        return;
    }
    int over = scan_over(c, w);
    int chunk_over = c->options.first_improvement && w->tests % FIRST_CHUNK == 0;
    if (w->found_value && (over || chunk_over)) {
        uint8_t codes[MAX_CARDS];
        move_codes(&c->moves.at[(w->offset + w->found_at * w->step) % c->moves.n], w->codes, c->cards, codes);
        memcpy(w->codes, codes, (size_t)c->cards);
        if (c->packs)
            w->planes = planes_of(w->codes, c->cards);
        w->value = w->found_value;
        c->improvements++;
        begin_scan(c, w);
    } else if (over) {
        begin_anew(w);
    }
}

/* How many tests a walk does before it looks at what they gave: no more than it has left, and, for
 * the first improvement, no more than to the end of the chunk. */
static uint64_t round_room(const climb *c, const walk *w)
{
    uint64_t room = c->options.first_improvement ? FIRST_CHUNK - w->tests % FIRST_CHUNK : ROUND_TESTS;

    return room < w->left ? room : w->left;
}

void climb_leg(climb *c, const engine *e, const pays *p, uint64_t tests, gather *g)
{
    c->gather = g;
    for (uint64_t i = 0; i < CLIMB_WALKS; i++)
        c->walks[i].left = tests / CLIMB_WALKS + (i < tests % CLIMB_WALKS);
    for (;;) {
        uint64_t left = 0;
        for (int i = 0; i < CLIMB_WALKS; i++) {
            c->walks[i].room = round_room(c, &c->walks[i]);
            left += c->walks[i].left;
        }
        if (left == 0)
            return;
        c->turn = 0;
        c->handed_out = 0;
        if (c->packs)
            e->run(p, &c->source, &c->sink);
        else
            play_codes(c, p);
        for (int i = 0; i < CLIMB_WALKS; i++)
            step_walk(c, &c->walks[i]);
    }
}

climb *climb_new(const dealer *d, const int *sizes, int seats, const climb_options *options, uint64_t seed, uint64_t searcher)
{
    climb *c = calloc(1, sizeof *c);

    if (!c)
        return NULL;
    c->source.next = climb_next;
    c->sink.take = climb_take;
    c->dealer = d;
    c->starts = rng_stream_of(seed, searcher, DOMAIN_CLIMB);
    c->options = *options;
    c->cards = dealer_cards(d);
    c->seats = seats;
    for (int seat = 0; seat < seats; seat++)
        c->sizes[seat] = (uint16_t)sizes[seat];
    c->packs = seats == 2 && dealer_packs(d);
    for (uint64_t i = 0; i < CLIMB_WALKS; i++)
        c->walks[i].orders = rng_stream_of(seed, searcher, DOMAIN_CLIMB + 1 + i);
    if (!moves_list(&c->moves, options->move_kinds, sizes, seats)) {
        free(c);
        return NULL;
    }
    return c;
}

void climb_free(climb *c)
{
    if (!c)
        return;
    moves_free(&c->moves);
    free(c);
}

static uint64_t *field(walk *w, int i)
{
    uint64_t *fields[STATE_FIELDS] = {&w->phase, &w->starts, &w->scans,       &w->value,
                                      &w->done,  &w->tests,  &w->found_value, &w->found_at};
    return fields[i];
}

size_t climb_state_size(const climb *c)
{
    return CLIMB_WALKS * (STATE_FIELDS * FIELD_BYTES + (size_t)c->cards);
}

void climb_save(const climb *c, uint8_t *state)
{
    for (int i = 0; i < CLIMB_WALKS; i++) {
        walk w = c->walks[i];
        for (int f = 0; f < STATE_FIELDS; f++)
            for (int byte = 0; byte < FIELD_BYTES; byte++)
                *state++ = (uint8_t)(*field(&w, f) >> (8 * byte));
        memcpy(state, w.codes, (size_t)c->cards);
        state += c->cards;
    }
}

int climb_load(climb *c, const uint8_t *state)
{
    c->starts_before = 0;
    for (int i = 0; i < CLIMB_WALKS; i++) {
        walk *w = &c->walks[i];
        for (int f = 0; f < STATE_FIELDS; f++) {
            *field(w, f) = 0;
            for (int byte = 0; byte < FIELD_BYTES; byte++)
                *field(w, f) |= (uint64_t)*state++ << (8 * byte);
        }
        memcpy(w->codes, state, (size_t)c->cards);
        state += c->cards;
        c->starts_before += w->starts;
        if (w->phase > SCANNING || w->done > c->moves.n || w->tests > w->done || w->found_at > w->done ||
            (w->phase == SCANNING && w->scans == 0))
            return 0;
        if (w->phase == STARTING)
            continue;
        for (int card = 0; card < c->cards; card++)
            if (w->codes[card] >= CLASSES)
                return 0;
        composition deck = dealer_deck(c->dealer), mine = codes_composition(w->codes, c->cards);
        if (memcmp(&deck, &mine, sizeof deck) != 0)
            return 0;
        if (c->packs)
            w->planes = planes_of(w->codes, c->cards);
        draw_order(c, w);
    }
    return 1;
}

uint64_t climb_improvements(const climb *c)
{
    return c->improvements;
}

uint64_t climb_starts(const climb *c)
{
    uint64_t starts = 0;

    for (int i = 0; i < CLIMB_WALKS; i++)
        starts += c->walks[i].starts;
    return starts - c->starts_before;
}
