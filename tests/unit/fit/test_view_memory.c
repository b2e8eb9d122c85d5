/* The memory of a fit over an array of the caller: at most a tenth of the array and 12 doubles a row besides it, and what
 * depends on columns and threads alone. Integers are never blown up to doubles, and arrays in Fortran order are not copied.
 * Stated exceptions are the columns of an L1 penalty and the packed copy of the dual solver. */
#include "array_views.h"
#include "trained.h"

#include "base/rng.h"

#include <fcntl.h>
#include <malloc.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

enum { ROWS = 60000, COLUMNS = 60, FIXED = 2 << 20 };

/* A number of /proc/self/status, in bytes. */
static int64_t status_bytes(const char *key) {
    char line[200];
    int64_t kib = 0;
    FILE *f = fopen("/proc/self/status", "r");
    assert_non_null(f);
    while (fgets(line, sizeof line, f))
        for (const char *s = line + strlen(key); strncmp(line, key, strlen(key)) == 0 && *s; s++)
            if (*s >= '0' && *s <= '9') kib = 10 * kib + *s - '0';
    fclose(f);
    assert_true(kib > 0);
    return 1024 * kib;
}

/* From here on the peak is measured anew; false: the system cannot. */
static bool reset_peak(void) {
    int fd = open("/proc/self/clear_refs", O_WRONLY);
    bool done = fd >= 0 && write(fd, "5", 1) == 1;
    if (fd >= 0) close(fd);
    return done;
}

typedef struct array_case {
    const char *name;
    int32_t dtype;
    bool fortran;
} array_case;

static const array_case cases[] = {{"int8", HSP_INT8, false},
                                   {"float32", HSP_FLOAT32, false},
                                   {"int8, Fortran order", HSP_INT8, true},
                                   {"float32, Fortran order", HSP_FLOAT32, true},
                                   {"int32", HSP_INT32, false},
                                   {"float64, Fortran order", HSP_FLOAT64, true}};

static const char *const tasks[][7] = {
    {"algorithm", "ridge", "lambda", "1", NULL},          {"algorithm", "ridge", "lambda", "auto", NULL},
    {"algorithm", "logistic", "solver", "newton", NULL},  {"algorithm", "lda", NULL},
    {"algorithm", "perceptron", "max-epochs", "2", NULL}, {"algorithm", "sgd", "loss", "logistic", "max-epochs", "1", NULL},
};

static char *fill(const array_case *c, uint8_t *code) {
    hsp_rng r = hsp_rng_new(5, 0);
    int64_t size = size_of_dtype(c->dtype);
    char *block = malloc((size_t)(ROWS * COLUMNS * size));
    for (int64_t i = 0; i < ROWS; i++) {
        double sum = 0;
        for (int64_t j = 0; j < COLUMNS; j++) {
            double v = (double)(int64_t)hsp_rng_below(&r, 200) - 100;
            put_number(c->dtype, v, block + (c->fortran ? j * ROWS + i : i * COLUMNS + j) * size);
            sum += v * (double)(j % 3 - 1);
        }
        code[i] = sum + 400 * hsp_rng_normal(&r) > 0;
    }
    return block;
}

static int measure(const array_case *c, const hsp_array *x, const hsp_array *codes, const char *const *pairs) {
    static const char *const names[] = {"no", "yes"};
    hsp_data *data = NULL;
    int64_t bytes = ROWS * COLUMNS * size_of_dtype(c->dtype), most = bytes / 10 + 12 * 8 * (int64_t)ROWS + FIXED;
    malloc_trim(0);
    if (!reset_peak()) skip();
    int64_t before = status_bytes("VmRSS:");
    assert_int_equal(hsp_data_view_dense(x, NULL, NULL, NULL, &data, NULL), 0);
    assert_int_equal(hsp_data_set_labels(data, codes, names, 2, NULL), 0);
    trained t = train(data, pairs);
    int64_t used = status_bytes("VmHWM:") - before;
    int bad = t.status != 0 || used > most;
    if (bad || getenv("HSP_CHECK_FULL"))
        print_message("%s, %s: status %d, %lld KiB besides the array of %lld KiB, at most %lld KiB\n", c->name, pairs[1],
                      t.status, (long long)used / 1024, (long long)bytes / 1024, (long long)most / 1024);
    trained_free(&t);
    hsp_data_free(data);
    return bad;
}

/* A fit of few rows of each kind: the code of the library that it needs is in memory then, and is not counted below. */
static void load_code(hsp_array x, hsp_array codes) {
    static const char *const names[] = {"no", "yes"};
    x.shape[0] = codes.shape[0] = 1000;
    for (size_t t = 0; t < sizeof tasks / sizeof *tasks; t++) {
        hsp_data *data = NULL;
        assert_int_equal(hsp_data_view_dense(&x, NULL, NULL, NULL, &data, NULL), 0);
        assert_int_equal(hsp_data_set_labels(data, &codes, names, 2, NULL), 0);
        trained fitted = train(data, tasks[t]);
        trained_free(&fitted);
        hsp_data_free(data);
    }
}

static void a_fit_takes_little_besides_the_array(void **state) {
    (void)state;
#ifdef __SANITIZE_ADDRESS__
    skip(); /* freed blocks are kept, and all are larger */
#endif
    int wrong = 0;
    uint8_t *code = malloc(ROWS);
    mallopt(M_MMAP_THRESHOLD, 1 << 17); /* large blocks go back to the system when they are freed */
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const array_case *c = &cases[k];
        char *block = fill(c, code);
        int64_t size = size_of_dtype(c->dtype);
        hsp_array x = {.size = sizeof x, .data = block, .dtype = c->dtype, .ndim = 2, .shape = {ROWS, COLUMNS}};
        x.strides[0] = c->fortran ? size : COLUMNS * size;
        x.strides[1] = c->fortran ? ROWS * size : size;
        hsp_array codes = vector_of(code, HSP_UINT8, ROWS);
        if (k == 0) load_code(x, codes);
        for (size_t t = 0; t < sizeof tasks / sizeof *tasks; t++) wrong += measure(c, &x, &codes, tasks[t]);
        free(block);
    }
    free(code);
    assert_int_equal(wrong, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_fit_takes_little_besides_the_array)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
