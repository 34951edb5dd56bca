"""A stand-in for Dask's client, scheduler and workers: threads of this process, which can be told to misbehave."""

from __future__ import annotations

import json
import pickle
import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial

from search import cluster
from search.workers import checksum


class FakeWorker:
    """Threads that do what they are given, in order.

    Args:
        name: its address.
        threads: how many.
        greet: takes what a good worker greets with, and returns what this one does.
        answer: takes the work, and returns the answer or raises; `None` (the default) does the work. `work()` does
            it, `results(work)` opens its answer, `sealed(work, items)` seals another one.
            It may raise `Vanish`, and the worker is gone with all that it had.
    """

    def __init__(self, name: str, threads: int = 1, greet: Callable = lambda good: good, answer: Callable | None = None):
        self.name = name
        self.threads = threads
        self.here = True
        self.most = 0  # pieces of work that it had at once, at most
        self.has = 0
        self._greet = greet
        self._answer = answer or (lambda work: work())
        self._tasks: queue.SimpleQueue = queue.SimpleQueue()
        self._lock = threading.Lock()
        for _ in range(threads):
            threading.Thread(target=self._live, daemon=True).start()

    def give(self, fn, args) -> Future:
        future = Future()
        with self._lock:
            self.has += 1
            self.most = max(self.most, self.has)
        self._tasks.put((future, fn, args))
        return future

    def vanish(self) -> None:
        self.here = False
        for _ in range(self.threads):
            self._tasks.put(None)

    def _live(self) -> None:
        while (task := self._tasks.get()) is not None and self.here:
            future, fn, args = task
            with self._lock:
                self.has -= 1
            if not future.set_running_or_notify_cancel():
                continue
            try:
                if fn is cluster.do_all:
                    result = self._answer(partial(fn, *args))
                else:
                    result = self._greet(fn()) if fn is cluster.greet else fn()
            except Vanish:
                self.vanish()
                return
            except Exception as error:
                future.set_exception(error)
            else:
                if self.here:
                    future.set_result(result)


class Vanish(BaseException):
    """What a worker's `answer` raises to be gone at once."""


def asked(work: partial) -> list[bytes]:
    """What the answer to a piece of work is to be sealed with."""
    (payload,) = work.args
    return [checksum(payload), *map(checksum, pickle.loads(payload))]


def results(work: partial) -> list[tuple[bytes, bytes]]:
    """(kind, body) of each call of a piece of work, done."""
    return cluster.read_answer(work(), asked(work))[1]


def sealed(work: partial, items: list[tuple[bytes, bytes]]) -> list[bytes]:
    """An answer to a piece of work that is as good as any from without."""
    seconds = (b"b", bytes(8))
    return [cluster.sealed(kind, body, seal) for (kind, body), seal in zip([seconds, *items], asked(work), strict=True)]


def raising(work: partial) -> list[bytes]:
    """All calls raise something."""
    return sealed(work, [(b"e", b"Traceback ...\nMemoryError: no room for it\n")] * (len(asked(work)) - 1))


def edited(change: Callable[[dict, bytes], tuple[dict, bytes]]) -> Callable[[partial], list[bytes]]:
    """An `answer` in which the head of each leg's result, and the bytes behind it, are changed; packed and sealed well."""

    def answer(work: partial) -> list[bytes]:
        items = []
        for kind, packed in results(work):
            size = int.from_bytes(packed[4:8], "big")
            head, rest = change(json.loads(packed[8 : 8 + size]), packed[8 + size :])
            text = json.dumps(head, separators=(",", ":"), sort_keys=True).encode()
            items.append((kind, packed[:4] + len(text).to_bytes(4, "big") + text + rest))
        return sealed(work, items)

    return answer


class FakeClient:
    """What ClusterPool needs of a client and of its executor."""

    def __init__(self, *workers: FakeWorker):
        self.status = "running"
        self.workers = {worker.name: worker for worker in workers}
        self.everybody = dict(self.workers)
        self._pending: list[Future] = []

    def add(self, *workers: FakeWorker) -> None:
        self.workers |= {worker.name: worker for worker in workers}
        self.everybody |= self.workers

    def lose_scheduler(self) -> None:
        """As Dask's client does it: every future is cancelled."""
        self.status = "connecting"
        for future in self._pending:
            future.cancel()

    def find_scheduler(self) -> None:
        self.status = "running"

    def nthreads(self, callback_timeout: float) -> dict[str, int]:
        if self.status != "running":
            raise OSError("no scheduler")
        return {name: worker.threads for name, worker in list(self.workers.items()) if worker.here}

    def get_executor(self, pure: bool) -> FakeClient:
        assert pure is False  # a leg done again must be done, not remembered
        return self

    def submit(self, fn, *args, workers: list[str], allow_other_workers: bool) -> Future:
        assert not allow_other_workers and len(workers) == 1
        if self.status != "running":
            raise OSError("no scheduler")
        future = self.everybody[workers[0]].give(fn, args)
        outer = Future()  # Dask's can be cancelled at any time, whatever the worker does
        future.add_done_callback(lambda done: _pass_on(done, outer))
        self._pending.append(outer)
        return outer

    def close(self, timeout: float) -> None:
        self.status = "closed"


def _pass_on(done: Future, outer: Future) -> None:
    if done.cancelled() or not outer.set_running_or_notify_cancel():
        return
    if done.exception() is not None:
        outer.set_exception(done.exception())
    else:
        outer.set_result(done.result())
