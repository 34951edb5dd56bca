"""Reading deals in every notation in use: all published records in all of them, and what cannot be read."""

import csv
import random
from dataclasses import replace
from importlib.resources import files
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from search.deal import Deal, parse_arguments, parse_many
from search.errors import AmbiguousNotation, IllegalDeal, InputError, NotationError
from search.legality import fault_of
from search.notation import ACCEPTED, MAX_TEXT, read, shown
from search.rules import FREE, STANDARD, Rules

GOLDEN = Path(__file__).parent / "data" / "notations.txt"

with (files("search.data") / "known_games.csv").open() as source:
    PUBLISHED = list(csv.DictReader(source))
RECORDS = {f"{r['name']} {r['year']}": tuple(r["hands"].split("/")) for r in PUBLISHED if r["rules"] == "standard"}
SMALL_GAMES = {r["hands"]: tuple(r["hands"].split("/")) for r in PUBLISHED if r["rules"] == "free"}

ANY = Rules.parse("4A4K4Q4J36-")  # the standard deck, any split
quick = settings(max_examples=200, deadline=None, derandomize=True)


# How a card can be written: a function of the rank and a source of choices (which number, which suit).

NUMBERS = ["2", "3", "4", "5", "6", "7", "8", "9"]
SUITS = {"solid": "♠♥♦♣", "outlined": "♤♡♢♧", "emoji": ["♠\ufe0f", "♥\ufe0f", "♦\ufe0f", "♣\ufe0f"], "letters": "SHDC"}


def ranked(ten):
    return lambda rank, rng: rank if rank != "-" else rng.choice([*NUMBERS, ten])


def suited(suits, before=False, ten="10"):
    def card(rank, rng):
        suit, face = rng.choice(SUITS[suits]), ranked(ten)(rank, rng)
        return suit + face if before else face + suit

    return card


def with_number(sign):
    return lambda rank, rng: sign if rank == "-" else rank


def in_words(suits):
    names = {"A": ["Ace"], "K": ["King"], "Q": ["queen"], "J": ["Jack"], "-": ["Two", "three", "SEVEN", "Ten", "8", "10"]}
    return lambda rank, rng: rng.choice(names[rank]) + (rng.choice([" of Spades", " of hearts", " of diamond", " of CLUBS"]) if suits else "")


def playing_card(rank, rng):
    before_ace = rng.choice([0x1F0A0, 0x1F0B0, 0x1F0C0, 0x1F0D0])
    return chr(before_ace + {"A": 1, "J": 11, "Q": 13, "K": 14}.get(rank, rng.randrange(2, 11)))


def digit(rank, rng):
    return "-JQKA".index(rank).__str__()


CARDS = {
    "hyphens": with_number("-"),
    "dots": with_number("."),
    "zeros": with_number("0"),
    "n": with_number("N"),
    "x": with_number("X"),
    "o": with_number("O"),
    "underlines": with_number("_"),
    "stars": with_number("*"),
    "middle dots": with_number("\u00b7"),
    "lines of a box": with_number("\u2500"),
    "full-width": lambda rank, rng: chr(ord(rank) + 0xFEE0),
    "playing cards": playing_card,
    "en dashes": with_number("\u2013"),
    "em dashes": with_number("\u2014"),
    "minus signs": with_number("\u2212"),
    "digits 43210": digit,
    "digits, numbers as dots": lambda rank, rng: "." if rank == "-" else digit(rank, rng),
    "ranks, 10": ranked("10"),
    "ranks, T": ranked("T"),
    "ranks, X": ranked("X"),
    **{f"{suits} suits behind": suited(suits) for suits in SUITS},
    **{f"{suits} suits before": suited(suits, before=True) for suits in SUITS},
    "suits behind, T": suited("letters", ten="T"),
}

WORDS = {"words": in_words(False), "words and suits": in_words(True)}  # which cannot stand without something between them

# How hands can be put together: functions of their texts, to one text.

FORMS = {
    "one string": "".join,
    **{f"divided by {sign!r}": sign.join for sign in ("/", "|", ",", ";", ":", " ", "\n", " / ", " | ", ", ", " : ", "\r\n", "\t", "\u00a0")},
    "labelled lines": lambda hands: "\n".join(f"{seat}: {hand}" for seat, hand in enumerate(hands, 1)),
    "labels in a line": lambda hands: " ".join(f"{seat}:{hand}" for seat, hand in enumerate(hands, 1)),
    "labels and bars": lambda hands: " / ".join(f"{seat}: {hand}" for seat, hand in enumerate(hands, 1)),
    "labels on their own lines": lambda hands: "\n".join(f"{seat}:\n{hand}" for seat, hand in enumerate(hands, 1)),
    "players": lambda hands: "\n".join(f"Player {seat}: {hand}" for seat, hand in enumerate(hands, 1)),
    "players from 0": lambda hands: "\n".join(f"Player {seat} : {hand}" for seat, hand in enumerate(hands)),
    "quoted": lambda hands: f'"{"/".join(hands)}"',
    "quoted hands": lambda hands: ", ".join(f"`{hand}`" for hand in hands),
    "full-width signs": "\uff0f".join,
    "labels and blanks": lambda hands: "\n".join(f"{seat} : {hand}" for seat, hand in enumerate(hands, 1)),
}


def written(hands, card, gap=""):
    """The texts of hands, with the same choices at each call."""
    rng = random.Random(52)
    return [gap.join(card(rank, rng) for rank in hand) for hand in hands]


@pytest.mark.parametrize("record", RECORDS)
def test_every_record_in_every_notation(record):
    hands = RECORDS[record]
    every_second = slice(list(RECORDS).index(record) % 2, None, 2)  # so that two records see all of them
    for card, form in list(product(CARDS.values(), FORMS.values()))[every_second]:
        text = form(written(hands, card))
        for case in (str, str.lower):
            assert Deal.parse(case(text)).hands == hands, text
            assert [a.hands for _, a in parse_many(case(text))] == [hands], text


@pytest.mark.parametrize("record", RECORDS)
def test_every_record_card_by_card(record):
    hands = RECORDS[record]
    for card, gap, between in product([*CARDS.values(), *WORDS.values()], (" ", ",", ", ", ";", "; "), ("/", " | ", "\n", None)):
        texts = written(hands, card, gap)
        text = gap.join(texts) if between is None else between.join(texts)
        assert Deal.parse(text).hands == hands, text


def test_a_semicolon_divides_hands_where_commas_divide_cards():
    for hands in RECORDS.values():
        assert Deal.parse("; ".join(", ".join(hand) for hand in hands)).hands == hands
    assert Deal.parse("J,-,-;-,J,-,-", FREE).hands == ("J--", "-J--")
    assert Deal.parse("J--;-J--", FREE).hands == ("J--", "-J--")
    assert Deal.parse(";J,-", FREE).hands == ("", "J-")


@pytest.mark.parametrize("record", RECORDS)
def test_every_record_as_arguments(record):
    hands = RECORDS[record]
    for card in CARDS.values():
        texts = written(hands, card)
        for args in (texts, [" ".join(texts)], ["1:", texts[0], "2:", texts[1]], [f"1: {texts[0]}", f"2: {texts[1]}"]):
            assert [a.hands for _, a in parse_arguments(args)] == [hands], args


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("card", CARDS)
def test_all_records_as_a_list(card, form):
    texts = [FORMS[form](written(hands, CARDS[card])) for hands in RECORDS.values()]
    assert [a.hands for _, a in parse_many("\n\n".join(texts))] == list(RECORDS.values())
    assert [a.hands for _, a in parse_many("\n".join(texts))] == list(RECORDS.values())


@pytest.mark.parametrize("small", SMALL_GAMES)
def test_the_small_published_games(small):
    hands = SMALL_GAMES[small]
    for card, form in product(CARDS.values(), (f for name, f in FORMS.items() if name != "one string")):
        text = form(written(hands, card))
        assert Deal.parse(text, FREE).hands == hands, text


@pytest.mark.parametrize("seats", [3, 4])
def test_more_players(seats):
    rules = replace(STANDARD, seats=seats)
    deal = Deal.from_index(STANDARD.deals // 3, rules)
    for card, form in product(CARDS.values(), FORMS.values()):
        text = form(written(deal.hands, card))
        assert Deal.parse(text, rules) == deal, text
        assert [a for _, a in parse_many(text, rules)] == [deal], text


def test_notations_as_people_posted_them():
    deals = [answer for _, answer in parse_many(GOLDEN.read_text(encoding="utf-8"))]
    assert len(deals) == 24
    assert {getattr(deal, "hands", str(deal)) for deal in deals} == {RECORDS["Nessler 2022"]}


def test_dashes_that_pages_made_of_hyphens():
    for hands in RECORDS.values():
        text = "/".join(hands)
        for old_en, old_em in (("-", "-"), ("-", "--"), ("--", "---")):
            web = text.replace(old_em, "\u2014").replace(old_en, "\u2013")
            assert Deal.parse(web).hands == hands, web
    assert Deal.parse("A\u2013\u2014/J", FREE).hands == ("A--", "J")  # no deck tells what they were: each one card
    assert Deal.parse("A\u2026/J", FREE).hands == ("A---", "J")  # an ellipsis is three dots


def test_labels_that_count_from_0():
    for hands in RECORDS.values():
        for form in ("0: {}\n1: {}", "0:{} 1:{}", "0 : {}\n\n1 : {}", "Hand 0: {} / Hand 1: {}"):
            text = form.format(*hands)
            assert Deal.parse(text).hands == hands
            assert [a.hands for _, a in parse_many(f"{text}\n{text}\n\n{text}")] == [hands] * 3, text
    three = replace(FREE, seats=3)
    assert Deal.parse("0: A 1: K 2: Q", three).hands == ("A", "K", "Q")
    # What was a card and a bar still is.
    assert Deal.parse("0:1", FREE).hands == ("-", "J") and Deal.parse("0 : 1", FREE).hands == ("-", "J")
    assert Deal.parse("0:AK", FREE).hands == ("-", "AK")
    assert [a.hands for _, a in parse_many("0:0\n1:0\n0:4", FREE)] == [("-", "-"), ("J", "-"), ("-", "A")]
    assert [a.hands for _, a in parse_many("0:\n0 :\n4", FREE)] == [("-", ""), ("-", ""), ("A", "")]
    assert Deal.parse("0:1:0", three).hands == ("-", "J", "-") and Deal.parse("1 : 0 : 2", three).hands == ("J", "-", "Q")


def test_a_jack_in_words_and_three_cards():
    assert Deal.parse("JACK/Q", FREE).hands == Deal.parse("jack/q", FREE).hands == ("JAK", "Q")  # the ace of clubs between
    assert Deal.parse("Jack/Queen", FREE).hands == Deal.parse("jack/queen", FREE).hands == ("J", "Q")
    assert Deal.parse("jack of clubs/Q", FREE).hands == Deal.parse("Jack/Q", FREE).hands == ("J", "Q")


def test_quotation_marks():
    for left, right in ('""', "''", "``", "“”", "«»", ("```\n", "\n```"), ("“‘", "’”"), (' "', '" ')):
        assert Deal.parse(f"{left}A-/K{right}", FREE).hands == ("A-", "K")
    assert Deal.parse('"A-","K"', FREE).hands == Deal.parse("1: 'A-' 2: 'K'", FREE).hands == ("A-", "K")
    assert Deal.parse('"1: A-\n2: K"', FREE).hands == ("A-", "K")
    with pytest.raises(NotationError, match=r"""cannot read '"' .character 2."""):
        Deal.parse('A"-/K', FREE)


def test_words_that_are_no_cards_are_named():
    for text, at, stray in (("Joker/A", 4, "e"), ("A/Aces", 5, "e"), ("Ace of Cups/A", 6, "f"), ("\U0001f0ac/A", 1, "\U0001f0ac"), ("A/\uff03", 3, "\uff03")):
        with pytest.raises(NotationError) as e:
            Deal.parse(text, FREE)
        assert str(e.value).startswith(f"cannot read '{stray}' (character {at}): "), e.value
    with pytest.raises(AmbiguousNotation):  # is the 3 a three or a king?
        Deal.parse("Two 3 / 3", FREE)


def test_groups_and_wrapped_lines():
    hands = RECORDS["Nessler 2022"]
    deck = "".join(hands)

    def groups(size):
        return [deck[i : i + size] for i in range(0, 52, size)]

    assert Deal.parse(" ".join(groups(4))).hands == hands
    assert Deal.parse(", ".join(groups(10))).hands == hands
    assert Deal.parse("\n".join(groups(13))).hands == hands
    assert Deal.parse("\n".join(groups(20))).hands == hands
    assert Deal.parse(f"{deck[:10]} {deck[10:26]}/{deck[26:30]}\n{deck[30:]}").hands == hands
    assert Deal.parse(f"1: {deck[:10]} {deck[10:26]}\n2: {deck[26:30]}\n{deck[30:]}").hands == hands


@pytest.mark.parametrize(
    "text, hands",
    [
        ("J-", ("J", "-")),
        ("A--J-", ("A--", "J-")),
        ("J-/", ("J-", "")),
        ("/J-", ("", "J-")),
        ("1: J- 2:", ("J-", "")),
        ("1:\n2: J-", ("", "J-")),
        ("A K - - Q", ("AK-", "-Q")),
        ("A,K,-,-,Q", ("AK-", "-Q")),
        ("A K -\n- Q", ("AK-", "-Q")),
        ("A K - -\nQ", ("AK--", "Q")),
        ("A,K - Q", None),
        ("AK -Q", ("AK", "-Q")),
        ("A, K", ("A", "K")),
        ("10J/J10", ("-J", "J-")),
        ("J100/2", ("J--", "-")),
        ("10/01", ("J-", "-J")),
        ("1:0", ("J", "-")),
        ("1:0 2:0", ("-", "-")),
        ("1:0\n2:00", ("-", "--")),
        ("A 2:3 K", ("A-", "-K")),
        ("p1: A p2: K", ("A", "K")),
        ("Seat 1: A, Seat 2: K", ("A", "K")),
        ("HAND 1:A|HAND 2:K", ("A", "K")),
        ("9 9 8 5 / 7", ("----", "-")),
        ("2s 3s / 4s", ("--", "-")),
        ("ASKH/SQ", None),
        ("SAHK/SQ", ("AK", "Q")),
        ("AS-KH/Q", ("A-K", "Q")),
        ("  A / K  \n", ("A", "K")),
        ("\ufeffA/K", ("A", "K")),
    ],
)
def test_small_deals_under_free_rules(text, hands):
    if hands is None:
        with pytest.raises(NotationError):
            Deal.parse(text, FREE)
    else:
        assert Deal.parse(text, FREE).hands == hands


TWO_WAYS = "this reads in two ways: as '{}' or as '{}'; write each card as A, K, Q, J or -, and put / between hands"


@pytest.mark.parametrize(
    "text, rules, one, other",
    [
        ("A,K Q", FREE, "A/KQ", "AK/Q"),
        ("AK,QJ -", FREE, "AK/QJ-", "AKQJ/-"),
        ("X2/3", FREE, "-Q/K", "--/-"),
        ("T 4", FREE, "-/A", "-/-"),
        ("A,K\n-,Q", replace(FREE, seats=3), "A/K-/Q", "AK/-/Q"),
    ],
)
def test_two_readings_are_shown_and_refused(text, rules, one, other):
    with pytest.raises(AmbiguousNotation) as e:
        Deal.parse(text, rules)
    assert str(e.value) == TWO_WAYS.format(one, other)
    assert e.value.exit_status == 2


def test_the_deck_decides_between_two_readings():
    assert Deal.parse("A,K Q", Rules.parse("1A1K1Q 1+2")).hands == ("A", "KQ")
    assert Deal.parse("X2/3", Rules.parse("1Q1K1-")).hands == ("-Q", "K")
    assert Deal.parse("X2/3", Rules.parse("3-")).hands == ("--", "-")


def test_readings_that_differ_late_are_shown_where_they_differ():
    text = "A" * 90 + ",KK Q"
    with pytest.raises(AmbiguousNotation) as e:
        Deal.parse(text, FREE)
    assert str(e.value) == TWO_WAYS.format("..." + "A" * 20 + "/KKQ", "..." + "A" * 20 + "KK/Q")


CANNOT = "cannot read {} (character {}): " + ACCEPTED


@pytest.mark.parametrize(
    "text, rules, message",
    [
        ("--Z", STANDARD, CANNOT.format("'Z'", 3)),
        ("A\x00", STANDARD, CANNOT.format(r"'\x00'", 2)),
        ("A/\x1b[31m", STANDARD, CANNOT.format(r"'\x1b'", 3)),
        ("A/\ud800", STANDARD, CANNOT.format(r"'\ud800'", 3)),
        ("A/\u202eK", STANDARD, CANNOT.format(r"'\u202e'", 3)),
        ("A/é", STANDARD, CANNOT.format("'é'", 3)),
        ("A1/K", FREE, "cannot read '1' (character 2): with A, K, Q, J in a text its digits are the ranks 2 to 10"),
        ("005/43", STANDARD, "cannot read '5' (character 3): with no A, K, Q, J in a text each digit is a card, "
         "0 a number card and 1 2 3 4 are J Q K A"),
        ("AS HK", FREE, "the suit 'H' (character 4) stands at no card; suits are written before each rank or after each "
         "rank, one order a text"),
        ("ASS/K", FREE, "the suit 'S' (character 3) stands at no card; suits are written before each rank or after each "
         "rank, one order a text"),
        ("A 1: K 2: Q", FREE, "cards stand before the label 1:"),
        ("2: A 1: K", FREE, "the label 2: stands where 1: is expected"),
        ("1: A 3: K", FREE, "the label 3: stands where 2: is expected"),
        ("1: A 2: K 1: A 2: K", FREE, "a second label 1: starts a second deal, but one deal is wanted here"),
        ("1: A / K 2: Q", FREE, "hands are divided by labels and by other signs, too: one of them is wanted"),
    ],
)  # fmt: skip
def test_what_cannot_be_read(text, rules, message):
    with pytest.raises(NotationError) as e:
        Deal.parse(text, rules)
    assert str(e.value) == message


@pytest.mark.parametrize(
    "text, rules, message",
    [
        ("A/K/Q", FREE, "3 hands for 2 players"),
        ("AK QJ --", FREE, "3 hands for 2 players"),
        ("AK,QJ,--", FREE, "3 hands for 2 players"),
        ("AK\nQJ\n--", FREE, "3 hands for 2 players"),
        ("AK QJ", replace(FREE, seats=3), "2 hands for 3 players"),
        ("1: A", FREE, "1 hand for 2 players"),
        (" ".join(["-" * 13] * 4), STANDARD, "4 hands for 2 players"),
        ("1: A 2: K 3: Q", STANDARD, "3 hands for 2 players"),
    ],
)
def test_another_number_of_hands_is_refused(text, rules, message):
    with pytest.raises(IllegalDeal) as e:
        Deal.parse(text, rules)
    assert str(e.value) == message


def test_hands_of_wrong_size_are_refused_whatever_divides_them():
    deck = "".join(RECORDS["Nessler 2022"])
    for sign in ("/", "|", ":", ",", " ", "\n"):
        with pytest.raises(IllegalDeal, match="^hands of 25 and 27 cards; these rules deal 26 and 26$"):
            Deal.parse(deck[:25] + sign + deck[25:])
        assert Deal.parse(deck[:25] + sign + deck[25:], ANY).sizes == (25, 27)


# Any text, any style


SIGNS = st.sampled_from([*"AKQJakqj--..00nN123456789TtXx", "10", *"♠♥♦♣♤♡♢♧", "♠\ufe0f", *"SHDCshdc", *"///|:,,  \n\n", "1:", "2:",
                         "3:", "0:", "1 :", "Player 1:", "Player 0:", "Ace", " of Hearts", "jack", '"', "`", "_", "*", "o", "\uff0f", "\U0001f0a1", "\U0001f0b7", "\u2013", "\u2014", "\u2026", "\u00a0", "Z", "\x00"])  # fmt: skip
RULES = st.sampled_from([FREE, replace(FREE, seats=3), replace(FREE, seats=4), STANDARD, Rules.parse("1A1K4-"), Rules.parse("1A1J2- 1+3")])


def check_any(text, rules):
    try:
        hands = read(text, rules)
    except InputError as error:
        message = str(error)
        assert message.isprintable() and len(message) < 300
    else:
        assert fault_of(rules, hands) is None
        assert Deal.parse("/".join(hands), rules).hands == hands
    for place, answer in [*parse_many(text, rules), *parse_arguments([text, text], rules)]:
        assert isinstance(answer, (Deal, InputError))
        assert 1 <= place.first <= place.last <= max(2, text.count("\n") + 1)


@settings(max_examples=1000, deadline=None, derandomize=True)
@given(st.lists(SIGNS, max_size=24).map("".join), RULES)
def test_any_row_of_signs_is_read_or_refused(text, rules):
    check_any(text, rules)


@quick
@given(st.text(max_size=80), RULES)
def test_any_text_is_read_or_refused(text, rules):
    check_any(text, rules)


@quick
@given(st.binary(max_size=200), RULES)
def test_any_bytes_are_read_or_refused(data, rules):
    assert all(isinstance(answer, (Deal, InputError)) for _, answer in parse_many(data, rules))
    check_any(data.decode("latin-1"), rules)


@settings(max_examples=500, deadline=None, derandomize=True)
@given(st.lists(st.text("AKQJ--", min_size=1, max_size=8), min_size=2, max_size=4), st.data())
def test_small_deals_in_any_style(hands, data):
    hands = tuple(hands)
    has_courts = set("".join(hands)) & set("AKQJ")
    cards = {k: c for k, c in CARDS.items() if has_courts or k.startswith(("digits", "hyphens", "dots", "zeros"))}
    card = data.draw(st.sampled_from(list(cards.values())))
    form = data.draw(st.sampled_from([form for name, form in FORMS.items() if name != "one string"]))
    text = form(written(hands, card))
    free = replace(FREE, seats=len(hands))
    deal = Deal(free, hands)
    assert Deal.parse(text, free) == deal
    assert Deal.parse(text, deal.rules) == deal
    if not any(sign in text for sign in "\u2013\u2014"):  # which may stand for several cards
        assert [a for _, a in parse_many("\n\n".join([text] * 3), deal.rules)] == [deal] * 3


# Size


def test_texts_too_long_for_a_deal_are_refused_unread():
    for text in ("A" * 10_000_000, "\x00" * 10_000_000, "1:" * 5_000_000, ", " * 5_000_000, "A\n" * 5_000_000):
        for rules in (STANDARD, FREE):
            with pytest.raises(NotationError) as e:
                Deal.parse(text, rules)
            assert str(e.value) == f"a text of 10000000 characters: a deal takes at most {MAX_TEXT}"
    [(_, error)] = parse_many(b"\xff" * 10_000_000)
    assert isinstance(error, NotationError)
    [(_, error)] = parse_arguments(["-" * 10_000_000])
    assert isinstance(error, NotationError)


def test_long_lists_of_nothing_take_bounded_memory_and_end():
    for line in ("/\n", ",\n", "1:\n", "1\n", "\u2014\n", "A\n", "Z\n"):
        for rules in (STANDARD, FREE, ANY):
            assert all(isinstance(a, (Deal, InputError)) for _, a in parse_many(line * 5000, rules))


def test_quoting_is_short_and_printable():
    assert shown("--A") == "'--A'"
    assert shown("\x00" * 5) == "'" + r"\x00" * 5 + "'"
    assert shown("\x00" * 50) == "'" + r"\x00" * 10 + "...'"
    assert shown("A" * 41) == "'" + "A" * 40 + "...'"
    assert shown("A" * 40) == "'" + "A" * 40 + "'"
    assert shown("♠" * 100) == "'" + "♠" * 40 + "...'"
