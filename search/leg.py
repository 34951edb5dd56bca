"""What goes into a leg of a search and what comes out of it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Candidate:
    """A deal that a strategy wants kept. Not a find yet: the reference engine has not replayed it.

    Attributes:
        deal: the cards of all hands, seat 0 first, in the ranks A K Q J - (the 52-character string).
        hands: cards per hand.
        cards, tricks: as the kernel counted them.
        infinite: whether the kernel saw a loop.
        line: identity of the line that the deal lies on, or '' where a strategy knows no lines.
            Of the deals of one line only the best is kept.
    """

    deal: str
    hands: tuple[int, ...]
    cards: int
    tricks: int
    infinite: bool = False
    line: str = ""


@dataclass
class Tally:
    """What a leg did. Adding tallies is commutative and associative.

    Attributes:
        counts: 'games', 'cards', 'tricks' and 'infinite' always; what else a strategy counts.
        histograms: named histograms, {value: how often}; 'lengths' (cards of finite games) always.
    """

    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(("games", "cards", "tricks", "infinite"), 0))
    histograms: dict[str, dict[int, int]] = field(default_factory=lambda: {"lengths": {}})

    def add(self, other: Tally) -> None:
        for name, n in other.counts.items():
            self.counts[name] = self.counts.get(name, 0) + n
        for name, histogram in other.histograms.items():
            mine = self.histograms.setdefault(name, {})
            for value, n in histogram.items():
                mine[value] = mine.get(value, 0) + n


@dataclass
class LegResult:
    """The outcome of `advance`: the searcher's next state, what is worth keeping, what was done."""

    state: bytes
    finds: list[Candidate]
    tally: Tally

    def digest(self) -> bytes:
        """16 bytes that two equal results share and two different ones do not."""
        body = [
            self.state.hex(),
            sorted([c.deal, list(c.hands), c.cards, c.tricks, c.infinite, c.line] for c in self.finds),
            sorted(self.tally.counts.items()),
            sorted([name, sorted(h.items())] for name, h in self.tally.histograms.items()),
        ]
        return hashlib.sha256(json.dumps(body, separators=(",", ":")).encode()).digest()[:16]


@dataclass(frozen=True)
class LegTask:
    """One leg to be done: all that `advance` may depend on.

    Attributes:
        settings: the run's settings, as stored.
        searcher, leg: which stretch of work this is.
        state: the searcher's state after its previous leg; b'' before the first one.
        pool: what the searcher's group shared at the last round boundary; b'' where a strategy shares nothing.
    """

    settings: Mapping[str, object]
    searcher: int
    leg: int
    state: bytes = b""
    pool: bytes = b""
