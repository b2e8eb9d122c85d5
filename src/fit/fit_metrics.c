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

#include <math.h>

enum { ROWS = 1024, OUTPUTS = 16 }; /* rows of a block; outputs scored at a time */

typedef struct scoring {
    const hsp_fit *f;
    const hsp_model *m;
    double *found;         /* n: whether the class is right, or the prediction */
    hsp_loss_sums *losses; /* of each piece; NULL: more than two classes, or regression */
    double *scores;        /* of a network of several outputs: those of one row for each piece */
} scoring;

static double weight_of(const hsp_data *data, int64_t i) {
    return data->weight ? data->weight[i] : 1;
}

/* The class that the model predicts, a few scores at a time. */
static int64_t class_of(const hsp_model *m, hsp_row row) {
    double scores[OUTPUTS], best = -INFINITY, most = -INFINITY;
    int64_t winner = 0;
    for (int64_t first = 0; first < m->outputs; first += OUTPUTS) {
        int64_t count = m->outputs - first < OUTPUTS ? m->outputs - first : OUTPUTS;
        hsp_model_score_outputs(m, first, count, row, scores);
        for (int64_t k = 0; k < count; k++) {
            double rank = hsp_model_rank(m, first + k, scores[k]);
            if (hsp_model_beats(rank, scores[k], most, best)) most = rank, best = scores[k], winner = first + k;
        }
    }
    return winner;
}

/* Whether the classes of the rows are right, for two classes; adds the losses of their scores. */
static void score_binary(const scoring *s, int64_t begin, int64_t end, hsp_loss_sums *losses) {
    const hsp_data *data = s->f->job.data;
    double y[ROWS], score[ROWS];
    for (int64_t i = begin; i < end; i++) {
        int64_t truth = s->f->rows.y[i];
        y[i - begin] = truth == s->m->prepare.positive ? 1 : -1;
        hsp_model_score_row(s->m, hsp_matrix_row(&data->x, i), score + (i - begin));
        s->found[i] = hsp_model_decide(s->m, score + (i - begin)) == truth;
    }
    hsp_loss_sums_add_rows(losses, data->weight ? data->weight + begin : NULL, y, score, end - begin);
}

/* The K scores of a row of a network at once: all need its hidden layers. */
static int64_t class_of_network(const hsp_model *m, hsp_row row, double *scores) {
    hsp_model_score_row(m, row, scores);
    return hsp_model_decide(m, scores);
}

static void score_piece(void *ctx, int64_t piece) {
    const scoring *s = ctx;
    const hsp_fit *f = s->f;
    int64_t n = f->job.data->x.n, begin = piece * ROWS, end = begin + ROWS < n ? begin + ROWS : n;
    if (s->losses) score_binary(s, begin, end, s->losses + piece);
    for (int64_t i = begin; !s->losses && i < end; i++) {
        hsp_row row = hsp_matrix_row(&f->job.data->x, i);
        s->found[i] = f->rows.target ? hsp_model_score_output(s->m, 0, row)
                      : s->scores    ? class_of_network(s->m, row, s->scores + piece * s->m->outputs) == f->rows.y[i]
                                     : class_of(s->m, row) == f->rows.y[i];
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

int hsp_fit_metrics(const hsp_fit *f, const hsp_model *m, hsp_training_figures *out, hsp_error **err) {
    int64_t n = f->job.data->x.n, pieces = (n + ROWS - 1) / ROWS;
    bool binary = !f->rows.target && m->outputs == 1, joint = m->network && m->outputs > 1;
    scoring s = {.f = f,
                 .m = m,
                 .found = hsp_alloc(n, sizeof *s.found),
                 .losses = binary ? hsp_alloc_zero(pieces, sizeof *s.losses) : NULL,
                 .scores = joint ? hsp_alloc(pieces * m->outputs, sizeof *s.scores) : NULL};
    if (!s.found || (binary && !s.losses) || (joint && !s.scores)) {
        HSP_FREE(s.found, s.losses, s.scores);
        return hsp_fail_memory(err);
    }
    hsp_pool_run(pieces, f->job.design->threads, score_piece, &s);
    *out = f->rows.target ? of_numbers(f->job.data, f->rows.target, s.found) : of_classes(f->job.data, s.found);
    for (int64_t i = 0; binary && i < pieces; i++) hsp_loss_sums_merge(&out->losses, s.losses + i);
    HSP_FREE(s.found, s.losses, s.scores);
    return HSP_OK;
}
