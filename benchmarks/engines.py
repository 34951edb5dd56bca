"""Every engine against the ring buffer, and the strategies: rates and ratios, medians of several rounds.

    python benchmarks/engines.py [--rounds 5] [--seconds 0.3] [--rules standard] [--no-strategies] [--json]

One core. `beggar bench` prints the same.
"""

import argparse

from search import bench, report
from search.rules import Rules


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=bench.ROUNDS)
    parser.add_argument("--seconds", type=float, default=bench.SECONDS, help="of each row in each round")
    parser.add_argument("--rules", default="standard")
    parser.add_argument("--no-strategies", dest="strategies", action="store_false")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    done = bench.bench(Rules.parse(given.rules), given.rounds, given.seconds, given.strategies)
    print(report.json_line(done.as_json()) if given.json else report.bench_tables(done))


if __name__ == "__main__":
    main()
