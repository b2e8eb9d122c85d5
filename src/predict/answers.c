#include "predict/answers.h"

#include "base/error.h"
#include "base/memory.h"
#include "data/data.h"
#include "data/matrix.h"
#include "option/options.h"
#include "read/kept.h"
#include "write/writer.h"

#include <string.h>

enum { NUMBER = 32 }; /* upper bound of the bytes of a number and its comma */

/* ---- columns ---- */

static int choose_columns(hsp_answers *a, const hsp_options *o, hsp_error **err) {
    const hsp_model *m = a->m;
    a->scores = hsp_options_flag(o, "scores");
    a->probabilities = hsp_options_flag(o, "proba");
    a->projections = hsp_options_flag(o, "project");
    if (a->probabilities && !hsp_model_has_probabilities(m)) return hsp_model_no_probabilities(m, err);
    return a->projections && !hsp_model_extra(m, "directions") ? hsp_model_no_directions(m, err) : 0;
}

/* Formats the names of the classes as cells once. */
static int make_cells(hsp_answers *a, hsp_error **err) {
    const hsp_classes *classes = &a->m->prepare.classes;
    int64_t longest = NUMBER, numbers = 0;
    a->cell = hsp_alloc(classes->count + 1, sizeof *a->cell);
    if (!a->cell) return hsp_fail_memory(err);
    a->cell[0] = 0;
    for (int64_t k = 0; k < classes->count; k++) {
        hsp_csv_cell(&a->cells, classes->name[k], (int64_t)strlen(classes->name[k]), ',');
        a->cell[k + 1] = a->cells.length;
        if (a->cell[k + 1] - a->cell[k] > longest) longest = a->cell[k + 1] - a->cell[k];
    }
    if (a->scores) numbers += a->score.outputs;
    if (a->probabilities) numbers += classes->count;
    if (a->projections) numbers += a->project.outputs;
    a->line = longest + numbers * NUMBER + 1 + hsp_explainer_line(&a->explain);
    return a->cells.failed ? hsp_fail_memory(err) : 0;
}

int hsp_answers_init(hsp_answers *a, const hsp_model *m, const hsp_options *o, hsp_error **err) {
    *a = (hsp_answers){.m = m};
    int status = choose_columns(a, o, err);
    if (!status) status = hsp_scorer_init(&a->score, m, false, INT64_MAX, err);
    if (!status && a->projections) status = hsp_scorer_init(&a->project, m, true, INT64_MAX, err);
    if (!status) status = hsp_explainer_init(&a->explain, m, hsp_options_int(o, "explain", 0), err);
    if (!status) status = make_cells(a, err);
    /* As many rows as keep their scores in the L1 cache. */
    int64_t outputs = a->score.outputs + a->project.outputs;
    a->group = outputs > 65536 ? 1 : outputs > 256 ? 4 : outputs > 16 ? 16 : HSP_ANSWERS_GROUP;
    enum { GROUP_BYTES = 1 << 22 }; /* of the lines of a group */
    while (a->group > 1 && a->line > GROUP_BYTES / a->group) a->group /= 2;
    return status;
}

void hsp_answers_clear(hsp_answers *a) {
    hsp_scorer_clear(&a->score);
    hsp_scorer_clear(&a->project);
    hsp_explainer_clear(&a->explain);
    hsp_text_free(&a->cells);
    hsp_free(a->cell);
    *a = (hsp_answers){0};
}

int hsp_answers_scratch_new(hsp_answers_scratch *scratch, const hsp_answers *a) {
    *scratch = (hsp_answers_scratch){0};
    scratch->score = hsp_alloc(a->group * a->score.outputs, sizeof *scratch->score);
    scratch->z = hsp_alloc(a->group * a->project.outputs + 1, sizeof *scratch->z);
    scratch->p = hsp_alloc(a->m->prepare.classes.count + 1, sizeof *scratch->p);
    return scratch->score && scratch->z && scratch->p ? 0 : HSP_EMEMORY;
}

void hsp_answers_scratch_free(hsp_answers_scratch *scratch) {
    HSP_FREE(scratch->score, scratch->z, scratch->p);
    hsp_text_free(&scratch->cells);
    *scratch = (hsp_answers_scratch){0};
}

/* ---- the header ---- */

/* ",score:NAME" and the like */
static void name_cell(hsp_text *t, const char *prefix, const char *name) {
    hsp_text whole = {0};
    hsp_text_add(&whole, prefix);
    hsp_text_add(&whole, name);
    hsp_text_char(t, ',');
    if (whole.failed)
        t->failed = true;
    else
        hsp_csv_cell(t, whole.s, whole.length, ',');
    hsp_text_free(&whole);
}

void hsp_answers_header(const hsp_answers *a, const char *names, hsp_text *t) {
    const hsp_classes *classes = &a->m->prepare.classes;
    int64_t outputs = a->m->outputs;
    if (names) hsp_text_add(t, names);
    hsp_text_add(t, "prediction");
    if (a->scores && outputs == 1) hsp_text_add(t, ",score");
    for (int64_t k = 0; a->scores && outputs > 1 && k < outputs; k++) name_cell(t, "score:", classes->name[k]);
    for (int64_t k = 0; a->probabilities && k < classes->count; k++) name_cell(t, "p:", classes->name[k]);
    for (int64_t j = 1; j <= a->project.outputs; j++) hsp_text_format(t, ",z%lld", (long long)j);
    hsp_explainer_header(&a->explain, t);
    hsp_text_char(t, '\n');
}

/* ---- rows ---- */

/* The buffer is large enough. */
static char *put_number(char *out, double v) {
    return out + hsp_format_number(v, out);
}

static char *put_numbers(char *out, const double *v, int64_t count) {
    for (int64_t k = 0; k < count; k++) {
        *out++ = ',';
        out = put_number(out, v[k]);
    }
    return out;
}

/* Writes the line of row i of a block; returns the predicted class or number. */
static double put_row(const hsp_answers *a, const hsp_block *block, int64_t i, const double *score, const double *z,
                      double *p, char **at) {
    const hsp_model *m = a->m;
    char *out = *at;
    double predicted = score[0];
    if (m->prepare.regression) {
        out = put_number(out, predicted);
    } else {
        int64_t class = hsp_model_decide(m, score);
        const char *cell = a->cells.s + a->cell[class];
        int64_t n = a->cell[class + 1] - a->cell[class];
        for (int64_t t = 0; t < n; t++) out[t] = cell[t]; /* mostly a few bytes: faster than memcpy */
        out += n;
        predicted = (double)class;
    }
    if (a->scores) out = put_numbers(out, score, a->score.outputs);
    if (a->probabilities && hsp_model_probabilities(m, score, p)) out = put_numbers(out, p, m->prepare.classes.count);
    if (a->projections) out = put_numbers(out, z, a->project.outputs);
    int64_t output = m->outputs > 1 ? (int64_t)predicted : 0;
    if (a->explain.top > 0) out = hsp_explainer_put(&a->explain, block, i, output, score[output], out);
    *out++ = '\n';
    *at = out;
    return predicted;
}

/* The kept cells of rows `first` to `end` - 1, quoted where CSV needs it, into scratch->cells; begin[k]: where those of the
 * k-th row begin. */
static void quote_kept(const hsp_answers *a, const hsp_kept *kept, int64_t first, int64_t end, int64_t *begin,
                       hsp_text *out) {
    hsp_text_clear(out);
    for (int64_t i = first; i < end; i++) {
        begin[i - first] = out->length;
        for (int64_t c = i * a->kept; c < (i + 1) * a->kept; c++) {
            hsp_csv_cell(out, kept->text.s + kept->start[c], kept->start[c + 1] - kept->start[c], ',');
            hsp_text_char(out, ',');
        }
    }
    begin[end - first] = out->length;
}

/* The rows of a block, borrowed, as a matrix. */
static hsp_matrix matrix_of(const hsp_block *b) {
    hsp_matrix x = {.n = b->rows, .d = b->d, .dense = b->dense, .dtype = HSP_FLOAT64, .value = b->value};
    if (b->dense) return x;
    x.row = b->row;
    x.id = b->id;
    return x;
}

int64_t hsp_answers_rows(const hsp_answers *a, const hsp_block *block, int64_t first, int64_t most, const hsp_kept *kept,
                         hsp_answers_scratch *scratch, double *predicted, int64_t *unseen, hsp_text *t) {
    int64_t i = first, K = a->score.outputs, r = a->project.outputs, begin[HSP_ANSWERS_GROUP + 1] = {0};
    hsp_text *cells = &scratch->cells;
    const hsp_matrix x = matrix_of(block);
    while (i < block->rows && t->length < most && !t->failed) {
        int64_t end = i + a->group < block->rows ? i + a->group : block->rows;
        if (kept) quote_kept(a, kept, i, end, begin, cells);
        if (cells->failed) t->failed = true;
        char *from = t->failed ? NULL : hsp_text_room(t, (end - i) * a->line + cells->length), *out = from;
        if (!from) break;
        *unseen += hsp_scorer_rows(&a->score, &x, i, end, scratch->score);
        if (r > 0) hsp_scorer_rows(&a->project, &x, i, end, scratch->z);
        for (int64_t k = 0; i < end; k++, i++) {
            if (kept) out = mempcpy(out, cells->s + begin[k], (size_t)(begin[k + 1] - begin[k]));
            predicted[i] = put_row(a, block, i, scratch->score + k * K, scratch->z + k * r, scratch->p, &out);
        }
        t->length += out - from;
    }
    return i;
}
