"""Strategy cycles: settings, seams, states and pools, legs."""

from concurrent.futures import Executor, Future

import pytest

from search.errors import InputError
from search.game import play
from search.deal import Deal
from search.leg import LegTask, PackedLeg
from search.outcome import Status
from search.pieces import Seam
from search.replay import follow
from search.rules import Rules
from search.run import Bounds, Run
from search.settings import default_for, new_settings
from search.strategies import cycles, get
from search.strategies.cycles import Rare, choices, keep_rare, read_pieces, seam_of, write_pieces
from search.work import do_leg

CYCLES = get("cycles")
TESTS = 1_500_000


def settings(**given):
    return new_settings("cycles", leg_games=given.pop("leg_games", TESTS), **given)


def test_it_is_what_a_search_for_infinite_games_uses():
    assert default_for("infinite").name == "cycles"
    assert new_settings("cycles")["objective"] == "infinite"


def test_most_searchers_have_the_seam_that_carries_deals_and_the_others_take_turns():
    standard = Rules.parse("standard")
    seams = [seam_of(settings(), standard, searcher) for searcher in range(128)]
    assert seams.count(Seam("J-", "-", "long")) == 112
    assert len(set(seams)) > 8
    fixed = settings(sigma="q--", drift="--", seam_leader="long")
    assert choices(fixed, standard) == [Seam("Q--", "--", "long")]
    assert choices(settings(sigma="J-", drift="none"), standard)[0] == Seam("J-", "", "long")


@pytest.mark.parametrize("rules", ["4A=4 4K=3 4Q=2 36-", "3K=5 20-", "4J=1 20-", "4A=1 4K=2 4Q=3 4J=4 36-"])
def test_other_decks_have_seams_of_their_own(rules):
    for seam in choices(settings(rules=rules), Rules.parse(rules)):
        assert set(seam.short_hand) <= set(rules)


@pytest.mark.parametrize(
    "rules, first",
    [
        ("2J=6 10-", Seam("J------", "-", "long")),  # J------ with ------ needs twelve number cards
        ("4K=3 5-", Seam("K---", "-", "long")),  # K--- with --- needs six
        ("2J=6 40-", Seam("J------", "------", "long")),  # --J------ is longer than a seam may be
        ("2A=9 2J=1 20-", Seam("J-", "-", "long")),  # so is A---------
        ("1J 2-", Seam("J-", "-", "long")),
    ],
)
def test_seams_that_do_not_fit_the_deck_are_left_out_and_the_others_searched(rules, first):
    chosen = settings(rules=rules, leg_games=1000)
    seams = choices(chosen, Rules.parse(rules))
    assert seams[0] == first and default_for("infinite", rules).name == "cycles"
    for number in range(len(seams)):
        searcher = 8 * number - 1 if number else 0
        assert seam_of(chosen, Rules.parse(rules), searcher) == seams[number]
        PackedLeg.read(CYCLES.advance(LegTask(chosen, searcher, 0)).pack())


@pytest.mark.parametrize(
    "given, reason",
    [
        ({"rules": "1J 1-"}, "short hand 'J-' with drift '-' needs more - than the deck has"),
        ({"rules": "2J=12 20-"}, "has more than 8 cards"),
        ({"rules": "2J=6 10-", "sigma": "J------", "drift": "------"}, "with drift '------' needs more - than the deck has"),
        ({"sigma": "KKKKK", "drift": "none"}, "short hand 'KKKKK' with drift 'none' needs more K than the deck has"),
    ],
)
def test_where_no_seam_fits_the_reason_is_told(given, reason):
    with pytest.raises(InputError, match=reason):
        settings(**given)


@pytest.mark.parametrize(
    "objective, rules, players, name",
    [
        ("cards", "standard", 2, "backward"),
        ("tricks", "italian", 2, "backward"),
        ("cards", "8A=4 8K=3 8Q=2 8J=1 20-", 2, "random"),
        ("cards", "2J=12 20-", 2, "random"),
        ("cards", "standard", 3, "random"),
        ("infinite", "standard", 2, "cycles"),
        ("infinite", "8A=4 8K=3 8Q=2 8J=1 20-", 2, "random"),
        ("infinite", "4A 4K 4Q 4J 60-", 2, "random"),
        ("infinite", "1J 1-", 2, "random"),
        ("infinite", "2J=12 20-", 2, "random"),
        ("infinite", "30-", 2, "random"),
        ("infinite", "standard", 3, "random"),
        ("infinite", "italian", 4, "random"),
    ],
)
def test_what_a_search_uses_where_nobody_names_a_strategy(objective, rules, players, name):
    assert default_for(objective, rules, players).name == name


def test_no_strategy_helps_with_rules_that_are_none():
    for rules in ("free", "4X"):
        with pytest.raises(InputError):
            default_for("infinite", rules)


@pytest.mark.parametrize(
    "given",
    [
        {"players": 3},
        {"objective": "cards"},
        {"sigma": "X-"},
        {"sigma": "none"},
        {"sigma": "JJJJJ-"},
        {"drift": "---------"},
        {"parts": 0},
        {"parts": 9},
        {"seam_leader": "both"},
        {"rules": "52-"},
        {"rules": "8A 8K 8Q 8J 20-"},
        {"rules": "4A 4K 4Q 4J 60-"},
    ],
)
def test_settings_that_do_not_go_together_are_refused(given):
    with pytest.raises(InputError):
        settings(**given)


def test_states_and_pools_are_read_back():
    pieces = {Seam("J-", "-", "long"): [Rare(20, "--K"), Rare(4, "--J")], Seam("--J-", "", "short"): [Rare(3, "K---")]}
    assert read_pieces(write_pieces(pieces)) == pieces
    assert read_pieces(b"") == {}
    with pytest.raises(ValueError):
        read_pieces(b"F0\n")


def test_rare_pieces_are_high_peaks_and_new_compositions():
    many = [Rare(22, "-" * n + "K") for n in range(5)] + [Rare(4, "--JQ"), Rare(4, "--QJ"), Rare(3, "-J")]
    kept = keep_rare(many, 26, 100)
    assert len(kept) == 7 and Rare(4, "--QJ") not in kept
    assert keep_rare(reversed(many), 26, 100) == kept
    assert keep_rare(many, 26, 3) == kept[:3]


def test_a_leg_depends_on_its_task_only_and_carries_on_with_its_state():
    first = CYCLES.advance(LegTask(settings(seed=3), 0, 0))
    assert first.pack() == CYCLES.advance(LegTask(settings(seed=3), 0, 0)).pack()
    PackedLeg.read(first.pack())
    assert first.finds and first.tally.counts["infinite"] == len(first.finds)
    assert first.tally.counts["games"] >= TESTS
    assert len(first.state) < 40_000
    find = first.finds[0]
    outcome = play(Deal.from_cards(find.deal, Rules.parse("standard"), find.hands))
    assert (outcome.status, outcome.cards, outcome.tricks) == (Status.INFINITE, find.cards, find.tricks)

    second = CYCLES.advance(LegTask(settings(seed=3), 0, 1, first.state))
    (seam, before), (_, after) = next(iter(read_pieces(first.state).items())), next(iter(read_pieces(second.state).items()))
    assert seam == Seam("J-", "-", "long") and {p.word for p in before} <= {p.word for p in after}
    assert not {f.deal for f in first.finds} & {f.deal for f in second.finds}


def test_the_pool_travels_where_it_is_read(tmp_path, monkeypatch):
    """Its pieces go into the states in the first leg of a round; runs, audits and replays send it there only."""
    monkeypatch.setattr(cycles, "SMALL", ((13, 5, 100_000),))
    tasks: list[LegTask] = []

    class Here(Executor):
        def submit(self, fn, task):
            tasks.append(task)
            future = Future()
            future.set_result(fn(task))
            return future

    given = settings(seed=3, searchers=2, leg_games=1)
    with Run.create(str(tmp_path / "a.run"), given) as run:
        run.work(Bounds(games=2 * 10), executor=Here())
        followed = follow(CYCLES, given, [0, 1], run.store.legs)
        again = [next(followed)]
        for _ in range(19):
            again.append(followed.send(do_leg(again[-1])))
    assert {task.leg for task in tasks if task.pool} == {4, 8} and {task.leg for task in tasks} == set(range(10))
    assert tasks == sorted(again, key=lambda task: (task.leg, task.searcher))


def test_a_group_shares_its_pieces_and_divides_the_work():
    one = settings(seed=3)
    states = [CYCLES.advance(LegTask(one, searcher, 0)).state for searcher in (0, 1)]
    pool = CYCLES.pool(one, states)
    assert pool == CYCLES.pool(one, states)
    words = {p.word for p in read_pieces(pool)[Seam("J-", "-", "long")]}
    assert words <= {p.word for state in states for p in next(iter(read_pieces(state).values()))}
    assert words
    short = settings(seed=3, leg_games=1)
    finds = [CYCLES.advance(LegTask(short, s, CYCLES.round_legs, states[0], pool)).finds for s in range(CYCLES.group - 1)]
    assert any(finds)
