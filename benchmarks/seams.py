"""Seams other than the known one: which have pieces, and whether a tape of the deck comes out. `python benchmarks/seams.py`.

A scan in two steps (docs/infinite.md tells what the words mean):

1. For every short hand of up to `--cards` cards, either player leading, with each drift of DRIFTS: all pieces of up to
   SMALL number cards and court cards. Seams with `--pieces` of them or more go on.
2. For each of these: the small pieces that a leg of strategy `cycles` makes, and big ones, bred with `--tests` tests, `--legs`
   times from other random numbers; tapes of them with exactly the cards of the deck, up to PARTS pieces a tape, one of which
   brings the short hand to PEAK cards; and what leads into the cycles of these tapes.

Printed: the seams of the second step, the highest peak first, and figures of all. Pieces and peak are those of all legs;
tapes, cycles and deals those of the leg that has the most. The standard deck takes five minutes of one core, `--cards 3` one.
The results depend on `--seed` and the other options only.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from itertools import product

from search import _kernel, engine, report
from search.pieces import Seam
from search.rules import CODES, Rules
from search.strategies.cycles import BASIN, CYCLE_TRICKS, EPOCH_TAPES, RANK_CHOICES, codes_of_seam
from search.strategies.cycles import SMALL as MORE

DRIFTS = ("", "-", "--", "---", "J-", "Q--")
LEADERS = ("long", "short")
SMALL = (9, 4, 1_000_000)  # number cards, court cards, unfinished words at most
PARTS = 6
PEAK = 10  # cards
EPOCH_TESTS = 250_000  # what is found is found early in an epoch
DOMAIN = 0x5365616D  # random numbers of this scan
COLUMNS = ("seam", "drift", "leader", "small_pieces", "pieces", "peak", "tapes", "cycles", "deals")


def all_seams(cards: int) -> Iterator[Seam]:
    """Every short hand of up to so many cards with every drift and leader."""
    for size in range(1, cards + 1):
        for hand in product(CODES, repeat=size):
            for leader in LEADERS:
                for drift in DRIFTS:
                    yield Seam("".join(hand), drift, leader)


def small_pieces(seam: Seam, rules: Rules, most: tuple[int, int, int]) -> list[tuple]:
    """(codes, court cards, rounds, peak, tricks) of all small pieces; none where the deck has not the cards of the seam."""
    needed = seam.short_hand + seam.drift
    if any(needed.count(rank) > have for rank, have in zip(CODES, engine.composition(rules))):
        return []
    return _kernel.small_pieces(engine.composition(rules), rules.pay_codes, *codes_of_seam(seam), *most)


def look_closer(seam: Seam, rules: Rules, tests: int, legs: int, seed: int) -> dict[str, object]:
    """The second step for one seam: pieces, the highest peak, tapes of the deck, cycles and deals."""
    peaks = {codes: peak for most in MORE for codes, _, _, peak, _ in small_pieces(seam, rules, most)}
    most = {"tapes": 0, "cycles": 0, "deals": 0}
    for leg in range(legs):
        _, bred, counts = _kernel.factory_leg(
            engine.composition(rules),
            rules.pay_codes,
            rules.hand_sizes[0],
            codes_of_seam(seam),
            MORE,
            [],
            [],
            (0, 1),
            (PARTS, PEAK, RANK_CHOICES, BASIN, CYCLE_TRICKS),
            (tests, min(tests, EPOCH_TESTS), tests, EPOCH_TAPES),
            (seed, leg, DOMAIN),
        )
        peaks |= {codes: peak for codes, _, _, peak, _ in bred}
        most = {name: max(n, counts[name]) for name, n in most.items()}
    return {
        "seam": seam.short_hand,
        "drift": seam.drift or "none",
        "leader": seam.leader,
        "pieces": len(peaks),
        "peak": max(peaks.values(), default=0),
        **most,
    }


def scan(rules: Rules, cards: int, least: int, tests: int, legs: int, seed: int) -> tuple[list[dict[str, object]], dict[str, int]]:
    """The rows of the second step, and the figures of both steps."""
    rows, seams, some = [], 0, 0
    for seam in all_seams(cards):
        small = len(small_pieces(seam, rules, SMALL))
        seams += 1
        some += small > 0
        if small >= least:
            rows.append({"small_pieces": small, **look_closer(seam, rules, tests, legs, seed)})
    rows.sort(key=lambda row: (-row["peak"], row["seam"], row["drift"], row["leader"]))
    total = {
        "seams": seams,
        "seams_with_pieces": some,
        "seams_looked_at": len(rows),
        "most_pieces": max((row["pieces"] for row in rows), default=0),
        "highest_peak": max((row["peak"] for row in rows), default=0),
        "seams_with_tapes": sum(row["tapes"] > 0 for row in rows),
        "seams_with_deals": sum(row["deals"] > 0 for row in rows),
    }
    return rows, total


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cards", type=int, default=5, help="of the short hand at most (default: 5)")
    parser.add_argument("--pieces", type=int, default=2, help="that a seam must have to be looked at closer (default: 2)")
    parser.add_argument("--tests", type=int, default=3_000_000, help="in a leg for a seam that is looked at closer (default: 3000000)")
    parser.add_argument("--legs", type=int, default=2, help="for each of them (default: 2)")
    parser.add_argument("--rules", default="standard")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true", help="one object a seam, and one for all")
    args = parser.parse_args()
    rows, total = scan(Rules.parse(args.rules), args.cards, args.pieces, args.tests, args.legs, args.seed)
    if args.json:
        for row in [*rows, total]:
            print(json.dumps(row))
    else:
        print(report.table(rows, COLUMNS), end="")
        print(", ".join(f"{name.replace('_', ' ')} {value}" for name, value in total.items()))


if __name__ == "__main__":
    main()
