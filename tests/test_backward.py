"""Backward play: predecessors against brute force, the live walk, lines, and extended deals."""

import csv
import json
from functools import cache
from importlib.resources import files
from itertools import combinations
from random import Random

import pytest
from hypothesis import given, settings, strategies as st

from search import backward, game
from search.backward import extend, predecessors, search_top, walk
from search.deal import Deal
from search.errors import InputError
from search.outcome import Status
from search.rules import ITALIAN, STANDARD, Rules

# Small enough to look at every position; odd pays, one that nobody can pay, two ranks that pay the same.
SMALL = [
    "2J=1 4-",
    "1A=4 1K=3 9-",
    "1A=2 2J=1 6-",
    "1A=9 1K=2 1J=1 5-",
    "1K=2 2Q=2 6-",
    "1A=4 1K=3 1Q=2 1J=1 4-",
    "2Q=2 3J=1 5-",
]

# The published deals of the standard deck, by the cards of their games.
with files("search.data").joinpath("known_games.csv").open() as lines:
    PUBLISHED = {int(r["cards"]): Deal.parse(r["hands"]) for r in csv.DictReader(lines) if r["rules"] == "standard"}


def arrangements(counts, ranks="AKQJ-"):
    """All strings with so many cards of each rank."""
    if not any(counts):
        yield ""
        return
    size = sum(counts)
    for places in combinations(range(size), counts[0]):
        for rest in arrangements(counts[1:], ranks[1:]):
            cards = list(rest)
            for place in places:
                cards.insert(place, ranks[0])
            yield "".join(cards)


def after(position, rules):
    """The position after one trick, None if the game is over."""
    state = game.next_state((0, position), rules)
    return state and (state[1][state[0]], state[1][1 - state[0]])


@cache
def all_positions(text):
    """{position: the one that it plays into, or None} for every position of a small deck."""
    rules = Rules.parse(text)
    found = {}
    for cards in arrangements(rules.counts):
        for first in range(1, rules.size):
            position = cards[:first], cards[first:]
            found[position] = after(position, rules)
    return found


@pytest.mark.parametrize("text", SMALL)
def test_predecessors_are_exactly_the_positions_that_play_into_one(text):
    rules = Rules.parse(text)
    before = {}
    for position, following in all_positions(text).items():
        before.setdefault(following, set()).add(position)
    del before[None]
    assert sum(map(len, before.values())) > 10
    for position in all_positions(text):
        listed = predecessors(position, rules)
        assert listed == backward.predecessors_reference(position, rules)
        assert len({p.position for p in listed}) == len(listed)
        assert {p.position for p in listed} == before.get(position, set())
        for p in listed:
            assert p.pile == len(game.play_trick((0, p.position), rules.pay_of).played)


@pytest.mark.parametrize("text", SMALL)
def test_walks_of_all_games_of_a_small_deck(text):
    """The walk agrees with its reference, comes back to its start exactly in infinite games, and
    ends where no live position plays into; the reference asserts that there is never a second one."""
    rules = Rules.parse(text)
    positions = all_positions(text)
    kinds = set()
    for position in list(positions)[::3]:
        way = walk(position, rules)
        assert way == backward.walk_reference(position, rules)
        kinds.add(way.status)
        seen = set()
        at = position
        while at is not None and at not in seen:
            seen.add(at)
            at = positions[at]
        assert (way.status == "loop") == (at is not None)
        if way.status == "none":
            assert not any(backward.is_live(p, rules) for p in seen)
            assert positions[way.top] is None and way.top in seen
        else:
            assert backward.is_live(way.top, rules)
            at = way.top
            for _ in range(way.back_tricks):
                at = positions[at]
            assert at in seen
    assert {"top", "none"} <= kinds
    assert ("loop" in kinds) == (text == "2J=1 4-")


@pytest.mark.parametrize("text", SMALL)
@pytest.mark.parametrize("by", ["cards", "tricks"])
def test_the_longest_legal_deal_against_all_games(text, by):
    """With the whole game searched, the answer is the longest of all deals that end in the same position."""
    rules = Rules.parse(text)
    leader_cards = rules.hand_sizes[0]
    ends = {}  # last position -> the best deal that ends in it
    for position in all_positions(text):
        outcome = _length(position, rules)
        if len(position[0]) == leader_cards and outcome:
            last, cards, tricks = outcome
            lengths = (-tricks, -cards) if by == "tricks" else (-cards, -tricks)
            key = (*lengths, "".join(position))
            ends[last] = min(ends.get(last, (key, position, cards, tricks)), (key, position, cards, tricks))
    assert ends
    for last, (_, position, cards, tricks) in ends.items():
        turned = len(game.play_trick((0, last), rules.pay_of).played)
        best = search_top(last, rules, turned, 1, leader_cards, by, top_steps=1)
        assert best[:3] == (position, cards, tricks) and best.complete
        assert best == backward.search_top_reference(last, rules, turned, 1, leader_cards, by, top_steps=1)


def _length(position, rules):
    """(last position, cards, tricks) of a finite game, None of an infinite one."""
    cards = tricks = 0
    seen = set()
    while position not in seen:
        seen.add(position)
        trick = game.play_trick((0, position), rules.pay_of)
        cards += len(trick.played)
        tricks += 1
        if trick.over:
            return position, cards, tricks
        position = after(position, rules)
    return None


def test_when_the_bound_is_met_the_best_so_far_is_the_answer():
    deal = PUBLISHED[6913]
    whole = extend(deal)
    assert whole.complete
    way = walk(deal.hands, STANDARD)
    length = (whole.line_cards, whole.line_tricks)
    for bound in (0, 1, 10, 100, 300):
        best = search_top(way.top, STANDARD, *length, 26, node_bound=bound)
        assert not best.complete and best.nodes == bound
        assert best == backward.search_top_reference(way.top, STANDARD, *length, 26, node_bound=bound)
        assert best.position is None or best.cards <= whole.cards
    assert extend(deal, node_bound=5).longest in (deal, whole.longest)
    assert not extend(deal, node_bound=5).complete


def test_the_search_goes_further_down_where_it_finds_no_legal_deal():
    # The leader holds 45 cards only far below the top of this line.
    way = walk(PUBLISHED[6913].hands, STANDARD)
    near = search_top(way.top, STANDARD, 7510, 1044, 45, top_steps=0)
    assert near.position is not None and len(near.position[0]) == 45
    assert near == backward.search_top_reference(way.top, STANDARD, 7510, 1044, 45, top_steps=0)


decks = st.sampled_from(["standard", "italian", "4A=7 4K=3 4Q=2 4J=1 48-", "20A=4 20J=1 24-", "8A=4 8K=3 8Q=2 8J=1 72-"])


@settings(max_examples=150, derandomize=True, deadline=None)
@given(text=decks, seed=st.randoms(use_true_random=False), first=st.integers(1, 63), tricks=st.integers(0, 6))
def test_predecessors_of_large_decks(text, seed, first, tricks):
    rules = Rules.parse(text)
    cards = "".join(rank * n for rank, n in zip("AKQJ-", rules.counts))
    cards = "".join(seed.sample(cards, len(cards)))
    first = min(first, rules.size - 1)
    position = cards[:first], cards[first:]
    for _ in range(tricks):
        following = after(position, rules)
        if following is None:
            break
        assert [p.position for p in predecessors(following, rules)].count(position) == 1
        position = following
    listed = predecessors(position, rules)
    assert listed == backward.predecessors_reference(position, rules)
    assert all(after(p.position, rules) == position for p in listed)
    assert walk(position, rules) == backward.walk_reference(position, rules)


@pytest.mark.parametrize("cards", [8344, 7972, 7959, 7225])
@pytest.mark.parametrize("by", ["cards", "tricks"])
def test_nothing_longer_than_the_records_at_the_top_of_their_line(cards, by):
    found = extend(PUBLISHED[cards], by)
    assert found.outcome.cards == cards
    assert found.longest == found.deal and found.gained == 0 and found.complete


@pytest.mark.parametrize(("cards", "longest", "tricks"), [(5790, 5914, 822), (6913, 7544, 1048)])
def test_records_that_have_longer_games_on_their_line(cards, longest, tricks):
    found = extend(PUBLISHED[cards])
    assert found.outcome.cards == cards
    assert (found.cards, found.tricks) == (longest, tricks) and found.gained == longest - cards
    again = game.play(found.longest)
    assert (again.cards, again.tricks) == (longest, tricks)
    # The longest is on the same line, and has nothing longer.
    assert extend(found.longest).line == found.line
    assert extend(found.longest).longest == found.longest


def test_three_records_are_one_line():
    found = [extend(PUBLISHED[cards]) for cards in (7157, 7207, 7225)]
    assert len({f.line for f in found}) == 1
    assert {f.longest for f in found} == {PUBLISHED[7225]}
    others = [extend(PUBLISHED[cards]) for cards in (4791, 5790, 6913, 7959, 7972, 8344)]
    assert len({f.line for f in others} | {found[0].line}) == 7


def test_an_infinite_game_has_no_longest():
    found = extend(PUBLISHED[474])
    assert found.outcome.status is Status.INFINITE
    assert found.longest is None and found.gained == 0
    leader, other = found.line.split("/")
    assert walk((leader, other), STANDARD).status == "loop"
    body = json.loads(json.dumps(found.as_json()))
    assert body["status"] == "infinite" and body["longest"] is None and body["line"] == found.line


def test_short_and_odd_games():
    # One trick, no live position: the deals that end in the same position are searched.
    rules = Rules.parse("1J=1 5-")
    found = extend(Deal.from_cards("---J--", rules))
    assert found.line == "" and found.cards >= found.outcome.cards
    # A hand that is empty at the deal.
    nothing = extend(Deal.from_cards("J-", Rules.parse("1J=1 1-"), (2, 0)))
    assert nothing.longest == nothing.deal and nothing.cards == 0
    italian = extend(Deal.from_cards("-" * 14 + "KKQQJJ" + "-" * 14 + "KQJKQJ", ITALIAN))
    assert italian.cards >= italian.outcome.cards
    with pytest.raises(InputError, match="empty|both hands"):
        predecessors(("", "J-"), rules)
    with pytest.raises(InputError, match="two players"):
        extend(Deal.from_cards("AAAAKKKKQQQQJJJJ" + "-" * 36, Rules.parse("standard", seats=3)))
    with pytest.raises(InputError, match="cards"):
        extend(Deal.from_cards("-" * 14 + "KKQQJJ" + "-" * 14 + "KQJKQJ", ITALIAN), by="period")


def test_a_deck_too_large_for_the_kernel():
    rules = Rules.parse("8A=4 8K=3 8Q=2 8J=1 72-")
    cards = "".join(rank * n for rank, n in zip("AKQJ-", rules.counts))
    deal = Deal.from_cards("".join(Random(4).sample(cards, len(cards))), rules)
    found = extend(deal)
    assert found.cards >= found.outcome.cards
    assert game.play(found.longest).cards == found.cards
