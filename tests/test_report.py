"""Tables and words: what a person sees."""

from __future__ import annotations

import csv
import io
import json

from search import report

ROWS = [
    {"deal": "--J/-J-", "cards": 8, "winner": None, "note": "a|b", "engines": ["ring", "reference"]},
    {"deal": "J-/---J-", "cards": 15, "winner": 1, "note": "", "engines": ["ring"]},
]
COLUMNS = ["cards", "deal", "winner", "note"]


def test_table_lines_up():
    assert report.table(ROWS, COLUMNS) == (
        "cards  deal      winner  note\n"
        "    8  --J/-J-           a|b\n"
        "   15  J-/---J-       1\n"
    )
    assert report.table([], COLUMNS) == "cards  deal  winner  note\n"


def test_markdown_keeps_dashes_and_bars():
    assert report.markdown(ROWS, COLUMNS) == (
        "| cards | deal | winner | note |\n"
        "| ---: | --- | ---: | --- |\n"
        "| 8 | `--J/-J-` |  | a\\|b |\n"
        "| 15 | `J-/---J-` | 1 |  |\n"
    )


def test_csv_reads_back():
    back = list(csv.DictReader(io.StringIO(report.csv_text(ROWS, [*COLUMNS, "engines"]))))
    assert [r["deal"] for r in back] == ["--J/-J-", "J-/---J-"]
    assert back[0]["winner"] == "" and back[1]["winner"] == "1"
    assert json.loads(back[0]["engines"]) == ["ring", "reference"]


def test_json_list_reads_back_one_object_a_line():
    text = report.json_list(ROWS)
    assert json.loads(text) == ROWS
    assert json.loads(text.splitlines()[1].rstrip(",")) == ROWS[0]
    assert json.loads(report.json_list([])) == []


def test_formats():
    for name in report.FORMATS:
        assert "J-/---J-" in report.in_format(name, ROWS, ["deal"], COLUMNS)
    assert "winner" in report.in_format("csv", ROWS, ["deal"], COLUMNS)
    assert "winner" not in report.in_format("table", ROWS, ["deal"], COLUMNS)
