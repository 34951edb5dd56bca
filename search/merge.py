"""Several scans of parts of one space made into one run file.

What a scan has done is, for each searcher, the deals from the beginning of its piece to the end of its
last leg, and what these deals gave is the searcher's row in the file. So the merged run takes over
rows, whole: of those that overlap, the set that covers the most deals without overlapping. What no row
covers becomes pieces that nobody has begun; `beggar resume` scans them, and the totals are then those
of one uninterrupted scan. Blocks that were scanned twice must have given the same.
"""

from __future__ import annotations

import os
import socket
import time
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from . import __version__
from .engine import engines
from .errors import Fault, InputError
from .finds import Find
from .leg import PackedLeg
from .run import Why
from .rules import Rules
from .settings import check_version
from .store import Done, Session, Store
from .strategies.scan import Piece, Scan, block_of, blocks, piece_of, range_of

# Settings in which parts of one scan may differ.
_OWN = ("range", "searchers", "seed", "pieces")
_GAP_PIECES = 64  # searchers that share the deals of a gap
MERGED = "merged"


@dataclass(frozen=True)
class Overlap:
    """Deals that two runs have scanned.

    Attributes:
        first, last: their indices.
        runs: the two files.
    """

    first: int
    last: int
    runs: tuple[str, str]


@dataclass(frozen=True)
class Merge:
    """What became of a merge.

    Attributes:
        path: the new run.
        first, last: its range, from the first deal of any part to the last.
        space: all deals that the rules allow; what lies outside of the range is in no part.
        deals: how many of them are scanned.
        infinite: how many of these are infinite.
        overlaps: what two runs both have scanned, in order; counted once.
        gaps: (first, last) of what is not scanned yet.
    """

    path: str
    first: int
    last: int
    space: int
    deals: int
    infinite: int
    overlaps: tuple[Overlap, ...]
    gaps: tuple[Piece, ...]

    @property
    def complete(self) -> bool:
        """Whether every deal of the range is scanned."""
        return not self.gaps

    def as_json(self) -> dict[str, object]:
        """The object that `merge --json` prints."""
        return {
            "run": self.path,
            "range": [self.first, self.last],
            "space": self.space,
            "deals": self.deals,
            "infinite": self.infinite,
            "overlaps": [{"range": [o.first, o.last], "runs": list(o.runs)} for o in self.overlaps],
            "gaps": [list(gap) for gap in self.gaps],
            "complete": self.complete,
        }

    def as_text(self) -> list[str]:
        """The same for people."""
        whole = self.last - self.first + 1
        lines = [f"{self.path}: {self.deals} of the {whole} deals {self.first} to {self.last} are scanned, {self.infinite} of them infinite"]
        lines += [f"overlap: deals {o.first} to {o.last} are in {o.runs[0]} and in {o.runs[1]}; they count once" for o in self.overlaps]
        lines += [f"gap: deals {first} to {last} are not scanned" for first, last in self.gaps]
        outside = ((0, self.first - 1), (self.last + 1, self.space - 1))
        lines += [f"not the whole space: deals {first} to {last} are in none of the runs" for first, last in outside if first <= last]
        if self.gaps:
            lines.append("the gaps are filled by: beggar resume " + self.path)
        return lines


@dataclass
class _Row:
    """What one searcher of one run has done."""

    run: str
    first: int
    end: int
    counts: dict[str, int]
    histograms: dict[str, bytes]
    digests: list[bytes | None]  # of its legs, in order; None where a leg was set aside
    finds: list[Find] = field(default_factory=list)
    reasons: dict[int, str] = field(default_factory=dict)  # of the legs set aside


def merge(out: str, paths: Sequence[str]) -> Merge:
    """Make the run `out` of scans of parts of one space.

    Raises:
        InputError: fewer than two runs, one twice, not scans, or of different settings; `out` exists.
        Fault: two runs disagree about a block that both have scanned.
        RunFileError, CannotWrite: as Store.open and Store.create.
    """
    real = [os.path.realpath(path) for path in paths]
    for path, other in zip(paths, real):
        if real.count(other) > 1:
            raise InputError(f"{path}: named twice")
    if len(paths) < 2:
        raise InputError("two runs or more are wanted to merge")
    settings: dict[str, object] | None = None
    rows: list[_Row] = []
    ranges: list[Piece] = []
    for path in paths:
        with Store.open(path) as store, store.snapshot():
            _check(path, store.settings, paths[0], settings)
            settings = settings or store.settings
            ranges.append(range_of(store.settings))
            rows += _rows_of(path, store)
    rows.sort(key=lambda row: (row.first, row.end))
    _compare(rows, settings["leg_games"])
    first, end = min(r[0] for r in ranges), max(r[1] for r in ranges)
    chosen = _best_cover(rows)
    gaps = _gaps(first, end, chosen)
    pieces = _pieces(chosen, gaps, int(settings["leg_games"]))
    merged = {name: value for name, value in settings.items() if name != "pieces"} | {
        "range": f"{first}:{end - 1}",
        "searchers": len(pieces),
        "pieces": [list(piece) for piece in pieces],
    }
    with Store.create(out, merged) as store:
        _write(store, chosen, pieces, complete=not gaps)
        infinite = store.counts["infinite"]
    return Merge(
        path=out,
        first=first,
        last=end - 1,
        space=Rules.of_settings(merged).deals,
        deals=sum(row.counts.get("games", 0) for row in chosen),
        infinite=infinite,
        overlaps=tuple(_overlaps(rows)),
        gaps=tuple((a, b - 1) for a, b in gaps),
    )


def _check(path: str, settings: Mapping[str, object], other: str, wanted: Mapping[str, object] | None) -> None:
    """Refuse a run that cannot be merged with the first one."""
    if settings["strategy"] != Scan.name:
        raise InputError(f"{path}: a run of strategy {settings['strategy']}; scans can be merged")
    check_version(settings)
    if wanted is None:
        return
    for name in sorted(settings.keys() | wanted.keys()):
        if name not in _OWN and settings.get(name) != wanted.get(name):
            raise InputError(f"{path}: {name} is {settings.get(name)}, in {other} it is {wanted.get(name)}: not parts of one scan")


def _rows_of(path: str, store: Store) -> Iterator[_Row]:
    digests: dict[int, dict[int, bytes]] = {}
    for leg, searcher, digest in store.leg_digests():
        digests.setdefault(searcher, {})[leg] = digest
    reasons: dict[int, dict[int, str]] = {}
    for leg, searcher, reason in store.set_aside():
        reasons.setdefault(searcher, {})[leg] = reason
    finds: dict[int, list[Find]] = {}
    for find in store.finds():
        finds.setdefault(find.searcher, []).append(find)
    for searcher, legs, counts, histograms in store.searchers():
        if legs == 0:
            continue
        yield _Row(
            run=path,
            first=piece_of(store.settings, searcher)[0],
            end=block_of(store.settings, searcher, legs - 1)[1],
            counts=counts,
            histograms=histograms,
            digests=[digests.get(searcher, {}).get(leg) for leg in range(legs)],
            finds=finds.get(searcher, []),
            reasons=reasons.get(searcher, {}),
        )


def _compare(rows: Sequence[_Row], block: int) -> None:
    """Blocks that were scanned more than once, in full, must have given the same."""
    seen: dict[Piece, tuple[bytes, str]] = {}
    for row in rows:
        for leg, digest in enumerate(row.digests):
            if digest is None:
                continue
            start = (row.first // block + leg) * block
            deals = max(row.first, start), min(row.end, start + block)
            known, run = seen.setdefault(deals, (digest, row.run))
            if known != digest:
                raise Fault(
                    f"{run} and {row.run} disagree about the deals {deals[0]} to {deals[1] - 1}: one of them was made on a machine "
                    "with bad memory or by a wrong build; nothing was merged"
                )


def _best_cover(rows: Sequence[_Row]) -> list[_Row]:
    """Of rows in order of their first deals, those that cover the most deals without overlapping.

    Rows with legs set aside cover only what was played; of equally good choices the one with earlier rows.
    """
    ordered = sorted(rows, key=lambda row: (row.end, row.first))
    ends = [row.end for row in ordered]
    best = [0]  # deals covered with the first n rows
    before = []  # rows that end before this one begins
    for n, row in enumerate(ordered):
        before.append(bisect_right(ends, row.first, 0, n))
        best.append(max(best[n], best[before[n]] + row.counts.get("games", 0)))
    chosen = []
    n = len(ordered)
    while n:
        if best[n] == best[n - 1]:
            n -= 1
        else:
            chosen.append(ordered[n - 1])
            n = before[n - 1]
    return chosen[::-1]


def _gaps(first: int, end: int, rows: Sequence[_Row]) -> list[Piece]:
    """What of first..end-1 no row covers."""
    gaps, at = [], first
    for row in rows:
        if row.first > at:
            gaps.append((at, row.first))
        at = row.end
    if at < end:
        gaps.append((at, end))
    return gaps


def _overlaps(rows: Sequence[_Row]) -> Iterator[Overlap]:
    """What two runs both have scanned; touching stretches of the same two are one."""
    found: dict[tuple[str, str], list[list[int]]] = {}
    for n, row in enumerate(rows):
        for other in rows[n + 1 :]:
            if other.first >= row.end:
                break
            runs = tuple(sorted((row.run, other.run)))
            stretches = found.setdefault(runs, [])
            a, b = other.first, min(row.end, other.end)
            if stretches and a <= stretches[-1][1]:
                stretches[-1][1] = max(b, stretches[-1][1])
            else:
                stretches.append([a, b])
    for runs, stretches in sorted(found.items()):
        yield from (Overlap(a, b - 1, runs) for a, b in stretches)


def _pieces(rows: Sequence[_Row], gaps: Sequence[Piece], block: int) -> list[Piece]:
    """The rows' pieces and the gaps, cut between blocks so that several workers can share one, in order."""
    pieces = [(row.first, row.end) for row in rows]
    for first, end in gaps:
        whole = blocks(first, end, block)
        parts = min(whole, _GAP_PIECES)
        cuts = [(first // block + whole * n // parts) * block for n in range(1, parts)]
        pieces += zip([first, *cuts], [*cuts, end])
    return sorted(pieces)


def _write(store: Store, rows: Sequence[_Row], pieces: Sequence[Piece], complete: bool) -> None:
    """Put the rows into the new run: all in one commit."""
    now = time.time()
    store.begin_session(Session(now, socket.gethostname(), os.getpid(), __version__, engines()[0], workers=0, core_seconds=0.0))
    searcher_of = {piece: searcher for searcher, piece in enumerate(pieces)}
    done: list[Done] = []
    for row in rows:
        done += _legs_of(row, searcher_of[row.first, row.end])
    store.commit(done)
    store.end_session(Why.COMPLETE if complete else MERGED)


def _legs_of(row: _Row, searcher: int) -> Iterator[Done]:
    """A row as legs: what they gave, which is only known for all together, comes with the first that was played."""
    counts, histograms = row.counts, row.histograms
    for leg, digest in enumerate(row.digests):
        if digest is None:
            yield Done(searcher, leg, None, reason=row.reasons.get(leg, ""))
            continue
        finds = [replace(find, searcher=searcher) for find in row.finds if find.leg == leg]
        yield Done(searcher, leg, PackedLeg(b"", (), counts, histograms, digest), finds)
        counts, histograms = dict.fromkeys(counts, 0), {}
