"""How the program says that something went wrong."""

from __future__ import annotations

import sys
from contextlib import suppress

MAX_MESSAGE = 600  # characters; a message quotes what was typed, and that may be megabytes


def complain(message: object) -> None:
    """Print an error: one line on standard error, whatever the message holds."""
    line = "".join(c if c.isprintable() else repr(c)[1:-1] for c in str(message))
    if len(line) > MAX_MESSAGE:
        half = MAX_MESSAGE // 2  # what is wrong stands at the beginning; a worker's traceback says it at its end
        line = line[:half] + " ... " + line[-half:]
    with suppress(OSError):  # what cannot be written is noticed once more at the end
        sys.stdout.flush()
    try:
        print(f"beggar: error: {line}", file=sys.stderr, flush=True)
    except OSError:
        pass  # nobody reads it; the exit status still says it
