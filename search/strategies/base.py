"""What every strategy offers to a run."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from ..leg import LegResult, LegTask


@dataclass(frozen=True)
class Option:
    """A setting of one strategy: stored with the run, shown by the command line as --name."""

    name: str
    type: type
    default: object
    help: str
    choices: tuple[object, ...] = ()
    minimum: int | None = None


class Strategy(ABC):
    """A way to look for deals. Instances hold no state: everything lives in settings and legs.

    Class attributes:
        name: how a person calls it.
        version: raised whenever the same settings would give other results.
        summary: one line for the help.
        objectives: what it can be asked for, default first: of 'cards', 'tricks', 'infinite'.
        seats: numbers of players that it can search for.
        options: its own settings.
        searchers: how many a run has by default; enough for a cluster, states are made when first used.
        leg_games: games (samples, tests) in one leg, a few seconds of work.
        even_legs: whether legs take about as long as each other; those that do not are not timed by `bench`.
        exact_legs: whether every leg counts leg_games games, neither more nor fewer; results are checked for it.
        group: searchers that share a pool at round boundaries; 0 if searchers never share.
        round_legs: legs between two round boundaries.
        largest_state: bytes of a searcher's state at most; 0 where nothing is carried from leg to leg.
    """

    name: ClassVar[str]
    version: ClassVar[int]
    summary: ClassVar[str]
    objectives: ClassVar[tuple[str, ...]]
    seats: ClassVar[tuple[int, ...]] = (2,)
    options: ClassVar[tuple[Option, ...]] = ()
    searchers: ClassVar[int] = 1024
    leg_games: ClassVar[int]
    even_legs: ClassVar[bool] = True
    exact_legs: ClassVar[bool] = False
    group: ClassVar[int] = 0
    round_legs: ClassVar[int] = 1
    largest_state: ClassVar[int] = 0

    def prepare(self, settings: dict[str, object]) -> None:
        """Fill in what is fixed at creation and depends on other settings (the threshold, say).

        Called once, when a run is created, on settings that hold every option; must be a
        deterministic function of them. Raises InputError for settings that do not go together.
        """

    @abstractmethod
    def advance(self, task: LegTask) -> LegResult:
        """Do one leg. A pure function of the task: no clock, no processor, no earlier call matters."""

    def legs_of(self, settings: Mapping[str, object], searcher: int) -> int | None:
        """How many legs a searcher has in all, where the work has an end of its own; None for no end."""
        return None

    def check_state(self, settings: Mapping[str, object], searcher: int, state: bytes) -> None:
        """Judge a state that a worker has sent, before anything rests on it; by default, its size.

        A strategy that carries states makes sure that `advance` and `pool` can take it. Whether it is the right one
        cannot be seen: audits compare.

        Raises:
            ValueError: it cannot be the state of this searcher after any leg; says why.
        """
        if len(state) > self.largest_state:
            raise ValueError(f"a state of {len(state)} bytes where {self.largest_state} is the most")

    def pool(self, settings: Mapping[str, object], states: list[bytes]) -> bytes:
        """What a group shares in its next round, from its searchers' states at the boundary, in order."""
        return b""

    def reads_pool(self, leg: int) -> bool:
        """Whether legs of this number look at their group's pool; to others it is not sent."""
        return self.group > 0 and leg >= self.round_legs
