"""Who does the legs: processes here, or the workers of a cluster; the options that say so."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from types import SimpleNamespace

from .. import options, report
from ..cluster import ClusterPool, Tls, check_address
from ..errors import InputError
from ..log import LogFile
from ..options import Setting
from ..pool import start_method

MAX_WORKERS = 4096
_HOW = "how"

CREW = (
    Setting("workers", "worker processes (default: one a core)", options.whole(1, MAX_WORKERS), metavar="W", group=_HOW),
    Setting("nice", "how far workers give way to other programs, 0 to 19", options.whole(0, 19), 0, "N", group=_HOW),
    Setting(
        "cluster", "have the workers of this Dask scheduler do the work: tcp://HOST:PORT or tls://HOST:PORT",
        check_address, metavar="ADDRESS", group=_HOW,
    ),
    Setting("tls-ca", "certificate of the authority that a tls:// scheduler is trusted by", options.word, metavar="FILE", group=_HOW),
    Setting("tls-cert", "certificate that is shown to a tls:// scheduler", options.word, metavar="FILE", group=_HOW),
    Setting("tls-key", "its key", options.word, metavar="FILE", group=_HOW),
)  # fmt: skip


@dataclass(frozen=True)
class Crew:
    """Who does the legs.

    Attributes:
        text: in words.
        options: the arguments of Run.work that say so.
    """

    text: str
    options: Mapping[str, object]


@contextmanager
def at_work(
    args: SimpleNamespace, settings: Mapping[str, object], log: LogFile | None, say: Callable[[str], object]
) -> Iterator[Crew]:
    """What the options of CREW ask for, as long as it is needed.

    Raises:
        InputError: options that do not go together, an address or files that cannot be used, or a start method that is unknown.
        MissingExtra, ClusterLost: as ClusterPool.
    """
    tls = Tls(args.tls_ca, args.tls_cert, args.tls_key)
    if args.cluster is None:
        if tls:
            raise InputError("--tls-ca, --tls-cert and --tls-key go with --cluster tls://HOST:PORT")
        workers = args.workers or _cores()
        pool_options = {"nice": args.nice, "method": start_method(), **(log.pool_options if log is not None else {})}
        yield Crew(report.count(workers, "worker"), {"workers": workers, "pool_options": pool_options})
        return
    for key in ("workers", "nice"):
        if args.sources.get(key, "").startswith("--"):
            raise InputError(f"--{key} is for workers on this machine; with --cluster, whoever starts the workers decides")
    with ClusterPool(args.cluster, tls=tls, settings=settings, say=lambda text: say(f"beggar: {text}")) as pool:
        yield Crew(f"workers of {args.cluster}", {"executor": pool})


def _cores() -> int:
    """Processor cores that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every system
        return os.cpu_count() or 1
