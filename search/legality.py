"""Whether hands are a deal under given rules, and if not, everything that is wrong with them."""

from __future__ import annotations

from collections.abc import Sequence

from .errors import IllegalDeal
from .rules import MAX_CARDS, RANKS, Rules

_NAMES = {"A": "ace", "K": "king", "Q": "queen", "J": "jack", "-": "number card"}
_WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def check(rules: Rules, hands: Sequence[str]) -> None:
    """Do nothing if `hands` (strings over AKQJ-, seat 0 first) are a deal under `rules`.

    Raises:
        IllegalDeal: they are not; the message names every deviation.
    """
    fault = fault_of(rules, hands)
    if fault:
        raise IllegalDeal(fault)


def fault_of(rules: Rules, hands: Sequence[str]) -> str | None:
    """What is wrong with `hands` under `rules`, in one line; None if nothing is."""
    sizes = tuple(map(len, hands))
    cards = sum(sizes)
    if len(hands) != rules.seats:
        return wrong_seats(len(hands), rules)
    if not cards:
        return "no cards: that is not a deal"
    if cards > MAX_CARDS:
        return f"{cards} cards; a deal has at most {MAX_CARDS}"
    if rules.counts is not None:
        counts = counts_of(hands)
        if counts != rules.counts:
            wrong = [_number_of(n, rank) for n, want, rank in zip(counts, rules.counts, RANKS) if n != want]
            total = f"{_plural(cards, 'card')}: " if cards != rules.size else ""
            return f"{total}{_and(wrong)}; {_deck(rules)}"
        if not rules.any_split and sizes != rules.hand_sizes:
            return f"hands of {_sizes(sizes)} cards; these rules deal {_sizes(rules.hand_sizes)}"
    return None


def wrong_seats(hands: int, rules: Rules) -> str:
    """The message for a deal that shows another number of hands than the rules have seats."""
    return f"{_plural(hands, 'hand')} for {rules.seats} players"


def counts_of(hands: Sequence[str]) -> tuple[int, ...]:
    """Cards of each rank in `hands`, in the order of RANKS."""
    return tuple(sum(hand.count(rank) for hand in hands) for rank in RANKS)


def _deck(rules: Rules) -> str:
    name = {"standard": "the standard deck", "italian": "the Italian deck"}.get(rules.text, "this deck")
    courts, numbers = rules.counts[:4], _number_of(rules.counts[4], "-")
    if len(set(courts)) == 1 and courts[0]:
        return f"{name} has {_word(courts[0])} of each court card and {numbers}"
    return f"{name} has {_and([_number_of(n, rank) for n, rank in zip(courts, RANKS)] + [numbers])}"


def _word(n: int) -> str:
    return _WORDS[n] if n < len(_WORDS) else str(n)


def _number_of(n: int, rank: str) -> str:
    return f"{_word(n)} {_NAMES[rank]}{'' if n == 1 else 's'}"


def _plural(n: int, noun: str) -> str:
    return f"{n} {noun}{'' if n == 1 else 's'}"


def _sizes(sizes: Sequence[int]) -> str:
    return _and([str(n) for n in sizes])


def _and(items: Sequence[str]) -> str:
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}"
