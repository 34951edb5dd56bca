"""The fast engines at the limits of how they represent a game, and where they hand games to the careful one."""

import itertools
import subprocess

import agreement
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from search import engine, game
from search.deal import Deal
from search.outcome import Status
from search.records import published
from search.rules import RANKS, STANDARD, Rules

ENGINES = engine.engines()
PAYS = list(itertools.permutations((4, 3, 2, 1)))


def deal_of(text, pays=(4, 3, 2, 1)):
    """The deal `hand/hand`, of whatever composition it is."""
    hands = tuple(text.split("/"))
    return Deal(Rules(tuple(map("".join(hands).count, RANKS)), pays, any_split=True), hands)


def check(text, pays=(4, 3, 2, 1)):
    deal = deal_of(text, pays)
    right = game.play(deal)
    for name in ENGINES:
        played = engine.play(deal, engine=name)
        for part in ("status", "cards", "tricks", "lead_in", "period"):
            assert getattr(played, part) == getattr(right, part), (name, text, pays)


@pytest.mark.skipif(agreement.compiler() is None, reason="no C compiler")
@pytest.mark.parametrize("age, games", [(8, 3000), (64, 3000), (512, 3000)])
def test_age_at_which_a_game_is_handed_over(tmp_path, age, games):
    """Builds that hand games over earlier play every kind of deal alike; see agreement.c."""
    program = agreement.build(tmp_path, age, ("-O1",))
    done = subprocess.run([program, str(games)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith("0 results differ\n")


def gapped(gap):
    """Deals in which `gap` number cards lie above one court card: at the deal, in both places, and below."""
    numbers = "-" * gap
    yield f"{numbers}A/{'-' * 5}J{'-' * 20}"
    yield f"-K{'-' * 5}/{numbers}J"
    yield f"J{numbers}Q/-A---Q"
    yield f"A---K/J{numbers}J-"
    yield f"-A{numbers}/--K-J"
    yield f"-J-Q/K{numbers}"


@pytest.mark.parametrize("gap", [14, 15, 16, 29, 30, 31, 32, 33, 40, 50])
def test_gaps_in_the_deal(gap):
    for text in gapped(gap):
        check(text)


@pytest.mark.parametrize("leader, other", [(a, b) for a in (13, 14, 15, 16, 17, 30, 31) for b in (a - 1, a, a + 1) if a + b < 60])
def test_gaps_that_arise_in_the_first_trick(leader, other):
    """The first court card comes after 2a or 2b + 1 number cards, which then lie above it in one hand."""
    for court, answer in (("A", "J"), ("J", "A")):
        check(f"{'-' * leader}{court}-/{'-' * other}{answer}-")
    check(f"{'-' * leader}QQ/{'-' * other}J")


@pytest.mark.parametrize("split", range(5, 12))
def test_piles_with_nearly_all_court_cards(split):
    """Court card after court card: the pile has 16 of them, or one hand is out of cards in the middle."""
    for deck in ("AKQJ" * 4, "JJJJQQQQKKKKAAAA", "AAAAKKKKQQQQJJJJ", "JQJQJQJQKAKAKAKA"):
        for below in ("", "-", "--", "----", "-" * 12):
            check(f"{deck[:split]}{below}/{deck[split:]}{below}")
            check(f"{deck[:split]}{below}/{deck[split:]}")
            check(f"-{deck[:split]}/-{deck[split:]}{below}")
            check(f"{deck[:split]}{below}/{deck[split:15]}")


@pytest.mark.parametrize("pays", PAYS, ids=str)
def test_pays_in_every_order(pays):
    rules = Rules(STANDARD.counts, pays)
    packed = engine.deals_packed(rules, 3, 0, 0, 2000)
    right = engine.play_packed(packed, rules, engine="ring")
    for name in ENGINES:
        played = engine.play_packed(packed, rules, engine=name)
        assert all(getattr(played, column) == getattr(right, column) for column in ("cards", "tricks", "lead_in", "period", "status"))
    for i in range(20):
        assert game.play(engine.deal_number(rules, 3, 0, i)).cards == right.cards[i]


def test_infinite_games_among_others():
    """Loops come out exactly, each beside its own deal, whatever plays around them."""
    loops = [r for r in published() if r.deal.rules == STANDARD and r.status is Status.INFINITE]
    assert loops
    strings = engine.unpack(engine.deals_packed(STANDARD, 4, 0, 0, 300))
    for i, record in enumerate(loops):
        strings[7 * i % 300] = record.deal.cards
    right = [game.play(Deal.from_cards(string, STANDARD)) for string in strings]
    for name in ENGINES:
        for played, wanted in zip(engine.play_strings(strings, engine=name), right, strict=True):
            assert (played.status, played.cards, played.tricks) == (wanted.status, wanted.cards, wanted.tricks)
            assert (played.lead_in, played.period) == (wanted.lead_in, wanted.period)


def test_fast_engines_play_what_they_say():
    """Decks of up to 64 cards with 2 to 16 court cards that pay 1 to 4 do not need the careful engine."""
    for text in ("standard", "italian", "4A=4 4K=3 4Q=2 4J=1 48-", "1A=4 1J=1 12-", "16A=1 20-", "8A=2 8J=4"):
        assert engine.chosen(Rules.parse(text)) == ENGINES[0]
    for text in ("4A=9 48-", "17A=1 20-", "16A=1 60-"):
        assert engine.chosen(Rules.parse(text)) in engine.FULL


HAND = st.lists(st.tuples(st.integers(0, 20), st.sampled_from("AKQJ")), max_size=8)


@settings(max_examples=300, deadline=None, derandomize=True)
@given(HAND, HAND, st.integers(0, 20), st.integers(0, 20), st.sampled_from([(4, 3, 2, 1), (1, 4, 2, 3), (6, 1, 5, 2), (7, 7, 1, 1)]))
def test_hands_of_long_gaps(one, two, below_one, below_two, pays):
    def hand(gaps, below):
        return "".join("-" * gap + court for gap, court in gaps) + "-" * below

    text = f"{hand(one, below_one)}/{hand(two, below_two)}"
    if 1 <= len(text) - 1 <= 64:
        check(text, pays)
