"""Commands about the program itself: selftest, bench."""

from __future__ import annotations

from types import SimpleNamespace

from .. import bench as measuring
from .. import report
from ..config import CONFIG
from ..options import Command, Setting, whole
from ..rules import Rules
from ..selftest import selftest as run_selftest
from .common import JSON, RULES


def selftest(args: SimpleNamespace) -> int:
    """Have every engine play golden games."""
    done = run_selftest()
    print(report.json_line(done.as_json()) if args.json else "\n".join(done.as_text()))
    return 0


SELFTEST = Command("selftest", "Golden games on every engine that this machine has.", selftest, (), (JSON, CONFIG))


def bench(args: SimpleNamespace) -> int:
    """Measure engines and strategies."""
    done = measuring.bench(Rules.parse(args.rules), args.rounds)
    print(report.json_line(done.as_json()) if args.json else report.bench_tables(done))
    return 0


_ROUNDS = Setting("rounds", "rounds that the medians are taken over (default 5)", whole(1, 1000), measuring.ROUNDS, "N")
BENCH = Command(
    "bench", "Rates of every engine here, and of every strategy with even legs, one core, as ratios to the ring buffer.", bench, (), (RULES, _ROUNDS, JSON, CONFIG)
)
