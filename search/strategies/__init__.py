"""Ways to look for deals, by name."""

from __future__ import annotations

from .base import Option, Strategy

__all__ = ["Option", "Strategy", "STRATEGIES", "get"]

STRATEGIES: dict[str, Strategy] = {}


def get(name: str) -> Strategy:
    """The strategy called `name`; raises InputError that lists the names there are."""
    from ..errors import InputError

    try:
        return STRATEGIES[name]
    except KeyError:
        raise InputError(f"no strategy {name!r}; there are {', '.join(STRATEGIES)}") from None
