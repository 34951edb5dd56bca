# Backward play for two to four players. States come and go as (leader, hands), a code a card.

from libc.string cimport memset as fill_bytes

cdef extern from "ancestry.h" nogil:
    ctypedef struct seats_state:
        uint8_t seats, leader
        uint8_t n[4]
        uint8_t cards[4][64]
    ctypedef struct ancestry:
        uint64_t states, full
        size_t n
        seats_state *deals
        int complete
    ctypedef int (*on_predecessor)(void *context, const seats_state *before) noexcept nogil
    int seats_predecessors(const pays *p, const seats_state *s, on_predecessor take, void *context)
    int ancestry_of(ancestry *a, const pays *p, const seats_state *s, const seats_state *before, const uint16_t *sizes,
                    uint64_t most)
    void ancestry_free(ancestry *a)


cdef seats_state seats_state_of(state) except *:
    cdef seats_state s
    cdef int seat, i
    leader, hands = state
    fill_bytes(&s, 0, sizeof(s))
    if not 2 <= len(hands) <= MAX_SEATS or sum(map(len, hands)) > MAX_PACKED_CARDS:
        raise ValueError(f"{len(hands)} hands of {sum(map(len, hands))} cards: 2 to {MAX_SEATS} of {MAX_PACKED_CARDS} at most are accepted")
    if not 0 <= leader < len(hands) or not hands[leader]:
        raise ValueError("the leader must have cards")
    s.seats = len(hands)
    s.leader = leader
    for seat in range(s.seats):
        s.n[seat] = len(hands[seat])
        for i in range(s.n[seat]):
            if hands[seat][i] >= CLASSES:
                raise ValueError("a card code is not one of 0 to 4")
            s.cards[seat][i] = hands[seat][i]
    return s


cdef tuple state_of_seats(const seats_state *s):
    return s.leader, tuple([(<const char *>s.cards[seat])[: s.n[seat]] for seat in range(s.seats)])


cdef int append_state(void *context, const seats_state *before) noexcept nogil:
    with gil:
        (<list>context).append(state_of_seats(before))
    return 1


def predecessors_of_seats(state, bytes pay_codes):
    """All states from which one trick leads to `state`: (leader, hands), hands of codes, empty ones out."""
    cdef pays p = pays_of(pay_codes)
    cdef seats_state s = seats_state_of(state)
    found = []
    seats_predecessors(&p, &s, append_state, <void *>found)
    return found


def ancestors_of_seats(state, before, sizes, bytes pay_codes, most):
    """All deals that lead to `state`; `before` (None: nothing) is the state before it on its loop, left out.

    `sizes`: cards of the leader, of the next seat, and so on. `most`: states to look at.
    Returns (states looked at, those with nobody out, whether that is all, [deals as states]).
    """
    cdef pays p = pays_of(pay_codes)
    cdef seats_state s = seats_state_of(state), left_out
    cdef uint16_t hands[4]
    cdef uint64_t bound = most
    cdef ancestry a
    cdef bint loop = before is not None
    cdef int done
    read_sizes(sizes, sum(map(len, state[1])), hands)
    if loop:
        left_out = seats_state_of(before)
    fill_bytes(&a, 0, sizeof(a))
    try:
        with nogil:
            done = ancestry_of(&a, &p, &s, &left_out if loop else NULL, hands, bound)
        if not done:
            raise MemoryError
        return a.states, a.full, bool(a.complete), [state_of_seats(&a.deals[i]) for i in range(a.n)]
    finally:
        ancestry_free(&a)
