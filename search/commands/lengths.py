"""beggar lengths: how the lengths that a run counted are distributed."""

from __future__ import annotations

from types import SimpleNamespace

from .. import options, report
from ..config import CONFIG
from ..distribution import Counted, classes, counted, round_width
from ..options import Command, Setting
from ..outcome import count
from ..progress import quantity
from ..paths import run_path
from .common import COUNTED, FORMAT, FORMAT_NOT_JSON, RUN


def lengths(args: SimpleNamespace) -> int:
    """Show how the lengths of a run's games are distributed."""
    got = counted(run_path(args.run), args.of)
    histogram, unit = got.histogram, got.unit
    reading = args.format in ("table", "markdown")
    found = classes(histogram, args.width or (round_width(histogram) if reading else 1))
    if not reading:
        columns = [f"{unit}_from", f"{unit}_to", args.of, "at_least", "one_in"]
        rows = [dict(zip(columns, (c.least, c.most, c.count, c.at_least, c.one_in))) for c in found]
    else:
        columns = [unit, args.of, "so many or more", "one in"]
        rows = [dict(zip(columns, (_span(c.least, c.most), c.count, c.at_least, quantity(c.one_in)))) for c in found]
    print(report.in_format(args.format, rows, columns, columns), end="")
    if args.format == "table":
        print(_summary(got))
        if args.of == "games" and "lines" in got.counts:
            print("walked back, games get longer: --of lines")
    return 0


def _span(least: int, most: int) -> str:
    return str(least) if least == most else f"{least} to {most}"


def _summary(got: Counted) -> str:
    """One line under the table: how many there are, their mean and their ends, and what is not among them."""
    number = sum(got.histogram.values())
    if not number:
        return f"no {got.of} counted"
    mean = sum(value * times for value, times in got.histogram.items()) / number
    text = f"{number} {got.of}, {min(got.histogram)} to {max(got.histogram)} {got.unit}, {mean:.6g} on average"
    if got.of == "games":
        cut = got.counts["games"] - number - got.counts["infinite"]
        text += f"; {count(got.counts['infinite'], 'infinite game')}"
        text += f", {count(cut, 'game')} not played to the end" if cut else ""
    return text


LENGTHS = Command(
    "lengths",
    "How the lengths of the games that a run played are distributed.",
    lengths,
    (RUN,),
    (
        COUNTED,
        Setting("width", "so many lengths in a row (default: as many as give a short table; 1 for csv and json)", options.whole(), metavar="N"),
        FORMAT,
        CONFIG,
    ),
    "csv and json have a line for each length that occurred: from, to, how many, how many of so much or more, and one in how many that is.",
    refused=FORMAT_NOT_JSON,
)
