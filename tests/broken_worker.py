"""Preloaded into a Dask worker, this makes it one that is not to be trusted. FAULT says how.

state, tally, find: bits are wrong in that part of each result, and the result is packed and sealed well. Which
    bits depends on the process: two workers that are wrong in the same way would agree with each other.
longer: every find is said to be a card longer than it is.
raise: every leg raises an error.
garbage: states are of another kind, in results that are packed and sealed well.
stale: whatever it is asked, it answers what it has answered first.
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
    elif fault == "stale":
        real = search.cluster.do_all
        answers: list[list[bytes]] = []

        def do_all(payload: bytes) -> list[bytes]:
            answers.append(real(payload))
            return answers[0]

        search.cluster.do_all = do_all
    else:
        search.work.do_leg = lambda task: _wrong(fault, task)


def _wrong(fault: str, task: LegTask) -> bytes:
    result = get(task.settings["strategy"]).advance(task)
    if fault == "raise":
        raise MemoryError("no room for it")
    if fault == "garbage":
        result.state = b"garbage"
    bits = 1 + os.getpid() % 255
    if fault == "state" and result.state:
        result.state = bytes([*result.state[:-1], result.state[-1] ^ bits])
    elif fault == "tally":
        result.tally.counts["cards"] ^= bits
    elif fault == "longer":
        result.finds = [replace(find, cards=find.cards + 1) for find in result.finds]
    elif fault == "find" and result.finds:
        result.finds[0] = replace(result.finds[0], cards=result.finds[0].cards ^ bits)
    return result.pack()
