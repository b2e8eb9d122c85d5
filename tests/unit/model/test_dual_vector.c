/* The dual vector of a model: to the sparse form and back, through a file, and invalid vectors. */
#include "handmade.h"

#include "base/container.h"
#include "base/report.h"
#include "model/model_file.h"

static const char *const two[] = {"no", "yes"};
static const char *const three[] = {"a", "b", "c"};

static hsp_dual *make(int64_t n, int64_t outputs) {
    double *dense = calloc((size_t)(n * outputs), sizeof *dense);
    for (int64_t t = 0; t < n * outputs; t++) dense[t] = t % 3 == 1 ? 0 : (double)(t + 1) / 7 * (t % 2 ? -1 : 1);
    hsp_dual *a = NULL;
    hsp_error *err = NULL;
    int status = hsp_dual_new(dense, n, outputs, &a, &err);
    handmade_ok(status, err);
    double *column = calloc((size_t)n, sizeof *column);
    for (int64_t k = 0; k < outputs; k++) {
        hsp_dual_spread(a, k, n, column);
        for (int64_t i = 0; i < n; i++) assert_true(column[i] == dense[i * outputs + k]);
    }
    free(column);
    free(dense);
    return a;
}

static void check_equal(const hsp_dual *a, const hsp_dual *b) {
    assert_int_equal(a->outputs, b->outputs);
    assert_memory_equal(a->begin, b->begin, (size_t)(a->outputs + 1) * sizeof *a->begin);
    assert_memory_equal(a->row, b->row, (size_t)a->begin[a->outputs] * sizeof *a->row);
    assert_memory_equal(a->value, b->value, (size_t)a->begin[a->outputs] * sizeof *a->value);
}

static void there_and_back(void **unused) {
    (void)unused;
    for (int many = 0; many < 2; many++) {
        hsp_model *m = handmade_model(3, many ? three : two, many ? 3 : 2, NULL, many ? "standard" : "none"), *copy;
        m->dual = make(m->rows, m->outputs);
        m->claims = handmade_report("{\"objective\":0.25,\"problems\":[{\"class\":null}]}");
        void *bytes = NULL, *again = NULL;
        size_t size, size_again;
        hsp_error *err = NULL;
        handmade_ok(hsp_model_save_memory(m, &bytes, &size, &err), err);
        handmade_ok(hsp_model_load_memory(bytes, size, &copy, &err), err);
        check_equal(m->dual, copy->dual);
        assert_true(hsp_report_equal(m->claims, copy->claims));
        handmade_ok(hsp_model_save_memory(copy, &again, &size_again, &err), err);
        assert_true(size == size_again && memcmp(bytes, again, size) == 0);
        hsp_array a = {.size = sizeof a};
        handmade_ok(hsp_model_array(copy, "dual-values", &a, &err), err);
        assert_true(a.dtype == HSP_FLOAT64 && a.shape[0] == m->dual->begin[m->outputs] && a.data == copy->dual->value);
        handmade_ok(hsp_model_array(copy, "dual-rows", &a, &err), err);
        assert_true(a.dtype == HSP_UINT32 && a.strides[0] == 4);
        hsp_model_drop_dual(copy);
        assert_null(copy->dual);
        handmade_fails(hsp_model_array(copy, "dual-rows", &a, &err), HSP_EUSAGE, &err, "no array 'dual-rows'");
        hsp_free(bytes);
        hsp_free(again);
        hsp_model_free(copy);
        hsp_model_free(m);
    }
}

/* Each makes a valid vector of one output and six entries invalid. */
static void beyond(hsp_dual *a) {
    a->row[a->begin[1] - 1] = 4;
}
static void twice(hsp_dual *a) {
    a->row[1] = a->row[0];
}
static void backwards(hsp_dual *a) {
    uint32_t r = a->row[0];
    a->row[0] = a->row[1];
    a->row[1] = r;
}
static void zero(hsp_dual *a) {
    a->value[0] = 0;
}
static void endless(hsp_dual *a) {
    a->value[1] = INFINITY;
}
static void nothing(hsp_dual *a) {
    a->value[1] = NAN;
}
static void begins_late(hsp_dual *a) {
    a->begin[0] = 1;
}
static void ends_late(hsp_dual *a) {
    a->begin[1] += 1;
}
static void ends_early(hsp_dual *a) {
    a->begin[1] = -1;
}

static void broken_ones(void **unused) {
    (void)unused;
    static void (*const faults[])(hsp_dual *) = {beyond,  twice,       backwards, zero,      endless,
                                                 nothing, begins_late, ends_late, ends_early};
    for (size_t f = 0; f < sizeof faults / sizeof *faults; f++) {
        hsp_dual *a = make(4, 1), *copy = NULL;
        int64_t count = a->begin[1];
        assert_int_equal(hsp_dual_load(a->begin, a->row, a->value, 1, count, 4, &copy, NULL), 0);
        hsp_dual_free(copy);
        faults[f](a);
        assert_int_equal(hsp_dual_load(a->begin, a->row, a->value, 1, count, 4, &copy, NULL), HSP_EINPUT);
        assert_null(copy);
        hsp_dual_free(a);
    }
}

/* A file whose arrays are intact but inconsistent: of other rows, of other shapes, or one of them missing. */
static void refuse(const hsp_model *m, int64_t skip, int64_t shape, const char *words) {
    void *bytes = NULL, *edited = NULL;
    size_t size;
    int64_t edited_size;
    hsp_error *err = NULL;
    hsp_container c;
    hsp_model *copy;
    handmade_ok(hsp_model_save_memory(m, &bytes, &size, &err), err);
    handmade_ok(hsp_container_unpack(&hsp_model_container, bytes, (int64_t)size, "x", &c, &err), err);
    hsp_text t = {0};
    hsp_text_add_n(&t, c.header, strstr(c.header, "\"arrays\"") - c.header);
    hsp_text_add(&t, "\"end\":0}");
    int64_t count = 0;
    for (int64_t i = 0; i < c.count; i++)
        if (i != skip) c.arrays[count++] = c.arrays[i];
    if (shape >= 0) c.arrays[shape].shape[0] -= 1;
    handmade_ok(hsp_container_pack("model", HSP_MODEL_FORMAT_VERSION, t.s, c.arrays, count, &edited, &edited_size, &err),
                err);
    int status = hsp_model_load_memory(edited, (size_t)edited_size, &copy, &err);
    handmade_fails(status, HSP_EINPUT, &err, words);
    hsp_free(edited);
    hsp_text_free(&t);
    hsp_container_clear(&c);
    hsp_free(bytes);
}

static void files_that_do_not_fit(void **unused) {
    (void)unused;
    hsp_model *m = handmade_model(3, two, 2, NULL, "none");
    m->dual = make(m->rows, 1);
    for (int64_t i = 2; i < 5; i++) {
        refuse(m, i, -1, "dual vector is incomplete");
        refuse(m, -1, i, "dual vector");
    }
    m->dual->row[m->dual->begin[1] - 1] = (uint32_t)m->rows; /* never written */
    void *bytes = NULL;
    size_t size;
    hsp_error *err = NULL;
    handmade_fails(hsp_model_save_memory(m, &bytes, &size, &err), HSP_EINTERNAL, &err, "dual vector");
    hsp_model_free(m);
}

int main(void) {
    const struct CMUnitTest t[] = {cmocka_unit_test(there_and_back), cmocka_unit_test(broken_ones),
                                   cmocka_unit_test(files_that_do_not_fit)};
    return cmocka_run_group_tests(t, NULL, NULL);
}
