"""The place of a deck among all orders of its cards: exact ranking and unranking of multiset permutations.

Decks are ordered as words over A < K < Q < J < - (aces first), so that index 0 of the standard
deck is AAAAKKKKQQQQJJJJ and 36 number cards. Both ways take five big-integer steps a card.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import factorial, prod

from .errors import InputError
from .legality import counts_of
from .rules import RANKS


def index_of(cards: str) -> int:
    """The number of orders of the same cards that come before `cards` (a string over AKQJ-)."""
    left = list(counts_of([cards]))
    orders = _orders(left)
    index = 0
    for place, card in enumerate(cards):
        remaining = len(cards) - place
        here = RANKS.index(card)
        # Of all orders of the cards that are left, a share of left[r] / remaining begins with rank r.
        index += orders * sum(left[:here]) // remaining
        orders = orders * left[here] // remaining
        left[here] -= 1
    return index


def cards_at(index: int, counts: Sequence[int]) -> str:
    """The deck with this index among all orders of `counts` (cards of each rank, in the order of RANKS).

    Raises:
        InputError: there is no such index.
    """
    left = list(counts)
    orders = _orders(left)
    if not 0 <= index < orders:
        raise InputError(f"index {_short(index)}: these cards have the indices 0 to {_short(orders - 1)}")
    cards = []
    for remaining in range(sum(left), 0, -1):
        for here, rank in enumerate(RANKS):
            beginning = orders * left[here] // remaining
            if index < beginning:
                break
            index -= beginning
        orders = beginning
        left[here] -= 1
        cards.append(rank)
    return "".join(cards)


def _orders(counts: Sequence[int]) -> int:
    return factorial(sum(counts)) // prod(map(factorial, counts))


def _short(n: int) -> str:
    """Decimal digits, or the size of a number that would fill the screen (and Python may refuse to print)."""
    if n.bit_length() <= 200:
        return str(n)
    return f"{'-' if n < 0 else ''}(a number of {n.bit_length()} bits)"
