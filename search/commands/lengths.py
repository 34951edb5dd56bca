"""beggar lengths: how the lengths that a run counted are distributed."""

from __future__ import annotations

from types import SimpleNamespace

from .. import options, report
from ..config import CONFIG
from ..distribution import classes, round_width
from ..errors import InputError
from ..options import Command, Setting
from ..outcome import count
from ..progress import quantity
from ..paths import run_path
from ..store import Store
from .common import FORMAT, FORMAT_NOT_JSON, RUN

OF = {"games": "lengths", "lines": "lines", "periods": "periods"}  # what --of names, and the histogram of the tally that has it


def lengths(args: SimpleNamespace) -> int:
    """Show how the lengths of a run's games are distributed."""
    with Store.open(run_path(args.run)) as store, store.snapshot():
        store.load()
        settings, counts, histograms = store.settings, store.counts, store.histograms()
    histogram = histograms.get(OF[args.of])
    if histogram is None:
        others = ", ".join(name for name, kept in OF.items() if kept in histograms)
        raise InputError(f"--of {args.of}: a run of strategy {settings['strategy']} does not count them; it counts {others}")
    unit = {"games": "cards", "lines": str(settings["objective"]), "periods": "tricks"}[args.of]
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
        print(_summary(args.of, histogram, counts, unit))
        if args.of == "games" and "lines" in histograms:
            print("walked back, games get longer: --of lines")
    return 0


def _span(least: int, most: int) -> str:
    return str(least) if least == most else f"{least} to {most}"


def _summary(of: str, histogram: dict[int, int], counts: dict[str, int], unit: str) -> str:
    """One line under the table: how many there are, their mean and their ends, and what is not among them."""
    number = sum(histogram.values())
    if not number:
        return f"no {of} counted"
    mean = sum(value * times for value, times in histogram.items()) / number
    text = f"{number} {of}, {min(histogram)} to {max(histogram)} {unit}, {mean:.6g} on average"
    if of == "games":
        cut = counts["games"] - number - counts["infinite"]
        text += f"; {count(counts['infinite'], 'infinite game')}"
        text += f", {count(cut, 'game')} not played to the end" if cut else ""
    return text


LENGTHS = Command(
    "lengths",
    "How the lengths of the games that a run played are distributed.",
    lengths,
    (RUN,),
    (
        Setting(
            "of",
            "games: cards until a game is over, from where the strategy began it (default); lines: of the lines found by playing "
            "backward, in what the run is for; periods: tricks in the loops of a scan",
            options.one_of(*OF), "games", "WHAT",
        ),  # fmt: skip
        Setting("width", "so many lengths in a row (default: as many as give a short table; 1 for csv and json)", options.whole(), metavar="N"),
        FORMAT,
        CONFIG,
    ),
    "csv and json have a line for each length that occurred: from, to, how many, how many of so much or more, and one in how many that is.",
    refused=FORMAT_NOT_JSON,
)
