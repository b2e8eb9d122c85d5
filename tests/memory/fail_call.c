/* Part of the library that tests/memory builds, never of the one that is installed. The program runs with it
 * (LD_LIBRARY_PATH) and fails the one allocation whose number, from 0, is in HSP_TEST_FAIL_CALL; HSP_TEST_CALLS names a
 * file for the total number of calls. */
#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>

__attribute__((constructor)) static void arm(void) {
    const char *digits = getenv("HSP_TEST_FAIL_CALL");
    int64_t call = digits ? 0 : -1;
    for (; digits && *digits >= '0' && *digits <= '9'; digits++) call = 10 * call + (*digits - '0');
    hsp_memory_fail_once(call);
}

__attribute__((destructor)) static void count_calls(void) {
    const char *name = getenv("HSP_TEST_CALLS");
    FILE *f = name ? fopen(name, "w") : NULL;
    if (!f) return;
    fprintf(f, "%lld\n", (long long)hsp_memory_calls());
    fclose(f);
}
