"""Bad input: one clear line on standard error, the right exit status, nothing changed on disk."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from conftest import Called, environment

RECORD = "---AJ--Q---------QAKQJJ-QK/-----A----KJ-K--------A---"


def snapshot(folder):
    """Every file below a folder: its name, contents and time of change."""
    found = {}
    for path in sorted(folder.rglob("*")):
        about = path.lstat()
        found[str(path.relative_to(folder))] = (about.st_mode, about.st_mtime_ns, path.read_bytes() if path.is_file() else None)
    return found


def refused(called, status=2):
    """Assert that a call was refused with one line, and return that line."""
    assert called.status == status, called
    assert called.out == ""
    assert called.err.startswith("beggar: error: ") and called.err.count("\n") == 1 and called.err.endswith("\n"), called.err
    assert len(called.err) < 800
    return called.err


@pytest.mark.parametrize(
    "argv, said",
    [
        (["verfy", RECORD], "did you mean verify?"),
        (["records", "--json"], "--json: is written --format json here"),
        (["finds", "x", "--json"], "--json: is written --format json here"),
        (["cycles", "x", "--json"], "--json: is written --format json here"),
        (["runs", "nowhere"], "'nowhere': no such folder"),
        (["", RECORD], "no command ''"),
        ([RECORD], "no command"),
        (["verify"], "DEAL is missing; usage: beggar verify DEAL..."),
        (["verify", RECORD, "--crads", "8344"], "did you mean --cards?"),
        (["verify", RECORD, "--cards"], "--cards needs a value"),
        (["verify", RECORD, "--cards", "-1"], "--cards '-1': at least 0"),
        (["verify", RECORD, "--cards", "many"], "a whole number"),
        (["verify", RECORD, "--cards", "8344.0"], "a whole number"),
        (["verify", RECORD, "--cards", "9" * 30], "at most"),
        (["verify", RECORD, "--period", "0"], "at least 1"),
        (["verify", RECORD, "--players", "1"], "at least 2"),
        (["verify", RECORD, "--players", "5"], "at most 4"),
        (["verify", RECORD, "--rules", "bridge"], "rules 'bridge'"),
        (["verify", RECORD, "--rules", ""], "--rules '': a value is wanted"),
        (["verify", RECORD, "--rules", "99999999999A 3-"], "99999999999 is too large a number; a deck has 1 to 1000 cards"),
        (["verify", RECORD, "--rules", "4A=" + "9" * 5000], "99999999999999999999 is too large a number"),
        (["verify", RECORD, "--rules", "4A 4- 77777777777+2"], "77777777777 is too large a number"),
        (["verify", RECORD, "--rules", "1500A 3-"], "a deck of 1503 cards"),
        (["verify", RECORD, "--limit", "0"], "at least 1"),
        (["verify", RECORD[:-1]], "51 cards"),
        (["verify", RECORD + "-"], "53 cards"),
        (["verify", RECORD.replace("J", "A", 1)], "five aces"),
        (["verify", "Z" + RECORD], "Z"),
        (["verify", RECORD + "?"], "cannot read '?' (character 54)"),  # a deal with a slip is no option
        (["verify", "-" + "#" * 51], "cannot read '#' (character 2)"),
        (["verify", ""], "no deal"),
        (["verify", "\x00\x01\x02\udcff\udcfe"], ""),
        (["verify", "-" * 10_000_000], ""),
        (["play", RECORD, "--tricks", "9:3"], "a range"),
        (["play", RECORD, "--tricks", "0:3"], "a range"),
        (["play", RECORD, "--limit", "-5"], "at least 1"),
        (["index", "AKQJ"], "4 cards"),
        (["deal"], "INDEX is missing"),
        (["deal", "-1"], "index '-1': at least 0"),
        (["deal", "653534134886878245000"], "at most 653534134886878244999"),
        (["deal", "7", "--rules", "free"], "fix no deck"),
        (["records", "all"], "one argument too many"),
        (["records", "--format", "xml"], "accepted are table, csv, json, markdown"),
        (["selftest", "--config", "nowhere.toml"], "config file nowhere.toml: No such file"),
    ],
    ids=lambda value: (" ".join(value) if isinstance(value, list) else value)[:60].encode("ascii", "replace").decode(),
)
def test_one_line_and_status_2(beggar, tmp_path, argv, said):
    before = snapshot(tmp_path)
    assert said in refused(beggar(*argv))
    assert snapshot(tmp_path) == before


@pytest.mark.parametrize("name", ["verify", "play", "index"])
def test_two_readings_are_shown(beggar, name):
    message = refused(beggar(name, "--rules", "free", "--J--", "-J-"))
    assert "two ways" in message and "'--J--/-J-'" in message and "'--J/-- and -J/-'" in message


GARBAGE = {
    "binary": bytes(range(256)) * 4,
    "10 MB line": b"-" * 10_000_000,
    "10 MB of cards": b"AKQJ-" * 2_000_000,
    "not UTF-8": b"\xff\xfe" * 100,
    "zeros": bytes(1000),
    "only blanks": b"  \n\n\t\n",
    "nothing": b"",
}


@pytest.mark.parametrize("body", GARBAGE.values(), ids=GARBAGE)
@pytest.mark.parametrize("name", ["verify", "index"])
def test_garbage_on_standard_input(program, tmp_path, name, body):
    called = program(name, "-", stdin=body)
    assert called.status == 2 and called.out == ""
    lines = called.err.splitlines()
    assert lines and all(line.startswith("beggar: error: ") and len(line) < 800 for line in lines)
    assert len(lines) == 1 or name_of(body) == "binary"
    assert snapshot(tmp_path) == {}


def name_of(body):
    return next(name for name, data in GARBAGE.items() if data == body)


def test_a_bad_line_costs_no_other(program):
    called = program("verify", "-", "--json", stdin=f"{RECORD}\n{RECORD.replace('J', 'A', 1)}\n{RECORD}\n".encode())
    assert called.status == 2 and called.out.count('"cards": 8344') == 2 and "line 2" in called.err and called.err.count("\n") == 1


def test_an_engine_that_does_not_exist(beggar, monkeypatch):
    monkeypatch.setenv("BEGGAR_ENGINE", "steam")
    assert "'steam'" in refused(beggar("selftest"))


def test_a_start_method_that_does_not_exist_leaves_no_run(beggar, tmp_path, monkeypatch):
    monkeypatch.setenv("BEGGAR_START_METHOD", "wish")
    for name in ("./x.run", "x"):
        assert "BEGGAR_START_METHOD is 'wish'" in refused(beggar("search", name, "--legs", "1"))
        assert snapshot(tmp_path) == {}


def test_environment_and_file_are_checked(beggar, tmp_path, monkeypatch):
    monkeypatch.setenv("BEGGAR_VERIFY_CARD", "3")
    assert "BEGGAR_VERIFY_CARD" in refused(beggar("verify", RECORD))
    monkeypatch.delenv("BEGGAR_VERIFY_CARD")
    (tmp_path / "beggar.toml").write_text("[verify]\ncards = -3\n")
    assert "beggar.toml, [verify] cards '-3'" in refused(beggar("verify", RECORD))
    assert beggar("verify", RECORD, "--cards", "8344").status == 0
    os.truncate(tmp_path / "beggar.toml", 3)
    assert "not TOML" in refused(beggar("verify", RECORD, "--cards", "8344"))


# ---- runs ----

SMALL = ["--strategy", "random", "--seed", "7", "--leg-games", "2000", "--searchers", "2", "--threshold", "500", "--keep", "20", "--legs", "2", "--workers", "1", "--quiet"]


@pytest.fixture(scope="module")
def run_file(tmp_path_factory):
    """The bytes of a finished run."""
    folder = tmp_path_factory.mktemp("made")
    path = folder / "made.run"
    done = subprocess.run([sys.executable, "-m", "search", "search", str(path), *SMALL], env=environment(), cwd=folder)
    assert done.returncode == 0
    return path.read_bytes()


@pytest.mark.parametrize(
    "argv, said",
    [
        (["search", "a", "b"], "one argument too many"),
        (["search", ""], "is no name for a run"),
        (["search", "x", "--strategy", "magic"], "'magic': accepted are "),
        (["search", "x", "--for", "glory"], "accepted are cards, tricks, infinite"),
        (["search", "x", "--rules", "free"], "not 'free'"),
        (["search", "x", "--rules", "5X"], "rules '5X'"),
        (["search", "x", "--rules", "1J 2- 1+2 2+1"], "two splits into hands, 1+2 and 2+1"),
        (["search", "x", "--rules", "1A=123K"], "'1A=123K': 1A=123K reads in two ways"),
        (["search", "x", "--rules", "4A=436-"], "4A=436- reads in two ways"),
        (["search", "x", "--leg-games", "10000000001"], "at most 10000000000"),
        (["search", "x", "--players", "7"], "at most 4"),
        (["search", "x", "--seed", "-1"], "--seed '-1': at least 0"),
        (["search", "x", "--seed", "99999999999999999999"], "at most 9223372036854775807"),
        (["search", "x", "--searchers", "0"], "at least 1"),
        (["search", "x", "--workers", "0"], "at least 1"),
        (["search", "x", "--workers", "1000000"], "at most 4096"),
        (["search", "x", "--keep", "0"], "at least 1"),
        (["search", "x", "--threshold", "0"], "at least 1"),
        (["search", "x", "--time", "0s"], "longer than nothing"),
        (["search", "x", "--time", "-5s"], "a duration is a number with a unit"),
        (["search", "x", "--time", "90"], "a duration is a number with a unit"),
        (["search", "x", "--until", "25:00"], "a time of day"),
        (["search", "x", "--games", "0"], "at least 1"),
        (["search", "x", "--legs", "-3"], "at least 1"),
        (["search", "x", "--until-cards", "0"], "at least 1"),
        (["search", "x", "--nice", "20"], "at most 19"),
        (["search", "x", "--on-find", "'"], "cannot split"),
        (["search", "x", "--on-find", "/no/such/program --x"], "there is no program /no/such/program"),
        (["search", "x", "--cluster", "localhost:8786"], "the address of a scheduler"),
        (["search", "x", "--cluster", "tls://localhost:8786", "--tls-ca", "absent.pem"], ""),  # with dask or without it
        (["search", "x", "--cluster", "tcp://localhost:8786", "--workers", "2"], "--workers is for workers on this machine"),
        (["search", "x", "--tls-key", "key.pem"], "go with --cluster"),
        (["audit", "a", "--share", "0"], "above 0 is wanted"),
        (["search", "--tls-key", "key.pem"], "go with --cluster"),
        (["search", "x", "--strategy", "random", "--patience", "5"], "--patience is no option of strategy random"),
        (["search", "x", "--strategy", "climb", "--patience", "0"], "--patience '0': at least 1"),
        (["search", "x", "--strategy", "climb", "--moves", "fly"], "fly"),
        (["search", "x", "--strategy", "climb", "--improve", "worst"], "accepted are best, first"),
        (["search", "x", "--strategy", "climb", "--for", "infinite"], "infinite"),
        (["resume"], "RUN is missing"),
        (["resume", "x", "--seed", "3"], "fixed when a run is created"),
        (["resume", "x", "--patience", "3"], "fixed when a run is created"),
        (["resume", "nothing"], "no such run"),
        (["status", "nothing"], "no such run"),
        (["finds", "nothing"], "no such run"),
        (["finds", "nothing", "--top", "0"], "at least 1 is wanted, or 'all'"),
        (["finds", "nothing", "--by", "beauty"], "accepted are cards, tricks, period, loop-cards, full-period, lead-in"),
        (["status", "no/such/folder/x.run"], "no such run"),
        (["finds", "nothing"], "error: results/nothing.run: no such run"),  # as it was given
    ],
    ids=lambda value: " ".join(value)[:60] if isinstance(value, list) else value[:30],
)
def test_runs_one_line_and_status_2(beggar, tmp_path, argv, said):
    assert said in refused(beggar(*argv))
    assert snapshot(tmp_path) == {}


def test_a_search_never_touches_a_file_that_exists(beggar, tmp_path, run_file):
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "x.run").write_bytes(run_file)
    (tmp_path / "other.run").write_text("something else")
    before = snapshot(tmp_path)
    assert "beggar resume x" in refused(beggar("search", "x", *SMALL))
    refused(beggar("search", "other.run", *SMALL))
    assert snapshot(tmp_path) == before


def newer(data):
    return data[:60] + (99).to_bytes(4, "big") + data[64:]


DAMAGED = {
    "empty": lambda data: b"",
    "foreign": lambda data: b"PK\x03\x04" + bytes(5000),
    "another database": lambda data: data[:68] + bytes(4) + data[72:],
    "cut short": lambda data: data[: len(data) // 2],
    "newer": newer,
    "text": lambda data: b"cards,tricks\n1,2\n" * 100,
}


@pytest.mark.parametrize("damage", DAMAGED.values(), ids=DAMAGED)
@pytest.mark.parametrize("name", ["resume", "status", "finds"])
def test_damaged_and_foreign_files(beggar, tmp_path, run_file, damage, name):
    (tmp_path / "x.run").write_bytes(damage(run_file))
    before = snapshot(tmp_path)
    assert "x.run" in refused(beggar(name, "x.run"), status=3)
    assert snapshot(tmp_path) == before


def test_the_list_of_runs_answers_for_damaged_ones(beggar, tmp_path, run_file):
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "good.run").write_bytes(run_file)
    (tmp_path / "results" / "bad.run").write_bytes(run_file[:1000])
    before = snapshot(tmp_path)
    called = beggar("runs")
    assert called.status == 3 and "good.run" in called.out and "bad.run" in called.err and called.err.count("\n") == 1
    assert snapshot(tmp_path) == before


def test_a_folder_where_a_run_should_be(beggar, tmp_path):
    (tmp_path / "x.run").mkdir()
    for name in ("resume", "status", "finds"):
        refused(beggar(name, "x.run"), status=3)
    refused(beggar("search", "x.run", *SMALL))
    assert list(snapshot(tmp_path)) == ["x.run"]


def test_a_folder_that_is_not_there(beggar, tmp_path):
    refused(beggar("search", "no/such/x.run", *SMALL), status=5)
    assert snapshot(tmp_path) == {}


def test_a_file_where_the_folder_should_be(beggar, tmp_path):
    (tmp_path / "results").write_text("not a folder")
    refused(beggar("search", "x", *SMALL), status=5)
    assert list(snapshot(tmp_path)) == ["results"]


def test_pipes_are_not_waited_for(beggar, tmp_path, run_file):
    os.mkfifo(tmp_path / "pipe")
    assert "'pipe': is a pipe; a file is wanted" in refused(beggar("search", "x", "--log-file", "pipe", *SMALL))
    (tmp_path / "x.run").write_bytes(run_file)
    os.mkfifo(tmp_path / "x.run-journal")
    assert "x.run-journal: is a pipe" in refused(beggar("status", "x.run"), status=3)
    os.mkfifo(tmp_path / "beggar.toml")
    assert "beggar.toml: is a pipe; a file is wanted" in refused(beggar("play", "--rules", "free", "J--/-J-"))


@pytest.mark.parametrize("change", ["DELETE FROM searchers WHERE searcher = 0", "UPDATE legs SET digest = 'abc'", "UPDATE legs SET digest = x'00'"])
def test_a_record_of_legs_that_is_damaged_is_nobodys_fault(beggar, tmp_path, run_file, change):
    (tmp_path / "x.run").write_bytes(run_file)
    with sqlite3.connect(tmp_path / "x.run") as db:
        assert db.execute(change).rowcount > 0
    db.close()
    before = snapshot(tmp_path)
    for command in (["audit", "x.run", "--share", "1", "--workers", "1"], ["replay", "x.run", "--searcher", "1", "--leg", "0"]):
        assert "the file is damaged" in refused(beggar(*command), status=3)
    assert snapshot(tmp_path) == before


def test_a_log_that_cannot_be_written(beggar, tmp_path):
    for name in ("./x.run", "x"):
        refused(beggar("search", name, *SMALL, "--log-file", "no/such/folder/log"), status=5)
        assert snapshot(tmp_path) == {}


def test_a_folder_for_runs_is_taken_away_only_if_it_was_made_in_vain(beggar, tmp_path):
    (tmp_path / "results").mkdir()
    refused(beggar("search", "x", *SMALL, "--log-file", "no/such/folder/log"), status=5)
    assert list(snapshot(tmp_path)) == ["results"]
    (tmp_path / "results").rmdir()
    assert beggar("search", "x", *SMALL, "--log-file", "results/x.log").status == 0
    assert set(snapshot(tmp_path)) == {"results", "results/x.run", "results/x.log"}


@pytest.mark.parametrize("name", ["status", "resume", "finds"])
def test_files_are_named_as_they_were_given(beggar, tmp_path, name):
    (tmp_path / "x.run").write_bytes(b"")
    assert refused(beggar(name, "x.run"), status=3).startswith("beggar: error: x.run: ")


@pytest.mark.parametrize("log", ["x.run", "./x.run", "link", "x.run.lock", "x.run-journal", "other.run", "other.run.lock"])
def test_a_log_is_never_written_into_a_run(beggar, tmp_path, run_file, log):
    (tmp_path / "x.run").write_bytes(run_file)
    (tmp_path / "other.run").write_bytes(run_file)
    (tmp_path / "link").symlink_to("x.run")
    before = snapshot(tmp_path)
    assert "is a file of a run" in refused(beggar("resume", "x.run", "--legs", "9", "--log-file", log))
    assert snapshot(tmp_path) == before


@pytest.mark.parametrize("name", ["a/", ".", "..", "./", "no/such/.."])
def test_the_name_of_a_folder_is_no_name_for_a_run(beggar, tmp_path, name):
    (tmp_path / "a").mkdir()
    before = snapshot(tmp_path)
    for command in ("search", "resume", "status", "finds"):
        assert "no name for a run" in refused(beggar(command, name))
    assert snapshot(tmp_path) == before


def test_a_path_below_a_file(beggar, tmp_path, run_file):
    (tmp_path / "x.run").write_bytes(run_file)
    before = snapshot(tmp_path)
    assert "no such run" in refused(beggar("status", "x.run/y.run"))
    refused(beggar("search", "x.run/y.run", *SMALL), status=5)
    assert snapshot(tmp_path) == before


AS_NOBODY = """
import os, sys
from search import cli
from search.commands import runs
runs.selftest()
runs.selftest = lambda: None  # and what it reads may be closed to others, as all that is imported
if os.geteuid() == 0:  # permissions do not bind the superuser
    os.setgroups([]); os.setgid(65534); os.setuid(65534)
sys.exit(cli.main(sys.argv[1:]))
"""


@pytest.fixture
def unprivileged():
    """A folder, and a way to call the program there as its owner, whom permissions bind."""

    def call(*argv: str) -> Called:
        done = subprocess.run([sys.executable, "-c", AS_NOBODY, *argv], cwd=folder, env=environment(), capture_output=True, text=True, timeout=60)
        return Called(done.returncode, done.stdout, done.stderr)

    with tempfile.TemporaryDirectory() as name:  # pytest's own folders are closed to others
        folder = Path(name)
        if os.geteuid() == 0:
            os.chown(folder, 65534, 65534)
        yield folder, call


def test_without_permission(unprivileged, run_file):
    folder, beggar = unprivileged
    run = folder / "x.run"
    run.write_bytes(run_file)
    if os.geteuid() == 0:
        os.chown(run, 65534, 65534)
    run.chmod(0o444)
    before = snapshot(folder)
    refused(beggar("resume", "x.run", "--legs", "4"), status=5)
    assert beggar("status", "x.run").status == 0
    run.chmod(0)
    refused(beggar("status", "x.run"), status=5)
    run.chmod(0o444)
    try:
        folder.chmod(0o333)
        refused(beggar("runs", "."), status=5)
        folder.chmod(0o555)
        refused(beggar("search", "y", *SMALL), status=5)
        refused(beggar("search", "./y.run", *SMALL), status=5)
        run.chmod(0o644)
        assert "cannot make the lock" in refused(beggar("resume", "x.run", "--legs", "4"), status=5)
        refused(beggar("resume", "x.run", "--legs", "4", "--log-file", "log"), status=5)
    finally:
        folder.chmod(0o755)
    run.chmod(0o444)
    assert snapshot(folder) == before
