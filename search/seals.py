"""Seals: short hashes by which a run file's rows, the lists of them and the chains of legs notice damage."""

from __future__ import annotations

import hashlib


def chain(before: bytes, digest: bytes) -> bytes:
    """The chain of a searcher's legs with one more leg."""
    return hashlib.sha256(before + digest).digest()[:16]


def seal_of(table: str, *fields: object) -> bytes:
    """A short hash of the fields of a row, to notice that one of them was changed by accident."""
    hashed = hashlib.blake2b(table.encode(), digest_size=8)
    for value in fields:
        data = value if type(value) is bytes else repr(value).encode()
        hashed.update(b"%s %d\n" % (type(value).__name__.encode(), len(data)))
        hashed.update(data)
    return hashed.digest()


class Mark:
    """How many seals a table holds, and all of them combined: rows that are missing change it."""

    def __init__(self) -> None:
        self._count = self._combined = 0

    def add(self, seal: bytes) -> None:
        self._change(1, seal)

    def remove(self, seal: bytes) -> None:
        self._change(-1, seal)

    def _change(self, by: int, seal: object) -> None:
        self._count += by
        if type(seal) is bytes:  # anything else is damage, and its row will be refused for it
            self._combined ^= int.from_bytes(seal, "big")

    @property
    def text(self) -> str:
        return f"{self._count} {self._combined:016x}"
