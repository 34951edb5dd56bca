"""Infinite games from nothing: how soon, how many, how varied. `python benchmarks/cycles.py [--seeds N] [--seconds S]`.

Each seed is a run of its own: legs of strategy `cycles` in the order in which one worker does them, timed by the CPU
time that they take. A deal counts from the end of the leg that found it. Reported, per seed and over all: CPU seconds
to the first deal, and after S seconds the different cycles with deals and the different deals.
"""

from __future__ import annotations

import argparse
import json
import time
from statistics import median

from search.catalogue import catalogue
from search.deal import Deal
from search.leg import LegTask
from search.rules import Rules
from search.settings import new_settings
from search.strategies import get


def measure(seed: int, seconds: float, rules: Rules, leg_games: int | None) -> tuple[float | None, set[Deal], int]:
    """(CPU seconds to the first deal or None, deals, legs) of one seed."""
    strategy = get("cycles")
    settings = new_settings("cycles", seed=seed, rules=rules.text, leg_games=leg_games)
    states = [b""] * settings["searchers"]
    deals: set[Deal] = set()
    first, begun, legs = None, time.process_time(), 0
    while time.process_time() - begun < seconds:
        leg, searcher = divmod(legs, settings["searchers"])
        result = strategy.advance(LegTask(settings, searcher, leg, states[searcher]))
        states[searcher] = result.state
        deals |= {Deal.from_cards(c.deal, rules, c.hands) for c in result.finds}
        legs += 1
        if first is None and deals:
            first = time.process_time() - begun
    return first, deals, legs


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=150)
    parser.add_argument("--rules", default="standard")
    parser.add_argument("--leg-games", type=int)
    parser.add_argument("--json", action="store_true", help="one object a seed, and one for all")
    args = parser.parse_args()
    rules = Rules.parse(args.rules)
    rows, every = [], set()
    for seed in range(args.first_seed, args.first_seed + args.seeds):
        first, deals, legs = measure(seed, args.seconds, rules, args.leg_games)
        rows.append({"seed": seed, "first_deal_s": first and round(first, 1), "cycles": len(catalogue(sorted(deals, key=str))), "deals": len(deals), "legs": legs})
        every |= deals
        print(json.dumps(rows[-1]) if args.json else
              f"seed {seed}: first deal after {rows[-1]['first_deal_s']} s, {rows[-1]['cycles']} cycles, {len(deals)} deals, {legs} legs", flush=True)  # fmt: skip
    firsts = [row["first_deal_s"] for row in rows if row["first_deal_s"] is not None]
    total = {
        "seeds": len(rows),
        "seconds": args.seconds,
        "first_deal_median_s": median(firsts) if firsts else None,
        "first_deal_within_60_s": sum(s <= 60 for s in firsts),
        "cycles_median": median(row["cycles"] for row in rows),
        "deals_median": median(row["deals"] for row in rows),
        "cycles_together": len(catalogue(sorted(every, key=str))),
        "deals_together": len(every),
    }
    print(json.dumps(total) if args.json else "all: " + ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in total.items()))


if __name__ == "__main__":
    main()
