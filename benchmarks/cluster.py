"""A cluster on this machine against the local pool, and the coordinator under many legs a second.

    python benchmarks/cluster.py overhead     games/s with a scheduler and two workers, as a share of the local pool's
    python benchmarks/cluster.py flood        500 fake legs a second: does the coordinator keep up, does its memory grow

Each starts its own scheduler and workers on 127.0.0.1.
"""

from __future__ import annotations

import argparse
import os
import resource
import sys
import tempfile
import time
from pathlib import Path

TREE = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TREE), str(TREE / "tests"), str(TREE / "benchmarks")]

import fake_legs  # noqa: E402
from dask_processes import DaskProcesses  # noqa: E402

from search.cluster import ClusterPool  # noqa: E402
from search.run import Bounds, Run  # noqa: E402
from search.settings import new_settings  # noqa: E402


def wait_for_workers(pool: ClusterPool, threads: int) -> None:
    ends = time.monotonic() + 60
    while pool.size < threads:
        if time.monotonic() > ends:
            raise SystemExit(f"only {pool.size} of {threads} threads are there: {pool.crew()}")
        time.sleep(0.05)


def overhead(args: argparse.Namespace) -> None:
    """The same legs by turns with the local pool and with the cluster."""
    given = new_settings("random", seed=1)
    games = args.legs * int(given["leg_games"])
    times: dict[str, list[float]] = {"local": [], "cluster": []}
    with tempfile.TemporaryDirectory() as name, DaskProcesses(Path(name)) as processes:
        for _ in range(args.workers):
            processes.start_worker()
        with ClusterPool(processes.address, settings=given) as pool:
            wait_for_workers(pool, args.workers)
            for turn in range(args.turns + 1):
                for kind, options in (("local", {"workers": args.workers}), ("cluster", {"executor": pool})):
                    with Run.create(f"{name}/{kind}{turn}.run", given) as run:
                        began = time.perf_counter()
                        run.work(Bounds(games=games), **options)
                        if turn:  # the first one warms up
                            times[kind].append(time.perf_counter() - began)
            batch = pool._batch_length()
    for turn, (here, there) in enumerate(zip(times["local"], times["cluster"])):
        print(f"turn {turn + 1}: local {games / here / 1e6:.2f} M games/s, cluster {games / there / 1e6:.2f} M games/s")
    print(f"{args.legs} legs of {given['leg_games']} games, {args.workers} workers, {batch} legs at a time")
    print(f"cluster / local: {sum(times['local']) / sum(times['cluster']):.3f}")


def flood(args: argparse.Namespace) -> None:
    """Sleeping legs, so many that the wanted number comes back each second."""
    fake_legs.install()
    threads = args.rate * args.millis * 5 // 4000  # a quarter more than it takes: the pace is that of the coordinator
    given = new_settings("fake", millis=args.millis, state=args.state, searchers=max(1024, 6 * threads))
    seen: list[tuple[float, int, float, int]] = []  # seconds, legs, processor seconds, bytes resident

    def look(progress) -> None:
        if not seen or progress.elapsed - seen[-1][0] >= 1.0:
            seen.append((progress.elapsed, progress.legs, time.process_time(), resident()))

    with tempfile.TemporaryDirectory() as name, DaskProcesses(Path(name)) as processes:
        for _ in range(args.workers):
            processes.start_worker("fake_legs", threads=threads // args.workers)
        with ClusterPool(processes.address, settings=given) as pool, Run.create(f"{name}/flood.run", given) as run:
            wait_for_workers(pool, threads // args.workers * args.workers)
            run.work(Bounds(seconds=args.seconds), executor=pool, on_progress=look)
            batch = pool._batch_length()
            size = os.path.getsize(run.store.path)
    steady = [row for row in seen if row[0] >= args.seconds / 4 and row[0] <= args.seconds]
    (t0, legs0, cpu0, _), (t1, legs1, cpu1, _) = steady[0], steady[-1]
    half = len(steady) // 2
    early, late = (max(row[3] for row in part) for part in (steady[:half], steady[half:]))
    print(f"{threads} threads in {args.workers} workers, legs of {args.millis} ms with states of {args.state} bytes, {batch} at a time")
    print(f"legs/s: {(legs1 - legs0) / (t1 - t0):.0f} of {args.rate} wanted, ratio {(legs1 - legs0) / (t1 - t0) / args.rate:.3f}")
    print(f"coordinator: {(cpu1 - cpu0) / (t1 - t0):.2f} of a core, {1e3 * (cpu1 - cpu0) / max(1, legs1 - legs0):.2f} ms a leg")
    print(f"memory: {early >> 20} MB at most in the first half, {late >> 20} MB in the second, ratio {late / early:.3f}")
    print(f"run file: {size / max(1, legs1):.0f} bytes a leg, {size >> 20} MB")


def resident() -> int:
    """Bytes of memory that this process has now, or where the system does not say, at most so far."""
    try:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * resource.getpagesize()
    except OSError:
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak if sys.platform == "darwin" else peak << 10


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    kinds = parser.add_subparsers(dest="kind", required=True)
    one = kinds.add_parser("overhead")
    one.add_argument("--workers", type=int, default=2)
    one.add_argument("--legs", type=int, default=16, help="legs a turn")
    one.add_argument("--turns", type=int, default=4)
    one.set_defaults(call=overhead)
    two = kinds.add_parser("flood")
    two.add_argument("--rate", type=int, default=500, help="legs a second")
    two.add_argument("--millis", type=int, default=400, help="length of a leg")
    two.add_argument("--state", type=int, default=20_000, help="bytes of a searcher's state")
    two.add_argument("--workers", type=int, default=2, help="worker processes")
    two.add_argument("--seconds", type=float, default=60.0)
    two.set_defaults(call=flood)
    args = parser.parse_args()
    args.call(args)


if __name__ == "__main__":
    main()
