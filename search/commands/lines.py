"""The command extend: the longest deal on the line of a given one."""

from __future__ import annotations

from types import SimpleNamespace

from .. import options, report
from ..backward import NODE_BOUND, TOP_STEPS, Extension
from ..backward import extend as extend_deal
from ..config import CONFIG
from ..deal import Deal
from ..options import Argument, Command, Setting
from .common import GAME, JSON, answer_all, read_deals, rules_of


def extend(args: SimpleNamespace) -> int:
    """Print the longest deals on the lines of given ones."""
    texts = 0

    def show(deal: Deal) -> int:
        nonlocal texts
        found = extend_deal(deal, args.by, args.top_steps, args.node_bound)
        if args.json:
            print(report.json_line(found.as_json()), flush=True)
        else:
            print("\n".join(([""] if texts else []) + _as_text(found)), flush=True)
        texts += 1
        return 0

    return answer_all(read_deals(args.deal, rules_of(args)), show, args.json)


def _as_text(found: Extension) -> list[str]:
    """For people: the deal, its line, and the longest deal of it."""
    rows = [("deal", f"{found.deal}: {found.outcome}")]
    if found.longest is None:
        rows.append(("cycle", found.line))
        rows.append(("longest", "none: the game never ends, and neither does any that leads into its cycle"))
    else:
        if found.line:
            rows.append(("line", f"{found.line}, {found.line_cards} cards, {found.line_tricks} tricks from there"))
        else:
            rows.append(("line", "none: the game is too short to have one"))
        if found.longest == found.deal:
            rows.append(("longest", "the deal itself: nothing on its line is longer"))
        else:
            rows.append(("longest", f"{found.longest}: {found.cards} cards, {found.tricks} tricks, {found.gained} {found.by} more"))
        if not found.complete:
            rows.append(("", "the search met its bound, there may be longer ones: see --node-bound"))
    return [f"{name:<9}{text}" for name, text in rows]


EXTEND = Command(
    "extend",
    "The longest deal on the same line: played backward from where the game goes.",
    extend,
    (Argument("DEAL", "a deal in any notation, or '-' for standard input", "+"),),
    (
        *GAME,
        Setting("by", "longest by cards (default) or tricks", options.one_of("cards", "tricks"), "cards", "WHAT"),
        Setting("top-steps", f"tricks below the top of the line from which everything is searched (default: {TOP_STEPS})", options.whole(0), TOP_STEPS, "N"),
        Setting("node-bound", f"positions that this search makes at most (default: {NODE_BOUND})", options.whole(), NODE_BOUND, "N"),
        JSON,
        CONFIG,
    ),
    "Deals come in lines: games that end in the same way. Two deals with the same line are one find.",
)
