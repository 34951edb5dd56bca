/* Backward play of two-player games: which states lead to a state, and how far back a game can go.
 *
 * A *position* is what a trick starts from, seen from the leader: his hand and the other's, both
 * with cards. A position has one predecessor for each way in which the leader's hand can end in
 * the pile that he has just taken: the pile must end in a court card followed by exactly what it
 * asks for in number cards; before that come courts each within the payment for the previous one,
 * and before the first court any number of leading number cards. Such a suffix tells who played
 * which card, and the cards go back on top of the two hands.
 *
 * A position is *live* if each hand ends in a court card followed by exactly its pay in number
 * cards. A live position has at most one live predecessor: what is left of the winner's hand must
 * be exact too, and that fixes where the pile begins. The walk along live positions is therefore
 * deterministic. All other branches are dead: a hand whose end is not exact can never lead, so the
 * other one led and won every trick before, and it has only so many cards to give back.
 *
 * The live walk from a position ends at the *top* of its line, or, exactly if the game is infinite,
 * comes back to where it began. The positions that play into one top's game make one *line*. */
#ifndef BEGGAR_BACKWARD_H
#define BEGGAR_BACKWARD_H

#include "cards.h"

/* A hand of up to 63 cards as bit planes, bit 0 is the top card. A court card of class c has its
 * bit in `courts`, bit 0 of c - 1 in `lo`, bit 1 in `hi`; all other bits are zero. */
typedef struct {
    uint64_t courts, lo, hi;
    uint64_t cards;
} hand;

typedef struct {
    hand leader, other;
} position;

/* Reads codes (leader's hand first); 0 if a hand would be empty or the deck has over 64 cards. */
int position_from_codes(const uint8_t *codes, int cards, int leader_cards, position *s);
void position_from_packed(const packed_deal *deal, position *s);
/* Writes leader.cards + other.cards codes. */
void position_to_codes(const position *s, uint8_t *codes);
int position_equal(const position *a, const position *b);

/* Plays one trick. Returns the cards turned; `*over` says whether the game ended with it, and then
 * *s is as it was. */
int position_play_trick(const pays *p, position *s, int *over);

int hand_is_exact(const pays *p, const hand *h);
int position_is_live(const pays *p, const position *s);

/* A pile ends with the leader's hand and begins somewhere in it: one predecessor a card at most. */
enum { MAX_PREDECESSORS = MAX_PACKED_CARDS };

/* All predecessors, by pile from short to long; pile[i] is the number of cards in the pile of
 * out[i]. Returns how many there are. */
int position_predecessors(const pays *p, const position *s, position *out, int *pile);

/* How the live walk from a game's first live position went. */
enum { WALK_TOP, WALK_LOOP, WALK_NO_LIVE };
typedef struct {
    int status;                          /* NO_LIVE: the game has no live position; then `top` is the last one */
    position top;                        /* LOOP: a position of the loop */
    uint64_t ahead_cards, ahead_tricks;  /* from the deal to its first live position (NO_LIVE: to the last one) */
    uint64_t back_cards, back_tricks;    /* from there back to the top (LOOP: once around) */
} live_walk;

/* Plays forward to the first live position and walks back from it. `may_loop` is 0 where the game
 * is known to be finite, which saves looking for a loop. */
void walk_line(const pays *p, const position *deal, int may_loop, live_walk *walk);

/* What the search near the top of a line looks for, and how far it goes. */
typedef struct {
    int leader_cards;      /* a position is a legal deal if the leader holds so many */
    int by_tricks;         /* longest by tricks, else by cards; ties by the other, then by deal in byte order */
    int top_steps;         /* tricks below the top from which all ancestors are searched */
    uint64_t node_bound;   /* predecessors made at most */
} top_search;

typedef struct {
    int found, complete;       /* a legal deal was found; the bound was not met */
    uint64_t cards, tricks;    /* of its game */
    position deal;
    uint64_t nodes;            /* predecessors made */
} top_result;

/* Takes a position into account whose game is so long: it becomes the best if it is a legal deal and
 * longer than the best so far. */
void offer_deal(const top_search *how, const position *s, uint64_t cards, uint64_t tricks, top_result *best);

/* Finds the longest legal deal among all ancestors of the position `top_steps` tricks after `top`,
 * itself included; fewer where the game is shorter. Where that gives no legal deal, the steps are
 * doubled until there is one or the whole game is covered. The search is depth first, long piles
 * first; when the bound is met it ends, and the best so far is the answer.
 * `cards` and `tricks` are those of the game from `top`. Returns 0 if there is no memory. */
int search_top(const pays *p, const position *top, uint64_t cards, uint64_t tricks, const top_search *how,
               top_result *best);

#endif
