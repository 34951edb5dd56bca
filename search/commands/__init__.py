"""The commands of the program, one function each, in the order in which the help shows them."""

from __future__ import annotations

from ..options import Command

ALL: tuple[Command, ...] = ()

COMMANDS: dict[str, Command] = {command.name: command for command in ALL}
