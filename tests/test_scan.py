"""The strategy `scan`: every deal once, the same whatever the blocks, and an end of its own."""

import random
from itertools import permutations

import pytest

from search import _kernel, engine, game
from search.deal import Deal
from search.errors import InputError
from search.leg import LegTask, Tally
from search.outcome import Status
from search.rules import Rules, without_twins
from search.run import Bounds, Run, Why
from search.schedule import Schedule
from search.settings import new_settings
from search.stop import StopFlag
from search.store import Store
from search.strategies import get
from search.strategies.scan import block_of, piece_of, where_is

PLAN = get("scan")


def settings(rules="1K=3 1Q=2 1J=1 5-", **given):
    return new_settings("scan", **{"rules": rules, "threshold": 1, **given})


def legs(chosen):
    return [(s, leg) for s in range(chosen["searchers"]) for leg in range(PLAN.legs_of(chosen, s))]


def by_reference(rules, first=0, end=None):
    """Tally and finds of all deals, one by one from their indices."""
    tally = Tally(histograms={"lengths": {}, "periods": {}})
    games = []
    for index in range(first, rules.deals if end is None else end):
        deal = Deal.from_index(index, rules)
        o = game.play(deal)
        infinite = o.status is Status.INFINITE
        name, value = ("periods", o.period) if infinite else ("lengths", o.cards)
        tally.add(Tally({"games": 1, "cards": o.cards, "tricks": o.tricks, "infinite": int(infinite)}, {name: {value: 1}}))
        games.append((deal.cards, o))
    return tally, games


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("rules", ["1K=3 1Q=2 1J=1 5-", "2J=1 8-", "1A=4 2J=1 4-", "3J 4-", "1Q 6- 3+4"])
def test_a_whole_space(rules, players):
    if "+" in rules and players > 2:
        rules = {3: "1Q 6- 3+0+4", 4: "1Q 6- 3+1+2+1"}[players]
    parsed = Rules.parse(rules, players)
    expected, games = by_reference(parsed)
    chosen = settings(rules, players=players, keep=10, loops=10**6)
    assert legs(chosen) == [(0, 0)]
    result = PLAN.advance(LegTask(chosen, 0, 0))
    assert result.tally == expected
    assert result.tally.counts["games"] == parsed.deals
    best = sorted((-o.cards, deal) for deal, o in games if o.status is Status.FINITE)[:10]
    assert [(-f.cards, f.deal) for f in result.finds if not f.infinite] == best
    assert {f.deal for f in result.finds if f.infinite} == {deal for deal, o in games if o.status is Status.INFINITE}
    assert all(f.hands == parsed.hand_sizes for f in result.finds)


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("rules, limit", [("1K=3 1Q=2 1J=1 5-", 9), ("2J=1 8-", 30), ("3J 4-", 1), ("1Q 6-", 6), ("1A=4 2J=1 4-", 10**6)])
def test_a_whole_space_to_a_limit(rules, players, limit):
    """Who wins, and how often nobody does: as the reference engine counts one by one."""
    parsed = Rules.parse(rules, players)
    counts = {"games": 0, "cards": 0, "tricks": 0, "infinite": 0, "limited": 0, "draws": 0, **{f"wins_{seat}": 0 for seat in range(players)}}
    lengths, loops = {}, set()
    for index in range(parsed.deals):
        deal = Deal.from_index(index, parsed)
        o = game.play(deal, limit)
        for name, n in (("games", 1), ("cards", o.cards), ("tricks", o.tricks)):
            counts[name] += n
        if o.winner is not None:
            counts[f"wins_{o.winner}"] += 1
        if o.status is Status.INFINITE:
            counts["infinite"] += 1
            loops.add(deal.cards)
        elif o.status is Status.LIMIT:
            counts["limited"] += 1
            counts["draws"] += o.winner is None
        else:
            lengths[o.cards] = lengths.get(o.cards, 0) + 1
    assert limit > 10 or counts["limited"]
    assert limit != 9 or 0 < counts["draws"] < counts["limited"]
    chosen = settings(rules, players=players, limit=limit, keep=10**5, loops=10**5)
    results = [PLAN.advance(LegTask(chosen, s, leg)) for s, leg in legs(chosen)]
    tally = Tally(histograms={"lengths": {}, "periods": {}})
    for result in results:
        tally.add(result.tally)
    assert tally.counts == counts and tally.histograms["lengths"] == lengths
    assert counts["games"] == counts["infinite"] + counts["draws"] + sum(counts[f"wins_{seat}"] for seat in range(players))
    finds = [find for result in results for find in result.finds]
    assert {f.deal for f in finds if f.infinite} == loops and len(finds) == len(loops) + sum(lengths.values())
    assert all(f.cards <= limit for f in finds)


def test_a_limit_is_a_part_of_the_settings():
    """Without one they are what they were before there was one."""
    assert "limit" not in settings() and settings(limit=0) == settings()
    assert settings(limit=12)["limit"] == 12
    assert new_settings("scan", limit=100)["leg_games"] < new_settings("scan")["leg_games"]
    assert new_settings("scan", rules="2K=3 2Q=2 2J=1 8-", limit=20)["threshold"] <= 10
    with pytest.raises(InputError, match="limit"):
        settings(limit=-1)


def test_ranks_that_pay_the_same():
    """Such a deck is refused, with the deck that stands for it; its deals, counted so often, are all of them."""
    twins = Rules.parse("1K=1 1Q=2 1J=1 4-")
    with pytest.raises(InputError, match=r"2 deals of one game; scan --rules '1Q=2 2J=1 4-' instead, 105 deals of which each stands for 2"):
        settings(twins.text)
    single = without_twins(twins)
    assert single.text == "1Q=2 2J=1 4-" and without_twins(single) is single
    expected, _ = by_reference(twins)
    counted = PLAN.advance(LegTask(settings(single.text), 0, 0)).tally
    assert expected.counts == {name: 2 * n for name, n in counted.counts.items()}
    for name, histogram in counted.histograms.items():
        assert expected.histograms[name] == {value: 2 * n for value, n in histogram.items()}
    split = without_twins(Rules.parse("2A=5 1K=5 3Q=5 1J=1 5- 7+5"))
    assert split.text == "6Q=5 1J=1 5- 7+5"
    assert without_twins(Rules.parse("0A=1 4J=1 4-")) == Rules.parse("0A=1 4J=1 4-")


def test_every_order_of_the_cards_is_a_deal():
    rules = Rules.parse("1K 1Q 2J 4-")
    assert {Deal.from_index(i, rules).cards for i in range(rules.deals)} == {"".join(p) for p in permutations("KQJJ----")}


@pytest.mark.parametrize("block", [1, 7, 100, 335, 336, 1000])
@pytest.mark.parametrize("bounds", ["", "0:0", "5:99", "100:335", "333:"])
@pytest.mark.parametrize("searchers", [1, 3, 50])
def test_blocks_make_up_the_range(block, bounds, searchers):
    chosen = settings(range=bounds, leg_games=block, searchers=searchers)
    first, last = map(int, chosen["range"].split(":"))
    at = first
    for searcher, leg in legs(chosen):
        start, end = block_of(chosen, searcher, leg)
        assert start == at < end and (start % block == 0 or start == first)
        assert end - start <= block and start // block == (end - 1) // block
        assert {where_is(chosen, i) for i in (start, end - 1)} == {(searcher, leg)}
        at = end
    assert at == last + 1
    for searcher in range(chosen["searchers"]):
        with pytest.raises(ValueError):
            block_of(chosen, searcher, PLAN.legs_of(chosen, searcher))


@pytest.mark.parametrize("parts", [1, 2, 3, 7])
def test_parts_make_up_the_range(parts):
    at = 13
    for part in range(1, parts + 1):
        chosen = settings(range="13:300", part=f"{part}/{parts}", leg_games=10)
        first, last = map(int, chosen["range"].split(":"))
        assert first == at and (first % 10 == 0 or first == 13)
        at = last + 1
    assert at == 301


@pytest.mark.parametrize("players", [2, 3])
def test_blocks_change_nothing(players):
    rules = "1K=3 1Q=2 1J=1 5-"
    whole = PLAN.advance(LegTask(settings(rules, players=players), 0, 0))
    for block, searchers in ((1, 4), (17, 2), (100, 1024)):
        chosen = settings(rules, players=players, leg_games=block, searchers=searchers)
        tally = Tally()
        for searcher, leg in legs(chosen):
            result = PLAN.advance(LegTask(chosen, searcher, leg))
            assert result.state == b""
            tally.add(result.tally)
        assert tally.counts == whole.tally.counts
        assert tally.histograms == whole.tally.histograms


@pytest.mark.parametrize("text", ["standard", "italian", "2K=3 2Q=2 2J=1 14-", "4A 4K 4Q 4J 48-", "3A=4 2-", "9-", "1A 1K 1Q 1J", "16J 3-"])
def test_packed_deals_come_in_order(text):
    """From many places, over the ends of many lists: each deal, packed, is the one after the one before."""
    rules = Rules.parse(text)
    counts = engine.composition(rules)
    draw = random.Random(text)
    for _ in range(12):
        first = draw.randrange(rules.deals)
        n = min(700, rules.deals - first)
        deck = _kernel.codes_at(first, counts)
        strings = []
        while len(strings) < n:
            strings.append("".join("-JQKA"[code] for code in deck))
            deck = _kernel.next_order(deck)
        expected = engine.play_strings(strings, rules, "ring")
        counted, lengths, periods, best, loops = _kernel.scan_leg(
            _kernel.codes_at(first, counts), rules.hand_sizes, rules.pay_codes, n, "cards", 1, n, n
        )
        finite = sorted((-o.cards, s) for s, o in zip(strings, expected) if o.status is Status.FINITE)
        assert [(-cards, s) for s, cards, _ in best] == finite
        assert [s for s, _, _ in loops] == [s for s, o in zip(strings, expected) if o.status is Status.INFINITE]
        assert counted["games"] == n


def test_engines_give_equal_legs(monkeypatch):
    for rules in ("2J=1 12-", "italian"):
        chosen = settings(rules, range="1:60", leg_games=64) if rules != "italian" else settings(rules, range="7:9006", leg_games=9000)
        digests = set()
        for name in engine.engines():
            monkeypatch.setenv("BEGGAR_ENGINE", name)
            digests.add(PLAN.advance(LegTask(chosen, 0, 0)).digest())
        assert len(digests) == 1


@pytest.mark.parametrize("players", [2, 4])
def test_the_first_infinite_deals_are_kept(players):
    """Of each block those of the smallest indices; all are counted."""
    rules = Rules.parse("3J=1 7-", players)
    everything = PLAN.advance(LegTask(settings("3J=1 7-", players=players, loops=10**6), 0, 0))
    infinite = sorted((f.deal for f in everything.finds if f.infinite), key=lambda deal: Deal.from_cards(deal, rules).index)
    assert len(infinite) == everything.tally.counts["infinite"] == sum(everything.tally.histograms["periods"].values()) > 8
    for loops in (1, 5, 8):
        result = PLAN.advance(LegTask(settings("3J=1 7-", players=players, loops=loops), 0, 0))
        assert {f.deal for f in result.finds if f.infinite} == set(infinite[:loops])
        assert result.tally == everything.tally


def test_decks_beyond_the_kernels_indices():
    rules = Rules.parse("9A 9K 9Q 9J 199-")
    chosen = settings("9A 9K 9Q 9J 199-", range=f"{rules.deals - 3}:{rules.deals - 1}")
    result = PLAN.advance(LegTask(chosen, 0, 0))
    expected, _ = by_reference(rules, rules.deals - 3)
    assert result.tally == expected


def test_a_run_ends_by_itself(tmp_path):
    rules = Rules.parse("2K=3 2Q=2 2J=1 4-")
    expected = PLAN.advance(LegTask(settings(rules.text, leg_games=rules.deals), 0, 0))
    assert expected.tally.counts["games"] == rules.deals == 18900
    chosen = settings(rules.text, leg_games=1000, searchers=4, keep=5)
    shares = []
    with Run.create(str(tmp_path / "all.run"), chosen) as run:
        assert run.work(Bounds(), on_progress=lambda p: shares.append(p.done)) is Why.COMPLETE
        assert shares[-1] == 1.0
        assert run.work(Bounds()) is Why.COMPLETE
        assert run.store.counts == expected.tally.counts
        assert run.store.histograms() == expected.tally.histograms
        whole = run.store.contents()
    with Run.create(str(tmp_path / "some.run"), chosen) as run:
        assert run.work(Bounds(games=7000)) is Why.GAMES
        assert run.store.counts["games"] == 7000
    with Run.open(str(tmp_path / "some.run"), write=True) as run:
        assert run.work(Bounds(games=10**9)) is Why.COMPLETE
        assert run.store.contents() == whole
    with Run.create(str(tmp_path / "rounds.run"), chosen) as run:
        assert run.work(Bounds(until_cards=10**6)) is Why.COMPLETE
        assert run.store.contents() == whole


def test_stopped_and_resumed_with_two_workers(tmp_path):
    chosen = settings("2K=3 2Q=2 2J=1 4-", leg_games=500, searchers=3)
    with Run.create(str(tmp_path / "one.run"), chosen) as run:
        run.work(Bounds())
        whole = run.store.contents()
    path = str(tmp_path / "two.run")
    Run.create(path, chosen).close()
    for stop_after in (3, 11, 12, 10**6):
        stop = StopFlag()

        def progress(p, stop=stop, stop_after=stop_after):
            if p.legs >= stop_after:
                stop.requests = 1

        with Run.open(path, write=True) as run:
            run.work(Bounds(), workers=2, stop=stop, on_progress=progress)
    with Store.open(path) as store:
        assert store.contents() == whole


@pytest.mark.parametrize("in_rounds", [False, True])
def test_a_schedule_with_an_end(in_rounds):
    """All legs, each once, in order, whatever has been done before."""
    totals = [3, 0, 5, 1]
    draw = random.Random(1)
    for _ in range(50):
        done = {s: draw.randrange(totals[s] + 1) for s in range(draw.randrange(5))}
        schedule = Schedule(4, done, in_rounds=in_rounds, legs_of=totals.__getitem__)
        flight, seen = [], []
        while True:
            while len(flight) < 2 and (leg := schedule.take()):
                flight.append(leg)
            if not flight:
                break
            leg = flight.pop(draw.randrange(len(flight)))
            seen.append(leg)
            schedule.finish(*leg)
        assert sorted(seen) == sorted((leg, s) for s in range(4) for leg in range(done.get(s, 0), totals[s]))


@pytest.mark.parametrize(
    "given, message",
    [
        ({"range": "5"}, "range '5'.*0:999999"),
        ({"range": "a:b"}, "0:999999"),
        ({"range": "-1:4"}, "0:999999"),
        ({"range": "9:3"}, "first index is above"),
        ({"range": "0:336"}, "336 deals, with the indices 0 to 335"),
        ({"part": "0/3"}, "as 2/5"),
        ({"part": "4/3"}, "as 2/5"),
        ({"part": "two"}, "as 2/5"),
        ({"part": "1/3", "leg_games": 200}, "2 blocks of 200 deals, fewer than 3 parts"),
        ({"loops": 0}, "loops"),
    ],
)
def test_bad_settings(given, message):
    with pytest.raises(InputError, match=message):
        settings(**given)


def test_settings_are_written_out():
    chosen = settings(part="2/3", leg_games=50)
    assert chosen["range"] == "100:199" and chosen["part"] == "" and chosen["searchers"] == 2
    assert piece_of(chosen, 0) == (100, 150) and piece_of(chosen, 1) == (150, 200)
    standard = new_settings("scan", part="999/1000")
    assert standard["searchers"] == 1024 and PLAN.legs_of(standard, 1023) > 10**8


def test_the_longest_games_are_shown(tmp_path):
    """Without a threshold of one's own: the longest game of the space is among the finds."""
    with Run.create(str(tmp_path / "all.run"), new_settings("scan", rules="2K=3 2Q=2 2J=1 6-", leg_games=30_000)) as run:
        assert run.work(Bounds()) is Why.COMPLETE
        assert (run.store.kept.best.cards, run.store.kept.best.text) == (72, "KK-J--/-Q-Q-J")
