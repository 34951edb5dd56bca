/* Random numbers by counter: word c of a stream can be had alone, at any time, on any machine.
 *
 * word(c) is a keyed bijection of the 64-bit counter: the splitmix64 finalizer (Steele, Lea and
 * Flood 2014, with Stafford's mix 13 constants) around a second key, so that two streams are not
 * shifted copies of one sequence. A stream belongs to (seed, searcher). */
#ifndef BEGGAR_RNG_H
#define BEGGAR_RNG_H

#include <stdint.h>

typedef struct {
    uint64_t key1, key2;
} rng_stream;

/* A place in a stream: all the state that a sequential user keeps. */
typedef struct {
    rng_stream stream;
    uint64_t counter;
} rng;

static inline uint64_t mix64(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

static inline uint64_t rng_word(rng_stream s, uint64_t counter)
{
    uint64_t z = counter * 0x9E3779B97F4A7C15u + s.key1;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z ^= s.key2;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

/* `domain` keeps apart what one searcher draws for different purposes. */
static inline rng_stream rng_stream_of(uint64_t seed, uint64_t searcher, uint64_t domain)
{
    uint64_t a = mix64(seed + 0x9E3779B97F4A7C15u);
    uint64_t b = mix64(a ^ mix64(searcher + 0xD1B54A32D192ED03u));
    uint64_t c = mix64(b ^ mix64(domain + 0x8CB92BA72F3D8DD7u));
    rng_stream s = {mix64(c + 0x9E3779B97F4A7C15u), mix64(c + 2 * 0x9E3779B97F4A7C15u)};
    return s;
}

static inline uint64_t rng_next(rng *r)
{
    return rng_word(r->stream, r->counter++);
}

/* Uniform in 0..n-1; the bias is below n / 2^64. */
static inline uint64_t rng_below(rng *r, uint64_t n)
{
    return (uint64_t)(((unsigned __int128)rng_next(r) * n) >> 64);
}

#endif
