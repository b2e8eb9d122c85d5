/* Any bytes as a model: as they are, and with the sizes and checksums repaired, so that the code behind them is
 * reached. A model that loads must report, score, read rows by its schema, and save to bytes that load and save the
 * same. */
#include "base/container.h"
#include "model/model_file.h"
#include "read/reader.h"
#include "require.h"

#include <string.h>
#include <xxhash.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { BOUNDARY = 64, HASH_BYTES = 8, LINE_BYTES = 60 };

/* ---- what must hold for a model ---- */

static void check_failure(int status, const hsp_error *err) {
    REQUIRE(status < 0 && status != HSP_EINTERNAL && err);
    REQUIRE(hsp_error_code(err) == status && !strchr(hsp_error_message(err), '\n'));
}

/* An object whose text reads back: no name stands twice. */
static void check_json(const hsp_report *r) {
    char *json = NULL;
    hsp_report *again = NULL;
    REQUIRE(hsp_report_kind(r, NULL) == HSP_REPORT_OBJECT && hsp_report_json(r, &json, NULL) == 0);
    REQUIRE(hsp_report_parse(json, strlen(json), &again, NULL) == 0);
    hsp_report_free(again);
    hsp_free(json);
}

static void check_report(const hsp_model *m) {
    hsp_report *r = NULL;
    REQUIRE(hsp_model_report(m, &r, NULL) == 0 && r);
    check_json(r);
    hsp_report_free(r);
}

/* A report, or a reason why there is none. */
static void check_moments(const hsp_model *m) {
    hsp_report *r = NULL;
    hsp_error *err = NULL;
    int status = hsp_model_moments(m, &r, &err);
    if (status != 0) check_failure(status, err);
    REQUIRE((status == 0) == (r != NULL));
    if (r) check_json(r);
    hsp_report_free(r);
    hsp_error_free(err);
}

static bool is_finite(double v) {
    return v - v == 0;
}

/* In [0, 1], with the sum 1; projections are finite. */
static void check_probabilities(const hsp_model *m, const double *x, const double *scores) {
    int64_t classes = hsp_model_classes(m);
    double *p = calloc((size_t)classes + 1, sizeof *p), sum = 0;
    REQUIRE(p);
    if (hsp_model_probabilities(m, scores, p)) {
        for (int64_t k = 0; k < classes; k++) {
            REQUIRE(p[k] >= 0 && p[k] <= 1);
            sum += p[k];
        }
        REQUIRE(sum > 1 - 1e-9 && sum < 1 + 1e-9);
    } else {
        REQUIRE(hsp_model_probability(m, x, p, NULL) == HSP_EUSAGE);
    }
    free(p);
    const hsp_extra *directions = hsp_model_extra(m, "directions");
    if (!directions) return;
    double *z = calloc((size_t)directions->rows + 1, sizeof *z);
    REQUIRE(z);
    hsp_model_project(m, hsp_row_dense(hsp_model_features(m), x), z);
    for (int64_t j = 0; j < directions->rows; j++) REQUIRE(is_finite(z[j]));
    free(z);
}

static void check_score(const hsp_model *m) {
    int64_t d = hsp_model_features(m), outputs = hsp_model_outputs(m);
    double *x = calloc((size_t)d + 1, sizeof *x), *scores = calloc((size_t)outputs + 1, sizeof *scores);
    REQUIRE(x && scores);
    for (double size = 0; size <= 1e308; size = size == 0 ? 1 : size * 1e154) {
        for (int64_t j = 0; j < d; j++) x[j] = j % 2 ? size : -size;
        int64_t k = hsp_model_classify(m, x, scores);
        REQUIRE(k == hsp_model_classify(m, x, NULL));
        REQUIRE(m->prepare.regression ? k == -1 : k >= 0 && k < hsp_model_classes(m));
        for (int64_t i = 0; i < outputs; i++) REQUIRE(is_finite(scores[i]));
    }
    check_probabilities(m, x, scores);
    char label[32];
    for (int64_t j = -1; j <= d; j++) REQUIRE(j < 0 || j == d || hsp_model_feature_label(m, j, label));
    free(x);
    free(scores);
}

static void check_rows(const hsp_model *m, const char *text, const char *format) {
    hsp_options *o = NULL;
    hsp_stream *stream = NULL;
    hsp_data *data = NULL;
    hsp_error *err = NULL;
    REQUIRE(hsp_options_new(&o, NULL) == 0 && hsp_options_set(o, "format", format, NULL) == 0);
    REQUIRE(hsp_stream_open_memory(text, (int64_t)strlen(text), "rows", &stream, NULL) == 0);
    const hsp_read_for model = {hsp_prepare_columns(&m->prepare), hsp_prepare_labels(&m->prepare), m->prepare.regression,
                                m->prepare.encoding};
    int status = hsp_read_stream(stream, o, NULL, &model, &data, &err);
    if (status != 0) check_failure(status, err);
    REQUIRE((status == 0) == (data != NULL));
    hsp_data_free(data);
    hsp_error_free(err);
    hsp_stream_close(stream);
    hsp_options_free(o);
}

static void check_saves(const hsp_model *m) {
    void *first = NULL, *second = NULL;
    size_t n = 0, k = 0;
    hsp_model *again = NULL;
    REQUIRE(hsp_model_save_memory(m, &first, &n, NULL) == 0);
    REQUIRE(hsp_model_load_memory(first, n, &again, NULL) == 0);
    REQUIRE(hsp_model_save_memory(again, &second, &k, NULL) == 0);
    REQUIRE(n == k && memcmp(first, second, n) == 0);
    hsp_model_free(again);
    hsp_free(first);
    hsp_free(second);
}

static void check_bytes(const void *bytes, size_t size) {
    hsp_model *m = NULL;
    hsp_error *err = NULL;
    int status = hsp_model_load_memory(bytes, size, &m, &err);
    REQUIRE((status == 0) == (m != NULL) && (status == 0) == (err == NULL));
    if (m) {
        check_report(m);
        check_score(m);
        check_rows(m, "a,b,label,ill,height,x\n1,2,1,yes,4,0\n3,4,-1,no,5,1e300\n", "csv");
        check_rows(m, "1,2,3\n4,5,6\n", "csv");
        check_rows(m, "1 1:2 3:4\n-1 2:1\n", "svmlight");
        check_moments(m);
        check_saves(m);
    } else {
        check_failure(status, err);
    }
    hsp_model_free(m);
    hsp_error_free(err);
}

/* ---- repairing ---- */

static void seal(char *file, size_t total) {
    uint64_t hash = XXH3_64bits(file, total - HASH_BYTES);
    memcpy(file + total - HASH_BYTES, &hash, HASH_BYTES);
}

/* The header's own checksum of the weights, when all else is sound enough to know where they are. Numbers that are not
 * finite stay as they are: the loader must find them. */
static void repair_weights(char *file, size_t total) {
    hsp_container c;
    if (hsp_container_unpack(&hsp_model_container, file, (int64_t)total, "input", &c, NULL) != 0) return;
    const hsp_container_array *w = hsp_container_find(&c, "weights", HSP_FLOAT64);
    const hsp_container_array *b = hsp_container_find(&c, "intercepts", HSP_FLOAT64);
    char *at = memmem(file, total, "\"checksum\": \"", 13), hex[17];
    if (w && b && at && total - (size_t)(at - file) > 13 + 16 + HASH_BYTES) {
        uint64_t h = XXH3_64bits(w->data, (size_t)(w->shape[0] * w->shape[1]) * sizeof(double));
        h = XXH3_64bits_withSeed(b->data, (size_t)(b->shape[0] * b->shape[1]) * sizeof(double), h);
        snprintf(hex, sizeof hex, "%016llx", (unsigned long long)h);
        memcpy(at + 13, hex, 16);
    }
    hsp_container_clear(&c);
    seal(file, total);
}

/* The header is the text from the first brace to the last "\n}", the arrays are what follows its blanks; first line,
 * padding and checksums are written again, as version 1 when the input says so. NULL when there is no such text. */
static char *repair(const uint8_t *data, size_t size, size_t *total) {
    static const char first[] = "halfspace model 1 ";
    int version = size > sizeof first && memcmp(data, first, sizeof first - 1) == 0 ? 1 : HSP_MODEL_FORMAT_VERSION;
    const uint8_t *json = size ? memchr(data, '{', size) : NULL, *end = NULL;
    for (const uint8_t *s = data + size; json && !end && s - json >= 3; s--)
        if (s[-2] == '\n' && s[-1] == '}') end = s;
    if (!end) return NULL;
    const uint8_t *body = end, *stop = data + size;
    while (body < stop && *body == ' ') body++;
    if (body < stop && *body == '\n') body++;
    size_t rest = (size_t)(stop - body) > HASH_BYTES ? (size_t)(stop - body) - HASH_BYTES : 0;
    size_t text = (size_t)(end - json), start = (LINE_BYTES + text + 1 + BOUNDARY - 1) / BOUNDARY * BOUNDARY;
    *total = start + rest + HASH_BYTES;
    char *file = malloc(*total);
    REQUIRE(file);
    int line =
        snprintf(file, *total, "halfspace model %d header %012zu total %015zu\n", version, start - LINE_BYTES, *total);
    REQUIRE(line == LINE_BYTES);
    memcpy(file + LINE_BYTES, json, text);
    memset(file + LINE_BYTES + text, ' ', start - LINE_BYTES - text);
    file[start - 1] = '\n';
    if (rest > 0) memcpy(file + start, body, rest);
    seal(file, *total);
    repair_weights(file, *total);
    return file;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    size_t total = 0;
    char *repaired = repair(data, size, &total);
    bool same = repaired && total == size && memcmp(data, repaired, size) == 0;
    if (!same) check_bytes(data, size);
    if (repaired) check_bytes(repaired, total);
    free(repaired);
    return 0;
}

#ifndef FUZZ_REPLAY

/* ---- mutating ---- */

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

/* Changes the header or the arrays, so that neither is lost by a change to the other, and repairs sizes and checksums. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
    const uint8_t *end = memmem(data, size, "]\n}", 3); /* of the directory, the last member */
    size_t cut = end ? (size_t)(end + 3 - data) : size, total = 0;
    if (!end || cut == size) seed = 0; /* one part only; and none may be as long as the whole */
    uint8_t *part = seed % 4 == 1 ? data + cut : data;
    size_t old = seed % 4 == 0 ? size : seed % 4 == 1 ? size - cut : cut, rest = size - old, changed;
    uint8_t *copy = malloc(size + 1);
    REQUIRE(copy);
    memcpy(copy, part == data ? data + old : data, rest);
    memmove(data, part, old);
    changed = LLVMFuzzerMutate(data, old, most - rest);
    if (part == data) {
        memcpy(data + changed, copy, rest);
    } else {
        memmove(data + rest, data, changed);
        memcpy(data, copy, rest);
    }
    free(copy);
    size = changed + rest;
    char *repaired = repair(data, size, &total);
    if (repaired && total <= most) memcpy(data, repaired, size = total);
    free(repaired);
    return size;
}

#endif
