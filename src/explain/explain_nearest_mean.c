/* nearest-mean: from distances to a hyperplane. */
#include "base/error.h"
#include "explain/class_centres.h"
#include "explain/derivation.h"
#include "kernel/kernel.h"

#include <math.h>

typedef struct two_means {
    double *mass, *mean; /* of all classes */
    int64_t pair[2];
    const double *plus, *minus;
    double *w, *middle, *x;
    double beta;
} two_means;

static void compute_rule(hsp_derivation *v, two_means *t) {
    int64_t d = v->rows.d;
    for (int64_t j = 0; j < d; j++) {
        t->w[j] = t->plus[j] - t->minus[j];
        t->middle[j] = t->minus[j] + t->w[j] / 2;
    }
    t->beta = hsp_dot_f64(t->w, t->middle, d);
}

static void write_rule(hsp_derivation *v, const two_means *t) {
    hsp_exposition *e = &v->text;
    double squares[2] = {hsp_dot_f64(t->plus, t->plus, v->rows.d), hsp_dot_f64(t->minus, t->minus, v->rows.d)};
    double distance = sqrt(hsp_dot_f64(t->w, t->w, v->rows.d));
    hsp_exposition_section(e, "The rule is linear");
    if (v->rows.K > 2)
        HSP_SAY(e,
                "With %3 classes there is a boundary between each two. The derivation is shown for the two whose means are "
                "nearest: '%1' takes the place of +, '%2' that of -.",
                word(hsp_derivation_class(v, t->pair[0])), word(hsp_derivation_class(v, t->pair[1])), whole(v->rows.K));
    HSP_SAY(e, "A row belongs to the class with the nearer mean. Square both distances: `|x|^2~\\lVert x\\rVert^2` "
               "cancels, "
               "and a linear rule remains.");
    HSP_FORMULA(e, "|x - mu_+| < |x - mu_-|  <=>  0 < w.x - beta,  w = mu_+ - mu_-,  beta = (|mu_+|^2 - |mu_-|^2)/2~"
                   "\\lVert x-\\mu_+\\rVert < \\lVert x-\\mu_-\\rVert \\iff 0 < w\\cdot x - \\beta, \\quad "
                   "w=\\mu_+-\\mu_-, \\quad \\beta=\\tfrac12(\\lVert\\mu_+\\rVert^2-\\lVert\\mu_-\\rVert^2)");
    HSP_FORMULA(e, "w = %1 - %2 = %3~w = %1 - %2 = %3", hsp_derivation_vector(v, t->plus),
                hsp_derivation_vector(v, t->minus), hsp_derivation_vector(v, t->w));
    HSP_FORMULA(e, "beta = (%1 - %2)/2 = %3~\\beta = \\tfrac12(%1 - %2) = %3", number(squares[0]), number(squares[1]),
                number(t->beta));
    HSP_SAY(e, "The boundary passes through the midpoint of the means, `%1`, at a right angle to `w`. The means are "
               "`|w| = %2~\\lVert w\\rVert = %2` apart. The intercept is `b = -beta = %3~b = -\\beta = %3`.",
            hsp_derivation_vector(v, t->middle), number(distance), number(-t->beta));
    hsp_exposition_vector(e, "pair", (double[]){(double)(t->pair[0] + 1), (double)(t->pair[1] + 1)}, 2);
    hsp_derivation_put(v, "w", t->w);
    hsp_derivation_put(v, "midpoint", t->middle);
    hsp_exposition_number(e, "beta", t->beta);
    hsp_exposition_vector(e, "squared_norms", squares, 2);
    hsp_exposition_number(e, "distance", distance);
}

static double squared_distance(const double *a, const double *b, int64_t d) {
    double sum = 0;
    for (int64_t j = 0; j < d; j++) sum += (a[j] - b[j]) * (a[j] - b[j]);
    return sum;
}

static void write_rows(hsp_derivation *v, const two_means *t) {
    hsp_exposition *e = &v->text;
    int64_t row[HSP_SHOWN_ROWS], used = hsp_derivation_examples(v, row), d = v->rows.d;
    double number_of[HSP_SHOWN_ROWS], cells[HSP_SHOWN_ROWS][3], scores[HSP_SHOWN_ROWS];
    hsp_exposition_section(e, "Some rows");
    HSP_SAY(e, "The first row of each class, the row nearest to a boundary and the one farthest on the wrong side. The "
               "score "
               "is half the difference of the squared distances:");
    HSP_FORMULA(e, "(|x - mu_-|^2 - |x - mu_+|^2)/2 = w.x - beta~"
                   "\\tfrac12(\\lVert x-\\mu_-\\rVert^2 - \\lVert x-\\mu_+\\rVert^2) = w\\cdot x - \\beta");
    hsp_exposition_table(e, "row",
                         (const char *const[]){"`|x - mu_+|^2~\\lVert x-\\mu_+\\rVert^2`",
                                               "`|x - mu_-|^2~\\lVert x-\\mu_-\\rVert^2`", "`w.x - beta~w\\cdot x-\\beta`"},
                         3);
    for (int64_t r = 0; r < used; r++) {
        char label[HSP_ROW_LABEL];
        hsp_derivation_row(v, row[r], t->x);
        cells[r][0] = squared_distance(t->x, t->plus, d);
        cells[r][1] = squared_distance(t->x, t->minus, d);
        cells[r][2] = scores[r] = hsp_dot_f64(t->w, t->x, d) - t->beta;
        number_of[r] = (double)(row[r] + 1);
        hsp_exposition_row(e, hsp_derivation_row_label(v, row[r], label), cells[r], NULL);
    }
    hsp_exposition_table_end(e, NULL);
    hsp_exposition_vector(e, "rows", number_of, used);
    hsp_exposition_matrix(e, "row_figures", &cells[0][0], used, 3);
}

/* The scores of K classes are g_k = mu_k.x - |mu_k|^2/2 plus what all classes share; it is that of the first class. */
static void check_classes(hsp_derivation *v, const two_means *t) {
    int64_t d = v->rows.d, K = v->rows.K, first = 0;
    double *w = hsp_derivation_zeros(v, K * d), *b = hsp_derivation_zeros(v, K);
    if (!w || !b) return;
    while (!(t->mass[first] > 0)) first++;
    const double *mu = t->mean + first * d;
    double common = v->b[first] + hsp_dot_f64(mu, mu, d) / 2;
    for (int64_t k = 0; k < K; k++) {
        for (int64_t j = 0; j < d; j++)
            w[k * d + j] = t->mass[k] > 0 ? t->mean[k * d + j] - mu[j] + v->w[first * d + j] : 0;
        b[k] = t->mass[k] > 0 ? common - hsp_dot_f64(t->mean + k * d, t->mean + k * d, d) / 2 : v->b[k];
    }
    hsp_derivation_check(v, w, b, "The means as weights (less a vector that all classes share, which changes no decision)");
}

static int explain_nearest_mean(hsp_derivation *v, hsp_error **err) {
    two_means t = {.w = hsp_derivation_zeros(v, v->rows.d), .middle = hsp_derivation_zeros(v, v->rows.d)};
    t.x = hsp_derivation_zeros(v, v->rows.d);
    if (!t.w || !t.middle || !t.x) return hsp_fail_memory(err);
    int status = hsp_derivation_means(v, &t.mass, &t.mean, err);
    if (status) return status;
    hsp_derivation_pair(v, t.mass, t.mean, t.pair);
    t.plus = t.mean + t.pair[0] * v->rows.d;
    t.minus = t.mean + t.pair[1] * v->rows.d;
    compute_rule(v, &t);
    hsp_derivation_show_means(v, t.mass, t.mean);
    write_rule(v, &t);
    write_rows(v, &t);
    if (v->rows.K > 2)
        check_classes(v, &t);
    else
        hsp_derivation_check(v, t.w, (double[]){-t.beta}, "The derived w and b = -beta");
    return HSP_OK;
}

const hsp_explanation hsp_explanation_nearest_mean = {
    .algorithm = "nearest-mean",
    .idea = "nearest-mean assigns a row to the class with the nearest mean.",
    .write = explain_nearest_mean};
