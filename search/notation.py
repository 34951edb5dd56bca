"""Reading a deal in any notation in use.

A text is read in three steps, each with a small language of its own.

1. `scan`: characters to tokens. Nothing is decided here and nothing is refused.

       card     A K Q J  0-9  T X N O  - . _ *   and the dashes that pages make of hyphens; either case;
                Ace to Two in words; the playing cards of Unicode
       suit     ♠ ♥ ♦ ♣  ♤ ♡ ♢ ♧  S H D C   and 'of Spades' in words
       label    1: to 4:, or 0: to 3:, also as Player 1:, Hand 1:, Seat 1:, P1:   at the start or after a divider
       bar      / | :   and ; in a text with commas
       comma    ,       and ; in a text without, as in spreadsheets where the comma is a decimal sign
       space    blanks of every kind
       line     the end of a line
       unknown  anything else

   Invisible characters (emoji variation selectors, zero-width spaces, a byte order mark) are
   passed over, and so are quotation marks and backticks around a text, a hand or a card. Full-width
   characters are what they are copies of; an ellipsis is three dots. 'jack' could also be three cards,
   and is one where it is written Jack, or other words stand in the text.

2. `spell`: tokens to a canonical string over ``AKQJ-`` (cards), ``/`` ``,`` blank, newline
   (dividers) and ``01234`` (labels). What leaves a choice makes several spellings:

   - labels: ``1:`` may also be a card and a bar. Word labels (Player 1:) are always labels.
   - ranks or digits: where any of A K Q J is there, digits are ranks and 10 is one card; else
     each digit is a card, 0 a number card and 1 2 3 4 are J Q K A. A text without A K Q J in
     which a suit, T, X or a digit above 4 stands may also be ranks: number cards only.
   - dashes: pages turn hyphens into en dashes and em dashes: one to one, or two hyphens into
     an em dash, or two into an en dash and three into an em dash. The number of cards tells;
     under free rules, where it cannot, each is one card.

   Suits say nothing about the game and are dropped, but all must stand on the same side of
   their cards.

3. `divide`: a canonical string to hands.

   - Labels divide hands; a bar right before a label adds nothing, any other bar is refused.
   - Else bars divide hands, and two bars in a row have an empty hand between them.
   - Else line ends, commas or blanks do, if they make as many hands as there are players; each
     kind that does is a reading, and if every card stands alone and lines make no hands, so is
     the undivided deck.
   - Else there is only a deck, dealt as the rules deal it; then blanks, commas and line ends
     separate cards, or groups of cards. But a text that these divide into two to four
     parts of more than one card shows that many hands, and is refused, except that lines are
     simply joined where the rules fix the size of the hands.

Of all hands that come out of these steps the rules decide. One legal reading: that is the deal.
Two different ones: the text is refused and both are shown. None: what is wrong with the first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from .errors import AmbiguousNotation, IllegalDeal, InputError, NotationError
from .legality import fault_of, wrong_seats
from .rules import MAX_CARDS, Rules

MAX_TEXT = 20 * MAX_CARDS  # characters; a 'Queen of Diamonds', comma and blank have nineteen
ACCEPTED = "cards are A K Q J and - . _ * 0 n o 2-10 T X, or digits 0-4; hands are divided by / | , ; : or a blank"

EN_DASH, EM_DASH = "\u2013", "\u2014"
DASH_WIDTHS = ((1, 1), (1, 2), (2, 3))  # hyphens that became an en dash, an em dash
_INVISIBLE = "\ufe0e\ufe0f\u200b\u200c\u200d\u2060\ufeff"
_BLANKS = " \t\r\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
_LABEL = re.compile(r"(?:(?P<word>player|hand|seat|p)[ \u00a0]?)?(?P<seat>[0-4])[ \u00a0]?:", re.IGNORECASE)
_QUOTES = "\"'`´“”„‟‘’‚‛«»‹›"
_BESIDE_QUOTES = re.escape(_BLANKS + _INVISIBLE + "\n/|:,;")
_QUOTED = re.compile(f"(?<![^{_BESIDE_QUOTES}])[{_QUOTES}]+|[{_QUOTES}]+(?![^{_BESIDE_QUOTES}])")

# What is read as another character: look-alikes from other keyboards and pages.
_PLAIN = {chr(code + 0xFEE0): chr(code) for code in range(ord("!"), ord("~") + 1)}  # full-width
for _sign, _alike in {
    "-": "\u2010\u2011\u2012\u2212\ufe63\u2043\u02d7\u207b\u208b\u2796\u2500\u2501\u30fc",  # hyphens, minus signs, lines
    EM_DASH: "\u2015\ufe58",
    ".": "·∙•⋅",
    "/": "⁄∕",
    "|": "│┃∣¦",
    ",": "、",
}.items():
    _PLAIN |= dict.fromkeys(_alike, _sign)
_PLAIN = str.maketrans(_PLAIN)

# Ranks and suits in words. 'T' is a number card, and says that digits are ranks.
_RANK_WORDS = {"ace": "A", "king": "K", "queen": "Q", "jack": "J"}
_RANK_WORDS |= dict.fromkeys(("ten", "nine", "eight", "seven", "six", "five", "four", "three", "two"), "T")
_RANK_WORD = re.compile(rf"(?<![a-z])(?:{'|'.join(_RANK_WORDS)})(?![a-z])", re.IGNORECASE)
_SUIT_WORD = re.compile(r"[ \t\u00a0]{1,4}of[ \t\u00a0]{1,4}(spade|heart|diamond|club)s?(?![a-z])", re.IGNORECASE)
_SURE_WORD = re.compile(rf"{_SUIT_WORD.pattern}|(?<![a-z])(?:{'|'.join(_RANK_WORDS.keys() - {'jack'})})(?![a-z])", re.IGNORECASE)

_BEFORE_ACES = range(0x1F0A0, 0x1F0E0, 0x10)  # of playing cards: the code point before the ace, for each suit
_PLAYING_CARD_RANKS = {1: "A", **dict.fromkeys(range(2, 11), "T"), 11: "J", 13: "Q", 14: "K"}  # 12 is the knight of the tarot

_DIGIT_CARDS = dict(zip("01234", "-JQKA"))


class Token(NamedTuple):
    """A piece of a text: its kind, the character (of a label: the seat, from 1), where it begins (from 0)."""

    kind: str
    value: str
    at: int
    worded: bool = False


def _character_kinds() -> dict[str, tuple[str, str]]:
    kinds = {}
    for kind, characters in {
        "card": "AKQJ0123456789TXNO-._*" + EN_DASH + EM_DASH,
        "suit": "SHDC",
        "bar": "/|:",
        "comma": ",",
        "space": _BLANKS,
        "line": "\n\u2028\u2029",
    }.items():
        for c in characters:
            kinds[c] = kinds[c.lower()] = (kind, c)
    for suit, symbols in {"S": "♠♤", "H": "♥♡", "D": "♦♢", "C": "♣♧"}.items():
        kinds.update(dict.fromkeys(symbols, ("suit", suit)))
    for before_ace in _BEFORE_ACES:
        kinds.update({chr(before_ace + n): ("card", rank) for n, rank in _PLAYING_CARD_RANKS.items()})
    return kinds


_KINDS = _character_kinds()


def scan(text: str) -> list[Token]:
    """The tokens of a text. Never fails: what is no part of a deal becomes an `unknown` token."""
    plain = text.translate(_PLAIN)  # as long as the text
    quotes = {at for run in _QUOTED.finditer(plain) for at in range(*run.span())}
    semicolon = "bar" if "," in plain else "comma"
    in_words = _SURE_WORD.search(plain) is not None
    tokens: list[Token] = []
    at = 0
    while at < len(plain):
        c = plain[at]
        begins = not tokens or tokens[-1].kind in ("bar", "comma", "space", "line", "label")
        if begins and (label := _LABEL.match(plain, at)):
            tokens.append(Token("label", label["seat"], at, worded=bool(label["word"])))
            at = label.end()
        # In a text of single letters a 'jack' is a jack, the ace of clubs and a king.
        elif (rank := _RANK_WORD.match(plain, at)) and (in_words or rank[0] == "Jack"):
            tokens.append(Token("card", _RANK_WORDS[rank[0].lower()], at))
            at = rank.end()
        elif suit := _SUIT_WORD.match(plain, at):
            tokens.append(Token("suit", suit[1][0].upper(), at))
            at = suit.end()
        else:
            if c == ";":
                tokens.append(Token(semicolon, c, at))
            elif c == "…":
                tokens += [Token("card", ".", at)] * 3
            elif c not in _INVISIBLE and at not in quotes:
                tokens.append(Token(*_KINDS.get(c, ("unknown", text[at])), at))
            at += 1
    return tokens


def read(text: str, rules: Rules) -> tuple[str, ...]:
    """The hands that a text shows: strings over AKQJ-, seat 0 first, a legal deal under `rules`.

    Raises:
        NotationError: the text cannot be read as a deal.
        AmbiguousNotation: it reads as two different deals; both are shown.
        IllegalDeal: it can be read, but the rules do not allow it.
    """
    if len(text) > MAX_TEXT:
        raise NotationError(f"a text of {len(text)} characters: a deal takes at most {MAX_TEXT}")
    legal: list[tuple[str, ...]] = []
    first_error: InputError | None = None
    for reading in _readings(scan(text), rules):
        if isinstance(reading, InputError):
            error = reading
        elif fault := fault_of(rules, reading):
            error = IllegalDeal(fault)
        else:
            if reading not in legal:
                legal.append(reading)
            continue
        first_error = first_error or error
    if len(legal) > 1:
        raise AmbiguousNotation(both_readings(*("/".join(hands) for hands in legal[:2])))
    if not legal:
        raise first_error
    return legal[0]


def both_readings(one: str, other: str) -> str:
    """The message for a text that can mean either of two things."""
    alike = next((i for i, (a, b) in enumerate(zip(one, other)) if a != b), 0)
    if alike > 40:  # what differs would be cut off
        one, other = "..." + one[alike - 20 :], "..." + other[alike - 20 :]
    return (
        f"this reads in two ways: as {shown(one, 60)} or as {shown(other, 60)}; "
        "write each card as A, K, Q, J or -, and put / between hands"
    )


def shown(text: str, limit: int = 40) -> str:
    """A text quoted for a message: unprintable characters escaped, and at most `limit` characters in all."""
    pieces = [c if c.isprintable() else c.encode("unicode_escape").decode() for c in text[:limit]]
    quoted = "".join(pieces)
    whole = len(text) <= limit and len(quoted) <= limit
    while len(quoted) > limit:
        quoted = quoted[: -len(pieces.pop())]
    return f"'{quoted}'" if whole else f"'{quoted}...'"


def _readings(tokens: list[Token], rules: Rules) -> Iterator[tuple[str, ...] | InputError]:
    """Every way to read the tokens as hands, the likeliest first; errors where a way leads nowhere."""
    for unknown in tokens:
        if unknown.kind == "unknown":
            yield NotationError(f"cannot read {shown(unknown.value)} (character {unknown.at + 1}): {ACCEPTED}")
            return
    for labelled in _label_choices(tokens):
        for digits in mode_choices(labelled):
            for widths in _dash_choices(labelled, rules):
                try:
                    yield from divide(spell(labelled, digits, widths), rules)
                except InputError as error:
                    yield error


def _label_choices(tokens: list[Token]) -> list[list[Token]]:
    labels = [t for t in tokens if t.kind == "label"]
    if not labels or any(t.worded for t in labels):
        return [tokens]
    choices = [tokens, without_labels(tokens)]
    likely = labels[0].value == "1" or len(labels) > 1 or tokens[0] == labels[0]
    return choices if likely else choices[::-1]


def without_labels(tokens: list[Token]) -> list[Token]:
    """The same tokens with each label read as a card and a bar."""
    plain = []
    for t in tokens:
        plain += [Token("card", t.value, t.at), Token("bar", ":", t.at + 1)] if t.kind == "label" else [t]
    return plain


def mode_choices(tokens: list[Token]) -> tuple[bool, ...]:
    """Whether the digits of a text may be cards of a digit notation (True), ranks (False), or either."""
    cards = {t.value for t in tokens if t.kind == "card"}
    if cards & set("AKQJ"):
        return (False,)
    if cards & set("TX56789") or any(t.kind == "suit" for t in tokens):
        return (True, False)
    return (True,)


def _dash_choices(tokens: list[Token], rules: Rules) -> tuple[tuple[int, int], ...]:
    dashes = any(t.value in (EN_DASH, EM_DASH) for t in tokens)
    return DASH_WIDTHS if dashes and rules.counts is not None else DASH_WIDTHS[:1]


def spell(tokens: list[Token], digits: bool, widths: tuple[int, int] = (1, 1)) -> str:
    """Tokens to a canonical string: step 2 of this module.

    Args:
        tokens: from `scan`, none unknown.
        digits: whether digits are cards of a digit notation rather than ranks.
        widths: number cards that an en dash and an em dash stand for.

    Raises:
        NotationError: they do not spell cards and dividers in this way.
    """
    _check_suits(tokens, digits)
    dividers = {"bar": "/", "comma": ",", "space": " ", "line": "\n"}
    dashes = {EN_DASH: "-" * widths[0], EM_DASH: "-" * widths[1]}
    out = []
    tens = 0  # the zero of a 10 that has been read already
    for i, t in enumerate(tokens):
        if t.kind in dividers:
            out.append(dividers[t.kind])
        elif t.kind == "label":
            out.append(t.value)
        elif t.kind == "suit":
            continue
        elif t.value in dashes:
            out.append(dashes[t.value])
        elif digits and t.value.isdigit():
            if t.value not in _DIGIT_CARDS:
                raise NotationError(
                    f"cannot read '{t.value}' (character {t.at + 1}): with no A, K, Q, J in a text each digit "
                    "is a card, 0 a number card and 1 2 3 4 are J Q K A"
                )
            out.append(_DIGIT_CARDS[t.value])
        elif tens:
            tens = 0
        elif t.value == "1":
            if i + 1 == len(tokens) or tokens[i + 1][:2] != ("card", "0"):
                raise NotationError(
                    f"cannot read '1' (character {t.at + 1}): with A, K, Q, J in a text its digits are the ranks 2 to 10"
                )
            tens = 1
            out.append("-")
        else:
            out.append(t.value if t.value in "AKQJ" else "-")
    return "".join(out)


def _check_suits(tokens: list[Token], digits: bool) -> None:
    """Raise NotationError unless every suit belongs to a card of its own, all on the same side."""
    suits = [i for i, t in enumerate(tokens) if t.kind == "suit"]
    if not suits:
        return
    if digits:
        raise NotationError(f"a suit (character {tokens[suits[0]].at + 1}), but none of A, K, Q, J")

    def kind(i: int) -> str:
        return tokens[i].kind if 0 <= i < len(tokens) else "end"

    strays = [next((i for i in suits if kind(i + side) != "card"), None) for side in (-1, 1)]
    if None not in strays:
        stray = max(strays)
        raise NotationError(
            f"the suit '{tokens[stray].value}' (character {tokens[stray].at + 1}) stands at no card; "
            "suits are written before each rank or after each rank, one order a text"
        )


def divide(spelled: str, rules: Rules) -> list[tuple[str, ...]]:
    """A canonical string to hands, not yet checked against the rules: step 3 of this module.

    Returns:
        One element, or more where commas, blanks and line ends can be understood in several ways.

    Raises:
        NotationError: labels and bars contradict each other.
        IllegalDeal: another number of hands than the rules have players.
    """
    if any(n in spelled for n in "01234"):
        hands = _by_labels(spelled, rules)
    elif "/" in spelled:
        hands = [_cards_of(part) for part in spelled.split("/")]
    else:
        return _by_blanks(spelled, rules)
    if len(hands) != rules.seats:
        raise IllegalDeal(wrong_seats(len(hands), rules))
    return [tuple(hands)]


def _by_labels(spelled: str, rules: Rules) -> list[str]:
    before, *pieces = re.split("([0-4])", spelled)
    labels, parts = pieces[::2], pieces[1::2]
    if _cards_of(before) or "/" in before:
        raise NotationError(f"cards stand before the label {labels[0]}:")
    first = 0 if labels[0] == "0" else 1
    for number, label in enumerate(labels, first):
        if label == str(first) and number > first:
            raise NotationError(f"a second label {first}: starts a second deal, but one deal is wanted here")
        if label != str(number):
            raise NotationError(f"the label {label}: stands where {number}: is expected")
    inner = [part.rstrip(" ,\n").removesuffix("/") for part in parts[:-1]] + parts[-1:]
    if any("/" in part for part in inner):
        raise NotationError("hands are divided by labels and by other signs, too: one of them is wanted")
    return [_cards_of(part) for part in inner]


def _by_blanks(spelled: str, rules: Rules) -> list[tuple[str, ...]]:
    deck = _cards_of(spelled)
    lines = [cards for line in spelled.split("\n") if (cards := _cards_of(line))]
    commas = [_cards_of(part) for part in spelled.split(",")]
    words = spelled.replace(",", "").split()
    hands = [tuple(parts) for parts in (lines, commas, words) if len(parts) == rules.seats]
    singly = len(re.split(r"[ ,\n]+", spelled.strip(" ,\n"))) == len(deck)
    if hands:
        in_lines = len(lines) == rules.seats
        return hands if in_lines or not singly else [*hands, dealt(deck, rules)]
    if not singly:
        for parts in (lines, commas, words):
            joined = not rules.any_split and (parts is lines or parts == lines)
            if 2 <= len(parts) <= 4 and not joined:
                raise IllegalDeal(wrong_seats(len(parts), rules))
    return [dealt(deck, rules)]


def _cards_of(part: str) -> str:
    return part.translate(_NO_BLANKS)


_NO_BLANKS = str.maketrans("", "", " ,\n")


def dealt(deck: str, rules: Rules) -> tuple[str, ...]:
    """A deck cut into hands as the rules deal it; a deck of another size than theirs as evenly as possible."""
    if rules.counts is not None and len(deck) == rules.size:
        sizes = rules.hand_sizes
    else:
        each, more = divmod(len(deck), rules.seats)
        sizes = tuple(each + (seat < more) for seat in range(rules.seats))
    hands = []
    for size in sizes:
        hands.append(deck[:size])
        deck = deck[size:]
    return tuple(hands)
