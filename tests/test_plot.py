"""beggar plot: what is drawn, and what is refused."""

from __future__ import annotations

import os
import sys

import pytest

from search.distribution import Counted, classes
from search.errors import CannotWrite, InputError, MissingExtra
from search.plot import KINDS, _figure, draw

GAMES = Counted("games", "cards", {10: 6, 30: 3, 31: 0, 70: 1}, {})
BEGINS = {".png": b"\x89PNG\r\n\x1a\n", ".svg": b"<?xml ", ".pdf": b"%PDF-"}


def test_a_curve_is_the_share_of_games_so_long_or_longer():
    axes = _figure({"one": GAMES, "two": Counted("games", "cards", {5: 1}, {})}, "cards").axes[0]
    steps, end, other, _ = axes.lines
    assert steps.get_drawstyle() == "steps-pre"  # up to a length, and with it, the share is that of the length
    assert list(steps.get_xdata()) == [10, 30, 70] and list(steps.get_ydata()) == pytest.approx([1, 0.4, 0.1])
    assert [1 / c.one_in for c in classes(GAMES.histogram, 1)] == list(steps.get_ydata())
    assert (list(end.get_xdata()), list(end.get_ydata())) == ([70], [steps.get_ydata()[-1]])
    assert list(other.get_xdata()) == [5] and axes.get_yscale() == "log" and axes.get_xlabel() == "cards"
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["10 games of one", "1 games of two"]
    assert {text.get_text().strip() for text in axes.texts} == {"70", "5"}


@pytest.mark.parametrize("kind", KINDS)
def test_equal_counts_give_equal_files(tmp_path, kind):
    first, second = tmp_path / ("a" + kind), tmp_path / ("b" + kind.upper())
    for path in (first, second):
        draw(str(path), {"one": GAMES})
    assert first.read_bytes() == second.read_bytes() and first.read_bytes().startswith(BEGINS[kind])
    draw(str(first), {"one": GAMES, "two": GAMES})
    assert first.read_bytes() != second.read_bytes(), "an older plot is replaced"
    assert sorted(os.listdir(tmp_path)) == ["a" + kind, "b" + kind.upper()]


def test_names_are_shown_as_they_are(tmp_path, recwarn):
    draw(str(tmp_path / "a.png"), {"\udcff": GAMES})
    draw(str(tmp_path / "a.svg"), {"_a $x_{1$ & <b>": GAMES, "\u65e5\u672c": GAMES})
    text = (tmp_path / "a.svg").read_text()
    assert "10 games of _a $x_{1$ &amp; &lt;b&gt;" in text and "10 games of \u65e5\u672c" in text and not recwarn.list


def test_what_cannot_be_drawn_is_refused(tmp_path):
    path = tmp_path / "a.png"
    with pytest.raises(InputError, match="empty: no games counted"):
        draw(str(path), {"one": GAMES, "empty": Counted("games", "cards", {7: 0}, {})})
    with pytest.raises(InputError, match="cards and tricks"):
        draw(str(path), {"one": Counted("lines", "cards", {1: 1}, {}), "two": Counted("lines", "tricks", {1: 1}, {})})
    with pytest.raises(CannotWrite, match="cannot write the plot"):
        draw(str(tmp_path / "absent" / "a.png"), {"one": GAMES})
    (tmp_path / "folder.png").mkdir()
    with pytest.raises(CannotWrite, match="cannot write the plot"):
        draw(str(tmp_path / "folder.png"), {"one": GAMES})
    assert os.listdir(tmp_path) == ["folder.png"]


def test_without_matplotlib_it_says_how_to_install_it(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtra, match=r"pip install 'beggar\[plots\]'"):
        draw(str(tmp_path / "a.png"), {"one": GAMES})


def test_the_command(tmp_path, monkeypatch, beggar):
    monkeypatch.chdir(tmp_path)
    search = ("--strategy", "random", "--leg-games", 500, "--legs", 2, "--workers", 1, "--quiet")
    for name in ("a", "b"):
        assert beggar("search", name, *search).status == 0
    assert beggar("search", "loops", "--strategy", "cycles", "--rules", "italian", "--leg-games", "1000", "--legs", "1", "--quiet").status == 0
    done = beggar("plot", "a")
    assert (done.status, done.out, done.err) == (0, "results/a.png\n", "")
    assert beggar("plot", "a", "results/b.run", "--out", "both.svg").out == "both.svg\n"
    text = (tmp_path / "both.svg").read_text()
    assert "1,000 games of a<" in text and "1,000 games of results/b.run<" in text and "share of games that are so long or longer" in text
    assert sorted(p.name for p in tmp_path.rglob("*.[ps][nv]g")) == ["a.png", "both.svg"]
    for wrong, says in (
        (["a", "--out", "results/a.run"], "ends in .png, .svg, .pdf"),
        (["a", "--of", "periods"], "does not count them"),
        (["loops"], "no games counted"),
        (["absent"], "no such run"),
        ([], "RUN"),
    ):
        before = (tmp_path / "results" / "a.run").read_bytes()
        done = beggar("plot", *wrong)
        assert (done.status, done.out, done.err.count("\n")) == (2, "", 1) and says in done.err
        assert (tmp_path / "results" / "a.run").read_bytes() == before
