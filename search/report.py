"""What a person sees: tables, lists for scripts, and the words for games and runs."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence

FORMATS = ("table", "csv", "json", "markdown")


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


def big(n: float) -> str:
    """A count that is read, not copied: 950, 12.3 k, 4.56 M, 7.89 G."""
    for unit, size in (("P", 1e15), ("T", 1e12), ("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if abs(n) >= size * 0.9995:
            return f"{n / size:.3g} {unit}"
    return f"{n:.3g}" if n != int(n) else f"{int(n)}"


def span(seconds: float) -> str:
    """A stretch of time in at most two units: '45 s', '12 min 5 s', '7 h 58 min', '3 d 4 h'."""
    whole = int(round(seconds))
    parts = []
    for unit, size in (("d", 86400), ("h", 3600), ("min", 60), ("s", 1)):
        n, whole = divmod(whole, size)
        if n or parts or unit == "s":
            parts.append(f"{n} {unit}")
        if len(parts) == 2:
            break
    return " ".join(p for i, p in enumerate(parts) if i == 0 or not p.startswith("0 "))


def lines_of_game(tricks: Iterable, start: str) -> Iterator[str]:
    """A game trick by trick: who led, who took the pile, the pile, and the hands after it.

    Args:
        tricks: of search.game.
        start: the hands before the first of them.
    """
    layout = "{:>6} {:>7}  {:>3}  {:>4}  {:<24}  {}"
    yield layout.format("trick", "cards", "led", "took", "pile", "hands after it").rstrip()
    yield layout.format("", "", "", "", "", start).rstrip()
    for t in tricks:
        took = "-" if t.taker is None else t.taker
        yield layout.format(t.number, t.cards, t.leader, took, t.pile, "/".join(t.after)).rstrip()
        for seat in t.out:
            yield layout.format("", "", "", "", f"seat {seat} is out", "").rstrip()


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
