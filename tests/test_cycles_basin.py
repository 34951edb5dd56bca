"""Basins: every deal that leads into a cycle."""

import csv
from importlib.resources import files

import pytest
from small_deals import deal as free

from search.basin import basin_of, basin_reference
from search.cycle import cycle_of
from search.deal import Deal
from search.errors import InputError
from search.pieces import tape_of
from search.rules import Rules

CASELLA = "---K---Q-KQAJ-----AAJ--J--/----------Q----KQ-J-----KA"


def records():
    with files("search.data").joinpath("known_games.csv").open() as file:
        return [row for row in csv.DictReader(file) if row["status"] == "infinite"]


def test_thirty_deals_lead_into_the_first_known_cycle():
    deal = Deal.parse(CASELLA)
    basin = basin_of(cycle_of(deal), deal.rules)
    deals = basin.deals(deal.rules)
    assert basin.complete and len(deals) == len({d for d, _ in deals}) == 30
    assert (deal, 4) in deals
    for other, lead_in in deals:
        cycle = cycle_of(other)
        assert (cycle.name, cycle.lead_in) == (basin.name, lead_in)


@pytest.mark.parametrize("text", [CASELLA, "J--/-J-", "--J-/K-J-", "--J-/K-Q-K-Q-J-"])
def test_the_compiled_search_finds_what_the_plain_one_finds(text):
    deal = Deal.parse(text) if text == CASELLA else free(text)
    cycle = cycle_of(deal)
    basin, plain = basin_of(cycle, deal.rules), basin_reference(cycle, deal.rules)
    assert basin.complete and plain.complete and basin.name == plain.name == cycle.name
    assert dict(zip(basin.states, basin.lead_ins)) == dict(zip(plain.states, plain.lead_ins))
    assert len(set(basin.states)) == len(basin)


def test_a_limit_cuts_the_far_end_off():
    deal = Deal.parse(CASELLA)
    cycle = cycle_of(deal)
    whole = basin_of(cycle, deal.rules)
    cut = basin_of(cycle, deal.rules, limit=500)
    assert not cut.complete and cut.limit == len(cut) == 500
    assert cut.states == whole.states[:500]
    assert not basin_of(cycle, deal.rules, limit=10).complete


@pytest.mark.parametrize("row", records(), ids=lambda row: row["hands"])
def test_published_infinite_games(row):
    deal = Deal.parse(row["hands"]) if row["rules"] == "standard" else free(row["hands"])
    cycle = cycle_of(deal)
    assert (cycle.lead_in, cycle.period) == (int(row["lead_in"]), int(row["period"]))
    assert basin_of(cycle, deal.rules).lead_ins[: cycle.cycle_period] == (0,) * cycle.cycle_period


FINDINGS = {
    "-----------------KA------J/KK---AKAAJ----Q-Q-Q-QJ--J-": 31,
    "-----------K---Q-A-----J--/KQ---JKQ-K-Q-J---A----AAJ-": 56,
    "-----------------Q-A---K-J/---Q---JAQ-A-A-J---K-KKQJ-": 81,
    "--------A-K-AQA--J--------/KQ-KAQKQJ------------J--J-": 156,
}


@pytest.mark.parametrize("text", FINDINGS)
def test_longer_cycles_are_tapes_of_pieces(text):
    deal = Deal.parse(text)
    cycle = cycle_of(deal)
    assert cycle.period == FINDINGS[text]
    tape = tape_of(cycle, deal.rules.pay_of)
    assert tape.seam.short_hand == "J-"
    state = f"{tape.long_hand}/{tape.seam.short_hand}"
    assert state in {"/".join(hands if leader == 0 else hands[::-1]) for leader, hands in cycle.states}
    assert deal in [d for d, _ in basin_of(cycle, deal.rules).deals(deal.rules)]


def test_no_basin_for_three_players():
    cycle = cycle_of(free("J--/-J-"))
    with pytest.raises(InputError):
        basin_of(cycle, Rules.parse("free", seats=3))


def test_cycles_that_exchange_the_hands_have_no_seam():
    deal = free("--J-/K-Q-K-Q-J-")
    cycle = cycle_of(deal)
    assert cycle.period == 2 * cycle.cycle_period
    assert tape_of(cycle, deal.rules.pay_of) is None
