"""The basin of a cycle: every state from which play leads into it, and the deals among them. Two players."""

from __future__ import annotations

from dataclasses import dataclass

from . import _kernel
from .backward import PACKED_CARDS, predecessors
from .cycle import Cycle, view
from .deal import Deal
from .errors import InputError
from .rules import CODES, Rules

STATES = 1_000_000  # of a basin at most; those of the standard game have some thousands
MAX_STATES = 10_000_000  # that may be asked for: some gigabytes

_TO_CODES = str.maketrans(CODES, "".join(map(chr, range(len(CODES)))))


@dataclass(frozen=True)
class Basin:
    """What leads into a cycle.

    Attributes:
        name: of the cycle.
        states: states seen from the leader's side, 'leader/other', nearest first, the cycle's own first.
        lead_ins: tricks from each to the cycle.
        complete: whether these are all; else the nearest `limit` of them.
        limit: states at most.
    """

    name: str
    states: tuple[str, ...]
    lead_ins: tuple[int, ...]
    complete: bool
    limit: int

    def __len__(self) -> int:
        return len(self.states)

    def deals(self, rules: Rules) -> list[tuple[Deal, int]]:
        """The deals among the states, with their lead-ins: seat 0 leads, hands are dealt as the rules say. In byte order."""
        first = rules.hand_sizes[0]
        found = []
        for state, lead_in in zip(self.states, self.lead_ins):
            leader, other = state.split("/")
            if len(leader) == first:
                found.append((Deal.from_cards(leader + other, rules, (first, len(other))), lead_in))
        return sorted(found, key=lambda entry: entry[0].cards)


def basin_of(cycle: Cycle, rules: Rules, limit: int = STATES) -> Basin:
    """The basin of a cycle of two players.

    Raises:
        InputError: it is a cycle of more players.
    """
    leader, *others = cycle.name.split("/")
    if len(others) != 1 or rules.seats != 2:
        raise InputError("the states that lead into a cycle are searched for two players only")
    if len(leader) + len(others[0]) > PACKED_CARDS:
        return basin_reference(cycle, rules, limit)
    codes = (leader + others[0]).translate(_TO_CODES).encode("latin-1")
    name, _, _, _, complete, found = _kernel.cycle_basin(codes, len(leader), rules.pay_codes, limit, cycle.cycle_period + 1)
    return Basin(name, tuple(state for state, _ in found), tuple(n for _, n in found), complete, limit)


def basin_reference(cycle: Cycle, rules: Rules, limit: int = STATES) -> Basin:
    """The same in plain Python: breadth first over all predecessors. States of one distance may come in another order."""
    lead_in = dict.fromkeys(map(view, cycle.states), 0)
    if len(lead_in) > limit:
        return Basin(cycle.name, (), (), False, limit)
    queue = list(lead_in)
    for state in queue:
        leader, other = state.split("/")
        for before, _ in predecessors((leader, other), rules):
            text = "/".join(before)
            if text in lead_in:
                continue
            if len(queue) == limit:
                return Basin(cycle.name, tuple(queue), tuple(lead_in.values()), False, limit)
            lead_in[text] = lead_in[state] + 1
            queue.append(text)
    return Basin(cycle.name, tuple(queue), tuple(lead_in.values()), True, limit)
