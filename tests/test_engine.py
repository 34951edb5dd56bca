"""Every compiled engine against the reference engine, in one body of tests."""

import csv
import random
from importlib.resources import files
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from search import engine, game
from search.errors import IllegalDeal, InputError
from search.outcome import Outcome, Status
from search.rules import CODES, FREE, ITALIAN, RANKS, STANDARD, Rules

ENGINES = engine.engines()
every_engine = pytest.mark.parametrize("name", ENGINES)

# Name: rules, and how many random deals of them are compared with the reference engine.
RANDOM_DEALS = {
    "standard": (STANDARD, 600),
    "italian": (ITALIAN, 600),
    "uneven": (Rules.parse("4A=4 4K=3 4Q=2 4J=1 36- 10+42"), 300),
    "other pays": (Rules.parse("3A=1 5K=4 2Q=3 6J=2 40-"), 300),
    "large pays": (Rules.parse("2A=9 4K=5 4Q=2 4J=1 36-"), 300),
    "64 cards": (Rules.parse("4A=4 4K=3 4Q=2 4J=1 48-"), 300),
    "few courts": (Rules.parse("2A=4 1J=1 20-"), 500),
    "odd": (Rules.parse("1A=4 3Q=2 2J=1 9-"), 800),
    "17 courts": (Rules.parse("4A=4 4K=3 4Q=2 5J=1 35-"), 200),
    "104 cards": (Rules.parse("8A=4 8K=3 8Q=2 8J=1 72-"), 100),
}


class Table(NamedTuple):
    """Hands under rules, as the engines want a deal: text `hands`, codes, sizes."""

    rules: Rules
    hands: tuple[str, ...]

    @property
    def codes(self):
        return bytes(CODES.index(card) for hand in self.hands for card in hand)

    @property
    def sizes(self):
        return tuple(map(len, self.hands))


def table(text, pays=(4, 3, 2, 1)):
    hands = tuple(text.split("/"))
    cards = "".join(hands)
    return Table(Rules(tuple(map(cards.count, RANKS)), pays, len(hands), any_split=True), hands)


def in_short(outcome):
    """What every engine must agree on."""
    return outcome.status, outcome.cards, outcome.tricks, outcome.lead_in, outcome.period


def random_strings(rules, n, seed):
    draw = random.Random(seed)
    deck = [rank for rank, count in zip(RANKS, rules.counts) for _ in range(count)]
    strings = []
    for _ in range(n):
        draw.shuffle(deck)
        strings.append("".join(deck))
    return strings


def split(string, rules):
    first = rules.hand_sizes[0]
    return string[:first], string[first:]


def published():
    text = (files("search.data") / "known_games.csv").read_text()
    return [row for row in csv.DictReader(text.splitlines()) if row["players"] == "2"]


@every_engine
@pytest.mark.parametrize("kind", RANDOM_DEALS)
def test_random_deals(name, kind):
    rules, n = RANDOM_DEALS[kind]
    strings = random_strings(rules, n, seed=kind)
    results = engine.play_strings(strings, rules, engine=name)
    assert len(results) == n
    for string, result in zip(strings, results):
        assert in_short(result) == in_short(game.play(Table(rules, split(string, rules)))), string


@every_engine
@pytest.mark.parametrize("row", published(), ids=lambda row: row["hands"])
def test_published(name, row):
    deal = table(row["hands"])
    outcome = engine.play(deal, engine=name)
    assert (outcome.status, outcome.cards, outcome.tricks) == (row["status"], int(row["cards"]), int(row["tricks"]))
    if row["status"] == "infinite":
        assert (outcome.lead_in, outcome.period) == (int(row["lead_in"]), int(row["period"]))
    if row["rules"] == "standard":
        assert in_short(engine.play_strings(["".join(deal.hands)], engine=name)[0]) == in_short(outcome)


# Deals that lie at the edges: no court cards, all of them in one hand, long gaps, empty hands.
EDGES = [
    "-/-", "-/J", "J/-", "J/J", "A/--", "A/--J", "J/--", "J-/---J-", "--J/", "/J", "A/", "/-",
    "AAAAKKKKQQQQJJJJ----------/--------------------------",
    "--------------------------/AAAAKKKKQQQQJJJJ----------",
    "----------AAAAKKKKQQQQJJJJ/--------------------------",
    "-" * 31 + "A/" + "-" * 31 + "J", "-" * 32 + "A/" + "-" * 31, "-" * 30 + "AJ/" + "-" * 32, "J" + "-" * 31 + "/" + "-" * 32,
    "-" * 40 + "JQKA/" + "-" * 19 + "A", "-" * 63 + "/A", "A" + "-" * 62 + "/-", "-" * 32 + "/" + "-" * 32, "-" * 33 + "/" + "-" * 31,
    "AKQJAKQJ/AKQJAKQJ", "AKQJAKQJAKQJAKQ/J", "J/AKQJAKQJAKQJAKQ", "AAAAAAAAAAAAAAAA/-", "-/AAAAAAAAAAAAAAAA",
]


@every_engine
@pytest.mark.parametrize("text", EDGES)
def test_edges(name, text):
    deal = table(text)
    assert in_short(engine.play(deal, engine=name)) == in_short(game.play(deal))


HANDS = st.tuples(st.text(CODES, max_size=12), st.text(CODES, max_size=12)).filter(any)
PAYS = st.sampled_from([(4, 3, 2, 1), (1, 1, 1, 1), (3, 4, 1, 2), (4, 4, 4, 4), (7, 5, 2, 1)])


@settings(max_examples=250, deadline=None, derandomize=True)
@given(HANDS, PAYS)
def test_small_decks_with_any_split(hands, pays):
    deal = table("/".join(hands), pays)
    expected = game.play(deal)
    assert engine.play(deal) == expected
    for name in ENGINES:
        assert in_short(engine.play(deal, engine=name)) == in_short(expected), name


@settings(max_examples=150, deadline=None, derandomize=True)
@given(HANDS, PAYS, st.integers(1, 60))
def test_limit(hands, pays, limit):
    deal = table("/".join(hands), pays)
    expected = game.play(deal, limit)
    assert engine.play(deal, limit) == expected
    for name in ENGINES:
        assert engine.play(deal, limit, engine=name) == expected


def test_limit_on_long_loop():
    loop = next(row["hands"] for row in published() if row["status"] == "infinite" and row["rules"] == "standard")
    deal = table(loop)
    whole = engine.play(deal)
    assert whole == game.play(deal) and whole.loop_cards > 0
    for limit in (1, 40, 473, 474, 475):
        assert engine.play(deal, limit) == game.play(deal, limit)
    assert engine.play(deal, 474).status is Status.LIMIT
    assert engine.play(deal, 475) == whole


def test_many_small_loops():
    """Small decks loop often; every loop has its own lead-in and period."""
    draw = random.Random(7)
    loops = set()
    for _ in range(3000):
        cards = [draw.choice("--J") for _ in range(draw.randrange(4, 20))]
        at = draw.randrange(1, len(cards))
        deal = table("".join(cards[:at]) + "/" + "".join(cards[at:]))
        expected = game.play(deal)
        assert engine.play(deal) == expected
        if expected.status is Status.INFINITE:
            loops.add((expected.lead_in, expected.period))
            for name in ENGINES:
                assert in_short(engine.play(deal, engine=name)) == in_short(expected)
    assert len(loops) >= 10


@pytest.mark.parametrize("cards, courts", [(65, 8), (300, 60), (1000, 90)])
def test_large_decks(cards, courts):
    rules = Rules((courts // 4,) * 4 + (cards - 4 * (courts // 4),), any_split=True)
    draw = random.Random(cards)
    for string in random_strings(rules, 3, seed=cards):
        at = draw.randrange(cards + 1)
        deal = Table(rules, (string[:at], string[at:]))
        assert engine.play(deal, 20_000) == game.play(deal, 20_000)


def test_mixed_batch_of_free_deals():
    """Deals of all sizes in one call, the odd card to seat 0."""
    draw = random.Random(3)
    strings = ["".join(draw.choice("-" * 6 + RANKS) for _ in range(draw.randrange(1, 30))) for _ in range(300)]
    for batch in (strings, strings + ["A-" * 40]):  # the second cannot be packed
        for string, result in zip(batch, engine.play_strings(batch, FREE), strict=True):
            first = (len(string) + 1) // 2
            assert in_short(result) == in_short(game.play(table(string[:first] + "/" + string[first:])))


@every_engine
def test_a_batch_is_in_order(name):
    """More deals than any engine has in flight; each result belongs to its deal."""
    strings = random_strings(STANDARD, 3000, seed=11)
    one = engine.play_strings(strings, engine=name)
    other = engine.play_strings(strings[::-1], engine=name)
    assert list(one.cards) == list(other.cards)[::-1]
    assert list(one.cards) == list(engine.play_strings(strings, engine="ring").cards)
    assert list(one.tricks) == list(engine.play_strings(strings, engine="ring").tricks)
    assert len(set(one.cards)) > 300


def test_empty_batches():
    assert len(engine.play_strings([])) == 0
    assert len(engine.play_packed(b"")) == 0
    assert engine.pack([]) == b"" and engine.unpack(b"") == []


def test_pack_and_unpack():
    for rules in (STANDARD, ITALIAN, Rules.parse("4A=4 4K=3 4Q=2 4J=1 48-"), Rules.parse("1-"), Rules.parse("16A")):
        strings = random_strings(rules, 50, seed=1)
        packed = engine.pack(strings, rules)
        assert len(packed) == 16 * len(strings)
        assert engine.unpack(packed, rules) == strings
        from_packed, from_strings = engine.play_packed(packed, rules), engine.play_strings(strings, rules)
        assert list(from_packed) == list(from_strings)
    # any buffer will do, aligned or not
    view = memoryview(b"x" + packed)[1:]
    assert list(engine.play_packed(view, rules)) == list(from_packed)
    assert list(engine.play_packed(bytearray(packed), rules)) == list(from_packed)


def test_results_are_sequences_of_outcomes():
    results = engine.play_strings(random_strings(STANDARD, 5, seed=2))
    assert results.cards.format == "I" and results.cards.readonly
    assert results[-1] == results[4] and isinstance(results[0], Outcome)
    with pytest.raises(IndexError):
        results[5]


GOOD = "AAAAKKKKQQQQJJJJ" + "-" * 36


@pytest.mark.parametrize(
    "bad, message",
    [
        (GOOD[:-1], "string 1 has 51 cards, not 52"),
        (GOOD + "-", "string 1 has 53 cards, not 52"),
        ("", "string 1 has 0 cards, not 52"),
        ("A" + GOOD[:-1], "string 1 has 5 A instead of 4, 35 - instead of 36"),
        (GOOD[:-1] + "x", "string 1 has 'x' at place 51: cards are A, K, Q, J and -"),
        (GOOD[:-1] + "\0", "string 1 has '\\x00' at place 51: cards are A, K, Q, J and -"),
        (GOOD[:-1] + "é", "string 1 has 'é' at place 51: cards are A, K, Q, J and -"),
        (GOOD[:-1] + "♠", "string 1 has '♠' at place 51: cards are A, K, Q, J and -"),
        ("A" * 52, "string 1 has 52 A instead of 4, 0 K instead of 4, 0 Q instead of 4, 0 J instead of 4, 0 - instead of 36"),
        (52, "string 1 is a int, not a string"),
        (b"-" * 52, "string 1 is a bytes, not a string"),
    ],
)
def test_bad_strings(bad, message):
    for call in (engine.play_strings, engine.pack):
        with pytest.raises(IllegalDeal) as error:
            call([GOOD, bad, GOOD])
        assert str(error.value) == message


def test_bad_strings_of_large_decks():
    rules = Rules.parse("20A 80-")
    good = "A" * 20 + "-" * 80
    with pytest.raises(IllegalDeal, match="string 1 has 21 A instead of 20, 79 - instead of 80"):
        engine.play_strings([good, "A" * 21 + "-" * 79], rules)
    with pytest.raises(InputError, match="cannot be packed"):
        engine.pack([good], rules)
    with pytest.raises(IllegalDeal, match="string 0 has 0 cards"):
        engine.play_strings([""], FREE)
    with pytest.raises(IllegalDeal, match="string 0 has 1001 cards"):
        engine.play_strings(["-" * 1001], FREE)


def test_bad_packed_deals():
    packed = bytearray(engine.pack([GOOD, GOOD]))
    with pytest.raises(InputError, match="31 bytes are no whole number"):
        engine.play_packed(packed[:-1])
    with pytest.raises(InputError, match="31 bytes are no whole number"):
        engine.unpack(packed[:-1])
    for at, value in ((16, 0), (23, 255), (28, 65), (28, 51), (29, 53), (30, 1)):
        broken = bytearray(packed)
        broken[at] = value
        with pytest.raises(IllegalDeal, match="packed deal 1 is not a deal of the rules standard"):
            engine.play_packed(broken)
    with pytest.raises(IllegalDeal, match="packed deal 0 is not a deal of the rules italian"):
        engine.play_packed(packed, ITALIAN)
    packed[23] = 255
    with pytest.raises(IllegalDeal, match="packed deal 1 is malformed"):
        engine.unpack(packed)


def test_names(monkeypatch):
    assert ENGINES[-1] == "ring" and len(set(ENGINES)) == len(ENGINES)
    assert set(ENGINES) <= set(engine.summaries())
    assert engine.chosen(STANDARD) == ENGINES[0]
    with pytest.raises(InputError, match="no engine 'rong'; there are .*ring"):
        engine.play_strings([GOOD], engine="rong")
    for name in ENGINES:
        monkeypatch.setenv("BEGGAR_ENGINE", name)
        assert engine.chosen(STANDARD) == name
    # what no fast engine can play falls back
    assert engine.chosen(Rules.parse("17A 30-")) == "ring"
    monkeypatch.setenv("BEGGAR_ENGINE", "rong")
    with pytest.raises(InputError, match="BEGGAR_ENGINE: no engine 'rong'; there are .*ring"):
        engine.play_strings([GOOD])
    monkeypatch.setenv("BEGGAR_ENGINE", "")
    assert engine.chosen(STANDARD) == ENGINES[0]


def test_packed_deals_are_for_two_players():
    for call in (engine.pack, engine.play_packed):
        with pytest.raises(InputError, match="3 players: packed deals are for 2"):
            call([], Rules.parse("standard", seats=3))
    with pytest.raises(InputError, match="a limit of 0 cards"):
        engine.play(table("-/J"), limit=0)
