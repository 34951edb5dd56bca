"""Commands about infinite games: the cycles of runs, and the cycle that a deal reaches."""

from __future__ import annotations

import sys
from types import SimpleNamespace

from .. import options, report
from ..basin import MAX_STATES, STATES
from ..catalogue import ALL_COLUMNS, COLUMNS, DEAL_COLUMNS, ORDERS, Entry, catalogue, entry_of, in_order
from ..config import CONFIG
from ..deal import Deal
from ..objects import deal_of
from ..options import Argument, Command, Setting
from ..outcome import count
from ..rules import Rules
from ..paths import run_path
from ..store import Store
from .common import FORMAT, FORMAT_NOT_JSON, GAME, JSON, RUNS, answer_all, read_deals, rules_of

SHOWN = 20  # deals of a basin that are printed for people

LIMIT = Setting("limit", f"states of a basin that are looked at, at most (default: {STATES})", options.whole(1, MAX_STATES), STATES, "N")


def cycles(args: SimpleNamespace) -> int:
    """List the cycles of runs, or the deals that lead into them."""
    deals: list[Deal] = []
    for name in args.run:
        with Store.open(run_path(name)) as store, store.snapshot():
            rules = Rules.of_settings(store.settings)
            deals += [deal_of(f, rules) for f in store.finds() if f.infinite]
    entries = in_order(catalogue(sorted(deals, key=str), args.limit), args.by, args.smallest)[: args.top]
    if args.deals:
        rows = [row for entry in entries for row in entry.deal_rows()]
        print(report.in_format(args.format, rows, DEAL_COLUMNS, DEAL_COLUMNS), end="")
    else:
        rows = [entry.as_json() for entry in entries]
        print(report.in_format(args.format, rows, COLUMNS, ALL_COLUMNS), end="")
    if cut := sum(entry.basin is not None and not entry.basin.complete for entry in entries):
        print(f"beggar: what leads into {count(cut, 'cycle')} is not all here: --limit is {args.limit} states", file=sys.stderr)
    return 0


def cycle(args: SimpleNamespace) -> int:
    """Describe the cycles that deals fall into."""
    texts = 0

    def show(deal: Deal) -> int:
        nonlocal texts
        entry = entry_of(deal, args.limit)
        if args.json:
            print(report.json_line(_as_json(deal, entry)), flush=True)
        else:
            print("\n".join(([""] if texts else []) + _as_text(deal, entry, args.all)), flush=True)
        texts += 1
        return 0

    return answer_all(read_deals(args.deal, rules_of(args)), show, args.json)


def _as_json(deal: Deal, entry: Entry | None) -> dict[str, object]:
    if entry is None:
        return {"deal": str(deal), "rules": deal.rules.text, "cycle": None}
    row = entry.as_json() | {"deal": str(deal), "lead_in": entry.cycle.lead_in}
    row["pieces"] = None if entry.tape is None else [
        {"words": list(piece.words), "tricks": piece.tricks, "peak": piece.peak} for piece in entry.tape.pieces
    ]  # fmt: skip
    row["deals"] = [{"deal": str(d), "lead_in": lead_in} for d, lead_in in entry.deals]
    row["limit"] = entry.basin.limit if entry.basin else None
    del row["found"]
    return row


def _as_text(deal: Deal, entry: Entry | None, every: bool) -> list[str]:
    """For people: the deal, its cycle, the pieces, the basin and the deals."""
    if entry is None:
        return [f"deal     {deal}", "cycle    none: the game ends"]
    c = entry.cycle
    rows = [
        ("deal", str(deal)),
        ("cycle", c.name),
        ("", f"lead-in {c.lead_in}, period {c.period} tricks and {c.loop_cards} cards; {c.cycle_period} different state{'s' * (c.cycle_period > 1)}"),
        ("", f"with all cards told apart {c.full_period} tricks"),
    ]
    if entry.tape:
        seam = entry.tape.seam
        who = "other hand" if seam.leader == "long" else "same hand"
        rows.append(("seam", f"{seam.short_hand} while the {who} leads; each round moves {seam.drift or 'nothing'} to the front"))
        for piece in entry.tape.pieces:
            rounds = "1 round" if len(piece.words) == 1 else f"{len(piece.words)} rounds"
            rows.append(("piece", f"{piece.words[0]}  {rounds}, {piece.tricks} tricks, up to {piece.peak} cards in the short hand"))
    elif entry.basin:
        rows.append(("seam", "none: no short hand comes back while the other hand is a tape"))
    basin = entry.basin
    near = dict(basin.deals(entry.rules)) if basin is not None else {}
    if basin is None:
        rows.append(("basin", "searched for two players only"))
    elif not len(basin):
        rows.append(("basin", f"not searched: the cycle alone has {c.cycle_period} states, and --limit is {basin.limit}"))
    else:
        all_or_not = "all" if basin.complete else f"the nearest, the limit of {basin.limit} was met (--limit)"
        rows.append(("basin", f"{len(basin)} states ({all_or_not}), {len(near)} of them deals"))
    if basin is not None:
        shown = sorted(entry.deals, key=lambda d: (-d[1], str(d[0])))
        for d, lead_in in shown if every else shown[:SHOWN]:
            rows.append(("", f"{d}  lead-in {lead_in}" + ("" if d in near else ", the deal given, which is not among them")))
        if len(shown) > SHOWN and not every:
            rows.append(("", f"and {len(shown) - SHOWN} more: --all or --json"))
    return [f"{name:<9}{text}" for name, text in rows]


CYCLES = Command(
    "cycles",
    "The cycles that the infinite games of runs fall into, each once.",
    cycles,
    (RUNS,),
    (
        Setting("by", f"order: {', '.join(ORDERS)} (default: deals)", options.one_of(*ORDERS), "deals", "WHAT"),
        Setting("smallest", "smallest first", default=False),
        Setting("top", "how many (default: all)", options.whole_or_all, None, "N"),
        Setting("deals", "list the deals that lead into them instead, each played again by the reference engine", default=False),
        LIMIT,
        FORMAT,
        CONFIG,
    ),
    "Deals that no run has found but that lead into a cycle are counted and listed, too.",
    refused=FORMAT_NOT_JSON,
)
CYCLE = Command(
    "cycle",
    "The cycle that a deal reaches, its pieces, and all deals that lead into it.",
    cycle,
    (Argument("DEAL", "a deal in any notation, or '-' for standard input", "+"),),
    (*GAME, Setting("all", "print all deals, however many", default=False), LIMIT, JSON, CONFIG),
)
