"""The run file: made whole, written by one, refused when it is not what it should be, safe when the disk is not."""

from __future__ import annotations

import fcntl
import gc
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import toys
from conftest import environment
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from search.errors import CannotWrite, Fault, InputError, RunFileError, RunInUse
from search.finds import Find
from search.histogram import encode
from search.leg import PackedLeg
from search.lock import WriterLock, in_use, lock_name
from search.run import Bounds, Run
from search.settings import new_settings
from search.status import read_status
from search.header import check_header
from search.paths import check_space, dated_names, list_runs, run_path
from search.store import Done, Session, Store

toys.install()

DATA = Path(__file__).parent / "data"


def settings(**more: object) -> dict[str, object]:
    return new_settings("toy", **{"rules": toys.RULES, "searchers": 5, "keep": 8, **more})


def session() -> Session:
    return Session(started=1.0, host="here", pid=1, version="1", engine="ring", workers=1)


def leg(searcher: int, number: int, finds: int = 2) -> Done:
    """A made-up leg, the same for equal arguments."""
    rng = random.Random(f"{searcher} {number}")
    found = []
    for _ in range(finds):
        deal = "".join(rng.choice("AKQJ-") for _ in range(6))
        infinite = deal[0] == "A"
        cards = sum(deal.encode())
        found.append(Find(deal, (3, 3), cards, cards // 7, infinite, 0, None, None, None, deal[1], searcher, number, rng.random()))
    counts = {"games": 10, "cards": rng.randrange(99), "tricks": rng.randrange(99), "infinite": 0}
    result = PackedLeg(rng.randbytes(9), (), counts, {"lengths": encode({rng.randrange(50): 10})}, rng.randbytes(16))
    return Done(searcher, number, result, found)


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> tuple[bytes, bytes]:
    """The bytes of a run file that has a bit of everything, and its contents."""
    path = tmp_path_factory.mktemp("made") / "a.run"
    with Run.create(str(path), new_settings("sharing", rules=toys.RULES, searchers=7, seed=3, keep=20)) as run:
        run.work(Bounds(games=560), executor=Here())
        run.store.begin_session(session())
        run.store.commit([Done(6, 4, None, reason="it killed its workers")])
        contents = run.store.contents()
    for kind in ("searcher", "leg", "find", "pool", "set aside"):
        assert b'["' + kind.encode() in contents
    return path.read_bytes(), contents


class Here:
    """An executor that does things at once."""

    def submit(self, fn, *args):
        from concurrent.futures import Future

        future = Future()
        future.set_result(fn(*args))
        return future


@pytest.fixture
def files(tmp_path):
    """A check that nothing in the folder has changed since the call."""

    def look() -> dict[str, bytes | None]:
        return {p.name: p.read_bytes() if p.is_file() else None for p in tmp_path.iterdir()}

    return look


# ---- names ----


def test_names():
    assert run_path("a") == "results/a.run"
    assert run_path("a.run") == "a.run"
    assert run_path("x/a") == "x/a"
    assert run_path("a 'b\u00e9*") == "results/a 'b\u00e9*.run"
    assert run_path("./-a.run") == "./-a.run"
    for bad in ("", "a/", "./", "..", "x/.", "a\0b", "a\nb.run", "\x7f", "-a", "--a.run"):
        with pytest.raises(InputError, match="no name for a run"):
            run_path(bad)


def test_long_names(tmp_path):
    with Store.create(run_path(str(tmp_path / ("\u00fc" * 98 + ".run"))), settings()):
        pass
    for name in ("x" * 201, "\u00fc" * 101, "x" * 197 + ".run"):
        with pytest.raises(InputError, match="too long"):
            run_path(name)


def test_dated_names_do_not_collide(tmp_path):
    names = dated_names("toy", str(tmp_path))
    first = next(names)
    (tmp_path / f"{first}.run").touch()
    assert next(names) == f"{first}-2" == next(dated_names("toy", str(tmp_path)))
    assert next(names) == f"{first}-3"  # whoever asks again could not use the one before
    assert list_runs(str(tmp_path)) == [str(tmp_path / f"{first}.run")]
    assert list_runs(str(tmp_path / "absent")) == []


# ---- making ----


def test_a_new_run_is_complete_and_leaves_nothing_beside_it(tmp_path, files):
    path = str(tmp_path / "a.run")
    with Store.create(path, settings()) as store:
        assert store.settings == settings() and store.legs == {}
        assert set(files()) == {"a.run", "a.run.lock"}
    assert set(files()) == {"a.run"}
    assert read_status(path).state == "new"
    assert set(files()) == {"a.run"}


@pytest.mark.parametrize("kind", ["file", "folder", "dangling link"])
def test_nothing_is_replaced(tmp_path, files, kind):
    path = tmp_path / "a.run"
    {"file": lambda: path.write_bytes(b"dear"), "folder": path.mkdir, "dangling link": lambda: path.symlink_to(tmp_path / "b")}[kind]()
    if kind == "dangling link":
        with Store.create(str(path), settings()):
            pass  # the run is made where the link points
        assert path.is_symlink() and read_status(str(path)).state == "new"
        return
    before = files()
    with pytest.raises(InputError, match="exists"):
        Store.create(str(path), settings())
    assert files() == before


def test_what_a_killed_creation_left_is_swept(tmp_path, files):
    (tmp_path / ".a.run.123.new").write_bytes(b"half")
    Store.create(str(tmp_path / "a.run"), settings()).close()
    assert set(files()) == {"a.run"}


def test_no_folder_and_no_room(tmp_path, monkeypatch):
    with pytest.raises(CannotWrite, match="no folder"):
        Store.create(str(tmp_path / "absent" / "a.run"), settings())
    real = os.statvfs(tmp_path)

    def statvfs(free):
        return lambda path: os.statvfs_result((real.f_bsize, 1, real.f_blocks, free, free, *real[5:]))

    monkeypatch.setattr(os, "statvfs", statvfs(1 << 20))
    with pytest.raises(CannotWrite, match="1 MB free"):
        Store.create(str(tmp_path / "a.run"), settings())
    assert list(tmp_path.iterdir()) == []
    monkeypatch.setattr(os, "statvfs", statvfs(100 << 20))
    assert "100 MB" in check_space(str(tmp_path / "a.run"))
    monkeypatch.setattr(os, "statvfs", statvfs(1 << 40))
    assert check_space(str(tmp_path / "a.run")) is None


# ---- files that are refused ----


def header(data: bytes, at: int, new: bytes) -> bytes:
    return data[:at] + new + data[at + len(new) :]


REFUSED = {
    "empty": (lambda data: b"", "empty"),
    "text": (lambda data: b"Dear diary, " * 99, "not a run"),
    "short": (lambda data: data[:60], "not a run"),
    "foreign": (lambda data: header(data, 68, b"\0\0\0\0"), "not a run"),
    "newer": (lambda data: header(data, 60, (99).to_bytes(4, "big")), "newer program"),
    "no version": (lambda data: header(data, 60, bytes(4)), "file version 0"),
    "wal": (lambda data: header(data, 18, b"\2\2"), "journal mode"),
    "half": (lambda data: data[: len(data) // 2], "cut short"),
    "one byte short": (lambda data: data[:-1], "cut short"),
    "settings changed": (lambda data: data.replace(b'"searchers":7', b'"searchers":8'), "settings"),
}


@pytest.mark.parametrize("write", [True, False])
@pytest.mark.parametrize("name", REFUSED)
def test_refused_and_left_alone(tmp_path, files, made, name, write):
    spoil, words = REFUSED[name]
    path = tmp_path / "a.run"
    path.write_bytes(spoil(made[0]))
    before = files()
    with pytest.raises(RunFileError, match=words) as caught:
        Store.open(str(path), write)
    assert caught.value.exit_status == 3 and str(path) in str(caught.value) and "\n" not in str(caught.value)
    assert files() == before


@pytest.mark.parametrize(
    "change",
    [
        "DELETE FROM legs WHERE leg = 1 AND searcher = 2",
        "DELETE FROM legs WHERE searcher = 2",
        "UPDATE legs SET digest = x'00' WHERE leg = 1 AND searcher = 2",
        "UPDATE legs SET searcher = 99 WHERE leg = 1 AND searcher = 2",
        "INSERT INTO legs VALUES (99, 2, x'00')",
        "DELETE FROM set_aside",
        "DELETE FROM searchers WHERE searcher = 2",
    ],
)
def test_a_record_of_legs_that_does_not_add_up_is_refused_before_work_goes_on(tmp_path, files, made, change):
    path = tmp_path / "a.run"
    path.write_bytes(made[0])
    db = sqlite3.connect(path)
    with db:
        assert db.execute(change).rowcount > 0
    db.close()
    before = files()
    with pytest.raises(RunFileError, match="searcher"):
        Store.open(str(path), write=True)
    assert files() == before
    with pytest.raises(RunFileError, match="searcher"):  # whoever reads notices at the latest when he asks
        with Store.open(str(path)) as store, store.snapshot():
            store.check_legs()
    assert files() == before


@pytest.mark.parametrize("change", ["DELETE FROM searchers WHERE searcher = 2", "UPDATE legs SET digest = 'abc'", "UPDATE legs SET digest = 7"])
def test_readers_notice_what_they_would_be_misled_by(tmp_path, made, change):
    path = tmp_path / "a.run"
    path.write_bytes(made[0])
    with sqlite3.connect(path) as db:
        assert db.execute(change).rowcount > 0
    db.close()
    with pytest.raises(RunFileError, match="searcher"):
        with Store.open(str(path)) as store:
            list(store.leg_digests())


def test_a_pipe_where_a_journal_belongs(tmp_path, made):
    path = tmp_path / "a.run"
    path.write_bytes(made[0])
    os.mkfifo(tmp_path / "a.run-journal")
    for write in (False, True):
        with pytest.raises(RunFileError, match="a.run-journal: is a pipe"):
            Store.open(str(path), write)
    os.mkfifo(tmp_path / "a.run.lock")
    assert not in_use(str(path))


@pytest.mark.parametrize("write", [True, False])
def test_other_things_that_are_no_runs(tmp_path, files, write):
    (tmp_path / "folder.run").mkdir()
    os.mkfifo(tmp_path / "pipe.run")
    before = files()
    with pytest.raises(InputError, match="no such run"):
        Store.open(str(tmp_path / "absent.run"), write)
    for name in ("folder", "pipe"):
        with pytest.raises(RunFileError):
            Store.open(str(tmp_path / f"{name}.run"), write)
    assert files() == before


def test_a_foreign_database_with_a_journal_is_not_touched(tmp_path, files):
    db = sqlite3.connect(tmp_path / "a.run")
    db.execute("CREATE TABLE other (x)")
    db.commit()
    db.close()
    (tmp_path / "a.run-journal").write_bytes(b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7" + bytes(600))
    before = files()
    for write in (True, False):
        with pytest.raises(RunFileError, match="not a run"):
            Store.open(str(tmp_path / "a.run"), write)
    assert files() == before


def test_damage_anywhere_is_harmless_or_named(tmp_path, files, made):
    """Flipped bits, zeroed blocks, cut ends: the right contents, or a refusal that changes nothing."""
    data, contents = made
    path = tmp_path / "a.run"
    rng = random.Random(11)
    outcomes = {"refused": 0, "read": 0}
    for trial in range(300):
        spoilt = bytearray(data)
        at = rng.randrange(len(data))
        if trial % 4 == 0:
            del spoilt[at:]
        elif trial % 4 == 1:
            spoilt[at : at + 256] = bytes(len(spoilt[at : at + 256]))
        else:
            spoilt[at] ^= 1 << rng.randrange(8)
        path.write_bytes(spoilt)
        for write in (False, True):
            try:
                with Store.open(str(path), write) as store:
                    found = store.contents()
                    store.sessions()
                    store.histograms()
            except RunFileError as error:
                assert str(path) in str(error)
                outcomes["refused"] += 1
            else:
                assert found == contents, f"damage at {at} (trial {trial}) went unnoticed"
                outcomes["read"] += 1
            assert files() == {"a.run": bytes(spoilt)}, f"damage at {at}: the file was written to"
    assert min(outcomes.values()) > 50


def test_a_writer_that_meets_damage_says_so(tmp_path, made):
    """Damage that comes after the opening: the commit fails, and the old contents are what is left."""
    path = tmp_path / "a.run"
    with Store.create(str(path), settings()) as store:
        store.begin_session(session())
        store.commit([leg(1, 0)])
        store._db.execute("UPDATE searchers SET state = x'00'")
        with pytest.raises(RunFileError, match="searcher 1"):
            store.commit([leg(1, 1)])
        with pytest.raises(Fault, match="opened again"):
            store.commit([leg(2, 0)])


# ---- formats of the past ----


@pytest.mark.parametrize("name", sorted(p.name for p in DATA.glob("format-*.run")))
def test_every_released_format_opens_and_goes_on(tmp_path, name):
    path = tmp_path / "old.run"
    shutil.copy(DATA / name, path)
    expected = (DATA / name).with_suffix(".json").read_bytes()
    with Run.open(str(path)) as run:
        assert run.store.contents() == expected.rstrip(b"\n")
    state = read_status(str(path))
    assert state.session.core_seconds is None and state.session.core_time >= 0  # it was not noted then
    with Run.open(str(path), write=True) as run:
        legs = sum(run.store.legs.values())
        run.work(Bounds(games=run.settings["leg_games"] * (legs + 3)), executor=Here())
        assert sum(run.store.legs.values()) == legs + 3


# ---- workers ----


def note(name: str, state: str, pid: int = 1) -> dict[str, object]:
    return {"name": name, "state": state, "host": "here", "pid": pid, "why": f"{name} {state}"}


def test_workers_that_any_session_found_wrong_are_known(tmp_path):
    path = str(tmp_path / "a.run")
    with Store.create(path, settings()) as store:
        assert store.distrusted() == []
        for started, crew in (
            (1.0, [note("a", "distrusted"), note("b", "at work")]),
            (2.0, [note("a", "distrusted"), note("a", "distrusted", pid=2), note("c", "lost")]),
            (3.0, []),
        ):
            store.begin_session(replace(session(), started=started))
            store.note_crew([])
            store.note_crew(crew)
            store.end_session("stopped")
    with Store.open(path) as store:
        assert [(started, worker["name"], worker["pid"]) for started, worker in store.distrusted()] == [(1.0, "a", 1), (2.0, "a", 2)]
        assert store.crew() == [] and store.sessions()[1].ended is not None
    with sqlite3.connect(path) as db:
        db.execute("UPDATE crews SET data = replace(data, 'distrusted', 'at work')")
    with Store.open(path) as store, pytest.raises(RunFileError, match="the note about the workers"):
        store.distrusted()


# ---- commits ----


def test_a_commit_is_all_or_nothing(tmp_path):
    path = str(tmp_path / "a.run")
    with Store.create(path, settings()) as store:
        store.begin_session(session())
        store.commit([leg(0, 0), leg(1, 0)])
        before = store.contents()
        with pytest.raises(Fault, match="leg 5 of searcher 3 came in where leg 0 was due"):
            store.commit([leg(0, 1), leg(2, 0), leg(3, 5)])
    with Store.open(path, write=True) as store:
        assert store.contents() == before
        store.begin_session(session())
        with pytest.raises(Fault, match="due"):
            store.commit([leg(0, 0)])  # the same leg twice
    with Store.open(path) as store:
        assert store.contents() == before


def test_commits_wait_for_the_disk(tmp_path):
    with Store.create(str(tmp_path / "a.run"), settings()) as store:
        assert store._db.execute("PRAGMA synchronous").fetchone() == (3,)  # EXTRA


def test_an_infinite_deal_that_is_found_again_is_counted_once(tmp_path):
    def found(searcher: int, number: int) -> Done:
        done = leg(searcher, number, finds=0)
        loop = Find("AA--JK", (3, 3), 30, 5, True, None, 1, 4, 20, "", searcher, number, 2.0)
        return Done(searcher, number, done.result, [loop])

    path = str(tmp_path / "a.run")
    with Store.create(path, settings()) as store:
        store.begin_session(session())
        for done in (leg(3, 0, finds=0), found(3, 1), found(4, 0), found(2, 0), leg(4, 1, finds=0), found(4, 2)):
            store.commit([done])
        assert store.infinite_finds == 1
        assert [(f.leg, f.searcher) for f in store.finds()] == [(0, 2)]
    with Store.open(path) as store:
        assert store.infinite_finds == 1


@hypothesis_settings(max_examples=6, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.randoms(use_true_random=False))
def test_legs_may_come_in_any_order_and_grouping(tmp_path_factory, rng):
    folder = tmp_path_factory.mktemp("orders")

    def stored(name: str, searchers: list[int], reopen: bool) -> bytes:
        path = str(folder / name)
        store = Store.create(path, settings())
        store.begin_session(session())
        numbers = dict.fromkeys(range(5), 0)
        batch = []
        for searcher in searchers:
            batch.append(leg(searcher, numbers[searcher]))
            numbers[searcher] += 1
            if rng.random() < 0.5:
                store.commit(batch)
                batch.clear()
            if reopen and rng.random() < 0.2:
                store.commit(batch)
                batch.clear()
                store.close()
                store = Store.open(path, write=True)
                store.begin_session(session())
        store.commit(batch)
        contents = store.contents()
        store.close()
        return contents

    order = [searcher for searcher in range(5) for _ in range(6)]
    plain = stored("plain.run", order, reopen=False)
    rng.shuffle(order)
    assert stored("shuffled.run", order, reopen=True) == plain


def test_a_full_disk_keeps_what_was_committed(tmp_path):
    path = str(tmp_path / "a.run")
    with Store.create(path, settings()) as store:
        store.begin_session(session())
        store.commit([leg(0, 0)])
        before = store.contents()
        pages = store._db.execute("PRAGMA page_count").fetchone()[0]
        store._db.execute(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(CannotWrite, match="disk is full") as caught:
            for searcher in range(1, 5):
                for number in range(50):
                    store.commit([leg(searcher, number)])
                    before = store.contents()
        assert caught.value.exit_status == 5
    with Store.open(path, write=True) as store:
        assert store.contents() == before
        store.begin_session(session())
        store.commit([leg(0, 1)])


LIMITED = """
import resource, signal, sys
sys.path[:0] = [{tests!r}]
from test_store import *
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
with Store.open({path!r}, write=True) as store:
    store.begin_session(session())
    size = os.path.getsize({path!r})
    resource.setrlimit(resource.RLIMIT_FSIZE, (size + 9000, size + 9000))
    n = 0
    try:
        while True:
            store.commit([leg(1, n)])
            n += 1
    except CannotWrite as error:
        print(n, "\\n" in str(error))
"""


def test_a_system_that_refuses_to_write_keeps_what_was_committed(tmp_path):
    path = str(tmp_path / "a.run")
    Store.create(path, settings()).close()
    code = LIMITED.format(tests=str(Path(__file__).parent), path=path)
    done = subprocess.run([sys.executable, "-c", code], env=environment(), capture_output=True, text=True, timeout=60)
    assert done.stderr == ""
    legs, several_lines = done.stdout.split()
    assert several_lines == "False"
    with Store.open(path, write=True) as store:
        assert store.legs.get(1, 0) == int(legs)
        assert set(os.listdir(tmp_path)) == {"a.run", "a.run.lock"}


KILLED = """
import sys
sys.path[:0] = [{tests!r}]
from test_store import *
store = Store.open({path!r}, write=True)
store.begin_session(session())
db = store._db
db.execute("PRAGMA cache_size = 1")   # so that a transaction writes to the file before it is committed
db.execute("BEGIN IMMEDIATE")
db.execute("UPDATE searchers SET state = randomblob(20000)")
db.execute("DELETE FROM finds")
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("first", ["writer", "reader"])
def test_killed_in_the_middle_of_a_write(tmp_path, first):
    """The journal that is left is hot: whoever comes next, reader or writer, undoes the half-written commit."""
    path = str(tmp_path / "a.run")
    with Store.create(path, settings()) as store:
        store.begin_session(session())
        store.commit([leg(searcher, 0) for searcher in range(5)])
        before = store.contents()
    code = KILLED.format(tests=str(Path(__file__).parent), path=path)
    done = subprocess.run([sys.executable, "-c", code], env=environment(), capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (-signal.SIGKILL, "")
    assert os.path.getsize(path + "-journal") > 0
    if first == "reader":
        status = read_status(path)
        assert (status.state, status.legs) == ("killed", 5)
    with Store.open(path, write=True) as store:
        assert store.contents() == before
        assert not os.path.exists(path + "-journal")


def test_a_reader_sees_one_moment_while_a_writer_goes_on(tmp_path):
    path = str(tmp_path / "a.run")
    with Store.create(path, settings()) as writer:
        writer.begin_session(session())
        for number in range(5):
            writer.commit([leg(2, number)])
            status = read_status(path)
            assert status.legs == number + 1 and status.counts["games"] == 10 * (number + 1)
            assert status.state == "running"
        with pytest.raises(RunInUse):
            Store.open(path, write=True)


# ---- the lock ----

HOLD = """
import sys, time
from search.lock import WriterLock
lock = WriterLock({path!r})
print("held", flush=True)
sys.stdin.read()
lock.release()
"""


def hold(path: str) -> subprocess.Popen:
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD.format(path=path)], env=environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert holder.stdout.readline() == "held\n"
    return holder


def test_one_writer(tmp_path):
    path = str(tmp_path / "a.run")
    Store.create(path, settings()).close()
    link = tmp_path / "other.run"
    link.symlink_to(path)
    holder = hold(path)
    for name in (path, str(link)):
        assert in_use(name)
        with pytest.raises(RunInUse, match=str(holder.pid)) as caught:
            Store.open(name, write=True)
        assert caught.value.exit_status == 4
    read_status(path)
    holder.communicate("")
    assert not in_use(path) and not os.path.exists(lock_name(path))
    Store.open(path, write=True).close()


def test_two_writers_in_spite_of_the_lock_do_no_harm(tmp_path, monkeypatch):
    """Somebody removes the lock file, or the file system's locks do not work: the second to commit is told, and stores nothing."""
    path = str(tmp_path / "a.run")
    with Store.create(path, settings()) as one:
        one.begin_session(session())
        one.commit([leg(0, 0)])
        os.unlink(lock_name(path))
        monkeypatch.setattr("search.lock._held", {})
        with Store.open(path, write=True) as other:
            one.commit([leg(1, 0)])  # nothing has been written by the other one
            before = one.contents()
            with pytest.raises(RunInUse, match="another process has written"):
                other.begin_session(session())
        with Store.open(path, write=True) as other:
            other.begin_session(session())
            with pytest.raises(RunInUse, match="another process has written"):
                one.commit([leg(2, 0)])
            other.commit([leg(3, 0)])
        monkeypatch.undo()
    with Store.open(path, write=True) as store:  # which checks everything
        assert store.contents() != before and store.legs == {0: 1, 1: 1, 3: 1}


@pytest.mark.parametrize("how", ["moved", "deleted", "replaced"])
def test_a_file_that_is_taken_away_from_its_writer(tmp_path, files, made, how):
    path = tmp_path / "a.run"
    with Store.create(str(path), settings()) as store:
        store.begin_session(session())
        store.commit([leg(0, 0)])
        before = store.contents()
        if how == "deleted":
            path.unlink()
        else:
            path.rename(tmp_path / "b.run")
        if how == "replaced":
            path.write_bytes(made[0])
        there = files()
        with pytest.raises(CannotWrite, match="moved, replaced or deleted"):
            store.commit([leg(1, 0)])
        assert files() == there
    if how != "deleted":
        with Store.open(str(tmp_path / "b.run"), write=True) as store:
            assert store.contents() == before


def test_the_lock_of_a_killed_holder_is_free_at_once(tmp_path):
    path = str(tmp_path / "a.run")
    Store.create(path, settings()).close()
    holder = hold(path)
    holder.kill()
    holder.communicate()
    assert os.path.exists(lock_name(path)) and not in_use(path)
    Store.open(path, write=True).close()
    assert not os.path.exists(lock_name(path))


def test_a_lock_file_that_its_last_holder_removes_just_now_is_not_taken_for_the_lock(tmp_path, monkeypatch):
    path = str(tmp_path / "a.run")
    lockf = fcntl.lockf

    def removed_before_it_is_locked(descriptor: int, how: int) -> None:
        monkeypatch.undo()
        os.unlink(lock_name(path))
        lockf(descriptor, how)

    monkeypatch.setattr(fcntl, "lockf", removed_before_it_is_locked)
    lock = WriterLock(path)
    code = f"from search.lock import in_use; print(in_use({path!r}))"
    done = subprocess.run([sys.executable, "-c", code], env=environment(), capture_output=True, text=True, timeout=60)
    lock.release()
    assert done.stdout == "True\n"
    assert os.listdir(tmp_path) == []


def test_reading_a_run_does_not_free_the_lock_of_its_writer(tmp_path):
    path = str(tmp_path / "a.run")
    with Store.create(path, settings()):
        in_use(path)
        read_status(path)
        code = f"from search.lock import in_use; print(in_use({path!r}))"
        done = subprocess.run([sys.executable, "-c", code], env=environment(), capture_output=True, text=True, timeout=60)
        assert done.stdout == "True\n"


def test_reading_a_run_does_not_free_what_its_writer_has_locked_for_a_commit(tmp_path):
    path = str(tmp_path / "a.run")
    other = "import sqlite3, sys; sqlite3.connect(sys.argv[1], timeout=0).execute('BEGIN IMMEDIATE')"
    with Store.create(path, settings()) as store:
        store.begin_session(session())
        with store._transaction():
            check_header(path)
            refused = subprocess.run([sys.executable, "-c", other, path], capture_output=True, text=True)
            assert "database is locked" in refused.stderr
        assert subprocess.run([sys.executable, "-c", other, path]).returncode == 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*fork")
def test_a_worker_forked_in_mid_commit_does_not_undo_it(tmp_path):
    """A child that drops its copy of the open file must not take the journal of its parent away."""
    path = str(tmp_path / "a.run")
    with Store.create(path, settings()) as store:
        store.begin_session(session())
        with store._transaction():
            store._commit_leg(leg(0, 0, finds=0))
            assert os.path.exists(path + "-journal")
            child = os.fork()
            if child == 0:
                try:
                    store._db = None
                    gc.collect()
                finally:
                    os._exit(0)
            os.waitpid(child, 0)
            assert os.path.exists(path + "-journal")
    with Store.open(path, write=True) as store:
        assert store.legs == {0: 1}


def test_a_lock_is_not_inherited(tmp_path):
    path = str(tmp_path / "a.run")
    lock = WriterLock(path)
    child = os.fork()
    if child == 0:
        lock.release()  # a child has nothing to release
        os._exit(0)
    os.waitpid(child, 0)
    assert in_use(path) and os.path.exists(lock_name(path))
    lock.release()
    assert not os.path.exists(lock_name(path))
