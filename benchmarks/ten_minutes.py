"""The best find of a search from nothing, for some seeds: what a person gets who types one command.

    python benchmarks/ten_minutes.py [--seeds 1 2 3 4 5] [--workers 2] [--time 10m]

Prints a line a seed: the best game, its searcher and leg, and what was done. Runs are made in a temporary folder.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3, 4, 5])
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--time", default="10m")
    parser.add_argument("--keep-runs", metavar="FOLDER", help="leave the run files here")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for seed in given.seeds:
            path = Path(given.keep_runs or folder) / f"seed-{seed}.run"
            call = [sys.executable, "-m", "search", "search", str(path), "--seed", str(seed), "--workers", str(given.workers)]
            done = subprocess.run([*call, "--time", given.time, "--quiet", "--json"], capture_output=True, text=True, check=True)
            state = json.loads(done.stdout)
            best = state["best"]
            print(
                f"seed {seed}: {best['cards']} cards, {best['tricks']} tricks (searcher {best['searcher']}, leg {best['leg']}), "
                f"{state['counts']['games'] / 1e9:.2f} G samples, {state['counts']['lines']} lines: {best['deal']}",
                flush=True,
            )


if __name__ == "__main__":
    main()
