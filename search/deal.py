"""Deals: hands of cards under rules."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from .errors import AmbiguousNotation, IllegalDeal, InputError, NotationError, RulesError
from .index import cards_at, index_of
from .lazy import cached_property
from .legality import check, counts_of
from .listing import Place, blocks
from .notation import MAX_TEXT, both_readings, dealt, read, scan, shown
from .rules import CODES, RANKS, STANDARD, Rules

__all__ = ["Deal", "Place", "parse_arguments", "parse_many"]

_CODE_OF = str.maketrans({rank: chr(code) for code, rank in enumerate(CODES)})


@dataclass(frozen=True)
class Deal:
    """Hands under rules: always legal, always concrete.

    Attributes:
        rules: the rules; where they were `free`, they now have the composition of these hands.
        hands: the hand of each seat, top card first, over the ranks AKQJ-. A hand may be
            empty where the rules allow any split.

    Raises:
        NotationError: a hand holds something else than the ranks AKQJ-.
        IllegalDeal: the rules do not allow these hands; the message says all that is wrong.
    """

    rules: Rules
    hands: tuple[str, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "hands", tuple(self.hands))
        for hand in self.hands:
            _check_ranks(hand)
        check(self.rules, self.hands)
        if self.rules.counts is None:
            concrete = replace(self.rules, counts=counts_of(self.hands), split=None, any_split=True)
            object.__setattr__(self, "rules", concrete)

    @classmethod
    def parse(cls, text: str, rules: Rules = STANDARD) -> Deal:
        """The one deal that a text shows, in any notation of `search.notation`.

        Raises:
            NotationError: the text cannot be read.
            AmbiguousNotation: it reads as two different deals; the message shows both.
            IllegalDeal: it can be read, but the rules do not allow it.
        """
        return cls(rules, read(text, rules))

    @classmethod
    def from_cards(cls, cards: str, rules: Rules = STANDARD, hands: Sequence[int] | None = None) -> Deal:
        """A deal from its deck: a string over AKQJ-, seat 0 first, with no notation to guess.

        Args:
            cards: all cards, top card of seat 0 first.
            rules: the rules.
            hands: cards of each seat; left out, as the rules deal.

        Raises:
            NotationError: another character than AKQJ-.
            IllegalDeal: the rules do not allow it, or `hands` do not add up to the cards.
        """
        _check_ranks(cards)
        if hands is None:
            return cls(rules, dealt(cards, rules))
        if sum(hands) != len(cards) or min(hands, default=0) < 0:
            raise IllegalDeal(f"hands of {'+'.join(map(str, hands))} cards from a deck of {len(cards)}")
        cut = [sum(hands[:seat]) for seat in range(len(hands) + 1)]
        return cls(rules, tuple(cards[a:b] for a, b in zip(cut, cut[1:])))

    @classmethod
    def from_index(cls, index: int, rules: Rules = STANDARD, hands: Sequence[int] | None = None) -> Deal:
        """The deal whose deck has this index among all decks of the rules; see `index`.

        Args:
            index: 0 to rules.deals - 1.
            rules: with a composition, so not `free`.
            hands: cards of each seat; left out, as the rules deal.

        Raises:
            RulesError: the rules are `free`.
            InputError: there is no such index.
        """
        if rules.counts is None:
            raise RulesError("deals of the rules 'free' have no index; give the deck, such as '4A4K4Q4J36-'")
        return cls.from_cards(cards_at(index, rules.counts), rules, hands)

    @cached_property
    def cards(self) -> str:
        """The whole deck, seat 0 first: of the standard deck the 52-character string."""
        return "".join(self.hands)

    @cached_property
    def codes(self) -> bytes:
        """The whole deck as kernel codes (number card 0, J 1, Q 2, K 3, A 4), one byte a card."""
        return self.cards.translate(_CODE_OF).encode("latin-1")

    @property
    def sizes(self) -> tuple[int, ...]:
        """Cards of each seat."""
        return tuple(map(len, self.hands))

    @cached_property
    def index(self) -> int:
        """Rank of the deck (0 to rules.deals - 1) among all decks of the same cards, in the order A, K, Q, J, number.

        The cut into hands is no part of it.
        """
        return index_of(self.cards)

    def __str__(self) -> str:
        return "/".join(self.hands)


def parse_many(text: str | bytes | Iterable[str | bytes], rules: Rules = STANDARD) -> Iterator[tuple[Place, Deal | InputError]]:
    """Every deal of a list, with the lines that it stands on; for one that is no deal, what is wrong with it.

    Which lines make a deal is told in `search.listing`. Lines are read as they come, and a deal
    is yielded as soon as its last line is known. A list without any deal yields one error.

    Args:
        text: a text, or lines, with or without their line ends, as an open file has them.
            Bytes are taken as UTF-8; what is not UTF-8 is an error of its deal alone.
        rules: the rules of all deals.
    """
    if isinstance(text, bytes):
        text = _decoded(text)
    lines = text.split("\n") if isinstance(text, str) else text
    numbered = ((number, _decoded(line).rstrip("\r\n")) for number, line in enumerate(lines, 1))
    yield from _deals(blocks(numbered, rules), rules, Place(1, 1), "no deal in an empty input")


def parse_arguments(args: Sequence[str], rules: Rules = STANDARD) -> Iterator[tuple[Place, Deal | InputError]]:
    """Every deal of a command line, as `parse_many` does for lines; places count arguments.

    Where the rules fix the deck, arguments are joined until it is complete. Under free rules each
    argument is a deal (several lines in it are one deal, unless a blank line divides them), but
    as many bare hands as there are players could also be one deal, and are refused as ambiguous.
    """
    nothing = Place(1, max(1, len(args)), "argument")
    if rules.counts is not None:
        lines = [(number, line) for number, arg in enumerate(args, 1) for line in arg.split("\n")]
    elif error := _hands_or_deals(args, rules):
        yield nothing, error
        return
    else:
        lines = [(number, part) for number, arg in enumerate(args, 1) for part in _paragraphs(arg)]
    yield from _deals(blocks(lines, rules, "argument"), rules, nothing, "no deal: the argument is empty")


def _deals(
    texts: Iterator[tuple[Place, str]], rules: Rules, nowhere: Place, nothing: str
) -> Iterator[tuple[Place, Deal | InputError]]:
    place = None
    for place, text in texts:
        try:
            yield place, Deal.parse(text, rules)
        except InputError as error:
            yield place, error
    if place is None:
        yield nowhere, NotationError(nothing)


def _hands_or_deals(args: Sequence[str], rules: Rules) -> AmbiguousNotation | None:
    """The error for arguments that may be the hands of one deal, or one deal each."""
    if len(args) != rules.seats or any(len(arg) > MAX_TEXT for arg in args):
        return None
    if any(t.kind not in ("card", "suit") for arg in args for t in scan(arg)):
        return None
    try:
        one = "/".join(read("\n".join(args), rules))
        each = ["/".join(read(arg, rules)) for arg in args]
    except InputError:
        return None
    return AmbiguousNotation(both_readings(one, " and ".join(each)))


def _paragraphs(text: str) -> list[str]:
    return re.split(r"\n(?:[ \t\r]*\n)+", text) if len(text) <= MAX_TEXT else [text]


def _decoded(line: str | bytes) -> str:
    return line.decode("utf-8", "surrogateescape") if isinstance(line, bytes) else line


def _check_ranks(cards: str) -> None:
    stray = next((i for i, c in enumerate(cards) if c not in RANKS), None)
    if stray is not None:
        raise NotationError(f"{shown(cards[stray])} (card {stray + 1}) is none of the ranks A, K, Q, J, -")
