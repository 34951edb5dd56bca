"""Worker processes on this machine, as a concurrent.futures executor that survives the death of a worker.

The standard process pool breaks as a whole when one of its workers dies. Here a worker that dies is replaced
and its task is done again; a task that kills three workers fails alone, with `LegKilledWorkers`.

Every worker has a pipe of its own, so a worker that is killed while it writes harms nobody else. A thread of
the parent waits on all pipes and on the ends of all processes. Workers ignore Ctrl-C and SIGTERM, which are
the parent's business, and end when the parent does, also when it is killed and they are in mid-task.
"""

from __future__ import annotations

import atexit
import logging
import multiprocessing
import os
import pickle
import signal
import socket
import threading
import time
import traceback
import weakref
from collections import deque
from collections.abc import Callable, Collection
from concurrent.futures import BrokenExecutor, Future, InvalidStateError
from dataclasses import replace
from multiprocessing import connection, resource_tracker
from multiprocessing.connection import Connection

from .errors import InputError
from .log import flush_worker, log_through
from .workers import TASKS_PER_WORKER, LegFuture, LegKilledWorkers, Pool, RemoteError, WorkerNote, checksum

log = logging.getLogger("beggar.pool")

ATTEMPTS = 3  # of a task, before it is given up as one that kills its workers
_STARTS = 5  # workers in a row that die before they are ready, before the pool gives up
_PAUSE_SECONDS = 0.2  # after a worker that died before it was ready
_WATCH_SECONDS = 0.5  # how often a worker looks whether its parent lives
_GRACE_SECONDS = 5.0  # for workers to end by themselves when asked

# Kinds of messages from a worker; a message is one kind byte, a checksum, the task's number, and the body. The checksum of
# an answer is over that of its task, number and body; that of other messages over number and body.
_READY, _BYTES, _OBJECT, _ERROR, _LOG = b"r", b"b", b"o", b"e", b"l"
_CHECK = len(checksum(b""))
_HEAD = 1 + _CHECK + 8


def start_method() -> str:
    """How workers are started: BEGGAR_START_METHOD if set (fork, spawn, forkserver), else Python's default here.

    Raises:
        InputError: the variable names no start method of this system.
    """
    wanted = os.environ.get("BEGGAR_START_METHOD")
    if not wanted:
        return multiprocessing.get_start_method()
    methods = multiprocessing.get_all_start_methods()
    if wanted not in methods:
        raise InputError(f"BEGGAR_START_METHOD is {wanted!r}: {', '.join(methods)} are accepted here")
    return wanted


class LocalPool(Pool):
    """An executor with a fixed number of worker processes.

    Functions and arguments must be picklable; a function that returns bytes has them carried as they are.

    Args:
        workers: how many processes.
        method: start method; None for that of `start_method()`.
        nice: added to the workers' niceness.
        initializer, initargs: called in each worker before its first task.
        log_to: takes the log records (logging.LogRecord) of the workers; None leaves logging alone.
        log_level: least level of the records sent.
    """

    def __init__(
        self,
        workers: int,
        *,
        method: str | None = None,
        nice: int = 0,
        initializer: Callable[..., object] | None = None,
        initargs: tuple = (),
        log_to: Callable[[logging.LogRecord], object] | None = None,
        log_level: int = logging.INFO,
    ):
        if workers < 1:
            raise ValueError(f"{workers} workers: at least 1 is needed")
        self.workers = workers
        self.deaths = 0
        self._method = method or start_method()
        self._context = multiprocessing.get_context(self._method)
        self._worker_args = (nice, initializer, initargs, log_level if log_to is not None else None)
        self._log_to = log_to
        self._lock = threading.Lock()
        self._new: deque[_Task] = deque()  # from submit, under the lock
        self._awake = False
        self._closing = False
        self._cancelling = False
        self._killing = False
        self._distrusted: dict[str, str] = {}  # names of workers to be replaced, and why; under the lock
        self._gone: list[WorkerNote] = []  # workers that were distrusted
        self._failed: str | None = None
        self._wake_out, self._wake_in = self._context.Pipe(duplex=False)
        self._crew: list[_Worker] = []
        self._queue: deque[_Task] = deque()  # the manager's own
        self._bad_starts = 0
        self._prepare_start_method()
        self._manager = threading.Thread(target=self._manage, name="beggar-pool", daemon=True)
        _pools.add(self)
        self._manager.start()

    # ---- for the caller ----

    def submit(self, fn, /, *args, **kwargs) -> LegFuture:
        """Have `fn(*args, **kwargs)` done by a worker.

        The future's exception may be LegKilledWorkers, RemoteError, or BrokenExecutor if no worker can be started.
        """
        return self._submit(_Task(pickle.dumps((fn, args, kwargs), pickle.HIGHEST_PROTOCOL), LegFuture()))

    def submit_apart(self, others: Collection[str], fn, /, *args) -> LegFuture:
        """As `submit`, by a process that is none of the others, as long as there is one."""
        return self._submit(_Task(pickle.dumps((fn, args, {}), pickle.HIGHEST_PROTOCOL), LegFuture(), frozenset(others)))

    def _submit(self, task: _Task) -> LegFuture:
        with self._lock:
            if self._closing:
                raise RuntimeError("the pool takes no more tasks")
            if self._failed:
                raise BrokenExecutor(self._failed)
            self._new.append(task)
            self._wake()
        return task.future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Take no more tasks, finish (or cancel) those that there are, end the workers."""
        self._end(cancel=cancel_futures, kill=False)
        if wait:
            self._manager.join()

    def kill(self) -> None:
        """End all workers at once; whatever was in flight is cancelled or fails with BrokenExecutor."""
        self._end(cancel=True, kill=True)
        self._manager.join(_GRACE_SECONDS)

    @property
    def wanted(self) -> int:
        return self.workers * TASKS_PER_WORKER

    @property
    def size(self) -> int:
        return self.workers

    def crew(self) -> list[WorkerNote]:
        """The processes, and those that were distrusted."""
        now = [replace(worker.note) for worker in list(self._crew)]
        return now + list(self._gone)

    def distrust(self, worker: str, why: str) -> None:
        """Replace a process by a new one; the task that it is at is done again."""
        log.error("%s is used no more: %s", worker, why)
        with self._lock:
            self._distrusted[worker] = why
            self._wake()

    @property
    def pids(self) -> list[int]:
        """The processes of the workers that run now."""
        return [worker.note.pid for worker in list(self._crew)]

    def _end(self, cancel: bool, kill: bool) -> None:
        with self._lock:
            self._closing = True
            self._killing = self._killing or kill
            self._cancelling = self._cancelling or cancel
            self._wake()

    def _wake(self) -> None:
        """Have the manager look at what is new. Under the lock; one message at most is on its way."""
        if not self._awake:
            self._awake = True
            try:
                self._wake_in.send_bytes(b"")
            except OSError:
                pass  # the manager has ended

    # ---- the manager thread ----

    def _manage(self) -> None:
        try:
            while not self._done():
                self._replace_distrusted()
                self._staff()
                self._assign()
                self._listen()
            self._dismiss()
        except BrokenExecutor as error:
            self._break(str(error))
        except BaseException:
            self._break("the worker pool failed:\n" + traceback.format_exc())
        finally:
            for worker in self._crew:
                worker.process.kill()
            self._wake_out.close()
            self._crew = []

    def _done(self) -> bool:
        with self._lock:
            self._awake = False
            self._queue.extend(self._new)
            self._new.clear()
            if self._cancelling:
                for task in self._queue:
                    task.future.cancel()
                self._queue.clear()
            if self._killing:
                return True
            return self._closing and not self._queue and not any(worker.task for worker in self._crew)

    def _replace_distrusted(self) -> None:
        with self._lock:
            distrusted, self._distrusted = self._distrusted, {}
        for worker in [w for w in self._crew if w.note.name in distrusted]:
            self._crew.remove(worker)
            worker.process.kill()
            worker.process.join()
            worker.pipe.close()
            worker.process.close()
            self._gone.append(replace(worker.note, state="distrusted", why=distrusted[worker.note.name]))
            if worker.task is not None:
                self._queue.appendleft(worker.task)

    def _staff(self) -> None:
        """Start workers until all are there."""
        while len(self._crew) < self.workers and not self._closing_without_work():
            try:
                self._crew.append(self._start())
            except OSError as error:
                self._bad_start(f"no process could be started: {error.strerror}")
                return

    def _closing_without_work(self) -> bool:
        return self._closing and not self._queue

    def _start(self) -> _Worker:
        ours, theirs = self._context.Pipe()
        # A forked worker gets copies of all that is open here; it closes the ends that belong to the parent.
        inherited = [ours, self._wake_in, self._wake_out, *(worker.pipe for worker in self._crew)] if self._method == "fork" else []
        process = self._context.Process(target=_work, args=(theirs, os.getpid(), inherited, *self._worker_args), name="beggar-worker")
        with _signals_held():
            process.start()
        theirs.close()
        return _Worker(process, ours)

    def _prepare_start_method(self) -> None:
        """Start the helper processes of a start method now: later they would undo the blocking of signals."""
        if self._method != "fork":
            resource_tracker.ensure_running()
        if self._method == "forkserver":
            from multiprocessing import forkserver

            with _signals_held():
                forkserver.ensure_running()

    def _assign(self) -> None:
        names = {worker.note.name for worker in self._crew}
        for worker in self._crew:
            if worker.task or not worker.ready:
                continue
            task = self._next_for(worker, names)
            if task is not None:
                worker.task = task
                worker.asked = checksum(task.payload)
                try:
                    worker.pipe.send_bytes(worker.count.to_bytes(8, "big") + task.payload)
                except OSError:
                    pass  # it died just now; its end is about to be noticed

    def _next_for(self, worker: _Worker, names: set[str]) -> _Task | None:
        """Take the first task from the queue that the worker may do and that nobody has cancelled."""
        passed: list[_Task] = []
        found = None
        while self._queue and found is None:
            task = self._queue.popleft()
            if worker.note.name in task.apart and not names <= task.apart:
                passed.append(task)
            elif task.begun or task.future.set_running_or_notify_cancel():
                task.begun = True
                found = task
        self._queue.extendleft(reversed(passed))
        return found

    def _listen(self) -> None:
        """Wait until something happens, and deal with it."""
        by_source = {worker.pipe: worker for worker in self._crew} | {worker.process.sentinel: worker for worker in self._crew}
        timeout = _PAUSE_SECONDS if len(self._crew) < self.workers else None
        events = connection.wait([self._wake_out, *by_source], timeout)
        if self._wake_out in events:
            while self._wake_out.poll():
                self._wake_out.recv_bytes()
        for worker in {by_source[event] for event in events if event in by_source}:
            if not self._read(worker):
                self._bury(worker)

    def _read(self, worker: _Worker) -> bool:
        """Take what the worker has sent; False if it is dead, or not to be trusted."""
        try:
            while worker.pipe.poll():
                if not self._take(worker, worker.pipe.recv_bytes()):
                    log.error("worker %d sent garbage", worker.process.pid)
                    return False
        except (EOFError, OSError):
            return False
        return worker.process.exitcode is None

    def _take(self, worker: _Worker, message: bytes) -> bool:
        kind, check, body = message[:1], message[1 : 1 + _CHECK], message[1 + _CHECK :]
        asked = b"" if kind in (_READY, _LOG) else worker.asked
        if len(message) < _HEAD or check != checksum(asked, body):
            return False
        number, body = int.from_bytes(body[:8], "big"), body[8:]
        if kind == _READY:
            worker.ready = True
            self._bad_starts = 0
            return True
        if kind == _LOG:
            if self._log_to is not None:
                self._log_to(pickle.loads(body))
            return True
        task = worker.task
        if task is None or number != worker.count:
            return False
        if worker.note.name in self._distrusted:
            return True  # it is about to be replaced, and its task done again
        if kind == _BYTES:
            result, error = body, None
        elif kind == _OBJECT:
            result, error = pickle.loads(body), None
        elif kind == _ERROR:
            result, error = None, RemoteError(body.decode(errors="replace"))
        else:
            return False
        worker.task = None
        worker.count += 1
        worker.note.legs += 1
        worker.note.last_contact = time.time()
        task.future.worker = worker.note.name
        if error is None:
            task.future.set_result(result)
        else:
            task.future.set_exception(error)
        return True

    def _bury(self, worker: _Worker) -> None:
        self.deaths += 1
        self._crew.remove(worker)
        worker.process.kill()
        worker.process.join()
        worker.pipe.close()
        how = _how_it_ended(worker.process.exitcode)
        log.warning("worker %d %s", worker.process.pid, how)
        worker.process.close()
        task = worker.task
        if task is not None:
            task.deaths.append(how)
            if len(task.deaths) < ATTEMPTS:
                self._queue.appendleft(task)
            else:
                task.future.set_exception(LegKilledWorkers(f"{len(task.deaths)} workers died on it: {', '.join(task.deaths)}"))
        if not worker.ready:
            self._bad_start(f"a worker {how} before it was ready")

    def _bad_start(self, why: str) -> None:
        self._bad_starts += 1
        if self._bad_starts >= _STARTS:
            raise BrokenExecutor(f"no workers can be started ({self._bad_starts} tries): {why}")
        time.sleep(_PAUSE_SECONDS)

    def _dismiss(self) -> None:
        """End the workers: politely, then not."""
        for worker in self._crew:
            if self._killing:
                worker.process.kill()
            else:
                try:
                    worker.pipe.send_bytes(b"")
                except OSError:
                    pass
        patience = time.monotonic() + _GRACE_SECONDS
        while self._crew:
            for worker in list(self._crew):
                if not self._read(worker):
                    worker.process.join(_GRACE_SECONDS)
                    self._crew.remove(worker)
                    if worker.task is not None:
                        _fail(worker.task.future, "the pool was stopped")
                    worker.pipe.close()
            if not self._crew:
                return
            if self._killing or time.monotonic() > patience:
                for worker in self._crew:
                    worker.process.kill()
            connection.wait([worker.process.sentinel for worker in self._crew] + [worker.pipe for worker in self._crew], 0.1)

    def _break(self, why: str) -> None:
        with self._lock:
            self._failed = why
            tasks = [*self._new, *self._queue, *(worker.task for worker in self._crew if worker.task)]
            self._new.clear()
            self._queue.clear()
        for task in tasks:
            _fail(task.future, why)


class _Task:
    def __init__(self, payload: bytes, future: LegFuture, apart: frozenset[str] = frozenset()):
        self.payload = payload
        self.future = future
        self.apart = apart  # workers that are not to do it if others are there
        self.begun = False
        self.deaths: list[str] = []


class _Worker:
    def __init__(self, process, pipe: Connection):
        self.process = process
        self.pipe = pipe
        self.ready = False
        self.task: _Task | None = None
        self.count = 0  # tasks answered: the number under which the next answer is due
        self.asked = b""  # checksum of the task
        now = time.time()
        self.note = WorkerNote(f"process {process.pid}", joined=now, last_contact=now, host=socket.gethostname(), pid=process.pid)


def _fail(future: Future, why: str) -> None:
    try:
        if future.running() or (not future.done() and future.set_running_or_notify_cancel()):
            future.set_exception(BrokenExecutor(why))
    except InvalidStateError:
        pass  # it was done, or cancelled just now


def _how_it_ended(code: int | None) -> str:
    if code is not None and code < 0:
        try:
            return f"was killed by {signal.Signals(-code).name}"
        except ValueError:
            return f"was killed by signal {-code}"
    return f"ended with status {code}"


class _signals_held:
    """Signals of this thread, and of processes started meanwhile, wait; the worker lets them go when it ignores them."""

    def __enter__(self) -> None:
        self._old = signal.pthread_sigmask(signal.SIG_BLOCK, _IGNORED)

    def __exit__(self, *_) -> None:
        signal.pthread_sigmask(signal.SIG_SETMASK, self._old)


_IGNORED = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}

_pools: weakref.WeakSet[LocalPool] = weakref.WeakSet()


@atexit.register
def _kill_pools() -> None:
    # Before multiprocessing's own handler, which would wait for workers that ignore SIGTERM.
    for pool in list(_pools):
        if pool._manager.is_alive():
            pool.kill()


# ---- in the worker ----


def _work(pipe: Connection, parent: int, inherited: list, nice: int, initializer, initargs: tuple, log_level: int | None) -> None:
    """A worker's life. It ends without Python's clean-up, which could wait for what a killed sibling holds."""
    for number in _IGNORED:
        signal.signal(number, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _IGNORED)
    for copy in inherited:
        copy.close()
    threading.Thread(target=_watch_parent, args=(parent,), name="beggar-watch", daemon=True).start()
    status = 1
    try:
        mouth = _Mouth(pipe)
        if nice:
            os.nice(nice)
        if log_level is not None:
            log_through(lambda record: mouth.say(_LOG, 0, pickle.dumps(record)), log_level)
        if initializer is not None:
            initializer(*initargs)
        mouth.say(_READY, 0, b"")
        _serve(pipe, mouth)
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        flush_worker()
        os._exit(status)


class _Mouth:
    """The sending side of a worker's pipe, for several threads of the worker."""

    def __init__(self, pipe: Connection):
        self._pipe = pipe
        self._lock = threading.Lock()

    def say(self, kind: bytes, number: int, body: bytes, asked: bytes = b"") -> None:
        """Send a message; `asked` is the checksum of the task that it answers."""
        body = number.to_bytes(8, "big") + body
        with self._lock:
            self._pipe.send_bytes(kind + checksum(asked, body) + body)


def _serve(pipe: Connection, mouth: _Mouth) -> None:
    while True:
        try:
            message = pipe.recv_bytes()
        except (EOFError, OSError):
            return  # the parent is gone
        if not message:
            return
        number, task = int.from_bytes(message[:8], "big"), memoryview(message)[8:]
        asked = checksum(task)
        try:
            fn, args, kwargs = pickle.loads(task)
            result = fn(*args, **kwargs)
            kind, body = (_BYTES, result) if type(result) is bytes else (_OBJECT, pickle.dumps(result))
        except Exception:
            kind, body = _ERROR, traceback.format_exc().encode()
        try:
            mouth.say(kind, number, body, asked)
        except OSError:
            return  # as above


def _watch_parent(parent: int) -> None:
    sentinel = multiprocessing.parent_process().sentinel
    direct = os.getppid() == parent  # a fork server stands between otherwise
    while True:
        ended = connection.wait([sentinel], _WATCH_SECONDS)
        if ended or (direct and os.getppid() != parent):
            os.kill(os.getpid(), signal.SIGKILL)

