"""Workers that die, lie, or are left alone."""

from __future__ import annotations

import math
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, wait
from pathlib import Path

import pytest
from conftest import environment

import search.rules
from search import pool as pool_module
from search.errors import InputError
from search.pool import LegKilledWorkers, LocalPool, RemoteError, start_method
from search.rules import Rules

METHODS = multiprocessing.get_all_start_methods()
PATIENCE = 30  # seconds until a test gives up; nothing here takes long

# ---- what the workers do ----


def double(n: int) -> int:
    return 2 * n


def give_bytes(n: int) -> bytes:
    return bytes([n]) * n


def process(*_) -> int:
    return os.getpid()


def die(how: int = signal.SIGKILL) -> None:
    os.kill(os.getpid(), how)


def leave(status: int) -> None:
    os._exit(status)


def die_unless(path: str, times: int) -> int:
    """Dies `times` times, then gives the number of deaths."""
    with open(path, "a+b") as file:
        if file.tell() < times:
            file.write(b"x")
            file.flush()
            die()
        return file.tell()


def fail() -> None:
    raise ZeroDivisionError("a fault of the strategy")


def nap(seconds: float) -> float:
    time.sleep(seconds)
    return seconds


def say_garbage(kind: str) -> None:
    """Finds the worker's own pipe and writes to it what no worker would."""
    import gc

    (mouth,) = (o for o in gc.get_objects() if type(o) is pool_module._Mouth)
    pipe = mouth._pipe
    if kind == "noise":
        pipe.send_bytes(b"\x00garbage" * 9)
    elif kind == "raw":
        os.write(pipe.fileno(), b"\x00\x00\x00\x05hello")
    elif kind == "wrong number":
        mouth.say(pool_module._BYTES, 77, b"an answer to what nobody asked")
    elif kind == "wrong checksum":  # an answer to this very task, changed on its way
        number_and_body = (0).to_bytes(8, "big") + b"an answer"
        good = pool_module.checksum(asked(kind), number_and_body)
        pipe.send_bytes(pool_module._BYTES + bytes([good[0] ^ 1]) + good[1:] + number_and_body)
    elif kind == "another task":
        mouth.say(pool_module._BYTES, 0, b"an answer", asked("empty"))
    elif kind == "the right thing":
        mouth.say(pool_module._BYTES, 0, b"an answer", asked(kind))
    elif kind == "empty":
        pipe.send_bytes(b"")
    time.sleep(PATIENCE)


def asked(kind: str) -> bytes:
    """The checksum of the task `say_garbage(kind)`."""
    return pool_module.checksum(pickle.dumps((say_garbage, (kind,), {}), pickle.HIGHEST_PROTOCOL))


def remember(what: str) -> None:
    global remembered
    remembered = what


def recall() -> str:
    return remembered


def niceness() -> int:
    return os.nice(0)


def signals() -> list[bool]:
    return [signal.getsignal(n) is signal.SIG_IGN for n in (signal.SIGINT, signal.SIGTERM)]


def open_pipes() -> int:
    """How many pipes and sockets this process has open."""
    time.sleep(0.01)  # so that all workers have their turn
    folder = "/proc/self/fd"
    return sum(os.path.realpath(f"{folder}/{n}").startswith(("/proc", "socket", "pipe")) for n in os.listdir(folder))


def gone(pids: list[int], seconds: float = 5) -> bool:
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
        if not any(alive(pid) for pid in pids):
            return True
        time.sleep(0.02)
    return False


def alive(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):  # the latter if it is reaped between open and read
        return False


# ---- tests ----


@pytest.fixture(params=METHODS)
def method(request) -> str:
    return request.param


def test_results_errors_and_bytes(method):
    with LocalPool(2, method=method) as pool:
        futures = [pool.submit(double, n) for n in range(20)]
        assert [f.result(PATIENCE) for f in futures] == [2 * n for n in range(20)]
        assert pool.submit(give_bytes, 7).result(PATIENCE) == b"\7" * 7
        with pytest.raises(RemoteError, match="ZeroDivisionError: a fault of the strategy"):
            pool.submit(fail).result(PATIENCE)
        big = os.urandom(3_000_000)
        assert pool.submit(bytes, big).result(PATIENCE) == big
        assert pool.deaths == 0
        pids = pool.pids
        assert len(pids) == 2
    assert gone(pids)


def test_initializer_nice_and_signals(method):
    with LocalPool(1, method=method, nice=3, initializer=remember, initargs=("it",)) as pool:
        assert pool.submit(recall).result(PATIENCE) == "it"
        assert pool.submit(niceness).result(PATIENCE) == os.nice(0) + 3
        assert pool.submit(signals).result(PATIENCE) == [True, True]


def test_a_worker_that_dies_costs_its_own_task_only(method, tmp_path):
    with LocalPool(2, method=method) as pool:
        others = [pool.submit(nap, 0.05) for _ in range(6)]
        again = pool.submit(die_unless, str(tmp_path / "deaths"), 2)
        assert again.result(PATIENCE) == 2
        assert [f.result(PATIENCE) for f in others] == [0.05] * 6
        assert pool.deaths == 2
        assert pool.submit(double, 4).result(PATIENCE) == 8


@pytest.mark.parametrize(
    "task, how", [((die,), "SIGKILL"), ((die, signal.SIGUSR1), "SIGUSR1"), ((leave, 3), "status 3"), ((leave, 0), "status 0")]
)
def test_a_task_that_kills_three_workers_is_given_up(task, how):
    with LocalPool(2) as pool:
        bad = pool.submit(*task)
        good = [pool.submit(double, n) for n in range(10)]
        with pytest.raises(LegKilledWorkers, match=f"3 workers died on it: .*{how}.*{how}.*{how}"):
            bad.result(PATIENCE)
        assert [f.result(PATIENCE) for f in good] == [2 * n for n in range(10)]
        assert pool.deaths == 3


@pytest.mark.parametrize("kind", ["noise", "raw", "wrong number", "wrong checksum", "another task", "empty"])
def test_a_worker_that_answers_garbage_is_dismissed(kind):
    with LocalPool(2) as pool:
        bad = pool.submit(say_garbage, kind)
        with pytest.raises(LegKilledWorkers):
            bad.result(PATIENCE)
        assert pool.submit(double, 4).result(PATIENCE) == 8


def test_an_answer_to_the_task_itself_is_taken():
    """What `say_garbage` says in its other tests is refused for what it is."""
    with LocalPool(1) as pool:
        assert pool.submit(say_garbage, "the right thing").result(PATIENCE) == b"an answer"


def test_a_task_apart_from_others_waits_for_another_worker_if_there_is_one():
    with LocalPool(2) as pool:
        wait([pool.submit(nap, 0.05) for _ in range(2)], PATIENCE)
        one, other = pool.pids
        for _ in range(5):
            assert pool.submit_apart({f"process {one}"}, process).result(PATIENCE) == other
        assert pool.submit_apart({f"process {one}", f"process {other}"}, process).result(PATIENCE) in (one, other)


def test_idle_workers_that_are_killed_are_replaced():
    with LocalPool(3) as pool:
        wait([pool.submit(nap, 0.05) for _ in range(3)], PATIENCE)
        before = pool.pids
        for pid in before:
            os.kill(pid, signal.SIGKILL)
        assert gone(before)
        assert pool.submit(process).result(PATIENCE) not in before
        assert not set(pool.pids) & set(before)


def test_workers_that_cannot_start_break_the_pool_and_say_why(capfd):
    with LocalPool(2, initializer=leave, initargs=(9,)) as pool:
        with pytest.raises(BrokenExecutor, match="ended with status 9 before it was ready"):
            pool.submit(double, 1).result(PATIENCE)
        with pytest.raises(BrokenExecutor):
            for _ in range(100):
                pool.submit(double, 1).result(PATIENCE)


def test_waiting_tasks_can_be_cancelled():
    with LocalPool(1) as pool:
        first = pool.submit(nap, 0.3)
        rest = [pool.submit(double, n) for n in range(5)]
        while not first.running():
            time.sleep(0.01)
        assert not first.cancel()
        assert all(f.cancel() for f in rest)
        assert first.result(PATIENCE) == 0.3
        assert pool.submit(double, 3).result(PATIENCE) == 6


def test_shutdown_finishes_or_cancels():
    pool = LocalPool(2)
    futures = [pool.submit(nap, 0.02) for _ in range(10)]
    pool.shutdown()
    assert all(f.result(0) == 0.02 for f in futures)
    with pytest.raises(RuntimeError):
        pool.submit(double, 1)

    pool = LocalPool(1)
    futures = [pool.submit(nap, 0.2) for _ in range(10)]
    wait(futures[:1], PATIENCE, FIRST_COMPLETED)
    pool.shutdown(cancel_futures=True)
    assert futures[0].done() and futures[-1].cancelled()


def test_kill_does_not_wait_for_tasks():
    pool = LocalPool(2)
    futures = [pool.submit(nap, PATIENCE) for _ in range(4)]
    while not futures[1].running():
        time.sleep(0.01)
    pids = pool.pids
    pool.kill()
    assert gone(pids, 1)
    assert all(f.done() for f in futures)


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="needs /proc")
def test_a_forked_worker_keeps_no_pipes_of_its_siblings():
    with LocalPool(4, method="fork") as pool:
        counts = [f.result(PATIENCE) for f in [pool.submit(open_pipes) for _ in range(40)]]
    # multiprocessing makes two that tell of a process' end, which later siblings inherit; ours are closed.
    assert max(counts) - min(counts) <= 2 * 3


def test_start_method_by_environment(monkeypatch):
    monkeypatch.setenv("BEGGAR_START_METHOD", "spawn")
    assert start_method() == "spawn"
    monkeypatch.setenv("BEGGAR_START_METHOD", "wish")
    with pytest.raises(InputError, match="'wish'"):
        start_method()
    monkeypatch.delenv("BEGGAR_START_METHOD")
    assert start_method() == multiprocessing.get_start_method()


ORPHANS = """
import sys, time
sys.path[:0] = [{tests!r}]
from test_pool import *
if __name__ == "__main__":
    pool = LocalPool(3, method={method!r})
    futures = [pool.submit(nap, 60) for _ in range(3)]
    while not all(f.running() for f in futures):
        time.sleep(0.01)
    print(*pool.pids, flush=True)
    {then}
"""

THEN = {
    "killed": "time.sleep(60)",
    "raised": "raise SystemExit(5)",
    "returned": "pass",
}


@pytest.mark.parametrize("method, then", [*((method, "killed") for method in METHODS), ("fork", "raised"), ("fork", "returned")])
def test_workers_end_with_their_parent(method, then, tmp_path):
    """In mid-task, whether the parent is killed, fails, or forgets to close its pool."""
    script = tmp_path / "parent.py"
    script.write_text(ORPHANS.format(tests=str(Path(__file__).parent), method=method, then=THEN[then]))
    parent = subprocess.Popen([sys.executable, script], env=environment(), stdout=subprocess.PIPE, text=True)
    pids = [int(pid) for pid in parent.stdout.readline().split()]
    assert len(pids) == 3
    if then == "killed":
        parent.kill()
    parent.wait(PATIENCE)
    assert gone(pids)
    parent.stdout.close()


def test_signals_of_the_terminal_do_not_reach_workers(method, tmp_path):
    """Ctrl-C goes to the whole group of processes, also while workers are being started."""
    script = tmp_path / "parent.py"
    script.write_text(
        ORPHANS.format(
            tests=str(Path(__file__).parent),
            method=method,
            then="signal.signal(signal.SIGINT, lambda *_: None); print('ready', flush=True); sys.stdin.read(); "
            "print(pool.deaths, pool.pids); pool.kill()",
        )
    )
    parent = subprocess.Popen(
        [sys.executable, script], env=environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    pids = [int(pid) for pid in parent.stdout.readline().split()]
    assert parent.stdout.readline() == "ready\n"
    for _ in range(3):
        os.killpg(parent.pid, signal.SIGINT)
        time.sleep(0.05)
    out, _ = parent.communicate("", PATIENCE)
    assert out.split()[0] == "0" and all(str(pid) in out for pid in pids)
    assert gone(pids)


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*fork")
def test_a_worker_that_is_forked_while_another_thread_computes_a_property_does_not_hang(monkeypatch):
    """No lock may be held for it: it would be held in the worker for ever."""
    parent, computing, go_on = os.getpid(), threading.Event(), threading.Event()

    def slow_factorial(n: int) -> int:
        if os.getpid() == parent:
            computing.set()
            go_on.wait(60)
        return math.factorial(n)

    monkeypatch.setattr(search.rules, "factorial", slow_factorial)
    thread = threading.Thread(target=lambda: Rules.parse("2A2-").deals, daemon=True)
    thread.start()
    assert computing.wait(60)
    pool = LocalPool(1, method="fork")
    try:
        assert pool.submit(deals_of, "1A2-").result(30) == 3
    finally:
        pool.kill()
        go_on.set()
        thread.join()


def deals_of(rules: str) -> int:
    return Rules.parse(rules).deals
