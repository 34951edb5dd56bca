"""Dealing by number in plain Python, from the description in csrc/dealing.h: what the kernel must deal."""

from fractions import Fraction
from functools import cache
from itertools import combinations, product
from math import comb, prod

MASK = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15
DOMAINS = {"deals": 1, "pilot": 2}


def mix(z):
    z &= MASK
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & MASK
    z = (z ^ z >> 27) * 0x94D049BB133111EB & MASK
    return z ^ z >> 31


@cache
def keys(seed, searcher, domain):
    a = mix(seed + GOLDEN)
    b = mix(a ^ mix(searcher + 0xD1B54A32D192ED03))
    c = mix(b ^ mix(DOMAINS[domain] + 0x8CB92BA72F3D8DD7))
    return mix(c + GOLDEN), mix(c + 2 * GOLDEN)


def word(stream, counter):
    key1, key2 = stream
    z = counter * GOLDEN + key1 & MASK
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & MASK
    z = (z ^ key2)
    z = (z ^ z >> 27) * 0x94D049BB133111EB & MASK
    return z ^ z >> 31


@cache
def masks(bits, ones):
    """All masks, in ascending order."""
    return sorted(sum(1 << i for i in places) for places in combinations(range(bits), ones))


@cache
def alias_table(places, courts):
    """[(threshold, own, other)]: a way is a tuple of the court cards of each group."""
    ways = [way[::-1] for way in product(*(range(n + 1) for n in places[::-1])) if sum(way) == courts]
    ways.sort()
    share = {way: Fraction(prod(map(comb, places, way)) * len(ways), comb(sum(places), courts)) for way in ways}
    cells = {way: (1, way) for way in ways}
    small = [way for way in ways if share[way] < 1]
    large = [way for way in ways if share[way] >= 1]
    while small and large:
        poor, rich = small.pop(), large.pop()
        cells[poor] = share[poor], rich
        share[rich] -= 1 - share[poor]
        (small if share[rich] < 1 else large).append(rich)
    return [(cells[way][0] * 2**64 // 1, way, cells[way][1]) for way in ways]


def deal(counts, seed, searcher, number, domain="deals"):
    """The deal as a tuple of codes; `counts` by code."""
    stream = keys(seed, searcher, domain)
    cards, courts = sum(counts), sum(counts[1:])
    if cards > 64 or courts > 16:
        codes = [code for code, count in enumerate(counts) for _ in range(count)]
        for step, i in enumerate(range(cards - 1, 0, -1)):
            j = word(stream, number * cards + step) * (i + 1) >> 64
            codes[i], codes[j] = codes[j], codes[i]
        return tuple(codes)
    groups = -(-cards // 13)
    places = tuple(cards // groups + (g < cards % groups) for g in range(groups))
    words = iter(word(stream, number * (groups + 3) + i) for i in range(groups + 3))
    table = alias_table(places, courts)
    cell, rest = divmod(next(words) * len(table), 2**64)
    threshold, own, other = table[cell]
    is_court = []
    for n, ones in zip(places, own if rest < threshold else other):
        mask = masks(n, ones)[next(words) * comb(n, ones) >> 64]
        is_court += [mask >> i & 1 for i in range(n)]
    _, jacks, queens, kings, aces = counts
    high = masks(courts, kings + aces)[next(words) * comb(courts, kings + aces) >> 64]
    choice, rest = divmod(next(words) * comb(kings + aces, aces), 2**64)
    ace_of_high = masks(kings + aces, aces)[choice]
    queen_of_low = masks(jacks + queens, queens)[rest * comb(jacks + queens, queens) >> 64]
    ranks = []
    n = [0, 0]
    for j in range(courts):
        is_high = high >> j & 1
        upper = (ace_of_high if is_high else queen_of_low) >> n[is_high] & 1
        n[is_high] += 1
        ranks.append(1 + 2 * is_high + upper)
    rank = iter(ranks)
    return tuple(next(rank) if court else 0 for court in is_court)
