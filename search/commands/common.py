"""Settings and input that several commands share."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from types import SimpleNamespace

from .. import options
from ..complaints import complain
from ..deal import Deal, Place, parse_arguments, parse_many
from ..distribution import OF
from ..errors import BeggarError, InputError
from ..options import Argument, Setting
from ..report import FORMATS, json_line
from ..rules import Rules

RUN = Argument("RUN", "a name (results/NAME.run), or a path if it has a slash or ends in .run")
RUNS = Argument("RUN", "runs: names, or paths of run files", "+")
JSON = Setting("json", "print JSON for scripts: one object a line", default=False)
RULES = Setting(
    "rules", "standard (default), italian, free, or counts with pays: '4A=4 4K=3 4Q=2 4J=1 36-'", options.word, "standard", "R"
)
PLAYERS = Setting("players", "seats: 2 (default), 3 or 4", options.whole(2, 4), 2, "N")
GAME = (RULES, PLAYERS)
COUNTED = Setting(
    "of",
    "games: cards until a game is over, from where the strategy began it (default); lines: of the lines found by playing "
    "backward, in what the run is for; periods: tricks in the loops of a scan",
    options.one_of(*OF), "games", "WHAT",
)  # fmt: skip
FORMAT = Setting("format", "table (default), csv, json or markdown", options.one_of(*FORMATS), "table", "F")
FORMAT_NOT_JSON = {"--json": "is written --format json here"}  # what a list of rows has instead

MAX_LINE = 1 << 20  # bytes; no deal is longer, and what is longer is not worth holding


def rules_of(args: SimpleNamespace) -> Rules:
    """The rules that --rules and --players name."""
    return Rules.parse(args.rules, seats=args.players)


def read_deals(texts: Sequence[str], rules: Rules) -> Iterator[Deal | InputError]:
    """The deals that arguments hold; '-' stands for what standard input holds.

    Arguments are joined until a deal is complete, and so are lines. What is wrong with a text that is
    no deal says where it stands.
    """
    joined: list[str] = []
    for text in [*texts, None]:
        if text is not None and text != "-":
            joined.append(text)
            continue
        if joined:
            yield from (_placed(item, place, len(texts) > 1) for place, item in parse_arguments(joined, rules))
            joined = []
        if text == "-":
            yield from (_placed(item, place, True) for place, item in parse_many(lines_of_input(), rules))


def _placed(item: Deal | InputError, place: Place, several: bool) -> Deal | InputError:
    return InputError(f"{place}: {item}") if several and isinstance(item, InputError) else item


def lines_of_input() -> Iterator[bytes]:
    """Standard input, line by line, absurdly long lines cut off."""
    source = getattr(sys.stdin, "buffer", None)
    while source is not None and (line := source.readline(MAX_LINE)):
        if len(line) == MAX_LINE and not line.endswith(b"\n"):
            while (rest := source.readline(MAX_LINE)) and not rest.endswith(b"\n"):
                pass
        yield line


def print_result(text: str) -> None:
    """Print what a command ends with. Whoever does not read it does not change how the command ended."""
    try:
        print(text, end="", flush=True)
    except BrokenPipeError:
        pass  # it stays in the buffer, and main() finds it there


class ReaderGone(Exception):
    """Nobody reads the answers any more; `status` is that of the answer that could not be told."""

    def __init__(self, status: int):
        super().__init__(status)
        self.status = status


def tell(text: str, status: int) -> int:
    """Print an answer, and return its status; raises ReaderGone, which knows it, too."""
    try:
        print(text, flush=True)
    except BrokenPipeError:
        raise ReaderGone(status) from None
    return status


def answer_all(items: Iterable, answer: Callable[[object], int], as_json: bool, unread: int = 0) -> int:
    """Answer every item of a list, and return the highest exit status.

    Args:
        items: what to answer; an InputError stands for an item that could not be read.
        answer: takes an item and returns its exit status; may raise BeggarError, and ReaderGone.
        as_json: whether an item that cannot be answered gets {"error": ...} on standard output, so that
            there is one object an item; the error goes to standard error in any case.
        unread: the status if whoever reads the answers goes away while nothing is known against any item;
            what is left is not answered then. A command that judges gives UNREAD.
    """
    highest = 0
    for item in items:
        status = 0
        try:
            try:
                if isinstance(item, InputError):
                    raise item
                status = answer(item)
            except BeggarError as e:
                complain(e)
                status = e.exit_status
                if as_json:
                    print(json_line({"error": str(e)}), flush=True)
        except ReaderGone as e:
            return max(highest, e.status) or unread
        except BrokenPipeError:
            return max(highest, status) or unread
        highest = max(highest, status)
    return highest
