"""Every deal of a range of indices, or of a whole space, once.

Deals are numbered as in `search.index`. A *block* is `leg_games` deals that begin at a multiple of
`leg_games`, as far as they lie in the range; where blocks lie does not depend on the range, so parts
of a space that were scanned apart have the same blocks as one scan of it all. A searcher has a *piece*
of the range, whole blocks one after the other, and its leg n is block n of its piece. Pieces touch
each other and make up the range, so every deal is played once; when all legs are done, so is the run.

All infinite games are counted, and their periods, but in small decks they can be a large share of
all deals: of each block the `loops` with the smallest indices are kept.

No symmetric work is done twice. Exchanging cards of two ranks that pay the same changes nothing in a
game, so a deck with such ranks is refused: written with one rank for both, each of its deals stands for
a known number of the others (rules.without_twins). Exchanging the seats is no symmetry: the leader of
the first trick is always seat 0. A game depends on the classes of the cards alone, so no others are known.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping

from .. import _kernel, engine
from ..errors import InputError
from ..index import cards_at
from ..leg import Candidate, LegResult, LegTask, Tally
from ..outcome import count
from ..rules import CODES, Rules, without_twins
from .base import Option, Strategy
from .random import LEG_GAMES, LIMIT_OPTION, below_limit, pilot, prepare_legs

_CODES = str.maketrans({rank: chr(code) for code, rank in enumerate(CODES)})
Piece = tuple[int, int]  # indices of the first deal and of the one after the last


class Scan(Strategy):
    """Legs are functions of their number, and carry no state."""

    name = "scan"
    version = 1
    summary = "every deal of a range of indices once, or of all deals; ends when all are played"
    objectives = ("cards", "tricks", "infinite")
    seats = (2, 3, 4)
    options = (
        Option("range", str, "", "indices of the first and the last deal, as 0:999999; left out, all deals"),
        Option("part", str, "", "a part of the range, as 2/5: the second of five, for five machines"),
        LIMIT_OPTION,
        Option("loops", int, 100, "infinite deals to keep of each block, those of the smallest indices; all are counted", minimum=1),
    )
    leg_games = LEG_GAMES

    def prepare(self, settings: dict[str, object]) -> None:
        """Write out the range, cut to the part; no more searchers than blocks; leg size as for `random`.

        The threshold is low, half of the longest game of a small sample: a scan is to show the longest
        games there are, even where that is not long, and `keep` bounds what is kept.
        """
        rules = Rules.of_settings(settings)
        _refuse_twins(rules)
        prepare_legs(rules, settings)
        block = settings["leg_games"]
        first, end = _part(settings["part"], _range(settings["range"], rules), block)
        settings["range"], settings["part"] = f"{first}:{end - 1}", ""
        settings["searchers"] = min(settings["searchers"], blocks(first, end, block))
        if not settings.get("threshold"):
            longest, _, _ = pilot(rules, settings["objective"])
            settings["threshold"] = below_limit(settings, max(1, longest // 2))

    def legs_of(self, settings: Mapping[str, object], searcher: int) -> int:
        """Blocks in the searcher's piece."""
        return blocks(*piece_of(settings, searcher), settings["leg_games"])

    def advance(self, task: LegTask) -> LegResult:
        settings = task.settings
        rules = Rules.of_settings(settings)
        first, end = block_of(settings, task.searcher, task.leg)
        counts, lengths, periods, best, loops = _kernel.scan_leg(
            codes_at(first, rules),
            rules.hand_sizes,
            rules.pay_codes,
            end - first,
            settings["objective"],
            settings["threshold"],
            settings["keep"],
            settings["loops"],
            engine.forced(),
            settings.get("limit"),
        )
        finds = [Candidate(deal, rules.hand_sizes, cards, tricks) for deal, cards, tricks in best]
        finds += [Candidate(deal, rules.hand_sizes, cards, tricks, infinite=True) for deal, cards, tricks in loops]
        return LegResult(b"", finds, Tally(counts, {"lengths": lengths, "periods": periods}))


def _refuse_twins(rules: Rules) -> None:
    """Raises InputError for a deck of which a scan would play equal games again and again."""
    single = without_twins(rules)
    if single != rules:
        each = rules.deals // single.deals
        raise InputError(
            f"rules {rules.text}: ranks that pay the same make {each} deals of one game; scan --rules '{single.text}' instead, "
            f"{single.deals} deals of which each stands for {each}"
        )


def blocks(first: int, end: int, block: int) -> int:
    """How many blocks the deals first..end-1 lie in."""
    return (end - 1) // block - first // block + 1


def range_of(settings: Mapping[str, object]) -> Piece:
    """The range of a scan."""
    first, last = str(settings["range"]).split(":")
    return int(first), int(last) + 1


def piece_of(settings: Mapping[str, object], searcher: int) -> Piece:
    """The piece of a searcher: a merged run (see `search.merge`) lists its pieces, others cut their range evenly."""
    if "pieces" in settings:
        first, end = settings["pieces"][searcher]
        return first, end
    first, end = range_of(settings)
    block, searchers = settings["leg_games"], settings["searchers"]
    whole = blocks(first, end, block)
    start, stop = (first // block + whole * s // searchers for s in (searcher, searcher + 1))
    return max(first, start * block), min(end, stop * block)


def block_of(settings: Mapping[str, object], searcher: int, leg: int) -> Piece:
    """The deals of a leg."""
    first, end = piece_of(settings, searcher)
    block = settings["leg_games"]
    start = (first // block + leg) * block
    if leg < 0 or start >= end:
        raise ValueError(f"searcher {searcher} has no leg {leg}")
    return max(first, start), min(end, start + block)


def where_is(settings: Mapping[str, object], index: int) -> tuple[int, int]:
    """(searcher, leg) that play the deal with this index of the range."""
    searchers = range(settings["searchers"])
    searcher = bisect_right(searchers, index, key=lambda s: piece_of(settings, s)[0]) - 1
    block = settings["leg_games"]
    return searcher, index // block - piece_of(settings, searcher)[0] // block


def codes_at(index: int, rules: Rules) -> bytes:
    """The codes of the deal with this index."""
    counts = engine.composition(rules)
    if _kernel.orders(counts) is not None:
        return _kernel.codes_at(index, counts)
    return cards_at(index, rules.counts).translate(_CODES).encode("latin-1")


def _range(text: str, rules: Rules) -> Piece:
    """The range that a text such as '0:99', '100:' or '' (all deals) names."""
    if not text.strip():
        return 0, rules.deals
    bounds = re.fullmatch(r"\s*([0-9_]*)\s*:\s*([0-9_]*)\s*", text) if len(text) < 4000 else None
    if not bounds:
        raise InputError(f"range {text[:60]!r}: the indices of the first and the last deal are wanted, as 0:999999")
    first = int(bounds[1] or 0)
    last = int(bounds[2]) if bounds[2] else rules.deals - 1
    if last >= rules.deals:
        raise InputError(f"range {text}: these rules have {rules.deals} deals, with the indices 0 to {rules.deals - 1}")
    if first > last:
        raise InputError(f"range {text}: the first index is above the last")
    return first, last + 1


def _part(text: str, whole: Piece, block: int) -> Piece:
    """The part 'i/n' of a range, cut between blocks."""
    first, end = whole
    if not text.strip():
        return whole
    numbers = re.fullmatch(r"\s*([0-9]{1,9})\s*/\s*([0-9]{1,9})\s*", text)
    if not numbers or not 1 <= int(numbers[1]) <= int(numbers[2]):
        raise InputError(f"part {text[:60]!r}: which one, and of how many, is wanted, as 2/5")
    which, parts = int(numbers[1]), int(numbers[2])
    n = blocks(first, end, block)
    if parts > n:
        raise InputError(f"part {text}: the range has {count(n, 'block')} of {block} deals, fewer than {parts} parts (--leg-games makes blocks smaller)")
    start, stop = (first // block + n * i // parts for i in (which - 1, which))
    return max(first, start * block), min(end, stop * block)
