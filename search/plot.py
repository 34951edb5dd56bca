"""A plot of what runs counted, drawn by matplotlib, which is an extra."""

from __future__ import annotations

import logging
import os
import tempfile
import warnings
from collections.abc import Mapping
from pathlib import Path

from .distribution import Counted, classes
from .errors import CannotWrite, InputError, MissingExtra

_NO_DATE = {".png": {}, ".svg": {"Date": None}, ".pdf": {"CreationDate": None}}  # what keeps the time of day out of each kind of file
KINDS = tuple(_NO_DATE)
_INCHES = (8, 5)
_DOTS_PER_INCH = 150


def check_kind(path: str) -> None:
    """Raises InputError unless the path ends as a kind of file that can be drawn."""
    if Path(path).suffix.lower() not in KINDS:
        raise InputError(f"{path}: a plot is drawn into a file that ends in {', '.join(KINDS)}")


def draw(path: str, curves: Mapping[str, Counted]) -> None:
    """Draw how many games are how long: a curve a run, the share of its games that are so long or longer.

    Args:
        path: of the file, with one of KINDS; one that exists is replaced, once the new one is complete. Equal counts give
            equal files, as far as one version of matplotlib goes.
        curves: {name of the run: what it counted}, all of the same kind.

    Raises:
        InputError: nothing was counted, or different things were.
        MissingExtra: matplotlib is not installed.
        CannotWrite.
    """
    for name, got in curves.items():
        if not any(got.histogram.values()):
            raise InputError(f"{name}: no {got.of} counted, there is nothing to plot")
    if len(units := {got.unit for got in curves.values()}) > 1:
        raise InputError(f"the runs count {' and '.join(sorted(units))}, which do not go into one plot")
    figure = _figure(curves, units.pop())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about names in scripts that its font has not
        _save(figure, path)


def _save(figure, path: str) -> None:
    folder, suffix = os.path.dirname(path) or ".", Path(path).suffix.lower()
    try:
        with tempfile.TemporaryDirectory(dir=folder, prefix=".beggar-plot-") as room:
            made = os.path.join(room, "plot" + suffix)
            figure.savefig(made, dpi=_DOTS_PER_INCH, metadata=_NO_DATE[suffix])
            os.replace(made, path)
    except OSError as error:
        raise CannotWrite(f"{path}: cannot write the plot: {error.strerror or error}") from None


def _figure(curves: Mapping[str, Counted], unit: str):
    logging.getLogger("matplotlib").setLevel(logging.ERROR)  # it tells of fonts and of folders for its cache
    os.environ["MPLBACKEND"] = "agg"  # nothing is shown on a screen
    try:
        import matplotlib
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtra.named("plots", "plots need matplotlib") from None
    matplotlib.rcdefaults()
    matplotlib.rcParams["svg.hashsalt"] = "beggar"  # names inside a file that do not change from call to call
    matplotlib.rcParams["svg.fonttype"] = "none"  # text stays text
    figure = Figure(figsize=_INCHES, layout="constrained")
    axes = figure.add_subplot()
    for name, got in curves.items():
        rows = classes(got.histogram, 1)
        lengths, shares = [row.least for row in rows], [1 / row.one_in for row in rows]
        shown = name.encode(errors="backslashreplace").decode()  # file names can have bytes that are no text
        (line,) = axes.step(lengths, shares, where="pre", label=f"{sum(got.histogram.values()):,} {got.of} of {shown}")
        axes.plot(lengths[-1:], shares[-1:], "o", color=line.get_color())
        axes.annotate(f" {lengths[-1]}", (lengths[-1], shares[-1]), color=line.get_color())
    (what,) = {got.of for got in curves.values()}
    axes.set_yscale("log")
    axes.set_xlabel("tricks in the loop" if what == "periods" else unit)
    axes.set_ylabel(f"share of {what} that are so long or longer")
    axes.grid(True, alpha=0.3)
    axes.margins(x=0.08)  # room for the numbers at the ends of the curves
    for text in axes.legend().get_texts():
        text.set_parse_math(False)  # a dollar in a name is a dollar
    return figure
