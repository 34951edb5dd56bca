"""The published records, the best finds of this tool, and how a game compares with them.

`search/data/known_games.csv` holds the record games as they were published, in the order of their
years, and a few small games that are good to know; Richard Mann's list of records and Casella and
others' paper on the infinite deal (both 2024) are where they can be looked up.
`search/data/hall_of_fame.csv` holds what this tool found, with the same columns and `source`, the
command that finds it again. Nothing is published about three and four players: there the finds of
this tool are the records.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from os import PathLike, fspath

from .deal import Deal
from .errors import InputError
from .lazy import cached_property
from .outcome import Outcome, Status
from .rules import FREE, Rules

COLUMNS = ("name", "year", "players", "rules", "hands", "status", "cards", "tricks", "lead_in", "period", "source")
PUBLISHED, FOUND, EXAMPLE = "published", "this tool", "example"  # where a record comes from
NONE_PUBLISHED = "none of this kind is published"
MEASURES = {Status.FINITE: ("cards", "tricks"), Status.INFINITE: ("lead_in", "period")}


@dataclass(frozen=True)
class Record:
    """A game worth knowing.

    Attributes:
        name: who found it, or what it is.
        year: when it was published; None for a game that is no record.
        players, rules, hands: the deal, in words that Rules.parse and Deal.parse read.
        status, cards, tricks, lead_in, period: how it goes, as in Outcome.
        source: how it is found again, for finds of this tool; else ''.
    """

    name: str
    year: int | None
    players: int
    rules: str
    hands: str
    status: Status
    cards: int
    tricks: int
    lead_in: int | None = None
    period: int | None = None
    source: str = ""

    @cached_property
    def deal(self) -> Deal:
        """The deal itself."""
        return Deal.parse(self.hands, Rules.parse(self.rules, self.players))

    @property
    def title(self) -> str:
        """'Nessler 2022'."""
        return self.name if self.year is None else f"{self.name} {self.year}"

    @property
    def origin(self) -> str:
        """PUBLISHED, FOUND (by this tool), or EXAMPLE, a small game that is good to know."""
        return PUBLISHED if self.year is not None else FOUND if self.source else EXAMPLE

    def agrees(self, outcome: Outcome) -> bool:
        """Whether a game went as the record says."""
        return all(getattr(self, figure) == getattr(outcome, figure) for figure in ("status", "cards", "tricks", "lead_in", "period"))


@dataclass(frozen=True)
class Standing:
    """A game among the records of the same deck, players and hand sizes.

    Attributes:
        achieved: which of them it beats or equals, in words; None if none.
        remark: for people: how far it is from the best of them; None where there are none.
    """

    achieved: str | None = None
    remark: str | None = None


@cache
def known_games() -> tuple[Record, ...]:
    """The published records and the small games."""
    return _packaged("known_games.csv")


@cache
def hall_of_fame() -> tuple[Record, ...]:
    """The best finds of this tool."""
    return _packaged("hall_of_fame.csv")


def _packaged(name: str) -> tuple[Record, ...]:
    """A table that comes with the package."""
    text = resources.files("search.data").joinpath(name).read_text(encoding="utf-8")
    return tuple(_parse(text.splitlines(), name))


def published() -> tuple[Record, ...]:
    """The published records: the known games that have a year."""
    return tuple(record for record in known_games() if record.origin == PUBLISHED)


def records_of(rules: str | None = None, players: int | None = None) -> list[Record]:
    """Published records, then finds of this tool, then small games.

    Args:
        rules: only those of this deck, in words for Rules.parse; 'free' asks for the small games.
        players: only those of so many players.

    Raises:
        RulesError: such rules cannot be.
    """
    order = (PUBLISHED, FOUND, EXAMPLE)
    found = sorted((*known_games(), *hall_of_fame()), key=lambda record: (order.index(record.origin), record.players))
    found = [record for record in found if players in (None, record.players)]
    if rules is None:
        return found
    text = rules.strip().lower()
    return [r for r in found if (r.rules == text if text == FREE.text else _same_kind(r.deal, Rules.parse(rules, r.players)))]


def read_records(path: str | PathLike[str]) -> list[Record]:
    """Read a table of records.

    Raises:
        InputError: no such file, or a line that is no record; says which.
    """
    try:
        with open(path, encoding="utf-8", newline="") as file:
            return _parse(file, fspath(path))
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{fspath(path)}: cannot be read as a table of records: {error}") from None


def write_records(path: str | PathLike[str], records: Iterable[Record]) -> None:
    """Write a table of records that `read_records` reads."""
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for record in records:
            writer.writerow(["" if (value := getattr(record, column)) is None else str(value) for column in COLUMNS])


def compare(deal: Deal, outcome: Outcome, records: Sequence[Record] | None = None) -> Standing:
    """Compare a game with records: finite games by cards and tricks, infinite ones by lead-in and period.

    Only games of the same deck, pays, players and hand sizes that went the same way (finite or
    infinite) count.

    Args:
        records: to compare with; the published ones by default, or, where none is published about games of
            this kind, the finds of this tool.
    """
    measures = MEASURES.get(outcome.status)
    rivals: list[Record] = []
    for table in (published(), hall_of_fame()) if records is None else (records,):
        rivals = rivals or [record for record in table if _rivals(deal, outcome, record)]
    if not rivals:
        return Standing()
    feats = []  # (beats or equals, record, measure)
    for measure in measures:
        value = getattr(outcome, measure)
        reached = [r for r in rivals if getattr(r, measure) <= value]
        if reached:
            same = [all(getattr(r, m) == getattr(outcome, m) for m in measures) for r in reached]
            best, _ = max(zip(reached, same), key=lambda pair: (getattr(pair[0], measure), pair[1]))
            feats.append(("equals" if getattr(best, measure) == value else "beats", best, measure))
    return Standing(_achieved(feats, measures), _remark(outcome, rivals))


def _rivals(deal: Deal, outcome: Outcome, record: Record) -> bool:
    """Whether a record is of the same kind of deal, and went the same way."""
    return record.status is outcome.status and record.players == deal.rules.seats and _same_kind(record.deal, deal.rules, deal.sizes)


def _same_kind(deal: Deal, rules: Rules, sizes: tuple[int, ...] | None = None) -> bool:
    """Whether a deal has the deck and the pays of some rules, and hands of these sizes (None: as dealt by the rules)."""
    return (deal.rules.counts, deal.rules.pays, deal.sizes) == (rules.counts, rules.pays, sizes or rules.hand_sizes)


def _achieved(feats: list[tuple[str, Record, str]], measures: tuple[str, ...]) -> str | None:
    if len(feats) == len(measures) and len({feat[:2] for feat in feats}) == 1:
        relation, record, _ = feats[0]
        return f"{relation} {record.title} ({_figures(record, measures)})"
    return "; ".join(f"{relation} {record.title} in {measure.replace('_', '-')} ({_figures(record, [measure])})" for relation, record, measure in feats) or None


def _remark(outcome: Outcome, rivals: list[Record]) -> str:
    """How far a game is from the best."""
    if outcome.status is Status.INFINITE:
        if rivals[0].origin != PUBLISHED:  # there are many
            rivals = list(dict.fromkeys(max(rivals, key=lambda r: (getattr(r, m), r.lead_in)) for m in ("lead_in", "period")))
        figures = [f"{r.title} ({_figure(r, 'lead_in')}, {_figure(r, 'period')})" for r in rivals]
        which = "published infinite deals of this kind" if rivals[0].origin == PUBLISHED else f"the best known to this tool ({NONE_PUBLISHED})"
        return f"{which}: {'; '.join(figures)}"
    longest = max(rivals, key=lambda r: r.cards)
    gap = outcome.cards - longest.cards
    which, note = ("longest published game", "") if longest.origin == PUBLISHED else ("longest game known to this tool", f"; {NONE_PUBLISHED}")
    of = f"the {which}, {longest.title} ({longest.cards} cards{note})"
    if gap == 0:
        return f"as long as {of}"
    cards = f"{abs(gap)} card{'s' if abs(gap) != 1 else ''}"
    return f"{cards} longer than {of}" if gap > 0 else f"{cards} short of {of}"


def _figures(record: Record, measures: Sequence[str]) -> str:
    """Some figures of a record, and who stands for them if they are not published."""
    return ", ".join(_figure(record, measure) for measure in measures) + ("" if record.origin == PUBLISHED else "; found by this tool")


def _figure(record: Record, measure: str) -> str:
    value = getattr(record, measure)
    return f"{value} {measure}" if measure in ("cards", "tricks") else f"{measure.replace('_', '-')} {value}"


def _parse(lines: Iterable[str], where: str) -> list[Record]:
    reader = csv.DictReader(lines)
    missing = [c for c in COLUMNS[:-1] if c not in (reader.fieldnames or ())]
    if missing:
        raise InputError(f"{where}: a table of records has the columns {', '.join(COLUMNS)}; {', '.join(missing)} not found")
    records = []
    try:
        for row in reader:
            try:
                records.append(_record(row))
            except (ValueError, InputError) as error:
                raise InputError(f"{where}, line {reader.line_num}: {error}") from None
    except csv.Error as error:
        raise InputError(f"{where}, line {reader.line_num}: {error}") from None
    return records


def _record(row: dict[str, str | None]) -> Record:
    """One line of a table; raises ValueError or InputError."""

    def number(column: str) -> int | None:
        return int(row[column]) if row[column] else None

    if None in row or any(row[column] is None for column in COLUMNS[:-1]):
        raise ValueError("too many or too few columns")
    record = Record(
        name=row["name"],
        year=number("year"),
        players=int(row["players"]),
        rules=row["rules"],
        hands=row["hands"],
        status=Status(row["status"]),
        cards=int(row["cards"]),
        tricks=int(row["tricks"]),
        lead_in=number("lead_in"),
        period=number("period"),
        source=row.get("source") or "",
    )
    record.deal  # reads rules and hands, and says what is wrong with them
    return record
