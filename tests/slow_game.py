"""A second, slow reading of the rules, written apart from search/game.py to check it.

One card at a time, no tables of states, loops found by looking through all earlier states.
"""


def slow_play(hands, pays, limit=None):
    """Play hands (strings or lists of ranks, seat 0 first); `pays` maps A K Q J to what they ask for.

    Returns a dict with status, cards, tricks, winner, lead_in, period, loop_cards.
    """
    hands = [list(hand) for hand in hands]
    playing = [len(hand) > 0 for hand in hands]
    turn = playing.index(True)
    table = []
    debt = 0
    creditor = -1
    cards = tricks = 0
    history = []  # (leader, hands) at every trick start, with the cards turned before it

    def following(seat):
        for step in range(1, len(hands) + 1):
            if playing[(seat + step) % len(hands)]:
                return (seat + step) % len(hands)

    def result(status, winner=None, lead_in=None, period=None, loop_cards=None):
        return dict(
            status=status, cards=cards, tricks=tricks, winner=winner, lead_in=lead_in, period=period, loop_cards=loop_cards
        )

    def at_limit():
        order = sorted(range(len(hands)), key=lambda seat: -len(hands[seat]))
        draw = len(hands[order[0]]) == len(hands[order[1]])
        return result("limit", None if draw else order[0])

    def take(seat):
        nonlocal hands, table, debt, creditor, turn, tricks
        hands = [hand + table if who == seat else hand for who, hand in enumerate(hands)]
        table, debt, creditor, turn = [], 0, -1, seat
        tricks += 1

    while True:
        if not table:  # a trick is about to start
            playing = [len(hand) > 0 for hand in hands]
            if playing.count(True) == 1:
                return result("finite", playing.index(True))
            if cards == limit:
                return at_limit()
            now = (turn, [list(hand) for hand in hands])
            for lead_in, (earlier, cards_then) in enumerate(history):
                if earlier == now:
                    return result("infinite", None, lead_in, tricks - lead_in, cards - cards_then)
            history.append((now, cards))
        elif cards == limit:
            tricks += 1  # the one that is broken off
            return at_limit()
        if hands[turn] == []:
            playing[turn] = False
            if playing.count(True) == 1:
                take(playing.index(True))
                continue
            turn = following(turn)
            if debt and turn == creditor:
                take(creditor)
            continue
        card, hands[turn] = hands[turn][0], hands[turn][1:]
        table = table + [card]
        cards += 1
        if card in pays:
            debt, creditor, turn = pays[card], turn, following(turn)
        elif debt == 0:
            turn = following(turn)
        else:
            debt -= 1
            if debt == 0:
                take(creditor)
