"""Deals as values, what makes them legal, and lists of them."""

import io
import pickle
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from search.deal import Deal, Place, parse_arguments, parse_many
from search.errors import AmbiguousNotation, IllegalDeal, InputError, NotationError
from search.rules import FREE, ITALIAN, MAX_CARDS, STANDARD, Rules

quick = settings(max_examples=100, deadline=None, derandomize=True)

ONE = "---AJ--Q---------QAKQJJ-QK-----A----KJ-K--------A---"
TWO = "---K---Q-KQAJ-----AAJ--J------------Q----KQ-J-----KA"
THREE = "-" * 36 + "AAAAKKKKQQQQJJJJ"
FOUR_SEATS = replace(STANDARD, seats=4)
SMALL = Rules.parse("1A 1K 1Q 1J 4-")  # any split
STANDARD_HAS = "; the standard deck has four of each court card and 36 number cards"


def hands_of(deck):
    return deck[:26], deck[26:]


# Deals as values


def test_a_deal_knows_its_cards():
    deal = Deal(STANDARD, hands_of(ONE))
    assert deal.cards == ONE
    assert deal.hands == (ONE[:26], ONE[26:])
    assert deal.sizes == (26, 26)
    assert str(deal) == ONE[:26] + "/" + ONE[26:]
    assert deal.codes == bytes({"-": 0, "J": 1, "Q": 2, "K": 3, "A": 4}[c] for c in ONE)


def test_deals_are_values():
    deal = Deal.parse(ONE)
    assert deal == Deal(STANDARD, list(hands_of(ONE))) == Deal.from_cards(ONE)
    assert hash(deal) == hash(Deal.from_cards(ONE))
    assert deal != Deal.parse(TWO)
    assert pickle.loads(pickle.dumps(deal)) == deal
    with pytest.raises(AttributeError):
        deal.hands = ()


def test_free_rules_become_concrete():
    deal = Deal.parse("J--/-J-", FREE)
    assert deal.rules.counts == (0, 0, 0, 2, 4)
    assert deal.rules.any_split and deal.rules.pays == FREE.pays
    assert Deal.parse(str(deal), deal.rules) == deal


@quick
@given(st.lists(st.text("AKQJ-", max_size=12), min_size=2, max_size=4).filter(any))
def test_printed_deals_read_back(hands):
    rules = replace(FREE, seats=len(hands))
    deal = Deal(rules, tuple(hands))
    assert deal.hands == tuple(hands)
    assert Deal.parse(str(deal), rules) == deal
    assert Deal.from_cards(deal.cards, rules, deal.sizes) == deal
    assert Deal.from_index(deal.index, deal.rules, deal.sizes) == deal


def test_from_cards_deals_as_the_rules_deal():
    assert Deal.from_cards(ONE, replace(STANDARD, seats=3)).sizes == (18, 17, 17)
    assert Deal.from_cards(ONE, FOUR_SEATS).sizes == (13, 13, 13, 13)
    assert Deal.from_cards("AKQJ---", replace(FREE, seats=3)).hands == ("AKQ", "J-", "--")
    assert Deal.from_cards(ONE, Rules.parse("4A4K4Q4J36- 20+32")).sizes == (20, 32)
    assert Deal.from_cards("AKQJ----", SMALL, hands=(0, 8)).hands == ("", "AKQJ----")


def test_from_cards_guesses_no_notation():
    for cards in (ONE.lower(), ONE[:26] + "/" + ONE[26:], ONE.replace("-", "0"), ONE[:51] + "é"):
        with pytest.raises(NotationError):
            Deal.from_cards(cards)
    for hands in ((4, 5), (9, -1)):
        with pytest.raises(IllegalDeal):
            Deal.from_cards("AKQJ----", SMALL, hands=hands)


# Legality


@pytest.mark.parametrize(
    "text, rules, message",
    [
        (ONE.replace("K", "A", 1), STANDARD, "five aces and three kings" + STANDARD_HAS),
        (ONE.replace("-", "A", 1), STANDARD, "five aces and 35 number cards" + STANDARD_HAS),
        (ONE.replace("A", "K").replace("J", "Q"), STANDARD, "no aces, eight kings, eight queens and no jacks" + STANDARD_HAS),
        (ONE.replace("K", "-", 3), STANDARD, "one king and 39 number cards" + STANDARD_HAS),
        (ONE[1:], STANDARD, "51 cards: 35 number cards" + STANDARD_HAS),
        (ONE + "-", STANDARD, "53 cards: 37 number cards" + STANDARD_HAS),
        (ONE + ONE, STANDARD, "104 cards: eight aces, eight kings, eight queens, eight jacks and 72 number cards" + STANDARD_HAS),
        ("A", STANDARD, "1 card: one ace, no kings, no queens, no jacks and no number cards" + STANDARD_HAS),
        (ONE[:25] + "/" + ONE[25:], STANDARD, "hands of 25 and 27 cards; these rules deal 26 and 26"),
        (ONE + "/", STANDARD, "hands of 52 and 0 cards; these rules deal 26 and 26"),
        (ONE[:17] + "/" + ONE[17:35] + "/" + ONE[35:], replace(STANDARD, seats=3),
         "hands of 17, 18 and 17 cards; these rules deal 18, 17 and 17"),
        (ONE[:26] + "/" + ONE[26:], Rules.parse("4A4K4Q4J36- 20+32"), "hands of 26 and 26 cards; these rules deal 20 and 32"),
        ("K" * 5 + "Q" * 4 + "J" * 4 + "-" * 27, ITALIAN,
         "five kings and 27 number cards; the Italian deck has no aces, four kings, four queens, four jacks and 28 number cards"),
        ("AAQJ----", SMALL, "two aces and no kings; this deck has one of each court card and 4 number cards".replace("4", "four")),
        ("J-/J-/J-", FREE, "3 hands for 2 players"),
        ("J-J-/", replace(FREE, seats=4), "2 hands for 4 players"),
        ("1: J 2: - 3: - 4: -", replace(FREE, seats=3), "4 hands for 3 players"),
        ("/", FREE, "no cards: that is not a deal"),
        ("", FREE, "no cards: that is not a deal"),
        ("-" * (MAX_CARDS + 1), FREE, "1001 cards; a deal has at most 1000"),
    ],
)  # fmt: skip
def test_an_illegal_deal_is_told_all_that_is_wrong(text, rules, message):
    with pytest.raises(IllegalDeal) as e:
        Deal.parse(text, rules)
    assert str(e.value) == message
    assert e.value.exit_status == 2


def test_the_constructor_checks_too():
    for hands in [(ONE, ""), (ONE[:26], ONE[26:], ""), (ONE[1:26], ONE[26:])]:
        with pytest.raises(IllegalDeal):
            Deal(STANDARD, hands)
    with pytest.raises(NotationError):
        Deal(STANDARD, hands_of(ONE.lower()))
    with pytest.raises(IllegalDeal):
        Deal(FREE, ("", ""))


def test_the_largest_deal_is_legal():
    assert Deal.parse("A" * MAX_CARDS, FREE).sizes == (500, 500)


# Lists


def answers(pairs):
    """(place, deck or message) of each answer."""
    return [(str(place), str(answer) if isinstance(answer, InputError) else answer.cards) for place, answer in pairs]


def in_lines(deck, seats=2):
    size = len(deck) // seats
    return "\n".join(deck[seat * size : (seat + 1) * size] for seat in range(seats))


def labelled(deck):
    return f"1: {deck[:26]}\n2: {deck[26:]}"


LISTS = {
    "one deal a line": (f"{ONE}\n{TWO}\n{THREE}\n", ["line 1", "line 2", "line 3"]),
    "with dividers": ("\n".join(f"{d[:26]}/{d[26:]}" for d in (ONE, TWO, THREE)), ["line 1", "line 2", "line 3"]),
    "two lines a deal": ("\n".join(map(in_lines, (ONE, TWO, THREE))), ["lines 1-2", "lines 3-4", "lines 5-6"]),
    "blank lines": ("\n\n" + "\n \n\n".join(map(in_lines, (ONE, TWO, THREE))), ["lines 3-4", "lines 7-8", "lines 11-12"]),
    "labels": ("\n".join(map(labelled, (ONE, TWO, THREE))), ["lines 1-2", "lines 3-4", "lines 5-6"]),
    "labels in paragraphs": (
        "\n\n".join(labelled(d).replace("\n", "\n\n") for d in (ONE, TWO, THREE)), ["lines 1-3", "lines 5-7", "lines 9-11"]),
    "labels on lines of their own": (
        "\n".join(labelled(d).replace(": ", ":\n") for d in (ONE, TWO, THREE)), ["lines 1-4", "lines 5-8", "lines 9-12"]),
    "quarter lines": ("\n".join(in_lines(d, 4) for d in (ONE, TWO, THREE)), ["lines 1-4", "lines 5-8", "lines 9-12"]),
    "a divider on a line of its own": (
        "\n".join(f"{d[:26]}\n/\n{d[26:]}" for d in (ONE, TWO, THREE)), ["lines 1-3", "lines 4-6", "lines 7-9"]),
    "digits": (
        "\n".join(in_lines(d).translate(str.maketrans("-JQKA", "01234")) for d in (ONE, TWO, THREE)),
        ["lines 1-2", "lines 3-4", "lines 5-6"]),
    "tens": ("\n".join(in_lines(d).replace("-", "10") for d in (ONE, TWO, THREE)), ["lines 1-2", "lines 3-4", "lines 5-6"]),
    "dashes of web pages": (
        "\n".join(in_lines(d).replace("---", "—").replace("--", "–") for d in (ONE, TWO, THREE)),
        ["lines 1-2", "lines 3-4", "lines 5-6"]),
    "Windows": ("\r\n".join(map(in_lines, (ONE, TWO, THREE))) + "\r\n", ["lines 1-2", "lines 3-4", "lines 5-6"]),
}  # fmt: skip


@pytest.mark.parametrize("name", LISTS)
def test_lists(name):
    text, places = LISTS[name]
    expected = list(zip(places, (ONE, TWO, THREE)))
    assert answers(parse_many(text)) == expected
    assert answers(parse_many(text.encode())) == expected
    assert answers(parse_many(io.StringIO(text))) == expected
    assert answers(parse_many(io.BytesIO(text.encode()))) == expected


BAD = {
    "short": (ONE[1:], "51 cards: 35 number cards" + STANDARD_HAS),
    "long": (ONE + "-", "53 cards: 37 number cards" + STANDARD_HAS),
    "short hand": (f"{ONE[:26]}\n{ONE[27:]}", "51 cards: 35 number cards" + STANDARD_HAS),
    "long hand": (f"{ONE[:26]}\n-{ONE[26:]}", "53 cards: 37 number cards" + STANDARD_HAS),
    "divided elsewhere": (f"{ONE[:20]}/{ONE[20:]}", "hands of 20 and 32 cards; these rules deal 26 and 26"),
    "five aces": (ONE.replace("K", "A", 1), "five aces and three kings" + STANDARD_HAS),
    "a letter that is no card": (ONE[:26] + "\n" + ONE[26:51] + "z", None),
    "a comment": ("# the deals that I found last year:", None),
    "garbage": ("\x00\x01\ud800\U0010ffff\x1b[2J", None),
    "a line that no deal can fill": ("-" * 100_000, "a text of 100000 characters: a deal takes at most 20000"),
}


@pytest.mark.parametrize("good", ["line", "lines"])
@pytest.mark.parametrize("name", BAD)
def test_a_bad_deal_stops_no_other(name, good):
    text, message = BAD[name]
    form = in_lines if good == "lines" else str
    n, lines = form(ONE).count("\n") + 1, text.count("\n") + 1
    before, bad, after = answers(parse_many(f"{form(ONE)}\n{text}\n{form(TWO)}"))
    assert before[1] == ONE and after[1] == TWO
    assert message is None or bad[1] == message
    assert bad[0] == str(Place(n + 1, n + lines))
    assert after[0] == str(Place(n + lines + 1, 2 * n + lines))
    assert len(bad[1]) < 240 and "\n" not in bad[1]


def test_bad_deals_in_a_row_are_told_apart():
    got = answers(parse_many("\n".join([ONE[1:], ONE[2:], ONE + "A", TWO])))
    assert [place for place, _ in got] == ["line 1", "line 2", "line 3", "line 4"]
    assert got[3][1] == TWO


def test_deals_come_as_soon_as_they_are_complete():
    read = []

    def typed():
        for line in [*in_lines(ONE).split("\n"), *in_lines(TWO).split("\n")]:
            read.append(line)
            yield line

    first = next(parse_many(typed()))
    assert first[1].cards == ONE and len(read) == 2


def test_an_empty_list_is_an_error():
    for text in ("", "\n \n\n", b"", []):
        assert answers(parse_many(text)) == [("line 1", "no deal in an empty input")]


def test_under_free_rules_each_line_is_a_deal():
    text = "J--/-J-\n\n--J- K-J-\n1: J-\n2: ---J-\n/J\nJ-J-\n1:\nJ\n2:\n-\n0001\nA-/Z\n1:0"
    assert [(str(p), str(a)[:16]) for p, a in parse_many(text, FREE)] == [
        ("line 1", "J--/-J-"),
        ("line 3", "--J-/K-J-"),
        ("lines 4-5", "J-/---J-"),
        ("line 6", "/J"),
        ("line 7", "J-/J-"),
        ("lines 8-11", "J/-"),
        ("line 12", "--/-J"),
        ("line 13", "cannot read 'Z' "),
        ("line 14", "J/-"),
    ]


def test_rules_with_any_split_join_lines_until_the_deck_is_complete():
    assert [str(a) for _, a in parse_many("A\nKQJ----\n----AKQJ\n/AKQJ----", SMALL)] == ["A/KQJ----", "----/AKQJ", "/AKQJ----"]


@pytest.mark.parametrize(
    "args",
    [
        [ONE, TWO],
        [ONE[:26], ONE[26:], TWO],
        [ONE[:26], ONE[26:], TWO[:26], TWO[26:]],
        [ONE, in_lines(TWO)],
        ["1:", ONE[:26], "2:", ONE[26:], "1:" + TWO[:26], "2:" + TWO[26:]],
        [f"{ONE[:26]} {ONE[26:]}", f"{TWO[:26]}|{TWO[26:]}"],
        [f"{ONE}\n\n{TWO}\n"],
        [*ONE, *TWO],
    ],
)
def test_arguments_are_joined_until_the_deck_is_complete(args):
    got = list(parse_arguments(args))
    assert [answer.cards for _, answer in got] == [ONE, TWO]
    assert got[0][0].first == 1 and got[1][0].last == len(args)
    assert str(got[0][0]).startswith("argument")


def test_bad_arguments_stop_no_others():
    (_, one), (place, bad), (_, two) = parse_arguments([ONE, ONE[1:], TWO])
    assert (one.cards, str(place), two.cards) == (ONE, "argument 2", TWO)
    assert isinstance(bad, IllegalDeal)


def test_free_arguments_are_deals_unless_they_may_be_hands():
    assert [str(a) for _, a in parse_arguments(["J--/-J-", "J-J-"], FREE)] == ["J--/-J-", "J-/J-"]
    assert [str(a) for _, a in parse_arguments(["J--\n-J-", "1: J 2: -"], FREE)] == ["J--/-J-", "J/-"]
    assert [str(a) for _, a in parse_arguments(["1:", "J--", "2:", "-J-"], FREE)] == ["J--/-J-"]
    assert [str(a) for _, a in parse_arguments(["J-", "-J", "A-"], FREE)] == ["J/-", "-/J", "A/-"]
    [(place, error)] = parse_arguments(["J--", "-J-"], FREE)
    assert str(place) == "arguments 1-2" and isinstance(error, AmbiguousNotation)
    assert "'J--/-J-'" in str(error) and "'J-/- and -J/-'" in str(error)


@pytest.mark.parametrize("rules", [STANDARD, FREE])
@pytest.mark.parametrize("args", [[], [""], ["", " "]])
def test_no_argument_is_no_deal(args, rules):
    [(_, error)] = parse_arguments(args, rules)
    assert str(error) == "no deal: the argument is empty"
