"""beggar lengths: what a run counted, in classes."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter

import pytest
from hypothesis import given, settings, strategies as st

from search.deal import Deal
from search.distribution import classes, round_width
from search.game import play
from search.rules import Rules

HISTOGRAMS = st.dictionaries(st.integers(0, 5000), st.integers(0, 10**12), max_size=30)


@given(HISTOGRAMS, st.integers(1, 700))
@settings(max_examples=100, deadline=None, derandomize=True)
def test_classes_hold_every_value_once(histogram, width):
    found = classes(histogram, width)
    assert sum(c.count for c in found) == sum(histogram.values())
    for c in found:
        assert c.least % width == 0 and c.most - c.least == width - 1
        assert c.count == sum(n for value, n in histogram.items() if c.least <= value <= c.most) > 0
        assert c.at_least == sum(n for value, n in histogram.items() if value >= c.least)
        assert c.one_in == sum(histogram.values()) / c.at_least
    assert [c.least for c in found] == sorted({c.least for c in found})


@given(HISTOGRAMS, st.integers(1, 40))
@settings(max_examples=100, deadline=None, derandomize=True)
def test_a_round_width_is_the_least_that_is_short_enough(histogram, rows):
    width = round_width(histogram, rows)
    if histogram:
        low, high = min(histogram), max(histogram)
        tried = [step * 10**power for power in range(5) for step in (1, 2, 5)]
        assert width == next(w for w in tried if high // w - low // w + 1 <= rows)
    assert len(classes(histogram, width)) <= rows


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    from test_cli_runs import run_program

    made = tmp_path_factory.mktemp("lengths")
    scan = run_program(made, "search", "whole", "--strategy", "scan", "--rules", "2J8-", "--quiet")
    loops = run_program(made, "search", "loops", "--strategy", "cycles", "--rules", "italian", "--leg-games", "1000", "--legs", "1", "--quiet")
    lines = run_program(made, "search", "lines", "--strategy", "random", "--extend", "--for", "tricks", "--leg-games", "20000", "--threshold", "200", "--legs", "1", "--seed", "3", "--quiet")  # fmt: skip
    assert [done.returncode for done in (scan, loops, lines)] == [0, 0, 0], (scan, loops, lines)
    return made


@pytest.fixture
def lengths(folder, beggar):
    """lengths(RUN, ...): calls the command on a run of the folder."""
    return lambda run, *argv: beggar("lengths", folder / "results" / f"{run}.run", *argv)


def test_the_lengths_of_a_whole_space_are_those_of_the_reference(lengths):
    rules = Rules.parse("2J8-")
    outcomes = [play(Deal.from_index(i, rules)) for i in range(45)]
    expected = Counter(o.cards for o in outcomes if o.status == "finite")
    done = lengths("whole", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(done.out)))
    assert (done.status, done.err) == (0, "")
    assert {int(row["cards_from"]): int(row["games"]) for row in rows} == expected
    assert all(row["cards_from"] == row["cards_to"] for row in rows) and rows[0]["at_least"] == str(expected.total())
    periods = Counter(o.period for o in outcomes if o.status == "infinite")
    done = lengths("whole", "--of", "periods", "--format", "json")
    assert {row["tricks_from"]: row["periods"] for row in json.loads(done.out)} == periods
    assert periods, "a space without infinite games would test nothing"


def test_a_table_has_a_summary_and_classes_of_the_width_asked_for(lengths):
    done = lengths("whole", "--width", "10")
    lines = done.out.splitlines()
    assert done.status == 0 and lines[0].split() == ["cards", "games", "so", "many", "or", "more", "one", "in"]
    assert all(line.split()[1] == "to" for line in lines[1:-1]) and " on average; " in lines[-1]
    assert len(lengths("whole", "--format", "markdown").out.splitlines()) > 3


def test_lines_are_counted_in_what_the_run_is_for(lengths, beggar, folder):
    done = lengths("lines", "--of", "lines", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(done.out)))
    state = json.loads(beggar("status", folder / "results" / "lines.run", "--json").out)
    assert sum(int(row["lines"]) for row in rows) == state["counts"]["lines"] > 0
    assert max(int(row["tricks_from"]) for row in rows) == state["best"]["tricks"]


def test_what_is_not_counted_is_refused_or_said(lengths):
    done = lengths("whole", "--of", "lines")
    assert (done.status, done.out) == (2, "") and "a run of strategy scan does not count them; it counts games, periods" in done.err
    done = lengths("loops")
    assert done.status == 0 and done.out.endswith("no games counted\n")
    for wrong in (["--of", "piles"], ["--width", "0"], ["--json"]):
        done = lengths("whole", *wrong)
        assert (done.status, done.out) == (2, "") and done.err.count("\n") == 1


def test_a_table_points_to_longer_lines(lengths):
    assert lengths("lines").out.endswith("walked back, games get longer: --of lines\n")
    assert "--of lines" not in lengths("whole").out + lengths("lines", "--of", "lines").out
