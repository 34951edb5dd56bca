"""Histograms in compact form: against a plain twin, and with bytes that are none."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from search import histogram

histograms = st.dictionaries(
    st.one_of(st.integers(0, 400), st.integers(0, 2**64 - 2)), st.one_of(st.integers(1, 300), st.integers(1, 2**59)), max_size=20
)


@settings(max_examples=100, derandomize=True)
@given(histograms, histograms)
def test_sum_equals_that_of_a_counter(a, b):
    total = Counter(a)
    total.update(b)
    merged = histogram.merge(histogram.encode(a), histogram.encode(b))
    assert merged == histogram.encode(total)
    assert histogram.decode(merged) == dict(sorted(total.items()))
    assert len(merged) <= len(histogram.encode(a)) + len(histogram.encode(b))


@settings(max_examples=50, derandomize=True)
@given(st.lists(histograms, max_size=9))
def test_total_of_many(parts):
    total = Counter()
    for part in parts:
        total.update(part)
    assert histogram.decode(histogram.total(map(histogram.encode, parts))) == dict(sorted(total.items()))


def test_entries_that_occurred_never_are_left_out():
    assert histogram.encode({5: 0, 7: 1}) == histogram.encode({7: 1})


@pytest.mark.parametrize("bad", [{-1: 1}, {2**64 - 1: 1}, {1: -1}, {1: 2**64}])
def test_what_it_cannot_hold_is_refused(bad):
    with pytest.raises(ValueError):
        histogram.encode(bad)


@settings(max_examples=200, derandomize=True)
@given(st.binary(max_size=30))
def test_bytes_are_a_histogram_in_one_form_only_or_refused(data):
    try:
        read = histogram.decode(data)
    except ValueError:
        return
    assert histogram.encode(read) == data


@pytest.mark.parametrize(
    "data",
    [
        b"\x01",  # a value without a count
        b"\x80",  # cut short
        b"\x00\x01",  # a distance of 0
        b"\x01\x00",  # a count of 0
        b"\x81\x00\x01",  # not the fewest bytes
        b"\xff" * 9 + b"\x02\x01",  # more than 64 bits
        b"\xff" * 9 + b"\x01\x01" + b"\x02\x01",  # values that wrap around
    ],
)
def test_malformed(data):
    with pytest.raises(ValueError):
        histogram.merge(data, b"")
    with pytest.raises(ValueError):
        histogram.merge(histogram.encode({3: 4}), data)


def test_counts_beyond_64_bits_are_refused():
    most = histogram.encode({3: 2**64 - 1})
    with pytest.raises(OverflowError):
        histogram.merge(most, histogram.encode({3: 1}))
