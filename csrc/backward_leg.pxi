# Legs that walk long games back: from samples in the middle of games, or from random deals.

cdef extern from "engine.h" nogil:
    ctypedef struct deal_source:
        pass

cdef extern from "dealing.h" nogil:
    enum:
        DOMAIN_SAMPLES
        DOMAIN_SAMPLE_PILOT
    ctypedef struct dealt:
        deal_source source
    dealt dealt_between(const dealer *d, rng_stream stream, uint64_t number, uint64_t end)

cdef extern from "sampler.h" nogil:
    ctypedef struct sampler:
        pass
    ctypedef struct samples:
        deal_source source
    sampler *sampler_new(composition deck, const pays *p, int first, int *possible)
    void sampler_free(sampler *s)
    void sampler_packed(const sampler *s, rng_stream stream, uint64_t number, size_t n, packed_deal *deals)
    samples samples_between(const sampler *s, rng_stream stream, uint64_t number, uint64_t end)

cdef extern from "backward_leg.h" nogil:
    ctypedef struct line_wishes:
        uint64_t walk_from, least, margin
        top_search top
    ctypedef struct line_find:
        uint64_t number, cards, tricks
        position deal, top
        int has_line
    ctypedef struct line_sink:
        uint64_t walks, beyond, walked, searches, unfinished
        line_find *finds
        size_t n
    line_sink line_sink_for(const pays *p, const line_wishes *wishes, gather *into)
    void line_sink_play(line_sink *s, const engine *e, deal_source *source)
    void line_sink_follow(line_sink *s, const game_result *result, const packed_deal *deal)
    int line_sink_close(line_sink *s)
    void line_sink_free(line_sink *s)

NO_DEALS = 2**64 - 1  # as a least value: no deal is kept, no game walked back

DOMAINS["samples"] = DOMAIN_SAMPLES
DOMAINS["sample pilot"] = DOMAIN_SAMPLE_PILOT


class NoSamples(ValueError):
    """No position of such a deck has court cards shared out evenly and both hands live."""


cdef sampler *new_sampler(counts, bytes pay_codes, int first) except NULL:
    cdef pays p = pays_of(pay_codes)
    cdef int possible
    cdef sampler *s = sampler_new(composition_of(counts), &p, first, &possible)
    if s == NULL:
        if possible:
            raise MemoryError
        raise NoSamples
    return s


def sample_packed(counts, int first, bytes pay_codes, seed, searcher, number, Py_ssize_t n, domain="samples"):
    """The packed samples `number` to `number + n - 1` of a searcher; see sampler.h. Raises NoSamples."""
    cdef rng_stream stream = rng_stream_of(seed, searcher, DOMAINS[domain])
    cdef uint64_t start = number
    cdef bytes deals
    cdef packed_deal *at
    cdef sampler *s = new_sampler(counts, pay_codes, first)
    try:
        deals = PyBytes_FromStringAndSize(NULL, n * sizeof(packed_deal))
        at = <packed_deal *>PyBytes_AS_STRING(deals)
        with nogil:
            sampler_packed(s, stream, start, n, at)
        return deals
    finally:
        sampler_free(s)


cdef str position_text(const position *s):
    """leader/other."""
    cdef uint8_t codes[64]
    cdef int n = s.leader.cards + s.other.cards
    position_to_codes(s, codes)
    text = "".join([CODE_LETTERS[codes[i]] for i in range(n)])
    return f"{text[:s.leader.cards]}/{text[s.leader.cards:]}"


CODE_LETTERS = "-JQKA"


cdef line_wishes wishes_of(int first, wanted, walk_from, least, margin, int top_steps, node_bound) except *:
    cdef line_wishes wishes
    wishes.walk_from = walk_from
    wishes.least = least
    wishes.margin = margin
    wishes.top.leader_cards = first
    wishes.top.by_tricks = wanted == "tricks"
    wishes.top.top_steps = top_steps
    wishes.top.node_bound = node_bound
    return wishes


cdef list finds_of(line_sink *sink):
    """Closes a sink: its finds, in the order of their games, as (deal, cards, tricks, line)."""
    cdef line_find *find
    cdef size_t i
    if not line_sink_close(sink):
        raise MemoryError
    finds = []
    for i in range(sink.n):
        find = &sink.finds[i]
        line = position_text(&find.top) if find.has_line else ""
        finds.append((position_text(&find.deal), find.cards, find.tricks, line))
    return finds


def backward_extend(games, int first, bytes pay_codes, wanted, least, margin, int top_steps, node_bound):
    """Walk finite games back that are known: the longest deals of their lines, from `least` on, as in backward_leg.

    `games`: (text, cards, tricks), two players, decks that can be packed, `first` cards to seat 0.
    Returns (walked, finds).
    """
    cdef pays p = pays_of(pay_codes)
    cdef line_wishes wishes = wishes_of(first, wanted, 0, least, margin, top_steps, node_bound)
    cdef line_sink sink = line_sink_for(&p, &wishes, NULL)
    cdef packed_deal deal
    cdef game_result result
    cdef const uint8_t *letters
    cdef Py_ssize_t length = 0
    result.number = 0
    result.status = 0
    try:
        for text, cards, tricks in games:
            letters = letters_of(text, &length)
            if letters == NULL or not text_to_packed(letters, <int>length, first, &deal):
                raise BadDeal(result.number)
            result.cards = cards
            result.tricks = tricks
            with nogil:
                line_sink_follow(&sink, &result, &deal)
            result.number += 1
        return sink.walked, finds_of(&sink)
    finally:
        line_sink_free(&sink)


def backward_leg(counts, int first, bytes pay_codes, seed, searcher, number, games, wanted, walk_from, least, margin,
                 int top_steps, node_bound, domain, keep_games=1, least_game=NO_DEALS, name=None):
    """Play the samples (domain 'samples') or random deals (domain 'deals') `number` to `number + games - 1` of a
    searcher and walk the long ones back; two players, decks that can be packed.

    `wanted`: 'cards' or 'tricks'. Games of `walk_from` or more are walked back; the longest deals of lines are
    kept from `least` on, and lines that fall short of it by more than `margin` are not searched. `keep_games` and
    `least_game`: the games themselves that are kept, as in random_leg.
    Returns (counts, histogram of lengths, best games, infinite, finds): finds are (deal, cards, tricks, line), with
    deal and line as 'leader/other', in the order of the games that led to them.
    """
    cdef pays p = pays_of(pay_codes)
    cdef rng_stream stream = rng_stream_of(seed, searcher, DOMAINS[domain])
    cdef uint64_t start = number, end = number + games
    cdef const engine *e = find_engine(name, &p, sum(counts), sum(counts[1:]))
    cdef line_wishes wishes = wishes_of(first, wanted, walk_from, least, margin, top_steps, node_bound)
    cdef bint sampled = domain in ("samples", "sample pilot")
    cdef sampler *s = NULL
    cdef dealer *d = NULL
    cdef gather *g = NULL
    cdef samples from_samples
    cdef dealt from_deals
    cdef line_sink sink
    g = new_gather(sum(counts), wanted, keep_games, least_game)
    sink = line_sink_for(&p, &wishes, g)
    try:
        if sampled:
            s = new_sampler(counts, pay_codes, first)
            from_samples = samples_between(s, stream, start, end)
        else:
            d = new_dealer(counts, first)
            if not dealer_packs(d):
                raise ValueError("a deck that cannot be packed")
            from_deals = dealt_between(d, stream, start, end)
        with nogil:
            line_sink_play(&sink, e, &from_samples.source if sampled else &from_deals.source)
        finds = finds_of(&sink)
        tally, lengths, best, infinite = gathered(g)
        tally.update(walks=sink.walks, beyond=sink.beyond, walked=sink.walked, searches=sink.searches, unfinished=sink.unfinished)
        return tally, lengths, best, infinite, finds
    finally:
        line_sink_free(&sink)
        gather_free(g)
        sampler_free(s)
        dealer_free(d)
