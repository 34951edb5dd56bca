"""Options: how values are read, which layer wins, how arguments are told from options."""

from __future__ import annotations

from datetime import time

import pytest

from search import options
from search.config import CONFIG, resolve
from search.errors import InputError
from search.options import Argument, Command, Setting, split_argv

COMMAND = Command(
    "brew",
    "A command that no program has.",
    run=lambda args: 0,
    arguments=(Argument("DEAL", "deals", "*"),),
    settings=(
        Setting("cards", "a number", options.whole(1, 99)),
        Setting("until-cards", "another", options.whole(1)),
        Setting("time", "how long", options.duration),
        Setting("taste", "which", options.one_of("sweet", "sour"), default="sweet"),
        Setting("json", "a flag"),
        CONFIG,
    ),
    refused={"--heat": "was fixed long ago"},
)
TABLES = ["brew", "pour"]


@pytest.fixture(autouse=True)
def empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def call(*argv, **environ):
    return resolve(COMMAND, argv, TABLES, environ)


@pytest.mark.parametrize(
    "text, seconds",
    [("90s", 90), ("15m", 900), ("8h", 28800), ("1d", 86400), ("1h30m", 5400), ("0.5s", 0.5), (" 2M ", 120)],
)
def test_durations(text, seconds):
    assert options.duration(text) == seconds


@pytest.mark.parametrize("text", ["", "90", "s", "-5s", "5 s", "8h!", "0s", "1e3s", "h8", "5x", "9" * 400 + "d", "٣s"])
def test_bad_durations(text):
    with pytest.raises(InputError):
        options.duration(text)


def test_clock():
    assert options.clock("07:00") == time(7)
    assert options.clock("23:59:30") == time(23, 59, 30)
    for bad in ("24:00", "7", "7:5", "aa:bb", "", "12:60"):
        with pytest.raises(InputError):
            options.clock(bad)


def test_whole_numbers():
    read = options.whole(1, 1000)
    assert read("7") == 7 and read("1_000") == 1000 and read("+3") == 3
    for bad in ("0", "-1", "1001", "1.5", "1e2", "", "x", "٣", "9" * 5000, "1__0"):
        with pytest.raises(InputError):
            read(bad)


def test_spans():
    assert options.span("3:9") == (3, 9)
    assert options.span("3:") == (3, None)
    assert options.span(":9") == (1, 9)
    assert options.span("7") == (7, 7)
    for bad in ("", ":", "0:5", "9:3", "a:b", "-1:3", "1:2:3"):
        with pytest.raises(InputError):
            options.span(bad)


def test_layers_command_line_over_environment_over_file_over_default(empty_folder):
    assert call().taste == "sweet" and call().cards is None
    (empty_folder / "beggar.toml").write_text('[brew]\ncards = 1\ntaste = "sour"\ntime = "8h"\njson = true\n')
    args = call("--cards", "3", BEGGAR_BREW_TASTE="sweet", BEGGAR_BREW_CARDS="2")
    assert (args.cards, args.taste, args.time, args.json) == (3, "sweet", 28800, True)
    assert args.sources == {
        "cards": "--cards",
        "taste": "BEGGAR_BREW_TASTE",
        "time": "beggar.toml, [brew] time",
        "json": "beggar.toml, [brew] json",
    }
    assert call(BEGGAR_BREW_CARDS="2").cards == 2
    assert call("--no-json").json is False
    assert call(BEGGAR_BREW_JSON="0").json is False


def test_the_file_is_named_by_option_or_environment(empty_folder):
    (empty_folder / "beggar.toml").write_text("[brew]\ncards = 1\n")
    (empty_folder / "two.toml").write_text("[brew]\nuntil-cards = 2\n[pour]\nanything = 3\n")
    (empty_folder / "three.toml").write_text("[brew]\nuntil_cards = 3\n")
    assert call("--config", "two.toml").until_cards == 2
    assert call("--config", "two.toml").cards is None
    assert call(BEGGAR_CONFIG="three.toml").until_cards == 3
    assert call(BEGGAR_CONFIG="").until_cards == call().until_cards
    assert call("--config=two.toml", BEGGAR_CONFIG="three.toml").until_cards == 2


@pytest.mark.parametrize(
    "content, said",
    [
        (b"[brew]\nheat = 3\n", "no such option; there are cards, until-cards"),
        (b"[brwe]\ncards = 3\n", "no table or key 'brwe'"),
        (b"cards = 3\n", "no table or key 'cards'"),
        (b"brew = 3\n", "write [brew]"),
        (b"[brew]\ncards = 0\n", "[brew] cards '0': at least 1"),
        (b"[brew]\ncards = 100\n", "at most 99"),
        (b"[brew]\ncards = 1.5\n", "a whole number"),
        (b"[brew]\ncards = true\n", "not true or false"),
        (b"[brew]\ncards = [1]\n", "a text or a number"),
        (b"[brew]\ntime = 90\n", "a number with a unit"),
        (b"[brew]\njson = 7\n", "true or false"),
        (b'[brew]\ntaste = "swet"\n', "accepted are sweet, sour; did you mean sweet?"),
        (b"[brew\n", "not TOML"),
        (b"[brew]\ncards = 1\ncards = 2\n", "not TOML"),
        (b"\xff\xfe\x00", "not UTF-8"),
        (b"#" * (1 << 20) + b"##", "larger than"),
        (b"[" * 5000, "not TOML"),
        (b"[brew]\ncards = " + b"9" * 6000, "not TOML"),
        (b"[brew]\ncards = 0x" + b"f" * 6000, "too large a number"),
    ],
)
def test_bad_files(empty_folder, content, said):
    (empty_folder / "beggar.toml").write_bytes(content)
    with pytest.raises(InputError) as caught:
        call()
    assert said in str(caught.value) and "beggar.toml" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_named_file_must_be_readable(empty_folder):
    (empty_folder / "folder").mkdir()
    for path in ("missing.toml", "folder", "a\0b"):
        with pytest.raises(InputError):
            call(BEGGAR_CONFIG=path)


def test_bad_environment():
    with pytest.raises(InputError, match="BEGGAR_BREW_HEAT"):
        call(BEGGAR_BREW_HEAT="3")
    with pytest.raises(InputError, match="BEGGAR_BREW_CARDS 'x': a whole number"):
        call(BEGGAR_BREW_CARDS="x")
    assert call(BEGGAR_POUR_CARDS="x").cards is None


DEALS = ["---AJ--Q---------QAKQJJ-QK/-----A----KJ-K--------A---", "-----A----", "--J", "-K", "-.-", "-10", "-5", "---|J--",
         "--J--/-J-", "-n-nJn", "--", "-♠A", "--- Player 2: J--"]


@pytest.mark.parametrize("deal", [d for d in DEALS if d != "--"])
@pytest.mark.parametrize("before, after", [((), ()), (("--json",), ()), ((), ("--json",)), (("--cards", "7"), ("--time=3s",))])
def test_deals_that_begin_with_a_dash(deal, before, after):
    args = call(*before, deal, *after)
    assert args.deal == [deal]


def test_everything_after_two_dashes_is_an_argument():
    assert call("--json", "--", "--cards", "-x").deal == ["--cards", "-x"]


def test_an_option_takes_the_next_token_as_its_value():
    options_, arguments = split_argv(COMMAND, ["--taste", "--json", "-", "--J"])
    assert options_ == {"taste": "--json"} and arguments == ["-", "--J"]


@pytest.mark.parametrize(
    "argv, said",
    [
        (["--crads", "3"], "no option '--crads'; did you mean --cards?"),
        (["--hands"], "no option '--hands'"),
        (["--js"], "no option '--js'"),  # no abbreviations
        (["-n"], "no option '-n'"),
        (["--heat"], "--heat: was fixed long ago"),
        (["--cards"], "--cards needs a value"),
        (["--json=1"], "--json takes no value"),
        (["--no-cards"], "no option '--no-cards'"),
        (["--cards="], "--cards '': a whole number"),
        (["--" + "x" * 5000], "no option"),
    ],
)
def test_bad_options(argv, said):
    with pytest.raises(InputError) as caught:
        call(*argv)
    assert said in str(caught.value) and len(str(caught.value)) < 300


def test_arguments_are_counted():
    one = Command("one", "", run=lambda args: 0, arguments=(Argument("RUN", "a run"),))
    with pytest.raises(InputError, match="RUN is missing; usage: beggar one RUN"):
        resolve(one, [], TABLES, {})
    with pytest.raises(InputError, match="'b' is one argument too many"):
        resolve(one, ["a", "b"], TABLES, {})
    assert resolve(one, ["a"], TABLES, {}).run == "a"


def test_help_shows_every_option():
    text = options.help_text(COMMAND)
    assert text.startswith("usage: beggar brew [DEAL...] [options]")
    for setting in COMMAND.settings:
        assert setting.flag in text
