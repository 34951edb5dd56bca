"""What a worker does for a run: one leg, from task to packed result."""

from __future__ import annotations

from .leg import LegTask
from .strategies import get


def do_leg(task: LegTask) -> bytes:
    """Do one leg and pack its result (see leg.py): data only, so that any executor can carry it.

    Raises:
        RuntimeError: this process has another version of the strategy than the run.
    """
    strategy = get(str(task.settings["strategy"]))
    if strategy.version != task.settings["strategy_version"]:
        raise RuntimeError(
            f"strategy {strategy.name} has version {strategy.version} here, the run needs {task.settings['strategy_version']}"
        )
    return strategy.advance(task).pack()
