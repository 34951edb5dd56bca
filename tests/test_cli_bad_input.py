"""Bad input: one clear line on standard error, the right exit status, nothing changed on disk."""

from __future__ import annotations

import os

import pytest

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
        (["verify", RECORD, "--limit", "0"], "at least 1"),
        (["verify", RECORD[:-1]], "51 cards"),
        (["verify", RECORD + "-"], "53 cards"),
        (["verify", RECORD.replace("J", "A", 1)], "five aces"),
        (["verify", "Z" + RECORD], "Z"),
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


def test_environment_and_file_are_checked(beggar, tmp_path, monkeypatch):
    monkeypatch.setenv("BEGGAR_VERIFY_CARD", "3")
    assert "BEGGAR_VERIFY_CARD" in refused(beggar("verify", RECORD))
    monkeypatch.delenv("BEGGAR_VERIFY_CARD")
    (tmp_path / "beggar.toml").write_text("[verify]\ncards = -3\n")
    assert "beggar.toml, [verify] cards '-3'" in refused(beggar("verify", RECORD))
    assert beggar("verify", RECORD, "--cards", "8344").status == 0
    os.truncate(tmp_path / "beggar.toml", 3)
    assert "not TOML" in refused(beggar("verify", RECORD, "--cards", "8344"))
