"""--on-find: finds reach the command, and nothing it does can hold up a search."""

from __future__ import annotations

import json
import os
import sys
import time

import pytest

from search.errors import InputError
from search.hook import FindHook, read_command

FIND = {"deal": "--J/-J-", "status": "finite", "cards": 8, "tricks": 3}
WRITE = "import os, sys; open(sys.argv[1], 'a').write(os.environ['BEGGAR_RUN'] + ' ' + os.environ['BEGGAR_DEAL'] + '\\n' + sys.stdin.read())"


def unexpected(text):
    raise AssertionError(text)


def python(code, *argv):
    return (sys.executable, "-c", code, *map(str, argv))


def test_a_find_arrives(tmp_path):
    hook = FindHook(python(WRITE, tmp_path / "out"), "night", unexpected)
    hook.add(FIND)
    hook.close(20)
    first, *rest = (tmp_path / "out").read_text().splitlines()
    assert first == "night --J/-J-"
    assert [json.loads(line) for line in rest] == [FIND]


def test_finds_of_a_busy_time_come_together_with_the_best_in_front(tmp_path):
    hook = FindHook(python("import sys, time; time.sleep(0.3);" + WRITE, tmp_path / "out"), "night", unexpected)
    deals = [{**FIND, "deal": name, "cards": cards} for name, cards in (("a", 5), ("b", 9), ("c", 7))]
    for find in (FIND, *deals):
        hook.add(find)
    hook.close(20)
    lines = (tmp_path / "out").read_text().splitlines()
    assert lines[0] == "night --J/-J-" and lines[2] == "night b"
    assert [json.loads(line)["deal"] for line in lines[3:]] == ["a", "b", "c"]


def test_a_slow_command_is_stopped_and_the_next_one_starts():
    said = []
    hook = FindHook(python("import time; time.sleep(60)"), "night", said.append, time_limit=0.1)
    hook.add(FIND)
    time.sleep(0.2)
    hook.poll()
    assert len(said) == 1 and "took more than 0.1 s" in said[0]
    hook.add(FIND)
    hook.close(0.05)
    assert len(said) == 2 and "when the search ended" in said[1]


@pytest.mark.parametrize("command, words", [(python("raise SystemExit(3)"), "status 3"), (("/no/such/command",), "cannot start")])
def test_a_failing_command_is_reported(command, words):
    said = []
    hook = FindHook(command, "night", said.append)
    hook.add(FIND)
    hook.close(20)
    assert len(said) == 1 and words in said[0]


def test_a_flood_is_bounded():
    said = []
    hook = FindHook(python("import time; time.sleep(60)"), "night", said.append, time_limit=60)
    for _ in range(5000):
        hook.add(FIND)
    assert len(hook._waiting) <= 1000
    hook.close(0)


def test_no_shell_reads_the_command():
    assert read_command("echo 'two words' $(rm x); y") == ("echo", "two words", "$(rm", "x);", "y")
    for bad in ("", "   ", "'open", "/no/such/program", "$(echo x)"):
        with pytest.raises(InputError):
            read_command(bad)


def test_what_a_stopped_command_has_started_is_stopped_too(tmp_path):
    said = []
    code = "import subprocess, sys, time; child = subprocess.Popen(['sleep', '60']); open(sys.argv[1], 'w').write(f'{child.pid}\\n'); time.sleep(60)"
    hook = FindHook(python(code, tmp_path / "pid"), "night", said.append)
    hook.add(FIND)
    while not (tmp_path / "pid").exists() or not (text := (tmp_path / "pid").read_text()).endswith("\n"):
        time.sleep(0.01)
    hook.close(0)
    assert len(said) == 1
    with pytest.raises(ProcessLookupError):
        for _ in range(1000):  # the system buries it in a moment
            os.kill(int(text), 0)
            if is_zombie(int(text)):
                raise ProcessLookupError
            time.sleep(0.01)


def is_zombie(number):
    """Whether a process is dead, but nobody has asked how it ended: its new parent may take its time."""
    try:
        with open(f"/proc/{number}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] == "Z"
    except FileNotFoundError:
        return False


def test_finds_are_shown_when_a_call_is_given_them(tmp_path):
    """What waits costs nothing, and a call is given a part of it that can be shown at once."""
    shown = []

    def show(number):
        shown.append(number)
        return {**FIND, "cards": number}

    hook = FindHook(python("import time; time.sleep(60)"), "night", lambda text: None, show=show)
    for number in range(5000):
        hook.add(number)
    assert shown == [0]
    hook._stop()
    hook.poll()
    assert shown == [0, *range(4000, 4100)]
    hook.close(0)
