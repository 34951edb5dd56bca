"""Where the values of options come from: command line, then environment, then config file, then defaults.

The config file is TOML with one table a command and the option names as keys::

    [search]
    workers = 4
    time = "8h"

It is ./beggar.toml, or what --config or BEGGAR_CONFIG names. In the environment an option is
BEGGAR_COMMAND_OPTION: BEGGAR_SEARCH_WORKERS=4.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from types import SimpleNamespace

from .errors import InputError
from .options import Command, Setting, bind_arguments, split_argv, switch, word
from .paths import is_pipe

DEFAULT_FILE = "beggar.toml"
MAX_FILE = 1 << 20  # bytes; a config file is a page of text

CONFIG = Setting("config", f"read options from this TOML file (default: ./{DEFAULT_FILE}, if there is one)", word, metavar="FILE")


def resolve(
    command: Command, argv: Sequence[str], tables: Iterable[str], environ: Mapping[str, str] | None = None
) -> SimpleNamespace:
    """All values of one call of `command`.

    Args:
        argv: what was typed after the command's name.
        tables: the names that a table of the config file may have: all commands.
        environ: the environment; os.environ if None.

    Returns:
        A namespace with one attribute an argument and an option, and `sources`: for each option
        that somebody gave, where from ('--seed', 'BEGGAR_SEARCH_SEED', 'beggar.toml, [search] seed').

    Raises:
        InputError: anything that cannot be understood; the message names its place.
    """
    environ = os.environ if environ is None else environ
    typed, arguments = split_argv(command, argv)
    layers = [_from_line(command, typed), _from_environment(command, environ)]
    path = typed.get("config") or environ.get("BEGGAR_CONFIG") or None
    layers.append(_from_file(command, path, set(tables)))

    values: dict[str, object] = {}
    sources: dict[str, str] = {}
    for setting in command.settings:
        values[setting.key] = setting.default
        for layer in layers:
            if setting.key in layer:
                source, raw = layer[setting.key]
                values[setting.key] = _read(setting, raw, source)
                sources[setting.key] = source
                break
    values.update(bind_arguments(command, arguments))
    return SimpleNamespace(**values, sources=sources)


Layer = dict[str, tuple[str, str | bool]]


def _from_line(command: Command, typed: Mapping[str, str | bool]) -> Layer:
    flags = {s.key: s.flag for s in command.settings}
    return {key: (flags[key], raw) for key, raw in typed.items()}


def _from_environment(command: Command, environ: Mapping[str, str]) -> Layer:
    prefix = f"BEGGAR_{command.name.upper()}_"
    keys = {prefix + s.key.upper(): s.key for s in command.settings if s is not CONFIG}
    layer: Layer = {}
    for name in environ:
        if name.startswith(prefix):
            if name not in keys:
                raise InputError(f"environment variable {name}: beggar {command.name} has no such option")
            layer[keys[name]] = (name, environ[name])
    return layer


def _from_file(command: Command, path: str | None, tables: set[str]) -> Layer:
    if path is None and not os.path.exists(DEFAULT_FILE):
        return {}
    if path is None and is_pipe(DEFAULT_FILE):
        raise InputError(f"config file {DEFAULT_FILE}: is a pipe; a file is wanted")
    path = path or DEFAULT_FILE
    content = _load(path)
    for name, table in content.items():
        if name not in tables:
            raise InputError(f"{path}: no table or key {name!r} is known; there is one table a command: {', '.join(sorted(tables))}")
        if not isinstance(table, dict):
            raise InputError(f"{path}: {name!r} is a table: write [{name}]")
    keys = {s.key: s for s in command.settings if s is not CONFIG}
    layer: Layer = {}
    for name, value in content.get(command.name, {}).items():
        source = f"{path}, [{command.name}] {name}"
        key = name.replace("-", "_")
        if key not in keys:
            raise InputError(f"{source}: no such option; there are {', '.join(s.name for s in keys.values())}")
        if isinstance(value, bool):
            if keys[key].read is not None:
                raise InputError(f"{source}: a value is wanted, not true or false")
        elif isinstance(value, (int, float, str)):
            try:
                value = str(value)
            except ValueError:  # thousands of digits
                raise InputError(f"{source}: too large a number") from None
        else:
            raise InputError(f"{source}: a text or a number is wanted")
        layer[key] = (source, value)
    return layer


def _load(path: str) -> dict[str, object]:
    try:
        if os.path.isdir(path):
            raise InputError(f"config file {path}: is a folder")
        with open(path, "rb") as file:
            body = file.read(MAX_FILE + 1)
    except (OSError, ValueError) as e:
        raise InputError(f"config file {path}: {getattr(e, 'strerror', None) or e}") from None
    if len(body) > MAX_FILE:
        raise InputError(f"config file {path}: larger than {MAX_FILE} bytes")
    try:
        return tomllib.loads(body.decode())
    except UnicodeDecodeError:
        raise InputError(f"config file {path}: not UTF-8 text") from None
    except (ValueError, RecursionError) as e:  # TOMLDecodeError is a ValueError, and so is what a number of thousands of digits gives
        raise InputError(f"config file {path}: not TOML: {str(e).splitlines()[0]}") from None


def _read(setting: Setting, raw: str | bool, source: str) -> object:
    if isinstance(raw, bool):
        return raw
    try:
        return switch(raw) if setting.read is None else setting.read(raw)
    except InputError as e:
        shown = raw if len(raw) <= 40 else raw[:37] + "..."
        raise InputError(f"{source} {shown!r}: {e}") from None
