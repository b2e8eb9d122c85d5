/* What rows have besides their numbers, and the first of several faults: the same for any cut of the rows into blocks. */
#include "data_fixture.h"

#include "data/digest_codes.h"
#include "data/labels.h"

enum { ROWS = 400 };

typedef struct fact {
    char label[24];
    uint32_t id;
    double weight;
} fact;

/* Rows with one value each, in blocks of 1 .. most rows; line i + 1, of which the blocks know only their own part. */
static int build(const fact *f, int64_t n, int64_t most, const hsp_builder_rules *rules, hsp_rng *r, hsp_data **out,
                 hsp_error **err) {
    *out = NULL;
    hsp_builder *b;
    hsp_block block = {0};
    int status = hsp_builder_new(rules, &b, err);
    if (status) return status;
    for (int64_t i = 0; status == 0 && i < n;) {
        int64_t count = 1 + hsp_rng_below(r, most), first = i;
        hsp_block_reset(&block, false, 0);
        block.weighted = true;
        for (; i < n && i < first + count; i++) {
            int64_t length = (int64_t)strlen(f[i].label);
            assert_int_equal(hsp_block_reserve(&block, 1, length), 0);
            int64_t at = hsp_block_tail(&block);
            block.id[at] = f[i].id;
            block.value[at] = 1;
            block.weight[block.rows] = f[i].weight;
            hsp_block_close_row(&block, 1, f[i].label, length, i - first + 1);
            block.column[block.rows - 1] = 3;
        }
        block.line_base = first;
        status = hsp_builder_add(b, &block, err);
    }
    hsp_block_free(&block);
    return finish_plain(b, status, 100, 1, out, err);
}

static void make_facts(hsp_rng *r, fact *f, int64_t kinds) {
    static const char *const before[] = {"", "+", "", " ", "c"}, *const after[] = {"", "", ".0", "", ""};
    for (int64_t i = 0; i < ROWS; i++) {
        int64_t way = hsp_rng_below(r, kinds < 3 ? 2 : 5);
        int name = 1 + (int)hsp_rng_below(r, kinds);
        snprintf(f[i].label, sizeof f[i].label, "%s%d%s", before[way], name, after[way]);
        f[i].id = 1 + (uint32_t)hsp_rng_below(r, 100);
        f[i].weight = (double)hsp_rng_below(r, 10);
    }
}

static void labels_of_any_cut(void **state) {
    (void)state;
    hsp_rng r = hsp_rng_new(21, 0);
    const int64_t kinds[] = {1, 2, 3, 50, 1000};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        fact f[ROWS];
        make_facts(&r, f, kinds[k]);
        hsp_labels *t;
        hsp_classes classes;
        int32_t y[ROWS];
        assert_int_equal(hsp_labels_new(NULL, "2=1,c3=c4", &t, NULL), 0);
        for (int64_t i = 0; i < ROWS; i++) {
            int64_t n = (int64_t)strlen(f[i].label);
            assert_int_equal(hsp_labels_class(t, f[i].label, n, 1, (hsp_place){0}, &y[i], NULL), 0);
        }
        assert_int_equal(hsp_labels_finish(t, &classes, y, NULL), 0);
        for (int64_t most = 1; most < 1000; most *= 5) {
            hsp_data *data;
            const hsp_builder_rules rules = {.map_label = "2=1,c3=c4"};
            assert_int_equal(build(f, ROWS, most, &rules, &r, &data, NULL), 0);
            assert_int_equal(data->classes.count, classes.count);
            for (int64_t c = 0; c < classes.count; c++) assert_string_equal(data->classes.name[c], classes.name[c]);
            assert_memory_equal(data->y, y, ROWS * sizeof *y);
            for (int64_t i = 0; i < ROWS; i++) assert_true(data->weight[i] == f[i].weight);
            hsp_data_free(data);
        }
        hsp_classes_clear(&classes);
        hsp_labels_free(t);
    }
}

static void targets_of_any_cut(void **state) {
    (void)state;
    hsp_rng r = hsp_rng_new(22, 0);
    fact f[ROWS];
    make_facts(&r, f, 2);
    for (int64_t i = 0; i < ROWS; i++) snprintf(f[i].label, sizeof f[i].label, "%d.5e-1", (int)(i % 10000));
    for (int64_t most = 1; most < 1000; most *= 5) {
        hsp_data *data;
        const hsp_builder_rules rules = {.regression = true};
        assert_int_equal(build(f, ROWS, most, &rules, &r, &data, NULL), 0);
        assert_null(data->y);
        for (int64_t i = 0; i < ROWS; i++) assert_true(data->target[i] == ((double)i + 0.5) / 10);
        hsp_data_free(data);
    }
}

/* Two faults in one file: that of the first row is reported. */
static void the_first_fault_is_reported(void **state) {
    (void)state;
    hsp_rng r = hsp_rng_new(23, 0);
    char *names[] = {(char[]){"1"}, (char[]){"2"}};
    const hsp_classes known = {2, names};
    const hsp_builder_rules any = {.file = "f"}, of_model = {.file = "f", .classes = &known},
                            regression = {.file = "f", .regression = true};
    for (int64_t most = 1; most < 1000; most *= 5) {
        for (int late = 0; late < 2; late++) {
            fact f[ROWS];
            hsp_data *data;
            hsp_error *err = NULL;
            make_facts(&r, f, 2);
            f[late ? 333 : 111].id = 0x80000005u;
            f[222].label[0] = '\0';
            const char *id = "f:112:1: feature 2147483653 is above the limit";
            assert_fails(build(f, ROWS, most, &any, &r, &data, &err), &err, HSP_EINPUT,
                         late ? "f:223:3: the label is empty" : id);
            assert_fails(build(f, ROWS, most, &of_model, &r, &data, &err), &err, HSP_EINPUT,
                         late ? "f:223:3: the label is missing" : id);
            assert_fails(build(f, ROWS, most, &regression, &r, &data, &err), &err, HSP_EINPUT,
                         late ? "f:223:3: the target is missing" : id);
            f[222].id = 0x80000006u; /* in one row the id comes first */
            assert_fails(build(f + 200, 100, most, &any, &r, &data, &err), &err, HSP_EINPUT, "f:23:1: feature 2147483654");
        }
    }
}

static void labels_that_a_model_does_not_know(void **state) {
    (void)state;
    hsp_rng r = hsp_rng_new(24, 0);
    char *names[] = {(char[]){"1"}, (char[]){"2"}};
    const hsp_classes known = {2, names};
    const hsp_builder_rules rules = {.file = "f", .classes = &known};
    fact f[ROWS];
    make_facts(&r, f, 2);
    for (int64_t i = 100; i < ROWS; i += 10) memcpy(f[i].label, i % 20 ? "no" : "7\0", 3);
    for (int64_t most = 1; most < 1000; most *= 5) {
        hsp_data *data;
        hsp_error *err = NULL;
        assert_fails(build(f, ROWS, most, &rules, &r, &data, &err), &err, HSP_EINPUT,
                     "f:101:3: 30 of 400 labels are not classes of the model, the first is '7'");
    }
}

/* Ids that the schema does not allow are reported at the end, at the first row of the largest id, or of an id 0. */
static void columns_out_of_range(void **state) {
    (void)state;
    hsp_rng r = hsp_rng_new(25, 0);
    const hsp_builder_rules rules = {.file = "f"};
    for (int64_t most = 1; most < 1000; most *= 5) {
        fact f[ROWS];
        hsp_data *data;
        hsp_error *err = NULL;
        make_facts(&r, f, 2);
        f[50].id = 101;
        f[150].id = f[151].id = 105;
        f[350].id = 102;
        assert_fails(build(f, ROWS, most, &rules, &r, &data, &err), &err, HSP_EINPUT, "f:151:1: feature 105");
        f[77].id = f[79].id = 0;
        assert_fails(build(f, ROWS, most, &rules, &r, &data, &err), &err, HSP_EINPUT, "f:78:1: feature 0");
    }
}

/* ---- codes ---- */

static uint64_t bits_of(double v) {
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

static void codes_are_in_order(void **state) {
    (void)state;
    hsp_codes c;
    hsp_codes_reset(&c);
    for (int round = 0; round < 2; round++)
        for (int k = 0; k < 256; k++) {
            assert_int_equal(hsp_codes_add(&c, bits_of(0)), HSP_CODES_ZERO);
            assert_int_equal(hsp_codes_add(&c, k == 7 ? bits_of(-0.0) : bits_of(1.0 / (k + 1))), k);
        }
    assert_int_equal(c.count, 256);
    assert_int_equal(hsp_codes_add(&c, bits_of(5)), -1);
    assert_int_equal(hsp_codes_add(&c, bits_of(1)), 0);
    assert_true(hsp_codes_holds(&c, bits_of(-0.0)) && !hsp_codes_holds(&c, bits_of(5)));
    const double good[] = {1, 0, 0.5, 1}, bad[] = {1, 2, 1};
    const uint8_t expected[] = {0, 255, 1, 0};
    uint8_t code[4];
    assert_true(hsp_codes_encode(&c, good, 4, code));
    assert_memory_equal(code, expected, 4);
    assert_false(hsp_codes_encode(&c, bad, 3, code));
    hsp_codes_reset(&c);
    assert_true(hsp_codes_encode(&c, bad, 3, code));
    assert_int_equal(c.count, 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(labels_of_any_cut),           cmocka_unit_test(targets_of_any_cut),
        cmocka_unit_test(the_first_fault_is_reported), cmocka_unit_test(labels_that_a_model_does_not_know),
        cmocka_unit_test(columns_out_of_range),        cmocka_unit_test(codes_are_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
