"""Results that cannot be right are refused before anything of them is stored."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
import toys
from hypothesis import given, settings, strategies as st

from search.checks import check_leg
from search.leg import Candidate, LegResult, LegTask, PackedLeg
from search.rules import Rules
from search.settings import new_settings
from search.strategies import STRATEGIES, cycles, get

toys.install()
SETTINGS = new_settings("toy", rules=toys.RULES, searchers=7, seed=5)
RULES = Rules.parse(toys.RULES)
GOOD = get("toy").advance(LegTask(SETTINGS, 2, 3, b"some state"))


def check(result: LegResult) -> None:
    check_leg(PackedLeg.read(result.pack()), SETTINGS, RULES, 2)


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


@pytest.mark.parametrize("name", sorted(name for name, plan in STRATEGIES.items() if not plan.largest_state))
def test_no_state_where_none_is_carried(name):
    given = {**SETTINGS, "strategy": name, "leg_games": 20}
    check_leg(PackedLeg.read(replace(GOOD, state=b"").pack()), given, RULES, 2)
    with pytest.raises(ValueError, match="a state of 1 bytes where 0 is the most"):
        check_leg(PackedLeg.read(replace(GOOD, state=b"x").pack()), given, RULES, 2)


def refused(name: str, given: dict, searcher: int, state: bytes, go_on: bool = True) -> bool:
    """Whether the state is refused; if it is not, the group's pool and the next leg must be able to take it."""
    try:
        get(name).check_state(given, searcher, state)
    except ValueError:
        return True
    get(name).pool(given, [state] * 3)
    if go_on:
        get(name).advance(LegTask({**given, "leg_games": 1}, searcher, 1, state))
    return False


CARRIED = {
    ("climb", "standard", 2): {},
    ("climb", "standard", 3): {},
    ("climb", "2A2K2Q2J72-", 2): {},
    ("cycles", "standard", 2): {},
    ("cycles", "italian", 2): {},
    ("cycles", "2A2K2Q2J8-", 2): {},
    ("cycles", "4A=4 4K=3 4Q=2 4J=1 36- 20+32", 2): {"drift": "none"},
}


@pytest.mark.parametrize("name, rules, players", CARRIED)
def test_states_that_are_carried(monkeypatch, name, rules, players):
    """All real ones pass; no damage gets to the next leg or to the pool, wherever it is."""
    monkeypatch.setattr(cycles, "SMALL", ((13, 5, 100_000),))
    given = new_settings(name, rules=rules, players=players, seed=2, searchers=16, leg_games=2000, **CARRIED[name, rules, players])
    states = {}
    for searcher in (0, 7, 15):
        state = b""
        for leg in range(2 if name == "climb" else 1):
            state = get(name).advance(LegTask(given, searcher, leg, state)).state
            get(name).check_state(given, searcher, state)
        states[searcher] = state
    good = states[0]
    assert len(good) <= get(name).largest_state < 100_000
    assert refused(name, given, 0, b"") and refused(name, given, 0, b"garbage") and refused(name, given, 0, good * 50)
    assert refused(name, given, 0, good[:-1]) or name == "cycles"
    assert refused(name, given, 0, good + b"\0")
    if name == "cycles":
        assert refused(name, given, 0, states[7])  # of another seam
    rng = random.Random(1)
    kept = 0
    for _ in range(200):
        state = bytearray(good)
        at = rng.randrange(len(state))
        state[at : at + rng.randrange(3)] = rng.choice((rng.randbytes(rng.randrange(3)), b"A", b"\n", b"-", b"9", b" "))
        kept += not refused(name, given, 0, bytes(state), go_on=kept < 3)
    assert kept < 200


def test_more_pieces_than_are_kept_or_others_are_refused(monkeypatch):
    monkeypatch.setattr(cycles, "SMALL", ((13, 5, 100_000),))
    given = new_settings("cycles", seed=2)
    seam = cycles.seam_of(given, Rules.parse("standard"), 0)

    def state(*pieces: tuple[int, str], at=seam) -> bytes:
        return cycles.write_pieces({at: [cycles.Rare(*piece) for piece in pieces]})

    assert not refused("cycles", given, 0, state()) and not refused("cycles", given, 0, state((52, "-" * 52)))
    many = [(20, f"{n:09b}".replace("0", "-").replace("1", "A")) for n in range(401)]
    many.sort(key=lambda piece: piece[1])
    get("cycles").check_state(given, 0, state(*many[:400]))
    for wrong in (
        state(*many),
        state((53, "-")),
        state((0, "-")),
        state((5, "-" * 53)),
        state((5, "-x")),
        state((5, "")),
        state((5, "-"), (6, "--")),  # not in order
        state((6, "-A"), (5, "A-")),  # one composition
        state(at=seam._replace(drift="--")),
        state() + state(),
        b"F1",
        b"F1\n1 -",
        b"F1\nseam J-",
        state((5, "-")).replace(b"5 -", b"05 -"),
        state((5, "-")).replace(b"5 -", b"5"),
    ):
        assert refused("cycles", given, 0, wrong), wrong


def test_where_a_leg_may_end_early_it_may_count_fewer_games():
    free = next(name for name, plan in STRATEGIES.items() if not plan.exact_legs and not plan.largest_state)
    for games in (1, 21):
        check_leg(PackedLeg.read(replace(changed(games=games, infinite=0), state=b"").pack()), {**SETTINGS, "strategy": free}, RULES, 2)


@pytest.mark.parametrize(
    ("result", "why"),
    [
        (replace(GOOD, state=b""), "a state of 0 bytes"),
        (replace(GOOD, state=bytes(17)), "a state of 17 bytes"),
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
        check_leg(result, SETTINGS, RULES, 2)
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
            check_leg(PackedLeg.read(result.pack()), given, Rules.parse(given["rules"]), 1)
