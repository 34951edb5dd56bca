"""What a search in the kernel costs beyond its games: rates side by side, as ratios, medians of several rounds.

    python benchmarks/pipeline.py [--rounds 5] [--seconds 0.5] [--json]

Rows are measured in turn within a round, so that a machine that slows down slows all of them. One core.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable

from search import _kernel, engine
from search.leg import LegTask
from search.rules import STANDARD
from search.strategies import get

CHUNK = 1 << 18  # games a call


def rows() -> dict[str, tuple[int, Callable[[], object]]]:
    """{row: (games a call, call)}; the first row is what the others are compared with."""
    deck = engine.composition(STANDARD), STANDARD.hand_sizes[0], STANDARD.pay_codes
    packed = engine.deals_packed(STANDARD, 1, 1, 0, CHUNK)
    strings = engine.unpack(packed)
    calls = {
        "bare: deal and play": (CHUNK, lambda: _kernel.random_bare(*deck, 1, 1, 0, CHUNK)),
        "deal only": (CHUNK, lambda: engine.deals_packed(STANDARD, 1, 1, 0, CHUNK)),
        "packed deals": (CHUNK, lambda: engine.play_packed(packed)),
        "strings": (CHUNK, lambda: engine.play_strings(strings)),
        "ring, packed deals": (CHUNK // 16, lambda: engine.play_packed(packed[:CHUNK], engine="ring")),
    }
    for name, more in (("random", {}), ("climb", {"improve": "best"}), ("climb", {"improve": "first"})):
        plan = get(name)
        settings = {option.name: option.default for option in plan.options}
        settings |= {"rules": "standard", "players": 2, "objective": plan.objectives[0], "seed": 1, "keep": 1000}
        settings |= {"threshold": 0, "leg_games": 4 * CHUNK} | more
        plan.prepare(settings)
        label = " ".join(["leg of", name, *map(str, more.values())])
        calls[label] = (4 * CHUNK, lambda plan=plan, settings=settings: plan.advance(LegTask(settings, 1, 0)))
    return calls


def measure(rounds: int, seconds: float) -> dict[str, float]:
    """Games a second of each row."""
    calls = rows()
    rates: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(rounds):
        for name, (games, call) in calls.items():
            start = time.perf_counter()
            done = 0
            while (now := time.perf_counter()) - start < seconds or not done:
                call()
                done += games
            rates[name].append(done / (now - start))
    return {name: statistics.median(of_row) for name, of_row in rates.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.5, help="of each row in each round")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    rates = measure(given.rounds, given.seconds)
    base = next(iter(rates.values()))
    if given.json:
        print(json.dumps({"engine": engine.chosen(STANDARD), "games_per_second": rates, "ratio": {n: r / base for n, r in rates.items()}}))
        return
    print(f"engine {engine.chosen(STANDARD)}")
    for name, rate in rates.items():
        print(f"{name:<22} {rate / 1e6:8.2f} M games/s {rate / base:8.3f}")


if __name__ == "__main__":
    main()
