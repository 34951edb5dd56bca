"""The log across processes, by both ways, and workers that are killed while they write to it."""

from __future__ import annotations

import logging
import multiprocessing
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from conftest import environment

from search.errors import CannotWrite
from search.log import LogFile
from search.pool import LocalPool
from search.workers import LegKilledWorkers

METHODS = multiprocessing.get_all_start_methods()
LINE = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d+ (\w+) (\S+) (\d+) (\S+): (.*)")


def talk(n: int) -> int:
    log = logging.getLogger("beggar.test")
    log.info("task %d says %s", n, {"some": "thing"})
    log.debug("not to be seen")
    try:
        1 / (n - 3)
    except ZeroDivisionError:
        log.exception("task %d failed", n)
    return os.getpid()


def chatter(seconds: float) -> None:
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
        logging.getLogger("beggar.test").info("%s", "blah " * 2000)


@pytest.mark.parametrize("method", METHODS)
def test_records_of_all_processes_arrive(tmp_path, method):
    path = tmp_path / "a.log"
    path.write_text("what was there before\n")
    log = LogFile(str(path), method)
    with LocalPool(2, method=method, **log.pool_options) as pool:
        logging.getLogger("beggar.run").info("the parent says so")
        pids = {f.result(30) for f in [pool.submit(talk, n) for n in range(8)]}
    log.close()
    text = path.read_text()
    assert text.startswith("what was there before\n")
    records = [m.groups() for m in map(LINE.match, text.splitlines()) if m]
    assert sorted(r[4] for r in records if r[0] == "INFO") == sorted(
        ["the parent says so", *(f"task {n} says {{'some': 'thing'}}" for n in range(8))]
    )
    assert {int(r[2]) for r in records if r[3] == "beggar.test"} == pids
    assert text.count("ZeroDivisionError") == 1 and "not to be seen" not in text
    assert [r[0] for r in records if r[3] == "beggar.test" and "failed" in r[4]] == ["ERROR"]


def test_forked_workers_log_by_the_queue_where_fork_is_not_the_global_method(tmp_path, monkeypatch):
    monkeypatch.setattr(multiprocessing, "get_start_method", lambda: "spawn")
    path = tmp_path / "a.log"
    log = LogFile(str(path), "fork")
    assert log.pool_options
    with LocalPool(2, method="fork", **log.pool_options) as pool:
        [f.result(30) for f in [pool.submit(talk, n) for n in range(4)]]
    log.close()
    assert path.read_text().count("says") == 4


def test_nothing_is_left_installed(tmp_path):
    logger = logging.getLogger("beggar")
    before = (logger.level, logger.handlers[:])
    log = LogFile(str(tmp_path / "a.log"), "spawn")
    log.close()
    log = LogFile(str(tmp_path / "a.log"), "fork")
    log.close()
    assert (logger.level, logger.handlers) == before


def test_a_log_that_cannot_be_written(tmp_path):
    with pytest.raises(CannotWrite, match="cannot write the log"):
        LogFile(str(tmp_path / "absent" / "a.log"), "fork")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a disk that is full")
@pytest.mark.parametrize("method", METHODS)
def test_a_log_on_a_full_disk_says_so_once(capfd, method):
    log = LogFile("/dev/full", method)
    with LocalPool(2, method=method, **log.pool_options) as pool:
        logging.getLogger("beggar.run").info("the parent says so")
        [f.result(30) for f in [pool.submit(talk, n) for n in range(8)]]
    log.close()
    assert capfd.readouterr().err == "beggar: error: /dev/full: cannot write the log: No space left on device; the search goes on without it\n"


def test_a_log_in_which_nothing_was_written_is_taken_away_again(tmp_path):
    path = tmp_path / "a.log"
    LogFile(str(path), "spawn").close()
    assert not path.exists()
    path.touch()
    LogFile(str(path), "spawn").close()
    assert path.exists()


CHATTER = """
import sys
sys.path[:0] = [{tests!r}]
from test_log import *
if __name__ == "__main__":
    log = LogFile({path!r}, {method!r})
    pool = LocalPool(4, method={method!r}, **log.pool_options)
    futures = [pool.submit(chatter, 60) for _ in range(4)]
    for _ in range(3):
        while sum(worker.task is not None for worker in list(pool._crew)) < 4:
            time.sleep(0.01)
        time.sleep(0.1)
        logging.getLogger("beggar.run").warning("now")
        for pid in pool.pids:
            os.kill(pid, signal.SIGKILL)
        time.sleep(0.3)
    print(sum(isinstance(f.exception(30), LegKilledWorkers) for f in futures), flush=True)
    pool.kill()
    log.close()
"""


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_killing_workers_that_log_all_the_time_hangs_nobody(tmp_path, method):
    """A worker killed while it holds the log's lock silences the log at worst; the parent still ends."""
    script = tmp_path / "parent.py"
    script.write_text(CHATTER.format(tests=str(Path(__file__).parent), path=str(tmp_path / "a.log"), method=method))
    parent = subprocess.Popen([sys.executable, script], env=environment(), stdout=subprocess.PIPE, text=True)
    out, _ = parent.communicate(timeout=60)
    assert parent.returncode == 0
    assert out == "4\n"  # each task was at work at each of the three kills, and is given up
    assert (tmp_path / "a.log").stat().st_size > 0
