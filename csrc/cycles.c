#include "cycles.h"

#include <stdlib.h>
#include <string.h>

int position_name(const position *s, char text[POSITION_TEXT])
{
    static const char RANKS[CLASSES] = "-JQKA";
    uint8_t codes[MAX_PACKED_CARDS];
    int leader = s->leader.cards, cards = leader + s->other.cards;
    position_to_codes(s, codes);
    for (int i = 0; i < cards; i++)
        text[i + (i >= leader)] = RANKS[codes[i]];
    text[leader] = '/';
    return cards + 1;
}

int find_loop(const pays *p, const position *from, uint64_t most, loop *found)
{
    position slow = *from, fast = *from;
    uint64_t length = 0, mark = 1;
    int over;
    /* Brent: the slow one jumps to the fast one at every power of two. */
    for (uint64_t played = 0;; played++) {
        if (played > 3 * most)
            return -1;
        position_play_trick(p, &fast, &over);
        if (over)
            return 0;
        length++;
        if (position_equal(&slow, &fast))
            break;
        if (length == mark) {
            slow = fast;
            length = 0;
            mark *= 2;
        }
    }
    found->period = length;
    found->lead_in = 0;
    slow = fast = *from;
    while (length--)
        position_play_trick(p, &fast, &over);
    for (; !position_equal(&slow, &fast); found->lead_in++) {
        position_play_trick(p, &slow, &over);
        position_play_trick(p, &fast, &over);
    }
    char best[POSITION_TEXT], text[POSITION_TEXT];
    int n = position_name(&slow, best);
    found->name = slow;
    found->cards = 0;
    for (uint64_t k = 0; k < found->period; k++) {
        found->cards += position_play_trick(p, &slow, &over);
        position_name(&slow, text);
        if (memcmp(text, best, n) < 0) {
            memcpy(best, text, n);
            found->name = slow;
        }
    }
    return 1;
}

struct basin {
    uint32_t room, size;
    position *at;
    uint32_t *lead_in;
};

basin *basin_new(uint32_t room)
{
    basin *b = calloc(1, sizeof *b);
    if (!b)
        return NULL;
    b->room = room;
    b->at = malloc((size_t)room * sizeof *b->at);
    b->lead_in = malloc((size_t)room * sizeof *b->lead_in);
    if (!b->at || !b->lead_in) {
        basin_free(b);
        return NULL;
    }
    return b;
}

void basin_free(basin *b)
{
    if (!b)
        return;
    free(b->at);
    free(b->lead_in);
    free(b);
}

uint32_t basin_size(const basin *b) { return b->size; }
const position *basin_position(const basin *b, uint32_t i) { return &b->at[i]; }
uint32_t basin_lead_in(const basin *b, uint32_t i) { return b->lead_in[i]; }

int basin_fill(basin *b, const pays *p, const loop *of, uint32_t most)
{
    position before[MAX_PREDECESSORS];
    int pile[MAX_PREDECESSORS], over;
    if (most > b->room)
        most = b->room;
    b->size = 0;
    if (of->period > most)
        return 0;
    position s = of->name;
    for (uint64_t k = 0; k < of->period; k++) {
        b->at[b->size] = s;
        b->lead_in[b->size++] = 0;
        position_play_trick(p, &s, &over);
    }
    /* A position has one successor, so what leads to the loop is a forest: nothing is met twice
     * but the loop itself, as what comes before its own positions. */
    for (uint32_t i = 0; i < b->size; i++) {
        int n = position_predecessors(p, &b->at[i], before, pile);
        const position *previous = i < of->period ? &b->at[(i + of->period - 1) % of->period] : NULL;
        for (int k = 0; k < n; k++) {
            if (previous && position_equal(&before[k], previous))
                continue;
            if (b->size == most)
                return 0;
            b->at[b->size] = before[k];
            b->lead_in[b->size++] = b->lead_in[i] + 1;
        }
    }
    return 1;
}
