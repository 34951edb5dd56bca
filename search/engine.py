"""The compiled engines behind a few calls.

Which engine plays is decided here, per call: the fastest that the processor has and that can play
the deck. The environment variable BEGGAR_ENGINE forces one by name; it never changes a result, and
where it cannot play a deck the careful engine ("ring") does, which plays every deck. Three and four
players are the matter of one engine ("seats"), which also plays two-player deals as one more voice.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from . import _kernel
from .errors import IllegalDeal, InputError
from .outcome import Outcome, Status
from .rules import CODES, RANKS, STANDARD, Rules

if TYPE_CHECKING:
    from .deal import Deal

PACKED_SIZE = 16  # bytes of a packed deal
MAX_PACKED_CARDS = 64
MAX_PACKED_COURTS = 16
CAREFUL = "ring"  # plays every deck of two players
SEATS = "seats"  # plays every deck of two to four players
FULL = (CAREFUL, SEATS)  # engines that say who won and how many cards a loop takes, and play to a limit
_NOT_PACKED = "deals of the rules {} cannot be packed: 2 players, " + f"{MAX_PACKED_CARDS} cards, {MAX_PACKED_COURTS} court cards at most"
_LETTERS = bytes.maketrans(bytes(range(len(CODES))), CODES.encode())
_STATUS = (Status.FINITE, Status.INFINITE, Status.LIMIT)  # by the kernel's numbers


def engines() -> list[str]:
    """Names of the compiled engines that this processor can run, fastest first; the last is "ring"."""
    return _kernel.engine_names()


def summaries() -> dict[str, str]:
    """All compiled engines, also those that this processor cannot run: {name: one line about it}."""
    return _kernel.engine_summaries()


def forced(name: str | None = None) -> str | None:
    """The engine that has to play: `name`, else what BEGGAR_ENGINE says, else None (the fastest).

    Raises:
        InputError: there is no such engine, or this processor cannot run it.
    """
    source = "no engine"
    if name is None:
        name = os.environ.get("BEGGAR_ENGINE") or None
        source = "BEGGAR_ENGINE: no engine"
    if name is not None and name not in engines():
        where = " on this processor" if name in summaries() else ""
        raise InputError(f"{source} {name!r}{where}; there are {', '.join(engines())}")
    return name


def fits(rules: Rules) -> bool:
    """Whether every deal under these rules can be packed: 2 players, 64 cards, 16 court cards at most."""
    if rules.seats != 2 or rules.counts is None:
        return False
    return rules.size <= MAX_PACKED_CARDS and sum(rules.counts[:4]) <= MAX_PACKED_COURTS


def chosen(rules: Rules, engine: str | None = None, limit: int | None = None) -> str:
    """The engine that plays batches of deals under `rules` here, with a limit or without."""
    if rules.seats > 2:
        return SEATS
    if limit is not None or not fits(rules):
        return CAREFUL
    return _kernel.engine_chosen(rules.pay_codes, rules.size, sum(rules.counts[:4]), forced(engine))


def engines_for(rules: Rules, limit: int | None = None) -> list[str]:
    """Those of engines() that play such deals themselves, instead of leaving them to another one."""
    if rules.seats > 2:
        return [SEATS]
    return [name for name in engines() if name in FULL or (limit is None and chosen(rules, name) == name)]


class Results(Sequence[Outcome]):
    """How the games of a batch went, in the order of the deals.

    Attributes:
        cards, tricks: as in Outcome; read-only memoryviews of unsigned 32-bit integers.
        lead_in, period: of infinite games, else 0.
        status: 0 finite, 1 infinite.
    """

    __slots__ = ("cards", "tricks", "lead_in", "period", "status")

    def __init__(self, columns: bytes) -> None:
        whole = memoryview(columns).cast("I")
        n = len(whole) // 5
        self.cards, self.tricks, self.lead_in, self.period, self.status = (whole[c * n : (c + 1) * n] for c in range(5))

    def __len__(self) -> int:
        return len(self.cards)

    def __getitem__(self, i: int) -> Outcome:
        """The outcome of deal i; batches do not say who won, nor how many cards a loop takes."""
        infinite = self.status[i] == 1
        return Outcome(
            status=_STATUS[self.status[i]],
            cards=self.cards[i],
            tricks=self.tricks[i],
            lead_in=self.lead_in[i] if infinite else None,
            period=self.period[i] if infinite else None,
        )

    def __iter__(self) -> Iterator[Outcome]:
        return (self[i] for i in range(len(self)))


def play(deal: Deal, limit: int | None = None, engine: str | None = None) -> Outcome:
    """Play one deal, of any size, split and pays.

    Args:
        deal: 2 to 4 hands.
        limit: stop when that many cards have been played (rule 7 of the rules).
        engine: None for a careful engine, which knows everything about a game. One of engines()
            plays it there: fast engines do not say who won or how many cards a loop takes
            (None), and what they cannot play, or has a limit, a careful engine plays.

    Raises:
        InputError: no such engine, or a limit of less than one card.
    """
    rules = deal.rules
    name = engine if engine is None else forced(engine)
    if limit is not None and limit < 1:
        raise InputError(f"a limit of {limit} cards: 1 or more are accepted")
    if rules.seats > 2 or name == SEATS:
        counted = _kernel.play_seats(deal.codes, deal.sizes, rules.pay_codes, limit)
    elif name in (None, CAREFUL) or limit is not None or not fits(rules):
        counted = _kernel.play_codes(deal.codes, deal.sizes[0], rules.pay_codes, limit)
    else:
        packed = _kernel.pack_codes(deal.codes, deal.sizes[0])
        return Results(_kernel.play_packed(packed, rules.pay_codes, None, name))[0]
    status, cards, tricks, winner, lead_in, period, loop_cards = counted
    infinite = _STATUS[status] is Status.INFINITE
    return Outcome(
        status=_STATUS[status],
        cards=cards,
        tricks=tricks,
        winner=winner if winner >= 0 else None,
        lead_in=lead_in if infinite else None,
        period=period if infinite else None,
        loop_cards=loop_cards if infinite else None,
    )


def play_strings(strings: Sequence[str], rules: Rules = STANDARD, engine: str | None = None) -> Results:
    """Play deals given as strings of the letters A K Q J -, top card of seat 0 first.

    Hands are of the default split of the rules; under rules `free` strings may be of any length,
    and seat 0 holds the odd card.

    Raises:
        IllegalDeal: a string is not a deal of these rules; says which one and what is wrong.
        InputError: no such engine, or free rules for more than two players.
    """
    engine = forced(engine)
    strings = strings if isinstance(strings, list) else list(strings)
    try:
        if rules.seats > 2 or (engine == SEATS and rules.counts is not None):
            if rules.counts is None:
                raise InputError("strings of any length for more than two players: the rules must fix the deck")
            codes = _kernel.codes_of_strings(strings, rules.size, composition(rules))
            return Results(_kernel.play_seats_codes(codes, rules.hand_sizes, rules.pay_codes))
        if fits(rules) or (rules.counts is None and all(map(_packable, strings))):
            packed = _kernel.pack_strings(strings, *_shape(rules))
            return Results(_kernel.play_packed(packed, rules.pay_codes, None if rules.counts is None else composition(rules), engine))
        size, first, counts = _shape(rules)
        return Results(_kernel.play_large(strings, size, first, rules.pay_codes, counts))
    except _kernel.BadDeal as bad:
        raise _explain(strings, bad.args[0], rules) from None


def play_packed(buffer: bytes | bytearray | memoryview, rules: Rules = STANDARD, engine: str | None = None) -> Results:
    """Play packed deals, 16 bytes each (csrc/cards.h says how), as `pack` makes them.

    Hands may be of any split: each deal says its own.

    Raises:
        IllegalDeal: a deal is malformed, or not of the composition of the rules; says which one.
        InputError: a buffer that is no whole number of deals, no such engine, more than two players.
    """
    _two_seats(rules)
    view = _whole_deals(buffer)
    try:
        return Results(
            _kernel.play_packed(view, rules.pay_codes, None if rules.counts is None else composition(rules), forced(engine))
        )
    except _kernel.BadDeal as bad:
        raise IllegalDeal(f"packed deal {bad.args[0]} is not a deal of the rules {rules}") from None


def pack(strings: Sequence[str], rules: Rules = STANDARD) -> bytes:
    """Pack strings as play_strings takes them; 16 bytes a deal.

    Raises:
        IllegalDeal: as play_strings.
        InputError: decks of more than 64 cards or 16 court cards cannot be packed.
    """
    _two_seats(rules)
    if rules.counts is not None and not fits(rules):
        raise InputError(_NOT_PACKED.format(rules))
    strings = strings if isinstance(strings, list) else list(strings)
    try:
        return _kernel.pack_strings(strings, *_shape(rules))
    except _kernel.BadDeal as bad:
        raise _explain(strings, bad.args[0], rules) from None


def unpack(buffer: bytes | bytearray | memoryview, rules: Rules = STANDARD) -> list[str]:
    """The strings of packed deals: all cards, seat 0 first.

    Raises:
        IllegalDeal: a deal is malformed; says which one.
        InputError: a buffer that is no whole number of deals.
    """
    try:
        return _kernel.unpack_strings(_whole_deals(buffer))
    except _kernel.BadDeal as bad:
        raise IllegalDeal(f"packed deal {bad.args[0]} is malformed") from None


def deal_number(rules: Rules, seed: int, searcher: int, number: int) -> Deal:
    """The deal that searcher `searcher` of a run with this seed deals as its number `number`.

    A function of these arguments alone, the same on every processor; every deal is equally likely.
    The cards are dealt to the hands in order, for any number of players.
    """
    from .deal import Deal

    codes = _kernel.deal_codes(composition(rules), seed, searcher, number)
    return Deal.from_cards(codes.translate(_LETTERS).decode(), rules)


def deals_packed(rules: Rules, seed: int, searcher: int, number: int, n: int) -> bytes:
    """The deals `number` to `number + n - 1` as packed deals; raises InputError for decks that cannot be packed."""
    if not fits(rules):
        raise InputError(_NOT_PACKED.format(rules))
    return _kernel.deal_packed(composition(rules), rules.hand_sizes[0], seed, searcher, number, n)


def _two_seats(rules: Rules) -> None:
    if rules.seats != 2:
        raise InputError(f"{rules.seats} players: packed deals are for 2")


def composition(rules: Rules) -> tuple[int, ...]:
    """Cards of each class by kernel code; for rules that fix the deck."""
    return tuple(rules.counts[RANKS.index(rank)] for rank in CODES)


def _shape(rules: Rules) -> tuple[int, int, tuple[int, ...] | None]:
    """Cards, cards of seat 0, composition; 0, 0, None for any."""
    if rules.counts is None:
        return 0, 0, None
    return rules.size, rules.hand_sizes[0], composition(rules)


def _packable(string: object) -> bool:
    return isinstance(string, str) and len(string) <= MAX_PACKED_CARDS and len(string) - string.count("-") <= MAX_PACKED_COURTS


def _whole_deals(buffer: bytes | bytearray | memoryview) -> memoryview:
    view = memoryview(buffer).cast("B")
    if len(view) % PACKED_SIZE:
        raise InputError(f"packed deals take {PACKED_SIZE} bytes each: {len(view)} bytes are no whole number of them")
    return view


def _explain(strings: Sequence[str], i: int, rules: Rules) -> IllegalDeal:
    """What is wrong with strings[i], which the kernel refused."""
    text = strings[i]
    if not isinstance(text, str):
        return IllegalDeal(f"string {i} is a {type(text).__name__}, not a string")
    for at, letter in enumerate(text):
        if letter not in RANKS:
            return IllegalDeal(f"string {i} has {letter!r} at place {at}: cards are A, K, Q, J and -")
    if rules.counts is None:
        return IllegalDeal(f"string {i} has {len(text)} cards, {len(text) - text.count('-')} of them court cards: too few or too many")
    if len(text) != rules.size:
        return IllegalDeal(f"string {i} has {len(text)} cards, not {rules.size}")
    wrong = [f"{text.count(r)} {r} instead of {n}" for r, n in zip(RANKS, rules.counts) if text.count(r) != n]
    return IllegalDeal(f"string {i} has {', '.join(wrong)}")
