"""How a run stands, read from its file while somebody works on it or not."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass

from .expect import Expectation, expect
from .finds import Find
from .lock import in_use
from .store import Session, Store


@dataclass(frozen=True)
class RunStatus:
    """What `read_status` found. Times are seconds since 1970, rates are per second of the last session.

    Attributes:
        path: of the run file; size: its bytes.
        settings: of the run; created: when it was made.
        state: 'running', 'stopped', 'complete' (all is done that there was), 'killed' (its last session
            ended without a word), or 'new'.
        counts: totals of games, cards, tricks, infinite games, and what else the strategy counts.
        legs: done or set aside; searchers: that have begun.
        best: the best finite find; finds, infinite_finds: how many are kept of either kind; bar: what a new finite
            find must reach to be kept.
        longest: the most cards of any finite game, kept or not; None before the first.
        set_aside: (leg, searcher, reason) of the legs that were given up.
        session: the last one, None if nobody has worked on the run; sessions: how many; worked: their seconds together.
        games_rate, tricks_rate: None before the first commit.
        eta: seconds to go, None where no end is set or nothing is known yet.
        last_commit: None before the first.
        crew: the workers of the last session, as far as they were noted: WorkerNote's fields, and `games`; 'at work'
            only while somebody works on the run, afterwards 'ended'.
        expectation: how lengths fall off, and what longer games would take; None where that says nothing.
    """

    path: str
    size: int
    settings: Mapping[str, object]
    created: float
    state: str
    counts: Mapping[str, int]
    legs: int
    searchers: int
    best: Find | None
    finds: int
    bar: int
    infinite_finds: int
    longest: int | None
    set_aside: list[tuple[int, int, str]]
    session: Session | None
    sessions: int
    worked: float
    games_rate: float | None
    tricks_rate: float | None
    eta: float | None
    last_commit: float | None
    crew: list[dict[str, object]]
    expectation: Expectation | None


def read_status(path: str, now: float | None = None) -> RunStatus:
    """How the run stands. Changes nothing; errors as Store.open."""
    now = time.time() if now is None else now
    running = in_use(path)
    with Store.open(path) as store, store.snapshot():
        store.load()
        histograms = store.histograms()
        sessions = store.sessions()
        set_aside = store.set_aside()
        size = store.size()
        crew = store.crew()
    session = sessions[-1] if sessions else None
    if session is None:
        state = "new"
    elif running and session.ended is None:
        state = "running"
    else:
        state = "killed" if session.ended is None else "complete" if session.why == "complete" else "stopped"
    if state != "running":
        crew = [{**worker, "state": "ended" if worker["state"] == "at work" else worker["state"]} for worker in crew]
    time_at_work = None if session is None or session.last_commit is None else session.last_commit - session.started
    worked = time_at_work and session.core_time  # nobody has for what was merged
    rates = (session.games / time_at_work, session.tricks / time_at_work) if worked else (None, None)
    core_seconds = sum(s.core_time for s in sessions)
    return RunStatus(
        path=path,
        size=size,
        settings=store.settings,
        created=store.created,
        state=state,
        counts=store.counts,
        legs=sum(store.legs.values()),
        searchers=len(store.legs),
        best=store.kept.best,
        finds=len(store.kept),
        bar=store.kept.bar,
        infinite_finds=store.infinite_finds,
        longest=max(histograms.get("lengths", {}), default=None),
        set_aside=set_aside,
        session=session,
        sessions=len(sessions),
        worked=sum(max(0.0, (s.ended or s.last_commit or s.started) - s.started) for s in sessions),
        games_rate=rates[0],
        tricks_rate=rates[1],
        eta=_eta(session, store.counts["games"], rates[0], now) if state == "running" else None,
        last_commit=max((s.last_commit for s in sessions if s.last_commit is not None), default=None),
        crew=crew,
        expectation=expect(store.settings, store.counts, histograms, core_seconds),
    )


def _eta(session: Session, games: int, rate: float | None, now: float) -> float | None:
    """Seconds to the nearest of the session's bounds."""
    bounds = session.bounds
    ends = []
    if bounds.get("seconds") is not None:
        ends.append(session.started + bounds["seconds"] - now)
    if bounds.get("deadline") is not None:
        ends.append(bounds["deadline"] - now)
    if bounds.get("games") is not None and rate:
        ends.append((bounds["games"] - games) / rate)
    return max(0.0, min(ends)) if ends else None
