"""Decks and their indices in the kernel, against search/index.py; and the step to the next deck."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from search import _kernel, engine
from search.index import cards_at, index_of
from search.rules import CODES, ITALIAN, RANKS, STANDARD, Rules


def codes(cards):
    return bytes(CODES.index(card) for card in cards)


def cards(deck):
    return "".join(CODES[code] for code in deck)


def test_edges_of_the_standard_deck():
    counts = engine.composition(STANDARD)
    assert _kernel.orders(counts) == STANDARD.deals == 653534134886878245000
    first = "AAAAKKKKQQQQJJJJ" + "-" * 36
    assert cards(_kernel.codes_at(0, counts)) == first
    assert cards(_kernel.codes_at(STANDARD.deals - 1, counts)) == first[::-1]
    assert _kernel.indices_of(codes(first) + codes(first[::-1]), 52) == [0, STANDARD.deals - 1]
    results = engine.play_strings([first, first[::-1]])
    assert (results[0].cards, results[0].tricks) == (34, 8)
    assert (results[1].cards, results[1].tricks) == (45, 9)
    assert _kernel.next_order(codes(first[::-1])) is None


@pytest.mark.parametrize(
    "rules",
    [STANDARD, ITALIAN, *map(Rules.parse, ("1-", "3A", "1A 1-", "2A 3K 1Q 5J 9-", "16A 48-", "7A 7K 7Q 7J 33-", "900- 8A", "25A 24K 24-"))],
    ids=str,
)
def test_round_trips(rules):
    counts = engine.composition(rules)
    assert _kernel.orders(counts) == rules.deals
    draw = random.Random(rules.size)
    indices = [0, rules.deals - 1, *(draw.randrange(rules.deals) for _ in range(200))]
    decks = [_kernel.codes_at(index, counts) for index in indices]
    assert [cards(deck) for deck in decks] == [cards_at(index, rules.counts) for index in indices]
    assert _kernel.indices_of(b"".join(decks), rules.size) == indices == [index_of(cards(deck)) for deck in decks]


def test_what_does_not_fit_in_128_bits():
    """The largest that fits is exact; beyond it the kernel says so."""
    fits = beyond = 0
    for numbers in range(40, 300):
        rules = Rules.parse(f"6A 6K 6Q 6J {numbers}-")
        counts = engine.composition(rules)
        if rules.deals * rules.size < 2**128:
            fits += 1
            assert _kernel.orders(counts) == rules.deals
            last = _kernel.codes_at(rules.deals - 1, counts)
            assert _kernel.indices_of(last, rules.size) == [rules.deals - 1]
        else:
            beyond += 1
            assert _kernel.orders(counts) is None
            with pytest.raises(ValueError, match="do not fit"):
                _kernel.codes_at(0, counts)
            with pytest.raises(ValueError, match="do not fit"):
                _kernel.indices_of(codes(cards_at(0, rules.counts)), rules.size)
    assert fits > 20 and beyond > 20
    assert _kernel.orders(engine.composition(Rules.parse("200A 200K 200Q 200J 200-"))) is None


COUNTS = st.tuples(*[st.integers(0, 3)] * 4, st.integers(0, 6)).filter(any)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(COUNTS, st.data())
def test_any_small_deck(counts, data):
    rules = Rules(counts)
    index = data.draw(st.integers(0, rules.deals - 1))
    deck = _kernel.codes_at(index, engine.composition(rules))
    assert cards(deck) == cards_at(index, counts)
    assert _kernel.indices_of(deck, rules.size) == [index]
    following = _kernel.next_order(deck)
    assert following == (None if index == rules.deals - 1 else codes(cards_at(index + 1, counts)))


@pytest.mark.parametrize("text", ["1A 2K 1Q 1J 3-", "4J 4-", "1A 7-"])
def test_all_orders_one_after_the_other(text):
    rules = Rules.parse(text)
    deck = _kernel.codes_at(0, engine.composition(rules))
    order = {rank: place for place, rank in enumerate(RANKS)}
    seen = []
    while deck is not None:
        seen.append([order[card] for card in cards(deck)])
        deck = _kernel.next_order(deck)
    assert len(seen) == rules.deals
    assert all(a < b for a, b in zip(seen, seen[1:]))


def test_bad_input():
    with pytest.raises(ValueError, match="index 3: there are 3"):
        _kernel.codes_at(3, (2, 1, 0, 0, 0))
    with pytest.raises(ValueError, match="index -1"):
        _kernel.codes_at(-1, (2, 1, 0, 0, 0))
    with pytest.raises(ValueError, match="codes for decks"):
        _kernel.indices_of(bytes(5), 2)
    with pytest.raises(ValueError, match="not one of 0 to 4"):
        _kernel.indices_of(b"\x05", 1)
