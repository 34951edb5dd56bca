"""Legs done again, and compared.

During the work, `Auditor` does a share of the legs twice, by different workers where there are several, and
compares every byte. Where they differ, or one of them fails, neither is believed: the coordinator does the leg
itself, takes its own result, names the worker that was wrong, and uses it no more. Which legs are audited depends on the seed, the
leg and the searcher alone; what a run finds does not depend on it.

Afterwards, `Audit` does legs of a run again and compares the digests that were kept. Where the strategy
carries a state, that of an earlier leg is not kept, so a searcher is followed from its first leg, and
where searchers share a pool their whole group is.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from dataclasses import dataclass, field

from .errors import BeggarError, Fault
from .leg import LegTask, PackedLeg
from .replay import follow
from .settings import check_version
from .stop import StopFlag
from .store import Store
from .strategies import Strategy, get
from .work import do_leg
from .workers import LegFuture, LegKilledWorkers, PlainPool, Pool, RemoteError, WorkerNote, in_thread

log = logging.getLogger("beggar.audit")

COORDINATOR = "the coordinator"


def chosen(seed: int, leg: int, searcher: int, share: float) -> bool:
    """Whether a leg belongs to the share that is audited: a fixed choice, that looks like chance."""
    return _draw(seed, leg, searcher) < int(share * 2**64)


def _draw(seed: int, *numbers: int) -> int:
    text = " ".join(map(str, ("audit", seed, *numbers)))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


# ---- during the work ----


class Auditor(Pool):
    """A pool that has a share of the legs done twice.

    Args:
        pool: does the work; shut down by whoever made it.
        share: of the legs, 0 to 1.

    Attributes:
        audited, differed: legs that were compared, and those of them that were not equal.
    """

    def __init__(self, pool: Pool, share: float):
        self._pool = pool
        self._share = share
        self.audited = self.differed = 0

    def submit(self, fn, /, task: LegTask) -> Future:
        seed = int(task.settings["seed"])
        if not chosen(seed, task.leg, task.searcher, self._share):
            return self._pool.submit(fn, task)
        return _Audited(self, fn, task).outcome

    @property
    def wanted(self) -> int:
        return self._pool.wanted

    @property
    def size(self) -> int:
        return self._pool.size

    def crew(self) -> list[WorkerNote]:
        return self._pool.crew()

    def distrust(self, worker: str, why: str) -> None:
        self._pool.distrust(worker, why)


class _Outcome(LegFuture):
    """What a run waits for; it can be cancelled as long as the first worker has not begun."""

    first: Future

    def cancel(self) -> bool:
        return self.first.cancel() and super().cancel()


class _Audited:
    """One leg that is done twice."""

    def __init__(self, auditor: Auditor, fn: Callable[[LegTask], bytes], task: LegTask):
        self._auditor = auditor
        self._fn = fn
        self._leg = task
        self.outcome = _Outcome()
        self.outcome.first = self._first = auditor._pool.submit(fn, task)
        self._first.add_done_callback(self._settling(self._after_first))

    def _settling(self, step: Callable[[LegFuture], None]) -> Callable[[LegFuture], None]:
        """The step, but where it fails the outcome does: a run waits for that, and a callback's errors go nowhere."""

        def taken(future: LegFuture) -> None:
            try:
                step(future)
            except Exception as error:
                self.outcome.set_exception(Fault(f"{self}: its audit failed: {error!r}"))

        return taken

    def _after_first(self, first: LegFuture) -> None:
        if first.cancelled() or not _answered(first):
            self._pass_on(first)
            return
        try:
            worker = getattr(first, "worker", "")
            second = self._auditor._pool.submit_apart({worker}, self._fn, self._leg)
        except (RuntimeError, BrokenExecutor, BeggarError) as error:
            log.warning("%s could not be audited: %s", self, error)  # the pool is ending
            self._pass_on(first)
            return
        second.add_done_callback(self._settling(self._after_second))

    def _after_second(self, second: LegFuture) -> None:
        if second.cancelled() or isinstance(second.exception(), LegKilledWorkers):
            log.warning("%s could not be audited: nobody did it a second time", self)
            self._pass_on(self._first)
        elif not _answered(second):
            self._pass_on(second)
        else:
            self._auditor.audited += 1
            if self._first.exception() is None and second.exception() is None and second.result() == self._first.result():
                self._pass_on(self._first)
            else:
                self._auditor.differed += 1
                here = in_thread(self._fn, self._leg)
                here.add_done_callback(self._settling(lambda right: self._judge(second, right)))

    def _judge(self, second: LegFuture, here: Future) -> None:
        """The two differ, or failed: see who was wrong, now that the leg has been done here."""
        failed = [future.exception() for future in (self._first, second) if future.exception() is not None]
        if here.exception() is not None:
            how = f"failed with two workers ({failed[0].last_line})" if len(failed) == 2 else "came out differently with two workers"
            self.outcome.set_exception(Fault(f"{self} {how}, and here it failed: {here.exception()!r}"))
            return
        for result in (self._first, second):
            worker = getattr(result, "worker", "") or "a worker"
            if result.exception() is not None:
                self._auditor.distrust(worker, f"it failed at {self}, which was audited: {result.exception().last_line}")
            elif result.result() != here.result():
                self._auditor.distrust(worker, f"an audit of {self} found its result wrong")
        self.outcome.worker = COORDINATOR
        self._settle(here.result())

    def _pass_on(self, future: LegFuture) -> None:
        if future.cancelled():
            if not self.outcome.cancelled():
                Future.cancel(self.outcome)
        elif future.exception() is not None:
            self.outcome.set_exception(future.exception())
        else:
            self.outcome.worker = getattr(future, "worker", "")
            self._settle(future.result())

    def _settle(self, result: bytes) -> None:
        if self.outcome.set_running_or_notify_cancel():
            self.outcome.set_result(result)

    def __str__(self) -> str:
        return f"leg {self._leg.leg} of searcher {self._leg.searcher}"


def _answered(future: LegFuture) -> bool:
    """Whether a worker came to an end with the leg, by a result or by an exception of its own."""
    return future.exception() is None or isinstance(future.exception(), RemoteError)


# ---- afterwards ----


@dataclass(frozen=True)
class Difference:
    """A leg that gives another result now than it gave then.

    Attributes:
        leg, searcher: which.
        stored: the digest that the run file has.
        now: the digest of the result now, as it came out in this process; None where the leg cannot be done any more.
        why: in words.
    """

    leg: int
    searcher: int
    stored: bytes
    now: bytes | None
    why: str


@dataclass
class Findings:
    """What an audit of a run has found.

    Attributes:
        legs: of the run.
        wanted: legs that were to be checked.
        checked: legs done again, those of `differences` included.
        chained: whether the strategy carries states, so that searchers were followed from their first leg.
        differences: legs whose result is not what the file says; nothing behind one in its chain was checked.
        not_done: (leg, searcher, reason) of legs that killed their workers now.
        wrong_workers: workers whose result was wrong now, or that failed at a leg that can be done.
        stopped: whether the audit was stopped before its end.
    """

    legs: int
    wanted: int
    checked: int = 0
    chained: bool = False
    differences: list[Difference] = field(default_factory=list)
    not_done: list[tuple[int, int, str]] = field(default_factory=list)
    wrong_workers: list[str] = field(default_factory=list)
    stopped: bool = False

    @property
    def clean(self) -> bool:
        """Whether all that was done again came out as it was, everything could be done again, and no worker was wrong."""
        return not (self.differences or self.not_done or self.wrong_workers)


class Audit:
    """Does legs of a run again.

    Args:
        store: the run, open for reading.
        executor: does the legs; a Pool, or any executor with so many workers.
        share, legs: how much to check, at most: a share of all legs, or a number of them.
        seed: what the choice of legs depends on.
        stop: asked once, the legs in flight are finished.

    Attributes:
        findings: what is known so far.
    """

    def __init__(
        self,
        store: Store,
        executor: Executor,
        *,
        workers: int = 1,
        share: float = 0.05,
        legs: int | None = None,
        seed: int = 0,
        stop: StopFlag | None = None,
    ):
        check_version(store.settings)
        self._settings = store.settings
        self._strategy: Strategy = get(str(self._settings["strategy"]))
        self._pool = executor if isinstance(executor, Pool) else PlainPool(executor, workers)
        self._seed = seed
        self._stop = stop or StopFlag()
        with store.snapshot():
            store.check_legs()  # what is damaged here is no fault of whoever did the leg
            self._digests = {(leg, searcher): digest for leg, searcher, digest in store.leg_digests()}
            self._limits = dict(store.legs)
            chained = self._strategy.group > 0 or store.carries_state()
        wanted = max(1, round(len(self._digests) * share)) if legs is None else legs
        self.findings = Findings(len(self._digests), min(wanted, len(self._digests)), chained=chained)

    def go(self, on_progress: Callable[[Findings], object] = lambda findings: None) -> Findings:
        """Check, until enough is checked; errors of the pool (ClusterLost, BrokenExecutor) are raised.

        Args:
            on_progress: told the findings so far, after every leg.
        """
        findings = self.findings
        chains = self._chains() if findings.chained else self._single_legs()
        flight: dict[Future, tuple[LegTask, _Chain]] = {}
        issued = 0
        waiting: list[tuple[LegTask, _Chain]] = []  # the next legs of chains under way
        while True:
            while len(flight) < self._pool.wanted and issued < findings.wanted and not self._stop.asked:
                step = waiting.pop() if waiting else self._begin(chains)
                if step is None:
                    break
                flight[self._pool.submit(do_leg, step[0])] = step
                issued += 1
            if not flight or self._stop.at_once:
                findings.stopped = self._stop.asked
                return findings
            for future in wait(flight, 0.1, FIRST_COMPLETED).done:
                task, chain = flight.pop(future)
                try:
                    packed = self._compare(future, task)
                except _Stopped:
                    break
                step = chain.next(packed) if packed is not None else None
                if step is not None:
                    waiting.append((step, chain))
                on_progress(findings)

    @staticmethod
    def _begin(chains: Iterator[_Chain]) -> tuple[LegTask, _Chain] | None:
        for chain in chains:
            task = chain.next(None)
            if task is not None:
                return task, chain
        return None

    def _compare(self, future: Future, task: LegTask) -> bytes | None:
        """The result, if it is the one that the file knows; else None, and the chain ends."""
        findings = self.findings
        stored = self._digests[task.leg, task.searcher]
        failed: RemoteError | None = None
        packed = b""
        try:
            packed = future.result()
        except LegKilledWorkers as error:
            findings.not_done.append((task.leg, task.searcher, str(error)))
            return None
        except RemoteError as error:
            failed = error
        if failed is None and _digest(packed) == stored:
            findings.checked += 1
            return packed
        # Before the file is blamed: was it the worker?
        here = self._done_here(task)
        findings.checked += 1
        if here.exception() is not None:
            why = "it fails now" if failed is not None else "a worker has another result now, and here it fails"
            self._differs(task, stored, None, f"{why}: {failed or repr(here.exception())}")
            return None
        if failed is not None or here.result() != packed:
            worker = getattr(future, "worker", "") or "a worker"
            where = f"leg {task.leg} of searcher {task.searcher}"
            why = f"its result of {where} was wrong" if failed is None else f"it failed at {where}: {failed.last_line}"
            findings.wrong_workers.append(worker)
            self._pool.distrust(worker, why)
        if _digest(here.result()) == stored:
            return here.result()
        self._differs(task, stored, _digest(here.result()), "the result is another one now")
        return None

    def _done_here(self, task: LegTask) -> Future:
        """Do a leg in this process; a stop at once does not wait for it."""
        here = in_thread(do_leg, task)
        while not wait([here], 0.1).done:
            if self._stop.at_once:
                raise _Stopped
        return here

    def _differs(self, task: LegTask, stored: bytes, now: bytes | None, why: str) -> None:
        self.findings.differences.append(Difference(task.leg, task.searcher, stored, now, why))

    def _single_legs(self) -> Iterator[_Chain]:
        """Legs that need nothing from earlier ones, in the order of a draw."""
        for leg, searcher in sorted(self._digests, key=lambda key: _draw(self._seed, *key)):
            yield _Chain(iter([LegTask(self._settings, searcher, leg)]))

    def _chains(self) -> Iterator[_Chain]:
        """Searchers, or groups of them, in the order of a draw."""
        size = self._strategy.group or 1
        groups = sorted({searcher // size for searcher in self._limits})
        for group in sorted(groups, key=lambda number: _draw(self._seed, number)):
            members = [s for s in range(group * size, (group + 1) * size) if s < int(self._settings["searchers"])]
            yield _Chain(follow(self._strategy, self._settings, members, self._limits, self._digests))


class _Stopped(Exception):
    """A stop was asked for that does not wait."""


class _Chain:
    """Legs of which each may need the result of the one before."""

    def __init__(self, tasks: Iterator[LegTask]):
        self._tasks = tasks

    def next(self, result: bytes | None) -> LegTask | None:
        """The next leg, given the result of the last one (None at the start); None at the end."""
        try:
            return next(self._tasks) if result is None or not hasattr(self._tasks, "send") else self._tasks.send(result)
        except StopIteration:
            return None


def _digest(packed: bytes) -> bytes:
    try:
        return PackedLeg.read(packed).digest
    except ValueError:
        return b""
