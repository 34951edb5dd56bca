#include "places.h"

#include <stdlib.h>
#include <string.h>

enum { A, B };                                   /* the player with the shorter hand at first, and the other */
enum { OPEN, IS_NUMBER, IS_COURT };              /* what is known of a cell */
enum { SETS = 16, NOBODY = -1 };
enum { STREAM = MAX_ROUND_CARDS + 2 * MAX_PACKED_CARDS };  /* cells that a player comes across in a round, and those he writes */

/* What is undone when a choice is taken back. */
enum { DECIDED, NARROWED, UNITED };
typedef struct {
    uint8_t kind, set;       /* NARROWED, UNITED: the set that `cell` had before */
    uint8_t cell, joined;    /* UNITED: `joined` went below `cell` */
} change;
/* Each card that is turned decides two cells at most, and unites, narrows once each. */
enum { CHANGES = 8 * MAX_ROUND_CARDS };

typedef struct {
    const round_frame *frame;
    places_found *found;
    int cards, failed;
    uint8_t exactly[MAX_PACKED_CARDS + 1], above[MAX_PACKED_CARDS + 1];  /* classes that ask for so much, for more */
    int most;                               /* that a class asks for */
    uint8_t all;                            /* classes of the deck */
    int room[SETS];                         /* room[s]: cards of the deck in the classes of s */

    /* Cells. Those whose cards change places with each other are one orbit, a tree of which the top knows the
     * set and the weight. Weights count the cards of the first state, where a cell may lie more than once. */
    uint8_t kind[MAX_ROUND_CARDS], lies[MAX_ROUND_CARDS];
    uint8_t set[MAX_ROUND_CARDS], above_cell[MAX_ROUND_CARDS], weight[MAX_ROUND_CARDS];
    int numbers_left, courts_left;          /* of the first state, not decided yet */
    int bound[SETS];                        /* bound[s]: court cards of the first state in orbits with the set s */
    change undo[CHANGES];
    int changes;

    /* Players: the cells in the order in which they read them; how far they have read and written. */
    uint8_t cell[2][STREAM];
    int reads[2], read[2], written[2], readable[2];

    /* The trick on the table. */
    int winner, owner, paid, tricks;
    uint8_t owners_cell;
} search;

static int top_of(const search *s, int cell)
{
    while (s->above_cell[cell] != cell)
        cell = s->above_cell[cell];
    return cell;
}

/* Whether the deck has cards for all that is bound to a set that `narrowed` lies in (Hall's condition). */
static int deck_has(const search *s, int narrowed)
{
    for (int into = narrowed; into < SETS - 1; into = (into + 1) | narrowed) {
        int bound = 0;
        for (int sub = into; sub; sub = (sub - 1) & into)
            bound += s->bound[sub];
        if (bound > s->room[into])
            return 0;
    }
    return 1;
}

static int decide(search *s, int cell, int kind)
{
    int *left = kind == IS_NUMBER ? &s->numbers_left : &s->courts_left;
    if (*left < s->lies[cell])
        return 0;
    *left -= s->lies[cell];
    if (kind == IS_COURT)
        s->bound[s->set[cell]] += s->weight[cell];
    s->kind[cell] = kind;
    s->undo[s->changes++] = (change){DECIDED, 0, cell, 0};
    return 1;
}

static int narrow(search *s, int top, int keep)
{
    int was = s->set[top], now = was & keep;
    if (now == was)
        return 1;
    if (!now)
        return 0;
    s->undo[s->changes++] = (change){NARROWED, was, top, 0};
    s->bound[was] -= s->weight[top];
    s->bound[now] += s->weight[top];
    s->set[top] = now;
    return !s->weight[top] || deck_has(s, now);
}

static int unite(search *s, int one, int other)
{
    int a = top_of(s, one), b = top_of(s, other);
    if (a == b)
        return 1;
    int of_a = s->set[a], of_b = s->set[b], now = of_a & of_b;
    if (!now)
        return 0;
    s->undo[s->changes++] = (change){UNITED, of_a, a, b};
    s->bound[of_a] -= s->weight[a];
    s->bound[of_b] -= s->weight[b];
    s->above_cell[b] = a;
    s->weight[a] += s->weight[b];
    s->set[a] = now;
    s->bound[now] += s->weight[a];
    return (now == of_a && now == of_b) || deck_has(s, now);
}

static void take_back(search *s, int changes)
{
    while (s->changes > changes) {
        const change *c = &s->undo[--s->changes];
        int cell = c->cell, now = s->set[cell];
        switch (c->kind) {
        case DECIDED:
            if (s->kind[cell] == IS_COURT) {
                s->bound[now] -= s->weight[cell];
                s->courts_left += s->lies[cell];
            } else {
                s->numbers_left += s->lies[cell];
            }
            s->kind[cell] = OPEN;
            break;
        case NARROWED:
            s->bound[now] -= s->weight[cell];
            s->bound[c->set] += s->weight[cell];
            s->set[cell] = c->set;
            break;
        case UNITED:
            s->bound[now] -= s->weight[cell];
            s->weight[cell] -= s->weight[c->joined];
            s->above_cell[c->joined] = c->joined;
            s->set[cell] = c->set;
            s->bound[c->set] += s->weight[cell];
            s->bound[s->set[c->joined]] += s->weight[c->joined];
            break;
        }
    }
}

static void keep_loop(search *s)
{
    places_found *f = s->found;
    if (f->n == f->room) {
        size_t room = f->room ? 2 * f->room : 16;
        places_loop *more = realloc(f->loops, room * sizeof *more);
        if (!more) {
            s->failed = 1;
            return;
        }
        f->loops = more;
        f->room = room;
    }
    places_loop *loop = &f->loops[f->n++];
    const int shorter = s->frame->short_cards, longer = s->cards - shorter;
    int leader = s->frame->short_leads ? A : B;
    memset(loop, 0, sizeof *loop);
    loop->leader_cards = leader == A ? shorter : longer;
    loop->tricks = s->tricks;
    for (int i = 0; i < s->cards; i++) {
        int leads = i < loop->leader_cards;
        int cell = s->cell[leads ? leader : 1 - leader][leads ? i : i - loop->leader_cards];
        loop->sets[i] = s->kind[cell] == IS_COURT ? s->set[top_of(s, cell)] : 0;
    }
}

static void turn_card(search *s, int player);

static void play_on(search *s, int leader)
{
    const int readable[] = {s->readable[A], s->readable[B]}, winner = s->winner;
    s->owner = NOBODY;
    for (int player = A; player <= B; player++)
        s->readable[player] = s->written[player] < s->reads[player] ? s->written[player] : s->reads[player];
    for (s->winner = A; s->winner <= B; s->winner++)
        turn_card(s, leader);
    s->winner = winner;
    memcpy(s->readable, readable, sizeof readable);
}

/* The owner takes the trick: it is as it was guessed, and every card is written. */
static void end_trick(search *s)
{
    const round_frame *f = s->frame;
    const int a = s->written[A] - s->read[A], b = s->cards - a, owner = s->owner, cell = s->owners_cell, paid = s->paid;
    /* The loop has begun where the hands were most equal. */
    if (a < 1 || b < 1 || (a < b ? a : b) > f->short_cards)
        return;
    s->tricks++;
    s->found->tricks++;
    if (s->read[A] < s->reads[A] || s->read[B] < s->reads[B])
        play_on(s, owner);
    else if ((f->exchange ? b : a) == f->short_cards && (owner == A) == (f->short_leads != f->exchange))
        keep_loop(s);
    s->tricks--;
    s->owner = owner;
    s->owners_cell = cell;
    s->paid = paid;
}

/* A number card or a court card of `player` was turned and written; goes on with the trick. */
static void after_card(search *s, int player, int cell)
{
    if (s->kind[cell] == IS_COURT) {
        const int owner = s->owner, paid = s->paid, before = s->owners_cell;
        s->owner = player;
        s->owners_cell = cell;
        s->paid = 0;
        turn_card(s, 1 - player);
        s->owner = owner;
        s->owners_cell = before;
        s->paid = paid;
    } else if (s->owner == NOBODY) {
        turn_card(s, 1 - player);
    } else {
        const int changes = s->changes;
        s->paid++;
        /* Either that was all that is asked for, or the card asks for more. */
        if (s->owner == s->winner && narrow(s, top_of(s, s->owners_cell), s->exactly[s->paid]))
            end_trick(s);
        take_back(s, changes);
        if (s->paid < s->most && narrow(s, top_of(s, s->owners_cell), s->above[s->paid]))
            turn_card(s, player);
        take_back(s, changes);
        s->paid--;
    }
}

static void turn_card(search *s, int player)
{
    const int winner = s->winner;
    if (s->read[player] >= s->readable[player])
        return;
    s->found->steps++;
    const int from = s->cell[player][s->read[player]], to = s->cell[winner][s->written[winner]];
    const int is = s->kind[from], must = s->kind[to];
    if (is != OPEN && must != OPEN && is != must)
        return;
    for (int kind = IS_NUMBER; kind <= IS_COURT; kind++) {
        if ((is != OPEN && is != kind) || (must != OPEN && must != kind))
            continue;
        const int changes = s->changes;
        if ((s->kind[from] != OPEN || decide(s, from, kind)) && (s->kind[to] != OPEN || decide(s, to, kind)) &&
            (kind == IS_NUMBER || unite(s, from, to))) {
            s->read[player]++;
            s->written[winner]++;
            after_card(s, player, from);
            s->read[player]--;
            s->written[winner]--;
        }
        take_back(s, changes);
    }
}

/* Every state of a loop was left by a trick, and the last one that a player took is the end of his hand: a
 * court card and what it asks for. Decides the end of a hand so; 0 if that cannot be. */
static int decide_end(search *s, int player, int hand, int asks)
{
    if (hand <= asks)
        return 0;
    for (int i = 1; i <= asks + 1; i++) {
        int cell = s->cell[player][hand - i], kind = i <= asks ? IS_NUMBER : IS_COURT;
        if (s->kind[cell] == OPEN ? !decide(s, cell, kind) : s->kind[cell] != kind)
            return 0;
        if (kind == IS_COURT && !narrow(s, top_of(s, cell), s->exactly[asks]))
            return 0;
    }
    return 1;
}

int places_search(const pays *p, composition deck, const round_frame *frame, places_found *found)
{
    search s = {.frame = frame, .found = found, .owner = NOBODY};
    for (int c = 0; c < CLASSES; c++)
        s.cards += deck.of[c];
    const int hand[] = {frame->short_cards, s.cards - frame->short_cards};
    const int round = frame->short_reads + frame->long_reads;
    s.numbers_left = deck.of[NUMBER];
    s.courts_left = s.cards - deck.of[NUMBER];
    for (int c = JACK; c < CLASSES; c++) {
        if (!deck.of[c])
            continue;
        s.all |= 1 << (c - 1);
        if (p->pay[c] > s.most)
            s.most = p->pay[c] < MAX_PACKED_CARDS ? p->pay[c] : MAX_PACKED_CARDS;
        for (int paid = 0; paid <= MAX_PACKED_CARDS; paid++) {
            if (p->pay[c] == paid)
                s.exactly[paid] |= 1 << (c - 1);
            if (p->pay[c] > paid)
                s.above[paid] |= 1 << (c - 1);
        }
        for (int set = 0; set < SETS; set++)
            if (set >> (c - 1) & 1)
                s.room[set] += deck.of[c];
    }
    s.reads[A] = frame->short_reads;
    s.reads[B] = frame->long_reads;
    for (int i = 0; i < STREAM; i++) {
        s.cell[A][i] = frame->exchange ? i % round : i % s.reads[A];
        s.cell[B][i] = frame->exchange ? (s.reads[A] + i) % round : s.reads[A] + i % s.reads[B];
    }
    for (int player = A; player <= B; player++) {
        s.written[player] = hand[player];
        for (int i = 0; i < hand[player]; i++)
            s.lies[s.cell[player][i]]++;
    }
    for (int i = 0; i < round; i++) {
        s.above_cell[i] = i;
        s.set[i] = s.all;
        s.weight[i] = s.lies[i];
    }
    for (int a = 1; a <= s.most; a++)
        for (int b = 1; b <= s.most; b++) {
            if (s.exactly[a] && s.exactly[b] && decide_end(&s, A, hand[A], a) && decide_end(&s, B, hand[B], b))
                play_on(&s, frame->short_leads ? A : B);
            take_back(&s, 0);
        }
    return !s.failed;
}

void places_free(places_found *found)
{
    free(found->loops);
    memset(found, 0, sizeof *found);
}
