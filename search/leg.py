"""What goes into a leg of a search and what comes out of it.

A result travels from worker to parent, and is fingerprinted, in one packed form that holds data only:

    b"leg1" | size of the head, 4 bytes, big-endian | head, JSON | state | histograms, one after the other

The head is {"counts": {name: n}, "finds": [[deal, hands, cards, tricks, infinite, line], ...],
"histograms": [[name, size], ...], "state": size}, everything sorted, so equal results pack to equal bytes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from . import histogram

_MAGIC = b"leg1"
_LARGEST = 2**63 - 1  # of any number in a result: what the run file's integers hold
_COUNTS = ("games", "cards", "tricks", "infinite")


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

    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(_COUNTS, 0))
    histograms: dict[str, dict[int, int]] = field(default_factory=lambda: {"lengths": {}})

    def add(self, other: Tally) -> None:
        for name, n in other.counts.items():
            self.counts[name] = self.counts.get(name, 0) + n
        for name, more in other.histograms.items():
            mine = self.histograms.setdefault(name, {})
            for value, n in more.items():
                mine[value] = mine.get(value, 0) + n


@dataclass
class LegResult:
    """The outcome of `advance`: the searcher's next state, what is worth keeping, what was done."""

    state: bytes
    finds: list[Candidate]
    tally: Tally

    def pack(self) -> bytes:
        """The result as bytes: equal results give equal bytes. `PackedLeg` reads them."""
        histograms = [(name, histogram.encode(h)) for name, h in sorted(self.tally.histograms.items())]
        head = {
            "counts": self.tally.counts,
            "finds": sorted([c.deal, list(c.hands), c.cards, c.tricks, bool(c.infinite), c.line] for c in self.finds),
            "histograms": [[name, len(data)] for name, data in histograms],
            "state": len(self.state),
        }
        text = json.dumps(head, separators=(",", ":"), sort_keys=True, ensure_ascii=True).encode()
        return b"".join([_MAGIC, len(text).to_bytes(4, "big"), text, self.state, *(data for _, data in histograms)])

    def digest(self) -> bytes:
        """16 bytes that two equal results share and two different ones do not."""
        return digest(self.pack())


def digest(packed: bytes) -> bytes:
    """The fingerprint of a packed result: 16 bytes."""
    return hashlib.sha256(packed).digest()[:16]


@dataclass(frozen=True)
class PackedLeg:
    """A leg's result as the parent keeps it: histograms stay in compact form.

    Attributes:
        state: the searcher's next state.
        finds: the candidates, sorted.
        counts: the tally's counts.
        histograms: the tally's histograms by name, each in compact form.
        digest: fingerprint of the whole.
    """

    state: bytes
    finds: tuple[Candidate, ...]
    counts: dict[str, int]
    histograms: dict[str, bytes]
    digest: bytes

    @classmethod
    def read(cls, packed: bytes) -> PackedLeg:
        """Unpack a result that may come from anywhere: shapes and ranges are checked.

        Raises:
            ValueError: these bytes are not a packed result; says what is wrong.
        """
        if packed[: len(_MAGIC)] != _MAGIC:
            raise ValueError("not the result of a leg")
        body = len(_MAGIC) + 4
        head_size = int.from_bytes(packed[len(_MAGIC) : body], "big")
        try:
            head = json.loads(packed[body : body + head_size])
            state_size, sizes = head["state"], head["histograms"]
            counts = {str(name): _number(n) for name, n in head["counts"].items()}
            finds = tuple(_candidate(entry) for entry in head["finds"])
            at = body + head_size
            state = packed[at : at + _number(state_size)]
            at += state_size
            histograms = {}
            for name, size in sizes:
                data = packed[at : at + _number(size)]
                if histogram.merge(data, b"") != data:
                    raise ValueError("a malformed histogram")
                histograms[str(name)] = data
                at += size
        except (KeyError, TypeError, AttributeError, RecursionError) as error:
            raise ValueError(f"the result of a leg has the wrong shape: {error!r}") from None
        if at != len(packed) or len(histograms) != len(sizes):
            raise ValueError("the result of a leg has the wrong size")
        for name in _COUNTS:
            if name not in counts:
                raise ValueError(f"the result of a leg does not count {name}")
        return cls(state, finds, counts, histograms, digest(packed))


def _number(n: object) -> int:
    if type(n) is not int or not 0 <= n <= _LARGEST:
        raise ValueError(f"the result of a leg holds {n!r} for a number")
    return n


def _candidate(entry: list) -> Candidate:
    deal, hands, cards, tricks, infinite, line = entry
    if type(deal) is not str or type(line) is not str or type(infinite) is not bool:
        raise ValueError("a find of a leg has the wrong shape")
    hands = tuple(_number(n) for n in hands)
    if sum(hands) != len(deal):
        raise ValueError(f"a find of a leg has {len(deal)} cards in hands of {hands}")
    return Candidate(deal, hands, _number(cards), _number(tricks), infinite, line)


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
