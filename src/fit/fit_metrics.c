/* Training error of a model. All threads score the rows, and the sums are taken in the order of the rows, as in src/verify:
 * the bits are the same. */
#include "base/error.h"
#include "base/memory.h"
#include "base/pool.h"
#include "data/data.h"
#include "data/matrix.h"
#include "fit/fit.h"
#include "fit/fit_report.h"
#include "loss/loss_sums.h"
#include "model/model.h"
#include "model/scorer.h"

#include <math.h>
#include <string.h>

enum { ROWS = 1024, ROOM = 2048 }; /* rows of a piece; scores of some of its rows, on the stack */

typedef struct hsp_fit_scoring {
    const hsp_fit *f;
    const hsp_model *m;
    hsp_scorer scorer;
    double *found;         /* n: whether the class is right, or the prediction */
    hsp_loss_sums *losses; /* of each piece; NULL: more than two classes, or regression */
    double *wide;          /* networks, and more outputs than there is room for: the scores of one row for each piece */
    int64_t pieces;
} scoring;

static double weight_of(const hsp_data *data, int64_t i) {
    return data->weight ? data->weight[i] : 1;
}

/* Whether the classes of the rows are right, for two classes; adds the losses of their scores. */
static void judge_binary(const scoring *s, int64_t begin, int64_t rows, const double *score, hsp_loss_sums *losses) {
    const hsp_data *data = s->f->job.data;
    double y[ROWS];
    for (int64_t i = 0; i < rows; i++) {
        int64_t truth = s->f->rows.y[begin + i];
        y[i] = truth == s->m->prepare.positive ? 1 : -1;
        s->found[begin + i] = hsp_model_decide(s->m, score + i) == truth;
    }
    hsp_loss_sums_add_rows(losses, data->weight ? data->weight + begin : NULL, y, score, rows);
}

/* One row after the other: networks compute all outputs of a row together. */
static void judge_wide(const scoring *s, int64_t i, double *score) {
    hsp_row row = hsp_matrix_row(&s->f->job.data->x, i);
    hsp_model_score_row(s->m, row, score);
    int64_t class = hsp_model_decide(s->m, score);
    s->found[i] = class == s->f->rows.y[i];
}

static void judge_rows(const scoring *s, int64_t begin, int64_t rows, const double *score, hsp_loss_sums *losses) {
    if (losses)
        judge_binary(s, begin, rows, score, losses);
    else if (s->f->rows.target)
        memcpy(s->found + begin, score, (size_t)rows * sizeof *score);
    else
        for (int64_t i = 0, K = s->m->outputs; i < rows; i++)
            s->found[begin + i] = hsp_model_decide(s->m, score + i * K) == s->f->rows.y[begin + i];
}

/* Rows of one piece. */
static void score_some(const scoring *s, int64_t begin, int64_t end) {
    const hsp_matrix *x = &s->f->job.data->x;
    int64_t piece = begin / ROWS, K = s->m->outputs;
    double score[ROOM];
    if (s->wide) {
        for (int64_t i = begin; i < end; i++) judge_wide(s, i, s->wide + piece * K);
        return;
    }
    int64_t group = K == 1 ? ROWS : ROOM / K; /* the losses of a piece are added together */
    if (group > 8) group = group / 8 * 8;     /* whole groups of rows for the kernels */
    for (int64_t i = begin; i < end; i += group) {
        int64_t rows = end - i < group ? end - i : group;
        hsp_scorer_rows(&s->scorer, x, i, i + rows, score);
        judge_rows(s, i, rows, score, s->losses ? s->losses + piece : NULL);
    }
}

static void score_piece(void *ctx, int64_t piece) {
    const scoring *s = ctx;
    int64_t begin = piece * ROWS, end = begin + ROWS, n = s->f->job.data->x.n;
    score_some(s, begin, end < n ? end : n);
}

void hsp_fit_scoring_rows(hsp_fit_scoring *s, int64_t from, int64_t to) {
    for (int64_t end; from < to; from = end) {
        end = (from / ROWS + 1) * ROWS;
        if (end > to) end = to;
        score_some(s, from, end);
    }
}

static hsp_training_figures of_numbers(const hsp_data *data, const double *target, const double *found) {
    double mass = 0, sum = 0, squares = 0, residuals = 0;
    for (int64_t i = 0; i < data->x.n; i++) {
        double c = weight_of(data, i), r = target[i] - found[i];
        mass += c;
        residuals += c * r * r;
        sum += c * target[i];
    }
    for (int64_t i = 0; i < data->x.n; i++) {
        double t = target[i] - sum / mass;
        squares += weight_of(data, i) * t * t;
    }
    return (hsp_training_figures){.accuracy = NAN,
                                  .mass = mass,
                                  .mse = residuals / mass,
                                  .rmse = sqrt(residuals / mass),
                                  .r2 = squares > 0 ? 1 - residuals / squares : NAN};
}

static hsp_training_figures of_classes(const hsp_data *data, const double *found) {
    double right = 0, mass = 0;
    for (int64_t i = 0; i < data->x.n; i++) {
        double c = weight_of(data, i);
        mass += c;
        right += c * found[i];
    }
    return (hsp_training_figures){.accuracy = right / mass, .mass = mass, .mse = NAN, .rmse = NAN, .r2 = NAN};
}

int hsp_fit_scoring_new(const hsp_fit *f, const hsp_model *m, hsp_fit_scoring **out, hsp_error **err) {
    int64_t n = f->job.data->x.n, pieces = (n + ROWS - 1) / ROWS;
    bool binary = !f->rows.target && m->outputs == 1;
    bool wide = (m->network && m->outputs > 1) || m->outputs > ROOM;
    hsp_fit_scoring *s = *out = hsp_alloc_zero(1, sizeof *s);
    if (!s) return hsp_fail_memory(err);
    *s = (hsp_fit_scoring){.f = f,
                           .m = m,
                           .found = hsp_alloc(n, sizeof *s->found),
                           .losses = binary ? hsp_alloc_zero(pieces, sizeof *s->losses) : NULL,
                           .wide = wide ? hsp_alloc(pieces * m->outputs, sizeof *s->wide) : NULL,
                           .pieces = pieces};
    bool allocated = s->found && (s->losses || !binary) && (s->wide || !wide);
    int status = allocated ? HSP_OK : hsp_fail_memory(err);
    int64_t stored = f->job.data->x.stored, values = stored / 4 < m->prepare.schema.d * m->outputs ? 0 : stored;
    if (!status && !wide) status = hsp_scorer_init(&s->scorer, m, false, values, err); /* a copy must be small */
    return status;
}

void hsp_fit_scoring_free(hsp_fit_scoring *s) {
    if (!s) return;
    hsp_scorer_clear(&s->scorer);
    HSP_FREE(s->found, s->losses, s->wide, s);
}

void hsp_fit_scoring_all(hsp_fit_scoring *s) {
    hsp_pool_run(s->pieces, s->f->job.design->threads, score_piece, s);
}

void hsp_fit_scoring_end(hsp_fit_scoring *s, hsp_training_figures *out) {
    const hsp_fit *f = s->f;
    *out = f->rows.target ? of_numbers(f->job.data, f->rows.target, s->found) : of_classes(f->job.data, s->found);
    for (int64_t i = 0; s->losses && i < s->pieces; i++) hsp_loss_sums_merge(&out->losses, s->losses + i);
}
