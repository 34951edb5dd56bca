"""The factory of infinite games: pieces against the plain reference, deals against the reference engine and census."""

from collections import Counter

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from search import _kernel, engine
from search.cycle import cycle_from, cycle_of, view
from search.deal import Deal
from search.game import play
from search.outcome import Status
from search.pieces import Seam, piece_of, play_round, split_tape, tape_of
from search.rules import Rules
from search.solve import backward_census
from search.strategies.cycles import SMALL, codes_of, codes_of_seam, seams, text_of

STANDARD = Rules.parse("standard")
SEAM = Seam("J-", "-", "long")
SEAMS = [SEAM, Seam("Q--", "--", "long"), Seam("--J-", "-", "short"), Seam("--J-", "", "short"), Seam("-J-", "--", "long"), Seam("J-", "J-", "long")]


def small(rules, seam, numbers, courts):
    found = _kernel.small_pieces(
        engine.composition(rules), rules.pay_codes, *codes_of_seam(seam), numbers, courts, 10**6
    )
    return [(text_of(codes), rounds, peak, tricks) for codes, _, rounds, peak, tricks in found]


def leg(rules, seam, tests, seed=1, known=(), shared=(), share=(0, 1), peak=None, small=((10, 4, 10**6),)):
    half = min(rules.hand_sizes)
    return _kernel.factory_leg(
        engine.composition(rules),
        rules.pay_codes,
        rules.hand_sizes[0],
        codes_of_seam(seam),
        small,
        list(map(codes_of, known)),
        list(map(codes_of, shared)),
        share,
        (4, half * 15 // 26 if peak is None else peak, 100, 100_000, 20_000),
        (tests, min(tests, 500_000), tests, 10**5),
        (seed, 0, 5),
    )


@pytest.mark.parametrize("seam", SEAMS, ids=str)
def test_every_small_piece_is_one_by_the_reference(seam):
    pieces = small(STANDARD, seam, 9, 4)
    assert pieces, seam
    for word, rounds, peak, tricks in pieces:
        piece = piece_of(word, seam, STANDARD.pay_of)
        assert piece, word
        # The shape is back after `rounds`; the ranks may take a multiple of that.
        assert len(piece.words) % rounds == 0
        assert piece.tricks == tricks * (len(piece.words) // rounds)
        assert piece.peak == peak
        assert split_tape(word, seam, STANDARD.pay_of) == (piece,)


def test_small_pieces_are_all_that_an_exhaustive_search_in_plain_python_finds():
    def words(length):
        if length == 0:
            yield ""
        else:
            for word in words(length - 1):
                for rank in "-JQKA":
                    yield word + rank

    pay_of = STANDARD.pay_of
    shapes = set()
    for length in range(1, 7):
        for word in words(length):
            piece = piece_of(word, SEAM, pay_of)
            if piece and split_tape(word, SEAM, pay_of) == (piece,) and sum(r != "-" for r in word) <= 3:
                shapes.add(frozenset(tuple(r != "-" for r in w) for w in piece.words))
    found = {
        frozenset(tuple(r != "-" for r in w) for w in piece_of(word, SEAM, pay_of).words)
        for word, *_ in small(STANDARD, SEAM, 6, 3)
        if len(word) <= 6
    }
    assert found == shapes and len(shapes) >= 2


@given(st.sampled_from(SEAMS), st.data())
@settings(max_examples=400, derandomize=True, deadline=None)
def test_a_round_in_the_kernel_is_a_round_in_the_reference(seam, data):
    pieces = [word[len(seam.drift) :] for word, *_ in small(STANDARD, seam, 9, 4)]
    body = "".join(data.draw(st.lists(st.sampled_from([*pieces, "-", "--", "K", "A", "Q--"]), min_size=1, max_size=4)))
    word = (seam.drift + body)[:50]
    assume(sum(rank != "-" for rank in word) <= 13)
    done = play_round(word, seam, STANDARD.pay_of)
    good = done is not None and done.collected.endswith(seam.drift)
    after = seam.drift + done.collected[: len(word) - len(seam.drift)] if good else None
    made = _kernel.seam_round(
        codes_of(word), STANDARD.pay_codes, *codes_of_seam(seam)
    )
    assert made == ((codes_of(after), done.tricks, done.peak) if good else None)


def test_the_first_known_cycle_falls_into_its_pieces():
    deal = Deal.parse("---K---Q-KQAJ-----AAJ--J--/----------Q----KQ-J-----KA")
    tape = tape_of(cycle_of(deal), STANDARD.pay_of)
    assert tape.seam == SEAM
    words = {word for piece in tape.pieces for word in piece.words}
    assert {"--J", "--------K---------Q-Q-K---Q-KAQJ", "--------A-KAAJ"} <= words
    assert len(tape.pieces) == 3


def test_deals_of_a_leg_are_infinite_and_legs_are_repeatable():
    deals, pieces, counts = leg(STANDARD, SEAM, 2_000_000, seed=7)
    assert (deals, pieces, counts) == leg(STANDARD, SEAM, 2_000_000, seed=7)
    assert len(deals) > 100 and counts["broken"] == counts["incomplete"] == counts["long_cycles"] == 0
    assert len({codes for codes, _, _ in deals}) == len(deals)
    names = set()
    for codes, cards, tricks in deals[:: len(deals) // 12]:
        deal = Deal.from_cards(text_of(codes), STANDARD)
        outcome = play(deal)
        assert outcome.status is Status.INFINITE
        assert (outcome.cards, outcome.tricks) == (cards, tricks)
        names.add(cycle_of(deal).name)
    assert 1 < len(names) <= counts["cycles_with_deals"]
    for codes, courts, rounds, peak, tricks in pieces:
        piece = piece_of(text_of(codes), SEAM, STANDARD.pay_of)
        assert len(piece.words) % rounds == 0 and piece.peak == peak
        assert sum(map(bool, codes)) == courts


def test_known_and_shared_pieces_give_their_tapes_once():
    _, pieces, counts = leg(STANDARD, SEAM, 2_000_000, seed=7)
    words = [text_of(codes) for codes, *_ in pieces]
    known, _, known_counts = leg(STANDARD, SEAM, 1, known=words)
    assert not known and known_counts["tapes"] == 0
    whole, _, whole_counts = leg(STANDARD, SEAM, 1, shared=words)
    assert {codes for codes, *_ in whole} and whole_counts["cycles_with_deals"] == counts["cycles_with_deals"]
    parts = [leg(STANDARD, SEAM, 1, shared=words, share=(k, 3))[0] for k in range(3)]
    assert {codes for part in parts for codes, *_ in part} == {codes for codes, *_ in whole}


def test_the_italian_game():
    rules = Rules.parse("italian")
    deals, _, counts = leg(rules, SEAM, 3_000_000, small=((13, 5, 10**6),))
    assert counts["cycles_with_deals"] == 6 and len(deals) == 18
    for codes, cards, tricks in deals:
        outcome = play(Deal.from_cards(text_of(codes), rules))
        assert (outcome.status, outcome.cards, outcome.tricks) == (Status.INFINITE, cards, tricks)


# Decks of which every state can be enumerated, and how many cycles with deals the seams worth trying must claim there.
SMALL_DECKS = {
    "2J 4-": 1,
    "2Q 2J 6-": 1,
    "2K 2J=1 7-": 1,
    "2A 4J 8-": 1,  # with the seam --J-
    "2K 2Q 2J 8-": 0,
    "1A=3 2J 5-": 0,
    "2A 2K 2Q 2J 6-": 18,
    "2A 2K 2Q=1 2J=2 6-": 18,
    "2A 2K 2Q 2J 8-": 116,
}


@pytest.mark.parametrize("text", SMALL_DECKS)
def test_on_small_decks_every_claimed_cycle_is_known_by_exhaustion(text):
    """Names and numbers of deals: the census (search/solve.py) finds them with neither seams nor pieces."""
    rules = Rules.parse(text)
    known = dict(backward_census(rules))
    claimed = {}
    for seam in [seam for group in seams(rules) for seam in group]:
        try:
            deals, _, counts = leg(rules, seam, 1, peak=1, small=((9, 7, 10**7),))
        except ValueError:
            continue  # the deck has not the cards of the seam
        found = Counter(cycle_of(Deal.from_cards(text_of(codes), rules)).name for codes, _, _ in deals)
        assert counts["broken"] == counts["incomplete"] == 0
        assert len({codes for codes, _, _ in deals}) == len(deals)
        assert found.items() <= known.items(), seam
        claimed |= found
    assert len(claimed) == SMALL_DECKS[text]
    if len(claimed) > 1:
        # These are all that pass the seam known to carry deals.
        short_hand = seams(rules)[0][0].short_hand
        assert set(claimed) == {name for name in known if passes(name, short_hand, rules)}


def passes(name, short_hand, rules):
    """Whether in the cycle of that name a hand is `short_hand` while the other player leads."""
    return any(view(state).endswith("/" + short_hand) for state in cycle_from((0, tuple(name.split("/"))), rules).states)


def test_pieces_with_few_court_cards_are_made_to_the_last_number_card():
    """By each leg of the strategy: without them most of the known cycles are not found."""
    words = {word for numbers, courts, _ in SMALL for word, _, _, _ in small(STANDARD, SEAM, numbers, courts)}
    assert {"--J", "--------J", "--------------------J"} == {word for word in words if sum(c != "-" for c in word) == 1}
