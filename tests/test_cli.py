"""The program: what its commands print, and the exit statuses that scripts rely on."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from dataclasses import replace

import pytest
from conftest import TREE, environment

from search import __version__, engine
from search.commands import COMMANDS
from search.outcome import Status
from search.records import hall_of_fame, known_games, records_of
from search.rules import STANDARD

RECORD = "---AJ--Q---------QAKQJJ-QK/-----A----KJ-K--------A---"
ENDLESS = "---K---Q-KQAJ-----AAJ--J--/----------Q----KQ-J-----KA"

VERIFY_KEYS = [
    "deal", "rules", "status", "cards", "tricks", "winner", "lead_in", "period", "loop_cards", "full_period", "cycle",
    "cycle_period", "index", "engines", "record", "claim",
]  # fmt: skip


def objects(called):
    return [json.loads(line) for line in called.out.splitlines()]


def test_overview_lists_every_command(beggar):
    for argv in ([], ["--help"], ["help"], ["-h"]):
        called = beggar(*argv)
        assert called.status == (0 if argv else 2)
        text = called.out if argv else called.err
        for name, command in COMMANDS.items():
            assert re.search(rf"^  {name} +{re.escape(command.summary)}$", text, re.M)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(beggar, name):
    called = beggar(name, "--help")
    assert (called.status, called.err) == (0, "")
    assert called.out.startswith(f"usage: beggar {name}")
    assert beggar("help", name).out == called.out
    assert beggar(name, "-h").out == called.out


def test_version(beggar):
    assert beggar("--version").out == f"beggar {__version__}\n"


@pytest.mark.parametrize("before, after", [((), ()), (("--json",), ()), ((), ("--json",)), ((), ("--json", "--cards", "8344"))])
def test_a_deal_that_begins_with_dashes(beggar, before, after):
    called = beggar("verify", *before, RECORD, *after)
    assert called.status == 0 and "8344" in called.out and "1164" in called.out


def test_every_published_record_as_the_program_is_called(beggar):
    for record in known_games():
        (row,) = objects(beggar("verify", record.hands, "--rules", record.rules, "--json"))
        assert list(row) == VERIFY_KEYS
        for key in ("status", "cards", "tricks", "lead_in", "period"):
            assert row[key] == getattr(record, key)


def with_suits(hands):
    """Each card as rank and suit, number cards as 2 to 10, in a fixed order."""
    numbers = iter(["2", "3", "4", "5", "6", "7", "8", "9", "10"] * 4)
    return [" ".join((next(numbers) if c == "-" else c) + "♠♥♦♣"[i % 4] for i, c in enumerate(hand)) for hand in hands]


DIGITS = str.maketrans("AKQJ-", "43210")
NOTATIONS = {
    "one string": lambda a, b: [a + b],
    "slash": lambda a, b: [f"{a}/{b}"],
    "bar": lambda a, b: [f"{a}|{b}"],
    "comma": lambda a, b: [f"{a},{b}"],
    "colon": lambda a, b: [f"{a}:{b}"],
    "blank": lambda a, b: [f"{a} {b}"],
    "new line": lambda a, b: [f"{a}\n{b}"],
    "two arguments": lambda a, b: [a, b],
    "labels": lambda a, b: [f"1: {a}\n2: {b}"],
    "ranks with suits": lambda a, b: ["\n".join(with_suits([a, b]))],
    "digits": lambda a, b: [f"{a}/{b}".translate(DIGITS)],
    "lower case": lambda a, b: [f"{a}/{b}".lower()],
    "dots": lambda a, b: [f"{a}/{b}".replace("-", ".")],
}
PUBLISHED = [record for record in known_games() if record.year]


@pytest.mark.parametrize("notation", NOTATIONS.values(), ids=NOTATIONS)
def test_every_record_in_every_notation(beggar, notation):
    for record in PUBLISHED:
        (row,) = objects(beggar("verify", "--json", *notation(*record.hands.split("/"))))
        assert (row["deal"], row["cards"], row["tricks"], row["period"]) == (record.hands, record.cards, record.tricks, record.period)


def test_every_record_on_standard_input(program):
    for notation in (NOTATIONS["labels"], NOTATIONS["new line"], NOTATIONS["ranks with suits"]):
        text = "\n".join("\n".join(notation(*record.hands.split("/"))) for record in PUBLISHED)
        rows = objects(program("verify", "-", "--json", stdin=text))
        assert [(row["cards"], row["tricks"]) for row in rows] == [(record.cards, record.tricks) for record in PUBLISHED]


def test_json_of_an_infinite_game(beggar):
    (row,) = objects(beggar("verify", "--json", ENDLESS))
    assert (row["full_period"], row["loop_cards"], row["cycle_period"], row["winner"]) == (4650, 440, 62, None)


@pytest.mark.parametrize(
    "claim, status",
    [
        (["--cards", "8344"], 0),
        (["--cards", "8344", "--tricks", "1164"], 0),
        (["--cards", "8345"], 1),
        (["--tricks", "1165"], 1),
        (["--infinite"], 1),
        (["--period", "62"], 1),
    ],
)
def test_claims(beggar, claim, status):
    called = beggar("verify", RECORD, *claim)
    assert called.status == status
    assert re.search(r"^claim +" + ("fails: " if status else "holds$"), called.out, re.M)
    (row,) = objects(beggar("verify", RECORD, *claim, "--json"))
    assert row["claim"] == ("fails" if status else "holds")


def test_claims_about_an_infinite_game(beggar):
    assert beggar("verify", ENDLESS, "--infinite", "--lead-in", "4", "--period", "62").status == 0
    assert beggar("verify", ENDLESS, "--period", "4650").status == 1


def test_standard_input_joins_lines_and_answers_every_deal(program):
    text = "1: " + RECORD.replace("/", "\n2: ") + "\n\nnonsense\n\n" + ENDLESS.replace("/", "\n") + "\n" + RECORD.lower() + "\n"
    called = program("verify", "-", "--json", stdin=text)
    assert called.status == 2
    assert [row.get("cards") for row in objects(called)] == [8344, None, 474, 8344]
    assert "line 4" in objects(called)[1]["error"]
    assert called.err.startswith("beggar: error: line 4: ") and called.err.count("\n") == 1


def test_the_highest_status_of_a_list(program):
    assert program("verify", "-", "--cards", "8344", stdin=f"{RECORD}\n{ENDLESS}\n").status == 1
    assert program("verify", "-", "--cards", "8344", stdin=f"{RECORD}\n{ENDLESS}\nAKQJ\n").status == 2
    assert program("verify", "-", "--cards", "8344", stdin=f"{RECORD}\n{RECORD}\n").status == 0


def test_arguments_and_standard_input_mix(program):
    called = program("index", RECORD, "-", RECORD, stdin=ENDLESS)
    first, second, third = called.out.split()
    assert first == third != second


def test_other_rules(beggar):
    (row,) = objects(beggar("verify", "--rules", "free", "--J-/K-J-", "--json"))
    assert (row["cards"], row["tricks"], row["period"], row["rules"]) == (16, 4, 4, "1K=3 2J=1 5-")
    assert beggar("verify", "--rules", "italian", "AKQJ").status == 2
    assert beggar("verify", "--players", "3", RECORD.replace("/", "")).status == 0


def test_play_shows_all_tricks(beggar):
    lines = beggar("play", "--rules", "free", "J--/-J-").out.splitlines()
    assert lines[0].split() == ["trick", "cards", "led", "took", "pile", "hands", "after", "it"]
    assert [line.split() for line in lines[1:-1]] == [
        ["J--/-J-"],
        ["1", "2", "0", "0", "J-", "--J-/J-"],
        ["2", "5", "0", "1", "-J-", "J-/--J-"],
        ["3", "8", "1", "0", "-J-", "--J-/J-"],
    ]
    assert lines[-1].startswith("infinite: ")
    assert "seat 1 is out" in beggar("play", "--rules", "free", "--J--/-J-").out


def test_play_counts_to_the_record(beggar):
    rows = objects(beggar("play", RECORD, "--json"))
    assert len(rows) == 1165 and rows[-1]["cards"] == rows[-2]["cards"] == 8344
    assert [row["trick"] for row in rows[:-1]] == list(range(1, 1165))
    for before, after in zip(rows[:-2], rows[1:-1]):
        assert before["after"] == after["before"] and before["taker"] == after["leader"]
    assert sum(len(row["pile"]) for row in rows[:-1]) == 8344


def test_play_a_stretch_and_a_limit(beggar):
    lines = beggar("play", RECORD, "--tricks", "3:5").out.splitlines()
    assert [line.split()[0] for line in lines if line.lstrip()[:1].isdigit()] == ["3", "4", "5"]
    assert "8344 cards" in lines[-1]
    whole = beggar("play", RECORD).out.splitlines()
    assert lines[1].split() == [whole[3].split()[-1]]  # the hands before trick 3 are those after trick 2
    assert beggar("play", RECORD, "--tricks", "2000:").out.splitlines() == whole[-1:]
    assert "stopped by the limit: 100 cards" in beggar("play", RECORD, "--limit", "100").out


def test_index_and_back(beggar):
    index = beggar("index", RECORD).out.strip()
    assert beggar("deal", index).out.strip() == RECORD
    assert beggar("deal", "0").out.strip().replace("/", "") == "AAAAKKKKQQQQJJJJ" + 36 * "-"
    (row,) = objects(beggar("deal", STANDARD.deals - 1, "--json"))
    assert row["deal"].replace("/", "") == 36 * "-" + "JJJJQQQQKKKKAAAA" and row["deals"] == STANDARD.deals
    assert beggar("deal", STANDARD.deals).status == 2
    assert [beggar("deal", n, "--rules", "1A2-").out for n in range(3)] == ["A-/-\n", "-A/-\n", "--/A\n"]
    assert beggar("deal", "1", "--rules", "free").status == 2


def test_deal_reads_a_list(program):
    called = program("deal", "-", stdin="0\n\nx\n1\n")
    assert called.status == 2 and len(called.out.splitlines()) == 2 and called.err.count("\n") == 1


@pytest.mark.parametrize("form", ["table", "csv", "json", "markdown"])
def test_records_are_replayed(beggar, form):
    called = beggar("records", "--format", form)
    assert called.status == 0
    everything = [*known_games(), *hall_of_fame()]
    for record in everything:
        assert record.hands in called.out and str(record.cards) in called.out
    if form in ("json", "csv"):
        rows = json.loads(called.out) if form == "json" else list(csv.DictReader(io.StringIO(called.out)))
        assert len(rows) == len(everything) and {row["as_recorded"] for row in rows} == {"yes"}
        for row in rows:
            assert (row["from"] == "published") == (row["year"] not in (None, ""))
            assert (row["from"] == "this tool") == (row["source"] not in (None, ""))
        if form == "json":
            assert {row["deal"]: (row["from"], row["source"] or "") for row in rows} == {r.hands: (r.origin, r.source) for r in everything}


@pytest.mark.parametrize("players", [2, 3, 4])
def test_records_of_so_many_players(beggar, players):
    """The published ones first; none are for three and four."""
    rows = json.loads(beggar("records", "--players", players, "--format", "json").out)
    assert {row["players"] for row in rows} == {players}
    origins = [row["from"] for row in rows]
    assert origins == sorted(origins, key=["published", "this tool", "example"].index)
    if players > 2:
        assert set(origins) == {"this tool"} and {row["status"] for row in rows} == {"finite", "infinite"}
    for line in beggar("records", "--players", players).out.splitlines()[1:]:
        assert sum(f"  {origin}  " in line for origin in ("published", "this tool", "example  ")) == 1


def test_records_of_a_deck(beggar):
    whole = json.loads(beggar("records", "--rules", "standard", "--format", "json").out)
    assert {row["from"] for row in whole} == {"published", "this tool"}
    assert whole == json.loads(beggar("records", "--rules", "4A4K4Q4J36-", "--format", "json").out)
    assert {row["from"] for row in json.loads(beggar("records", "--rules", "free", "--format", "json").out)} == {"example"}
    for form, out in (("table", ""), ("csv", ""), ("markdown", ""), ("json", "[]\n")):
        none = beggar("records", "--rules", "italian", "--format", form)
        assert (none.status, none.out) == (0, out) and "nothing is published" in none.err
    assert beggar("records", "--rules", "nonsense").status == 2
    assert beggar("records", "--players", "5").status == 2


def test_a_deal_of_three_is_compared_with_what_this_tool_found(beggar):
    known = [record for record in hall_of_fame() if record.players == 3]
    for record in known:
        (row,) = objects(beggar("verify", "--players", "3", "--json", record.hands))
        assert row["record"].startswith(f"equals {record.title} (") and row["record"].endswith("; found by this tool)")
    shown = beggar("verify", "--players", "3", "A" * 4 + "K" * 4 + "Q" * 4 + "J" * 4 + "-" * 36).out
    longest = max(record.cards for record in known if record.status is Status.FINITE)
    assert re.search(rf"record +\d+ cards short of the longest game known to this tool, .* \({longest} cards; none of this kind is published\)", shown)
    assert "published" not in shown.replace("none of this kind is published", "")


def test_selftest(beggar):
    called = beggar("selftest", "--json")
    assert called.status == 0 and objects(called)[0]["agree"] is True
    lines = beggar("selftest").out.splitlines()
    assert lines[0].startswith("reference ") and len({line.index(" games") for line in lines}) == 1


def test_bench(beggar):
    called = beggar("bench", "--rounds", "1", "--rules", "2K2Q2J6-", "--json")
    assert called.status == 0, called.err
    done = objects(called)[0]
    rows = {row["engine"]: row for row in done["engines"]}
    assert set(rows) == set(engine.engines()) and rows["ring"]["packed_ratio"] == 1 == rows["ring"]["dealt_ratio"]
    assert all(row["packed"] > 0 and row["dealt"] > 0 for row in rows.values())
    assert {"random", "climb"} <= {row["strategy"] for row in done["strategies"]}
    refused = beggar("bench", "--players", "3")
    assert refused.status == 2


def test_a_closed_pipe_is_no_error(tmp_path):
    command = f"{sys.executable} -m search play '{RECORD}' | head -n 1"
    done = subprocess.run(["bash", "-c", f"set -o pipefail; {command}"], capture_output=True, text=True, env=environment(), cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_rest_of_a_list_is_not_judged_for_nobody(tmp_path):
    """Whoever reads goes away; the deals never end."""
    command = f"yes -- '{RECORD}' | {sys.executable} -m search verify - | head -n 1"
    done = subprocess.run(
        ["bash", "-c", f"{command}; echo ${{PIPESTATUS[1]}}"], capture_output=True, text=True, env=environment(), cwd=tmp_path, timeout=60
    )
    assert done.stdout.splitlines()[-1] == "141" and done.stderr == ""


@pytest.mark.parametrize("as_json", [False, True])
def test_engines_that_disagree_cost_no_other_deal(beggar, monkeypatch, as_json):
    short, wrong = "J-/--", "-J/--"
    real = engine.play

    def play(deal, *args):
        outcome = real(deal, *args)
        return replace(outcome, cards=outcome.cards + 1) if str(deal) == wrong else outcome

    monkeypatch.setattr(engine, "play", play)
    called = beggar("verify", *(["--json"] if as_json else []), "--rules", "free", wrong, short, "1/2/3", wrong, short)
    assert called.status == 70
    assert called.err.count("engines disagree about -J/--") == 2 and called.err.count("beggar: error:") == 3
    if as_json:
        assert [row.get("deal") for row in objects(called)] == [None, short, None, None, short]
    else:
        assert len(re.findall("^deal ", called.out, re.M)) == 2


def test_engines_that_disagree_about_one_record(beggar, monkeypatch):
    wrong = records_of("free")[0]
    real = engine.play

    def play(deal, *args):
        outcome = real(deal, *args)
        return replace(outcome, cards=outcome.cards + 1) if deal == wrong.deal else outcome

    monkeypatch.setattr(engine, "play", play)
    called = beggar("records", "--rules", "free", "--format", "json")
    assert called.status == 70 and called.err.startswith(f"beggar: error: {wrong.name}: engines disagree")
    assert len(json.loads(called.out)) == len(records_of("free")) - 1 > 0


def test_a_full_disk_is_status_5(tmp_path):
    import os
    if not os.path.exists("/dev/full"):
        pytest.skip("this system has no /dev/full")
    with open("/dev/full", "w") as full:
        done = subprocess.run([sys.executable, "-m", "search", "play", RECORD], stdout=full, stderr=subprocess.PIPE, text=True, env=environment(), cwd=tmp_path)
    assert done.returncode == 5 and done.stderr.startswith("beggar: error: cannot write") and done.stderr.count("\n") == 1


def test_a_fault_of_ours_is_status_70(beggar, monkeypatch):
    def fail(args):
        raise ZeroDivisionError("oh")

    broken = COMMANDS["records"].__class__(**{**vars(COMMANDS["records"]), "run": fail})
    monkeypatch.setitem(COMMANDS, "records", broken)
    called = beggar("records")
    assert called.status == 70 and called.err.count("\n") == 1
    assert "a fault of the program" in called.err and "ZeroDivisionError: oh" in called.err and "BEGGAR_DEBUG=1" in called.err
    monkeypatch.setenv("BEGGAR_DEBUG", "1")
    assert "Traceback" in beggar("records").err


def test_ctrl_c_is_status_130(beggar, monkeypatch):
    def interrupted(args):
        raise KeyboardInterrupt

    broken = COMMANDS["records"].__class__(**{**vars(COMMANDS["records"]), "run": interrupted})
    monkeypatch.setitem(COMMANDS, "records", broken)
    assert beggar("records").status == 130


INTERRUPTED = """
import atexit, os, signal, sys

class Interrupter:
    def find_spec(self, name, path=None, target=None):
        if name == {when!r}:
            os.kill(os.getpid(), signal.{signal})

sys.meta_path.insert(0, Interrupter())
if {when!r} == "the end":
    atexit.register(lambda: os.kill(os.getpid(), signal.{signal}))
from search.cli import program
sys.argv = ["beggar", "deal", "0", "--rules", "1A1-"]
sys.exit(program())
"""


@pytest.mark.parametrize("when", ["search.commands", "sqlite3", "multiprocessing.connection", "search.config", "search.strategies.scan", "the end"])
@pytest.mark.parametrize("number, statuses", [("SIGINT", (130, -signal.SIGINT)), ("SIGTERM", (-signal.SIGTERM,))])
def test_a_signal_while_the_program_begins_or_ends_is_quiet(tmp_path, when, number, statuses):
    script = INTERRUPTED.format(when=when, signal=number)
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, env=environment(), capture_output=True, text=True)
    assert done.returncode in statuses and done.stderr == ""
    assert done.stdout == ("A/-\n" if when == "the end" else "")


def test_ctrl_c_that_is_to_be_ignored_is(tmp_path):
    script = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)\n" + INTERRUPTED.format(when="sqlite3", signal="SIGINT")
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, env=environment(), capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "A/-\n", "")


def test_the_way_in_imports_little():
    """What is imported before Ctrl-C can be answered."""
    script = "import sys; before = set(sys.modules); import search.cli; print(*sorted(m for m in set(sys.modules) - before if m.startswith('search')))"
    done = subprocess.run([sys.executable, "-c", script], env=environment(), capture_output=True, text=True)
    assert done.stdout.split() == ["search", "search.cli", "search.complaints", "search.errors"]


@pytest.mark.parametrize(
    "argv, status",
    [
        (["index", "Z"], 2),
        (["index", RECORD, "Z"], 2),
        (["index", "Z", RECORD], 2),
        (["index", RECORD], 0),
        (["verify", RECORD, RECORD, "--cards", "1"], 1),  # known: the first claim fails
        (["verify", RECORD, RECORD, "--cards", "8344"], 141),  # known: nobody reads that it holds
        (["verify", "--json", "AKQJ", RECORD], 2),
        (["records", "--rules", "free"], 0),  # all is judged before the first line is printed
    ],
    ids=lambda value: " ".join(value)[:30] if isinstance(value, list) else None,
)
def test_a_pipe_that_nobody_reads(tmp_path, argv, status):
    """Errors keep their status; what is merely not read is no error; but a judge does not say 0 to nobody."""
    read_end, write_end = os.pipe()
    os.close(read_end)
    done = subprocess.run([sys.executable, "-m", "search", *argv], stdout=write_end, stderr=subprocess.PIPE, text=True, env=environment(PYTHONUNBUFFERED=""), cwd=tmp_path)
    os.close(write_end)
    assert done.returncode == status and done.stderr.count("\n") == (status == 2)


def test_a_long_error_keeps_its_beginning_and_its_end(capsys):
    from search.complaints import complain

    complain("leg 3 failed:\n" + "  line\n" * 1000 + "ValueError: the end")
    err = capsys.readouterr().err
    assert err.startswith("beggar: error: leg 3 failed:") and err.endswith("ValueError: the end\n")
    assert err.count("\n") == 1 and len(err) < 700


def test_sources_that_are_not_built_say_so(tmp_path):
    """In a clone, `python -m search` finds the sources before the installed program."""
    bare = shutil.ignore_patterns("*.so", "*.pyd", "__pycache__")
    shutil.copytree(TREE / "search", tmp_path / "search", ignore=bare)
    env = {name: value for name, value in environment().items() if name != "PYTHONPATH"}
    # An editable install would lend its kernel to any package called search: as if there were none.
    program = (
        "import runpy, sys; sys.argv = ['search', '--version'];"
        "sys.meta_path[:] = [finder for finder in sys.meta_path if 'editable' not in repr(finder).lower()];"
        "runpy.run_module('search', run_name='__main__', alter_sys=True)"
    )
    called = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, env=env, capture_output=True, text=True)
    assert called.returncode == 2 and called.stderr.count("\n") == 1
    assert f"{tmp_path / 'search'} holds sources that are not built" in called.stderr
    assert f"build them: {sys.executable} -m pip install -e {tmp_path};" in called.stderr


@pytest.mark.parametrize("closed", ["1>&-", "2>&-", "1>&- 2>&-"])
def test_closed_streams_change_nothing(tmp_path, closed):
    for argv, status in ((f"verify {RECORD}", 0), (f"verify --cards 1 {RECORD}", 1), ("verify Z", 2)):
        done = subprocess.run(
            f'"{sys.executable}" -m search {argv} {closed}', shell=True, cwd=tmp_path, env=environment(), capture_output=True, text=True
        )
        assert (done.returncode, "Traceback" in done.stderr) == (status, False), done
