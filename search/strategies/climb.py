"""Hill-climbing from random deals. No better than random deals at finding long games; here because people expect it."""

from __future__ import annotations

from collections.abc import Mapping

from .. import _kernel, engine
from ..errors import InputError
from ..leg import Candidate, LegResult, LegTask, Tally
from ..rules import Rules
from .base import Option, Strategy
from .lines import EXTEND_OPTIONS, extend_finds
from .random import prepare_deals

LEG_TESTS = 1 << 21  # where a fast engine plays: about a second
MOVES = ("swap", "shift", "rotate", "exchange")
WALKS, WALK_FIELDS, MAX_CARDS = 16, 64, 1000  # of a state: walks, bytes of each beside its deal, cards of a deal at most
_VERSION = b"C1"  # of the layout of a state; behind it, what csrc/climb.c saves


class Climb(Strategy):
    """Sixteen walks a searcher; csrc/climb.h says how they go. A test is one game of a neighbour.

    The state of a searcher is where its walks stand: sixteen times 64 bytes and a deal. Leg
    boundaries leave no trace in it: two legs of n tests lead to the state of one of 2n (n a multiple of 16).
    """

    name = "climb"
    version = 1
    summary = "hill-climbing by small changes, from random deals; starts again when stuck"
    objectives = ("cards", "tricks")
    seats = (2, 3, 4)
    options = (
        Option("moves", str, ",".join(MOVES), f"changes to try, of {', '.join(MOVES)}"),
        Option("improve", str, "best", "go to the best neighbour or to the first better one", choices=("best", "first")),
        Option("patience", int, 2000, "tests of neighbours without a better one before starting again", minimum=1),
        *EXTEND_OPTIONS,
    )
    leg_games = LEG_TESTS
    exact_legs = True
    largest_state = len(_VERSION) + WALKS * (WALK_FIELDS + MAX_CARDS)

    def prepare(self, settings: dict[str, object]) -> None:
        """Check and order the moves; choose the threshold where none was given, and smaller legs for decks that play slowly."""
        settings["moves"] = ",".join(_moves(settings["moves"]))
        prepare_deals(settings, LEG_TESTS)

    def check_state(self, settings: Mapping[str, object], searcher: int, state: bytes) -> None:
        """The kernel must be able to load it: so many walks, each at a place where a walk can be, on a deal of the deck."""
        super().check_state(settings, searcher, state)
        if not state:
            raise ValueError("no state where a climbing searcher has one")
        _go_on(settings, searcher, state, tests=0)

    def advance(self, task: LegTask) -> LegResult:
        settings = task.settings
        rules = Rules.of_settings(settings)
        extend = settings.get("extend", False)
        state, counts, lengths, best, loops = _go_on(settings, task.searcher, task.state, settings["leg_games"])
        finds = [Candidate(deal, rules.hand_sizes, cards, tricks) for deal, cards, tricks in best]
        finds += [Candidate(deal, rules.hand_sizes, cards, tricks, infinite=True) for deal, cards, tricks in loops]
        result = LegResult(_VERSION + state, finds, Tally(counts, {"lengths": lengths}))
        return extend_finds(result, rules, settings) if extend else result


def _go_on(settings: Mapping[str, object], searcher: int, state: bytes, tests: int) -> tuple:
    """So many tests from a state on, as the kernel's climb_leg gives them; ValueError for a state that cannot be."""
    if state[: len(_VERSION)] not in (b"", _VERSION):
        raise ValueError("the state of a climbing searcher has another layout")
    rules = Rules.of_settings(settings)
    return _kernel.climb_leg(
        engine.composition(rules),
        rules.hand_sizes,
        rules.pay_codes,
        settings["seed"],
        searcher,
        state[len(_VERSION) :],
        tests,
        settings["moves"].split(","),
        settings["improve"] == "first",
        settings["patience"],
        settings["objective"],
        settings["walk_from"] if settings.get("extend", False) else settings["threshold"],
        settings["keep"],
        engine.forced(),
    )


def _moves(text: str) -> list[str]:
    """The moves named, each once, in the order of MOVES."""
    names = [name.strip() for name in text.split(",")]
    for name in names:
        if name not in MOVES:
            raise InputError(f"moves {text!r}: no move {name!r}; there are {', '.join(MOVES)}")
    return [name for name in MOVES if name in names]
