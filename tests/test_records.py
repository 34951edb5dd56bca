"""The published records: exactly as published, and how games compare with them."""

import dataclasses

import pytest

from search.cycle import cycle_of
from search.deal import Deal
from search.errors import InputError
from search.game import play
from search.outcome import Outcome, Status
from search.records import Record, compare, hall_of_fame, known_games, published, read_records, records_of, write_records
from search.rules import STANDARD, Rules

RECORDS = {record.title: record for record in known_games()}

# As they are found in print and on the web, typed here a second time.
FIGURES = {
    "Paulhus 1999": (4791, 670),
    "Kleber 1999": (5790, 805),
    "Collins 2006": (6913, 960),
    "Mann and Wu 2007": (7157, 1007),
    "Nessler 2012": (7207, 1015),
    "Anderson 2013": (7225, 1016),
    "Rucklidge 2014": (7959, 1122),
    "Nessler 2021": (7972, 1106),
    "Nessler 2022": (8344, 1164),
    "Casella 2024": (474, 66),
}


def finite(cards, tricks):
    return Outcome(Status.FINITE, cards, tricks, 0)


def infinite(lead_in, period):
    return Outcome(Status.INFINITE, 7 * (lead_in + period), lead_in + period, None, lead_in, period, 7 * period)


def some_deal():
    return RECORDS["Nessler 2022"].deal


def test_the_published_ones():
    assert {record.title: (record.cards, record.tricks) for record in published()} == FIGURES
    assert all(record.deal.rules == STANDARD for record in published())


@pytest.mark.parametrize("record", known_games(), ids=lambda record: record.title)
def test_every_known_game_goes_as_published(record):
    outcome = play(record.deal)
    assert record.agrees(outcome)
    for figure in ("cards", "tricks"):
        assert not dataclasses.replace(record, **{figure: getattr(record, figure) + 1}).agrees(outcome)


def test_casella():
    record = RECORDS["Casella 2024"]
    assert (record.status, record.lead_in, record.period) == (Status.INFINITE, 4, 62)
    assert cycle_of(record.deal).full_period == 4650


@pytest.mark.parametrize("record", published(), ids=lambda record: record.title)
def test_a_record_equals_itself(record):
    standing = compare(record.deal, play(record.deal))
    assert standing.achieved.startswith(f"equals {record.title} (")


@pytest.mark.parametrize(
    "cards, tricks, achieved, remark",
    [
        (250, 35, None, "8094 cards short of the longest published game, Nessler 2022 (8344 cards)"),
        (4791, 669, "equals Paulhus 1999 in cards (4791 cards)", "3553 cards short of"),
        (4792, 671, "beats Paulhus 1999 (4791 cards, 670 tricks)", "3552 cards short of"),
        (7960, 1164, "beats Rucklidge 2014 in cards (7959 cards); equals Nessler 2022 in tricks (1164 tricks)", "384 cards short"),
        (8343, 1163, "beats Nessler 2021 in cards (7972 cards); beats Rucklidge 2014 in tricks (1122 tricks)", "1 card short of"),
        (8344, 1164, "equals Nessler 2022 (8344 cards, 1164 tricks)", "as long as the longest published game"),
        (8345, 1165, "beats Nessler 2022 (8344 cards, 1164 tricks)", "1 card longer than the longest published game"),
        (9000, 1164, "beats Nessler 2022 in cards (8344 cards); equals Nessler 2022 in tricks (1164 tricks)", "656 cards longer"),
    ],
)
def test_finite_games(cards, tricks, achieved, remark):
    standing = compare(some_deal(), finite(cards, tricks))
    assert standing.achieved == achieved
    assert standing.remark.startswith(remark)


@pytest.mark.parametrize(
    "lead_in, period, achieved",
    [
        (3, 31, None),
        (4, 31, "equals Casella 2024 in lead-in (lead-in 4)"),
        (3, 156, "beats Casella 2024 in period (period 62)"),
        (4, 62, "equals Casella 2024 (lead-in 4, period 62)"),
        (5, 63, "beats Casella 2024 (lead-in 4, period 62)"),
    ],
)
def test_infinite_games(lead_in, period, achieved):
    standing = compare(some_deal(), infinite(lead_in, period))
    assert standing.achieved == achieved
    assert standing.remark == "published infinite deals of this kind: Casella 2024 (lead-in 4, period 62)"


def test_only_like_is_compared_with_like():
    cards = some_deal().cards
    uneven = Deal.from_cards(cards, Rules.parse("4A4K4Q4J36-"), (30, 22))
    same = Deal.from_cards(cards, Rules.parse("4A4K4Q4J36-"), (26, 26))
    other_pays = Deal.from_cards(cards, Rules.parse("4A=5 4K4Q4J36-"), (26, 26))
    long = finite(10_000, 1400)
    assert compare(same, long).achieved is not None
    for deal in (uneven, other_pays):
        assert compare(deal, long).achieved is None and compare(deal, long).remark is None
    assert compare(some_deal(), Outcome(Status.LIMIT, 9000, 1300)).achieved is None


def test_finds_of_this_tool():
    """Each says how it is found again; none says that it is published."""
    own = hall_of_fame()
    assert all(r.origin == "this tool" and r.year is None and r.source.startswith("beggar 0.") for r in own)
    assert len({(r.players, r.hands) for r in own}) == len(own)
    assert {r.origin for r in known_games()} == {"published", "example"}
    assert records_of() == [*published(), *sorted(own, key=lambda r: r.players), *(r for r in known_games() if r.origin == "example")]
    assert records_of("standard", 3) == records_of(players=3) == [r for r in own if r.players == 3]
    assert records_of("4A=5 4K4Q4J36-") == records_of("4A4K4Q4J36- 30+22", 2) == []


@pytest.mark.parametrize("players", [3, 4])
def test_where_none_is_published(players):
    """Games of three and four are compared with the finds of this tool, and that is said."""
    own = [r for r in hall_of_fame() if r.players == players]
    finite_ones = [r for r in own if r.status is Status.FINITE]
    best = max(finite_ones, key=lambda r: r.cards)
    for record in own:
        standing = compare(record.deal, play(record.deal))
        assert standing.achieved.startswith(f"equals {record.name} (") and standing.achieved.endswith("; found by this tool)")
        assert "none of this kind is published" in standing.remark and "known to this tool" in standing.remark
    longer = compare(best.deal, finite(best.cards + 1, best.tricks + 1))
    assert longer.achieved == f"beats {best.name} ({best.cards} cards, {best.tricks} tricks; found by this tool)"
    assert longer.remark.startswith("1 card longer than the longest game known to this tool")
    assert compare(best.deal, finite(200, 30)).achieved is None
    uneven = Deal.from_cards(best.deal.cards, Rules.parse("4A4K4Q4J36-", players), (53 - players, *[1] * (players - 1)))
    assert compare(uneven, finite(10**5, 10**4)).remark is None


def test_finds_of_this_tool_do_not_stand_beside_published_records():
    own = max((r for r in hall_of_fame() if r.players == 2), key=lambda r: r.cards)
    standing = compare(own.deal, play(own.deal))
    assert "published" in standing.remark and "this tool" not in standing.remark + standing.achieved


def test_own_records(tmp_path):
    path = tmp_path / "fame.csv"
    own = [
        Record("found here", 2024, 3, "standard", "A" * 4 + "-" * 14 + "/" + "KKKKQQQQJJJJ-----" + "/" + "-" * 17, Status.FINITE, 18, 2),
        Record("a loop, with 'comma, \"quotes\"", None, 2, "free", "J--/-J-", Status.INFINITE, 8, 3, 1, 2, "cycles, seed 7"),
    ]
    write_records(path, own)
    assert read_records(path) == own
    write_records(path, known_games())
    assert tuple(read_records(path)) == known_games()
    deal = own[1].deal
    assert compare(deal, play(deal), own).achieved.startswith("equals a loop")
    assert compare(deal, play(deal)).achieved is None  # a small loop is known, but nobody's record


HEADER = "name,year,players,rules,hands,status,cards,tricks,lead_in,period\n"


@pytest.mark.parametrize(
    "text, wrong",
    [
        ("", "columns"),
        ("name,year\nx,1\n", "players"),
        (HEADER + "x,1999,2,free,J/-,finite,2,1,,\nx,1999,2,free,J/-,endless,2,1,,\n", "line 3.*endless"),
        (HEADER + "x,1999,2,standard,J/-,finite,2,1,,\n", "line 2"),
        (HEADER + "x,1999,2,nonsense,J/-,finite,2,1,,\n", "line 2.*nonsense"),
        (HEADER + "x,1999,2,free,J/-,finite,two,1,,\n", "line 2.*two"),
        (HEADER + "x,1999,2,free,J/-,finite\n", "line 2.*columns"),
        (HEADER + "x,1999,2,free,J/-,finite,2,1,,,,,\n", "line 2.*columns"),
    ],
)
def test_damaged_tables(tmp_path, text, wrong):
    path = tmp_path / "fame.csv"
    path.write_text(text)
    with pytest.raises(InputError, match=f"(?s)fame.csv.*{wrong}"):
        read_records(path)


def test_no_table(tmp_path):
    with pytest.raises(InputError, match="nothing.csv"):
        read_records(tmp_path / "nothing.csv")
    (tmp_path / "binary.csv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="binary.csv"):
        read_records(tmp_path / "binary.csv")
