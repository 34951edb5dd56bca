"""Rules: which cards make the deck, what each court card pays, how many seats play."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import factorial, prod

from .errors import RulesError
from .lazy import cached_property

RANKS = "AKQJ-"  # index order: aces first, number cards last
CODES = "-JQKA"  # CODES[c] is the rank whose code in the kernel is c
USUAL_PAYS = (4, 3, 2, 1)
MAX_PAY = 99
MAX_CARDS = 1000  # hands of hundreds of cards; far beyond any deck in use
_TOO_LARGE = re.compile(r"\d{10,}")  # no number that is worth reading

_ITEM = re.compile(r"\s*(?:(?P<split>\d+(?:\s*\+\s*\d+)+)|(?P<count>\d+)\s*(?P<rank>[AKQJ-])(?:\s*=\s*(?P<pay>\d+(?!\s*[AKQJ-])|\d))?)")


@dataclass(frozen=True)
class Rules:
    """A deck, the pays of its court cards, and the number of seats.

    Attributes:
        counts: cards of each rank in the order of RANKS (A, K, Q, J, number cards);
            None in the rules ``free``, which take any composition.
        pays: cards that an A, K, Q, J asks for.
        seats: players, 2 to 4.
        split: cards dealt to each seat where the rules fix it, else None (as even as
            possible, the first seats holding one more).
        any_split: whether a deal may show hands of other sizes than the default split.
    """

    counts: tuple[int, int, int, int, int] | None
    pays: tuple[int, int, int, int] = USUAL_PAYS
    seats: int = 2
    split: tuple[int, ...] | None = None
    any_split: bool = False

    def __post_init__(self) -> None:
        if not 2 <= self.seats <= 4:
            raise RulesError(f"{self.seats} players: the game is for 2, 3 or 4")
        for rank, pay in zip(RANKS, self.pays):
            if not 1 <= pay <= MAX_PAY:
                raise RulesError(f"{rank}={pay}: a court card pays 1 to {MAX_PAY}")
        if self.counts is None:
            return
        if not 1 <= self.size <= MAX_CARDS:
            raise RulesError(f"a deck of {self.size} cards: 1 to {MAX_CARDS} are accepted")
        if self.split is not None:
            if len(self.split) != self.seats:
                raise RulesError(f"a split into {len(self.split)} hands for {self.seats} players")
            if sum(self.split) != self.size:
                raise RulesError(f"the split {'+'.join(map(str, self.split))} deals {sum(self.split)} of {self.size} cards")

    @classmethod
    def parse(cls, text: str, seats: int = 2) -> Rules:
        """Read ``standard``, ``italian``, ``free``, or counts such as ``4A=4 4K=3 4Q=2 4J=1 36-``.

        Pays that are left out are the usual ones (A 4, K 3, Q 2, J 1); a split such as
        ``20+32`` may follow the counts.

        Raises:
            RulesError: the text is none of these.
        """
        name = text.strip().lower()
        if name in PRESETS:
            return replace(PRESETS[name], seats=seats)
        counts = dict.fromkeys(RANKS, 0)
        pays = dict(zip(RANKS, USUAL_PAYS))
        split = None
        seen = set()
        at = 0
        body = text.rstrip()
        while at < len(body):
            item = _ITEM.match(body, at)
            if not item:
                raise RulesError(
                    f"rules {text[:80]!r}: cannot read {body[at:at + 12].strip()!r}; accepted are "
                    f"{', '.join(PRESETS)}, or counts with pays such as '4A=4 4K=3 4Q=2 4J=1 36-'"
                )
            at = item.end()
            large = _TOO_LARGE.search(item[0])
            if large:
                raise RulesError(
                    f"rules {text[:80]!r}: {large[0][:20]} is too large a number; a deck has 1 to {MAX_CARDS} cards, "
                    f"and a court card pays 1 to {MAX_PAY}"
                )
            if item["split"]:
                if split is not None:
                    raise RulesError(f"rules {text[:80]!r}: two splits into hands, {'+'.join(map(str, split))} and {item['split']}")
                split = tuple(int(n) for n in re.split(r"\s*\+\s*", item["split"]))
                continue
            if item["pay"] and len(item["pay"]) > 1 and body[at : at + 1].isdigit():
                raise RulesError(f"rules {text[:80]!r}: {item[0].strip()}{body[at : at + 2]} reads in two ways; put a blank before the next count")
            rank = item["rank"]
            if rank in seen:
                raise RulesError(f"rules {text[:80]!r}: {rank} is counted twice")
            seen.add(rank)
            counts[rank] = int(item["count"])
            if item["pay"] is not None:
                if rank == "-":
                    raise RulesError(f"rules {text[:80]!r}: number cards pay nothing")
                pays[rank] = int(item["pay"])
        if not seen:
            raise RulesError(f"rules {text[:80]!r}: no cards; accepted are {', '.join(PRESETS)}, or counts such as '4A4K4Q4J36-'")
        return cls(
            counts=tuple(counts[r] for r in RANKS),
            pays=tuple(pays[r] for r in RANKS[:4]),
            seats=seats,
            split=split,
            any_split=split is None,
        )

    @classmethod
    def of_settings(cls, settings: Mapping[str, object]) -> Rules:
        """The rules and the players that a run's settings name; raises RulesError as `parse`."""
        return cls.parse(str(settings["rules"]), seats=int(settings["players"]))

    @cached_property
    def size(self) -> int:
        """Cards in the deck."""
        return sum(self.counts)

    @cached_property
    def hand_sizes(self) -> tuple[int, ...]:
        """Cards dealt to each seat by default."""
        if self.split is not None:
            return self.split
        each, more = divmod(self.size, self.seats)
        return tuple(each + (seat < more) for seat in range(self.seats))

    @cached_property
    def deals(self) -> int:
        """The number of different deals: multiset permutations of the deck."""
        return factorial(self.size) // prod(factorial(n) for n in self.counts)

    @cached_property
    def pay_of(self) -> dict[str, int]:
        """What each rank pays, number cards (0) included."""
        return {**dict(zip(RANKS, self.pays)), "-": 0}

    @cached_property
    def pay_codes(self) -> bytes:
        """Pays by kernel code (number card, J, Q, K, A): five bytes."""
        return bytes(self.pay_of[r] for r in CODES)

    @property
    def text(self) -> str:
        """One text for one set of rules (seats aside); ``Rules.parse`` reads it back."""
        for name, preset in PRESETS.items():
            if self == replace(preset, seats=self.seats):
                return name
        items = [f"{n}{r}={p}" for n, r, p in zip(self.counts, RANKS, self.pays) if n]
        if self.counts[4]:
            items.append(f"{self.counts[4]}-")
        if self.split is not None:
            items.append("+".join(map(str, self.split)))
        return " ".join(items)

    def __str__(self) -> str:
        return self.text if self.seats == 2 else f"{self.text}, {self.seats} players"


STANDARD = Rules(counts=(4, 4, 4, 4, 36))
ITALIAN = Rules(counts=(0, 4, 4, 4, 28))
FREE = Rules(counts=None, any_split=True)
PRESETS = {"standard": STANDARD, "italian": ITALIAN, "free": FREE}


def without_twins(rules: Rules) -> Rules:
    """The same game with one rank, the last one, for all court cards that pay the same.

    Nothing in a game tells such cards apart, so every deal goes as the one with these ranks exchanged
    for it does; and all of its deals come from equally many. The same rules where all pays differ.
    """
    counts = list(rules.counts)
    for place, pay in enumerate(rules.pays):
        if counts[place]:
            last = max(i for i, other in enumerate(rules.pays) if other == pay and rules.counts[i])
            if last != place:
                counts[last] += counts[place]
                counts[place] = 0
    if tuple(counts) == rules.counts:
        return rules
    return replace(rules, counts=tuple(counts))
