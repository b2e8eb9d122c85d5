/* Data files: what is written is read back, mapped and row by row, with and without a model; and files that are cut,
 * changed or forged are refused with one line. */
#include "read_bytes.h"

#include "golden_path.h"
#include "read/hsd.h"
#include "write/writer.h"

#include <math.h>
#include <xxhash.h>

static hsp_data *make(const char *name, const char *text, const char *spec) {
    hsp_options *o = options_of(spec);
    hsp_data *data = NULL;
    hsp_error *err = NULL;
    if (read_chunked(name, text, strlen(text), 1 << 18, o, NULL, &data, &err)) fail_msg("%s", hsp_error_message(err));
    hsp_options_free(o);
    return data;
}

/* Writes the data and returns the bytes; the caller frees them. */
static char *bytes_of(const hsp_data *data, int64_t *size) {
    const char *file = in_folder("x.hsd");
    hsp_error *err = NULL;
    if (hsp_data_write(data, file, NULL, &err)) fail_msg("%s", hsp_error_message(err));
    FILE *f = fopen(file, "rb");
    assert_non_null(f);
    assert_int_equal(fseek(f, 0, SEEK_END), 0);
    *size = ftell(f);
    rewind(f);
    char *bytes = hsp_alloc(*size, 1);
    assert_int_equal(fread(bytes, 1, (size_t)*size, f), *size);
    fclose(f);
    assert_int_equal(remove(file), 0);
    return bytes;
}

static int open_bytes(const char *bytes, int64_t size, hsp_hsd **out, hsp_error **err) {
    char *copy = hsp_alloc(size > 0 ? size : 1, 1);
    hsp_map *map = NULL;
    if (size > 0) memcpy(copy, bytes, (size_t)size);
    int status = hsp_map_take(copy, size, &map, err);
    if (status == 0) status = hsp_hsd_open(map, "x.hsd", out, err);
    hsp_map_close(map);
    return status;
}

static void assert_same_text(const char *a, const char *b) {
    assert_true(!a == !b);
    if (a) assert_string_equal(a, b);
}

static void assert_same_schema(const hsp_schema *a, const hsp_schema *b) {
    assert_same_text(a->format, b->format);
    assert_same_text(a->target, b->target);
    assert_same_text(a->weight, b->weight);
    assert_true(a->d == b->d && a->header == b->header && a->delimiter == b->delimiter && a->base == b->base);
    assert_true(a->file_columns == b->file_columns && a->target_column == b->target_column &&
                a->weight_column == b->weight_column);
    assert_true(!a->name == !b->name && !a->column == !b->column);
    for (int64_t j = 0; j < a->d; j++) {
        if (a->name) assert_string_equal(a->name[j], b->name[j]);
        if (a->column) assert_int_equal(a->column[j], b->column[j]);
    }
}

typedef struct good {
    const char *name, *text, *spec;
} good;

static const good examples[] = {
    {"x.csv", "a,b,label\n1,2.5,yes\n-3,0.1,no\n0,7,yes\n", ""},
    {"x.csv", "a;w;b;label\n1;2;2.5;yes\n-3;0.5;0.1;no\n", "weight=w"},
    {"x.csv", "1,2,3\n4,5,6\n", ""},
    {"x.csv", "a,b,y\n1,2,3.5\n4,5,-1e300\n", "task=regression"},
    {"x.csv", "0,0,0,0,0,0,0,1,0,0,0,0,a\n0,0,0,0,0,0,0,0,0,0,0,0,b\n0,0,0,0,0,0,0,0,0,0,2,0,b\n", ""},
    {"x.svm", "+1 1:0.5 3:1e-320\n-1 2:4\n1 70000:3\n", ""},
    {"x.svm", "0 0:1 5:1\n1 2:1\n2\n", ""},
    {"x.svm", "1:1 2:3\n4:0.5\n", ""},
    {"x.svm", "1 1:2 2:9 3:0.25\n-1 1:1 2:3 3:4\n", "weight=2"},
    {"x.csv", "x,label\n0.1,a\n0.2,b\n-0.0,a\n", ""},
};
enum { EXAMPLES = sizeof examples / sizeof *examples };

static void test_round_trip(void **state) {
    (void)state;
    for (int e = 0; e < EXAMPLES; e++) {
        hsp_data *data = make(examples[e].name, examples[e].text, examples[e].spec), *whole = NULL, *rows = NULL;
        int64_t size;
        char *bytes = bytes_of(data, &size);
        hsp_error *err = NULL;
        if (load_file(&hsp_reader_hsd, bytes, size, "", NULL, &whole, &err) != 1)
            fail_msg("%d: %s", e, err ? hsp_error_message(err) : "0");
        assert_true(hsp_data_hash(data) == hsp_data_hash(whole));
        assert_same_schema(&data->schema, &whole->schema);
        assert_int_equal(data->classes.count, whole->classes.count);
        assert_int_equal(data->x.nonzeros, whole->x.nonzeros);
        assert_non_null(whole->x.owner);
        assert_true(whole->x.lent & HSP_LENT_VALUE);
        const char *task = data->target ? "task=regression" : "";
        if (read_rows(&hsp_reader_hsd, bytes, size, task, NULL, &rows, &err)) fail_msg("%d: %s", e, hsp_error_message(err));
        assert_true(hsp_data_hash(data) == hsp_data_hash(rows));
        assert_same_schema(&data->schema, &rows->schema);
        assert_string_equal(rows->assumed, whole->assumed);
        /* Written again it is the same file, except for what was assumed and where it came from. */
        hsp_free(whole->assumed);
        hsp_free(whole->source);
        whole->assumed = hsp_strdup(data->assumed);
        whole->source = hsp_strdup(data->source);
        int64_t again_size;
        char *again = bytes_of(whole, &again_size);
        assert_int_equal(size, again_size);
        assert_memory_equal(bytes, again, (size_t)size);
        hsp_free(bytes);
        hsp_free(again);
        hsp_data_free(data);
        hsp_data_free(whole);
        hsp_data_free(rows);
    }
}

/* The bytes are refused as a whole and row by row. */
static void refuse(const char *bytes, int64_t size, const char *words) {
    hsp_hsd *f = NULL;
    hsp_error *err = NULL;
    hsp_data *data = NULL;
    int status = open_bytes(bytes, size, &f, &err);
    if (status == 0) status = hsp_hsd_check(f, 1, &err);
    if (status == 0) fail_msg("accepted; expected: %s", words);
    assert_int_equal(status, HSP_EINPUT);
    assert_string_equal(hsp_error_file(err), "x.hsd");
    if (!strstr(hsp_error_message(err), words)) fail_msg("'%s' is not in: %s", words, hsp_error_message(err));
    assert_null(strchr(hsp_error_message(err), '\n'));
    hsp_error_free(err);
    hsp_hsd_close(f);
    err = NULL;
    assert_int_equal(read_rows(&hsp_reader_hsd, bytes, size, "", NULL, &data, &err), HSP_EINPUT);
    hsp_error_free(err);
}

static void test_cut_and_changed(void **state) {
    (void)state;
    for (int e = 0; e < EXAMPLES; e += 3) {
        hsp_data *data = make(examples[e].name, examples[e].text, examples[e].spec);
        int64_t size;
        char *bytes = bytes_of(data, &size);
        for (int64_t n = 0; n < size; n++) refuse(bytes, n, "");
        for (int64_t i = 0; i < size; i++) {
            char was = bytes[i];
            bytes[i] = (char)(was ^ (1 << i % 8));
            refuse(bytes, size, "");
            bytes[i] = was;
        }
        refuse("", 0, "not a halfspace data file: create one with `halfspace convert`");
        hsp_free(bytes);
        hsp_data_free(data);
    }
}

/* ---- every coding of numbers ---- */

/* Three rows of four columns, with entries 2 and 5 (codes 1 and 2); made by hand, as a builder might have made it. */
static hsp_data *by_hand(bool dense, bool narrow, hsp_coding coding) {
    static const double cells[3][4] = {{2, 0, 0, 5}, {0, 0, 0, 0}, {0, 5, 2, 0}};
    hsp_data *data = hsp_alloc_zero(1, sizeof *data);
    hsp_matrix *m = &data->x;
    *m = (hsp_matrix){
        .n = 3, .d = 4, .dense = dense, .ids = narrow ? HSP_IDS_16 : HSP_IDS_32, .coding = coding, .dtype = HSP_FLOAT32};
    if (coding == HSP_CODING_F64) m->dtype = HSP_FLOAT64;
    if (!dense) m->row = hsp_alloc(4, sizeof *m->row);
    if (!dense) m->id = hsp_alloc(16, sizeof *m->id);
    if (coding == HSP_CODING_CODE8 || coding == HSP_CODING_ONE) m->table = hsp_alloc_zero(256, sizeof *m->table);
    if (m->table) m->table[0] = coding == HSP_CODING_ONE ? 5 : 0;
    if (coding == HSP_CODING_CODE8) m->table[1] = 2, m->table[2] = 5;
    if (coding != HSP_CODING_ONE) m->value = hsp_alloc(16, 8);
    for (int64_t i = 0; i < 3; i++) {
        if (!dense) m->row[i] = m->stored;
        for (int64_t j = 0; j < 4; j++) {
            double v = cells[i][j];
            int64_t t = m->stored;
            if (coding == HSP_CODING_ONE && v == 2) v = 0;
            m->nonzeros += v != 0;
            if (!dense && v == 0) continue;
            if (!dense && narrow) ((uint16_t *)(void *)m->id)[t] = (uint16_t)j;
            if (!dense && !narrow) m->id[t] = (uint32_t)j;
            if (coding == HSP_CODING_F64) ((double *)m->value)[t] = v;
            if (coding == HSP_CODING_F32) ((float *)m->value)[t] = (float)v;
            if (coding == HSP_CODING_CODE8) ((uint8_t *)m->value)[t] = v == 2 ? 1 : v == 5 ? 2 : 0;
            m->stored++;
        }
    }
    if (!dense) m->row[3] = m->stored;
    data->schema = (hsp_schema){.format = hsp_strdup("memory"), .d = 4};
    data->source = hsp_strdup("memory");
    return data;
}

static void forge(const hsp_data *data, const char *array, int32_t dtype, int64_t at, const void *value, int64_t n,
                  const char *words);

static void test_codings(void **state) {
    (void)state;
    for (int k = 0; k < 12; k++) {
        bool dense = k >= 8, narrow = k >= 4 && !dense;
        hsp_coding coding = (hsp_coding)(k % 4);
        if (dense && coding == HSP_CODING_ONE) continue;
        hsp_data *data = by_hand(dense, narrow, coding), *whole = NULL, *rows = NULL;
        int64_t size;
        char *bytes = bytes_of(data, &size);
        hsp_error *err = NULL;
        if (load_file(&hsp_reader_hsd, bytes, size, "", NULL, &whole, &err) != 1)
            fail_msg("%d: %s", k, err ? hsp_error_message(err) : "");
        const char *expected =
            coding == HSP_CODING_ONE ? "-: 0 0 0 5 | -: 0 0 0 0 | -: 0 5 0 0" : "-: 2 0 0 5 | -: 0 0 0 0 | -: 0 5 2 0";
        assert_rows(whole, expected);
        assert_true(whole->x.coding == coding && (whole->x.ids == HSP_IDS_16) == narrow && whole->x.dense == dense);
        assert_int_equal(whole->x.dtype, data->x.dtype);
        if (read_rows(&hsp_reader_hsd, bytes, size, "", NULL, &rows, &err)) fail_msg("%d: %s", k, hsp_error_message(err));
        assert_rows(rows, expected);
        hsp_free(bytes);
        hsp_data_free(whole);
        hsp_data_free(rows);
        uint16_t beyond = 4, twice = 3;
        uint8_t zero = 0, unused = 200;
        double nan = NAN, nothing = 0;
        if (narrow) forge(data, "ids", HSP_CONTAINER_UINT16, 1, &beyond, 2, "out of order or beyond");
        if (narrow && coding != HSP_CODING_ONE) forge(data, "ids", HSP_CONTAINER_UINT16, 0, &twice, 2, "out of order");
        if (coding == HSP_CODING_CODE8 && !dense) {
            forge(data, "values", HSP_CONTAINER_UINT8, 0, &zero, 1, "row 1 holds an invalid value");
            forge(data, "values", HSP_CONTAINER_UINT8, 2, &unused, 1, "row 3 holds an invalid value");
        }
        if (data->x.table) forge(data, "table", HSP_FLOAT64, 255, &nan, 8, "its arrays do not match its header");
        if (coding == HSP_CODING_ONE)
            forge(data, "table", HSP_FLOAT64, 0, &nothing, 8, "its arrays do not match its header");
        hsp_data_free(data);
    }
}

/* A view with gaps between the rows is written without them. */
static void test_stride(void **state) {
    (void)state;
    hsp_data *data = by_hand(true, false, HSP_CODING_F64), *whole = NULL;
    data->x.d = data->schema.d = 2;
    data->x.stride = 4;
    data->x.stored = 6;
    data->x.nonzeros = 2;
    int64_t size;
    char *bytes = bytes_of(data, &size);
    assert_int_equal(load_file(&hsp_reader_hsd, bytes, size, "", NULL, &whole, NULL), 1);
    assert_rows(whole, "-: 2 0 | -: 0 0 | -: 0 5");
    hsp_free(bytes);
    hsp_data_free(whole);
    hsp_data_free(data);
}

/* ---- forgeries: valid checksums, invalid content ---- */

static void reseal(char *bytes, int64_t size, const char *body, int64_t body_size) {
    int64_t pieces = (body_size + (1 << 22) - 1) >> 22;
    char *digests = bytes + size - 8 - 8 * pieces;
    for (int64_t k = 0; k < pieces; k++) {
        int64_t left = body_size - (k << 22);
        uint64_t h = XXH3_64bits(body + (k << 22), (size_t)(left < 1 << 22 ? left : 1 << 22));
        memcpy(digests + 8 * k, &h, 8);
    }
    int64_t head = body - bytes;
    char *sealed = hsp_alloc(head + 8 * pieces, 1);
    memcpy(sealed, bytes, (size_t)head);
    memcpy(sealed + head, digests, (size_t)(8 * pieces));
    uint64_t h = XXH3_64bits(sealed, (size_t)(head + 8 * pieces));
    memcpy(bytes + size - 8, &h, 8);
    hsp_free(sealed);
}

/* Puts n bytes at item `at` of an array and repairs all checksums. */
static void forge(const hsp_data *data, const char *array, int32_t dtype, int64_t at, const void *value, int64_t n,
                  const char *words) {
    int64_t size;
    char *bytes = bytes_of(data, &size);
    hsp_hsd *f = NULL;
    assert_int_equal(open_bytes(bytes, size, &f, NULL), 0);
    const hsp_container_array *a = hsp_container_find(&f->file, array, dtype);
    assert_non_null(a);
    const char *base = hsp_map_bytes(f->map);
    int64_t offset = (const char *)a->data - base, body = f->file.body - base, body_size = f->file.body_size;
    memcpy(bytes + offset + at * n, value, (size_t)n);
    reseal(bytes, size, bytes + body, body_size);
    hsp_hsd_close(f);
    refuse(bytes, size, words);
    hsp_free(bytes);
}

/* Replaces text of the header by other text of the same length. */
static void forge_header(const hsp_data *data, const char *from, const char *to, const char *words) {
    int64_t size;
    char *bytes = bytes_of(data, &size);
    hsp_hsd *f = NULL;
    assert_int_equal(open_bytes(bytes, size, &f, NULL), 0);
    int64_t body = f->file.body - hsp_map_bytes(f->map), body_size = f->file.body_size;
    hsp_hsd_close(f);
    char *at = memmem(bytes, (size_t)size, from, strlen(from));
    assert_non_null(at);
    assert_int_equal(strlen(from), strlen(to));
    memcpy(at, to, strlen(to));
    reseal(bytes, size, bytes + body, body_size);
    refuse(bytes, size, words);
    hsp_free(bytes);
}

static hsp_data *plain_sparse(void) {
    const int64_t row[] = {0, 2, 3, 5}, column[] = {0, 2, 1, 0, 70000};
    const double value[] = {0.1, 2, 3, -4, 5e300};
    const char *labels[] = {"a", "b", "a"};
    hsp_data *data = NULL;
    assert_int_equal(hsp_data_from_csr(row, column, value, 3, 80000, labels, &data, NULL), 0);
    return data;
}

static void test_forged_sparse(void **state) {
    (void)state;
    hsp_data *data = plain_sparse();
    assert_false(data->x.dense);
    int64_t offset[] = {-1, 6, 4, INT64_MAX, 1, INT64_MIN};
    forge(data, "offsets", HSP_INT64, 1, &offset[0], 8, "row 1 has invalid bounds");
    forge(data, "offsets", HSP_INT64, 3, &offset[1], 8, "row 3 has invalid bounds");
    forge(data, "offsets", HSP_INT64, 1, &offset[2], 8, "row 1 has columns out of order");
    forge(data, "offsets", HSP_INT64, 2, &offset[3], 8, "row 2 has invalid bounds");
    forge(data, "offsets", HSP_INT64, 0, &offset[4], 8, "row 1 has invalid bounds");
    forge(data, "offsets", HSP_INT64, 0, &offset[5], 8, "row 1 has invalid bounds");
    forge(data, "offsets", HSP_INT64, 3, &offset[2], 8, "row 3 has invalid bounds");
    if (data->x.ids != HSP_IDS_16) {
        uint32_t id[] = {80000, UINT32_MAX, 2};
        forge(data, "ids", HSP_UINT32, 4, &id[0], 4, "row 3 has columns out of order or beyond");
        forge(data, "ids", HSP_UINT32, 2, &id[1], 4, "row 2 has columns out of order or beyond");
        forge(data, "ids", HSP_UINT32, 0, &id[2], 4, "row 1 has columns out of order or beyond");
    }
    int32_t y[] = {2, -1};
    forge(data, "y", HSP_INT32, 2, &y[0], 4, "row 3 has an unknown class");
    forge(data, "y", HSP_INT32, 0, &y[1], 4, "row 1 has an unknown class");
    double bad[] = {NAN, INFINITY, 0};
    if (data->x.coding == HSP_CODING_F64 && data->x.dtype == HSP_FLOAT64) {
        for (int i = 0; i < 3; i++) forge(data, "values", HSP_FLOAT64, 1, &bad[i], 8, "row 1 holds an invalid value");
    } else if (data->x.table) {
        for (int i = 0; i < 2; i++) forge(data, "table", HSP_FLOAT64, 1, &bad[i], 8, "its arrays do not match");
    }
    forge_header(data, "\"rows\": 3", "\"rows\": 2", "its arrays do not match its header");
    forge_header(data, "\"rows\": 3", "\"rows\": 0", "invalid 'rows' in its header");
    forge_header(data, "\"features\": 80000", "\"features\": 90000", "its schema does not match");
    forge_header(data, "\"nonzeros\": 5", "\"nonzeros\": 4", "its arrays do not match its header");
    forge_header(data, "\"layout\": \"sparse\"", "\"layout\": \"parses\"", "invalid 'layout' in its header");
    forge_header(data, "\"task\": \"classification\"", "\"task\": \"regression\"    ", "invalid 'classes' in its header");
    forge_header(data, "\"name\":\"ids\"", "\"name\":\"idz\"", "its arrays do not match its header");
    forge_header(data, "\"classes\": [\"a\",\"b\"]", "\"classes\": [\"b\",\"a\"]", "invalid 'classes' in its header");
    forge_header(data, "halfspace data 1", "halfspace data 2", "of version 2");
    forge_header(data, "\"name\":\"digests\"", "\"name\":\"digestz\"", "its digests are missing");
    hsp_data_free(data);
}

static void test_forged_dense(void **state) {
    (void)state;
    hsp_data *data = make("x.csv", "a,b,w,y\n1.5,2.25,1,0.5\n3.125,4.1,1,-1\n", "task=regression weight=w");
    assert_true(data->x.dense);
    double bad[] = {NAN, -INFINITY, -1};
    forge(data, "targets", HSP_FLOAT64, 1, &bad[0], 8, "row 2 has a target");
    forge(data, "weights", HSP_FLOAT64, 0, &bad[1], 8, "row 1 has a weight");
    forge(data, "weights", HSP_FLOAT64, 1, &bad[2], 8, "row 2 has a weight");
    forge_header(data, "\"nonzeros\": 4", "\"nonzeros\": 3", "number of non-zeros");
    forge_header(data, "\"target_column\":4", "\"target_column\":9", "'target_column'");
    hsp_data_free(data);
    data = make("x.csv", "w,x,y\n0,1,a\n3,2,b\n", "weight=w");
    double zero = 0;
    forge(data, "weights", HSP_FLOAT64, 1, &zero, 8, "all rows have weight 0");
    hsp_data_free(data);
}

/* ---- options ---- */

static void test_options(void **state) {
    (void)state;
    hsp_data *data = make("x.csv", "a,b,label\n1,2,yes\n3,4,no\n", "");
    int64_t size;
    char *bytes = bytes_of(data, &size);
    const char *fine[] = {"target=label", "target=3",     "header=yes", "delimiter=,", "base=auto",
                          "format=hsd",   "skip-lines=0", "decimal=.",  "quotes=yes",  "header=auto"};
    for (size_t i = 0; i < sizeof fine / sizeof *fine; i++) {
        hsp_data *got = NULL;
        hsp_error *err = NULL;
        if (load_file(&hsp_reader_hsd, bytes, size, fine[i], NULL, &got, &err) != 1)
            fail_msg("%s", err ? hsp_error_message(err) : fine[i]);
        assert_string_equal(got->assumed, "hsd, converted from csv, target 'label', 2 features, 2 rows");
        hsp_data_free(got);
    }
    const char *wrong[][2] = {
        {"target=a", "x.hsd was converted with target 'label': convert again with --target a"},
        {"target=1", "x.hsd was converted with target 'label': convert again with --target 1"},
        {"base=0", "--base has no effect on x.hsd, which was made from a CSV file: leave it out"},
        {"skip-lines=2", "x.hsd was converted without --skip-lines 2: convert again with this option"},
        {"comment=%", "x.hsd was converted without --comment %: convert again with this option"},
        {"decimal=,", "x.hsd was converted without --decimal ,: convert again with this option"},
        {"thousands=space", "x.hsd was converted without --thousands space: convert again with this option"},
        {"missing-values=9", "x.hsd was converted without --missing-values 9: convert again with this option"},
        {"ignore=b", "x.hsd was converted without --ignore b: convert again with this option"},
        {"header=no", "x.hsd was converted without --header no: convert again with this option"},
        {"delimiter=;", "x.hsd was converted without --delimiter ;: convert again with this option"},
        {"weight=b", "x.hsd was converted without weights: convert again with --weight b"},
        {"labels=y.npy", "x.hsd was converted without --labels y.npy: convert again with this option"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        hsp_data *got = NULL;
        hsp_error *err = NULL;
        assert_int_equal(read_rows(&hsp_reader_hsd, bytes, size, wrong[i][0], NULL, &got, &err), HSP_EUSAGE);
        assert_string_equal(hsp_error_message(err), wrong[i][1]);
        hsp_error_free(err);
        assert_int_equal(load_file(&hsp_reader_hsd, bytes, size, wrong[i][0], NULL, &got, NULL), HSP_EUSAGE);
        assert_null(got);
    }
    hsp_free(bytes);
    hsp_data_free(data);
}

static void test_labels(void **state) {
    (void)state;
    hsp_data *data = make("x.csv", "a,b,label\n1,2,yes\n3,4,no\n5,6,maybe\n", ""), *got = NULL;
    int64_t size;
    char *bytes = bytes_of(data, &size);
    hsp_error *err = NULL;
    assert_int_equal(load_file(&hsp_reader_hsd, bytes, size, "map-label=maybe=no", NULL, &got, NULL), 1);
    assert_rows(got, "yes: 1 2 | no: 3 4 | no: 5 6");
    assert_int_equal(got->classes.count, 2);
    hsp_data_free(got);
    assert_int_equal(load_file(&hsp_reader_hsd, bytes, size, "task=regression", NULL, &got, &err), HSP_EINPUT);
    assert_non_null(strstr(hsp_error_message(err), "the target 'yes' is not a number"));
    hsp_error_free(err);
    /* For a model that knows more classes, or fewer. */
    char *more[] = {"maybe", "never", "no", "yes"}, *fewer[] = {"no", "yes"};
    hsp_classes known = {4, more}, less = {2, fewer};
    hsp_read_for model = {.known = &data->schema, .classes = &known};
    assert_int_equal(load_file(&hsp_reader_hsd, bytes, size, "", &model, &got, NULL), 1);
    assert_rows(got, "yes: 1 2 | no: 3 4 | maybe: 5 6");
    assert_int_equal(got->classes.count, 4);
    assert_non_null(got->x.owner);
    hsp_data_free(got);
    model.classes = &less;
    err = NULL;
    assert_int_equal(load_file(&hsp_reader_hsd, bytes, size, "", &model, &got, &err), HSP_EINPUT);
    assert_non_null(strstr(hsp_error_message(err), "1 of 3 labels are not classes of the model, the first is 'maybe'"));
    hsp_error_free(err);
    hsp_free(bytes);
    hsp_data_free(data);
    /* Numbers that were targets become classes, and the reverse. */
    data = make("x.csv", "a,y\n1,0.5\n2,2\n", "task=regression");
    bytes = bytes_of(data, &size);
    assert_int_equal(load_file(&hsp_reader_hsd, bytes, size, "", NULL, &got, NULL), 1);
    assert_true(got->target && got->target[1] == 2 && !got->y);
    hsp_data_free(got);
    assert_int_equal(load_file(&hsp_reader_hsd, bytes, size, "task=classification", NULL, &got, NULL), 1);
    assert_rows(got, "0.5: 1 | 2: 2");
    hsp_data_free(got);
    hsp_free(bytes);
    hsp_data_free(data);
}

/* ---- for a model ---- */

/* A file of one example, read for a model that was trained on another; all owned. */
typedef struct model_case {
    hsp_data *model, *data;
    hsp_read_for rules;
    char *bytes;
    int64_t size;
} model_case;

static model_case case_of(const good *of, const good *trained) {
    model_case c = {.model = make(trained->name, trained->text, trained->spec), .data = make(of->name, of->text, of->spec)};
    c.rules = (hsp_read_for){.known = &c.model->schema};
    c.bytes = bytes_of(c.data, &c.size);
    return c;
}

static void free_case(model_case *c) {
    hsp_free(c->bytes);
    hsp_data_free(c->data);
    hsp_data_free(c->model);
}

static void for_model(const good *of, const good *trained, const char *expected, const char *assumed, bool mapped) {
    model_case c = case_of(of, trained);
    hsp_data *got = NULL;
    hsp_error *err = NULL;
    int status = load_file(&hsp_reader_hsd, c.bytes, c.size, "", &c.rules, &got, &err);
    if (status < 0) fail_msg("%s", hsp_error_message(err));
    assert_int_equal(status, mapped);
    if (got) assert_rows(got, expected);
    hsp_data_free(got);
    if (read_rows(&hsp_reader_hsd, c.bytes, c.size, "", &c.rules, &got, &err)) fail_msg("%s", hsp_error_message(err));
    assert_rows(got, expected);
    assert_string_equal(got->assumed, assumed);
    hsp_data_free(got);
    free_case(&c);
}

static void test_model_columns(void **state) {
    (void)state;
    const good abl = {"m.csv", "a,b,label\n1,2,x\n3,4,z\n", ""}, plain = {"m.csv", "1,2,x\n3,4,z\n", ""};
    const good svm1 = {"m.svm", "x 1:1 2:2\nz 3:1\n", ""}, svm0 = {"m.svm", "x 0:1 2:2\nz 3:1\n", ""};
    const good same = {"t.csv", "a,b,label\n5,6,z\n", ""};
    for_model(&same, &abl, "z: 5 6", "hsd, converted from csv, columns matched by name, target 'label', 2 features, 1 row",
              true);
    const good turned = {"t.csv", "label,c,b,a\nz,9,6,5\n", "target=label"};
    for_model(&turned, &abl, "z: 5 6",
              "hsd, converted from csv, columns matched by name, target 'label', 2 features, 1 row", false);
    for_model(&plain, &abl, "x: 1 2 | z: 3 4", "hsd, converted from csv, target column 3, 2 features, 2 rows", true);
    for_model(&abl, &plain, "x: 1 2 | z: 3 4", "hsd, converted from csv, target 'label', 2 features, 2 rows", true);
    const good first = {"t.csv", "z,5,6\nx,7,8\n", "target=1"};
    for_model(&first, &plain, "z: 5 6 | x: 7 8", "hsd, converted from csv, target column 1, 2 features, 2 rows", true);
    const good weighted = {"t.csv", "5,1,6,z\n7,2,8,x\n", "weight=2"};
    for_model(&weighted, &plain, "z: 5 6 | x: 7 8", "hsd, converted from csv, target column 4, weights, 2 features, 2 rows",
              true);
    const good three = {"t.csv", "5,6,7,z\n", ""};
    for_model(&three, &svm1, "z: 5 6 7",
              "hsd, converted from csv, columns matched to the model's ids by position, target column 4, 3 features, 1 row",
              true);
    /* svmlight by ids */
    const good short1 = {"t.svm", "x 1:4\n", ""}, long1 = {"t.svm", "x 1:4 5:1\n", ""};
    for_model(&short1, &svm1, "x: 4 0 0", "hsd, converted from svmlight, base 1, 3 features, 1 row", false);
    for_model(&long1, &svm1, "x: 4 0 0 0 1", "hsd, converted from svmlight, base 1, 5 features, 1 row", true);
    for_model(&short1, &svm0, "x: 0 4 0 0", "hsd, converted from svmlight, base 1, 4 features, 1 row", false);
    for_model(&svm0, &svm0, "x: 1 0 2 0 | z: 0 0 0 1", "hsd, converted from svmlight, base 0, 4 features, 2 rows", true);
    for_model(&short1, &abl, "x: 4 0",
              "hsd, converted from svmlight, base 1, ids matched to the model's columns by position, 2 features, 1 row",
              false);
}

static void not_for_model(const good *of, const good *trained, const char *message) {
    model_case c = case_of(of, trained);
    hsp_data *got = NULL;
    hsp_error *err = NULL;
    assert_int_equal(read_rows(&hsp_reader_hsd, c.bytes, c.size, "", &c.rules, &got, &err), HSP_EINPUT);
    assert_string_equal(hsp_error_message(err), message);
    hsp_error_free(err);
    free_case(&c);
}

static void test_model_refuses(void **state) {
    (void)state;
    const good abl = {"m.csv", "a,b,label\n1,2,x\n3,4,z\n", ""}, plain = {"m.csv", "1,2,x\n3,4,z\n", ""};
    const good svm1 = {"m.svm", "x 1:1 2:2\nz 3:1\n", ""};
    const good other = {"t.csv", "a,c,label\n5,6,z\n", ""}, wide = {"t.csv", "1,2,3,z\n", ""};
    const good zero = {"t.svm", "x 0:4\n", ""}, target = {"t.csv", "a,b,label,q\n1,2,3,z\n", "target=q"};
    not_for_model(&other, &abl, "x.hsd: column 'b', which the model needs, is missing: add it");
    not_for_model(&wide, &plain,
                  "x.hsd: the file has 4 columns, but the training file had 3, of which 2 are features: give the same "
                  "columns, or use --target and --ignore");
    not_for_model(&zero, &svm1,
                  "x.hsd: row 1 has feature 0, but the model's features are numbered from 1: convert again with --base 1");
    not_for_model(&target, &abl,
                  "x.hsd: converted with target 'q', but the model has target 'label': convert again with --target label");
}

static void test_memory(void **state) {
    (void)state;
    hsp_data *data = make(examples[1].name, examples[1].text, examples[1].spec);
    int64_t size;
    char *bytes = bytes_of(data, &size);
    load_short_of_memory(&hsp_reader_hsd, bytes, size, "map-label=no=yes", &(hsp_read_for){.known = &data->schema});
    hsp_free(bytes);
    hsp_data_free(data);
}

/* Many pieces of digests and of rows; any number of threads finds the same first fault. */
static void test_large(void **state) {
    (void)state;
    enum { N = 300000, D = 4 };
    double *x = hsp_alloc(N * D, sizeof *x);
    for (int64_t i = 0; i < N * D; i++) x[i] = (double)(i % 1000003) / 7;
    hsp_data *data = NULL;
    assert_int_equal(hsp_data_from_dense(x, N, D, D, NULL, NULL, &data, NULL), 0);
    hsp_free(x);
    int64_t size;
    char *bytes = bytes_of(data, &size);
    hsp_hsd *f = NULL;
    assert_int_equal(open_bytes(bytes, size, &f, NULL), 0);
    for (int threads = 1; threads <= 4; threads++) assert_int_equal(hsp_hsd_check(f, threads, NULL), 0);
    int64_t body = f->file.body - hsp_map_bytes(f->map), body_size = f->file.body_size;
    hsp_hsd_close(f);
    assert_true(body_size > 2 << 22);
    bytes[body + body_size - 1] ^= 1;
    refuse(bytes, size, "checksum mismatch");
    bytes[body + body_size - 1] ^= 1;
    double nan = NAN;
    for (int64_t i = 17 * D; i < N * D; i += 31 * 4096) memcpy(bytes + body + 8 * i, &nan, 8);
    reseal(bytes, size, bytes + body, body_size);
    for (int threads = 1; threads <= 4; threads++) {
        hsp_error *err = NULL;
        assert_int_equal(open_bytes(bytes, size, &f, NULL), 0);
        assert_int_equal(hsp_hsd_check(f, threads, &err), HSP_EINPUT);
        assert_non_null(strstr(hsp_error_message(err), "row 18 holds an invalid value"));
        hsp_error_free(err);
        hsp_hsd_close(f);
    }
    hsp_free(bytes);
    hsp_data_free(data);
}

/* Files of version 1 are read as they were when they were written. */
static void test_golden(void **state) {
    (void)state;
    static const struct {
        const char *name, *rows;
        uint64_t content;
    } files[] = {
        {"data-1-named.hsd", "yes: 1 2.5 | no: -3 0.1 | yes: 0 7", 0x18fc241953ec0e5a},
        {"data-1-sparse.hsd", NULL, 0xb9a826f86d1dd8c8},
        {"data-1-weighted.hsd", "yes: 1 2.5 | no: -3 0.1", 0x1d93fdaef21df078},
        {"data-1-regression.hsd", "-: 1 2 | -: 4 5", 0x8aff4ccbe8765fef},
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char file[500];
        hsp_data *data = NULL;
        hsp_error *err = NULL;
        snprintf(file, sizeof file, "%s/%s", GOLDEN_FOLDER, files[i].name);
        if (hsp_reader_load(&hsp_reader_hsd, file, NULL, NULL, &data, &err) != 1)
            fail_msg("%s", err ? hsp_error_message(err) : file);
        if (files[i].rows) assert_rows(data, files[i].rows);
        assert_int_equal(hsp_data_hash(data), files[i].content);
        hsp_data_free(data);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),    cmocka_unit_test(test_cut_and_changed), cmocka_unit_test(test_forged_sparse),
        cmocka_unit_test(test_forged_dense),  cmocka_unit_test(test_options),         cmocka_unit_test(test_labels),
        cmocka_unit_test(test_model_columns), cmocka_unit_test(test_model_refuses),   cmocka_unit_test(test_memory),
        cmocka_unit_test(test_large),         cmocka_unit_test(test_golden),          cmocka_unit_test(test_codings),
        cmocka_unit_test(test_stride),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
