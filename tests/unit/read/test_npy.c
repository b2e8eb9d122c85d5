/* NumPy arrays with headers made by hand: every type, both orders of bytes and of cells, mapped and row by row; and every
 * kind of file that is not such an array. */
#include "../csv_schema.h"
#include "read_bytes.h"

#include "read/hsd.h"
#include "read/npy.h"
#include "write/writer.h"

#include <math.h>

/* A file in memory: magic, version, header padded as NumPy does, bytes. */
typedef struct file {
    char *bytes;
    int64_t size;
} file;

static file make(int version, const char *literal, const void *cells, int64_t n) {
    int64_t begin = version == 1 ? 10 : 12, length = (begin + (int64_t)strlen(literal) + 1 + 63) / 64 * 64 - begin;
    file f = {hsp_alloc(begin + length + n, 1), begin + length + n};
    memcpy(f.bytes, "\x93NUMPY", 6);
    f.bytes[6] = (char)version;
    f.bytes[7] = 0;
    for (int k = 0; k < (version == 1 ? 2 : 4); k++) f.bytes[8 + k] = (char)(length >> (8 * k));
    memset(f.bytes + begin, ' ', (size_t)length);
    memcpy(f.bytes + begin, literal, strlen(literal));
    f.bytes[begin + length - 1] = '\n';
    if (n > 0) memcpy(f.bytes + begin + length, cells, (size_t)n);
    return f;
}

static file shaped(const char *descr, bool fortran, const char *shape, const void *cells, int64_t n) {
    char literal[200];
    snprintf(literal, sizeof literal, "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }", descr,
             fortran ? "True" : "False", shape);
    return make(1, literal, cells, n);
}

/* Row by row and as a whole it gives the same; mapped: whether it can be loaded as a whole. */
static void check(file f, const char *spec, const hsp_read_for *model, bool mapped, const char *expected,
                  const char *assumed) {
    hsp_data *rows = NULL, *whole = NULL;
    hsp_error *err = NULL;
    if (read_rows(&hsp_reader_npy, f.bytes, f.size, spec, model, &rows, &err)) fail_msg("%s", hsp_error_message(err));
    if (expected) assert_rows(rows, expected);
    if (assumed) assert_string_equal(rows->assumed, assumed);
    int status = load_file(&hsp_reader_npy, f.bytes, f.size, spec, model, &whole, &err);
    if (status < 0) fail_msg("%s", hsp_error_message(err));
    assert_int_equal(status, mapped);
    if (mapped) {
        if (expected) assert_rows(whole, expected);
        assert_true(hsp_data_hash(rows) == hsp_data_hash(whole));
        assert_string_equal(rows->assumed, whole->assumed);
        assert_int_equal(rows->x.nonzeros, whole->x.nonzeros);
        assert_non_null(whole->x.owner);
        assert_int_equal(rows->x.dtype == HSP_FLOAT32, whole->x.dtype == HSP_FLOAT32 || rows->x.dtype == HSP_FLOAT32);
    }
    hsp_data_free(rows);
    hsp_data_free(whole);
    hsp_free(f.bytes);
}

static void test_floats(void **state) {
    (void)state;
    const double d[] = {0.1, 2, 1, -3, 0, -1};
    const float s[] = {0.5F, 2, 1, -3, 0, -1};
    const unsigned char big[] = {0x3f, 0xf8, 0, 0, 0, 0, 0, 0, 0x40, 0, 0, 0, 0, 0, 0, 0};
    const uint16_t half[] = {0x3c00, 0xc000, 0x7bff,
                             0x0001, 0x8400, 0x3555}; /* 1, -2, 65504, 2^-24, -2^-14, 0.333251953125 */
    check(shaped("<f8", false, "(2, 3)", d, sizeof d), "", NULL, true, "1: 0.1 2 | -1: -3 0",
          "npy, float64, target column 3 (the last), 2 features, 2 rows");
    check(shaped("<f8", false, "(2, 3)", d, sizeof d), "target=1", NULL, true, "0.1: 2 1 | -3: 0 -1",
          "npy, float64, target column 1 (--target), 2 features, 2 rows");
    check(shaped("<f8", false, "(2, 3)", d, sizeof d), "target=2", NULL, false, "2: 0.1 1 | 0: -3 -1", NULL);
    check(shaped("<f8", false, "(2, 3)", d, sizeof d), "ignore=1", NULL, true, "1: 2 | -1: 0", NULL);
    check(shaped("<f8", false, "(2, 3)", d, sizeof d), "map-label=1=7", NULL, true, "7: 0.1 2 | -1: -3 0", NULL);
    check(shaped("<f8", true, "(2, 3)", d, sizeof d), "", NULL, false, "0: 0.1 1 | -1: 2 -3",
          "npy, float64 in column order, target column 3 (the last), 2 features, 2 rows");
    check(shaped("<f4", false, "(2, 3)", s, sizeof s), "", NULL, true, "1: 0.5 2 | -1: -3 0",
          "npy, float32, target column 3 (the last), 2 features, 2 rows");
    check(shaped(">f8", false, "(1, 2)", big, sizeof big), "", NULL, false, "2: 1.5", NULL);
    check(shaped("<f2", false, "(3, 2)", half, sizeof half), "", NULL, false,
          "-2: 1 | 5.960464477539063e-8: 65504 | 0.333251953125: -6.103515625e-5", NULL);
}

static void test_integers(void **state) {
    (void)state;
    const int8_t i1[] = {-128, 127, 0, 1};
    const uint8_t u1[] = {255, 128, 0, 1}, b1[] = {1, 0, 1, 1};
    const uint16_t u2[] = {65535, 1, 256, 2}, swapped[] = {0x0100, 0x0200, 0x00ff, 0xffff};
    const int32_t i4[] = {INT32_MIN, 1, INT32_MAX, 2};
    const int64_t i8[] = {-9007199254740992, 1, INT64_MIN, 2};
    const uint64_t u8[] = {9007199254740992, 1, 0x8000000000000000, 2};
    check(shaped("|i1", false, "(2, 2)", i1, 4), "", NULL, true, "127: -128 | 1: 0",
          "npy, int8, target column 2 (the last), 1 feature, 2 rows");
    check(shaped("|u1", false, "(2, 2)", u1, 4), "", NULL, true, "128: 255 | 1: 0", NULL);
    check(shaped("|b1", false, "(2, 2)", b1, 4), "", NULL, true, "0: 1 | 1: 1", NULL);
    check(shaped("<u2", false, "(2, 2)", u2, 8), "", NULL, false, "1: 65535 | 2: 256", NULL);
    check(shaped(">u2", false, "(2, 2)", swapped, 8), "", NULL, false, "2: 1 | 65535: 65280", NULL);
    check(shaped(">i2", false, "(2, 2)", swapped, 8), "", NULL, false, "2: 1 | -1: -256", NULL);
    check(shaped("<i4", false, "(2, 2)", i4, 16), "", NULL, false, "1: -2147483648 | 2: 2147483647", NULL);
    check(shaped("<i8", false, "(2, 2)", i8, 32), "", NULL, false, "1: -9007199254740992 | 2: -9223372036854776000", NULL);
    check(shaped("<u8", false, "(2, 2)", u8, 32), "", NULL, false, "1: 9007199254740992 | 2: 9223372036854776000", NULL);
}

static void test_headers(void **state) {
    (void)state;
    const double d[] = {1, 2, 3, 4};
    const char *same[] = {"{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2), }",
                          "{\"shape\":(2L,2L),'descr':'=f8','fortran_order':False}",
                          "  {'fortran_order' : False , 'shape' : ( 2 , 2 , ) , 'descr' : 'f8' , }  \n"};
    for (int version = 1; version <= 3; version++)
        for (int i = 0; i < 3; i++) check(make(version, same[i], d, sizeof d), "", NULL, true, "2: 1 | 4: 3", NULL);
}

static void test_weights_and_tasks(void **state) {
    (void)state;
    const double d[] = {5, 2, 1, 6, 0.5, 3};
    hsp_data *data = NULL;
    file f = shaped("<f8", false, "(2, 3)", d, sizeof d);
    assert_int_equal(read_rows(&hsp_reader_npy, f.bytes, f.size, "weight=2 task=regression", NULL, &data, NULL), 0);
    assert_true(data->target[1] == 3 && data->weight[1] == 0.5 && data->x.d == 1);
    assert_string_equal(data->assumed, "npy, float64, target column 3 (the last), weights in column 2, 1 feature, 2 rows");
    hsp_data_free(data);
    assert_int_equal(load_file(&hsp_reader_npy, f.bytes, f.size, "task=regression", NULL, &data, NULL), 1);
    assert_true(data->target[0] == 1 && data->target[1] == 3 && !data->y && data->classes.count == 0);
    hsp_data_free(data);
    hsp_free(f.bytes);
}

static void test_labels_apart(void **state) {
    (void)state;
    const float x[] = {1, 2, 3, 4};
    const int64_t y[] = {7, -1};
    char spec[300];
    file f = shaped("<f4", false, "(2, 2)", x, sizeof x), one = shaped("<f4", false, "(2,)", x, 8);
    file l = shaped("<i8", false, "(2,)", y, sizeof y), across = shaped("<i8", false, "(1, 2)", y, sizeof y);
    const char *text = "cat\r\n  dog \n\n", *label = in_folder("y");
    snprintf(spec, sizeof spec, "labels=%s", label);
    const file files[] = {l, across};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(hsp_write_file(in_folder("y"), files[i].bytes, (size_t)files[i].size, NULL), 0);
        file copy = {hsp_alloc(f.size, 1), f.size};
        memcpy(copy.bytes, f.bytes, (size_t)f.size);
        check(copy, spec, NULL, true, "7: 1 2 | -1: 3 4", NULL);
    }
    assert_int_equal(hsp_write_file(in_folder("y"), text, strlen(text), NULL), 0);
    check(f, spec, NULL, true, "cat: 1 2 | dog: 3 4", NULL);
    check(one, spec, NULL, true, "cat: 1 | dog: 2", NULL);
    const struct {
        const char *text, *words;
    } bad[] = {{"cat\n", "1 label, but x.npy has 2 rows: give one label for each row"},
               {"cat\ndog\ncow\n", "3 labels, but x.npy has 2 rows: give one label for each row"},
               {"cat\n\ndog\n", "blank line"},
               {"\n\n", "empty file"}};
    f = shaped("<f4", false, "(2, 2)", x, sizeof x);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        hsp_data *data;
        hsp_error *err = NULL;
        assert_int_equal(hsp_write_file(in_folder("y"), bad[i].text, strlen(bad[i].text), NULL), 0);
        assert_int_equal(read_rows(&hsp_reader_npy, f.bytes, f.size, spec, NULL, &data, &err), HSP_EINPUT);
        if (!strstr(hsp_error_message(err), bad[i].words)) fail_msg("%s", hsp_error_message(err));
        hsp_error_free(err);
    }
    hsp_data *data;
    snprintf(spec, sizeof spec, "labels=%s target=1", in_folder("y"));
    assert_int_equal(read_rows(&hsp_reader_npy, f.bytes, f.size, spec, NULL, &data, NULL), HSP_EUSAGE);
    hsp_free(f.bytes);
    hsp_free(l.bytes);
    hsp_free(across.bytes);
    assert_int_equal(remove(in_folder("y")), 0);
}

/* --weight and --ignore refer to the array; it has no column of labels. */
static void test_labels_apart_options(void **state) {
    (void)state;
    static int64_t columns[] = {1, 3};
    const double x[] = {1, 0.5, 2, 3, 0.25, 4};
    const hsp_schema trained = {.format = "npy", .d = 2, .file_columns = 3, .weight_column = 2, .column = columns};
    const hsp_schema whole = {
        .format = "csv", .d = 2, .file_columns = 4, .weight_column = 2, .target_column = 4, .column = columns};
    const hsp_read_for models[] = {{.known = &trained}, {.known = &whole}};
    const char *bad[] = {"weight=4", "ignore=4", "ignore=1,4", "weight=0"};
    char spec[300];
    assert_int_equal(hsp_write_file(in_folder("y"), "cat\ndog\n", 8, NULL), 0);
    for (int i = -1; i < 2; i++) {
        const hsp_read_for *model = i < 0 ? NULL : &models[i];
        hsp_data *data = NULL;
        file f = shaped("<f8", false, "(2, 3)", x, sizeof x);
        snprintf(spec, sizeof spec, "labels=%s weight=2", in_folder("y"));
        assert_int_equal(read_rows(&hsp_reader_npy, f.bytes, f.size, spec, model, &data, NULL), 0);
        assert_rows(data, "cat: 1 2 | dog: 3 4");
        assert_non_null(data->weight);
        assert_true(data->weight[0] == 0.5 && data->weight[1] == 0.25);
        hsp_data_free(data);
        for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
            snprintf(spec, sizeof spec, "labels=%s %s", in_folder("y"), bad[k]);
            assert_int_equal(read_rows(&hsp_reader_npy, f.bytes, f.size, spec, model, &data, NULL), HSP_EUSAGE);
        }
        snprintf(spec, sizeof spec, "labels=%s ignore=2", in_folder("y"));
        check(f, spec, model, false, "cat: 1 2 | dog: 3 4", NULL);
    }
    assert_int_equal(remove(in_folder("y")), 0);
}

static void test_models(void **state) {
    (void)state;
    static int64_t later[] = {2, 3};
    const hsp_schema last = csv_schema();
    const hsp_schema first = {.format = "npy", .d = 2, .file_columns = 3, .target_column = 1, .column = later};
    const hsp_schema ids = {.format = "svmlight", .d = 2, .base = 1};
    const hsp_schema *known[] = {&last, &first, &ids};
    const double with[] = {1, 2, 3, 4, 5, 6}, without[] = {1, 2, 3, 4};
    const char *labelled[] = {"3: 1 2 | 6: 4 5", "1: 2 3 | 4: 5 6", "3: 1 2 | 6: 4 5"};
    for (int i = 0; i < 3; i++) {
        const hsp_read_for model = {.known = known[i]};
        check(shaped("<f8", false, "(2, 3)", with, sizeof with), "", &model, true, labelled[i], NULL);
        check(shaped("<f8", false, "(2, 2)", without, sizeof without), "", &model, true, "-: 1 2 | -: 3 4", NULL);
        hsp_data *data;
        hsp_error *err = NULL;
        file f = shaped("<f8", false, "(1, 4)", without, sizeof without);
        assert_int_equal(read_rows(&hsp_reader_npy, f.bytes, f.size, "", &model, &data, &err), HSP_EINPUT);
        assert_non_null(strstr(hsp_error_message(err), "the file has 4 columns"));
        hsp_error_free(err);
        hsp_free(f.bytes);
    }
}

/* ---- what is not such an array ---- */

static void refuse(file f, const char *words) {
    hsp_data *data = NULL;
    hsp_error *err = NULL;
    int status = read_rows(&hsp_reader_npy, f.bytes, f.size, "", NULL, &data, &err);
    if (status == 0) fail_msg("accepted; expected: %s", words);
    assert_int_equal(status, HSP_EINPUT);
    if (!strstr(hsp_error_message(err), words)) fail_msg("'%s' is not in: %s", words, hsp_error_message(err));
    assert_null(strchr(hsp_error_message(err), '\n'));
    hsp_error_free(err);
    err = NULL;
    status = load_file(&hsp_reader_npy, f.bytes, f.size, "", NULL, &data, &err);
    assert_true(status <= 0);
    if (status < 0 && !strstr(hsp_error_message(err), words)) fail_msg("'%s' is not in: %s", words, hsp_error_message(err));
    hsp_error_free(err);
    hsp_free(f.bytes);
}

static void test_refuses(void **state) {
    (void)state;
    const double d[] = {1, 2, 3, 4, 5, 6, 7, 8};
    const char *types[][2] = {{"|O", "holds objects (dtype '|O')"},
                              {"<U5", "holds text"},
                              {"|S3", "holds text"},
                              {"<c16", "holds complex numbers"},
                              {"<M8[ns]", "holds dates"},
                              {"<f16", "holds something other than numbers"},
                              {"", "its header is not a NumPy header"},
                              {"<f81", "something other than numbers"},
                              {"0123456789abcdefgh", "not a NumPy header"}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        refuse(shaped(types[i][0], false, "(2, 2)", d, 32), types[i][1]);
    refuse(make(1, "{'descr': [('a', '<f8'), ('b', '<i4')], 'fortran_order': False, 'shape': (2,), }", d, 24),
           "holds records of several fields");
    const char *shapes[][2] = {{"()", "array of 0 dimensions"},
                               {"(2, 1, 2)", "array of 3 dimensions"},
                               {"(0, 4)", "no rows"},
                               {"(4, 0)", "no columns"},
                               {"(2, 3)", "truncated, 2 x 3 numbers do not fit in its 32 bytes"},
                               {"(1, 3)", "8 extra bytes after 1 x 3 numbers"},
                               {"(4,)", "only one column"},
                               {"(4, 1)", "only one column"},
                               {"(9223372036854775807, 2)", "truncated"},
                               {"(2, 9223372036854775807)", "more than 2147483647 columns"},
                               {"(4611686018427387904, 4)", "truncated"},
                               {"(99999999999999999999, 2)", "not a NumPy header"},
                               {"(-2, 2)", "not a NumPy header"},
                               {"(2 2)", "not a NumPy header"},
                               {"(2, 2", "not a NumPy header"},
                               {"2", "not a NumPy header"}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        refuse(shaped("<f8", false, shapes[i][0], d, 32), shapes[i][1]);
    const char *literals[] = {"",
                              "{",
                              "{}",
                              "[]",
                              "{'descr': '<f8'}",
                              "{'descr': '<f8', 'shape': (2, 2)}",
                              "{'descr': '<f8', 'fortran_order': 0, 'shape': (2, 2)}",
                              "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2)} x",
                              "{'descr': '<f8' 'fortran_order': False, 'shape': (2, 2)}",
                              "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2), 'more': 1}",
                              "{'descr': '<f8, 'fortran_order': False, 'shape': (2, 2)}"};
    for (size_t i = 0; i < sizeof literals / sizeof *literals; i++)
        refuse(make(1, literals[i], d, 32), "damaged file, its header is not a NumPy header");
    refuse(make(4, "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2), }", d, 32), "unknown version 4");
    file f = shaped("<f8", false, "(2, 2)", d, 32);
    f.bytes[1] = 'X';
    refuse(f, "not a NumPy array");
}

static void test_numbers_refused(void **state) {
    (void)state;
    double d[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    d[4] = NAN;
    refuse(shaped("<f8", false, "(3, 3)", d, sizeof d), "row 2, column 2 (from 1) holds NaN: fill it in or remove the row");
    d[4] = -INFINITY;
    d[6] = NAN;
    refuse(shaped("<f8", false, "(3, 3)", d, sizeof d), "row 2, column 2 (from 1) holds infinity");
    refuse(shaped("<f8", true, "(3, 3)", d, sizeof d), "row 1, column 3 (from 1) holds NaN");
    d[4] = 5;
    d[6] = 7;
    d[5] = NAN;
    refuse(shaped("<f8", false, "(3, 3)", d, sizeof d), "row 2, column 3 (from 1) holds NaN");
    float s[] = {1, 2, NAN, 4};
    refuse(shaped("<f4", false, "(2, 2)", s, sizeof s), "row 2, column 1 (from 1) holds NaN");
    uint16_t h[] = {0x3c00, 0x3c00, 0x7c00, 0x3c00};
    refuse(shaped("<f2", false, "(2, 2)", h, sizeof h), "row 2, column 1 (from 1) holds infinity");
    h[2] = 0xfe00;
    refuse(shaped("<f2", false, "(2, 2)", h, sizeof h), "row 2, column 1 (from 1) holds NaN");
    int64_t i[] = {1, 2, -9007199254740993, 4};
    refuse(shaped("<i8", false, "(2, 2)", i, sizeof i),
           "row 2, column 1 (from 1) holds -9007199254740993, which is not exact in double precision");
    i[2] = INT64_MAX;
    refuse(shaped("<i8", false, "(2, 2)", i, sizeof i),
           "holds 9223372036854775807, which is not exact in double precision");
    uint64_t u[] = {1, 2, 3, UINT64_MAX};
    refuse(shaped("<u8", false, "(2, 2)", u, sizeof u), "row 2, column 2 (from 1) holds 18446744073709551615");
    double w[] = {1, -1, 2, 3, 4, 5};
    hsp_data *data;
    hsp_error *err = NULL;
    file f = shaped("<f8", false, "(2, 3)", w, sizeof w);
    assert_int_equal(read_rows(&hsp_reader_npy, f.bytes, f.size, "weight=2", NULL, &data, &err), HSP_EINPUT);
    assert_string_equal(hsp_error_message(err),
                        "x.npy: row 1, column 2 (from 1) holds a negative weight: give weights of at least 0");
    hsp_error_free(err);
    hsp_free(f.bytes);
}

static void test_cut_anywhere(void **state) {
    (void)state;
    const double d[] = {1, 2, 3, 4};
    file f = shaped("<f8", false, "(2, 2)", d, sizeof d);
    for (int64_t n = 0; n < f.size; n++) {
        hsp_data *data;
        hsp_error *err = NULL;
        char *exact = hsp_alloc(n > 0 ? n : 1, 1);
        memcpy(exact, f.bytes, (size_t)n);
        assert_int_equal(read_rows(&hsp_reader_npy, exact, n, "", NULL, &data, &err), HSP_EINPUT);
        assert_null(strchr(hsp_error_message(err), '\n'));
        hsp_error_free(err);
        hsp_free(exact);
    }
    for (int64_t i = 0; i < f.size; i++)
        for (int bit = 0; bit < 8; bit++) {
            hsp_data *data = NULL;
            hsp_error *err = NULL;
            f.bytes[i] = (char)(f.bytes[i] ^ 1 << bit);
            int status = read_rows(&hsp_reader_npy, f.bytes, f.size, "", NULL, &data, &err);
            assert_true((status == 0) == (data != NULL) && (status == 0) == (err == NULL));
            hsp_data_free(data);
            hsp_error_free(err);
            f.bytes[i] = (char)(f.bytes[i] ^ 1 << bit);
        }
    hsp_free(f.bytes);
}

/* ---- writing ---- */

static void test_write(void **state) {
    (void)state;
    const char *texts[][3] = {{"x.csv", "a,b,y\n0.1,2,1\n3,4,-1\n", ""},
                              {"x.csv", "1,2,1\n3,4,5\n", ""},
                              {"x.svm", "1 1:0.5 9:2\n2 3:4\n", ""},
                              {"x.csv", "a,y\n1,0.1\n2,3\n", "task=regression"}};
    for (int i = 0; i < 4; i++) {
        hsp_options *o = options_of(texts[i][2]);
        hsp_data *data = NULL, *again = NULL;
        assert_int_equal(read_chunked(texts[i][0], texts[i][1], strlen(texts[i][1]), 1 << 18, o, NULL, &data, NULL), 0);
        hsp_error *err = NULL;
        if (hsp_data_write(data, in_folder("out.npy"), NULL, &err)) fail_msg("%s", hsp_error_message(err));
        if (hsp_reader_load(&hsp_reader_npy, in_folder("out.npy"), o, NULL, &again, &err) != 1)
            fail_msg("%s", hsp_error_message(err));
        assert_true(hsp_data_hash(data) == hsp_data_hash(again));
        assert_int_equal(again->x.coding, i == 1 || i == 2 ? HSP_CODING_F32 : HSP_CODING_F64);
        hsp_data_free(data);
        hsp_data_free(again);
        hsp_options_free(o);
        assert_int_equal(remove(in_folder("out.npy")), 0);
    }
    const char *bad[][2] = {{"x,label\n1,cat\n2,dog\n", ""}, {"x,w,y\n1,2,3\n", "weight=w"}};
    for (int i = 0; i < 2; i++) {
        hsp_options *o = options_of(bad[i][1]);
        hsp_data *data = NULL;
        assert_int_equal(read_chunked("x.csv", bad[i][0], strlen(bad[i][0]), 1 << 18, o, NULL, &data, NULL), 0);
        assert_int_equal(hsp_data_write(data, in_folder("out.npy"), NULL, NULL), HSP_EUSAGE);
        hsp_data_free(data);
        hsp_options_free(o);
    }
}

/* Many pieces; the first fault is the same for any number of threads. */
static void test_large(void **state) {
    (void)state;
    enum { N = 20000, D = 5 };
    float *x = hsp_alloc(N * D, sizeof *x);
    for (int64_t i = 0; i < N * D; i++) x[i] = (float)(i % 17);
    check(shaped("<f4", false, "(20000, 5)", x, N * D * 4), "", NULL, true, NULL, NULL);
    check(shaped("<f4", true, "(20000, 5)", x, N * D * 4), "", NULL, false, NULL, NULL);
    for (int64_t i = 9000; i < N; i += 1000) x[i * D + 3] = NAN;
    for (int threads = 1; threads <= 4; threads++) {
        char spec[32];
        hsp_data *data;
        hsp_error *err = NULL;
        snprintf(spec, sizeof spec, "threads=%d", threads);
        file f = shaped("<f4", false, "(20000, 5)", x, N * D * 4);
        assert_int_equal(load_file(&hsp_reader_npy, f.bytes, f.size, spec, NULL, &data, &err), HSP_EINPUT);
        assert_non_null(strstr(hsp_error_message(err), "row 9001, column 4 (from 1) holds NaN"));
        hsp_error_free(err);
        hsp_free(f.bytes);
    }
    hsp_free(x);
}

static void test_memory(void **state) {
    (void)state;
    const double d[] = {0.1, 2, 1, -3, 0, -1};
    file f = shaped("<f8", false, "(2, 3)", d, sizeof d);
    load_short_of_memory(&hsp_reader_npy, f.bytes, f.size, "", NULL);
    hsp_free(f.bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_floats),          cmocka_unit_test(test_integers),
        cmocka_unit_test(test_headers),         cmocka_unit_test(test_weights_and_tasks),
        cmocka_unit_test(test_labels_apart),    cmocka_unit_test(test_labels_apart_options),
        cmocka_unit_test(test_models),          cmocka_unit_test(test_refuses),
        cmocka_unit_test(test_numbers_refused), cmocka_unit_test(test_cut_anywhere),
        cmocka_unit_test(test_write),           cmocka_unit_test(test_large),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
