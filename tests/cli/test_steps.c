/* The recording of updates where the program cannot be brought to: too many cells, several problems at once, own names. */
#include "halfspace_internal.h"
#include "steps.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static hsp_update start_of(int64_t features, const double *w) {
    return (hsp_update){.size = sizeof(hsp_update),
                        .problems = 1,
                        .row = -1,
                        .weights = w,
                        .features = features,
                        .has_intercept = 1,
                        .y = NAN,
                        .score = NAN,
                        .margin = NAN,
                        .step = NAN,
                        .loss = NAN};
}

/* A line has 8 cells, the weights and the intercept; 1e8 cells are allowed. */
static void more_than_1e8_cells_are_refused(void **unused) {
    (void)unused;
    const double w[1] = {0};
    hsp_cli_steps s;
    assert_int_equal(hsp_cli_steps_begin(&s), 0);
    hsp_update u = start_of(100000000, w); /* nothing of it is read */
    assert_int_not_equal(hsp_cli_steps_add(&s, &u), 0);
    assert_true(s.too_many);
    assert_int_equal(hsp_cli_steps_complete(&s), HSP_EXIT_USAGE);
    hsp_cli_steps_free(&s);

    assert_int_equal(hsp_cli_steps_begin(&s), 0);
    u = start_of(1, w);
    assert_int_equal(hsp_cli_steps_add(&s, &u), 0);
    assert_int_equal(hsp_cli_steps_complete(&s), 0);
    s.count = 10000000 - 1; /* 10 cells each */
    assert_int_equal(hsp_cli_steps_add(&s, &u), 0);
    assert_int_not_equal(hsp_cli_steps_add(&s, &u), 0);
    assert_int_equal(hsp_cli_steps_complete(&s), HSP_EXIT_USAGE);
    hsp_cli_steps_free(&s);
}

/* Nothing was recorded, or the updates of a class before its start: it was solved together with others. */
static void incomplete_runs_are_refused(void **unused) {
    (void)unused;
    const double w[2] = {1, 2};
    hsp_cli_steps s;
    assert_int_equal(hsp_cli_steps_begin(&s), 0);
    assert_int_equal(hsp_cli_steps_complete(&s), HSP_EXIT_USAGE);
    hsp_update u = start_of(2, w);
    u.problems = 3;
    assert_int_equal(hsp_cli_steps_add(&s, &u), 0);
    u.problem = 1;
    u.updates = 4;
    assert_int_not_equal(hsp_cli_steps_add(&s, &u), 0);
    assert_int_equal(hsp_cli_steps_complete(&s), HSP_EXIT_USAGE);
    hsp_cli_steps_free(&s);
}

static void own_names_of_parameters_are_written(void **unused) {
    (void)unused;
    static const char *const names[] = {"1.1.1", "1.1.2", "2,1"};
    const double w[3] = {0.5, -1, 3};
    const int64_t rows[2] = {4, 0};
    char path[] = "/tmp/halfspace-steps-XXXXXX", text[512] = "";
    int file = mkstemp(path);
    assert_true(file >= 0);
    hsp_cli_steps s;
    assert_int_equal(hsp_cli_steps_begin(&s), 0);
    hsp_update u = start_of(3, w);
    u.names = names;
    u.has_intercept = 0;
    assert_int_equal(hsp_cli_steps_add(&s, &u), 0);
    u.updates = 1;
    u.rows = rows;
    u.row_count = 2;
    u.step = 0.1;
    u.loss = 2;
    assert_int_equal(hsp_cli_steps_add(&s, &u), 0);
    assert_int_equal(hsp_cli_steps_complete(&s), 0);
    assert_int_equal(hsp_cli_steps_write(&s, path, NULL), 0);
    hsp_cli_steps_free(&s);
    close(file);
    FILE *in = fopen(path, "r");
    assert_non_null(in);
    assert_true(fread(text, 1, sizeof text - 1, in) > 0);
    fclose(in);
    unlink(path);
    assert_string_equal(text, "update,epoch,row,y,score,margin,step,loss,w:1.1.1,w:1.1.2,\"w:2,1\"\n"
                              "0,0,,,,,,,0.5,-1,3\n"
                              "1,0,5;1,,,,0.1,2,0.5,-1,3\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(more_than_1e8_cells_are_refused),
                                       cmocka_unit_test(incomplete_runs_are_refused),
                                       cmocka_unit_test(own_names_of_parameters_are_written)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
