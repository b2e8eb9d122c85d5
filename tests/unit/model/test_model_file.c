/* Models as files: bit for bit there and back, and any change of the file is refused. */
#include "handmade.h"

#include "base/container.h"
#include "base/report.h"
#include "model/model_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

static const char *const two[] = {"no, \"never\"", "yes"};
static const char *const three[] = {"-2", "0.5", "10"};
static const char *const names[] = {"caf\xc3\xa9", "a \"b\" \\", "tab\there"};

static void *save(const hsp_model *m, size_t *size) {
    void *bytes = NULL;
    hsp_error *err = NULL;
    int status = hsp_model_save_memory(m, &bytes, size, &err);
    handmade_ok(status, err);
    return bytes;
}

static hsp_model *load(const void *bytes, size_t size) {
    hsp_model *m = NULL;
    hsp_error *err = NULL;
    int status = hsp_model_load_memory(bytes, size, &m, &err);
    handmade_ok(status, err);
    return m;
}

static void check_equal(const hsp_model *a, const hsp_model *b) {
    size_t count = (size_t)(a->outputs * a->prepare.schema.d);
    assert_int_equal(a->outputs, b->outputs);
    assert_int_equal(a->prepare.schema.d, b->prepare.schema.d);
    assert_memory_equal(a->w, b->w, count * sizeof(double));
    assert_memory_equal(a->b, b->b, (size_t)a->outputs * sizeof(double));
    assert_string_equal(a->algorithm, b->algorithm);
    assert_true(hsp_report_equal(a->options, b->options) && hsp_report_equal(a->report, b->report));
    assert_string_equal(a->origin.when, b->origin.when);
    assert_true(a->rows == b->rows && a->nonzeros == b->nonzeros && a->data_hash == b->data_hash);
    assert_true(a->prepare.positive == b->prepare.positive);
    assert_true(a->certificate.objective == b->certificate.objective);
    assert_int_equal(a->prepare.classes.count, b->prepare.classes.count);
    for (int64_t k = 0; k < a->prepare.classes.count; k++) {
        assert_string_equal(a->prepare.classes.name[k], b->prepare.classes.name[k]);
    }
    assert_true(!a->prepare.schema.name == !b->prepare.schema.name);
    for (int64_t j = 0; a->prepare.schema.name && j < a->prepare.schema.d; j++) {
        assert_string_equal(a->prepare.schema.name[j], b->prepare.schema.name[j]);
    }
    assert_true(!a->prepare.shift == !b->prepare.shift && !a->prepare.factor == !b->prepare.factor);
    assert_string_equal(a->task, b->task);
    assert_true(a->link == b->link && a->prepare.regression == b->prepare.regression);
    assert_true(!a->class_weight == !b->class_weight);
    if (a->class_weight) {
        assert_memory_equal(a->class_weight, b->class_weight, (size_t)a->prepare.classes.count * sizeof(double));
    }
    assert_int_equal(a->extra_count, b->extra_count);
    for (int64_t i = 0; i < a->extra_count; i++) {
        const hsp_extra *x = &a->extras[i], *y = hsp_model_extra(b, x->name);
        assert_true(y && x->rows == y->rows && x->columns == y->columns);
        assert_memory_equal(x->data, y->data, (size_t)(x->rows * x->columns) * sizeof(double));
    }
}

/* A model with every optional part: probabilities, class weights, all further arrays. */
static hsp_model *full_model(const char *const *classes, int64_t count, hsp_link link) {
    hsp_model *m = handmade_model(3, classes, count, names, "standard");
    m->link = link;
    m->class_weight = handmade_numbers(count, 1);
    for (int64_t k = 0; k < count; k++) m->class_weight[k] = 1.0 / (double)(3 * k + 3);
    const struct {
        const char *name;
        int64_t rows, columns;
    } shapes[] = {{"class-mass", count, 1},   {"class-means", count, 3},       {"class-covariances", 3 * count, 3},
                  {"second-moment", 3, 3},    {"cross-moment", m->outputs, 3}, {"directions", 2, 3},
                  {"direction-offsets", 2, 1}};
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        hsp_error *err = NULL;
        double *numbers = handmade_numbers(shapes[i].rows, shapes[i].columns);
        int status = hsp_model_add_extra(m, shapes[i].name, shapes[i].rows, shapes[i].columns, numbers, &err);
        handmade_ok(status, err);
    }
    return m;
}

/* Frees the model. */
static void check_round_trip(hsp_model *m) {
    size_t size, again;
    void *bytes = save(m, &size);
    hsp_model *copy = load(bytes, size);
    check_equal(m, copy);
    void *twice = save(copy, &again);
    assert_int_equal(size, again);
    assert_memory_equal(bytes, twice, size);
    hsp_free(bytes);
    hsp_free(twice);
    hsp_model_free(copy);
    hsp_model_free(m);
}

static void test_round_trip(void **state) {
    (void)state;
    const char *const kinds[] = {"none", "standard", "maxabs", "minmax"};
    for (int i = 0; i < 16; i++) {
        bool many = i & 1, named = i & 2;
        hsp_model *m = handmade_model(3, many ? three : two, many ? 3 : 2, named ? names : NULL, kinds[i / 4]);
        m->w[0] = -0.0, m->w[1] = 5e-324, m->w[2] = 1.7976931348623157e308;
        if (i == 5) hsp_report_free(m->options), m->options = handmade_report("{}");
        if (i == 6) m->prepare.positive = 0;
        check_round_trip(m);
    }
}

static void test_full_round_trip(void **state) {
    (void)state;
    check_round_trip(full_model(two, 2, HSP_LINK_LOGISTIC));
    check_round_trip(full_model(three, 3, HSP_LINK_SOFTMAX));
    check_round_trip(full_model(three, 3, HSP_LINK_OVR));
    check_round_trip(full_model(two, 2, HSP_LINK_NONE));
    check_round_trip(handmade_regression(3, names, "minmax"));
}

/* A schema as the CSV reader leaves it, and one of svmlight. */
static void test_schemas(void **state) {
    (void)state;
    hsp_model *m = handmade_model(3, two, 2, names, "none");
    hsp_schema *s = &m->prepare.schema;
    hsp_free(s->format);
    s->format = hsp_strdup("csv");
    s->header = true, s->delimiter = '\t', s->file_columns = 5, s->target_column = 2, s->target = hsp_strdup("class");
    s->column = hsp_alloc(3, sizeof *s->column);
    s->column[0] = 1, s->column[1] = 3, s->column[2] = 5;
    size_t size;
    void *bytes = save(m, &size);
    hsp_model *copy = load(bytes, size);
    const hsp_schema *c = &copy->prepare.schema;
    assert_true(c->header && c->delimiter == '\t' && c->file_columns == 5 && c->target_column == 2);
    assert_string_equal(c->target, "class");
    assert_memory_equal(c->column, s->column, 3 * sizeof *s->column);
    hsp_model_free(copy);
    hsp_free(bytes);
    s->column[2] = 6; /* beyond the file's columns: no reader makes this */
    bytes = save(m, &size);
    hsp_error *err = NULL;
    int status = hsp_model_load_memory(bytes, size, &copy, &err);
    handmade_fails(status, HSP_EINPUT, &err, "'columns'");
    hsp_free(bytes);
    hsp_model_free(m);
    m = handmade_model(2, two, 2, NULL, "none");
    hsp_free(m->prepare.schema.format);
    m->prepare.schema.format = hsp_strdup("svmlight");
    m->prepare.schema.base = 1;
    bytes = save(m, &size);
    copy = load(bytes, size);
    assert_int_equal(copy->prepare.schema.base, 1);
    assert_string_equal(copy->prepare.schema.format, "svmlight");
    hsp_free(bytes);
    hsp_model_free(copy);
    hsp_model_free(m);
}

static void test_every_byte_and_every_length(void **state) {
    (void)state;
    hsp_model *m = handmade_model(2, two, 2, NULL, "standard"), *copy;
    size_t size;
    unsigned char *bytes = save(m, &size);
    for (size_t i = 0; i < size; i++) {
        const unsigned char flips[] = {1, 2, 4, 8, 16, 32, 64, 128, 255};
        for (size_t f = 0; f < sizeof flips; f++) {
            bytes[i] ^= flips[f];
            hsp_error *err = NULL;
            int status = hsp_model_load_memory(bytes, size, &copy, &err);
            assert_int_equal(status, HSP_EINPUT);
            assert_null(copy);
            hsp_error_free(err);
            bytes[i] ^= flips[f];
        }
    }
    for (size_t n = 0; n < size; n++) {
        unsigned char *part = malloc(n > 0 ? n : 1); /* its own block, so that a sanitizer sees a read beyond */
        memcpy(part, bytes, n);
        assert_int_equal(hsp_model_load_memory(part, n, &copy, NULL), HSP_EINPUT);
        assert_null(copy);
        free(part);
    }
    unsigned char *longer = calloc(size + 1, 1);
    memcpy(longer, bytes, size);
    hsp_error *err = NULL;
    int status = hsp_model_load_memory(longer, size + 1, &copy, &err);
    handmade_fails(status, HSP_EINPUT, &err, "1 extra bytes at the end");
    free(longer);
    hsp_free(bytes);
    hsp_model_free(m);
}

/* A saved model as header and arrays, which borrow the bytes; both are the caller's. */
static hsp_container unpacked(const hsp_model *m, void **bytes) {
    size_t size;
    hsp_container c;
    hsp_error *err = NULL;
    *bytes = save(m, &size);
    handmade_ok(hsp_container_unpack(&hsp_model_container, *bytes, (int64_t)size, "x", &c, &err), err);
    return c;
}

/* Packs again with this header, complete but for its end, and the arrays of c, with the right length and checksum: only the
 * meaning of `what` is wrong. */
static void refuse_packed(hsp_text *header, const hsp_container *c, const char *what) {
    void *edited;
    int64_t size;
    hsp_error *err = NULL;
    hsp_model *copy;
    hsp_text_add(header, "\"end\":0}");
    handmade_ok(hsp_container_pack("model", HSP_MODEL_FORMAT_VERSION, header->s, c->arrays, c->count, &edited, &size, &err),
                err);
    int status = hsp_model_load_memory(edited, (size_t)size, &copy, &err);
    if (status != HSP_EINPUT) fail_msg("'%s' was accepted", what);
    handmade_fails(status, HSP_EINPUT, &err, "damaged");
    assert_null(copy);
    hsp_free(edited);
    hsp_text_free(header);
}

/* Replaces one part of the header's text. */
static void refuse_edit(const hsp_model *m, const char *from, const char *to) {
    void *bytes;
    hsp_container c = unpacked(m, &bytes);
    char *at = strstr(c.header, from);
    if (!at) fail_msg("'%s' is not in the header", from);
    char *end = strstr(c.header, "\"arrays\"");
    hsp_text t = {0};
    hsp_text_add_n(&t, c.header, at - c.header);
    hsp_text_add(&t, to);
    hsp_text_add_n(&t, at + strlen(from), end - at - (int64_t)strlen(from));
    refuse_packed(&t, &c, to);
    hsp_container_clear(&c);
    hsp_free(bytes);
}

static void test_headers(void **state) {
    (void)state;
    hsp_model *m = handmade_model(3, three, 3, names, "maxabs");
    static const char *const edits[][2] = {
        {"\"algorithm\"", "\"algorithn\""},
        {"\"by-hand\"", "7"},
        {"\"classification\"", "\"regression\""},
        {"\"outputs\": 3", "\"outputs\": 2"},
        {"\"outputs\": 3", "\"outputs\": 1e15"},
        {"\"outputs\": 3", "\"outputs\": -3"},
        {"\"rows\": 6", "\"rows\": -6"},
        {"\"rows\": 6", "\"rows\": 6.5"},
        {"\"nonzeros\"", "\"nonzeroes\""},
        {"\"when\"", "\"then\""},
        {"\"when\": \"", "\"when\": \"much too long to be a date "},
        {"0123456789abcdef", "0123456789abcdeg"},
        {"0123456789abcdef", "0123456789abcde"},
        {"\"checksum\": \"", "\"checksum\": \"0"},
        {"\"certificate\": {", "\"certificate\": [], \"x\": {"},
        {"\"dual_bound\":0.25", "\"dual_bound\":\"0.25\""},
        {"\"claims\": null", "\"claims\": []"},
        {"\"claims\": null", "\"claims\": 1"},
        {"\"claims\"", "\"claimz\""},
        {"\"options\": {", "\"options\": [], \"x\": {"},
        {"\"report\"", "\"repart\""},
        {"[\"-2\",\"0.5\",\"10\"]", "[\"-2\",\"10\",\"0.5\"]"},
        {"[\"-2\",\"0.5\",\"10\"]", "[\"-2\",\"0.5\",\"0.5\"]"},
        {"[\"-2\",\"0.5\",\"10\"]", "[\"-2\",\"0.50\",\"10\"]"},
        {"[\"-2\",\"0.5\",\"10\"]", "[\"-2\",\"0.5\"]"},
        {"[\"-2\",\"0.5\",\"10\"]", "[\"-2\"]"},
        {"[\"-2\",\"0.5\",\"10\"]", "[]"},
        {"[\"-2\",\"0.5\",\"10\"]", "[\"-2\",\"0.5\",10]"},
        {"[\"-2\",\"0.5\",\"10\"]", "{}"},
        {"\"positive\": null", "\"positive\": \"10\""},
        {"\"positive\": null", "\"positive\": 3"},
        {"\"maxabs\"", "\"minmax\""},
        {"\"maxabs\"", "\"none\""},
        {"\"maxabs\"", "\"magic\""},
        {"\"schema\": {", "\"schema\": 3, \"x\": {"},
        {"\"features\":3", "\"features\":2"},
        {"\"features\":3", "\"features\":4000000000"},
        {"\"features\":3", "\"features\":-1"},
        {"\"base\":0", "\"base\":2"},
        {"\"header\":false", "\"header\":0"},
        {"\"delimiter\":null", "\"delimiter\":\"ab\""},
        {"\"delimiter\":null", "\"delimiter\":\"\""},
        {"\"file_columns\":0", "\"file_columns\":1e15"},
        {"\"target_column\":0", "\"target_column\":1"},
        {"\"target\":null", "\"target\":1"},
        {"\"columns\":null", "\"columns\":[1,2,3]"},
        {"\"columns\":null", "\"columns\":[]"},
        {"\"format\":\"memory\"", "\"format\":\"csv\""},
        {"\"names\":[", "\"names\":[\"x\","},
        {"\"names\":[", "\"names\":[[],"},
    };
    for (size_t i = 0; i < sizeof edits / sizeof edits[0]; i++) refuse_edit(m, edits[i][0], edits[i][1]);
    hsp_model_free(m);
    m = handmade_model(3, two, 2, NULL, "none");
    refuse_edit(m, "\"positive\": \"yes\"", "\"positive\": null");
    refuse_edit(m, "\"positive\": \"yes\"", "\"positive\": \"maybe\"");
    hsp_model_free(m);
}

/* Links, weights and tasks that are inconsistent. */
static void test_links(void **state) {
    (void)state;
    hsp_model *m = full_model(two, 2, HSP_LINK_LOGISTIC);
    static const char *const edits[][2] = {
        {"\"link\": \"logistic\"", "\"link\": \"softmax\""},
        {"\"link\": \"logistic\"", "\"link\": \"ovr\""},
        {"\"link\": \"logistic\"", "\"link\": \"probit\""},
        {"\"link\": \"logistic\"", "\"link\": null"},
        {"\"link\": \"logistic\"", "\"link\": 1"},
        {"\"link\"", "\"lynx\""},
        {"\"class_weight\": [", "\"class_weight\": [1,"},
        {"\"class_weight\": [", "\"class_weight\": [-1], \"x\": ["},
        {"\"class_weight\": [", "\"class_weight\": [1,-1], \"x\": ["},
        {"\"class_weight\": [", "\"class_weight\": [1,\"1\"], \"x\": ["},
        {"\"class_weight\": [", "\"class_weight\": [1,null], \"x\": ["},
        {"\"class_weight\": [", "\"class_weight\": [], \"x\": ["},
        {"\"class_weight\": [", "\"class_weight\": {}, \"x\": ["},
        {"\"class_weight\"", "\"class_wait\""},
        {"\"classification\"", "\"regression\""},
    };
    for (size_t i = 0; i < sizeof edits / sizeof edits[0]; i++) refuse_edit(m, edits[i][0], edits[i][1]);
    hsp_model_free(m);
    m = full_model(three, 3, HSP_LINK_SOFTMAX);
    refuse_edit(m, "\"link\": \"softmax\"", "\"link\": \"logistic\"");
    hsp_model_free(m);
    m = handmade_regression(3, NULL, "none");
    refuse_edit(m, "\"link\": \"none\"", "\"link\": \"logistic\"");
    refuse_edit(m, "\"link\": \"none\"", "\"link\": \"softmax\"");
    refuse_edit(m, "\"class_weight\": null", "\"class_weight\": []");
    refuse_edit(m, "\"class_weight\": null", "\"class_weight\": [1,1]");
    refuse_edit(m, "\"outputs\": 1", "\"outputs\": 0");
    refuse_edit(m, "\"regression\"", "\"classification\"");
    hsp_model_free(m);
}

/* ---- calibration and decision rule ---- */

static hsp_model *calibrated_model(const hsp_calibration_method *method, int64_t maps, const hsp_calibration_pair *pairs,
                                   const int64_t *begin) {
    hsp_model *m = maps > 1 ? handmade_model(3, three, 3, NULL, "none") : handmade_model(3, two, 2, NULL, "none");
    hsp_calibration *c = &m->calibration;
    c->method = method;
    c->maps = maps;
    assert_int_equal(HSP_COPY(c->begin, begin, maps + 1), 0);
    assert_int_equal(HSP_COPY(c->pairs, pairs, begin[maps]), 0);
    return m;
}

static void decide(hsp_model *m, const char *rule, bool of_probability, double threshold) {
    m->decision = (hsp_decision){.rule = hsp_strdup(rule), .of_probability = of_probability, .threshold = threshold};
}

static const hsp_calibration_pair knots[] = {{-1, 0}, {0.5, 0.25}, {2, 1}, {-3, 0.5}, {0, 0.125}, {1, 0.5}};
static const int64_t of_three[] = {0, 3, 4, 6}, of_one[] = {0, 3}, of_pair[] = {0, 1};

/* The same bytes when saved again, the same probabilities, and the rule in words. */
static void test_calibrations(void **state) {
    (void)state;
    hsp_model *models[] = {calibrated_model(&hsp_calibration_isotonic, 3, knots, of_three),
                           calibrated_model(&hsp_calibration_isotonic, 1, knots, of_one),
                           calibrated_model(&hsp_calibration_platt, 1, knots + 1, of_pair),
                           calibrated_model(&hsp_calibration_temperature, 1, knots + 2, of_pair),
                           handmade_model(3, two, 2, NULL, "none")};
    models[3]->calibration.pairs[0][1] = 0;
    decide(models[1], "recall:0.9", true, 0.375);
    decide(models[2], "0.25", true, 0.25);
    decide(models[4], "best:f1", false, -1.5);
    static const char *const words[] = {"largest probability", "probability above 0.375", "probability above 0.25",
                                        "largest probability", "score above -1.5"};
    for (int i = 0; i < 5; i++) {
        size_t size;
        void *bytes = save(models[i], &size);
        hsp_model *copy = NULL;
        hsp_error *err = NULL;
        char buf[HSP_MODEL_DECISION];
        double p[3], q[3], g[] = {0.25, -1, 0.75};
        handmade_ok(hsp_model_load_memory(bytes, size, &copy, &err), err);
        assert_non_null(memmem(bytes, 30, "model 7", 7));
        assert_string_equal(hsp_model_decision(copy, buf), words[i]);
        assert_string_equal(hsp_model_field(copy, "decision"), words[i]);
        assert_int_equal(hsp_model_probabilities(models[i], g, p), i < 4);
        if (i < 4) assert_true(hsp_model_probabilities(copy, g, q) && memcmp(p, q, (i ? 2 : 3) * sizeof *p) == 0);
        check_equal(models[i], copy);
        hsp_model_free(copy);
        hsp_free(bytes);
    }
    for (int i = 0; i < 5; i++) hsp_model_free(models[i]);
}

static void test_calibration_edits(void **state) {
    (void)state;
    static const char *const edits[][2] = {
        {"\"isotonic\"", "\"Isotonic\""},
        {"\"isotonic\"", "null"},
        {"\"isotonic\"", "\"platt\""},       /* a map of several pairs */
        {"\"isotonic\"", "\"temperature\""}, /* likewise */
        {"\"method\"", "\"methods\""},
        {"\"calibration\": {", "\"calibration\": null, \"x\": {"}, /* arrays that belong to nothing */
        {"\"calibration\"", "\"calibrations\""},
        {"\"calibration\": {", "\"calibration\": [], \"x\": {"},
        {"\"rule\":\"recall:0.9\"", "\"rule\":\"recall:9\""},
        {"\"rule\":\"recall:0.9\"", "\"rule\":\"auto\""},
        {"\"rule\":\"recall:0.9\"", "\"rule\":\"0.3\""}, /* not its threshold */
        {"\"rule\":\"recall:0.9\"", "\"rule\":1"},
        {"\"rule\":\"recall:0.9\"", "\"role\": 1"},
        {"\"level\":\"probability\"", "\"level\":\"score\""}, /* the model has probabilities */
        {"\"level\":\"probability\"", "\"level\":\"odds\""},
        {"\"threshold\":0.375", "\"threshold\":null"},
        {"\"threshold\":0.375", "\"threshold\":\"0.375\""},
        {"\"threshold\":0.375", "\"threshold\":0.5"}, /* not what `decision` states */
        {"probability above 0.375", "probability above 0.5"},
        {"\"decision_rule\"", "\"decision_role\""}, /* nor is no rule */
    };
    hsp_model *m = calibrated_model(&hsp_calibration_isotonic, 1, knots, of_one);
    decide(m, "recall:0.9", true, 0.375);
    for (size_t i = 0; i < sizeof edits / sizeof edits[0]; i++) refuse_edit(m, edits[i][0], edits[i][1]);
    hsp_model_free(m);
    m = calibrated_model(&hsp_calibration_isotonic, 3, knots, of_three);
    refuse_edit(m, "\"decision_rule\": null", /* three classes */
                "\"decision_rule\": {\"rule\":\"0.5\", \"level\":\"probability\", \"threshold\":0.5}");
    hsp_model_free(m);
    m = handmade_regression(3, NULL, "none");
    refuse_edit(m, "\"link\"", "\"calibration\": {\"method\": \"platt\"}, \"link\"");
    hsp_model_free(m);
}

/* The two arrays of a calibration, one of them replaced. */
static void refuse_calibration(const char *name, int dtype, int64_t rows, int64_t columns, const void *data) {
    hsp_model *m = calibrated_model(&hsp_calibration_isotonic, 3, knots, of_three);
    void *bytes;
    hsp_container c = unpacked(m, &bytes);
    char *end = strstr(c.header, "\"arrays\"");
    hsp_text t = {0};
    hsp_text_add_n(&t, c.header, end - c.header);
    for (int64_t i = 0; i < c.count; i++)
        if (strcmp(c.arrays[i].name, name) == 0)
            c.arrays[i] = (hsp_container_array){data ? name : "class-mass", dtype, {rows, columns}, data ? data : knots};
    refuse_packed(&t, &c, name);
    hsp_container_clear(&c);
    hsp_free(bytes);
    hsp_model_free(m);
}

static void test_calibration_arrays(void **state) {
    (void)state;
    static const int64_t wrong[][5] = {{0, 3, 4, 5}, {1, 3, 4, 6}, {0, 3, 3, 6}, {0, 4, 3, 6}, {0, 3, 4, 7},
                                       {0, INT64_MAX, 4, 6}, {0, -1, 4, 6}, {INT64_MIN, 3, 4, 6}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        refuse_calibration("calibration-begin", HSP_INT64, 4, 1, wrong[i]);
    refuse_calibration("calibration-begin", HSP_INT64, 3, 1, of_three);
    refuse_calibration("calibration-begin", HSP_INT64, 2, 2, of_three);
    refuse_calibration("calibration-begin", HSP_INT64, 1, 1, of_three);
    refuse_calibration("calibration-begin", HSP_FLOAT64, 4, 1, knots);
    refuse_calibration("calibration-begin", HSP_FLOAT64, 3, 1, NULL);
    static const double bad[][2] = {
        {NAN, 0.25}, {0.5, INFINITY}, {0.5, 1.5}, {0.5, -0.5}, {-1, 0.25}, {3, 0.25}, {0.5, 2e-300}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        hsp_calibration_pair changed[6];
        memcpy(changed, knots, sizeof knots);
        changed[1][0] = bad[i][0], changed[1][1] = bad[i][1];
        if (i == 6) changed[0][1] = 0.5; /* descending */
        refuse_calibration("calibration-pairs", HSP_FLOAT64, 6, 2, changed);
    }
    refuse_calibration("calibration-pairs", HSP_FLOAT64, 4, 3, knots);
    refuse_calibration("calibration-pairs", HSP_FLOAT64, 5, 2, knots);
    refuse_calibration("calibration-pairs", HSP_FLOAT64, 12, 1, knots);
    refuse_calibration("calibration-pairs", HSP_FLOAT64, 0, 2, knots);
    refuse_calibration("calibration-pairs", HSP_INT64, 6, 2, knots);
    refuse_calibration("calibration-pairs", HSP_FLOAT64, 3, 1, NULL);
}

/* Packs again with `count` arrays, the last of them `added`, in the version given. */
static int load_with(hsp_model *m, int version, int64_t drop, const hsp_container_array *added, hsp_error **err) {
    void *bytes, *edited;
    hsp_container c = unpacked(m, &bytes);
    char *end = strstr(c.header, "\"arrays\"");
    hsp_text t = {0};
    hsp_text_add_n(&t, c.header, end - c.header);
    hsp_text_add(&t, "\"end\":0}");
    hsp_container_array arrays[16];
    int64_t count = c.count - drop, edited_size;
    memcpy(arrays, c.arrays, (size_t)count * sizeof *arrays);
    if (added) arrays[count++] = *added;
    handmade_ok(hsp_container_pack("model", version, t.s, arrays, count, &edited, &edited_size, NULL), NULL);
    hsp_model *copy;
    int status = hsp_model_load_memory(edited, (size_t)edited_size, &copy, err);
    assert_true((copy != NULL) == (status == 0));
    hsp_model_free(copy);
    hsp_free(edited);
    hsp_text_free(&t);
    hsp_container_clear(&c);
    hsp_free(bytes);
    return status;
}

static void test_further_arrays(void **state) {
    (void)state;
    hsp_model *m = handmade_model(3, three, 3, NULL, "none"), *regression = handmade_regression(3, NULL, "none");
    double numbers[64] = {0}, nan[64] = {NAN}, late[64] = {0};
    float narrow[64] = {0};
    late[8] = INFINITY;
    hsp_error *err = NULL;
    const hsp_container_array good = {"class-means", HSP_FLOAT64, {3, 3}, numbers};
    handmade_ok(load_with(m, 2, 0, NULL, &err), err);
    handmade_ok(load_with(m, 2, 0, &good, &err), err);
    handmade_fails(load_with(m, 1, 0, &good, &err), HSP_EINPUT, &err, "damaged");
    handmade_fails(load_with(regression, 2, 0, &good, &err), HSP_EINPUT, &err, "damaged");
    const hsp_container_array bad[] = {
        {"class-means", HSP_FLOAT64, {3, 2}, numbers},
        {"class-means", HSP_FLOAT64, {2, 3}, numbers},
        {"class-means", HSP_FLOAT64, {9, 1}, numbers},
        {"class-means", HSP_FLOAT64, {3, 3}, nan},
        {"class-means", HSP_FLOAT64, {3, 3}, late},
        {"class-means", HSP_FLOAT32, {3, 3}, narrow},
        {"class-means", HSP_FLOAT64, {0, 3}, numbers},
        {"class-mass", HSP_FLOAT64, {3, 2}, numbers},
        {"class-mass", HSP_FLOAT64, {1, 3}, numbers},
        {"class-covariances", HSP_FLOAT64, {3, 3}, numbers},
        {"second-moment", HSP_FLOAT64, {3, 4}, numbers},
        {"cross-moment", HSP_FLOAT64, {1, 3}, numbers},
        {"directions", HSP_FLOAT64, {2, 3}, numbers},
        {"direction-offsets", HSP_FLOAT64, {2, 1}, numbers},
        {"directions", HSP_FLOAT64, {0, 3}, numbers},
        {"directions", HSP_FLOAT64, {3, 2}, numbers},
        {"weights", HSP_FLOAT64, {3, 3}, numbers},
        {"intercepts", HSP_FLOAT64, {3, 1}, numbers},
        {"scale-shift", HSP_FLOAT64, {3, 1}, numbers},
        {"alphas", HSP_FLOAT64, {3, 1}, numbers},
        {"", HSP_FLOAT64, {3, 1}, numbers},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        int status = load_with(m, 2, 0, &bad[i], &err);
        if (status != HSP_EINPUT) fail_msg("array %zu, '%s', was accepted", i, bad[i].name);
        handmade_fails(status, HSP_EINPUT, &err, "damaged");
    }
    hsp_model_free(m);
    m = full_model(three, 3, HSP_LINK_SOFTMAX); /* all are there: none twice, and no direction without its offset */
    handmade_fails(load_with(m, 2, 0, &good, &err), HSP_EINPUT, &err, "damaged");
    handmade_fails(load_with(m, 2, 1, NULL, &err), HSP_EINPUT, &err, "directions");
    const hsp_container_array longer = {"direction-offsets", HSP_FLOAT64, {3, 1}, numbers};
    handmade_fails(load_with(m, 2, 1, &longer, &err), HSP_EINPUT, &err, "damaged");
    hsp_model_free(m);
    hsp_model_free(regression);
}

/* Arrays that are there, but not as the header says, or not numbers. */
static void refuse_array(int which, hsp_container_array wrong) {
    hsp_model *m = handmade_model(2, two, 2, NULL, "standard");
    void *bytes;
    hsp_container c = unpacked(m, &bytes);
    char *end = strstr(c.header, "\"arrays\"");
    hsp_text t = {0};
    hsp_text_add_n(&t, c.header, end - c.header);
    c.arrays[which] = wrong;
    refuse_packed(&t, &c, wrong.name);
    hsp_container_clear(&c);
    hsp_free(bytes);
    hsp_model_free(m);
}

static void test_arrays(void **state) {
    (void)state;
    const double nan[] = {1, NAN}, inf[] = {INFINITY, 1}, other[] = {1, 2, 3, 4};
    const float narrow[] = {1, 2};
    for (int i = 0; i < 4; i++) {
        static const char *const name[] = {"weights", "intercepts", "scale-shift", "scale-factor"};
        int64_t rows = i < 2 ? 1 : 2, columns = i == 0 ? 2 : 1;
        refuse_array(i, (hsp_container_array){name[i], HSP_FLOAT64, {rows, columns}, i == 1 ? nan + 1 : nan});
        refuse_array(i, (hsp_container_array){name[i], HSP_FLOAT64, {rows, columns}, inf});
        refuse_array(i, (hsp_container_array){name[i], HSP_FLOAT32, {rows, columns}, narrow});
        refuse_array(i, (hsp_container_array){name[i], HSP_FLOAT64, {rows + 1, columns}, other});
        refuse_array(i, (hsp_container_array){name[i], HSP_FLOAT64, {columns, 2 * rows}, other});
        refuse_array(i, (hsp_container_array){"other", HSP_FLOAT64, {rows, columns}, other});
    }
    refuse_array(0, (hsp_container_array){"weights", HSP_FLOAT64, {1, 2}, other}); /* not those of the checksum */
}

static void test_files(void **state) {
    (void)state;
    char folder[] = "model_file_XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/a.hsm", folder);
    hsp_model *m = handmade_model(3, two, 2, names, "none"), *copy = NULL;
    hsp_error *err = NULL;
    int status = hsp_model_save(m, path, &err);
    handmade_ok(status, err);
    status = hsp_model_load(path, &copy, &err);
    handmade_ok(status, err);
    check_equal(m, copy);
    hsp_model_free(copy);
    /* From the standard input as well. */
    int saved = dup(0), fd = open(path, O_RDONLY);
    dup2(fd, 0);
    status = hsp_model_load("-", &copy, &err);
    dup2(saved, 0);
    close(saved);
    close(fd);
    handmade_ok(status, err);
    check_equal(m, copy);
    hsp_model_free(copy);
    assert_int_equal(truncate(path, 100), 0);
    status = hsp_model_load(path, &copy, &err);
    assert_null(copy);
    assert_string_equal(hsp_error_file(err), path);
    handmade_fails(status, HSP_EINPUT, &err, "truncated after 100 of");
    status = hsp_model_load(folder, &copy, &err);
    handmade_fails(status, HSP_EINPUT, &err, folder);
    unlink(path);
    status = hsp_model_load(path, &copy, &err);
    handmade_fails(status, HSP_EINPUT, &err, path);
    snprintf(path, sizeof path, "%s/no/such/folder.hsm", folder);
    status = hsp_model_save(m, path, &err);
    assert_true(status < 0);
    hsp_error_free(err);
    rmdir(folder);
    hsp_model_free(m);
}

/* What `head` shows: the short members, one to a line. */
static void test_readable(void **state) {
    (void)state;
    hsp_model *m = handmade_model(3, two, 2, names, "none");
    size_t size;
    char *bytes = save(m, &size);
    assert_memory_equal(bytes, "halfspace model 3 header ", 25);
    const char *second = memchr(bytes, '\n', size);
    static const char expected[] = "\n{\n  \"algorithm\": \"by-hand\",\n  \"task\": \"classification\",\n";
    assert_memory_equal(second, expected, sizeof expected - 1);
    hsp_free(bytes);
    hsp_model_free(m);
}

static void test_memory(void **state) {
    (void)state;
    hsp_model *m = full_model(three, 3, HSP_LINK_OVR);
    size_t size;
    void *bytes = save(m, &size);
    for (int64_t k = 0;; k++) {
        hsp_model *copy = NULL;
        hsp_error *err = NULL;
        hsp_memory_fail_after(k);
        int status = hsp_model_load_memory(bytes, size, &copy, &err);
        hsp_memory_fail_after(-1);
        hsp_error_free(err);
        hsp_model_free(copy);
        if (!status) break;
        assert_int_equal(status, HSP_EMEMORY);
        assert_null(copy);
        assert_true(k < 200);
    }
    hsp_free(bytes);
    for (int64_t k = 0;; k++) {
        hsp_error *err = NULL;
        hsp_memory_fail_after(k);
        int status = hsp_model_save_memory(m, &bytes, &size, &err);
        hsp_memory_fail_after(-1);
        hsp_error_free(err);
        if (!status) break;
        assert_int_equal(status, HSP_EMEMORY);
        assert_null(bytes);
        assert_true(k < 200);
    }
    hsp_free(bytes);
    hsp_model_free(m);
}

/* The same through a file: a failure leaves no file. */
static void test_memory_of_files(void **state) {
    (void)state;
    char folder[] = "model_memory_XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/a.hsm", folder);
    hsp_model *m = handmade_model(3, two, 2, names, "standard"), *copy = NULL;
    int status = HSP_EMEMORY;
    for (int64_t k = 0; status; k++) {
        hsp_memory_fail_after(k);
        status = hsp_model_save(m, path, NULL);
        hsp_memory_fail_after(-1);
        assert_true(status == 0 || status == HSP_EMEMORY);
        assert_true((access(path, F_OK) == 0) == (status == 0));
        assert_true(k < 200);
    }
    status = HSP_EMEMORY;
    for (int64_t k = 0; status; k++) {
        hsp_memory_fail_after(k);
        status = hsp_model_load(path, &copy, NULL);
        hsp_memory_fail_after(-1);
        assert_true(status == 0 || status == HSP_EMEMORY);
        assert_true((copy != NULL) == (status == 0));
        assert_true(k < 200);
    }
    check_equal(m, copy);
    hsp_model_free(copy);
    hsp_model_free(m);
    unlink(path);
    assert_int_equal(rmdir(folder), 0);
}

int main(void) {
    const struct CMUnitTest t[] = {
        cmocka_unit_test(test_round_trip),     cmocka_unit_test(test_full_round_trip),
        cmocka_unit_test(test_schemas),        cmocka_unit_test(test_every_byte_and_every_length),
        cmocka_unit_test(test_headers),        cmocka_unit_test(test_links),
        cmocka_unit_test(test_further_arrays), cmocka_unit_test(test_arrays),
        cmocka_unit_test(test_files),          cmocka_unit_test(test_readable),
        cmocka_unit_test(test_memory),         cmocka_unit_test(test_memory_of_files),
        cmocka_unit_test(test_calibrations),   cmocka_unit_test(test_calibration_edits),
        cmocka_unit_test(test_calibration_arrays),
    };
    return cmocka_run_group_tests(t, NULL, NULL);
}
