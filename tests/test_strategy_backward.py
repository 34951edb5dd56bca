"""Strategy `backward`: its samples are uniform, its legs are what their samples say, and `extend` elsewhere."""

import json
from itertools import combinations, product
from math import comb

import pytest

from search import _kernel, engine, game
from search.backward import extend, is_live, walk
from search.deal import Deal
from search.errors import InputError
from search.leg import LegTask
from search.outcome import Status
from search.rules import STANDARD, Rules
from search.settings import default_for, new_settings
from search.strategies import get

PLAN = get("backward")


def samples(rules, number, n, seed=1, searcher=2):
    packed = _kernel.sample_packed(engine.composition(rules), rules.hand_sizes[0], rules.pay_codes, seed, searcher, number, n)
    return engine.unpack(packed, rules)


def hands(cards, rules):
    return cards[: rules.hand_sizes[0]], cards[rules.hand_sizes[0] :]


def courts(hand):
    return len(hand) - hand.count("-")


DECKS = ["standard", "italian", "1A=4 1K=3 2J=1 9-", "3J=1 4Q=2 7-", "4A=7 4K=3 4Q=2 4J=1 48-", "16A=1 40-", "2J=1 60-", "2A=3 3K=2 1J=5 17- 15+8"]


@pytest.mark.parametrize("text", DECKS)
def test_samples_are_legal_live_and_shared_out_evenly(text):
    rules = Rules.parse(text)
    total = sum(rules.counts[:4])
    for cards in samples(rules, 0, 300):
        assert tuple(cards.count(rank) for rank in "AKQJ-") == rules.counts
        leader, other = hands(cards, rules)
        assert is_live((leader, other), rules)
        assert (courts(leader), courts(other)) == ((total + 1) // 2, total // 2)


@pytest.mark.parametrize("text", ["standard", "1A=4 1K=3 2J=1 9-"])
def test_a_sample_is_a_function_of_its_number(text):
    rules = Rules.parse(text)
    whole = samples(rules, 1000, 200)
    assert samples(rules, 1000, 77) + samples(rules, 1077, 123) == whole
    assert samples(rules, 1000, 200, searcher=3) != whole and samples(rules, 1000, 200, seed=2) != whole
    assert len(set(whole)) > 80


def chi_square(counts, expected):
    """Distance of counts from what was expected, in standard deviations of the chi-square distribution."""
    assert set(counts) <= set(expected)
    value = sum((counts.get(key, 0) - mean) ** 2 / mean for key, mean in expected.items())
    degrees = len(expected) - 1
    return (value - degrees) / (2 * degrees) ** 0.5


def tally(things):
    counts = {}
    for thing in things:
        counts[thing] = counts.get(thing, 0) + 1
    return counts


@pytest.mark.parametrize("text", ["1A=4 1K=3 2J=1 9-", "2Q=2 2J=1 6-", "1A=3 1K=2 1Q=2 2J=1 8- 8+5"])
def test_all_positions_of_a_small_deck_are_equally_likely(text):
    rules = Rules.parse(text)
    total = sum(rules.counts[:4])
    possible = set()
    ranks = "".join(rank * n for rank, n in zip("AKQJ", rules.counts))
    orders = set(_orders(ranks))
    for places in combinations(range(rules.size), total):
        for order in orders:
            cards = ["-"] * rules.size
            for place, rank in zip(places, order):
                cards[place] = rank
            position = hands("".join(cards), rules)
            if is_live(position, rules) and courts(position[0]) == (total + 1) // 2:
                possible.add("".join(cards))
    n = 60 * len(possible)
    counts = tally(samples(rules, 0, n))
    assert -4 < chi_square(counts, dict.fromkeys(possible, n / len(possible))) < 4


def _orders(ranks):
    if not ranks:
        return [""]
    return [rank + rest for rank in set(ranks) for rest in _orders(ranks.replace(rank, "", 1))]


def test_samples_of_the_standard_deck_are_uniform():
    n = 40000
    found = [hands(cards, STANDARD) for cards in samples(STANDARD, 0, n)]
    pay = STANDARD.pay_of

    def last(hand):
        return hand.rstrip("-")[-1]

    # The last court cards of both hands, and the number of court cards in a hand's first twelve places.
    weights = {
        (a, b): comb(25 - pay[a], 7) * comb(25 - pay[b], 7) * (3 if a == b else 4) for a, b in product("AKQJ", repeat=2)
    }
    total = sum(weights.values())
    expected = {pair: n * weight / total for pair, weight in weights.items()}
    assert -4 < chi_square(tally((last(a), last(b)) for a, b in found), expected) < 4
    for side in (0, 1):
        for rank in "AKQJ":
            mine = [position[side] for position in found if last(position[side]) == rank]
            places = 25 - pay[rank]
            ways = {k: comb(12, k) * comb(places - 12, 7 - k) for k in range(8) if comb(places - 12, 7 - k)}
            expected = {k: len(mine) * ways[k] / comb(places, 7) for k in ways}
            assert -4 < chi_square(tally(courts(hand[:12]) for hand in mine), expected) < 4
            # Each place before the last court card is one as often as any other.
            seen = [sum(hand[i] != "-" for hand in mine) for i in range(places)]
            mean = len(mine) * 7 / places
            assert all(abs(count - mean) < 5 * mean**0.5 for count in seen)
    # The ranks: each but the last one of a hand is as often an ace, king, queen or jack as the deck has left.
    for side in (0, 1):
        for at in range(7):
            counts = tally(position[side].replace("-", "")[at] for position in found)
            means = dict.fromkeys("AKQJ", 0.0)
            for (a, b), weight in weights.items():
                for rank in means:
                    means[rank] += n * weight / total * (4 - (a == rank) - (b == rank)) / 14
            assert -4 < chi_square(counts, means) < 4


def settings(**given):
    return new_settings("backward", **given)


@pytest.mark.parametrize(
    "given",
    [
        dict(leg_games=4000, threshold=1400, walk_from=400),
        dict(leg_games=3000, threshold=180, walk_from=60, objective="tricks"),
        dict(leg_games=3000, threshold=900, walk_from=200, rules="italian", keep=7),
        dict(leg_games=2000, threshold=40, walk_from=20, rules="4J=1 8-", keep=5),
        dict(leg_games=500, threshold=1500, walk_from=300, rules="4A=7 4K=3 4Q=2 4J=1 48-"),
    ],
)
def test_a_leg_is_its_samples(given):
    chosen = settings(**given)
    rules = Rules.parse(chosen["rules"])
    games = chosen["leg_games"]
    by_tricks = chosen["objective"] == "tricks"
    result = PLAN.advance(LegTask(chosen, searcher=5, leg=3))

    deals = [Deal.from_cards(cards, rules) for cards in samples(rules, 3 * games, games, seed=0, searcher=5)]
    outcomes = [engine.play(deal) for deal in deals]
    lines, walked = {}, 0
    for deal, outcome in zip(deals, outcomes):
        length = outcome.tricks if by_tricks else outcome.cards
        if outcome.status is Status.INFINITE or length < chosen["walk_from"]:
            continue
        walked += 1
        found = extend(deal, chosen["objective"])
        value = found.tricks if by_tricks else found.cards
        # The deals are live, so their lines are known and the longest is the same for all of a line,
        # except where the deal itself lies below what is searched.
        assert found.line
        if value >= chosen["threshold"]:
            key = (-value, found.longest.cards)
            lines[found.line] = min(lines.get(found.line, (key, found)), (key, found), key=lambda entry: entry[0])

    counts = result.tally.counts
    assert counts["games"] == games and counts["walks"] == walked
    assert counts["cards"] == sum(o.cards for o in outcomes) and counts["tricks"] == sum(o.tricks for o in outcomes)
    assert counts["infinite"] == sum(o.status is Status.INFINITE for o in outcomes)
    assert counts["lines"] == len(lines) > 0 and counts["unfinished"] == 0
    assert result.tally.histograms["lines"] == tally(-key[0] for key, _ in lines.values())
    assert result.tally.histograms["lengths"] == tally(o.cards for o in outcomes if o.status is Status.FINITE)

    finite = [find for find in result.finds if not find.infinite]
    best = sorted(lines.values(), key=lambda entry: entry[0])[: chosen["keep"]]
    assert [(f.deal, f.hands, f.cards, f.tricks, f.line) for f in finite] == [
        (e.longest.cards, e.longest.sizes, e.cards, e.tricks, e.line) for _, e in best
    ]
    for find in finite[:5]:
        played = game.play(Deal.from_cards(find.deal, rules, find.hands))
        assert (played.cards, played.tricks) == (find.cards, find.tricks)
    assert {f.deal for f in result.finds if f.infinite} == {
        d.cards for d, o in zip(deals, outcomes) if o.status is Status.INFINITE
    }
    if chosen["rules"].startswith("4J"):
        assert counts["infinite"] > 0


def test_the_engine_leaves_no_trace(monkeypatch):
    task = LegTask(settings(leg_games=30000, threshold=1500, walk_from=300), searcher=1, leg=7)
    digests = set()
    for name in engine.engines():
        monkeypatch.setenv("BEGGAR_ENGINE", name)
        digests.add(PLAN.advance(task).digest())
        assert new_settings("backward") == settings()
    assert len(digests) == 1


def test_what_a_leg_leaves_to_others():
    """State is empty, and the lines of two legs together are those of one of twice the size."""
    small = settings(leg_games=20000, threshold=1500, walk_from=300)
    large = settings(leg_games=40000, threshold=1500, walk_from=300)
    parts = [PLAN.advance(LegTask(small, 4, leg)) for leg in (2, 3)]
    whole = PLAN.advance(LegTask(large, 4, 1))
    assert whole.state == b""
    assert {f.line: f for f in whole.finds} == {f.line: f for part in parts for f in part.finds}
    assert len(whole.finds) > 3


def test_the_bound_on_the_search_is_kept_and_counted():
    task = LegTask(settings(leg_games=20000, threshold=1500, walk_from=300, node_bound=50), 4, 2)
    counts = PLAN.advance(task).tally.counts
    assert counts["unfinished"] == counts["searches"] > 0
    whole = PLAN.advance(LegTask(settings(leg_games=20000, threshold=1500, walk_from=300), 4, 2)).tally.counts
    assert counts["lines"] <= whole["lines"] and counts["walked"] < whole["walked"]


def test_what_is_chosen_at_creation():
    chosen = settings()
    assert chosen["strategy"] == "backward" and default_for("cards") is PLAN and default_for("tricks") is PLAN
    json.dumps(chosen)
    assert 500 < chosen["walk_from"] < 1000 < 3000 < chosen["threshold"] < 4500
    tricks = settings(objective="tricks")
    assert 70 < tricks["walk_from"] < 140 and 400 < tricks["threshold"] < 650
    assert settings(threshold=2000)["threshold"] == 2000 and settings(threshold=2000)["walk_from"] == chosen["walk_from"]
    assert settings(walk_from=900)["walk_from"] == 900
    # A small deck has a longest game, and the threshold is within its reach.
    small = settings(rules="2Q=2 2J=1 6-", leg_games=2000)
    assert PLAN.advance(LegTask(small, 0, 0)).finds


@pytest.mark.parametrize(
    "given, message",
    [
        (dict(players=3), "2 players"),
        (dict(rules="8A=4 8K=3 8Q=2 8J=1 72-"), "64 cards"),
        (dict(rules="4A=4 7-", players=2), "no deal with the court cards"),
        (dict(rules="1A=1 9-"), "no deal with the court cards"),
        (dict(objective="infinite"), "infinite"),
        (dict(node_bound=0), "node_bound"),
    ],
)
def test_what_cannot_be_searched(given, message):
    with pytest.raises(InputError, match=message):
        settings(**given)


def test_random_extends_what_it_keeps():
    given = dict(leg_games=3000, threshold=1200, walk_from=500, seed=9)
    chosen = new_settings("random", extend=True, **given)
    result = get("random").advance(LegTask(chosen, 1, 2))
    plain = get("random").advance(LegTask(new_settings("random", **given), 1, 2))
    assert {n: c for n, c in result.tally.counts.items() if n in plain.tally.counts} == plain.tally.counts
    assert result.tally.histograms["lengths"] == plain.tally.histograms["lengths"]
    expected = {}
    for number in range(6000, 9000):
        deal = engine.deal_number(STANDARD, 9, 1, number)
        if engine.play(deal).cards >= 500:
            found = extend(deal)
            if found.cards >= 1200:
                expected[found.line] = (found.longest.cards, found.cards, found.tricks)
    assert {f.line: (f.deal, f.cards, f.tricks) for f in result.finds} == expected
    assert len(result.finds) == result.tally.counts["lines"] > len(plain.finds)


def test_climb_extends_what_it_keeps():
    given = dict(leg_games=4096, threshold=1000, walk_from=700, seed=3)
    result = get("climb").advance(LegTask(new_settings("climb", extend=True, **given), 1, 0))
    plain = get("climb").advance(LegTask(new_settings("climb", **{**given, "threshold": 700}), 1, 0))
    assert result.state == plain.state
    expected = {}
    for find in plain.finds:
        found = extend(Deal.from_cards(find.deal, STANDARD))
        if found.cards >= 1000:
            expected.setdefault(found.line, (found.longest.cards, found.cards, found.tricks))
    assert {f.line: (f.deal, f.cards, f.tricks) for f in result.finds} == expected
    assert len(expected) > 0 and result.tally.histograms["lines"] == tally(cards for _, cards, _ in expected.values())
    assert len({walk(Deal.from_cards(f.deal, STANDARD).hands, STANDARD).top for f in result.finds}) == len(result.finds)


@pytest.mark.parametrize("strategy", ["random", "climb"])
def test_what_cannot_be_extended(strategy):
    with pytest.raises(InputError, match="two players"):
        new_settings(strategy, extend=True, players=3)
    with pytest.raises(InputError, match="two players"):
        new_settings(strategy, extend=True, rules="8A=4 8K=3 8Q=2 8J=1 72-")
    if strategy == "random":
        with pytest.raises(InputError, match="infinite"):
            new_settings(strategy, extend=True, objective="infinite")
