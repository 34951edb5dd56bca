"""The command audit: legs of a run done again, and compared."""

from __future__ import annotations

import os
import sys
from types import SimpleNamespace

from tqdm import tqdm

from .. import options, report
from ..audit import Audit, Findings
from ..config import CONFIG
from ..errors import STOPPED, InputError
from ..options import Command, Setting
from ..pool import LocalPool
from ..selftest import selftest
from ..stop import StopFlag, stop_on_signals
from ..paths import run_path
from ..store import Store
from .common import JSON, RUN, print_result
from .crew import CREW, at_work

DOUBTS = 1  # exit status if a leg is not what the file says, could not be done again, or a worker was wrong


def audit(args: SimpleNamespace) -> int:
    """Do legs of a run again, and say whether they are what they were."""
    path = run_path(args.run)
    if not args.share and args.legs is None:
        raise InputError("--share 0: a share above 0 is wanted, or --legs")
    seed = int.from_bytes(os.urandom(6), "big") if args.seed is None else args.seed
    selftest()
    with Store.open(path) as store, at_work(args, store.settings, None, _say) as crew:
        work = dict(crew.options)
        pool = work["executor"] if "executor" in work else LocalPool(work["workers"], **work["pool_options"])
        try:
            with stop_on_signals(StopFlag(), _say) as stop:
                found = _check(Audit(store, pool, share=args.share, legs=args.legs, seed=seed, stop=stop), args.quiet)
        finally:
            pool.kill()
    print_result(report.json_line(findings_object(path, seed, found)) + "\n" if args.json else report_text(found, seed))
    return DOUBTS if not found.clean else STOPPED if found.stopped else 0


def _check(audit: Audit, quiet: bool) -> Findings:
    """Do it, with a bar on a terminal."""
    tqdm.monitor_interval = 0  # no thread of tqdm's
    with tqdm(total=audit.findings.wanted, unit="leg", leave=False, disable=True if quiet else None, file=sys.stderr) as bar:

        def show(now: Findings) -> None:
            bar.update(now.checked - bar.n)
            if now.differences:
                bar.set_postfix_str(report.count(len(now.differences), "difference"))

        return audit.go(show)


def _say(text: str) -> None:
    tqdm.write(text, file=sys.stderr)


def findings_object(path: str, seed: int, found: Findings) -> dict[str, object]:
    """What `beggar audit --json` prints."""
    return {
        "run": path,
        "seed": seed,
        "legs": found.legs,
        "checked": found.checked,
        "from_first_leg": found.chained,
        "agree": not found.differences and not found.not_done,
        "differences": [
            {"leg": d.leg, "searcher": d.searcher, "stored": d.stored.hex(), "now": d.now and d.now.hex(), "why": d.why}
            for d in found.differences
        ],
        "not_done": [{"leg": leg, "searcher": searcher, "why": why} for leg, searcher, why in found.not_done],
        "wrong_workers": found.wrong_workers,
    }


def report_text(found: Findings, seed: int) -> str:
    """The same for people."""
    how = ", searchers followed from their first legs" if found.chained else ""
    lines = [f"{report.count(found.checked, 'leg')} of {found.legs} done again (chosen by seed {seed}{how})"]
    for d in found.differences:
        now = f", now {d.now.hex()}" if d.now else ""
        lines.append(f"leg {d.leg} of searcher {d.searcher}: {d.why.rstrip()} (digest then {d.stored.hex()}{now})")
    for leg, searcher, why in found.not_done:
        lines.append(f"leg {leg} of searcher {searcher} could not be done again: {why}")
    for worker in found.wrong_workers:
        lines.append(f"{worker} was wrong now, and was used no more")
    if found.differences:
        lines.append("the run holds results that cannot be had again: a broken machine or another build did these legs")
    elif found.checked:
        lines.append("all that were done again are as they were" + ("; stopped before the end" if found.stopped else ""))
    return "\n".join(lines) + "\n"


AUDIT = Command(
    "audit",
    "Do legs of a run again, and compare with what they gave.",
    audit,
    (RUN,),
    (
        Setting("share", "of the legs to do again (default: 0.05)", options.share, 0.05, "S"),
        Setting("legs", "so many legs instead", options.whole(1, 10**9), metavar="N"),
        Setting("seed", "which ones (default: drawn and printed)", options.whole(0), metavar="S"),
        *CREW,
        Setting("quiet", "no progress", default=False, group="how"),
        JSON,
        CONFIG,
    ),
    "Where a strategy carries a state from leg to leg, searchers are followed from their first leg on: to check a late\n"
    "leg, all legs before it are done again, and count as checked. Exit status 1 if a leg differs or cannot be done again,\n"
    "or if a worker was wrong now.",
)
