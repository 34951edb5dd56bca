"""The progress of a run, for a person: a line that is redrawn on a terminal, a plain line now and then elsewhere."""

from __future__ import annotations

import sys
from typing import TextIO

from tqdm import tqdm

from .run import Progress

tqdm.monitor_interval = 0  # no thread of tqdm's, which forked workers would inherit the locks of

_SCALE = 1000  # steps of the bar
PLAIN_SECONDS = 30.0


class ProgressLine:
    """Shows what Run.work reports; give `update` as its on_progress.

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

    def update(self, progress: Progress) -> None:
        """Show how things stand."""
        if not self._terminal:
            if progress.elapsed >= self._next:
                self._next = progress.elapsed + self._every
                self.say(describe(progress, self._objective))
            return
        if self._bar is None:
            bounded = progress.done is not None
            form = "{percentage:3.0f}%|{bar:12}| {desc}" if bounded else "{desc}"
            self._bar = tqdm(total=_SCALE if bounded else None, file=self._stream, bar_format=form, dynamic_ncols=True, leave=False)
        if progress.done is not None:
            self._bar.n = round(progress.done * _SCALE)
        self._bar.set_description_str(describe(progress, self._objective), refresh=True)

    def say(self, text: str) -> None:
        """A line that stays, above the progress line if there is one."""
        if self._bar is not None:
            self._bar.write(text, file=self._stream)
        else:
            print(text, file=self._stream, flush=True)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
            self._bar = None

    def __enter__(self) -> ProgressLine:
        return self

    def __exit__(self, *_) -> None:
        self.close()


def describe(progress: Progress, objective: str) -> str:
    """Rates, the best so far, infinite games, time gone and time to go, in one line.

    Rates count legs that have come back, since the session began.
    """
    parts = [duration(progress.elapsed) + (f" (to go {duration(progress.eta)})" if progress.eta is not None else "")]
    if progress.legs and progress.elapsed > 0:
        parts.append(f"{quantity(progress.games / progress.elapsed)} games/s")
        parts.append(f"{quantity(progress.tricks / progress.elapsed)} tricks/s")
    else:
        parts.append("first legs at work")
    if progress.best is not None:
        figures = [f"{progress.best.cards} cards", f"{progress.best.tricks} tricks"]
        parts.append("best " + ", ".join(reversed(figures) if objective == "tricks" else figures))
    parts.append(f"{progress.infinite} infinite")
    return ", ".join(parts)


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
