"""The words of the command line: settings, how their values are read, and how arguments are told from options."""

from __future__ import annotations

import argparse
import difflib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import time as clock_time
from types import SimpleNamespace

from .errors import InputError

MAX_WHOLE = 2**63 - 1  # what a run file and a TOML file can hold

# What a deal is written with: ranks, number marks, suits, and what may stand between hands.
_DEAL = re.compile(r"[-._*0-9AKQJNOTXSHDC/|,;:]+", re.IGNORECASE)
# What an option looks like: one or two dashes and a word, with at least one letter that is no rank.
_OPTION = re.compile(r"--?(?=[a-z]*[b-ilmnor-z])[a-z]+", re.ASCII)

# What somebody may have meant as an option, with its value or not. What is none of this may be a deal with a slip in it.
_MEANT_AS_OPTION = re.compile(r"--?[a-z][-a-z0-9]*([=:].*)?", re.IGNORECASE | re.DOTALL)

_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


@dataclass(frozen=True)
class Setting:
    """An option of a command; a key of the config file and an environment variable, too.

    Attributes:
        name: as typed after the two dashes, 'until-cards'.
        help: one line.
        read: makes a value of a text, raising InputError; None for a flag, which is true or false.
        default: the value if nobody says anything.
        metavar: what stands for the value in the help.
        group: heading in the help.
    """

    name: str
    help: str
    read: Callable[[str], object] | None = None
    default: object = None
    metavar: str = ""
    group: str = ""

    @property
    def key(self) -> str:
        """The attribute that holds the value: 'until_cards'."""
        return self.name.replace("-", "_")

    @property
    def flag(self) -> str:
        """As typed: '--until-cards'."""
        return "--" + self.name


@dataclass(frozen=True)
class Argument:
    """What stands on the command line without dashes. `count` is argparse's nargs."""

    name: str
    help: str
    count: str | None = None


@dataclass(frozen=True)
class Command:
    """One command of the program: what it takes, and the function that does it and returns the exit status."""

    name: str
    summary: str
    run: Callable[[SimpleNamespace], int]
    arguments: tuple[Argument, ...] = ()
    settings: tuple[Setting, ...] = ()
    notes: str = ""
    refused: dict[str, str] = field(default_factory=dict)  # options with a reason of their own to be refused

    @property
    def usage(self) -> str:
        """One line: 'beggar verify DEAL... [options]'."""
        shown = {"*": "[{}...]", "+": "{}...", "?": "[{}]"}
        words = [shown.get(a.count, "{}").format(a.name) for a in self.arguments]
        return " ".join(["beggar", self.name, *words, "[options]"])


def whole(minimum: int = 1, maximum: int = MAX_WHOLE) -> Callable[[str], int]:
    """A reader of whole numbers within bounds; 1_000_000 may be written so."""

    def read(text: str) -> int:
        if not re.fullmatch(r"[-+]?[0-9](_?[0-9])*", text.strip()) or len(text) > 40:
            raise InputError(f"a whole number is wanted, {minimum} or more")
        value = int(text)
        if value < minimum:
            raise InputError(f"at least {minimum} is wanted")
        if value > maximum:
            raise InputError(f"at most {maximum} is accepted")
        return value

    return read


def whole_or_all(text: str) -> int | None:
    """A whole number from 1, or None for 'all'."""
    if text.strip().lower() == "all":
        return None
    try:
        return whole(1)(text)
    except InputError as e:
        raise InputError(f"{e}, or 'all'") from None


def duration(text: str) -> float:
    """Seconds of '90s', '15m', '8h', '2d' or '1h30m'."""
    parts = re.findall(r"([0-9]+(?:\.[0-9]+)?)([smhd])", text.strip().lower())
    if not parts or "".join(n + unit for n, unit in parts) != text.strip().lower():
        raise InputError("a duration is a number with a unit, such as 90s, 15m, 8h or 2d")
    seconds = sum(float(n) * _UNITS[unit] for n, unit in parts)
    if not 0 < seconds <= MAX_WHOLE:
        raise InputError("a duration is longer than nothing, such as 90s, 15m, 8h or 2d")
    return seconds


def share(text: str) -> float:
    """A share of a whole, '0.01' or '1%'; from 0 to 1."""
    found = re.fullmatch(r"([0-9]*\.?[0-9]+)(%?)", text.strip())
    value = float(found[1]) / (100 if found[2] else 1) if found and len(text) <= 40 else -1.0
    if not 0 <= value <= 1:
        raise InputError("a share from 0 to 1 is wanted, such as 0.01 or 1%")
    return value


def clock(text: str) -> clock_time:
    """A time of day, '07:00' or '7:00:30'."""
    found = re.fullmatch(r"([0-9]{1,2}):([0-9]{2})(?::([0-9]{2}))?", text.strip())
    try:
        return clock_time(*(int(n) for n in found.groups(default="0")))
    except (AttributeError, ValueError):
        raise InputError("a time of day is wanted, 00:00 to 23:59") from None


def one_of(*choices: str) -> Callable[[str], str]:
    """A reader that accepts these words only."""

    def read(text: str) -> str:
        word = text.strip().lower()
        if word not in choices:
            raise InputError(f"accepted are {', '.join(choices)}{_nearest(word, choices)}")
        return word

    return read


def word(text: str) -> str:
    """Any text but an empty one."""
    if not text.strip():
        raise InputError("a value is wanted")
    if "\0" in text:
        raise InputError("a zero byte cannot be part of a value")
    return text


def span(text: str) -> tuple[int, int | None]:
    """First and last of 'A:B', 'A:' (to the end), ':B' or 'A' alone; counted from 1."""
    found = re.fullmatch(r"([0-9]{0,18})(:?)([0-9]{0,18})", text.strip())
    if not found or not (found[1] or found[3]):
        raise InputError("a range is wanted: 1:20, 100: or 7")
    first = int(found[1] or 1)
    last = int(found[3]) if found[3] else None if found[2] else first
    if first < 1 or (last is not None and last < first):
        raise InputError("a range counts from 1 and does not go backward: 1:20, 100: or 7")
    return first, last


def switch(text: str) -> bool:
    """True or false, as words or 1 and 0."""
    value = {"1": True, "true": True, "yes": True, "on": True, "0": False, "false": False, "no": False, "off": False}
    try:
        return value[text.strip().lower()]
    except KeyError:
        raise InputError("true or false is wanted") from None


def looks_like_deal(token: str) -> bool:
    """Whether an argument that begins with a dash is (part of) a deal rather than a mistyped option.

    Nearly every record begins with number cards, and no option of this program is made of the
    letters A K Q J alone. So a token of nothing but what deals are written with is a deal, unless
    it has the shape of an option: dashes and one word with a letter that is no rank ('--hands').
    Blanks and characters outside ASCII are in no option, but in many pasted deals; and what begins with
    number cards and holds a sign that no option has is left to the reader of deals, who can say what is wrong.
    """
    if re.search(r"\s", token) or not token.isascii() or not _MEANT_AS_OPTION.fullmatch(token):
        return True
    return len(token) > 1 and bool(_DEAL.fullmatch(token)) and not _OPTION.fullmatch(token)


def split_argv(command: Command, argv: Sequence[str]) -> tuple[dict[str, str | bool], list[str]]:
    """Tell options from arguments.

    A known option counts as one first, and takes the next token as its value, whatever that is;
    then what looks like a deal is an argument, and so is everything after '--'.

    Returns:
        {key: value as typed, or True/False for a flag}, and the arguments.

    Raises:
        InputError: an option that the command does not have, or one without its value.
    """
    known = {s.flag: s for s in command.settings}
    negated = {"--no-" + s.name: s for s in command.settings if s.read is None}
    options: dict[str, str | bool] = {}
    arguments: list[str] = []
    tokens = iter(argv)
    for token in tokens:
        name, equals, value = token.partition("=")
        if token == "--":
            arguments.extend(tokens)
        elif not token.startswith("-") or token == "-":
            arguments.append(token)
        elif name in negated and not equals:
            options[negated[name].key] = False
        elif name in known:
            setting = known[name]
            if setting.read is None:
                if equals:
                    raise InputError(f"{name} takes no value")
                options[setting.key] = True
            else:
                options[setting.key] = value if equals else next(tokens, None)
                if options[setting.key] is None:
                    raise InputError(f"{name} needs a value: {name} {setting.metavar or 'VALUE'}")
        elif looks_like_deal(token):
            arguments.append(token)
        elif name in command.refused:
            raise InputError(f"{name}: {command.refused[name]}")
        else:
            shown = token if len(token) <= 40 else token[:37] + "..."
            raise InputError(
                f"beggar {command.name} has no option {shown!r}{_nearest(name, known)}; see beggar {command.name} --help"
            )
    return options, arguments


def bind_arguments(command: Command, arguments: list[str]) -> dict[str, str | list[str] | None]:
    """Give the arguments their names; raises InputError where there are too few or too many."""
    bound: dict[str, str | list[str] | None] = {}
    rest = list(arguments)
    for argument in command.arguments:
        key = argument.name.lower()
        if argument.count in ("*", "+"):
            bound[key], rest = rest, []
            missing = argument.count == "+" and not bound[key]
        else:
            bound[key] = rest.pop(0) if rest else None
            missing = argument.count is None and bound[key] is None
        if missing:
            raise InputError(f"{argument.name} is missing; usage: {command.usage}")
    if rest:
        shown = rest[0] if len(rest[0]) <= 40 else rest[0][:37] + "..."
        raise InputError(f"{shown!r} is one argument too many; usage: {command.usage}")
    return bound


def help_text(command: Command) -> str:
    """The help of one command, laid out by argparse."""
    parser = argparse.ArgumentParser(
        prog=f"beggar {command.name}",
        usage=command.usage,
        description=command.summary,
        epilog=command.notes,
        add_help=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    for argument in command.arguments:
        parser.add_argument(argument.name, help=_plain(argument.help))
    groups = {"": parser.add_argument_group("options")}
    for setting in command.settings:
        group = groups.setdefault(setting.group, None) or parser.add_argument_group(setting.group)
        groups[setting.group] = group
        if setting.read is None:
            group.add_argument(setting.flag, action="store_true", help=_plain(setting.help))
        else:
            group.add_argument(setting.flag, metavar=setting.metavar or "VALUE", help=_plain(setting.help))
    groups[""].add_argument("--help", action="store_true", help="show this help")
    return parser.format_help()


def _plain(text: str) -> str:
    return text.replace("%", "%%")  # argparse formats its help with %


def _nearest(word: str, choices) -> str:
    near = difflib.get_close_matches(word, choices, n=1)
    return f"; did you mean {near[0]}?" if near else ""
