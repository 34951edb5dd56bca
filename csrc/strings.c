#include "strings.h"

#include <string.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

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

#if defined(__SSE2__)

/* Sixteen letters at a time: one comparison a rank, and its result as a mask of places. */
static int text_to_planes(const uint8_t *text, int cards, planes *p)
{
    enum { WIDTH = 16 };
    uint8_t padded[MAX_PACKED_CARDS];
    uint64_t numbers = 0;

    memset(padded, 0, sizeof padded);
    memcpy(padded, text, (size_t)cards);
    *p = (planes){0, 0, 0};
    for (int at = 0; at < MAX_PACKED_CARDS; at += WIDTH) {
        __m128i letters = _mm_loadu_si128((const __m128i *)(padded + at));
        __m128i jack = _mm_cmpeq_epi8(letters, _mm_set1_epi8('J'));
        __m128i queen = _mm_cmpeq_epi8(letters, _mm_set1_epi8('Q'));
        __m128i king = _mm_cmpeq_epi8(letters, _mm_set1_epi8('K'));
        __m128i ace = _mm_cmpeq_epi8(letters, _mm_set1_epi8('A'));
        __m128i number = _mm_cmpeq_epi8(letters, _mm_set1_epi8('-'));
        __m128i lo = _mm_or_si128(queen, ace), hi = _mm_or_si128(king, ace);
        numbers |= (uint64_t)_mm_movemask_epi8(number) << at;
        p->lo |= (uint64_t)_mm_movemask_epi8(lo) << at;
        p->hi |= (uint64_t)_mm_movemask_epi8(hi) << at;
        p->court |= (uint64_t)_mm_movemask_epi8(_mm_or_si128(jack, _mm_or_si128(lo, hi))) << at;
    }
    return (p->court | numbers) == UINT64_MAX >> (MAX_PACKED_CARDS - cards);
}

#else

static int text_to_planes(const uint8_t *text, int cards, planes *p)
{
    unsigned seen = 0;

    *p = (planes){0, 0, 0};
    for (int i = 0; i < cards; i++) {
        uint64_t bits = BITS[text[i]];
        seen |= (unsigned)bits;
        p->court |= (bits & COURT) << i;
        p->lo |= (bits >> 1 & 1) << i;
        p->hi |= (bits >> 2 & 1) << i;
    }
    return !(seen & NO_LETTER);
}

#endif

int text_to_packed(const uint8_t *text, int cards, int first, packed_deal *deal)
{
    planes p;

    if (!text_to_planes(text, cards, &p) || count_ones(p.court) > MAX_PACKED_COURTS)
        return 0;
    *deal = planes_packed(&p, cards, first);
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
    class_counts counts = packed_class_counts(deal);
    composition c;

    c.of[ACE] = (uint16_t)counts.aces;
    c.of[KING] = (uint16_t)(counts.high - counts.aces);
    c.of[QUEEN] = (uint16_t)(counts.low - counts.aces);
    c.of[JACK] = (uint16_t)(counts.courts - counts.high - c.of[QUEEN]);
    c.of[NUMBER] = (uint16_t)(deal->cards - counts.courts);
    return c;
}
