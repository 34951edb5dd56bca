"""The pool of a cluster's workers, with workers that come, go, hang, lie and are another build.

Most tests use the stand-in of fake_dask.py; those at the end a real scheduler and real worker processes.
"""

from __future__ import annotations

import random
import re
import threading
import time

import pytest
import toys
from fake_dask import FakeClient, FakeWorker, Vanish, edited, raising, results

import search.run
from search import cluster
from search.build import describe
from search.cluster import ClusterPool, check_address, check_greeting, do_all, pack_calls, read_answer
from search.errors import ClusterLost, Fault, InputError
from search.leg import LegTask
from search.run import Bounds, Run, Why
from search.settings import new_settings
from search.status import read_status
from search.stop import StopFlag
from search.store import Store
from search.work import do_leg
from search.workers import LegKilledWorkers, RemoteError

toys.install()

ADDRESS = "tcp://127.0.0.1:1"


def settings(strategy: str = "toy", **more: object) -> dict[str, object]:
    return new_settings(strategy, **{"rules": toys.RULES, "searchers": 7, "seed": 5, "keep": 12, **more})


@pytest.fixture
def pool_of(monkeypatch):
    """Makes a ClusterPool of a fake client, quick to look at its workers; what it says is in `.said`."""
    monkeypatch.setattr(cluster, "_LOOK_SECONDS", 0.02)
    monkeypatch.setattr(cluster, "_TICK_SECONDS", 0.01)
    monkeypatch.setattr(cluster, "_REFUSED_SECONDS", 0.2)
    monkeypatch.setattr(cluster, "_WAIT_NOTE_SECONDS", 0.1)
    monkeypatch.setattr(cluster, "describe", lambda good=describe(): good)  # without the golden games each time
    pools = []

    def make(client: FakeClient, **options) -> ClusterPool:
        monkeypatch.setattr(cluster, "_connect", lambda *_: client)
        said: list[str] = []
        pool = ClusterPool(ADDRESS, say=said.append, **options)
        pool.said = said
        pools.append(pool)
        return pool

    yield make
    for pool in pools:
        pool.kill()


def local(path, games: int = 1500, given: dict | None = None) -> bytes:
    with Run.create(str(path), given or settings()) as run:
        run.work(Bounds(games=games))
        return run.store.contents()


def on(pool: ClusterPool, path, games: int = 1500, given: dict | None = None, **options) -> bytes:
    with Run.create(str(path), given or settings()) as run:
        assert run.work(Bounds(games=games), executor=pool, **options) is Why.GAMES
        return run.store.contents()


def until(what, seconds: float = 20) -> None:
    ends = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < ends, "it did not happen"
        time.sleep(0.005)


# ---- addresses, greetings, answers ----


@pytest.mark.parametrize("text", ["tcp://a:1", "tls://10.0.0.1:8786", "tcp://[::1]:65535", " tcp://a-b.c:8786/ "])
def test_addresses_that_are_accepted(text):
    assert check_address(text) == text.strip().rstrip("/")


@pytest.mark.parametrize("text", ["", "a:1", "http://a:1", "tcp://a", "tcp://a:0", "tcp://a:65536", "tcp://:1", "tcp://a b:1", "tcp://a:1/x"])
def test_addresses_that_are_refused(text):
    with pytest.raises(InputError, match="tcp://HOST:PORT"):
        check_address(text)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"version": "0.0.7"}, "version 0.0.7"),
        ({"schema": 99}, "run file version 99"),
        ({"build": "0123456789abcdef"}, "other sources"),
        ({"golden": 3}, "golden"),
        ({"strategies": {"toy": 2}}, "version 2 of strategy toy"),
        ({"strategies": {}}, "no strategy toy"),
        ({"strategies": None}, "no strategy toy"),
    ],
)
def test_greetings_of_another_build_are_refused(change, why):
    good = describe()
    assert check_greeting(good, settings()) is None
    assert why in check_greeting(good | change, settings())


@pytest.mark.parametrize("greeting", [None, "hello", {1: 2}, [], {"version": "x" * 10**6}])
def test_greetings_of_something_else_are_refused(greeting):
    why = check_greeting(greeting, settings())
    assert why and len(why) < 300


def test_answers_are_opened_or_refused():
    payload, asked = pack_calls([(bytes, (b"abc",)), (int, ("no number",))])
    answer = do_all(payload)
    seconds, items = read_answer(answer, asked)
    assert 0 <= seconds < 1 and items[0] == (b"b", b"abc")
    assert items[1][0] == b"e" and b"ValueError" in items[1][1]
    with pytest.raises(ValueError):
        read_answer(answer, [*asked, asked[1]])
    for garbage in (None, b"abc", [], [1, 2, 3], tuple(answer), [*answer[:2], b""], [*answer[:2], b"x" + answer[2][1:]]):
        with pytest.raises(ValueError):
            read_answer(garbage, asked)
    for n, item in enumerate(answer):
        for bit in (0, 8 * 1 + 3, 8 * len(item) - 1):
            flipped = bytearray(item)
            flipped[bit // 8] ^= 1 << bit % 8
            with pytest.raises(ValueError):
                read_answer([*answer[:n], bytes(flipped), *answer[n + 1 :]], asked)


def test_an_answer_to_another_task_is_refused():
    """Sealed as well as can be, by a worker that was asked something else."""
    payload, asked = pack_calls([(bytes, (b"abc",)), (bytes, (b"abd",))])
    answer = do_all(payload)
    for stale in ([answer[0], answer[2], answer[1]], [answer[0], answer[1], answer[1]], do_all(pack_calls([(bytes, (b"x",))] * 2)[0])):
        with pytest.raises(ValueError, match="another task"):
            read_answer(stale, asked)
    read_answer(do_all(payload), asked)


# ---- the same finds ----


@pytest.mark.parametrize("strategy", ["toy", "sharing"])
@pytest.mark.parametrize("batch", [None, 1, 5])
def test_equal_to_a_local_run(tmp_path, pool_of, strategy, batch):
    given = settings(strategy)
    pool = pool_of(FakeClient(FakeWorker("a"), FakeWorker("b", 3)), batch=batch)
    assert on(pool, tmp_path / "c.run", given=given) == local(tmp_path / "l.run", given=given)
    crew = {note.name: note for note in pool.crew()}
    assert sum(note.legs for note in crew.values()) == 75 and crew["b"].threads == 3
    assert {note.state for note in crew.values()} == {"at work"}


@pytest.mark.parametrize("strategy", ["backward", "random", "climb", "scan", "cycles"])
def test_equal_to_a_local_run_with_every_strategy(tmp_path, pool_of, strategy):
    more = {"range": "0:99999999"} if strategy == "scan" else {}
    given = new_settings(strategy, seed=1, searchers=4, leg_games=1000, **more)
    pool = pool_of(FakeClient(FakeWorker("a"), FakeWorker("b", 2)), batch=2)
    assert on(pool, tmp_path / "c.run", 9000, given) == local(tmp_path / "l.run", 9000, given)


@pytest.mark.parametrize("seed", range(4))
def test_equal_while_workers_come_and_go(tmp_path, pool_of, seed):
    whole = local(tmp_path / "l.run")
    rng = random.Random(seed)
    client = FakeClient(FakeWorker("0"), FakeWorker("1", 2))
    pool = pool_of(client, batch=rng.choice([None, 1, 2]))
    stop = threading.Event()

    def disturb() -> None:
        number = 2
        while not stop.wait(0.02 + rng.random() * 0.06):
            victim = rng.choice(sorted(client.workers))
            client.workers[victim].vanish()
            del client.workers[victim]
            client.add(FakeWorker(str(number), rng.randrange(1, 4), answer=lambda work: (time.sleep(0.004), work())[1]))
            number += 1

    thread = threading.Thread(target=disturb)
    thread.start()
    try:
        assert on(pool, tmp_path / "c.run") == whole
    finally:
        stop.set()
        thread.join()


def test_what_is_in_flight_is_bounded_and_follows_the_workers(tmp_path, pool_of):
    client = FakeClient()
    pool = pool_of(client, batch=2)
    assert (pool.wanted, pool.size) == (1, 0)
    until(lambda: any("waiting for workers" in text for text in pool.said))
    first = FakeWorker("a", 2)
    client.add(first)
    until(lambda: pool.size == 2)
    assert pool.wanted == 10  # two pieces a thread, of two legs, and one leg a thread here
    futures = [pool.submit(bytes, b"x") for _ in range(60)]
    assert [future.result(20) for future in futures] == [b"x"] * 60
    assert first.most <= 4
    second = FakeWorker("b", 4)
    client.add(second)
    until(lambda: pool.size == 6)
    first.vanish()
    until(lambda: pool.size == 4)
    assert [note.state for note in pool.crew() if note.name == "a"] == ["lost"]


def test_legs_are_cancelled_until_they_are_sent(pool_of):
    gate = threading.Event()
    pool = pool_of(FakeClient(FakeWorker("a", answer=lambda work: (gate.wait(20), work())[1])), batch=1)
    until(lambda: pool.size == 1)
    futures = [pool.submit(bytes, b"x") for _ in range(10)]
    until(lambda: sum(future.running() for future in futures) == 2)
    cancelled = [future.cancel() for future in futures]
    assert cancelled == [False, False] + [True] * 8
    gate.set()
    assert [future.result(20) for future in futures[:2]] == [b"x", b"x"]


# ---- trouble ----


def test_a_worker_of_another_build_gets_no_work(tmp_path, pool_of):
    bad = FakeWorker("bad", greet=lambda good: {**good, "version": "0.0.1"}, answer=lambda work: 1 / 0)
    pool = pool_of(FakeClient(bad, FakeWorker("good")), settings=settings())
    assert on(pool, tmp_path / "c.run") == local(tmp_path / "l.run")
    until(lambda: any(note.state == "refused" for note in pool.crew()))
    assert bad.most == 1  # the greeting
    assert sum("bad" in text and "version 0.0.1" in text for text in pool.said) == 1


def test_only_workers_of_another_build_end_it(tmp_path, pool_of):
    pool = pool_of(FakeClient(FakeWorker("bad", greet=lambda good: {**good, "schema": 7})), settings=settings())
    with Run.create(str(tmp_path / "c.run"), settings()) as run:
        with pytest.raises(InputError, match="no worker .* run file version 7"):
            run.work(Bounds(games=100), executor=pool)
        assert run.store.legs == {}
    with pytest.raises(InputError):
        pool.submit(bytes, b"")


def test_a_worker_without_the_program_is_refused(pool_of):
    def lacks(good):
        raise ModuleNotFoundError("No module named 'search'")

    pool = pool_of(FakeClient(FakeWorker("bare", greet=lacks), FakeWorker("good")))
    until(lambda: pool.size == 1 and pool.said)
    assert "install" in pool.said[0] and "No module named 'search'" in pool.said[0]


class Once:
    """Does something in place of the n-th piece of work."""

    def __init__(self, n: int, instead):
        self._n, self._instead = n, instead
        self.done = threading.Event()

    def __call__(self, work):
        self._n -= 1
        if self._n == 0:
            self.done.set()
            return self._instead(work)
        return work()


def flipped(work):
    answer = work()
    item = bytearray(answer[1])
    item[len(item) // 2] ^= 16
    return [answer[0], bytes(item), *answer[2:]]


@pytest.mark.parametrize(
    "instead",
    [flipped, lambda work: None, lambda work: work()[:-1], lambda work: b"garbage", lambda work: work() + work()],
    ids=["bit", "none", "short", "bytes", "long"],
)
def test_garbage_is_noticed_and_its_worker_used_no_more(tmp_path, pool_of, instead):
    pool = pool_of(FakeClient(FakeWorker("bad", answer=Once(4, instead)), FakeWorker("good")), batch=1)
    assert on(pool, tmp_path / "c.run") == local(tmp_path / "l.run")
    states = {note.name: note.state for note in pool.crew()}
    assert states == {"bad": "distrusted", "good": "at work"}
    assert any("bad" in text and "no more" in text for text in pool.said)


def test_a_wrong_find_is_noticed_and_its_worker_used_no_more(tmp_path, pool_of):
    """The leg is well packed and well sealed; only the reference engine knows better."""

    def lie(head, rest):
        head["finds"][0][2] += 1000
        return head, rest

    pool = pool_of(FakeClient(FakeWorker("bad", answer=Once(3, edited(lie))), FakeWorker("good")), batch=1)
    assert on(pool, tmp_path / "c.run") == local(tmp_path / "l.run")
    (note,) = [note for note in pool.crew() if note.name == "bad"]
    assert note.state == "distrusted" and "reference engine" in note.why


class Stale:
    """Gives its first answer again and again."""

    def __init__(self):
        self.first = None

    def __call__(self, work):
        self.first = self.first or work()
        return self.first


def garbage_for_a_state(head, rest):
    size, head["state"] = head["state"], 7
    return head, b"garbage" + rest[size:]


def too_many_games(head, rest):
    head["counts"]["games"] += 1
    return head, rest


FAULTS = {
    "raises": (lambda: Once(4, raising), "it failed at leg .*: MemoryError: no room for it"),
    "always raises": (lambda: raising, "it failed at leg"),
    "state": (lambda: Once(4, edited(garbage_for_a_state)), "its result of leg .* was wrong: .*state"),
    "stale": (Stale, "another task|wrong shape"),
    "count": (lambda: Once(4, edited(too_many_games)), "its result of leg .* was wrong: 21 games in a leg of 20"),
}


@pytest.mark.parametrize("audit", [0.0, 1.0])
@pytest.mark.parametrize("batch", [1, 4])
@pytest.mark.parametrize("fault", FAULTS)
def test_faults_are_found_with_and_without_an_audit(tmp_path, pool_of, fault, batch, audit):
    """The run ends with what it should have, the worker is named and used no more, and a local resume goes on."""
    make, why = FAULTS[fault]
    given = settings("sharing")
    bad = FakeWorker("bad", answer=make())
    pool = pool_of(FakeClient(bad, FakeWorker("good"), FakeWorker("too")), batch=batch, settings=given)
    assert on(pool, tmp_path / "c.run", 700, given, audit=audit) == local(tmp_path / "l.run", 700, given)
    states = {note.name: (note.state, note.why) for note in pool.crew()}
    assert states.pop("bad")[0] == "distrusted" and set(states.values()) == {("at work", "")}
    noted = [note.why for note in pool.crew() if note.name == "bad"]
    assert re.search(why if not audit or fault == "stale" else "audit", noted[0]), noted
    with Run.open(str(tmp_path / "c.run"), write=True) as run:
        run.work(Bounds(games=1000))
        assert run.store.contents() == local(tmp_path / "m.run", 1000, given)


def test_what_came_with_a_wrong_result_is_done_elsewhere(tmp_path, pool_of, monkeypatch):
    """Of several legs that come together all are wrong; the coordinator does one of them, and that is enough."""
    failed, done_here = [], []

    def several(work):
        n = len(results(work))
        if n == 1:
            return work()
        failed.append(n)
        return raising(work)

    real = search.run.in_thread
    monkeypatch.setattr(search.run, "in_thread", lambda *call: done_here.append(call) or real(*call))
    pool = pool_of(FakeClient(FakeWorker("bad", answer=several), FakeWorker("good")), batch=5)
    with Run.create(str(tmp_path / "c.run"), settings()) as run:
        run.work(Bounds(games=1500), executor=pool)
        assert run.store.contents() == local(tmp_path / "l.run")
    assert failed and failed[0] > 1 and len(done_here) == 1


def test_a_leg_that_fails_everywhere_is_a_fault(tmp_path, pool_of):
    given = settings(trouble="raise:1:2")
    for audit in (0.0, 1.0):
        pool = pool_of(FakeClient(FakeWorker("a"), FakeWorker("b")), batch=1)
        with Run.create(str(tmp_path / f"{audit}.run"), given) as run:
            with pytest.raises(Fault, match="(?s)leg 1 of searcher 2 failed .*the strategy is in trouble"):
                run.work(Bounds(games=1500), executor=pool, audit=audit)
        assert {note.state for note in pool.crew()} == {"at work"}


def test_a_worker_that_hangs_is_worked_around_and_its_late_answer_ignored(tmp_path, pool_of):
    gate = threading.Event()
    hang = Once(5, lambda work: (gate.wait(30), work())[1])
    pool = pool_of(FakeClient(FakeWorker("slow", answer=hang), FakeWorker("good")), batch=1, late=0.2, late_first=0.2)
    assert on(pool, tmp_path / "c.run") == local(tmp_path / "l.run")
    assert hang.done.is_set()
    assert {note.name: note.state for note in pool.crew()} == {"slow": "hanging", "good": "at work"}
    gate.set()
    until(lambda: pool.size == 2)
    assert any("answers again" in text for text in pool.said)
    assert pool.submit(bytes, b"more").result(20) == b"more"


def test_a_worker_that_does_not_greet_is_named_and_may_still_come(tmp_path, pool_of):
    gate = threading.Event()
    shy = FakeWorker("shy", greet=lambda good: (gate.wait(30), good)[1])
    pool = pool_of(FakeClient(shy, FakeWorker("good")), late_greeting=0.1)
    assert on(pool, tmp_path / "c.run") == local(tmp_path / "l.run")
    until(lambda: {note.name: note.state for note in pool.crew()} == {"shy": "hanging", "good": "at work"})
    assert sum("shy" in text and "does not greet" in text for text in pool.said) == 1 and pool.size == 1
    gate.set()
    until(lambda: pool.size == 2)
    assert [note.why for note in pool.crew()] == ["", ""]


def test_a_process_that_was_wrong_before_gets_no_work_in_the_next_session(tmp_path, pool_of):
    """Another one at the same address does, and the run knows of both sessions."""
    bad = FakeWorker("bad", answer=Once(1, raising))
    client = FakeClient(bad, FakeWorker("good"))
    path = str(tmp_path / "c.run")
    with Run.create(path, settings()) as run:
        run.work(Bounds(games=700), executor=pool_of(client, batch=1))
        ((started, first),) = run.store.distrusted()
        assert first["name"] == "bad" and first["pid"] and started == run.store.sessions()[0].started
    for games in (1100, 1500):
        client.status = "running"
        pool = pool_of(client, batch=1)
        with Run.open(path, write=True) as run:
            run.work(Bounds(games=games), executor=pool)
            (note,) = [note for note in pool.crew() if note.name == "bad"]
            assert note.state == "distrusted" and note.legs == 0
            assert note.why == "found wrong in an earlier session: " + first["why"]  # said once, not once a session
            assert [note["why"] for _, note in run.store.distrusted()] == [first["why"]]
    client = FakeClient(FakeWorker("bad", greet=lambda good: {**good, "pid": good["pid"] + 1}), FakeWorker("good"))
    pool = pool_of(client, batch=1)
    with Run.open(path, write=True) as run:
        run.work(Bounds(games=2500), executor=pool)
        assert {note.name: note.state for note in pool.crew()} == {"bad": "at work", "good": "at work"}
        assert run.store.contents() == local(tmp_path / "l.run", 2500)


def test_workers_are_noted_while_no_leg_comes_back(tmp_path, pool_of, monkeypatch):
    monkeypatch.setattr(search.run, "_CREW_SECONDS", 0.02)
    gate = threading.Event()
    seen, noted_in_time = [], []
    pool = pool_of(FakeClient(FakeWorker("a", answer=lambda work: (noted_in_time.append(gate.wait(20)), work())[1])))

    def look(progress) -> None:
        with Store.open(str(tmp_path / "c.run")) as store:
            seen.append([worker["state"] for worker in store.crew()])
        if seen[-1] == ["at work"]:
            gate.set()

    with Run.create(str(tmp_path / "c.run"), settings()) as run:
        run.work(Bounds(games=20), executor=pool, on_progress=look)
        assert noted_in_time == [True] and read_status(run.store.path).legs == 1


def test_rates_and_core_hours_where_workers_come_late(tmp_path, pool_of):
    """Nobody is there when the session begins."""
    client = FakeClient()
    pool = pool_of(client)
    path = str(tmp_path / "c.run")
    threading.Timer(0.2, lambda: client.add(FakeWorker("a", 2, answer=lambda work: (time.sleep(0.01), work())[1]))).start()
    with Run.create(path, settings()) as run:
        run.work(Bounds(games=1500), executor=pool)
        (session,) = run.store.sessions()
    spent = session.last_commit - session.started
    state = read_status(path)
    assert session.workers == 2 and 0 < session.core_seconds <= 2 * spent
    assert state.games_rate == pytest.approx(1500 / spent)


def test_an_answer_of_a_worker_that_was_given_up_is_ignored(tmp_path, pool_of):
    """The scheduler says that it is gone; it is not, and answers what somebody else has answered, too."""
    client = FakeClient()
    gate = threading.Event()
    ghost = FakeWorker("ghost", answer=lambda work: (gate.wait(20), work())[1])
    client.add(ghost)
    pool = pool_of(client, batch=1)
    until(lambda: pool.size == 1)
    future = pool.submit(bytes, b"x")
    until(future.running)
    del client.workers["ghost"]
    client.add(FakeWorker("good"))
    assert future.result(20) == b"x" and future.worker == "good"
    gate.set()
    assert on(pool, tmp_path / "c.run") == local(tmp_path / "l.run")


def test_a_leg_that_kills_three_workers_is_set_aside_alone(tmp_path, pool_of):
    numbers = iter(range(100))
    client = FakeClient()

    def deadly(work):
        answer = work()
        packed = [body for _, body in results(work)]
        if any(leg == wanted for leg in packed):
            client.add(FakeWorker(f"w{next(numbers)}", 2, answer=deadly))
            raise Vanish
        return answer

    given = settings()
    with Run.create(str(tmp_path / "probe.run"), given) as run:
        run.work(Bounds(games=20 * 7))
        wanted = do_leg(LegTask(run.settings, 2, 1, run.store.state(2)))
    client.add(*(FakeWorker(f"v{n}", 2, answer=deadly) for n in range(3)))
    pool = pool_of(client, batch=3)
    with Run.create(str(tmp_path / "c.run"), given) as run:
        assert run.work(Bounds(games=20 * 7 * 4), executor=pool) is Why.GAMES
        assert [(leg, searcher) for leg, searcher, _ in run.store.set_aside()] == [(1, 2)]
        assert "3 workers were lost" in run.store.set_aside()[0][2]
        assert sum(run.store.legs.values()) == 28


def test_errors_of_a_strategy_come_through(pool_of):
    pool = pool_of(FakeClient(FakeWorker("a")))
    with pytest.raises(RemoteError, match="ZeroDivisionError"):
        pool.submit(divmod, 1, 0).result(20)
    assert pool.crew()[0].state == "at work"


def test_a_worker_that_cannot_run_anything_costs_its_legs_three_tries(pool_of):
    def fails(work):
        raise RuntimeError("no memory for that")

    pool = pool_of(FakeClient(FakeWorker("a", answer=fails)), batch=1)
    with pytest.raises(LegKilledWorkers, match="RuntimeError"):
        pool.submit(bytes, b"x").result(20)


def test_a_lost_scheduler_ends_the_work_and_resume_goes_on(tmp_path, pool_of):
    client = FakeClient(FakeWorker("a", answer=lambda work: (time.sleep(0.005), work())[1]))
    pool = pool_of(client, patience=0.1, batch=1)
    path = tmp_path / "c.run"

    def lose(progress) -> None:
        if progress.legs >= 10 and client.status == "running":
            client.lose_scheduler()

    with Run.create(str(path), settings()) as run:
        with pytest.raises(ClusterLost, match="safe.*resume") as caught:
            run.work(Bounds(games=1500), executor=pool, on_progress=lose)
        assert caught.value.exit_status == 75
    with Run.open(str(path), write=True) as run:
        assert 10 <= sum(run.store.legs.values()) < 75
        assert run.store.sessions()[0].why.startswith("failed: the scheduler")
        assert run.work(Bounds(games=1500)) is Why.GAMES
        assert run.store.contents() == local(tmp_path / "l.run")


def test_a_scheduler_that_comes_back_in_time_goes_on(tmp_path, pool_of):
    client = FakeClient(FakeWorker("a", answer=lambda work: (time.sleep(0.002), work())[1]))
    pool = pool_of(client, patience=20, batch=2)
    blinks = []

    def blink(progress) -> None:
        if progress.legs >= 10 and not blinks:
            blinks.append(threading.Timer(0.1, client.find_scheduler))
            client.lose_scheduler()
            blinks[0].start()

    assert on(pool, tmp_path / "c.run", on_progress=blink) == local(tmp_path / "l.run")
    assert blinks


def test_the_first_stop_finishes_what_was_sent(tmp_path, pool_of):
    pool = pool_of(FakeClient(FakeWorker("a", 2, answer=lambda work: (time.sleep(0.003), work())[1])))
    flag = StopFlag()

    def stop(progress) -> None:
        if progress.legs >= 5:
            flag.requests = 1

    with Run.create(str(tmp_path / "c.run"), settings()) as run:
        assert run.work(Bounds(games=10**6), executor=pool, stop=flag, on_progress=stop) is Why.STOPPED
        done = sum(run.store.legs.values())
    assert done == sum(note.legs for note in pool.crew())  # nothing that was done was thrown away
