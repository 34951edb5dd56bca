"""The distribution of what a run counted: how many games took so many cards, in classes of equal width."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

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
