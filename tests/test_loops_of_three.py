"""The search for loops of three and four (benchmarks/loops_of_three.py) against all states of small decks."""

import re
import subprocess
import sys
from itertools import combinations, permutations

import pytest
from conftest import TREE, environment

from search.cycle import cycle_from
from search.rules import USUAL_PAYS, Rules


def searched(*options):
    command = [sys.executable, str(TREE / "benchmarks" / "loops_of_three.py"), *options]
    done = subprocess.run(command, env=environment(PYTHONPATH=str(TREE)), capture_output=True, text=True, check=True)
    summary, *lines = done.stdout.splitlines()
    return [*map(int, re.findall(r"\d+", summary))], [line.split()[0] for line in lines]


def census(cards, players):
    """Names of all cycles with everybody in, from all states in which each has a card."""
    rules = Rules(counts=None, pays=USUAL_PAYS, seats=players, any_split=True)
    names = set()
    for order in set(permutations(cards)):
        text = "".join(order)
        for cuts in combinations(range(1, len(text)), players - 1):
            hands = tuple(text[a:b] for a, b in zip((0, *cuts), (*cuts, len(text))))
            cycle = cycle_from((0, hands), rules)
            if cycle and all(map(all, (state[1] for state in cycle.states))):
                names.add(cycle.name)
    return names


@pytest.mark.parametrize(
    "rules, cards, players", [("3J 6-", "JJJ------", 3), ("2J 4-", "JJ----", 2), ("1K 2J 5-", "KJJ-----", 3), ("2Q 6-", "QQ------", 2)]
)
def test_loops_with_the_cards_of_a_small_deck_are_those_of_its_census(rules, cards, players):
    (_, _, rows, loops, played, found), names = searched("--players", str(players), "--cards", "9", "--rules", rules)
    assert rows > played >= loops > 0 and found == len(names)
    assert set(names) == census(cards, players)
    assert ("--J-/J-/-J-" in names) == (rules == "3J 6-")
