#include "explain/explain_joint.h"

#include "base/error.h"
#include "explain/convex.h"
#include "explain/derivation.h"
#include "kernel/kernel.h"
#include "model/model.h"

#include <math.h>
#include <string.h>

typedef struct joint {
    double C, half, losses, bound; /* bound: sum of C c_i - ... of the dual, D */
    double *alpha;                 /* n x K: multipliers of the model, C c_i r_ik */
    double *combined;              /* K x d: sum_i alpha_ik x_i */
} joint;

/* The scores of row i, and its loss max_k (g_k + [k != y]) - g_y. */
static double loss_of(const hsp_derivation *v, int64_t i, double *g) {
    double most = -INFINITY;
    int64_t y = v->rows.side[i];
    for (int64_t k = 0; k < v->outputs; k++) {
        g[k] = hsp_derivation_score(v, k, i);
        most = fmax(most, g[k] + (k != y));
    }
    return most - g[y];
}

static int measure_joint(hsp_derivation *v, joint *t, hsp_error **err) {
    int64_t n = v->rows.n, d = v->rows.d, K = v->outputs;
    double *g = hsp_derivation_zeros(v, K), *x = hsp_derivation_zeros(v, d), *one = hsp_derivation_zeros(v, n);
    t->alpha = hsp_derivation_zeros(v, n * K);
    t->combined = hsp_derivation_zeros(v, K * d);
    if (!g || !x || !one || !t->alpha || !t->combined) return hsp_fail_memory(err);
    for (int64_t k = 0; v->model->dual && k < K; k++) {
        hsp_dual_spread(v->model->dual, k, n, one);
        for (int64_t i = 0; i < n; i++) t->alpha[i * K + k] = one[i];
    }
    for (int64_t i = 0; i < n; i++) {
        t->losses += t->C * v->rows.c[i] * loss_of(v, i, g);
        hsp_derivation_row(v, i, x);
        for (int64_t k = 0; k < K; k++) {
            hsp_axpy_f64(t->alpha[i * K + k], x, t->combined + k * d, d);
            if (k != v->rows.side[i]) t->bound -= t->alpha[i * K + k];
        }
    }
    t->half = hsp_dot_f64(v->w, v->w, K * d) / 2;
    t->bound -= hsp_dot_f64(t->combined, t->combined, K * d) / 2;
    return HSP_OK;
}

static void write_problem(hsp_derivation *v, const joint *t) {
    hsp_exposition *e = &v->text;
    double P = t->half + t->losses;
    hsp_exposition_section(e, "The primal problem");
    HSP_SAY(e, "Each class has a score `g_k = w_k.x + b_k~g_k = w_k\\cdot x+b_k`. The score of the true class should "
               "exceed every "
               "other by 1:");
    HSP_FORMULA(e, "min sum_k |w_k|^2/2 + C sum_i c_i xi_i,   xi_i = max_k (g_k + [k != y_i]) - g_(y_i)~"
                   "\\min \\tfrac12\\sum_k\\lVert w_k\\rVert^2 + C\\sum_i c_i\\xi_i, \\quad \\xi_i = \\max_k(g_k+[k\\ne "
                   "y_i]) - "
                   "g_{y_i}");
    HSP_FORMULA(e, "P = %1 + %2 = %3,   C = %4~P = %1 + %2 = %3, \\quad C = "
                   "%4", number(t->half), number(t->losses), number(P),
                number(t->C));
    hsp_exposition_number(e, "C", t->C);
    hsp_exposition_number(e, "half_norm", t->half);
    hsp_exposition_number(e, "losses", t->losses);
    hsp_exposition_number(e, "P", P);
    hsp_exposition_section(e, "The dual problem");
    HSP_SAY(e, "Row i has K multipliers that sum to 0: that of its class is positive, at most `C c_i~Cc_i`; those of the "
               "others are "
               "not. The weights of a class are `w_k = sum_i alpha_ik x_i~w_k = \\sum_i\\alpha_{ik}x_i`, and");
    HSP_FORMULA(e, "D = -sum_i sum_(k != y_i) alpha_ik - 1/2 sum_k |sum_i alpha_ik x_i|^2 = %1~"
                   "D = -\\sum_i\\sum_{k\\ne y_i}\\alpha_{ik} - "
                   "\\tfrac12\\sum_k\\lVert\\textstyle\\sum_i\\alpha_{ik}x_i\\rVert^2 = %1",
                number(t->bound));
    HSP_SAY(e, "P and D differ by a share of %1 of P: no weights are better by more.", number((P - t->bound) / P));
    hsp_exposition_number(e, "D", t->bound);
    hsp_exposition_number(e, "gap", (P - t->bound) / P);
}

static void write_rows(hsp_derivation *v, const joint *t, double *g) {
    hsp_exposition *e = &v->text;
    int64_t row[HSP_SHOWN_ROWS], used = hsp_derivation_examples(v, row), K = v->outputs;
    double rows[HSP_SHOWN_ROWS], cells[HSP_SHOWN_ROWS][3];
    char label[HSP_ROW_LABEL];
    hsp_exposition_section(e, "Some rows");
    HSP_SAY(e, "The lead of the true class over the best other, the loss, and the multiplier of the true class. It is 0 "
               "where the "
               "lead is above 1, and `C c_i~Cc_i` where it is below:");
    hsp_exposition_table(e, "row", (const char *const[]){"lead", "`xi~\\xi`", "`alpha~\\alpha`"}, 3);
    for (int64_t r = 0; r < used; r++) {
        double rival = -INFINITY;
        int64_t y = v->rows.side[row[r]];
        rows[r] = (double)(row[r] + 1);
        cells[r][1] = loss_of(v, row[r], g);
        for (int64_t k = 0; k < K; k++)
            if (k != y) rival = fmax(rival, g[k]);
        cells[r][0] = g[y] - rival;
        cells[r][2] = t->alpha[row[r] * K + y];
        hsp_exposition_row(e, hsp_derivation_row_label(v, row[r], label), cells[r], NULL);
    }
    hsp_exposition_table_end(e, NULL);
    hsp_exposition_vector(e, "rows", rows, used);
    hsp_exposition_matrix(e, "row_figures", &cells[0][0], used, 3);
}

int hsp_explain_joint(hsp_derivation *v, hsp_error **err) {
    joint t = {.C = v->model->objective.C};
    double *g = hsp_derivation_zeros(v, v->outputs);
    int status = g ? measure_joint(v, &t, err) : hsp_fail_memory(err);
    if (status) return status;
    write_problem(v, &t);
    write_rows(v, &t, g);
    hsp_derivation_check(v, t.combined, v->b, "The sums of alpha_ik x_i as weights");
    return HSP_OK;
}
