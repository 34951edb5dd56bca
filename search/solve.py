"""Small decks settled: every deal played, every cycle found. `python -m search.solve FILE` writes docs/small-decks.md.

For two players the infinite deals are counted in two ways that share nothing: by playing all deals
forward (a scan), and by finding all cycles of the deck and all that leads to them by backward play
alone (csrc/census.h). If the two disagree, nothing is written.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement
from pathlib import Path

from . import _kernel, engine
from .cycle import cycle_of
from .deal import Deal
from .errors import Disagreement, InputError
from .game import trace
from .rules import RANKS, Rules

MOST_COURTS = 4
_MANY = 10**6  # deals; decks with more take long enough to be told about
SIZES = range(4, 25, 2)  # cards in the decks of the tables for two players
SIZES_OF_MORE = {3: range(4, 19), 4: range(4, 19)}
ITALIAN = [f"2K 2Q 2J {n}-" for n in range(2, 19)]
LARGE = ["3K 3Q 3J 7-", "3K 3Q 3J 9-", "3K 3Q 3J 11-", "2A 2K 2Q 2J 6-", "2A 2K 2Q 2J 8-", "2A 2K 2Q 2J 10-"]


@dataclass(frozen=True)
class Solution:
    """All deals of a deck.

    Attributes:
        rules: the deck and the players.
        deals: how many there are.
        cards, tricks, deal: the longest finite game and a deal that gives it (of several the first in
            byte order); None where no game is finite.
        mean: cards of a finite game on average.
        infinite: how many deals are infinite.
        periods: {tricks of the loop, seats told apart: infinite deals}.
        players: {players who are still in when the loop begins: infinite deals}.
        examples: {players who are still in: the first such deal by index}.
        cycles: names of all cycles that a deal ends in; None for more than two players.
        all_cycles: how many cycles the deck has, those that no deal leads to included; None as above.
    """

    rules: Rules
    deals: int
    cards: int | None
    tricks: int | None
    deal: str | None
    mean: float | None
    infinite: int
    periods: dict[int, int]
    players: dict[int, int]
    examples: dict[int, str]
    cycles: tuple[str, ...] | None
    all_cycles: int | None


def solve(rules: Rules) -> Solution:
    """Settle a deck: two to four players, hands of the default split.

    Raises:
        InputError: the rules do not fix the deck.
        Disagreement: the two ways of counting infinite deals do not agree; a fault of ours.
    """
    if rules.counts is None:
        raise InputError("only rules that fix the deck can be solved")
    counts = engine.composition(rules)
    done, lengths, periods, best, loops = _kernel.scan_leg(
        _kernel.codes_at(0, counts), rules.hand_sizes, rules.pay_codes, rules.deals, "cards", 0, 1, rules.deals
    )
    cycles = all_cycles = None
    if rules.seats == 2 and engine.fits(rules) and min(rules.hand_sizes):
        found = backward_census(rules)
        deals = sum(deals for _, deals in found)
        if deals != done["infinite"]:
            raise Disagreement(f"{rules}: {done['infinite']} infinite deals by a scan, {deals} by backward play; this is a fault of the program")
        cycles, all_cycles = tuple(sorted(name for name, deals in found if deals)), len(found)
    players: Counter[int] = Counter()
    examples: dict[int, str] = {}
    for cards_of_loop, _, _ in loops:
        looping = Deal.from_cards(cards_of_loop, rules)
        still_in = players_in_loop(looping)
        players[still_in] += 1
        examples.setdefault(still_in, str(looping))
    finite = sum(lengths.values())
    deal, cards, tricks = best[0] if best else (None, None, None)
    return Solution(
        rules=rules,
        deals=rules.deals,
        cards=cards,
        tricks=tricks,
        deal=None if deal is None else str(Deal.from_cards(deal, rules)),
        mean=sum(n * length for length, n in lengths.items()) / finite if finite else None,
        infinite=done["infinite"],
        periods=periods,
        players=dict(players),
        examples=examples,
        cycles=cycles,
        all_cycles=all_cycles,
    )


def players_in_loop(deal: Deal) -> int:
    """How many players are still in when the loop of an infinite game begins."""
    if deal.rules.seats == 2:
        return 2
    *_, last = trace(deal)
    return sum(map(bool, last.before))


def backward_census(rules: Rules) -> list[tuple[str, int]]:
    """(name, infinite deals that end in it) of every cycle of a two-player deck, by backward play alone."""
    _, _, found = _kernel.backward_census(engine.composition(rules), rules.hand_sizes[0], rules.pay_codes)
    free = Rules(counts=None, pays=rules.pays, any_split=True)
    named = []
    for codes, leaders, period, deals, _ in found:
        cards = "".join("-JQKA"[code] for code in codes)
        cycle = cycle_of(Deal.from_cards(cards, free, (leaders, len(cards) - leaders)))
        if cycle is None or cycle.cycle_period != period:
            raise Disagreement(f"{rules}: {cards[:leaders]}/{cards[leaders:]} is on a cycle of {period} by backward play, but not played forward")
        named.append((cycle.name, deals))
    return named


def court_sets(most: int = MOST_COURTS) -> Iterator[str]:
    """All sets of one to `most` court cards, as 'AKQJ', small ones first."""
    for n in range(1, most + 1):
        yield from map("".join, combinations_with_replacement(RANKS[:4], n))


def deck(courts: str, size: int, players: int = 2) -> Rules | None:
    """The deck of these court cards with number cards up to `size`; None where there are too many."""
    numbers = size - len(courts)
    if numbers < 0 or size < players:
        return None
    counts = tuple(courts.count(rank) for rank in RANKS[:4])
    return Rules((*counts, numbers), seats=players)


# ---- the document ----


def document(most: int | None = None, say=lambda text: None) -> str:
    """The text of docs/small-decks.md; with `most`, of decks with so many deals at most.

    `say` is told what is being solved.
    """

    def solved(rules: Rules | None) -> Solution | None:
        if rules is None or (most is not None and rules.deals > most):
            return None
        if rules.deals > _MANY:
            say(f"{rules}: {rules.deals} deals")
        return solve(rules)

    two = {courts: [solved(deck(courts, size)) for size in SIZES] for courts in court_sets()}
    more = {
        players: {courts: [solved(deck(courts, size, players)) for size in sizes] for courts in court_sets()}
        for players, sizes in SIZES_OF_MORE.items()
    }
    italian, large = ([s for s in map(solved, map(Rules.parse, texts)) if s] for texts in (ITALIAN, LARGE))
    parts = [
        _INTRODUCTION,
        "## Two players: decks of up to 24 cards with one to four court cards\n\nInfinite deals:",
        _grid(two, SIZES, lambda s: str(s.infinite), lambda s: s.infinite > 0),
        _without(two),
        "The longest finite game, in cards:",
        _grid(two, SIZES, lambda s: "-" if s.cards is None else str(s.cards), lambda s: True),
        "## Two players: two kings, two queens, two jacks\n\nOdd decks give the first player the odd card.",
        _details(italian),
        "## Two players: larger decks",
        _details(large),
    ]
    for players, solutions in more.items():
        sizes = SIZES_OF_MORE[players]
        word = {3: "Three", 4: "Four"}[players]
        parts += [
            f"## {word} players: decks of up to {sizes[-1]} cards with one to four court cards\n\n"
            "Infinite deals (where the deck does not divide, the first seats hold one card more):",
            _grid(solutions, sizes, lambda s: str(s.infinite), lambda s: s.infinite > 0),
            _without(solutions),
            _who_loops(solutions),
            f"Tricks in these loops: {_periods(_sum(s.periods for row in solutions.values() for s in row if s))}.",
        ]
    return "\n\n".join(part for part in parts if part) + "\n"


_INTRODUCTION = """# Small decks, settled

Every deal of each of these decks was played to its end or its loop. For two players the infinite
deals were counted a second time, by backward play alone: all cycles of the deck were found among all
ways of laying it out in two hands, and all that leads to them was gone through. The two counts agree
for every deck below.

This file is made by `python -m search.solve docs/small-decks.md` (in a clone, after `pip install -e .`),
which takes some minutes. The pays are the usual ones: A 4, K 3, Q 2, J 1. A court set `KQJ` and 12 cards mean one king, one queen, one
jack and nine number cards. Hands are as equal as can be. Deals are orders of the cards; the seats
count, so a deal and the same deal with exchanged hands are two. Lists such as `10 (84)` say how many
deals there are of a kind: 84 whose loop takes 10 tricks."""


def _grid(solutions: dict[str, list[Solution | None]], sizes: Iterable[int], cell, wanted) -> str:
    """A table of court sets by deck sizes, of the rows where a solution is wanted."""
    rows = [["court cards", *(f"{size} cards" for size in sizes)], ["---", *("---:" for _ in sizes)]]
    for courts, row in solutions.items():
        if any(s and wanted(s) for s in row):
            rows.append([courts, *("" if s is None else cell(s) for s in row)])
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def _without(solutions: dict[str, list[Solution | None]]) -> str:
    none = [courts for courts, row in solutions.items() if any(row) and not any(s and s.infinite for s in row)]
    return f"No infinite deal, with any of these numbers of cards: {', '.join(none)}." if none else ""


def _details(solutions: Sequence[Solution]) -> str:
    if not solutions:
        return ""
    rows = [
        ["deck", "cards", "deals", "mean cards", "longest: cards", "tricks", "by the deal", "infinite deals", "tricks in the loop", "cycles with deals", "all cycles"],
        ["---", "---:", "---:", "---:", "---:", "---:", "---", "---:", "---", "---:", "---:"],
    ]
    for s in solutions:
        rows.append(
            [
                s.rules.text, str(s.rules.size), str(s.deals), "" if s.mean is None else f"{s.mean:.2f}", str(s.cards), str(s.tricks),
                f"`{s.deal}`", str(s.infinite), _periods(s.periods), str(len(s.cycles)), str(s.all_cycles),
            ]  # fmt: skip
        )
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def _who_loops(solutions: dict[str, list[Solution | None]]) -> str:
    """How many players go round in the loops, with the smallest example of each."""
    settled = sorted((s for row in solutions.values() for s in row if s), key=lambda s: s.rules.size)
    total = _sum(s.players for s in settled)
    texts = []
    for players, n in sorted(total.items()):
        example = next(s.examples[players] for s in settled if players in s.examples)
        texts.append(f"{players} players go round in the loops of {n} deals, such as `{example}`")
    return f"{'; '.join(texts)}. The others have dropped out before." if texts else ""


def _periods(periods: dict[int, int]) -> str:
    return ", ".join(f"{period} ({n})" for period, n in sorted(periods.items()))


def _sum(histograms: Iterable[dict[int, int]]) -> dict[int, int]:
    total: dict[int, int] = {}
    for histogram in histograms:
        for value, n in histogram.items():
            total[value] = total.get(value, 0) + n
    return total


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m search.solve", description="Settle small decks and write what came of it.")
    parser.add_argument("file", type=Path, help="the Markdown file to write")
    parser.add_argument("--most", type=int, help="leave out decks with more deals than this")
    args = parser.parse_args(argv)
    try:
        args.file.open("a").close()  # what takes minutes should not be for nothing
    except OSError as error:
        parser.error(f"{args.file}: cannot write it: {error.strerror}")
    text = document(args.most, lambda what: print(what, file=sys.stderr, flush=True))
    args.file.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
