"""Asking a run to stop, from a signal or from anywhere."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager


class StopFlag:
    """Asked once: finish the legs in flight and commit. Asked again: stop at once."""

    def __init__(self) -> None:
        self.requests = 0

    def request(self) -> None:
        """Ask, or ask again."""
        self.requests += 1

    @property
    def asked(self) -> bool:
        """Whether no more legs are to begin."""
        return self.requests >= 1

    @property
    def at_once(self) -> bool:
        """Whether legs in flight are to be dropped, too."""
        return self.requests >= 2


@contextmanager
def stop_on_signals(flag: StopFlag, say=lambda text: None) -> Iterator[StopFlag]:
    """While this lasts, Ctrl-C, SIGTERM and a closed terminal make requests of the flag.

    A third signal does what it usually does, should the program not get to look at the flag any more;
    that is safe, too. SIGTERM and SIGHUP stay ignored where they are (nohup). Call it in the main thread. `say` is told, once, what a first signal does.
    """

    def handler(number: int, frame: object) -> None:
        flag.request()
        if flag.requests == 1:
            say("stopping when the legs in flight are finished; once more stops at once")
        if flag.at_once:
            for each in old:
                signal.signal(each, signal.SIG_DFL)

    names = ("SIGINT", "SIGTERM", "SIGHUP")
    old = {}  # what was done about the signals that are handled here
    for number in (getattr(signal, name) for name in names if hasattr(signal, name)):
        before = signal.getsignal(number)
        if before is not signal.SIG_IGN or number == signal.SIGINT:
            old[number] = before
            signal.signal(number, handler)
    try:
        yield flag
    finally:
        for number, previous in old.items():
            signal.signal(number, previous if previous is not None else signal.SIG_DFL)
