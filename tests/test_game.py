"""The reference engine against games worked by hand, and against a second reading of the rules."""

from dataclasses import asdict
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from search.errors import IllegalDeal, InputError
from search.game import is_over, next_state, play, start_state, trace, trace_from
from search.outcome import Outcome, Status
from search.rules import FREE
from slow_game import slow_play
from small_deals import deal


def finite(cards, tricks, winner):
    return Outcome(Status.FINITE, cards, tricks, winner)


def limited(cards, tricks, winner):
    return Outcome(Status.LIMIT, cards, tricks, winner)


def told(text):
    """The game in short: 'leader: pile > taker' for every trick."""
    return [f"{t.leader}: {t.pile} > {t.taker}" for t in trace(deal(text))]


# Each game below was worked by hand from the rules.
HAND_WORKED = {
    # Both turn their only card; seat 0 must turn another and cannot, so seat 1, the last one in, takes both.
    "-/-": (finite(2, 1, 1), ["0: -- > 1"]),
    # Seat 0 turns its last card, seat 1 turns its last, seat 0 cannot; nobody asks whether seat 1 could.
    "-/J": (finite(2, 1, 1), ["0: -J > 1"]),
    # The jack is paid for with the only card of seat 1: a finished trick, and the game ends there.
    "J/-": (finite(2, 1, 0), ["0: J- > 0"]),
    # Seat 1 pays with a jack, and seat 0 has nothing to pay for that.
    "J/J": (finite(2, 1, 1), ["0: JJ > 1"]),
    # An ace asks for four, seat 1 has two: he cannot turn a third.
    "A/--": (finite(3, 1, 0), ["0: A-- > 0"]),
    # The payer's last card is a jack; it asks seat 0, whose hand is empty.
    "A/--J": (finite(4, 1, 1), ["0: A--J > 1"]),
    # Seat 0 plays its last card, a jack, and is not out: seat 1 pays, seat 0 takes the pile and goes on,
    # leads the jack again and gets the last card of seat 1.
    "J/--": (finite(4, 2, 0), ["0: J- > 0", "0: J- > 0"]),
    # The leader counts: after trick 1 and after trick 3 the hands are -J-/--J-, led by seat 0 and then by seat 1.
    "J-/---J-": (finite(15, 4, 1), ["0: J- > 0", "0: --J- > 0", "0: -J- > 1", "1: ---JJ- > 1"]),
    # One hand only, at the start: nothing to play.
    "--J/": (finite(0, 0, 0), []),
    "/J": (finite(0, 0, 1), []),
    "//-/": (finite(0, 0, 2), []),
    # Known loops.
    "J--/-J-": (Outcome(Status.INFINITE, 8, 3, None, 1, 2, 6), ["0: J- > 0", "0: -J- > 1", "1: -J- > 0"]),
    "--J-/K-J-": (
        Outcome(Status.INFINITE, 16, 4, None, 0, 4, 16),
        ["0: -K-J- > 0", "0: -J- > 1", "1: -K-J- > 1", "1: -J- > 0"],
    ),
    # Three players. All have one number card; seats 0 and 1 must turn again and cannot; seat 2 is the last one in.
    "-/-/-": (finite(3, 1, 2), ["0: --- > 2"]),
    # Seat 1 has no card at the deal: he is passed over from the first trick on.
    "J//--": (finite(4, 2, 0), ["0: J- > 0", "0: J- > 0"]),
    # Seat 0 has no card at the deal: seat 1 leads.
    "/J/-": (finite(2, 1, 1), ["1: J- > 1"]),
    # Seat 1 owes four, turns one and is out; seat 2 pays the three that are left. Seat 0 takes five cards and leads
    # the ace again; seat 2 turns his last card and is out.
    "A/-/----": (finite(7, 2, 0), ["0: A---- > 0", "0: A- > 0"]),
    # The payment passes from seat 1 to seat 2 and back to seat 0, who is owed: he takes the pile.
    "A/-/-": (finite(3, 1, 0), ["0: A-- > 0"]),
    # Seat 1 is out in mid-payment; seat 2 goes on with a jack, which seat 0 must pay for, and cannot.
    "A/-/J-": (finite(3, 1, 2), ["0: A-J > 2"]),
    # The same, and seat 0 pays with his last card. He has none when the next trick starts: the game is over.
    "A-/-/J-": (finite(4, 1, 2), ["0: A-J- > 2"]),
    # Seat 1 plays his last card, a jack, and stays in: seat 2 pays, seat 1 takes the pile and leads: a number card
    # of seat 1, one of seat 2, one of seat 0, then the jack of seat 1; seat 2 cannot pay, seat 0 pays for him
    # with his last card. All cards are seat 1's then.
    "---/J/--": (finite(8, 2, 1), ["0: -J- > 1", "1: ---J- > 1"]),
    # Four players. Seat 0 leads a queen, seat 1 cannot pay at all for want of cards, seats 2 and 3 pay one each;
    # seat 0 takes the pile and is alone.
    "Q//-/-": (finite(3, 1, 0), ["0: Q-- > 0"]),
    # Seats 0 to 3 turn; seat 0 must turn and is out, so is seat 1; seat 2 turns a jack, seat 3 pays with a jack,
    # seats 0 and 1 are out already, so seat 2 must pay and cannot.
    "-/-/-J/-J": (finite(6, 1, 3), ["0: ----JJ > 3"]),
}


@pytest.mark.parametrize("hands", HAND_WORKED)
def test_worked_by_hand(hands):
    outcome, tricks = HAND_WORKED[hands]
    assert play(deal(hands)) == outcome
    assert told(hands) == tricks


def test_trick_in_full():
    """Three players, every field: seat 1 drops out in mid-payment, seat 2 pays with his last card and is out after it."""
    tricks = trace(deal("A-/-/---"))
    trick = next(tricks)
    assert trick.number == 1 and trick.leader == 0
    assert trick.before == ("A-", "-", "---")
    assert trick.played == ((0, "A"), (1, "-"), (2, "-"), (2, "-"), (2, "-"))
    assert trick.pile == "A----"
    assert trick.taker == 0
    assert trick.after == ("-A----", "", "")
    assert trick.out == (1, 2)
    assert trick.over and trick.cards == 5
    with pytest.raises(StopIteration) as end:
        next(tricks)
    assert end.value.value == finite(5, 1, 0)


def test_pile_goes_under_in_the_order_played():
    trick = next(trace(deal("-K-/-J--Q-")))
    # Seat 0 '-', seat 1 '-', seat 0 K, seat 1 pays with J, seat 0 pays one: seat 1 takes '--KJ-'.
    assert trick.after == ("", "--Q---KJ-")
    assert trick.over


def test_other_pays():
    # With a jack that asks for three, seat 1 cannot finish the payment; with two he can, and is out after it.
    assert play(deal("J/--", pays=(4, 3, 2, 3))) == finite(3, 1, 0)
    assert play(deal("J/--", pays=(4, 3, 2, 2))) == finite(3, 1, 0)
    assert told("J/--") == ["0: J- > 0", "0: J- > 0"]


LIMITS = [
    # Cards on the table count for nobody: 1 and 2 are left in hand.
    ("--/--", 1, limited(1, 1, 1)),
    ("--/--", 2, limited(2, 1, None)),
    ("--/--", 3, limited(3, 1, 1)),
    # Nobody is asked for a fifth card: both hands are empty, a draw. Without the limit seat 1 wins.
    ("--/--", 4, limited(4, 1, None)),
    ("--/--", 5, finite(4, 1, 1)),
    # The second card completes the trick, which is taken first; then seat 0 has three cards and seat 1 one.
    ("J-/--", 2, limited(2, 1, 0)),
    # The second card completes the trick and ends the game.
    ("J/-", 2, finite(2, 1, 0)),
    ("J/-", 1, limited(1, 1, 1)),
    # One hand only: over before any limit.
    ("J/", 1, finite(0, 0, 0)),
    # Three players, equal most among two of them.
    ("-/--/--", 1, limited(1, 1, None)),
    ("-/--/--", 2, limited(2, 1, 2)),
    # First 1, 2, 3 cards in hand; then seat 0 has taken the pile: 3, 1, 3.
    ("J-/-J/Q--", 1, limited(1, 1, 2)),
    ("J-/-J/Q--", 2, limited(2, 1, None)),
    # The loop of eight cards: the limit is looked at first where both are met at once.
    ("J--/-J-", 7, limited(7, 3, 1)),
    ("J--/-J-", 8, limited(8, 3, 0)),
    ("J--/-J-", 9, Outcome(Status.INFINITE, 8, 3, None, 1, 2, 6)),
]


@pytest.mark.parametrize("hands, limit, outcome", LIMITS)
def test_limit(hands, limit, outcome):
    assert play(deal(hands), limit) == outcome


@pytest.mark.parametrize("limit", [0, -1])
def test_limit_of_no_cards_is_refused(limit):
    with pytest.raises(InputError, match="limit"):
        play(deal("-/-"), limit)


def test_no_cards_is_no_deal():
    with pytest.raises(IllegalDeal, match="no cards"):
        play(SimpleNamespace(hands=("", ""), rules=FREE))


def test_next_state_walks_the_game():
    game = deal("J-/---J-")
    state = start_state(game)
    walked = []
    while state is not None:
        walked.append(state)
        state = next_state(state, game.rules)
    assert walked == [(t.leader, t.before) for t in trace(game)]
    assert next_state((0, ("J", "")), game.rules) is None and is_over((0, ("J", "")))


def test_play_on_from_a_state():
    game = deal("J-/---J-")
    tricks = list(trace(game))
    later = list(trace_from((tricks[2].leader, tricks[2].before), game.rules))
    assert [t.pile for t in later] == [t.pile for t in tricks[2:]]
    assert [t.number for t in later] == [1, 2]


# Few cards and many court cards, so that payments break off, players drop out and loops come up.
small_hand = st.text(alphabet="----JJQKA", max_size=9)
small_pays = st.sampled_from([(4, 3, 2, 1), (1, 1, 1, 1), (2, 3, 1, 5)])
small_hands = st.integers(2, 4).flatmap(lambda n: st.lists(small_hand, min_size=n, max_size=n)).filter(any)
loop_hand = st.text(alphabet="---J", max_size=7)  # one small game in thirty is infinite here


@settings(derandomize=True, max_examples=1500, deadline=None)
@given(small_hands, small_pays, st.one_of(st.none(), st.integers(1, 60)))
def test_agrees_with_the_second_reading(hands, pays, limit):
    game = deal("/".join(hands), pays)
    assert asdict(play(game, limit)) == slow_play(hands, dict(zip("AKQJ", pays)), limit)


@settings(derandomize=True, max_examples=1000, deadline=None)
@given(st.integers(2, 4).flatmap(lambda n: st.lists(loop_hand, min_size=n, max_size=n)).filter(any))
def test_agrees_with_the_second_reading_where_loops_are_common(hands):
    assert asdict(play(deal("/".join(hands)))) == slow_play(hands, {"J": 1})


@settings(derandomize=True, max_examples=600, deadline=None)
@given(small_hands, small_pays, st.one_of(st.none(), st.integers(1, 60)))
def test_trace_is_consistent(hands, pays, limit):
    game = deal("/".join(hands), pays)
    tricks = list(trace(game, limit))
    outcome = play(game, limit)
    assert len(tricks) == outcome.tricks
    assert sum(len(t.played) for t in tricks) == outcome.cards
    deck = sorted("".join(hands))
    state = start_state(game)
    cards = 0
    for number, t in enumerate(tricks, 1):
        cards += len(t.played)
        assert (t.number, t.cards, (t.leader, t.before)) == (number, cards, state)
        on_table = "" if t.taker is not None else t.pile
        assert sorted("".join(t.after) + on_table) == deck
        for seat, hand in enumerate(t.before):
            from_hand = "".join(rank for who, rank in t.played if who == seat)
            assert hand.startswith(from_hand)
            under = t.pile if seat == t.taker else ""
            assert t.after[seat] == hand[len(from_hand):] + under
        assert t.over == (t.taker is not None and sum(map(bool, t.after)) == 1)
        assert t.over is False or number == len(tricks)
        state = (t.taker, t.after)
    if outcome.status is Status.FINITE and tricks:
        assert tricks[-1].over and outcome.winner == tricks[-1].taker
