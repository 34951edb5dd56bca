"""Runs on a real Dask scheduler with real worker processes, which are killed, wrong, or another build."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import time

import pytest
import toys
from conftest import patience

from search.cluster import ClusterPool, Tls
from search.errors import ClusterLost, InputError
from search.run import Bounds, Run, Why
from search.settings import new_settings

pytest.importorskip("distributed", reason="needs the extra `cluster`: pip install '.[cluster]'")

from dask_processes import DaskProcesses  # noqa: E402

toys.install()


def settings(strategy: str = "slow", **more: object) -> dict[str, object]:
    return new_settings(strategy, **{"rules": toys.RULES, "searchers": 9, "seed": 8, "keep": 12, **more})


def local(path, given: dict, games: int) -> bytes:
    with Run.create(str(path), given) as run:
        run.work(Bounds(games=games), workers=2)
        return run.store.contents()


@pytest.fixture(scope="module")
def dask(tmp_path_factory):
    with DaskProcesses(tmp_path_factory.mktemp("dask")) as processes:
        for _ in range(2):
            processes.start_worker()
        yield processes


def test_equal_to_a_local_run_with_workers_killed_at_random(tmp_path, dask):
    given = settings(millis=15)
    whole = local(tmp_path / "l.run", given, 20 * 300)
    rng = random.Random(1)
    moments = [rng.randrange(20, 280) for _ in range(3)]
    dask.start_worker()

    def disturb(progress) -> None:
        if moments and progress.legs >= min(moments):
            moments.remove(min(moments))
            dask.start_worker()
            dask.kill(rng.choice(dask.workers[:-1]))

    with ClusterPool(dask.address, settings=given) as pool, Run.create(str(tmp_path / "c.run"), given) as run:
        assert run.work(Bounds(games=20 * 300), executor=pool, on_progress=disturb) is Why.GAMES
        assert run.store.contents() == whole
        crew = run.store.crew()
    assert not moments and sum(worker["state"] == "lost" for worker in crew) >= 1
    assert sum(worker["games"] for worker in crew) == 20 * 300
    dask.kill(dask.workers[0])


def test_states_of_a_real_strategy_travel(tmp_path, dask):
    """A searcher of climb goes on where its last leg ended, whoever did that."""
    given = new_settings("climb", seed=4, searchers=5, leg_games=20_000, keep=20, threshold=300)
    whole = local(tmp_path / "l.run", given, 20_000 * 32)
    with ClusterPool(dask.address, settings=given) as pool, Run.create(str(tmp_path / "c.run"), given) as run:
        assert run.work(Bounds(games=20_000 * 32), executor=pool) is Why.GAMES
        assert run.store.contents() == whole and run.store.carries_state() and run.store.finds()


def test_what_is_found_without_an_audit(tmp_path, dask):
    """Errors, states that cannot be, answers to other tasks, finds that are not true: named at once, and none gets in."""
    given = settings("toy")
    whole = local(tmp_path / "l.run", given, 20 * 120)
    before = list(dask.workers)
    for fault in ("raise", "garbage", "stale", "longer"):
        dask.start_worker("broken_worker", FAULT=fault)
    broken = [worker for worker in dask.workers if worker not in before]
    try:
        with ClusterPool(dask.address, settings=given, batch=1) as pool:
            ends = time.monotonic() + 60
            while pool.size < len(dask.workers):
                assert time.monotonic() < ends, pool.crew()
                time.sleep(0.02)
            with Run.create(str(tmp_path / "c.run"), given) as run, patience() as stop:
                assert run.work(Bounds(games=20 * 120), executor=pool, stop=stop) is Why.GAMES
                assert run.store.contents() == whole
                why = {worker["pid"]: worker["why"] for worker in run.store.crew()}
    finally:
        for worker in broken:
            dask.kill(worker)
    words = ("MemoryError: no room for it", "a state of 7 bytes where 16 are due", "another task", "by the reference engine")
    assert all(text in why[worker.pid] for text, worker in zip(words, broken, strict=True)), why
    assert not any(why[worker.pid] for worker in before)


def test_workers_with_bit_errors_are_found_and_one_of_another_build_gets_nothing(tmp_path, dask):
    given = settings("toy")
    whole = local(tmp_path / "l.run", given, 20 * 120)
    before = list(dask.workers)
    for fault in ("state", "tally", "find", "build"):
        dask.start_worker("broken_worker", FAULT=fault)
    broken = [worker for worker in dask.workers if worker not in before]
    said: list[str] = []
    try:
        with ClusterPool(dask.address, settings=given, say=said.append, batch=1) as pool:
            ends = time.monotonic() + 30
            while sum(note.state in ("at work", "refused") for note in pool.crew()) < 6:
                assert time.monotonic() < ends, pool.crew()
                time.sleep(0.02)
            with Run.create(str(tmp_path / "c.run"), given) as run, patience() as stop:
                assert run.work(Bounds(games=20 * 120), executor=pool, audit=1.0, stop=stop) is Why.GAMES
                assert run.store.contents() == whole
                states = {worker["pid"]: worker["state"] for worker in run.store.crew()}
    finally:
        for worker in broken:
            dask.kill(worker)
    assert [states[worker.pid] for worker in broken] == ["distrusted"] * 3 + ["refused"]
    assert [states[worker.pid] for worker in before] == ["at work"] * 2
    assert sum("is used no more" in text for text in said) == 3 and sum("other sources" in text for text in said) == 1


def test_the_program_on_a_cluster(program, dask):
    plan = ("--strategy", "random", "--seed", 3, "--threshold", 2000, "--leg-games", 3000, "--legs", 20)
    called = program("search", "c", *plan, "--cluster", dask.address, "--audit", "0.2")
    assert called.status == 0, called.err
    alone = program("search", "l", *plan, "--workers", 1)
    assert alone.status == 0

    def found(name: str) -> list[dict]:
        rows = json.loads(program("finds", name, "--top", "all", "--format", "json").out)
        return [{key: value for key, value in row.items() if key != "found_at"} for row in rows]

    assert found("c") == found("l") != []
    state = json.loads(program("status", "c", "--json").out)
    assert sum(worker["games"] for worker in state["workers"]) == 60000
    assert all(worker["worker"].startswith("tcp://") and worker["pid"] for worker in state["workers"])
    assert state["games_per_s"] > 0 and state["tricks_per_s"] > 0 and state["session"]["workers"] >= 1
    assert state["session"]["core_s"] > 0 and all(goal["core_hours"] > 0 for goal in state["expect"]["goals"])
    assert state["expect"]["goals"]
    shown = program("status", "c").out
    assert "last contact" in shown and "tcp://127.0.0.1" in shown and " games/s, " in shown and "0 workers" not in shown
    audit = program("audit", "c", "--share", "0.5", "--cluster", dask.address, "--json")
    assert audit.status == 0 and json.loads(audit.out)["checked"] == 10, audit.err


def test_a_scheduler_that_is_killed_loses_the_legs_in_flight_only(tmp_path):
    given = settings(millis=10)
    with DaskProcesses(tmp_path) as processes, Run.create(str(tmp_path / "c.run"), given) as run:
        processes.start_worker()
        with ClusterPool(processes.address, settings=given, patience=2.0) as pool:

            def kill(progress) -> None:
                if progress.legs >= 10 and processes.scheduler.poll() is None:
                    processes.kill(processes.scheduler)

            with pytest.raises(ClusterLost, match="resume"):
                run.work(Bounds(games=20 * 10**6), executor=pool, on_progress=kill)
    games = sum(run.store.legs.values()) * 20
    with Run.open(str(tmp_path / "c.run"), write=True) as run:
        run.work(Bounds(games=20 * 60), workers=2)
        assert run.store.contents() == local(tmp_path / "l.run", given, 20 * 60)
    assert 10 * 20 <= games < 60 * 20


def test_no_scheduler_there():
    with pytest.raises(ClusterLost, match="no scheduler"):
        ClusterPool("tcp://127.0.0.1:9", patience=0.5)


def certificates(folder) -> dict[str, str]:
    """An authority, and a certificate for this machine that it has signed."""

    def openssl(*words: str) -> None:
        subprocess.run(["openssl", *words], cwd=folder, check=True, capture_output=True)

    for name in ("ca", "host"):
        openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", f"{name}.key")
    openssl("req", "-x509", "-new", "-key", "ca.key", "-subj", "/CN=authority", "-days", "2", "-out", "ca.pem")
    openssl("req", "-new", "-key", "host.key", "-subj", "/CN=127.0.0.1", "-out", "host.csr")
    openssl("x509", "-req", "-in", "host.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2", "-out", "host.pem")
    return {name: str(folder / name) for name in ("ca.pem", "host.pem", "host.key")}


@pytest.mark.skipif(not shutil.which("openssl"), reason="needs openssl to make certificates")
def test_tls(tmp_path):
    files = certificates(tmp_path)
    tls = Tls(files["ca.pem"], files["host.pem"], files["host.key"])
    options = ("--tls-ca-file", tls.ca, "--tls-cert", tls.cert, "--tls-key", tls.key)
    given = settings("toy")
    with DaskProcesses(tmp_path, options) as processes:
        assert processes.address.startswith("tls://")
        processes.start_worker()
        with pytest.raises((InputError, ClusterLost)):
            ClusterPool(processes.address, patience=2.0)  # without a certificate
        with ClusterPool(processes.address, tls=tls, settings=given) as pool, Run.create(str(tmp_path / "c.run"), given) as run:
            run.work(Bounds(games=20 * 20), executor=pool)
            assert run.store.contents() == local(tmp_path / "l.run", given, 20 * 20)


def test_tls_files_that_are_none(tmp_path):
    (tmp_path / "junk.pem").write_text("junk")
    junk, no = str(tmp_path / "junk.pem"), str(tmp_path / "no.pem")
    with pytest.raises(InputError, match="the TLS files cannot be used"):
        ClusterPool("tls://127.0.0.1:9", tls=Tls(junk, junk, junk), patience=1)
    for tls, flag in ((Tls(no, junk, junk), "ca"), (Tls(junk, no, junk), "cert"), (Tls(key=no), "key")):
        with pytest.raises(InputError, match=f"--tls-{flag}: there is no file .*no.pem"):
            ClusterPool("tls://127.0.0.1:9", tls=tls, patience=1)
    with pytest.raises(InputError, match="--tls-ca, --tls-cert and --tls-key are wanted"):
        ClusterPool("tls://127.0.0.1:9", patience=1)
    with pytest.raises(InputError, match="tls:// address is wanted"):
        ClusterPool("tcp://127.0.0.1:9", tls=Tls(ca="ca.pem"), patience=1)
