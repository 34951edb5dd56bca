"""Telling the deals of a list apart: which lines, or arguments, belong to one deal.

A blank line ends a deal, and so does a line that begins with the label ``1:`` (or ``0:``, where labels
count from 0); a later label goes on with the deal even after a blank line. Besides:

- Where the rules fix the deck, lines are joined until it is complete. A line that would overshoot
  goes where the deck comes nearer to complete: to the deal before it (a hand with a card too
  many) or to the next one (the deal before is short). So one bad deal costs no other.
- Under free rules no deck is ever complete: each line is a deal, unless labels say otherwise.

A line that has more unreadable characters than cards belongs to no deal; it stands alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from .errors import InputError
from .lazy import cached_property
from .notation import DASH_WIDTHS, EM_DASH, EN_DASH, MAX_TEXT, Token, read, scan
from .rules import Rules


@dataclass(frozen=True)
class Place:
    """Where a deal stands in its list: its first and last line (or argument), counted from 1."""

    first: int
    last: int
    unit: str = "line"

    def __str__(self) -> str:
        return f"{self.unit} {self.first}" if self.first == self.last else f"{self.unit}s {self.first}-{self.last}"


def blocks(lines: Iterable[tuple[int, str]], rules: Rules, unit: str = "line") -> Iterator[tuple[Place, str]]:
    """The text of each deal of a list, with its place. Whether it can be read is left to the reader.

    A block is yielded as soon as it is known to end, so that a person who types sees answers.

    Args:
        lines: numbered lines; several may have one number.
        rules: they say when a deck is complete.
        unit: what the numbers count.
    """
    block = _Block(rules)
    for number, text in lines:
        line = _Line(number, text, rules)
        if line.blank:
            block.interrupted = bool(block.lines)
            continue
        if block.lines and not block.takes(line):
            yield block.place(unit), block.text
            block = _Block(rules)
        block.add(line)
        if block.closed:
            yield block.place(unit), block.text
            block = _Block(rules)
    if block.lines:
        yield block.place(unit), block.text


@dataclass(frozen=True)
class _Count:
    """What tells how many cards a text has, whichever way it is going to be read. Counts of lines add up."""

    signs: int = 0  # card signs other than typographic dashes; what cannot be read counts as one, too
    tens: int = 0  # pairs of signs that are one card if digits are ranks
    en_dashes: int = 0
    em_dashes: int = 0
    labels: int = 0  # that could be a card and a bar
    ranks: bool = False  # whether anything shows that digits are ranks

    @classmethod
    def of(cls, tokens: list[Token]) -> _Count:
        cards = [t.value for t in tokens if t.kind == "card"]
        en, em = cards.count(EN_DASH), cards.count(EM_DASH)
        return cls(
            signs=len(cards) - en - em + sum(t.kind == "unknown" for t in tokens),
            tens=sum(a[:2] == ("card", "1") and b[:2] == ("card", "0") for a, b in zip(tokens, tokens[1:])),
            en_dashes=en,
            em_dashes=em,
            labels=sum(t.kind == "label" and not t.worded for t in tokens),
            ranks=bool(set(cards) & set("AKQJTX56789")) or any(t.kind == "suit" for t in tokens),
        )

    def __add__(self, other: _Count) -> _Count:
        return _Count(
            self.signs + other.signs,
            self.tens + other.tens,
            self.en_dashes + other.en_dashes,
            self.em_dashes + other.em_dashes,
            self.labels + other.labels,
            self.ranks or other.ranks,
        )

    @property
    def cards(self) -> int:
        """Cards in the likeliest reading."""
        return self.signs + self.en_dashes + self.em_dashes - (self.tens if self.ranks else 0)

    @property
    def possible(self) -> set[int]:
        """Cards in every reading."""
        return {
            self.signs - tens + labels + en * self.en_dashes + em * self.em_dashes
            for tens in (0, self.tens)
            for labels in (0, self.labels)
            for en, em in DASH_WIDTHS
        }


class _Line:
    """A line and what can be known of it before its deal is complete."""

    def __init__(self, number: int, text: str, rules: Rules) -> None:
        self.number = number
        self.text = text
        # A line that no deal can hold is not looked at; the reader refuses it by its length.
        self.too_long = len(text) > MAX_TEXT
        tokens = [] if self.too_long else scan(text)
        self.tokens = [t for t in tokens if t.kind not in ("space", "line")]
        self.count = _Count.of(tokens)
        # Under free rules a bare 0: is a card and a bar: nothing says that a deal goes on after its line.
        zeros = rules.counts is not None
        self._labels = [t for t in tokens if t.kind == "label" and (t.value != "0" or t.worded or zeros)]

    @property
    def blank(self) -> bool:
        return not self.tokens and not self.too_long

    @property
    def foreign(self) -> bool:
        """Whether the line looks like nothing that a deal is made of."""
        unknown = sum(t.kind == "unknown" for t in self.tokens)
        return self.too_long or 2 * unknown > self.count.signs

    @cached_property
    def labels(self) -> list[int]:
        return [int(t.value) for t in self._labels]

    @property
    def first_label(self) -> int | None:
        """The label that the line begins with."""
        return self.labels[0] if self._labels and self.tokens[0] == self._labels[0] else None

    @property
    def bare_label(self) -> bool:
        """Whether the line ends with a label, its cards still to come."""
        return bool(self._labels) and self.tokens[-1] == self._labels[-1]


class _Block:
    """The lines of one deal so far."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.lines: list[_Line] = []
        self.count = _Count()
        self.length = 0  # characters
        self.last_label: int | None = None
        self.from_0 = False  # labels count from 0
        self.interrupted = False  # by a blank line
        self.closed = False

    @property
    def text(self) -> str:
        return "\n".join(line.text for line in self.lines)

    def place(self, unit: str) -> Place:
        return Place(self.lines[0].number, self.lines[-1].number, unit)

    def takes(self, line: _Line) -> bool:
        """Whether a line that is not blank belongs to this deal, which has begun and is not closed."""
        if line.foreign or line.first_label == (0 if self.from_0 else 1):
            return False
        if self.last_label is not None and line.first_label == self.last_label + 1:
            return True
        if self.interrupted:
            return False
        if self.rules.counts is None:
            return self.lines[-1].bare_label and line.first_label is None
        size = self.rules.size
        joined = (self.count + line.count).cards
        if joined <= size:
            return True
        return line.count.cards != size and joined - size < size - self.count.cards

    def add(self, line: _Line) -> None:
        """Take a line in; `closed` tells afterwards whether the deal is complete."""
        self.lines.append(line)
        self.count += line.count
        self.length += len(line.text) + 1
        if line.labels:
            if self.last_label is None:
                self.from_0 = line.labels[0] == 0
            self.last_label = line.labels[-1]
        # A bounded length bounds the memory and the time that dividers without cards can take.
        self.closed = line.foreign or self.length > MAX_TEXT or (self.rules.counts is not None and self._complete(line))

    def _complete(self, line: _Line) -> bool:
        if line.count == _Count():
            return False
        size, count = self.rules.size, self.count
        # A first hand of tens and no court card looks like a whole deck of digits.
        may_be_tens = not count.ranks and count.tens and count.cards - count.tens < size
        if count.cards >= size and not may_be_tens:
            return True
        return size in count.possible and self._legal()

    def _legal(self) -> bool:
        try:
            read(self.text, self.rules)
        except InputError:
            return False
        return True
