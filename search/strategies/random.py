"""Random deals, dealt and played as fast as the machine can: the plainest search, and the yardstick of all others."""

from __future__ import annotations

from collections.abc import Mapping

from .. import _kernel, engine
from ..leg import Candidate, LegResult, LegTask, Tally
from ..rules import Rules
from ..errors import InputError
from .base import Option, Strategy
from .lines import EXTEND_OPTIONS, line_leg, prepare_extend

LEG_GAMES = 1 << 22  # where a fast engine plays: about a second
CAREFUL_CARDS = 1 << 24  # where only the careful engine can: cards of the deck times games
PILOT_GAMES = 1 << 14
PILOT_CAREFUL_CARDS = 1 << 18
THRESHOLD_FACTOR = 12  # few enough finds that replaying them does not hold up the workers


LIMIT_OPTION = Option("limit", int, 0, "end every game after so many cards; then the most cards in hand win, equal most is a draw (0: no limit)", minimum=0)


class RandomDeals(Strategy):
    """Leg n of a searcher is the deals n*B to (n+1)*B - 1 of its stream (B: leg_games), and carries no state."""

    name = "random"
    version = 1
    summary = "random deals, dealt and played as fast as the machine can"
    objectives = ("cards", "tricks", "infinite")
    seats = (2, 3, 4)
    options = (LIMIT_OPTION, *EXTEND_OPTIONS)
    leg_games = LEG_GAMES
    exact_legs = True

    def prepare(self, settings: dict[str, object]) -> None:
        """Choose the threshold where none was given, and smaller legs for decks that play slowly."""
        prepare_deals(settings, LEG_GAMES)

    def advance(self, task: LegTask) -> LegResult:
        settings = task.settings
        rules = Rules.of_settings(settings)
        games = settings["leg_games"]
        if settings.get("extend"):
            return line_leg(rules, settings, task.searcher, task.leg * games, games, "deals")
        return random_leg(
            rules,
            settings["seed"],
            task.searcher,
            task.leg * games,
            games,
            settings["objective"],
            settings["threshold"],
            settings["keep"],
            limit=settings.get("limit"),
        )


def prepare_deals(settings: dict[str, object], leg_games: int) -> None:
    """What a search from random deals fixes at its creation: legs, by default of so many games, and the threshold.

    Raises:
        InputError: --extend and --limit do not go together.
    """
    rules = Rules.of_settings(settings)
    prepare_legs(rules, settings, leg_games)
    if settings.get("extend"):
        if "limit" in settings:
            raise InputError("--extend makes games longer, --limit stops them: one of the two")
        prepare_extend(rules, settings)
    elif not settings.get("threshold"):
        settings["threshold"] = below_limit(settings, default_threshold(rules, settings["objective"]))


def prepare_legs(rules: Rules, settings: dict[str, object], leg_games: int = LEG_GAMES) -> None:
    """Choose smaller legs where games play slowly; leave the limit out of the settings where there is none.

    So runs without a limit have the settings that they had before there was one.
    """
    if not settings.get("limit"):
        settings.pop("limit", None)
    if settings.get("leg_games") in (None, leg_games) and ("limit" in settings or not engine.fits(rules)):
        settings["leg_games"] = max(1, CAREFUL_CARDS // rules.size)
    settings.setdefault("leg_games", leg_games)


def below_limit(settings: Mapping[str, object], threshold: int) -> int:
    """A threshold that finite games can reach before the limit, if there is one."""
    return min(threshold, max(1, settings["limit"] // 2)) if "limit" in settings else threshold


def random_leg(
    rules: Rules, seed: int, searcher: int, number: int, games: int, objective: str, threshold: int, keep: int, domain: str = "deals", limit: int | None = None
) -> LegResult:
    """Deal and play `games` deals of a searcher's stream from `number` on, and gather what is worth keeping.

    With a limit the tally counts also 'limited', the games that it stopped, 'draws' among them, and
    'wins_0', 'wins_1', ... of the seats; games that it stopped are in no histogram and are not kept.
    """
    counts, lengths, best, loops = _kernel.random_leg(
        engine.composition(rules),
        rules.hand_sizes,
        rules.pay_codes,
        seed,
        searcher,
        number,
        games,
        objective,
        threshold,
        keep,
        domain,
        engine.forced(),
        limit,
    )
    finds = [Candidate(deal, rules.hand_sizes, cards, tricks) for deal, cards, tricks in best]
    finds += [Candidate(deal, rules.hand_sizes, cards, tricks, infinite=True) for deal, cards, tricks in loops]
    return LegResult(b"", finds, Tally(counts, {"lengths": lengths}))


def default_threshold(rules: Rules, objective: str) -> int:
    """A value (cards or tricks) that few random deals reach, by a small fixed sample of them.

    Twelve times the mean of the sample: lengths fall off exponentially, and with the standard deck one
    deal in two million is as long as that. Where no deal of the sample comes half as far (small
    decks have a longest game), the longest of the sample.
    """
    longest, total, games = pilot(rules, objective)
    far = THRESHOLD_FACTOR * total // games
    return max(1, far if 2 * longest >= far else longest)


def pilot(rules: Rules, objective: str) -> tuple[int, int, int]:
    """A small fixed sample of random deals: (value of the longest finite game or 0, of all games together, games)."""
    games = PILOT_GAMES if engine.fits(rules) else max(1, PILOT_CAREFUL_CARDS // rules.size)
    wanted = "tricks" if objective == "tricks" else "cards"
    leg = random_leg(rules, 0, 0, 0, games, wanted, 0, 1, domain="pilot")
    longest = max((find.tricks if wanted == "tricks" else find.cards for find in leg.finds if not find.infinite), default=0)
    return longest, leg.tally.counts[wanted], games
