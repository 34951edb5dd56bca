/* One leg of the factory: epochs of breeding, closing and making tapes, until so many words are tested. */
#ifndef BEGGAR_FACTORY_LEG_H
#define BEGGAR_FACTORY_LEG_H

#include "factory_tapes.h"

typedef struct {
    uint64_t tests;          /* of the leg, beside those for small and known pieces */
    uint64_t epoch_tests;    /* bred between two closings */
    uint64_t close_tests;    /* at most, of one closing */
    uint64_t epoch_tapes;    /* at most, made after one closing */
    int half;                /* cards that a player must get back to for a deal */
    size_t known;            /* pieces whose tapes among themselves are made already */
} leg_plan;

/* Returns 0 if memory ran out. */
int factory_leg(factory *f, tapes *t, rng *random, const leg_plan *plan);

#endif
