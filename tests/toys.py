"""Tiny strategies in plain Python, to test runs without the real ones.

They play a small deck, so that legs take milliseconds. `install` registers them; it is also the
initializer of worker pools, for workers that are not forked.
"""

from __future__ import annotations

import logging
import os
import random
import signal
import time
from collections.abc import Mapping

from search.deal import Deal
from search.engine import play
from search.leg import Candidate, LegResult, LegTask, Tally
from search.outcome import Status
from search.rules import Rules
from search.strategies import STRATEGIES, Option, Strategy

RULES = "2A=4 2K=3 2Q=2 2J=1 12-"


class Toy(Strategy):
    """Random deals; the state is a chain of what was seen, so that any missing or doubled leg changes it."""

    name = "toy"
    version = 1
    summary = "random deals of a small deck, for tests"
    objectives = ("cards", "tricks", "infinite")
    seats = (2, 3, 4)
    options = (Option("offer", int, 4, "candidates a leg", minimum=0), Option("trouble", str, "", "what goes wrong, and where"))
    leg_games = 20
    exact_legs = True
    largest_state = 16

    def check_state(self, settings: Mapping[str, object], searcher: int, state: bytes) -> None:
        if len(state) != self.largest_state:
            raise ValueError(f"a state of {len(state)} bytes where 16 are due")

    def advance(self, task: LegTask) -> LegResult:
        settings = task.settings
        rules = Rules.of_settings(settings)
        rng = random.Random(f"{settings['seed']} {task.searcher} {task.leg} {task.state.hex()} {task.pool.hex()}")
        tally = Tally()
        candidates = []
        deck = list("".join(rank * n for rank, n in zip("AKQJ-", rules.counts)))
        for _ in range(settings["leg_games"]):
            rng.shuffle(deck)
            deal = Deal.from_cards("".join(deck), rules)
            outcome = play(deal)
            infinite = outcome.status is Status.INFINITE
            tally.add(
                Tally(
                    {"games": 1, "cards": outcome.cards, "tricks": outcome.tricks, "infinite": int(infinite)},
                    {"lengths": {} if infinite else {outcome.cards: 1}},
                )
            )
            candidates.append(Candidate(deal.cards, tuple(deal.sizes), outcome.cards, outcome.tricks, infinite, deal.cards[:3]))
        candidates.sort(key=lambda c: (not c.infinite, -c.cards, c.deal))
        state = bytes([task.leg % 256]) + rng.randbytes(15)
        result = LegResult(state, candidates[: settings["offer"]], tally)
        return self.spoil(task, result)

    def spoil(self, task: LegTask, result: LegResult) -> LegResult:
        """Do harm where the setting `trouble` says so: KIND:LEG:SEARCHER or KIND:LEG:SEARCHER:FILE (once a file)."""
        kind, _, where = str(task.settings["trouble"]).partition(":")
        if not kind:
            return result
        leg, searcher, *once = where.split(":")
        if (int(leg), int(searcher)) != (task.leg, task.searcher):
            return result
        if once:
            try:
                os.close(os.open(once[0], os.O_CREAT | os.O_EXCL))
            except FileExistsError:
                return result
        if kind == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        if kind == "raise":
            raise ArithmeticError("the strategy is in trouble")
        if kind == "sleep":
            time.sleep(60)
        if kind == "lie":
            first = result.finds[0]
            result.finds[0] = Candidate(first.deal, first.hands, first.cards + 100, first.tricks, first.infinite, first.line)
        if kind == "fib":
            first = result.finds[0]
            result.finds[0] = Candidate(first.deal, first.hands, first.cards, first.tricks - 1, first.infinite, first.line)
        if kind == "dream":
            first = result.finds[0]
            result.finds[0] = Candidate(first.deal, first.hands, first.cards, first.tricks, not first.infinite, first.line)
        if kind == "flip":  # one bit of the state
            result.state = bytes([result.state[0], result.state[1] ^ 4, *result.state[2:]])
        if kind == "miscount":
            result.tally.counts["tricks"] -= 1
        if kind == "cheat":
            first = result.finds[0]
            result.finds[0] = Candidate("A" * len(first.deal), first.hands, 10**6, first.tricks, False, "")
        return result


class Slow(Toy):
    """Takes a moment for a leg, so that there is always something to kill; writes a lot to the log."""

    name = "slow"
    options = (*Toy.options, Option("millis", int, 20, "least time of a leg", minimum=0))

    def advance(self, task: LegTask) -> LegResult:
        ends = time.monotonic() + task.settings["millis"] / 1000
        log = logging.getLogger("beggar.toy")
        result = super().advance(task)
        while time.monotonic() < ends:
            log.info("leg %d of searcher %d: %s", task.leg, task.searcher, "x" * 200)
            time.sleep(0.001)
        return result


class Sharing(Toy):
    """Searchers in groups of 3 that share their states every second leg."""

    name = "sharing"
    group = 3
    round_legs = 2

    def pool(self, settings: Mapping[str, object], states: list[bytes]) -> bytes:
        return b"".join(states)


def install() -> None:
    for toy in (Toy(), Slow(), Sharing()):
        STRATEGIES[toy.name] = toy


def dask_setup(worker: object) -> None:
    """Called in a Dask worker that is started with --preload toys."""
    install()
