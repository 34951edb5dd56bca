"""The program: finds the command, calls it, and turns what comes back into an exit status.

Exit status: 0 done, or the claim holds; 1 the claim fails; 2 wrong usage or input; 3 a damaged or
foreign file; 4 the run is in use; 5 cannot write; 70 a fault of ours; 75 a cluster is lost; 130 stopped
by Ctrl-C; 141 whoever read the answers went away before all deals were judged.

Only what is quick to import is imported here, so that Ctrl-C finds a program that can answer it.
"""

from __future__ import annotations

import errno
import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress

from . import __version__
from .complaints import complain
from .errors import STOPPED, BeggarError, CannotWrite, InputError

# EIO is what a terminal gives that has been closed.
_CANNOT_WRITE = {errno.ENOSPC, errno.EDQUOT, errno.EACCES, errno.EPERM, errno.EROFS, errno.EFBIG, errno.EIO}


def program() -> int:
    """`main` for a process of its own: Ctrl-C ends it quietly at any time.

    While the program is being imported nothing has begun that would have to be finished. After `main`
    nothing is left to do, and Python must not be interrupted in its own clean-up.
    """
    ours = signal.getsignal(signal.SIGINT) is signal.default_int_handler  # not so where Ctrl-C is to be ignored
    try:
        if ours:
            signal.signal(signal.SIGINT, lambda *_: os._exit(STOPPED))
        with suppress(Exception):  # `main` meets it again, and says what it means
            from . import commands, engine  # noqa: F401
        if ours:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        return main()
    except KeyboardInterrupt:
        return STOPPED
    finally:
        if ours:
            signal.signal(signal.SIGINT, signal.SIG_DFL)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line (sys.argv by default) and return the exit status."""
    status = 0
    try:
        _prepare_streams()
        try:
            status = _dispatch(list(sys.argv[1:] if argv is None else argv))
        except BeggarError as e:
            complain(e)
            status = e.exit_status
        sys.stdout.flush()
    except BrokenPipeError:
        _drop_output()  # whoever read our output has seen enough
    except KeyboardInterrupt:
        _drop_output(only_if_broken=True)
        status = STOPPED
    except OSError as e:
        if e.errno not in _CANNOT_WRITE:
            return _fault(e)
        _drop_output()
        complain(f"cannot write{f' {e.filename}' if e.filename else ''}: {e.strerror}")
        status = CannotWrite.exit_status
    except Exception as e:
        return _fault(e)
    return status


def _prepare_streams() -> None:
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by whoever started us; there is nobody to read it
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # arguments may hold bytes that are no text


def _dispatch(argv: list[str]) -> int:
    _check_built()
    from . import engine
    from .commands import COMMANDS
    from .config import resolve
    from .options import help_text

    if argv[:1] in (["--version"], ["version"]):
        print(f"beggar {__version__}")
        return 0
    if not argv:
        print(_overview(COMMANDS), end="", file=sys.stderr)
        return InputError.exit_status
    name, *rest = argv
    if name in ("--help", "-h", "help"):
        if not rest:
            print(_overview(COMMANDS), end="")
            return 0
        name, rest = rest[0], ["--help"]
    if name not in COMMANDS:
        import difflib

        near = difflib.get_close_matches(name, COMMANDS, n=1)
        hint = f"; did you mean {near[0]}?" if near else ""
        raise InputError(f"no command {name[:40]!r}; there are {', '.join(COMMANDS)}{hint}")
    command = COMMANDS[name]
    if _asks_for_help(rest):
        print(help_text(command), end="")
        return 0
    args = resolve(command, rest, COMMANDS)
    engine.forced()  # a BEGGAR_ENGINE that does not exist is an error even where nothing is played
    return command.run(args)


def _check_built() -> None:
    """Refuse to go on from sources that are not built: in a clone, they hide the installed program from `python -m`."""
    try:
        from . import _kernel  # noqa: F401
    except ImportError as e:
        if e.name != __package__:
            raise
        import shlex

        here = os.path.dirname(os.path.abspath(__file__))
        build = shlex.join([sys.executable, "-m", "pip", "install", "-e", os.path.dirname(here)])
        raise InputError(
            f"{here} holds sources that are not built, and python -m takes them before an installed program; "
            f"build them: {build}; or type beggar where it is installed, or go to another folder"
        ) from None


def _asks_for_help(argv: list[str]) -> bool:
    before = argv[: argv.index("--")] if "--" in argv else argv
    return "--help" in before or "-h" in before


def _overview(commands) -> str:
    width = max(map(len, commands)) + 2
    lines = ["usage: beggar COMMAND ...", "", "How long can a game of Beggar-My-Neighbour last?", ""]
    lines += [f"  {name:{width}}{command.summary}" for name, command in commands.items()]
    return "\n".join([*lines, "", "beggar COMMAND --help tells more; beggar --version.", ""])


def _fault(error: Exception) -> int:
    _drop_output(only_if_broken=True)
    if os.environ.get("BEGGAR_DEBUG"):
        import traceback

        traceback.print_exc()
    text = f"{type(error).__name__}: {error}".rstrip(": ")
    complain(f"this is a fault of the program, not yours: {text} (BEGGAR_DEBUG=1 shows where; please report it)")
    return BeggarError.exit_status


def _drop_output(only_if_broken: bool = False) -> None:
    """Keep the interpreter from failing once more at exit over output that cannot be written."""
    try:
        if only_if_broken:
            sys.stdout.flush()
            return
    except OSError:
        pass
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):
        pass  # not a real file: nothing will be flushed to it
