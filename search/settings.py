"""The settings of a run: everything that its finds depend on, fixed when it is created."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping

from .errors import InputError
from .rules import Rules
from .strategies import PREFERRED, Strategy, get

DEFAULT_KEEP = 1000
MAX_SEARCHERS = 2**31 - 1
MAX_LEG_GAMES = 10**10  # many minutes: a search ends with its legs
MAX_KEEP = 10**6
MAX_SEED = 2**63 - 1


def new_settings(strategy: str, **given: object) -> dict[str, object]:
    """The complete settings of a new run: what was given, and defaults for the rest.

    Args:
        strategy: its name.
        given: any of rules (text), players, objective, seed, searchers, leg_games, keep, threshold, and
            the strategy's own options; None stands for the default.

    Raises:
        InputError: a value is out of range, unknown, or does not go with the others.
    """
    plan = get(strategy)
    given = {name: value for name, value in given.items() if value is not None}
    settings: dict[str, object] = {
        "strategy": plan.name,
        "strategy_version": plan.version,
        "rules": "standard",
        "players": 2,
        "objective": plan.objectives[0],
        "seed": 0,
        "searchers": plan.searchers,
        "leg_games": plan.leg_games,
        "keep": DEFAULT_KEEP,
        "threshold": 0,
    }
    options = {option.name: option for option in plan.options}
    settings |= {name: option.default for name, option in options.items()}
    fixed = {"strategy", "strategy_version"}
    for name, value in given.items():
        if name not in settings or name in fixed:
            known = ", ".join(n for n in settings if n not in fixed)
            raise InputError(f"strategy {plan.name} has no setting {name!r}; it has {known}")
        settings[name] = value

    settings["players"] = _integer(settings, "players", 2, 4)
    if settings["players"] not in plan.seats:
        raise InputError(f"strategy {plan.name} searches for {_either(plan.seats)} players, not {settings['players']}")
    rules = Rules.of_settings(settings)
    if rules.counts is None:
        raise InputError("a search needs rules that fix the deck, not 'free'")
    settings["rules"] = rules.text
    if settings["objective"] not in plan.objectives:
        raise InputError(f"strategy {plan.name} searches for {_either(plan.objectives)}, not {settings['objective']!r}")
    settings["seed"] = _integer(settings, "seed", 0, MAX_SEED)
    settings["searchers"] = _integer(settings, "searchers", 1, MAX_SEARCHERS)
    settings["leg_games"] = _integer(settings, "leg_games", 1, MAX_LEG_GAMES)
    settings["keep"] = _integer(settings, "keep", 1, MAX_KEEP)
    settings["threshold"] = _integer(settings, "threshold", 0, MAX_SEED)
    for option in options.values():
        settings[option.name] = _option(option, settings[option.name])
    plan.prepare(settings)
    return settings


def default_for(objective: str, rules: str = "standard", players: int = 2) -> Strategy:
    """The strategy that a search for `objective` uses where nobody names one: the first that can search this game.

    Raises:
        InputError: none of them can; the reason of the last.
    """
    for name in PREFERRED[objective]:
        try:
            new_settings(name, objective=objective, rules=rules, players=players)
        except InputError as e:
            reason = e
        else:
            return get(name)
    raise reason


def canonical(settings: Mapping[str, object]) -> str:
    """Settings as JSON, one text for equal settings."""
    return json.dumps(settings, sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def settings_hash(text: str) -> str:
    """What a run file stores beside the canonical settings, to notice that they were changed."""
    return hashlib.sha256(text.encode()).hexdigest()


def check_version(settings: Mapping[str, object]) -> None:
    """Refuse to go on with a run whose strategy has changed since.

    Raises:
        InputError: the strategy is unknown here, or has another version; says what to do.
    """
    plan = get(str(settings["strategy"]))
    if plan.version != settings["strategy_version"]:
        raise InputError(
            f"the run was made with version {settings['strategy_version']} of strategy {plan.name}, this program has version "
            f"{plan.version}, which would find other deals: resume it with the program that made it, or start a new run"
        )


def _option(option, value: object) -> object:
    if option.type is int:
        value = _integer({option.name: value}, option.name, option.minimum, MAX_SEED)
    elif option.type is bool:
        if type(value) is not bool:
            raise InputError(f"{option.name} is {value!r}: yes or no is accepted")
    elif not isinstance(value, option.type):
        raise InputError(f"{option.name} is {value!r}: {option.type.__name__} is accepted")
    elif option.minimum is not None and value < option.minimum:
        raise InputError(f"{option.name} is {value}: {option.minimum} or more is accepted")
    if option.choices and value not in option.choices:
        raise InputError(f"{option.name} is {value!r}: {_either(option.choices)} is accepted")
    return value


def _integer(settings: Mapping[str, object], name: str, low: int | None, high: int) -> int:
    value = settings[name]
    if type(value) is not int:
        raise InputError(f"{name} is {value!r}: a whole number is accepted")
    if value > high or (low is not None and value < low):
        least = "" if low is None else f"{low} to "
        raise InputError(f"{name} is {value}: {least}{high} is accepted")
    return value


def _either(choices) -> str:
    names = [str(c) for c in choices]
    return " or ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
