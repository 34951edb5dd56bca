"""Writes search/data/golden_games.csv: python tests/golden.py

The outcomes are those of tests/slow_game.py, which shares nothing with the engines under test.
tests/test_selftest.py checks that the table is what this command writes.
"""

import csv
import io
import random
import sys
from pathlib import Path

TREE = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TREE), str(TREE / "tests")]

from search.rules import RANKS, Rules  # noqa: E402
from slow_game import slow_play  # noqa: E402

TABLE = TREE / "search" / "data" / "golden_games.csv"
COLUMNS = (
    "rules", "players", "hands", "limit", "status", "cards", "tricks", "winner", "lead_in", "period", "loop_cards",
)  # fmt: skip

# Small games that go through one corner of the rules each: hands, and limits to play them with.
SMALL = {
    "-/-": (None, 1),  # the first who must turn and cannot
    "J/-": (None, 2),  # a payment in full that empties a hand; a limit that its last card meets
    "J/J": (None,),  # a payment that asks an empty hand
    "A/--J": (None,),
    "J/--": (None,),  # an empty hand that takes the pile and goes on
    "J-/---J-": (None, 15),  # equal hands, another leader
    "--J/": (None, 1),  # nothing to play
    "/J": (None,),
    "/J-": (None,),
    "J--/-J-": (None, 7, 8, 9),  # a loop that exchanges the hands, met by a limit
    "--J-/K-J-": (None,),
    "J--/--J--": (None,),
    "-----/-----": (None, 1, 2, 10, 11),  # draws at a limit
    "-/-/-": (None,),  # one after the other drops out
    "J//--": (None,),  # an empty hand at the deal
    "/J/-": (None,),
    "A/-/----": (None, 1, 5),  # a payment that passes on
    "A/-/-": (None,),  # a payment that comes round to the player who is owed
    "A-/-/J-": (None,),
    "---/J/--": (None, 1, 2),
    "--J-/-/J": (None,),  # three players, one drops out, and two play for ever
    "J/-----J/-J": (None, 20),  # a loop that goes round three players
    "J--/--J--JJ/J---J-/--": (None,),
    "-/--J-//J": (None,),
    "Q//-/-": (None,),
    "-/-/-J/-J": (None, 4),
    "///-": (None,),
}

FULL_DECK = "4A=4 4K=3 4Q=2 4J=1 36-"  # as standard, but hands may be of any size

# Random games: rules, players, split (None for the default), limit, how many.
RANDOM = [
    ("standard", 2, None, None, 24),
    ("standard", 2, None, 100, 4),
    (FULL_DECK, 2, (1, 51), None, 3),
    (FULL_DECK, 2, (40, 12), None, 3),
    ("italian", 2, None, None, 8),
    ("3A=1 5K=4 2Q=3 6J=2 40-", 2, None, None, 6),
    ("2A=9 4K=5 4Q=2 4J=1 36-", 2, None, None, 4),
    ("4A=4 4K=3 4Q=2 4J=1 36- 10+42", 2, None, None, 3),
    ("8A=4 8K=3 8Q=2 8J=1 72-", 2, None, None, 2),
    ("2J=1 7-", 2, None, None, 12),
    ("standard", 3, None, None, 6),
    (FULL_DECK, 3, (3, 40, 9), None, 3),
    ("standard", 4, None, None, 6),
    ("standard", 4, None, 150, 3),
    ("3Q=2 3J=1 14-", 4, None, None, 6),
]


def deals():
    """Rules text, players, hands and limit of every golden game."""
    for hands, limits in SMALL.items():
        for limit in limits:
            yield "free", hands.count("/") + 1, hands.split("/"), limit
    rng = random.Random(20)
    for text, players, split, limit, n in RANDOM:
        rules = Rules.parse(text, players)
        for _ in range(n):
            cards = [rank for rank, many in zip(RANKS, rules.counts) for _ in range(many)]
            rng.shuffle(cards)
            hands = []
            for size in split or rules.hand_sizes:
                hands.append("".join(cards[:size]))
                del cards[:size]
            yield text, players, hands, limit


def table():
    """The text of the table."""
    out = io.StringIO()
    out.write("# Outcomes by tests/slow_game.py; made by: python tests/golden.py\n")
    writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for text, players, hands, limit in deals():
        rules = Rules.parse(text, players)
        played = slow_play(hands, dict(zip(RANKS, rules.pays)), limit)
        writer.writerow({"rules": text, "players": players, "hands": "/".join(hands), "limit": limit, **played})
    return out.getvalue()


if __name__ == "__main__":
    TABLE.write_text(table(), encoding="utf-8")
