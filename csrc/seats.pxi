# Games of two to four players.

cdef extern from "cards.h":
    enum:
        MAX_SEATS

cdef extern from "seats.h" nogil:
    outcome c_seats_play "seats_play"(const pays *p, const uint8_t *codes, const uint16_t *sizes, int seats, uint64_t limit)
    void seats_play_batch(const pays *p, const uint8_t *codes, int cards, const uint16_t *sizes, int seats, size_t n,
                          game_result *results)


cdef int read_sizes(sizes, Py_ssize_t cards, uint16_t *into) except -1:
    """The cards of each seat, checked; returns the number of seats."""
    if not 2 <= len(sizes) <= MAX_SEATS:
        raise ValueError(f"{len(sizes)} seats: 2 to {MAX_SEATS} are accepted")
    if sum(sizes) != cards or min(sizes) < 0:
        raise ValueError(f"hands of {sizes} from a deck of {cards} cards")
    for i in range(len(sizes)):
        into[i] = sizes[i]
    return len(sizes)


def play_seats(bytes codes, sizes, bytes pay_codes, limit=None):
    """Play one deal of two to four players.

    `codes` holds a code a card, seat 0 first, `sizes` the cards of each seat.
    Returns (status, cards, tricks, winner or -1, lead_in, period, loop_cards).
    """
    cdef pays p = pays_of(pay_codes)
    cdef const uint8_t *cards = <const uint8_t *>PyBytes_AS_STRING(codes)
    cdef uint64_t most = NO_LIMIT if limit is None else limit
    cdef uint16_t hands[4]
    cdef outcome o
    check_codes(cards, len(codes))
    cdef int seats = read_sizes(sizes, len(codes), hands)
    with nogil:
        o = c_seats_play(&p, cards, hands, seats, most)
    return o.status, o.cards, o.tricks, o.winner, o.lead_in, o.period, o.loop_cards


def play_seats_codes(const uint8_t[::1] codes, sizes, bytes pay_codes):
    """Play deals of two to four players, a code a card, one deal after the other, all of the same `sizes`.

    Returns columns: see columns_of.
    """
    cdef pays p = pays_of(pay_codes)
    cdef int cards = sum(sizes)
    cdef uint16_t hands[4]
    cdef int seats = read_sizes(sizes, cards, hands)
    if not 1 <= cards <= MAX_CARDS or codes.shape[0] % cards:
        raise ValueError(f"{codes.shape[0]} codes for deals of {cards} cards")
    cdef size_t n = codes.shape[0] // cards, i
    cdef uint8_t wrong = 0
    cdef game_result *results = new_results(n)
    try:
        for i in range(n * cards):
            wrong |= codes[i] >= CLASSES
        if wrong:
            raise ValueError("a card code is not one of 0 to 4")
        if n:
            with nogil:
                seats_play_batch(&p, &codes[0], cards, hands, seats, n, results)
        return columns_of(results, n)
    finally:
        free(results)


def codes_of_strings(strings, int cards, counts=None):
    """The codes of a list or tuple of strings over AKQJ-, `cards` letters each, one after the other.

    `counts`: the composition that every deal must have, by code; None takes any. Raises BadDeal.
    """
    cdef list items = strings if type(strings) is list else list(strings)
    cdef Py_ssize_t n = len(items), i, length = 0
    cdef bytes codes = PyBytes_FromStringAndSize(NULL, n * cards)
    cdef uint8_t *at = <uint8_t *>PyBytes_AS_STRING(codes)
    cdef const uint8_t *letters
    cdef uint16_t wanted[5]
    cdef bint any_counts = counts is None
    for i in range(CLASSES):
        wanted[i] = 0 if any_counts else counts[i]
    for i in range(n):
        letters = letters_of(items[i], &length)
        if letters == NULL or length != cards or not 1 <= length <= MAX_CARDS or not text_to_codes(letters, cards, at):
            raise BadDeal(i)
        if not any_counts and not same_composition(codes_composition(at, cards), wanted):
            raise BadDeal(i)
        at += cards
    return codes
