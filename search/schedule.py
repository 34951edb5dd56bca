"""Which leg comes next: always the smallest (leg, searcher) that may be done.

A searcher has one leg in flight. Where searchers share a pool, a searcher waits at a round boundary until
its whole group is there.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Mapping


class Schedule:
    """The order of issue of a run's legs.

    Args:
        searchers: how many the run has.
        done: {searcher: legs done} of those that have begun.
        group: searchers that share a pool; 0 if none do.
        round_legs: legs between two round boundaries.
        limit: legs of the whole run, in order, after which none is issued; None for no end.
        in_rounds: issue leg n + 1 of anybody only when leg n of all is done.
        legs_of: how many legs a searcher has in all; None where none has an end.
    """

    def __init__(
        self,
        searchers: int,
        done: Mapping[int, int],
        group: int = 0,
        round_legs: int = 1,
        limit: int | None = None,
        in_rounds: bool = False,
        legs_of: Callable[[int], int] | None = None,
    ):
        self._searchers = searchers
        self._group = group
        self._round_legs = round_legs
        self._limit = limit
        self._legs_of = legs_of
        self._last_leg: int | None = None
        self._fresh = max(done, default=-1) + 1  # all from here on are at leg 0, and ready
        self._ready: list[tuple[int, int]] = []
        self._waiting: dict[int, int] = {}  # group -> how many of it wait at a boundary
        for searcher in range(self._fresh):
            leg = done.get(searcher, 0)
            if self._at_boundary(leg) and any(done.get(s, 0) < leg for s in self.group_of(searcher)):
                number = searcher // group
                self._waiting[number] = self._waiting.get(number, 0) + 1
            elif self._goes_on(leg, searcher):
                self._ready.append((leg, searcher))
        heapq.heapify(self._ready)
        self._in_rounds = in_rounds
        if in_rounds:
            self._start_rounds(done)

    def group_of(self, searcher: int) -> range:
        """The searchers that share a pool with this one."""
        first = searcher // self._group * self._group
        return range(first, min(first + self._group, self._searchers))

    def end_after(self, leg: int) -> None:
        """Issue no leg of a number above this one."""
        self._last_leg = leg if self._last_leg is None else min(leg, self._last_leg)

    def take(self) -> tuple[int, int] | None:
        """The next (leg, searcher), which is in flight from now on; None if none may be issued at present."""
        while self._fresh < self._searchers and not self._goes_on(0, self._fresh):
            self._fresh += 1
        fresh = (0, self._fresh) if self._fresh < self._searchers else None
        first = self._ready[0] if self._ready and (fresh is None or self._ready[0] < fresh) else fresh
        if first is None or not self._may_start(*first):
            return None
        if first is fresh:
            self._fresh += 1
        else:
            heapq.heappop(self._ready)
        return first

    def give_back(self, leg: int, searcher: int) -> None:
        """The leg was taken but has not been started; it is due again."""
        heapq.heappush(self._ready, (leg, searcher))

    def finish(self, leg: int, searcher: int) -> int | None:
        """The leg is done.

        Returns:
            The number of the group, if all of it stands at a round boundary now: its pool is to be made
            before the next `take`.
        """
        leg += 1
        if self._in_rounds:
            self._finish_in_round(leg - 1)
        if not self._at_boundary(leg):
            if self._goes_on(leg, searcher):
                heapq.heappush(self._ready, (leg, searcher))
            return None
        number = searcher // self._group
        self._waiting[number] = self._waiting.get(number, 0) + 1
        members = self.group_of(searcher)
        if self._waiting[number] < len(members):
            return None
        del self._waiting[number]
        for member in members:
            heapq.heappush(self._ready, (leg, member))
        return number

    def _goes_on(self, leg: int, searcher: int) -> bool:
        """Whether the searcher has such a leg at all."""
        return self._legs_of is None or leg < self._legs_of(searcher)

    def _may_start(self, leg: int, searcher: int) -> bool:
        if self._limit is not None and leg * self._searchers + searcher >= self._limit:
            return False
        if self._last_leg is not None and leg > self._last_leg:
            return False
        return not self._in_rounds or leg <= self._round

    def _at_boundary(self, leg: int) -> bool:
        return self._group > 0 and leg > 0 and leg % self._round_legs == 0

    def _start_rounds(self, done: Mapping[int, int]) -> None:
        # Of the searchers whose legs have an end, so many have that many legs.
        self._ends = {} if self._legs_of is None else Counter(map(self._legs_of, range(self._searchers)))
        self._due = self._searchers - self._ends.get(0, 0)  # searchers that have a leg of the number `_round`
        self._round = 0
        self._finished: dict[int, int] = {}  # leg number -> how many searchers have done it
        ahead = Counter(done.values())
        total = 0
        for leg in range(max(done.values(), default=0), 0, -1):
            total += ahead[leg]
            self._finished[leg - 1] = total
        self._close_rounds()

    def _finish_in_round(self, leg: int) -> None:
        self._finished[leg] = self._finished.get(leg, 0) + 1
        self._close_rounds()

    def _close_rounds(self) -> None:
        while self._due > 0 and self._finished.get(self._round) == self._due:
            del self._finished[self._round]
            self._round += 1
            self._due -= self._ends.get(self._round, 0)
