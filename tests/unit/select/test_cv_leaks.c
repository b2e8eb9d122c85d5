/* Nothing of a held-out row may reach the model that tests it. The held-out predictions must keep every bit when the targets
 * of their fold change, and when the cells of another row of their fold do: a mean that fills missing values, a scale, a level
 * or a word that was learnt from all rows would show. Rows that are copies of each other need groups, and rows that depend on
 * earlier ones need time order. */
#include "../read/own_folder.h"
#include "validated.h"

#include "base/rng.h"
#include "data/folds.h"

#include <stdio.h>

enum { ROWS = 40, FOLDS = 4 };

/* ---- a table ---- */

typedef struct table_row {
    char x[16], z[16], town[16], note[32];
    double y;
    int day;
} table_row;

static void make_rows(table_row *v) {
    static const char *const towns[] = {"Ulm", "Bonn", "Rome"}, *const notes[] = {"red apple", "green pear", "blue plum",
                                                                                  "red pear"};
    for (int i = 0; i < ROWS; i++) {
        v[i] = (table_row){.y = (i * 13) % 17 + 0.25 * i, .day = i};
        snprintf(v[i].x, sizeof v[i].x, i % 7 == 3 ? "" : "%d", (i * 29) % 23);
        snprintf(v[i].z, sizeof v[i].z, "%d.5", (i * 11) % 19);
        snprintf(v[i].town, sizeof v[i].town, "%s", i % 9 == 4 ? "" : towns[i % 3]);
        snprintf(v[i].note, sizeof v[i].note, "%s", notes[(i * 3) % 4]);
    }
}

static const char *const options[] = {"target", "y", "task", "regression", "missing", "indicator", "text", "note", NULL};

static hsp_data *read_rows(const table_row *v, const char *time) {
    const char *path = in_folder("t.csv");
    FILE *f = fopen(path, "w");
    hsp_data *data = NULL;
    hsp_error *err = NULL;
    fputs("x,z,town,note,day,y\n", f);
    for (int i = 0; i < ROWS; i++)
        fprintf(f, "%s,%s,%s,%s,%d,%.2f\n", v[i].x, v[i].z, v[i].town, v[i].note, v[i].day, v[i].y);
    fclose(f);
    hsp_options *o = options_of(options);
    hsp_options_set(o, time ? "time" : "ignore", "day", NULL);
    if (hsp_data_read(path, o, NULL, &data, &err)) fail_msg("%s", hsp_error_message(err));
    hsp_options_free(o);
    unlink(path);
    return data;
}

/* The held-out prediction of each row, NaN for rows that no fold tests, and its fold. */
static void predict_rows(const table_row *v, const char *time, double *out, int *fold) {
    const char *path = in_folder("p.csv");
    hsp_data *data = read_rows(v, time);
    hsp_report *r =
        validate(data, NULL,
                 PAIRS("task", "regression", "algorithm", "ridge", "scale", "standard", "folds", "4", "predictions", path));
    char line[200];
    FILE *f = fopen(path, "r");
    for (int i = 0; i < ROWS; i++) out[i] = NAN, fold[i] = 0;
    assert_string_equal(fgets(line, sizeof line, f), "row,fold,label,prediction\n");
    while (fgets(line, sizeof line, f)) {
        char *end;
        int row = (int)strtol(line, &end, 10), k = (int)strtol(end + 1, &end, 10);
        const char *label = end + 1, *comma = strchr(label, ','), *stop = comma + strcspn(comma, "\n");
        double value, p;
        assert_int_equal(hsp_parse_number(label, (size_t)(comma - label), &value), 0);
        assert_int_equal(hsp_parse_number(comma + 1, (size_t)(stop - comma - 1), &p), 0);
        assert_true(value == v[row - 1].y);
        out[row - 1] = p;
        fold[row - 1] = k;
    }
    fclose(f);
    unlink(path);
    hsp_report_free(r);
    hsp_data_free(data);
}

/* ---- traps ---- */

/* Other targets in a fold change nothing of its predictions, and something of those of every other fold. */
static void test_targets(void **state) {
    (void)state;
    table_row v[ROWS];
    double before[ROWS], after[ROWS];
    int fold[ROWS], again[ROWS];
    for (int k = 1; k <= FOLDS; k++) {
        make_rows(v);
        predict_rows(v, NULL, before, fold);
        for (int i = 0; i < ROWS; i++)
            if (fold[i] == k) v[i].y = 1000 - 7 * v[i].y;
        predict_rows(v, NULL, after, again);
        assert_memory_equal(fold, again, sizeof fold);
        for (int i = 0; i < ROWS; i++)
            if (fold[i] == k ? before[i] != after[i] : before[i] == after[i]) fail_msg("fold %d, row %d", k, i + 1);
    }
}

/* Other cells in one row, a level and words that no other row has and a number beyond all others among them, change the
 * prediction of no other row of its fold. */
static void test_cells(void **state) {
    (void)state;
    table_row v[ROWS];
    double before[ROWS], after[ROWS];
    int fold[ROWS], again[ROWS];
    for (int row = 0; row < ROWS; row += 7) {
        make_rows(v);
        predict_rows(v, NULL, before, fold);
        snprintf(v[row].x, sizeof v[row].x, "99999");
        snprintf(v[row].z, sizeof v[row].z, "-1234.5");
        snprintf(v[row].town, sizeof v[row].town, "Atlantis");
        snprintf(v[row].note, sizeof v[row].note, "unheard of things");
        predict_rows(v, NULL, after, again);
        int others = 0;
        for (int i = 0; i < ROWS; i++) {
            if (i == row) continue;
            if (fold[i] == fold[row] && before[i] != after[i]) fail_msg("row %d moved row %d", row + 1, i + 1);
            others += fold[i] != fold[row] && before[i] != after[i];
        }
        assert_true(others > ROWS / 2);
    }
}

/* In time order, nothing of a row reaches the predictions of rows before it, nor those of its own fold. */
static void test_future(void **state) {
    (void)state;
    table_row v[ROWS];
    double before[ROWS], after[ROWS];
    int fold[ROWS], again[ROWS];
    for (int row = 9; row < ROWS; row += 10) {
        make_rows(v);
        predict_rows(v, "day", before, fold);
        v[row].y = -500;
        snprintf(v[row].x, sizeof v[row].x, "77777");
        predict_rows(v, "day", after, again);
        assert_memory_equal(fold, again, sizeof fold);
        for (int i = 0; i < ROWS; i++) {
            if (i == row || isnan(before[i])) continue;
            if (fold[i] <= fold[row] && before[i] != after[i])
                fail_msg("row %d moved row %d, which is earlier", row + 1, i + 1);
            if (fold[i] > fold[row] && before[i] == after[i]) fail_msg("row %d does not move row %d", row + 1, i + 1);
        }
    }
}

/* Labels by chance, every row four times: without groups the copies are recognised, with groups accuracy is that of chance. */
static void test_copies(void **state) {
    (void)state;
    enum { PATIENTS = 50, COPIES = 4, D = 60, N = PATIENTS * COPIES };
    static double x[N * D];
    int class[N];
    int64_t group[N];
    hsp_rng rng = hsp_rng_new(3, 3);
    for (int p = 0; p < PATIENTS; p++)
        for (int j = 0; j < D; j++) {
            double v = hsp_rng_normal(&rng);
            for (int c = 0; c < COPIES; c++) x[(c * PATIENTS + p) * D + j] = v;
        }
    for (int i = 0; i < N; i++) group[i] = i % PATIENTS, class[i] = (i % PATIENTS) % 2;
    hsp_data *data = table_of(x, N, D, class);
    hsp_report *without = validate(data, NULL, PAIRS("algorithm", "logistic", "C", "10"));
    set_groups(data, group);
    hsp_report *with = validate(data, NULL, PAIRS("algorithm", "logistic", "C", "10"));
    assert_string_equal(hsp_report_text(with, "division"), "groups");
    assert_true(hsp_report_number(without, "mean") > 0.95 && hsp_report_number(with, "mean") < 0.65);
    hsp_report_free(without);
    hsp_report_free(with);
    hsp_data_free(data);
}

/* A level that drifts: random folds know the future and look good, time order does not. */
static void test_drift(void **state) {
    (void)state;
    enum { N = 120 };
    double x[N * 2], y[N], time[N];
    hsp_rng rng = hsp_rng_new(8, 8);
    double level = 0;
    for (int i = 0; i < N; i++) {
        level += 3 * hsp_rng_normal(&rng) + 1;
        y[i] = level;
        x[2 * i] = (double)(i / 10);
        x[2 * i + 1] = hsp_rng_normal(&rng);
        time[i] = i;
    }
    hsp_data *data = NULL;
    assert_int_equal(hsp_data_from_dense(x, N, 2, 2, NULL, NULL, &data, NULL), 0);
    assert_int_equal(hsp_data_set_targets(data, y, NULL), 0);
    hsp_report *random = validate(data, NULL, PAIRS("task", "regression", "algorithm", "least-squares"));
    hsp_array t = {sizeof t, time, HSP_FLOAT64, 1, {N, 1}, {8, 8}};
    assert_int_equal(hsp_data_set_times(data, &t, NULL), 0);
    hsp_report *ordered = validate(data, NULL, PAIRS("task", "regression", "algorithm", "least-squares"));
    assert_true(hsp_report_number(ordered, "mean") > 1.3 * hsp_report_number(random, "mean"));
    hsp_report_free(random);
    hsp_report_free(ordered);
    hsp_data_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_targets), cmocka_unit_test(test_cells), cmocka_unit_test(test_future),
        cmocka_unit_test(test_copies),  cmocka_unit_test(test_drift),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
