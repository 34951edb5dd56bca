"""The reference engine: the rules in plain Python, for 2 to 4 players, any deck and any split.

It is written to be read and trusted; the compiled engines must agree with it. One function,
`play_trick`, knows how a trick goes; one, `trace_from`, knows when a game is over. Everything else
that plays goes through these two.

A *state* is what a trick starts from: the seat that leads, and every hand from the top card down.

Where the rules leave room, this engine reads them so:

* The first trick is led by seat 0, or by the next seat that was dealt a card.
* A limit is looked at as soon as that many cards have been turned, before anybody is asked for
  another card. So nobody drops out at that moment for want of a card, a trick that the last card
  completes is taken first, and a game that this ends is finite.
* `tricks` counts a trick that the limit breaks off, as it counts the unfinished one that ends a game.
* A game with a limit that begins to repeat before the limit is reached is infinite.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING, NamedTuple

from .errors import IllegalDeal, InputError
from .outcome import Outcome, Status
from .rules import Rules

if TYPE_CHECKING:
    from .deal import Deal

State = tuple[int, tuple[str, ...]]


class Trick(NamedTuple):
    """One trick, as it was played.

    Attributes:
        number: 1 for the first trick of the game.
        leader: seat that led.
        before: hands at its start, top card first.
        played: (seat, rank) of every card turned, in order; from top to bottom this is the pile.
        taker: seat that took the pile and leads next; None if the limit broke the trick off.
        after: hands at its end, the pile under the taker's hand.
        out: seats that dropped out, in order: those that had to turn a card and had none, then those
            that are without cards now that the trick is over.
        over: whether one player is left.
        cards: cards turned in the game up to the end of this trick.
    """

    number: int
    leader: int
    before: tuple[str, ...]
    played: tuple[tuple[int, str], ...]
    taker: int | None
    after: tuple[str, ...]
    out: tuple[int, ...]
    over: bool
    cards: int

    @property
    def pile(self) -> str:
        """The ranks turned, in order."""
        return "".join(rank for _, rank in self.played)


def play_trick(state: State, pay_of: dict[str, int], number: int = 1, cards: int = 0, room: int | None = None) -> Trick:
    """Play one trick.

    Args:
        state: two hands or more must hold cards, the leader's among them.
        pay_of: cards that each rank asks for, as in `Rules.pay_of`.
        number, cards: the trick's number, and the cards turned in the game before it.
        room: cards that may be turned before the limit is reached; None for no limit.
    """
    leader, hands = state
    seats = len(hands)
    # Who is still in, clockwise from the leader; `at` points to the player who must turn a card.
    still_in = [seat for seat in (*range(leader, seats), *range(leader)) if hands[seat]]
    at = 0
    turned = [0] * seats
    played: list[tuple[int, str]] = []
    out: list[int] = []
    owed = 0  # what is left of the payment; 0 while only number cards have been turned
    owner = taker = None
    while len(played) != room:
        seat = still_in[at]
        if turned[seat] == len(hands[seat]):
            # He has to turn a card and has none. Who comes next clockwise moves to his place in the
            # list and takes over what is left of a payment. It can come round to the player who is
            # owed only when all others are out, so that needs no case of its own.
            out.append(seat)
            del still_in[at]
            at %= len(still_in)
            if len(still_in) == 1:
                taker = still_in[0]
                break
            continue
        rank = hands[seat][turned[seat]]
        turned[seat] += 1
        played.append((seat, rank))
        if pay_of[rank]:
            owed, owner = pay_of[rank], seat
        elif owed:
            owed -= 1
            if owed == 0:
                taker = owner
                break
            continue  # the payer goes on
        at = (at + 1) % len(still_in)

    left = [hand[n:] for hand, n in zip(hands, turned)]
    over = False
    if taker is not None:
        left[taker] += "".join([rank for _, rank in played])
        out += [seat for seat in still_in if not left[seat]]
        over = len(left[taker]) == sum(map(len, left))
    return Trick(number, leader, hands, tuple(played), taker, tuple(left), tuple(out), over, cards + len(played))


def next_state(state: State, rules: Rules) -> State | None:
    """The state after one trick, or None if the game is over by then (or was before it)."""
    if is_over(state):
        return None
    trick = play_trick(state, rules.pay_of)
    return None if trick.over else (trick.taker, trick.after)


def is_over(state: State) -> bool:
    """Whether at most one hand holds cards."""
    return sum(map(bool, state[1])) <= 1


def start_state(deal: Deal) -> State:
    """The state before the first trick: seat 0 leads, or the next seat that was dealt a card.

    Raises:
        IllegalDeal: there are no cards.
    """
    hands = tuple(deal.hands)
    for seat, hand in enumerate(hands):
        if hand:
            return seat, hands
    raise IllegalDeal("no cards at all is not a deal")


def trace_from(state: State, rules: Rules, limit: int | None = None) -> Generator[Trick, None, Outcome]:
    """Play on from a state, trick by trick; the generator's return value is the outcome.

    An infinite game is traced until its first repeated state is met for the second time. All counts
    start at 0 with the given state.

    Raises:
        InputError: a limit of less than one card.
    """
    if limit is not None and limit < 1:
        raise InputError(f"a limit of {limit} cards: at least 1 is needed")
    pay_of = rules.pay_of
    cards = tricks = 0
    seen = {}  # state -> (tricks, cards) before it
    over = is_over(state)
    while not over:
        if cards == limit:
            return _decided_by_limit(state[1], cards, tricks)
        if state in seen:
            lead_in, cards_before = seen[state]
            return Outcome(
                Status.INFINITE, cards, tricks, lead_in=lead_in, period=tricks - lead_in, loop_cards=cards - cards_before
            )
        seen[state] = tricks, cards
        trick = play_trick(state, pay_of, tricks + 1, cards, None if limit is None else limit - cards)
        yield trick
        cards = trick.cards
        tricks += 1
        if trick.taker is None:
            return _decided_by_limit(trick.after, cards, tricks)
        state = trick.taker, trick.after
        over = trick.over
    return Outcome(Status.FINITE, cards, tricks, winner=state[0])


def trace(deal: Deal, limit: int | None = None) -> Generator[Trick, None, Outcome]:
    """Play a deal trick by trick; see `trace_from`.

    Args:
        limit: cards after which the most cards in hand win; None for no limit.

    Raises:
        InputError: a limit of less than one card, or a deal without cards.
    """
    return trace_from(start_state(deal), deal.rules, limit)


def play(deal: Deal, limit: int | None = None) -> Outcome:
    """Play a deal to its end, its loop or its limit; arguments and errors as for `trace`."""
    game = trace(deal, limit)
    while True:
        try:
            next(game)
        except StopIteration as end:
            return end.value


def _decided_by_limit(hands: tuple[str, ...], cards: int, tricks: int) -> Outcome:
    """Most cards in hand win; equal most is a draw, and cards on the table count for nobody."""
    sizes = [len(hand) for hand in hands]
    most = max(sizes)
    winner = sizes.index(most) if sizes.count(most) == 1 else None
    return Outcome(Status.LIMIT, cards, tricks, winner=winner)
