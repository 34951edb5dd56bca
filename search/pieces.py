"""Cycles as tapes of pieces: the plain reference for csrc/cycles_seam.h, and the pieces of a cycle that is known.

Two players. At a *seam* one player holds a short hand `short_hand`, and `leader` ('long' or 'short')
leads. A word of the long hand is played against it: `play_round` gives what the long hand collected,
if the word was used up exactly at a seam. The *drift* is what each round ends in; it comes in front
of the next round's word. A piece is a word that comes back to itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from .cycle import Cycle, view

MAX_ROUNDS = 400  # of a word, with its ranks: the shape comes back sooner
SHORTEST_SEAMS = 3  # cards of the short hands at which a seam is looked for
DRIFTS = 2  # cards of a drift at most, there


class Seam(NamedTuple):
    """The short hand that a cycle comes back to, the drift of its words, and who leads there ('long' or 'short')."""

    short_hand: str
    drift: str
    leader: str


class Round(NamedTuple):
    """A good round: what the long hand collected, the tricks, and the most cards that the short hand held."""

    collected: str
    tricks: int
    peak: int


class Piece(NamedTuple):
    """A piece: its words in the order of its rounds, all tricks of these, the most cards in the short hand."""

    words: tuple[str, ...]
    tricks: int
    peak: int


class Tape(NamedTuple):
    """A cycle as a tape: the pieces in their order, each with the word that stands on the tape first."""

    seam: Seam
    pieces: tuple[Piece, ...]

    @property
    def long_hand(self) -> str:
        return "".join(piece.words[0] for piece in self.pieces) + self.seam.drift


def play_round(word: str, seam: Seam, pay_of: Mapping[str, int]) -> Round | None:
    """Play a word against the short hand of a seam; None if it is not used up exactly at the seam."""
    hands = [list(word), list(seam.short_hand)]
    leader = at_seam = 0 if seam.leader == "long" else 1
    collected: list[str] = []
    tricks, peak = 0, len(seam.short_hand)
    while hands[0]:
        pile: list[str] = []
        turn, owner, owed = leader, None, 0
        while True:
            if not hands[turn]:
                return None
            card = hands[turn].pop(0)
            pile.append(card)
            if pay_of[card]:
                owner, owed, turn = turn, pay_of[card], 1 - turn
            elif owner is None:
                turn = 1 - turn
            else:
                owed -= 1
                if owed == 0:
                    break
        tricks += 1
        leader = owner
        (hands[1] if owner else collected).extend(pile)
        peak = max(peak, len(hands[1]))
    if leader != at_seam or "".join(hands[1]) != seam.short_hand:
        return None
    return Round("".join(collected), tricks, peak)


def piece_of(word: str, seam: Seam, pay_of: Mapping[str, int]) -> Piece | None:
    """The piece that a word belongs to; None if some round is not good, or none of MAX_ROUNDS gives the word again."""
    if not word.startswith(seam.drift):
        return None
    words, tricks, peak = [word], 0, 0
    while len(words) <= MAX_ROUNDS:
        done = play_round(words[-1], seam, pay_of)
        if done is None or not done.collected.endswith(seam.drift):
            return None
        tricks += done.tricks
        peak = max(peak, done.peak)
        after = seam.drift + done.collected[: len(word) - len(seam.drift)]
        if after == word:
            return Piece(tuple(words), tricks, peak)
        words.append(after)
    return None


def split_tape(tape: str, seam: Seam, pay_of: Mapping[str, int]) -> tuple[Piece, ...] | None:
    """The pieces, as short as possible, of which a tape consists (the long hand without the drift at its end)."""
    pieces, at = [], 0
    while at < len(tape):
        for end in range(at + max(1, len(seam.drift)), len(tape) + 1):
            piece = piece_of(tape[at:end], seam, pay_of)
            if piece:
                pieces.append(piece)
                at = end
                break
        else:
            return None
    return tuple(pieces)


def tape_of(cycle: Cycle, pay_of: Mapping[str, int]) -> Tape | None:
    """The tape of a cycle of two players: that with the most pieces, then the shortest seam, then the first in order.

    None where the cycle has no seam of up to SHORTEST_SEAMS cards with a drift of up to DRIFTS.
    """
    best: tuple[int, int, Tape] | None = None
    for state in sorted(set(map(view, cycle.states))):
        hands = state.split("/")
        if len(hands) != 2:
            return None
        for leader, (long_hand, short_hand) in (("long", hands), ("short", hands[::-1])):
            if len(short_hand) > SHORTEST_SEAMS or len(long_hand) <= len(short_hand):
                continue
            for cards in range(DRIFTS + 1):
                seam = Seam(short_hand, long_hand[len(long_hand) - cards :], leader)
                pieces = split_tape(long_hand[: len(long_hand) - cards], seam, pay_of)
                if pieces:
                    rank = (-len(pieces), len(short_hand))
                    if best is None or rank < best[:2]:
                        best = (*rank, Tape(seam, pieces))
    return best[2] if best else None
