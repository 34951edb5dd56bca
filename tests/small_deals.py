"""Deals of any cards and split, for tests."""

from search.deal import Deal
from search.rules import USUAL_PAYS, Rules


def deal(text, pays=USUAL_PAYS):
    """The deal 'hand/hand', two to four hands, empty ones too; `pays` of A, K, Q, J."""
    hands = text.split("/")
    rules = Rules(counts=None, pays=pays, seats=len(hands), any_split=True)
    return Deal.from_cards("".join(hands), rules, tuple(map(len, hands)))
