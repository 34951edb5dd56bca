"""A strategy whose legs do nothing but take their time, and have results of realistic size.

Imported by benchmarks/cluster.py, and preloaded into its Dask workers.
"""

from __future__ import annotations

import time
from functools import cache

from search.leg import LegResult, LegTask
from search.rules import Rules
from search.strategies import STRATEGIES, Option, Strategy
from search.strategies.random import random_leg

_VARIETY = 64  # different results
_GAMES = 1 << 16  # of the leg that they are made of
_THRESHOLD = 2500  # few deals of a leg pass it, as in a search that has gone on for a while


class Fake(Strategy):
    """Leg n of searcher s sleeps, and gives one of a few real results, with a state of the wanted size."""

    name = "fake"
    version = 1
    summary = "sleeps, and gives results that were made before"
    objectives = ("cards",)
    options = (Option("millis", int, 400, "how long a leg sleeps", minimum=0), Option("state", int, 20_000, "bytes of a state", minimum=0))
    leg_games = _GAMES
    largest_state = 1 << 20

    def prepare(self, settings: dict[str, object]) -> None:
        settings["threshold"] = _THRESHOLD

    def advance(self, task: LegTask) -> LegResult:
        ends = time.monotonic() + task.settings["millis"] / 1000
        number = (task.searcher + task.leg) % _VARIETY
        state = bytes([number]) * task.settings["state"]
        result = _made(number, state)
        time.sleep(max(0.0, ends - time.monotonic()))
        return result


class _Packed(LegResult):
    """A result that was packed before: the machine of this benchmark has better things to do."""

    def pack(self) -> bytes:
        if not hasattr(self, "packed"):
            self.packed = super().pack()
        return self.packed


@cache
def _made(number: int, state: bytes) -> LegResult:
    rules = Rules.parse("standard")
    real = random_leg(rules, 1, number, 0, _GAMES, "cards", _THRESHOLD, 1000)
    return _Packed(state, real.finds[:20], real.tally)


def dask_setup(worker: object) -> None:
    """Called in a Dask worker: make all results now."""
    install()
    from search.settings import new_settings

    settings = new_settings("fake", millis=0)
    for number in range(_VARIETY):
        Fake().advance(LegTask(settings, number, 0)).pack()


def install() -> None:
    STRATEGIES["fake"] = Fake()
