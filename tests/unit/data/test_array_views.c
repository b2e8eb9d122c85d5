/* Data sets over arrays of the caller: what is borrowed and what is copied, when memory is released, and what is refused. That
 * training gives the same models is tested in tests/unit/fit/test_views.c. */
#include "array_views.h"
#include "data_fixture.h"

#include "kernel/form.h"

#include <sys/mman.h>

static void count_release(void *user) {
    ++*(int *)user;
}

static hsp_array matrix_of(const void *data, int32_t dtype, int64_t n, int64_t d) {
    int64_t size = size_of_dtype(dtype);
    return (hsp_array){
        .size = sizeof(hsp_array), .data = data, .dtype = dtype, .ndim = 2, .shape = {n, d}, .strides = {d * size, size}};
}

static void assert_rows(const hsp_data *data, const double *x) {
    double row[64];
    int64_t d = hsp_data_features(data), nonzeros = 0;
    for (int64_t i = 0; i < hsp_data_rows(data); i++) {
        assert_int_equal(hsp_data_row(data, i, row, NULL), 0);
        assert_memory_equal(row, x + i * d, (size_t)d * sizeof *row);
        for (int64_t j = 0; j < d; j++) nonzeros += row[j] != 0;
    }
    assert_int_equal(data->x.nonzeros, nonzeros);
}

/* ---- dense ---- */

static const double small[] = {0, 1, 0, 1, 1, 0, 1, 0, 0, 1, 1, 1};

static void every_layout_is_read(void **state) {
    (void)state;
    for (int k = 0; k < ALL_VIEWS; k++) {
        char name[80];
        int released = 0, status;
        hsp_data *data = view_of(small, 4, 3, k, name, sizeof name, &released, &status);
        assert_int_equal(status, 0);
        assert_rows(data, small);
        bool sparse = k >= DENSE_DTYPES * LAYOUTS, columns = k >= DENSE_DTYPES * LAYOUTS + 8;
        bool one_byte = !sparse && size_of_dtype(dense_dtypes[k / LAYOUTS]) == 1;
        bool copied = columns || (!sparse && k % LAYOUTS == UNALIGNED && !one_byte);
        assert_int_equal(released, copied);
        assert_int_equal(data->x.lent != 0, !copied);
        assert_int_equal(data->x.dense, !sparse);
        assert_string_equal(data->schema.format, "memory");
        assert_null(hsp_data_feature_name(data, 0));
        hsp_data_free(data);
        assert_int_equal(released, 1);
    }
}

static void names_are_copied(void **state) {
    (void)state;
    char first[] = "u";
    const char *const names[] = {first, "v", "w"};
    hsp_array x = matrix_of(small, HSP_FLOAT64, 4, 3);
    hsp_data *data = NULL;
    assert_int_equal(hsp_data_view_dense(&x, names, NULL, NULL, &data, NULL), 0);
    first[0] = 'z';
    assert_string_equal(hsp_data_feature_name(data, 0), "u");
    assert_string_equal(hsp_data_feature_name(data, 2), "w");
    assert_true(data->x.value == (const void *)small);
    hsp_data_free(data);
}

/* Views of one row, one column, one number, and strides that mean nothing there. */
static void thin_arrays(void **state) {
    (void)state;
    const double x[] = {1, 2, 3, 4};
    hsp_data *data = NULL;
    hsp_array row = matrix_of(x, HSP_FLOAT64, 1, 4), column = matrix_of(x, HSP_FLOAT64, 4, 1);
    row.strides[0] = 3; /* of one row: not used */
    column.strides[1] = -5;
    assert_int_equal(hsp_data_view_dense(&row, NULL, NULL, NULL, &data, NULL), 0);
    assert_rows(data, x);
    hsp_data_free(data);
    assert_int_equal(hsp_data_view_dense(&column, NULL, NULL, NULL, &data, NULL), 0);
    assert_rows(data, x);
    assert_int_equal(data->x.lent, HSP_LENT_VALUE);
    hsp_data_free(data);
}

/* Strides of 0: one row for all, one number in each row, one number for all. */
static void broadcast_arrays(void **state) {
    (void)state;
    const float x[] = {5, 0, 7};
    const double rows[] = {5, 0, 7, 5, 0, 7}, columns[] = {5, 5, 0, 0, 7, 7}, all[] = {5, 5, 5, 5};
    hsp_array a = matrix_of(x, HSP_FLOAT32, 2, 3), b = matrix_of(x, HSP_FLOAT32, 3, 2), c = matrix_of(x, HSP_FLOAT32, 2, 2);
    hsp_data *data = NULL;
    int released = 0;
    a.strides[0] = 0;
    assert_int_equal(hsp_data_view_dense(&a, NULL, count_release, &released, &data, NULL), 0);
    assert_int_equal(released, 1); /* a copy */
    assert_rows(data, rows);
    hsp_data_free(data);
    b.strides[0] = sizeof *x;
    b.strides[1] = 0;
    assert_int_equal(hsp_data_view_dense(&b, NULL, count_release, &released, &data, NULL), 0);
    assert_int_equal(released, 1); /* in place */
    assert_rows(data, columns);
    hsp_data_free(data);
    assert_int_equal(released, 2);
    c.strides[0] = c.strides[1] = 0;
    assert_int_equal(hsp_data_view_dense(&c, NULL, count_release, &released, &data, NULL), 0);
    assert_rows(data, all);
    hsp_data_free(data);
    assert_int_equal(released, 3);
}

/* Every byte of bool but 0 is true. */
static void truth(void **state) {
    (void)state;
    const uint8_t x[] = {0, 1, 2, 255};
    hsp_array a = matrix_of(x, HSP_BOOL, 2, 2);
    hsp_data *data = NULL;
    assert_int_equal(hsp_data_view_dense(&a, NULL, NULL, NULL, &data, NULL), 0);
    assert_rows(data, (const double[]){0, 1, 1, 1});
    hsp_data_free(data);
}

/* Memory that cannot be written to, larger than a piece of the check. */
static void read_only_memory(void **state) {
    (void)state;
    enum { N = 3000, D = 100 };
    size_t bytes = sizeof(double) * N * D;
    double *x = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (int k = 0; k < N * D; k++) x[k] = k % 7 - 3;
    assert_int_equal(mprotect(x, bytes, PROT_READ), 0);
    hsp_data *data = NULL;
    hsp_array a = matrix_of(x, HSP_FLOAT64, N, D);
    assert_int_equal(hsp_data_view_dense(&a, NULL, NULL, NULL, &data, NULL), 0);
    assert_int_equal(data->x.nonzeros, N * D - (N * D + 3) / 7);
    assert_int_equal(hsp_data_set_weights_array(data, NULL, NULL), 0);
    hsp_data_free(data);
    munmap(x, bytes);
}

static void integers_beyond_doubles(void **state) {
    (void)state;
    const int64_t most = INT64_C(1) << 53;
    const int64_t exact[] = {most, -most, most * 512, INT64_MIN, most + 2, 0};
    const int64_t inexact[] = {most + 1, -most - 1, INT64_MAX, INT64_MIN + 1, 3 * most + 1};
    hsp_data *data = NULL;
    hsp_error *err = NULL;
    hsp_array a = matrix_of(exact, HSP_INT64, 2, 3);
    assert_int_equal(hsp_data_view_dense(&a, NULL, NULL, NULL, &data, NULL), 0);
    double row[3];
    assert_int_equal(hsp_data_row(data, 1, row, NULL), 0);
    assert_true(row[0] == -0x1p63 && row[1] == 0x1p53 + 2);
    hsp_data_free(data);
    for (int k = 0; k < 5; k++) {
        const int64_t x[] = {1, 2, 3, inexact[k]};
        a = matrix_of(x, HSP_INT64, 2, 2);
        assert_fails(hsp_data_view_dense(&a, NULL, NULL, NULL, &data, &err), &err, HSP_EINPUT,
                     "row 1, column 1 (from 0) is");
        assert_null(data);
    }
}

/* A value that is not finite anywhere, in any order: the first by rows is named. */
static void values_that_are_not_finite(void **state) {
    (void)state;
    enum { N = 700, D = 260 }; /* more than one piece */
    static const double bad[] = {NAN, INFINITY, -INFINITY};
    double *x = calloc(N * D, sizeof *x);
    for (int k = 0; k < 3 * 2 * LAYOUTS; k++) {
        int64_t i = 13 * k % N, j = 7 * k % D;
        char *block, message[80];
        int released = 0;
        hsp_data *data = (hsp_data *)x;
        hsp_error *err = NULL;
        x[i * D + j] = bad[k % 3];
        x[(N - 1) * D + k] = NAN; /* a later one */
        hsp_array a = lay_out(x, N, D, k / 3 % 2 ? HSP_FLOAT32 : HSP_FLOAT64, (array_layout)(k / 6), &block);
        snprintf(message, sizeof message, "row %d, column %d (from 0) is not finite", (int)i, (int)j);
        assert_fails(hsp_data_view_dense(&a, NULL, count_release, &released, &data, &err), &err, HSP_EINPUT, message);
        assert_null(data);
        assert_int_equal(released, 1);
        x[i * D + j] = x[(N - 1) * D + k] = 0;
        free(block);
    }
    free(x);
}

static void broken_dense_arrays(void **state) {
    (void)state;
    const double x[] = {1, 2, 3, 4};
    const hsp_array good = matrix_of(x, HSP_FLOAT64, 2, 2);
    const struct {
        hsp_array a;
        int code;
        const char *says;
    } broken[] = {
        {{.size = 8, .data = x, .dtype = HSP_FLOAT64, .ndim = 2}, HSP_EUSAGE, "size is not set"},
        {{good.size, NULL, HSP_FLOAT64, 2, {2, 2}, {16, 8}}, HSP_EUSAGE, "data is NULL"},
        {{good.size, x, 0, 2, {2, 2}, {16, 8}}, HSP_EUSAGE, "0 is not an hsp_dtype"},
        {{good.size, x, 10, 2, {2, 2}, {16, 8}}, HSP_EUSAGE, "10 is not an hsp_dtype"},
        {{good.size, x, -1, 2, {2, 2}, {16, 8}}, HSP_EUSAGE, "-1 is not an hsp_dtype"},
        {{good.size, x, HSP_UINT32, 2, {2, 2}, {8, 4}}, HSP_EUSAGE, "uint32 cannot be used"},
        {{good.size, x, HSP_FLOAT64, 1, {4, 1}, {8, 8}}, HSP_EUSAGE, "ndim 1"},
        {{good.size, x, HSP_FLOAT64, 3, {2, 2}, {16, 8}}, HSP_EUSAGE, "ndim 3"},
        {{good.size, x, HSP_FLOAT64, 2, {-2, 2}, {16, 8}}, HSP_EUSAGE, "shape[0] is negative"},
        {{good.size, x, HSP_FLOAT64, 2, {2, -2}, {16, 8}}, HSP_EUSAGE, "shape[1] is negative"},
        {{good.size, x, HSP_FLOAT64, 2, {INT64_MAX, 2}, {0, 0}}, HSP_EUSAGE, "larger than an address space"},
        {{good.size, x, HSP_FLOAT64, 2, {2, INT64_MAX}, {0, 0}}, HSP_EUSAGE, "larger than an address space"},
        {{good.size, x, HSP_FLOAT64, 2, {2, 2}, {INT64_MAX, 8}}, HSP_EUSAGE, "larger than an address space"},
        {{good.size, x, HSP_FLOAT64, 2, {2, 2}, {8, INT64_MIN}}, HSP_EUSAGE, "larger than an address space"},
        {{good.size, x, HSP_FLOAT64, 2, {0, 2}, {16, 8}}, HSP_EINPUT, "no rows"},
        {{good.size, NULL, HSP_FLOAT64, 2, {0, 2}, {16, 8}}, HSP_EINPUT, "no rows"},
        {{good.size, x, HSP_FLOAT64, 2, {2, 0}, {16, 8}}, HSP_EINPUT, "no columns"},
        {{good.size, x, HSP_FLOAT64, 2, {1, INT64_C(1) << 31}, {0, 0}}, HSP_EINPUT, "2147483647"},
    };
    hsp_data *data = NULL;
    hsp_error *err = NULL;
    int released = 0;
    for (size_t k = 0; k < sizeof broken / sizeof *broken; k++) {
        data = (hsp_data *)&err;
        assert_fails(hsp_data_view_dense(&broken[k].a, NULL, count_release, &released, &data, &err), &err, broken[k].code,
                     broken[k].says);
        assert_null(data);
        assert_int_equal(released, k + 1);
        assert_int_equal(hsp_data_view_dense(&broken[k].a, NULL, NULL, NULL, &data, NULL), broken[k].code);
    }
    const char *const names[] = {"u", NULL};
    released = 0;
    assert_fails(hsp_data_view_dense(&good, names, count_release, &released, &data, &err), &err, HSP_EINPUT, "column 1");
    assert_fails(hsp_data_view_dense(NULL, NULL, count_release, &released, &data, &err), &err, HSP_EUSAGE, "x is NULL");
    assert_int_equal(released, 2);
}

/* ---- sparse ---- */

/* Rows: {5 at 0, 6 at 2}, {}, {7 at 1}. */
typedef struct csr {
    int64_t row[5], column[6];
    double value[6];
} csr;
static const csr three = {{0, 2, 2, 3}, {0, 2, 1}, {5, 6, 7}};
static const double three_rows[] = {5, 0, 6, 0, 0, 0, 0, 7, 0};

static int view_three(const csr *c, int64_t d, int *released, hsp_data **data, hsp_error **err) {
    hsp_array row = vector_of(c->row, HSP_INT64, 4), column = vector_of(c->column, HSP_INT64, 6),
              value = vector_of(c->value, HSP_FLOAT64, 6);
    return hsp_data_view_csr(&row, &column, &value, d, NULL, count_release, released, data, err);
}

static void csr_in_place(void **state) {
    (void)state;
    const char *const names[] = {"u", "v", "w"};
    int released = 0;
    hsp_data *data = NULL;
    hsp_array row = vector_of(three.row, HSP_INT64, 4), column = vector_of(three.column, HSP_INT64, 6),
              value = vector_of(three.value, HSP_FLOAT64, 6);
    assert_int_equal(hsp_data_view_csr(&row, &column, &value, 3, names, count_release, &released, &data, NULL), 0);
    assert_true(data->x.row == three.row && (const void *)data->x.id == three.column && data->x.value == three.value);
    assert_int_equal(data->x.ids, HSP_IDS_64);
    assert_string_equal(hsp_data_feature_name(data, 2), "w");
    assert_rows(data, three_rows);
    hsp_data_free(data);
    assert_int_equal(released, 1);
}

/* Offsets that do not begin at 0 are copied, the rest is read in place. */
static void csr_within_larger_arrays(void **state) {
    (void)state;
    const int32_t row[] = {2, 4, 4, 5}, column[] = {-9, 99, 0, 2, 1};
    const float value[] = {NAN, 0, 5, 6, 7};
    hsp_array r = vector_of(row, HSP_INT32, 4), c = vector_of(column, HSP_INT32, 5), v = vector_of(value, HSP_FLOAT32, 5);
    hsp_data *data = NULL;
    int released = 0;
    assert_int_equal(hsp_data_view_csr(&r, &c, &v, 3, NULL, count_release, &released, &data, NULL), 0);
    assert_int_equal(data->x.lent, HSP_LENT_ID | HSP_LENT_VALUE);
    assert_true(data->x.value == value + 2 && (const void *)data->x.id == column + 2);
    assert_int_equal(data->x.row[0], 0);
    assert_rows(data, three_rows);
    hsp_data_free(data);
    assert_int_equal(released, 1);
}

/* Long rows are read in place unless a column is out of order or twice, wherever that is. */
static void csr_of_long_rows(void **state) {
    (void)state;
    enum { LONG = 4100, MANY = 3 * LONG };
    static int32_t narrow[MANY];
    static int64_t wide[MANY];
    static double value[MANY];
    const int64_t row[] = {0, LONG, LONG, 2 * LONG, MANY};
    const int64_t at[] = {0, 1, 2, 4095, 4096, 4097, LONG, LONG + 1, 2 * LONG - 1, 2 * LONG, 2 * LONG + 1, MANY - 1};
    for (size_t k = 0; k < sizeof at / sizeof *at; k++)
        for (int way = 0; way < 6; way++) { /* as it is; before its neighbour; the same; each in both widths */
            for (int64_t t = 0; t < MANY; t++) wide[t] = 2 * (t % LONG) + 1, value[t] = 1 + (double)t;
            bool inner = at[k] % LONG > 0;
            if (inner && way / 2 == 1) wide[at[k]] = wide[at[k] - 1] - 1;
            if (inner && way / 2 == 2) wide[at[k]] = wide[at[k] - 1];
            for (int64_t t = 0; t < MANY; t++) narrow[t] = (int32_t)wide[t];
            hsp_array r = vector_of(row, HSP_INT64, 5), v = vector_of(value, HSP_FLOAT64, MANY);
            hsp_array c = way % 2 ? vector_of(narrow, HSP_INT32, MANY) : vector_of(wide, HSP_INT64, MANY);
            hsp_data *data = NULL;
            assert_int_equal(hsp_data_view_csr(&r, &c, &v, 2 * LONG, NULL, NULL, NULL, &data, NULL), 0);
            assert_int_equal((data->x.lent & HSP_LENT_ID) != 0, !inner || way / 2 == 0);
            assert_int_equal(data->x.stored, MANY - (inner && way / 2 == 2));
            hsp_data_free(data);
        }
}

/* Columns out of order or twice, zeros, strides, no entries: copies. */
static void csr_copies(void **state) {
    (void)state;
    const csr cases[] = {
        {{0, 2, 2, 3}, {2, 0, 1}, {6, 5, 7}},
        {{0, 3, 3, 4}, {0, 2, 2, 1}, {5, 4, 2, 7}},
        {{0, 3, 3, 4}, {0, 1, 2, 1}, {5, 0, 6, 7}},
        {{0, 3, 3, 4}, {0, 1, 2, 1}, {5, -0.0, 6, 7}},
        {{0, 4, 4, 5}, {1, 0, 1, 2, 1}, {3, 5, -3, 6, 7}},
    };
    hsp_data *data = NULL;
    int released = 0, made = 0;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        assert_int_equal(view_three(&cases[k], 3, &released, &data, NULL), 0);
        assert_int_equal(released, ++made);
        assert_int_equal(data->x.lent, 0);
        assert_rows(data, three_rows);
        hsp_data_free(data);
    }
    const int64_t apart[] = {0, -1, 2, -1, 1, -1};
    hsp_array row = vector_of(three.row, HSP_INT64, 4), column = vector_of(apart, HSP_INT64, 3),
              value = vector_of(three.value, HSP_FLOAT64, 3), none = vector_of(NULL, HSP_FLOAT64, 0);
    column.strides[0] = 2 * sizeof *apart;
    assert_int_equal(hsp_data_view_csr(&row, &column, &value, 3, NULL, count_release, &released, &data, NULL), 0);
    assert_int_equal(released, ++made);
    assert_rows(data, three_rows);
    hsp_data_free(data);
    row.strides[0] = 0; /* offsets that are all 0 */
    column = vector_of(NULL, HSP_INT32, 0);
    assert_int_equal(hsp_data_view_csr(&row, &column, &none, 3, NULL, NULL, NULL, &data, NULL), 0);
    assert_rows(data, (const double[9]){0});
    hsp_data_free(data);
}

static void csc_is_turned(void **state) {
    (void)state;
    const int32_t begin[] = {1, 2, 4, 6}, row[] = {9, 0, 2, 1, 0, 0};
    const float value[] = {NAN, 5, 7, 0, 6, 0};
    const char *const names[] = {"u", "v", "w"};
    hsp_array b = vector_of(begin, HSP_INT32, 4), r = vector_of(row, HSP_INT32, 6), v = vector_of(value, HSP_FLOAT32, 6);
    hsp_data *data = NULL;
    int released = 0;
    assert_int_equal(hsp_data_view_csc(&b, &r, &v, 3, names, count_release, &released, &data, NULL), 0);
    assert_int_equal(released, 1);
    assert_rows(data, three_rows);
    assert_false(data->x.dense);
    assert_int_equal(data->x.dtype, HSP_FLOAT32);
    assert_string_equal(hsp_data_feature_name(data, 1), "v");
    hsp_data_free(data);
    /* Twins are added as doubles: their sum need not be a float. */
    const int64_t begins[] = {0, 3, 3}, rows[] = {1, 0, 1};
    const float twins[] = {1, 8, 0x1p-40f};
    b = vector_of(begins, HSP_INT64, 3), r = vector_of(rows, HSP_INT64, 3), v = vector_of(twins, HSP_FLOAT32, 3);
    assert_int_equal(hsp_data_view_csc(&b, &r, &v, 2, NULL, NULL, NULL, &data, NULL), 0);
    assert_rows(data, (const double[]){8, 0, 1 + 0x1p-40, 0});
    hsp_data_free(data);
}

static void broken_csr_arrays(void **state) {
    (void)state;
    const struct {
        csr c;
        int64_t d;
        const char *says;
    } broken[] = {
        {{{0, 2, 1, 3}, {0, 2, 1}, {5, 6, 7}}, 3, "row 1 ends before it begins"},
        {{{-1, 2, 2, 3}, {0, 2, 1}, {5, 6, 7}}, 3, "row 0 ends before it begins"},
        {{{0, 2, 2, -3}, {0, 2, 1}, {5, 6, 7}}, 3, "row 2 ends before it begins"},
        {{{1, 2, INT64_MIN, 3}, {0, 2, 1}, {5, 6, 7}}, 3, "row 1 ends before it begins"},
        {{{7, 7, 7, 7}, {0}, {0}}, 3, "the row offsets end at 7, but there are 6 entries"},
        {{{0, 2, 2, 7}, {0, 2, 1}, {5, 6, 7}}, 3, "the row offsets end at 7, but there are 6 entries"},
        {{{2, 2, 2, 7}, {0, 2, 1}, {5, 6, 7}}, 3, "the row offsets end at 7, but there are 6 entries"},
        {{{0, 2, 2, 3}, {0, 3, 1}, {5, 6, 7}}, 3, "row 0 has column 3"},
        {{{0, 2, 2, 3}, {0, 2, -1}, {5, 6, 7}}, 3, "row 2 has column -1"},
        {{{0, 2, 2, 3}, {0, INT64_C(1) << 32, 1}, {5, 6, 7}}, 3, "row 0 has column 4294967296"},
        {{{0, 2, 2, 3}, {0, 2, 1}, {5, NAN, 7}}, 3, "row 0, column 2 (from 0) is not finite"},
        {{{0, 2, 2, 3}, {0, 2, 1}, {5, 6, -INFINITY}}, 3, "row 2, column 1 (from 0) is not finite"},
        {{{0, 2, 2, 3}, {2, 2, 1}, {1e308, 1e308, 1}}, 3, "row 0, column 2 (from 0) is not finite"},
        {{{0, 2, 2, 3}, {0, 2, 1}, {5, 6, 7}}, 0, "no columns"},
        {{{0, 2, 2, 3}, {0, 2, 1}, {5, 6, 7}}, -3, "no columns"},
        {{{0, 2, 2, 3}, {0, 2, 1}, {5, 6, 7}}, INT64_C(1) << 31, "2147483647"},
    };
    hsp_error *err = NULL;
    int released = 0;
    for (size_t k = 0; k < sizeof broken / sizeof *broken; k++) {
        hsp_data *data = (hsp_data *)&err;
        assert_fails(view_three(&broken[k].c, broken[k].d, &released, &data, &err), &err, HSP_EINPUT, broken[k].says);
        assert_null(data);
        assert_int_equal(released, k + 1);
    }
}

/* Arrays of the wrong form, in each of the three places. */
static void broken_sparse_forms(void **state) {
    (void)state;
    static const char *const names[2][3] = {{"row", "column", "value"}, {"column_begin", "row", "value"}};
    static const int32_t refused[] = {HSP_FLOAT32, HSP_UINT32, HSP_INT8, HSP_INT16, HSP_BOOL, 0, 77};
    hsp_data *data = NULL;
    hsp_error *err = NULL;
    int released = 0, calls = 0;
    for (int csc = 0; csc < 2; csc++)
        for (int place = 0; place < 3; place++)
            for (int k = 0; k < 12; k++) {
                hsp_array a[3] = {vector_of(three.row, HSP_INT64, 4), vector_of(three.column, HSP_INT64, 3),
                                  vector_of(three.value, HSP_FLOAT64, 3)};
                const hsp_array *p[3] = {&a[0], &a[1], &a[2]};
                if (k < 7) a[place].dtype = place == 2 && k == 0 ? HSP_INT64 : refused[k];
                if (k == 7) a[place].ndim = 2;
                if (k == 8) a[place].size = 0;
                if (k == 9) a[place].data = NULL;
                if (k == 10) a[place].shape[0] = -1;
                if (k == 11) p[place] = NULL;
                int status = (csc ? hsp_data_view_csc : hsp_data_view_csr)(p[0], p[1], p[2], 3, NULL, count_release,
                                                                           &released, &data, &err);
                assert_fails(status, &err, HSP_EUSAGE, names[csc][place]);
                assert_null(data);
                assert_int_equal(released, ++calls);
            }
    hsp_array none = vector_of(three.row, HSP_INT64, 1), empty = vector_of(three.row, HSP_INT64, 0),
              column = vector_of(three.column, HSP_INT64, 3), value = vector_of(three.value, HSP_FLOAT64, 3);
    assert_fails(hsp_data_view_csr(&none, &column, &value, 3, NULL, NULL, NULL, &data, &err), &err, HSP_EINPUT, "no rows");
    assert_fails(hsp_data_view_csr(&empty, &column, &value, 3, NULL, NULL, NULL, &data, &err), &err, HSP_EINPUT, "no rows");
    assert_fails(hsp_data_view_csc(&none, &column, &value, 3, NULL, NULL, NULL, &data, &err), &err, HSP_EINPUT,
                 "no columns");
    hsp_array row = vector_of((const int64_t[]){2, 2, 3}, HSP_INT64, 3), fewer = vector_of(three.value, HSP_FLOAT64, 1);
    assert_fails(hsp_data_view_csr(&row, &column, &fewer, 3, NULL, NULL, NULL, &data, &err), &err, HSP_EINPUT,
                 "the row offsets end at 3, but there are 1 entries");
}

static void broken_csc_arrays(void **state) {
    (void)state;
    const struct {
        csr c;
        int64_t n;
        const char *says;
    } broken[] = {
        {{{0, 2, 1, 3}, {0, 2, 1}, {5, 6, 7}}, 3, "column 1 ends before it begins"},
        {{{0, 2, 2, 9}, {0, 2, 1}, {5, 6, 7}}, 3, "the column offsets end at 9"},
        {{{0, 2, 2, 3}, {0, 3, 1}, {5, 6, 7}}, 3, "column 0 has row 3, but rows are numbered 0 to 2"},
        {{{0, 2, 2, 3}, {0, 2, -1}, {5, 6, 7}}, 3, "column 2 has row -1"},
        {{{0, 2, 2, 3}, {0, 2, 1}, {5, NAN, 7}}, 3, "row 2, column 0 (from 0) is not finite"},
        {{{0, 2, 2, 3}, {2, 2, 1}, {1e308, 1e308, 1}}, 3, "row 2, column 0 (from 0) is not finite"},
        {{{0, 2, 2, 3}, {0, 2, 1}, {5, 6, 7}}, 0, "no rows"},
        {{{0, 2, 2, 3}, {0, 2, 1}, {5, 6, 7}}, -1, "no rows"},
    };
    hsp_error *err = NULL;
    int released = 0;
    for (size_t k = 0; k < sizeof broken / sizeof *broken; k++) {
        hsp_data *data = (hsp_data *)&err;
        hsp_array begin = vector_of(broken[k].c.row, HSP_INT64, 4), row = vector_of(broken[k].c.column, HSP_INT64, 6),
                  value = vector_of(broken[k].c.value, HSP_FLOAT64, 6);
        int status = hsp_data_view_csc(&begin, &row, &value, broken[k].n, NULL, count_release, &released, &data, &err);
        assert_fails(status, &err, HSP_EINPUT, broken[k].says);
        assert_null(data);
        assert_int_equal(released, k + 1);
    }
}

/* ---- memory ---- */

static int view_once(void *user, hsp_error **err) {
    const int *k = user;
    const char *const names[] = {"u", "v", "w"};
    const csr *c = &three, turned = {{0, 3, 3, 4}, {0, 2, 2, 1}, {5, 4, 2, 7}};
    int released = 0, status;
    hsp_data *data = (hsp_data *)&released;
    hsp_array x = matrix_of(small, HSP_FLOAT64, 4, 3);
    if (*k == 0) x.strides[0] = 8, x.strides[1] = 32; /* Fortran order */
    if (*k == 1) x.shape[0] = 3, x.strides[0] = 0;    /* a copy */
    if (*k == 3) c = &turned;
    hsp_array row = vector_of(c->row, HSP_INT64, 4), column = vector_of(c->column, HSP_INT64, 6),
              value = vector_of(c->value, HSP_FLOAT64, 6);
    if (*k < 2)
        status = hsp_data_view_dense(&x, names, count_release, &released, &data, err);
    else if (*k < 4)
        status = hsp_data_view_csr(&row, &column, &value, 3, names, count_release, &released, &data, err);
    else
        status = hsp_data_view_csc(&row, &column, &value, 3, names, count_release, &released, &data, err);
    if (status) assert_null(data);
    if (status) assert_int_equal(released, 1);
    hsp_data_free(data);
    assert_int_equal(released, 1);
    return status;
}

static void memory_runs_out(void **state) {
    (void)state;
    for (int k = 0; k < 5; k++) sweep_memory(view_once, &k);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_layout_is_read),
        cmocka_unit_test(names_are_copied),
        cmocka_unit_test(thin_arrays),
        cmocka_unit_test(broadcast_arrays),
        cmocka_unit_test(truth),
        cmocka_unit_test(read_only_memory),
        cmocka_unit_test(integers_beyond_doubles),
        cmocka_unit_test(values_that_are_not_finite),
        cmocka_unit_test(broken_dense_arrays),
        cmocka_unit_test(csr_in_place),
        cmocka_unit_test(csr_within_larger_arrays),
        cmocka_unit_test(csr_of_long_rows),
        cmocka_unit_test(csr_copies),
        cmocka_unit_test(csc_is_turned),
        cmocka_unit_test(broken_csr_arrays),
        cmocka_unit_test(broken_sparse_forms),
        cmocka_unit_test(broken_csc_arrays),
        cmocka_unit_test(memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
