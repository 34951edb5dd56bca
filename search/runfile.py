"""The run file as SQLite has it: its tables, how it is made, opened and mended, and SQLite's errors in words."""

from __future__ import annotations

import glob
import os
import sqlite3
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from urllib.parse import quote_from_bytes

from .errors import CannotWrite, RunFileError
from .header import APPLICATION_ID, VERSION
from .lock import WriterLock
from .paths import is_pipe, name_taken
from .seals import Mark, seal_of
from .settings import canonical, settings_hash

SCHEMA = {
    "meta": "CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL, seal BLOB NOT NULL) WITHOUT ROWID",
    "searchers": "CREATE TABLE searchers (searcher INTEGER PRIMARY KEY, legs INTEGER NOT NULL, counts TEXT NOT NULL,"
    " chain BLOB NOT NULL, seal BLOB NOT NULL, state BLOB NOT NULL, histograms BLOB NOT NULL)",
    "legs": "CREATE TABLE legs (leg INTEGER, searcher INTEGER, digest BLOB NOT NULL, PRIMARY KEY (leg, searcher)) WITHOUT ROWID",
    "set_aside": "CREATE TABLE set_aside (leg INTEGER, searcher INTEGER, reason TEXT NOT NULL, seal BLOB NOT NULL,"
    " PRIMARY KEY (leg, searcher)) WITHOUT ROWID",
    "finds": "CREATE TABLE finds (entry TEXT PRIMARY KEY, deal TEXT NOT NULL, hands TEXT NOT NULL, cards INTEGER NOT NULL,"
    " tricks INTEGER NOT NULL, infinite INTEGER NOT NULL, winner INTEGER, lead_in INTEGER, period INTEGER, loop_cards INTEGER,"
    " line TEXT NOT NULL, searcher INTEGER NOT NULL, leg INTEGER NOT NULL, found_at REAL NOT NULL, seal BLOB NOT NULL) WITHOUT ROWID",
    "pools": "CREATE TABLE pools (pool INTEGER PRIMARY KEY, round INTEGER NOT NULL, data BLOB NOT NULL, seal BLOB NOT NULL)",
    "sessions": "CREATE TABLE sessions (session INTEGER PRIMARY KEY, data TEXT NOT NULL, seal BLOB NOT NULL)",
    "crews": "CREATE TABLE crews (session INTEGER PRIMARY KEY, data TEXT NOT NULL, seal BLOB NOT NULL)",
}

_BUSY_SECONDS = 30  # how long to wait for a reader, or for a writer in mid-commit


def connect(path: str, real: str, write: bool) -> sqlite3.Connection:
    """Open a run file that exists. `path`: as the user calls it; `real`: where it is."""
    if is_pipe(real + "-journal"):
        raise RunFileError(f"{path}-journal: is a pipe, where SQLite keeps the old half of a write; remove it")
    uri = f"file:{quote_from_bytes(os.fsencode(real))}?mode={'rw' if write else 'ro'}"
    db = sqlite3.connect(uri, uri=True, timeout=_BUSY_SECONDS, isolation_level=None)
    try:
        db.text_factory = lambda text: text.decode(errors="replace")  # damaged text is noticed by its seal
        db.execute("PRAGMA trusted_schema = OFF")
        db.execute("PRAGMA cell_size_check = ON")
        if write:
            db.execute("PRAGMA synchronous = EXTRA")
        try:
            db.execute("SELECT count(*) FROM sqlite_schema").fetchone()
        except sqlite3.OperationalError as error:
            if write or not os.path.exists(real + "-journal"):
                raise
            _mend(path, real, error)
            db.close()
            return connect(path, real, write)
    except BaseException:
        db.close()
        raise
    return db


def _mend(path: str, real: str, error: sqlite3.OperationalError) -> None:
    """Undo the half-written commit of a writer that was killed, which a reader's connection cannot."""
    try:
        lock = WriterLock(path)
    except CannotWrite:
        raise CannotWrite(f"{path}: it was killed in the middle of a write and must be mended first: `beggar resume` does it") from error
    try:
        connect(path, real, write=True).close()
    finally:
        lock.release()


def create(real: str, path: str, settings: Mapping[str, object]) -> None:
    """Write a complete new file under another name, then give it its own; never replaces anything."""
    folder, name = os.path.split(real)
    for stale in glob.glob(os.path.join(glob.escape(folder), f".{glob.escape(name)}.*.new*")):
        os.unlink(stale)  # left by a creation that was killed; we hold the lock of this name
    temporary = os.path.join(folder, f".{name}.{os.getpid()}.new")
    try:
        with explained(path):
            os.close(os.open(temporary, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666))
            db = sqlite3.connect(f"file:{quote_from_bytes(os.fsencode(temporary))}?mode=rw", uri=True, isolation_level=None)
            try:
                db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
                db.execute(f"PRAGMA user_version = {VERSION}")
                db.execute("PRAGMA synchronous = EXTRA")
                db.execute("BEGIN IMMEDIATE")
                for sql in SCHEMA.values():
                    db.execute(sql)
                text = canonical(settings)
                about = {"settings": text, "settings_hash": settings_hash(text), "created": repr(time.time()), "finds": Mark().text}
                for item in about.items():
                    write_meta(db, *item)
                db.execute("COMMIT")
            finally:
                db.close()
            try:
                os.link(temporary, real)
                os.unlink(temporary)
            except FileExistsError:
                raise name_taken(path) from None
            except OSError:  # a file system without links: claim the name, then replace the empty claim
                try:
                    os.close(os.open(real, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666))
                except FileExistsError:
                    raise name_taken(path) from None
                os.rename(temporary, real)
            _sync_folder(folder)
    except BaseException:
        for leftover in (temporary, temporary + "-journal"):
            try:
                os.unlink(leftover)
            except OSError:
                pass
        raise


def write_meta(db: sqlite3.Connection, name: str, value: str) -> None:
    """Set one entry of the table of facts about the run."""
    db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?, ?)", (name, value, seal_of("meta", name, value)))


def _sync_folder(folder: str) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    except OSError:
        pass  # some file systems cannot; the file itself is safe
    finally:
        os.close(descriptor)


_WRITE_ERRORS = ("SQLITE_FULL", "SQLITE_IOERR", "SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM", "SQLITE_BUSY", "SQLITE_LOCKED")


@contextmanager
def explained(path: str) -> Iterator[None]:
    """Turn the errors of SQLite and the system into those that a person can act on."""
    try:
        yield
    except sqlite3.Error as error:
        name = getattr(error, "sqlite_errorname", "") or ""
        if name.startswith("SQLITE_FULL"):
            raise CannotWrite(f"{path}: the disk is full; everything committed is safe, make room and resume") from error
        if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
            raise CannotWrite(f"{path}: another program keeps the file locked; everything committed is safe") from error
        if name == "SQLITE_READONLY_DBMOVED":
            raise CannotWrite(
                f"{path}: the file was moved, replaced or deleted while the run was worked on; "
                "if it is elsewhere, everything committed is in it: resume it there"
            ) from error
        if name.startswith(_WRITE_ERRORS):
            raise CannotWrite(f"{path}: cannot write ({error}); everything committed is safe") from error
        raise RunFileError(f"{path}: damaged ({error}); restore it from a copy") from error
    except UnicodeDecodeError as error:  # a message of SQLite that quotes damaged text
        raise RunFileError(f"{path}: damaged ({error}); restore it from a copy") from error
    except OSError as error:
        raise CannotWrite(f"{path}: {error.strerror or error}") from error
