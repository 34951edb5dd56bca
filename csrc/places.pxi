# Loops searched for card by card.

cdef extern from "places.h" nogil:
    enum:
        MAX_ROUND_CARDS
    ctypedef struct round_frame:
        uint8_t exchange, short_leads, short_cards, short_reads, long_reads
    ctypedef struct places_loop:
        uint8_t leader_cards, tricks
        uint8_t sets[64]
    ctypedef struct places_found:
        uint64_t steps, tricks
        size_t n
        places_loop *loops
    int places_search(const pays *p, composition deck, const round_frame *frame, places_found *found)
    void places_free(places_found *found)

ROUND_CARDS = MAX_ROUND_CARDS


def loops_of_places(counts, bytes pay_codes, int short_cards, int cards):
    """All loops of places of a two-player deck in which a round turns so many cards; see csrc/places.h.

    Args:
        counts: cards of each code. pay_codes: what each code pays, five bytes.
        short_cards: in the smaller hand where the hands are most equal, not more than in the other.
        cards: turned in a round, 2 to ROUND_CARDS.

    Returns:
        (steps, tricks, [(leader's cards, tricks of the round, sets), ...]): cards turned and tricks ended in the search;
        `sets` has one byte a card, the leader's hand first: 0 for a number card, else bit code - 1 for every code that fits.
    """
    cdef pays p = pays_of(pay_codes)
    cdef composition deck = composition_of(counts)
    cdef round_frame frame
    cdef places_found found
    cdef int exchange, leads, reads, ok = 1
    cdef int size = sum(counts)
    cdef size_t i
    if not (2 <= size <= MAX_PACKED_CARDS and 1 <= short_cards <= size // 2 and 2 <= cards <= MAX_ROUND_CARDS):
        raise ValueError(f"a hand of {short_cards} cards of {size}, rounds of {cards} cards")
    memset(&found, 0, sizeof(found))
    try:
        with nogil:
            for exchange in range(2):
                for reads in range(1, cards):
                    for leads in range(2):
                        frame.exchange, frame.short_leads, frame.short_cards = exchange, leads, short_cards
                        frame.short_reads, frame.long_reads = reads, cards - reads
                        ok = ok and places_search(&p, deck, &frame, &found)
        if not ok:
            raise MemoryError
        loops = [
            (found.loops[i].leader_cards, found.loops[i].tricks, (<const char *>found.loops[i].sets)[:size])
            for i in range(found.n)
        ]
        return found.steps, found.tricks, loops
    finally:
        places_free(&found)
