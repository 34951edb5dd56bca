"""What is kept does not depend on the order in which legs come in."""

from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from search.finds import Find, Kept, entry_key


def find(deal: str, cards: int, searcher: int, leg: int, line: str = "", infinite: bool = False) -> Find:
    return Find(deal, (2, len(deal) - 2), cards, cards // 7, infinite, 0, None, None, None, line, searcher, leg)


class Model:
    """The rule of finds.py as it is stated, applied to everything at once."""

    def __init__(self, keep: int, threshold: int, objective: str):
        self.keep, self.threshold, self.objective = keep, threshold, objective

    def __call__(self, finds: list[Find]) -> list[tuple]:
        def value(f):
            return f.tricks if self.objective == "tricks" else f.cards

        entries: dict[str, Find] = {}
        for f in sorted(finds, key=lambda f: (-value(f), f.text, f.leg, f.searcher)):
            if not f.infinite and value(f) >= self.threshold:
                entries.setdefault(f.line or f.text, f)
        best = sorted(entries.values(), key=lambda f: (-value(f), f.text))[: self.keep]
        loops = {}
        for f in sorted(finds, key=lambda f: (f.leg, f.searcher)):
            if f.infinite:
                loops.setdefault(f.text, f)
        return sorted(map(str, [*best, *loops.values()]))


def kept(finds: list[Find], keep: int, threshold: int, objective: str) -> list[str]:
    loops: dict[str, Find] = {}

    def credit(key: str):
        return (loops[key].leg, loops[key].searcher) if key in loops else None

    all_kept = Kept({"keep": keep, "threshold": threshold, "objective": objective}, [], credit)
    finite: dict[str, Find] = {}
    for f in finds:
        wanted = all_kept.wants(f, f.searcher, f.leg)
        entered, dropped = all_kept.offer(f)
        assert entered == wanted
        if entered:
            (loops if f.infinite else finite)[f.key] = f
        for key in dropped:
            del finite[key]
    assert sorted(map(str, all_kept)) == sorted(map(str, finite.values()))
    assert len(all_kept) <= keep
    return sorted(map(str, [*finite.values(), *loops.values()]))


# A deal has one length and one line, as in life: both follow from its text.
DEALS = ["A--K", "A-K-", "AK--", "K--A", "K-A-", "KA--", "--AK", "--KA", "-A-K", "-K-A"]


def a_find(number: int, searcher: int, leg: int, lines: bool) -> Find:
    infinite = number >= 8
    return find(DEALS[number], 10 * (number % 4), searcher, leg, f"line {number % 3}" if lines else "", infinite)


@settings(max_examples=300, derandomize=True)
@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 3), st.integers(0, 3)), max_size=25),
    st.booleans(),
    st.integers(1, 5),
    st.sampled_from([0, 20]),
    st.sampled_from(["cards", "tricks"]),
    st.randoms(use_true_random=False),
)
def test_any_order_keeps_what_the_rule_says(seen, lines, keep, threshold, objective, rng: random.Random):
    finds = [a_find(*one, lines) for one in seen]
    expected = Model(keep, threshold if objective == "cards" else threshold // 7, objective)(finds)
    for _ in range(4):
        rng.shuffle(finds)
        assert kept(finds, keep, threshold if objective == "cards" else threshold // 7, objective) == expected


def test_the_best_comes_first_and_ties_go_by_deal():
    finds = [find("KA--", 30, 0, 0), find("A--K", 30, 1, 0), find("A-K-", 50, 2, 0), find("--KA", 10, 3, 0)]
    all_kept = Kept({"keep": 3, "threshold": 0, "objective": "cards"}, [], lambda key: None)
    for f in finds:
        all_kept.offer(f)
    assert [f.deal for f in all_kept] == ["A-K-", "A--K", "KA--"]
    assert all_kept.best.deal == "A-K-"


def test_one_deal_of_a_line_is_kept_but_every_infinite_one():
    """Deals of one line are one find; an infinite deal is always one of its own, whatever line it is said to be of."""
    keys = {entry_key(find(deal, 9, 0, 0, line="x", infinite=infinite)) for deal in ("AK--", "AQ--") for infinite in (False, True)}
    assert keys == {"line x", "deal AK/--", "deal AQ/--"}
    assert entry_key(find("AK--", 9, 0, 0)) == "deal AK/--"
