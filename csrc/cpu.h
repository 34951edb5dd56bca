/* What the processor that runs the program has, asked at run time: one build serves them all. */
#ifndef BEGGAR_CPU_H
#define BEGGAR_CPU_H

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define BEGGAR_X86 1
#else
#define BEGGAR_X86 0
#endif

#if BEGGAR_X86

/* Marks a function that may use the instructions of a processor with AVX2, and is only called there. */
#define AVX2_CODE __attribute__((target("avx2,bmi,bmi2,popcnt")))

static inline int cpu_has_avx2(void)
{
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2")
           && __builtin_cpu_supports("popcnt");
}

#endif

/* Small loops over vectors are unrolled, so that arrays of vectors become registers. */
#if defined(__clang__)
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 16")
#endif

#endif
