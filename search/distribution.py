"""The distribution of what a run counted: how many games took so many cards, in classes of equal width."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .errors import InputError
from .store import Store

OF = {"games": "lengths", "lines": "lines", "periods": "periods"}  # what is counted, and the histogram of the tally that has it
ROWS = 25  # classes that a table has at most unless a width is asked for
_STEPS = (1, 2, 5)  # widths are these times powers of ten, so that classes begin at round numbers


@dataclass(frozen=True)
class Class:
    """How many values fell into one class.

    Attributes:
        least, most: the class, both ends included.
        count: how many values are in it.
        at_least: how many are in it or beyond it.
        one_in: all values over at_least: one value in so many is this large.
    """

    least: int
    most: int
    count: int
    at_least: int
    one_in: float


@dataclass(frozen=True)
class Counted:
    """What a run counted.

    Attributes:
        of: 'games', 'lines' (found by playing backward) or 'periods' (of loops).
        unit: what lengths are counted in, 'cards' or 'tricks'.
        histogram: {length: how many}.
        counts: totals of the run.
    """

    of: str
    unit: str
    histogram: Mapping[int, int]
    counts: Mapping[str, int]


def counted(path: str, of: str) -> Counted:
    """Read what a run file counted of 'games', 'lines' or 'periods'.

    Raises:
        InputError: its strategy does not count them. Others as Store.open.
    """
    with Store.open(path) as store, store.snapshot():
        store.load()
        settings, counts, histograms = store.settings, store.counts, store.histograms()
    if (histogram := histograms.get(OF[of])) is None:
        others = ", ".join(name for name, kept in OF.items() if kept in histograms)
        raise InputError(f"{path}: --of {of}: a run of strategy {settings['strategy']} does not count them; it counts {others}")
    return Counted(of, {"games": "cards", "lines": str(settings["objective"]), "periods": "tricks"}[of], histogram, counts)


def classes(histogram: Mapping[int, int], width: int) -> list[Class]:
    """The classes that hold anything, in ascending order.

    Args:
        histogram: {value: how often}; values are 0 or more.
        width: values in a class; classes begin at its multiples.
    """
    counts: dict[int, int] = {}
    for value, count in histogram.items():
        if count:
            counts[value // width] = counts.get(value // width, 0) + count
    everything = rest = sum(counts.values())
    rows = []
    for number, count in sorted(counts.items()):
        rows.append(Class(number * width, (number + 1) * width - 1, count, rest, everything / rest))
        rest -= count
    return rows


def round_width(histogram: Mapping[int, int], rows: int = ROWS) -> int:
    """The least of 1, 2, 5, 10, 20, 50 ... with which all values fall into at most so many classes."""
    if not histogram:
        return 1
    low, high = min(histogram), max(histogram)
    power = 1
    while True:
        for step in _STEPS:
            width = step * power
            if high // width - low // width < rows:
                return width
        power *= 10
