"""Ways to look for deals, by name."""

from __future__ import annotations

from ..errors import InputError
from .backward import Backward
from .base import Option, Strategy
from .climb import Climb
from .cycles import Cycles
from .loops import Loops
from .random import RandomDeals
from .scan import Scan

__all__ = ["Option", "PREFERRED", "Strategy", "STRATEGIES", "get"]

STRATEGIES: dict[str, Strategy] = {plan.name: plan for plan in (Backward(), RandomDeals(), Climb(), Cycles(), Loops(), Scan())}

# What a search uses when nobody names a strategy: the first of these that takes the deck and the players
# (settings.default_for).
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
