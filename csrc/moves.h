/* Small changes of a deal: the neighbourhood in which hill-climbing looks.
 *
 * Every move permutes the cards and leaves the sizes of the hands as they are:
 *   SWAP      two cards anywhere change places
 *   SHIFT     a number card moves to another place of its hand
 *   ROTATE    a hand is cut: cards from its top go to its end
 *   EXCHANGE  blocks of equal size that lie equally deep in two hands change places, whole hands too
 * A move that leaves the deal as it was is no neighbour; nor is a SHIFT that another SHIFT does, too:
 * of a run of number cards only the last one moves, and only to the beginning of a run. */
#ifndef BEGGAR_MOVES_H
#define BEGGAR_MOVES_H

#include "packed.h"

enum { MOVE_SWAP = 1, MOVE_SHIFT = 2, MOVE_ROTATE = 4, MOVE_EXCHANGE = 8 };   /* may be added up */

typedef struct {
    uint16_t a, b, n;
    uint8_t kind;
    uint8_t edges;     /* of a SHIFT: is it from the end, is it to the beginning of the hand? */
} move;

/* All moves of these kinds on decks dealt into `seats` hands of these sizes. */
typedef struct {
    move *at;
    uint32_t n;
} move_list;

/* 0: out of memory. */
int moves_list(move_list *list, int kinds, const int *sizes, int seats);
void moves_free(move_list *list);

planes planes_of(const uint8_t *codes, int cards);

/* Makes a move; 0 if that gives no neighbour. */
int move_planes(const move *m, const planes *from, planes *to);

/* The same for codes; to[0..cards-1] is written in any case. */
int move_codes(const move *m, const uint8_t *from, int cards, uint8_t *to);

#endif
