"""The progress of a run, for a person: a line that is redrawn on a terminal, a plain line now and then elsewhere."""

from __future__ import annotations

import os
import sys
from typing import TextIO

from tqdm import tqdm

from .run import Progress

tqdm.monitor_interval = 0  # no thread of tqdm's, which forked workers would inherit the locks of

_SCALE = 1000  # steps of the bar
_PERCENT, _PERCENT_WIDTH = "{percentage:3.0f}% ", 5  # what may stand before the words, and its characters
_BAR, _BAR_WIDTH = "{percentage:3.0f}%|{bar:12}| ", 19
_USUAL_COLUMNS = 80
_ROWS = 20  # any that has room for a line; left to itself tqdm shows nothing where a terminal says it has none
PLAIN_SECONDS = 30.0


class ProgressLine:
    """Shows what Run.work reports; give `update` as its on_progress.

    A terminal that is gone, a pipe that nobody reads and a full disk end the showing, never the work.

    Args:
        objective: of the run: which figure of the best find comes first.
        stream: where to; standard error by default.
        terminal: whether the line is redrawn; None looks at the stream.
        every: seconds between plain lines.
    """

    def __init__(self, objective: str, stream: TextIO | None = None, terminal: bool | None = None, every: float = PLAIN_SECONDS):
        self._objective = objective
        self._stream = stream or sys.stderr
        self._terminal = self._stream.isatty() if terminal is None else terminal
        self._every = every
        self._bar: tqdm | None = None
        self._next = every
        self._lost = False  # the stream takes no more

    def update(self, progress: Progress) -> None:
        """Show how things stand."""
        if self._terminal:
            self._guarded(self._redraw, progress)
        elif progress.elapsed >= self._next:
            self._next = progress.elapsed + self._every
            self.say(describe(progress, self._objective))

    def say(self, text: str) -> None:
        """A line that stays, above the progress line if there is one."""
        if self._bar is not None:
            self._guarded(self._bar.write, text, file=self._stream)
        else:
            self._guarded(print, text, file=self._stream, flush=True)

    def close(self) -> None:
        if self._bar is not None:
            self._guarded(self._bar.close)
            self._bar = None

    def _redraw(self, progress: Progress) -> None:
        columns = _columns(self._stream) - 1  # what fills a line wraps on some terminals
        bounded = progress.done is not None
        text = describe(progress, self._objective, columns - (_PERCENT_WIDTH if bounded else 0))
        form = "{desc}"
        if bounded:
            form = _PERCENT + form if len(text) > columns - _BAR_WIDTH else _BAR + form
        if self._bar is None:
            total = _SCALE if bounded else None
            self._bar = tqdm(total=total, file=self._stream, bar_format=form, ncols=columns, nrows=_ROWS, leave=False)
        self._bar.bar_format, self._bar.ncols = form, columns
        if bounded:
            self._bar.n = round(progress.done * _SCALE)
        self._bar.set_description_str(text, refresh=True)

    def _guarded(self, show, *args, **kwargs) -> None:
        """Call what writes to the stream, for as long as it can be written to."""
        if self._lost:
            return
        try:
            show(*args, **kwargs)
        except (OSError, ValueError):  # ValueError: the stream is closed
            self._lost = True

    def __enter__(self) -> ProgressLine:
        return self

    def __exit__(self, *_) -> None:
        self.close()


def _columns(stream: TextIO) -> int:
    """How wide the terminal is; a usual width where it does not say."""
    try:
        return os.get_terminal_size(stream.fileno()).columns or _USUAL_COLUMNS
    except (OSError, ValueError):
        return _USUAL_COLUMNS


def describe(progress: Progress, objective: str, room: int | None = None) -> str:
    """Rates, the best so far, infinite games, time gone and time to go, in one line.

    Rates count legs that have come back, since the session began. Where there is not room for all, the tricks/s
    and then the second figure of the best are left out.
    """
    time = duration(progress.elapsed) + (f" (to go {duration(progress.eta)})" if progress.eta is not None else "")
    rates = ["first legs at work"]
    if progress.legs and progress.elapsed > 0:
        rates = [f"{quantity(progress.games / progress.elapsed)} games/s", f"{quantity(progress.tricks / progress.elapsed)} tricks/s"]
    best = []
    if progress.best is not None:
        best = [f"best {progress.best.cards} cards", f"{progress.best.tricks} tricks"]
        if objective == "tricks":
            best = [f"best {progress.best.tricks} tricks", f"{progress.best.cards} cards"]
    infinite = f"{progress.infinite} infinite"
    for parts in ([*rates, *best], [*rates[:1], *best], [*rates[:1], *best[:1]]):
        text = ", ".join([time, *parts, infinite])
        if room is None or len(text) <= room:
            break
    return text


def quantity(n: float) -> str:
    """A number to three figures: 950, 12.3k, 4.56M."""
    for unit in ("", "k", "M", "G"):
        if abs(n) < 999.5 or unit == "G":
            break
        n /= 1000
    if not unit:
        return f"{n:.0f}"
    return f"{n:.{2 if n < 9.995 else 1 if n < 99.95 else 0}f}{unit}"


def duration(seconds: float) -> str:
    """Seconds for a person: 0:42, 12:05, 7:03:00, 2d 4:00:00."""
    minutes, second = divmod(round(seconds), 60)
    hours, minute = divmod(minutes, 60)
    days, hour = divmod(hours, 24)
    if days:
        return f"{days}d {hour}:{minute:02}:{second:02}"
    return f"{hour}:{minute:02}:{second:02}" if hours else f"{minute}:{second:02}"
