"""The engine for two to four players against the two-player ring buffer, and the mean lengths of games.

    python benchmarks/seats.py            cards a second, as ratios to the ring buffer, medians of several runs
    python benchmarks/seats.py --means    mean cards of random deals for 2, 3 and 4 players, and what is expected

The rates are of random deals of the standard deck, already dealt. --json prints one object.
"""

import argparse
import json
import statistics
import sys
import time
from math import sqrt

from search import _kernel, engine
from search.rules import STANDARD, Rules
from search.strategies.random import random_leg

EXPECTED_MEANS = {2: 254.7, 3: 327.7, 4: 363.6}
TOLERANCE = 0.003
LEAST_RATIO = 0.6


def seconds(call):
    start = time.perf_counter()
    result = call()
    return time.perf_counter() - start, result


def rates(deals, repeats):
    """Cards a second: {who: [one value a repeat]}; all take turns, so that a slow spell hits all of them."""
    packed = engine.deals_packed(STANDARD, 1, 0, 0, deals)
    codes = _kernel.codes_of_strings(engine.unpack(packed), STANDARD.size)
    measured = {}
    for _ in range(repeats):
        took, results = seconds(lambda: engine.play_packed(packed, STANDARD, "ring"))
        measured.setdefault("ring, 2 players", []).append(sum(results.cards) / took)
        for players in (2, 3, 4):
            sizes = Rules.parse("standard", players).hand_sizes
            took, columns = seconds(lambda: _kernel.play_seats_codes(codes, sizes, STANDARD.pay_codes))
            measured.setdefault(f"seats, {players} players", []).append(sum(engine.Results(columns).cards) / took)
    return measured


def show_rates(args):
    measured = rates(args.deals, args.repeats)
    base = measured["ring, 2 players"]
    rows = {
        name: {
            "million_cards_per_second": round(statistics.median(values) / 1e6, 1),
            "ratio": round(statistics.median(v / b for v, b in zip(values, base)), 3),
        }
        for name, values in measured.items()
    }
    good = all(row["ratio"] >= LEAST_RATIO for row in rows.values())
    if args.json:
        print(json.dumps(rows))
    else:
        for name, row in rows.items():
            print(f"{name:<18} {row['million_cards_per_second']:>7} million cards/s   {row['ratio']:.2f} of the ring buffer")
        print(f"at least {LEAST_RATIO:.2f} is wanted: {'reached' if good else 'MISSED'}")
    return good


def show_means(args):
    rows = {}
    for players in args.players:
        rules = Rules.parse("standard", players)
        took, leg = seconds(lambda: random_leg(rules, args.seed, 0, 0, args.games, "infinite", 1, 1))
        counts, lengths = leg.tally.counts, leg.tally.histograms["lengths"]
        mean = counts["cards"] / counts["games"]
        variance = sum(n * (length - mean) ** 2 for length, n in lengths.items()) / counts["games"]
        rows[players] = {
            "games": counts["games"],
            "mean_cards": round(mean, 3),
            "standard_error": round(sqrt(variance / counts["games"]), 3),
            "expected": EXPECTED_MEANS[players],
            "off_by": round(mean / EXPECTED_MEANS[players] - 1, 5),
            "mean_tricks": round(counts["tricks"] / counts["games"], 3),
            "longest": max(lengths),
            "infinite": counts["infinite"],
            "games_per_second": round(counts["games"] / took),
        }
        if not args.json:
            row = rows[players]
            print(
                f"{players} players: {row['games']} deals, mean {row['mean_cards']} cards (+- {row['standard_error']}), "
                f"{row['off_by']:+.3%} off {row['expected']}; {row['mean_tricks']} tricks; longest {row['longest']}; "
                f"{row['infinite']} infinite; {row['games_per_second']} games/s",
                flush=True,
            )
    if args.json:
        print(json.dumps(rows))
    return all(abs(row["off_by"]) <= TOLERANCE for row in rows.values())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--means", action="store_true")
    parser.add_argument("--games", type=int, default=20_000_000, help="random deals for a mean (default 2*10^7)")
    parser.add_argument("--players", type=int, nargs="+", default=[2, 3, 4], choices=[2, 3, 4])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--deals", type=int, default=100_000, help="deals for a rate")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    return 0 if (show_means if args.means else show_rates)(args) else 1


if __name__ == "__main__":
    sys.exit(main())
