#include "keeper.h"

#include <stdlib.h>
#include <string.h>

#include "strings.h"

enum { FIRST_ROOM = 64 };

static int better_first(const void *x, const void *y)
{
    const kept *a = x, *b = y;

    if (a->value != b->value)
        return a->value > b->value ? -1 : 1;
    return strcmp(a->text, b->text);
}

void keeper_open(keeper *k, int cards, size_t limit, uint64_t least)
{
    size_t align = sizeof(uint64_t);

    *k = (keeper){
        .least = least,
        .limit = limit == KEEP_ALL ? SIZE_MAX : limit,
        .stride = (sizeof(kept) + (size_t)cards + 1 + align - 1) / align * align,
    };
}

void keeper_free(keeper *k)
{
    free(k->entries);
    k->entries = NULL;
}

void keeper_close(keeper *k)
{
    if (k->n == 0)
        return;
    qsort(k->entries, k->n, k->stride, better_first);
    size_t different = 1;
    for (size_t i = 1; i < k->n; i++) {
        if (better_first(keeper_entry(k, different - 1), keeper_entry(k, i)) == 0)
            continue;
        if (different != i)
            memcpy(keeper_entry(k, different), keeper_entry(k, i), k->stride);
        different++;
    }
    k->n = different;
    if (k->n >= k->limit) {
        k->n = k->limit;
        k->cut = 1;
        k->least = keeper_entry(k, k->n - 1)->value;
    }
}

/* Makes room for one more entry: by a cut, or by more memory while a cut frees less than half. */
static int make_room(keeper *k)
{
    keeper_close(k);
    if (k->n <= k->room / 2 && k->room > 0)
        return 1;
    size_t room = k->room ? 2 * k->room : FIRST_ROOM;
    char *entries = room > SIZE_MAX / k->stride ? NULL : realloc(k->entries, room * k->stride);
    if (!entries)
        return 0;
    k->entries = entries;
    k->room = room;
    return 1;
}

void keeper_offer(keeper *k, uint64_t value, uint64_t cards, uint64_t tricks, const uint8_t *codes, int n)
{
    if (k->failed || (k->n == k->room && !make_room(k))) {
        k->failed = 1;
        return;
    }
    if (value < k->least)    /* the cut may have raised it */
        return;
    kept *entry = keeper_entry(k, k->n);
    entry->value = value;
    entry->cards = cards;
    entry->tricks = tricks;
    codes_to_text(codes, n, (uint8_t *)entry->text);
    entry->text[n] = 0;
    if (k->cut && better_first(keeper_entry(k, k->limit - 1), entry) <= 0)
        return;
    k->n++;
}
