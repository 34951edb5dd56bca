"""Builds the sdist and the wheel, installs each into an empty environment and uses it outside the tree.

A command, not a test, because it compiles the kernel twice: `python tests/packaging_check.py`.
Needs the test extra (setuptools, cython) and a package index for pip.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tarfile
import tempfile
import venv
from pathlib import Path

TREE = Path(__file__).resolve().parent.parent
RECORD = "---AJ--Q---------QAKQJJ-QK/-----A----KJ-K--------A---"

WANTED = ["setup.py", "pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md", "csrc/_kernel.pyx", "csrc/cards.h",
          "search/cli.py", "search/data/known_games.csv", "search/data/hall_of_fame.csv", "tests/packaging_check.py"]
UNWANTED = re.compile(r".*\.(so|pyd|pyc)|csrc/_kernel\.c|results/.*\.run")


def call(*command: object, cwd: Path) -> str:
    done = subprocess.run([str(c) for c in command], cwd=cwd, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\nended with status {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done.stdout


def build_sdist(into: Path) -> Path:
    call(sys.executable, "-c", f"from setuptools import build_meta; build_meta.build_sdist({str(into)!r})", cwd=TREE)
    (sdist,) = into.glob("*.tar.gz")
    names = {name.partition("/")[2] for name in tarfile.open(sdist).getnames()}
    missing = [name for name in WANTED if name not in names]
    extra = [name for name in names if UNWANTED.fullmatch(name)]
    if missing or extra:
        sys.exit(f"{sdist.name}: missing {missing}, not wanted {extra}")
    return sdist


def use(package: Path, into: Path) -> None:
    """Install into a new environment and run the program far from the source tree."""
    venv.create(into, with_pip=True)
    python, beggar = into / "bin" / "python", into / "bin" / "beggar"
    call(python, "-m", "pip", "install", "-q", package, cwd=into)
    away = into / "away"
    away.mkdir()
    if "8344" not in call(beggar, "verify", RECORD, "--cards", "8344", cwd=away):
        sys.exit(f"{package.name}: the record is not verified")
    if "this tool" not in call(beggar, "records", "--players", "3", cwd=away):
        sys.exit(f"{package.name}: no records of three players")
    call(beggar, "selftest", cwd=away)
    call(beggar, "search", "short", "--time", "3s", "--quiet", cwd=away)
    call(beggar, "finds", "short", cwd=away)
    call(python, "-m", "search", "--version", cwd=away)
    print(f"{package.name}: installs and works")


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        sdist = build_sdist(work)
        use(sdist, work / "from-sdist")
        call(sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", work, sdist, cwd=work)
        (wheel,) = work.glob("*.whl")
        use(wheel, work / "from-wheel")


if __name__ == "__main__":
    main()
