"""Backward play: which states lead to a state, the line that a game lies on, and the longest deal of it.

For two players. A *position* is a state at the start of a trick seen from the leader: his hand and
the other's, ``(leader, other)``, both with cards. csrc/backward.h explains predecessors, live
positions and lines; the functions here are the plain reference for it, and serve decks that are too
large for it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from . import _kernel, engine, game
from .cycle import cycle_of
from .deal import Deal
from .errors import InputError
from .outcome import Outcome, Status
from .rules import CODES, Rules

Position = tuple[str, str]

TOP_STEPS = 14
NODE_BOUND = 3_000_000
PACKED_CARDS = 64  # decks of more cards are played backward by the reference

_TO_CODES = str.maketrans(CODES, "".join(map(chr, range(len(CODES)))))


class Predecessor(NamedTuple):
    """A position that plays into another one in one trick, and the cards of that trick."""

    position: Position
    pile: int


class Walk(NamedTuple):
    """The live walk of a game.

    Attributes:
        status: 'top'; 'loop' where the walk came back to where it began, which it does exactly if the
            game is infinite; 'none' where the game has no live position, and then the last one
            stands for the top.
        top: the position where the walk ended.
        ahead_cards, ahead_tricks: from the given position to the first live one (or to the last one).
        back_cards, back_tricks: from there back to the top (or once around the loop).
    """

    status: str
    top: Position
    ahead_cards: int
    ahead_tricks: int
    back_cards: int
    back_tricks: int


class Longest(NamedTuple):
    """The longest legal deal near a top: its position (None: there is none), the length of its game,
    the predecessors made, and whether the search was complete."""

    position: Position | None
    cards: int
    tricks: int
    nodes: int
    complete: bool


# ---- the reference ----


def predecessors_reference(position: Position, rules: Rules) -> list[Predecessor]:
    """All predecessors in plain Python; see `predecessors`."""
    pay_of = rules.pay_of
    leader, other = position
    found = []
    if not _is_exact(leader, pay_of):
        return found
    first = _last_court(leader, pay_of)  # the first court card of the pile, so far
    turner = 0  # who turned it: 0 the winner of the trick, 1 the loser
    # What each has turned in this trick, in his order; the loser's last payment is at its end.
    turned = ["", leader[first + 1 :]]
    while True:
        turned[turner] = leader[first] + turned[turner]
        previous = _last_court(leader[:first], pay_of)
        gap = first - 1 - previous
        for leading in range(gap + 1):
            # The pile begins here: `leading` number cards, turned in turn, ended by the turner of `first`.
            hands = ["", ""]
            hands[turner] = "-" * (leading // 2) + turned[turner]
            hands[1 - turner] = "-" * ((leading + 1) // 2) + turned[1 - turner]
            hands[0] += leader[: first - leading]
            hands[1] += other
            lead = turner ^ (leading % 2)
            found.append(Predecessor((hands[lead], hands[1 - lead]), len(leader) - first + leading))
        if previous < 0 or gap >= pay_of[leader[previous]]:
            return found
        # Or `first` was turned in payment for the court card before it.
        turned[turner] = "-" * gap + turned[turner]
        turner = 1 - turner
        first = previous


def is_live(position: Position, rules: Rules) -> bool:
    """Whether each hand ends in a court card followed by exactly its pay in number cards."""
    return all(_is_exact(hand, rules.pay_of) for hand in position)


def walk_reference(position: Position, rules: Rules) -> Walk:
    """The live walk in plain Python; see `walk`."""
    ahead_cards = ahead_tricks = 0
    while not is_live(position, rules):
        after, turned = _play_trick(position, rules)
        if after is None:
            return Walk("none", position, ahead_cards, ahead_tricks, 0, 0)
        position = after
        ahead_cards += turned
        ahead_tricks += 1
    start = position
    back_cards = back_tricks = 0
    while live := [p for p in predecessors_reference(position, rules) if is_live(p.position, rules)]:
        (only,) = live
        position = only.position
        back_cards += only.pile
        back_tricks += 1
        if position == start:
            return Walk("loop", position, ahead_cards, ahead_tricks, back_cards, back_tricks)
    return Walk("top", position, ahead_cards, ahead_tricks, back_cards, back_tricks)


def search_top_reference(
    top: Position,
    rules: Rules,
    cards: int,
    tricks: int,
    leader_cards: int,
    by: str = "cards",
    top_steps: int = TOP_STEPS,
    node_bound: int = NODE_BOUND,
) -> Longest:
    """The search near the top in plain Python; see `search_top`."""
    best: tuple[tuple[int, int, str], Position, int, int] | None = None

    def offer(at: Position, cards: int, tricks: int) -> None:
        nonlocal best
        key = _rank(at, cards, tricks, by)
        if len(at[0]) == leader_cards and (best is None or key < best[0]):
            best = key, at, cards, tricks

    nodes = 0
    complete = True
    steps, wanted, over = 0, top_steps, False
    root = (top, cards, tricks)
    while True:
        while steps < wanted and not over:
            after, turned = _play_trick(root[0], rules)
            over = after is None
            if after is not None:
                root = (after, root[1] - turned, root[2] - 1)
            steps += 1
        offer(*root)
        waiting = [root]
        while waiting and complete:
            at, cards, tricks = waiting.pop()
            for before, pile in predecessors_reference(at, rules):
                if nodes == node_bound:
                    complete = False
                    break
                nodes += 1
                offer(before, cards + pile, tricks + 1)
                waiting.append((before, cards + pile, tricks + 1))
        if best or over or not complete:
            break
        wanted = 2 * wanted + 1
    return Longest(*(best[1:] if best else (None, 0, 0)), nodes, complete)


def _rank(position: Position, cards: int, tricks: int, by: str) -> tuple[int, int, str]:
    """Smaller is longer; ties in `by` go to the other measure, then to the deal that is first in byte order."""
    text = "".join(position)
    return (-tricks, -cards, text) if by == "tricks" else (-cards, -tricks, text)


def _last_court(hand: str, pay_of: dict[str, int]) -> int:
    """Place of the last court card, -1 if there is none."""
    return max((i for i, rank in enumerate(hand) if pay_of[rank]), default=-1)


def _is_exact(hand: str, pay_of: dict[str, int]) -> bool:
    at = _last_court(hand, pay_of)
    return at >= 0 and len(hand) - 1 - at == pay_of[hand[at]]


def _play_trick(position: Position, rules: Rules) -> tuple[Position | None, int]:
    """The position after one trick (None: the game is over) and the cards turned."""
    trick = game.play_trick((0, position), rules.pay_of)
    if trick.over:
        return None, len(trick.played)
    return (trick.after[trick.taker], trick.after[1 - trick.taker]), len(trick.played)


# ---- by the kernel where it can ----


def _packed(position: Position) -> tuple[bytes, int] | None:
    """Codes and the leader's number of cards, or None where the deck is too large for the kernel."""
    codes = "".join(position).translate(_TO_CODES).encode("latin-1")
    return (codes, len(position[0])) if len(codes) <= PACKED_CARDS else None


def _unpacked(codes: bytes, leader_cards: int) -> Position:
    text = "".join(CODES[c] for c in codes)
    return text[:leader_cards], text[leader_cards:]


def predecessors(position: Position, rules: Rules) -> list[Predecessor]:
    """All positions that play into `position` in one trick, by pile from short to long.

    Args:
        position: the leader's hand and the other's, both with cards.
        rules: what court cards pay.

    Raises:
        InputError: an empty hand; such a position starts no trick.
    """
    if not all(position):
        raise InputError("a position needs cards in both hands")
    if (packed := _packed(position)) is None:
        return predecessors_reference(position, rules)
    made = _kernel.backward_predecessors(*packed, rules.pay_codes)
    return [Predecessor(_unpacked(codes, leader_cards), pile) for codes, leader_cards, pile in made]


def walk(position: Position, rules: Rules) -> Walk:
    """Play forward to the first live position, then back along live ones as far as they go."""
    if (packed := _packed(position)) is None:
        return walk_reference(position, rules)
    status, codes, leader_cards, *lengths = _kernel.backward_walk(*packed, rules.pay_codes)
    return Walk(status, _unpacked(codes, leader_cards), *lengths)


def search_top(
    top: Position,
    rules: Rules,
    cards: int,
    tricks: int,
    leader_cards: int,
    by: str = "cards",
    top_steps: int = TOP_STEPS,
    node_bound: int = NODE_BOUND,
) -> Longest:
    """The longest legal deal among all ancestors of the position `top_steps` tricks after `top`.

    Where that gives none, the steps are doubled until there is one or the whole game is covered. When
    `node_bound` predecessors have been made the search ends, and the best so far is the answer.

    Args:
        cards, tricks: length of the game from `top`.
        leader_cards: a position is a legal deal if the leader holds so many.
        by: 'cards' or 'tricks'; ties go to the other measure, then to the deal that is first in byte order.
    """
    if (packed := _packed(top)) is None:
        return search_top_reference(top, rules, cards, tricks, leader_cards, by, top_steps, node_bound)
    deal, *rest = _kernel.backward_search(
        *packed, rules.pay_codes, cards, tricks, leader_cards, by == "tricks", top_steps, node_bound
    )
    return Longest(deal and _unpacked(*deal), *rest)


# ---- lines and deals ----


@dataclass(frozen=True)
class Extension:
    """The line of a deal, and the longest deal on it.

    Attributes:
        deal, outcome: what was given.
        by: 'cards' or 'tricks': what is longest.
        line: name of the line, the string of its top; of an infinite game, the name of its cycle; ''
            where the game is too short to have a live position.
        line_cards, line_tricks: length of the game from the top; None for an infinite game.
        longest: the longest deal found with the same hand sizes, at least the given one; None for an
            infinite game, which has no longest.
        cards, tricks: length of its game; None for an infinite game.
        complete: False where the bound on the search was met, so that there may be longer ones.
    """

    deal: Deal
    outcome: Outcome
    by: str
    line: str
    line_cards: int | None = None
    line_tricks: int | None = None
    longest: Deal | None = None
    cards: int | None = None
    tricks: int | None = None
    complete: bool = True

    @property
    def gained(self) -> int:
        """By how much the longest deal is longer, in cards or tricks; 0 for an infinite game."""
        if self.longest is None:
            return 0
        return self.tricks - self.outcome.tricks if self.by == "tricks" else self.cards - self.outcome.cards

    def as_json(self) -> dict[str, object]:
        """For ``beggar extend --json``; keys that do not apply are None."""
        return {
            "deal": str(self.deal),
            "rules": self.deal.rules.text,
            "status": str(self.outcome.status),
            "cards": self.outcome.cards,
            "tricks": self.outcome.tricks,
            "by": self.by,
            "line": self.line or None,
            "line_cards": self.line_cards,
            "line_tricks": self.line_tricks,
            "longest": str(self.longest) if self.longest else None,
            "longest_cards": self.cards,
            "longest_tricks": self.tricks,
            "gained": self.gained,
            "complete": self.complete,
        }


def extend(deal: Deal, by: str = "cards", top_steps: int = TOP_STEPS, node_bound: int = NODE_BOUND) -> Extension:
    """The line that a deal lies on, and the longest deal of the same hand sizes on it.

    Raises:
        InputError: more than two players.
    """
    rules = deal.rules
    if rules.seats != 2:
        raise InputError(f"{rules.seats} players: games are extended backward for two players only")
    if by not in ("cards", "tricks"):
        raise InputError(f"longest by {by!r}: 'cards' and 'tricks' are accepted")
    outcome = engine.play(deal)
    if outcome.status is Status.INFINITE:
        return Extension(deal, outcome, by, line=cycle_of(deal).name)
    if not all(deal.hands):
        return Extension(deal, outcome, by, "", longest=deal, cards=outcome.cards, tricks=outcome.tricks)
    way = walk(deal.hands, rules)
    cards = outcome.cards - way.ahead_cards + way.back_cards
    tricks = outcome.tricks - way.ahead_tricks + way.back_tricks
    best = search_top(way.top, rules, cards, tricks, deal.sizes[0], by, top_steps, node_bound)
    longest = deal
    if best.position is not None:
        # The given deal is one of the line's, but may lie below what was searched.
        if _rank(best.position, best.cards, best.tricks, by) < _rank(deal.hands, outcome.cards, outcome.tricks, by):
            longest = Deal(rules, best.position)
    on_line = way.status == "top"
    return Extension(
        deal,
        outcome,
        by,
        line="/".join(way.top) if on_line else "",
        line_cards=cards if on_line else None,
        line_tricks=tricks if on_line else None,
        longest=longest,
        cards=outcome.cards if longest is deal else best.cards,
        tricks=outcome.tricks if longest is deal else best.tricks,
        complete=best.complete,
    )
