"""Whether the result of a leg can be right at all, before anything of it is believed.

What is wrong here betrays a broken worker at once. What is merely untrue is found elsewhere: finds are
replayed by the reference engine, states and tallies are compared by an audit.
"""

from __future__ import annotations

from collections.abc import Mapping

from .leg import Candidate, PackedLeg
from .rules import RANKS, Rules
from .strategies import get

_NAME = 200  # characters of a name


def check_leg(result: PackedLeg, settings: Mapping[str, object], rules: Rules, searcher: int) -> None:
    """Judge the shape and the ranges of a result.

    Args:
        result: as PackedLeg.read has parsed it.
        settings, rules: of the run.
        searcher: whose leg it is.

    Raises:
        ValueError: it cannot be the result of a leg of this run; says why.
    """
    strategy = get(str(settings["strategy"]))
    strategy.check_state(settings, searcher, result.state)
    for name in (*result.counts, *result.histograms):
        if not name or len(name) > _NAME or not name.isprintable():
            raise ValueError(f"a count or histogram called {name[:40]!r}")
    counts = result.counts
    if strategy.exact_legs and counts["games"] != settings["leg_games"]:
        raise ValueError(f"{counts['games']} games in a leg of {settings['leg_games']}")
    if counts["infinite"] > counts["games"]:
        raise ValueError(f"{counts['infinite']} infinite games of {counts['games']}")
    if counts["tricks"] > counts["cards"]:
        raise ValueError(f"{counts['tricks']} tricks with {counts['cards']} cards")
    for candidate in result.finds:
        _check_candidate(candidate, rules)


def _check_candidate(candidate: Candidate, rules: Rules) -> None:
    deal = candidate.deal
    if len(candidate.hands) != rules.seats:
        raise ValueError(f"a find with {len(candidate.hands)} hands where {rules.seats} play")
    if [deal.count(rank) for rank in RANKS] != list(rules.counts) or len(deal) != rules.size:
        raise ValueError(f"a find that is no deal of {rules}: {deal[: 2 * rules.size]!r}")
    if not candidate.tricks <= candidate.cards:
        raise ValueError(f"a find with {candidate.tricks} tricks and {candidate.cards} cards")
    if len(candidate.line) > 4 * rules.size + _NAME or not candidate.line.isprintable():
        raise ValueError("a find with a malformed line")
