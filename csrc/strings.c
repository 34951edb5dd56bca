#include "strings.h"

#include <string.h>

#include "packed.h"

static const uint8_t LETTERS[CLASSES] = {'-', 'J', 'Q', 'K', 'A'};

/* What a letter adds to a packed deal, as bits: is it a court card, and the two bits of its rank. */
enum { COURT = 1, RANK_LO = 2, RANK_HI = 4, NO_LETTER = 128 };

#define FILL8(x) x, x, x, x, x, x, x, x
#define FILL64(x) FILL8(x), FILL8(x), FILL8(x), FILL8(x), FILL8(x), FILL8(x), FILL8(x), FILL8(x)

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverride-init"
#if defined(__clang__)
#pragma GCC diagnostic ignored "-Winitializer-overrides"
#endif
static const uint8_t BITS[256] = {
    FILL64(NO_LETTER), FILL64(NO_LETTER), FILL64(NO_LETTER), FILL64(NO_LETTER),
    ['-'] = 0,
    ['J'] = COURT,
    ['Q'] = COURT | RANK_LO,
    ['K'] = COURT | RANK_HI,
    ['A'] = COURT | RANK_LO | RANK_HI,
};
#pragma GCC diagnostic pop

int text_to_codes(const uint8_t *text, int cards, uint8_t *codes)
{
    uint8_t seen = 0;

    for (int i = 0; i < cards; i++) {
        uint8_t bits = BITS[text[i]];
        seen |= bits;
        codes[i] = (uint8_t)((bits & COURT) + (bits >> 1 & 3));
    }
    return !(seen & NO_LETTER);
}

int text_to_packed(const uint8_t *text, int cards, int first, packed_deal *deal)
{
    uint64_t courts = 0, lo = 0, hi = 0;
    unsigned seen = 0, n = 0;

    /* No branch on a card: each letter writes its rank bits at place n, and only a court card,
     * whose bits can be other than zero, moves n on. */
    for (int i = 0; i < cards; i++) {
        uint64_t bits = BITS[text[i]];
        seen |= (unsigned)bits;
        courts |= (bits & COURT) << i;
        lo |= (bits >> 1 & 1) << n;
        hi |= (bits >> 2 & 1) << n;
        n = (n + (bits & COURT)) & 63;
    }
    if (seen & NO_LETTER || __builtin_popcountll(courts) > MAX_PACKED_COURTS)
        return 0;
    *deal = (packed_deal){
        .courts = courts,
        .rank_lo = (uint16_t)lo,
        .rank_hi = (uint16_t)hi,
        .cards = (uint8_t)cards,
        .first = (uint8_t)first,
    };
    return 1;
}

void codes_to_text(const uint8_t *codes, int cards, uint8_t *text)
{
    for (int i = 0; i < cards; i++)
        text[i] = LETTERS[codes[i]];
}

void packed_to_text(const packed_deal *deal, uint8_t *text)
{
    uint8_t codes[MAX_PACKED_CARDS];

    packed_to_codes(deal, codes);
    codes_to_text(codes, deal->cards, text);
}

composition codes_composition(const uint8_t *codes, int cards)
{
    composition c = {{0}};

    for (int i = 0; i < cards; i++)
        c.of[codes[i]]++;
    return c;
}

composition packed_composition(const packed_deal *deal)
{
    composition c;
    int courts = __builtin_popcountll(deal->courts);
    int high = __builtin_popcount(deal->rank_hi), low = __builtin_popcount(deal->rank_lo);

    c.of[ACE] = (uint16_t)__builtin_popcount(deal->rank_hi & deal->rank_lo);
    c.of[KING] = (uint16_t)(high - c.of[ACE]);
    c.of[QUEEN] = (uint16_t)(low - c.of[ACE]);
    c.of[JACK] = (uint16_t)(courts - high - c.of[QUEEN]);
    c.of[NUMBER] = (uint16_t)(deal->cards - courts);
    return c;
}

int packed_valid(const packed_deal *deal)
{
    if (deal->cards > MAX_PACKED_CARDS || deal->first > deal->cards || deal->spare[0] || deal->spare[1])
        return 0;
    if (deal->cards < MAX_PACKED_CARDS && deal->courts >> deal->cards)
        return 0;
    int courts = __builtin_popcountll(deal->courts);
    return courts <= MAX_PACKED_COURTS && (((uint32_t)deal->rank_lo | deal->rank_hi) >> courts) == 0;
}
