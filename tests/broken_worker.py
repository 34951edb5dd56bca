"""Preloaded into a Dask worker, this makes it one that is not to be trusted. FAULT says how.

state, tally, find: one bit is wrong in that part of each result, and the result is packed and sealed well.
build: it says that it was built from other sources.
"""

from __future__ import annotations

import os
from dataclasses import replace

import search.build
import search.cluster
import search.work
from search.leg import LegTask
from search.strategies import get


def dask_setup(worker: object) -> None:
    fault = os.environ["FAULT"]
    if fault == "build":
        true = search.build.describe
        search.cluster.describe = lambda: {**true(), "build": "0" * 16}
    else:
        search.work.do_leg = lambda task: _wrong(fault, task)


def _wrong(fault: str, task: LegTask) -> bytes:
    result = get(task.settings["strategy"]).advance(task)
    if fault == "state" and result.state:
        result.state = bytes([*result.state[:-1], result.state[-1] ^ 1])
    elif fault == "tally":
        result.tally.counts["cards"] ^= 1
    elif fault == "find" and result.finds:
        result.finds[0] = replace(result.finds[0], cards=result.finds[0].cards ^ 64)
    return result.pack()
