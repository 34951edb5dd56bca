"""The hall of fame: deals that this tool found, each with the command that finds it again.

    python benchmarks/hall_of_fame.py add RUN [--top 3]      write the longest finite games of a run into the table
    python benchmarks/hall_of_fame.py add RUN --infinite     write its infinite games: for each length of loop the longest lead-in
    python benchmarks/hall_of_fame.py descend PLAYERS NAME   write the longest game that comes into a record's game
    python benchmarks/hall_of_fame.py check                  do everything that the table names once more
    python benchmarks/hall_of_fame.py check infinite         play the catalogue of infinite games with the reference engine

The table is `search/data/hall_of_fame.csv`. A row's `source` is the version of the program that found the
deal, and a `beggar replay` command with the run's settings, the searcher, the leg and the digest of its
result; or a call of `python -m search.ancestry`. A check does these legs again, some seconds each, makes
those calls, and plays every deal with the reference engine.

The catalogue is `results/infinite-cycles.csv` and `results/infinite-games.csv`. Every row is checked with the reference
engine, and the games with compiled engines, too; that they are all that lead into their cycles is checked by backward play.
"""

from __future__ import annotations

import argparse
import csv
import json
import shlex
import subprocess
import sys
from functools import cache
from pathlib import Path

from search import __version__
from search.ancestry import longest_deal
from search.catalogue import faults
from search.finds import value_of
from search.game import play
from search.outcome import Status
from search.records import Record, known_games, read_records, write_records
from search.replay import replay_settings, settings_of
from search.settings import canonical
from search.paths import run_path
from search.store import Store

TREE = Path(__file__).resolve().parent.parent
TABLE = TREE / "search" / "data" / "hall_of_fame.csv"


def add(run: str, top: int, infinite: bool) -> None:
    with Store.open(run_path(run)) as store, store.snapshot():
        settings = store.settings
        digests = {(leg, searcher): digest for leg, searcher, digest in store.leg_digests()}
        versions = {session.version for session in store.sessions()}
        finds = sorted((find for find in store.finds() if find.infinite == infinite), key=lambda find: find.text)
    if infinite:
        chosen = {find.period: find for find in sorted(finds, key=lambda find: find.lead_in)}
        finds = [chosen[period] for period in sorted(chosen)]
    else:
        finds = sorted(finds, key=lambda find: -value_of(find, str(settings["objective"])))[:top]
    records = read_records(TABLE)
    known = {record.hands for record in records}
    for find in finds:
        if find.text in known:
            continue
        command = ["beggar", "replay", "--settings", canonical(settings), "--searcher", str(find.searcher), "--leg", str(find.leg)]
        command += ["--digest", digests[find.leg, find.searcher].hex()]
        records.append(
            Record(
                name=f"loop of {find.period} tricks" if infinite else f"{settings['strategy']} search",
                year=None,
                players=int(settings["players"]),
                rules=str(settings["rules"]),
                hands=find.text,
                status=Status.INFINITE if infinite else Status.FINITE,
                cards=find.cards,
                tricks=find.tricks,
                lead_in=find.lead_in,
                period=find.period,
                source=f"beggar {', '.join(sorted(versions))}: {shlex.join(command)}",
            )
        )
    write_records(TABLE, records)


def descend(players: int, title: str) -> None:
    """Add the longest game for so many players that comes into the game of a known deal."""
    deal = next(record.deal for record in known_games() if record.title == title)
    found = longest_deal(deal, players)
    row = Record(
        name=f"into {title}",
        year=None,
        players=players,
        rules=deal.rules.text,
        hands=str(found.deal),
        status=Status.FINITE,
        cards=found.outcome.cards,
        tricks=found.outcome.tricks,
        source=f"beggar {__version__}: echo '{deal}' | python -m search.ancestry --players {players} --longest",
    )
    records = read_records(TABLE)
    if row.hands not in {record.hands for record in records}:
        write_records(TABLE, [*records, row])


def told(source: str) -> tuple[dict[str, object], int, int, bytes] | None:
    """Settings, searcher, leg and digest of a row's source; None if it names no leg."""
    words = shlex.split(source.partition(": ")[2])
    if words[:2] != ["beggar", "replay"]:
        return None
    options = dict(zip(words[2::2], words[3::2]))
    settings = settings_of(json.loads(options["--settings"]))
    return settings, int(options["--searcher"]), int(options["--leg"]), bytes.fromhex(options["--digest"])


@cache
def printed(source: str) -> list[str]:
    """What the command of a row's source prints, which is no leg."""
    command = source.partition(": ")[2].replace("python ", f"{shlex.quote(sys.executable)} ", 1)
    done = subprocess.run(["bash", "-c", command], cwd=TREE, capture_output=True, text=True, check=True)
    return done.stdout.split()


def check() -> int:
    failed = 0
    for record in read_records(TABLE):
        problems = [] if record.agrees(play(record.deal)) else ["its game goes another way"]
        if leg := told(record.source):
            again = replay_settings(*leg)
            if not again.agrees:
                problems.append("its leg has another digest")
            if (record.deal.cards, record.cards, record.tricks) not in {(f.deal, f.cards, f.tricks) for f in again.finds}:
                problems.append("its leg does not find it")
        elif record.hands not in printed(record.source):
            problems.append("its command does not find it")
        print(f"{record.hands}: {'; '.join(problems) or 'found again'}", flush=True)
        failed += bool(problems)
    return int(failed > 0)


def rows(name: str) -> list[dict[str, str]]:
    with open(TREE / "results" / name, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def check_infinite() -> int:
    cycles, games = rows("infinite-cycles.csv"), rows("infinite-games.csv")
    wrong = list(faults(cycles, games))
    for line in wrong:
        print(line)
    print(f"{len(cycles)} cycles, {len(games)} games: {len(wrong) or 'nothing'} wrong")
    return int(bool(wrong))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] + f" This is version {__version__}.")
    actions = parser.add_subparsers(dest="action", required=True)
    adding = actions.add_parser("add")
    adding.add_argument("run")
    adding.add_argument("--top", type=int, default=3)
    adding.add_argument("--infinite", action="store_true")
    descending = actions.add_parser("descend")
    descending.add_argument("players", type=int, choices=(3, 4))
    descending.add_argument("name", help="'Nessler 2022'")
    checking = actions.add_parser("check")
    checking.add_argument("what", nargs="?", choices=("finite", "infinite"), default="finite")
    given = parser.parse_args()
    if given.action == "check":
        return check_infinite() if given.what == "infinite" else check()
    if given.action == "descend":
        descend(given.players, given.name)
        return 0
    add(given.run, given.top, given.infinite)
    return 0


if __name__ == "__main__":
    sys.exit(main())
