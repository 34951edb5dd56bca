"""One leg done again: of a run and of given settings, with and without states; `beggar replay` and `beggar extend`."""

import json
import shlex

import pytest

from search import engine, game
from search.errors import InputError
from search.leg import LegTask
from search.records import hall_of_fame
from search.replay import replay_run, replay_settings, settings_of
from search.rules import STANDARD
from search.run import Bounds, Run
from search.settings import new_settings
from search.store import Store
from search.strategies import get

SETTINGS = {
    "backward": dict(leg_games=5000, threshold=1200, walk_from=300, searchers=3, seed=5),
    "climb": dict(leg_games=1600, threshold=700, searchers=3, seed=5),
}


def made(tmp_path, strategy):
    path = str(tmp_path / f"{strategy}.run")
    settings = new_settings(strategy, **SETTINGS[strategy])
    with Run.create(path, settings) as run:
        run.work(Bounds(games=9 * settings["leg_games"]), workers=1)
    return path


@pytest.mark.parametrize("strategy", SETTINGS)
def test_every_leg_of_a_run_can_be_done_again(tmp_path, strategy):
    path = made(tmp_path, strategy)
    with Store.open(path) as store:
        digests = {(searcher, leg): digest for leg, searcher, digest in store.leg_digests()}
        assert len(digests) == 9
        for (searcher, leg), digest in digests.items():
            again = replay_run(store, searcher, leg)
            assert again.digest == again.stored == digest and again.agrees
            assert again.done == (1 if strategy == "backward" else leg + 1)
            alone = replay_settings(store.settings, searcher, leg)
            assert alone.digest == digest and alone.agrees is None
            assert replay_settings(store.settings, searcher, leg, bytes(16)).agrees is False
        with pytest.raises(InputError, match="9 legs"):
            replay_run(store, 0, 3)
        settings = store.settings
    with pytest.raises(InputError, match="0 to 2"):
        replay_settings(settings, 3, 0)


def test_settings_that_were_written_down():
    settings = new_settings("backward", **SETTINGS["backward"])
    assert settings_of(json.loads(json.dumps(settings))) == settings
    assert settings_of({"strategy": "backward", **SETTINGS["backward"]}) == settings
    for bad, message in [
        ({}, "strategy"),
        ({"strategy": "backward", "speed": 9}, "speed"),
        ({"strategy": "sideways"}, "sideways"),
        ({**settings, "strategy_version": 99}, "version"),
        ({**settings, "seed": -1}, "seed"),
    ]:
        with pytest.raises(InputError, match=message):
            settings_of(bad)


def test_the_command(beggar, tmp_path):
    path = made(tmp_path, "backward")
    with Store.open(path) as store:
        digest = next(d for leg, searcher, d in store.leg_digests() if (leg, searcher) == (2, 1)).hex()
        settings = store.settings
    done = beggar("replay", path, "--searcher", 1, "--leg", 2)
    assert done.status == 0 and digest in done.out and "as it was" in done.out
    found = json.loads(beggar("replay", path, "--searcher", 1, "--leg", 2, "--json").out)
    assert found["agrees"] is True and found["digest"] == found["stored"] == digest and found["settings"] == settings
    result = get("backward").advance(LegTask(settings, 1, 2))
    assert sorted(row["deal"].replace("/", "") for row in found["finds"]) == sorted(f.deal for f in result.finds)
    assert found["counts"] == result.tally.counts

    (tmp_path / "s.json").write_text(json.dumps(settings))
    (tmp_path / "status.json").write_text(beggar("status", path, "--json").out)
    for text in (json.dumps(settings), str(tmp_path / "s.json"), str(tmp_path / "status.json")):
        call = ["replay", "--settings", text, "--searcher", 1, "--leg", 2]
        assert digest in beggar(*call).out and beggar(*call, "--digest", digest).status == 0
        other = beggar(*call, "--digest", "0" * 32, "--top", 1)
        assert other.status == 1 and "but it was" in other.out

    for bad in (
        ["replay", path],
        ["replay", "--searcher", 1, "--leg", 2],
        ["replay", path, "--settings", "{}", "--searcher", 1, "--leg", 2],
        ["replay", path, "--searcher", 1, "--leg", 2, "--digest", digest],
        ["replay", path, "--searcher", 1, "--leg", 77],
        ["replay", "--settings", "{", "--searcher", 1, "--leg", 2],
        ["replay", "--settings", "[]", "--searcher", 1, "--leg", 2],
        ["replay", "--settings", "nowhere.json", "--searcher", 1, "--leg", 2],
        ["replay", "--settings", "{}", "--searcher", 1, "--leg", 2, "--digest", "xyz"],
    ):
        called = beggar(*bad)
        assert called.status == 2 and len(called.err.splitlines()) == 1 and not called.out, bad


def test_extend_command(beggar):
    mann_and_wu = "K-KK----K-A-----JAA--Q--J----Q---Q-J-----J------AQ--"
    anderson = "--A-Q--J--J---Q--AJ-K---K-/-J-------Q------A--A--QKK-"
    called = beggar("extend", mann_and_wu)
    assert called.status == 0 and anderson in called.out and "7225 cards, 1016 tricks, 68 cards more" in called.out
    found = [json.loads(line) for line in beggar("extend", mann_and_wu, anderson, "--json").out.splitlines()]
    assert [row["cards"] for row in found] == [7157, 7225]
    assert {row["longest"] for row in found} == {anderson} and len({row["line"] for row in found}) == 1
    assert [row["gained"] for row in found] == [68, 0]
    assert "nothing on its line is longer" in beggar("extend", anderson, "--by", "tricks").out
    assert "bound" in beggar("extend", mann_and_wu, "--node-bound", 3).out
    infinite = beggar("extend", "---K---Q-KQAJ-----AAJ--J--/----------Q----KQ-J-----KA")
    assert infinite.status == 0 and "never ends" in infinite.out
    assert beggar("extend", "J--/-J-", "--rules", "free").status == 0
    bad = beggar("extend", anderson, "AAAAA", "--json")
    assert bad.status == 2 and len(bad.out.splitlines()) == 2
    assert beggar("extend", anderson, "--players", 3).status == 2


def test_status_says_what_to_expect(beggar, tmp_path):
    path = made(tmp_path, "backward")
    text = beggar("status", path).out
    assert "tau = " in text and "core-hours" in text and "8345" in text
    body = json.loads(beggar("status", path, "--json").out)["expect"]
    assert 150 < body["tau"] < 260 and [goal["length"] for goal in body["goals"]] == [6000, 7000, 8345]
    assert body["goals"][0]["core_hours"] < body["goals"][1]["core_hours"] < body["goals"][2]["core_hours"]


def test_the_hall_of_fame_can_be_found_again():
    """Each game goes as it says and names a leg of complete settings; some of these legs are done again."""
    told = [record for record in hall_of_fame() if " replay " in record.source]
    last_of_two = [record for record in told if record.name == "backward search"][-1]
    assert {record.players for record in told} == {2, 3, 4}
    for record in told:
        assert record.agrees(game.play(record.deal))
        words = shlex.split(record.source.partition(": ")[2])
        options = dict(zip(words[2::2], words[3::2]))
        settings = json.loads(options["--settings"])
        assert settings_of(settings) == settings
        assert words[:2] == ["beggar", "replay"] and len(options["--digest"]) == 32
        fast = record.players == 2 and engine.chosen(STANDARD).startswith("byte_queue")
        if record is last_of_two and fast or settings["strategy"] in ("random", "loops", "scan"):  # others take too long for a test
            again = replay_settings(settings, int(options["--searcher"]), int(options["--leg"]), bytes.fromhex(options["--digest"]))
            assert again.agrees and record.deal.cards in {find.deal for find in again.finds}
