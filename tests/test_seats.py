"""The engine for two to four players: the rules where they are subtle, and agreement with the reference engine."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from search import _kernel, engine, game
from search.deal import Deal
from search.errors import IllegalDeal, InputError
from search.leg import LegTask, Tally
from search.outcome import Status
from search.rules import CODES, FREE, RANKS, Rules
from search.selftest import selftest
from search.strategies import get
from search.strategies.random import random_leg
from search.verify import agreed
from small_deals import deal

# Name: rules, players, cards of each seat (None: as dealt), random deals to compare with the reference engine.
RANDOM_DEALS = {
    "standard, 3": ("standard", 3, None, 300),
    "standard, 4": ("standard", 4, None, 300),
    "standard, 2": ("standard", 2, None, 200),
    "italian, 3": ("italian", 3, None, 300),
    "italian, 4": ("italian", 4, None, 300),
    "uneven, 3": ("4A=4 4K=3 4Q=2 4J=1 36-", 3, (1, 50, 1), 200),
    "an empty hand, 4": ("4A=4 4K=3 4Q=2 4J=1 36-", 4, (0, 12, 3, 37), 200),
    "one card each, 4": ("1A=4 1K=3 2-", 4, None, 12),
    "large pays, 3": ("2A=99 3K=9 4Q=8 4J=17 50-", 3, None, 200),
    "few courts, 4": ("1A=4 2J=1 17-", 4, None, 400),
    "64 cards, 4": ("4A=4 4K=3 4Q=2 4J=1 48-", 4, None, 150),
    "65 cards, 3": ("4A=4 4K=3 4Q=2 4J=1 49-", 3, None, 150),
}


def dealt(rules, draw, sizes=None):
    deck = [rank for rank, many in zip(RANKS, rules.counts) for _ in range(many)]
    draw.shuffle(deck)
    return Deal.from_cards("".join(deck), rules, sizes)


def in_short(outcome):
    return outcome.status, outcome.cards, outcome.tricks, outcome.lead_in, outcome.period


@pytest.mark.parametrize("kind", RANDOM_DEALS)
def test_random_deals(kind):
    text, players, sizes, n = RANDOM_DEALS[kind]
    rules = Rules.parse(text, players)
    draw = random.Random(kind)
    deals = [dealt(rules, draw, sizes) for _ in range(n)]
    expected = [game.play(d) for d in deals]
    assert [engine.play(d, engine="seats") for d in deals] == expected
    if sizes is None:
        batch = engine.play_strings([d.cards for d in deals], rules, "seats")
        assert list(map(in_short, batch)) == list(map(in_short, expected))


def test_dropping_out_in_mid_payment():
    """Seat 0 leads an ace: seat 1 pays his only card and is out, seat 2 pays three and keeps one."""
    outcome = engine.play(deal("A--/-/----"))
    assert outcome == game.play(deal("A--/-/----"))
    first = next(game.trace(deal("A--/-/----")))
    assert first.cards == 5 and first.taker == 0 and first.out == (1,)


def test_small_games_counted_by_hand():
    play = engine.play
    # J asks seat 1 for one card, which leaves him without any; seats 0 and 2 go on.
    o = play(deal("J/-/--"))
    assert o == game.play(deal("J/-/--")) and o.winner is not None
    # an empty hand at the deal is out: with one seat left that is a game of no cards
    o = play(deal("///-"))
    assert (o.status, o.cards, o.tricks, o.winner) == (Status.FINITE, 0, 0, 3)
    # the rest of the payment comes round to the player who is owed
    o = play(deal("A/-/-"))
    assert (o.cards, o.tricks, o.winner) == (3, 1, 0)
    # seat 1 turns his one card for the ace and is out, seat 2 pays the other three and has none left
    o = play(deal("A/-/---"))
    assert (o.cards, o.tricks, o.winner) == (5, 1, 0)
    # nobody has a court card: three cards, then seats 0 and 1 drop out one after the other
    o = play(deal("-/-/-"))
    assert (o.cards, o.tricks, o.winner) == (3, 1, 2)


def test_loops_of_two_and_three_players():
    for text in ("J/-----J/-J", "--J-/-/J", "-/--J-//J", "J--/--J--JJ/J---J-/--"):
        expected = game.play(deal(text))
        assert engine.play(deal(text)) == expected
    assert game.play(deal("J/-----J/-J")).status is Status.INFINITE


HANDS = st.lists(st.text(CODES, max_size=9), min_size=2, max_size=4).filter(any)
FEW_COURTS = st.lists(st.text("---J", max_size=7), min_size=2, max_size=4).filter(any)
PAYS = st.sampled_from([(4, 3, 2, 1), (1, 1, 1, 1), (3, 4, 1, 2), (9, 8, 17, 1)])


@settings(max_examples=400, deadline=None, derandomize=True)
@given(HANDS | FEW_COURTS, PAYS)
def test_small_decks(hands, pays):
    d = deal("/".join(hands), pays)
    assert engine.play(d, engine="seats") == game.play(d)


@settings(max_examples=400, deadline=None, derandomize=True)
@given(HANDS | FEW_COURTS, PAYS, st.integers(1, 40))
def test_limits(hands, pays, limit):
    d = deal("/".join(hands), pays)
    assert engine.play(d, limit, "seats") == game.play(d, limit)


def test_every_limit_of_one_game():
    """Draws, wins by most cards, tricks that the last card completes, and the game's own end are all met."""
    kinds = set()
    for players, text in ((3, "-----/-----/-----"), (3, "-J--A-/-Q--K-/--J-A--"), (4, "-J--A-/-Q--K-/--J-A--/-K--")):
        d = deal(text)
        assert d.rules.seats == players
        for limit in range(1, game.play(d).cards + 3):
            outcome = engine.play(d, limit)
            assert outcome == game.play(d, limit)
            kinds.add((outcome.status, outcome.winner is None))
    assert kinds >= {(Status.LIMIT, True), (Status.LIMIT, False), (Status.FINITE, False)}


def test_many_loops():
    """Small decks of jacks loop often, for three and four players too."""
    draw = random.Random(4)
    loops = {3: set(), 4: set()}
    for _ in range(4000):
        seats = draw.choice((3, 4))
        text = "/".join("".join(draw.choice("---J") for _ in range(draw.randrange(1, 6))) for _ in range(seats))
        expected = game.play(deal(text))
        assert engine.play(deal(text)) == expected
        if expected.status is Status.INFINITE:
            loops[seats].add((expected.lead_in, expected.period))
    assert min(map(len, loops.values())) >= 10


def test_old_games_pass_many_snapshots():
    """Loops with a long lead-in, and finite games that are older than several snapshots."""
    draw = random.Random(9)
    rules = Rules.parse("2J=1 4Q=2 14-", 3)
    oldest = longest_lead_in = 0
    strings = [dealt(rules, draw).cards for _ in range(3000)]
    for string, outcome in zip(strings, engine.play_strings(strings, rules)):
        oldest = max(oldest, outcome.tricks)
        if outcome.tricks > 130 or outcome.status is Status.INFINITE:
            longest_lead_in = max(longest_lead_in, outcome.lead_in or 0)
            assert in_short(outcome) == in_short(game.play(Deal.from_cards(string, rules)))
    assert oldest > 64


@pytest.mark.parametrize("cards, courts, seats", [(300, 60, 3), (1000, 90, 4), (1000, 40, 2)])
def test_large_decks(cards, courts, seats):
    """Hands move to the front of their tapes many times."""
    rules = Rules((courts // 4,) * 4 + (cards - courts // 4 * 4,), seats=seats, any_split=True)
    draw = random.Random(cards)
    for sizes in (None, (cards - seats + 1, *[1] * (seats - 1))):
        d = dealt(rules, draw, sizes)
        assert engine.play(d, 30_000, "seats") == game.play(d, 30_000)


@pytest.mark.parametrize(
    "players, deck",
    [
        (2, "J---Q-J---AA-------J-KA----Q--Q---K-----------K------Q---J---K-A"),
        (2, "K-A---Q---Q--A-----Q-------JJ---K---A---QK-----A-K-J-----J------"),
        (3, "--------JQK----JKA----Q----J----A-AJ-------Q----K-----K--AQ-----"),
        (3, "--JA----------Q--A--A--JA---JQK--Q------Q-K----K-K--J-----------"),
        (4, "----------Q------QJ--K----JQ-K----------JA-Q------A--A--AJ-K-K--"),
        (4, "-------KA----A-K---Q----QA----K------QJK--A-------J--------JJ-Q-"),
    ],
)
def test_a_hand_that_ends_where_its_tape_does(players, deck):
    """Piles are copied eight cards at a time: here one is put down right before the end of a tape, while the hand
    on the next tape lies at its beginning."""
    d = Deal.from_cards(deck, Rules.parse("4A4K4Q4J48-", players))
    assert engine.play(d, engine="seats") == game.play(d)


def test_long_games_stay_exact():
    """Games of thousands of tricks against the two-player ring buffer, which shares no code."""
    rules = Rules.parse("4A=4 4K=3 4Q=2 4J=1 36-")
    packed = engine.deals_packed(rules, 5, 0, 0, 20_000)
    assert list(engine.play_packed(packed, rules, "seats")) == list(engine.play_packed(packed, rules, "ring"))


def test_a_batch_is_in_order():
    rules = Rules.parse("standard", 4)
    draw = random.Random(3)
    strings = [dealt(rules, draw).cards for _ in range(500)]
    one, other = engine.play_strings(strings, rules), engine.play_strings(strings[::-1], rules)
    assert list(one.cards) == list(other.cards)[::-1] and len(set(one.cards)) > 200
    assert len(engine.play_strings([], rules)) == 0


def test_verify_and_selftest_use_it():
    for text in ("J/-----J/-J", "-J-/-/J-/J--", "J--/-J-"):
        assert "seats" in agreed(deal(text))[1]
        assert "seats" in agreed(deal(text), 5)[1]
    assert engine.engines_for(Rules.parse("standard", 3)) == ["seats"]
    assert engine.engines_for(Rules.parse("17A 90-"), 100)[-2:] == ["seats", "ring"]
    assert selftest().engines["seats"] > 100
    assert engine.chosen(Rules.parse("standard", 4)) == "seats"


@pytest.mark.parametrize("name", engine.engines())
def test_other_engines_leave_more_players_to_it(name, monkeypatch):
    monkeypatch.setenv("BEGGAR_ENGINE", name)
    d = deal("J/-----J/-J")
    assert engine.play(d) == game.play(d)
    rules = Rules.parse("3J=1 6-", 3)
    assert in_short(engine.play_strings(["J-----J-J"], rules)[0]) == in_short(game.play(Deal.from_cards("J-----J-J", rules)))


def test_bad_input():
    three = Rules.parse("standard", 3)
    good = "AAAAKKKKQQQQJJJJ" + "-" * 36
    with pytest.raises(IllegalDeal, match="string 1 has 51 cards, not 52"):
        engine.play_strings([good, good[:-1]], three)
    with pytest.raises(IllegalDeal, match="string 0 has 5 A instead of 4, 35 - instead of 36"):
        engine.play_strings(["A" + good[:-1]], three)
    with pytest.raises(IllegalDeal, match="string 0 is a bytes"):
        engine.play_strings([good.encode()], three)
    with pytest.raises(InputError, match="the rules must fix the deck"):
        engine.play_strings([good], Rules.parse("free", 3))
    with pytest.raises(InputError, match="a limit of 0 cards"):
        engine.play(deal("-/J/-"), 0)
    with pytest.raises(ValueError, match="5 seats"):
        _kernel.play_seats(bytes(5), (1,) * 5, FREE.pay_codes)
    with pytest.raises(ValueError, match="hands of"):
        _kernel.play_seats(bytes(5), (1, 1), FREE.pay_codes)
    with pytest.raises(ValueError, match="not one of 0 to 4"):
        _kernel.play_seats_codes(b"\0\5", (1, 1), FREE.pay_codes)
    with pytest.raises(ValueError, match="codes for deals of 2 cards"):
        _kernel.play_seats_codes(bytes(3), (1, 1), FREE.pay_codes)


@pytest.mark.parametrize("players, mean", [(2, 254.7), (3, 327.7), (4, 363.6)])
def test_mean_lengths(players, mean):
    """2*10^5 random deals; benchmarks/seats.py --means plays 2*10^7. The tolerance is four standard errors."""
    games = 200_000
    leg = random_leg(Rules.parse("standard", players), 1, 0, 0, games, "infinite", 1, 1)
    lengths = leg.tally.histograms["lengths"]
    variance = sum(n * (length - mean) ** 2 for length, n in lengths.items()) / games
    assert sum(lengths.values()) == games
    assert abs(leg.tally.counts["cards"] / games - mean) < 4 * (variance / games) ** 0.5


def climb_settings(players, **given):
    chosen = {
        "strategy": "climb", "rules": "2A=4 3Q=2 3J=1 13-", "players": players, "objective": "cards", "seed": 5, "keep": 20,
        "threshold": 30, "leg_games": 32_000, "moves": "swap,shift,rotate,exchange", "improve": "first", "patience": 1000,
    }  # fmt: skip
    chosen |= given
    get("climb").prepare(chosen)
    return chosen


@pytest.mark.parametrize("players", [3, 4])
def test_climbing(players):
    """Finds are games of so many players, walks go to longer neighbours, and leg boundaries leave no trace."""
    plan = get("climb")
    whole = plan.advance(LegTask(climb_settings(players), 1, 0))
    state, tally = b"", Tally()
    for leg in range(4):
        part = plan.advance(LegTask(climb_settings(players, leg_games=8000), 1, leg, state))
        state = part.state
        tally.add(part.tally)
    assert state == whole.state and tally == whole.tally
    rules = Rules.parse("2A=4 3Q=2 3J=1 13-", players)
    assert len([find for find in whole.finds if not find.infinite]) == 20
    for find in whole.finds:
        outcome = game.play(Deal.from_cards(find.deal, rules, find.hands))
        assert (find.cards, find.tricks, find.infinite) == (outcome.cards, outcome.tricks, outcome.status is Status.INFINITE)
        assert find.hands == rules.hand_sizes
    assert whole.tally.counts["improvements"] > 50 and whole.tally.counts["starts"] >= 16
