#include "factory_tapes.h"

#include <stdlib.h>
#include <string.h>

enum {
    MAX_PARTS = 8,
    NUMBERS = MAX_PACKED_CARDS + 1,
    COURTS = MAX_COURTS + 1,
    FIRST_NAMES = 1 << 12,       /* slots of the table of names at first */
};

struct tapes {
    factory *f;
    pays pay;
    int leader_cards, deck;
    tape_limits limits;
    tape_counts counts;
    basin *basin;
    uint64_t most;               /* tapes of the call that runs */
    int no_memory;
    uint8_t whole_within[CLASS_SETS];

    /* Which number cards and court cards up to k pieces hold together. */
    uint8_t reach[MAX_PARTS + 1][NUMBERS][COURTS];

    const piece *part[MAX_PARTS];        /* of the tape that is being made, */
    int parts;
    const phase *at[MAX_PARTS];          /* and what of it stands in which place */
    uint8_t cards[MAX_PARTS], courts[MAX_PARTS];

    uint64_t *names;             /* hashes of the cycles that were met, 0 where free */
    size_t name_slots, n_names;
    made_cycle *cycle;
    size_t n_cycles, room_cycles;
    made_deal *deal;
    size_t n_deals, room_deals;
};

tapes *tapes_new(factory *f, const pays *pay, int leader_cards, const tape_limits *limits)
{
    tapes *t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    t->f = f;
    t->pay = *pay;
    t->leader_cards = leader_cards;
    t->limits = *limits;
    if (t->limits.parts > MAX_PARTS)
        t->limits.parts = MAX_PARTS;
    const int *tape = factory_tape(f);
    for (int set = 0; set < CLASS_SETS; set++)
        for (int c = JACK; c < CLASSES; c++)
            if (set >> (c - 1) & 1)
                t->whole_within[set] += tape[c];
    t->basin = basin_new(limits->basin);
    t->name_slots = FIRST_NAMES;
    t->names = calloc(t->name_slots, sizeof *t->names);
    if (!t->basin || !t->names) {
        tapes_free(t);
        return NULL;
    }
    return t;
}

void tapes_free(tapes *t)
{
    if (!t)
        return;
    basin_free(t->basin);
    free(t->names);
    free(t->cycle);
    free(t->deal);
    free(t);
}

const tape_counts *tapes_counts(const tapes *t) { return &t->counts; }
size_t tapes_cycles(const tapes *t) { return t->n_cycles; }
const made_cycle *tapes_cycle(const tapes *t, size_t i) { return &t->cycle[i]; }
size_t tapes_deals(const tapes *t) { return t->n_deals; }
const made_deal *tapes_deal(const tapes *t, size_t i) { return &t->deal[i]; }

/* A list that grows: makes room for one more. */
static int grow(void **list, size_t n, size_t *room, size_t each)
{
    if (n < *room)
        return 1;
    size_t more = *room ? 2 * *room : 256;
    void *bigger = realloc(*list, more * each);
    if (!bigger)
        return 0;
    *list = bigger;
    *room = more;
    return 1;
}

/* Whether a name is new; takes it in. */
static int new_name(tapes *t, const char *text, int n)
{
    uint64_t h = n;
    for (int i = 0; i < n; i++)
        h = mix64(h * 0x9E3779B97F4A7C15u + (uint8_t)text[i]);
    h |= 1;
    if (4 * t->n_names >= 3 * t->name_slots) {
        uint64_t *more = calloc(2 * t->name_slots, sizeof *more);
        if (!more) {
            t->no_memory = 1;
            return 0;
        }
        for (size_t i = 0; i < t->name_slots; i++)
            if (t->names[i]) {
                size_t slot = t->names[i] >> 8 & (2 * t->name_slots - 1);
                while (more[slot])
                    slot = (slot + 1) & (2 * t->name_slots - 1);
                more[slot] = t->names[i];
            }
        free(t->names);
        t->names = more;
        t->name_slots *= 2;
    }
    size_t slot = h >> 8 & (t->name_slots - 1);
    for (; t->names[slot]; slot = (slot + 1) & (t->name_slots - 1))
        if (t->names[slot] == h)
            return 0;
    t->names[slot] = h;
    t->n_names++;
    return 1;
}

/* The cycle of a tape, and what leads into it. `codes`: the tape. */
static void follow_tape(tapes *t, const uint8_t *codes, int cards)
{
    const seam *s = &factory_seam(t->f)->is;
    uint8_t hands[MAX_PACKED_CARDS];
    uint8_t *at = hands;
    const int long_cards = cards + s->drift_cards;
    t->counts.tapes++;
    if (s->short_leads) {
        memcpy(at, s->short_hand, s->short_cards);
        at += s->short_cards;
    }
    memcpy(at, codes, cards);
    memcpy(at + cards, s->drift, s->drift_cards);
    if (!s->short_leads)
        memcpy(at + long_cards, s->short_hand, s->short_cards);
    position from;
    loop found;
    int status = position_from_codes(hands, long_cards + s->short_cards, s->short_leads ? s->short_cards : long_cards, &from)
                     ? find_loop(&t->pay, &from, t->limits.tricks, &found)
                     : 0;
    if (status != 1) {
        t->counts.long_cycles += status < 0;
        t->counts.broken += status == 0;
        return;
    }
    char name[POSITION_TEXT];
    int n = position_name(&found.name, name);
    if (!new_name(t, name, n))
        return;
    t->counts.cycles++;
    int complete = basin_fill(t->basin, &t->pay, &found, t->limits.basin);
    uint32_t size = basin_size(t->basin), deals = 0;
    t->counts.basin_positions += size;
    t->counts.incomplete += !complete;
    for (uint32_t i = 0; i < size; i++) {
        const position *p = basin_position(t->basin, i);
        if ((int)p->leader.cards != t->leader_cards)
            continue;
        if (!grow((void **)&t->deal, t->n_deals, &t->room_deals, sizeof *t->deal)) {
            t->no_memory = 1;
            return;
        }
        made_deal *d = &t->deal[t->n_deals++];
        position_to_codes(p, d->codes);
        d->cycle = t->n_cycles;
        d->lead_in = basin_lead_in(t->basin, i);
        deals++;
    }
    if (!deals)
        return;
    if (!grow((void **)&t->cycle, t->n_cycles, &t->room_cycles, sizeof *t->cycle)) {
        t->no_memory = 1;
        return;
    }
    made_cycle *c = &t->cycle[t->n_cycles++];
    *c = (made_cycle){.period = found.period, .cards = found.cards, .basin = size, .deals = deals,
                      .parts = t->parts, .complete = complete};
    memcpy(c->name, name, n);
    t->counts.with_deals++;
    t->counts.deals += deals;
}

static int enough(const tapes *t)
{
    return t->no_memory || t->counts.tapes >= t->most;
}

typedef struct {
    uint8_t codes[MAX_PACKED_CARDS];
    uint8_t place[MAX_COURTS], set[MAX_COURTS];   /* of the row's court cards */
    int cards, courts, left[CLASSES], tries;
} ranking_row;

/* Chooses ranks out of the sets so that the deck comes out. */
static void choose_ranks(tapes *t, ranking_row *r, int court)
{
    if (r->tries == 0 || enough(t))
        return;
    if (court == r->courts) {
        r->tries--;
        follow_tape(t, r->codes, r->cards);
        return;
    }
    for (int c = JACK; c < CLASSES; c++)
        if (r->set[court] >> (c - 1) & 1 && r->left[c]) {
            r->codes[r->place[court]] = c;
            r->left[c]--;
            choose_ranks(t, r, court + 1);
            r->left[c]++;
        }
}

/* A row of words, all places taken. */
static void make_row(tapes *t)
{
    ranking_row r = {.tries = t->limits.ranks};
    memcpy(r.left, factory_tape(t->f), sizeof r.left);
    for (int k = 0; k < t->parts; k++) {
        uint64_t sets = t->at[k]->sets;
        for (int i = 0; i < t->cards[k]; i++, r.cards++)
            if (t->at[k]->mask >> i & 1) {
                r.place[r.courts] = r.cards;
                r.set[r.courts++] = sets & 15;
                sets >>= 4;
            }
    }
    t->counts.rows++;
    choose_ranks(t, &r, 0);
}

/* All orders and phases of the parts behind the first, whose place and phase are fixed: a round
 * takes every part one phase on, and the tape is cyclic. */
static void place_parts(tapes *t, int place, unsigned used)
{
    if (enough(t))
        return;
    if (place == t->parts) {
        make_row(t);
        return;
    }
    for (int k = 0; k < t->parts; k++) {
        const piece *q = t->part[k];
        if (used >> k & 1 || (k && t->part[k - 1] == q && !(used >> (k - 1) & 1)))
            continue;            /* equal pieces stand in one order only */
        const phase *phases = factory_phases(t->f, q);
        for (int i = 0; i < (place ? q->rounds : 1); i++) {
            t->at[place] = &phases[i];
            t->cards[place] = q->cards;
            place_parts(t, place + 1, used | 1u << k);
        }
        if (place == 0)
            return;
    }
}

/* Adds pieces with indices below `end` until number cards and court cards are used up. */
static void add_parts(tapes *t, size_t end, int numbers, int courts, const uint8_t within[CLASS_SETS], int peak)
{
    if (enough(t))
        return;
    if (numbers == 0 && courts == 0) {
        if (peak >= t->limits.peak)
            place_parts(t, 0, 0);
        return;
    }
    const int more = t->limits.parts - t->parts;
    if (more == 0 || !t->reach[more][numbers][courts])
        return;
    for (size_t i = 0; i < end; i++) {
        const piece *q = factory_piece(t->f, i);
        int n = numbers - (q->cards - q->courts), c = courts - q->courts;
        if (n < 0 || c < 0 || !t->reach[more - 1][n][c])
            continue;
        /* Hall's condition for the choice of ranks: no set of classes is asked for too often. */
        uint8_t sum[CLASS_SETS];
        int fits = 1;
        for (int s = 0; s < CLASS_SETS; s++) {
            sum[s] = within[s] + q->within[s];
            fits &= sum[s] <= t->whole_within[s];
        }
        if (!fits)
            continue;
        t->part[t->parts++] = q;
        add_parts(t, i + 1, n, c, sum, q->peak > peak ? q->peak : peak);
        t->parts--;
    }
}

static void find_reach(tapes *t, size_t pieces)
{
    const int *tape = factory_tape(t->f);
    uint8_t one[NUMBERS][COURTS] = {{0}};
    for (size_t i = 0; i < pieces; i++) {
        const piece *q = factory_piece(t->f, i);
        one[q->cards - q->courts][q->courts] = 1;
    }
    int numbers = tape[NUMBER], courts = 0;
    for (int c = JACK; c < CLASSES; c++)
        courts += tape[c];
    memset(t->reach, 0, sizeof t->reach);
    t->reach[0][0][0] = 1;
    for (int k = 1; k <= t->limits.parts; k++)
        for (int n = 0; n <= numbers; n++)
            for (int c = 0; c <= courts; c++) {
                uint8_t yes = t->reach[k - 1][n][c];
                for (int n1 = 0; n1 <= n && !yes; n1++)
                    for (int c1 = 0; c1 <= c && !yes; c1++)
                        yes = one[n1][c1] && t->reach[k - 1][n - n1][c - c1];
                t->reach[k][n][c] = yes;
            }
}

int tapes_make(tapes *t, size_t first, size_t last, uint64_t most)
{
    const int *tape = factory_tape(t->f);
    int courts = 0;
    for (int c = JACK; c < CLASSES; c++)
        courts += tape[c];
    t->most = t->counts.tapes + most;
    find_reach(t, last);
    for (size_t i = first; i < last && !enough(t); i++) {
        const piece *q = factory_piece(t->f, i);
        if (q->cards - q->courts > tape[NUMBER] || q->courts > courts)
            continue;
        t->part[0] = q;
        t->parts = 1;
        add_parts(t, i + 1, tape[NUMBER] - (q->cards - q->courts), courts - q->courts, q->within, q->peak);
    }
    t->parts = 0;
    return !t->no_memory;
}
