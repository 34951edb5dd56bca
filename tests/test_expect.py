"""What to expect of a run: the fits find the tau that made the lengths, and the extrapolation is the formula's."""

import json
from math import exp
from random import Random

import pytest

from search.expect import ENOUGH, GOALS, expect, fit_excess, fit_lines
from search.leg import LegTask
from search.settings import new_settings
from search.strategies import get

TAU = 205.0


def exponential(chance, tau=TAU):
    return int(chance.expovariate(1 / tau))


def tally(lengths):
    counts = {}
    for length in lengths:
        counts[length] = counts.get(length, 0) + 1
    return counts


def a_run(seed=1, samples=400_000, start=700, threshold=2000, objective="cards", tau=TAU):
    """Settings, counts and histograms of a made-up run whose law is the formula exactly."""
    chance = Random(seed)
    forward = [exponential(chance, tau) for _ in range(samples)]
    lines = [length for length in (start + f + exponential(chance, tau) for f in forward) if length >= threshold]
    settings = {"strategy": "backward", "rules": "standard", "players": 2, "objective": objective, "walk_from": start, "threshold": threshold}
    counts = {"games": 30 * samples, "walks": samples, "beyond": sum(forward), "lines": len(lines)}
    return settings, counts, {"lengths": {}, "lines": tally(lines)}


def test_fits_of_made_up_lengths():
    settings, counts, histograms = a_run()
    found = expect(settings, counts, histograms, 3600.0)
    assert abs(found.tail.tau - TAU) < 4 * found.tail.error
    assert found.tail.error == pytest.approx(TAU / 400_000**0.5, rel=0.02)
    assert found.lines.games == sum(histograms["lines"].values()) == found.found
    assert abs(found.lines.tau - TAU) < 4 * found.lines.error < 20


def test_the_error_of_the_fit_to_lines_is_what_it_scatters_by():
    far = []
    for seed in range(40):
        settings, counts, histograms = a_run(seed, 20_000)
        fit = expect(settings, counts, histograms, 1.0).lines
        far.append((fit.tau - TAU) / fit.error)
    assert 0.7 < (sum(x * x for x in far) / len(far)) ** 0.5 < 1.4


def test_the_extrapolation_is_the_formula():
    settings, counts, histograms = a_run()
    hours = 2.0
    found = expect(settings, counts, histograms, 3600 * hours, goals=(2500, 3000, 8345))
    tau = found.tail.tau

    def beyond(n):
        return (1 + (n - 700) / tau) * exp(-n / tau)

    for goal in found.goals:
        assert goal.core_hours == pytest.approx(hours / found.found * beyond(2000) / beyond(goal.length), rel=1e-9)
        assert goal.factor > exp(1 / found.found**0.5)
    near = found.goals[0]
    counted = sum(n for length, n in histograms["lines"].items() if length >= near.length)
    assert near.core_hours == pytest.approx(hours / counted, rel=4 / counted**0.5)
    assert [goal.factor for goal in found.goals] == sorted(goal.factor for goal in found.goals)


def test_random_deals_fall_off_by_one_exponential():
    chance = Random(3)
    lengths = tally(exponential(chance) for _ in range(300_000))
    settings = {"strategy": "random", "rules": "standard", "players": 2, "objective": "cards", "threshold": 2000}
    found = expect(settings, {"games": 300_000}, {"lengths": lengths}, 3600.0, goals=(3000,))
    assert abs(found.tail.tau - TAU) < 4 * found.tail.error and found.lines is None and not found.walked
    (goal,) = found.goals
    assert goal.core_hours == pytest.approx(exp((3000 - found.anchor) / found.tail.tau) / found.found, rel=1e-9)
    assert goal.core_hours == pytest.approx(exp(3000 / TAU) / 300_000, rel=0.5)


@pytest.mark.parametrize("law", [{}, {"objective": "tricks", "tau": 28.7, "start": 100, "threshold": 290}])
def test_words_and_json(law):
    objective = law.get("objective", "cards")
    settings, counts, histograms = a_run(**law)
    found = expect(settings, counts, histograms, 360.0)
    text = "\n".join(line for _, line in found.as_text())
    assert f"{found.tail.tau:.1f}"[:4] in text and "extrapolated" in text and "tau" in text
    assert all(str(goal) in text for goal in GOALS[objective])
    body = json.loads(json.dumps(found.as_json()))
    assert body["formula"] in text and body["unit"] == objective
    assert [goal["length"] for goal in body["goals"]] == [goal.length for goal in found.goals]


def test_where_nothing_can_be_said():
    settings, counts, histograms = a_run(samples=2000)
    assert expect({**settings, "objective": "infinite"}, counts, histograms, 1.0) is None
    assert expect(settings, {"games": 0, "walks": 0, "beyond": 0}, {"lengths": {}}, 0.0) is None
    assert expect({"strategy": "scan", "objective": "cards"}, {"games": 9}, {"lengths": {5: 9}}, 1.0) is None
    assert expect({"strategy": "random", "objective": "cards"}, {"games": 0}, {"lengths": {}}, 1.0) is None
    assert expect({**settings, "rules": "italian"}, *a_run()[1:], 1.0).goals == ()
    few = expect({**settings, "threshold": 3000}, counts, {"lines": {3100: 2}}, 1.0)
    assert not few.goals and few.lines is None and "too early" in few.as_text()[-1][1]
    assert few.as_json()["goals"] == [] and few.as_json()["tau_of_lines"] is None
    assert fit_excess(ENOUGH - 1, 1000) is None and fit_excess(1000, 0) is None
    assert fit_lines({3000: ENOUGH - 1}, 700, 2000) is None


def test_the_tally_of_a_leg():
    """The counts that a leg of the strategy gives are those that the fit takes: tau is that of the game."""
    settings = new_settings("backward", leg_games=200_000, walk_from=300, threshold=1500)
    tally = get("backward").advance(LegTask(settings, 0, 0)).tally
    lengths = tally.histograms["lengths"]
    assert tally.counts["walks"] == sum(n for length, n in lengths.items() if length >= 300)
    assert tally.counts["beyond"] == sum(n * (length - 300) for length, n in lengths.items() if length >= 300)
    found = expect(settings, tally.counts, tally.histograms, 1.0)
    assert abs(found.tail.tau - 205.4) < 5 * found.tail.error
    assert abs(found.lines.tau - 205.4) < 5 * found.lines.error
