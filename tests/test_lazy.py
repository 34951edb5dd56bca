"""A property that is computed once (search/lazy.py)."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from search.lazy import cached_property


@dataclass(frozen=True)
class Counting:
    calls: list[int]

    @cached_property
    def value(self) -> int:
        """How often it was computed."""
        self.calls.append(1)
        return len(self.calls)


def test_it_is_computed_once_for_each_object_and_keeps_its_docstring():
    first, second = Counting([]), Counting([])
    assert (first.value, first.value, second.value, first.calls) == (1, 1, 1, [1])
    assert Counting.value.__doc__ == "How often it was computed."


def test_what_fails_is_tried_again():
    class Failing:
        tries = 0

        @cached_property
        def value(self) -> int:
            self.tries += 1
            if self.tries == 1:
                raise ValueError("not yet")
            return self.tries

    object_ = Failing()
    with pytest.raises(ValueError, match="not yet"):
        object_.value
    assert object_.value == object_.value == 2
