"""--on-find: a command of the user's, called when a search finds something remarkable.

The command is split into words as a shell would, but no shell runs it and nothing of a find becomes
part of its command line: finds come on its standard input, one JSON object a line, and the best of
them in environment variables (BEGGAR_RUN, BEGGAR_DEAL, BEGGAR_STATUS, BEGGAR_CARDS, BEGGAR_TRICKS).

The search never waits for it. One call runs at a time; what is found meanwhile goes to the next
call. A command that fails or takes too long is reported, and the search goes on.
"""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from .errors import InputError
from .report import json_line

TIME_LIMIT = 60.0  # seconds that one call may take
MOST_WAITING = 1000  # finds kept for calls to come; a search that finds more drops the oldest
_A_CALL = 100  # finds that one call is given at most: showing them takes some milliseconds each


def read_command(text: str) -> tuple[str, ...]:
    """The words of a command; raises InputError if it is empty, cannot be split, or names no program."""
    try:
        words = tuple(shlex.split(text))
    except ValueError as e:
        raise InputError(f"cannot split it into words: {e}") from None
    if not words or "\0" in text:
        raise InputError("a command is wanted")
    if shutil.which(words[0]) is None:
        raise InputError(f"there is no program {words[0]}, or it may not be run")
    return words


class FindHook:
    """Hands finds to a command, without ever making the caller wait.

    `add` and `poll` return at once; whoever searches calls `poll` every second or so.

    Args:
        command: its words, as `read_command` gives them.
        run: the run's name or path.
        warn: told, in words, when a call could not be made or went wrong.
        time_limit: seconds after which a call is stopped.
        show: makes an object with verify's keys of what `add` was given, for the finds that a call is given.
    """

    def __init__(
        self, command: tuple[str, ...], run: str, warn: Callable[[str], object], time_limit: float = TIME_LIMIT,
        show: Callable[[Any], Mapping[str, object]] = lambda find: find,
    ) -> None:
        self._command = command
        self._run = run
        self._warn = warn
        self._time_limit = time_limit
        self._show = show
        self._waiting: list[object] = []
        self._process: subprocess.Popen | None = None
        self._started = 0.0

    def add(self, find: object) -> None:
        """Take a find, one that `show` takes."""
        self._waiting.append(find)
        del self._waiting[:-MOST_WAITING]
        self.poll()

    def poll(self) -> None:
        """See to the call in progress, and start the next one if finds are waiting."""
        if self._process is not None:
            status = self._process.poll()
            if status is None and time.monotonic() - self._started < self._time_limit:
                return
            if status is None:
                self._stop()
                self._warn(f"--on-find: {self._command[0]} took more than {self._time_limit:g} s and was stopped")
            elif status:
                self._warn(f"--on-find: {self._command[0]} ended with status {status}")
            self._process = None
        if self._waiting:
            self._start()

    def close(self, patience: float = 5.0) -> None:
        """Give what is waiting and running up to `patience` seconds, then stop it."""
        end = time.monotonic() + patience
        self.poll()
        while self._process is not None and time.monotonic() < end:
            time.sleep(0.02)
            self.poll()
        if self._process is not None:
            self._stop()
            self._warn(f"--on-find: {self._command[0]} was stopped when the search ended")
            self._process = None

    def _stop(self) -> None:
        """Stop the call in progress, and what it has started itself."""
        with suppress(OSError):
            os.killpg(self._process.pid, signal.SIGKILL)  # its session is its own
        self._process.kill()
        self._process.wait()

    def _start(self) -> None:
        finds, self._waiting = [self._show(find) for find in self._waiting[:_A_CALL]], self._waiting[_A_CALL:]
        best = max(finds, key=lambda f: (f["status"] == "infinite", f["cards"], f["deal"]))
        facts = {"RUN": self._run, **{k.upper(): best[k] for k in ("deal", "status", "cards", "tricks")}}
        self._started = time.monotonic()
        try:
            with tempfile.TemporaryFile() as body:  # a file, because a pipe may fill up
                body.write("".join(json_line(f) + "\n" for f in finds).encode())
                body.seek(0)
                self._process = subprocess.Popen(
                    self._command,
                    stdin=body,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    env={**os.environ, **{f"BEGGAR_{name}": str(value) for name, value in facts.items()}},
                    start_new_session=True,  # a Ctrl-C in the terminal is for the search, not for it
                )
        except OSError as e:
            self._warn(f"--on-find: cannot start {self._command[0]}: {e.strerror}")
