"""The first bytes of a run file, judged before SQLite sees it."""

from __future__ import annotations

import os
import stat

from .errors import CannotWrite, InputError, RunFileError
from .lock import held

APPLICATION_ID = 0x42674D4E  # "BgMN"
VERSION = 1  # of the tables, see runfile.py


def check_header(path: str) -> None:
    """Judge a file by its first bytes, before SQLite opens it. Messages name it as it is given.

    Raises:
        InputError: there is no such file.
        CannotWrite: it may not be read.
        RunFileError: it is not a run, or one from a newer program, or damaged or cut short.
    """
    if held(path):
        return  # closing a descriptor of it would drop the locks that SQLite holds in this process
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        raise InputError(f"{path}: no such run; `beggar runs` lists those in results/") from None
    except OSError as error:
        raise CannotWrite(f"{path}: cannot read it: {error.strerror}") from None
    try:
        about = os.fstat(descriptor)
        if not stat.S_ISREG(about.st_mode):
            raise RunFileError(f"{path}: {'a folder' if stat.S_ISDIR(about.st_mode) else 'not a regular file'}, not a run")
        head = os.read(descriptor, 100)
    except OSError as error:
        raise CannotWrite(f"{path}: cannot read it: {error.strerror}") from None
    finally:
        os.close(descriptor)
    if not head:
        raise RunFileError(f"{path}: the file is empty; if it was a run, restore it from a copy")
    if head[:16] != b"SQLite format 3\0" or len(head) < 100 or int.from_bytes(head[68:72], "big") != APPLICATION_ID:
        raise RunFileError(f"{path}: not a run of this program, or its beginning is damaged; it was left as it is")
    version = int.from_bytes(head[60:64], "big")
    if version > VERSION:
        raise RunFileError(f"{path}: made by a newer program (file version {version}, this one reads up to {VERSION}): use that one")
    if version < 1:
        raise RunFileError(f"{path}: damaged (file version {version}); restore it from a copy")
    if head[18] != 1 or head[19] != 1:
        raise RunFileError(f"{path}: another program changed its journal mode, or it is damaged; `PRAGMA journal_mode=DELETE` undoes that")
    page = int.from_bytes(head[16:18], "big")
    page = 65536 if page == 1 else page
    pages = int.from_bytes(head[28:32], "big")
    # With a journal beside it the file may rightly be in mid-change: SQLite mends it, and checks it then.
    if not os.path.exists(os.path.realpath(path) + "-journal") and about.st_size < page * pages:
        raise RunFileError(f"{path}: cut short ({about.st_size} of {page * pages} bytes); restore it from a copy")
