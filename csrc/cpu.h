/* What the processor that runs the program has, asked at run time: one build serves them all. */
#ifndef BEGGAR_CPU_H
#define BEGGAR_CPU_H

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define BEGGAR_X86 1
#else
#define BEGGAR_X86 0
#endif

static inline int cpu_is_any(void)
{
    return 1;
}

#if BEGGAR_X86

/* Marks a function that may use the instructions of a processor with AVX2, and is only called there. */
#define AVX2_CODE __attribute__((target("avx2,bmi,bmi2,popcnt")))

static inline int cpu_has_avx2(void)
{
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2")
           && __builtin_cpu_supports("popcnt");
}

/* The same for AVX-512 with its extensions for bytes and bits: Ice Lake, Zen 4, and later. */
#define AVX512_CODE \
    __attribute__((target("avx2,bmi,bmi2,popcnt,gfni,avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi2,avx512bitalg,avx512vnni")))

static inline int cpu_has_avx512(void)
{
    return cpu_has_avx2() && __builtin_cpu_supports("gfni") && __builtin_cpu_supports("avx512f")
           && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")
           && __builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("avx512bitalg")
           && __builtin_cpu_supports("avx512vnni");
}

#endif

/* Small loops over vectors are unrolled, so that arrays of vectors become registers. */
#if defined(__clang__)
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 16")
#endif

#endif
