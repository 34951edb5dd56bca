"""How fast the engines and strategies are here: rates side by side, as ratios to the ring buffer.

Everything is measured in turn within a round, on one core, so that a machine that slows down slows
all rows, and in processor time, so that other work on the machine is not counted; a ratio is the
median of the ratios of the rounds, a rate the median of the rates.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass

from . import _kernel, engine
from .errors import InputError
from .leg import LegTask
from .rules import STANDARD, Rules
from .settings import new_settings
from .strategies import STRATEGIES

ROUNDS = 5
SECONDS = 0.3  # of each row in each round
SEED = 1
# Games a call. Given deals fit a cache; dealing takes tables, which the first call of a leg makes.
_PACKED = {True: 1 << 12, False: 1 << 15}  # of an engine in engine.FULL, of a fast one
_DEALT = {True: 1 << 16, False: 1 << 19}
_LEG_PART = 8  # legs for benchmarks are so much shorter


@dataclass(frozen=True)
class EngineRate:
    """How fast one engine is.

    Attributes:
        engine: its name.
        packed, dealt: games a second of given packed deals, and of deals dealt in the kernel and played.
        packed_ratio, dealt_ratio: the same, over the rate of the ring buffer.
    """

    engine: str
    packed: int
    packed_ratio: float
    dealt: int
    dealt_ratio: float


@dataclass(frozen=True)
class StrategyRate:
    """How fast one strategy works, with its default settings.

    Attributes:
        strategy: its name.
        games, tricks: played a second, in a leg from beginning to end.
        tricks_ratio: tricks over the tricks a second of random deals on the ring buffer.
    """

    strategy: str
    games: int
    tricks: int
    tricks_ratio: float


@dataclass(frozen=True)
class Bench:
    """What was measured, of the rules `rules`."""

    rules: str
    engines: tuple[EngineRate, ...]
    strategies: tuple[StrategyRate, ...]

    def as_json(self) -> dict[str, object]:
        """One object: rules, engines and strategies, each a list of objects with the names above as keys."""
        return {
            "rules": self.rules,
            "engines": [asdict(row) for row in self.engines],
            "strategies": [asdict(row) for row in self.strategies],
        }


def bench(rules: Rules = STANDARD, rounds: int = ROUNDS, seconds: float = SECONDS, strategies: bool = True) -> Bench:
    """Measure every engine of this machine that plays these rules, and every strategy that searches them.

    Args:
        rules: two players, a deck that can be packed.
        rounds: as in the module's description; medians are taken over them.
        seconds: what each engine plays in each round, twice; one leg of a strategy may take longer.
        strategies: measure the strategies, too.

    Raises:
        InputError: rules whose deals cannot be packed.
    """
    if not engine.fits(rules):
        raise InputError(f"rules {rules}: the benchmark is for two players, up to 64 cards and 16 court cards")
    names = [name for name in engine.engines() if engine.chosen(rules, name) == name]
    calls = {(name, what): call for name in names for what, call in _engine_calls(name, rules)}
    legs = _legs(rules) if strategies else {}
    rates: dict[object, list[float]] = {key: [] for key in calls}
    work: dict[str, list[tuple[float, float]]] = {name: [] for name in legs}
    for _ in range(rounds):
        for key, call in calls.items():
            rates[key].append(_rate(call, seconds))
        for name, leg in legs.items():
            work[name].append(_leg_rates(leg))
    return Bench(
        rules.text,
        tuple(_engine_row(name, rates) for name in names),
        tuple(_strategy_row(name, rows, rates[engine.CAREFUL, "dealt"], rules) for name, rows in work.items()),
    )


def _engine_calls(name: str, rules: Rules) -> Iterable[tuple[str, Callable[[], int]]]:
    """Calls that play, and return how many games."""
    slow = name in engine.FULL
    packed = engine.deals_packed(rules, SEED, 0, 0, _PACKED[slow])
    counts, first, pays = engine.composition(rules), rules.hand_sizes[0], rules.pay_codes

    def play_packed() -> int:
        return len(engine.play_packed(packed, rules, name))

    def deal_and_play() -> int:
        _kernel.random_bare(counts, first, pays, SEED, 0, 0, _DEALT[slow], name)
        return _DEALT[slow]

    return ("packed", play_packed), ("dealt", deal_and_play)


def _rate(call: Callable[[], int], seconds: float) -> float:
    done = 0
    start = now = time.thread_time()
    while now - start < seconds or not done:
        done += call()
        now = time.thread_time()
    return done / (now - start)


def _legs(rules: Rules) -> dict[str, tuple[object, dict[str, object]]]:
    """The strategies that search these rules with nothing more to be said, and settings for short legs."""
    legs = {}
    for name, plan in STRATEGIES.items():
        if not plan.even_legs:
            continue
        try:
            settings = new_settings(name, rules=rules.text, seed=SEED, leg_games=max(1, plan.leg_games // _LEG_PART))
        except InputError:
            continue
        legs[name] = plan, settings
    return legs


def _leg_rates(leg: tuple[object, dict[str, object]]) -> tuple[float, float]:
    """Games and tricks a second."""
    plan, settings = leg
    start = time.thread_time()
    counts = plan.advance(LegTask(settings, 0, 0)).tally.counts
    took = time.thread_time() - start
    return counts["games"] / took, counts["tricks"] / took


def _median_ratio(mine: list[float], base: list[float]) -> float:
    return round(statistics.median(a / b for a, b in zip(mine, base)), 3)


def _engine_row(name: str, rates: dict[object, list[float]]) -> EngineRate:
    def both(what: str) -> tuple[int, float]:
        mine = rates[name, what]
        return round(statistics.median(mine)), _median_ratio(mine, rates[engine.CAREFUL, what])

    return EngineRate(name, *both("packed"), *both("dealt"))


def _strategy_row(name: str, rows: list[tuple[float, float]], ring: list[float], rules: Rules) -> StrategyRate:
    games, tricks = ([row[part] for row in rows] for part in (0, 1))
    base = [rate * _tricks_a_game(rules) for rate in ring]
    return StrategyRate(name, round(statistics.median(games)), round(statistics.median(tricks)), _median_ratio(tricks, base))


def _tricks_a_game(rules: Rules) -> float:
    """Of the deals that the engines are measured with."""
    played = engine.play_packed(engine.deals_packed(rules, SEED, 0, 0, _PACKED[False]), rules)
    return sum(played.tricks) / len(played)
