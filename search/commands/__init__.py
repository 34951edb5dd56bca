"""The commands of the program, one function each, in the order in which the help shows them."""

from __future__ import annotations

from ..options import Command
from .audit import AUDIT
from .cycles import CYCLE, CYCLES
from .deals import DEAL, INDEX, PLAY, RECORDS, VERIFY
from .lengths import LENGTHS
from .lines import EXTEND
from .plot import PLOT
from .replay import REPLAY
from .runs import FINDS, MERGE, RESUME, RUNS, SEARCH, STATUS
from .tools import BENCH, SELFTEST

ALL: tuple[Command, ...] = (
    SEARCH, RESUME, STATUS, RUNS, FINDS, LENGTHS, PLOT, MERGE, AUDIT, REPLAY, VERIFY, PLAY, EXTEND, CYCLES, CYCLE, INDEX, DEAL, RECORDS,
    SELFTEST, BENCH,
)  # fmt: skip

COMMANDS: dict[str, Command] = {command.name: command for command in ALL}
