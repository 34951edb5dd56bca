"""Histograms {value: how often} in the compact form that is stored and added up (csrc/histogram.h says how)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ._kernel import histogram_merge as merge

__all__ = ["decode", "encode", "merge", "total"]

_LARGEST = 2**64 - 1


def encode(histogram: Mapping[int, int]) -> bytes:
    """The compact form of a histogram; entries that occurred 0 times are left out.

    Raises:
        ValueError: a value is outside 0 to 2**64 - 2, or a count outside 0 to 2**64 - 1.
    """
    out = bytearray()
    previous = -1
    for value, count in sorted(histogram.items()):
        if not (0 <= value < _LARGEST and 0 <= count <= _LARGEST):
            raise ValueError(f"a histogram cannot hold {value}: {count}")
        if count == 0:
            continue
        for number in (value - previous, count):
            while number >= 0x80:
                out.append(number & 0x7F | 0x80)
                number >>= 7
            out.append(number)
        previous = value
    return bytes(out)


def decode(data: bytes) -> dict[int, int]:
    """The histogram, in ascending order of value; raises ValueError if `data` is malformed."""
    if merge(data, b"") != data:  # the compiled reader checks every rule of the form
        raise ValueError("a malformed histogram")
    histogram = {}
    value, at = -1, 0
    numbers = []
    while at < len(data):
        number = shift = 0
        while data[at] & 0x80:
            number |= (data[at] & 0x7F) << shift
            shift += 7
            at += 1
        numbers.append(number | data[at] << shift)
        at += 1
        if len(numbers) == 2:
            value += numbers[0]
            histogram[value] = numbers[1]
            numbers.clear()
    return histogram


def total(parts: Iterable[bytes]) -> bytes:
    """The sum of any number of histograms in compact form, added up pairwise so that each is copied a few times only."""
    sums: list[tuple[int, bytes]] = []
    for part in parts:
        level = 0
        while sums and sums[-1][0] == level:
            part = merge(sums.pop()[1], part)
            level += 1
        sums.append((level, part))
    result = b""
    for _, part in reversed(sums):
        result = merge(result, part)
    return result
