"""Games for three and four players, built from games of two: infinite ones, and long ones.

A game can fall into a loop of two players after the others have dropped out. So the loop of a
two-player game is laid out for more seats, the others empty, and everything that leads to it is gone
through backward (csrc/ancestry.h): the deals among it are infinite games. In the same way a game can
come into the middle of a long game of two, and then it is about as long as that.

    python -m search.ancestry --players 3 < DEALS             reads infinite two-player deals and prints what leads to their loops
    python -m search.ancestry --players 3 --longest < DEALS   reads finite ones, and prints for each the longest deal that comes into its game
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from . import _kernel, engine
from .cycle import cycle_of
from .deal import Deal, parse_many
from .errors import BeggarError, InputError
from .game import State, next_state
from .outcome import Outcome
from .rules import CODES, STANDARD, Rules

MOST_STATES = 10**7
JOINED_TRICKS = 100  # of the two-player game; who joins it later has the shorter game
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


@dataclass(frozen=True)
class Descent:
    """The longest game for more players that comes into a game of two.

    Attributes:
        deal, outcome: the deal and its game; None if none was found. Of equal ones the first in byte order.
        deals: deals that come into it, found in all.
        states: states looked at.
        complete: whether no state of the stretch had more behind it than was looked at.
    """

    deal: Deal | None
    outcome: Outcome | None
    deals: int
    states: int
    complete: bool


def longest_deal(deal: Deal, players: int, tricks: int = JOINED_TRICKS, most: int = MOST_STATES) -> Descent:
    """The longest finite game for so many players that comes into one of the first states of a finite game of two.

    Args:
        deal: a two-player deal of any split.
        players: 2, 3 or 4. Hands are of the default split.
        tricks: how many states of its game, from the deal on, are gone back from.
        most: states to look at behind each of them, with the players in each place.

    Raises:
        InputError: the game is not a finite one of two players.
    """
    if deal.rules.seats != 2 or cycle_of(deal) is not None:
        raise InputError(f"{deal}: not a finite game of two players")
    rules = replace(deal.rules, seats=players, split=None, any_split=False)
    found: set[str] = set()
    states = 0
    complete = True
    for other in range(1, players):
        before: State | None = None
        at: State | None = (0, deal.hands)
        for _ in range(tricks):
            if at is None or not all(at[1]):
                break
            here = _at_table(at, other, players)
            counted, _, whole, deals = _kernel.ancestors_of_seats(_coded(here), before and _coded(before), rules.hand_sizes, rules.pay_codes, most)
            states += counted
            complete &= whole
            found |= {"".join(hands[leader:] + hands[:leader]) for leader, hands in map(_state, deals)}
            before, at = here, next_state(at, deal.rules)
    if not found:
        return Descent(None, None, 0, states, complete)
    ordered = sorted(found)
    results = engine.play_strings(ordered, rules)
    best = max(range(len(ordered)), key=lambda i: (results.cards[i], results.tricks[i]))
    return Descent(Deal.from_cards(ordered[best], rules), results[best], len(ordered), states, complete)


def _at_table(state: State, other: int, players: int) -> State:
    """A two-player state for more seats: the first player sits at seat 0, his opponent at seat `other`."""
    hands = [""] * players
    hands[0], hands[other] = state[1]
    return (0, other)[state[0]], tuple(hands)


def _laid_out(start: State, rules: Rules, players: int) -> Iterator[list[State]]:
    """The loop from `start`, seats told apart, with the two players in every place that they can have to each other.

    Going round the table by a number of seats changes nothing, so the first player sits at seat 0.
    Where a loop exchanges the two players, two layouts are the same but for that.
    """
    seen: set[State] = set()
    for other in range(1, players):
        loop: list[State] = []
        at = start
        while not loop or at != start:
            loop.append(_at_table(at, other, players))
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
        prog="python -m search.ancestry", description="Deals for more players, from deals of two on standard input, one a line."
    )
    parser.add_argument("--players", type=int, choices=(2, 3, 4), default=3)
    parser.add_argument("--rules", default=STANDARD.text, help="as for beggar verify")
    parser.add_argument("--longest", action="store_true", help="from finite deals: for each the longest deal that comes into its game")
    args = parser.parse_args(argv)
    known: set[str] = set()
    try:
        rules = replace(Rules.parse(args.rules), split=None, any_split=True)
        for place, deal in parse_many(sys.stdin, rules):
            if isinstance(deal, InputError):
                raise InputError(f"{place}: {deal}")
            if args.longest:
                best = longest_deal(deal, args.players)
                known |= {str(best.deal)} if best.deal else set()
                _tell(deal, best.deals, args.players, best.states, best.complete, f"; the longest: {best.outcome}" if best.deal else "")
            else:
                found = infinite_deals(deal, args.players)
                known |= set(map(str, found.deals))
                _tell(deal, len(found.deals), args.players, found.states, found.complete)
    except BeggarError as error:
        print(f"search.ancestry: {error}", file=sys.stderr)
        return error.exit_status
    for text in sorted(known):
        print(text)
    return 0


def _tell(deal: Deal, deals: int, players: int, states: int, complete: bool, more: str = "") -> None:
    all_of_them = "" if complete else ", and more were not looked at"
    print(f"{deal}: {deals} deals for {players} players, {states} states{all_of_them}{more}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
