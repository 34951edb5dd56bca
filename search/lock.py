"""One writer a run: a lock that dies with its holder.

A POSIX record lock on a file beside the run. The system drops it when the holding process ends, however it
ends, and a forked worker does not inherit it. It is also dropped when the process closes *any* descriptor of
that file, so nothing else here opens the lock file of a run that this process holds (`held` says so).
"""

from __future__ import annotations

import errno
import fcntl
import os
import time

from .errors import CannotWrite, RunInUse

_held: dict[str, int] = {}  # real path of a run -> process that holds its lock; forked children see entries of their parent

_RETRIES = 10  # somebody who only asks whether the run is in use holds the lock for an instant
_RETRY_SECONDS = 0.02


def lock_name(path: str) -> str:
    """The lock file of the run at `path`."""
    return path + ".lock"


def held(path: str) -> bool:
    """Whether this process is the writer of the run."""
    return _held.get(os.path.realpath(path)) == os.getpid()


class WriterLock:
    """The right to write the run at `path`, from construction to `release`.

    Raises:
        RunInUse: another process, or this one, has it; names the process if that can be read.
        CannotWrite: no lock can be had in that folder.
    """

    def __init__(self, path: str):
        self._path = os.path.realpath(path)
        self._shown = path
        if held(self._path):
            raise RunInUse(f"{path}: this process is working on the run already")
        for attempt in range(_RETRIES):
            self._descriptor = self._try()
            if self._descriptor is not None:
                break
            time.sleep(_RETRY_SECONDS)
        else:
            holder = _holder(self._path)
            raise RunInUse(f"{path}: another process{holder} is working on the run; `beggar status` shows how far it is")
        _held[self._path] = os.getpid()
        try:
            os.ftruncate(self._descriptor, 0)
            os.pwrite(self._descriptor, f"{os.getpid()}\n".encode(), 0)
        except OSError:
            pass  # the number is a courtesy; a full disk will be noticed where it matters

    def _try(self) -> int | None:
        name = lock_name(self._path)
        while True:
            try:
                descriptor = os.open(name, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
            except OSError as error:
                raise CannotWrite(f"{self._shown}: cannot make the lock of the run beside it: {error.strerror}") from None
            try:
                fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                # Its last holder may have removed the file between our open and our lock: then we hold
                # the lock of a file that nobody else will ever open.
                if _same_file(descriptor, name):
                    return descriptor
                os.close(descriptor)
            except OSError as error:
                os.close(descriptor)
                if error.errno in (errno.EACCES, errno.EAGAIN):
                    return None
                raise CannotWrite(f"{self._shown}: this file system gives no locks: {error.strerror}") from None

    def release(self) -> None:
        """Give the lock back; the lock file goes while it is still held, so nobody loses a lock that he just got."""
        if self._descriptor is None or not held(self._path):
            return
        try:
            if _same_file(self._descriptor, lock_name(self._path)):
                os.unlink(lock_name(self._path))
        except OSError:
            pass  # an unlocked file that stays behind does no harm
        del _held[self._path]
        os.close(self._descriptor)
        self._descriptor = None


def in_use(path: str) -> bool:
    """Whether some process is the writer of the run now. Changes nothing."""
    path = os.path.realpath(path)
    if held(path):
        return True
    try:
        descriptor = os.open(lock_name(path), os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError:
        return False
    try:
        fcntl.lockf(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        return False
    except OSError:
        return True
    finally:
        os.close(descriptor)


def _same_file(descriptor: int, name: str) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(name))
    except FileNotFoundError:
        return False


def _holder(path: str) -> str:
    try:
        with open(lock_name(path), "rb") as file:
            text = file.read(20).strip()
    except OSError:
        return ""
    return f" ({int(text)})" if text.isdigit() else ""
