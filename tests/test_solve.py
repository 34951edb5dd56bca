"""Small decks settled: against the reference engine, a census against plain Python, and the table in the docs."""

import random
import re
from itertools import product
from pathlib import Path

import pytest

from search import _kernel, engine, game
from search.deal import Deal
from search.errors import Disagreement, InputError
from search.index import cards_at
from search.outcome import Status
from search.rules import FREE, Rules
from search.solve import SIZES, SIZES_OF_MORE, backward_census, court_sets, deck, document, main, players_in_loop, solve

DOCUMENT = Path(__file__).parent.parent / "docs" / "small-decks.md"


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("text", ["2J 4-", "3J 7-", "1Q 2J 5-", "2A 2J 3-", "1-", "2J", "1A 1K 5-"])
def test_against_the_reference_engine(text, players):
    rules = Rules.parse(text, players)
    found = solve(rules)
    deals = [Deal.from_index(i, rules) for i in range(rules.deals)]
    games = [(d, game.play(d)) for d in deals]
    finite = [(d, o) for d, o in games if o.status is Status.FINITE]
    infinite = [(d, o) for d, o in games if o.status is Status.INFINITE]
    assert (found.deals, found.infinite) == (len(deals), len(infinite))
    longest = min(finite, key=lambda item: (-item[1].cards, item[0].cards))
    assert (found.cards, found.tricks, found.deal) == (longest[1].cards, longest[1].tricks, str(longest[0]))
    assert found.mean == pytest.approx(sum(o.cards for _, o in finite) / len(finite))
    periods = [o.period for _, o in infinite]
    assert found.periods == {p: periods.count(p) for p in periods}
    assert sum(found.players.values()) == len(infinite)


def plain_census(rules):
    """(cycles, infinite deals, positions that lead to a cycle), by following every position of the deck forward."""
    n = rules.size
    following = {}
    for index, cut in product(range(rules.deals), range(1, n)):
        cards = cards_at(index, rules.counts)
        state = 0, (cards[:cut], cards[cut:])
        after = game.next_state(state, rules)
        if after is not None:
            leader, hands = after
            after = hands[leader], hands[1 - leader]
        following[state[1]] = after
    on_cycle, doomed = set(), 0
    for start in following:
        seen, at = set(), start
        while at is not None and at not in seen:
            seen.add(at)
            at = following[at]
        if at is None:
            continue
        doomed += 1
        if at == start:
            on_cycle.add(start)
    cycles = 0
    rest = set(on_cycle)
    while rest:
        at = start = rest.pop()
        while (at := following[at]) != start:
            rest.discard(at)
        cycles += 1
    return cycles, doomed


@pytest.mark.parametrize("text", ["2J 4-", "3J 5-", "2J 8-", "1K 2J 5-", "2A 2J 2-", "1A 1Q 4-", "4J 2- 4+2"])
def test_census_against_plain_python(text):
    rules = Rules.parse(text)
    positions, live, found = _kernel.backward_census(engine.composition(rules), rules.hand_sizes[0], rules.pay_codes)
    assert positions == rules.deals * (rules.size - 1) and live <= positions
    cycles, doomed = plain_census(rules)
    assert len(found) == cycles
    assert sum(basin for *_, basin in found) == doomed
    deals = sum(deals for _, _, _, deals, _ in found)
    assert deals == sum(game.play(Deal.from_index(i, rules)).status is Status.INFINITE for i in range(rules.deals))


def test_a_cycle_of_the_census():
    ((name, deals),) = backward_census(Rules.parse("2J 4-"))
    assert deals == 1
    assert game.play(Deal(FREE, tuple(name.split("/")))).lead_in == 0


def test_the_two_counts_are_compared(monkeypatch):
    real = _kernel.backward_census
    monkeypatch.setattr(_kernel, "backward_census", lambda *args: (*real(*args)[:2], []))
    with pytest.raises(Disagreement, match="1 infinite deals by a scan, 0 by backward play"):
        solve(Rules.parse("2J 4-"))


def test_twenty_cards():
    """Two of each court of the Italian game, fourteen numbers, ten cards each: in full, counted twice."""
    found = solve(Rules.parse("2K=3 2Q=2 2J=1 14-"))
    assert (found.deals, found.infinite, found.cards, found.tricks) == (3_488_400, 16, 517, 83)
    assert found.periods == {10: 16} and len(found.cycles) == found.all_cycles == 1


def test_players_in_loops():
    assert players_in_loop(Deal(FREE, ("J--", "-J-"))) == 2
    three = Rules.parse("free", 3)
    assert players_in_loop(Deal(three, ("J", "-----J", "-J"))) == 3
    assert players_in_loop(Deal(three, ("--J-", "-", "J"))) == 2


def test_free_rules_are_refused():
    with pytest.raises(InputError):
        solve(FREE)


def test_some_cells_of_the_document():
    """The file in the docs is what the command writes; the whole takes minutes, so a sample is made again."""
    text = DOCUMENT.read_text(encoding="utf-8")
    tables = [part.split("\n") for part in text.split("\n\n") if part.startswith("| court cards")]
    assert len(tables) == 4
    draw = random.Random(6)
    for table, players, sizes, value in (
        (tables[0], 2, SIZES, lambda s: s.infinite),
        (tables[1], 2, SIZES, lambda s: s.cards),
        (tables[2], 3, SIZES_OF_MORE[3], lambda s: s.infinite),
        (tables[3], 4, SIZES_OF_MORE[4], lambda s: s.infinite),
    ):
        rows = {row.split(" | ")[0].strip("| "): row.strip("| ").split(" | ")[1:] for row in table[2:]}
        for courts in draw.sample(sorted(rows), 10):
            place = draw.randrange(min(8, len(sizes)))
            assert rows[courts][place].strip() == str(value(solve(deck(courts, sizes[place], players))))
    for row in re.findall(r"^\| (2K=3 2Q=2 2J=1 \d-|2K=3 2Q=2 2J=1 1[0-3]-) \|(.*)$", text, re.MULTILINE):
        cells = [cell.strip() for cell in row[1].split("|")]
        found = solve(Rules.parse(row[0]))
        assert cells[1] == str(found.deals) and cells[3:5] == [str(found.cards), str(found.tricks)] and cells[6] == str(found.infinite)


def test_a_file_that_cannot_be_written_is_told_first(tmp_path, capsys):
    with pytest.raises(SystemExit) as stopped:
        main([str(tmp_path / "absent" / "x.md")])
    assert stopped.value.code == 2 and "x.md: cannot write it: No such file or directory" in capsys.readouterr().err
    assert main([str(tmp_path / "x.md"), "--most", "2"]) == 0
    assert (tmp_path / "x.md").read_text() == document(2)


def test_the_document_is_made():
    """A short version holds the lines of the long one as far as it goes."""
    short = document(most=60)
    assert short.startswith("# Small decks, settled")
    assert "| JJ | 0 | 1 | 0 | 9 |" in short
    assert len(list(court_sets())) == 69
