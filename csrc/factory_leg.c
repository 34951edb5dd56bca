#include "factory_leg.h"

/* The short hand has to grow to more than half of a fair share for a deal to be near; how far is
 * asked for varies from epoch to epoch, as do the length of words and how many court cards fresh
 * words have. In 1024ths of the fair share, of the longest word, and of the cards. */
enum {
    LEAST_PEAK = 550, MOST_PEAK = 770,
    CLOSING_PEAK = 500,
    SHORTEST = 450,
    LEAST_EARLY = 60, MOST_EARLY = 160,
    LEAST_LATE = 330, MOST_LATE = 590,
};

static int between(rng *random, int least, int most)
{
    return least + (int)rng_below(random, most - least + 1);
}

int factory_leg(factory *f, tapes *t, rng *random, const leg_plan *plan)
{
    const int *tape = factory_tape(f);
    int cards = 0;
    for (int c = 0; c < CLASSES; c++)
        cards += tape[c];
    size_t known = plan->known;
    for (uint64_t spent = 0; spent < plan->tests;) {
        uint64_t before = factory_tests(f), asked = plan->tests - spent;
        if (asked > plan->epoch_tests)
            asked = plan->epoch_tests;
        breed how = {
            .peak = between(random, LEAST_PEAK, MOST_PEAK) * plan->half / 1024,
            .cards = between(random, SHORTEST, 1024) * cards / 1024,
            .early = between(random, LEAST_EARLY, MOST_EARLY),
            .late = between(random, LEAST_LATE, MOST_LATE),
        };
        factory_breed(f, random, &how, asked);
        factory_close(f, CLOSING_PEAK * plan->half / 1024, random, plan->close_tests);
        if (!tapes_make(t, known, factory_pieces(f), plan->epoch_tapes))
            return 0;
        known = factory_pieces(f);
        /* Small decks have few words: an epoch may end with fewer tests than it was given. */
        uint64_t made = factory_tests(f) - before;
        spent += made > asked ? made : asked;
    }
    return 1;
}
