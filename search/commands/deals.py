"""Commands about deals: verify, play, index, deal, records."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import SimpleNamespace

from .. import options, report
from ..claim import Claim
from ..complaints import complain
from ..config import CONFIG
from ..deal import Deal
from ..errors import UNREAD, BeggarError, InputError
from ..game import Trick, trace
from ..options import Argument, Command, Setting
from ..outcome import Outcome
from ..records import records_of
from ..verify import verify as verify_deal
from .common import FORMAT, FORMAT_NOT_JSON, GAME, JSON, answer_all, lines_of_input, print_result, read_deals, rules_of, tell

RECORD_COLUMNS = ["name", "year", "from", "players", "status", "cards", "tricks", "lead_in", "period", "as_recorded", "deal"]
NOTATIONS = (
    "A deal is written as 52 characters or as two hands divided by / | , ; : space or a new line; ranks, suits,\n"
    "digits, words, Unicode cards and labels are understood; '-' reads standard input. It may begin with a dash."
)


def verify(args: SimpleNamespace) -> int:
    """Judge deals, and a claim about them. Nobody is told 0 who could not read that all is well."""
    claim = Claim(args.cards, args.tricks, args.infinite, args.lead_in, args.period)
    texts = 0

    def show(deal: Deal) -> int:
        nonlocal texts
        found = verify_deal(deal, claim, args.limit)
        text = report.json_line(found.as_json()) if args.json else "\n".join(([""] if texts else []) + found.as_text())
        texts += 1
        return tell(text, found.exit_status)

    return answer_all(read_deals(args.deal, rules_of(args)), show, args.json, unread=UNREAD)


def records(args: SimpleNamespace) -> int:
    """Replay the records. The status is 1 if one is not what it was."""
    rows = []
    status = 0
    for record in records_of(args.rules, args.players):
        try:
            found = verify_deal(record.deal)
        except BeggarError as e:
            complain(f"{record.name}: {e}")
            status = max(status, e.exit_status)
            continue
        rows.append(
            {
                "name": record.name,
                "year": record.year,
                "from": record.origin,
                "players": record.players,
                **found.as_json(),
                "as_recorded": "yes" if record.agrees(found.outcome) else "NO",
                "source": record.source or None,
            }
        )
    for row in rows:
        row["deal"] = row.pop("deal")  # last in print, because it is long
    if rows or args.format == "json":
        print_result(report.in_format(args.format, rows, RECORD_COLUMNS, list(rows[0]) if rows else []))
    if not rows and not status:
        print("nothing is published about such games, and nothing is in the hall of fame yet", file=sys.stderr)
    return max(status, 0 if all(row["as_recorded"] == "yes" for row in rows) else 1)


def play(args: SimpleNamespace) -> int:
    """Show games trick by trick."""
    first, last = args.tricks or (1, None)

    def show(deal: Deal) -> int:
        game = _Game(deal, args.limit)
        tricks = (t for t in game if first <= t.number and (last is None or t.number <= last))
        if args.json:
            for t in tricks:
                print(report.json_line(report.trick_object(t)))
            print(report.json_line(report.end_object(deal, game.outcome)))
            return 0
        for line in report.lines_of_game(tricks):
            print(line)
        print(game.outcome)
        return 0

    return answer_all(read_deals(args.deal, rules_of(args)), show, args.json)


class _Game:
    """The tricks of a game; when they have been gone through, `outcome` says how it ended."""

    def __init__(self, deal: Deal, limit: int | None) -> None:
        self._trace = trace(deal, limit)
        self.outcome: Outcome | None = None

    def __iter__(self) -> Iterator[Trick]:
        self.outcome = yield from self._trace


def index(args: SimpleNamespace) -> int:
    """Print the ranks of deals."""

    def show(deal: Deal) -> int:
        if args.json:
            print(report.json_line({"deal": str(deal), "rules": str(deal.rules), "index": deal.index, "deals": deal.rules.deals}))
        else:
            print(deal.index)
        return 0

    return answer_all(read_deals(args.deal, rules_of(args)), show, args.json)


def deal(args: SimpleNamespace) -> int:
    """Print the deals that have given ranks."""
    rules = rules_of(args)

    def show(text: str) -> int:
        if rules.counts is None:
            raise InputError("rules 'free' fix no deck, so an index says nothing; name the deck, as in --rules '4A4K4Q4J36-'")
        try:
            number = options.whole(0, rules.deals - 1)(text)
        except InputError as e:
            raise InputError(f"index {text[:40]!r}: {e}") from None
        found = Deal.from_index(number, rules)
        print(report.json_line({"deal": str(found), "rules": str(rules), "index": number, "deals": rules.deals}) if args.json else found)
        return 0

    numbers = (n for text in args.index for n in (_input_numbers() if text == "-" else [text]))
    return answer_all(numbers, show, args.json)


def _input_numbers() -> Iterator[str]:
    return (line.decode("utf-8", "replace").strip() for line in lines_of_input() if line.strip())


DEALS = Argument("DEAL", "the deal, in any notation; '-' reads standard input", "+")

VERIFY = Command(
    "verify",
    "Play claimed deals on every engine, compare them with the records, and check a claim.",
    verify,
    (DEALS,),
    (
        *GAME,
        Setting("cards", "the claim: the game takes so many cards", options.whole(0), metavar="N", group="the claim to check"),
        Setting("tricks", "the claim: so many tricks", options.whole(0), metavar="N", group="the claim to check"),
        Setting("infinite", "the claim: the game never ends", group="the claim to check", default=False),
        Setting("lead-in", "the claim: so many tricks before its loop", options.whole(0), metavar="N", group="the claim to check"),
        Setting("period", "the claim: so many tricks in its loop", options.whole(1), metavar="N", group="the claim to check"),
        Setting("limit", "stop after so many cards; then the most cards in hand win", options.whole(1), metavar="CARDS"),
        JSON,
        CONFIG,
    ),
    NOTATIONS + "\nExit status: 0 the claim holds, or none was made; 1 it fails; 2 a deal that cannot be read or is illegal.",
)
PLAY = Command(
    "play",
    "Show a game trick by trick: who led, who took the pile, the pile, and the hands after it.",
    play,
    (DEALS,),
    (
        *GAME,
        Setting("limit", "stop after so many cards; then the most cards in hand win", options.whole(1), metavar="CARDS"),
        Setting("tricks", "show these tricks only: 1:20, 1100: or 7", options.span, metavar="A:B"),
        JSON,
        CONFIG,
    ),
    NOTATIONS,
)
INDEX = Command(
    "index",
    "The rank of a deal among all deals of its rules, in the order A, K, Q, J, number card.",
    index,
    (DEALS,),
    (*GAME, JSON, CONFIG),
    NOTATIONS,
)
DEAL = Command(
    "deal",
    "The deal that has an index; the way back from beggar index.",
    deal,
    (Argument("INDEX", "numbers from 0; '-' reads them from standard input", "+"),),
    (*GAME, JSON, CONFIG),
)
RECORDS = Command(
    "records",
    "The published records, the best finds of this tool, and a few small games, each replayed on every engine.",
    records,
    (),
    (
        Setting("rules", "only games of this deck: standard, italian, free (small games), or counts with pays", options.word, metavar="R"),
        Setting("players", "only games of so many seats: 2, 3 or 4", options.whole(2, 4), metavar="N"),
        FORMAT,
        CONFIG,
    ),
    "'from' says who stands for a game: 'published' (name and year are those of the publication), 'this tool' (json and csv\n"
    "have in 'source' the command that finds it again), or 'example' (a small game that is good to know).",
    refused=FORMAT_NOT_JSON,
)
