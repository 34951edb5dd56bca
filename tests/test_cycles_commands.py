"""The commands cycles and cycle, and the catalogue behind them."""

import csv
import io
import json
import re

import pytest

from search.cli import main
from search import report
from search.catalogue import ALL_COLUMNS, DEAL_COLUMNS, catalogue, entry_of, faults, in_order
from search.deal import Deal
from search.finds import Find
from search.game import play
from search.objects import in_order as in_order_of_run
from search.objects import shown_object
from search.rules import Rules
from search.run import Bounds, Run
from search.settings import new_settings
from search.store import Store
from search.verify import verify

from conftest import TREE

CASELLA = "---K---Q-KQAJ-----AAJ--J--/----------Q----KQ-J-----KA"
OTHERS = [
    "-----------------KA------J/KK---AKAAJ----Q-Q-Q-QJ--J-",
    "-----------K---Q-A-----J--/KQ---JKQ-K-Q-J---A----AAJ-",
]


@pytest.fixture(scope="module")
def varied(tmp_path_factory):
    """A run whose games differ in lead-in and period, and these games."""
    path = str(tmp_path_factory.mktemp("runs") / "varied.run")
    with Run.create(path, new_settings("cycles", rules="2A 2K 2Q 2J 10-", leg_games=1000, seed=1)) as made:
        made.work(Bounds(games=1))
    with Store.open(path) as store:
        rules = Rules.parse(str(store.settings["rules"]))
        return path, [shown_object(find, rules) for find in store.finds()]


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    path = str(tmp_path_factory.mktemp("runs") / "loops.run")
    with Run.create(path, new_settings("cycles", rules="italian", leg_games=1_500_000, seed=1)) as made:
        made.work(Bounds(games=1))
    return path


def beggar(capsys, *args):
    status = main(list(args))
    return status, capsys.readouterr().out


def test_a_catalogue_has_each_cycle_once():
    deals = [Deal.parse(text) for text in (CASELLA, *OTHERS)]
    more = [deal for deal, _ in entry_of(deals[0]).deals][:5]
    entries = catalogue([*deals, *more, *more, Deal.parse("-" * 36 + "AAAAKKKKQQQQJJJJ")])
    assert [e.found for e in entries] == [len({deals[0], *more}), 1, 1]
    assert [e.cycle.period for e in in_order(entries, "period")] == [62, 56, 31]
    assert [e.cycle.period for e in in_order(entries, "period", smallest=True)] == [31, 56, 62]
    assert in_order(entries, "full-period")[0].cycle.full_period == max(e.cycle.full_period for e in entries)
    rows = entries[0].deal_rows()
    assert len(rows) == 30 and {row["cycle"] for row in rows} == {entries[0].cycle.name}
    assert {"cards": 474, "tricks": 66, "lead_in": 4}.items() <= next(r for r in rows if r["deal"] == CASELLA).items()


def test_a_limit_is_stated_and_the_deal_itself_is_not_lost():
    entry = entry_of(Deal.parse(CASELLA), limit=100)
    assert not entry.basin.complete and (Deal.parse(CASELLA), 4) in entry.deals


def test_cycle_in_words(capsys):
    status, out = beggar(capsys, "cycle", CASELLA)
    assert status == 0
    assert "period 62 tricks and 440 cards" in out and "4650 tricks" in out
    assert "2670 states (all), 30 of them deals" in out and "and 10 more" in out
    assert out.count("piece    ") == 3
    _, every = beggar(capsys, "cycle", "--all", CASELLA)
    assert len(re.findall(r"/\S+  lead-in \d+$", every, re.M)) == 30
    _, cut = beggar(capsys, "cycle", "--limit", "100", CASELLA)
    assert "100 states (the nearest, the limit of 100 was met (--limit)), 0 of them deals" in cut
    assert f"{CASELLA}  lead-in 4, the deal given, which is not among them" in cut  # it is farther off
    assert "the deal given" not in every
    _, less = beggar(capsys, "cycle", "--limit", "5", CASELLA)
    assert "not searched: the cycle alone has 62 states, and --limit is 5" in less and " 0 states" not in less
    _, enough = beggar(capsys, "cycle", "--limit", "62", CASELLA)
    assert "62 states (the nearest, the limit of 62 was met (--limit)), 0 of them deals" in enough
    _, finite = beggar(capsys, "cycle", "--rules", "free", "J-/---J-")
    assert "the game ends" in finite


def test_cycle_in_json_agrees_with_verify(capsys):
    status, out = beggar(capsys, "cycle", "--json", "--rules", "free", "J--/-J-", "--J-/K-J-", "J-/---J-")
    assert status == 0
    first, second, finite = map(json.loads, out.splitlines())
    assert (first["lead_in"], first["period"], first["basin"], first["complete"]) == (1, 2, 3, True)
    assert first["pieces"] == [{"words": ["--J"], "tricks": 2, "peak": 4}]
    assert (second["lead_in"], second["period"], second["seam"]) == (0, 4, None)
    assert finite["cycle"] is None
    for row in (first, second):
        checked = verify(Deal.parse(row["deal"], Rules.parse("free"))).as_json()
        assert {key: row[key] for key in ("cycle", "cycle_period", "period", "loop_cards", "full_period", "lead_in")}.items() <= checked.items()


def test_three_players(capsys):
    """Three players in a loop: what leads there is not searched for."""
    status, out = beggar(capsys, "cycle", "--rules", "free", "--players", "3", "--json", "J/-----J/-J")
    assert status == 0
    row = json.loads(out)
    assert (row["cycle"], row["cycle_period"], row["period"], row["lead_in"]) == ("--J-/J-/-J-", 1, 3, 5)
    assert [row[key] for key in ("basin", "complete", "limit", "pieces")] == [None] * 4
    assert row["deals"] == [{"deal": row["deal"], "lead_in": row["lead_in"]}]
    _, words = beggar(capsys, "cycle", "--rules", "free", "--players", "3", "J/-----J/-J")
    assert row["cycle"] in words and "searched for two players only" in words


# How a reader of README gets the objectives of their own: option of `finds`, key of the rows, whether the largest comes first.
OBJECTIVES = {
    "--by lead-in": ("lead_in", True),
    "--by period": ("period", True),
    "--by loop-cards": ("loop_cards", True),
    "--by full-period": ("full_period", True),
    "--by period --smallest": ("period", False),
    "--by lead-in --smallest": ("lead_in", False),
}


@pytest.mark.parametrize("order", OBJECTIVES)
def test_infinite_games_by_what_makes_them_interesting(capsys, varied, order):
    key, largest_first = OBJECTIVES[order]
    command = f"beggar finds endless --for infinite {order}"
    assert re.search(rf"^{command} --top 1\s", (TREE / "README.md").read_text(), re.M), command
    path, every = varied
    words = [path if word == "endless" else word for word in command.split()[1:]]
    status, out = beggar(capsys, *words, "--top", "3", "--format", "json")
    rows = json.loads(out)
    values = sorted((row[key] for row in every), reverse=largest_first)
    assert key == "full_period" or values[0] != values[-1]
    assert status == 0 and [row[key] for row in rows] == values[:3]
    _, table = beggar(capsys, *words, "--top", "3")
    title, *lines = table.splitlines()
    assert title.split()[-6:] == ["deal", "cycle", "searcher", "leg", "found", "at"] and len(lines) == 3
    for line, row in zip(lines, rows):
        assert all(str(row[name]) in line.split() for name in ("lead_in", "period", "loop_cards", "full_period", "deal", "cycle"))


def test_the_full_period_is_an_order_of_its_own():
    standard = Rules.parse("standard")
    finds = []
    for text in (CASELLA, *OTHERS):
        deal, game = Deal.parse(text), play(Deal.parse(text))
        finds.append(Find(deal.cards, deal.sizes, game.cards, game.tricks, True, None, game.lead_in, game.period, game.loop_cards, "", 0, 0))
    full = {find.text: shown_object(find, standard)["full_period"] for find in finds}
    assert len(set(full.values())) == 3 and full[CASELLA] == 4650
    for smallest in (False, True):
        for by in ("full-period", "period"):
            listed = in_order_of_run(finds, by, "infinite", standard, smallest)
            values = [full[find.text] if by == "full-period" else find.period for find in listed]
            assert values == sorted(values, reverse=not smallest)
    assert in_order_of_run(finds, "full-period", "infinite", standard) != in_order_of_run(finds, "period", "infinite", standard)


def test_the_end_of_a_search_shows_cycles(capsys, run):
    status, out = beggar(capsys, "resume", run, "--legs", "1", "--quiet")
    assert status == 0 and " cycle " in out
    _, out = beggar(capsys, "resume", run, "--legs", "1", "--quiet", "--json")
    best = json.loads(out)["best_finds"]
    assert best
    for row in best:
        checked = verify(Deal.parse(row["deal"], Rules.parse("italian"))).as_json()
        assert {key: row[key] for key in ("cycle", "cycle_period", "full_period", "lead_in")}.items() <= checked.items()


def test_cycles_of_a_run(capsys, run):
    status, out = beggar(capsys, "cycles", run, run, "--format", "json")
    rows = json.loads(out)
    assert status == 0 and len(rows) == 6
    assert len({row["cycle"] for row in rows}) == 6 and sum(row["deals"] for row in rows) == 18
    assert all(row["found"] == row["deals"] and row["rules"] == "italian" and row["pieces"] for row in rows)
    _, table = beggar(capsys, "cycles", run, "--by", "period", "--smallest", "--top", "2")
    assert len(table.splitlines()) == 3
    for extra in ([], ["--deals"], ["--format", "csv"]):
        assert main(["cycles", run, "--limit", "70", *extra]) == 0
        out, err = capsys.readouterr()
        assert out and re.fullmatch(r"beggar: what leads into \d cycles? is not all here: --limit is 70 states\n", err)
        assert main(["cycles", run, *extra]) == 0 and capsys.readouterr().err == ""
    _, listed = beggar(capsys, "cycles", run, "--deals", "--format", "csv")
    deals = list(csv.DictReader(io.StringIO(listed)))
    assert len({row["deal"] for row in deals}) == 18
    for row in deals[::6]:
        checked = verify(Deal.parse(row["deal"], Rules.parse("italian"))).as_json()
        assert all(str(checked[key]) == row[key] for key in row if key != "deal")


def rows_of(name):
    with open(TREE / "results" / name, newline="") as file:
        return list(csv.DictReader(file))


def test_the_catalogue_in_results():
    """Every row by compiled engines, some by the reference engine; `benchmarks/hall_of_fame.py check infinite` takes it for all."""
    cycles, games = rows_of("infinite-cycles.csv"), rows_of("infinite-games.csv")
    assert len({row["cycle"] for row in cycles}) == len(cycles) > 20 and len({row["deal"] for row in games}) == len(games) > 500
    assert not list(faults(cycles, games, reference_every=max(1, len(games) // 100)))


@pytest.mark.parametrize(
    "key, value",
    [("cards", "1"), ("tricks", "1"), ("lead_in", "99"), ("period", "1"), ("full_period", "7"), ("deal", OTHERS[0])],
)
def test_a_fault_in_a_catalogue_is_seen(key, value):
    """In any game, be it one that the reference engine plays or not."""
    entry = entry_of(Deal.parse(CASELLA))
    cycles = list(csv.DictReader(io.StringIO(report.csv_text([entry.as_json()], ALL_COLUMNS))))
    games = list(csv.DictReader(io.StringIO(report.csv_text(entry.deal_rows(), DEAL_COLUMNS))))
    assert not list(faults(cycles, games, 10))
    for at in (0, 15):
        wrong = [row | {key: value} if n == at else row for n, row in enumerate(games)]
        if key == "deal":
            wrong = [row for n, row in enumerate(games) if n != at]  # one is missing
        assert list(faults(cycles, wrong, 10))
    assert list(faults(cycles, [*games, games[15]], 10)) and list(faults([], games, 10)) and list(faults(cycles, [], 10))
    if key in ALL_COLUMNS:
        assert list(faults([cycles[0] | {key: value}], games, 10))


def test_bad_input(capsys, tmp_path):
    assert main(["cycles", str(tmp_path / "none.run")]) == 2
    assert main(["cycle", "AKQJ"]) == 2
    for limit in ("1000000000000", "0"):
        assert main(["cycle", "--limit", limit, CASELLA]) == 2
        out = capsys.readouterr()
        assert not out.out and "--limit" in out.err and re.search(r"at (most|least) [0-9]+ is", out.err)
    assert main(["cycles", str(tmp_path / "none.run"), "--by", "beauty"]) == 2


def test_status_of_a_run_for_infinite_games(capsys, varied):
    path, every = varied
    status, out = beggar(capsys, "status", path)
    assert status == 0 and f"finds     {len(every)} infinite; all are kept\n" in out
