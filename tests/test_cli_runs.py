"""Runs from the command line: search, resume, status, finds, runs, and how they end."""

from __future__ import annotations

import csv
import io
import json
import multiprocessing
import os
import pty
import re
import select
import signal
import subprocess
import sys
import time

import pytest
from conftest import environment

from search.errors import BeggarError
from search.lock import WriterLock
from search.run import Run
from search.status import read_status
from search.store import Store

SMALL = ["--strategy", "random", "--seed", "7", "--leg-games", "3000", "--searchers", "4", "--threshold", "500", "--keep", "40", "--quiet"]
STATUS_KEYS = {
    "run", "state", "created", "bytes", "settings", "legs", "legs_set_aside", "set_aside", "searchers_begun", "counts", "longest", "found",
    "best", "last_commit", "sessions", "worked_s", "games_per_s", "tricks_per_s", "eta_s", "session", "workers", "expect",
}  # fmt: skip


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A folder with the finished run results/small.run, and what the search printed."""
    folder = tmp_path_factory.mktemp("runs")
    done = run_program(folder, "search", "small", *SMALL, "--legs", "6", "--workers", "2")
    return folder, done


def run_program(folder, *argv):
    return subprocess.run([sys.executable, "-m", "search", *argv], cwd=folder, env=environment(), capture_output=True, text=True, timeout=120)


@pytest.fixture
def small(made, monkeypatch):
    monkeypatch.chdir(made[0])
    return made[0]


def call(capsys, *argv):
    from search.cli import main

    capsys.readouterr()
    status = main(list(argv))
    return (status, *capsys.readouterr())


def test_a_search_ends_with_its_finds_and_how_to_go_on(made):
    folder, done = made
    assert done.returncode == 0 and done.stderr == ""
    assert "all games are played" in done.stdout and "6 legs, 18.0k games" in done.stdout
    assert done.stdout.endswith("go on with: beggar resume small\n")
    assert os.listdir(folder / "results") == ["small.run"]


def test_status_for_scripts(small, capsys):
    status, out, err = call(capsys, "status", "small", "--json")
    state = json.loads(out)
    assert status == 0 and set(state) == STATUS_KEYS
    assert (state["legs"], state["counts"]["games"], state["state"], state["run"]) == (6, 18000, "stopped", "results/small.run")
    assert state["settings"]["seed"] == 7 and state["settings"]["strategy"] == "random"
    assert state["session"]["stopped_by"] == "games" and state["session"]["workers"] == 2 and state["eta_s"] is None
    assert state["best"]["cards"] >= 500 and state["found"]["finite"] > 10


def test_status_for_people(small, capsys):
    status, out, err = call(capsys, "status", "results/small.run")
    assert status == 0 and "random for cards, rules standard, seed 7" in out
    for word in ("run", "search", "done", "session", "ended", "rate", "finds", "best", "commit"):
        assert f"\n{word} " in "\n" + out


def test_status_tells_what_a_new_find_must_reach(beggar):
    """The threshold until there are as many as are kept, then the last one of them."""
    for name, keep, objective in (("few", 3, "cards"), ("many", 999, "cards"), ("tricks", 3, "tricks")):
        assert beggar("search", name, *SMALL[:-3], "--keep", keep, "--for", objective, "--threshold", "99", "--leg-games", "300", "--legs", "1", "--workers", "1", "--quiet").status == 0
        found = json.loads(beggar("status", name, "--json").out)["found"]
        rows = json.loads(beggar("finds", name, "--top", "all", "--format", "json").out)
        bar = min(row[objective] for row in rows) if keep == 3 else 99
        assert (found["finite"], found["bar"]) == (len(rows), bar) and len(rows) >= 3 and bar >= 99
        assert f"finds     {len(rows)} finite of at most {keep}: a new one must reach {bar} {objective}; 0 infinite\n" in beggar("status", name).out


def test_finds_in_every_format(small, capsys):
    rows = json.loads(call(capsys, "finds", "small", "--format", "json")[1])
    assert len(rows) == 10
    assert [row["cards"] for row in rows] == sorted((row["cards"] for row in rows), reverse=True)
    assert {"deal", "cards", "engines", "index", "searcher", "leg", "found_at"} <= set(rows[0])
    assert rows[0]["searcher"] < 4 and rows[0]["leg"] < 2
    table = call(capsys, "finds", "small")[1].splitlines()
    assert len(table) == 11 and rows[0]["deal"] in table[1]
    lines = list(csv.DictReader(io.StringIO(call(capsys, "finds", "small", "--format", "csv", "--top", "3")[1])))
    assert [line["deal"] for line in lines] == [row["deal"] for row in rows[:3]]
    assert set(lines[0]) == set(rows[0])
    assert f"`{rows[0]['deal']}`" in call(capsys, "finds", "small", "--format", "markdown", "--top", "1")[1]


def test_finds_in_other_orders(small, capsys):
    rows = json.loads(call(capsys, "finds", "small", "--by", "tricks", "--top", "all", "--format", "json")[1])
    assert len(rows) > 10 and [row["tricks"] for row in rows] == sorted((row["tricks"] for row in rows), reverse=True)
    turned = json.loads(call(capsys, "finds", "small", "--by", "tricks", "--smallest", "--top", "3", "--format", "json")[1])
    assert [row["tricks"] for row in turned] == sorted(row["tricks"] for row in rows)[:3]
    assert json.loads(call(capsys, "finds", "small", "--by", "period", "--format", "json")[1]) == []
    assert json.loads(call(capsys, "finds", "small", "--for", "infinite", "--format", "json")[1]) == []
    assert len(json.loads(call(capsys, "finds", "small", "--for", "cards", "--format", "json")[1])) == 10


def test_infinite_games_are_listed_first(beggar):
    """Small decks loop often."""
    made = beggar("search", "loops", "--strategy", "random", "--rules", "2J=1 10-", "--seed", "3", "--leg-games", "500", "--legs", "2", "--workers", "1", "--quiet")
    assert made.status == 0 and "infinite" in made.out
    rows = json.loads(beggar("finds", "loops", "--top", "all", "--format", "json").out)
    kinds = [row["status"] for row in rows]
    assert "infinite" in kinds and kinds == sorted(kinds, reverse=True)
    lead_ins = [row["lead_in"] for row in json.loads(beggar("finds", "loops", "--by", "lead-in", "--top", "all", "--format", "json").out)]
    assert lead_ins == sorted(lead_ins, reverse=True) and None not in lead_ins
    assert "period" in beggar("finds", "loops").out.splitlines()[0]


def test_the_list_of_runs(small, capsys):
    status, out, err = call(capsys, "runs")
    assert status == 0 and out.splitlines()[1].startswith("results/small.run  stopped")
    (row,) = [json.loads(line) for line in call(capsys, "runs", "--json")[1].splitlines()]
    assert row["legs"] == 6 and row["strategy"] == "random"


def test_hidden_runs_are_listed(beggar, tmp_path):
    assert beggar("search", ".x", *SMALL, "--legs", "1", "--workers", "1").status == 0
    (tmp_path / "results" / "._.x.run").write_bytes(b"what macOS puts beside a file")
    called = beggar("runs")
    assert (called.status, called.err) == (0, "") and called.out.splitlines()[1].startswith("results/.x.run ")


def test_no_runs(beggar):
    called = beggar("runs")
    assert (called.status, called.out) == (0, "") and "beggar search" in called.err
    assert beggar("runs", ".").err == "no runs in .\n"


def test_search_and_resume_equal_one_search(beggar):
    assert beggar("search", "one", *SMALL, "--legs", "8", "--workers", "1").status == 0
    assert beggar("search", "two", *SMALL, "--legs", "3", "--workers", "1").status == 0
    called = beggar("resume", "two", "--legs", "8", "--workers", "2", "--quiet", "--json")
    assert called.status == 0 and json.loads(called.out)["session"]["legs"] == 5
    finds = [json.loads(beggar("finds", name, "--top", "all", "--format", "json").out) for name in ("one", "two")]
    for rows in finds:
        for row in rows:
            del row["found_at"]
    assert finds[0] == finds[1] and len(finds[0]) > 10


@pytest.mark.parametrize("asked", [["--legs", "2"], ["--games", "5000"], ["--legs", "3"]])
def test_a_run_that_has_all_that_is_asked_for(beggar, asked):
    assert beggar("search", "done", *SMALL, "--legs", "3", "--workers", "1").status == 0
    called = beggar("resume", "done", *asked, "--workers", "1", "--quiet")
    legs = 3 if asked[-1] == "3" else 2
    assert called.status == 0
    assert called.out.startswith(f"nothing to do: the run has 3 legs already, and --legs or --games asked for {legs} in all\n")
    assert called.out.endswith(f"go on with: beggar resume done --legs {3 + legs}\n")


def test_a_run_without_a_name(beggar, tmp_path):
    for number in range(2):
        called = beggar("search", *SMALL, "--legs", "1", "--workers", "1", "--json")
        state = json.loads(called.out)
        assert state["run"].startswith("results/random-") and (tmp_path / state["run"]).is_file()
        assert len(state["best_finds"]) == 5
    assert len(list((tmp_path / "results").glob("*.run"))) == 2


def test_a_dated_name_that_somebody_else_takes_just_now(beggar, tmp_path, monkeypatch):
    """Between the look for a free name and the creation: one has the file, the next one only the lock yet."""
    create, locks = Run.create, []

    def too_late(path, settings):
        if not list((tmp_path / "results").iterdir()):
            create(path, settings).close()
        elif not locks:
            locks.append(WriterLock(path))
        return create(path, settings)

    monkeypatch.setattr(Run, "create", too_late)
    called = beggar("search", *SMALL, "--legs", "1", "--workers", "1", "--json")
    locks[0].release()
    assert called.status == 0 and json.loads(called.out)["run"].endswith("-3.run")


def test_a_run_with_a_path(beggar, tmp_path):
    assert beggar("search", "./mine.run", *SMALL, "--legs", "1", "--workers", "1").status == 0
    assert (tmp_path / "mine.run").is_file() and not (tmp_path / "results").exists()
    assert beggar("status", "mine.run").status == 0


def test_the_seed_is_drawn_and_told(beggar):
    seeds = set()
    for name in ("a", "b"):
        called = beggar("search", name, "--strategy", "random", "--leg-games", "100", "--legs", "1", "--workers", "1")
        seed = json.loads(beggar("status", name, "--json").out)["settings"]["seed"]
        assert f"seed {seed}" in called.err
        seeds.add(seed)
    assert len(seeds) == 2


def test_options_of_strategies_and_config(beggar, tmp_path):
    (tmp_path / "beggar.toml").write_text('[search]\nstrategy = "climb"\npatience = 77\nsearchers = 3\nquiet = true\nworkers = 1\nlegs = 1\nleg-games = 1000\n')
    assert beggar("search", "up", "--improve", "first").status == 0
    settings = json.loads(beggar("status", "up", "--json").out)["settings"]
    assert (settings["strategy"], settings["patience"], settings["improve"], settings["searchers"]) == ("climb", 77, "first", 3)
    # what the file says about another strategy's options does not matter
    assert beggar("search", "flat", "--strategy", "random").status == 0


@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
def test_a_log_of_all_processes(program, tmp_path, method):
    argv = ["search", "logged", *SMALL, "--legs", "2", "--workers", "1", "--log-file", "run.log"]
    assert program(*argv, env={"BEGGAR_START_METHOD": method}).status == 0
    log = (tmp_path / "run.log").read_text()
    state = json.loads(program("status", "logged", "--json").out)
    best = state["best"]
    (worker,) = state["workers"]
    for leg in ("leg 0 of searcher 0", "leg 0 of searcher 1"):
        assert re.search(rf" INFO beggar-worker {worker['pid']} beggar.work: {leg} begins\n", log)
        assert re.search(rf" INFO beggar-worker {worker['pid']} beggar.work: {leg} took [0-9]+\.[0-9]+ s\n", log)
        assert re.search(rf" INFO MainProcess {state['session']['pid']} beggar.run: committed {leg}\n", log)
    assert "session begins: version" in log and "until games 6000\n" in log and "session ends: games, after 2 legs, 6000 games\n" in log
    assert [line for line in log.splitlines() if "new best" in line][-1].endswith(f"new best: {best['deal']}, {best['cards']} cards, {best['tricks']} tricks")


def test_on_find_is_told(program, tmp_path):
    command = f"{sys.executable} -c \"import sys; open('found', 'a').write(sys.stdin.read())\""
    assert program("search", "heard", *SMALL, "--legs", "2", "--workers", "1", "--on-find", command).status == 0
    rows = [json.loads(line) for line in (tmp_path / "found").read_text().splitlines()]
    best = json.loads(program("status", "heard", "--json").out)["best"]
    assert rows[-1]["deal"] == best["deal"] and {"searcher", "leg", "found_at", "engines"} <= set(rows[0])


def test_on_find_that_fails_harms_nothing(program, tmp_path):
    broken = tmp_path / "broken"
    broken.write_text("#!/no/such/interpreter\n")
    broken.chmod(0o755)
    called = program("search", "deaf", *SMALL, "--legs", "2", "--workers", "1", "--on-find", f"{broken} --x")
    assert called.status == 0 and f"cannot start {broken}" in called.err


def started(folder, *argv):
    process = subprocess.Popen([sys.executable, "-m", "search", *argv], cwd=folder, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    name = argv[1]
    end = time.monotonic() + 60
    while time.monotonic() < end and process.poll() is None:
        seen = run_program(folder, "status", name, "--json")
        if seen.returncode == 0 and json.loads(seen.stdout)["legs"]:
            return process
        time.sleep(0.05)
    process.kill()
    raise AssertionError(process.communicate())


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_stops_cleanly(tmp_path, number):
    process = started(tmp_path, "search", "long", *SMALL, "--workers", "1")
    seen = json.loads(run_program(tmp_path, "status", "long", "--json").stdout)
    assert seen["state"] == "running" and seen["session"]["pid"] == process.pid and seen["session"]["stopped_by"] is None
    busy = run_program(tmp_path, "resume", "long", "--quiet")
    assert busy.returncode == 4 and busy.stderr.count("\n") == 1
    process.send_signal(number)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 130 and out.endswith("go on with: beggar resume long\n") and "Traceback" not in err
    seen = json.loads(run_program(tmp_path, "status", "long", "--json").stdout)
    assert seen["state"] == "stopped" and seen["session"]["stopped_by"] == "stopped"


def test_ctrl_c_when_nobody_reads_the_result(tmp_path):
    process = started(tmp_path, "search", "unread", *SMALL, "--workers", "1")
    process.stdout.close()
    process.send_signal(signal.SIGINT)
    err = process.stderr.read()
    process.stderr.close()
    assert (process.wait(30), err) == (130, "")
    assert json.loads(run_program(tmp_path, "status", "unread", "--json").stdout)["state"] == "stopped"


def test_a_killed_run_says_so_and_goes_on(tmp_path):
    process = started(tmp_path, "search", "shot", *SMALL, "--workers", "1")
    process.kill()
    process.communicate()
    seen = json.loads(run_program(tmp_path, "status", "shot", "--json").stdout)
    assert seen["state"] == "killed" and seen["session"]["stopped_by"] is None
    done = run_program(tmp_path, "resume", "shot", "--legs", str(seen["legs"] + 3), "--quiet", "--json")
    assert done.returncode == 0 and json.loads(done.stdout)["legs"] >= seen["legs"] + 3


def test_eta_of_a_bounded_search(tmp_path):
    process = started(tmp_path, "search", "bounded", *SMALL, "--workers", "1", "--time", "100s", "--games", "100_000_000")
    seen = json.loads(run_program(tmp_path, "status", "bounded", "--json").stdout)
    assert 0 < seen["eta_s"] <= 100
    assert "to go" in run_program(tmp_path, "status", "bounded").stdout
    process.terminate()
    process.communicate()


def test_a_search_goes_on_when_nobody_reads_what_it_says(tmp_path):
    read_end, write_end = os.pipe()
    os.close(read_end)
    argv = [sys.executable, "-m", "search", "search", "deaf", *SMALL[:-1], "--legs", "4", "--workers", "1"]
    done = subprocess.run(argv, cwd=tmp_path, env=environment(), stdout=subprocess.PIPE, stderr=write_end, text=True, timeout=120)
    os.close(write_end)
    assert done.returncode == 0 and "all games are played" in done.stdout
    assert json.loads(run_program(tmp_path, "status", "deaf", "--json").stdout)["legs"] == 4


def test_an_audit_says_what_it_came_to(program):
    called = program("search", "twice", *SMALL[:-1], "--legs", "4", "--workers", "2", "--audit", "1")
    assert called.status == 0 and "audit: 4 legs done twice, they were equal\n" in called.err
    assert "audit" not in program("search", "once", *SMALL[:-1], "--legs", "4", "--workers", "2").err


def test_resume_names_workers_that_were_wrong(program, tmp_path):
    assert program("search", "wrong", *SMALL[:-1], "--legs", "2").status == 0
    before = program("resume", "wrong", "--legs", "3")
    assert before.status == 0 and "warning" not in before.err
    with Store.open(str(tmp_path / "results" / "wrong.run"), write=True) as store:
        note = {"name": "tcp://10.0.0.7:4711", "host": "attic", "pid": 4, "state": "distrusted", "why": "its result of leg 1 was wrong"}
        store.begin_session(store.sessions()[-1])
        store.end_session("stopped", [note])
    told = program("resume", "wrong", "--legs", "4")
    assert told.status == 0
    assert "warning: 1 worker gave wrong results in earlier sessions: tcp://10.0.0.7:4711 on attic (" in told.err
    assert "its result of leg 1 was wrong" in told.err and "beggar audit" in told.err


def test_status_names_the_engine_that_plays_and_says_why_it_ended(program):
    """Three players, and decks that cannot be packed, have engines of their own."""
    for name, rules, engine in (("three", ["--players", "3"], "seats"), ("wide", ["--rules", "4A4K4Q4J60-"], "ring")):
        assert program("search", name, "--strategy", "random", "--leg-games", "50", "--legs", "2", "--quiet", *rules).status == 0
        state = json.loads(program("status", name, "--json").out)
        assert state["session"]["engine"] == engine
        assert {worker["state"] for worker in state["workers"]} == {"ended"}
    text = program("status", "three").out
    assert "ago: all games are played\n" in text and "at work" not in text


def test_a_closed_terminal_stops_cleanly(tmp_path):
    argv = [sys.executable, "-m", "search", "search", "closed", *SMALL[:-1], "--workers", "1"]
    pid, terminal = pty.fork()
    if not pid:
        signal.signal(signal.SIGHUP, signal.SIG_DFL)  # whoever started the tests may ignore it (nohup)
        os.chdir(tmp_path)
        os.execve(sys.executable, argv, environment())
    shown = b""
    while b"games/s" not in shown and select.select([terminal], [], [], 60)[0]:  # the first leg is done
        shown += os.read(terminal, 4096)
    os.close(terminal)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    assert b"games/s" in shown
    seen = json.loads(run_program(tmp_path, "status", "closed", "--json").stdout)
    assert (status, seen["state"], seen["session"]["stopped_by"]) == (5, "stopped", "stopped")  # 5: the result cannot be shown


@pytest.mark.parametrize("players", [2, 3])
def test_a_search_with_a_limit_counts_wins_and_draws(beggar, players):
    options = ("--players", players, "--rules", "2K2Q2J6-", "--limit", "12", "--workers", "1", "--quiet")
    assert beggar("search", "to-a-limit", "--strategy", "scan", *options).status == 0
    counts = json.loads(beggar("status", "to-a-limit", "--json").out)["counts"]
    assert 0 < counts["draws"] < counts["limited"] < counts["games"] == 83160
    assert counts["draws"] + counts["infinite"] + sum(counts[f"wins_{seat}"] for seat in range(players)) == 83160
    shown = beggar("status", "to-a-limit").out
    assert "limit 12 cards" in shown and " stopped by the limit; seat 0 wins " in shown and f"{counts['draws']} draws" in shown
    assert "engine ring" in shown or players > 2
    refused = beggar("search", "never", "--strategy", "climb", *options)
    assert refused.status == 2 and "--limit is no option of strategy climb" in refused.err


def test_killed_scans_merged_are_one_scan(tmp_path):
    """Parts whose searches are killed again and again, resumed and merged: every total, histogram and find of one scan."""
    options = ("--strategy", "scan", "--players", "3", "--rules", "2K2Q2J9-", "--leg-games", "1500", "--threshold", "20", "--keep", "50", "--workers", "1", "--quiet")
    assert run_program(tmp_path, "search", "whole", *options).returncode == 0

    def path(name):
        return str(tmp_path / "results" / f"{name}.run")

    def legs(name):
        try:
            return read_status(path(name)).legs
        except BeggarError:  # it is not there yet
            return 0

    killed = 0
    for part in ("1", "2"):
        name = f"part-{part}"
        command = ("search", name, *options, "--part", f"{part}/2", "--searchers", part)
        for _ in range(3):
            before = legs(name)
            process = subprocess.Popen([sys.executable, "-m", "search", *command], cwd=tmp_path, env=environment(), stdout=subprocess.DEVNULL)
            while process.poll() is None and legs(name) <= before + 3:
                time.sleep(0.005)
            process.kill()
            killed += process.wait() == -signal.SIGKILL
            command = ("resume", name, "--workers", "1", "--quiet")
        assert run_program(tmp_path, *command).returncode == 0
    assert killed >= 3
    merged = run_program(tmp_path, "merge", "merged", "part-2", "part-1", "--json")
    assert json.loads(merged.stdout)["complete"] is True

    def totals(name):
        with Store.open(path(name)) as store:
            return store.counts, store.histograms(), sorted((f.text, f.cards, f.tricks, f.infinite) for f in store.finds())

    assert totals("merged") == totals("whole") and totals("whole")[0]["games"] == 450450


def test_an_empty_file_of_that_name_is_no_run(beggar, tmp_path):
    (tmp_path / "e.run").touch()
    done = beggar("search", tmp_path / "e.run", "--time", "1s")
    assert (done.status, done.out) == (2, "") and "an empty file of that name exists; remove it" in done.err
    assert (tmp_path / "e.run").read_bytes() == b""
