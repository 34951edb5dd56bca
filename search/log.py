"""The log of a run, across processes, set up once and only when a log file is asked for.

Where workers are forked, multiprocessing-logging carries the records. It asserts that fork is the global
start method, starts threads, and loses the records that are in flight when a process is killed; a worker
killed while it holds the queue's lock silences the others. Elsewhere the standard library's queue handler
sends a worker's records through the worker's own pipe. Either way nothing that matters travels in the log,
and ending waits for it a moment only.
"""

from __future__ import annotations

import logging
import logging.handlers
import multiprocessing
import os
import queue
import sys
import threading
from collections.abc import Callable

from .complaints import complain
from .errors import CannotWrite

NAME = "beggar"  # the logger of everything here
_FORMAT = "%(asctime)s %(levelname)s %(processName)s %(process)d %(name)s: %(message)s"
_PATIENCE_SECONDS = 2.0

logging.getLogger(NAME).addHandler(logging.NullHandler())  # silence where nobody asked for a log


class LogFile:
    """Logging to a file, by this process and the workers of its pools; made before the workers are started.

    Args:
        path: the file; records are added to it.
        method: start method of the workers (pool.start_method()).
        level: least level that is written.

    Attributes:
        pool_options: arguments for LocalPool.

    Raises:
        CannotWrite: the file cannot be opened.
    """

    def __init__(self, path: str, method: str, level: int = logging.INFO):
        self._is_new = not os.path.lexists(path)
        try:
            self._file = _File(path, encoding="utf-8")
        except (OSError, ValueError) as error:
            raise CannotWrite(f"{path}: cannot write the log: {getattr(error, 'strerror', error)}") from None
        self._file.setFormatter(logging.Formatter(_FORMAT))
        self._logger = logging.getLogger(NAME)
        self._old_level = self._logger.level
        self._logger.setLevel(level)
        self._listener: logging.handlers.QueueListener | None = None
        if method == "fork" and multiprocessing.get_start_method() == "fork":
            self._handler = _shared(self._logger, self._file)
            self.pool_options: dict[str, object] = {}
        else:
            self._handler = self._file
            self._logger.addHandler(self._file)
            records: queue.SimpleQueue = queue.SimpleQueue()
            self._listener = logging.handlers.QueueListener(records, self._file)
            self._listener.start()
            self.pool_options = {"log_to": records.put, "log_level": level}

    def close(self) -> None:
        """Write what has arrived, and end; never waits for what a killed worker still holds."""
        self._logger.removeHandler(self._handler)
        self._logger.setLevel(self._old_level)
        if self._listener is not None:
            self._listener.stop()
        _within(_PATIENCE_SECONDS, self._handler.close)
        if self._is_new and os.path.isfile(self._file.baseFilename) and not os.path.getsize(self._file.baseFilename):
            os.unlink(self._file.baseFilename)  # whatever was to be logged was refused before it began


class _File(logging.FileHandler):
    """The log file. Where it cannot be written any more, a person is told once, and the work goes on."""

    _told = False

    def handleError(self, record: logging.LogRecord) -> None:
        error = sys.exc_info()[1]
        if not isinstance(error, OSError):
            super().handleError(record)
        elif not self._told:
            self._told = True
            complain(f"{self.baseFilename}: cannot write the log: {error.strerror}; the search goes on without it")

    def close(self) -> None:
        try:
            super().close()
        except OSError:
            pass  # records that did not fit


def _shared(logger: logging.Logger, file: logging.Handler) -> logging.Handler:
    """Have multiprocessing-logging carry the records of all processes to the file's handler, and to no other."""
    from multiprocessing_logging import install_mp_handler

    others = logger.handlers[:]
    logger.handlers[:] = [file]
    install_mp_handler(logger)
    (handler,) = logger.handlers
    logger.handlers[:] = [*others, handler]
    # Else Python would wait, at its exit, for records that cannot leave because a killed worker holds the lock.
    handler.queue.cancel_join_thread()
    return handler


def log_through(send: Callable[[logging.LogRecord], object], level: int) -> None:
    """In a worker: hand all records to `send`, in a form that can be pickled, instead of writing them."""
    logger = logging.getLogger(NAME)
    logger.setLevel(level)
    logger.handlers[:] = [logging.handlers.QueueHandler(_Outlet(send))]


class _Outlet:
    """What QueueHandler needs of a queue."""

    def __init__(self, send: Callable[[logging.LogRecord], object]):
        self.put_nowait = send


def flush_worker() -> None:
    """In a worker that ends: let the records go that are still in its memory, if they can."""
    for handler in logging.getLogger(NAME).handlers:
        records = getattr(handler, "queue", None)
        if hasattr(records, "join_thread"):
            records.close()
            _within(_PATIENCE_SECONDS, records.join_thread)


def _within(seconds: float, call: Callable[[], object]) -> None:
    """Call, but wait for it so long only."""
    thread = threading.Thread(target=call, daemon=True)
    thread.start()
    thread.join(seconds)
