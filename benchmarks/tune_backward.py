"""What the constants of the strategy `backward` are worth: which games to walk back, and how much to search.

    python benchmarks/tune_backward.py [--samples 2e8] [--seed 1]

All rows go through the same samples, in turn, block by block, so that their lines can be compared one by one and a
machine that slows down slows all of them. One core. The constants are those of search/strategies/lines.py.
"""

from __future__ import annotations

import argparse
import time

from search import _kernel, engine
from search.backward import NODE_BOUND, TOP_STEPS
from search.rules import STANDARD
from search.strategies import lines

BLOCK = 1 << 22
LENGTH = 3000
MARGIN = lines._margin(STANDARD, "cards")
# walk_from, margin, top_steps
FORWARD = [(n, MARGIN, TOP_STEPS) for n in (500, 600, 650, 700, 750, 800, 850, 900, 1000, 1200)]
NEAR_TOP = [(750, margin, steps) for margin, steps in ((0, TOP_STEPS), (MARGIN // 2, TOP_STEPS), (4 * MARGIN, TOP_STEPS), (MARGIN, 4), (MARGIN, 7), (MARGIN, 40))]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=float, default=2e8)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    deck = engine.composition(STANDARD), STANDARD.hand_sizes[0], STANDARD.pay_codes, given.seed, 0
    rows = {key: [0.0, 0, {}] for key in FORWARD + NEAR_TOP}
    samples = 0
    while samples < given.samples:
        for (walk_from, margin, steps), row in rows.items():
            start = time.process_time()
            counts, _, _, _, finds = _kernel.backward_leg(
                *deck, samples, BLOCK, "cards", walk_from, LENGTH, margin, steps, NODE_BOUND, "samples"
            )
            row[0] += time.process_time() - start
            row[1] += counts["walks"]
            for _, cards, _, line in finds:
                row[2][line] = max(cards, row[2].get(line, 0))
        samples += BLOCK
    best = max(len(row[2]) / row[0] for key, row in rows.items() if key in FORWARD)
    print(f"{samples / 1e6:.0f} M samples; lines of {LENGTH} cards or more")
    print("walk from  one in  margin  steps  ns a sample  lines  of the best rate  mean cards")
    for (walk_from, margin, steps), (seconds, walks, found) in rows.items():
        print(
            f"{walk_from:9} {samples / walks:7.1f} {margin:7} {steps:6} {1e9 * seconds / samples:12.1f} {len(found):6}"
            f" {len(found) / seconds / best:17.3f} {sum(found.values()) / max(1, len(found)):11.1f}"
        )


if __name__ == "__main__":
    main()
