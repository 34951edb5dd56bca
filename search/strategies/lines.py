"""What the strategies share that walk long games back: legs in the kernel, thresholds, the extension of finds."""

from __future__ import annotations

from collections.abc import Mapping

from .. import _kernel, engine
from ..backward import NODE_BOUND, TOP_STEPS
from ..errors import InputError
from ..leg import Candidate, LegResult, Tally
from ..rules import Rules
from .base import Option

PILOT_GAMES = 1 << 16
# One in so many games is walked back. benchmarks/tune_backward.py: from one in 25 to one in 90 the rate of finds is
# within 3 % of the best; fast engines want fewer walks, slow ones more, and so do longer goals and shorter ones.
WALK_SHARE = 40
TAIL_SHARE = 1 << 10  # one in so many games of the pilot is longer than the second length that it measures
THRESHOLD_STEPS = 4  # the threshold lies so many times as far beyond the first length as the second one does

LINE_OPTIONS = (
    Option("walk_from", int, 0, "shorter games are not walked back, in cards or tricks (0: chosen by a pilot)", minimum=0),
    Option("top_steps", int, TOP_STEPS, "tricks below the top of a line from which everything is searched", minimum=0),
    Option("node_bound", int, NODE_BOUND, "positions that such a search makes at most", minimum=1),
)
EXTEND_OPTIONS = (Option("extend", bool, False, "replace every long deal by the longest of its line"), *LINE_OPTIONS)


def prepare_extend(rules: Rules, settings: dict[str, object]) -> None:
    """For strategies with EXTEND_OPTIONS: choose `walk_from` and the threshold of a run that extends its finds.

    Raises:
        InputError: games cannot be extended under such settings.
    """
    check_packs(rules, "--extend")
    if settings["objective"] == "infinite":
        raise InputError("--extend makes finite games longer: it does not go with --for infinite")
    choose_lengths(rules, settings, "deals")


def check_packs(rules: Rules, what: str) -> None:
    """Raises InputError unless the kernel can walk games of such decks back."""
    if not engine.fits(rules):
        raise InputError(f"{what} is for two players and decks of at most 64 cards, 16 of them court cards, not {rules}")


def line_leg(
    rules: Rules, settings: Mapping[str, object], searcher: int, number: int, games: int, domain: str
) -> LegResult:
    """Play `games` games of a searcher from `number` on, walk the long ones back, and keep the longest deals of lines.

    Args:
        domain: 'samples' (in the middle of games) or 'deals' (random ones).

    The tally counts, besides games: 'walks' (games walked back), 'beyond'
    (by how much these pass `walk_from`, together; see expect.py), 'walked' (predecessors made, and tricks
    played again up to a live position), 'searches' (lines searched near their tops), 'unfinished' (of
    these, where the bound was met), 'lines' (different lines with a deal over the threshold); and the
    histogram 'lines' of their longest deals, in cards or tricks as the run's objective is.
    """
    counts, lengths, _, infinite, found = _kernel.backward_leg(
        engine.composition(rules),
        rules.hand_sizes[0],
        rules.pay_codes,
        settings["seed"],
        searcher,
        number,
        games,
        settings["objective"],
        settings["walk_from"],
        settings["threshold"],
        _margin(rules, settings["objective"]),
        settings["top_steps"],
        settings["node_bound"],
        domain,
        name=engine.forced(),
    )
    finds, lines = one_a_line(_candidates(found, rules), settings)
    finds += [Candidate(deal, rules.hand_sizes, cards, tricks, infinite=True) for deal, cards, tricks in infinite]
    counts["lines"] = sum(lines.values())
    return LegResult(b"", finds, Tally(counts, {"lengths": lengths, "lines": lines}))


def _candidates(found: list[tuple[str, int, int, str]], rules: Rules) -> list[Candidate]:
    return [Candidate(deal.replace("/", ""), rules.hand_sizes, cards, tricks, line=line) for deal, cards, tricks, line in found]


def one_a_line(finds: list[Candidate], settings: Mapping[str, object]) -> tuple[list[Candidate], dict[int, int]]:
    """The best deal of each line, best first and at most as many as are kept; and the histogram of all lines."""
    by_tricks = settings["objective"] == "tricks"

    def value(find: Candidate) -> int:
        return find.tricks if by_tricks else find.cards

    best: dict[str, Candidate] = {}
    lines: dict[int, int] = {}
    for find in sorted(finds, key=lambda find: (-value(find), find.deal)):
        if best.setdefault(find.line or find.deal, find) is find:
            lines[value(find)] = lines.get(value(find), 0) + 1
    return list(best.values())[: settings["keep"]], lines


def extend_finds(result: LegResult, rules: Rules, settings: Mapping[str, object]) -> LegResult:
    """The result of any leg with every finite find replaced by the longest deal of its line; 'walked' and 'lines' as in `line_leg`."""
    walked, found = _kernel.backward_extend(
        [(find.deal, find.cards, find.tricks) for find in result.finds if not find.infinite],
        rules.hand_sizes[0],
        rules.pay_codes,
        settings["objective"],
        settings["threshold"],
        _margin(rules, settings["objective"]),
        settings["top_steps"],
        settings["node_bound"],
    )
    finds, lines = one_a_line(_candidates(found, rules), settings)
    result.finds = finds + [find for find in result.finds if find.infinite]
    result.tally.counts |= {"lines": sum(lines.values()), "walked": walked}
    result.tally.histograms["lines"] = lines
    return result


def choose_lengths(rules: Rules, settings: dict[str, object], domain: str) -> None:
    """Set `walk_from` and `threshold` where they are 0, by a small fixed pilot; whole numbers only.

    `walk_from` is the length that one game of the pilot in WALK_SHARE reaches. Lengths fall off
    exponentially, so the distance from there to the length that one in TAIL_SHARE reaches tells how
    fast, and the threshold lies THRESHOLD_STEPS such distances beyond `walk_from`. Where the pilot's
    longest line is less than half as far beyond it (small decks have a longest game), the threshold is the
    length of that line.

    Args:
        domain: 'samples' or 'deals', as for `line_leg`.

    Raises:
        InputError: such decks have no samples.
    """
    pilot = {"samples": "sample pilot", "deals": "pilot"}[domain]
    wanted = settings["objective"]
    deck = (engine.composition(rules), rules.hand_sizes[0], rules.pay_codes, 0, 0, 0, PILOT_GAMES, wanted)
    margin = _margin(rules, wanted)

    def length(game: tuple) -> int:  # (deal, cards, tricks, ...)
        return game[2] if wanted == "tricks" else game[1]

    try:
        _, _, games, _, _ = _kernel.backward_leg(
            *deck, _kernel.NO_DEALS, _kernel.NO_DEALS, margin, 0, 1, pilot, PILOT_GAMES // WALK_SHARE, 0, engine.forced()
        )
    except _kernel.NoSamples:
        raise InputError(
            f"{rules} has no deal with the court cards shared out evenly and each hand ending in a court card "
            "and its pay in number cards: use --strategy random"
        ) from None
    first = length(games[-1]) if games else 1
    tail = length(games[min(len(games), PILOT_GAMES // TAIL_SHARE) - 1]) if games else 1
    settings["walk_from"] = settings["walk_from"] or max(1, first)
    if settings["threshold"]:
        return
    threshold = first + THRESHOLD_STEPS * (tail - first)
    _, _, _, _, found = _kernel.backward_leg(
        *deck, first, first, margin, settings["top_steps"], settings["node_bound"], pilot, name=engine.forced()
    )
    longest = max(map(length, found), default=first)
    settings["threshold"] = max(1, longest if 2 * (longest - first) < threshold - first else threshold)


def _margin(rules: Rules, objective: str) -> int:
    """How far the top of a line may fall short of the threshold for the line to be searched near its top.

    Dead branches reach a little further back than the top: on the standard deck seldom by more than half
    of this.
    """
    return rules.size // 4 if objective == "tricks" else 2 * rules.size
