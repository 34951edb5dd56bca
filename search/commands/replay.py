"""The command replay: one leg of a run, or of given settings, done once more."""

from __future__ import annotations

import json
import re
from types import SimpleNamespace

from .. import options, report
from ..config import CONFIG
from ..errors import InputError
from ..finds import hands_text
from ..options import Argument, Command, Setting
from ..replay import Replay, replay_run, replay_settings, settings_of
from ..selftest import selftest
from ..paths import run_path
from ..store import Store
from .common import JSON, RUN, print_result

DIFFERS = 1  # exit status if the leg is not what it was


def replay(args: SimpleNamespace) -> int:
    """Do a leg once more, and say whether it is what it was."""
    if (args.run is None) == (args.settings is None):
        raise InputError("replay wants a run, or --settings")
    if args.searcher is None or args.leg is None:
        raise InputError("replay wants --searcher and --leg")
    selftest()
    if args.run is None:
        done = replay_settings(settings_of(_read_settings(args.settings)), args.searcher, args.leg, args.digest)
    else:
        if args.digest is not None:
            raise InputError("--digest goes with --settings: a run knows the digests of its legs")
        with Store.open(run_path(args.run)) as store:
            done = replay_run(store, args.searcher, args.leg)
    rows = [_find(done, candidate) for candidate in done.finds]
    print_result(report.json_line(_object(done, rows)) + "\n" if args.json else _as_text(done, rows[: args.top]))
    return DIFFERS if done.agrees is False else 0


def _read_settings(text: str) -> dict[str, object]:
    """Settings as JSON, or in a file that holds it."""
    source = "--settings"
    if not text.lstrip().startswith("{"):
        source = text
        try:
            with open(text, encoding="utf-8") as file:
                text = file.read()
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"{source}: cannot read these settings: {getattr(error, 'strerror', None) or 'not text'}") from None
    try:
        settings = json.loads(text)
    except ValueError as error:
        raise InputError(f"{source}: not JSON: {error}") from None
    if isinstance(settings, dict) and isinstance(settings.get("settings"), dict):
        settings = settings["settings"]  # all that `status --json` prints
    if not isinstance(settings, dict):
        raise InputError(f"{source}: settings are a JSON object")
    return settings


def _digest(text: str) -> bytes:
    if not re.fullmatch("[0-9a-fA-F]{32}", text):
        raise InputError("32 hexadecimal digits are wanted")
    return bytes.fromhex(text)


def _find(done: Replay, candidate) -> dict[str, object]:
    return {
        "status": "infinite" if candidate.infinite else "finite",
        "cards": candidate.cards,
        "tricks": candidate.tricks,
        "deal": hands_text(candidate.deal, candidate.hands),
    }


def _object(done: Replay, rows: list[dict[str, object]]) -> dict[str, object]:
    return {
        "settings": dict(done.settings),
        "searcher": done.searcher,
        "leg": done.leg,
        "legs_done": done.done,
        "digest": done.digest.hex(),
        "stored": done.stored and done.stored.hex(),
        "agrees": done.agrees,
        "counts": dict(sorted(done.result.counts.items())),
        "finds": rows,
    }


def _as_text(done: Replay, rows: list[dict[str, object]]) -> str:
    verdict = {
        None: "",
        True: ", as it was",
        False: f", but it was {done.stored and done.stored.hex()}: a broken machine or another build did one of them",
    }[done.agrees]
    lines = [
        f"leg {done.leg} of searcher {done.searcher}: {report.search_in_words(done.settings)}",
        f"{report.quantity(done.result.counts['games'])} games, digest {done.digest.hex()}{verdict}",
    ]
    if rows:
        lines.append(report.table(rows, list(rows[0])).rstrip("\n"))
    if len(rows) < len(done.result.finds):
        lines.append(f"{len(done.result.finds)} finds in all: --top all")
    return "\n".join(lines) + "\n"


REPLAY = Command(
    "replay",
    "Do one leg of a run, or of given settings, once more: the same finds, and the same digest.",
    replay,
    (Argument("RUN", RUN.help, "?"),),
    (
        Setting("searcher", "whose leg", options.whole(0), metavar="K"),
        Setting("leg", "which leg", options.whole(0), metavar="N"),
        Setting("settings", "instead of a run: settings as JSON, as `beggar status --json` prints them, or a file with them", options.word, metavar="JSON"),
        Setting("digest", "with --settings: the digest that the leg should have", _digest, metavar="HEX"),
        Setting("top", "finds to print (default: 10), or 'all'", options.whole_or_all, 10, "N"),
        JSON,
        CONFIG,
    ),
    "Exit status 1 if the leg gives something else than it did. `beggar records --format json` has settings, searcher and leg\n"
    "of what this tool found. Where a strategy carries a state from leg to leg, the legs before are done first.",
)
