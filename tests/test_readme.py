"""The README is true: its examples are run, its tables are compared with the program.

A fenced block marked `console` is a session: lines that begin with `$ ` are run by bash, in order, in
one folder; the lines below a command are what it prints, where `...` stands for anything. All commands
of `sh` blocks must at least be understood by the program.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import stat
import subprocess
import sys

import pytest

from search import config
from search.commands import COMMANDS
from search.expect import Expectation, Fit, Goal
from search.strategies import STRATEGIES

from conftest import TREE, environment

README = (TREE / "README.md").read_text()
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", README, re.M | re.S)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder for all sessions, with the program on the path."""
    place = tmp_path_factory.mktemp("readme")
    shim = place / "bin" / "beggar"
    shim.parent.mkdir()
    shim.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m search "$@"\n')
    shim.chmod(shim.stat().st_mode | stat.S_IXUSR)
    return place


def sessions():
    for number, (kind, body) in enumerate(BLOCKS):
        if kind == "console":
            assert body.startswith("$ ")
            yield pytest.param(body, id=f"{number}-{body[2:40].splitlines()[0]}")


def matches(wanted: str, got: str) -> bool:
    pattern = re.escape(wanted.rstrip("\n")).replace(r"\.\.\.", ".*?")
    return re.fullmatch(pattern, got.rstrip("\n"), re.S) is not None


@pytest.mark.parametrize("body", list(sessions()))
def test_sessions(folder, body):
    env = environment(PATH=f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}", COLUMNS="100")
    for command, wanted in re.findall(r"^\$ (.*(?:\n> .*)*)\n((?:(?!\$ ).*\n)*)", body, re.M):
        command = command.replace("\n> ", "\n")
        done = subprocess.run(["bash", "-c", command], cwd=folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, stdin=subprocess.DEVNULL, timeout=120)
        got = done.stdout
        assert matches(wanted, got), f"$ {command}\nwanted:\n{wanted}\ngot:\n{got}"


def shell_commands():
    for kind, body in BLOCKS:
        if kind == "sh":
            for line in body.replace("\\\n", " ").splitlines():
                words = shlex.split(line, comments=True)
                while words and re.fullmatch(r"[A-Z_]+=.*", words[0]):
                    words.pop(0)
                if words and words[0] == "beggar":
                    yield pytest.param(words[1:], id=line.strip())


@pytest.mark.parametrize("argv", list(shell_commands()))
def test_commands_are_understood(argv, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for end in ("|", ">", "<", "&&"):
        if end in argv:
            argv = argv[: argv.index(end)]
    config.resolve(COMMANDS[argv[0]], argv[1:], COMMANDS, {})


def test_every_command_and_every_setting_of_a_search_is_described():
    for name in COMMANDS:
        assert re.search(rf"`?beggar {name}\b", README), name
    own = {option.name.replace("_", "-") for strategy in STRATEGIES.values() for option in strategy.options}
    for name in ("search", "resume"):
        for setting in COMMANDS[name].settings:
            assert setting.name in own or f"--{setting.name}" in README, setting.name


def test_relative_links_lead_somewhere():
    for target in re.findall(r"\]\((?!https?:|#)([^)]+)\)", README):
        assert (TREE / target.partition("#")[0]).exists(), target


def test_the_two_commands_that_ci_takes_from_here():
    for name in ("search", "tests"):
        assert re.search(rf"^<!-- command: {name} -->\n```sh\n.*\n```$", README, re.M), name


def test_all_keys_of_status_are_explained(beggar):
    options = ("--strategy", "random", "--seed", 1, "--leg-games", 200, "--legs", 1, "--workers", 1, "--quiet")
    assert beggar("search", "keys", *options).status == 0
    state = json.loads(beggar("status", "keys", "--json").out)
    fit = Fit(30.0, 1.0, 100)
    expectation = Expectation("cards", fit, 100, fit, True, 3000, 50, 0.5, (Goal(6000, 1.0, 1.2),)).as_json()
    (worker,) = state["workers"]
    keys = {*state, *state["session"], *worker, *expectation, *expectation["goals"][0]}
    words = set(re.findall(r"`(\w+)`", README))
    assert keys - words == set()
    assert worker["state"] == "ended" and {"at work", "greeting", "refused", "distrusted", "hanging", "lost", "ended"} <= set(re.findall(r"`([a-z ]+)`", README))
