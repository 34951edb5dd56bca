"""What to expect of a run: how its lengths fall off, and how long a game of some length would take to find.

Beyond a few dozen tricks the lengths of games fall off exponentially: P(length >= n) is proportional to
exp(-n/tau). A strategy that walks games back adds two such lengths that do not depend on each other, the
part that was played forward (at least f, or it is dropped) and the part walked back, with the same tau:
P(line >= n) is proportional to (1 + (n - f)/tau) exp(-n/tau). So tau is fitted to the forward parts, of
which there are many; what the run found beyond a length that is common enough to be counted says how
often; and the formula carries that to lengths that nobody has seen. That last step is an extrapolation: it
supposes that the law holds there. The error that is given is that of counting, not of the law.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import exp, hypot, log, log1p, sqrt

# Lengths of interest with the standard deck and two players; the last ones beat the record of 2022.
GOALS = {"cards": (6000, 7000, 8345), "tricks": (840, 980, 1165)}
DEALS_AT_RANDOM = ("random", "climb")  # strategies that walk nothing back, and whose games are a sample that says something
ENOUGH = 30  # games that a fit, or a count to extrapolate from, needs
TAIL_SHARE = 32  # where a strategy walks nothing back, the tail is what one game in so many reaches
ANCHOR_SHARE = 1000  # and the length to count from is the longest that one tail game in so many reaches

CORE_SECONDS_AN_HOUR = 3600


@dataclass(frozen=True)
class Fit:
    """tau and its standard error, and the number of games that it was fitted to."""

    tau: float
    error: float
    games: int


@dataclass(frozen=True)
class Goal:
    """What it takes to find a game of some length.

    Attributes:
        length: in cards or tricks.
        core_hours: on average, at this run's rate.
        factor: one standard error of counting: from core_hours / factor to core_hours * factor.
    """

    length: int
    core_hours: float
    factor: float


@dataclass(frozen=True)
class Expectation:
    """What a run's tally says about longer games.

    Attributes:
        unit: 'cards' or 'tricks'.
        tail: the fit to the (forward) lengths of games from `tail_from` on.
        lines: where games are walked back, the fit to the lengths of whole lines alone, as a check of the
            law; None where there are too few.
        walked: whether games are walked back, so that lengths are sums of two.
        anchor, found: so many lines (or games) of `anchor` or more were found, the count that the
            extrapolation begins with; core_hours: in so much time.
        goals: what it says; empty while too little was found.
    """

    unit: str
    tail: Fit
    tail_from: int
    lines: Fit | None
    walked: bool
    anchor: int
    found: int
    core_hours: float
    goals: tuple[Goal, ...]

    @property
    def formula(self) -> str:
        if self.walked:
            return f"P(>= n) ~ (1 + (n - {self.tail_from})/tau) exp(-n/tau)"
        return "P(>= n) ~ exp(-n/tau)"

    def as_json(self) -> dict[str, object]:
        """For ``beggar status --json``."""
        return {
            "unit": self.unit,
            "tau": round(self.tail.tau, 3),
            "tau_error": round(self.tail.error, 3),
            "tail_from": self.tail_from,
            "tail_games": self.tail.games,
            "tau_of_lines": self.lines and round(self.lines.tau, 2),
            "tau_of_lines_error": self.lines and round(self.lines.error, 2),
            "anchor": self.anchor,
            "found": self.found,
            "core_hours": round(self.core_hours, 4),
            "formula": self.formula,
            "goals": [
                {"length": goal.length, "core_hours": float(f"{goal.core_hours:.4g}"), "factor": round(goal.factor, 3)}
                for goal in self.goals
            ],
        }

    def as_text(self) -> list[tuple[str, str]]:
        """(name, text) rows for people."""
        fits = f"P(>= n) ~ exp(-n/tau), tau = {_with_error(self.tail)} {self.unit} (from {self.tail_from} on)"
        if self.lines:
            fits += f"; by the lines found alone, tau = {_with_error(self.lines)}"
        rows = [("lengths", fits)]
        if self.found < ENOUGH:
            rows.append(("to expect", f"too early to tell: {self.found} of {self.anchor} {self.unit} or more found so far"))
        if not self.goals:
            return rows
        what = "lines" if self.walked else "games"
        hours = ", ".join(f"{goal.length}: {_hours(goal)}" for goal in self.goals)
        rows.append(("to expect", f"core-hours for one game of so many {self.unit}, on average at this run's rate: {hours}"))
        rows.append(
            ("", f"extrapolated from {self.found} {what} of {self.anchor} or more by {self.formula}; nobody knows whether that holds so far out")
        )
        return rows


def expect(
    settings: Mapping[str, object],
    counts: Mapping[str, int],
    histograms: Mapping[str, Mapping[int, int]],
    core_seconds: float,
    goals: tuple[int, ...] | None = None,
) -> Expectation | None:
    """What a run's tally says; None where it says nothing yet, or the run is not for long games.

    Args:
        counts, histograms: of the run's tally.
        core_seconds: working time of all workers together.
        goals: lengths to extrapolate to; by default, for two players with the standard deck, 6000 cards, 7000
            cards, and one card over the record; for other rules none.
    """
    unit = str(settings["objective"])
    walked = "beyond" in counts
    if unit not in GOALS or "limit" in settings or not (walked or settings["strategy"] in DEALS_AT_RANDOM):
        return None
    if walked:
        tail_from = int(settings["walk_from"])
        tail = fit_excess(counts["walks"], counts["beyond"])
        found = histograms.get("lines", {})
        anchor = max(int(settings["threshold"]), tail_from)
        number = sum(n for length, n in found.items() if length >= anchor)
    else:
        if unit == "tricks":
            return None  # histograms of games are in cards
        lengths = histograms.get("lengths", {})
        tail_from = _reached_by(lengths, sum(lengths.values()) // TAIL_SHARE)
        beyond = [(length - tail_from, n) for length, n in lengths.items() if length >= tail_from]
        games = sum(n for _, n in beyond)
        tail = fit_excess(games, sum(excess * n for excess, n in beyond))
        anchor = _reached_by(lengths, max(ENOUGH, games // ANCHOR_SHARE))
        number = sum(n for length, n in lengths.items() if length >= anchor)
        found = {}
    if tail is None:
        return None

    def survival(n: float, tau: float) -> float:
        """The logarithm of P(>= n) up to a constant."""
        return (log1p(max(0.0, n - tail_from) / tau) if walked else 0.0) - n / tau

    hours = core_seconds / CORE_SECONDS_AN_HOUR
    estimates = []
    if goals is None:
        goals = GOALS[unit] if (settings["rules"], settings["players"]) == ("standard", 2) else ()
    if number >= ENOUGH and hours > 0:
        for goal in goals:
            if goal > anchor:
                drop = survival(anchor, tail.tau) - survival(goal, tail.tau)
                shift = survival(anchor, tail.tau + tail.error) - survival(goal, tail.tau + tail.error) - drop
                estimates.append(Goal(goal, hours / number * exp(drop), exp(hypot(shift, 1 / sqrt(number)))))
    return Expectation(
        unit=unit,
        tail=tail,
        tail_from=tail_from,
        lines=fit_lines(found, tail_from, anchor) if walked else None,
        walked=walked,
        anchor=anchor,
        found=number,
        core_hours=hours,
        goals=tuple(estimates),
    )


def fit_excess(games: int, beyond: int) -> Fit | None:
    """tau of an exponential tail, from whole lengths: how many there are, and by how much they pass its start together.

    The most likely value: excesses are geometric with mean m, and exp(-1/tau) = m / (1 + m). None of
    fewer than ENOUGH games, or of games that are all equal.
    """
    if games < ENOUGH or beyond == 0:
        return None
    tau = 1 / log1p(games / beyond)
    return Fit(tau, tau / sqrt(games), games)


def fit_lines(lines: Mapping[int, int], start: int, least: int) -> Fit | None:
    """tau of sums of two exponential lengths, from those of `least` or more; the first of the two is at least `start`.

    The most likely value, with the error from the curvature there. None of fewer than ENOUGH lines.
    """
    seen = [(length, n) for length, n in lines.items() if length >= least and length > start]
    number = sum(n for _, n in seen)
    if number < ENOUGH:
        return None
    mean = sum(length * n for length, n in seen) / number

    def likelihood(log_tau: float) -> float:
        """A line's mean log-likelihood, of its length given that it is `least` or more."""
        tau = exp(log_tau)
        return -2 * log_tau - (mean - least) / tau - log1p(max(0, least - start) / tau)

    low, high = log(max(1e-3, (mean - least) / 1000)), log(1000 * (mean + 1))
    at = _maximum(likelihood, low, high)
    step = 1e-3
    curvature = (2 * likelihood(at) - likelihood(at - step) - likelihood(at + step)) / step**2
    if curvature <= 0:
        return None
    return Fit(exp(at), exp(at) / sqrt(number * curvature), number)


def _maximum(f: Callable[[float], float], low: float, high: float) -> float:
    """Where a function with one maximum has it, by trisection."""
    while high - low > 1e-9:
        third = (high - low) / 3
        if f(low + third) < f(high - third):
            low += third
        else:
            high -= third
    return (low + high) / 2


def _reached_by(lengths: Mapping[int, int], games: int) -> int:
    """The greatest length that at least so many games reach; 0 where there are not so many."""
    for length in sorted(lengths, reverse=True):
        games -= lengths[length]
        if games <= 0:
            return length
    return 0


def _with_error(fit: Fit) -> str:
    digits = 2 if fit.error < 0.1 else 1
    return f"{fit.tau:.{digits}f} ± {fit.error:.{digits}f}"


def _hours(goal: Goal) -> str:
    """Two digits that mean something, and the factor of one standard error."""
    hours = float(f"{goal.core_hours:.2g}")
    return f"{hours:,.0f} (within a factor of {goal.factor:.2f})" if hours >= 10 else f"{hours:g} (within a factor of {goal.factor:.2f})"
