"""Build the kernel with the address and undefined-behaviour sanitizers in a copy of the tree, and run tests on it.

    python tests/sanitize.py [TEST ...]

Without arguments it runs the tests of the compiled parts. Needs gcc and its sanitizer libraries; no part of the test suite.
"""

import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
KERNEL_TESTS = ("engine", "seats", "dealing", "backward", "strategy_backward", "strategy_random", "strategy_climb", "ranking", "scan", "solve", "ancestry")
FLAGS = "-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer -g"


def library(name: str) -> str:
    return subprocess.run(["gcc", f"-print-file-name={name}"], check=True, capture_output=True, text=True).stdout.strip()


def main(tests: list[str]) -> int:
    tests = tests or [f"tests/test_{name}.py" for name in KERNEL_TESTS]
    with tempfile.TemporaryDirectory() as work:
        copy = Path(work) / "beggar"
        built = shutil.ignore_patterns("*" + sysconfig.get_config_var("EXT_SUFFIX"), "_kernel.c", "__pycache__", "*.run")
        copy.mkdir()
        for part in ("csrc", "search", "tests", "docs", "results"):
            shutil.copytree(ROOT / part, copy / part, ignore=built)
        for name in ("setup.py", "pyproject.toml", "README.md", "LICENSE"):
            shutil.copy(ROOT / name, copy)
        build = {**os.environ, "CC": "gcc", "CFLAGS": FLAGS, "LDFLAGS": FLAGS}
        subprocess.run([sys.executable, "setup.py", "-q", "build_ext", "--inplace"], cwd=copy, env=build, check=True)
        # The interpreter itself is not built with them, so they are loaded first; it never frees what
        # it keeps for its lifetime, so leaks are not looked for.
        run = {**os.environ, "LD_PRELOAD": f"{library('libasan.so')} {library('libubsan.so')}", "ASAN_OPTIONS": "detect_leaks=0"}
        run["PYTHONPATH"] = str(copy)
        return subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests], cwd=copy, env=run).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
