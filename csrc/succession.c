#include "succession.h"

#include <stdlib.h>
#include <string.h>

#include "packed.h"
#include "ranking.h"

/* Places at the end of the deck that run through lists. Longer lists mean fewer ends of lists, but
 * with more places the lists of the standard deck would not stay in the cache. */
enum { ENDING = 8 };

/* An order of the cards in the last places, as bits of a packed deal: which places hold court cards,
 * and the two bits of their ranks. */
typedef struct {
    uint8_t courts, rank_lo, rank_hi;
} ending;
_Static_assert(ENDING <= 8, "an ending is kept in bytes");

/* A set of cards in the last places has a number: its counts of court cards in base ENDING + 1. */
enum { SETS = (ENDING + 1) * (ENDING + 1) * (ENDING + 1) * (ENDING + 1) };

struct succession {
    int cards, first, places;    /* places: of the ending; fewer than ENDING where the deck is smaller */
    uint8_t codes[MAX_PACKED_CARDS];
    packed_deal before;          /* the cards before the ending, packed */
    int courts_before;
    const ending *at, *end;      /* in the list of the present ending */
    uint32_t start[SETS + 1];    /* start[set] .. start[set+1]-1: its list in `lists` */
    ending *lists;
};

static uint32_t weight_of(int class)
{
    static const uint16_t WEIGHT[CLASSES] = {
        0, 1, ENDING + 1, (ENDING + 1) * (ENDING + 1), (ENDING + 1) * (ENDING + 1) * (ENDING + 1),
    };
    return WEIGHT[class];
}

/* A builder of lists: goes through all endings in order, first counting, then writing. */
typedef struct {
    succession *s;
    composition left;
    uint32_t *next;              /* of each set: where its next entry goes, or how many it has so far */
    int writing;
} builder;

static void build_from(builder *b, int place, uint32_t set, packed_deal so_far)
{
    if (place == b->s->places) {
        if (b->writing)
            b->s->lists[b->next[set]] = (ending){(uint8_t)so_far.courts, (uint8_t)so_far.rank_lo, (uint8_t)so_far.rank_hi};
        b->next[set]++;
        return;
    }
    int court = __builtin_popcountll(so_far.courts);
    for (int class = CLASSES - 1; class >= 0; class--) {
        if (b->left.of[class] == 0)
            continue;
        packed_deal longer = so_far;
        if (class != NUMBER) {
            longer.courts |= (uint64_t)1 << place;
            longer.rank_lo |= (uint16_t)(((class - 1) & 1) << court);
            longer.rank_hi |= (uint16_t)((class - 1) >> 1 << court);
        }
        b->left.of[class]--;
        build_from(b, place + 1, set + weight_of(class), longer);
        b->left.of[class]++;
    }
}

/* Fills the lists of all sets of cards of the deck. 0: out of memory. */
static int build_lists(succession *s)
{
    builder b = {.s = s, .left = codes_composition(s->codes, s->cards), .next = calloc(SETS, sizeof *b.next)};
    packed_deal nothing = {0};
    uint32_t total = 0;

    if (!b.next)
        return 0;
    build_from(&b, 0, 0, nothing);
    for (int set = 0; set < SETS; set++) {
        s->start[set] = total;
        total += b.next[set];
        b.next[set] = s->start[set];
    }
    s->start[SETS] = total;
    s->lists = malloc(total * sizeof *s->lists);
    if (s->lists) {
        b.writing = 1;
        build_from(&b, 0, 0, nothing);
    }
    free(b.next);
    return s->lists != NULL;
}

/* Packs the cards before the ending, and turns to the list of the cards in the ending. */
static void turn_to_list(succession *s)
{
    int before = s->cards - s->places;
    uint32_t set = 0;

    codes_to_packed(s->codes, before, 0, &s->before);
    s->before.cards = (uint8_t)s->cards;
    s->before.first = (uint8_t)s->first;
    s->courts_before = __builtin_popcountll(s->before.courts);
    for (int i = before; i < s->cards; i++)
        set += weight_of(s->codes[i]);
    s->at = s->lists + s->start[set];
    s->end = s->lists + s->start[set + 1];
}

/* Moves the cards before the ending on by one order, as the last order of an ending does. */
static void move_on(succession *s)
{
    composition in_ending = codes_composition(s->codes + s->cards - s->places, s->places);
    int at = s->cards - s->places;

    for (int class = 0; class < CLASSES; class++)
        for (int i = 0; i < in_ending.of[class]; i++)
            s->codes[at++] = (uint8_t)class;
    if (next_order(s->codes, s->cards) >= 0)
        turn_to_list(s);
}

succession *succession_new(const uint8_t *codes, int cards, int first)
{
    succession *s = calloc(1, sizeof *s);

    if (!s)
        return NULL;
    s->cards = cards;
    s->first = first;
    s->places = cards < ENDING ? cards : ENDING;
    memcpy(s->codes, codes, (size_t)cards);
    if (!build_lists(s)) {
        succession_free(s);
        return NULL;
    }
    turn_to_list(s);
    s->at += (size_t)index_of_codes(codes + cards - s->places, s->places);
    return s;
}

void succession_free(succession *s)
{
    if (!s)
        return;
    free(s->lists);
    free(s);
}

void succession_packed(succession *s, size_t n, packed_deal *deals)
{
    const int places_before = s->cards - s->places;

    while (n > 0) {
        if (s->at == s->end)
            move_on(s);
        size_t here = (size_t)(s->end - s->at) < n ? (size_t)(s->end - s->at) : n;
        const packed_deal before = s->before;
        const int courts_before = s->courts_before;
        for (size_t i = 0; i < here; i++) {
            const ending e = s->at[i];
            deals[i] = before;
            deals[i].courts |= (uint64_t)e.courts << places_before;
            deals[i].rank_lo |= (uint16_t)(e.rank_lo << courts_before);
            deals[i].rank_hi |= (uint16_t)(e.rank_hi << courts_before);
        }
        s->at += here;
        deals += here;
        n -= here;
    }
}

static size_t successive_next(deal_source *self, packed_deal *deals, size_t room, uint64_t *number)
{
    successive *s = (successive *)self;
    uint64_t left = s->end - s->next;
    size_t n = left < room ? (size_t)left : room;

    succession_packed(s->deals, n, deals);
    *number = s->next;
    s->next += n;
    return n;
}

successive successive_deals(succession *s, uint64_t n)
{
    return (successive){.source.next = successive_next, .deals = s, .next = 0, .end = n};
}
