"""What a run costs beyond the games themselves, as ratios measured in one go.

    python benchmarks/runs.py                       one and two workers against as many bare engine processes
    python benchmarks/runs.py --commits 1000000     memory and rate of the parent over so many made-up legs

The bare engine deals and plays random deals, and keeps nothing of them, in a process that does nothing else;
the pipeline is the command `beggar search --strategy random`. They take turns, and medians are compared.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from concurrent.futures import Executor, Future
from pathlib import Path

TREE = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(TREE))

from search.leg import LegResult, LegTask, Tally  # noqa: E402
from search.run import Bounds, Run  # noqa: E402
from search.settings import new_settings  # noqa: E402
from search.status import read_status  # noqa: E402

BARE = """
import sys, time
from search import _kernel, engine
from search.rules import STANDARD
deck = engine.composition(STANDARD), STANDARD.hand_sizes[0], STANDARD.pay_codes
number, seconds, chunk = int(sys.argv[1]), float(sys.argv[2]), 1 << 22
_kernel.random_bare(*deck, 1, number, 0, 1000)
started = time.monotonic()
games = 0
while (gone := time.monotonic() - started) < seconds:
    _kernel.random_bare(*deck, 1, number, games, chunk)
    games += chunk
print(games / gone)
"""


def bare(processes: int, seconds: float) -> float:
    """Games per second of so many bare engines side by side, together."""
    environment = os.environ | {"PYTHONPATH": str(TREE)}
    running = [
        subprocess.Popen([sys.executable, "-c", BARE, str(n), str(seconds)], env=environment, stdout=subprocess.PIPE, text=True)
        for n in range(processes)
    ]
    return sum(float(process.communicate()[0]) for process in running)


def pipeline(workers: int, seconds: float) -> float:
    """Games per second of `beggar search` with so many workers, from the start of the work to its last commit."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a.run")
        command = [sys.executable, "-m", "search", "search", path, "--strategy", "random", "--seed", "1", "--workers", str(workers)]
        subprocess.run([*command, "--time", f"{round(seconds)}s", "--quiet"], cwd=TREE, check=True, stdout=subprocess.DEVNULL)
        return read_status(path).games_rate


def compare(seconds: float, rounds: int) -> None:
    for workers in (1, 2):
        rates: dict[str, list[float]] = {"bare": [], "pipeline": []}
        for _ in range(rounds):
            rates["bare"].append(bare(workers, seconds))
            rates["pipeline"].append(pipeline(workers, seconds))
        medians = {name: statistics.median(values) for name, values in rates.items()}
        print(
            f"{workers} worker{'s' * (workers > 1)}: pipeline {medians['pipeline'] / 1e6:.2f} M games/s, "
            f"bare {medians['bare'] / 1e6:.2f} M games/s, ratio {medians['pipeline'] / medians['bare']:.3f}",
            flush=True,
        )


class MadeUp(Executor):
    """Answers at once, with made-up results of realistic size: thousands of lengths, a state, a find now and then."""

    def __init__(self) -> None:
        rng = random.Random(1)
        self._results = []
        for _ in range(20):
            lengths = {length: 1 + int(4e6 * 2 ** (-length / 140)) for length in rng.sample(range(10, 4200), 3000)}
            tally = Tally({"games": 4_000_000, "cards": 10**9, "tricks": 10**8, "infinite": 0}, {"lengths": lengths})
            self._results.append(LegResult(rng.randbytes(20_000), [], tally).pack())
        self.legs = 0

    def submit(self, fn, task: LegTask) -> Future:
        future: Future = Future()
        future.set_result(self._results[self.legs % len(self._results)])
        self.legs += 1
        return future


def commits(legs: int) -> None:
    """Commit made-up legs through the real loop, and watch the memory."""
    steps = 10
    peaks = []
    with tempfile.TemporaryDirectory() as folder:
        settings = new_settings("random", leg_games=1, threshold=1)
        with Run.create(os.path.join(folder, "a.run"), settings) as run:
            for step in range(1, steps + 1):
                started = time.monotonic()
                run.work(Bounds(games=legs * step // steps), workers=8, executor=MadeUp())
                rate = legs / steps / (time.monotonic() - started)
                peaks.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
                print(f"{legs * step // steps} legs: {rate:.0f} legs/s, largest memory {peaks[-1] >> 10} MB", flush=True)
        print(f"memory grew by {(peaks[-1] - peaks[0]) >> 10} MB from the first tenth to the last; file {os.path.getsize(run.store.path) >> 20} MB")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=8, help="of each measurement")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--commits", type=int, help="measure the parent over so many made-up legs instead")
    given = parser.parse_args()
    if given.commits:
        commits(given.commits)
    else:
        compare(given.seconds, given.rounds)


if __name__ == "__main__":
    main()
