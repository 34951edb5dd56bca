"""Infinite games without a seam: all loops of a deck in which few cards are turned, by csrc/places.h.

A loop is looked for from the state in which its hands are most equal. A searcher has some of the sizes
that the smaller hand can have there; each of its legs looks at one of these and at rounds of so many cards,
short rounds first. When all legs are done no loop of places is left out that has such rounds, and so no
cycle in which so few cards are turned.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from .. import _kernel, engine
from ..errors import InputError
from ..leg import Candidate, LegResult, LegTask, Tally
from ..rules import Rules
from .base import Option, Strategy
from .cycles import BASIN, CYCLE_TRICKS

SHORTEST = 2  # cards in a round: each player turns one at least
RANK_CHOICES = 10_000  # of one loop of places; those of the standard deck have one or a few


class Loops(Strategy):
    """Legs are functions of their number, and carry no state. A game is counted for each card turned and each state of a basin."""

    name = "loops"
    version = 1
    summary = "infinite games: every loop of few cards, without pieces or seams; ends when all are looked at"
    objectives = ("infinite",)
    options = (Option("round_cards", int, 46, f"cards turned in a round of a loop, at most; up to {_kernel.ROUND_CARDS}", minimum=SHORTEST),)
    leg_games = 10_000_000
    even_legs = False
    searchers = 64

    def prepare(self, settings: dict[str, object]) -> None:
        """Check deck and rounds; no more searchers than sizes of the smaller hand."""
        rules = Rules.of_settings(settings)
        courts = sum(rules.counts[:4])
        if courts < 1 or rules.size > 64:
            raise InputError(f"strategy loops takes decks of up to 64 cards with a court card, not {rules}")
        if min(rules.hand_sizes) < 1:
            raise InputError("strategy loops takes deals in which every player has a card")
        if not SHORTEST <= settings["round_cards"] <= _kernel.ROUND_CARDS:
            raise InputError(f"round_cards is {settings['round_cards']}: {SHORTEST} to {_kernel.ROUND_CARDS} are accepted")
        settings["searchers"] = min(settings["searchers"], rules.size // 2)

    def legs_of(self, settings: Mapping[str, object], searcher: int) -> int:
        rounds = int(settings["round_cards"]) - SHORTEST + 1
        return rounds * len(_hands(settings, searcher))

    def advance(self, task: LegTask) -> LegResult:
        settings = task.settings
        rules = Rules.of_settings(settings)
        hands = _hands(settings, task.searcher)
        round_number, which = divmod(task.leg, len(hands))
        steps, tricks, loops = _kernel.loops_of_places(
            engine.composition(rules), rules.pay_codes, hands[which], SHORTEST + round_number
        )
        counts = {"cards": steps, "tricks": tricks, "loops_of_places": len(loops), "cycles": 0, "cycles_with_deals": 0, "basin_states": 0}
        counts |= {"incomplete": 0, "ranks_left": 0}
        names: set[str] = set()
        deals: list[str] = []
        for leader_cards, _, sets in loops:
            for number, codes in enumerate(ranks_of(sets, engine.composition(rules))):
                if number == RANK_CHOICES:
                    counts["ranks_left"] += 1
                    break
                name = _kernel.cycle_basin(codes, leader_cards, rules.pay_codes, 1, CYCLE_TRICKS)[0]
                if name in names:
                    continue
                names.add(name)
                *_, complete, states = _kernel.cycle_basin(codes, leader_cards, rules.pay_codes, BASIN, CYCLE_TRICKS)
                found = [s.replace("/", "") for s, _ in states if s.index("/") == rules.hand_sizes[0]]
                deals += found
                counts["cycles"] += 1
                counts["cycles_with_deals"] += bool(found)
                counts["basin_states"] += len(states)
                counts["incomplete"] += not complete
        played = engine.play_strings(deals, rules)
        finds = [
            Candidate(deal, rules.hand_sizes, played.cards[i], played.tricks[i], infinite=True) for i, deal in enumerate(deals)
        ]
        tally = {"games": steps + counts["basin_states"], "infinite": len(finds), **counts}
        return LegResult(b"", finds, Tally(tally))


def _hands(settings: Mapping[str, object], searcher: int) -> range:
    """The sizes of the smaller hand that a searcher looks at."""
    rules = Rules.of_settings(settings)
    return range(1 + searcher, rules.size // 2 + 1, int(settings["searchers"]))


def ranks_of(sets: bytes, counts: tuple[int, ...]) -> Iterator[bytes]:
    """All ways to fill a loop of places with the cards of a deck.

    Args:
        sets: one byte a card: 0 for a number card, else bit code - 1 for every code that fits.
        counts: cards of each code.

    Yields:
        One code a card, in the order of `sets`.
    """
    codes = bytearray(len(sets))
    left = list(counts)
    # Cards with less choice first, so that few tries lead nowhere.
    places = sorted((i for i, fits in enumerate(sets) if fits), key=lambda i: (sets[i].bit_count(), i))

    def fill(n: int) -> Iterator[bytes]:
        if n == len(places):
            yield bytes(codes)
            return
        for code in range(1, len(left)):
            if sets[places[n]] >> (code - 1) & 1 and left[code]:
                left[code] -= 1
                codes[places[n]] = code
                yield from fill(n + 1)
                left[code] += 1

    return fill(0)
