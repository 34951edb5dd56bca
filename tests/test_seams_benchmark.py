"""The scan of seams (benchmarks/seams.py), on a small deck and with short hands of two cards."""

import json
import subprocess
import sys

from conftest import TREE, environment


def scan(*options):
    command = [sys.executable, str(TREE / "benchmarks" / "seams.py"), "--json", "--seed", "1", *options]
    done = subprocess.run(command, env=environment(PYTHONPATH=str(TREE)), capture_output=True, text=True, check=True)
    *rows, total = map(json.loads, done.stdout.splitlines())
    return rows, total


def test_a_scan_of_a_small_deck_finds_the_known_seam_and_its_deals():
    rows, total = scan("--cards", "2", "--tests", "20000", "--legs", "1", "--rules", "italian")
    assert total["seams"] == (5 + 25) * 2 * 6
    assert total["seams_looked_at"] == len(rows) > 1 and all(row["small_pieces"] >= 2 for row in rows)
    assert total["highest_peak"] == rows[0]["peak"] == max(row["peak"] for row in rows)
    known = next(row for row in rows if (row["seam"], row["drift"], row["leader"]) == ("J-", "-", "long"))
    assert known["pieces"] >= known["small_pieces"] and known["tapes"] >= known["cycles"] > 0
    assert total["seams_with_tapes"] == sum(row["tapes"] > 0 for row in rows) >= 1
    assert total["seams_with_deals"] == sum(row["deals"] > 0 for row in rows)
    assert not any("A" in row["seam"] for row in rows)


def test_a_seam_needs_so_many_small_pieces_to_be_looked_at():
    rows, total = scan("--cards", "2", "--tests", "1000", "--legs", "1", "--pieces", "5")
    assert [(row["seam"], row["drift"], row["leader"]) for row in rows] == [("J-", "-", "long")]
    assert total["seams"] == 360 and total["seams_with_pieces"] > total["seams_looked_at"] == 1
