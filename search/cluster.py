"""The workers of a Dask cluster as a pool.

A scheduler and its workers are started by somebody else (docs/cluster.md). The coordinator, which has the run
file, connects to the scheduler as a client. A thread of the coordinator watches the workers come and go,
shakes hands with each new one before it gets work, and keeps every worker busy with a little more than it can
do at once. Each piece of work is sent to a worker by name, so it is known who did what: who is lost, who
hangs, who answers garbage. Where legs are short or workers are many, several consecutive legs travel
together; results are kept per leg.

What can go wrong, and what is done:
- A worker is lost: its legs are done again elsewhere. A leg that was there twice is done by a worker that has just
  shown that it lives and that has nothing else to do; if that one is lost, too, the leg is given up
  (LegKilledWorkers).
- A worker gives no answer long after it is due: its legs are done again elsewhere. It gets no more work
  until it answers; the late answer is ignored.
- A worker answers garbage, or is distrusted by an audit: it is used no more, what it had is done elsewhere. A process
  that an earlier session has found wrong gets no work.
- A worker does not greet: it gets no work until it does.
- The scheduler is lost: the client tries to come back for a while; legs in flight are lost and are issued
  again. If it cannot, everything in flight fails with ClusterLost.
"""

from __future__ import annotations

import logging
import os
import pickle
import queue
import re
import socket
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import Future, InvalidStateError
from dataclasses import dataclass, field, replace

from . import __version__
from .build import describe, identity
from .errors import BeggarError, ClusterLost, Fault, InputError, MissingExtra
from .workers import LegFuture, LegKilledWorkers, Pool, RemoteError, WorkerNote, checksum

log = logging.getLogger("beggar.cluster")

ATTEMPTS = 3  # of a leg, before it is given up as one that kills its workers
MAX_BATCH = 64  # legs that travel together

_LOOK_SECONDS = 0.2  # how often the list of workers is fetched
_TICK_SECONDS = 0.1
_CALL_SECONDS = 5.0  # for the scheduler to answer
_ANSWERS = 50.0  # pieces of work a second, from all workers together, that the coordinator aims at
_BATCH_SECONDS = 10.0  # a piece of work should not take longer than this
_SUPPLY_SECONDS = 10.0  # for so long, and as long again, it is remembered how many legs there were at most
_LONG_SECONDS = 1.0  # with pieces as long as this, one waiting per worker is enough
_FIRST_GUESS = 1.0  # seconds for a leg, before any has come back
_SMOOTH = 0.2  # weight of the newest measurement
_LATE_FACTOR = 20.0  # an answer that takes so many times its usual time ...
_LATE_SECONDS = 60.0  # ... and so much on top is late
_GREETING_SECONDS = 60.0  # a worker that has not greeted after so long is said to hang
_FIRST_SECONDS = 900.0  # an answer is late after this while no usual time is known
_WAIT_NOTE_SECONDS = 5.0  # without a worker: when to say so
_REFUSED_SECONDS = 3.0  # with nobody but refused workers: when to give up
_MESSAGES_KEPT = 10
_CHECK = len(checksum(b""))

_ADDRESS = re.compile(r"(tcp|tls)://(\[[0-9a-fA-F:.]+\]|[^\s/:\[\]]+):([0-9]{1,5})/?")
_DONE, _RAISED = b"b", b"e"  # the first byte of an answer's item


def check_address(text: str) -> str:
    """A scheduler's address, tcp://HOST:PORT or tls://HOST:PORT; raises InputError for anything else."""
    found = _ADDRESS.fullmatch(text.strip())
    if not found or not 0 < int(found[3]) < 65536:
        raise InputError("the address of a scheduler is wanted: tcp://HOST:PORT or tls://HOST:PORT")
    return text.strip().rstrip("/")


@dataclass(frozen=True)
class Tls:
    """Files in PEM format with which the coordinator proves who it is; None where Dask's configuration says."""

    ca: str | None = None
    cert: str | None = None
    key: str | None = None

    def __bool__(self) -> bool:
        return any((self.ca, self.cert, self.key))


# ---- in a worker ----


def greet() -> dict[str, object]:
    """What a worker says about itself before it gets work: build.describe(), and where it runs."""
    return {**describe(), "host": socket.gethostname(), "pid": os.getpid()}


def awake() -> bool:
    """Nothing; a worker that answers is there."""
    return True


def do_all(payload: bytes) -> list[bytes]:
    """Do calls in turn, which return bytes.

    Args:
        payload: as `pack_calls` makes it.

    Returns:
        The microseconds that it took, then an item a call, each sealed: kind, checksum, body.
    """
    started = time.perf_counter()
    items = []
    for call in pickle.loads(payload):
        asked = checksum(call)
        try:
            fn, args = pickle.loads(call)
            items.append(sealed(_DONE, fn(*args), asked))
        except Exception:
            items.append(sealed(_RAISED, traceback.format_exc().encode(), asked))
    return [sealed(_DONE, int((time.perf_counter() - started) * 1e6).to_bytes(8, "big"), checksum(payload)), *items]


def sealed(kind: bytes, body: bytes, asked: bytes) -> bytes:
    """An item of an answer; its checksum is that of what was asked (a checksum, too) and of the item together."""
    return kind + checksum(asked, kind, body) + body


# ---- in the coordinator ----


def pack_calls(calls: Iterable[tuple[Callable, tuple]]) -> tuple[bytes, list[bytes]]:
    """Calls as `do_all` takes them, and what `read_answer` needs to know of them."""
    packed = [pickle.dumps(call, pickle.HIGHEST_PROTOCOL) for call in calls]
    payload = pickle.dumps(packed, pickle.HIGHEST_PROTOCOL)
    return payload, [checksum(payload), *map(checksum, packed)]


def read_answer(answer: object, asked: Sequence[bytes]) -> tuple[float, list[tuple[bytes, bytes]]]:
    """Open what `do_all` has returned, which may be anything.

    Args:
        asked: what `pack_calls` gave for the calls.

    Returns:
        Seconds that it took, and (kind, body) of each call.

    Raises:
        ValueError: it is no answer to these calls, or was changed on its way.
    """
    if type(answer) is not list or len(answer) != len(asked):
        raise ValueError("an answer of the wrong shape")
    items = []
    for item, question in zip(answer, asked):
        if type(item) is not bytes or item[:1] not in (_DONE, _RAISED):
            raise ValueError("an answer of the wrong shape")
        kind, check, body = item[:1], item[1 : 1 + _CHECK], item[1 + _CHECK :]
        if check != checksum(question, kind, body):
            raise ValueError("an answer that was changed on its way, or one to another task")
        items.append((kind, body))
    (_, took), *rest = items
    if len(took) != 8:
        raise ValueError("an answer of the wrong shape")
    return int.from_bytes(took, "big") / 1e6, rest


def check_greeting(greeting: object, settings: Mapping[str, object] | None = None) -> str | None:
    """Why a worker that greets so cannot work for this coordinator; None if it can.

    Args:
        greeting: what `greet` has returned there, which may be anything.
        settings: of the run; its strategy is compared.
    """
    here = identity()
    if not isinstance(greeting, dict) or not all(isinstance(key, str) for key in greeting):
        return "it does not greet as a worker of this program does"
    strategies = greeting.get("strategies")
    for name, what in (("version", "version"), ("schema", "run file version")):
        if greeting.get(name) != here[name]:
            return f"it has {what} {_short(greeting.get(name))}, this program has {here[name]}"
    if settings is not None:
        name, wanted = settings["strategy"], settings["strategy_version"]
        has = strategies.get(name) if isinstance(strategies, dict) else None
        if has != wanted:
            return f"it has {'no' if has is None else f'version {_short(has)} of'} strategy {name}, the run needs version {wanted}"
    if greeting.get("build") != here["build"]:
        return (
            f"it was built from other sources ({_short(greeting.get('build'))}, here {here['build']}) though both are version "
            f"{__version__}: install the same sources on both"
        )
    if greeting.get("golden") != here["golden"]:
        return "it played other golden games"
    return None


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) <= 40 and text.isprintable() else repr(text[:40])


@dataclass(eq=False)
class _Job:
    """One call to be done."""

    fn: Callable
    args: tuple
    future: LegFuture
    apart: frozenset[str] = frozenset()
    begun: bool = False
    deaths: list[str] = field(default_factory=list)

    @property
    def suspect(self) -> bool:
        """Whether it has seen so many workers go that it is done alone from now on."""
        return len(self.deaths) >= ATTEMPTS - 1


@dataclass(eq=False)
class _Batch:
    """Calls that travel together to a worker."""

    jobs: list[_Job]
    worker: _Worker
    sent: float
    due: float
    alone: bool
    asked: list[bytes]  # what its answer is sealed with
    answer: Future | None = None
    dropped: bool = False  # nobody waits for the answer any more


@dataclass(eq=False)
class _Worker:
    note: WorkerNote
    greeting: Future | None = None
    greeting_due: float = 0.0
    batches: set[_Batch] = field(default_factory=set)
    late: set[_Batch] = field(default_factory=set)  # dropped ones that have not been answered
    called: Future | None = None  # whether it lives, before it gets a leg alone
    awake: bool = False

    @property
    def name(self) -> str:
        return self.note.name


class ClusterPool(Pool):
    """A pool of the workers that a Dask scheduler has. Use it in a `with`: it is closed at once at the end.

    Args:
        address: of the scheduler, as check_address takes it.
        tls: for tls:// addresses.
        settings: of the run; workers that lack its strategy are refused.
        say: told, in one line, what a person should know: workers refused or distrusted, nobody there.
        patience: seconds in which a scheduler must be reached, and come back if it was lost.
        late: an answer counts as late after so many seconds and 20 times its usual time.
        late_first: the same while no usual time is known.
        late_greeting: a worker that has not greeted after so many seconds hangs.
        batch: legs that travel together; None to have it chosen as it goes.

    Raises:
        MissingExtra: Dask is not installed.
        InputError: the address or the TLS files cannot be used.
        ClusterLost: no scheduler answers there.
    """

    def __init__(
        self,
        address: str,
        *,
        tls: Tls = Tls(),
        settings: Mapping[str, object] | None = None,
        say: Callable[[str], object] = lambda text: None,
        patience: float = 30.0,
        late: float = _LATE_SECONDS,
        late_first: float = _FIRST_SECONDS,
        late_greeting: float = _GREETING_SECONDS,
        batch: int | None = None,
    ):
        self.address = check_address(address)
        self._settings = settings
        self._say = say
        self._patience = patience
        self._late = late
        self._late_first = late_first
        self._late_greeting = late_greeting
        self._fixed_batch = batch
        self._client = _connect(self.address, tls, patience)
        self._executor = self._client.get_executor(pure=False)
        self._lock = threading.Lock()
        self._events: queue.SimpleQueue = queue.SimpleQueue()
        self._queue: deque[_Job] = deque()  # the manager's own, as all that follows
        self._workers: dict[str, _Worker] = {}  # by address
        self._past: list[WorkerNote] = []  # lost, refused and distrusted ones that are gone
        self._distrusted: dict[str, str] = {}
        self._shunned: dict[tuple[str, str, int], str] = {}  # (name, host, process) -> why
        self._leg_seconds: float | None = None
        self._most = self._most_before = 0  # legs that were here at once, in this stretch of time and in the one before
        self._stretch_ends = 0.0
        self._last_look = 0.0
        self._alone_since: float | None = time.monotonic()
        self._noted_alone = False
        self._out_of_touch: float | None = None
        self._ever_accepted = False
        self._failed: BeggarError | None = None
        self._closing = self._killing = False
        self._wanted, self._size = 1, 0
        self._manager = threading.Thread(target=self._manage, name="beggar-cluster", daemon=True)
        self._manager.start()

    # -- for the caller --

    def submit(self, fn, /, *args) -> LegFuture:
        return self._add(_Job(fn, args, LegFuture()))

    def submit_apart(self, others: Collection[str], fn, /, *args) -> LegFuture:
        return self._add(_Job(fn, args, LegFuture(), frozenset(others)))

    def _add(self, job: _Job) -> LegFuture:
        with self._lock:
            if self._failed is not None:
                raise self._failed
            if self._closing:
                raise RuntimeError("the pool takes no more tasks")
            self._events.put(("job", job))
        return job.future

    @property
    def wanted(self) -> int:
        return self._wanted

    @property
    def size(self) -> int:
        """Threads of the workers that are at work."""
        return self._size

    def crew(self) -> list[WorkerNote]:
        return [replace(note) for note in (*(w.note for w in list(self._workers.values())), *list(self._past))]

    def distrust(self, worker: str, why: str) -> None:
        self._events.put(("distrust", worker, why))

    def shun(self, wrong: Iterable[Mapping[str, object]]) -> None:
        """As Pool.shun. It is the same process if address, host and process number are the same."""
        self._events.put(("shun", {_who(note["name"], note["host"], note["pid"]): str(note["why"]) for note in wrong if note["pid"]}))

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Take no more tasks; finish or drop those that there are, and leave the cluster, which goes on."""
        with self._lock:
            self._closing = True
            self._killing = self._killing or cancel_futures
        self._events.put(("end",))
        if wait and threading.current_thread() is not self._manager:
            self._manager.join()

    def kill(self) -> None:
        self.shutdown(wait=False, cancel_futures=True)
        self._manager.join(_CALL_SECONDS)

    def __exit__(self, *_) -> None:
        self.kill()

    # -- the manager thread --

    def _manage(self) -> None:
        try:
            while not self._finished():
                self._listen()
                now = time.monotonic()
                if now - self._last_look >= _LOOK_SECONDS:
                    self._last_look = now
                    self._look_at_workers()
                self._look_for_late_answers(now)
                self._assign()
        except BeggarError as error:
            self._break(error)
        except BaseException:
            self._break(Fault("the cluster's pool failed:\n" + traceback.format_exc()))
        finally:
            self._leave()

    def _finished(self) -> bool:
        if self._killing:
            return True
        return self._closing and self._events.empty() and not self._queue and not any(w.batches for w in self._workers.values())

    def _listen(self) -> None:
        """Deal with all that has happened; wait a moment if nothing has."""
        try:
            event = self._events.get(timeout=_TICK_SECONDS)
            while True:
                getattr(self, "_on_" + event[0])(*event[1:])
                event = self._events.get_nowait()
        except queue.Empty:
            pass

    def _on_job(self, job: _Job) -> None:
        self._queue.append(job)

    def _on_end(self) -> None:
        pass

    def _on_distrust(self, name: str, why: str) -> None:
        worker = self._workers.get(name)
        self._distrusted[name] = why
        if worker is None or worker.note.state == "distrusted":
            return
        worker.note.state, worker.note.why = "distrusted", why
        self._tell(f"worker {_named(worker.note)} is used no more: {why}. What it did before is not proven: beggar audit RUN checks it")
        self._take_back(worker, None)

    def _on_shun(self, wrong: dict[tuple[str, str, int], str]) -> None:
        self._shunned |= wrong
        for worker in list(self._workers.values()):
            self._distrust_if_shunned(worker.note)

    def _distrust_if_shunned(self, note: WorkerNote) -> None:
        why = self._shunned.get(_who(note.name, note.host, note.pid))
        if why is not None:
            self._on_distrust(note.name, _BEFORE + why.removeprefix(_BEFORE))

    def _on_greeted(self, worker: _Worker, answer: Future) -> None:
        note = worker.note
        worker.greeting = None
        if self._workers.get(note.name) is not worker or note.state not in ("greeting", "hanging"):
            return
        if answer.cancelled():  # the scheduler was lost, or the worker
            del self._workers[note.name]
            return
        if answer.exception() is not None:
            error = answer.exception()
            text = " ".join(str(error).split())[:300]
            if isinstance(error, ImportError):
                why = f"the program cannot be used there ({text}): install version {__version__} on it"
            else:
                why = f"it could not greet: {type(error).__name__}: {text}"
        else:
            greeting = answer.result()
            why = check_greeting(greeting, self._settings)
            if isinstance(greeting, dict):
                note.host = _short(greeting.get("host", ""))
                note.pid = greeting["pid"] if type(greeting.get("pid")) is int else 0
        note.last_contact = time.time()
        if why is None:
            note.state, note.why = "at work", ""
            self._ever_accepted = True
            log.info("worker %s begins, %d threads", _named(note), note.threads)
            self._distrust_if_shunned(note)
        else:
            note.state, note.why = "refused", why
            self._tell(f"worker {_named(note)} is refused: {why}")

    def _on_answer(self, batch: _Batch, answer: Future) -> None:
        worker = batch.worker
        worker.batches.discard(batch)
        batch.answer = None  # no circle: results are large, and are to go when they are done with
        if batch.dropped:
            worker.late.discard(batch)
            if worker.note.state == "hanging" and not worker.late and not answer.cancelled():
                worker.note.state, worker.note.why = "at work", ""
                self._tell(f"worker {_named(worker.note)} answers again; what came late is ignored")
            return
        if answer.cancelled():  # the scheduler was lost, and with it all that is in flight
            self._requeue(batch.jobs)
            for other in self._workers.values():
                self._take_back(other, None)
            return
        now = time.monotonic()
        if answer.exception() is not None:
            error = answer.exception()
            self._charge(batch, f"{type(error).__name__} on {worker.name}")
            return
        try:
            seconds, items = read_answer(answer.result(), batch.asked)
        except ValueError as error:
            self._requeue(batch.jobs)
            self._on_distrust(worker.name, f"it gave {error}")
            return
        self._measure(min(seconds, now - batch.sent) / len(items))
        worker.note.last_contact = time.time()
        worker.note.legs += len(items)
        for job, (kind, body) in zip(batch.jobs, items):
            job.future.worker = worker.name
            if kind == _DONE:
                job.future.set_result(body)
            else:
                job.future.set_exception(RemoteError(body.decode(errors="replace")))

    def _measure(self, seconds: float) -> None:
        old = self._leg_seconds
        self._leg_seconds = seconds if old is None else old + _SMOOTH * (seconds - old)

    # -- workers come and go --

    def _look_at_workers(self) -> None:
        threads = self._fetch_threads()
        if threads is None:
            return
        for name, worker in list(self._workers.items()):
            if name not in threads:
                self._lose(worker)
        for name, n in threads.items():
            worker = self._workers.get(name)
            if worker is None:
                self._welcome(name, n)
            else:
                worker.note.threads = n
        self._look_whether_alone()

    def _fetch_threads(self) -> dict[str, int] | None:
        """{address: threads} of the workers that the scheduler has; None if it cannot be asked now."""
        now = time.monotonic()
        try:
            if self._client.status == "running":
                threads = self._client.nthreads(callback_timeout=_CALL_SECONDS)
                self._out_of_touch = None
                return {str(name): max(1, int(n)) for name, n in threads.items()}
            trouble = f"its client is {self._client.status}"
        except Exception as error:  # whatever Dask raises when a connection ends
            trouble = f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
        if self._out_of_touch is None:
            self._out_of_touch = now
            self._tell(f"the scheduler at {self.address} does not answer; waiting {self._patience:.0f} s for it")
        if now - self._out_of_touch >= self._patience or self._client.status in ("closing", "closed"):
            raise ClusterLost(
                f"the scheduler at {self.address} is lost ({trouble}); everything committed is safe, the legs in flight are not"
                " done: resume the run when a scheduler is there again"
            )
        return None

    def _welcome(self, name: str, threads: int) -> None:
        now = time.time()
        worker = _Worker(WorkerNote(name, "greeting", threads, joined=now, last_contact=now))
        self._workers[name] = worker
        if name in self._distrusted:
            worker.note.state, worker.note.why = "distrusted", self._distrusted[name]
            return
        worker.greeting_due = time.monotonic() + self._late_greeting
        try:
            worker.greeting = self._send(name, greet)
        except Exception:  # the client is between two connections
            del self._workers[name]
            return
        worker.greeting.add_done_callback(lambda answer: self._events.put(("greeted", worker, answer)))

    def _lose(self, worker: _Worker) -> None:
        del self._workers[worker.name]
        if worker.note.state in ("at work", "hanging"):
            worker.note.state = "lost"
            log.warning("worker %s is lost", _named(worker.note))
        if worker.note.state != "greeting":
            self._past.append(worker.note)
            self._forget_old_ones()
        if worker.greeting is not None:
            worker.greeting.cancel()
        self._take_back(worker, f"worker {worker.name} was lost")

    def _forget_old_ones(self) -> None:
        """Workers that come and go for months do not fill the memory: of the lost ones the last are remembered."""
        lost = [note for note in self._past if note.state == "lost"]
        for note in lost[:-MAX_PAST]:
            self._past.remove(note)

    def _look_whether_alone(self) -> None:
        now = time.monotonic()
        if any(worker.note.state == "at work" for worker in self._workers.values()):
            self._alone_since, self._noted_alone = None, False
            return
        if self._alone_since is None:
            self._alone_since = now
        states = [worker.note.state for worker in self._workers.values()]
        refused = [worker.note for worker in self._workers.values() if worker.note.state == "refused"]
        if refused and len(refused) == len(states) and not self._ever_accepted and now - self._alone_since >= _REFUSED_SECONDS:
            raise InputError(f"no worker of {self.address} can be used: {_named(refused[0])}: {refused[0].why}")
        if not self._noted_alone and now - self._alone_since >= _WAIT_NOTE_SECONDS:
            self._noted_alone = True
            there = ", ".join(f"{states.count(state)} {state}" for state in sorted(set(states))) or "none"
            self._tell(f"no worker of {self.address} can be given work now (there: {there}); waiting for workers")

    # -- legs go out --

    def _assign(self) -> None:
        """Give work to every worker that has room for it."""
        free = {worker: self._room(worker) for worker in self._workers.values() if worker.note.state == "at work"}
        self._size = sum(worker.note.threads for worker in free)
        slots = sum(self._slots(worker) for worker in free)
        natural = self._batch_length()
        # Enough for everybody, and one more round for the queue here.
        self._wanted = max(1, slots * natural + self._size)
        # A run has so many searchers only: long pieces for some must not leave others without any.
        length = natural if self._fixed_batch else max(1, min(natural, self._supply() // max(1, slots)))
        self._assign_suspects(free)
        while self._queue:
            worker = max(free, key=lambda w: free[w], default=None)
            if worker is None or free[worker] <= 0:
                return
            fair = -(-len(self._queue) // max(1, sum(n for n in free.values() if n > 0)))
            jobs = self._take(worker, max(1, min(length, fair)), others=len(free) > 1)
            if jobs:
                self._dispatch(worker, jobs)
            free[worker] = free[worker] - 1 if jobs else 0

    def _assign_suspects(self, free: dict[_Worker, int]) -> None:
        """Legs that have seen several workers go are done by a worker that does nothing else meanwhile."""
        suspects = [job for job in self._queue if job.suspect]
        busy = [worker for worker in free if any(batch.alone for batch in worker.batches)]
        for worker in busy:
            free[worker] = 0
        # Some workers are kept for them, until those have become idle.
        kept = sorted((w for w in free if w not in busy), key=lambda w: len(w.batches))[: min(len(suspects), 1 + len(free) // 4)]
        for worker in kept:
            free[worker] = 0
            if worker.batches or not suspects:
                continue
            if worker.awake:
                worker.awake = False
                job = suspects.pop(0)
                self._queue.remove(job)
                if self._begin(job):
                    self._dispatch(worker, [job], alone=True)
            elif worker.called is None:
                self._call(worker)

    def _call(self, worker: _Worker) -> None:
        """See whether an idle worker lives: a leg is not to be blamed for a worker that was dead already."""
        try:
            worker.called = self._send(worker.name, awake)
        except Exception:  # the client is between two connections
            return
        worker.called.add_done_callback(lambda answer: self._events.put(("awake", worker, answer)))

    def _on_awake(self, worker: _Worker, answer: Future) -> None:
        worker.called = None
        if not answer.cancelled() and answer.exception() is not None:
            self._on_distrust(worker.name, f"it cannot do anything: {type(answer.exception()).__name__}")
            return
        worker.awake = not answer.cancelled() and not worker.batches

    def _slots(self, worker: _Worker) -> int:
        """Pieces of work that a worker has at once: one a thread, and some that wait there."""
        long = (self._leg_seconds or 0.0) * self._batch_length() >= _LONG_SECONDS
        return worker.note.threads + (1 if long else worker.note.threads)

    def _room(self, worker: _Worker) -> int:
        return self._slots(worker) - len(worker.batches)

    def _supply(self) -> int:
        """The legs that the run has for us: as many as were here at once of late."""
        here = len(self._queue) + sum(len(batch.jobs) for worker in self._workers.values() for batch in worker.batches)
        now = time.monotonic()
        if now >= self._stretch_ends:
            self._most, self._most_before = 0, self._most
            self._stretch_ends = now + _SUPPLY_SECONDS
        self._most = max(self._most, here)
        return max(self._most, self._most_before)

    def _batch_length(self) -> int:
        """Legs that travel together: so many that answers come in at a rate that the coordinator likes."""
        if self._fixed_batch is not None:
            return self._fixed_batch
        seconds = max(self._leg_seconds or _FIRST_GUESS, 1e-6)
        wanted = self._size / (seconds * _ANSWERS)
        longest = _BATCH_SECONDS / seconds
        return int(max(1, min(wanted + 0.999, longest, MAX_BATCH)))

    def _take(self, worker: _Worker, n: int, others: bool) -> list[_Job]:
        """The first n jobs of the queue that this worker may do."""
        jobs: list[_Job] = []
        passed: list[_Job] = []
        while self._queue and len(jobs) < n:
            job = self._queue.popleft()
            if job.suspect or (others and worker.name in job.apart and not self._all_apart(job)):
                passed.append(job)
            elif self._begin(job):
                jobs.append(job)
        self._queue.extendleft(reversed(passed))
        return jobs

    def _all_apart(self, job: _Job) -> bool:
        """Whether there is nobody who is none of those whom the job must not go to."""
        return all(w.name in job.apart for w in self._workers.values() if w.note.state == "at work")

    @staticmethod
    def _begin(job: _Job) -> bool:
        """Whether the job is still wanted; from now on it cannot be cancelled."""
        job.begun = job.begun or job.future.set_running_or_notify_cancel()
        return job.begun

    def _dispatch(self, worker: _Worker, jobs: list[_Job], alone: bool = False) -> None:
        now = time.monotonic()
        if self._leg_seconds is None:
            patience = self._late_first
        else:
            ahead = sum(len(batch.jobs) for batch in worker.batches) / worker.note.threads + len(jobs)
            patience = self._late + _LATE_FACTOR * self._leg_seconds * ahead
        payload, asked = pack_calls((job.fn, job.args) for job in jobs)
        batch = _Batch(jobs, worker, now, now + patience, alone, asked)
        worker.batches.add(batch)
        worker.awake = False
        try:
            batch.answer = self._send(worker.name, do_all, payload)
        except Exception as error:  # the client is between two connections
            log.warning("nothing could be sent to %s: %s", worker.name, error)
            worker.batches.discard(batch)
            self._requeue(jobs)
            return
        batch.answer.add_done_callback(lambda answer: self._events.put(("answer", batch, answer)))

    def _send(self, worker: str, fn: Callable, *args) -> Future:
        return self._executor.submit(fn, *args, workers=[worker], allow_other_workers=False)

    # -- and come back --

    def _requeue(self, jobs: list[_Job]) -> None:
        self._queue.extendleft(reversed(jobs))

    def _charge(self, batch: _Batch, how: str) -> None:
        """The worker was lost, or as good as lost, with these legs."""
        for job in reversed(batch.jobs):
            job.deaths.append(how)
            if len(job.deaths) >= ATTEMPTS and batch.alone:
                job.future.set_exception(LegKilledWorkers(f"{len(job.deaths)} workers were lost with it: {', '.join(job.deaths)}"))
            else:
                self._queue.appendleft(job)

    def _take_back(self, worker: _Worker, how: str | None) -> None:
        """Have done elsewhere what a worker has; `how` it was lost, None if that says nothing about the legs."""
        batches = sorted(worker.batches, key=lambda batch: batch.sent)
        worker.batches.clear()
        for batch in reversed(batches):
            batch.dropped = True
            if how is None:
                self._requeue(batch.jobs)
            else:
                self._charge(batch, how)
            if batch.answer is not None:
                batch.answer.cancel()

    def _look_for_late_answers(self, now: float) -> None:
        for worker in list(self._workers.values()):
            if worker.note.state == "greeting" and now > worker.greeting_due:
                worker.note.state, worker.note.why = "hanging", "no greeting"
                self._tell(f"worker {_named(worker.note)} does not greet; it gets no work until it does")
            late = [batch for batch in worker.batches if now > batch.due]
            if not late or worker.note.state != "at work":
                continue
            worker.note.state, worker.note.why = "hanging", "no answer"
            self._tell(f"worker {_named(worker.note)} gives no answer; its legs are done elsewhere")
            for batch in late:
                batch.dropped = True
                worker.batches.discard(batch)
                worker.late.add(batch)  # not cancelled: should it answer, it is welcome again
                self._charge(batch, f"worker {worker.name} hung")
            self._take_back(worker, None)

    # -- the end --

    def _tell(self, text: str) -> None:
        log.warning("%s", text)
        self._say(text)

    def _break(self, error: BeggarError) -> None:
        with self._lock:
            self._failed = error
        jobs = list(self._queue)
        for worker in self._workers.values():
            jobs += [job for batch in worker.batches for job in batch.jobs]
        while True:
            try:
                event = self._events.get_nowait()
            except queue.Empty:
                break
            if event[0] == "job":
                jobs.append(event[1])
            elif event[0] == "answer" and not event[1].dropped:
                jobs += event[1].jobs
        for job in {id(job): job for job in jobs}.values():
            try:
                if job.future.running() or job.future.set_running_or_notify_cancel():
                    job.future.set_exception(error)
            except InvalidStateError:
                pass  # it was done just now

    def _leave(self) -> None:
        for job in self._queue:
            job.future.cancel()
        for worker in self._workers.values():
            for batch in worker.batches | worker.late:
                if batch.answer is not None:
                    batch.answer.cancel()
        try:
            self._client.close(timeout=_CALL_SECONDS)
        except Exception as error:  # it may be gone already
            log.info("the client did not close cleanly: %s", error)


MAX_PAST = 100  # lost workers that are remembered
_BEFORE = "found wrong in an earlier session: "


def _who(name: object, host: object, pid: object) -> tuple[str, str, int]:
    """What tells one process from another."""
    return str(name), str(host), int(pid)


def _named(note: WorkerNote) -> str:
    place = f" ({note.host}, process {note.pid})" if note.host else ""
    return note.name + place


def _connect(address: str, tls: Tls, patience: float):
    try:
        import dask.config
        from distributed import Client
        from distributed.security import Security
    except ImportError:
        raise MissingExtra.named("cluster", "--cluster needs Dask's distributed scheduler") from None
    for name in ("tornado.application", *(n for n in logging.root.manager.loggerDict if n.split(".")[0] == "distributed")):
        logging.getLogger(name).setLevel(logging.CRITICAL)  # what matters is said here, in one line
    # Dask keeps the last messages that it has sent, for debugging: a thousand, with legs and all.
    dask.config.set({"distributed.admin.low-level-log-length": _MESSAGES_KEPT})
    security = None
    if address.startswith("tls:"):
        for flag, path in (("--tls-ca", tls.ca), ("--tls-cert", tls.cert), ("--tls-key", tls.key)):
            if path and not os.path.isfile(path):
                raise InputError(f"{flag}: there is no file {path}")
        try:
            given = {"tls_ca_file": tls.ca, "tls_client_cert": tls.cert, "tls_client_key": tls.key}
            security = Security(require_encryption=True, **{name: path for name, path in given.items() if path})
            context = security.get_connection_args("client").get("ssl_context")
        except Exception as error:
            raise InputError(f"the TLS files cannot be used: {error}") from None
        if context is None:
            raise InputError(f"{address} is encrypted: --tls-ca, --tls-cert and --tls-key are wanted, or Dask's configuration names them")
    elif tls:
        raise InputError(f"TLS files are given, but {address} is not encrypted: a tls:// address is wanted")
    try:
        return Client(address, timeout=patience, security=security, set_as_default=False, name="beggar")
    except (TypeError, ValueError) as error:
        raise InputError(f"{address} cannot be used: {error}") from None
    except Exception as error:  # OSError, TimeoutError, and Dask's own
        raise ClusterLost(f"no scheduler can be reached at {address}: {' '.join(str(error).split())[:200] or type(error).__name__}") from None
