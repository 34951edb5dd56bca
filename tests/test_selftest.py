"""The self-test: what it plays, that its table is the one the command makes, and that it notices."""

import pytest

import golden
from search import engine, selftest as module
from search.errors import Disagreement
from search.outcome import Outcome, Status
from search.selftest import golden_games, selftest


def test_it_plays_everything_on_every_engine():
    report = selftest()
    assert report.games == len(golden_games()) > 100
    assert set(report.engines) == {"reference", *engine.engines()}
    assert report.engines["reference"] == report.games
    assert all(n > 50 for n in report.engines.values())
    assert report.as_json() == {"games": report.games, "engines": report.engines, "agree": True}
    assert len(report.as_text()) == len(report.engines)


def test_the_table_is_what_its_command_writes():
    assert golden.TABLE.read_text(encoding="utf-8") == golden.table()


def test_the_table_has_every_corner():
    games = golden_games()
    assert {game.outcome.status for game in games} == set(Status)
    assert {game.deal.rules.seats for game in games} == {2, 3, 4}
    for seats in (2, 3, 4):
        assert any(g.outcome.status is Status.INFINITE and g.deal.rules.seats == seats for g in games)
        assert any("" in g.deal.hands and g.deal.rules.seats == seats for g in games)
    assert any(g.outcome.status is Status.LIMIT and g.outcome.winner is None for g in games)


def test_it_notices_a_wrong_reference(monkeypatch):
    honest = module.play
    monkeypatch.setattr(module, "play", lambda deal, limit: wrong(honest(deal, limit)) if limit == 100 else honest(deal, limit))
    with pytest.raises(Disagreement, match="the golden table says .*reference says "):
        selftest()


@pytest.mark.parametrize("name", engine.engines())
def test_it_notices_a_wrong_engine(monkeypatch, name):
    honest = engine.play
    monkeypatch.setattr(
        engine, "play", lambda deal, limit, engine: wrong(honest(deal, limit, engine)) if engine == name else honest(deal, limit, engine)
    )
    with pytest.raises(Disagreement, match=f"the golden table says .*{name} says "):
        selftest()


@pytest.mark.parametrize("name", engine.engines())
def test_it_notices_a_wrong_batch(monkeypatch, name):
    honest = engine.play_strings

    def lie(strings, rules, engine):
        results = honest(strings, rules, engine)
        return [*results][:-1] + [wrong(results[len(results) - 1])] if engine == name else results

    monkeypatch.setattr(engine, "play_strings", lie)
    with pytest.raises(Disagreement, match=f"the golden table says .*{name} says "):
        selftest()


def wrong(outcome):
    return Outcome(outcome.status, outcome.cards, outcome.tricks + 1, outcome.winner, outcome.lead_in, outcome.period, outcome.loop_cards)
