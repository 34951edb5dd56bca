"""Infinite games: the factory of csrc/factory.h, which builds cycles from pieces and follows them back to deals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from .. import _kernel, engine
from ..errors import InputError
from ..leg import Candidate, LegResult, LegTask, Tally
from ..pieces import Seam
from ..rules import CODES, RANKS, Rules
from .base import Option, Strategy

LEG_TESTS = 10_000_000  # some five seconds
EPOCH_TESTS = 1_000_000  # bred before closing: what is found is found early, so many short epochs are best
CLOSE_TESTS = 3_000_000
EPOCH_TAPES = 100_000
# All pieces of up to so many number cards and court cards, made from at most so many unfinished words: half a second. Those
# with few court cards and many number cards fill up tapes whose big piece has hardly any number cards.
SMALL = ((34, 3, 2_000_000), (20, 4, 2_000_000), (15, 5, 2_000_000), (12, 7, 8_000_000))
RANK_CHOICES = 100  # choices of ranks for one row of shapes
BASIN = 200_000  # positions; basins have some thousands
CYCLE_TRICKS = 50_000
STATE_WORDS = 400  # rare pieces that a searcher keeps, some 15 kB
POOL_WORDS = 1500  # that a group shares
DOMAIN = 0x4379636C  # random numbers of this strategy

_LAYOUT = "F1"
_TO_CODES = str.maketrans(CODES, "".join(map(chr, range(len(CODES)))))
ANY = "any"
NONE = "none"


class Rare(NamedTuple):
    """A word of a piece, with the lowest ranks that fit it, and how many cards the short hand reaches."""

    peak: int
    word: str


def codes_of(text: str) -> bytes:
    return text.translate(_TO_CODES).encode("latin-1")


def codes_of_seam(seam: Seam) -> tuple[bytes, bytes, bool]:
    """A seam for the kernel: short hand, drift, whether the short hand leads."""
    return codes_of(seam.short_hand), codes_of(seam.drift), seam.leader == "short"


def text_of(codes: bytes) -> str:
    return "".join(CODES[c] for c in codes)


def seams(rules: Rules) -> tuple[list[Seam], list[Seam]]:
    """Seams worth trying: those known to carry deals, and others that have many small pieces.

    All are made of the court card that asks for least, with its payment: after that the short hand
    is sure to give away little.
    """
    pay, low = min((pay, rank) for rank, pay in rules.pay_of.items() if pay and rules.counts[RANKS.index(rank)])
    end = low + "-" * pay
    known = [Seam(end, "-" * pay, "long")]
    others = [Seam(end, "-", "long")] if pay > 1 else []
    others += [
        Seam("-" + end, "-" * (pay + 1), "long"),
        Seam("--" + end, "-", "short"),
        Seam("-" + end, "-", "long"),
        Seam("--" + end, "-", "long"),
    ]
    for rank, more in rules.pay_of.items():
        if more > pay and rules.counts[RANKS.index(rank)]:
            others.append(Seam(rank + "-" * more, "-", "long"))
            others.append(Seam(rank + "-" * more, "-" * more, "long"))
            others.append(Seam(rank + end, "-", "long"))
    return known, others


class Cycles(Strategy):
    """Every leg runs the factory anew, from the rare pieces that its searcher has kept.

    A searcher has one seam for good. One in eight tries a seam that is not known to carry deals.
    A test is one word that is played against the seam, round after round until a round fails.
    """

    name = "cycles"
    version = 2
    summary = "infinite games: cycles built from pieces, and every deal that leads into them"
    objectives = ("infinite",)
    options = (
        Option("sigma", str, ANY, f"short hand at the seam, such as J-; {ANY}: searched over"),
        Option("drift", str, ANY, f"what a round adds in front of each word, such as -; {NONE}, or {ANY}: searched over"),
        Option("seam_leader", str, ANY, "who leads at the seam", choices=(ANY, "long", "short")),
        Option("parts", int, 4, "pieces on a tape at most", minimum=1),
    )
    leg_games = LEG_TESTS
    searchers = 64
    group = 8
    round_legs = 4
    largest_state = (STATE_WORDS + 1) * (_kernel.WORD_CARDS + 8)

    def prepare(self, settings: dict[str, object]) -> None:
        """Check that the factory can work with the deck and the seam."""
        rules = Rules.of_settings(settings)
        courts = sum(rules.counts[:4])
        if not 1 <= courts <= 16 or rules.size > 64:
            raise InputError(f"strategy cycles takes decks of up to 64 cards with 1 to 16 court cards, not {rules}")
        if min(rules.hand_sizes) < 1:
            raise InputError("strategy cycles takes deals in which every player has a card")
        if not 1 <= settings["parts"] <= 8:
            raise InputError(f"parts is {settings['parts']}: 1 to 8 are accepted")
        for name in ("sigma", "drift"):
            text = str(settings[name]).upper()
            if text.lower() in (ANY, NONE):
                text = text.lower()
            elif set(text) - set(CODES) or not 1 <= len(text) <= _kernel.SEAM_CARDS:
                raise InputError(f"{name} {settings[name]!r}: 1 to {_kernel.SEAM_CARDS} cards of A K Q J - are accepted")
            settings[name] = text
        if settings["sigma"] == NONE:
            raise InputError("sigma: a seam needs at least one card in the short hand")
        if not choices(settings, rules):
            raise InputError(f"strategy cycles tries no seam that fits {rules}: {misfit(wanted(settings, rules)[0], rules)}")

    def advance(self, task: LegTask) -> LegResult:
        settings = task.settings
        rules = Rules.of_settings(settings)
        seam = seam_of(settings, rules, task.searcher)
        known, shared, share = read_pieces(task.state).get(seam, []), [], (0, 1)
        if self.reads_pool(task.leg) and task.pool:
            # All of the group have the same list now, and divide what it makes among them.
            shared = read_pieces(task.pool).get(seam, [])
            known = []
            share = (task.searcher % self.group, self.group)
        half = min(rules.hand_sizes)
        deals, pieces, counts = _kernel.factory_leg(
            engine.composition(rules),
            rules.pay_codes,
            rules.hand_sizes[0],
            codes_of_seam(seam),
            SMALL,
            [codes_of(piece.word) for piece in known],
            [codes_of(piece.word) for piece in shared],
            share,
            (settings["parts"], half * 15 // 26, RANK_CHOICES, BASIN, CYCLE_TRICKS),
            (settings["leg_games"], EPOCH_TESTS, CLOSE_TESTS, EPOCH_TAPES),
            (settings["seed"], task.searcher * (1 << 32) + task.leg, DOMAIN),
        )
        finds = [Candidate(text_of(codes), rules.hand_sizes, cards, tricks, infinite=True) for codes, cards, tricks in deals]
        rare = keep_rare([Rare(peak, text_of(codes)) for codes, _, _, peak, _ in pieces], half, STATE_WORDS)
        tally = {"games": counts.pop("tests"), "infinite": len(finds), **counts}
        return LegResult(write_pieces({seam: rare}), finds, Tally(tally))

    def check_state(self, settings: Mapping[str, object], searcher: int, state: bytes) -> None:
        """The seam of the searcher and no other, not more words than are kept, words and peaks in range, all in order."""
        super().check_state(settings, searcher, state)
        rules = Rules.of_settings(settings)
        seam = seam_of(settings, rules, searcher)
        try:
            found = read_pieces(state)
            again = write_pieces(found)
        except (LookupError, UnboundLocalError) as error:  # lines of other shapes
            raise ValueError(f"the state of a searcher for cycles has the wrong shape: {error!r}") from None
        if list(found) != [seam] or again != state:
            raise ValueError(f"the state of a searcher for cycles is not one of seam {seam.short_hand} {seam.drift or NONE} {seam.leader}")
        pieces = found[seam]
        longest = min(rules.size, _kernel.WORD_CARDS)
        for piece in pieces:
            if not (1 <= piece.peak <= rules.size and 1 <= len(piece.word) <= longest) or set(piece.word) - set(CODES):
                raise ValueError(f"the state of a searcher for cycles has a piece {piece.word[:80]!r} with peak {piece.peak}")
        if keep_rare(pieces, min(rules.hand_sizes), STATE_WORDS) != pieces:
            raise ValueError("the state of a searcher for cycles has pieces that it would not keep")

    def reads_pool(self, leg: int) -> bool:
        """The first leg of a round takes what it can use into its state."""
        return leg > 0 and leg % self.round_legs == 0

    def pool(self, settings: Mapping[str, object], states: list[bytes]) -> bytes:
        """The rare pieces of all searchers of the group, seam by seam."""
        rules = Rules.of_settings(settings)
        merged: dict[Seam, dict[Rare, None]] = {}
        for state in states:
            for seam, pieces in read_pieces(state).items():
                merged.setdefault(seam, {}).update(dict.fromkeys(pieces))
        half = min(rules.hand_sizes)
        return write_pieces({seam: keep_rare(pieces, half, POOL_WORDS) for seam, pieces in merged.items()})


def wanted(settings: Mapping[str, object], rules: Rules) -> list[Seam]:
    """The seams worth trying with what the settings fix of them, each once, whether the deck has the cards or not."""
    known, others = seams(rules)
    found: dict[Seam, None] = {}
    for seam in [*known, *others]:
        if settings["sigma"] != ANY:
            seam = seam._replace(short_hand=settings["sigma"])
        if settings["drift"] != ANY:
            seam = seam._replace(drift="" if settings["drift"] == NONE else settings["drift"])
        if settings["seam_leader"] != ANY:
            seam = seam._replace(leader=settings["seam_leader"])
        found[seam] = None
    return list(found)


def misfit(seam: Seam, rules: Rules) -> str:
    """Why a seam cannot be one of this deck; '' if it can."""
    for cards in (seam.short_hand, seam.drift):
        if len(cards) > _kernel.SEAM_CARDS:
            return f"{cards!r} has more than {_kernel.SEAM_CARDS} cards"
    for rank, have in zip(RANKS, rules.counts):
        if (seam.short_hand + seam.drift).count(rank) > have:
            return f"short hand {seam.short_hand!r} with drift {seam.drift or NONE!r} needs more {rank} than the deck has"
    return ""


def choices(settings: Mapping[str, object], rules: Rules) -> list[Seam]:
    """The seams that a run tries, one known to carry deals first where the deck has its cards."""
    return [seam for seam in wanted(settings, rules) if not misfit(seam, rules)]


def seam_of(settings: Mapping[str, object], rules: Rules, searcher: int) -> Seam:
    """The seam of a searcher: the first choice, but another for every eighth of them."""
    first, *others = choices(settings, rules)
    number, rest = divmod(searcher, 8)
    return others[number % len(others)] if others and rest == 7 else first


def keep_rare(pieces: Iterable[Rare], half: int, most: int) -> list[Rare]:
    """The pieces worth keeping: high peaks, and of the others the first of each composition; sorted."""
    kept, compositions = [], set()
    for piece in sorted(pieces, key=lambda piece: (-piece.peak, piece.word)):
        composition = tuple(sorted(piece.word))
        if piece.peak >= half * 15 // 26 or composition not in compositions:
            compositions.add(composition)
            kept.append(piece)
    return kept[:most]


def write_pieces(pieces: Mapping[Seam, Iterable[Rare]]) -> bytes:
    lines = [_LAYOUT]
    for seam in sorted(pieces):
        lines.append(f"seam {seam.short_hand} {seam.drift or NONE} {seam.leader}")
        lines += [f"{piece.peak} {piece.word}" for piece in pieces[seam]]
    return "\n".join(lines).encode("ascii")


def read_pieces(data: bytes) -> dict[Seam, list[Rare]]:
    """The inverse of `write_pieces`; nothing from b''. Raises ValueError for another layout."""
    if not data:
        return {}
    head, *lines = data.decode("ascii").split("\n")
    if head != _LAYOUT:
        raise ValueError("the state of a searcher for cycles has another layout")
    found: dict[Seam, list[Rare]] = {}
    for line in lines:
        first, *rest = line.split(" ")
        if first == "seam":
            pieces = found.setdefault(Seam(rest[0], "" if rest[1] == NONE else rest[1], rest[2]), [])
        else:
            pieces.append(Rare(int(first), rest[0]))
    return found
