"""Commands about the program itself: selftest."""

from __future__ import annotations

from types import SimpleNamespace

from .. import report
from ..config import CONFIG
from ..options import Command
from ..selftest import selftest as run_selftest
from .common import JSON


def selftest(args: SimpleNamespace) -> int:
    done = run_selftest()
    print(report.json_line(done.as_json()) if args.json else "\n".join(done.as_text()))
    return 0


SELFTEST = Command("selftest", "Golden games on every engine that this machine has.", selftest, (), (JSON, CONFIG))
