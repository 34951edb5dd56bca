"""What a person sees: tables, lists for scripts, and the words for games and runs."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence

from .bench import Bench
from .objects import moment, worker_object
from .outcome import count
from .progress import duration, quantity
from .status import RunStatus

_WORKERS_SHOWN = 20
FORMATS = ("table", "csv", "json", "markdown")
WHY_IT_ENDED = {
    "time": "the time is up",
    "complete": "the search is complete",
    "games": "all games are played",
    "until-cards": "a game of so many cards is found",
    "stopped": "stopped",
}


def table(rows: Sequence[Mapping[str, object]], columns: Sequence[str]) -> str:
    """A plain table: numbers to the right, text to the left, nothing for None."""
    cells = [[_text(row.get(c)) for c in columns] for row in rows]
    right = _numeric(rows, columns)
    titles = [_title(c) for c in columns]
    widths = [max(map(len, column)) for column in zip(titles, *cells)]
    lines = (
        "  ".join(cell.rjust(w) if r else cell.ljust(w) for cell, w, r in zip(line, widths, right)).rstrip()
        for line in [titles, *cells]
    )
    return "".join(line + "\n" for line in lines)


def markdown(rows: Sequence[Mapping[str, object]], columns: Sequence[str]) -> str:
    """A Markdown table; deals are set in code so that their dashes stay dashes."""
    right = _numeric(rows, columns)

    def line(cells: Iterable[str]) -> str:
        return "| " + " | ".join(cells) + " |\n"

    def cell(column: str, value: object) -> str:
        text = _text(value).replace("|", "\\|")
        return f"`{text}`" if column in ("deal", "cycle") and text else text

    rule = line("---:" if r else "---" for r in right)
    return line(map(_title, columns)) + rule + "".join(line(cell(c, row.get(c)) for c in columns) for row in rows)


def csv_text(rows: Iterable[Mapping[str, object]], columns: Sequence[str]) -> str:
    """Comma-separated values with a header line; nothing for None, JSON for what is no plain value."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    for row in rows:
        writer.writerow([_text(row.get(c)) for c in columns])
    return out.getvalue()


def json_list(rows: Iterable[Mapping[str, object]]) -> str:
    """A JSON list, one object a line, so that line tools can read it, too."""
    body = ",\n".join(json_line(row) for row in rows)
    return f"[\n{body}\n]\n" if body else "[]\n"


def json_line(row: Mapping[str, object]) -> str:
    """One JSON object on one line, without the line's end."""
    return json.dumps(row, ensure_ascii=False, separators=(", ", ": "))


def in_format(name: str, rows: Sequence[Mapping[str, object]], columns: Sequence[str], all_columns: Sequence[str]) -> str:
    """Rows in one of FORMATS: `columns` for people to read, `all_columns` for csv, everything for json."""
    if name == "json":
        return json_list(rows)
    if name == "csv":
        return csv_text(rows, all_columns)
    return markdown(rows, columns) if name == "markdown" else table(rows, columns)


def lines_of_game(tricks: Iterable) -> Iterator[str]:
    """A game trick by trick: who led, who took the pile, the pile, and the hands before the first and after each.

    Args:
        tricks: of search.game, any stretch of a game; without any there are no lines.
    """
    layout = "{:>6} {:>7}  {:>3}  {:>4}  {:<24}  {}"
    for shown, t in enumerate(tricks):
        if not shown:
            yield layout.format("trick", "cards", "led", "took", "pile", "hands after it").rstrip()
            yield layout.format("", "", "", "", "", "/".join(t.before)).rstrip()
        took = "-" if t.taker is None else t.taker
        yield layout.format(t.number, t.cards, t.leader, took, t.pile, "/".join(t.after)).rstrip()
        for seat in t.out:
            yield layout.format("", "", "", "", f"seat {seat} is out", "").rstrip()


def search_in_words(settings: Mapping[str, object]) -> str:
    """What a run looks for, and how."""
    players = "" if settings["players"] == 2 else f", {settings['players']} players"
    limit = f", limit {settings['limit']} cards" if "limit" in settings else ""
    return f"{settings['strategy']} for {settings['objective']}, rules {settings['rules']}{players}{limit}, seed {settings['seed']}"


def finds_table(rows: Sequence[Mapping[str, object]], form: str = "table") -> str:
    """Finds as a table (or 'markdown'), with the figures of loops only where there are any."""
    columns = ["cards", "tricks", "deal", "searcher", "leg", "found_at"]
    if any(row["status"] == "infinite" for row in rows):
        columns = ["status", "cards", "tricks", "lead_in", "period", "loop_cards", "full_period", "deal", "cycle", "searcher", "leg", "found_at"]
    return in_format(form, rows, columns, columns)


def bench_tables(done: Bench) -> str:
    """What was measured of engines and strategies, for people to read."""
    engines = [{"engine": r.engine, "packed deals/s": f"{r.packed:,}", "packed over ring": f"{r.packed_ratio:.2f}",
                "dealt and played/s": f"{r.dealt:,}", "dealt over ring": f"{r.dealt_ratio:.2f}"} for r in done.engines]  # fmt: skip
    strategies = [{"strategy": r.strategy, "games/s": f"{r.games:,}", "tricks/s": f"{r.tricks:,}",
                   "tricks over ring": f"{r.tricks_ratio:.2f}"} for r in done.strategies]  # fmt: skip
    parts = [f"rules {done.rules}, one core, medians"]
    parts += [table(rows, list(rows[0])).rstrip("\n") for rows in (engines, strategies) if rows]
    return "\n\n".join(parts)


def end_of_work(state: RunStatus, found: Sequence[Mapping[str, object]], name: str) -> str:
    """What is printed when a search ends: why, how much was done, the best finds, and how to go on."""
    session = state.session
    why = WHY_IT_ENDED[session.why]
    rate = f" ({quantity(state.games_rate)} games/s)" if state.games_rate else ""
    seconds = duration(session.ended - session.started)
    lines = [f"{why} after {seconds}: {count(session.legs, 'leg')}, {quantity(session.games)} games{rate}"]
    more = ""  # what to add to the last line
    if session.why == "games" and not session.legs:
        asked = -(-session.bounds["games"] // int(state.settings["leg_games"]))
        lines = [f"nothing to do: the run has {count(state.legs, 'leg')} already, and --legs or --games asked for {asked} in all"]
        more = f" --legs {state.legs + asked}"
    if state.set_aside:
        lines.append(f"{count(len(state.set_aside), 'leg')} set aside because every worker that tried died")
    if found:
        lines.append(f"best finds of {count(state.legs, 'leg')}, {quantity(state.counts['games'])} games:")
        lines.append(finds_table(found).rstrip("\n"))
        lines.append(f"all finds: beggar finds {name} --top all")
    else:
        lines.append("nothing worth keeping was found yet")
    if state.state != "complete":
        lines.append(f"go on with: beggar resume {name}{more}")
    return "\n".join(lines) + "\n"


def audit_in_words(audited: int, differed: int) -> str:
    """What an audit during the work came to."""
    if not audited:
        return "audit: no leg was done twice; see --audit"
    came_to = "they were equal" if not differed else f"{differed} differed, and the right results were taken"
    return f"audit: {count(audited, 'leg')} done twice, {came_to}"


def wrong_workers_in_words(wrong: Sequence[tuple[float, Mapping[str, object]]], now: float) -> str:
    """A warning about workers that earlier sessions found wrong (Store.distrusted)."""
    named = [f"{note['name']} on {note['host'] or 'an unknown host'} ({_ago(started, now)}: {note['why']})" for started, note in wrong[-3:]]
    more = f" and {len(wrong) - len(named)} more" if len(wrong) > len(named) else ""
    return f"{count(len(wrong), 'worker')} gave wrong results in earlier sessions: {'; '.join(named)}{more}; beggar audit checks what the run holds"


def status_text(state: RunStatus, now: float) -> str:
    """A run's status for people."""
    settings, session, best = state.settings, state.session, state.best
    done = ", ".join(f"{quantity(state.counts[what])} {what}" for what in ("games", "cards", "tricks"))
    if state.counts["infinite"]:
        done += f"; {count(state.counts['infinite'], 'infinite game')}"
    if "limited" in state.counts:
        wins = [f"seat {seat} wins {quantity(state.counts[f'wins_{seat}'])}" for seat in range(int(settings["players"]))]
        done += f"; {quantity(state.counts['limited'])} stopped by the limit; {', '.join(wins)}, {count(state.counts['draws'], 'draw')}"
    rows = [
        ("run", f"{state.path}, {state.state}, made {_ago(state.created, now)}"),
        ("search", search_in_words(settings)),
        ("done", f"{count(state.legs, 'leg')}, {done}"),
    ]
    for leg, searcher, reason in state.set_aside:
        rows.append(("set aside", f"leg {leg} of searcher {searcher}: {reason}"))
    if session:
        work = f"{count(session.workers, 'worker')}, engine {session.engine}, process {session.pid} on {session.host}"
        rows.append(("session", f"begun {_ago(session.started, now)}; {work}"))
        if session.ended is not None:
            rows.append(("ended", f"{_ago(session.ended, now)}: {WHY_IT_ENDED.get(session.why, session.why)}"))
    if state.games_rate:
        rows.append(("rate", f"{quantity(state.games_rate)} games/s, {quantity(state.tricks_rate)} tricks/s"))
    if state.eta is not None:
        rows.append(("to go", duration(state.eta)))
    if settings["objective"] == "infinite":
        rows.append(("finds", f"{state.infinite_finds} infinite; all are kept"))
    else:
        unit = "trick" if settings["objective"] == "tricks" else "card"
        wanted = f"a new one must reach {count(state.bar, unit)}"
        rows.append(("finds", f"{state.finds} finite of at most {settings['keep']}: {wanted}; {state.infinite_finds} infinite"))
    if best:
        rows.append(("best", f"{count(best.cards, 'card')}, {count(best.tricks, 'trick')}: {best.text}"))
    if state.last_commit:
        rows.append(("commit", f"the last one {_ago(state.last_commit, now)}"))
    if state.expectation:
        rows += state.expectation.as_text()
    return "".join(f"{name:<10}{text}\n" for name, text in rows) + _crew_text(state, now)


def _crew_text(state: RunStatus, now: float) -> str:
    """The workers as a table, the busiest first; nothing where none are noted."""
    workers = sorted(state.crew, key=lambda worker: (worker["state"] not in ("at work", "ended"), -worker["games"], worker["name"]))
    rows = []
    for worker in workers[:_WORKERS_SHOWN]:
        rate = worker_object(worker)["games_per_s"]
        rows.append(
            {
                "worker": worker["name"],
                "host": worker["host"],
                "state": worker["state"],
                "threads": worker["threads"],
                "legs": worker["legs"],
                "games/s": None if rate is None else quantity(rate),
                "last contact": _ago(worker["last_contact"], now),
                "": worker["why"],
            }
        )
    if not rows:
        return ""
    more = len(workers) - len(rows)
    return "\n" + table(rows, list(rows[0])) + (f"and {more} more: --json shows all\n" if more else "")


def _ago(then: float, now: float) -> str:
    return f"{duration(max(0.0, now - then))} ago"


def run_row(state: RunStatus) -> dict[str, object]:
    """A run in one line of `beggar runs`."""
    return {
        "run": state.path,
        "state": state.state,
        "strategy": state.settings["strategy"],
        "for": state.settings["objective"],
        "legs": state.legs,
        "games": state.counts["games"],
        "cards": state.best and state.best.cards,
        "tricks": state.best and state.best.tricks,
        "infinite": state.infinite_finds,
        "last_commit": moment(state.last_commit),
    }


def trick_object(t) -> dict[str, object]:
    """One trick for scripts: number, leader, pile, seats of its cards, taker, hands before and after, out, cards."""
    return {
        "trick": t.number,
        "cards": t.cards,
        "leader": t.leader,
        "taker": t.taker,
        "pile": t.pile,
        "seats": "".join(str(seat) for seat, _ in t.played),
        "before": "/".join(t.before),
        "after": "/".join(t.after),
        "out": list(t.out),
    }


def end_object(deal, outcome) -> dict[str, object]:
    """How a game ended, with the keys that verify uses."""
    return {
        "deal": str(deal),
        "rules": str(deal.rules),
        "status": str(outcome.status),
        "cards": outcome.cards,
        "tricks": outcome.tricks,
        "winner": outcome.winner,
        "lead_in": outcome.lead_in,
        "period": outcome.period,
        "loop_cards": outcome.loop_cards,
    }


def _title(column: str) -> str:
    return column.replace("_", " ")


def _text(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (dict, list, tuple)):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, float):
        return f"{value:.6g}"
    return str(value)


def _numeric(rows: Sequence[Mapping[str, object]], columns: Sequence[str]) -> list[bool]:
    """Which columns hold numbers only."""
    def number(value: object) -> bool:
        return isinstance(value, (int, float)) and not isinstance(value, bool)

    return [any(row.get(c) is not None for row in rows) and all(row.get(c) is None or number(row[c]) for row in rows) for c in columns]
