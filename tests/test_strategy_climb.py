"""The strategy `climb`: its moves, its steps one by one, and legs that leave no trace."""

import random
import struct
from typing import NamedTuple

import pytest

from search import _kernel, engine
from search.errors import InputError
from search.leg import LegTask, Tally
from search.rules import CODES, Rules
from search.strategies import get
from search.strategies.climb import MOVES
from search.strategies.random import default_threshold

PLAN = get("climb")
WALKS = 16
SMALL = "1A=4 2Q=2 2J=1 7-"
DECKS = ["standard", SMALL, "3A=4 2K=3 17- 9+13", "17A 20-", "2J 9-", "1J"]


def settings(rules=SMALL, **given):
    chosen = {
        "strategy": "climb",
        "rules": rules,
        "players": 2,
        "objective": "cards",
        "seed": 5,
        "keep": 1000,
        "threshold": 1,
        "leg_games": 160,
        "moves": ",".join(MOVES),
        "improve": "best",
        "patience": 10**6,
    }
    chosen |= given
    PLAN.prepare(chosen)
    return chosen


class Walk(NamedTuple):
    """Where a walk stands, read from a state."""

    phase: int
    starts: int
    scans: int
    value: int
    done: int
    tests: int
    found_value: int
    found_at: int
    deal: str


def walks(state, rules):
    cards = Rules.parse(rules).size
    assert state[:2] == b"C1" and len(state) == 2 + WALKS * (64 + cards)
    return [
        Walk(*struct.unpack("<8Q", state[at : at + 64]), "".join(CODES[code] for code in state[at + 64 : at + 64 + cards]))
        for at in range(2, len(state), 64 + cards)
    ]


def codes(deal):
    return bytes(CODES.index(card) for card in deal)


def neighbours(deal, rules, moves=MOVES):
    return ["".join(CODES[code] for code in after) for after, _ in _kernel.neighbours(codes(deal), rules.hand_sizes, moves)]


def plain_neighbours(deal, sizes, kind):
    """The neighbours by one kind of move, from its definition: a set, the deal itself left out."""
    first = sizes[0]
    hands = [deal[:first], deal[first:]]
    found = set()
    if kind == "swap":
        for i in range(len(deal)):
            for j in range(i):
                cards = list(deal)
                cards[i], cards[j] = cards[j], cards[i]
                found.add("".join(cards))
    if kind == "shift":
        for seat in (0, 1):
            for i, card in enumerate(hands[seat]):
                rest = hands[seat][:i] + hands[seat][i + 1 :]
                for j in range(len(rest) + 1):
                    moved = rest[:j] + card + rest[j:]
                    if card == "-":
                        found.add(moved + hands[1] if seat == 0 else hands[0] + moved)
    if kind == "rotate":
        for seat in (0, 1):
            for cut in range(len(hands[seat])):
                turned = hands[seat][cut:] + hands[seat][:cut]
                found.add(turned + hands[1] if seat == 0 else hands[0] + turned)
    if kind == "exchange":
        depth = min(sizes)
        for start in range(depth):
            for end in range(start + 1, depth + 1):
                a = hands[0][:start] + hands[1][start:end] + hands[0][end:]
                b = hands[1][:start] + hands[0][start:end] + hands[1][end:]
                found.add(a + b)
    return found - {deal}


@pytest.mark.parametrize("kind", MOVES)
@pytest.mark.parametrize("text", DECKS + ["4A 4K 4Q 4J 48-"])
def test_moves(kind, text):
    rules = Rules.parse(text)
    cards = [rank for rank, n in zip("AKQJ-", rules.counts) for _ in range(n)]
    draw = random.Random(text)
    for _ in range(4):
        draw.shuffle(cards)
        deal = "".join(cards)
        found = _kernel.neighbours(codes(deal), rules.hand_sizes, [kind])
        strings = ["".join(CODES[code] for code in after) for after, _ in found]
        assert set(strings) == plain_neighbours(deal, rules.hand_sizes, kind)
        if kind == "shift":
            assert len(strings) == len(set(strings))
        if engine.fits(rules) and found:
            packed = b"".join(packed for _, packed in found)
            assert engine.unpack(packed) == strings == engine.unpack(engine.pack(strings, rules))
            assert packed == engine.pack(strings, rules)


def lengths_of(strings, rules, objective):
    results = engine.play_strings(strings, rules)
    return [0 if o.status == "infinite" else getattr(o, objective) for o in results]


@pytest.mark.parametrize("objective", ["cards", "tricks"])
@pytest.mark.parametrize("text, moves", [(SMALL, MOVES), ("standard", ("shift", "rotate")), ("17A 6-", ("exchange", "swap"))])
def test_steps_of_best_improvement(text, moves, objective):
    """Watched one test at a time: a walk goes to the longest neighbour, or starts again at a top."""
    rules = Rules.parse(text)
    chosen = settings(text, leg_games=WALKS, moves=",".join(moves), objective=objective)
    state, before = b"", None
    went = tops = 0
    for leg in range(700 if text != "standard" else 1200):
        state = PLAN.advance(LegTask(chosen, 2, leg, state)).state
        after = walks(state, text)
        if before:
            for old, new in zip(before, after):
                if old.phase == 0 or new.deal == old.deal:
                    continue
                around = neighbours(old.deal, rules, chosen["moves"].split(","))
                values = lengths_of(around, rules, objective)
                if new.starts == old.starts:
                    assert new.value == max(values) > old.value
                    assert new.deal in {deal for deal, value in zip(around, values) if value == new.value}
                    went += 1
                else:
                    assert max(values, default=0) <= old.value
                    tops += 1
        before = after
        for walk in after:
            if walk.phase:
                assert [walk.value] == lengths_of([walk.deal], rules, objective)
    assert went > 10 and (tops > 5 or text == "standard")


@pytest.mark.parametrize("text", [SMALL, "17A 6-"])
def test_steps_of_first_improvement(text):
    rules = Rules.parse(text)
    chosen = settings(text, leg_games=WALKS, improve="first")
    state, before = b"", None
    went = tops = 0
    for leg in range(700):
        state = PLAN.advance(LegTask(chosen, 2, leg, state)).state
        after = walks(state, text)
        for old, new in zip(before or after, after):
            if old.phase == 0 or new.deal == old.deal:
                continue
            around = neighbours(old.deal, rules)
            values = lengths_of(around, rules, "cards")
            if new.starts == old.starts:
                assert new.value > old.value and (new.deal, new.value) in list(zip(around, values))
                went += 1
            else:
                assert max(values) <= old.value
                tops += 1
        before = after
    assert went > 20 and tops > 5


def test_patience():
    """A scan ends after so many tests, taking the best so far, or starting again."""
    chosen = settings("standard", leg_games=WALKS, patience=10)
    state = b""
    for leg in range(300):
        state = PLAN.advance(LegTask(chosen, 0, leg, state)).state
        for walk in walks(state, "standard"):
            assert walk.tests <= 10
    assert sum(walk.starts for walk in walks(state, "standard")) > 2 * WALKS
    assert sum(walk.scans - walk.starts for walk in walks(state, "standard")) > WALKS


@pytest.mark.parametrize("improve", ["best", "first"])
@pytest.mark.parametrize("text, tests", [("standard", 40_000), (SMALL, 4000), ("17A 20-", 1600), ("2J 9-", 1600), ("1J", 160)])
def test_leg_boundaries_leave_no_trace(text, tests, improve):
    """Many legs give the state, the tallies and the finds of one leg with as many tests."""
    whole = PLAN.advance(LegTask(settings(text, leg_games=tests, improve=improve, threshold=1200), 3, 0))
    assert whole.tally.counts["games"] == tests
    for parts in (2, 5):
        chosen = settings(text, leg_games=tests // parts, improve=improve, threshold=1200)
        state, tally, finds = b"", Tally(), set()
        for leg in range(parts):
            result = PLAN.advance(LegTask(chosen, 3, leg, state))
            assert result.digest() == PLAN.advance(LegTask(chosen, 3, leg, state)).digest()
            state = result.state
            tally.add(result.tally)
            finds |= set(result.finds)
        assert state == whole.state
        assert tally == whole.tally
        assert finds == set(whole.finds)


def test_engines_give_equal_legs(monkeypatch):
    for text in ("standard", "italian", SMALL):
        for improve in ("best", "first"):
            chosen = settings(text, leg_games=20_001, improve=improve, threshold=300)
            digests = set()
            for name in engine.engines():
                monkeypatch.setenv("BEGGAR_ENGINE", name)
                digests.add(PLAN.advance(LegTask(chosen, 1, 0)).digest())
            assert len(digests) == 1
            assert PLAN.advance(LegTask(chosen, 2, 0)).digest() not in digests


def test_finds_are_what_they_say():
    chosen = settings(leg_games=4000, threshold=40, keep=30)
    result = PLAN.advance(LegTask(chosen, 0, 0))
    rules = Rules.parse(SMALL)
    outcomes = engine.play_strings([find.deal for find in result.finds], rules, engine="ring")
    for find, outcome in zip(result.finds, outcomes):
        assert (find.cards, find.tricks, find.infinite) == (outcome.cards, outcome.tricks, outcome.status == "infinite")
        assert find.infinite or find.cards >= 40
    assert len([find for find in result.finds if not find.infinite]) == 30
    loops = [find for find in result.finds if find.infinite]
    assert loops and result.tally.counts["infinite"] >= len(loops)
    assert sum(result.tally.histograms["lengths"].values()) == 4000 - result.tally.counts["infinite"]


def test_settings():
    chosen = settings("standard", threshold=None, leg_games=PLAN.leg_games, moves=" rotate , swap")
    assert chosen["moves"] == "swap,rotate" and chosen["threshold"] == default_threshold(Rules.parse("standard"), "cards")
    assert chosen["leg_games"] == PLAN.leg_games
    assert settings("17A 100-", leg_games=PLAN.leg_games)["leg_games"] < PLAN.leg_games
    for wrong in ("", "swap,jump", "swap,,shift"):
        with pytest.raises(InputError, match="no move"):
            settings(moves=wrong)


def test_damaged_states_are_refused():
    chosen = settings()
    state = PLAN.advance(LegTask(chosen, 0, 0)).state
    for damaged in (state[:-1], state + b"x", b"C2" + state[2:], b"x", state[:66] + b"\x07" + state[67:], state[:2] + b"\x02" + state[3:]):
        with pytest.raises(ValueError):
            PLAN.advance(LegTask(chosen, 0, 1, damaged))
