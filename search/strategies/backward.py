"""Samples in the middle of long games, walked back along their lines: the best search for long finite games."""

from __future__ import annotations

from ..leg import LegResult, LegTask
from ..rules import Rules
from .base import Strategy
from .lines import LINE_OPTIONS, check_packs, choose_lengths, line_leg

LEG_GAMES = 1 << 23


class Backward(Strategy):
    """Leg n of a searcher is the samples n*B to (n+1)*B - 1 of its stream (B: leg_games), and carries no state.

    A sample is a position that is live and a legal deal (csrc/sampler.h). It is played to its end; if
    that takes `walk_from` or more, the game is walked back to the top of its line (csrc/backward.h), and
    where forward and backward parts together reach the threshold, the longest legal deal near the top is
    kept. Forward and backward lengths are independent and fall off equally fast, which is why this finds
    far more than playing forward alone.
    """

    name = "backward"
    version = 1
    summary = "positions from the middle of long games, played forward and walked back"
    objectives = ("cards", "tricks")
    options = LINE_OPTIONS
    leg_games = LEG_GAMES
    exact_legs = True

    def prepare(self, settings: dict[str, object]) -> None:
        """Choose `walk_from` and the threshold where none was given."""
        rules = Rules.of_settings(settings)
        check_packs(rules, "strategy backward")
        choose_lengths(rules, settings, "samples")

    def advance(self, task: LegTask) -> LegResult:
        settings = task.settings
        rules = Rules.of_settings(settings)
        games = settings["leg_games"]
        return line_leg(rules, settings, task.searcher, task.leg * games, games, "samples")
