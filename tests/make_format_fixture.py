"""Writes the fixture of the file format that this version writes: tests/data/format-N.run and what must be read from it.

Run it once for a new format, before its release. Fixtures of released formats stay as they are for ever.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE)]

import toys  # noqa: E402

from search.run import Bounds, Run  # noqa: E402
from search.settings import new_settings  # noqa: E402
from search.header import VERSION  # noqa: E402
from search.store import Done, Session  # noqa: E402


def make(folder: Path) -> None:
    toys.install()
    path = folder / f"format-{VERSION}.run"
    path.unlink(missing_ok=True)
    settings = new_settings("sharing", rules=toys.RULES, searchers=5, seed=3, keep=6, leg_games=8, offer=2)
    with Run.create(str(path), settings) as run:
        run.work(Bounds(games=96), workers=1, pool_options={"initializer": toys.install})
        run.store.begin_session(Session(started=1.0, host="here", pid=1, version="1", engine="ring", workers=1))
        run.store.commit([Done(2, 2, None, reason="3 workers died on it: was killed by SIGKILL")])
        run.store.end_session("stopped")
        path.with_suffix(".json").write_bytes(run.store.contents() + b"\n")
    print(path, os.path.getsize(path))


if __name__ == "__main__":
    make(HERE / "data")
