/* The choice of the level. */
#include "kernel/level.h"

#include "halfspace_internal.h"
#include "kernel/kernel.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

extern const hsp_level hsp_level_plain;
#ifdef __x86_64__
extern const hsp_level hsp_level_v3, hsp_level_v4;
#endif

static bool runs_here(const hsp_level *level) {
#ifdef __x86_64__
    if (level == &hsp_level_v4) return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("fma");
    if (level == &hsp_level_v3) return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#endif
    return level == &hsp_level_plain;
}

/* Best first. */
static const hsp_level *const levels[] = {
#ifdef __x86_64__
    &hsp_level_v4,
    &hsp_level_v3,
#endif
    &hsp_level_plain,
};

static _Atomic(const hsp_level *) chosen = &hsp_level_plain;

bool hsp_level_choose(const char *name) {
    for (size_t k = 0; k < sizeof levels / sizeof *levels; k++)
        if (runs_here(levels[k]) && (!name || strcmp(name, levels[k]->name) == 0)) {
            atomic_store(&chosen, levels[k]);
            memcpy(hsp_dots, levels[k]->dense->dot, sizeof levels[k]->dense->dot); /* dense forms are first */
            memcpy(hsp_axpys, levels[k]->dense->axpy, sizeof levels[k]->dense->axpy);
            memcpy(hsp_norms2, levels[k]->dense->norm2, sizeof levels[k]->dense->norm2);
            memcpy(hsp_decodes, levels[k]->dense->decode, sizeof levels[k]->dense->decode);
            memcpy(hsp_transforms, levels[k]->dense->transform, sizeof levels[k]->dense->transform);
            memcpy(hsp_chains, levels[k]->dense->chains, sizeof levels[k]->dense->chains);
            return true;
        }
    return false;
}

/* The names for users; those of the levels are of micro-architectures. */
static const char *const names[][2] = {{"avx512", "v4"}, {"avx2", "v3"}, {"plain", "plain"}};
static const char *problem;

/* The level that HALFSPACE_SIMD names; NULL, with the problem: none. */
static const char *named_level(const char *name) {
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (strcmp(name, names[k][0]) == 0) return names[k][1];
    problem = "HALFSPACE_SIMD is not an instruction set: set it to plain, avx2 or avx512, or unset it";
    return NULL;
}

/* Before other threads exist that could be in a kernel. */
__attribute__((constructor)) static void choose_at_start(void) {
#ifdef __x86_64__
    __builtin_cpu_init();
#endif
    const char *wanted = getenv("HALFSPACE_SIMD"), *level = wanted && *wanted ? named_level(wanted) : NULL;
    if (level && !hsp_level_choose(level)) {
        problem = "HALFSPACE_SIMD names instructions that this processor does not have: set it to plain or avx2, or unset it";
        level = NULL;
    }
    if (!level) hsp_level_choose(NULL);
}

const char *hsp_simd_name(void) {
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (strcmp(hsp_level_now()->name, names[k][1]) == 0) return names[k][0];
    return "plain";
}

const char *hsp_simd_problem(void) {
    return problem;
}

const hsp_level *hsp_level_now(void) {
    return atomic_load_explicit(&chosen, memory_order_relaxed);
}
