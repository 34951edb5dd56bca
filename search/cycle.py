"""Cycles: what an infinite game falls into, under a name that does not depend on seats.

Seats are where players sit, not part of the cycle. So its states are seen from the leader's side:
the hands of those who are still in, clockwise from the leader, joined with '/'. A player who is out
takes no part; a game of three or four that has lost players falls into the same cycles as a smaller
one. The cycle's name is the smallest of those strings in plain byte order
('-' < '/' < 'A' < 'J' < 'K' < 'Q').

Play does not care who sits where. So where the tricks of one loop reach the same string again before
the loop closes, the hands have moved round the table in the meantime, and the number of tricks in the
loop is a multiple of the number of different strings: once or twice it with two players still in.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import lcm
from typing import TYPE_CHECKING

from .game import State, Trick, start_state, trace_from
from .outcome import Status
from .rules import Rules

if TYPE_CHECKING:
    from .deal import Deal


@dataclass(frozen=True)
class Cycle:
    """The loop of an infinite game.

    Attributes:
        name: the smallest of its states, each seen from the leader's side.
        cycle_period: number of its different states, seen from the leader's side.
        period: tricks in the loop, seats told apart.
        loop_cards: cards turned in the loop.
        full_period: tricks until the loop closes with all cards told apart: the period times the
            order of the permutation that one loop performs on the cards.
        lead_in: tricks before the first state of the loop.
        states: the states at the starts of its tricks, `period` of them, the first that the game
            reaches first.
    """

    name: str
    cycle_period: int
    period: int
    loop_cards: int
    full_period: int
    lead_in: int
    states: tuple[State, ...]


def view(state: State) -> str:
    """A state from its leader's side: the hands of those still in, clockwise from the leader, joined with '/'."""
    leader, hands = state
    return "/".join([hand for hand in hands[leader:] + hands[:leader] if hand])


def cycle_of(deal: Deal) -> Cycle | None:
    """The cycle that a deal falls into; None if its game ends."""
    return cycle_from(start_state(deal), deal.rules)


def cycle_from(state: State, rules: Rules) -> Cycle | None:
    """The cycle that play from a state falls into; None if it ends. The lead-in counts from that state."""
    tricks: list[Trick] = []
    game = trace_from(state, rules)
    while True:
        try:
            tricks.append(next(game))
        except StopIteration as end:
            outcome = end.value
            break
    if outcome.status is not Status.INFINITE:
        return None
    loop = tricks[outcome.lead_in :]
    states = tuple((trick.leader, trick.before) for trick in loop)
    views = {view(state) for state in states}
    return Cycle(
        name=min(views),
        cycle_period=len(views),
        period=outcome.period,
        loop_cards=outcome.loop_cards,
        full_period=outcome.period * _order(_permutation(loop)),
        lead_in=outcome.lead_in,
        states=states,
    )


def _permutation(loop: list[Trick]) -> list[int]:
    """What one loop does to the cards: place i, counted through the hands in order, then holds card result[i]."""
    hands = []
    cards = 0
    for hand in loop[0].before:
        hands.append(list(range(cards, cards + len(hand))))
        cards += len(hand)
    for trick in loop:
        turned = [0] * len(hands)
        pile = []
        for seat, _ in trick.played:
            pile.append(hands[seat][turned[seat]])
            turned[seat] += 1
        hands = [hand[n:] for hand, n in zip(hands, turned)]
        hands[trick.taker] += pile
    return [card for hand in hands for card in hand]


def _order(permutation: list[int]) -> int:
    """How often a permutation must be repeated to put everything back: the lcm of its cycles' lengths."""
    order = 1
    seen = [False] * len(permutation)
    for start in range(len(permutation)):
        length = 0
        place = start
        while not seen[place]:
            seen[place] = True
            place = permutation[place]
            length += 1
        order = lcm(order, length or 1)
    return order
