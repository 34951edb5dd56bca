"""The loop: bounds, stops, what workers do wrong, what a person is told."""

from __future__ import annotations

import io
import os
import re
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import Executor, Future
from dataclasses import replace
from pathlib import Path

import pytest
import toys
from conftest import environment

import search.run
from search.errors import CannotWrite, Fault, InputError
from search.leg import LegResult, PackedLeg, Tally
from search.objects import status_object
from search.progress import ProgressLine
from search.run import Bounds, Progress, Run, Why
from search.schedule import Schedule
from search.settings import new_settings
from search.status import read_status
from search.stop import StopFlag, stop_on_signals
from search.work import do_leg
from search.workers import RemoteError

toys.install()


class Here(Executor):
    """Does things at once, in this process."""

    def __init__(self, fn=None):
        self.fn = fn
        self.tasks = []

    def submit(self, fn, /, *args) -> Future:
        self.tasks.append(args[0])
        future = Future()
        try:
            future.set_result((self.fn or fn)(*args))
        except Exception as error:
            future.set_exception(error)
        return future


def settings(strategy: str = "toy", **more: object) -> dict[str, object]:
    return new_settings(strategy, **{"rules": toys.RULES, "searchers": 4, "seed": 5, "keep": 10, **more})


@pytest.fixture
def new(tmp_path):
    def make(strategy: str = "toy", **more: object) -> Run:
        return Run.create(str(tmp_path / "a.run"), settings(strategy, **more))

    return make


# ---- settings ----


def test_settings_are_complete_and_checked():
    plain = settings()
    assert plain["strategy_version"] == 1 and plain["leg_games"] == 20 and plain["objective"] == "cards" and plain["offer"] == 4
    assert settings(seed=None, offer=None) == {**plain, "seed": 0}
    for bad, words in [
        ({"searchers": 0}, "searchers is 0"),
        ({"searchers": -3}, "searchers is -3"),
        ({"leg_games": 1.5}, "leg_games is 1.5"),
        ({"keep": 0}, "keep is 0"),
        ({"seed": 2**63}, "seed is"),
        ({"offer": -1}, "offer is -1"),
        ({"players": 5}, "players is 5"),
        ({"objective": "fame"}, "cards, tricks or infinite, not 'fame'"),
        ({"colour": 1}, "no setting 'colour'"),
        ({"strategy_version": 7}, "no setting 'strategy_version'"),
        ({"rules": "free"}, "free"),
        ({"rules": "5X"}, "5X"),
    ]:
        with pytest.raises(InputError, match=words):
            settings(**bad)
    with pytest.raises(InputError, match="no strategy 'luck'"):
        new_settings("luck")


def test_another_version_of_the_strategy_is_refused(tmp_path, new, monkeypatch):
    with new() as run:
        run.work(Bounds(games=80), executor=Here())
        before = run.store.contents()
    monkeypatch.setattr(toys.Toy, "version", 2)
    with Run.open(str(tmp_path / "a.run"), write=True) as run:
        with pytest.raises(InputError, match="version 1 of strategy toy, this program has version 2"):
            run.work(Bounds(games=160), executor=Here())
        assert run.store.contents() == before
    with pytest.raises(RuntimeError, match="version 2 here"):
        do_leg(Here().tasks or _task(run))


def _task(run: Run):
    from search.leg import LegTask

    return LegTask(run.settings, 0, 0)


# ---- the order of legs ----


def test_legs_are_issued_in_the_order_of_leg_and_searcher(new):
    with new() as run:
        executor = Here()
        run.work(Bounds(games=20 * 10), executor=executor)
    assert [(t.leg, t.searcher) for t in executor.tasks] == [(n // 4, n % 4) for n in range(10)]


def test_a_schedule_fills_gaps_first():
    schedule = Schedule(6, {0: 2, 1: 1, 3: 5})
    taken = [schedule.take() for _ in range(6)]
    assert taken == [(0, 2), (0, 4), (0, 5), (1, 1), (2, 0), (5, 3)]
    assert schedule.take() is None
    schedule.finish(0, 5)
    schedule.finish(0, 2)
    assert [schedule.take() for _ in range(3)] == [(1, 2), (1, 5), None]


def test_a_leg_that_is_given_back_is_due_again():
    schedule = Schedule(3, {})
    taken = [schedule.take() for _ in range(3)]
    schedule.give_back(*taken[1])
    assert schedule.take() == taken[1] == (0, 1)
    assert schedule.take() is None


def test_a_group_waits_also_when_a_run_is_opened_between_boundaries():
    schedule = Schedule(3, {0: 2, 1: 2, 2: 1}, group=3, round_legs=2)
    assert schedule.take() == (1, 2)
    assert schedule.take() is None  # 0 and 1 wait for 2
    assert schedule.finish(1, 2) == 0
    assert [schedule.take() for _ in range(3)] == [(2, 0), (2, 1), (2, 2)]


def test_a_group_waits_for_its_members_at_a_boundary():
    schedule = Schedule(5, {}, group=3, round_legs=2)
    first = [schedule.take() for _ in range(5)]
    assert first == [(0, n) for n in range(5)]
    for leg, searcher in first:
        assert schedule.finish(leg, searcher) is None  # not a boundary yet
    second = [schedule.take() for _ in range(5)]
    assert [schedule.finish(*second[n]) for n in (0, 2)] == [None, None]
    assert schedule.take() is None  # 0 and 2 wait for 1, 3 and 4 are in flight
    assert schedule.finish(*second[1]) == 0
    assert schedule.take() == (2, 0)
    assert schedule.finish(*second[3]) is None
    assert schedule.finish(*second[4]) == 1  # the last group is smaller
    assert Schedule(5, {0: 2, 1: 2, 2: 1, 3: 0, 4: 0}, group=3, round_legs=2).take() == (0, 3)


@pytest.mark.parametrize("done", [{}, {0: 1}, {0: 3, 1: 1, 2: 1, 3: 1}, {n: 2 for n in range(4)}])
def test_in_rounds_nobody_runs_ahead(done):
    schedule = Schedule(4, done, in_rounds=True, limit=24)
    legs = {n: done.get(n, 0) for n in range(4)}
    while True:
        wave = []
        while (leg := schedule.take()) is not None:
            wave.append(leg)
            assert leg[0] == legs[leg[1]]
            assert leg[0] <= min(legs.values())
        if not wave:
            break
        for leg, searcher in reversed(wave):
            legs[searcher] += 1
            schedule.finish(leg, searcher)
    assert all(n == 6 for n in legs.values())


# ---- bounds ----


@pytest.mark.parametrize("games, legs", [(1, 1), (20, 1), (21, 2), (200, 10)])
def test_games_are_rounded_up_to_whole_legs_of_the_run(tmp_path, new, games, legs):
    with new() as run:
        assert run.work(Bounds(games=games), executor=Here()) is Why.GAMES
        assert sum(run.store.legs.values()) == legs
    with Run.open(str(tmp_path / "a.run"), write=True) as run:
        executor = Here()
        assert run.work(Bounds(games=games), executor=executor) is Why.GAMES
        assert executor.tasks == []
        run.work(Bounds(games=games + 20), executor=executor)
        assert len(executor.tasks) == 1


def test_until_cards_finishes_the_round_in_which_it_was_met(tmp_path, new):
    with new() as run:
        run.work(Bounds(games=20 * 4 * 12), executor=Here())
        finds = sorted(run.store.finds(), key=lambda f: f.leg)
        contents = {}
    wanted = sorted(f.cards for f in finds)[-3]
    first = min(f.leg for f in finds if f.cards >= wanted)
    for workers in (1, 3):
        os.unlink(tmp_path / "a.run")
        with new() as run:
            assert run.work(Bounds(until_cards=wanted), workers=workers) is Why.CARDS
            assert run.store.legs == dict.fromkeys(range(4), first + 1)
            contents[workers] = run.store.contents()
        with Run.open(str(tmp_path / "a.run"), write=True) as run:
            executor = Here()
            assert run.work(Bounds(until_cards=wanted), executor=executor) is Why.CARDS
            assert executor.tasks == []
    assert contents[1] == contents[3]


@pytest.mark.parametrize("threshold", [1, 10**6])
def test_until_cards_is_met_by_exactly_so_many(tmp_path, new, threshold):
    bounds = {"games": 20 * 4 * 12}
    with new() as run:
        run.work(Bounds(**bounds), executor=Here())
        best = run.store.kept.best
    for cards, why in ((best.cards, Why.CARDS), (best.cards + 1, Why.GAMES)):
        os.unlink(tmp_path / "a.run")
        with new(threshold=threshold) as run:
            assert run.work(Bounds(until_cards=cards, **bounds), executor=Here()) is why
            assert best.leg < 11 and (run.store.legs == dict.fromkeys(range(4), best.leg + 1)) == (why is Why.CARDS)
    if threshold == 1:  # and by what was found before
        with Run.open(str(tmp_path / "a.run"), write=True) as run:
            assert run.work(Bounds(until_cards=best.cards), executor=Here()) is Why.CARDS


def test_until_cards_is_met_by_what_is_not_kept(new):
    """A run for tricks that keeps one find still sees that a longer game went by."""
    with new(objective="tricks", keep=1, threshold=10**6) as run:
        assert run.work(Bounds(until_cards=60, games=20 * 400), executor=Here()) is Why.CARDS
        assert run.store.finds() == []


@pytest.mark.parametrize("bounds", [Bounds(seconds=0.3), Bounds(deadline=time.time())])
def test_the_clock_stops_it(new, bounds):
    with new(strategy="slow") as run:
        assert run.work(bounds, workers=2) is Why.TIME


def test_a_stop_finishes_what_is_in_flight(tmp_path, new):
    flag = StopFlag()

    def stop(progress: Progress) -> None:
        flag.requests = int(progress.legs >= 1)

    with new(strategy="slow", millis=100) as run:
        assert run.work(workers=2, stop=flag, on_progress=stop) is Why.STOPPED
        assert sum(run.store.legs.values()) >= 2  # the one that made it stop, and at least one that was in flight then
    status = read_status(str(tmp_path / "a.run"))
    assert (status.state, status.session.why) == ("stopped", "stopped")


def test_a_second_request_does_not_wait(tmp_path, new):
    flag = StopFlag()
    begun = tmp_path / "begun"

    def stop_in_mid_leg() -> None:
        while not begun.exists():
            time.sleep(0.01)
        time.sleep(0.5)  # so that what came before is committed
        flag.request()
        flag.request()

    with new(trouble=f"sleep:3:1:{begun}") as run:  # for a minute
        started = time.monotonic()
        threading.Thread(target=stop_in_mid_leg, daemon=True).start()
        assert run.work(workers=2, stop=flag) is Why.STOPPED
        assert time.monotonic() - started < 30
        assert run.store.legs[1] == 3


# ---- what goes wrong ----


def test_a_leg_that_kills_its_workers_is_set_aside_and_the_run_goes_on(tmp_path, new):
    with new(trouble="kill:2:1") as run:
        state = {}

        def look(progress):
            state.setdefault(run.store.legs.get(1), run.store.state(1))

        assert run.work(Bounds(games=20 * 4 * 5), workers=2, on_progress=look) is Why.GAMES
        assert run.store.legs == dict.fromkeys(range(4), 5)
        ((leg, searcher, reason),) = run.store.set_aside()
        assert (leg, searcher) == (2, 1) and reason.count("SIGKILL") == 3
        assert (2, 1) not in {(leg, searcher) for leg, searcher, _ in run.store.leg_digests()}
        contents = run.store.contents()
    status = read_status(str(tmp_path / "a.run"))
    assert status.set_aside == [(2, 1, reason)]
    assert status_object(status)["set_aside"] == [{"leg": 2, "searcher": 1, "reason": reason}]
    with Run.open(str(tmp_path / "a.run"), write=True) as run:
        assert run.store.contents() == contents


def test_a_leg_whose_worker_dies_once_is_done_again(tmp_path, new):
    with new() as run:
        run.work(Bounds(games=400), executor=Here())
        expected = run.store.contents().partition(b"\n")[2]  # the first line holds the settings
    os.unlink(tmp_path / "a.run")
    with new(trouble=f"kill:2:1:{tmp_path / 'once'}") as run:
        run.work(Bounds(games=400), workers=2)
        assert (tmp_path / "once").exists()
        assert run.store.contents().partition(b"\n")[2] == expected


@pytest.mark.parametrize(
    "trouble, words",
    [
        ("lie:1:2", r"leg 1 of searcher 2: the deal \S+ \(10, 10\) has \d+ cards.* by the reference engine; nothing of this leg was stored"),
        ("fib:1:2", r"leg 1 of searcher 2: the deal .* has (\d+) cards, \d+ tricks, (\w+) by its engine, but \1 cards, \d+ tricks, \2 by the ref"),
        ("dream:1:2", "leg 1 of searcher 2: the deal .* infinite by its engine, but .* finite by the reference engine"),
        ("cheat:1:2", "leg 1 of searcher 2: a find that is no deal of .*; nothing of this leg was stored"),
        ("raise:1:2", "leg 1 of searcher 2 failed in strategy toy:.*ArithmeticError: the strategy is in trouble"),
    ],
)
def test_a_wrong_result_stops_the_run_loudly(tmp_path, new, trouble, words):
    with new(trouble=trouble) as run:
        with pytest.raises(Fault) as caught:
            run.work(Bounds(games=2000), workers=2)
        assert re.search(words, str(caught.value), re.DOTALL) and caught.value.exit_status == 70
    with Run.open(str(tmp_path / "a.run"), write=True) as run:
        assert run.store.legs.get(2) == 1 and all(f.cards < 10**6 for f in run.store.finds())
        assert run.store.sessions()[-1].why.startswith("failed")


SPOILERS = {
    "not the result of a leg": lambda packed: b"",
    "malformed histogram": lambda packed: packed[:-1],
    "wrong size": lambda packed: packed + b"x",
    "-1 for a number": lambda packed: packed.replace(b'"games":20', b'"games":-1'),
    "does not count games": lambda packed: packed.replace(b'"games":20', b'"gamez":20'),
    "decode": lambda packed: packed[:4] + b"\xff\xff\xff\xff" + packed[8:],
}


@pytest.fixture
def work(tmp_path, new):
    """work(fn): what a run holds whose legs are done by fn."""

    def done(fn) -> bytes:
        with new() as run:
            run.work(Bounds(games=300), executor=Here(fn))
            contents = run.store.contents()
        os.unlink(tmp_path / "a.run")
        return contents

    return done


@pytest.mark.parametrize("words", SPOILERS)
def test_a_result_that_cannot_be_right_is_done_again(tmp_path, work, words, caplog):
    def spoil_one(task):
        packed = do_leg(task)
        return SPOILERS[words](packed) if (task.leg, task.searcher) == (1, 2) else packed

    assert work(spoil_one) == work(do_leg)
    (record,) = caplog.records
    assert re.search(f"leg 1 of searcher 2: the result of a worker was wrong .*{words}.*; done again here", record.getMessage())


def test_a_worker_whose_result_is_wrong_is_used_no_more(tmp_path, new):
    with new(trouble=f"lie:1:2:{tmp_path / 'once'}") as run:
        assert run.work(Bounds(games=20 * 12), workers=2) is Why.GAMES
        assert [w["why"] for w in run.store.crew() if w["state"] == "distrusted"] == [w["why"] for w in run.store.crew() if w["why"]]
        assert sum(w["state"] == "distrusted" for w in run.store.crew()) == 1


def test_a_packed_leg_reads_back():
    tally = Tally({"games": 3, "cards": 30, "tricks": 9, "infinite": 0, "tries": 5}, {"lengths": {10: 3}, "depths": {}})
    packed = PackedLeg.read(LegResult(b"\0state", [], tally).pack())
    assert (packed.state, packed.finds, packed.counts) == (b"\0state", (), tally.counts)
    assert set(packed.histograms) == {"lengths", "depths"}
    assert packed.digest == LegResult(b"\0state", [], tally).digest() != LegResult(b"\1state", [], tally).digest()


def test_only_candidates_that_may_be_kept_are_replayed(new, monkeypatch):
    played = []
    real = search.run.play
    monkeypatch.setattr(search.run, "play", lambda deal: played.append(deal) or real(deal))
    monkeypatch.setattr(search.run, "_COMMIT_SECONDS", 0)  # what is kept says what may be kept, and grows with each commit
    with new(keep=3, offer=20) as run:
        run.work(Bounds(games=4000), executor=Here())
        assert len(run.store.finds()) == 3
    assert 3 <= len(played) < 400  # of 4000 that were offered


def test_a_deal_of_several_legs_is_replayed_once(tmp_path, new, monkeypatch):
    """All searchers but the first find the same deals, and their legs come back before one of them is committed."""
    played = []
    real = search.run.play
    monkeypatch.setattr(search.run, "play", lambda deal: played.append(deal) or real(deal))
    monkeypatch.setattr(search.run, "_COMMIT_SECONDS", 60)

    def same(task):
        return do_leg(replace(task, searcher=min(task.searcher, 1), state=b""))

    with new(searchers=12, offer=8) as run:
        run.work(Bounds(games=240), workers=6, executor=Here(same))
        assert sum(run.store.legs.values()) == 12
        assert {find.searcher for find in run.store.finds()} == {0, 1}
    assert len(played) == len(set(played)) > 4


def test_a_stop_at_once_does_not_wait_for_replays(tmp_path, new, monkeypatch):
    """One leg can give many thousands of deals."""
    flag = StopFlag()
    played = []
    real = search.run.play

    def play(deal):
        played.append(deal)
        if len(played) == 25:
            flag.requests = 2
        return real(deal)

    with new(offer=20, keep=100) as run:
        run.work(Bounds(games=20), executor=Here())
        monkeypatch.setattr(search.run, "play", play)
        assert run.work(Bounds(games=2000), executor=Here(), stop=flag) is Why.STOPPED
        assert len(played) == 25
        assert 2 <= sum(run.store.legs.values()) <= 3  # that of before, and those whose deals were all replayed
    with Run.open(str(tmp_path / "a.run"), write=True) as run:
        assert run.work(Bounds(games=200), executor=Here()) is Why.GAMES


def test_a_stop_at_once_does_not_wait_for_a_leg_that_is_done_here(tmp_path, new):
    flag = StopFlag()
    begun = tmp_path / "begun"

    def fails(task):
        if (task.leg, task.searcher) == (1, 2):
            raise RemoteError("MemoryError")
        return do_leg(task)

    def stop_in_mid_leg() -> None:
        while not begun.exists():
            time.sleep(0.01)
        flag.requests = 2

    threading.Thread(target=stop_in_mid_leg, daemon=True).start()
    with new(trouble=f"sleep:1:2:{begun}") as run:  # for a minute, here
        assert run.work(Bounds(games=2000), executor=Here(fails), stop=flag) is Why.STOPPED
        assert run.store.legs[2] == 1


def test_what_a_worker_cannot_do_is_done_here(work, caplog):
    def fails(task):
        if (task.leg, task.searcher) == (1, 2):
            raise RemoteError("Traceback ...\nMemoryError: no room")
        return do_leg(task)

    assert work(fails) == work(do_leg)
    assert [record.getMessage().partition(": ")[2] for record in caplog.records] == [
        "leg 1 of searcher 2: a worker failed at it (Traceback ...\nMemoryError: no room); done again here"
    ]


def test_the_time_of_workers_is_added_up(tmp_path, new):
    with new(strategy="slow", millis=20) as run:
        run.work(Bounds(games=20 * 24), workers=2)
        run.work(Bounds(games=20 * 48), workers=3)
        sessions = run.store.sessions()
    status = read_status(str(tmp_path / "a.run"))
    for session, workers in zip(sessions, (2, 3)):
        assert session.workers == workers
        assert 0.02 * 24 <= session.core_seconds <= workers * (session.ended - session.started)
    assert status.games_rate == pytest.approx(20 * 24 / (sessions[1].last_commit - sessions[1].started))


def test_a_full_disk_stops_the_run_and_it_goes_on_later(tmp_path, new):
    with new(searchers=60) as run:
        run.work(Bounds(games=1600), executor=Here())
        whole = run.store.contents()
    os.unlink(tmp_path / "a.run")
    with new(searchers=60) as run:
        pages = run.store._db.execute("PRAGMA page_count").fetchone()[0]
        run.store._db.execute(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(CannotWrite, match="disk is full"):
            run.work(Bounds(games=1600), executor=Here())
    with Run.open(str(tmp_path / "a.run"), write=True) as run:
        run.work(Bounds(games=1600), executor=Here())
        assert run.store.contents() == whole


# ---- what a person is told ----


def test_finds_and_progress_are_reported(tmp_path, new):
    told, seen = [], []
    with new() as run:
        run.work(Bounds(games=800), workers=2, on_find=told.append, on_progress=seen.append)
        assert [f.cards for f in told] == sorted({f.cards for f in told})
        assert told[-1] == run.store.kept.best
    last = seen[-1]
    assert (last.legs, last.games, last.done, last.counts["games"]) == (40, 800, 1.0, 800)
    status = read_status(str(tmp_path / "a.run"))
    assert status.best == told[-1] and status.legs == 40 and status.finds == 10
    assert status.longest == max(status.longest, status.best.cards) and status.games_rate > 0


def progress(elapsed: float, **more) -> Progress:
    given = {"legs": 3, "games": 3_000_000, "tricks": 10**8, "counts": {}, "best": None, "infinite": 1, "done": 0.5, "eta": 9.0, "workers": 1}
    return Progress(elapsed=elapsed, **{**given, **more})


def test_plain_lines_now_and_then():
    stream = io.StringIO()
    with ProgressLine("cards", stream, every=30) as line:
        for tenth in range(1000):
            line.update(progress(tenth / 10))
        line.say("a find")
    lines = stream.getvalue().splitlines()
    assert len(lines) == 4 and lines[-1] == "a find"
    assert "games/s" in lines[0] and "1 infinite" in lines[0] and "\r" not in stream.getvalue()


def test_a_line_on_a_terminal_is_redrawn():
    stream = io.StringIO()
    with ProgressLine("cards", stream, terminal=True) as line:
        line.update(progress(1))
        line.say("a find")
        line.update(progress(2, done=0.7))
    assert stream.getvalue().count("\r") >= 3 and "a find\n" in stream.getvalue() and "70%" in stream.getvalue()


SIGNALS = """
import signal, sys
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # whoever started the tests may ignore it (nohup)
sys.path[:0] = [{tests!r}]
import toys
from search.run import *
from search.settings import new_settings
from search.stop import StopFlag, stop_on_signals
toys.install()
if __name__ == "__main__":
    with Run.create({path!r}, new_settings("slow", rules=toys.RULES, millis={millis})) as run:
        with stop_on_signals(StopFlag(), say=lambda text: print(text, flush=True)) as flag:
            print("ready", flush=True)
            print(run.work(workers=2, stop=flag, pool_options=dict(initializer=toys.install)))
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("times", [1, 2])
def test_signals_stop_it_cleanly(tmp_path, number, times):
    path = str(tmp_path / "a.run")
    script = tmp_path / "parent.py"
    script.write_text(SIGNALS.format(tests=str(Path(__file__).parent), path=path, millis=50 if times == 1 else 40_000))
    parent = subprocess.Popen([sys.executable, script], env=environment(), stdout=subprocess.PIPE, text=True, start_new_session=True)
    assert parent.stdout.readline() == "ready\n"
    time.sleep(0.4)
    for _ in range(times):
        os.killpg(parent.pid, number)
        time.sleep(0.2)
    out, _ = parent.communicate(timeout=30)
    assert parent.returncode == 0 and out.count("stopping when") == 1 and out.endswith("stopped\n")
    status = read_status(path)
    assert status.state == "stopped" and (status.legs > 0 or times == 2)
    assert sorted(os.listdir(tmp_path)) == ["a.run", "parent.py"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_what_is_ignored_stays_ignored(number):
    """As under nohup: the terminal may be closed, the search goes on."""
    old = signal.signal(number, signal.SIG_IGN)
    try:
        with stop_on_signals(StopFlag()) as flag:
            os.kill(os.getpid(), number)
            assert signal.getsignal(number) is signal.SIG_IGN and not flag.asked
            os.kill(os.getpid(), signal.SIGINT)
            assert flag.asked and not flag.at_once
            os.kill(os.getpid(), signal.SIGINT)
            assert flag.at_once and signal.getsignal(number) is signal.SIG_IGN  # a third request changes nothing about it
        assert signal.getsignal(number) is signal.SIG_IGN
    finally:
        signal.signal(number, old)
