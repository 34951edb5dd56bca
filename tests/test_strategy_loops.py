"""Strategy loops: every loop of few cards, by exhaustion on small decks and by the reference engine on the standard one."""

import pytest

from search import _kernel, engine
from search.cycle import cycle_from, cycle_of
from search.deal import Deal
from search.errors import InputError
from search.leg import LegTask
from search.pieces import tape_of
from search.rules import CODES, Rules
from search.settings import new_settings
from search.solve import backward_census
from search.strategies import get
from search.strategies.loops import ranks_of

LOOPS = get("loops")


def legs(given):
    return [
        LOOPS.advance(LegTask(given, searcher, leg))
        for searcher in range(given["searchers"])
        for leg in range(LOOPS.legs_of(given, searcher))
    ]


def cycles_of_places(rules, most):
    """The cycles, by name, of all loops of places with rounds of up to `most` cards."""
    found = {}
    counts = engine.composition(rules)
    for short_cards in range(1, rules.size // 2 + 1):
        for cards in range(2, most + 1):
            for leader, _, sets in _kernel.loops_of_places(counts, rules.pay_codes, short_cards, cards)[2]:
                for codes in ranks_of(sets, counts):
                    text = "".join(CODES[c] for c in codes)
                    cycle = cycle_from((0, (text[:leader], text[leader:])), rules)
                    assert cycle is not None and cycle.lead_in == 0, text
                    found[cycle.name] = cycle
    return found


@pytest.mark.parametrize("text", ["2J 4-", "2Q 2J 6-", "2A 4J 8-", "2K 2Q 2J 8-", "1A 3J 7-", "1K=2 3J 6-", "1A=3 2J 5-", "2K 2J=1 7-"])
def test_on_small_decks_every_cycle_of_few_cards_is_found_and_no_other(text):
    rules, most = Rules.parse(text), 26
    found = cycles_of_places(rules, most)
    known = dict(backward_census(rules))
    assert set(found) <= set(known)
    for name in known:
        cycle = cycle_from((0, tuple(name.split("/"))), rules)
        once_around = cycle.loop_cards * cycle.cycle_period // cycle.period
        assert name in found or once_around > most


def test_cycles_without_a_seam_are_found():
    # backward_census lists 168 cycles of this deck; 52 of them never come to J- (tests/test_cycles_factory.py).
    found = cycles_of_places(Rules.parse("2A 2K 2Q 2J 8-"), 36)
    assert len(found) == 56
    assert sum(not any(hands[1 - leader] == "J-" for leader, hands in cycle.states) for cycle in found.values()) == 52


def test_the_standard_deck_has_a_loop_of_38_cards():
    given = new_settings("loops")
    hand, cards = 25, 38
    done = LOOPS.advance(LegTask(given, hand - 1, cards - 2))
    assert len(done.finds) == done.tally.counts["infinite"] == 19 and done.tally.counts["cycles"] == 1
    for find in done.finds:
        deal = Deal.from_cards(find.deal, Rules.parse("standard"))
        cycle = cycle_of(deal)
        assert (cycle.period, cycle.loop_cards, cycle.full_period) == (6, 38, 2376)
        assert find.tricks == cycle.lead_in + 6
    assert tape_of(cycle, deal.rules.pay_of) is None


def test_a_run_ends_and_its_legs_do_not_depend_on_who_does_them():
    one, three = (new_settings("loops", rules="4J 8-", round_cards=20, searchers=n) for n in (1, 3))
    assert LOOPS.legs_of(one, 0) == 19 * 6 and sum(LOOPS.legs_of(three, s) for s in range(3)) == 19 * 6
    deals = [sorted({find.deal for leg in legs(given) for find in leg.finds}) for given in (one, three)]
    assert deals[0] == deals[1] and deals[0]
    task = LegTask(one, 0, 18 * 6 + 5)
    assert LOOPS.advance(task).pack() == LOOPS.advance(task).pack()
    assert new_settings("loops", searchers=1000)["searchers"] == 26


@pytest.mark.parametrize("given", [{"round_cards": 129}, {"rules": "9-"}, {"rules": "4A 4K 4Q 4J 60-"}, {"players": 3}])
def test_settings_that_do_not_go_together(given):
    with pytest.raises(InputError):
        new_settings("loops", **given)
