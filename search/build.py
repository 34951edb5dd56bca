"""Which build of the program this is, so that machines that are to work together can compare."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib import resources

from . import __version__, _kernel
from .selftest import golden_games, selftest
from .header import VERSION
from .strategies import STRATEGIES

_CODE = (".py", ".csv")


@cache
def fingerprint() -> str:
    """16 hexadecimal digits that two installations share if they come from the same sources."""
    whole = hashlib.sha256(_kernel.sources.encode())
    for name, data in sorted(_files(resources.files("search"), "")):
        whole.update(b"%s %s" % (name.encode(), hashlib.sha256(data).digest()))
    return whole.hexdigest()[:16]


def _files(folder, prefix: str):
    for entry in folder.iterdir():
        if entry.is_dir():
            yield from _files(entry, f"{prefix}{entry.name}/")
        elif entry.name.endswith(_CODE):
            yield prefix + entry.name, entry.read_bytes()


@cache
def identity() -> dict[str, object]:
    """What machines must agree on before one works for another, as plain data."""
    return {
        "version": __version__,
        "build": fingerprint(),
        "schema": VERSION,
        "golden": len(golden_games()),
    }


def describe() -> dict[str, object]:
    """`identity` and the strategies' versions, after the golden games were played on every engine here.

    Raises:
        Disagreement: an engine of this machine plays them wrongly.
    """
    selftest()
    return {**identity(), "strategies": {name: plan.version for name, plan in STRATEGIES.items()}}
