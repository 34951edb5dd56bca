"""The strategy `random`: legs are functions of their number, and lose nothing worth keeping."""

import pytest

from search import _kernel, engine, game
from search.deal import Deal
from search.errors import InputError
from search.leg import LegTask
from search.rules import Rules
from search.settings import new_settings
from search.strategies import get
from search.strategies.random import default_threshold, random_leg

PLAN = get("random")


def settings(rules="standard", **given):
    chosen = {
        "strategy": "random",
        "rules": rules,
        "players": 2,
        "objective": "cards",
        "seed": 5,
        "keep": 1000,
        "threshold": 1000,
        "leg_games": 2000,
    }
    chosen |= given
    PLAN.prepare(chosen)
    return chosen


def deals(chosen, searcher, leg):
    """(string, outcome) of all deals of a leg, dealt one by one."""
    rules = Rules.of_settings(chosen)
    games = chosen["leg_games"]
    strings = [engine.deal_number(rules, chosen["seed"], searcher, n).cards for n in range(leg * games, (leg + 1) * games)]
    return list(zip(strings, engine.play_strings(strings, rules, engine="seats")))


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("rules", ["standard", "italian", "1A=4 3Q=2 2J=1 9-", "17A 30-", "1J 5-", "2J 3-"])
@pytest.mark.parametrize("objective, threshold", [("cards", 400), ("tricks", 40), ("cards", 1), ("infinite", 1)])
def test_a_leg_is_its_deals(rules, players, objective, threshold):
    chosen = settings(rules, players=players, objective=objective, threshold=threshold, keep=20, leg_games=700)
    result = PLAN.advance(LegTask(chosen, searcher=3, leg=2))
    games = deals(chosen, 3, 2)
    finite = [(deal, o) for deal, o in games if o.status == "finite"]
    infinite = {deal: o for deal, o in games if o.status == "infinite"}

    counts = result.tally.counts
    assert counts["games"] == 700 and counts["infinite"] == 700 - len(finite)
    assert counts["cards"] == sum(o.cards for _, o in games) and counts["tricks"] == sum(o.tricks for _, o in games)
    lengths = {}
    for _, o in finite:
        lengths[o.cards] = lengths.get(o.cards, 0) + 1
    assert result.tally.histograms == {"lengths": lengths}

    ranked = sorted({(-(o.tricks if objective == "tricks" else o.cards), deal, o.cards, o.tricks) for deal, o in finite})
    ranked = [entry for entry in ranked if -entry[0] >= threshold and objective != "infinite"][:20]
    found = [(find.deal, find.cards, find.tricks) for find in result.finds if not find.infinite]
    assert found == [entry[1:] for entry in ranked]
    assert {find.deal: (find.cards, find.tricks) for find in result.finds if find.infinite} == {
        deal: (o.cards, o.tricks) for deal, o in infinite.items()
    }
    assert all(find.hands == Rules.parse(rules, players).hand_sizes for find in result.finds)


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("rules, limit", [("standard", 150), ("italian", 40), ("17A 30-", 70), ("2J 3-", 4)])
def test_a_leg_to_a_limit(rules, players, limit):
    """Most cards win; equal most is a draw, and counted."""
    chosen = settings(rules, players=players, limit=limit, threshold=1, keep=1000, leg_games=500)
    result = PLAN.advance(LegTask(chosen, searcher=1, leg=1))
    parsed = Rules.parse(rules, players)
    outcomes = [game.play(Deal.from_cards(deal, parsed), limit) for deal, _ in deals(chosen, 1, 1)]
    limited = [o for o in outcomes if o.status == "limit"]
    assert result.tally.counts == {
        "games": 500,
        "cards": sum(o.cards for o in outcomes),
        "tricks": sum(o.tricks for o in outcomes),
        "infinite": sum(o.status == "infinite" for o in outcomes),
        "limited": len(limited),
        "draws": sum(o.winner is None for o in limited),
        **{f"wins_{seat}": sum(o.winner == seat for o in outcomes) for seat in range(players)},
    }
    assert sum(result.tally.histograms["lengths"].values()) == sum(o.status == "finite" for o in outcomes)
    assert limited and all(find.cards <= limit for find in result.finds if not find.infinite)


def test_limits_in_settings():
    chosen = new_settings("random", limit=200)
    assert chosen["threshold"] <= 100 and chosen["leg_games"] < new_settings("random")["leg_games"]
    assert "limit" not in new_settings("random") and new_settings("random", limit=0) == new_settings("random")
    with pytest.raises(InputError, match="one of the two"):
        new_settings("random", limit=200, extend=True)
    with pytest.raises(InputError, match="no setting 'limit'"):
        new_settings("climb", limit=200)


def test_engines_give_equal_legs(monkeypatch):
    for rules in ("standard", "italian", "1A=4 3Q=2 2J=1 9-"):
        chosen = settings(rules, leg_games=20_000)
        digests = set()
        for name in engine.engines():
            monkeypatch.setenv("BEGGAR_ENGINE", name)
            digests.add(PLAN.advance(LegTask(chosen, 1, 1)).digest())
        assert len(digests) == 1
    assert PLAN.advance(LegTask(chosen, 1, 2)).digest() not in digests
    assert PLAN.advance(LegTask(chosen, 2, 1)).digest() not in digests


def test_how_many_are_kept_makes_no_other_difference():
    """The best ten of a leg are the first ten of its best thousand: bounded memory loses nothing."""
    many = PLAN.advance(LegTask(settings(leg_games=50_000, threshold=300), 1, 0))
    for keep in (1, 10, 63, 64, 65, 500):
        few = PLAN.advance(LegTask(settings(leg_games=50_000, threshold=300, keep=keep), 1, 0))
        assert few.finds == many.finds[:keep]
        assert few.tally == many.tally
    assert len(many.finds) == 1000
    values = [find.cards for find in many.finds]
    assert values == sorted(values, reverse=True) and len(set(values)) < len(values)


def test_lengths_over_the_dense_part():
    """Large decks play long games; every length is counted."""
    rules = Rules.parse("40A 40K 40Q 40J 360-")
    result = random_leg(rules, 1, 0, 0, 40, "cards", 1, 5)
    lengths = result.tally.histograms["lengths"]
    assert max(lengths) > 16384 > min(lengths)
    assert sum(lengths.values()) == 40 == result.tally.counts["games"]
    assert sum(length * n for length, n in lengths.items()) == result.tally.counts["cards"]
    assert result.finds[0].cards == max(lengths)


def test_thresholds():
    standard = settings(threshold=None)["threshold"]
    assert 11.5 * 254.66 < standard < 12.5 * 254.66  # times the mean length of a game
    assert settings(threshold=0)["threshold"] == standard == default_threshold(Rules.parse("standard"), "cards")
    assert settings(threshold=77)["threshold"] == 77
    assert 400 < settings(objective="tricks", threshold=None)["threshold"] < 450
    # a deck with no long games: the longest of the sample
    assert settings("1J 1-", threshold=None)["threshold"] == 2
    assert settings("5-", threshold=None)["threshold"] == 5
    assert settings("1J", threshold=None)["threshold"] == 1


def test_leg_sizes():
    assert settings(leg_games=PLAN.leg_games)["leg_games"] == PLAN.leg_games == 1 << 22
    assert 1000 < settings("17A 100-", leg_games=PLAN.leg_games)["leg_games"] < 1 << 18
    assert settings("17A 100-", leg_games=12345)["leg_games"] == 12345


def test_bare_games_are_those_of_a_leg():
    """What the benchmark calls the kernel's own rate is the rate of the same games."""
    rules = Rules.parse("standard")
    deck = engine.composition(rules), rules.hand_sizes[0], rules.pay_codes
    for name in engine.engines():
        cards = _kernel.random_bare(*deck, 5, 3, 1000, 2000, name)
        assert cards == random_leg(rules, 5, 3, 1000, 2000, "cards", 400, 10).tally.counts["cards"]
