"""How a game went."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Status(StrEnum):
    """Finite: somebody won. Infinite: a state came back. Limit: stopped after an agreed number of cards."""

    FINITE = "finite"
    INFINITE = "infinite"
    LIMIT = "limit"


@dataclass(frozen=True)
class Outcome:
    """The result of playing a deal to its end, its loop or its limit.

    Attributes:
        status: finite, infinite or limit.
        cards: cards turned; for an infinite game, until the repeated state is met again.
        tricks: piles taken, the last, unfinished one included; for an infinite game as above.
        winner: seat that won; None for an infinite game and for a draw at the limit.
        lead_in: tricks before the first state of the loop; None unless infinite.
        period: tricks in the loop; None unless infinite.
        loop_cards: cards turned in one loop; None unless infinite.
    """

    status: Status
    cards: int
    tricks: int
    winner: int | None = None
    lead_in: int | None = None
    period: int | None = None
    loop_cards: int | None = None

    def __str__(self) -> str:
        """How the game went, in words."""
        counts = f"{count(self.cards, 'card')}, {count(self.tricks, 'trick')}"
        if self.status is Status.INFINITE:
            loop = "" if self.loop_cards is None else f" of {count(self.loop_cards, 'card')}"
            return (
                f"infinite: after a lead-in of {count(self.lead_in, 'trick')} a loop of {count(self.period, 'trick')}{loop}; "
                f"the repeated state is met again after {counts}"
            )
        if self.status is Status.LIMIT:
            end = "a draw" if self.winner is None else f"seat {self.winner} wins with the most cards in hand"
            return f"stopped by the limit: {counts}, {end}"
        return f"finite: {counts}" + ("" if self.winner is None else f", seat {self.winner} wins")


def count(n: int, what: str) -> str:
    """'1 trick', '8 tricks'."""
    return f"{n} {what}" if n == 1 else f"{n} {what}s"
