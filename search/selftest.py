"""Golden games on every engine that this machine has, before anything else is believed.

The games are those of `search/data/known_games.csv` and of `search/data/golden_games.csv`: small
ones with odd splits, hands that are empty, players who drop out, limits and loops, and random ones,
as an independent reading of the rules plays them (`tests/golden.py` writes that table). It takes a
fraction of a second.
"""

from __future__ import annotations

import csv
from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from importlib import resources

from . import engine as compiled
from .deal import Deal
from .game import play
from .outcome import Outcome, Status
from .records import known_games
from .rules import Rules
from .verify import REFERENCE, check

GOLDEN = "the golden table"


@dataclass(frozen=True)
class Golden:
    """A game and how it goes.

    Attributes:
        deal, limit: what is played.
        outcome: how it goes; without a winner and the cards of a loop where `full` is false.
        full: whether winner and loop_cards are known.
    """

    deal: Deal
    limit: int | None
    outcome: Outcome
    full: bool


@dataclass(frozen=True)
class SelfTest:
    """What a self-test that found nothing has done.

    Attributes:
        games: golden games there are.
        engines: games played by each engine, batches included; those that an engine cannot play are left out.
    """

    games: int
    engines: dict[str, int]

    def as_json(self) -> dict[str, object]:
        """The object that `selftest --json` prints."""
        return {"games": self.games, "engines": self.engines, "agree": True}

    def as_text(self) -> list[str]:
        """The same for people."""
        width = max(map(len, self.engines))
        return [f"{name:<{width}} {n:>4} games as they should be" for name, n in self.engines.items()]


def selftest() -> SelfTest:
    """Play all golden games on every engine, one at a time and in batches.

    Raises:
        Disagreement: an engine and the golden table contradict each other; names both and the deal.
    """
    games = golden_games()
    played = {REFERENCE: 0, **dict.fromkeys(compiled.engines(), 0)}
    batches = defaultdict(list)  # rules -> games that can be played in a batch
    for game in games:
        deal, limit = game.deal, game.limit
        _check(game, REFERENCE, play(deal, limit))
        played[REFERENCE] += 1
        for name in compiled.engines_for(deal.rules, limit):
            _check(game, name, compiled.play(deal, limit, name))
            played[name] += 1
        if limit is None and deal.sizes == deal.rules.hand_sizes:
            batches[deal.rules].append(game)
    for rules, batch in batches.items():
        for name in compiled.engines_for(rules):
            results = compiled.play_strings([game.deal.cards for game in batch], rules, name)
            for game, outcome in zip(batch, results, strict=True):
                check(game.deal, game.outcome, name, outcome, GOLDEN, full=False)
            played[name] += len(batch)
    return SelfTest(len(games), played)


@cache
def golden_games() -> tuple[Golden, ...]:
    """The known games and the golden table."""
    known = [
        Golden(r.deal, None, Outcome(r.status, r.cards, r.tricks, lead_in=r.lead_in, period=r.period), full=False)
        for r in known_games()
    ]
    text = resources.files("search.data").joinpath("golden_games.csv").read_text(encoding="utf-8")
    rows = csv.DictReader(line for line in text.splitlines() if not line.startswith("#"))
    return (*known, *map(_golden, rows))


def _golden(row: dict[str, str]) -> Golden:
    def number(column: str) -> int | None:
        return int(row[column]) if row[column] else None

    hands = row["hands"].split("/")
    rules = Rules.parse(row["rules"], int(row["players"]))
    outcome = Outcome(
        Status(row["status"]), int(row["cards"]), int(row["tricks"]), number("winner"),
        number("lead_in"), number("period"), number("loop_cards"),
    )  # fmt: skip
    return Golden(Deal.from_cards("".join(hands), rules, tuple(map(len, hands))), number("limit"), outcome, full=True)


def _check(game: Golden, name: str, outcome: Outcome) -> None:
    check(game.deal, game.outcome, name, outcome, GOLDEN, full=game.full and name in (REFERENCE, *compiled.FULL))
