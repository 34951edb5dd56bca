"""Ranking decks among all orders of their cards, and back."""

from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from search.deal import Deal
from search.errors import InputError, RulesError
from search.index import cards_at, index_of
from search.rules import FREE, ITALIAN, MAX_CARDS, RANKS, STANDARD, Rules

quick = settings(max_examples=60, deadline=None, derandomize=True)


def enumerated(counts):
    """All decks with these counts, in the order A, K, Q, J, number: by brute force."""
    deck = "".join(rank * n for rank, n in zip(RANKS, counts))
    return ["".join(p) for p in sorted(set(permutations(deck)), key=lambda p: [RANKS.index(c) for c in p])]


small_counts = st.tuples(*[st.integers(0, 3)] * 5).filter(lambda c: 1 <= sum(c) <= 7)


@quick
@given(small_counts)
def test_both_ways_equal_brute_force(counts):
    decks = enumerated(counts)
    assert [index_of(deck) for deck in decks] == list(range(len(decks)))
    assert [cards_at(i, counts) for i in range(len(decks))] == decks
    assert Rules(counts=counts).deals == len(decks)


@pytest.mark.parametrize(
    "rules, first",
    [
        (STANDARD, "AAAAKKKKQQQQJJJJ" + "-" * 36),
        (ITALIAN, "KKKKQQQQJJJJ" + "-" * 28),
        (Rules.parse("standard", seats=3), "AAAAKKKKQQQQJJJJ" + "-" * 36),
        (Rules.parse("2A 3J 7-", seats=4), "AAJJJ-------"),
    ],
)
def test_first_and_last(rules, first):
    assert Deal.from_index(0, rules).cards == first
    last = Deal.from_index(rules.deals - 1, rules)
    assert last.cards == first[::-1]
    assert Deal.from_index(0, rules).index == 0
    assert last.index == rules.deals - 1
    assert last.sizes == rules.hand_sizes


def test_the_number_of_standard_deals_is_the_published_one():
    assert STANDARD.deals == 653_534_134_886_878_245_000


@quick
@given(st.sampled_from([STANDARD, ITALIAN, Rules.parse("standard", seats=3), Rules.parse("9A 1K 60-", seats=4)]), st.data())
def test_round_trip_on_whole_decks(rules, data):
    index = data.draw(st.integers(0, rules.deals - 1))
    deal = Deal.from_index(index, rules)
    assert deal.index == index
    assert Deal.from_cards(deal.cards, rules) == deal


@quick
@given(st.permutations("AAAAKKKKQQQQJJJJ" + "-" * 36), st.permutations("AAAAKKKKQQQQJJJJ" + "-" * 36))
def test_the_index_keeps_the_order(one, other):
    def key(deck):
        return [RANKS.index(c) for c in deck]

    assert (index_of(one) < index_of(other)) == (key(one) < key(other))


def test_the_largest_deck():
    rules = Rules(counts=(200,) * 5)
    assert rules.size == MAX_CARDS
    deal = Deal.from_index(rules.deals // 3, rules)
    assert deal.index == rules.deals // 3
    assert Deal.from_index(rules.deals - 1, rules).cards == "-" * 200 + "J" * 200 + "Q" * 200 + "K" * 200 + "A" * 200


def test_the_cut_into_hands_is_no_part_of_the_index():
    rules = Rules.parse("1A 1K 4-")
    even, odd = Deal.from_index(7, rules), Deal.from_index(7, rules, hands=(5, 1))
    assert even.cards == odd.cards and even.index == odd.index == 7
    assert even.sizes == (3, 3) and odd.sizes == (5, 1)


def test_an_index_that_is_out_of_range_is_refused():
    last = STANDARD.deals - 1
    for index in (-1, STANDARD.deals):
        with pytest.raises(InputError) as e:
            Deal.from_index(index)
        assert str(e.value) == f"index {index}: these cards have the indices 0 to {last}"
    with pytest.raises(InputError) as e:
        Deal.from_index(10**10000)  # more digits than Python prints
    assert str(e.value) == f"index (a number of 33220 bits): these cards have the indices 0 to {last}"


def test_free_rules_have_no_index():
    with pytest.raises(RulesError):
        Deal.from_index(0, FREE)
    assert Deal.parse("J--/-J-", FREE).index == index_of("J---J-")
