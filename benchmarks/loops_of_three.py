"""Loops in which all of three or four players stay in: every one of few cards, and whether the standard deck has it.

    python benchmarks/loops_of_three.py                       three players, up to 14 cards, some seconds (16: a minute)
    python benchmarks/loops_of_three.py --players 4 --cards 12
    python benchmarks/loops_of_three.py --rules '3J 6-'       other decks (usual pays); prints each loop and a state of it

A loop that goes on for ever does not depend on how long the hands are, as long as each of them is what its player
turns in one loop, over and over: one row of cards read as a ring. So tricks are played with hands of which a card is
decided when it is turned (court cards get a set of ranks, narrowed by what is paid for them), and after each trick it
is asked whether what each player has taken is what he has turned, or what the player turned whose part he comes to
play, as rings. That is a loop, with hands of many lengths: how far the ring must be turned, and any number of times
the whole ring more. All cards of the deck must come out: that is asked of all lengths.

Every loop is played by the reference engine and must go round all players; hands that are shorter than what
is turned in one loop may run out, and then are none.
"""

import argparse
from collections import Counter
from itertools import product

from search.cycle import cycle_from
from search.rules import CODES, USUAL_PAYS, Rules

PAYS = range(1, len(CODES))
ANY = frozenset(PAYS)
NUMBER = 0


class Draft:
    """Tricks in which cards are decided when they are turned: rows of 0 or 1 + the number of a court card."""

    def __init__(self, players):
        self.turned = [[] for _ in range(players)]
        self.taken = [[] for _ in range(players)]
        self.pile, self.sets = [], []
        self.turn = self.paid = self.tricks = 0
        self.owner = None

    def copy(self):
        other = Draft(0)
        other.__dict__.update(self.__dict__)
        other.turned, other.taken = [row[:] for row in self.turned], [row[:] for row in self.taken]
        other.pile, other.sets = self.pile[:], self.sets[:]
        return other


def drafts(draft, left):
    """All drafts with a whole number of tricks and up to `left` more cards."""
    if left == 0:
        return
    players = len(draft.turned)
    seat, top = draft.turn, len(draft.sets) - 1
    court = draft.copy()
    if draft.owner is not None:
        court.sets[top] = frozenset(pay for pay in draft.sets[top] if pay > draft.paid)
    court.sets.append(ANY)
    court.turned[seat].append(len(court.sets))
    court.pile.append(len(court.sets))
    court.owner, court.paid, court.turn = seat, 0, (seat + 1) % players
    yield from drafts(court, left - 1)

    draft.turned[seat].append(NUMBER)
    draft.pile.append(NUMBER)
    if draft.owner is None:
        draft.turn = (seat + 1) % players
        yield from drafts(draft, left - 1)
        return
    draft.paid += 1
    more = frozenset(pay for pay in draft.sets[top] if pay > draft.paid)
    if more:
        on = draft.copy()
        on.sets[top] = more
        yield from drafts(on, left - 1)
    if draft.paid in draft.sets[top]:
        draft.sets[top] = frozenset([draft.paid])
        draft.taken[draft.owner] += draft.pile
        draft.turn, draft.owner, draft.pile = draft.owner, None, []
        draft.tricks += 1
        yield draft
        yield from drafts(draft, left - 1)


def rings(draft):
    """(the row that each player turns in one loop, the row that he takes), or None: parts move round the table with the lead."""
    players, shift = len(draft.turned), draft.turn
    parts = [0]
    while shift and (parts[-1] - shift) % players:
        parts.append((parts[-1] - shift) % players)
    turned = [[card for part in parts for card in draft.turned[(seat + part) % players]] for seat in range(players)]
    taken = [[card for part in parts for card in draft.taken[(seat + part) % players]] for seat in range(players)]
    fits = all(len(a) == len(b) and sum(map(bool, a)) == sum(map(bool, b)) > 0 for a, b in zip(turned, taken))
    return (turned, taken) if fits else None


def ways_to_turn(turned, taken):
    """The numbers of cards after which the ring that is turned is the row that is taken."""
    a, b = [bool(card) for card in turned], [bool(card) for card in taken]
    return [by for by in range(1, len(a) + 1) if a[by % len(a) :] + a[: by % len(a)] == b]


def ranks_of(draft, turned, taken, by):
    """The set of ranks of each court card, one for all that come to each other's place; None if one is empty."""
    group = list(range(len(draft.sets)))
    for row, got, offset in zip(turned, taken, by):
        for i, card in enumerate(got):
            if card:
                old, new = group[card - 1], group[row[(i + offset) % len(row)] - 1]
                group = [new if g == old else g for g in group]
    common = {}
    for g, ranks in zip(group, draft.sets):
        common[g] = common.get(g, ANY) & ranks
    sets = [common[g] for g in group]
    return sets if all(sets) else None


def deals_out(hands, sets, deck):
    """Whether the cards of these hands can be those of the deck (Hall's condition)."""
    courts = Counter(sets[card - 1] for hand in hands for card in hand if card)
    if sum(map(len, hands)) != sum(deck) or sum(courts.values()) != sum(deck[1:]):
        return False
    for chosen in product((False, True), repeat=len(PAYS)):
        ranks = frozenset(pay for pay, use in zip(PAYS, chosen) if use)
        if sum(n for within, n in courts.items() if within <= ranks) > sum(deck[pay] for pay in ranks):
            return False
    return True


def with_ranks(hands, sets, deck):
    """These hands with ranks out of the sets, so that the cards are those of the deck."""
    left, drawn = list(deck), [[] for _ in hands]
    for at, hand in enumerate(hands):
        for i, card in enumerate(hand):
            for pay in sorted(sets[card - 1]) if card else [NUMBER]:
                left[pay] -= 1
                if left[pay] >= 0 and deals_out([hand[i + 1 :], *hands[at + 1 :]], sets, left):
                    drawn[at].append(pay)
                    break
                left[pay] += 1
    return tuple("".join(CODES[pay] for pay in hand) for hand in drawn)


def lengths(by, rings_, cards):
    """All lengths of the hands with so many cards in all."""
    if len(by) == 1:
        if cards >= by[0] and (cards - by[0]) % len(rings_[0]) == 0:
            yield (cards,)
        return
    for first in range(by[0], cards, len(rings_[0])):
        for rest in lengths(by[1:], rings_[1:], cards - first):
            yield (first, *rest)


def loop_of_all(hands, rules):
    """The cycle of the state that seat 0 leads, if it is a state of it and nobody drops out; else None."""
    cycle = cycle_from((0, hands), rules)
    return cycle if cycle and cycle.lead_in == 0 and all(map(all, (state[1] for state in cycle.states))) else None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--players", type=int, choices=(2, 3, 4), default=3)
    parser.add_argument("--cards", type=int, default=14, help="turned until the parts are the same again, at most")
    parser.add_argument("--rules", default="standard")
    args = parser.parse_args()
    deck = Rules.parse(args.rules).counts[::-1]
    rules = Rules(counts=None, pays=USUAL_PAYS, seats=args.players, any_split=True)
    names, out, segments, played = set(), {}, 0, 0
    for draft in drafts(Draft(args.players), args.cards):
        segments += 1
        rows = rings(draft)
        if rows is None:
            continue
        for by in product(*(ways_to_turn(*pair) for pair in zip(*rows))):
            sets = ranks_of(draft, *rows, by)
            if sets is None:
                continue
            hands = [(row * 2)[: len(row) + offset] for row, offset in zip(rows[0], by)]
            shown = tuple("".join(CODES[min(sets[card - 1]) if card else NUMBER] for card in hand) for hand in hands)
            cycle = loop_of_all(shown, rules)
            assert cycle is not None, shown
            played += 1
            names.add(cycle.name)
            for sizes in lengths(by, rows[0], sum(deck)):
                longer = [(row * (size // len(row) + 1))[:size] for row, size in zip(rows[0], sizes)]
                if deals_out(longer, sets, deck):
                    dealt = with_ranks(longer, sets, deck)
                    if found := loop_of_all(dealt, rules):
                        out[found.name] = dealt
    print(f"{args.players} players, up to {args.cards} cards: {segments} rows of whole tricks, {len(names)} loops (played {played} times), {len(out)} with the cards of the deck")
    for name in sorted(out):
        print(name, "/".join(out[name]))


if __name__ == "__main__":
    main()
