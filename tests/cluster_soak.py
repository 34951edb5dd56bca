"""Runs on a real Dask cluster whose workers are killed, frozen and wrong at random, compared with local runs.

    python tests/cluster_soak.py [--minutes 3] [--seed 1]

Not collected by pytest: tests/test_cluster_processes.py holds a short version. Ends with status 1 at the first
run whose contents differ from those of a local run with equal legs.
"""

from __future__ import annotations

import argparse
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parent.parent)]

import toys  # noqa: E402
from dask_processes import DaskProcesses  # noqa: E402

from search.cluster import ClusterPool  # noqa: E402
from search.run import Bounds, Run  # noqa: E402
from search.settings import new_settings  # noqa: E402

WORKERS = 4
LEGS = 600
FAULTS = ("state", "tally", "find")


class Trouble:
    """Does something to a random worker every second or so; as many good ones as before are started."""

    def __init__(self, processes: DaskProcesses, rng: random.Random):
        self._processes = processes
        self._rng = rng
        self._next = 0.0
        self._frozen: dict[object, float] = {}
        self.did: Counter[str] = Counter()

    def __call__(self, progress) -> None:
        now = time.monotonic()
        for worker, until in list(self._frozen.items()):
            if now >= until:
                worker.send_signal(signal.SIGCONT)
                del self._frozen[worker]
        if not progress.legs or now < self._next:
            return
        self._next = now + 0.5 + self._rng.random() * 2
        awake = [worker for worker in self._processes.workers if worker not in self._frozen and worker.poll() is None]
        what = self._rng.choice(("kill", "kill", "freeze", "break"))
        if what == "kill":
            self._processes.start_worker()
            self._processes.kill(self._rng.choice(awake))
        elif what == "freeze" and len(awake) > 2:
            worker = self._rng.choice(awake)
            worker.send_signal(signal.SIGSTOP)
            self._frozen[worker] = now + 2 + self._rng.random() * 4
        elif what == "break":
            self._processes.start_worker("broken_worker", FAULT=self._rng.choice(FAULTS))
            self._processes.kill(self._rng.choice(awake))
        self.did[what] += 1

    def end(self) -> None:
        for worker in self._frozen:
            worker.send_signal(signal.SIGCONT)


def one_run(folder: Path, rng: random.Random, number: int) -> Counter[str]:
    strategy = rng.choice(("slow", "sharing"))
    given = new_settings(
        strategy, rules=toys.RULES, searchers=rng.randrange(5, 40), seed=number, keep=20, **({"millis": 20} if strategy == "slow" else {})
    )
    games = LEGS * int(given["leg_games"])
    with Run.create(str(folder / f"local{number}.run"), given) as run:
        run.work(Bounds(games=games), workers=2)
        whole = run.store.contents()
    here = folder / str(number)
    here.mkdir()
    with DaskProcesses(here) as processes, Run.create(str(folder / f"cluster{number}.run"), given) as run:
        for _ in range(WORKERS):
            processes.start_worker()
        trouble = Trouble(processes, rng)
        with ClusterPool(processes.address, settings=given, late=1.0, late_first=3.0, batch=rng.choice([None, 1, 3])) as pool:
            # All legs are audited: then no wrong state can pass, however it comes about.
            run.work(Bounds(games=games), executor=pool, audit=1.0, on_progress=trouble)
            said = Counter(note.state for note in pool.crew())
        trouble.end()
        if run.store.set_aside():
            raise SystemExit(f"run {number}: innocent legs were set aside: {run.store.set_aside()}")
        if run.store.contents() != whole:
            raise SystemExit(f"run {number}: the contents differ from those of the local run (see {folder})")
    print(f"run {number}: {strategy}, equal; done to workers: {dict(trouble.did)}; workers at the end: {dict(said)}", flush=True)
    return trouble.did


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=3.0)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    toys.install()
    rng = random.Random(args.seed)
    did: Counter[str] = Counter()
    ends = time.monotonic() + 60 * args.minutes
    number = 0
    with tempfile.TemporaryDirectory() as name:
        while time.monotonic() < ends:
            did += one_run(Path(name), rng, number)
            number += 1
    print(f"{number} runs of {LEGS} legs equal their local runs; in all: {dict(did)}")


if __name__ == "__main__":
    main()
