"""A scan against the engine alone: deals a second of both, and their ratio.

    python benchmarks/scan.py [--json]

The engine plays the same deals, packed beforehand; the scan makes, plays and gathers them. Medians of
several runs that take turns.
"""

import argparse
import json
import statistics
import sys
import time

from search import _kernel, engine
from search.rules import Rules

WANTED = 0.9
RANGES = [("standard", 10**20), ("italian", 10**14), ("2K=3 2Q=2 2J=1 14-", 10**6), ("3K=3 3Q=2 3J=1 11-", 10**7)]


def seconds(call):
    start = time.perf_counter()
    result = call()
    return time.perf_counter() - start, result


def packed_deals(rules, first, n):
    deck = _kernel.codes_at(first, engine.composition(rules))
    deals = []
    for _ in range(n):
        deals.append(_kernel.pack_codes(deck, rules.hand_sizes[0]))
        deck = _kernel.next_order(deck)
    return b"".join(deals)


def measure(text, first, deals, repeats):
    rules = Rules.parse(text)
    start = _kernel.codes_at(first, engine.composition(rules))
    packed = packed_deals(rules, first, deals)
    alone, scans = [], []
    for _ in range(repeats):
        took, results = seconds(lambda: engine.play_packed(packed, rules))
        alone.append(took)
        took, leg = seconds(lambda: _kernel.scan_leg(start, rules.hand_sizes, rules.pay_codes, deals, "cards", 10**6, 1000, 100))
        scans.append(took)
        assert leg[0]["cards"] == sum(results.cards)
    return {
        "engine": engine.chosen(rules),
        "engine_deals_per_second": round(deals / statistics.median(alone)),
        "scan_deals_per_second": round(deals / statistics.median(scans)),
        "ratio": round(statistics.median(a / s for a, s in zip(alone, scans)), 3),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--deals", type=int, default=500_000)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    rows = {text: measure(text, first, args.deals, args.repeats) for text, first in RANGES}
    if args.json:
        print(json.dumps(rows))
    else:
        for text, row in rows.items():
            rates = f"{row['scan_deals_per_second'] / 1e6:5.2f} of {row['engine_deals_per_second'] / 1e6:5.2f} million deals/s"
            print(f"{text:<20} {rates}, {row['ratio']:.2f} of {row['engine']} alone")
    return 0 if all(row["ratio"] >= WANTED for row in rows.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
