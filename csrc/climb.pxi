# Hill-climbing: legs, and the moves alone, for tests.

cdef extern from "moves.h" nogil:
    enum:
        MOVE_SWAP
        MOVE_SHIFT
        MOVE_ROTATE
        MOVE_EXCHANGE
    ctypedef struct move:
        pass
    ctypedef struct move_list:
        move *at
        uint32_t n
    int moves_list(move_list *list, int kinds, const int *sizes, int seats)
    void moves_free(move_list *list)
    planes planes_of(const uint8_t *codes, int cards)
    int move_planes(const move *m, const planes *before, planes *after)
    int move_codes(const move *m, const uint8_t *before, int cards, uint8_t *after)

cdef extern from "climb.h" nogil:
    ctypedef struct climb:
        pass
    ctypedef struct climb_options:
        int move_kinds
        int first_improvement
        uint64_t patience
        objective wanted
    climb *climb_new(const dealer *d, const int *sizes, int seats, const climb_options *options, uint64_t seed, uint64_t searcher)
    void climb_free(climb *c)
    size_t climb_state_size(const climb *c)
    void climb_save(const climb *c, uint8_t *state)
    int climb_load(climb *c, const uint8_t *state)
    void c_climb_leg "climb_leg"(climb *c, const engine *e, const pays *p, uint64_t tests, gather *g)
    uint64_t climb_improvements(const climb *c)
    uint64_t climb_starts(const climb *c)

MOVES = {"swap": MOVE_SWAP, "shift": MOVE_SHIFT, "rotate": MOVE_ROTATE, "exchange": MOVE_EXCHANGE}


cdef int move_kinds(names) except -1:
    cdef int kinds = 0
    for name in names:
        kinds |= MOVES[name]
    return kinds


cdef int hand_sizes(sizes, int *out) except -1:
    if not 1 <= len(sizes) <= 4 or min(sizes) < 0 or not 1 <= sum(sizes) <= MAX_CARDS:
        raise ValueError(f"hands of {sizes} cards")
    for i, size in enumerate(sizes):
        out[i] = size
    return len(sizes)


def neighbours(bytes codes, sizes, names):
    """All neighbours of a deal by the moves `names`, in the order in which moves are numbered.

    Returns [(codes, packed deal or None), ...]: a neighbour as the careful path and as the fast
    path makes it; decks that cannot be packed have no fast path.
    """
    cdef int hands[4]
    cdef int seats = hand_sizes(sizes, hands), cards = <int>len(codes), by_codes, by_planes
    cdef const uint8_t *before = <const uint8_t *>PyBytes_AS_STRING(codes)
    cdef uint8_t after[1000]
    cdef move_list moves
    cdef planes p, q
    cdef packed_deal deal
    cdef bint packs
    cdef uint32_t i
    check_codes(before, cards)
    if sum(sizes) != cards:
        raise ValueError(f"{cards} cards for hands of {sizes}")
    packs = codes_to_packed(before, cards, hands[0], &deal)
    if packs:
        p = planes_of(before, cards)
    if not moves_list(&moves, move_kinds(names), hands, seats):
        raise MemoryError
    found = []
    try:
        for i in range(moves.n):
            by_codes = move_codes(&moves.at[i], before, cards, after)
            by_planes = move_planes(&moves.at[i], &p, &q) if packs else by_codes
            if by_codes != by_planes:
                raise AssertionError(f"move {i}: a neighbour by codes {by_codes}, by planes {by_planes}")
            if by_codes:
                if packs:
                    deal = planes_packed(&q, cards, hands[0])
                found.append(((<const char *>after)[:cards], (<const char *>&deal)[:sizeof(packed_deal)] if packs else None))
    finally:
        moves_free(&moves)
    return found


def climb_leg(counts, sizes, bytes pay_codes, seed, searcher, bytes state, tests, names, bint first_improvement, patience,
              wanted, least, keep, name=None):
    """Go on with the walks of a searcher for `tests` tests: two to four players, any deck.

    `state`: what the leg before returned, b"" before the first. `names`: the moves. Other arguments
    and what is gathered: see random_leg. Raises ValueError for a state that cannot be.
    Returns (state, counts, histogram of lengths, best, infinite); counts has 'starts' and 'improvements', too.
    """
    cdef int hands[4]
    cdef int seats = hand_sizes(sizes, hands)
    cdef pays p = pays_of(pay_codes)
    cdef const engine *e = find_engine(name, &p, sum(counts), sum(counts[1:]))
    cdef climb_options options
    cdef dealer *d = NULL
    cdef climb *c = NULL
    cdef gather *g = NULL
    cdef uint64_t n = tests
    cdef bytes after
    if sum(sizes) != sum(counts):
        raise ValueError(f"a deck of {sum(counts)} cards for hands of {sizes}")
    options.move_kinds = move_kinds(names)
    options.first_improvement = first_improvement
    options.patience = patience
    options.wanted = OBJECTIVES[wanted]
    try:
        d = new_dealer(counts, hands[0])
        c = climb_new(d, hands, seats, &options, seed, searcher)
        if c == NULL:
            raise MemoryError
        if state:
            if <size_t>len(state) != climb_state_size(c) or not climb_load(c, <const uint8_t *>PyBytes_AS_STRING(state)):
                raise ValueError("the state of a climbing searcher is damaged")
        g = new_gather(dealer_cards(d), wanted, keep, least)
        with nogil:
            c_climb_leg(c, e, &p, n, g)
        after = PyBytes_FromStringAndSize(NULL, climb_state_size(c))
        climb_save(c, <uint8_t *>PyBytes_AS_STRING(after))
        done, lengths, best, loops = gathered(g)
        done["starts"] = climb_starts(c)
        done["improvements"] = climb_improvements(c)
        return after, done, lengths, best, loops
    finally:
        gather_free(g)
        climb_free(c)
        dealer_free(d)
