"""A deal checked: played by independent engines, named, compared with the records, and a claim about it judged.

The reference engine and every compiled engine that can play the deal must agree; if they do not,
nothing is reported but that.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from . import engine as compiled
from .claim import Claim, faults
from .cycle import Cycle, cycle_of
from .deal import Deal
from .errors import Disagreement
from .game import play
from .outcome import Outcome, Status, count
from .records import Standing, compare

REFERENCE = "reference"


@dataclass(frozen=True)
class Verification:
    """What was found out about a deal.

    Attributes:
        deal, outcome: the game.
        cycle: what an infinite game falls into, else None.
        engines: names of the engines that agree.
        standing: the game among the records, as `records.compare` has it.
        claim: what was claimed; None if nothing.
        faults: what is wrong with the claim, a sentence each; empty if it holds.
    """

    deal: Deal
    outcome: Outcome
    cycle: Cycle | None
    engines: tuple[str, ...]
    standing: Standing
    claim: Claim | None = None
    faults: tuple[str, ...] = ()

    @property
    def verdict(self) -> str | None:
        """'holds', 'fails', or None where nothing was claimed."""
        if self.claim is None:
            return None
        return "fails" if self.faults else "holds"

    @property
    def exit_status(self) -> int:
        """1 if the claim fails, else 0."""
        return 1 if self.verdict == "fails" else 0

    def as_json(self) -> dict[str, object]:
        """The object that `verify --json` prints, with the keys KEYS; those that do not apply are None."""
        return {key: value(self) for key, value in _VALUES.items()}

    def as_text(self) -> list[str]:
        """The same for people: lines of a name and what it is."""
        rows = [
            ("deal", str(self.deal)),
            ("rules", f"{self.deal.rules}; hands of {' + '.join(map(str, self.deal.sizes))} cards: legal"),
            ("game", str(self.outcome)),
        ]
        if self.cycle is not None:
            rows += [
                ("cycle", self.cycle.name),
                ("", _cycle_in_words(self.cycle)),
            ]
        rows.append(("index", str(self.deal.index)))
        rows.append(("engines", f"{', '.join(self.engines)}: all agree"))
        if self.standing.achieved is not None:
            rows.append(("record", self.standing.achieved))
        if self.standing.remark is not None:
            rows.append(("" if self.standing.achieved else "record", self.standing.remark))
        if self.verdict == "holds":
            rows.append(("claim", "holds"))
        for number, fault in enumerate(self.faults):
            rows.append(("" if number else "claim", f"{'' if number else 'fails: '}{fault}"))
        return [f"{name:<8} {text}" for name, text in rows]


_VALUES: dict[str, Callable[[Verification], object]] = {
    "deal": lambda v: str(v.deal),
    "rules": lambda v: str(v.deal.rules),
    "status": lambda v: str(v.outcome.status),
    "cards": lambda v: v.outcome.cards,
    "tricks": lambda v: v.outcome.tricks,
    "winner": lambda v: v.outcome.winner,
    "lead_in": lambda v: v.outcome.lead_in,
    "period": lambda v: v.outcome.period,
    "loop_cards": lambda v: v.outcome.loop_cards,
    "full_period": lambda v: v.cycle and v.cycle.full_period,
    "cycle": lambda v: v.cycle and v.cycle.name,
    "cycle_period": lambda v: v.cycle and v.cycle.cycle_period,
    "index": lambda v: v.deal.index,
    "engines": lambda v: list(v.engines),
    "record": lambda v: v.standing.achieved,
    "claim": lambda v: v.verdict,
}
KEYS = tuple(_VALUES)  # of `Verification.as_json`


def verify(deal: Deal, claim: Claim | None = None, limit: int | None = None) -> Verification:
    """Play a deal on the reference engine and on every compiled engine that can play it, and judge a claim.

    Args:
        claim: what is said about the deal; None or an empty claim asks for nothing.
        limit: cards after which the most cards in hand win; None for no limit.

    Raises:
        Disagreement: two engines do not agree; a fault of ours.
        InputError: a limit of less than one card.
    """
    outcome, engines = agreed(deal, limit)
    cycle = cycle_of(deal) if outcome.status is Status.INFINITE else None
    if claim is not None and claim.empty:
        claim = None
    wrong = () if claim is None else tuple(faults(deal, outcome, cycle, claim, limit))
    return Verification(deal, outcome, cycle, engines, compare(deal, outcome), claim, wrong)


def agreed(deal: Deal, limit: int | None = None) -> tuple[Outcome, tuple[str, ...]]:
    """The outcome that all engines here agree on, and their names, the reference first.

    Raises:
        Disagreement: two engines do not agree.
        InputError: a limit of less than one card.
    """
    outcome = play(deal, limit)
    names = compiled.engines_for(deal.rules, limit)
    for name in names:
        check(deal, outcome, name, compiled.play(deal, limit, name), full=name in compiled.FULL)
    return outcome, (REFERENCE, *names)


def check(deal: Deal, expected: Outcome, name: str, outcome: Outcome, by: str = REFERENCE, full: bool = True) -> None:
    """Hold what an engine says about a deal against what is expected.

    Args:
        expected, by: the outcome that is due, and who says so.
        outcome, name: what the engine says, and which one it is.
        full: whether both know who won and how many cards a loop takes; fast engines do not say.

    Raises:
        Disagreement: they contradict each other.
    """
    if outcome != expected and (full or _brief(outcome) != _brief(expected)):
        raise Disagreement(
            f"engines disagree about {deal} under the rules {deal.rules}: {by} says {expected}, "
            f"{name} says {outcome}; this is a fault of the program, please report it"
        )


def _brief(outcome: Outcome) -> Outcome:
    """What every engine knows about a game."""
    return replace(outcome, winner=None, loop_cards=None)


def _cycle_in_words(cycle: Cycle) -> str:
    text = f"{count(cycle.cycle_period, 'state')} as the leader sees them"
    if cycle.period != cycle.cycle_period:
        text += f"; the loop goes through them {cycle.period // cycle.cycle_period} times, the hands changing seats"
    return f"{text}; with all cards told apart it closes after {count(cycle.full_period, 'trick')}"
