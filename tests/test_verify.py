"""Verifying deals: engines that agree, the object's keys, claims, and why a claim may be off."""

import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from search import engine
from search.claim import Claim, miscounts
from search.errors import Disagreement, InputError
from search.game import play
from search.outcome import Outcome, Status
from search.records import known_games
from search.verify import verify
from small_deals import deal

KNOWN = {record.title: record for record in known_games()}
DEALS = {title: record.deal for title, record in KNOWN.items()}
KEYS = [
    "deal", "rules", "status", "cards", "tricks", "winner", "lead_in", "period", "loop_cards", "full_period",
    "cycle", "cycle_period", "index", "engines", "record", "claim",
]  # fmt: skip


def reasons(verification):
    return "\n".join(verification.faults)


@pytest.mark.parametrize("title", DEALS)
def test_known_games(title):
    record = KNOWN[title]
    found = verify(record.deal, Claim(record.cards, record.tricks, lead_in=record.lead_in, period=record.period))
    row = found.as_json()
    assert list(row) == KEYS
    assert json.loads(json.dumps(row)) == row
    assert (row["status"], row["cards"], row["tricks"]) == (record.status, record.cards, record.tricks)
    assert (row["lead_in"], row["period"]) == (record.lead_in, record.period)
    assert (row["claim"], found.exit_status, found.faults) == ("holds", 0, ())
    assert row["deal"] == record.hands and row["index"] == record.deal.index
    assert row["engines"][0] == "reference" and set(row["engines"]) <= {"reference", *engine.engines()}
    assert "ring" in row["engines"]


def test_keys_that_do_not_apply_are_none():
    row = verify(DEALS["Nessler 2022"]).as_json()
    assert row["winner"] == 1 and row["record"] == "equals Nessler 2022 (8344 cards, 1164 tricks)"
    for key in ("lead_in", "period", "loop_cards", "full_period", "cycle", "cycle_period", "claim"):
        assert row[key] is None
    row = verify(DEALS["Casella 2024"]).as_json()
    assert row["winner"] is None and row["claim"] is None
    assert (row["loop_cards"], row["full_period"], row["cycle_period"]) == (440, 4650, 62)
    assert row["cycle"].startswith("-----------------KA-J-/")


def test_every_engine_that_can_play_a_deal_plays_it(monkeypatch):
    asked = []
    honest = engine.play
    monkeypatch.setattr(engine, "play", lambda deal, limit=None, engine=None: asked.append(engine) or honest(deal, limit, engine))
    assert verify(DEALS["Kleber 1999"]).engines == ("reference", *engine.engines())
    assert asked == engine.engines()


def test_three_and_four_players():
    row = verify(deal("--J-/-/J")).as_json()
    assert (row["status"], row["cycle"], row["cycle_period"], row["period"]) == ("infinite", "--J-/J-", 1, 2)
    assert row["rules"].endswith("3 players") and row["engines"][0] == "reference"
    assert verify(deal("-/-/-J/-J")).outcome == Outcome(Status.FINITE, 6, 1, 3)


def test_limit():
    row = verify(DEALS["Casella 2024"], limit=100).as_json()
    assert (row["status"], row["cards"], row["record"], row["cycle"]) == ("limit", 100, None, None)
    found = verify(DEALS["Casella 2024"], Claim(infinite=True), limit=100)
    assert found.exit_status == 1
    with pytest.raises(InputError):
        verify(DEALS["Casella 2024"], limit=0)


@pytest.mark.parametrize("wrong", ["cards", "winner", "status", "loop"])
def test_disagreement_is_our_fault_and_names_both(monkeypatch, wrong):
    honest = engine.play

    def lie(deal, limit=None, engine=None):
        outcome = honest(deal, limit, engine)
        if engine != "ring":
            return outcome
        if wrong == "cards":
            return Outcome(outcome.status, outcome.cards + 1, outcome.tricks, outcome.winner)
        if wrong == "winner":
            return Outcome(outcome.status, outcome.cards, outcome.tricks, 1 - outcome.winner)
        if wrong == "loop":
            return Outcome(outcome.status, outcome.cards, outcome.tricks, outcome.winner, loop_cards=1)
        return Outcome(Status.INFINITE, outcome.cards, outcome.tricks, None, 1, 2, 3)

    monkeypatch.setattr(engine, "play", lie)
    with pytest.raises(Disagreement, match="reference says .*ring says ") as caught:
        verify(DEALS["Nessler 2022"])
    assert caught.value.exit_status == 70
    assert KNOWN["Nessler 2022"].hands in str(caught.value)


# Claims: (deal, claim, part of the reason). Of the records, the last trick of Nessler 2022 is complete, that of
# Kleber 1999 is not.
FAILING = [
    ("Nessler 2022", Claim(cards=8345), "going on when the last trick has left the loser without cards"),
    ("Nessler 2022", Claim(cards=8345, tricks=1165), "one card and one trick too long"),
    ("Nessler 2022", Claim(tricks=1165), "one card and one trick too long"),
    ("Nessler 2022", Claim(cards=8344, tricks=1165), "which nobody leads"),
    ("Nessler 2022", Claim(cards=8344, tricks=1163), "not counting the last trick, which ends the game"),
    ("Nessler 2022", Claim(cards=8343), "one card left, without counting that card"),
    ("Kleber 1999", Claim(cards=5789), "one card left, as soon as he has turned it .here after 5789 cards"),
    ("Kleber 1999", Claim(cards=5789, tricks=805), "one card left, as soon as he has turned it"),
    ("Kleber 1999", Claim(cards=5788), "one card left, without counting that card"),
    ("Kleber 1999", Claim(tricks=804), "not counting the last trick, which is unfinished"),
    ("Kleber 1999", Claim(cards=5787, tricks=804), "neither the last trick, in which the loser runs out, nor its 3 cards"),
    ("Kleber 1999", Claim(cards=5791), "counting the card that the loser has to turn in the end and does not have"),
    ("Kleber 1999", Claim(cards=5791, tricks=806), "no well-known other way"),
    ("Kleber 1999", Claim(infinite=True), "not infinite; finite: 5790 cards, 805 tricks, seat 0 wins"),
    ("Kleber 1999", Claim(cards=5790, tricks=805, period=62), "not infinite"),
    ("leader matters", Claim(infinite=True), "tricks 2 and 4 start with the same hands, but seat 0 leads one and seat 1 the other"),
    ("Casella 2024", Claim(cards=440), "440 is the cards of one loop"),
    ("Casella 2024", Claim(tricks=62), "62 is the tricks of one loop"),
    ("Casella 2024", Claim(cards=5000), "the game does not end"),
    ("Casella 2024", Claim(period=4650), "all cards told apart"),
    ("Casella 2024", Claim(lead_in=5), "lead-in: 5 claimed, 4 counted, 1 trick too many"),
    ("Casella 2024", Claim(lead_in=34), "34 is the lead-in in cards"),
]


@pytest.mark.parametrize("title, claim, reason", FAILING)
def test_claims_that_fail(title, claim, reason):
    found = verify(DEALS[title], claim)
    assert (found.verdict, found.exit_status, found.as_json()["claim"]) == ("fails", 1, "fails")
    assert re.search(reason, reasons(found)), reasons(found)
    assert any(line.startswith("claim    fails: ") for line in found.as_text())


def test_claims_far_off_get_no_reason():
    found = verify(DEALS["Kleber 1999"], Claim(cards=6000))
    assert found.faults == ("cards: 6000 claimed, 5790 counted, 210 cards too many",)


def test_that_a_game_does_not_end_is_said_before_its_figures():
    found = verify(DEALS["Casella 2024"], Claim(cards=5000, tricks=700))
    assert [fault.split(":")[0] for fault in found.faults] == ["the game does not end, and its counts are those at which its state comes back", "cards", "tricks"]


def test_exchanged_seats_and_the_period():
    found = verify(deal("J--/-J-"), Claim(period=1))
    assert "does not tell the two seats apart" in reasons(found)
    assert verify(deal("J--/-J-"), Claim(cards=8, tricks=3, infinite=True, lead_in=1, period=2)).verdict == "holds"


def test_an_empty_claim_is_none():
    assert verify(deal("J/-"), Claim()).verdict is None


def test_text_for_people():
    lines = verify(DEALS["Nessler 2022"], Claim(cards=8344)).as_text()
    assert lines[0] == "deal     ---AJ--Q---------QAKQJJ-QK/-----A----KJ-K--------A---"
    assert "game     finite: 8344 cards, 1164 tricks, seat 1 wins" in lines
    assert lines[-1] == "claim    holds"
    text = "\n".join(verify(deal("--J-/K-J-")).as_text())
    assert "cycle    --J-/K-J-" in text and "2 states as the leader sees them" in text and "after 20 tricks" in text


# The other ways of counting, each as a program that has the fault; two players.


def naive(hands, pays, stop=None):
    """Plays without looking at empty hands until a card is asked of one.

    stop: 'empty' ends the game when the mover has turned his last card, 'low' before he turns it.
    Returns cards and complete tricks, and the tricks begun.
    """
    hands = [list(hand) for hand in hands]
    cards = tricks = begun = 0
    mover = 0
    while True:
        begun += 1
        pile, debt, creditor = [], 0, None
        while True:
            if not hands[mover] or (stop == "low" and len(hands[mover]) == 1):
                return cards, tricks, begun
            card = hands[mover].pop(0)
            pile.append(card)
            cards += 1
            if stop == "empty" and not hands[mover]:
                return cards, tricks, begun
            if card != "-":
                debt, creditor, mover = pays[card], mover, 1 - mover
            elif not debt:
                mover = 1 - mover
            elif debt == 1:
                break
            else:
                debt -= 1
        hands[creditor] += pile
        mover = creditor
        tricks += 1


@settings(derandomize=True, max_examples=500, deadline=None)
@given(st.lists(st.text(alphabet="----JJQKA", min_size=1, max_size=9), min_size=2, max_size=2))
def test_miscounts_are_what_programs_with_the_fault_count(hands):
    game = deal("/".join(hands))
    outcome = play(game)
    if outcome.status is not Status.FINITE:
        return
    pays = game.rules.pay_of
    counts = {(m.cards, m.tricks): m.words for m in reversed(miscounts(game))}
    truth = (outcome.cards, outcome.tricks)
    assert truth not in counts
    late = naive(hands, pays)[::2]
    if late != truth:
        assert late == (truth[0] + 1, truth[1] + 1)
        assert "going on when the last trick has left the loser without cards" in counts[late]
    else:
        assert not any("going on" in words for words in counts.values())
        assert "unfinished" in counts[outcome.cards, outcome.tricks - 1] or "one card left" in counts[outcome.cards, outcome.tricks - 1]
    for stop, words in (("empty", "as soon as he has turned it"), ("low", "without counting that card")):
        cards, _, begun = naive(hands, pays, stop)
        for counted in ((cards, begun), (cards, begun - 1)):
            if counted != truth:
                assert counted in counts
    assert all(m.cards >= 0 and m.tricks >= 0 for m in miscounts(game))


def test_miscounts_by_hand():
    # J- against '-': trick 1 takes the last card of seat 1. Going on, seat 0 would lead '-', and seat 1 could not follow.
    by_words = {m.words: (m.cards, m.tricks) for m in miscounts(deal("J-/-"))}
    late = [counts for words, counts in by_words.items() if "one card and one trick too long" in words]
    assert late == [(3, 2)]
    # Seat 1 has one card left when he has to pay for the jack: 1 card is on the table then, 2 when he has paid.
    assert [c for w, c in by_words.items() if "without counting that card (" in w] == [(1, 1)]
    assert miscounts(deal("J-/")) == []
