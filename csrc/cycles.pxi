# Cycles: loops and their basins, pieces, and legs of the factory that makes infinite deals.

cdef extern from "cycles.h" nogil:
    enum:
        POSITION_TEXT
    ctypedef struct loop:
        position name
        uint64_t lead_in
        uint64_t period
        uint64_t cards
    ctypedef struct basin:
        pass
    int position_name(const position *s, char *text)
    int find_loop(const pays *p, const position *start, uint64_t most, loop *found)
    basin *basin_new(uint32_t room)
    void basin_free(basin *b)
    int basin_fill(basin *b, const pays *p, const loop *of, uint32_t most)
    uint32_t basin_size(const basin *b)
    const position *c_basin_position "basin_position"(const basin *b, uint32_t i)
    uint32_t basin_lead_in(const basin *b, uint32_t i)

cdef extern from "cycles_seam.h" nogil:
    enum:
        MAX_SEAM
        MAX_WORD
    ctypedef struct seam:
        uint8_t short_hand[8]
        uint8_t drift[8]
        uint8_t short_cards
        uint8_t drift_cards
        uint8_t short_leads
    ctypedef struct phase:
        uint64_t mask
        uint64_t sets
    ctypedef struct seam_play:
        pass
    ctypedef struct strip:
        uint64_t mask
        uint64_t ids
    ctypedef struct tape_word:
        strip word
        uint8_t class_of[16]
        unsigned tricks
    int seam_prepare(seam_play *p, const seam *s, const pays *pay, uint8_t classes)
    int tape_word_from_codes(const seam_play *p, const uint8_t *codes, int cards, tape_word *w)
    int play_round(const seam_play *p, tape_word *w, int *peak, uint8_t *sets)

cdef extern from "factory.h" nogil:
    ctypedef struct factory:
        pass
    ctypedef struct piece:
        uint32_t first
        uint8_t cards
        uint8_t courts
        uint8_t rounds
        uint8_t peak
        uint16_t tricks
    factory *factory_new(const seam *s, const pays *pay, const int *deck)
    void factory_free(factory *f)
    int c_factory_add "factory_add"(factory *f, const uint8_t *codes, int cards)
    void factory_small(factory *f, int numbers, int courts, uint64_t nodes)
    size_t factory_pieces(const factory *f)
    const piece *factory_piece(const factory *f, size_t i)
    const phase *factory_phases(const factory *f, const piece *q)
    uint64_t factory_tests(const factory *f)
    uint64_t factory_tricks(const factory *f)
    uint64_t factory_turned(const factory *f)
    void phase_codes(const phase *at, int cards, uint8_t *codes)

cdef extern from "factory_tapes.h" nogil:
    ctypedef struct tape_limits:
        int parts
        int peak
        int ranks
        uint32_t basin
        uint64_t tricks
    ctypedef struct made_deal:
        uint8_t codes[64]
        uint32_t cycle
        uint32_t lead_in
    ctypedef struct tape_counts:
        uint64_t rows
        uint64_t tapes
        uint64_t cycles
        uint64_t with_deals
        uint64_t deals
        uint64_t basin_positions
        uint64_t incomplete
        uint64_t long_cycles
        uint64_t broken
    ctypedef struct tapes:
        pass
    tapes *tapes_new(factory *f, const pays *pay, int leader_cards, const tape_limits *limits)
    void tapes_free(tapes *t)
    int tapes_make(tapes *t, size_t first, size_t last, uint64_t most)
    const tape_counts *tapes_counts(const tapes *t)
    size_t tapes_deals(const tapes *t)
    const made_deal *tapes_deal(const tapes *t, size_t i)

cdef extern from "factory_leg.h" nogil:
    ctypedef struct leg_plan:
        uint64_t tests
        uint64_t epoch_tests
        uint64_t close_tests
        uint64_t epoch_tapes
        int half
        size_t known
    int c_factory_leg "factory_leg"(factory *f, tapes *t, rng *random, const leg_plan *plan)

cdef extern from "rng.h" nogil:
    ctypedef struct rng:
        rng_stream stream
        uint64_t counter

SEAM_CARDS = MAX_SEAM
WORD_CARDS = MAX_WORD


cdef object _text_of(const position *s):
    cdef char text[65]
    cdef int n = position_name(s, text)
    return text[:n].decode("ascii")


def cycle_basin(bytes codes, int leader_cards, bytes pay, uint32_t most, uint64_t tricks):
    """The cycle that a position plays into, and the positions that play into that cycle.

    Args:
        codes: one kernel code a card, the leader's hand first; at most 64 cards, no hand empty.
        leader_cards: how many of them are the leader's.
        pay: what each code pays, five bytes.
        most: positions at most; tricks: of the game at most.

    Returns:
        None if the game ends. Else (name, lead_in, cycle_period, cards in the loop, complete, positions):
        positions a list of (text 'leader/other', lead-in), nearest first, the cycle's own first.
        ValueError where no loop closed within so many tricks.
    """
    cdef pays p = pays_of(pay)
    cdef position s = _position(codes, leader_cards)
    cdef loop found
    cdef int status, complete
    cdef basin *b
    with nogil:
        status = find_loop(&p, &s, tricks, &found)
    if status < 0:
        raise ValueError(f"no loop within {tricks} tricks")
    if status == 0:
        return None
    b = basin_new(most)
    if b == NULL:
        raise MemoryError
    try:
        with nogil:
            complete = basin_fill(b, &p, &found, most)
        positions = [(_text_of(c_basin_position(b, i)), basin_lead_in(b, i)) for i in range(basin_size(b))]
    finally:
        basin_free(b)
    return _text_of(&found.name), found.lead_in, found.period, found.cards, bool(complete), positions


cdef seam _seam(bytes short_hand, bytes drift, bint short_leads) except *:
    cdef seam s
    if not 1 <= len(short_hand) <= MAX_SEAM or len(drift) > MAX_SEAM:
        raise ValueError(f"a seam of {len(short_hand)} cards with a drift of {len(drift)}: 1 to {MAX_SEAM}, 0 to {MAX_SEAM}")
    s.short_cards, s.drift_cards, s.short_leads = len(short_hand), len(drift), short_leads
    for i, c in enumerate(short_hand):
        s.short_hand[i] = c
    for i, c in enumerate(drift):
        s.drift[i] = c
    return s


cdef factory *_factory(seam *s, const pays *p, deck) except NULL:
    cdef int counts[5]
    for c in range(5):
        counts[c] = deck[c]
    cdef factory *f = factory_new(s, p, counts)
    if f == NULL:
        raise ValueError("the seam does not fit the deck, or there is no memory")
    return f


cdef list _words(const factory *f, size_t first):
    """(codes, court cards, rounds, peak, tricks) of the pieces from `first` on."""
    cdef uint8_t codes[64]
    cdef size_t i
    cdef const piece *q
    found = []
    for i in range(first, factory_pieces(f)):
        q = factory_piece(f, i)
        phase_codes(factory_phases(f, q), q.cards, codes)
        found.append(((<const char *>codes)[:q.cards], q.courts, q.rounds, q.peak, q.tricks))
    return found


def seam_round(bytes word, bytes pay, bytes short_hand, bytes drift, bint short_leads):
    """Play one round of a word against a seam: (the next round's word, tricks, peak); None if the round is not good.

    ValueError where the word does not begin with the drift or is too long.
    """
    cdef pays p = pays_of(pay)
    cdef seam s = _seam(short_hand, drift, short_leads)
    cdef seam_play play
    cdef tape_word w
    cdef int peak = len(short_hand), i
    if not seam_prepare(&play, &s, &p, 15) or not tape_word_from_codes(&play, <const uint8_t *>PyBytes_AS_STRING(word), <int>len(word), &w):
        raise ValueError(f"a word of {len(word)} cards that does not fit the seam")
    if not play_round(&play, &w, &peak, NULL):
        return None
    after = bytearray(len(word))
    for i in range(len(word)):
        if w.word.mask >> i & 1:
            after[i] = w.class_of[w.word.ids & 15]
            w.word.ids >>= 4
    return bytes(after), w.tricks, peak


def small_pieces(deck, bytes pay, bytes short_hand, bytes drift, bint short_leads, int numbers, int courts, uint64_t nodes):
    """All pieces of a seam with up to so many number cards and court cards, as in `factory_leg`."""
    cdef pays p = pays_of(pay)
    cdef seam s = _seam(short_hand, drift, short_leads)
    cdef factory *f = _factory(&s, &p, deck)
    try:
        with nogil:
            factory_small(f, numbers, courts, nodes)
        return _words(f, 0)
    finally:
        factory_free(f)


def factory_leg(deck, bytes pay, int leader_cards, seam_of, small, known, shared, share, limits, plan, stream):
    """One leg of the factory.

    Args:
        deck: cards of each code. pay: what each code pays. leader_cards: of the hand that leads in a deal.
        seam_of: (short hand, drift, short_leads), in codes.
        small: what pieces are made first: a list of (number cards, court cards, unfinished words) at most.
        known: words of pieces whose tapes among themselves are made; shared: words whose tapes are not.
        share: (k, n): of the tapes whose latest piece is shared, those of every n-th piece from the k-th on are made.
        limits: (parts, peak, ranks, basin, tricks), see tape_limits.
        plan: (tests, epoch_tests, close_tests, epoch_tapes), see leg_plan.
        stream: (seed, searcher, domain) of the random numbers.

    Returns:
        (deals, pieces, counts): deals a list of (codes, cards, tricks), cards and tricks as an infinite game counts
        them; pieces as `small_pieces`, the small ones not among them.
    """
    cdef pays p = pays_of(pay)
    cdef seam s = _seam(seam_of[0], seam_of[1], seam_of[2])
    cdef tape_limits lim
    cdef leg_plan todo
    cdef int numbers, courts, ok = 1
    cdef uint64_t nodes
    cdef size_t i, n, smalls, first, step, done
    cdef rng random
    cdef tapes *t = NULL
    cdef const tape_counts *made
    cdef const made_deal *d
    cdef outcome o
    lim.parts, lim.peak, lim.ranks, lim.basin, lim.tricks = limits
    todo.tests, todo.epoch_tests, todo.close_tests, todo.epoch_tapes = plan
    todo.half = leader_cards
    random.stream = rng_stream_of(stream[0], stream[1], stream[2])
    random.counter = 0
    cdef factory *f = _factory(&s, &p, deck)
    try:
        t = tapes_new(f, &p, leader_cards, &lim)
        if t == NULL:
            raise MemoryError
        for numbers, courts, nodes in small:
            with nogil:
                factory_small(f, numbers, courts, nodes)
        smalls = factory_pieces(f)
        for word in known:
            c_factory_add(f, <const uint8_t *>PyBytes_AS_STRING(word), <int>len(word))
        done = factory_pieces(f)
        for word in shared:
            c_factory_add(f, <const uint8_t *>PyBytes_AS_STRING(word), <int>len(word))
        first, step = share
        n = factory_pieces(f)
        with nogil:
            i = done + first
            while ok and i < n:
                ok = tapes_make(t, i, i + 1, todo.epoch_tapes)
                i += step
            todo.known = n if n > smalls else 0
            ok = ok and c_factory_leg(f, t, &random, &todo)
        if not ok:
            raise MemoryError
        deals = []
        for i in range(tapes_deals(t)):
            d = tapes_deal(t, i)
            n = sum(deck)
            o = ring_play(&p, d.codes, <int>n, leader_cards, NO_LIMIT)
            deals.append(((<const char *>d.codes)[:n], o.cards, o.tricks))
        made = tapes_counts(t)
        counts = {"tests": factory_tests(f), "tricks": factory_tricks(f), "cards": factory_turned(f),
                  "pieces": factory_pieces(f) - smalls,
                  "tapes": made.tapes, "cycles": made.cycles, "cycles_with_deals": made.with_deals, "deals": made.deals,
                  "basin_states": made.basin_positions, "incomplete": made.incomplete, "long_cycles": made.long_cycles,
                  "broken": made.broken}
        return deals, _words(f, smalls), counts
    finally:
        tapes_free(t)
        factory_free(f)
