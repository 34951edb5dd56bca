"""What the packages are made of. Building and installing them is tests/packaging_check.py."""

from __future__ import annotations

import ast
import tomllib
from importlib import resources
from pathlib import Path

import search

TREE = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((TREE / "pyproject.toml").read_text())


def test_one_version():
    assert PROJECT["project"]["version"] == search.__version__


def test_every_package_is_listed():
    folders = {TREE / "search", *(p.parent for p in (TREE / "search").rglob("*.py"))}
    packages = {".".join(folder.relative_to(TREE).parts) for folder in folders}
    assert set(PROJECT["tool"]["setuptools"]["packages"]) == packages


def test_data_files_are_listed_and_there():
    patterns = PROJECT["tool"]["setuptools"]["package-data"]["search.data"]
    files = [p for p in (TREE / "search" / "data").iterdir() if p.suffix not in (".py", ".pyc") and p.is_file()]
    assert files and all(any(p.match(pattern) for pattern in patterns) for p in files)
    for name in ("known_games.csv", "hall_of_fame.csv"):
        assert resources.files("search.data").joinpath(name).read_text().startswith("name,year")


def test_there_is_one_hall_of_fame():
    """The installed table is the only one; results/ says where it is."""
    tables = [p for folder in ("search", "results", "docs", "benchmarks") for p in (TREE / folder).rglob("*.csv")]
    (table,) = [p for p in tables if "fame" in p.name]
    assert table == TREE / "search" / "data" / "hall_of_fame.csv"
    assert "search/data/hall_of_fame.csv" in (TREE / "results" / "README.md").read_text()


def test_setup_py_holds_extensions_only():
    call = next(n for n in ast.walk(ast.parse((TREE / "setup.py").read_text())) if isinstance(n, ast.Call) and getattr(n.func, "id", "") == "setup")
    assert [k.arg for k in call.keywords] == ["ext_modules"]


def test_the_source_package_takes_the_kernel_and_the_tests():
    manifest = (TREE / "MANIFEST.in").read_text().split("\n")
    assert {"graft csrc", "graft tests", "exclude csrc/_kernel.c"} <= set(manifest)


def test_the_program_is_installed_under_its_name():
    assert PROJECT["project"]["scripts"] == {"beggar": "search.cli:program"}
    assert PROJECT["project"]["requires-python"] == ">=3.11"
    assert (TREE / PROJECT["project"]["license-files"][0]).read_text().startswith("MIT License")


def test_the_way_in_does_not_run_on_import():
    """Worker processes import search.__main__ where they are not forked."""
    body = ast.parse((TREE / "search" / "__main__.py").read_text()).body
    assert isinstance(body[-1], ast.If) and "__name__" in ast.unparse(body[-1].test)
    assert not any(isinstance(n, ast.Expr) and isinstance(n.value, ast.Call) for n in body)
