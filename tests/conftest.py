"""Fixtures that many tests share."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from search import cli
from search.stop import StopFlag

TREE = Path(__file__).resolve().parent.parent


@dataclass
class Called:
    """What one call of the program gave."""

    status: int
    out: str
    err: str


@contextmanager
def patience(seconds: float = 60) -> Iterator[StopFlag]:
    """A flag that stops the work of a run at once should it never end, so that a test fails instead of hanging."""
    flag = StopFlag()
    timer = threading.Timer(seconds, lambda: [flag.request(), flag.request()])
    timer.daemon = True
    timer.start()
    try:
        yield flag
    finally:
        timer.cancel()


@pytest.fixture
def beggar(capsys, monkeypatch, tmp_path):
    """Calls the program in this process, in an empty folder: beggar('verify', DEAL) -> Called."""
    monkeypatch.chdir(tmp_path)
    for name in [n for n in os.environ if n.startswith("BEGGAR_") and n != "BEGGAR_ENGINE"]:
        monkeypatch.delenv(name)

    def call(*argv: object) -> Called:
        capsys.readouterr()
        status = cli.main([str(a) for a in argv])
        return Called(status, *capsys.readouterr())

    return call


@pytest.fixture
def program(tmp_path):
    """Calls the program in a process of its own, in an empty folder, with the tree's own package."""

    def call(*argv: object, stdin: str | bytes = b"", env: dict[str, str] | None = None, timeout: float = 60) -> Called:
        done = subprocess.run(
            [sys.executable, "-m", "search", *map(str, argv)],
            input=stdin.encode() if isinstance(stdin, str) else stdin,
            capture_output=True,
            cwd=tmp_path,
            env=environment(**(env or {})),
            timeout=timeout,
        )
        return Called(done.returncode, done.stdout.decode(), done.stderr.decode())

    return call


def environment(**more: str) -> dict[str, str]:
    """This process's environment without settings of the program, and with the tree on the path."""
    kept = {n: v for n, v in os.environ.items() if not n.startswith("BEGGAR_") or n == "BEGGAR_ENGINE"}
    path = os.pathsep.join(filter(None, [str(TREE), kept.get("PYTHONPATH", "")]))
    return {**kept, "PYTHONPATH": path, **more}
