"""Kills a search again and again, at random moments: the parent, a worker, or everything at once.

    python tests/kill_soak.py --times 50

After every kill it checks that nothing that was reported as committed is missing and nothing is there twice,
that the file opens and can be worked on at once, and that no process is left. In the end the run holds,
byte for byte, what a run holds that nobody disturbed.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE)]

import toys  # noqa: E402

from search.run import Bounds, Run, Why  # noqa: E402
from search.settings import new_settings  # noqa: E402

WORKERS = 2
GONE_SECONDS = 5
STUCK_SECONDS = 60


def settings(seed: int) -> dict[str, object]:
    return new_settings("slow", rules=toys.RULES, searchers=11, seed=seed, keep=15, leg_games=8, millis=15)


# ---- the search that is killed, in a process of its own ----


def work(path: str, games: int) -> None:
    """Work on the run, and print a line for every leg that the run reports as committed."""
    toys.install()
    told: dict[int, int] = {}
    with Run.open(path, write=True) as run:

        def tell(_) -> None:
            for searcher, legs in run.store.legs.items():
                if told.get(searcher) != legs:
                    told[searcher] = legs
                    print(searcher, legs, flush=True)

        tell(None)
        print("open", flush=True)
        why = run.work(Bounds(games=games), workers=WORKERS, pool_options={"initializer": toys.install}, on_progress=tell)
        tell(None)
    print(why, flush=True)


# ---- the one who kills ----


class Search:
    """A search under observation: its process, its children, and what it has reported."""

    def __init__(self, path: str, games: int):
        self.process = subprocess.Popen(
            [sys.executable, __file__, "--work", path, "--games", str(games)],
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | {"PYTHONPATH": str(HERE.parent)},
            start_new_session=True,
        )
        self.reported: dict[int, int] = {}
        self.why: str | None = None
        self.seen = {self.process.pid}

    def read(self, seconds: float) -> bool:
        """Take in what it reports for so long; False when it has ended."""
        import select

        ends = time.monotonic() + seconds
        while (left := ends - time.monotonic()) > 0:
            self.seen |= set(children(self.process.pid))
            if not select.select([self.process.stdout], [], [], min(left, 0.02))[0]:
                continue
            if not self.take(self.process.stdout.readline()):
                return False
        return True

    def take(self, line: str) -> bool:
        words = line.split()
        if len(words) == 2:
            self.reported[int(words[0])] = int(words[1])
        elif words and words != ["open"]:
            self.why = words[0]
        return bool(words)

    def kill(self, what: str, rng: random.Random) -> bool:
        """Kill the parent, one of its workers, or the whole session; whether the search is over by that."""
        workers = children(self.process.pid)
        self.seen |= set(workers)
        if what == "worker":
            if workers:
                kill(rng.choice(workers))
            return False
        if what == "all":
            try:
                os.killpg(self.process.pid, signal.SIGKILL)  # the leader of its session, and whatever it has started
            except ProcessLookupError:
                pass  # it ended just now
        else:
            kill(self.process.pid)
        return True

    def end(self) -> None:
        """Take in what was still in the pipe, and see that no process is left."""
        for line in self.process.stdout:
            if line.endswith("\n"):
                self.take(line)
        self.process.stdout.close()
        self.process.wait()
        limit = time.monotonic() + GONE_SECONDS
        while left := [pid for pid in self.seen if alive(pid)]:
            assert time.monotonic() < limit, f"processes {left} are left after {GONE_SECONDS} s"
            time.sleep(0.02)


def children(parent: int) -> list[int]:
    """The processes whose parent is this one."""
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit():
            fields = stat(int(name))
            if fields and int(fields[1]) == parent:
                found.append(int(name))
    return found


def alive(pid: int) -> bool:
    fields = stat(pid)
    return fields is not None and fields[0] != "Z"


def stat(pid: int) -> list[str] | None:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None


def kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def check(path: str, reported: dict[int, int]) -> None:
    """Nothing that was reported is missing, nothing is there twice; opening for writing works at once."""
    with Run.open(path, write=True) as run:
        for searcher, legs in reported.items():
            assert run.store.legs.get(searcher, 0) >= legs, f"searcher {searcher}: {legs} legs reported, {run.store.legs.get(searcher)} there"
        legs = [(leg, searcher) for leg, searcher, _ in run.store.leg_digests()]
        assert len(legs) == len(set(legs)) == sum(run.store.legs.values())
        assert run.store.counts["games"] == len(legs) * run.settings["leg_games"]
        assert run.store.set_aside() == []


def soak(times: int, seed: int, folder: str, say=lambda text: None) -> dict[str, int]:
    """Kill a search so many times; returns how often each kind of kill was done."""
    toys.install()
    rng = random.Random(seed)
    path = os.path.join(folder, "killed.run")
    Run.create(path, settings(seed)).close()
    kills = {"parent": 0, "worker": 0, "all": 0}
    games = 8 * 11 * (4 + times)  # more than will be done before the last kill
    while (n := sum(kills.values())) < times:
        search = Search(path, games)
        over = False
        while not over and sum(kills.values()) < times:
            # At any moment from the first steps of the program on; now and then right after a kill.
            if not search.read(rng.choice((0.0, 0.05, 0.2, 0.5, 0.8)) * rng.random() * 2 + 0.01):
                break
            what = rng.choice(("parent", "worker", "worker", "all"))
            kills[what] += 1
            over = search.kill(what, rng)
        if not over:
            search.kill("parent", rng)
        search.end()
        check(path, search.reported)
        say(f"{sum(kills.values())} kills {kills}, {sum(search.reported.values())} legs reported")
        assert sum(kills.values()) > n or search.why is not None, "the search ended by itself"
        if search.why is not None:
            games += 8 * 11 * 4
    search = Search(path, games)
    while search.read(STUCK_SECONDS) and search.why is None:
        pass
    search.end()
    assert search.why == Why.GAMES, f"the last search ended with {search.why}"
    check(path, search.reported)
    with Run.open(path) as run:
        killed = run.store.contents()
    plain = os.path.join(folder, "plain.run")
    with Run.create(plain, settings(seed)) as run:
        run.work(Bounds(games=games), workers=1, pool_options={"initializer": toys.install})
        assert run.store.contents() == killed, "the run differs from one that nobody disturbed"
    assert sorted(os.listdir(folder)) == ["killed.run", "plain.run"], f"left behind: {os.listdir(folder)}"
    return kills


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--times", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--work", help=argparse.SUPPRESS)
    parser.add_argument("--games", type=int, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.work:
        work(given.work, given.games)
    else:
        with tempfile.TemporaryDirectory() as folder:
            print("passed:", soak(given.times, given.seed, folder, print))
