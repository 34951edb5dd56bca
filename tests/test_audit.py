"""Legs done twice while a run goes on, and legs of a run done again afterwards."""

from __future__ import annotations

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
import toys
from conftest import patience

from search.audit import COORDINATOR, Audit, Auditor, Difference, Findings, chosen
from search.errors import Fault, InputError
from search.leg import LegTask
from search.pool import LocalPool
from search.run import Bounds, Run, Why
from search.settings import new_settings
from search.stop import StopFlag
from search.store import Store
from search.work import do_leg
from search.workers import LegFuture, Pool, RemoteError

toys.install()


def settings(strategy: str = "toy", **more: object) -> dict[str, object]:
    return new_settings(strategy, **{"rules": toys.RULES, "searchers": 7, "seed": 5, "keep": 12, **more})


def make(path, given: dict, legs: int = 75, **options) -> bytes:
    with Run.create(str(path), given) as run, patience() as stop:
        assert run.work(Bounds(games=legs * int(given["leg_games"])), **{"workers": 2, "stop": stop, **options}) is Why.GAMES
        return run.store.contents()


# ---- which legs ----


def test_the_choice_is_fixed_and_has_the_size_of_the_share():
    legs = [(leg, searcher) for leg in range(100) for searcher in range(100)]
    first = [key for key in legs if chosen(3, *key, 0.1)]
    assert first == [key for key in legs if chosen(3, *key, 0.1)] and 850 < len(first) < 1150
    assert set(first) < {key for key in legs if chosen(3, *key, 0.2)}
    assert first != [key for key in legs if chosen(4, *key, 0.1)]
    assert not any(chosen(3, *key, 0.0) for key in legs) and all(chosen(3, *key, 1.0) for key in legs)


# ---- during the work ----


class Crew(Pool):
    """Named workers, one thread each; those in `broken` change the results by a function of theirs."""

    def __init__(self, *names: str, **broken):
        self._threads = {name: ThreadPoolExecutor(1) for name in names}
        self._broken = broken
        self.tasks: list[tuple[str, int, int]] = []
        self.distrusted: dict[str, str] = {}
        self._lock = threading.Lock()

    def submit(self, fn, /, task: LegTask) -> LegFuture:
        return self.submit_apart((), fn, task)

    def submit_apart(self, others, fn, /, task: LegTask) -> LegFuture:
        with self._lock:
            there = [name for name in self._threads if name not in self.distrusted]
            name = min(set(there) - set(others) or there, key=lambda name: sum(t[0] == name for t in self.tasks))
            self.tasks.append((name, task.leg, task.searcher))
        future = LegFuture()
        self._threads[name].submit(self._do, name, fn, task, future)
        return future

    def _do(self, name: str, fn, task: LegTask, future: LegFuture) -> None:
        future.worker = name
        result = fn(task)
        try:
            result = self._broken[name](result, task) if name in self._broken else result
        except RemoteError as error:
            future.set_exception(error)
        else:
            future.set_result(result)

    wanted = size = 4

    def distrust(self, worker: str, why: str) -> None:
        self.distrusted[worker] = why


def test_audited_legs_are_done_by_two_workers_and_change_nothing(tmp_path):
    whole = make(tmp_path / "a.run", settings())
    crew = Crew("a", "b", "c")
    assert make(tmp_path / "b.run", settings(), executor=crew, audit=0.3) == whole
    legs = {(leg, searcher) for _, leg, searcher in crew.tasks}
    audited = {key for key in legs if chosen(5, *key, 0.3)}
    assert len(legs) == 75 and 10 < len(audited) < 35
    for key in legs:
        names = [name for name, *rest in crew.tasks if tuple(rest) == key]
        assert len(names) == len(set(names)) == (2 if key in audited else 1)
    assert not crew.distrusted


def bit_of_the_end(result: bytes, task: LegTask) -> bytes:
    return result[:-1] + bytes([result[-1] ^ 1])


@pytest.mark.parametrize("name", ["a", "b"])
def test_the_worker_that_was_wrong_is_named_and_used_no_more(tmp_path, name):
    whole = make(tmp_path / "a.run", settings())
    crew = Crew("a", "b", "c", **{name: lambda result, task: bit_of_the_end(result, task) if task.leg == 2 else result})
    assert make(tmp_path / "b.run", settings(), executor=crew, audit=1.0) == whole
    assert set(crew.distrusted) == {name} and "leg 2 of searcher" in crew.distrusted[name]
    assert name not in {done for done, leg, _ in crew.tasks if leg > 3}


def test_two_wrong_workers_that_differ_are_both_found(tmp_path):
    whole = make(tmp_path / "a.run", settings())
    crew = Crew("a", "b", "c", a=lambda r, t: r[:-1] + bytes([r[-1] ^ 1]), b=lambda r, t: r[:-1] + bytes([r[-1] ^ 2]))
    assert make(tmp_path / "b.run", settings(), executor=crew, audit=1.0) == whole
    assert set(crew.distrusted) == {"a", "b"}


@pytest.mark.parametrize("names", [("a",), ("b",), ("a", "b")])
def test_a_worker_that_fails_where_another_does_not_was_wrong(tmp_path, names):
    whole = make(tmp_path / "a.run", settings())

    def fails(result: bytes, task: LegTask) -> bytes:
        if task.leg == 2:
            raise RemoteError("Traceback ...\nMemoryError: no room\n")
        return result

    crew = Crew("a", "b", "c", **dict.fromkeys(names, fails))
    assert make(tmp_path / "b.run", settings(), executor=crew, audit=1.0) == whole
    assert set(crew.distrusted) == set(names)
    assert all("it failed at leg 2 of searcher" in why and why.endswith("MemoryError: no room") for why in crew.distrusted.values())


def test_who_did_the_leg_is_known():
    crew = Crew("a", "b", b=bit_of_the_end)
    auditor = Auditor(crew, 1.0)
    task = LegTask(settings(), 0, 0)
    future = auditor.submit(do_leg, task)
    assert future.result(20) == do_leg(task) and future.worker == COORDINATOR
    assert (auditor.audited, auditor.differed) == (1, 1)
    future = auditor.submit(do_leg, LegTask(settings(), 1, 0))
    assert future.result(20) and future.worker == "a"  # alone by now, it is asked twice
    assert (auditor.audited, auditor.differed) == (2, 1)


@pytest.mark.parametrize("kind", ["flip", "miscount"])
def test_a_bit_error_in_a_process_here_is_caught(tmp_path, kind):
    """The first time the leg is done, its state or its tally is wrong; the second time it is not."""
    given = settings(trouble=f"{kind}:3:4:{tmp_path / 'once'}")
    with LocalPool(2, initializer=toys.install) as pool:
        got = make(tmp_path / "a.run", given, executor=pool, audit=1.0)
        states = [note.state for note in pool.crew()]
        assert states.count("distrusted") == 1 and states.count("at work") <= 2
        assert next(note.why for note in pool.crew() if note.why).startswith("an audit of leg 3 of searcher 4")
    assert (tmp_path / "once").exists()  # from here on the trouble is over
    assert make(tmp_path / "b.run", given) == got


def test_without_an_audit_such_an_error_stays_and_is_found_afterwards(tmp_path):
    given = settings(trouble=f"flip:3:4:{tmp_path / 'once'}")
    wrong = make(tmp_path / "a.run", given)
    assert make(tmp_path / "b.run", given) != wrong
    found = audit(tmp_path / "a.run", share=1.0)
    assert [(d.leg, d.searcher) for d in found.differences] == [(3, 4)]
    assert found.checked == 75 - (10 - 3)  # what rests on the wrong leg cannot be checked
    assert found.differences[0].now != found.differences[0].stored


def test_a_leg_that_kills_its_second_worker_only_is_believed(tmp_path):
    """Done once, and then it kills: the audit could not be made, and the run goes on."""

    class Killing(Crew):
        def submit_apart(self, others, fn, /, task):
            if not others:
                return super().submit_apart(others, fn, task)
            from search.workers import LegKilledWorkers

            future = LegFuture()
            future.set_exception(LegKilledWorkers("three of them"))
            return future

    assert make(tmp_path / "a.run", settings(), executor=Killing("a"), audit=1.0) == make(tmp_path / "b.run", settings())


@pytest.mark.parametrize("broken", ["submit_apart", "done twice"])
def test_an_audit_that_fails_ends_the_run(tmp_path, broken):
    """Whatever goes wrong between the two times is not waited for for ever."""

    class Failing(Crew):
        def submit_apart(self, others, fn, /, task):
            if not others:
                return super().submit_apart(others, fn, task)
            if broken == "submit_apart":
                return None
            future = LegFuture()
            future.set_result(b"")
            future.result = lambda: 1 // 0
            return future

    with pytest.raises(Fault, match="leg 0 of searcher .: its audit failed"):
        make(tmp_path / "a.run", settings(), executor=Failing("a"), audit=1.0)


def test_a_strategy_that_contradicts_itself_here_is_a_fault():
    def fails(task):
        raise ArithmeticError

    auditor = Auditor(Crew("a", "b"), 1.0)
    answers = iter([b"1", b"2"])

    def fickle(task):
        return next(answers, None) or fails(task)

    with pytest.raises(Fault, match="leg 0 of searcher 0.*ArithmeticError"):
        auditor.submit(fickle, LegTask(settings(), 0, 0)).result(20)


def test_a_stop_withdraws_audited_legs_too(tmp_path):
    def stop(progress) -> None:
        if progress.legs >= 5:
            flag.requests = 1

    with Run.create(str(tmp_path / "a.run"), settings("slow", millis=5)) as run, patience() as flag:
        assert run.work(Bounds(games=10**6), workers=2, audit=1.0, stop=flag, on_progress=stop) is Why.STOPPED
    with Run.open(str(tmp_path / "a.run"), write=True) as run:
        legs = sum(run.store.legs.values())
        assert 5 <= legs < 75
        run.work(Bounds(games=1500), workers=1)
        assert run.store.contents() == make(tmp_path / "b.run", settings("slow", millis=5))


# ---- afterwards ----


def audit(path, workers: int = 2, executor=None, **options):
    with Store.open(str(path)) as store, LocalPool(workers, initializer=toys.install) as pool:
        return Audit(store, executor or pool, **options).go()


@pytest.mark.parametrize("strategy", ["toy", "sharing"])
def test_chains_are_followed_from_their_first_leg(tmp_path, strategy):
    make(tmp_path / "a.run", settings(strategy))
    found = audit(tmp_path / "a.run", share=1.0)
    assert found.chained and (found.legs, found.wanted, found.checked) == (75, 75, 75)
    assert not found.differences and not found.stopped
    some = audit(tmp_path / "a.run", share=0.2, seed=4)
    assert some.checked == some.wanted == 15 and not some.differences


def test_legs_without_a_state_are_checked_alone(tmp_path):
    given = new_settings("random", seed=1, searchers=5, leg_games=500, threshold=900)
    make(tmp_path / "a.run", given, legs=20)
    found = audit(tmp_path / "a.run", legs=7)
    assert not found.chained and found.checked == 7 and not found.differences


def test_a_wrong_worker_does_not_blame_the_file(tmp_path):
    make(tmp_path / "a.run", settings())
    crew = Crew("a", "b", b=lambda result, task: bit_of_the_end(result, task) if task.leg == 1 else result)
    found = audit(tmp_path / "a.run", executor=crew, share=1.0)
    assert found.checked == 75 and not found.differences
    assert set(found.wrong_workers) == set(crew.distrusted) == {"b"}


def test_legs_set_aside_are_left_out(tmp_path):
    given = settings("sharing", trouble="kill:3:1")
    with Run.create(str(tmp_path / "a.run"), given) as run:
        run.work(Bounds(games=20 * 70), workers=2)
        assert len(run.store.set_aside()) == 1
    found = audit(tmp_path / "a.run", share=1.0)
    assert (found.legs, found.checked) == (69, 69) and not found.differences and not found.not_done


def audit_with(tmp_path, trouble: str):
    """An audit of a good run, with trouble now."""
    make(tmp_path / "a.run", settings())
    with Store.open(str(tmp_path / "a.run")) as store, LocalPool(2, initializer=toys.install) as pool:
        store.settings = {**store.settings, "trouble": trouble}
        return Audit(store, pool, share=1.0).go()


def test_a_leg_that_fails_now_is_a_difference(tmp_path):
    found = audit_with(tmp_path, "raise:3:4")
    (difference,) = found.differences
    assert (difference.leg, difference.searcher, difference.now) == (3, 4, None) and "ArithmeticError" in difference.why
    assert not found.wrong_workers and not found.clean


def test_a_leg_that_fails_at_one_worker_does_not_blame_the_file(tmp_path):
    found = audit_with(tmp_path, f"raise:3:4:{tmp_path / 'once'}")
    assert found.checked == 75 and not found.differences
    assert len(found.wrong_workers) == 1 and found.wrong_workers[0].startswith("process ") and not found.clean


def test_a_leg_that_differs_with_a_worker_and_fails_here_is_a_difference(tmp_path):
    """Nobody knows who is right; it is no reason to end the audit."""
    make(tmp_path / "a.run", settings())
    with Store.open(str(tmp_path / "a.run")) as store:
        crew = Crew("a", "b", b=lambda result, task: bit_of_the_end(result, task) if task.leg == 1 else result)
        check = Audit(store, crew, share=1.0)
        done_here = check._done_here

        def fails(task: LegTask):
            return done_here(replace(task, settings={**task.settings, "trouble": f"raise:{task.leg}:{task.searcher}"}))

        check._done_here = fails
        found = check.go()
    assert {d.leg for d in found.differences} == {1} and "here it fails: ArithmeticError" in found.differences[0].why
    assert not found.wrong_workers


def test_legs_that_kill_their_workers_now_are_reported(tmp_path):
    found = audit_with(tmp_path, "kill:3:4")
    ((leg, searcher, why),) = found.not_done
    assert (leg, searcher) == (3, 4) and "SIGKILL" in why and not found.differences and not found.clean


def test_an_audit_can_be_stopped(tmp_path):
    make(tmp_path / "a.run", settings())
    flag = StopFlag()
    with Store.open(str(tmp_path / "a.run")) as store, LocalPool(1, initializer=toys.install) as pool:
        found = Audit(store, pool, share=1.0, stop=flag).go(lambda now: flag.request() if now.checked == 3 else None)
    assert found.stopped and 3 <= found.checked < 10 and not found.differences


def test_another_version_of_the_strategy_is_refused(tmp_path, monkeypatch):
    make(tmp_path / "a.run", settings())
    monkeypatch.setattr(toys.Toy, "version", 2)
    with pytest.raises(InputError, match="version"):
        audit(tmp_path / "a.run")


def test_the_command(beggar, tmp_path):
    assert beggar("search", "a", "--strategy", "random", "--leg-games", 500, "--legs", 12, "--seed", 1, "--workers", 1, "--quiet").status == 0
    done = beggar("audit", "a", "--legs", 5, "--workers", 1, "--seed", 2)
    assert done.status == 0 and "5 legs of 12 done again (chosen by seed 2)" in done.out and "as they were" in done.out
    whole = beggar("audit", "a", "--share", "100%", "--workers", 1, "--json")
    told = json.loads(whole.out)
    assert whole.status == 0 and told["agree"] and told["checked"] == told["legs"] == 12 and told["differences"] == []
    assert beggar("audit", "none").status == 2
    for share in ("2", "-1", "x", "101%"):
        assert beggar("audit", "a", "--share", share).status == 2


def test_the_command_says_what_differs(beggar, tmp_path):
    given = settings(trouble=f"flip:1:2:{tmp_path / 'once'}")
    make(tmp_path / "a.run", given)
    done = beggar("audit", "./a.run", "--share", 1, "--workers", 1)
    assert done.status == 1 and "leg 1 of searcher 2: the result is another one now" in done.out


@pytest.mark.parametrize(
    ("found", "status", "words", "agree"),
    [
        (Findings(75, 75, 75), 0, "as they were", True),
        (Findings(0, 0, 0), 0, "0 legs of 0", True),
        (Findings(75, 3, 0, not_done=[(0, 1, "3 workers died")] * 3), 1, "could not be done again", False),
        (Findings(75, 75, 75, wrong_workers=["tcp://a:1"]), 1, "tcp://a:1 was wrong now", True),
        (Findings(75, 75, 75, differences=[Difference(1, 2, b"x", None, "it fails now")]), 1, "it fails now", False),
        (Findings(75, 75, 4, stopped=True), 130, "stopped before the end", True),
        (Findings(75, 75, 4, stopped=True, wrong_workers=["a"]), 1, "stopped before the end", True),
    ],
)
def test_the_status_of_the_command(beggar, tmp_path, monkeypatch, found, status, words, agree):
    """0 only where everything was done again, as it was, by workers that were right."""
    make(tmp_path / "a.run", settings(), legs=1)
    monkeypatch.setattr(Audit, "go", lambda self, on_progress: found)
    done = beggar("audit", "./a.run", "--workers", 1)
    assert done.status == status and words in done.out
    assert json.loads(beggar("audit", "./a.run", "--workers", 1, "--json").out)["agree"] is agree
