# Random deals by number, and legs of them.

cdef extern from "rng.h" nogil:
    ctypedef struct rng_stream:
        uint64_t key1, key2
    rng_stream rng_stream_of(uint64_t seed, uint64_t searcher, uint64_t domain)

cdef extern from "dealing.h" nogil:
    enum:
        DOMAIN_DEALS
        DOMAIN_PILOT
    ctypedef struct dealer:
        pass
    dealer *dealer_new(composition deck, int first)
    void dealer_free(dealer *d)
    int dealer_packs(const dealer *d)
    int dealer_cards(const dealer *d)
    void dealer_packed(const dealer *d, rng_stream stream, uint64_t number, size_t n, packed_deal *deals)
    void dealer_codes(const dealer *d, rng_stream stream, uint64_t number, uint8_t *codes)

cdef extern from "keeper.h" nogil:
    ctypedef struct kept:
        uint64_t value, cards, tricks
        char *text
    ctypedef struct keeper:
        size_t n
    kept *keeper_entry(const keeper *k, size_t i)

cdef extern from "gather.h" nogil:
    enum:
        DENSE_LENGTHS
        DENSE_PERIODS
    ctypedef struct number_list:
        uint64_t *at
        size_t n
    ctypedef enum objective:
        FOR_CARDS
        FOR_TRICKS
        FOR_INFINITE
    ctypedef struct gather:
        uint64_t games, cards, tricks, infinite, limited, draws
        uint64_t *wins
        uint64_t *lengths
        uint64_t *periods
        number_list long_lengths, long_periods
        keeper best, loops
    gather *gather_new(int cards, objective wanted, size_t keep, uint64_t least)
    void gather_first_loops(gather *g, int cards, size_t keep)
    void gather_free(gather *g)
    int gather_close(gather *g)

cdef extern from "random_leg.h" nogil:
    void c_random_leg "random_leg"(const engine *e, const pays *p, const dealer *d, const uint16_t *sizes, int seats,
                                   rng_stream stream, uint64_t number, uint64_t games, uint64_t limit, gather *g)
    uint64_t c_random_bare "random_bare"(const engine *e, const pays *p, const dealer *d, rng_stream stream, uint64_t number,
                                         uint64_t games)

OBJECTIVES = {"cards": FOR_CARDS, "tricks": FOR_TRICKS, "infinite": FOR_INFINITE}
DOMAINS = {"deals": DOMAIN_DEALS, "pilot": DOMAIN_PILOT}


cdef dealer *new_dealer(counts, int first) except NULL:
    cdef dealer *d
    if not 0 <= first <= sum(counts):
        raise ValueError(f"{first} cards for seat 0 of a deck of {counts}")
    d = dealer_new(composition_of(counts), first)
    if d == NULL:
        raise MemoryError
    return d


def deal_codes(counts, seed, searcher, number, domain="deals"):
    """The codes of deal `number` of a searcher, all cards of the deck."""
    cdef rng_stream stream = rng_stream_of(seed, searcher, DOMAINS[domain])
    cdef uint64_t n = number
    cdef uint8_t codes[1000]
    cdef dealer *d = new_dealer(counts, 0)
    cdef int cards = dealer_cards(d)
    try:
        with nogil:
            dealer_codes(d, stream, n, codes)
        return (<const char *>codes)[:cards]
    finally:
        dealer_free(d)


def deal_packed(counts, int first, seed, searcher, number, Py_ssize_t n, domain="deals"):
    """The packed deals `number` to `number + n - 1` of a searcher. Raises ValueError for decks that cannot be packed."""
    cdef rng_stream stream = rng_stream_of(seed, searcher, DOMAINS[domain])
    cdef uint64_t start = number
    cdef bytes deals
    cdef packed_deal *at
    cdef dealer *d = new_dealer(counts, first)
    try:
        if not dealer_packs(d):
            raise ValueError(f"a deck that cannot be packed: {MAX_PACKED_CARDS} cards, {MAX_PACKED_COURTS} court cards at most")
        deals = PyBytes_FromStringAndSize(NULL, n * sizeof(packed_deal))
        at = <packed_deal *>PyBytes_AS_STRING(deals)
        with nogil:
            dealer_packed(d, stream, start, n, at)
        return deals
    finally:
        dealer_free(d)


cdef list kept_deals(const keeper *k):
    """What is kept, best first, as (text, cards, tricks)."""
    cdef kept *entry
    cdef size_t i
    deals = []
    for i in range(k.n):
        entry = keeper_entry(k, i)
        deals.append(((<bytes>entry.text).decode("ascii"), entry.cards, entry.tricks))
    return deals


cdef dict histogram_of(const uint64_t *dense, size_t size, const number_list *rest):
    """How often each value occurs: below `size` counted in `dense`, from there on listed in `rest`."""
    cdef size_t i
    counted = {}
    for i in range(size):
        if dense[i]:
            counted[i] = dense[i]
    for i in range(rest.n):
        counted[rest.at[i]] = counted.get(rest.at[i], 0) + 1
    return counted


cdef tuple gathered(gather *g, int seats_limited=0):
    """What a leg gathered: counts, histogram of lengths, best finite deals, infinite deals.

    `seats_limited`: players of games with a limit; then it is counted, too, how many games the limit
    stopped, how many of these were draws, and how many games each seat won. 0: no limit.
    """
    cdef int seat
    if not gather_close(g):
        raise MemoryError
    lengths = histogram_of(g.lengths, DENSE_LENGTHS, &g.long_lengths)
    counts = {"games": g.games, "cards": g.cards, "tricks": g.tricks, "infinite": g.infinite}
    if seats_limited:
        counts |= {"limited": g.limited, "draws": g.draws}
        for seat in range(seats_limited):
            counts[f"wins_{seat}"] = g.wins[seat]
    return counts, lengths, kept_deals(&g.best), kept_deals(&g.loops)


cdef gather *new_gather(int cards, wanted, keep, least) except NULL:
    cdef gather *g
    if keep < 1:
        raise ValueError(f"keep {keep} deals: 1 or more are accepted")
    g = gather_new(cards, OBJECTIVES[wanted], keep, least)
    if g == NULL:
        raise MemoryError
    return g


def random_leg(counts, sizes, bytes pay_codes, seed, searcher, number, games, wanted, least, keep, domain="deals", name=None, limit=None):
    """Deal and play the deals `number` to `number + games - 1` of a searcher: two to four players, any deck.

    `counts`, `pay_codes`: by code. `sizes`: cards of each seat. `wanted`: 'cards', 'tricks' or 'infinite'; finite games whose value
    is `least` or more are kept, the best `keep` of them, and all infinite ones. `limit`: cards after which a game stops and the most cards in hand win.
    Returns (counts, histogram of lengths, best, infinite); the last two lists of (text, cards, tricks).
    """
    cdef pays p = pays_of(pay_codes)
    cdef rng_stream stream = rng_stream_of(seed, searcher, DOMAINS[domain])
    cdef uint64_t start = number, n = games, most = NO_LIMIT if limit is None else limit
    cdef const engine *e = find_engine(name, &p, sum(counts), sum(counts[1:]))
    cdef uint16_t hands[4]
    cdef int seats = read_sizes(sizes, sum(counts), hands)
    cdef dealer *d = new_dealer(counts, hands[0])
    cdef gather *g = NULL
    try:
        g = new_gather(dealer_cards(d), wanted, keep, least)
        with nogil:
            c_random_leg(e, &p, d, hands, seats, stream, start, n, most, g)
        return gathered(g, 0 if limit is None else seats)
    finally:
        gather_free(g)
        dealer_free(d)


def random_bare(counts, int first, bytes pay_codes, seed, searcher, number, games, name=None):
    """The games of random_leg with nothing gathered, for benchmarks: the cards of all together. Packed decks only."""
    cdef pays p = pays_of(pay_codes)
    cdef rng_stream stream = rng_stream_of(seed, searcher, DOMAIN_DEALS)
    cdef uint64_t start = number, n = games, cards
    cdef const engine *e = find_engine(name, &p, sum(counts), sum(counts[1:]))
    cdef dealer *d = new_dealer(counts, first)
    try:
        if not dealer_packs(d):
            raise ValueError(f"a deck that cannot be packed: {MAX_PACKED_CARDS} cards, {MAX_PACKED_COURTS} court cards at most")
        with nogil:
            cards = c_random_bare(e, &p, d, stream, start, n)
        return cards
    finally:
        dealer_free(d)
