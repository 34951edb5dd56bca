"""Equal legs, equal contents: whatever the number of workers, the stops, the order in which legs come back."""

from __future__ import annotations

import random
import threading
from concurrent.futures import Executor, Future

import pytest
import toys

from search.run import Bounds, Run, Why
from search.settings import new_settings
from search.stop import StopFlag

toys.install()


class Shuffled(Executor):
    """One thread that does what it was given in a random order, and asks for a stop after so many legs."""

    def __init__(self, rng: random.Random, stop: StopFlag, after: int, at_once: bool):
        self._rng, self._stop, self._after, self._at_once = rng, stop, after, at_once
        self._tasks: list = []
        self._news = threading.Condition()
        threading.Thread(target=self._do_all, daemon=True).start()

    def submit(self, fn, /, *args, **kwargs) -> Future:
        future = Future()
        with self._news:
            self._tasks.append((future, fn, args, kwargs))
            self._news.notify()
        return future

    def _do_all(self) -> None:
        while True:
            with self._news:
                if not self._tasks:
                    self._news.wait()
                future, fn, args, kwargs = self._tasks.pop(self._rng.randrange(len(self._tasks)))
            if future.set_running_or_notify_cancel():
                future.set_result(fn(*args, **kwargs))
            self._after -= 1
            if self._after <= 0:
                self._stop.requests = 2 if self._at_once else 1


def settings(strategy: str = "toy", **more: object) -> dict[str, object]:
    return new_settings(strategy, **{"rules": toys.RULES, "searchers": 7, "seed": 5, "keep": 12, **more})


def contents(path, strategy: str, games: int, **options) -> bytes:
    with Run.create(str(path), settings(strategy)) as run:
        assert run.work(Bounds(games=games), **options) is Why.GAMES
        return run.store.contents()


@pytest.mark.parametrize("strategy", ["toy", "sharing"])
def test_one_two_and_three_workers_give_the_same(tmp_path, strategy):
    one = contents(tmp_path / "1.run", strategy, 1500, workers=1)
    assert one.count(b'["find"') == 12 and one.count(b'["leg"') == 75
    for workers in (2, 3):
        assert contents(tmp_path / f"{workers}.run", strategy, 1500, workers=workers) == one


@pytest.mark.parametrize("strategy", ["toy", "sharing"])
@pytest.mark.parametrize("seed", range(6))
def test_a_run_stopped_and_resumed_at_random_moments_gives_the_same(tmp_path, strategy, seed):
    whole = contents(tmp_path / "whole.run", strategy, 1500, workers=1)
    rng = random.Random(seed)
    path = str(tmp_path / "parts.run")
    Run.create(path, settings(strategy)).close()
    stops = 0
    while True:
        flag = StopFlag()
        executor = Shuffled(rng, flag, after=rng.randrange(1, 40), at_once=rng.random() < 0.3)
        with Run.open(path, write=True) as run:
            why = run.work(Bounds(games=1500), workers=rng.randrange(1, 4), executor=executor, stop=flag)
            if why is Why.GAMES:
                break
        stops += 1
    assert stops >= 2
    with Run.open(path) as run:
        assert run.store.contents() == whole


# The strategies that people use: options, and games of a run that is done in a second.
REAL = {
    "random": ({"leg_games": 400, "threshold": 30}, 400 * 21),
    "climb": ({"leg_games": 320, "threshold": 30}, 320 * 21),
    "backward": ({"rules": "standard", "leg_games": 500, "searchers": 4, "threshold": 800, "walk_from": 400}, 500 * 21),
    "cycles": ({"rules": "3K 3Q 3J 15-", "leg_games": 50, "searchers": 2}, 50 * 7),
}


@pytest.mark.parametrize("strategy", REAL)
def test_real_strategies_give_the_same_with_any_workers_and_stops(tmp_path, strategy):
    options, games = REAL[strategy]
    fixed = settings(strategy, **options)
    found = []
    for workers in (1, 2, 3):
        with Run.create(str(tmp_path / f"{workers}.run"), fixed) as run:
            assert run.work(Bounds(games=games), workers=workers) is Why.GAMES
            found.append(run.store.contents())
    assert found[0].count(b'["leg"') == games // fixed["leg_games"] and b'["find"' in found[0]
    rng = random.Random(strategy)
    path, why = str(tmp_path / "parts.run"), None
    Run.create(path, fixed).close()
    while why is not Why.GAMES:
        flag = StopFlag()
        executor = Shuffled(rng, flag, after=rng.randrange(1, 4), at_once=rng.random() < 0.3)
        with Run.open(path, write=True) as run:
            why = run.work(Bounds(games=games), workers=rng.randrange(1, 4), executor=executor, stop=flag)
            found.append(run.store.contents())
    assert len(found) > 4
    assert found[1] == found[2] == found[-1] == found[0]
