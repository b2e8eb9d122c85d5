/* Whole frames: the same data for any cut into blocks and any number of threads; labels, weights and faults are kept. */
#include "frames.h"

#include "data/features.h"

static char *make(int rows, int bad) {
    static const char *const colours[] = {"red", "green", "", "blue", "red"};
    hsp_text t = {0};
    char *out = NULL;
    hsp_text_add(&t, "a,b,colour,c,d,flag,y\n");
    for (int i = 0; i < rows; i++) {
        if (i == bad)
            hsp_text_add(&t, "oops,");
        else
            hsp_text_format(&t, "%d,", i % 4);
        if (i % 9 == 5)
            hsp_text_add(&t, ",");
        else
            hsp_text_format(&t, "%d.25,", i * 7 % 50);
        hsp_text_format(&t, "%s,%d,%d,%s,%s\n", colours[i % 5], -i, i % 2, i % 3 ? "T" : "F", i % 2 ? "yes" : "no");
    }
    assert_int_equal(hsp_text_take(&t, &out, NULL), 0);
    return out;
}

static hsp_data *encode(const hsp_encoding *e, const hsp_frame *f, int threads, hsp_unseen *unseen) {
    hsp_data *data = NULL;
    hsp_error *err = NULL;
    const hsp_builder_rules rules = {.file = "t.csv"};
    *unseen = (hsp_unseen){0};
    frames_ok(hsp_encode_frame(e, f, &rules, threads, &data, unseen, &err), &err);
    hsp_unseen_levels_free(unseen->named);
    unseen->named = NULL;
    return data;
}

static void cut_anyhow(void **state) {
    (void)state;
    char *csv = make(700, -1);
    hsp_frame *whole = frames_of(csv, 1000);
    hsp_encoding *e = frames_learnt(whole, "missing=indicator");
    hsp_unseen unseen, other;
    hsp_data *one = encode(e, whole, 1, &unseen);
    assert_true(one->x.n == 700 && one->x.d == e->d && one->classes.count == 2 && !one->frame && !one->features);
    assert_string_equal(one->schema.name[1], "b");
    assert_string_equal(one->source, "t.csv");
    assert_true(unseen.filled == 78 + 140 && unseen.levels == 0);
    for (int k = 0; k < 6; k++) {
        hsp_frame *cut = frames_of(csv, k < 3 ? 1 : 64);
        hsp_data *two = encode(e, cut, 1 + k % 3, &other);
        assert_true(hsp_data_hash(one) == hsp_data_hash(two));
        assert_memory_equal(one->y, two->y, 700 * sizeof *one->y);
        assert_memory_equal(&unseen, &other, sizeof unseen);
        hsp_data_free(two);
        hsp_frame_free(cut);
    }
    hsp_data_free(one);
    hsp_encoding_release(e);
    hsp_frame_free(whole);
    hsp_free(csv);
}

/* The data holds what the blocks hold. */
static void values(void **state) {
    (void)state;
    hsp_frame *f = frames_of("x,c,y\n2,a,no\n0,b,yes\n-1.5,a,no\n", 2);
    hsp_encoding *e = frames_learnt(f, "");
    hsp_unseen unseen;
    hsp_data *data = encode(e, f, 2, &unseen);
    const double want[3][3] = {{2, 1, 0}, {0, 0, 1}, {-1.5, 1, 0}};
    for (int64_t i = 0; i < 3; i++) {
        double have[3] = {0, 0, 0};
        hsp_row r = hsp_matrix_row(&data->x, i);
        for (int64_t k = 0; k < r.count; k++) have[hsp_row_id(r, k)] = hsp_row_value(r, k);
        assert_memory_equal(have, want[i], sizeof have);
        assert_int_equal(data->y[i], i == 1);
    }
    hsp_data_free(data);
    hsp_encoding_release(e);
    hsp_frame_free(f);
}

static void weights_come_along(void **state) {
    (void)state;
    frames_weighted = true;
    hsp_frame *f = frames_of("x,c,y\n2,a,no\n0,b,yes\n-1.5,a,no\n", 2);
    frames_weighted = false;
    hsp_encoding *e = frames_learnt(f, "");
    hsp_unseen unseen = {0};
    hsp_data *data = encode(e, f, 2, &unseen), *bare = NULL;
    assert_true(data->weight[0] == 0.5 && data->weight[1] == 1.5 && data->weight[2] == 2.5);
    hsp_error *err = NULL;
    frames_ok(hsp_encode_cells(e, f, "t.csv", 2, &bare, &unseen, &err), &err);
    assert_true(!bare->weight && !bare->y && bare->classes.count == 0 && bare->x.n == 3 && bare->x.d == 3);
    hsp_data_free(bare);
    hsp_data_free(data);
    hsp_encoding_release(e);
    hsp_frame_free(f);
}

static void lines_come_along(void **state) {
    (void)state;
    hsp_frame *f = frames_of("x,c,y\n2,a,no\n0,b,yes\n-1.5,a,no\n", 2);
    hsp_encoding *e = frames_learnt(f, "");
    hsp_block out = {0};
    hsp_encode_room room = {0};
    hsp_unseen unseen = {0};
    f->block[1].column[0] = 9;
    assert_int_equal(hsp_encode_block(e, &f->block[1], NULL, &room, &out, &unseen, NULL), 0);
    assert_true(out.rows == 1 && !out.dense && !out.table && out.line_base + out.line[0] == 4 && out.column[0] == 9);
    assert_true(out.labelled && out.label[1] == 2 && memcmp(out.text, "no", 2) == 0);
    hsp_block_free(&out);
    hsp_encode_room_free(&room);
    hsp_encoding_release(e);
    hsp_frame_free(f);
}

/* The first fault in the order of the rows is reported, and the rows before it are there. */
static void faults(void **state) {
    (void)state;
    char *good = make(300, -1), *bad = make(300, 211);
    hsp_frame *f = frames_of(good, 50), *g = frames_of(bad, 20);
    hsp_encoding *e = frames_learnt(f, "missing=mean");
    for (int threads = 1; threads <= 3; threads++) {
        hsp_data *data = (hsp_data *)(void *)f;
        hsp_error *err = NULL;
        hsp_unseen unseen = {0};
        const hsp_builder_rules rules = {.file = "new.csv"};
        int status = hsp_encode_frame(e, g, &rules, threads, &data, &unseen, &err);
        frames_fails(status, HSP_EINPUT, &err,
                     "new.csv:213: column 'a' holds 'oops', where the model expects numbers: correct it, or use "
                     "--missing-values 'oops' to count it as missing");
        assert_null(data);
        assert_int_equal(hsp_encode_frame(e, g, &rules, threads, &data, &unseen, NULL), HSP_EINPUT);
        assert_int_equal(hsp_encode_cells(e, g, NULL, threads, &data, &unseen, NULL), HSP_EINPUT);
    }
    hsp_block out = {0};
    hsp_encode_room room = {0};
    hsp_unseen unseen = {0};
    assert_int_equal(hsp_encode_block(e, &g->block[10], NULL, &room, &out, &unseen, NULL), HSP_EINPUT);
    assert_int_equal(out.rows, 11);
    hsp_block_free(&out);
    hsp_encode_room_free(&room);
    hsp_encoding_release(e);
    hsp_frame_free(f);
    hsp_frame_free(g);
    hsp_free(good);
    hsp_free(bad);
}

/* Labels that the model does not know are reported as for any data. */
static void unknown_labels(void **state) {
    (void)state;
    char *classes[] = {"maybe", "no"};
    const hsp_classes known = {2, classes};
    hsp_frame *f = frames_of("x,c,y\n2,a,no\n0,b,yes\n", 2);
    hsp_encoding *e = frames_learnt(f, "");
    hsp_data *data = NULL;
    hsp_error *err = NULL;
    hsp_unseen unseen = {0};
    const hsp_builder_rules rules = {.file = "new.csv", .classes = &known};
    assert_int_equal(hsp_encode_frame(e, f, &rules, 2, &data, &unseen, &err), HSP_EINPUT);
    assert_non_null(strstr(hsp_error_message(err), "new.csv:3:1: "));
    hsp_error_free(err);
    hsp_encoding_release(e);
    hsp_frame_free(f);
}

static void memory_runs_out(void **state) {
    (void)state;
    char *csv = make(30, -1);
    hsp_frame *f = frames_of(csv, 9);
    hsp_encoding *e = frames_learnt(f, "missing=indicator;min-count=7");
    for (int64_t k = 0;; k++) {
        hsp_data *data = NULL, *cells = NULL;
        hsp_error *err = NULL;
        hsp_unseen unseen = {0};
        const hsp_builder_rules rules = {.file = "t.csv"};
        hsp_memory_fail_after(k);
        int status = hsp_encode_frame(e, f, &rules, 1, &data, &unseen, &err);
        if (!status) status = hsp_encode_cells(e, f, "t.csv", 1, &cells, &unseen, &err);
        hsp_memory_fail_after(-1);
        hsp_data_free(data);
        hsp_data_free(cells);
        hsp_error_free(err);
        if (status == 0) break;
        assert_int_equal(status, HSP_EMEMORY);
        assert_true(k < 2000);
    }
    hsp_encoding_release(e);
    hsp_frame_free(f);
    hsp_free(csv);
}

/* Rows of a part, encoded by an encoding learnt from them, or by that of all rows. */
static void once_more(void **state) {
    (void)state;
    hsp_frame *f = frames_of("x,c,y\n2,a,no\n0,b,yes\n-1.5,a,no\n", 2);
    hsp_encoding *e = frames_learnt(f, "");
    hsp_unseen unseen;
    hsp_data *data = encode(e, f, 1, &unseen), *part = NULL, *again = NULL;
    hsp_error *err = NULL;
    data->features = hsp_features_hold(&e->features);
    assert_ptr_equal(hsp_encoding_of(data->features), e);
    assert_null(hsp_encoding_of(NULL));
    data->frame = f;
    data->learnt_here = true;
    frames_ok(hsp_data_learn_again(data, 2, &again, &err), &err);
    assert_null(again); /* they are encoded already */
    const int64_t rows[] = {2, 0};
    frames_ok(hsp_data_take(data, rows, 2, &part, &err), &err);
    assert_true(part->frame && part->features == data->features && !part->learnt_here && part->x.d == 3);
    frames_ok(hsp_data_learn_again(part, 2, &again, &err), &err);
    assert_true(again->x.d == 2 && again->x.n == 2 && again->learnt_here && again->y[0] == 0 && again->classes.count == 2);
    hsp_data_free(again);
    frames_ok(hsp_data_encode_by(part, &e->features, 2, &again, &err), &err);
    assert_true(again->x.d == 3 && again->unseen.levels == 0 && hsp_data_hash(again) == hsp_data_hash(part));
    hsp_data_free(again);
    hsp_data_free(part);
    hsp_data_free(data);
    hsp_encoding_release(e);
}

/* Cells are matched by position: a table of other columns is not encoded, whether columns are missing or others. */
static void other_columns(void **state) {
    (void)state;
    static const char *const tables[] = {"x,y\n2,no\n0,yes\n", "c,x,y\na,2,no\nb,0,yes\n", "x,z,y\n2,a,no\n0,b,yes\n",
                                         "x,c,z,y\n2,a,1,no\n0,b,2,yes\n"};
    static const char *const words[] = {"t.csv: 1 column, but the model has 2: read the data for the model",
                                        "t.csv: column 'c' where the model has 'x': read the data for the model",
                                        "t.csv: column 'z' where the model has 'c': read the data for the model",
                                        "t.csv: 3 columns, but the model has 2: read the data for the model"};
    hsp_frame *known = frames_of("x,c,y\n2,a,no\n0,b,yes\n-1.5,a,no\n", 2);
    hsp_encoding *e = frames_learnt(known, "");
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        hsp_frame *f = frames_of(tables[i], 2);
        hsp_encoding *other = frames_learnt(f, "");
        hsp_unseen unseen;
        hsp_data *data = encode(other, f, 1, &unseen), *again = NULL;
        hsp_error *err = NULL;
        data->frame = f;
        frames_fails(hsp_data_encode_by(data, &e->features, 2, &again, &err), HSP_EINPUT, &err, words[i]);
        assert_null(again);
        hsp_data_free(data);
        hsp_encoding_release(other);
    }
    hsp_encoding_release(e);
    hsp_frame_free(known);
}

int main(void) {
    const struct CMUnitTest t[] = {
        cmocka_unit_test(cut_anyhow),       cmocka_unit_test(values),    cmocka_unit_test(weights_come_along),
        cmocka_unit_test(lines_come_along), cmocka_unit_test(faults),    cmocka_unit_test(unknown_labels),
        cmocka_unit_test(memory_runs_out),  cmocka_unit_test(once_more), cmocka_unit_test(other_columns),
    };
    return cmocka_run_group_tests(t, NULL, NULL);
}
