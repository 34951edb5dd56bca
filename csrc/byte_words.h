/* The portable engine: hands of bytes, as in byte_queue.h, in plain 64-bit arithmetic.
 *
 * A hand lies in memory as a queue: to take court cards off is to move its top, and to put the pile
 * under it is one store at its end. A trick looks at the 8 topmost court cards of both hands, a word
 * each, and finds the length of the pile by comparing all 16 gaps with the payments at once. Nothing
 * in a trick branches on the cards, so that mispredictions cost little; this is what makes it fast.
 *
 * Gaps above 31, piles with 16 court cards and games older than CAREFUL_AGE go to the careful
 * engine. It plays all decks that can be packed whose pays are 1 to 7. */
#ifndef BEGGAR_BYTE_WORDS_H
#define BEGGAR_BYTE_WORDS_H

#include "engine.h"

extern const engine BYTE_WORDS_ENGINE;

#endif
