"""Ways to look for deals, by name."""

from __future__ import annotations

from ..errors import InputError
from .backward import Backward
from .base import Option, Strategy
from .climb import Climb
from .cycles import Cycles
from .random import RandomDeals
from .scan import Scan

__all__ = ["Option", "Strategy", "STRATEGIES", "default_for", "get"]

STRATEGIES: dict[str, Strategy] = {plan.name: plan for plan in (Backward(), RandomDeals(), Climb(), Cycles(), Scan())}

# What a search uses when nobody names a strategy: the first of these that there is and that can play
# for so many seats. The only place where defaults are chosen.
PREFERRED = {
    "cards": ("backward", "random"),
    "tricks": ("backward", "random"),
    "infinite": ("cycles", "random"),
}


def get(name: str) -> Strategy:
    """The strategy called `name`; raises InputError that lists the names there are."""
    try:
        return STRATEGIES[name]
    except KeyError:
        raise InputError(f"no strategy {name!r}; there are {', '.join(STRATEGIES)}") from None


def default_for(objective: str, seats: int = 2) -> Strategy:
    """The strategy that a search for `objective` uses by default; raises InputError where there is none."""
    for name in PREFERRED[objective]:
        strategy = STRATEGIES.get(name)
        if strategy and objective in strategy.objectives and seats in strategy.seats:
            return strategy
    raise InputError(f"no strategy looks for {objective} with {seats} players")
