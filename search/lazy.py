"""A property that is computed once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar, overload

T = TypeVar("T")


class cached_property(Generic[T]):
    """Computed when it is first asked for, and kept in the object's __dict__; also of frozen dataclasses.

    That of functools holds a lock while it computes, up to Python 3.11: a worker process that is forked at
    that moment, from another thread, would wait for the lock for ever.
    """

    def __init__(self, compute: Callable[[object], T]):
        self._compute = compute
        self.__doc__ = compute.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type) -> cached_property[T]: ...

    @overload
    def __get__(self, instance: object, owner: type) -> T: ...

    def __get__(self, instance, owner):
        if instance is None:
            return self
        value = instance.__dict__[self._name] = self._compute(instance)
        return value
