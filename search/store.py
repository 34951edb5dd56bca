"""The run file: SQLite, one file a run, one writer.

What is in it is checked at every opening: the raw header before SQLite sees the file, the tables, the
settings against their hash, every row that is read against its seal, a short hash of its fields, and
whether each searcher that has begun has its row. A writer also runs SQLite's own check and adds up the chain
of leg digests of each searcher (`check_legs`). A file that fails is refused and not written to.
"""

from __future__ import annotations

import json
import os
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import wraps

from . import histogram
from .errors import CannotWrite, Fault, RunFileError, RunInUse
from .finds import Find, Kept
from .header import check_header
from .leg import PackedLeg
from .lock import WriterLock
from .paths import check_space, name_taken
from .runfile import SCHEMA, connect, create, explained, write_meta
from .seals import Mark, chain, seal_of
from .settings import canonical, settings_hash

# Connections stay referenced here: a worker forked while a transaction is open must not, by dropping its
# copy of the connection, roll back the parent's.
_connections: list[sqlite3.Connection] = []


@dataclass(frozen=True)
class Done:
    """A leg to be committed.

    Attributes:
        searcher, leg: which.
        result: what came back; None for a leg that is set aside.
        finds: of the result's candidates, those that the reference engine has replayed.
        reason: why the leg is set aside.
    """

    searcher: int
    leg: int
    result: PackedLeg | None
    finds: Sequence[Find] = ()
    reason: str = ""


@dataclass
class Session:
    """One stretch of time in which somebody worked on the run; times are seconds since 1970.

    `workers` is how many there were at once, at most so far. `core_seconds` is how long legs were worked on up to the
    last commit, all workers together; None in files that were written before it was noted.
    """

    started: float
    host: str
    pid: int
    version: str
    engine: str
    workers: int
    bounds: dict[str, object] = field(default_factory=dict)
    last_commit: float | None = None
    ended: float | None = None
    why: str = ""
    legs: int = 0
    games: int = 0
    tricks: int = 0
    core_seconds: float | None = None

    @property
    def core_time(self) -> float:
        """Core-seconds, as far as they are known."""
        if self.core_seconds is not None:
            return self.core_seconds
        return self.workers * max(0.0, (self.last_commit or self.started) - self.started)


def _reading(method: Callable) -> Callable:
    """Make the errors of a method that reads those that a person can act on."""

    @wraps(method)
    def wrapped(self: Store, *args):
        with explained(self.path):
            return method(self, *args)

    return wrapped


class Store:
    """An open run file; made by `create` and `open`. Use from one thread.

    Attributes:
        path: as given.
        settings: of the run.
        created: when, seconds since 1970.
        counts: totals of all legs' counts.
        kept: the finite finds, and the decision about new ones.
        legs: {searcher: number of its next leg}, of the searchers that have begun.
    """

    def __init__(self, path: str, connection: sqlite3.Connection, lock: WriterLock | None):
        self.path = path
        self._db = connection
        self._lock = lock
        self._failed = False
        _connections.append(connection)

    @classmethod
    def create(cls, path: str, settings: Mapping[str, object]) -> Store:
        """Make a new run file, complete or not at all, and open it for writing.

        Raises:
            NameTaken: something of that name exists.
            RunInUse, CannotWrite.
        """
        real = os.path.realpath(path)
        folder = os.path.dirname(real)
        if not os.path.isdir(folder):
            raise CannotWrite(f"{path}: there is no folder {os.path.dirname(path) or folder}")
        if os.path.lexists(real):
            raise name_taken(path)
        check_space(path)
        lock = WriterLock(path)
        try:
            create(real, path, settings)
            return cls._opened(path, real, lock)
        except BaseException:
            lock.release()
            raise

    @classmethod
    def open(cls, path: str, write: bool = False) -> Store:
        """Open a run file, to read it while others may write it, or to write it.

        Raises:
            InputError: no such file.
            RunFileError: see the module's text; what to do is in the message.
            RunInUse: for writing only, somebody else does.
            CannotWrite: no permission.
        """
        real = os.path.realpath(path)
        check_header(path)
        if not write:
            return cls._opened(path, real, None)
        if not os.access(real, os.W_OK):
            raise CannotWrite(f"{path}: no permission to write it")
        check_space(path)
        lock = WriterLock(path)
        try:
            return cls._opened(path, real, lock)
        except BaseException:
            lock.release()
            raise

    @classmethod
    def _opened(cls, path: str, real: str, lock: WriterLock | None) -> Store:
        connection = None
        try:
            with explained(path):
                connection = connect(path, real, write=lock is not None)
                store = cls(path, connection, lock)
                store._check_and_load()
                return store
        except BaseException:
            if connection is not None:
                connection.close()
                if connection in _connections:
                    _connections.remove(connection)
            raise

    def close(self) -> None:
        """Close the file and give the lock back; nothing is pending ever, so nothing can be lost."""
        if self._db in _connections:
            _connections.remove(self._db)
            self._db.close()
        if self._lock is not None:
            self._lock.release()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_) -> None:
        self.close()

    # -- reading --

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """All that is read inside belongs to one moment, whatever a writer does meanwhile."""
        with explained(self.path):
            if self._db.in_transaction:
                yield
                return
            self._db.execute("BEGIN")
            try:
                yield
            finally:
                self._db.execute("ROLLBACK")

    def _check_and_load(self) -> None:
        with self.snapshot():
            tables = dict(self._db.execute("SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL"))
            if tables != SCHEMA:
                raise RunFileError(f"{self.path}: damaged (its tables are not those of a run); restore it from a copy")
            if self._lock is not None:
                (verdict,) = self._db.execute("PRAGMA integrity_check(1)").fetchone()
                if verdict != "ok":
                    raise RunFileError(f"{self.path}: damaged ({' '.join(verdict.split())}); restore it from a copy")
            text = self._meta("settings")
            if settings_hash(text) != self._meta("settings_hash"):
                raise self._damage("what it says about the settings")
            self.settings: dict[str, object] = json.loads(text)
            self.created = float(self._meta("created"))
            self.load()
            self._data_version = self._version_of_data()
            if self._lock is not None:
                self.check_legs()

    def load(self) -> None:
        """Read everything that is kept in memory: finite finds, totals, the numbers of legs."""
        self.legs: dict[int, int] = {}
        self.counts = dict.fromkeys(("games", "cards", "tricks", "infinite"), 0)
        for row in self._searcher_rows():
            self.legs[row.searcher] = row.legs
            _add(self.counts, row.counts)
        begun = "SELECT searcher FROM legs WHERE leg = 0 UNION SELECT searcher FROM set_aside WHERE leg = 0"
        for (searcher,) in self._db.execute(begun):
            if searcher not in self.legs:
                raise self._damage(f"the state of searcher {searcher}")
        self._finds_mark = Mark()
        for (seal,) in self._db.execute("SELECT seal FROM finds"):
            self._finds_mark.add(seal)
        if self._finds_mark.text != self._meta("finds"):
            raise self._damage("the list of finds")
        self.kept = Kept(self.settings, self._finds("WHERE infinite = 0"), self._credit)
        (self.infinite_finds,) = self._db.execute("SELECT count(*) FROM finds WHERE infinite IS NOT 0").fetchone()

    def _meta(self, name: str) -> str:
        row = self._db.execute("SELECT value, seal FROM meta WHERE name = ?", (name,)).fetchone()
        if row is None or row[1] != seal_of("meta", name, row[0]):
            raise self._damage(f"what it says about the {name.replace('_', ' ')}")
        return row[0]

    @_reading
    def size(self) -> int:
        """Bytes of the file."""
        pages, page = (self._db.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "page_size"))
        return pages * page

    @_reading
    def finds(self) -> list[Find]:
        """All finds: the infinite ones by deal, then the finite ones, best first."""
        return sorted(self._finds("WHERE infinite IS NOT 0"), key=lambda find: find.text) + list(
            Kept(self.settings, self._finds("WHERE infinite = 0"), self._credit)
        )

    @_reading
    def state(self, searcher: int) -> bytes:
        """The searcher's state after its last leg; b'' before the first."""
        row = self._searcher(searcher)
        return b"" if row is None else row.state

    @_reading
    def carries_state(self) -> bool:
        """Whether any searcher has a state, so that its next leg depends on its earlier ones."""
        return self._db.execute("SELECT 1 FROM searchers WHERE length(state) > 0 LIMIT 1").fetchone() is not None

    @_reading
    def pool(self, group: int) -> tuple[int, bytes]:
        """The last round of a group for which a pool was made, and the pool; (0, b'') before the first."""
        return next(((number, data) for _, number, data in self._pools("WHERE pool = ?", group)), (0, b""))

    def _pools(self, where: str, *values: object) -> Iterator[tuple[int, int, bytes]]:
        for *row, seal in self._db.execute(f"SELECT pool, round, data, seal FROM pools {where}", values):
            if seal != seal_of("pools", *row):
                raise self._damage(f"the pool of group {row[0]}")
            yield tuple(row)

    @_reading
    def histograms(self) -> dict[str, dict[int, int]]:
        """The run's histograms by name, all searchers together."""
        parts: dict[str, list[bytes]] = {}
        for row in self._searcher_rows():
            for name, data in row.histograms.items():
                parts.setdefault(name, []).append(data)
        return {name: histogram.decode(histogram.total(data)) for name, data in sorted(parts.items())}

    def searchers(self) -> Iterator[tuple[int, int, dict[str, int], dict[str, bytes]]]:
        """(searcher, legs, counts, histograms in compact form) of the searchers that have begun, in order."""
        return ((row.searcher, row.legs, row.counts, row.histograms) for row in self._searcher_rows())

    def leg_digests(self) -> Iterator[tuple[int, int, bytes]]:
        """(leg, searcher, digest) of every leg done, in that order; raises RunFileError where a row is damaged."""
        with explained(self.path):
            for leg, searcher, digest in self._db.execute("SELECT leg, searcher, digest FROM legs ORDER BY leg, searcher"):
                if type(digest) is not bytes:
                    raise self._damage(f"the record of the legs of searcher {searcher}")
                yield leg, searcher, digest

    @_reading
    def set_aside(self) -> list[tuple[int, int, str]]:
        """(leg, searcher, reason) of the legs that were given up."""
        rows = []
        for leg, searcher, reason, seal in self._db.execute("SELECT leg, searcher, reason, seal FROM set_aside ORDER BY leg, searcher"):
            if seal != seal_of("set_aside", leg, searcher, reason):
                raise self._damage(f"the note about leg {leg} of searcher {searcher}")
            rows.append((leg, searcher, reason))
        return rows

    @_reading
    def sessions(self) -> list[Session]:
        """Who worked on the run, first to last."""
        sessions = []
        for number, data, seal in self._db.execute("SELECT session, data, seal FROM sessions ORDER BY session"):
            if seal != seal_of("sessions", number, data):
                raise self._damage(f"session {number}")
            sessions.append(Session(**json.loads(data)))
        return sessions

    def crew(self) -> list[dict[str, object]]:
        """The workers of the last session, as far as they were noted: WorkerNote's fields, and games."""
        row = self._db.execute(
            "SELECT session, data, seal FROM crews WHERE session = (SELECT max(session) FROM sessions)"
        ).fetchone()
        if row is None:
            return []
        if row[2] != seal_of("crews", *row[:2]):
            raise self._damage("the note about the workers")
        return json.loads(row[1])

    @_reading
    def distrusted(self) -> list[tuple[float, dict[str, object]]]:
        """The workers that any session found wrong, each process once, first to last: when the session began, and the note."""
        started = {number: session.started for number, session in enumerate(self.sessions(), 1)}
        found: dict[tuple, tuple[float, dict[str, object]]] = {}
        for number, data, seal in self._db.execute("SELECT session, data, seal FROM crews ORDER BY session"):
            if seal != seal_of("crews", number, data):
                raise self._damage("the note about the workers")
            for worker in json.loads(data):
                if worker["state"] == "distrusted":
                    found.setdefault((worker["name"], worker["host"], worker["pid"]), (started.get(number, 0.0), worker))
        return list(found.values())

    def contents(self) -> bytes:
        """Everything that must be equal in two runs with equal settings and equal legs, as canonical bytes.

        Times, sessions and the reasons of legs set aside are no part of it.
        """
        with self.snapshot():
            self.check_legs()
            lines: list[object] = [canonical(self.settings)]
            for row in self._searcher_rows():
                lines.append(["searcher", row.searcher, row.legs, row.counts, row.chain, row.state, sorted(row.histograms.items())])
            lines += [["leg", *row] for row in self.leg_digests()]
            lines += [["set aside", leg, searcher] for leg, searcher, _ in self.set_aside()]
            for find in self.finds():
                lines.append(["find", *(getattr(find, name) for name in _FIND_COLUMNS if name != "found_at")])
            lines += [["pool", *row] for row in self._pools("ORDER BY pool")]
        return "\n".join(json.dumps(line, default=bytes.hex, sort_keys=True) for line in lines).encode()

    def _searcher_rows(self) -> Iterator[_Searcher]:
        for row in self._db.execute("SELECT searcher, legs, counts, chain, state, histograms, seal FROM searchers ORDER BY searcher"):
            yield self._read_searcher(row)

    def _searcher(self, searcher: int) -> _Searcher | None:
        row = self._db.execute(
            "SELECT searcher, legs, counts, chain, state, histograms, seal FROM searchers WHERE searcher = ?", (searcher,)
        ).fetchone()
        return None if row is None else self._read_searcher(row)

    def _read_searcher(self, row: tuple) -> _Searcher:
        if row[6] != seal_of("searchers", *row[:6]):
            raise self._damage(f"the state of searcher {row[0]}")
        return _Searcher(row[0], row[1], json.loads(row[2]), row[3], row[4], _split(row[5]))

    def _finds(self, where: str, *values: object) -> Iterator[Find]:
        columns = ", ".join(_FIND_COLUMNS)
        for *row, entry, seal in self._db.execute(f"SELECT {columns}, entry, seal FROM finds {where}", values):
            if seal != seal_of("finds", *row):
                raise self._damage(f"the find {str(entry)[:80]!r}")
            find = Find(**dict(zip(_FIND_COLUMNS, row)) | {"hands": tuple(json.loads(row[1])), "infinite": bool(row[4])})
            if find.key != entry:
                raise self._damage(f"the find {str(entry)[:80]!r}")
            yield find

    def _credit(self, key: str) -> tuple[int, int] | None:
        for find in self._finds("WHERE entry = ?", key):
            return find.leg, find.searcher
        return None

    @_reading
    def check_legs(self) -> None:
        """Compare the chain of every searcher with the digests of its legs; raises RunFileError."""
        given_up = {(leg, searcher) for leg, searcher, _ in self.set_aside()}
        chains: dict[int, list] = {}
        for leg, searcher, digest in self.leg_digests():
            entry = chains.setdefault(searcher, [0, _CHAIN_START])
            self._skip_given_up(entry, searcher, given_up)
            if entry[0] != leg:
                raise self._damage(f"the record of the legs of searcher {searcher}")
            entry[:] = leg + 1, chain(entry[1], digest)
        for _, searcher in given_up:
            self._skip_given_up(chains.setdefault(searcher, [0, _CHAIN_START]), searcher, given_up)
        for row in self._searcher_rows():
            if chains.pop(row.searcher, None) != [row.legs, row.chain]:
                raise self._damage(f"the record of the legs of searcher {row.searcher}")
        if chains:
            raise self._damage(f"the state of searcher {min(chains)}")

    @staticmethod
    def _skip_given_up(entry: list, searcher: int, given_up: set[tuple[int, int]]) -> None:
        while (entry[0], searcher) in given_up:
            entry[:] = entry[0] + 1, chain(entry[1], _SET_ASIDE)

    def _damage(self, what: str) -> RunFileError:
        return RunFileError(f"{self.path}: {what} cannot be trusted, the file is damaged; restore it from a copy or start a new run")

    def _version_of_data(self) -> int:
        """A number that changes when another connection has written the file."""
        return self._db.execute("PRAGMA data_version").fetchone()[0]

    # -- writing --

    def begin_session(self, session: Session) -> None:
        """Note that somebody starts to work; later commits bring the note up to date."""
        self._session = session
        with self._transaction():
            (self._session_number,) = self._db.execute("SELECT coalesce(max(session), 0) + 1 FROM sessions").fetchone()
            self._write_session()

    def end_session(self, why: str, crew: Sequence[Mapping[str, object]] | None = None) -> None:
        """Note that the work ended, and why."""
        self._session.ended = time.time()
        self._session.why = why
        with self._transaction():
            self._write_session()
            self._write_crew(crew)

    def note_crew(self, crew: Sequence[Mapping[str, object]]) -> None:
        """Note how the workers do, between two commits."""
        with self._transaction():
            self._write_crew(crew)

    def commit(
        self,
        done: Iterable[Done],
        pools: Mapping[int, tuple[int, bytes]] = {},
        crew: Sequence[Mapping[str, object]] | None = None,
    ) -> list[Find]:
        """Store legs and what came of them, all or nothing.

        Args:
            done: legs; those of one searcher in order.
            pools: {group: (round, pool)} made from the states after these legs.
            crew: how the workers of this session do, in place of what was noted before; None leaves that.

        Returns:
            The finds that are kept for now, in the order in which they were offered.

        Raises:
            Fault: a leg is not the next one of its searcher.
            CannotWrite: the disk is full or not writable, or the file was moved or deleted; it is as it was.
            RunInUse: somebody else has written to the file, in spite of the lock; it is as he left it.
            RunFileError: the file turned out to be damaged.
        """
        kept: list[Find] = []
        finds_before = self._finds_mark.text
        with self._transaction():
            for leg in done:
                self._commit_leg(leg)
                for find in leg.finds:
                    if self._commit_find(find):
                        kept.append(find)
            for group, (number, data) in pools.items():
                self._db.execute(
                    "INSERT OR REPLACE INTO pools VALUES (?, ?, ?, ?)", (group, number, data, seal_of("pools", group, number, data))
                )
            if self._finds_mark.text != finds_before:
                write_meta(self._db, "finds", self._finds_mark.text)
            self._session.last_commit = time.time()
            self._write_session()
            self._write_crew(crew)
        return kept

    def _commit_leg(self, done: Done) -> None:
        row = self._searcher(done.searcher) or _Searcher(done.searcher, 0, {}, _CHAIN_START, b"", {})
        if row.legs != done.leg:
            raise Fault(f"{self.path}: leg {done.leg} of searcher {done.searcher} came in where leg {row.legs} was due")
        result = done.result
        if result is None:
            row.chain = chain(row.chain, _SET_ASIDE)
            seal = seal_of("set_aside", done.leg, done.searcher, done.reason)
            self._db.execute("INSERT INTO set_aside VALUES (?, ?, ?, ?)", (done.leg, done.searcher, done.reason, seal))
        else:
            row.chain = chain(row.chain, result.digest)
            row.state = result.state
            _add(row.counts, result.counts)
            for name, data in result.histograms.items():
                row.histograms[name] = histogram.merge(row.histograms.get(name, b""), data)
            self._db.execute("INSERT INTO legs VALUES (?, ?, ?)", (done.leg, done.searcher, result.digest))
            _add(self.counts, result.counts)
            self._session.legs += 1
            self._session.games += result.counts["games"]
            self._session.tricks += result.counts["tricks"]
        row.legs += 1
        fields = (row.searcher, row.legs, json.dumps(row.counts, sort_keys=True), row.chain, row.state, _join(row.histograms))
        self._db.execute(
            "INSERT OR REPLACE INTO searchers (searcher, legs, counts, chain, state, histograms, seal) VALUES (?, ?, ?, ?, ?, ?, ?)",
            (*fields, seal_of("searchers", *fields)),
        )
        self.legs[row.searcher] = row.legs

    def _commit_find(self, find: Find) -> bool:
        known = find.infinite and self._credit(find.key) is not None
        kept, dropped = self.kept.offer(find)
        if not kept:
            return False
        for key in (find.key, *dropped):
            self._drop_find(key)
        if find.key in dropped:
            return False
        row = [getattr(find, name) for name in _FIND_COLUMNS]
        row[1] = json.dumps(find.hands)
        row[4] = int(find.infinite)
        self._db.execute(
            f"INSERT INTO finds (entry, {', '.join(_FIND_COLUMNS)}, seal) VALUES ({', '.join('?' * (len(row) + 2))})",
            (find.key, *row, seal := seal_of("finds", *row)),
        )
        self._finds_mark.add(seal)
        self.infinite_finds += find.infinite and not known
        return True

    def _drop_find(self, key: str) -> None:
        for (seal,) in self._db.execute("SELECT seal FROM finds WHERE entry = ?", (key,)).fetchall():
            self._finds_mark.remove(seal)
            self._db.execute("DELETE FROM finds WHERE entry = ?", (key,))

    def _write_session(self) -> None:
        data = json.dumps(vars(self._session), sort_keys=True)
        seal = seal_of("sessions", self._session_number, data)
        self._db.execute("INSERT OR REPLACE INTO sessions VALUES (?, ?, ?)", (self._session_number, data, seal))

    def _write_crew(self, crew: Sequence[Mapping[str, object]] | None) -> None:
        if crew is not None:
            data = json.dumps(crew, sort_keys=True)
            seal = seal_of("crews", self._session_number, data)
            self._db.execute("INSERT OR REPLACE INTO crews VALUES (?, ?, ?)", (self._session_number, data, seal))

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        if self._failed:
            raise Fault(f"{self.path}: a write failed before; the run has to be opened again")
        try:
            with explained(self.path):
                self._db.execute("BEGIN IMMEDIATE")
                if self._version_of_data() != self._data_version:
                    # What is in memory belongs to another state of the file: a commit would make it contradict itself.
                    raise RunInUse(
                        f"{self.path}: another process has written to the run although this one works on it (was its lock file "
                        "removed?); everything committed is safe, leave one of them at work or resume"
                    )
                yield
                self._db.execute("COMMIT")
        except BaseException:
            # What is in memory may be ahead of the file now: this object writes no more.
            self._failed = True
            if self._db.in_transaction:
                try:
                    self._db.execute("ROLLBACK")
                except sqlite3.Error:
                    pass  # the next opening rolls back
            raise


_FIND_COLUMNS = (
    "deal", "hands", "cards", "tricks", "infinite", "winner", "lead_in", "period", "loop_cards", "line", "searcher", "leg", "found_at"
)  # fmt: skip

_CHAIN_START = bytes(16)
_SET_ASIDE = b"set aside"  # stands for the digest of a leg that was given up


@dataclass
class _Searcher:
    searcher: int
    legs: int
    counts: dict[str, int]
    chain: bytes
    state: bytes
    histograms: dict[str, bytes]


def _add(counts: dict[str, int], more: Mapping[str, int]) -> None:
    for name, n in more.items():
        counts[name] = counts.get(name, 0) + n


def _join(histograms: Mapping[str, bytes]) -> bytes:
    """Histograms in one blob: a JSON line [[name, size], ...], then their bytes."""
    parts = sorted(histograms.items())
    return json.dumps([[name, len(data)] for name, data in parts]).encode() + b"\n" + b"".join(data for _, data in parts)


def _split(blob: bytes) -> dict[str, bytes]:
    end = blob.index(b"\n")
    histograms, at = {}, end + 1
    for name, size in json.loads(blob[:end]):
        histograms[name] = blob[at : at + size]
        at += size
    return histograms
