"""A run: hands legs to workers, checks what comes back, commits it."""

from __future__ import annotations

import logging
import os
import socket
import time
import traceback
from collections.abc import Callable, Mapping
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from dataclasses import asdict, dataclass
from enum import StrEnum
from functools import partial

from . import __version__
from .audit import COORDINATOR, Auditor
from .deal import Deal
from .engine import chosen
from .checks import check_leg
from .errors import BeggarError, Fault
from .finds import Find, entry_key, hands_text, value_of
from .game import play
from .leg import Candidate, LegTask, PackedLeg
from .outcome import Outcome, Status
from .pool import LocalPool
from .rules import Rules
from .schedule import Schedule
from .settings import check_version
from .stop import StopFlag
from .store import Done, Session, Store
from .strategies import get
from .work import do_leg
from .workers import LegKilledWorkers, PlainPool, Pool, RemoteError, in_thread

log = logging.getLogger("beggar.run")

_COMMIT_SECONDS = 0.25  # legs that come back within this time share a commit
_LOOK_SECONDS = 0.1  # how often the stop flag and the clock are looked at
_CREW_SECONDS = 10.0  # how often the run file gets to know how the workers do


@dataclass(frozen=True)
class Bounds:
    """When to stop; None where something sets no bound.

    Attributes:
        seconds: of work from now.
        deadline: a time of day, seconds since 1970.
        games: of the whole run, rounded up to whole legs in the order of issue.
        until_cards: stop when a finite game of so many cards is known, at the end of its round.
    """

    seconds: float | None = None
    deadline: float | None = None
    games: int | None = None
    until_cards: int | None = None


class Why(StrEnum):
    """What ended the work: all is done that there was, the number of games, the cards wanted, the clock, or a request to stop."""

    COMPLETE = "complete"
    GAMES = "games"
    CARDS = "until-cards"
    TIME = "time"
    STOPPED = "stopped"


@dataclass(frozen=True)
class Progress:
    """How far the work is, legs in flight not counted.

    Attributes:
        elapsed: seconds of this session; legs, games, tricks: done in it.
        counts: totals of the run.
        best: the best finite find.
        infinite: infinite finds.
        done: the share of the work that is done, 0 to 1; None where no end is set.
        eta: seconds to go, as far as can be told.
        workers: of this session.
    """

    elapsed: float
    legs: int
    games: int
    tricks: int
    counts: Mapping[str, int]
    best: Find | None
    infinite: int
    done: float | None
    eta: float | None
    workers: int


class Run:
    """A run file and the work on it. Close it, or use it in a `with`.

    Attributes:
        audited, differed: by the last work with an audit, legs that were compared, and those of them that differed.
    """

    def __init__(self, store: Store):
        self.store = store
        self.audited = self.differed = 0

    @classmethod
    def create(cls, path: str, settings: Mapping[str, object]) -> Run:
        """Make a new run, ready to work on. `settings` come from settings.new_settings; errors as Store.create."""
        return cls(Store.create(path, settings))

    @classmethod
    def open(cls, path: str, write: bool = False) -> Run:
        """Open a run that exists, to go on with it or to read it. Errors as Store.open."""
        return cls(Store.open(path, write))

    @property
    def settings(self) -> dict[str, object]:
        """Everything that the run's finds depend on, as settings.new_settings made it."""
        return self.store.settings

    def close(self) -> None:
        self.store.close()

    def __enter__(self) -> Run:
        return self

    def __exit__(self, *_) -> None:
        self.close()

    def work(
        self,
        until: Bounds = Bounds(),
        *,
        workers: int = 1,
        executor: Executor | None = None,
        pool_options: Mapping[str, object] = {},
        audit: float = 0.0,
        stop: StopFlag | None = None,
        on_progress: Callable[[Progress], object] | None = None,
        on_find: Callable[[Find], object] | None = None,
    ) -> Why:
        """Search until a bound is met or a stop is asked for.

        Args:
            until: when to end by itself.
            workers: processes, or workers of the executor where it is no Pool.
            executor: anything with the concurrent.futures interface; a LocalPool if None. It is not shut down.
            pool_options: for the LocalPool.
            audit: the share of legs that are done twice and compared, see audit.py.
            stop: asked once, the legs in flight are finished; twice, they are dropped.
            on_progress: told how things stand, about ten times a second and at the end.
            on_find: told of every find, when it is safely stored: all infinite ones, and each finite one
                that is the best so far.

        Raises:
            InputError: the strategy has another version than the run.
            Fault: the strategy failed, or a result is wrong and it is not the worker's fault.
            ClusterLost: the executor is a cluster, and it is gone.
            CannotWrite, RunFileError: see Store.commit.
        """
        check_version(self.settings)
        own = LocalPool(workers, **pool_options) if executor is None else None
        pool = own or (executor if isinstance(executor, Pool) else PlainPool(executor, workers))
        wrong = self.store.distrusted()
        for started, note in wrong:
            log.warning("found wrong in the session of %s: %s", time.strftime("%Y-%m-%d %H:%M", time.localtime(started)), note)
        pool.shun(note for _, note in wrong)
        auditor = Auditor(pool, audit) if audit else None
        try:
            work = _Work(self.store, until, auditor or pool, stop or StopFlag(), on_progress, on_find)
            why = work.go()
        except BaseException:
            if own is not None:
                own.kill()
            raise
        if auditor is not None:
            self.audited, self.differed = auditor.audited, auditor.differed
        if own is not None:
            if work.dropped:
                own.kill()
            else:
                own.shutdown()
        return why


class _Dropped(Exception):
    """What was under way is left, for a stop was asked for that does not wait."""


class _Work:
    """One session of work: its legs in flight, what waits for the next commit, its bounds."""

    def __init__(self, store: Store, until: Bounds, pool: Pool, stop: StopFlag, on_progress, on_find):
        self._store = store
        self._settings = store.settings
        self._strategy = get(str(self._settings["strategy"]))
        self._rules = Rules.of_settings(self._settings)
        self._until = until
        self._workers = pool
        self._stop = stop
        self._on_progress = on_progress
        self._on_find = on_find
        self._started = time.time()
        self._clock = time.monotonic()
        self._limit = None if until.games is None else -(-until.games // int(self._settings["leg_games"]))
        self._total = self._legs_in_all()
        self._schedule = Schedule(
            int(self._settings["searchers"]),
            store.legs,
            self._strategy.group,
            self._strategy.round_legs,
            self._limit,
            in_rounds=until.until_cards is not None,
            legs_of=None if self._total is None else partial(self._strategy.legs_of, self._settings),
        )
        self._flight: dict[Future, tuple[int, int]] = {}
        self._pending: list[Done] = []  # legs that wait for the next commit
        self._pending_states: dict[int, bytes] = {}
        self._pending_pools: dict[int, tuple[int, bytes]] = {}
        self._replayed: dict[str, Outcome] = {}  # deals that the reference engine has played since the last commit
        self._wrong: set[str] = set()  # workers whose result was wrong
        self._last_commit = self._last_look = self._last_crew = 0.0
        self._counted = self._clock  # up to when the time of workers has been added up
        self._noted_wrong: set[str] = set()
        self._last_look_at_crew = 0.0
        self._games_by: dict[str, int] = {}  # worker -> games of its legs
        self._cards_met = False
        self._session = Session(
            started=self._started,
            host=socket.gethostname(),
            pid=os.getpid(),
            version=__version__,
            engine=chosen(self._rules, limit=self._settings.get("limit")),
            workers=pool.size,
            bounds=asdict(until),
            core_seconds=0.0,
        )
        self._done_before = sum(store.legs.values())
        self.dropped = False  # legs in flight were left behind

    def go(self) -> Why:
        self._store.begin_session(self._session)
        session = self._session
        asked = ", ".join(f"{name} {value}" for name, value in session.bounds.items() if value is not None) or "asked to stop"
        log.info(
            "session begins: version %s, engine %s, %s workers, until %s",
            session.version, session.engine, session.workers, asked,
        )  # fmt: skip
        if self._until.until_cards is not None:
            for find in self._store.kept:
                self._look_at_cards(find, find.leg)
        try:
            why = self._loop()
        except BaseException as error:
            self._settle(f"failed: {error}")
            raise
        self._store.end_session(why, self._crew(force=True))
        self._report(force=True)
        log.info("session ends: %s, after %d legs, %d games", why, session.legs, session.games)
        return why

    def _settle(self, why: str) -> None:
        """After a failure: keep what is good, and note why it ended, if the file still takes it."""
        try:
            self._commit()
            self._store.end_session(why, self._crew(force=True))
        except BeggarError as error:
            log.error("nothing could be noted in the run: %s", error)

    def _loop(self) -> Why:
        why: Why | None = None
        while True:
            if self._stop.at_once:
                self.dropped = self.dropped or bool(self._flight)
                self._commit()
                return Why.STOPPED
            if why is None:
                why = self._reason_to_stop()
                if why is None:
                    self._issue()
                    if not self._flight:
                        why = self._why_at_the_end()
                else:
                    self._withdraw()
            if not self._flight:
                self._commit()
                return why
            try:
                self._receive(self._patience())
            except _Dropped:
                self.dropped = True
                continue
            self._commit_if_due()
            self._note_crew()
            self._report()

    def _legs_in_all(self) -> int | None:
        """Legs of the whole run, where the strategy comes to an end by itself."""
        if self._strategy.legs_of(self._settings, 0) is None:
            return None
        return sum(self._strategy.legs_of(self._settings, searcher) for searcher in range(int(self._settings["searchers"])))

    def _why_at_the_end(self) -> Why:
        if self._cards_met:
            return Why.CARDS
        done = sum(self._store.legs.values()) + len(self._pending)
        return Why.COMPLETE if done == self._total else Why.GAMES

    def _reason_to_stop(self) -> Why | None:
        if self._stop.asked:
            return Why.STOPPED
        if self._until.seconds is not None and time.monotonic() - self._clock >= self._until.seconds:
            return Why.TIME
        if self._until.deadline is not None and time.time() >= self._until.deadline:
            return Why.TIME
        return None

    def _patience(self) -> float:
        if self._pending:
            return max(0.0, min(_LOOK_SECONDS, self._last_commit + _COMMIT_SECONDS - time.monotonic()))
        return _LOOK_SECONDS

    def _issue(self) -> None:
        missing = self._workers.wanted - len(self._flight)
        for _ in range(missing):
            leg = self._schedule.take()
            if leg is None:
                return
            self._flight[self._workers.submit(do_leg, self._task(*leg))] = leg

    def _task(self, leg: int, searcher: int) -> LegTask:
        return LegTask(self._settings, searcher, leg, self._state(searcher), self._pool(leg, searcher))

    def _withdraw(self) -> None:
        """Take back the legs that no worker has begun."""
        for future, leg in list(self._flight.items()):
            if future.cancel():
                del self._flight[future]
                self._schedule.give_back(*leg)

    def _state(self, searcher: int) -> bytes:
        if searcher in self._pending_states:
            return self._pending_states[searcher]
        return self._store.state(searcher)

    def _pool(self, leg: int, searcher: int) -> bytes:
        if not self._strategy.reads_pool(leg):
            return b""
        wanted = leg // self._strategy.round_legs
        group = searcher // self._strategy.group
        number, data = self._pending_pools.get(group) or self._store.pool(group)
        if number != wanted:
            raise Fault(f"{self._store.path}: group {group} has the pool of round {number} where that of round {wanted} is due")
        return data

    def _receive(self, patience: float) -> None:
        done = wait(self._flight, patience, FIRST_COMPLETED).done
        self._count_core_seconds()
        legs = [(future, self._flight.pop(future)) for future in done]
        for future, (leg, searcher) in sorted(legs, key=lambda item: item[1]):
            self._arrived(future, leg, searcher)
            self._commit_if_due()

    def _arrived(self, future: Future, leg: int, searcher: int) -> None:
        where = f"leg {leg} of searcher {searcher}"
        worker = getattr(future, "worker", "")
        if worker in self._wrong:  # it came together with what betrayed the worker
            self._flight[self._workers.submit(do_leg, self._task(leg, searcher))] = leg, searcher
            return
        try:
            result, finds = self._judge(future.result(), leg, searcher)
        except LegKilledWorkers as error:
            log.warning("%s is set aside: %s", where, error)
            self._finished(Done(searcher, leg, None, reason=str(error)))
            return
        except BrokenExecutor as error:
            raise Fault(f"{self._store.path}: {error}") from None
        except (ValueError, RemoteError) as error:
            result, finds = self._again(error, worker, leg, searcher)
            worker = COORDINATOR
        for find in finds:
            self._look_at_cards(find, leg)
        self._games_by[worker] = self._games_by.get(worker, 0) + result.counts["games"]
        self._finished(Done(searcher, leg, result, finds))

    def _judge(self, packed: bytes, leg: int, searcher: int) -> tuple[PackedLeg, list[Find]]:
        """Read a result and replay what may be kept of it; raises ValueError if it cannot be right."""
        result = PackedLeg.read(packed)
        check_leg(result, self._settings, self._rules, searcher)
        return result, self._check(result, leg, searcher)

    def _again(self, doubt: ValueError | RemoteError, worker: str, leg: int, searcher: int) -> tuple[PackedLeg, list[Find]]:
        """A result cannot be right, or there is none: do the leg here. If that is as bad, the fault is ours, else the worker's."""
        where = f"{self._store.path}: leg {leg} of searcher {searcher}"
        packed = self._done_here(where, self._task(leg, searcher))
        try:
            good = self._judge(packed, leg, searcher)
        except ValueError as error:
            raise Fault(f"{where}: {error}; nothing of this leg was stored") from None
        if isinstance(doubt, RemoteError):
            log.error("%s: %s failed at it (%s); done again here", where, worker or "a worker", doubt)
            why = f"it failed at leg {leg} of searcher {searcher}: {doubt.last_line}"
        else:
            log.error("%s: the result of %s was wrong (%s); done again here", where, worker or "a worker", doubt)
            why = f"its result of leg {leg} of searcher {searcher} was wrong: {doubt}"
        if worker:
            self._wrong.add(worker)
            self._workers.distrust(worker, why)
        return good

    def _done_here(self, where: str, task: LegTask) -> bytes:
        """Do a leg in this process; a stop at once does not wait for it."""
        future = in_thread(do_leg, task)
        while not wait([future], _LOOK_SECONDS).done:
            self._go_on()
        try:
            return future.result()
        except Exception as error:
            trace = "".join(traceback.format_exception(error, chain=False))
            raise Fault(f"{where} failed in strategy {self._strategy.name}:\n{trace}") from None

    def _go_on(self) -> None:
        """In mid-work: look whether it is to be dropped, and tell how things stand."""
        if self._stop.at_once:
            raise _Dropped
        self._note_crew()
        self._report()

    def _count_core_seconds(self) -> None:
        """Add up how long legs were worked on, whoever did so and however many there were."""
        now = time.monotonic()
        at_work = self._workers.size
        self._session.core_seconds += min(at_work, len(self._flight)) * (now - self._counted)
        self._session.workers = max(self._session.workers, at_work)
        self._counted = now

    def _check(self, result: PackedLeg, leg: int, searcher: int) -> list[Find]:
        """Replay the candidates that may be kept."""
        kept = self._store.kept
        finds = []
        entries = set()
        for candidate in sorted(result.finds, key=kept.rank):
            if entry_key(candidate) in entries:
                continue  # the better one of this entry came before
            entries.add(entry_key(candidate))
            met = self._until.until_cards is not None and not candidate.infinite and candidate.cards >= self._until.until_cards
            if met or kept.wants(candidate, searcher, leg):
                finds.append(self._replay(candidate, leg, searcher))
        return finds

    def _replay(self, candidate: Candidate, leg: int, searcher: int) -> Find:
        """Play a candidate with the reference engine; raises ValueError where it is no deal or goes another way."""
        self._go_on()
        where = f"the deal {candidate.deal} {candidate.hands}"
        text = hands_text(candidate.deal, candidate.hands)
        outcome = self._replayed.get(text)  # in a leg that is not committed yet
        if outcome is None:
            try:
                outcome = play(Deal.from_cards(candidate.deal, self._rules, candidate.hands))
            except BeggarError as error:
                raise ValueError(f"{where} is no deal of {self._rules}: {error}") from None
            self._replayed[text] = outcome
        infinite = outcome.status is Status.INFINITE
        if (outcome.cards, outcome.tricks, infinite) != (candidate.cards, candidate.tricks, candidate.infinite):
            claim = "infinite" if candidate.infinite else "finite"
            raise ValueError(
                f"{where} has {candidate.cards} cards, {candidate.tricks} tricks, {claim} by its engine, but "
                f"{outcome.cards} cards, {outcome.tricks} tricks, {outcome.status} by the reference engine"
            )
        return Find(
            deal=candidate.deal,
            hands=candidate.hands,
            cards=outcome.cards,
            tricks=outcome.tricks,
            infinite=infinite,
            winner=outcome.winner,
            lead_in=outcome.lead_in,
            period=outcome.period,
            loop_cards=outcome.loop_cards,
            line=candidate.line,
            searcher=searcher,
            leg=leg,
            found_at=time.time(),
        )

    def _look_at_cards(self, find: Find, leg: int) -> None:
        if self._until.until_cards is not None and not find.infinite and find.cards >= self._until.until_cards:
            self._cards_met = True
            self._schedule.end_after(leg)

    def _finished(self, done: Done) -> None:
        self._pending.append(done)
        if done.result is not None:
            self._pending_states[done.searcher] = done.result.state
        group = self._schedule.finish(done.leg, done.searcher)
        if group is not None:
            states = [self._state(searcher) for searcher in self._schedule.group_of(done.searcher)]
            number = (done.leg + 1) // self._strategy.round_legs
            self._pending_pools[group] = number, self._strategy.pool(self._settings, states)

    def _commit_if_due(self) -> None:
        if self._pending and time.monotonic() - self._last_commit >= _COMMIT_SECONDS:
            self._commit()

    def _commit(self) -> None:
        if not self._pending:
            return
        best = self._store.kept.best
        finds = self._store.commit(self._pending, self._pending_pools, self._crew())
        for done in self._pending:
            log.info("committed leg %d of searcher %d", done.leg, done.searcher)
        self._pending.clear()
        self._pending_states.clear()
        self._pending_pools.clear()
        self._replayed.clear()
        self._last_commit = time.monotonic()
        objective = str(self._settings["objective"])
        for find in finds:
            if not find.infinite:
                if best is not None and value_of(find, objective) <= value_of(best, objective):
                    continue
                best = find
            log.info("%s: %s, %d cards, %d tricks", "infinite" if find.infinite else "new best", find.text, find.cards, find.tricks)
            if self._on_find is not None:
                self._on_find(find)

    def _crew(self, force: bool = False) -> list[dict[str, object]] | None:
        """What the run file is to know about the workers; None while what it knows is fresh enough."""
        now = time.monotonic()
        crew = None
        if now - self._last_look_at_crew >= _LOOK_SECONDS or force:
            self._last_look_at_crew = now
            crew = self._workers.crew()
            wrong = {note.name for note in crew if note.state == "distrusted"}
            force = force or wrong != self._noted_wrong  # nothing is to be lost of that
            self._noted_wrong = wrong
        if now - self._last_crew < _CREW_SECONDS and not force:
            return None
        self._last_crew = now
        return [asdict(note) | {"games": self._games_by.get(note.name, 0)} for note in crew or self._workers.crew()]

    def _note_crew(self) -> None:
        """Bring what the run file knows about the workers up to date if it is time, whether legs come back or not."""
        crew = self._crew()
        if crew is not None:
            self._store.note_crew(crew)

    def _report(self, force: bool = False) -> None:
        now = time.monotonic()
        if self._on_progress is None or (now - self._last_look < _LOOK_SECONDS and not force):
            return
        self._last_look = now
        elapsed = now - self._clock
        done, eta = self._share(elapsed)
        self._on_progress(
            Progress(
                elapsed=elapsed,
                legs=self._session.legs,
                games=self._session.games,
                tricks=self._session.tricks,
                counts=self._store.counts,
                best=self._store.kept.best,
                infinite=self._store.infinite_finds,
                done=done,
                eta=eta,
                workers=self._workers.size,
            )
        )

    def _share(self, elapsed: float) -> tuple[float | None, float | None]:
        """(share of the work done, seconds to go) by the nearest bound."""
        shares, times = [], []
        for seconds in (self._until.seconds, None if self._until.deadline is None else self._until.deadline - self._started):
            if seconds is not None:
                shares.append(1.0 if seconds <= 0 else min(1.0, elapsed / seconds))
                times.append(max(0.0, seconds - elapsed))
        limits = [limit for limit in (self._limit, self._total) if limit is not None]
        if limits:
            total = max(0, min(limits) - self._done_before)
            shares.append(1.0 if total == 0 else min(1.0, self._session.legs / total))
            if self._session.legs:
                times.append(elapsed * (total - self._session.legs) / self._session.legs)
        return max(shares, default=None), min(times, default=None)
