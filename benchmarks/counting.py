"""Intervals for counts of rare things, for the benchmarks: exact ones, without tables."""

from __future__ import annotations

from math import exp, lgamma, log

TAIL = 0.025  # of a two-sided interval of 95 %


def poisson_interval(count: int) -> tuple[float, float]:
    """The exact 95 % interval of the mean of a Poisson number that came out as `count` (Garwood 1936)."""

    def at_most(n: int, mean: float) -> float:
        return sum(exp(k * log(mean) - mean - lgamma(k + 1)) for k in range(n + 1))

    low = 0.0 if count == 0 else _root(lambda mean: 1 - at_most(count - 1, mean) - TAIL, 1e-9, count)
    return low, _root(lambda mean: TAIL - at_most(count, mean), count + 1e-9, 2 * count + 20)


def ratio_interval(a: int, b: int, effort_a: float = 1.0, effort_b: float = 1.0) -> tuple[float, float]:
    """The exact 95 % interval of the ratio of two Poisson rates, a in effort_a against b in effort_b.

    Given their sum, a is binomial, and its chance tells the ratio (Clopper and Pearson 1934).
    """
    n = a + b

    def chance(k: int, p: float) -> float:
        return exp(lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) + k * log(p) + (n - k) * log(1 - p))

    def at_most(k: int, p: float) -> float:
        return sum(chance(i, p) for i in range(k + 1))

    low = 0.0 if a == 0 else _root(lambda p: 1 - at_most(a - 1, p) - TAIL, 1e-12, 1 - 1e-12)
    high = 1.0 if b == 0 else _root(lambda p: TAIL - at_most(a, p), 1e-12, 1 - 1e-12)
    scale = effort_b / effort_a
    return low / (1 - low) * scale, high / (1 - high) * scale if high < 1 else float("inf")


def _root(rising, low: float, high: float) -> float:
    """Where a rising function passes 0."""
    for _ in range(60):
        middle = (low + high) / 2
        if rising(middle) < 0:
            low = middle
        else:
            high = middle
    return (low + high) / 2
