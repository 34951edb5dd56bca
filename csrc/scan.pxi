# Decks by their place in the order of all decks, legs of a scan, and the census of a small deck.

from libc.string cimport memset

cdef extern from *:
    ctypedef unsigned int deal_index "unsigned __int128"  # the C type is wider; Cython never computes with it

cdef extern from "ranking.h" nogil:
    deal_index orders_of(composition deck)
    deal_index index_of_codes(const uint8_t *codes, int cards)
    void codes_at_index(deal_index index, composition deck, uint8_t *codes)
    int c_next_order "next_order"(uint8_t *codes, int cards)

cdef extern from "scan_leg.h" nogil:
    int c_scan_leg "scan_leg"(const engine *e, const pays *p, const uint8_t *codes, int cards, const uint16_t *sizes, int seats,
                              uint64_t games, uint64_t limit, gather *g)

cdef extern from *:
    """
    static inline unsigned __int128 join_words(uint64_t high, uint64_t low) { return (unsigned __int128)high << 64 | low; }
    static inline uint64_t high_word(unsigned __int128 n) { return (uint64_t)(n >> 64); }
    static inline uint64_t low_word(unsigned __int128 n) { return (uint64_t)n; }
    """
    deal_index join_words(uint64_t high, uint64_t low) nogil
    uint64_t high_word(deal_index n) nogil
    uint64_t low_word(deal_index n) nogil


cdef object number_of(deal_index n):
    return (<object>high_word(n) << 64) | low_word(n)


def orders(counts):
    """The number of orders of a deck (counts by code); None where its indices do not fit in 128 bits."""
    cdef composition deck = composition_of(counts)
    return number_of(orders_of(deck)) or None


def indices_of(const uint8_t[::1] codes, int cards):
    """The indices of decks of `cards` codes each, one after the other; ValueError where they do not fit in 128 bits."""
    if cards < 1 or codes.shape[0] % cards:
        raise ValueError(f"{codes.shape[0]} codes for decks of {cards} cards")
    cdef Py_ssize_t n = codes.shape[0] // cards, i
    cdef composition deck
    indices = []
    for i in range(n):
        check_codes(&codes[i * cards], cards)
        deck = codes_composition(&codes[i * cards], cards)
        if not number_of(orders_of(deck)):
            raise ValueError("the indices of this deck do not fit in 128 bits")
        indices.append(number_of(index_of_codes(&codes[i * cards], cards)))
    return indices


def codes_at(index, counts):
    """The codes of the deck at `index`; ValueError where there is none, or indices do not fit in 128 bits."""
    cdef composition deck = composition_of(counts)
    cdef uint8_t codes[1000]
    number = orders(counts)
    if number is None:
        raise ValueError("the indices of this deck do not fit in 128 bits")
    if not 0 <= index < number:
        raise ValueError(f"index {index}: there are {number}")
    codes_at_index(join_words(index >> 64, index & 0xFFFFFFFFFFFFFFFF), deck, codes)
    return (<const char *>codes)[:sum(counts)]


def next_order(bytes codes):
    """The codes of the deck that follows; None after the last."""
    cdef uint8_t deck[1000]
    cdef int cards = <int>len(codes)
    check_codes(<const uint8_t *>PyBytes_AS_STRING(codes), len(codes))
    memcpy(deck, PyBytes_AS_STRING(codes), cards)
    return None if c_next_order(deck, cards) < 0 else (<const char *>deck)[:cards]


def scan_leg(bytes codes, sizes, bytes pay_codes, games, wanted, least, keep, loops, name=None, limit=None):
    """Play `games` deals in the order of their indices, from the deck `codes` on: two to four players, any deck.

    There must be so many. `limit`: cards after which a game stops and the most cards in hand win. Kept are the best `keep` finite games of value `least` or more, and the
    first `loops` infinite ones; all are counted.
    Returns (counts, histograms of lengths and of periods, best, infinite); the last two lists of (text, cards, tricks).
    """
    cdef pays p = pays_of(pay_codes)
    cdef const uint8_t *deck = <const uint8_t *>PyBytes_AS_STRING(codes)
    cdef int cards = <int>len(codes), done
    cdef uint64_t n = games, most = NO_LIMIT if limit is None else limit
    cdef uint16_t hands[4]
    check_codes(deck, len(codes))
    cdef int seats = read_sizes(sizes, cards, hands)
    cdef const engine *e = find_engine(name, &p, cards, cards - codes_composition(deck, cards).of[0])
    cdef gather *g = NULL
    if loops < 1:
        raise ValueError(f"keep {loops} infinite deals: 1 or more are accepted")
    try:
        g = new_gather(cards, wanted, keep, least)
        gather_first_loops(g, cards, loops)
        with nogil:
            done = c_scan_leg(e, &p, deck, cards, hands, seats, n, most, g)
        if not done:
            raise MemoryError
        counts, lengths, best, infinite = gathered(g, 0 if limit is None else seats)
        periods = histogram_of(g.periods, DENSE_PERIODS, &g.long_periods)
        return counts, lengths, periods, best, infinite
    finally:
        gather_free(g)


cdef extern from "census.h" nogil:
    ctypedef struct cycle_found:
        position at
        uint64_t period, deals, basin
    ctypedef struct census:
        uint64_t positions, live
        size_t n
        cycle_found *cycles
    int census_take(census *c, const pays *p, composition deck, int first)
    void census_free(census *c)


def backward_census(counts, int first, bytes pay_codes):
    """All cycles of a two-player deck by backward play alone; deals have `first` cards in the hand of seat 0.

    Returns (positions looked at, live ones, [(codes, leader's cards, period, infinite deals, basin), ...]): of each
    cycle a position, the number of its positions, the infinite deals that lead to it, and all positions that do.
    """
    cdef pays p = pays_of(pay_codes)
    cdef composition deck = composition_of(counts)
    cdef census c
    cdef int done
    cdef size_t i
    if not 0 <= first <= sum(counts) <= MAX_PACKED_CARDS - 1:
        raise ValueError(f"{first} of {sum(counts)} cards: decks of up to {MAX_PACKED_CARDS - 1} cards are accepted")
    memset(&c, 0, sizeof(c))
    try:
        with nogil:
            done = census_take(&c, &p, deck, first)
        if not done:
            raise MemoryError
        cycles = [(*_codes(&c.cycles[i].at), c.cycles[i].period, c.cycles[i].deals, c.cycles[i].basin) for i in range(c.n)]
        return c.positions, c.live, cycles
    finally:
        census_free(&c)
