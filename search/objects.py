"""Finds and runs as the objects that scripts get: `finds --format json`, `status --json`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, timezone

from .cycle import cycle_of
from .deal import Deal
from .finds import Find, value_of
from .rules import Rules
from .status import RunStatus
from .verify import KEYS, verify

_FOUND_KEYS = ("searcher", "leg", "found_at")  # who found it, and when
CHECKED_KEYS = (*KEYS, *_FOUND_KEYS)  # of `checked_object`, in this order

LOOP_ORDERS = ("period", "loop-cards", "full-period", "lead-in")  # that infinite games can be listed in


def moment(seconds: float | None) -> str | None:
    """A time in seconds since 1970 as '2031-05-30T07:00:00Z'."""
    if seconds is None:
        return None
    return datetime.fromtimestamp(int(seconds), timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def find_object(find: Find) -> dict[str, object]:
    """A find as it is stored: keys as verify uses them, and where it came from."""
    return {
        "deal": find.text,
        "status": "infinite" if find.infinite else "finite",
        "cards": find.cards,
        "tricks": find.tricks,
        "winner": find.winner,
        "lead_in": find.lead_in,
        "period": find.period,
        "loop_cards": find.loop_cards,
        "searcher": find.searcher,
        "leg": find.leg,
        "found_at": moment(find.found_at),
    }


def deal_of(find: Find, rules: Rules) -> Deal:
    return Deal.from_cards(find.deal, rules, find.hands)


def shown_object(find: Find, rules: Rules) -> dict[str, object]:
    """A find as it is stored, with the loop of an infinite one, from the reference engine: what people are shown."""
    cycle = cycle_of(deal_of(find, rules)) if find.infinite else None
    loop = {
        "full_period": cycle.full_period if cycle else None,
        "cycle": cycle.name if cycle else None,
        "cycle_period": cycle.cycle_period if cycle else None,
    }
    return {**find_object(find), **loop}


def checked_object(find: Find, rules: Rules) -> dict[str, object]:
    """A find played again on every engine: the object that `verify --json` prints, and where the find came from.

    Raises:
        Disagreement: two engines do not agree.
    """
    stored = find_object(find)
    checked = verify(deal_of(find, rules)).as_json()
    return {**checked, **{key: stored[key] for key in _FOUND_KEYS}}


def in_order(finds: Iterable[Find], by: str | None, objective: str, rules: Rules, smallest: bool = False) -> list[Find]:
    """Finds in the order in which they are listed, best first or smallest first.

    Args:
        by: 'cards', 'tricks', or one of LOOP_ORDERS (these leave finite games out); None for
            infinite games by lead-in and period, then finite ones by the objective.
        rules: of the run; the full period is counted when it is asked for.
    """

    def rank(find: Find) -> tuple[int, ...]:
        if by == "full-period":
            return cycle_of(deal_of(find, rules)).full_period, find.lead_in
        if by == "loop-cards":
            return find.loop_cards, find.lead_in
        if by == "period":
            return find.period, find.lead_in
        if by == "lead-in":
            return find.lead_in, find.period
        if by is not None:
            return value_of(find, by), find.cards
        if find.infinite:
            return 1, find.lead_in, find.period
        return 0, value_of(find, objective), find.cards

    found = [find for find in finds if find.infinite or by not in LOOP_ORDERS]
    return sorted(sorted(found, key=lambda find: find.text), key=rank, reverse=not smallest)


def status_object(status: RunStatus) -> dict[str, object]:
    """All that `beggar status --json` prints; README.md explains the keys."""
    return {
        "run": status.path,
        "state": status.state,
        "created": moment(status.created),
        "bytes": status.size,
        "settings": dict(status.settings),
        "legs": status.legs,
        "legs_set_aside": len(status.set_aside),
        "set_aside": [{"leg": leg, "searcher": searcher, "reason": reason} for leg, searcher, reason in status.set_aside],
        "searchers_begun": status.searchers,
        "counts": dict(sorted(status.counts.items())),
        "longest": status.longest,
        "found": {"finite": status.finds, "infinite": status.infinite_finds, "bar": status.bar},
        "best": status.best and find_object(status.best),
        "last_commit": moment(status.last_commit),
        "sessions": status.sessions,
        "worked_s": round(status.worked, 1),
        "games_per_s": status.games_rate and round(status.games_rate, 1),
        "tricks_per_s": status.tricks_rate and round(status.tricks_rate, 1),
        "eta_s": None if status.eta is None else round(status.eta, 1),
        "expect": status.expectation and status.expectation.as_json(),
        "session": _session_object(status),
        "workers": [worker_object(worker) for worker in status.crew],
    }


def worker_object(worker: Mapping[str, object]) -> dict[str, object]:
    """A worker in `beggar status --json`: who, how it is, what it has done since it joined, when it was last heard of."""
    seconds = worker["last_contact"] - worker["joined"]
    return {
        "worker": worker["name"],
        "state": worker["state"],
        "threads": worker["threads"],
        "legs": worker["legs"],
        "games": worker["games"],
        "games_per_s": round(worker["games"] / seconds, 1) if seconds > 0 else None,
        "joined": moment(worker["joined"]),
        "last_contact": moment(worker["last_contact"]),
        "host": worker["host"] or None,
        "pid": worker["pid"] or None,
        "why": worker["why"] or None,
    }


def _session_object(status: RunStatus) -> dict[str, object] | None:
    session = status.session
    if session is None:
        return None
    return {
        "started": moment(session.started),
        "ended": moment(session.ended),
        "stopped_by": session.why or None,
        "host": session.host,
        "pid": session.pid,
        "version": session.version,
        "engine": session.engine,
        "workers": session.workers,
        "core_s": round(session.core_time, 1),
        "legs": session.legs,
        "games": session.games,
        "tricks": session.tricks,
    }
