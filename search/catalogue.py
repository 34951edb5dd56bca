"""A catalogue of cycles: which there are in runs, or what a deal reaches; each with its pieces, its basin and its deals."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from . import engine
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


def faults(cycles: Sequence[Mapping[str, str]], games: Sequence[Mapping[str, str]], reference_every: int = 1) -> Iterator[str]:
    """What is wrong with a catalogue in a file: nothing, it is to be hoped.

    Each cycle is played by the reference engine and followed back to its deals, which must be the games of the
    catalogue; each game is played by a compiled engine.

    Args:
        cycles, games: the rows that `beggar cycles --format csv` writes, without `--deals` and with it. Columns that
            are left out are not looked at, but `deal`, `rules` and `cycle` must be there.
        reference_every: one of so many games is played by the reference engine, too.
    """
    listed: dict[str, dict[str, Mapping[str, str]]] = {}
    for game in games:
        of_cycle = listed.setdefault(game["cycle"], {})
        if game["deal"] in of_cycle:
            yield f"{game['deal']}: listed twice"
        of_cycle[game["deal"]] = game
    number = 0
    for row in cycles:
        rules = Rules.parse(row["rules"])
        entry = entry_of(Deal.parse(row["deal"], rules))
        its_games = listed.pop(row["cycle"], {})
        if entry is None or entry.cycle.name != row["cycle"]:
            yield f"{row['cycle']}: {row['deal']} does not lead there, or the cycle is listed twice"
            continue
        known = entry.as_json()
        del known["found"]  # a matter of the runs
        yield from _differences(row["cycle"], row, known)
        lead_ins = {str(deal): lead_in for deal, lead_in in entry.deals}
        if its_games.keys() != lead_ins.keys():
            yield f"{row['cycle']}: the games listed are not the {len(lead_ins)} deals that lead there"
        for text, game in its_games.items():
            deal = Deal.parse(text, rules)
            fast = engine.play(deal)
            known = {"cards": fast.cards, "tricks": fast.tricks, "lead_in": fast.lead_in, "period": fast.period}
            yield from _differences(text, game, {**known, "full_period": entry.cycle.full_period})
            if number % reference_every == 0:
                slow, cycle = play(deal), cycle_of(deal)
                known = {"cards": slow.cards, "tricks": slow.tricks, "lead_in": slow.lead_in, "period": slow.period}
                loop = {"cycle": cycle.name, "full_period": cycle.full_period} if cycle else {"cycle": "none"}
                yield from _differences(text, game, known | loop)
            number += 1
    for name, its_games in listed.items():
        yield f"{name}: {len(its_games)} games of a cycle that is not listed"


def _differences(title: str, row: Mapping[str, str], known: Mapping[str, object]) -> Iterator[str]:
    """Where a row of a file says something else than what is known."""
    for key in [key for key in known if key in row]:
        value = known[key]
        wanted = "" if value is None else ("no", "yes")[value] if isinstance(value, bool) else str(value)
        if row[key] != wanted:
            yield f"{title}: {key} is {row[key]!r}, not {wanted!r}"


def in_order(entries: Iterable[Entry], by: str = "deals", smallest: bool = False) -> list[Entry]:
    """Entries in one of ORDERS, largest first or smallest first; ties by name."""
    return sorted(entries, key=lambda e: (e.rank(by) if smallest else -e.rank(by), e.cycle.name))
