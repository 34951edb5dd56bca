"""Where runs live: their names, the runs of a folder, and the room that is left there."""

from __future__ import annotations

import itertools
import os
import shlex
import stat
import time
from collections.abc import Iterator

from .errors import CannotWrite, InputError, NameTaken

RESULTS = "results"  # the folder of runs with a plain name, below the current one
_LONGEST_NAME = 200  # bytes; file systems take 255, and the lock and the file in the making add to the name
_LEAST_SPACE = 16 << 20  # bytes free below which no work starts
_LITTLE_SPACE = 256 << 20  # bytes free below which a person is warned


def is_pipe(path: str) -> bool:
    """Whether opening this would wait for somebody at the other end."""
    try:
        return stat.S_ISFIFO(os.stat(path).st_mode)
    except (OSError, ValueError):
        return False


def run_path(name: str) -> str:
    """Where the run called `name` lives: a path if it has a slash or ends in .run, else results/NAME.run.

    Raises:
        InputError: a name that no file can have, or that could not be typed or shown.
    """
    last = os.path.basename(name)
    if last in ("", ".", "..") or name.startswith("-") or any(ord(c) < 32 or ord(c) == 127 for c in name):
        raise InputError(f"{name[:80]!r} is no name for a run: it is empty, a folder, begins with a dash or has control characters")
    if len(os.fsencode(last)) > _LONGEST_NAME:
        raise InputError(f"{name[:40]!r}... is too long a name for a run: {_LONGEST_NAME} bytes at most")
    if "/" in name or name.endswith(".run"):
        return name
    return os.path.join(RESULTS, name + ".run")


def dated_names(prefix: str, folder: str = RESULTS) -> Iterator[str]:
    """Free names for a new run that nobody chose, such as random-2031-05-30, with a number from the second on.

    Somebody else may take one at any time; then the next one is to be tried.
    """
    base = f"{prefix}-{time.strftime('%Y-%m-%d')}"
    for n in itertools.count(1):
        name = base if n == 1 else f"{base}-{n}"
        if not os.path.lexists(os.path.join(folder, name + ".run")):
            yield name


def list_runs(folder: str = RESULTS) -> list[str]:
    """The paths of the run files in a folder, by name; an absent folder has none.

    Raises:
        CannotWrite: there is no permission to read it.
    """
    try:
        names = os.listdir(folder)
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise CannotWrite(f"{folder}: cannot read this folder: {error.strerror}") from None
    # On foreign file systems macOS keeps what belongs to x.run in ._x.run.
    return sorted(os.path.join(folder, name) for name in names if name.endswith(".run") and not name.startswith("._"))


def check_space(path: str) -> str | None:
    """Look at the free space where a run is or will be.

    Returns:
        A warning for a person if there is little, else None.

    Raises:
        CannotWrite: there is too little to start at all.
    """
    folder = os.path.dirname(os.path.realpath(path))
    try:
        found = os.statvfs(folder)
    except OSError:
        return None  # whoever opens the file will say what is wrong
    free = found.f_bavail * found.f_frsize
    if free < _LEAST_SPACE:
        raise CannotWrite(f"{folder}: {free >> 20} MB free; a run needs at least {_LEAST_SPACE >> 20} MB to start")
    if free < _LITTLE_SPACE:
        return f"{folder}: only {free >> 20} MB free; the run stops cleanly if the disk gets full"
    return None


def name_taken(path: str, name: str | None = None) -> NameTaken:
    """The refusal of a new run at `path`, where something is already; `name`: what a person calls it."""
    if os.path.isfile(path) and not os.path.getsize(path):
        return NameTaken(f"{path}: an empty file of that name exists; remove it, or choose another name")
    return NameTaken(f"{path}: a run of that name exists; `beggar resume {shlex.quote(name or path)}` goes on with it")
