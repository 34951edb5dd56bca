"""Which deals a run keeps.

What is kept is a function of the legs that were done, not of the order in which they came in:
- Every infinite deal is kept, credited to the smallest (leg, searcher) that met it.
- A finite deal whose value (cards or tricks, by the objective) is below the threshold never is.
- Finite deals of one line (or equal deals, where a strategy knows no lines) are one entry, the best of
  them by (value, largest first; deal; leg; searcher).
- Of the entries, the best `keep` by (value, largest first; deal) are kept.
An entry that was dropped stood behind `keep` others, and entries only get better; so dropping early
and dropping at the end give the same.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from .leg import Candidate


@dataclass(frozen=True)
class Find:
    """A deal worth keeping, as the reference engine played it, and where it came from.

    Attributes:
        deal: the cards of all hands, seat 0 first; hands: cards per hand.
        cards, tricks, infinite, winner, lead_in, period, loop_cards: as in Outcome.
        line: identity of its line, or ''.
        searcher, leg: who found it.
        found_at: when, seconds since 1970; no part of what makes two runs equal.
    """

    deal: str
    hands: tuple[int, ...]
    cards: int
    tricks: int
    infinite: bool
    winner: int | None
    lead_in: int | None
    period: int | None
    loop_cards: int | None
    line: str
    searcher: int
    leg: int
    found_at: float = 0.0

    @property
    def text(self) -> str:
        """The hands, joined with '/'."""
        return hands_text(self.deal, self.hands)

    @property
    def key(self) -> str:
        return entry_key(self)


def hands_text(deal: str, hands: Iterable[int]) -> str:
    """The cards of a deal cut into hands, joined with '/'."""
    parts, at = [], 0
    for size in hands:
        parts.append(deal[at : at + size])
        at += size
    return "/".join(parts)


def entry_key(find: Find | Candidate) -> str:
    """What may be kept once only: the line of a finite deal, else the deal itself."""
    if find.line and not find.infinite:
        return "line " + find.line
    return "deal " + hands_text(find.deal, find.hands)


def value_of(find: Find | Candidate, objective: str) -> int:
    """What a finite deal is judged by: its tricks if the run is for tricks, else its cards."""
    return find.tricks if objective == "tricks" else find.cards


class Kept:
    """The finite finds of a run in memory, and the decision about new ones of either kind.

    Args:
        settings: objective, keep, threshold.
        finds: the finite finds kept so far.
        infinite: gives (leg, searcher) that an infinite deal, by its key, is credited to; None if it is new.
    """

    def __init__(self, settings: Mapping[str, object], finds: Iterable[Find], infinite: Callable[[str], tuple[int, int] | None]):
        self._objective = str(settings["objective"])
        self._keep = int(settings["keep"])
        self._threshold = int(settings["threshold"])
        self._infinite = infinite
        self._entries: dict[str, Find] = {}
        self._ranks: list[tuple[int, str, str]] = []  # (-value, deal, key), best first
        for find in finds:
            self._put(find)

    def __len__(self) -> int:
        return len(self._ranks)

    def __iter__(self) -> Iterator[Find]:
        """The finite finds, best first."""
        return (self._entries[key] for _, _, key in self._ranks)

    @property
    def best(self) -> Find | None:
        """The best finite find."""
        return self._entries[self._ranks[0][2]] if self._ranks else None

    @property
    def bar(self) -> int:
        """What the value of a new finite find must reach; where that of the last one kept is met, the deals decide."""
        return -self._ranks[-1][0] if len(self._ranks) >= self._keep else self._threshold

    def rank(self, find: Find | Candidate) -> tuple[int, str, str]:
        return (-value_of(find, self._objective), hands_text(find.deal, find.hands), entry_key(find))

    def wants(self, candidate: Find | Candidate, searcher: int, leg: int) -> bool:
        """Whether the candidate, were it offered now, would change what is kept."""
        if candidate.infinite:
            credit = self._infinite(entry_key(candidate))
            return credit is None or (leg, searcher) < credit
        rank = self.rank(candidate)
        if -rank[0] < self._threshold:
            return False
        old = self._entries.get(rank[2])
        if old is not None:
            return (*rank, leg, searcher) < (*self.rank(old), old.leg, old.searcher)
        return len(self._ranks) < self._keep or rank < self._ranks[-1]

    def offer(self, find: Find) -> tuple[bool, list[str]]:
        """Take a find in if it is wanted.

        Returns:
            Whether it is kept, and the keys of the entries that had to go for it (others than its own).
        """
        if not self.wants(find, find.searcher, find.leg):
            return False, []
        if find.infinite:
            return True, []
        self._put(find)
        dropped = []
        while len(self._ranks) > self._keep:
            _, _, key = self._ranks.pop()
            del self._entries[key]
            dropped.append(key)
        return True, dropped

    def _put(self, find: Find) -> None:
        old = self._entries.get(find.key)
        if old is not None:
            del self._ranks[bisect_left(self._ranks, self.rank(old))]
        self._entries[find.key] = find
        insort(self._ranks, self.rank(find))
