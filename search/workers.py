"""What a run needs of those who do its legs, wherever they are."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Collection, Iterable, Mapping
from concurrent.futures import Executor, Future
from dataclasses import dataclass

_CHECK = 8
TASKS_PER_WORKER = 2  # one at work, one waiting, so that no worker waits for the parent


class LegKilledWorkers(Exception):
    """A task was given up because every worker that tried it died; says how they died."""


class RemoteError(Exception):
    """A task raised an exception in its worker; the text is the worker's traceback."""

    @property
    def last_line(self) -> str:
        """What was raised, without the traceback."""
        return (str(self).strip().splitlines() or [""])[-1]


class LegFuture(Future):
    """A future that knows who did the work; `worker` is the name, set before the result is, '' if nobody knows."""

    worker: str = ""


@dataclass
class WorkerNote:
    """One worker, as a person is told about it.

    Attributes:
        name: as in LegFuture.worker.
        state: 'at work'; of a cluster also 'greeting' (not accepted yet), 'refused' (another build), 'hanging' (no
            answer in time) or 'lost'; 'distrusted' (a wrong result). When the session is over, a reader of the run file
            is told 'ended' instead of 'at work', see status.py.
        threads: legs that it does at once.
        legs: done, in this session.
        joined, last_contact: when it was first and last heard of, seconds since 1970.
        why: what is wrong with it.
        host, pid: where it runs, as it says.
    """

    name: str
    state: str = "at work"
    threads: int = 1
    legs: int = 0
    joined: float = 0.0
    last_contact: float = 0.0
    why: str = ""
    host: str = ""
    pid: int = 0


class Pool(Executor):
    """An executor for legs. `submit` returns a LegFuture; functions return bytes.

    The future's exception may be LegKilledWorkers (set the leg aside), RemoteError (it raised there, which may be
    the worker's fault or the strategy's), or a BeggarError or BrokenExecutor (nothing more can be done here).
    """

    def submit_apart(self, others: Collection[str], fn, /, *args) -> LegFuture:
        """As `submit`, by a worker that is none of the others, as long as there is one."""
        raise NotImplementedError

    @property
    def wanted(self) -> int:
        """How many tasks to have in flight, at least 1, so that no worker waits; changes as workers come and go."""
        raise NotImplementedError

    @property
    def size(self) -> int:
        """How many tasks can be at work at once, now."""
        raise NotImplementedError

    def crew(self) -> list[WorkerNote]:
        """The workers that there are, and those that there were as far as a person should know."""
        return []

    def distrust(self, worker: str, why: str) -> None:
        """Use a worker no more, and ignore what it still answers."""

    def shun(self, wrong: Iterable[Mapping[str, object]]) -> None:
        """Give no work to those that were found wrong before, given as WorkerNote's fields, as far as they can be recognized."""

    def kill(self) -> None:
        """Drop whatever is in flight, and end."""
        self.shutdown(wait=False, cancel_futures=True)


class PlainPool(Pool):
    """Any executor as a pool: it knows nothing about its workers but their number."""

    def __init__(self, executor: Executor, workers: int):
        self._executor = executor
        self._workers = workers

    def submit(self, fn, /, *args, **kwargs) -> Future:
        return self._executor.submit(fn, *args, **kwargs)

    def submit_apart(self, others: Collection[str], fn, /, *args) -> Future:
        return self._executor.submit(fn, *args)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        self._executor.shutdown(wait, cancel_futures=cancel_futures)

    @property
    def wanted(self) -> int:
        return self._workers * TASKS_PER_WORKER

    @property
    def size(self) -> int:
        return self._workers


def checksum(*parts: bytes) -> bytes:
    """8 bytes that travel with a message, to notice when it arrives changed.

    An answer's is that of the task's own checksum and the answer together: so what answers another task, a worker's
    first answer given again and again for example, is noticed, too.
    """
    sum_ = hashlib.blake2b(digest_size=_CHECK)
    for part in parts:
        sum_.update(part)
    return sum_.digest()


def in_thread(fn: Callable, *args) -> Future:
    """Have `fn(*args)` done by a thread of its own, that nobody waits for at the program's end."""
    future: Future = Future()
    future.set_running_or_notify_cancel()

    def work() -> None:
        try:
            result = fn(*args)
        except BaseException as error:
            future.set_exception(error)
        else:
            future.set_result(result)

    threading.Thread(target=work, name="beggar-here", daemon=True).start()
    return future
