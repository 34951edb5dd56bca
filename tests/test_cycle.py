"""Cycles: names that do not depend on seats, periods, and the order of a loop's permutation."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from search.cycle import cycle_from, cycle_of, view
from slow_game import slow_play
from small_deals import deal


CASELLA = "---K---Q-KQAJ-----AAJ--J--/----------Q----KQ-J-----KA"


def test_the_published_cycle():
    cycle = cycle_of(deal(CASELLA))
    assert (cycle.lead_in, cycle.period, cycle.cycle_period, cycle.loop_cards) == (4, 62, 62, 440)
    assert cycle.full_period == 62 * 75
    assert len(cycle.states) == 62 and cycle.name in map(view, cycle.states)
    assert cycle.name == min(map(view, cycle.states))
    # As it was first described: the hand that keeps coming back, and the three pieces of the other hand.
    pieces = "--J" "--------K---------Q-Q-K---Q-KAQJ" "--------A-KAAJ"
    assert view((0, (pieces + "-", "J-"))) in map(view, cycle.states)


# The periods are known; the deals were found by search.
@pytest.mark.parametrize(
    "hands, period",
    [
        ("-----------------KA------J/KK---AKAAJ----Q-Q-Q-QJ--J-", 31),
        ("-----------K---Q-A-----J--/KQ---JKQ-K-Q-J---A----AAJ-", 56),
        ("-----------------Q-A---K-J/---Q---JAQ-A-A-J---K-KKQJ-", 81),
        ("--------A-K-AQA--J--------/KQ-KAQKQJ------------J--J-", 156),
    ],
)
def test_more_balanced_deals(hands, period):
    cycle = cycle_of(deal(hands))
    assert cycle.period == cycle.cycle_period == period


def test_worked_by_hand():
    # The loop: --J-/J- led by seat 0, J-/--J- led by seat 1: the same to the leader.
    cycle = cycle_of(deal("J--/-J-"))
    assert cycle.states == ((0, ("--J-", "J-")), (1, ("J-", "--J-")))
    assert (cycle.name, cycle.cycle_period, cycle.period, cycle.loop_cards, cycle.lead_in) == ("--J-/J-", 1, 2, 6, 1)
    # With the cards of the first state called abcd/ef: a e b go to seat 1, cd/faeb; then f c a go to seat 0,
    # dfca/eb. So a and d have changed places, b and f too, and another loop puts them back.
    assert cycle.full_period == 2 * 2
    cycle = cycle_of(deal("--J-/K-J-"))
    assert (cycle.name, cycle.cycle_period, cycle.period, cycle.loop_cards, cycle.lead_in) == ("--J-/K-J-", 2, 4, 16, 0)


def test_finite_games_have_none():
    assert cycle_of(deal("J-/---J-")) is None
    assert cycle_of(deal("J/")) is None


def test_a_player_who_is_out_leaves_no_trace():
    for hands in ("--J-//J-", "//--J-/J-", "--J-//J-/"):
        cycle = cycle_of(deal(hands))
        assert (cycle.name, cycle.cycle_period, cycle.period) == ("--J-/J-", 1, 2)
    # Seat 1 drops out on the way.
    assert cycle_of(deal("--J-/-/J")).name == "--J-/J-"


def test_three_hands_go_round_the_table():
    cycle = cycle_of(deal("J/-----J/-J"))
    assert (cycle.name, cycle.cycle_period, cycle.period, cycle.loop_cards, cycle.lead_in) == ("--J-/J-/-J-", 1, 3, 9, 5)


loop_hand = st.text(alphabet="---JJQ", max_size=7)
hands_of_some = st.integers(2, 4).flatmap(lambda n: st.lists(loop_hand, min_size=n, max_size=n)).filter(any)


@settings(derandomize=True, max_examples=600, deadline=None)
@given(hands_of_some)
def test_one_name_from_every_state_and_seat(hands):
    game = deal("/".join(hands))
    cycle = cycle_of(game)
    if cycle is None:
        return
    still_in = sum(map(bool, cycle.states[0][1]))
    assert cycle.period % cycle.cycle_period == 0 and still_in % (cycle.period // cycle.cycle_period) == 0
    for leader, state_hands in cycle.states:
        again = cycle_from((leader, state_hands), game.rules)
        assert again.lead_in == 0
        # The same table, everybody one seat further.
        moved = cycle_from(((leader + 1) % len(hands), state_hands[-1:] + state_hands[:-1]), game.rules)
        for other in (again, moved):
            assert (other.name, other.cycle_period, other.period, other.loop_cards, other.full_period) == (
                cycle.name, cycle.cycle_period, cycle.period, cycle.loop_cards, cycle.full_period,
            )


def told_apart(hands):
    """The game of the second reading of the rules, with every card an individual."""
    pays = dict(zip("AKQJ", (4, 3, 2, 1)))
    cards = [[(rank, seat, place) for place, rank in enumerate(hand)] for seat, hand in enumerate(hands)]
    return slow_play(cards, {card: pays[card[0]] for hand in cards for card in hand if card[0] in pays})


@settings(derandomize=True, max_examples=600, deadline=None)
@given(hands_of_some)
def test_full_period_is_the_loop_of_a_game_with_all_cards_told_apart(hands):
    cycle = cycle_of(deal("/".join(hands)))
    slow = told_apart(hands)
    if cycle is None:
        assert slow["status"] == "finite"
    else:
        assert (slow["period"], slow["lead_in"]) == (cycle.full_period, cycle.lead_in)


def test_full_period_of_a_whole_deck():
    hands = "-----------------KA------J/KK---AKAAJ----Q-Q-Q-QJ--J-"
    assert told_apart(hands.split("/"))["period"] == cycle_of(deal(hands)).full_period
