"""What a worker does for a run: one leg, from task to packed result."""

from __future__ import annotations

import logging
import time

from .leg import LegTask
from .strategies import get

log = logging.getLogger("beggar.work")


def do_leg(task: LegTask) -> bytes:
    """Do one leg and pack its result (see leg.py): data only, so that any executor can carry it.

    The log says when it began and how long it took, so that a leg that never ends, and the worker it is at, can be seen.

    Raises:
        RuntimeError: this process has another version of the strategy than the run.
    """
    strategy = get(str(task.settings["strategy"]))
    if strategy.version != task.settings["strategy_version"]:
        raise RuntimeError(
            f"strategy {strategy.name} has version {strategy.version} here, the run needs {task.settings['strategy_version']}"
        )
    log.info("leg %d of searcher %d begins", task.leg, task.searcher)
    began = time.monotonic()
    result = strategy.advance(task).pack()
    log.info("leg %d of searcher %d took %.3f s", task.leg, task.searcher, time.monotonic() - began)
    return result
