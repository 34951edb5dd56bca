/* The loop over lanes, for byte_queue.h. A vector engine includes this file after it has defined
 *
 *   VECTOR               a vector of GAMES hands of 16 bytes
 *   VECTORS, GAMES       vectors in flight, games in each; LANES = VECTORS * GAMES
 *   CODE                 the attribute of a function that may use its instructions
 *   lanes                the state of all lanes: arrays of VECTORS vectors, of which `leader` and
 *                        `other` are the hands, `payment` has the last payment in the first byte of
 *                        each lane
 *   fixed                what does not change in a lane during a game
 *   seat()               puts the first state of a game into a lane
 *   play_tricks()        plays one trick in every lane, from one state to another, and returns the
 *                        lanes that must not go on, as bits (see LANE_BIT)
 *   cards_at()           cards played in a lane
 *
 * and gets run_lanes(), which plays a stream.
 *
 * Two states take turns: a trick reads one and writes the other. The lanes that ended with the
 * trick before are replaced while this trick is under way: the processor need not wait for the
 * exits, and what this trick made of an ended game is overwritten. */

#define LANES (VECTORS * GAMES)
#define LANE_BIT(lane) ((lane) % GAMES * BQ_HAND + (lane) / GAMES * 2)
#define LANE_AT(bit) ((bit) % BQ_HAND / 2 * GAMES + (bit) / BQ_HAND)

/* Who plays in a lane. */
typedef struct {
    packed_deal deal;
    uint64_t number;
    uint64_t born;        /* the trick count of the loop when its first trick was about to be played */
    int live;
} tenant;

typedef struct {
    bq_stream *stream;
    int live;             /* lanes with a game */
    fixed fixed;
    tenant tenants[LANES];
} hall;

static inline const uint8_t *hand_at(const VECTOR *vectors, int lane)
{
    return (const uint8_t *)vectors + lane * BQ_HAND;
}

/* Gives a lane of `state` to the next game, or to the endless one. `now`: the loop's trick count. */
CODE static inline void seat_next(hall *h, lanes *state, int lane, uint64_t now)
{
    const bq_start *start = bq_next(h->stream);
    tenant *t = &h->tenants[lane];

    h->live += (start != NULL) - t->live;
    t->live = start != NULL;
    t->born = now;
    if (start) {
        t->number = start->number;
        t->deal = h->stream->deals[start->deal];
    } else {
        start = &BQ_IDLE;
    }
    seat(state, &h->fixed, lane / GAMES, lane % GAMES, start);
}

/* Finishes the game in a lane of `state`. */
CODE static inline void finish(hall *h, const lanes *state, int lane, uint64_t now, int too_old)
{
    const tenant *t = &h->tenants[lane];
    bq_end e = {
        .leader = hand_at(state->leader, lane),
        .other = hand_at(state->other, lane),
        .deal = &t->deal,
        .number = t->number,
        .cards = cards_at(state, lane),
        .tricks = (uint32_t)(now - t->born),
        .payment = *hand_at(state->payment, lane),
        .too_old = too_old,
    };
    bq_finish(h->stream, &e);
}

CODE static inline uint64_t old_lanes(const hall *h, uint64_t now)
{
    uint64_t old = 0;
    for (int lane = 0; lane < LANES; lane++)
        if (h->tenants[lane].live && now - h->tenants[lane].born >= CAREFUL_AGE)
            old |= (uint64_t)1 << LANE_BIT(lane);
    return old;
}

CODE static void run_lanes(bq_stream *stream)
{
    hall h = {.stream = stream};
    lanes state[2];
    uint64_t exits[2] = {0, 0};        /* lanes of state[i] that must not go on */
    uint64_t now = 0;                  /* tricks that state[side] is from the start */
    uint64_t next_check = CAREFUL_AGE;

    memset(state, 0, sizeof state);
    for (int lane = 0; lane < LANES; lane++)
        seat_next(&h, &state[0], lane, now);
    while (h.live) {
        UNROLL
        for (int side = 0; side < 2; side++, now++) {
            exits[!side] = play_tricks(&state[side], &state[!side], &h.fixed);

            uint64_t leave = exits[side], old = 0;
            if (__builtin_expect(now >= next_check, 0)) {
                old = old_lanes(&h, now) & ~leave;
                leave |= old;
                next_check = now + CAREFUL_AGE;
            }
            for (; leave; leave &= leave - 1) {
                int bit = __builtin_ctzll(leave), lane = LANE_AT(bit);
                if (h.tenants[lane].live)
                    finish(&h, &state[side], lane, now, old >> bit & 1);
                seat_next(&h, &state[!side], lane, now + 1);
                exits[!side] &= ~((uint64_t)1 << bit);
            }
        }
    }
    bq_push(stream);
}
