/* HALFSPACE_SIMD, which the library reads when it is loaded: this program runs itself again for each value. */
#include "halfspace_internal.h"
#include "kernel/level.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char self[4096];

/* The name that another process of this program prints with that value (NULL: none), and its problem in `problem`. */
static void run_with(const char *value, char name[32], char problem[256]) {
    char command[4200];
    if (value)
        setenv("HALFSPACE_SIMD", value, 1);
    else
        unsetenv("HALFSPACE_SIMD");
    snprintf(command, sizeof command, "'%s' show", self);
    FILE *f = popen(command, "r");
    assert_non_null(f);
    assert_non_null(fgets(name, 32, f));
    name[strcspn(name, "\n")] = 0;
    if (!fgets(problem, 256, f)) problem[0] = 0;
    assert_int_equal(pclose(f), 0);
}

static void levels_are_chosen_by_name(void **state) {
    (void)state;
    static const char *const known[][2] = {{"plain", "plain"}, {"avx2", "v3"}, {"avx512", "v4"}};
    char best[32], name[32], problem[256];
    run_with(NULL, best, problem);
    assert_string_equal(problem, "");
    for (int k = 0; k < 3; k++) {
        bool runs = hsp_level_choose(known[k][1]);
        run_with(known[k][0], name, problem);
        assert_string_equal(name, runs ? known[k][0] : best);
        assert_true(!problem[0] == runs);
        if (!runs) assert_non_null(strstr(problem, "does not have"));
    }
    assert_true(hsp_level_choose(NULL));
    assert_string_equal(hsp_simd_name(), best);
}

static void other_names_are_problems(void **state) {
    (void)state;
    static const char *const unknown[] = {"v3", "AVX2", "avx", "plain ", "sse2", "1"};
    char best[32], name[32], problem[256];
    run_with("", best, problem); /* empty: as if it were not set */
    assert_string_equal(problem, "");
    for (size_t k = 0; k < sizeof unknown / sizeof *unknown; k++) {
        run_with(unknown[k], name, problem);
        assert_string_equal(name, best);
        assert_non_null(strstr(problem, "is not an instruction set: set it to plain, avx2 or avx512"));
    }
}

int main(int argc, char **argv) {
    if (argc > 1) {
        printf("%s\n%s", hsp_simd_name(), hsp_simd_problem() ? hsp_simd_problem() : "");
        return 0;
    }
    snprintf(self, sizeof self, "%s", argv[0]);
    const struct CMUnitTest tests[] = {cmocka_unit_test(levels_are_chosen_by_name), cmocka_unit_test(other_names_are_problems)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
