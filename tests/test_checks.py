"""Results that cannot be right are refused before anything of them is stored."""

from __future__ import annotations

from dataclasses import replace

import pytest
import toys
from hypothesis import given, settings, strategies as st

from search import checks
from search.checks import check_leg
from search.leg import Candidate, LegResult, LegTask, PackedLeg
from search.rules import Rules
from search.settings import new_settings
from search.strategies import STRATEGIES, get

toys.install()
SETTINGS = new_settings("toy", rules=toys.RULES, searchers=7, seed=5)
RULES = Rules.parse(toys.RULES)
GOOD = get("toy").advance(LegTask(SETTINGS, 2, 3, b"some state"))


def check(result: LegResult) -> None:
    check_leg(PackedLeg.read(result.pack()), SETTINGS, RULES)


def changed(**counts: int) -> LegResult:
    return replace(GOOD, tally=replace(GOOD.tally, counts=GOOD.tally.counts | counts))


def with_find(**change: object) -> LegResult:
    return replace(GOOD, finds=[replace(GOOD.finds[0], **change), *GOOD.finds[1:]])


def with_histogram(name: str) -> LegResult:
    return replace(GOOD, tally=replace(GOOD.tally, histograms=GOOD.tally.histograms | {name: {1: 1}}))


LONGEST_LINE = 4 * RULES.size + 200


@pytest.mark.parametrize(
    "result",
    [
        GOOD,
        changed(infinite=20),
        changed(tricks=GOOD.tally.counts["cards"]),
        changed(**{"x" * 200: 1}),
        with_histogram("x" * 200),
        with_find(tricks=GOOD.finds[0].cards),
        with_find(line="-" * LONGEST_LINE),
    ],
)
def test_what_can_be_is_accepted(result):
    """A good result, and others that are just within what is possible."""
    check(result)


def test_the_size_of_a_state(monkeypatch):
    monkeypatch.setattr(checks, "MAX_STATE", 100)
    check(replace(GOOD, state=bytes(100)))
    with pytest.raises(ValueError, match="a state of 101 bytes"):
        check(replace(GOOD, state=bytes(101)))


def test_where_a_leg_may_end_early_it_may_count_fewer_games():
    free = next(name for name, plan in STRATEGIES.items() if not plan.exact_legs)
    for games in (1, 21):
        check_leg(PackedLeg.read(changed(games=games, infinite=0).pack()), {**SETTINGS, "strategy": free}, RULES)


@pytest.mark.parametrize(
    ("result", "why"),
    [
        (changed(games=21), "21 games in a leg of 20"),
        (changed(games=19), "19 games in a leg of 20"),
        (changed(infinite=21), "21 infinite games of 20"),
        (changed(tricks=GOOD.tally.counts["cards"] + 1), "tricks with"),
        (changed(**{"x" * 201: 1}), "called"),
        (changed(**{"a\nb": 1}), "called"),
        (changed(**{"": 1}), "called ''"),
        (with_histogram("x" * 201), "called"),
        (with_histogram("a\nb"), "called"),
        (with_histogram(""), "called ''"),
        (with_find(deal="A" * RULES.size), "no deal of"),
        (with_find(deal=GOOD.finds[0].deal.replace("-", "x")), "no deal of"),
        (with_find(deal=GOOD.finds[0].deal + "x", hands=(RULES.size // 2, RULES.size // 2 + 1)), "no deal of"),
        (with_find(hands=(RULES.size,)), "1 hands where 2 play"),
        (with_find(hands=(1, 1, RULES.size - 2)), "3 hands where 2 play"),
        (with_find(tricks=GOOD.finds[0].cards + 1), "tricks and"),
        (with_find(line="a\0b"), "line"),
        (with_find(line="-" * (LONGEST_LINE + 1)), "line"),
    ],
)
def test_what_cannot_be_is_refused(result, why):
    with pytest.raises(ValueError, match=why):
        check(result)


@pytest.mark.parametrize(
    "find",
    [
        Candidate(GOOD.finds[0].deal, (3, 4), 10, 3),
        Candidate(GOOD.finds[0].deal, GOOD.finds[0].hands, -1, 3),
        Candidate(GOOD.finds[0].deal, GOOD.finds[0].hands, 2**63, 3),
        Candidate(GOOD.finds[0].deal, GOOD.finds[0].hands, 1.5, 1),
        Candidate(GOOD.finds[0].deal, GOOD.finds[0].hands, True, 1),
        Candidate("", (), 1, 1),
    ],
)
def test_finds_of_another_shape_are_refused(find):
    with pytest.raises(ValueError):
        check(replace(GOOD, finds=[find]))


@settings(max_examples=300, derandomize=True, deadline=None)
@given(st.data())
def test_damage_is_refused_or_gives_another_digest(data):
    """A few bytes changed, cut out or put in: never an error of another kind, never the same digest."""
    packed = bytearray(GOOD.pack())
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(packed) - 1))
        packed[at : at + data.draw(st.integers(0, 2))] = data.draw(st.binary(max_size=2))
    try:
        result = PackedLeg.read(bytes(packed))
        check_leg(result, SETTINGS, RULES)
    except ValueError:
        return
    assert result.digest != GOOD.digest() or bytes(packed) == GOOD.pack()


@settings(max_examples=200, derandomize=True, deadline=None)
@given(st.binary(max_size=200))
def test_garbage_is_refused(garbage):
    for packed in (garbage, b"leg1" + garbage, b"leg1" + len(garbage).to_bytes(4, "big") + garbage):
        with pytest.raises(ValueError):
            PackedLeg.read(packed)


@pytest.mark.parametrize("name", sorted(name for name, plan in STRATEGIES.items() if plan.exact_legs))
def test_legs_said_to_be_exact_are(name):
    for games in (1, 17, 1001):
        given = new_settings(name, seed=games, searchers=4, leg_games=games, **({"rules": toys.RULES} if name in ("toy", "slow", "sharing") else {}))
        state = b""
        for leg in range(2):
            result = get(name).advance(LegTask(given, 1, leg, state))
            state = result.state
            check_leg(PackedLeg.read(result.pack()), given, Rules.parse(given["rules"]))
