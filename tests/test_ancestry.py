"""Backward play for two to four players, and the infinite games for three and four that it builds."""

from itertools import combinations_with_replacement
from pathlib import Path

import pytest

from search import engine, game
from search.ancestry import infinite_deals, longest_deal, main, predecessors
from search.deal import Deal
from search.errors import InputError
from search.index import cards_at
from search.outcome import Status
from search.records import hall_of_fame
from search.rules import FREE, Rules
from search.solve import backward_census, players_in_loop
from search.verify import verify

RESULTS = Path(__file__).parent.parent / "results"


def all_states(rules, seats):
    for index in range(rules.deals):
        cards = cards_at(index, rules.counts)
        for cuts in combinations_with_replacement(range(len(cards) + 1), seats - 1):
            at = (0, *cuts, len(cards))
            hands = tuple(cards[a:b] for a, b in zip(at, at[1:]))
            if sum(map(bool, hands)) > 1:
                yield from ((leader, hands) for leader in range(seats) if hands[leader])


@pytest.mark.parametrize("text, seats", [("2J 4-", 2), ("2J 3-", 3), ("1Q 1J 4-", 3), ("3J 2-", 3), ("1A 5-", 3), ("2Q 4-", 4), ("1K 1J 3-", 4)])
def test_predecessors_are_the_inverse_of_a_trick(text, seats):
    """For every state of a small deck, empty hands and drop-outs included: no predecessor too many, none missing."""
    rules = Rules.parse(text)
    states = list(all_states(rules, seats))
    before = {}
    for state in states:
        after = game.next_state(state, rules)
        if after is not None:
            before.setdefault(after, []).append(state)
    assert before
    for state in states:
        found = predecessors(state, rules)
        assert len(found) == len(set(found))
        assert set(found) == set(before.get(state, [])), state


@pytest.mark.parametrize("text", ["2J 4-", "2J 8-", "3J 7-", "1K 1J 10-", "2K 1J 4-", "1A 1K 2J 6-"])
@pytest.mark.parametrize("players", [2, 3, 4])
def test_all_infinite_deals_of_a_small_deck(text, players):
    """From all cycles of two players by backward play, against all deals played forward."""
    rules = Rules.parse(text, players)
    built = set()
    for name, _ in backward_census(Rules.parse(text)):
        found = infinite_deals(Deal(FREE, tuple(name.split("/"))), players)
        assert found.complete
        built |= {deal.cards for deal in found.deals}
        assert all(deal.sizes == rules.hand_sizes for deal in found.deals)
    played = set()
    for index in range(rules.deals):
        deal = Deal.from_index(index, rules)
        if game.play(deal).status is Status.INFINITE and players_in_loop(deal) == 2:
            played.add(deal.cards)
    assert built == played


def test_the_known_infinite_deal():
    """Casella and others' cycle has thirty deals; for three players none leads to it, for four some do."""
    known = Deal.parse("---K---Q-KQAJ-----AAJ--J--/----------Q----KQ-J-----KA")
    two = infinite_deals(known, 2)
    assert len(two.deals) == 30 and known.hands in {deal.hands for deal in two.deals}
    assert infinite_deals(known, 3).deals == ()
    four = infinite_deals(known, 4)
    assert four.complete and len(four.deals) == 4 and four.full < four.states


def test_the_bound():
    known = Deal.parse("---K---Q-KQAJ-----AAJ--J--/----------Q----KQ-J-----KA")
    some = infinite_deals(known, 4, most=10)
    assert not some.complete and some.states <= 62 * 10 * 4


def test_what_is_no_infinite_game_of_two():
    with pytest.raises(InputError, match="not an infinite game of two players"):
        infinite_deals(Deal(FREE, ("A", "-")), 3)
    with pytest.raises(InputError, match="not an infinite game of two players"):
        infinite_deals(Deal(Rules.parse("free", 3), ("J--", "-J-", "-J-")), 3)


@pytest.mark.parametrize("players", [3, 4])
def test_the_lists_in_results(players):
    """Every deal of the lists is infinite by the seats engine; some by all engines."""
    rules = Rules.parse("standard", players)
    lines = (RESULTS / f"infinite-{players}-players.txt").read_text().split()
    assert len(lines) == len(set(lines)) > 2000
    deals = [Deal.parse(line, rules) for line in lines]
    assert all(outcome.status is Status.INFINITE for outcome in engine.play_strings([deal.cards for deal in deals], rules))
    for deal in deals[::200]:
        verified = verify(deal)
        assert verified.outcome.status is Status.INFINITE and "seats" in verified.engines
        assert players_in_loop(deal) == 2


def test_the_hall_of_fame():
    """Each entry goes as it says."""
    records = [r for r in hall_of_fame() if r.players > 2]
    assert {(r.players, r.status) for r in records} == {(n, s) for n in (3, 4) for s in (Status.FINITE, Status.INFINITE)} and len(records) >= 10
    for record in records:
        assert record.agrees(verify(record.deal).outcome)
        if record.status is Status.INFINITE:
            assert str(record.deal) in (RESULTS / f"infinite-{record.players}-players.txt").read_text().split()


@pytest.mark.parametrize("text", ["2J 4-", "1Q 1J 7-", "1K 2J 5-"])
@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_longest_game_that_comes_into_another(text, players):
    """Against all deals played forward: the longest of those whose games pass through a state of the two-player game."""
    rules = Rules.parse(text, players)
    for index in (2, 5, 11):
        two = Deal.from_index(index, Rules.parse(text))
        if game.play(two).status is not Status.FINITE:
            continue
        wanted = set()
        state = (0, two.hands)
        while state is not None and all(state[1]):
            for other in range(1, players):
                hands = [""] * players
                hands[0], hands[other] = state[1]
                leader = (0, other)[state[0]]
                wanted.add(tuple(hands[leader:] + hands[:leader]))
            state = game.next_state(state, two.rules)
        coming = []
        for i in range(rules.deals):
            deal = Deal.from_index(i, rules)
            state = game.start_state(deal)
            seen = set()
            while state is not None and state not in seen:
                seen.add(state)
                leader, hands = state
                if hands[leader:] + hands[:leader] in wanted:
                    outcome = game.play(deal)
                    coming.append((-outcome.cards, -outcome.tricks, deal.cards))
                    break
                state = game.next_state(state, rules)
        found = longest_deal(two, players)
        assert found.complete and found.deals == len(coming)
        if coming:
            assert (-found.outcome.cards, -found.outcome.tricks, found.deal.cards) == min(coming)
        else:
            assert found.deal is None and found.outcome is None


def test_the_longest_finite_games_are_found_again():
    """Those of the hall of fame that come into a game of two."""
    rows = [r for r in hall_of_fame() if "--longest" in r.source]
    assert {r.players for r in rows} == {3, 4}
    for row in rows:
        deal = row.source.split("'")[1]
        best = longest_deal(Deal.parse(deal), row.players)
        assert (str(best.deal), best.outcome.cards, best.outcome.tricks) == (row.hands, row.cards, row.tricks)
        assert f"--players {row.players} " in row.source and row.cards > game.play(Deal.parse(deal)).cards


def test_only_finite_games_have_a_longest():
    with pytest.raises(InputError, match="not a finite game of two"):
        longest_deal(Deal.parse("---K---Q-KQAJ-----AAJ--J--/----------Q----KQ-J-----KA"), 3)
    with pytest.raises(InputError, match="not a finite game of two"):
        longest_deal(Deal.parse("J-/-/-", Rules.parse("free", 3)), 3)
    some = longest_deal(Deal.parse("---AJ--Q---------QAKQJJ-QK/-----A----KJ-K--------A---"), 4, tricks=3, most=10)
    assert not some.complete


@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_family_of_loops_of_all_players(players):
    """J-- and then -J- for everybody else never ends, for two, three and four players."""
    deal = Deal(Rules.parse("free", players), ("J--", *["-J-"] * (players - 1)))
    assert game.play(deal).status is Status.INFINITE
    assert players_in_loop(deal) == players


def test_the_command(monkeypatch, capsys):
    import io
    import sys

    monkeypatch.setattr(sys, "stdin", io.StringIO("J--/-J-\n"))
    assert main(["--players", "4", "--rules", "2J 4-"]) == 0
    printed = capsys.readouterr()
    rules = Rules.parse("2J 4-", 4)
    expected = {str(d) for d in (Deal.from_index(i, rules) for i in range(rules.deals)) if game.play(d).status is Status.INFINITE}
    assert set(printed.out.split()) == expected and "3 deals for 4 players" in printed.err
    monkeypatch.setattr(sys, "stdin", io.StringIO("five\n"))
    assert main([]) == 2
    monkeypatch.setattr(sys, "stdin", io.StringIO("J--/-J-\n"))
    assert main(["--longest", "--rules", "2J 4-"]) == 2
    monkeypatch.setattr(sys, "stdin", io.StringIO("-J-/J--\n"))
    assert main(["--longest", "--players", "3", "--rules", "2J 4-"]) == 0
    printed = capsys.readouterr()
    assert len(printed.out.split()) == 1 and "for 3 players" in printed.err and "; the longest: finite: " in printed.err
    monkeypatch.setattr(sys, "stdin", io.StringIO((RESULTS / "infinite-2-players.txt").read_text()))
    assert main(["--players", "3"]) == 0
    assert capsys.readouterr().out == (RESULTS / "infinite-3-players.txt").read_text()
