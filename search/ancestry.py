"""Infinite games for three and four players, built from infinite games of two.

A game can fall into a loop of two players after the others have dropped out. So the loop of a
two-player game is laid out for more seats, the others empty, and everything that leads to it is gone
through backward (csrc/ancestry.h): the deals among it are infinite games.

    python -m search.ancestry --players 3 < DEALS    reads two-player deals, one a line, and prints what it finds
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from . import _kernel
from .cycle import cycle_of
from .deal import Deal, parse_many
from .errors import BeggarError, InputError
from .game import State, next_state
from .rules import CODES, STANDARD, Rules

MOST_STATES = 10**7
_CODES = str.maketrans({rank: chr(code) for code, rank in enumerate(CODES)})
_RANKS = bytes.maketrans(bytes(range(len(CODES))), CODES.encode())


@dataclass(frozen=True)
class Ancestry:
    """What leads to a loop.

    Attributes:
        deals: the infinite deals, in byte order.
        states: states looked at, those of the loop not counted.
        full: those of them in which nobody is out.
        complete: whether that is all; false where the bound was met.
    """

    deals: tuple[Deal, ...]
    states: int
    full: int
    complete: bool


def predecessors(state: State, rules: Rules) -> list[State]:
    """All states from which one trick leads to `state`; hands over AKQJ-, two to four, 64 cards at most."""
    return [_state(found) for found in _kernel.predecessors_of_seats(_coded(state), rules.pay_codes)]


def infinite_deals(deal: Deal, players: int, most: int = MOST_STATES) -> Ancestry:
    """The deals for so many players that end up in the loop of an infinite two-player game.

    Args:
        deal: a two-player deal of any split.
        players: 2, 3 or 4. Hands are of the default split.
        most: states to look at behind each state of the loop.

    Raises:
        InputError: the game is not an infinite one of two players.
    """
    if deal.rules.seats != 2 or (cycle := cycle_of(deal)) is None:
        raise InputError(f"{deal}: not an infinite game of two players")
    start = 0, tuple(cycle.name.split("/"))
    rules = replace(deal.rules, seats=players, split=None, any_split=False)
    found: set[Deal] = set()
    states = full = 0
    complete = True
    for loop in _laid_out(start, deal.rules, players):
        for before, at in zip([loop[-1], *loop], loop):
            counted, undropped, whole, deals = _kernel.ancestors_of_seats(
                _coded(at), _coded(before), rules.hand_sizes, rules.pay_codes, most
            )
            states += counted
            full += undropped
            complete &= whole
            for leader, hands in map(_state, deals):
                found.add(Deal(rules, hands[leader:] + hands[:leader]))
    return Ancestry(tuple(sorted(found, key=str)), states, full, complete)


def _laid_out(start: State, rules: Rules, players: int) -> Iterator[list[State]]:
    """The loop from `start`, seats told apart, with the two players in every place that they can have to each other.

    Going round the table by a number of seats changes nothing, so the first player sits at seat 0.
    Where a loop exchanges the two players, two layouts are the same but for that.
    """
    seen: set[State] = set()
    for other in range(1, players):
        seat_of = (0, other)
        loop: list[State] = []
        at = start
        while not loop or at != start:
            hands = [""] * players
            for player in (0, 1):
                hands[seat_of[player]] = at[1][player]
            loop.append((seat_of[at[0]], tuple(hands)))
            at = next_state(at, rules)
        turned = {_turned(state) for state in loop}
        if not turned & seen:
            yield loop
        seen |= turned


def _turned(state: State) -> State:
    """The state with the leader at seat 0."""
    leader, hands = state
    return 0, hands[leader:] + hands[:leader]


def _coded(state: State) -> tuple[int, tuple[bytes, ...]]:
    leader, hands = state
    return leader, tuple(hand.translate(_CODES).encode("latin-1") for hand in hands)


def _state(coded: tuple[int, tuple[bytes, ...]]) -> State:
    leader, hands = coded
    return leader, tuple(hand.translate(_RANKS).decode() for hand in hands)


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m search.ancestry", description="Infinite deals for more players, from infinite deals of two on standard input, one a line."
    )
    parser.add_argument("--players", type=int, choices=(2, 3, 4), default=3)
    parser.add_argument("--rules", default=STANDARD.text, help="as for beggar verify")
    args = parser.parse_args(argv)
    known: set[str] = set()
    try:
        rules = replace(Rules.parse(args.rules), split=None, any_split=True)
        for place, deal in parse_many(sys.stdin, rules):
            if isinstance(deal, InputError):
                raise InputError(f"{place}: {deal}")
            found = infinite_deals(deal, args.players)
            known |= set(map(str, found.deals))
            all_of_them = "" if found.complete else ", and more were not looked at"
            print(f"{deal}: {len(found.deals)} deals for {args.players} players, {found.states} states{all_of_them}", file=sys.stderr)
    except BeggarError as error:
        print(f"search.ancestry: {error}", file=sys.stderr)
        return error.exit_status
    for text in sorted(known):
        print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
