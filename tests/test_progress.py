"""The progress line: on a terminal and elsewhere."""

from __future__ import annotations

import fcntl
import io
import os
import struct
import termios
from dataclasses import replace
from types import SimpleNamespace

import pytest

from search.progress import ProgressLine, describe, duration, quantity
from search.run import Progress


def at(elapsed, games=0, done=None, eta=None):
    return Progress(
        elapsed=elapsed, legs=int(games > 0), games=games, tricks=35 * games, counts={"games": games}, best=None, infinite=2, done=done, eta=eta, workers=1
    )


def test_words_and_rates():
    assert describe(at(2, games=4_000_000, eta=90), "cards") == "0:02 (to go 1:30), 2.00M games/s, 70.0M tricks/s, 2 infinite"
    assert "first legs at work" in describe(at(1), "cards")


def test_numbers_and_times():
    assert [quantity(n) for n in (0, 7, 999, 1000, 12345, 999_999, 4.56e6, 7e9)] == [
        "0", "7", "999", "1.00k", "12.3k", "1.00M", "4.56M", "7.00G",
    ]  # fmt: skip
    assert [duration(s) for s in (0, 44.6, 60, 725, 3600, 28700, 90000)] == [
        "0:00", "0:45", "1:00", "12:05", "1:00:00", "7:58:20", "1d 1:00:00",
    ]  # fmt: skip


def test_without_a_terminal_a_plain_line_now_and_then():
    stream = io.StringIO()
    with ProgressLine("cards", stream, every=30.0) as line:
        for second in range(301):
            line.update(at(second))
    assert len(stream.getvalue().splitlines()) == 10


def test_on_a_terminal_one_line_is_redrawn_and_messages_have_their_own():
    stream = io.StringIO()
    with ProgressLine("tricks", stream, terminal=True) as line:
        line.update(at(1, done=0.25, eta=3))
        line.say("hello")
        line.update(at(2, done=0.5, eta=2))
    text = stream.getvalue()
    assert "25%" in text and "50%" in text and "hello\n" in text and text.count("\n") == 1


def test_without_an_end_there_is_no_bar():
    stream = io.StringIO()
    with ProgressLine("cards", stream, terminal=True) as line:
        line.update(at(1))
    assert "%" not in stream.getvalue() and "2 infinite" in stream.getvalue()


def shown_at(columns, progress, objective="cards", rows=24):
    """What a terminal of such a size shows of this progress."""
    parent, child = os.openpty()
    shown = b""
    with open(child, "w") as stream:
        fcntl.ioctl(child, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        with ProgressLine(objective, stream) as line:
            line.update(progress)
            line.say("end")
            while b"end\r\n" not in shown:  # a terminal hands on what it gets in pieces
                shown += os.read(parent, 4096)
    os.close(parent)
    return max((drawn.rstrip() for drawn in shown.decode().split("\r")), key=len)


@pytest.mark.parametrize("columns, seen", [(140, "tricks/s"), (90, "best 8344 cards, 1164 tricks, 2 infinite"), (80, "best 8344 cards, 2 infinite"), (62, "best 8344 cards")])
def test_the_best_is_seen_on_a_terminal_of_any_usual_width(columns, seen):
    best = SimpleNamespace(cards=8344, tricks=1164)
    shown = shown_at(columns, replace(at(3600, games=4_000_000_000, done=0.5, eta=3600), best=best))
    assert len(shown) < columns and shown.startswith(" 50%") and seen in shown
    assert ("|" in shown) == (columns == 140)


def test_a_terminal_that_does_not_know_its_size():
    assert "2 infinite" in shown_at(0, at(1), rows=0)


class Gone(io.StringIO):
    """A stream whose reader is gone: a closed terminal, a pipe into a program that has ended."""

    def write(self, text):
        raise BrokenPipeError

    def flush(self):
        raise BrokenPipeError


@pytest.mark.parametrize("terminal", [True, False])
def test_a_stream_that_is_gone_ends_the_showing_only(terminal):
    with ProgressLine("cards", Gone(), terminal=terminal, every=1.0) as line:
        for second in range(1, 5):
            line.update(at(second, done=0.5, eta=3))
            line.say("hello")
