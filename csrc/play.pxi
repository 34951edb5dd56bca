# Calls that play deals, and the two forms in which batches of deals come: strings and packed deals.

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.stdint cimport int32_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

cdef extern from "Python.h":
    int PyUnicode_Check(object o)
    int PyUnicode_KIND(object o)
    int PyUnicode_1BYTE_KIND
    Py_ssize_t PyUnicode_GET_LENGTH(object o)
    uint8_t *PyUnicode_1BYTE_DATA(object o)

cdef extern from "cards.h":
    enum:
        CLASSES
        INFINITE
        MAX_CARDS
        MAX_PACKED_CARDS
        MAX_PACKED_COURTS
    ctypedef struct pays:
        uint8_t pay[5]
    ctypedef struct packed_deal:
        uint64_t courts
        uint16_t rank_lo, rank_hi
        uint8_t cards, first
    ctypedef struct outcome:
        uint64_t cards, tricks, lead_in, period, loop_cards
        int32_t status, winner
    ctypedef struct game_result:
        uint64_t number
        uint32_t cards, tricks, lead_in, period, status

cdef extern from "engine.h" nogil:
    ctypedef struct engine:
        const char *name
        const char *summary
        int (*available)()
    const engine *ENGINES[]
    const engine *engine_for(const char *name, const pays *p, int cards, int courts)

cdef extern from "ring.h" nogil:
    uint64_t NO_LIMIT
    outcome ring_play(const pays *p, const uint8_t *codes, int cards, int first, uint64_t limit)

cdef extern from "packed.h" nogil:
    ctypedef struct planes:
        pass
    packed_deal planes_packed(const planes *p, int cards, int first)
    game_result result_of(uint64_t number, const outcome *o)
    int codes_to_packed(const uint8_t *codes, int cards, int first, packed_deal *deal)
    void packed_to_codes(const packed_deal *deal, uint8_t *codes)
    int packed_valid(const packed_deal *deal)

cdef extern from "strings.h" nogil:
    ctypedef struct composition:
        uint16_t of[5]
    int text_to_codes(const uint8_t *text, int cards, uint8_t *codes)
    int text_to_packed(const uint8_t *text, int cards, int first, packed_deal *deal)
    void packed_to_text(const packed_deal *deal, uint8_t *text)
    composition codes_composition(const uint8_t *codes, int cards)
    composition packed_composition(const packed_deal *deal)

cdef extern from "columns.h" nogil:
    ctypedef struct columns:
        uint32_t *cards
        uint32_t *tricks
        uint32_t *lead_in
        uint32_t *period
        uint32_t *status
    void columns_set(const columns *c, size_t i, const game_result *r)
    size_t columns_play(const char *name, const pays *p, const uint8_t *deals, size_t n, const composition *deck,
                        const columns *results)


class BadDeal(ValueError):
    """A deal of a batch that cannot be played under its rules; args[0] is its place in the batch."""


cdef pays pays_of(bytes pay_codes) except *:
    """`pay_codes`: what each class pays, by code, five bytes."""
    cdef pays p
    if len(pay_codes) != CLASSES or pay_codes[0] != 0 or 0 in pay_codes[1:]:
        raise ValueError("pays: five bytes, 0 for number cards, 1 or more for court cards")
    for i in range(CLASSES):
        p.pay[i] = pay_codes[i]
    return p


cdef composition composition_of(counts) except *:
    """`counts`: how many cards of each class, by code."""
    cdef composition deck
    if len(counts) != CLASSES or min(counts) < 0 or not 1 <= sum(counts) <= MAX_CARDS:
        raise ValueError(f"a deck of {counts}: five counts, 1 to {MAX_CARDS} cards in all")
    for i in range(CLASSES):
        deck.of[i] = counts[i]
    return deck


cdef int check_codes(const uint8_t *codes, Py_ssize_t n) except -1:
    cdef Py_ssize_t i
    cdef int wrong = 0
    if not 1 <= n <= MAX_CARDS:
        raise ValueError(f"a deck of {n} cards: 1 to {MAX_CARDS} are accepted")
    for i in range(n):
        wrong |= codes[i] >= CLASSES
    if wrong:
        raise ValueError("a card code is not one of 0 to 4")
    return 0


cdef bint same_composition(composition c, const uint16_t *wanted) noexcept nogil:
    cdef int i
    for i in range(CLASSES):
        if c.of[i] != wanted[i]:
            return False
    return True


def engine_names():
    """Names of the engines that this processor can run, fastest first."""
    names = []
    cdef int i = 0
    while ENGINES[i] != NULL:
        if ENGINES[i].available():
            names.append(ENGINES[i].name.decode())
        i += 1
    return names


def engine_summaries():
    """All engines compiled in, {name: one line about it}."""
    summaries = {}
    cdef int i = 0
    while ENGINES[i] != NULL:
        summaries[ENGINES[i].name.decode()] = ENGINES[i].summary.decode()
        i += 1
    return summaries


def engine_chosen(bytes pay_codes, int cards, int courts, name=None):
    """Name of the engine that plays such decks here when `name` (None: no wish) is asked for."""
    cdef pays p = pays_of(pay_codes)
    return find_engine(name, &p, cards, courts).name.decode()


cdef const engine *find_engine(name, const pays *p, int cards, int courts) except NULL:
    cdef const engine *e
    cdef bytes asked
    if name is None:
        e = engine_for(NULL, p, cards, courts)
    else:
        asked = name.encode()
        e = engine_for(asked, p, cards, courts)
    if e == NULL:
        raise ValueError(f"no engine {name!r}")
    return e


def play_codes(bytes codes, int first, bytes pay_codes, limit=None):
    """Play one two-player deal with the careful engine.

    `codes` holds a code a card, the `first` cards of seat 0 before those of seat 1.
    Returns (status, cards, tricks, winner or -1, lead_in, period, loop_cards).
    """
    cdef pays p = pays_of(pay_codes)
    cdef const uint8_t *cards = <const uint8_t *>PyBytes_AS_STRING(codes)
    cdef int n = <int>min(len(codes), MAX_CARDS + 1)
    cdef uint64_t most = NO_LIMIT if limit is None else limit
    cdef outcome o
    check_codes(cards, len(codes))
    if not 0 <= first <= n:
        raise ValueError(f"{first} of {n} cards for seat 0")
    with nogil:
        o = ring_play(&p, cards, n, first, most)
    return o.status, o.cards, o.tricks, o.winner, o.lead_in, o.period, o.loop_cards


cdef columns columns_in(bytes results, size_t n) noexcept:
    """The columns of n results in one piece of memory: cards, tricks, lead_in, period, status."""
    cdef uint32_t *at = <uint32_t *>PyBytes_AS_STRING(results)
    return columns(at, at + n, at + 2 * n, at + 3 * n, at + 4 * n)


cdef bytes columns_of(const game_result *results, size_t n):
    """Five columns of n uint32 each, one after the other: cards, tricks, lead_in, period, status."""
    cdef bytes written = PyBytes_FromStringAndSize(NULL, 5 * n * sizeof(uint32_t))
    cdef columns into = columns_in(written, n)
    cdef size_t i
    with nogil:
        for i in range(n):
            columns_set(&into, i, &results[i])
    return written


cdef game_result *new_results(Py_ssize_t n) except NULL:
    cdef game_result *results = <game_result *>malloc((n + 1) * sizeof(game_result))
    if results == NULL:
        raise MemoryError
    return results


def play_packed(const uint8_t[::1] deals, bytes pay_codes, counts=None, name=None):
    """Play packed deals, 16 bytes each, on the best engine or the one called `name`.

    `counts`: the composition that every deal must have, by code; None takes any.
    Returns columns: see columns_of. Raises BadDeal.
    """
    cdef pays p = pays_of(pay_codes)
    cdef size_t n = deals.shape[0] // sizeof(packed_deal), good
    cdef composition deck
    cdef const composition *wanted = NULL
    cdef bytes text = b"" if name is None else name.encode()
    cdef const char *asked = NULL if name is None else PyBytes_AS_STRING(text)
    find_engine(name, &p, 1, 0)  # raises for names that there are not
    if <size_t>deals.shape[0] != n * sizeof(packed_deal):
        raise ValueError(f"packed deals take {sizeof(packed_deal)} bytes each: {deals.shape[0]} bytes are no whole number")
    if counts is not None:
        deck = composition_of(counts)
        wanted = &deck
    cdef bytes results = PyBytes_FromStringAndSize(NULL, 5 * n * sizeof(uint32_t))
    cdef columns into = columns_in(results, n)
    if n == 0:
        return results
    with nogil:
        good = columns_play(asked, &p, &deals[0], n, wanted, &into)
    if good < n:
        raise BadDeal(good)
    return results


cdef const uint8_t *letters_of(object text, Py_ssize_t *n) except? NULL:
    """The characters of a str that holds only ASCII; NULL for anything else."""
    if not isinstance(text, str) or PyUnicode_KIND(text) != PyUnicode_1BYTE_KIND:
        return NULL
    n[0] = PyUnicode_GET_LENGTH(text)
    return PyUnicode_1BYTE_DATA(text)


def pack_strings(strings, int cards, int first, counts=None):
    """Pack a list or tuple of strings over AKQJ-.

    `cards` letters each, the `first` of seat 0 (0 and 0: any length, half of it rounded up).
    `counts`: the composition that every deal must have, by code; None takes any. Raises BadDeal.
    """
    cdef list items = strings if type(strings) is list else list(strings)
    cdef Py_ssize_t n = len(items), i, length = 0
    cdef bytes packed = PyBytes_FromStringAndSize(NULL, n * sizeof(packed_deal))
    cdef packed_deal *at = <packed_deal *>PyBytes_AS_STRING(packed)
    cdef const uint8_t *letters
    cdef uint16_t wanted[5]
    cdef bint any_counts = counts is None
    for i in range(CLASSES):
        wanted[i] = 0 if any_counts else counts[i]
    for i in range(n):
        letters = letters_of(items[i], &length)
        if letters == NULL or (length != cards if cards else not 1 <= length <= MAX_PACKED_CARDS):
            raise BadDeal(i)
        if not text_to_packed(letters, <int>length, first if cards else <int>((length + 1) // 2), &at[i]):
            raise BadDeal(i)
        if not any_counts and not same_composition(packed_composition(&at[i]), wanted):
            raise BadDeal(i)
    return packed


def pack_codes(bytes codes, int first):
    """Pack one deal given as a code a card, the `first` cards of seat 0 first. Raises ValueError if it does not fit."""
    cdef packed_deal deal
    check_codes(<const uint8_t *>PyBytes_AS_STRING(codes), len(codes))
    if not 0 <= first <= len(codes):
        raise ValueError(f"{first} of {len(codes)} cards for seat 0")
    if not codes_to_packed(<const uint8_t *>PyBytes_AS_STRING(codes), <int>len(codes), first, &deal):
        raise ValueError(f"a deck that cannot be packed: {MAX_PACKED_CARDS} cards, {MAX_PACKED_COURTS} court cards at most")
    return (<const char *>&deal)[:sizeof(packed_deal)]


def unpack_strings(const uint8_t[::1] deals):
    """The strings of packed deals. Raises BadDeal."""
    cdef Py_ssize_t n = deals.shape[0] // sizeof(packed_deal), i
    cdef packed_deal deal
    cdef uint8_t text[64]
    if deals.shape[0] != n * <Py_ssize_t>sizeof(packed_deal):
        raise ValueError(f"packed deals take {sizeof(packed_deal)} bytes each: {deals.shape[0]} bytes are no whole number")
    strings = []
    for i in range(n):
        memcpy(&deal, &deals[i * sizeof(packed_deal)], sizeof(packed_deal))
        if not packed_valid(&deal):
            raise BadDeal(i)
        packed_to_text(&deal, text)
        strings.append((<const char *>text)[:deal.cards].decode("ascii"))
    return strings


def play_large(strings, int cards, int first, bytes pay_codes, counts=None):
    """Play a list of strings, one by one, with the careful engine: for decks that cannot be packed.

    Arguments, columns and errors as in pack_strings and play_packed.
    """
    cdef pays p = pays_of(pay_codes)
    cdef list items = strings if type(strings) is list else list(strings)
    cdef Py_ssize_t n = len(items), i, length = 0
    cdef uint8_t codes[1000]
    cdef uint16_t wanted[5]
    cdef bint any_counts = counts is None
    cdef const uint8_t *letters
    cdef game_result *results
    cdef int mine
    cdef outcome o
    for i in range(CLASSES):
        wanted[i] = 0 if any_counts else counts[i]
    results = new_results(n)
    try:
        for i in range(n):
            letters = letters_of(items[i], &length)
            if letters == NULL or (length != cards if cards else not 1 <= length) or length > MAX_CARDS:
                raise BadDeal(i)
            if not text_to_codes(letters, <int>length, codes):
                raise BadDeal(i)
            if not any_counts and not same_composition(codes_composition(codes, <int>length), wanted):
                raise BadDeal(i)
            mine = first if cards else <int>((length + 1) // 2)
            with nogil:
                o = ring_play(&p, codes, <int>length, mine, NO_LIMIT)
            results[i] = result_of(i, &o)
        return columns_of(results, n)
    finally:
        free(results)
