"""A catalogue of cycles: which there are in runs, or what a deal reaches; each with its pieces, its basin and its deals."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from .basin import STATES, Basin, basin_of
from .cycle import Cycle, cycle_of
from .deal import Deal
from .errors import Disagreement
from .game import play
from .pieces import Tape, tape_of
from .rules import Rules

ORDERS = ("deals", "period", "loop-cards", "full-period", "lead-in", "basin")
COLUMNS = ("cycle", "period", "loop_cards", "full_period", "basin", "deals", "lead_in", "pieces")
ALL_COLUMNS = (
    "cycle", "rules", "cycle_period", "period", "loop_cards", "full_period", "basin", "complete", "deals", "found",
    "lead_in", "deal", "seam", "drift", "seam_leader", "pieces",
)  # fmt: skip
DEAL_COLUMNS = ("deal", "cards", "tricks", "lead_in", "period", "full_period", "cycle")


@dataclass(frozen=True)
class Entry:
    """A cycle and what is known of it.

    Attributes:
        rules: of its deals.
        cycle: as reached from the deal that led to it.
        basin: None for three and four players.
        deals: all deals that lead into it, with lead-ins; without a complete basin those that are known.
        tape: its pieces; None where it has no short-hand seam.
        found: how many of the deals given led into it.
    """

    rules: Rules
    cycle: Cycle
    basin: Basin | None
    deals: tuple[tuple[Deal, int], ...]
    tape: Tape | None
    found: int

    @property
    def lead_in(self) -> int:
        """The longest of any deal."""
        return max((lead_in for _, lead_in in self.deals), default=0)

    def rank(self, by: str) -> int:
        """The value that an order goes by, one of ORDERS."""
        values = {
            "deals": len(self.deals),
            "period": self.cycle.period,
            "loop-cards": self.cycle.loop_cards,
            "full-period": self.cycle.full_period,
            "lead-in": self.lead_in,
            "basin": len(self.basin) if self.basin else 0,
        }
        return values[by]

    def as_json(self) -> dict[str, object]:
        """The entry as a row: keys are ALL_COLUMNS. `deal` is one of those with the longest lead-in."""
        best = min(((-lead_in, str(deal)) for deal, lead_in in self.deals), default=(0, None))
        seam = self.tape.seam if self.tape else None
        return {
            "cycle": self.cycle.name,
            "rules": self.rules.text,
            "cycle_period": self.cycle.cycle_period,
            "period": self.cycle.period,
            "loop_cards": self.cycle.loop_cards,
            "full_period": self.cycle.full_period,
            "basin": len(self.basin) if self.basin else None,
            "complete": self.basin.complete if self.basin else None,
            "deals": len(self.deals),
            "found": self.found,
            "lead_in": self.lead_in,
            "deal": best[1],
            "seam": seam.short_hand if seam else None,
            "drift": seam.drift if seam else None,
            "seam_leader": seam.leader if seam else None,
            "pieces": " ".join(piece.words[0] for piece in self.tape.pieces) if self.tape else None,
        }

    def deal_rows(self) -> list[dict[str, object]]:
        """One row a deal: keys are DEAL_COLUMNS; each deal is played by the reference engine.

        Raises:
            Disagreement: a deal does not go where the backward search says.
        """
        rows = []
        for deal, lead_in in self.deals:
            cycle = cycle_of(deal)
            if cycle is None or (cycle.name, cycle.lead_in) != (self.cycle.name, lead_in):
                raise Disagreement(f"{deal} does not lead into {self.cycle.name} after {lead_in} tricks")
            outcome = play(deal)
            rows.append(
                {
                    "deal": str(deal),
                    "cards": outcome.cards,
                    "tricks": outcome.tricks,
                    "lead_in": cycle.lead_in,
                    "period": cycle.period,
                    "full_period": cycle.full_period,
                    "cycle": cycle.name,
                }
            )
        return rows


def entry_of(deal: Deal, limit: int = STATES) -> Entry | None:
    """The cycle that a deal reaches; None if its game ends. `limit`: states of its basin that are looked at."""
    cycle = cycle_of(deal)
    if cycle is None:
        return None
    # Where the others have dropped out, what leads in is no matter of two hands any more.
    basin = basin_of(cycle, deal.rules, limit) if deal.rules.seats == 2 else None
    deals = {d: n for d, n in basin.deals(deal.rules)} if basin else {}
    if not (basin and basin.complete):
        deals.setdefault(deal, cycle.lead_in)
    tape = tape_of(cycle, deal.rules.pay_of) if deal.rules.seats == 2 else None
    return Entry(deal.rules, cycle, basin, tuple(deals.items()), tape, 1)


def catalogue(deals: Iterable[Deal], limit: int = STATES, say: Callable[[int], object] = lambda n: None) -> list[Entry]:
    """The cycles that deals reach, each once; deals whose games end are left out.

    Args:
        deals: of any rules; duplicates are counted once.
        limit: states of one basin.
        say: told how many cycles there are so far.
    """
    names: dict[Deal, tuple[Rules, str]] = {}  # deals that are known to lead into a cycle
    entries: dict[tuple[Rules, str], Entry] = {}
    found: dict[tuple[Rules, str], int] = {}
    for deal in dict.fromkeys(deals):
        key = names.get(deal)
        if key is None:
            entry = entry_of(deal, limit)
            if entry is None:
                continue
            key = deal.rules, entry.cycle.name
            if key not in entries:
                entries[key] = entry
                names.update((d, key) for d, _ in entry.deals)
                say(len(entries))
        found[key] = found.get(key, 0) + 1
    return [Entry(e.rules, e.cycle, e.basin, e.deals, e.tape, found[key]) for key, e in entries.items()]


def in_order(entries: Iterable[Entry], by: str = "deals", smallest: bool = False) -> list[Entry]:
    """Entries in one of ORDERS, largest first or smallest first; ties by name."""
    return sorted(entries, key=lambda e: (e.rank(by) if smallest else -e.rank(by), e.cycle.name))
