"""Compare the engines with each other and with the reference engine, on more deals than a test has time for.

    python tests/agreement.py [--games 10000000] [--reference 100000] [--ages 4096 8 64 512] [--sanitize] [--valgrind]

Deals of many kinds (see agreement.c) are played on every compiled engine and on the careful one, in
builds that hand a game to the careful engine at each of the given ages in tricks. Then every engine
of the installed kernel plays random deals of several rules against the reference engine. With
--sanitize the builds have the address and undefined-behaviour sanitizers. With --valgrind the portable
engine plays under valgrind instead. Needs a C compiler (CC, or cc).
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
SOURCES = ("engine.c", "byte_queue.c", "byte_queue_avx2.c", "byte_queue_avx512.c", "byte_words.c", "ring.c", "seats.c")
PORTABLE = "byte_words"
SANITIZERS = ("-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=undefined", "-fno-omit-frame-pointer")
RULES = ("standard", "italian", "4A=1 4K=2 4Q=3 4J=4 36-", "4A=4 4K=3 4Q=2 4J=1 48-", "3A=4 2K=3 1Q=2 2J=1 16-")


def compiler() -> str | None:
    """The C compiler to use, if there is one."""
    return shutil.which(os.environ.get("CC", "cc").split()[0])


def build(folder: Path, age: int, flags: tuple[str, ...] = ("-O2",)) -> Path:
    """Build agreement.c with engines that hand games of `age` tricks to the careful one; its path."""
    program = folder / f"agreement-{age}"
    sources = [ROOT / "tests" / "agreement.c", *(ROOT / "csrc" / name for name in SOURCES)]
    strict = ("-std=gnu11", "-fno-strict-aliasing", "-Wall", "-Wextra", "-Wno-unused-parameter", "-Werror")
    command = [compiler(), *strict, *flags, f"-DCAREFUL_AGE={age}", f"-I{ROOT / 'csrc'}", *sources, "-o", program]
    subprocess.run(command, check=True)
    return program


def differences(rules_text: str, first: int, games: int) -> list[str]:
    """Where an engine and the reference engine disagree on the deals `first` to `first + games - 1`."""
    from search import engine, game
    from search.rules import Rules

    rules = Rules.parse(rules_text)
    packed = engine.deals_packed(rules, 2, 0, first, games)
    played = {name: engine.play_packed(packed, rules, engine=name) for name in engine.engines()}
    wrong = []
    for i in range(games):
        deal = engine.deal_number(rules, 2, 0, first + i)
        right = game.play(deal)
        for name, results in played.items():
            got = results[i]
            if (got.status, got.cards, got.tricks, got.lead_in, got.period) != (
                right.status, right.cards, right.tricks, right.lead_in, right.period,
            ):  # fmt: skip
                wrong.append(f"{name}: {deal} is {right}, played {got}")
    return wrong


def compare_reference(games: int) -> int:
    """Every engine against the reference engine; how many results differ."""
    chunk = 2000
    wrong = 0
    with ProcessPoolExecutor() as pool:
        for text in RULES:
            starts = range(0, games, chunk)
            sizes = [min(chunk, games - start) for start in starts]
            found = [line for lines in pool.map(differences, [text] * len(sizes), starts, sizes) for line in lines]
            wrong += len(found)
            print(f"{text}: {games} games against the reference engine, {len(found)} differ", *found[:5], sep="\n  ", flush=True)
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=int, default=10_000_000, help="of each kind against the careful engine; 0: none")
    parser.add_argument("--reference", type=int, default=100_000, help="of each rules against the reference engine; 0: none")
    parser.add_argument("--ages", type=int, nargs="+", default=[4096, 8, 64, 512], help="the first for all games, others for a tenth")
    parser.add_argument("--sanitize", action="store_true")
    parser.add_argument("--valgrind", action="store_true")
    args = parser.parse_args()
    if compiler() is None:
        parser.error("no C compiler")
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for i, age in enumerate(args.ages if args.games else []):
            games = max(1, args.games // (1 if i == 0 else 10))
            print(f"handed to the careful engine at {age} tricks:", flush=True)
            if args.valgrind:
                program = build(Path(folder), age, ("-O1", "-g"))
                run = ["valgrind", "--quiet", "--error-exitcode=1", "--leak-check=full", program, str(games), PORTABLE]
            else:
                program = build(Path(folder), age, SANITIZERS + ("-O1",) if args.sanitize else ("-O3",))
                run = [program, str(games)]
            failed += subprocess.run(run).returncode != 0
    if args.reference and not args.valgrind:
        failed += compare_reference(args.reference) != 0
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
