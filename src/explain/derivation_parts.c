/* What the explanations share: rows, names, the shown parts of vectors and matrices, and the last section. */
#include "explain/derivation.h"

#include "base/text.h"
#include "data/matrix.h"
#include "loss/loss.h"
#include "model/model.h"
#include "model/objective.h"
#include "option/options.h"
#include "penalty/penalty.h"
#include "prepare/prepare.h"
#include "problem/problem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- rows and problems ---- */

bool hsp_derivation_is_class(const hsp_derivation *v) {
    return v->rows.side != NULL;
}

void hsp_derivation_row(const hsp_derivation *v, int64_t i, double *x) {
    hsp_row row = hsp_matrix_row(&v->data->x, i);
    const double *shift = v->prepare.shift, *factor = v->prepare.factor;
    for (int64_t j = 0; j < v->rows.d; j++) x[j] = 0;
    for (int64_t t = 0; t < row.count; t++) x[hsp_row_id(row, t)] = hsp_row_value(row, t);
    for (int64_t j = 0; factor && j < v->rows.d; j++) x[j] = (x[j] - (shift ? shift[j] : 0)) * factor[j];
}

double hsp_derivation_score(const hsp_derivation *v, int64_t k, int64_t i) {
    return hsp_model_score_output(v->model, k, hsp_matrix_row(&v->data->x, i));
}

void hsp_derivation_choose(hsp_derivation *v, int64_t k) {
    v->k = k;
    for (int64_t i = 0; i < v->rows.n; i++)
        v->rows.y[i] = !v->rows.side                                               ? v->data->target[i]
                       : v->rows.side[i] == (v->outputs == 1 ? v->prepare.positive : k) ? 1
                                                                                     : -1;
}

int64_t hsp_derivation_hardest(hsp_derivation *v) {
    int64_t hardest = 0;
    double most = -1;
    for (int64_t k = 0; v->model && k < v->outputs; k++) {
        double wrong = 0;
        for (int64_t i = 0; i < v->rows.n; i++) {
            double g = hsp_derivation_score(v, k, i);
            wrong += v->rows.c[i] * ((v->rows.side[i] == k ? g : -g) <= 0);
        }
        if (wrong > most) most = wrong, hardest = k;
    }
    return hardest;
}

void hsp_derivation_one_class(hsp_derivation *v) {
    if (v->outputs == 1) return;
    hsp_derivation_choose(v, hsp_derivation_hardest(v));
    HSP_SAY(&v->text, "Each class has a problem of its own, against the rest. The derivation is that of '%1' (+), the "
                      "class "
                      "with the most rows on the wrong side.",
            word(hsp_derivation_class(v, v->k)));
    hsp_exposition_number(&v->text, "class", (double)(v->k + 1));
}

int hsp_derivation_pose(hsp_derivation *v, hsp_problem **out, hsp_error **err) {
    const hsp_objective *o = &v->model->objective;
    const hsp_loss *loss = hsp_loss_find(o->loss);
    hsp_problem_spec spec = {.loss = loss,
                             .penalty = hsp_penalty_find(o->penalty ? o->penalty : "none"),
                             .intercept = v->intercept,
                             .kink = (hsp_kink)hsp_options_choice(v->options, "kink"),
                             .C = o->C,
                             .lambda = NAN,
                             .l1_ratio = o->l1_share,
                             .c = v->rows.c,
                             .outputs = loss->traits & HSP_LOSS_MANY ? v->outputs : 1,
                             .regression = !hsp_derivation_is_class(v)};
    int status = hsp_problem_new(v->design, &spec, out, err);
    for (int64_t i = 0; !status && i < v->rows.n; i++)
        (*out)->y[i] = spec.outputs > 1 ? (double)v->rows.side[i] : v->rows.y[i];
    return status;
}

/* ---- words ---- */

const char *hsp_derivation_class(const hsp_derivation *v, int64_t k) {
    return v->prepare.classes.name[k];
}

const char *hsp_derivation_feature(const hsp_derivation *v, int64_t j, char *buf) {
    return j < 0 ? "(ones)" : hsp_data_feature_label(v->data, j, buf);
}

const char *hsp_derivation_row_label(const hsp_derivation *v, int64_t i, char buf[HSP_ROW_LABEL]) {
    char name[HSP_EXCERPT];
    const char *class = v->rows.side ? hsp_derivation_class(v, v->rows.side[i]) : NULL;
    if (class)
        snprintf(buf, HSP_ROW_LABEL, "%lld (%s)", (long long)i + 1, hsp_excerpt(name, class, (int64_t)strlen(class)));
    else
        snprintf(buf, HSP_ROW_LABEL, "%lld", (long long)i + 1);
    return buf;
}

/* ---- parts ---- */

const double *hsp_derivation_part(hsp_derivation *v, const double *full) {
    double *part = hsp_derivation_zeros(v, v->count);
    for (int64_t j = 0; part && j < v->count; j++) part[j] = full[v->shown[j]];
    return part;
}

hsp_figure hsp_derivation_vector(hsp_derivation *v, const double *full) {
    hsp_figure f = vector(hsp_derivation_part(v, full), v->count);
    f.cut = v->count < v->rows.d;
    return f;
}

void hsp_derivation_put(hsp_derivation *v, const char *name, const double *full) {
    hsp_exposition_vector(&v->text, name, hsp_derivation_part(v, full), v->count);
}

void hsp_derivation_put_rows(hsp_derivation *v, const char *name, const double *full, int64_t rows) {
    double *part = hsp_derivation_zeros(v, rows * v->count);
    for (int64_t i = 0; part && i < rows * v->count; i++)
        part[i] = full[i / v->count * v->rows.d + v->shown[i % v->count]];
    hsp_exposition_matrix(&v->text, name, part, rows, v->count);
}

void hsp_derivation_put_square(hsp_derivation *v, const char *name, const double *full) {
    double *part = hsp_derivation_zeros(v, v->count * v->count);
    for (int64_t i = 0; part && i < v->count * v->count; i++)
        part[i] = full[v->shown[i / v->count] * v->rows.d + v->shown[i % v->count]];
    hsp_exposition_matrix(&v->text, name, part, v->count, v->count);
}

void hsp_derivation_features(hsp_derivation *v, const char *const *columns, const double *const *full, int width) {
    char buf[HSP_LABEL_SIZE];
    double cells[HSP_TABLE_WIDTH];
    hsp_exposition_table(&v->text, "feature", columns, width);
    for (int64_t j = 0; j < v->count; j++) {
        for (int a = 0; a < width; a++) cells[a] = full[a][v->shown[j]];
        hsp_exposition_row(&v->text, hsp_derivation_feature(v, v->shown[j], buf), cells, NULL);
    }
    hsp_exposition_table_end(&v->text, NULL);
}

/* Opens a table with a column for each shown feature. */
static void open_table(hsp_derivation *v, const char *corner) {
    hsp_exposition_table(&v->text, corner, NULL, 0);
    for (int64_t j = 0; j < v->count; j++) hsp_exposition_symbol(&v->text, "x", v->shown[j] + 1);
}

void hsp_derivation_square(hsp_derivation *v, const double *full) {
    char buf[HSP_LABEL_SIZE];
    double cells[HSP_SHOWN_FEATURES];
    open_table(v, "");
    for (int64_t i = 0; i < v->count; i++) {
        for (int64_t j = 0; j < v->count; j++) cells[j] = full[v->shown[i] * v->rows.d + v->shown[j]];
        hsp_exposition_row(&v->text, hsp_derivation_feature(v, v->shown[i], buf), cells, NULL);
    }
    hsp_exposition_table_end(&v->text, NULL);
}

void hsp_derivation_leave_classes(hsp_derivation *v, int64_t count) {
    if (count > 0)
        HSP_SAY(&v->text, count == 1 ? "One more class is left out here." : "The other %1 classes are left out here.",
                whole(count));
}

void hsp_derivation_classes(hsp_derivation *v, const double *full) {
    int64_t most = v->rows.K < HSP_SHOWN_CLASSES ? v->rows.K : HSP_SHOWN_CLASSES;
    double cells[HSP_SHOWN_FEATURES];
    open_table(v, "class");
    for (int64_t k = 0; k < most; k++) {
        for (int64_t j = 0; j < v->count; j++) cells[j] = full[k * v->rows.d + v->shown[j]];
        hsp_exposition_row(&v->text, hsp_derivation_class(v, k), cells, NULL);
    }
    hsp_exposition_table_end(&v->text, NULL);
    hsp_derivation_leave_classes(v, v->rows.K - most);
}

/* ---- examples ---- */

static int by_number(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* The margin of row i: y g, or for K classes the score of its class less the largest other; regression: -|y - g|. */
static double margin_of(const hsp_derivation *v, int64_t i) {
    double g = hsp_derivation_score(v, 0, i), rival = -INFINITY;
    if (!hsp_derivation_is_class(v)) return -fabs(v->data->target[i] - g);
    if (v->outputs == 1) return v->rows.side[i] == v->prepare.positive ? g : -g;
    for (int64_t k = 0; k < v->outputs; k++)
        if (k != v->rows.side[i]) rival = fmax(rival, hsp_derivation_score(v, k, i));
    return hsp_derivation_score(v, v->rows.side[i], i) - rival;
}

static int64_t add_row(int64_t *row, int64_t used, int64_t i) {
    for (int64_t t = 0; t < used; t++)
        if (row[t] == i) return used;
    if (i < 0 || used == HSP_SHOWN_ROWS) return used;
    row[used] = i;
    return used + 1;
}

int64_t hsp_derivation_examples(hsp_derivation *v, int64_t row[HSP_SHOWN_ROWS]) {
    int64_t nearest = -1, worst = -1, used = 0, first = HSP_SHOWN_ROWS - 2;
    double least = INFINITY, lowest = INFINITY;
    for (int64_t i = 0; v->model && i < v->rows.n; i++) {
        double m = margin_of(v, i);
        if (v->rows.c[i] > 0 && fabs(m) < least) least = fabs(m), nearest = i;
        if (v->rows.c[i] > 0 && m < lowest) lowest = m, worst = i;
    }
    used = add_row(row, used, nearest);
    used = add_row(row, used, worst);
    for (int64_t k = 0; k < (v->rows.K ? v->rows.K : 1) && k < first; k++)
        for (int64_t i = 0; i < v->rows.n; i++)
            if ((!v->rows.side || v->rows.side[i] == k) && v->rows.c[i] > 0) {
                used = add_row(row, used, i);
                break;
            }
    qsort(row, (size_t)used, sizeof *row, by_number);
    return used;
}

/* ---- the check ---- */

int hsp_derivation_too_wide(hsp_derivation *v, hsp_error **err) {
    (void)err;
    hsp_exposition_section(&v->text, "What is left out");
    HSP_SAY(&v->text, "The matrices of this derivation have %1 x %1 numbers. They are computed for at most %2 features: "
                      "train "
                      "on fewer, for instance with --ignore.",
            whole(v->rows.d), whole(HSP_EXPLAIN_COLUMNS));
    return HSP_OK;
}

/* The largest difference of the intercepts and weights, and the largest of the model's, both in original units. */
static double difference_of(const hsp_derivation *v, double *w, double *b, double *size) {
    double most = 0;
    *size = 0;
    for (int64_t k = 0; k < v->outputs; k++) {
        hsp_prepare_unscale(&v->prepare, w + k * v->rows.d, b + k);
        if (fabs(v->model->b[k]) < 1e299) { /* a class without rows has no finite intercept */
            most = fmax(most, fabs(b[k] - v->model->b[k]));
            *size = fmax(*size, fabs(v->model->b[k]));
        }
        for (int64_t j = 0; j < v->rows.d; j++) {
            most = fmax(most, fabs(w[k * v->rows.d + j] - v->model->w[k * v->rows.d + j]));
            *size = fmax(*size, fabs(v->model->w[k * v->rows.d + j]));
        }
    }
    return most;
}

/* The weights of each output in original units, and those of the model beside them. */
static void list_weights(hsp_derivation *v, const double *w, const double *b) {
    hsp_exposition *e = &v->text;
    char buf[HSP_LABEL_SIZE];
    int64_t shown = v->outputs == 1 ? 1 : v->outputs < 5 ? v->outputs : 5;
    hsp_exposition_table(e, "feature", NULL, 0);
    for (int64_t k = 0; k < shown; k++) {
        hsp_exposition_heading(e, v->outputs == 1 ? "derived" : hsp_derivation_class(v, k));
        hsp_exposition_heading(e, "trained");
    }
    double cells[HSP_TABLE_WIDTH];
    for (int64_t j = 0; j <= v->count; j++) {
        int64_t at = j < v->count ? v->shown[j] : -1;
        for (int64_t k = 0; k < shown; k++) {
            cells[2 * k] = at < 0 ? b[k] : w[k * v->rows.d + at];
            cells[2 * k + 1] = at < 0 ? v->model->b[k] : v->model->w[k * v->rows.d + at];
        }
        if (at >= 0 || v->intercept != HSP_INTERCEPT_NONE)
            hsp_exposition_row(e, at < 0 ? "(intercept)" : hsp_derivation_feature(v, at, buf), cells, NULL);
    }
    hsp_exposition_table_end(e, NULL);
    int64_t left = v->outputs - shown;
    if (left > 0)
        HSP_SAY(e,
                left == 1 ? "One more class is compared too, but not shown."
                          : "The other %1 classes are compared too, but not shown.",
                whole(left));
}

void hsp_derivation_check(hsp_derivation *v, const double *w, const double *b, const char *what) {
    hsp_exposition *e = &v->text;
    int64_t d = v->rows.d;
    double *W = hsp_derivation_zeros(v, v->outputs * d), *B = hsp_derivation_zeros(v, v->outputs), size;
    if (!W || !B || !w || !b) return;
    memcpy(W, w, (size_t)(v->outputs * d) * sizeof *W);
    memcpy(B, b, (size_t)v->outputs * sizeof *B);
    double difference = difference_of(v, W, B, &size);
    hsp_exposition_section(e, "Check");
    HSP_SAY(e, "%1, beside the weights of halfspace train%2:", phrase(what),
            phrase(v->prepare.factor ? " (original units)" : ""));
    list_weights(v, W, B);
    if (difference <= 1e-11 * size)
        HSP_SAY(e, "They agree up to rounding errors.");
    else
        HSP_SAY(e, difference <= 1e-6 * size                   ? "They agree: the largest difference is %1."
                   : isfinite(v->model->certificate.tolerance) ? "The largest difference is %1: training stopped within its "
                                                                 "tolerance, a relative gap of %2."
                                                               : "The largest difference is %1.",
                number(difference), number(v->model->certificate.tolerance));
    hsp_derivation_put_rows(v, "derived_w", W, v->outputs);
    hsp_exposition_vector(e, "derived_b", B, v->outputs);
    hsp_derivation_put_rows(v, "trained_w", v->model->w, v->outputs);
    hsp_exposition_vector(e, "trained_b", v->model->b, v->outputs);
    hsp_exposition_number(e, "difference", difference);
}
