/* Which of the levels runs. */
#include "kernel/level.h"

#include <stdatomic.h>
#include <stddef.h>
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

/* The best first. */
static const hsp_level *const levels[] = {
#ifdef __x86_64__
    &hsp_level_v4,
    &hsp_level_v3,
#endif
    &hsp_level_plain,
};

static _Atomic(const hsp_level *) chosen;

bool hsp_level_choose(const char *name) {
    for (size_t k = 0; k < sizeof levels / sizeof *levels; k++)
        if (runs_here(levels[k]) && (!name || strcmp(name, levels[k]->name) == 0)) {
            atomic_store(&chosen, levels[k]);
            return true;
        }
    return false;
}

/* Threads that come here at once all choose the same. */
const hsp_level *hsp_level_now(void) {
    const hsp_level *level = atomic_load(&chosen);
    if (level) return level;
    hsp_level_choose(NULL);
    return atomic_load(&chosen);
}
