# Calls that play backward. Positions come and go as codes, the leader's hand first.

cdef extern from "backward.h":
    ctypedef struct hand:
        uint64_t cards
    ctypedef struct position:
        hand leader
        hand other
    ctypedef struct live_walk:
        int status
        position top
        uint64_t ahead_cards
        uint64_t ahead_tricks
        uint64_t back_cards
        uint64_t back_tricks
    ctypedef struct top_search:
        int leader_cards
        int by_tricks
        int top_steps
        uint64_t node_bound
    ctypedef struct top_result:
        int found
        int complete
        uint64_t cards
        uint64_t tricks
        position deal
        uint64_t nodes
    enum:
        MAX_PREDECESSORS
        WALK_TOP
        WALK_LOOP
        WALK_NO_LIVE
    int position_from_codes(const uint8_t *codes, int cards, int leader_cards, position *s) nogil
    void position_to_codes(const position *s, uint8_t *codes) nogil
    int position_predecessors(const pays *p, const position *s, position *out, int *pile) nogil
    void walk_line(const pays *p, const position *deal, int may_loop, live_walk *walk) nogil
    int search_top(const pays *p, const position *top, uint64_t cards, uint64_t tricks, const top_search *how,
                   top_result *best) nogil


cdef position _position(bytes codes, int leader_cards) except *:
    cdef position s
    if not position_from_codes(codes, len(codes), leader_cards, &s):
        raise ValueError(f"no position of a packed deck: {len(codes)} cards, {leader_cards} of them the leader's")
    return s


cdef tuple _codes(const position *s):
    cdef uint8_t codes[64]
    position_to_codes(s, codes)
    return (<bytes> codes[:s.leader.cards + s.other.cards], s.leader.cards)


def backward_predecessors(bytes codes, int leader_cards, bytes pay):
    """All predecessors of a position, by pile from short to long.

    Args:
        codes: one kernel code a card, the leader's hand first; at most 64 cards, no hand empty.
        leader_cards: how many of them are the leader's.
        pay: what each code pays, five bytes.

    Returns:
        A list of (codes, leader_cards, cards in the pile).
    """
    cdef pays p = pays_of(pay)
    cdef position s = _position(codes, leader_cards)
    cdef position out[MAX_PREDECESSORS]
    cdef int pile[MAX_PREDECESSORS]
    cdef int made = position_predecessors(&p, &s, out, pile)
    return [(*_codes(&out[i]), pile[i]) for i in range(made)]


def backward_walk(bytes codes, int leader_cards, bytes pay):
    """Play forward to the first live position, then back along live ones.

    Arguments as for `backward_predecessors`.

    Returns:
        ('top', 'loop' or 'none', codes, leader_cards of the top, ahead_cards, ahead_tricks, back_cards,
        back_tricks). 'none': there is no live position, and the last one stands for the top.
    """
    cdef pays p = pays_of(pay)
    cdef position s = _position(codes, leader_cards)
    cdef live_walk walk
    with nogil:
        walk_line(&p, &s, 1, &walk)
    status = {WALK_TOP: "top", WALK_LOOP: "loop", WALK_NO_LIVE: "none"}[walk.status]
    return (status, *_codes(&walk.top), walk.ahead_cards, walk.ahead_tricks, walk.back_cards, walk.back_tricks)


def backward_search(bytes codes, int leader_cards, bytes pay, uint64_t cards, uint64_t tricks, int legal_leader_cards,
                    bint by_tricks, int top_steps, uint64_t node_bound):
    """The longest legal deal near the top of a line; see `search_top` in backward.h.

    Returns:
        (deal, cards, tricks, nodes, complete); deal is None where there is none, else (codes, leader_cards).
    """
    cdef pays p = pays_of(pay)
    cdef position s = _position(codes, leader_cards)
    cdef top_search how = top_search(legal_leader_cards, by_tricks, top_steps, node_bound)
    cdef top_result best
    cdef int done
    with nogil:
        done = search_top(&p, &s, cards, tricks, &how, &best)
    if not done:
        raise MemoryError
    return (_codes(&best.deal) if best.found else None, best.cards, best.tricks, best.nodes, bool(best.complete))
