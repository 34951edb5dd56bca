"""Lines of so many cards that each strategy finds at equal work, with 95 % intervals.

    python benchmarks/strategies.py [--work 1e10] [--seed 1] [--json]
    python benchmarks/strategies.py --prototype PATH [--rounds 10] [--seconds 15]

Work is tricks played plus predecessors made. A deal counts once a line, whatever the strategy: what `random` and
`climb` find without --extend is counted by the lines that the deals lie on. The strategies take turns, leg by leg,
so that a machine that slows down slows all of them (which does not matter for the counts, only for the time).

With --prototype the program at PATH, which searches by the same idea, runs in turn with the strategy
`backward` on one core: it is called as `PATH SEED SECONDS 110 420` and prints `time S ns/eval` and `>=3000:COUNT`.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import time

from counting import poisson_interval, ratio_interval

from search import engine
from search.backward import walk
from search.deal import Deal
from search.leg import LegTask, Tally
from search.rules import STANDARD
from search.settings import new_settings
from search.strategies import get

LENGTHS = (3000, 3500, 4000)
ROWS = {
    "backward": ("backward", {}),
    "random --extend": ("random", {"extend": True}),
    "climb --extend": ("climb", {"extend": True}),
    "random": ("random", {}),
    "climb, best improvement": ("climb", {"improve": "best"}),
    "climb, first improvement": ("climb", {"improve": "first"}),
}
AGAINST = ("random", "climb, best improvement", "climb, first improvement")


class Row:
    """One strategy at work: as many legs of one searcher as it takes."""

    def __init__(self, label: str, seed: int):
        name, more = ROWS[label]
        self.plan = get(name)
        self.settings = new_settings(name, seed=seed, threshold=LENGTHS[0], keep=10**6, **more)
        self.state, self.leg = b"", 0
        self.tally = Tally()
        self.lines: dict[str, int] = {}
        self.seconds = 0.0

    @property
    def work(self) -> int:
        return self.tally.counts["tricks"] + self.tally.counts.get("walked", 0)

    def advance(self) -> None:
        start = time.process_time()
        result = self.plan.advance(LegTask(self.settings, 0, self.leg, self.state))
        self.seconds += time.process_time() - start
        self.state, self.leg = result.state, self.leg + 1
        result.tally.histograms.clear()
        self.tally.add(result.tally)
        for find in result.finds:
            if not find.infinite:
                line = find.line or "/".join(walk(Deal.from_cards(find.deal, STANDARD).hands, STANDARD).top)
                self.lines[line] = max(self.lines.get(line, 0), find.cards)

    def count(self, length: int) -> int:
        return sum(cards >= length for cards in self.lines.values())


def equal_work(work: float, seed: int) -> dict[str, Row]:
    rows = {label: Row(label, seed) for label in ROWS}
    while behind := [row for row in rows.values() if row.work < work]:
        min(behind, key=lambda row: row.work).advance()
    return rows


def rate(count: int, work: float) -> str:
    low, high = (1e9 * bound / work for bound in poisson_interval(count))
    return f"{count:6} {1e9 * count / work:7.2f} ({low:.2f} to {high:.2f})"


def print_table(rows: dict[str, Row]) -> None:
    print(f"engine {engine.chosen(STANDARD)}; lines found, per 10^9 units of work, 95 % interval")
    print(f"{'strategy':26}{'work':>9}{'core s':>8}  " + "".join(f">= {length:<31}" for length in LENGTHS))
    for label, row in rows.items():
        cells = "  ".join(f"{rate(row.count(length), row.work):32}" for length in LENGTHS)
        print(f"{label:26}{row.work:9.2e}{row.seconds:8.0f}  {cells}")
    print("\nbackward against              " + "".join(f">= {length:<29}" for length in LENGTHS))
    best = rows["backward"]
    for label in AGAINST:
        cells = []
        for length in LENGTHS:
            a, b, other = best.count(length), rows[label].count(length), rows[label]
            low, high = ratio_interval(a, b, best.work, other.work)
            times = f"{a / b * other.work / best.work:.1f}" if b else "-"
            cells.append(f"{times + ' times':12} ({low:.1f} to {high:.1f})")
        print(f"  {label:28}" + "".join(f"{cell:32}" for cell in cells))


def as_json(rows: dict[str, Row]) -> dict[str, object]:
    return {
        label: {"work": row.work, "core_seconds": round(row.seconds, 2), "lines": {n: row.count(n) for n in LENGTHS}, "counts": row.tally.counts}
        for label, row in rows.items()
    }


def against_prototype(path: str, rounds: int, seconds: float, seed: int) -> None:
    """Lines of 3000 cards or more a core-second, in turn."""
    ours, mine, theirs, other = Row("backward", seed), 0.0, 0, 0.0
    for number in range(rounds):
        before = ours.seconds
        while ours.seconds - before < seconds:
            ours.advance()
        mine = ours.count(LENGTHS[0]) / ours.seconds
        call = [path, str(seed + number), str(round(seconds)), "110", "420"]
        printed = subprocess.run(call, capture_output=True, text=True, check=True).stdout
        theirs += int(re.search(rf">={LENGTHS[0]}:(\d+)", printed)[1])
        other += float(re.search(r"time ([\d.]+) ns/eval", printed)[1])
        now = ours.count(LENGTHS[0])
        low, high = ratio_interval(now, theirs, ours.seconds, other)
        print(
            f"round {number + 1}: backward {now} lines in {ours.seconds:.0f} s, {mine:.2f} a second; "
            f"prototype {theirs} in {other:.0f} s, {theirs / other:.2f} a second; ratio {mine / (theirs / other):.2f} ({low:.2f} to {high:.2f})",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--work", type=float, default=1e10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--prototype", metavar="PATH")
    parser.add_argument("--rounds", type=int, default=10, help="with --prototype")
    parser.add_argument("--seconds", type=float, default=15, help="of each in each round, with --prototype")
    given = parser.parse_args()
    if given.prototype:
        against_prototype(given.prototype, given.rounds, given.seconds, given.seed)
        return
    rows = equal_work(given.work, given.seed)
    if given.json:
        print(json.dumps(as_json(rows)))
    else:
        print_table(rows)


if __name__ == "__main__":
    main()
