"""`beggar merge`: parts, together, are one uninterrupted scan; overlaps and gaps are named."""

import random
from concurrent.futures import ThreadPoolExecutor

import pytest

from search import merge as merging
from search.errors import Fault, InputError
from search.merge import merge
from search.run import Bounds, Run, Why
from search.settings import new_settings
from search.store import Store

RULES = "2K=3 2Q=2 2J=1 4-"
DEALS = 18900


def work(run, bounds=Bounds()):
    """In this process: quicker than a pool of others."""
    with ThreadPoolExecutor(1) as executor:
        return run.work(bounds, executor=executor)


def scan(path, games=None, **given):
    chosen = new_settings("scan", **{"rules": RULES, "leg_games": 500, "searchers": 5, "keep": 30, "threshold": 20, "seed": 1, **given})
    with Run.create(str(path), chosen) as run:
        work(run, Bounds(games=games))
    return str(path)


def resume(path):
    with Run.open(str(path), write=True) as run:
        assert work(run) is Why.COMPLETE


def totals(path):
    """All that must be equal: counts, histograms, the deals kept and how they went."""
    with Store.open(str(path)) as store:
        finds = sorted((f.text, f.cards, f.tricks, f.infinite, f.winner, f.lead_in, f.period) for f in store.finds())
        return store.counts, store.histograms(), finds


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    path = scan(tmp_path_factory.mktemp("whole") / "whole.run")
    result = totals(path)
    assert result[0]["games"] == DEALS and len(result[2]) >= 30
    return result


@pytest.mark.parametrize("parts", [2, 3])
def test_parts(tmp_path, whole, parts):
    paths = [scan(tmp_path / f"{n}.run", part=f"{n}/{parts}", searchers=n + 1, seed=n) for n in range(1, parts + 1)]
    made = merge(str(tmp_path / "all.run"), paths[::-1])
    assert made.complete and not made.overlaps and (made.first, made.last, made.deals) == (0, DEALS - 1, DEALS)
    assert totals(tmp_path / "all.run") == whole
    resume(tmp_path / "all.run")
    assert totals(tmp_path / "all.run") == whole
    with Store.open(str(tmp_path / "all.run"), write=True) as store:  # a writer checks the whole file
        assert made.infinite == store.counts["infinite"]


def test_parts_with_a_limit(tmp_path):
    """Wins and draws of parts add up to those of one scan; a scan without the limit is no part of it."""
    whole = scan(tmp_path / "whole.run", limit=9)
    paths = [scan(tmp_path / f"{n}.run", part=f"{n}/2", limit=9) for n in (1, 2)]
    merge(str(tmp_path / "all.run"), paths)
    assert totals(tmp_path / "all.run") == totals(whole)
    counts = totals(whole)[0]
    assert 0 < counts["draws"] < counts["limited"] < DEALS == counts["draws"] + counts["infinite"] + counts["wins_0"] + counts["wins_1"]
    with pytest.raises(InputError, match="limit is None, in .* it is 9"):
        merge(str(tmp_path / "wrong.run"), [paths[0], scan(tmp_path / "free.run", part="2/2")])


def test_parts_that_do_not_begin_with_a_block(tmp_path, whole):
    bounds = [0, 1, 777, 5000, 5001, 12345, DEALS]
    paths = [scan(tmp_path / f"{a}.run", range=f"{a}:{b - 1}") for a, b in zip(bounds, bounds[1:])]
    made = merge(str(tmp_path / "all.run"), paths)
    assert made.complete and not made.overlaps
    counts, histograms, finds = totals(tmp_path / "all.run")
    assert (counts, histograms) == whole[:2]
    assert [f for f in finds if not f[3]] == [f for f in whole[2] if not f[3]]


def test_gaps_are_named_and_filled(tmp_path, whole):
    one, three = (scan(tmp_path / f"{n}.run", part=f"{n}/3") for n in (1, 3))
    made = merge(str(tmp_path / "all.run"), [one, three])
    assert made.gaps == ((6000, 12499),) and not made.complete
    assert "gap: deals 6000 to 12499 are not scanned" in made.as_text()
    assert made.as_json()["gaps"] == [[6000, 12499]]
    assert made.as_json()["space"] == made.space == DEALS and "whole space" not in "".join(made.as_text())
    assert totals(tmp_path / "all.run")[0]["games"] == DEALS - 6500
    resume(tmp_path / "all.run")
    assert totals(tmp_path / "all.run") == whole


def test_overlaps_are_named_and_counted_once(tmp_path, whole):
    a = scan(tmp_path / "a.run", range="0:11999", searchers=3)
    b = scan(tmp_path / "b.run", range="9000:18899", searchers=2)
    c = scan(tmp_path / "c.run", range="9000:9999", searchers=1)
    made = merge(str(tmp_path / "all.run"), [a, b, c])
    named = {(o.first, o.last, *o.runs) for o in made.overlaps}
    assert named == {(9000, 11999, a, b), (9000, 9999, a, c), (9000, 9999, b, c)}
    counted = made.deals
    assert counted + sum(last - first + 1 for first, last in made.gaps) == DEALS
    assert totals(tmp_path / "all.run")[0]["games"] == counted
    later = merge(str(tmp_path / "later.run"), [b, c])
    assert later.complete and "not the whole space: deals 0 to 8999 are in none of the runs" in later.as_text()
    resume(tmp_path / "all.run")
    assert totals(tmp_path / "all.run") == whole


@pytest.mark.parametrize("seed", range(6))
def test_random_parts_in_random_states(tmp_path, whole, seed):
    """Runs of any ranges, done in part, merged, merged again, and resumed: the totals of one scan."""
    draw = random.Random(seed)
    paths = []
    for n in range(5):
        a, b = sorted(draw.sample(range(DEALS), 2))
        if n == 0:
            a = 0
        if n == 1:
            b = DEALS - 1
        blocks = a // 500 * 500, min(b // 500 * 500 + 499, DEALS - 1)
        paths.append(
            scan(tmp_path / f"{n}.run", games=draw.choice([None, 500, 3000, 7000]), range=f"{blocks[0]}:{blocks[1]}", searchers=draw.randrange(1, 9))
        )
    merge(str(tmp_path / "some.run"), paths[:3])
    made = merge(str(tmp_path / "all.run"), [str(tmp_path / "some.run"), *paths[3:]])
    assert (made.first, made.last) == (0, DEALS - 1)
    resume(tmp_path / "all.run")
    assert totals(tmp_path / "all.run") == whole


def test_the_most_deals_are_taken_over():
    rows = [merging._Row(f"{a}", a, b, {"games": b - a}, {}, []) for a, b in ((0, 10), (8, 30), (9, 12), (12, 20), (20, 29), (29, 31))]
    assert [(r.first, r.end) for r in merging._best_cover(rows)] == [(0, 10), (12, 20), (20, 29), (29, 31)]
    draw = random.Random(2)
    for _ in range(60):
        rows = []
        for _ in range(draw.randrange(1, 9)):
            a = draw.randrange(20)
            b = a + draw.randrange(1, 9)
            rows.append(merging._Row("", a, b, {"games": b - a}, {}, []))
        rows.sort(key=lambda r: (r.first, r.end))
        best = 0
        for mask in range(1 << len(rows)):
            some = [r for i, r in enumerate(rows) if mask >> i & 1]
            if all(x.end <= y.first for x, y in zip(some, some[1:])):
                best = max(best, sum(r.end - r.first for r in some))
        taken = merging._best_cover(rows)
        assert all(x.end <= y.first for x, y in zip(taken, taken[1:]))
        assert sum(r.end - r.first for r in taken) == best


def test_legs_set_aside_stay_so(tmp_path):
    """A leg that was given up is no part of the count, and the merged run still says so."""
    from search.store import Done, Session

    one = scan(tmp_path / "1.run", part="1/2")
    chosen = new_settings("scan", rules=RULES, leg_games=500, searchers=1, keep=30, threshold=20, part="2/2")
    with Run.create(str(tmp_path / "2.run"), chosen) as run:
        run.store.begin_session(Session(0.0, "", 1, "", "", 1))
        run.store.commit([Done(0, 0, None, reason="it killed three workers")])
        work(run)
    made = merge(str(tmp_path / "all.run"), [one, str(tmp_path / "2.run")])
    assert made.deals == DEALS - 500
    with Store.open(str(tmp_path / "all.run"), write=True) as store:
        assert [reason for _, _, reason in store.set_aside()] == ["it killed three workers"]
        assert store.counts["games"] == DEALS - 500


def test_what_cannot_be_merged(tmp_path):
    one = scan(tmp_path / "1.run", part="1/9")
    two = scan(tmp_path / "2.run", part="2/9")
    other = scan(tmp_path / "other.run", part="3/9", keep=31)
    deck = scan(tmp_path / "deck.run", rules="2K=3 2Q=2 1J=1 4-")
    with Run.create(str(tmp_path / "random.run"), new_settings("random", rules=RULES)):
        pass
    out = str(tmp_path / "out.run")
    with pytest.raises(InputError, match="two runs or more"):
        merge(out, [one])
    with pytest.raises(InputError, match="named twice"):
        merge(out, [one, str(tmp_path / "." / "1.run")])
    with pytest.raises(InputError, match="other.run: keep is 31, in .*1.run it is 30"):
        merge(out, [one, two, other])
    with pytest.raises(InputError, match="deck.run: rules is"):
        merge(out, [one, deck])
    with pytest.raises(InputError, match="a run of strategy random; scans can be merged"):
        merge(out, [one, str(tmp_path / "random.run")])
    with pytest.raises(InputError, match="no such run"):
        merge(out, [one, str(tmp_path / "none.run")])
    assert not (tmp_path / "out.run").exists()
    with pytest.raises(InputError, match="exists"):
        merge(two, [one, two])


def test_blocks_that_disagree(tmp_path, monkeypatch):
    one = scan(tmp_path / "1.run")
    two = scan(tmp_path / "2.run", range="0:999")
    real = Store.leg_digests
    monkeypatch.setattr(Store, "leg_digests", lambda self: ((leg, s, d[::-1] if self.path == two else d) for leg, s, d in real(self)))
    with pytest.raises(Fault, match="disagree about the deals 0 to 499"):
        merge(str(tmp_path / "out.run"), [one, two])
    assert not (tmp_path / "out.run").exists()


def test_the_command(tmp_path, capsys):
    from search.cli import main

    one, two = scan(tmp_path / "1.run", part="1/2"), scan(tmp_path / "2.run", part="2/2")
    assert main(["merge", str(tmp_path / "all.run"), one, two]) == 0
    assert f"{DEALS} of the {DEALS} deals 0 to {DEALS - 1} are scanned" in capsys.readouterr().out
    assert main(["merge", str(tmp_path / "all.run"), one, two]) == 2
    assert main(["merge", str(tmp_path / "json.run"), one, two, "--json"]) == 0
    assert '"complete": true' in capsys.readouterr().out.replace('":true', '": true')
    assert main(["merge", str(tmp_path / "first.run"), scan(tmp_path / "a.run", range="0:99"), scan(tmp_path / "b.run", range="100:999")]) == 0
    assert f"not the whole space: deals 1000 to {DEALS - 1} are in none of the runs" in capsys.readouterr().out
    assert main(["status", str(tmp_path / "all.run")]) == 0
    shown = capsys.readouterr().out
    assert "all.run, complete" in shown and "rate" not in shown
