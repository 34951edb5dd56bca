"""The ways in which a request can fail, each with the exit status that the program ends with."""

from __future__ import annotations

STOPPED = 130  # exit status after a clean stop by Ctrl-C or SIGTERM: as of a program that Ctrl-C ends
UNREAD = 141  # exit status of a judge whom nobody listens to any more: as of a program that SIGPIPE ends


class BeggarError(Exception):
    """Something a person can act on: one line says what is wrong, where, and what is accepted."""

    exit_status = 70


class Disagreement(BeggarError):
    """Two engines contradict each other, or one a golden game: a fault of the program."""


class InputError(BeggarError):
    """Wrong usage or input."""

    exit_status = 2


class NameTaken(InputError):
    """A new run was to have the name of something that exists."""


class RulesError(InputError):
    """A text that does not describe rules."""


class NotationError(InputError):
    """A text that cannot be read as a deal."""


class AmbiguousNotation(NotationError):
    """A text that reads as a deal in two ways; the message shows both."""


class IllegalDeal(InputError):
    """A deal that can be read, but that its rules do not allow ('five aces')."""


class RunFileError(BeggarError):
    """A run file that is damaged, foreign or from another version; it has not been written to."""

    exit_status = 3


class RunInUse(BeggarError):
    """Another process is writing the run."""

    exit_status = 4


class CannotWrite(BeggarError):
    """The disk is full, or permission is missing."""

    exit_status = 5


class ClusterLost(BeggarError):
    """The scheduler of a cluster cannot be reached, or not any more; what is committed is safe, `resume` goes on."""

    exit_status = 75  # "try again later", as in sysexits.h


class MissingExtra(InputError):
    """An optional dependency is not installed; the message says how to install it."""

    @classmethod
    def named(cls, extra: str, needs: str) -> MissingExtra:
        """The error that somebody who asked for what an extra brings is shown; `needs`: what needs what."""
        return cls(f"{needs}, which is not installed: pip install 'beggar[{extra}]', or, in the source folder, pip install '.[{extra}]'")


class Fault(BeggarError):
    """A fault of ours, in the program or the machine, that a person should hear of: nothing doubtful was stored."""

    exit_status = 70
