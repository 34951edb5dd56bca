"""beggar plot: the distribution of lengths as a picture."""

from __future__ import annotations

from types import SimpleNamespace

from .. import options
from ..config import CONFIG
from ..distribution import counted
from ..options import Command, Setting
from ..paths import run_path
from ..plot import KINDS, check_kind, draw
from .common import COUNTED, RUNS


def plot(args: SimpleNamespace) -> int:
    """Draw how the lengths of runs' games are distributed."""
    paths = {name: run_path(name) for name in args.run}
    path = args.out or next(iter(paths.values())).removesuffix(".run") + KINDS[0]
    check_kind(path)
    draw(path, {name: counted(at, args.of) for name, at in paths.items()})
    print(path)
    return 0


PLOT = Command(
    "plot",
    "Draw how the lengths of the games that runs played are distributed.",
    plot,
    (RUNS,),
    (
        Setting("out", f"the file, {', '.join(KINDS)}; one that exists is replaced (default: beside the first run, {KINDS[0]})", options.word, None, "FILE"),
        COUNTED,
        CONFIG,
    ),
    "A curve for each run: the share of its games that are so long or longer. Needs matplotlib: pip install 'beggar[plots]'.",
)
