"""What somebody says about a deal, what is wrong with it, and how he may have come to it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from .cycle import Cycle
from .deal import Deal
from .game import Trick, trace
from .outcome import Outcome, Status, count


@dataclass(frozen=True)
class Claim:
    """What somebody says about a deal; what is None is not claimed.

    Attributes:
        cards, tricks: the counts of search.outcome.
        infinite: that the game does not end.
        lead_in, period: of its loop, in tricks; they say that it does not end, too.
    """

    cards: int | None = None
    tricks: int | None = None
    infinite: bool = False
    lead_in: int | None = None
    period: int | None = None

    @property
    def empty(self) -> bool:
        """Whether nothing is claimed."""
        return self == Claim()

    @property
    def figures(self) -> dict[str, int]:
        """The numbers that are claimed, by the name of the outcome's figure."""
        named = {name: getattr(self, name) for name in ("cards", "tricks", "lead_in", "period")}
        return {name: value for name, value in named.items() if value is not None}

    @property
    def says_infinite(self) -> bool:
        """Whether the game is said not to end."""
        return self.infinite or self.lead_in is not None or self.period is not None


@dataclass(frozen=True)
class Miscount:
    """What another way of counting would give.

    Attributes:
        cards, tricks: its counts.
        words: the way, going on from 'this is the result of ...'.
    """

    cards: int
    tricks: int
    words: str


def faults(deal: Deal, outcome: Outcome, cycle: Cycle | None, claim: Claim, limit: int | None = None) -> Iterator[str]:
    """What is wrong with a claim, and where a well-known other way of counting leads to it, which one.

    Args:
        outcome, cycle: how the deal goes, with that limit.
    """
    figures = claim.figures
    infinite = outcome.status is Status.INFINITE
    if claim.says_infinite and not infinite:
        yield f"the game is not infinite; {outcome}"
        yield from _same_hands_another_leader(deal, limit)
        figures = {name: value for name, value in figures.items() if name in ("cards", "tricks")}
    wrong = {name: value for name, value in figures.items() if value != getattr(outcome, name)}
    if wrong and infinite and not claim.says_infinite:
        yield f"the game does not end, and its counts are those at which its state comes back: {outcome}"
    for name, value in wrong.items():
        counted = getattr(outcome, name)
        gap = count(abs(value - counted), "card" if name == "cards" else "trick")
        yield f"{name.replace('_', '-')}: {value} claimed, {counted} counted, {gap} too {'many' if value > counted else 'few'}"
    if not wrong:
        return
    if infinite:
        yield from _other_figures_of_the_loop(outcome, cycle, wrong)
    elif outcome.status is Status.FINITE:
        for miscount in miscounts(deal):
            if all(getattr(miscount, name) == value for name, value in figures.items()):
                yield f"this is the result of {miscount.words}"
                return
        if max(abs(value - getattr(outcome, name)) for name, value in wrong.items()) == 1:
            yield "no well-known other way of counting gives these figures for this game"


def miscounts(deal: Deal) -> list[Miscount]:
    """What a finite game would count in other ways that are found in public, the most common first.

    The game is followed card by card; each way of counting stops it, or goes on, where it would.
    Where one happens to give the right counts it is left out.
    """
    tricks = list(trace(deal))
    if not tricks:
        return []
    last = tricks[-1]
    cards, number = last.cards, last.number
    if _paid_in_full(last, deal.rules.pay_of):
        late = (
            "going on when the last trick has left the loser without cards: the winner leads once more, and only "
            "the card that the loser then cannot turn ends the game"
        )
        counts = [
            Miscount(cards + 1, number + 1, f"{late} (one card and one trick too long)"),
            Miscount(cards + 1, number, f"{late} (one card too long, in a trick that is not counted)"),
            Miscount(cards, number + 1, "counting one more trick after the one that leaves the loser without cards, which nobody leads"),
            Miscount(cards, number - 1, "not counting the last trick, which ends the game"),
        ]
        ends = "which leaves the loser without cards"
    else:
        counts = [
            Miscount(cards, number - 1, "not counting the last trick, which is unfinished: the loser runs out in it"),
            Miscount(cards + 1, number, "counting the card that the loser has to turn in the end and does not have"),
        ]
        ends = "in which the loser runs out"
    counts += _stopped_early(tricks)
    counts.append(
        Miscount(cards - len(last.played), number - 1, f"counting neither the last trick, {ends}, nor its {count(len(last.played), 'card')}")
    )
    return [m for m in counts if (m.cards, m.tricks) != (cards, number)]


def _paid_in_full(trick: Trick, pay_of: dict[str, int]) -> bool:
    """Whether a payment completed the trick; otherwise somebody had to turn a card and had none."""
    rest = len(trick.pile) - len(trick.pile.rstrip("-"))
    return rest < len(trick.pile) and rest == pay_of[trick.pile[-1 - rest]]


def _stopped_early(tricks: list[Trick]) -> Iterator[Miscount]:
    """Ways that end the game when a hand runs low, although nobody has to turn a card that he does not have."""
    turned = 0
    low = None  # cards and tricks when a player first has to turn his last card
    for trick in tricks:
        left = [len(hand) for hand in trick.before]
        for seat, _ in trick.played:
            if left[seat] == 1 and low is None:
                low = turned, trick.number
            left[seat] -= 1
            turned += 1
            if left[seat] == 0:
                where = f"here after {count(turned, 'card')}, in trick {trick.number}"
                for tricks_then, uncounted in ((trick.number, ""), (trick.number - 1, ", without counting that trick")):
                    yield Miscount(
                        turned,
                        tricks_then,
                        "stopping where the player to move has one card left, as soon as he has turned it "
                        f"({where}){uncounted}; an empty hand alone ends nothing",
                    )
                cards_then, number = low
                for tricks_then, uncounted in ((number, "that card"), (number - 1, "that card and that trick")):
                    yield Miscount(
                        cards_then,
                        tricks_then,
                        f"stopping where the player to move has one card left, without counting {uncounted} "
                        f"(here after {count(cards_then, 'card')}, in trick {number})",
                    )
                return


def _same_hands_another_leader(deal: Deal, limit: int | None) -> Iterator[str]:
    """Names the first two tricks that start with equal hands, if there are any: a loop to who forgets the leader."""
    seen = {}
    for trick in trace(deal, limit):
        if trick.before in seen:
            earlier = seen[trick.before]
            yield (
                f"tricks {earlier.number} and {trick.number} start with the same hands, but seat {earlier.leader} leads one "
                f"and seat {trick.leader} the other: who leads is part of the state, so this is no loop"
            )
            return
        seen[trick.before] = trick


def _other_figures_of_the_loop(outcome: Outcome, cycle: Cycle, wrong: dict[str, int]) -> Iterator[str]:
    """Where a wrong figure of an infinite game is another figure of its loop, says which."""
    others = {
        "cards": {outcome.loop_cards: "the cards of one loop, the lead-in left out"},
        "tricks": {outcome.period: "the tricks of one loop, the lead-in left out"},
        "period": {
            cycle.cycle_period: "the period of somebody who does not tell the two seats apart: each loop exchanges the hands",
            cycle.full_period: "the period with all cards told apart; counted here are rank classes",
            outcome.loop_cards: "the loop in cards; counted here are tricks",
        },
        "lead_in": {outcome.cards - outcome.loop_cards: "the lead-in in cards; counted here are tricks"},
    }
    for name, value in wrong.items():
        if value in others[name]:
            yield f"{value} is {others[name][value]}"
