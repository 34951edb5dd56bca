"""One leg done again, alone: of a run, or of given settings.

A leg is a function of settings, seed, searcher and number, so anybody can do it again and see the same
finds. Where a strategy carries a state from leg to leg, the legs before it are done first; where
searchers share a pool, those of the whole group.
"""

from __future__ import annotations

from collections.abc import Collection, Generator, Mapping, Sequence
from dataclasses import dataclass

from .errors import InputError
from .leg import Candidate, LegTask, PackedLeg
from .settings import check_version, new_settings
from .store import Store
from .strategies import Strategy, get
from .work import do_leg


@dataclass(frozen=True)
class Replay:
    """A leg that was done again.

    Attributes:
        settings: of the run.
        searcher, leg: which leg.
        done: legs done for it, itself included.
        digest: of the result now.
        stored: the digest to compare with; None where there is none.
        result: the result.
    """

    settings: Mapping[str, object]
    searcher: int
    leg: int
    done: int
    digest: bytes
    stored: bytes | None
    result: PackedLeg

    @property
    def agrees(self) -> bool | None:
        """Whether the result is the one of then; None where that is not known."""
        return None if self.stored is None else self.digest == self.stored

    @property
    def finds(self) -> list[Candidate]:
        """What the leg found, infinite games first, then finite ones, best first."""
        by_tricks = self.settings["objective"] == "tricks"
        return sorted(self.result.finds, key=lambda f: (not f.infinite, -(f.tricks if by_tricks else f.cards), f.deal))


def settings_of(given: Mapping[str, object]) -> dict[str, object]:
    """Complete settings from some that were written down: those of a run, as `status --json` prints them, or a part.

    Raises:
        InputError: they are none, or belong to another version of the strategy.
    """
    given = dict(given)
    strategy = given.pop("strategy", None)
    if not isinstance(strategy, str):
        raise InputError("settings name their strategy: {\"strategy\": \"backward\", ...}")
    version = given.pop("strategy_version", None)
    settings = new_settings(strategy, **given)
    if version is not None:
        check_version({**settings, "strategy_version": version})
    return settings


def replay_run(store: Store, searcher: int, leg: int) -> Replay:
    """Do a leg of a run again, and compare it with the digest that the run file has.

    Raises:
        InputError: the run has not done this leg, or belongs to another version of its strategy.
    """
    check_version(store.settings)
    with store.snapshot():
        store.check_legs()
        digests = {(number, who): digest for number, who, digest in store.leg_digests()}
        chained = store.carries_state()
    if (leg, searcher) not in digests:
        raise InputError(f"{store.path}: leg {leg} of searcher {searcher} is not one of the {len(digests)} legs that this run has done")
    return _replay(store.settings, searcher, leg, digests[leg, searcher], chained, digests)


def replay_settings(settings: Mapping[str, object], searcher: int, leg: int, stored: bytes | None = None) -> Replay:
    """Do a leg of complete settings.

    Args:
        stored: the digest that it should have, if that is known.

    Raises:
        InputError: there is no such searcher.
    """
    if not 0 <= searcher < int(settings["searchers"]):
        raise InputError(f"searcher {searcher}: there are {settings['searchers']}, 0 to {int(settings['searchers']) - 1}")
    return _replay(settings, searcher, leg, stored, None, None)


def _replay(
    settings: Mapping[str, object],
    searcher: int,
    leg: int,
    stored: bytes | None,
    chained: bool | None,
    present: Collection[tuple[int, int]] | None,
) -> Replay:
    """`chained`: whether states are carried; None: the first leg will tell. `present`: the (leg, searcher) that count."""
    strategy = get(str(settings["strategy"]))
    done = 0
    if not strategy.group and chained is None and leg > 0:
        chained = bool(PackedLeg.read(do_leg(LegTask(settings, searcher, 0))).state)
        done = 1
    if strategy.group or (chained and leg > 0):
        size = strategy.group or 1
        first = searcher // size * size
        members = range(first, min(first + size, int(settings["searchers"])))
        before = leg // strategy.round_legs * strategy.round_legs if strategy.group else 0
        limits = {member: leg + 1 if member == searcher else before for member in members}
        tasks = follow(strategy, settings, members, limits, present)
        task = next(tasks)
        done = 0
        while True:
            packed = do_leg(task)
            done += 1
            if (task.leg, task.searcher) == (leg, searcher):
                break
            task = tasks.send(packed)
    else:
        packed = do_leg(LegTask(settings, searcher, leg))
        done += 1
    result = PackedLeg.read(packed)
    return Replay(settings, searcher, leg, done, result.digest, stored, result)


def follow(
    strategy: Strategy,
    settings: Mapping[str, object],
    members: Sequence[int],
    limits: Mapping[int, int],
    present: Collection[tuple[int, int]] | None = None,
) -> Generator[LegTask, bytes, None]:
    """All legs of some searchers from the first on, round by round; takes each packed result before it gives the next task.

    Args:
        members: the searchers: one, or a whole group where they share a pool.
        limits: legs that each of them does.
        present: (leg, searcher) of the legs that are done; others were set aside and change nothing. None: all are.
    """
    states = dict.fromkeys(members, b"")
    last = max(limits.get(member, 0) for member in members)
    round_legs = strategy.round_legs if strategy.group else last
    pool = b""
    for first in range(0, last, max(1, round_legs)):
        for searcher in members:
            for leg in range(first, min(first + round_legs, limits.get(searcher, 0))):
                if present is None or (leg, searcher) in present:
                    packed = yield LegTask(settings, searcher, leg, states[searcher], pool if strategy.reads_pool(leg) else b"")
                    states[searcher] = PackedLeg.read(packed).state
        if strategy.group:
            pool = strategy.pool(settings, [states[member] for member in members])
