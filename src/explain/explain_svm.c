/* svm and hard-svm: primal, Lagrangian, dual, KKT conditions, intercept, strong duality. */
#include "base/error.h"
#include "explain/derivation.h"
#include "explain/explain_joint.h"
#include "explain/explain_no_margin.h"
#include "kernel/kernel.h"
#include "loss/loss.h"
#include "model/model.h"
#include "problem/problem.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { VECTORS = 12, KINDS = 3 };

typedef struct margin {
    bool hard;           /* no slack */
    bool box;            /* hinge: alpha <= C c */
    const hsp_loss *loss; /* NULL: hard */
    double C;
    const double *w;
    double b;
    double *alpha, *beta;    /* n */
    double *score, *slack;   /* n: g, xi */
    double *combined;        /* d: sum alpha y x */
    double half, losses;     /* |w|^2/2 (with b^2/2 if penalised), C sum c loss */
    double sum, half_dual;   /* sum alpha less what curved losses subtract, |sum alpha y x|^2/2 */
    double balance;          /* sum alpha y */
    double tiny;             /* multipliers up to this are 0 */
    int64_t kind[KINDS];     /* rows with alpha = 0, between, at the bound */
} margin;

/* ---- numbers ---- */

static double bound_of(const hsp_derivation *v, const margin *m, int64_t i) {
    return m->hard ? INFINITY : m->loss->dual_high * m->C * v->rows.c[i];
}

/* 0: alpha = 0, 1: between, 2: at the bound. */
static int kind_of(const hsp_derivation *v, const margin *m, int64_t i) {
    if (m->alpha[i] <= m->tiny) return 0;
    return m->alpha[i] >= bound_of(v, m, i) - m->tiny ? 2 : 1;
}

static void measure_row(hsp_derivation *v, margin *m, int64_t i, const double *x) {
    double y = v->rows.y[i], g = hsp_dot_f64(m->w, x, v->rows.d) + m->b, c = v->rows.c[i];
    m->score[i] = g;
    m->slack[i] = c > 0 ? fmax(0, 1 - y * g) : 0;
    m->beta[i] = m->hard ? 0 : m->C * c - m->alpha[i];
    if (!m->hard) m->losses += m->C * c * m->loss->at(m->loss, y, g, HSP_KINK_OPEN).value;
    hsp_axpy_f64(m->alpha[i] * y, x, m->combined, v->rows.d);
    m->balance += m->alpha[i] * y;
    double ridge = m->hard || c == 0 ? 0 : m->loss->dual_ridge * m->alpha[i] * m->alpha[i] / (2 * m->C * c);
    m->sum += m->alpha[i] - ridge;
}

static int measure_margin(hsp_derivation *v, margin *m, hsp_error **err) {
    int64_t n = v->rows.n, d = v->rows.d;
    double *x = hsp_derivation_zeros(v, d), most = 0;
    m->alpha = hsp_derivation_zeros(v, n);
    m->beta = hsp_derivation_zeros(v, n);
    m->score = hsp_derivation_zeros(v, n);
    m->slack = hsp_derivation_zeros(v, n);
    m->combined = hsp_derivation_zeros(v, d);
    if (!x || !m->alpha || !m->beta || !m->score || !m->slack || !m->combined) return hsp_fail_memory(err);
    if (v->model->dual) hsp_dual_spread(v->model->dual, v->k, n, m->alpha);
    for (int64_t i = 0; i < n; i++) {
        m->alpha[i] = fabs(m->alpha[i]);
        most = fmax(most, m->alpha[i]);
        hsp_derivation_row(v, i, x);
        measure_row(v, m, i, x);
    }
    bool penalised = v->intercept == HSP_INTERCEPT_PENALISED;
    m->half = (hsp_dot_f64(m->w, m->w, d) + (penalised ? m->b * m->b : 0)) / 2;
    m->half_dual = (hsp_dot_f64(m->combined, m->combined, d) + (penalised ? m->balance * m->balance : 0)) / 2;
    m->tiny = 1e-9 * most;
    for (int64_t i = 0; i < n; i++)
        if (v->rows.c[i] > 0) m->kind[kind_of(v, m, i)]++;
    return HSP_OK;
}

/* ---- text ---- */

static void write_primal(hsp_derivation *v, const margin *m) {
    hsp_exposition *e = &v->text;
    double norm = sqrt(hsp_dot_f64(m->w, m->w, v->rows.d));
    hsp_exposition_section(e, "The primal problem");
    HSP_SAY(e, "The lines `w.x + b = 1~w\\cdot x+b = 1` and `w.x + b = -1~w\\cdot x+b = -1` are `1/|w|~1/\\lVert "
               "w\\rVert` from the "
               "boundary. A wide margin is a small `|w|~\\lVert w\\rVert`:");
    if (m->hard)
        HSP_FORMULA(e, "min |w|^2/2   subject to   y_i (w.x_i + b) >= 1~\\min_{w,b} \\tfrac12\\lVert w\\rVert^2 \\quad "
                       "\\text{subject to}\\quad y_i(w\\cdot x_i+b) \\ge 1");
    else if (m->box)
        HSP_FORMULA(e, "min |w|^2/2 + C sum_i c_i xi_i   subject to   y_i (w.x_i + b) >= 1 - xi_i,  xi_i >= 0~"
                       "\\min_{w,b,\\xi} \\tfrac12\\lVert w\\rVert^2 + C\\sum_i c_i\\xi_i \\quad \\text{subject to}\\quad "
                       "y_i(w\\cdot x_i+b) \\ge 1-\\xi_i,\\ \\xi_i \\ge 0");
    else
        HSP_FORMULA(e, "min |w|^2/2 + C sum_i c_i loss(y_i (w.x_i + b)),   loss(m) = %1~\\min_{w,b} \\tfrac12\\lVert "
                       "w\\rVert^2 + "
                       "C\\sum_i c_i\\,\\ell(y_i(w\\cdot x_i+b)), \\quad \\ell(m): %1",
                    phrase(m->loss->formula));
    if (v->intercept == HSP_INTERCEPT_NONE) HSP_SAY(e, "There is no intercept: `b = 0`, the plane passes through the "
                                                       "origin.");
    if (v->intercept == HSP_INTERCEPT_PENALISED) HSP_SAY(e, "--intercept penalised adds `b^2/2~b^2/2`.");
    HSP_SAY(e, v->intercept == HSP_INTERCEPT_NONE
                   ? "The solution is `w = %1`. Its margin is `1/|w| = %2~1/\\lVert w\\rVert = %2`."
                   : "The solution is `w = %1, b = %3`. Its margin is `1/|w| = %2~1/\\lVert w\\rVert = %2`.",
            hsp_derivation_vector(v, m->w), number(1 / norm), number(m->b));
    if (m->hard) {
        HSP_FORMULA(e, "|w|^2/2 = %1~\\tfrac12\\lVert w\\rVert^2 = %1", number(m->half));
    } else {
        HSP_FORMULA(e, "P = %1 + %2 = %3,   C = %4~P = %1 + %2 = %3, \\quad C = %4", number(m->half), number(m->losses),
                    number(m->half + m->losses), number(m->C));
        hsp_exposition_number(e, "C", m->C);
        hsp_exposition_number(e, "losses", m->losses);
    }
    hsp_derivation_put(v, "w", m->w);
    hsp_exposition_number(e, "b", m->b);
    hsp_exposition_number(e, "margin", 1 / norm);
    hsp_exposition_number(e, "half_norm", m->half);
    hsp_exposition_number(e, "P", m->half + m->losses);
}

/* |w - sum alpha y x| relative to |w|. */
static double stationarity(const hsp_derivation *v, const margin *m) {
    double sum = 0;
    for (int64_t j = 0; j < v->rows.d; j++) sum += pow(m->w[j] - m->combined[j], 2);
    return sqrt(sum / hsp_dot_f64(m->w, m->w, v->rows.d));
}

static void write_lagrangian(hsp_derivation *v, const margin *m) {
    hsp_exposition *e = &v->text;
    double off = stationarity(v, m);
    hsp_exposition_section(e, "The Lagrangian");
    HSP_SAY(e, "Each constraint gets a multiplier that is not negative%1:",
            phrase(m->box ? ": alpha_i for the margin of row i, beta_i for its slack" : ""));
    if (m->box)
        HSP_FORMULA(e, "L = |w|^2/2 + C sum c_i xi_i + sum alpha_i (1 - xi_i - y_i (w.x_i + b)) - sum beta_i xi_i~"
                       "L = \\tfrac12\\lVert w\\rVert^2 + C\\sum c_i\\xi_i + \\sum\\alpha_i(1-\\xi_i-y_i(w\\cdot x_i+b)) - "
                       "\\sum\\beta_i\\xi_i");
    else
        HSP_FORMULA(e, "L = |w|^2/2 + sum alpha_i (1 - y_i (w.x_i + b))%1~L = \\tfrac12\\lVert w\\rVert^2 + "
                       "\\sum\\alpha_i(1-y_i(w\\cdot x_i+b))%1",
                    phrase(m->hard ? "" : " + ..."));
    HSP_SAY(e, "At the minimum over w%1%2 the derivatives are 0:", phrase(v->intercept == HSP_INTERCEPT_NONE ? "" : ", b"),
            phrase(m->box ? " and xi" : ""));
    HSP_ITEM(e, "`dL/dw = 0~\\partial L/\\partial w = 0`: `w = sum alpha_i y_i x_i = %1~w = \\sum\\alpha_i y_i x_i = %1`, "
                "%2.",
             hsp_derivation_vector(v, m->combined),
             phrase(off < 1e-9 ? "which is w above" : "which is near w above"));
    if (v->intercept == HSP_INTERCEPT_FREE)
        HSP_ITEM(e, fabs(m->balance) <= 1e-9 * m->sum
                        ? "`dL/db = 0~\\partial L/\\partial b = 0`: `sum alpha_i y_i = 0~\\sum\\alpha_i y_i = 0`, up to "
                          "rounding."
                        : "`dL/db = 0~\\partial L/\\partial b = 0`: `sum alpha_i y_i = %1~\\sum\\alpha_i y_i = %1`.",
                 number(m->balance));
    if (v->intercept == HSP_INTERCEPT_PENALISED)
        HSP_ITEM(e, "`dL/db = 0~\\partial L/\\partial b = 0`: `b = sum alpha_i y_i = %1~b = \\sum\\alpha_i y_i = %1`.",
                 number(m->balance));
    if (m->box)
        HSP_ITEM(e, "`dL/dxi_i = 0~\\partial L/\\partial\\xi_i = 0`: `alpha_i + beta_i = C c_i~\\alpha_i+\\beta_i = C "
                    "c_i`, so that "
                    "`0 <= alpha_i <= C c_i~0 \\le \\alpha_i \\le C c_i`.");
    hsp_derivation_put(v, "combined", m->combined);
    hsp_exposition_number(e, "stationarity", off);
    hsp_exposition_number(e, "balance", m->balance);
}

static void write_dual(hsp_derivation *v, const margin *m) {
    hsp_exposition *e = &v->text;
    hsp_exposition_section(e, m->box ? "The dual, in four lines" : "The dual");
    if (m->box) {
        HSP_FORMULA(e, "max_alpha min_(w,b,xi) L = |w|^2/2 + C sum c xi + sum alpha (1 - xi - y (w.x + b)) - sum beta xi~"
                       "\\max_\\alpha\\min_{w,b,\\xi} L = \\tfrac12\\lVert w\\rVert^2 + C\\sum c\\xi + "
                       "\\sum\\alpha(1-\\xi-y(w\\cdot x+b)) - \\sum\\beta\\xi");
        HSP_FORMULA(e, "= |w|^2/2 - w.(sum alpha y x) - b sum alpha y + sum (C c - alpha - beta) xi + sum alpha~"
                       "= \\tfrac12\\lVert w\\rVert^2 - w\\cdot\\sum\\alpha y x - b\\sum\\alpha y + "
                       "\\sum(Cc-\\alpha-\\beta)\\xi + "
                       "\\sum\\alpha");
        HSP_FORMULA(e, "= sum alpha - |sum alpha y x|^2/2   with 0 <= alpha <= C c,  sum alpha y = 0~"
                       "= \\sum\\alpha - \\tfrac12\\lVert\\sum\\alpha y x\\rVert^2 \\quad\\text{with } 0\\le\\alpha\\le "
                       "Cc,\\ "
                       "\\sum\\alpha y = 0");
    } else {
        HSP_FORMULA(e, "max_alpha min_(w,b) L = |w|^2/2 + sum alpha (1 - y (w.x + b))%1~"
                       "\\max_\\alpha\\min_{w,b} L = \\tfrac12\\lVert w\\rVert^2 + \\sum\\alpha(1-y(w\\cdot x+b))%1",
                    phrase(m->hard ? "" : " + ..."));
        HSP_FORMULA(e, "= |w|^2/2 - w.(sum alpha y x) - b sum alpha y + sum alpha%1~"
                       "= \\tfrac12\\lVert w\\rVert^2 - w\\cdot\\sum\\alpha y x - b\\sum\\alpha y + \\sum\\alpha%1",
                    phrase(m->hard ? "" : " + ..."));
        HSP_FORMULA(e, m->hard ? "= sum alpha - 1/2 sum_ij alpha_i alpha_j y_i y_j x_i.x_j~= \\sum\\alpha - "
                                 "\\tfrac12\\sum_{ij}\\alpha_i\\alpha_j y_i y_j\\,x_i\\cdot x_j"
                               : "= sum alpha - q sum alpha^2/(2 C c) - 1/2 sum_ij alpha_i alpha_j y_i y_j x_i.x_j~= "
                                 "\\sum\\alpha - "
                                 "q\\sum\\frac{\\alpha^2}{2Cc} - \\tfrac12\\sum_{ij}\\alpha_i\\alpha_j y_i "
                                 "y_j\\,x_i\\cdot x_j");
        HSP_FORMULA(e, v->intercept == HSP_INTERCEPT_FREE
                           ? "with alpha >= 0,  sum alpha y = 0~\\text{with } \\alpha\\ge 0,\\ \\sum\\alpha y = 0"
                           : "with alpha >= 0~\\text{with } \\alpha\\ge 0");
    }
    HSP_FORMULA(e, "D = %1 - %2 = %3~D = %1 - %2 = "
                   "%3", number(m->sum), number(m->half_dual), number(m->sum - m->half_dual));
    if (!m->hard && !m->box)
        HSP_SAY(e, "The loss is curved: its conjugate subtracts `q alpha^2/(2 C c)~q\\,\\alpha^2/(2Cc)` for each row, "
                   "with q = %1 (it "
                   "is included in the first number).",
                number(m->loss->dual_ridge));
    HSP_SAY(e, "Every D is a lower bound of every P.");
    hsp_exposition_number(e, "alpha_sum", m->sum);
    hsp_exposition_number(e, "half_norm_of_dual", m->half_dual);
    hsp_exposition_number(e, "D", m->sum - m->half_dual);
}

/* ---- kinds of rows ---- */

static const char *kind_name(const margin *m, int kind) {
    if (kind == 0) return "no support vector";
    if (kind == 2) return "support vector at the bound";
    return m->hard || m->box ? "support vector on the margin" : "support vector";
}

/* Up to VECTORS rows: support vectors first, of each kind in turn, then others. */
static int64_t choose_rows(const hsp_derivation *v, const margin *m, int64_t row[VECTORS]) {
    static const int order[KINDS] = {1, 2, 0}, most[KINDS] = {6, 9, VECTORS};
    int64_t used = 0;
    for (int t = 0; t < KINDS; t++) {
        int64_t limit = most[t], last = t == 2 ? used + 2 : limit;
        if (last > limit) last = limit;
        for (int64_t i = 0; i < v->rows.n && used < last; i++)
            if (v->rows.c[i] > 0 && kind_of(v, m, i) == order[t]) row[used++] = i;
    }
    return used;
}

static void write_row_table(hsp_derivation *v, const margin *m) {
    hsp_exposition *e = &v->text;
    int64_t row[VECTORS], used = choose_rows(v, m, row);
    double rows[VECTORS], cells[VECTORS][5];
    char label[HSP_ROW_LABEL];
    int width = m->box ? 5 : m->hard ? 3 : 4;
    hsp_exposition_table(e, "row",
                         (const char *const[]){"`y`", "`alpha~\\alpha`", "`y g~y\\,g`",
                                               "`xi~\\xi`", "`beta~\\beta`"},
                         width);
    double *flat = hsp_derivation_zeros(v, VECTORS * 5);
    for (int64_t r = 0; flat && r < used; r++) {
        int64_t i = row[r];
        rows[r] = (double)(i + 1);
        cells[r][0] = v->rows.y[i];
        cells[r][1] = m->alpha[i];
        cells[r][2] = v->rows.y[i] * m->score[i];
        cells[r][3] = m->slack[i] < 1e-12 ? 0 : m->slack[i];
        cells[r][4] = fabs(m->beta[i]) <= m->tiny ? 0 : m->beta[i];
        for (int a = 0; a < width; a++) flat[r * width + a] = cells[r][a];
        hsp_exposition_row(e, hsp_derivation_row_label(v, i, label), cells[r], kind_name(m, kind_of(v, m, i)));
    }
    hsp_exposition_table_end(e, "kind");
    hsp_exposition_vector(e, "rows", rows, used);
    hsp_exposition_matrix(e, "row_figures", flat, used, width);
    int64_t left = v->rows.n - used;
    if (left > 0)
        HSP_SAY(e, left == 1 ? "One more row is left out here." : "The other %1 rows are left out here.", whole(left));
}

/* The largest |alpha (1 - xi - y g)| and |beta xi|. */
static double slackness(const hsp_derivation *v, const margin *m) {
    double most = 0;
    for (int64_t i = 0; i < v->rows.n; i++) {
        double yg = v->rows.y[i] * m->score[i], xi = m->hard ? 0 : m->slack[i];
        most = fmax(most, fabs(m->alpha[i] * (1 - xi - yg)));
        if (m->box) most = fmax(most, fabs(m->beta[i] * xi));
    }
    return most;
}

static void write_kinds(hsp_derivation *v, const margin *m) {
    hsp_exposition *e = &v->text;
    double kinds[KINDS] = {(double)m->kind[0], (double)m->kind[1], (double)m->kind[2]}, rest = slackness(v, m);
    hsp_exposition_section(e, "The KKT conditions of each kind of row");
    if (m->box) {
        HSP_SAY(e, "Complementary slackness: `alpha_i (1 - xi_i - y_i g_i) = 0~\\alpha_i(1-\\xi_i-y_ig_i) = 0` and "
                   "`beta_i xi_i = "
                   "0~\\beta_i\\xi_i = 0`. So there are three kinds:");
        HSP_ITEM(e, "`alpha = 0~\\alpha = 0`: `beta = C c~\\beta = Cc`, `xi = 0~\\xi = 0`, `y g >= 1~yg \\ge 1`. %1 rows, "
                    "no support "
                    "vectors.",
                 whole(m->kind[0]));
        HSP_ITEM(e, "`0 < alpha < C c~0 < \\alpha < Cc`: `xi = 0~\\xi = 0` and `y g = 1~yg = 1`. %1 rows, support vectors "
                    "on the margin.",
                 whole(m->kind[1]));
        HSP_ITEM(e, "`alpha = C c~\\alpha = Cc`: `beta = 0~\\beta = 0` and `y g = 1 - xi <= 1~yg = 1-\\xi \\le 1`. %1 "
                    "rows, support "
                    "vectors at the bound.",
                 whole(m->kind[2]));
    } else if (m->hard) {
        HSP_SAY(e, "Complementary slackness: `alpha_i (1 - y_i g_i) = 0~\\alpha_i(1-y_ig_i) = 0`. So there are two kinds:");
        HSP_ITEM(e, "`alpha = 0~\\alpha = 0`: `y g >= 1~yg \\ge 1`. %1 rows, no support vectors.", whole(m->kind[0]));
        HSP_ITEM(e, "`alpha > 0~\\alpha > 0`: `y g = 1~yg = 1`. %1 rows, the support vectors.", whole(m->kind[1]));
    } else {
        HSP_SAY(e, "The multiplier of a row is the slope of its loss: `alpha_i = -C c_i loss'(y_i g_i)~\\alpha_i = "
                   "-Cc_i\\,\\ell'(y_ig_i)`. %1 rows have `y g >= 1~yg \\ge 1` and `alpha = 0~\\alpha = 0`; %2 are "
                   "support vectors.",
                whole(m->kind[0]), whole(m->kind[1] + m->kind[2]));
    }
    write_row_table(v, m);
    if (m->hard || m->box)
        HSP_SAY(e, rest < 1e-9 * (1 + m->sum) ? "Over all rows these products are 0 up to rounding."
                                              : "Over all rows the largest of these products is %1.",
                number(rest));
    hsp_exposition_vector(e, "kinds", kinds, KINDS);
    if (m->hard || m->box) hsp_exposition_number(e, "slackness", rest);
}

static void write_intercept(hsp_derivation *v, const margin *m) {
    hsp_exposition *e = &v->text;
    double table[VECTORS], rows[VECTORS], least = INFINITY, most = -INFINITY;
    int64_t used = 0, all = 0;
    char label[HSP_ROW_LABEL];
    if (v->intercept != HSP_INTERCEPT_FREE || !(m->hard || m->box)) return;
    hsp_exposition_section(e, "The intercept from each support vector");
    if (!m->kind[1]) {
        HSP_SAY(e, "No support vector lies on the margin: every b between two of the values `y - w.x~y - w\\cdot x` gives "
                   "the same "
                   "objective, and train takes the best of them.");
        return;
    }
    HSP_SAY(e, "On the margin `y g = 1~yg = 1`. Multiply by `y = +-1~y = \\pm1`:");
    HSP_FORMULA(e, "b = y - w.x~b = y - w\\cdot x");
    hsp_exposition_table(e, "row", (const char *const[]){"`b`"}, 1);
    for (int64_t i = 0; i < v->rows.n; i++) {
        if (v->rows.c[i] == 0 || kind_of(v, m, i) != 1) continue;
        double b = v->rows.y[i] - (m->score[i] - m->b);
        least = fmin(least, b), most = fmax(most, b), all++;
        if (used == VECTORS) continue;
        rows[used] = (double)(i + 1);
        table[used++] = b;
        hsp_exposition_row(e, hsp_derivation_row_label(v, i, label), &b, NULL);
    }
    hsp_exposition_table_end(e, NULL);
    HSP_SAY(e, most - least <= 1e-9 * fmax(1, fabs(m->b))
                   ? "All %1 agree up to rounding."
                   : "All %1 lie within %2 of each other; the tolerance of the fit allows that.",
            whole(all), number(most - least));
    hsp_exposition_vector(e, "b_rows", rows, used);
    hsp_exposition_vector(e, "b_of_rows", table, used);
}

static void write_duality(hsp_derivation *v, const margin *m) {
    hsp_exposition *e = &v->text;
    double P = m->half + m->losses, D = m->sum - m->half_dual, gap = (P - D) / fmax(fabs(P), 1e-300);
    hsp_exposition_section(e, "Strong duality");
    HSP_SAY(e, "The problem is convex and its constraints are linear, so that the best P equals the best D. Here `P = %1` "
               "and `D = "
               "%2`%3",
            number(P), number(D),
            phrase(gap < 1e-9 ? ": they are equal up to rounding, which proves that both are optimal." : "."));
    if (!(gap < 1e-9)) HSP_SAY(e, "The relative gap is %1: P is at most that far from the optimum.", number(gap));
    hsp_exposition_number(e, "gap", gap);
}

/* ---- both algorithms ---- */

static int write_sections(hsp_derivation *v, margin *m, hsp_error **err) {
    int64_t d = v->rows.d;
    hsp_derivation_one_class(v);
    m->w = v->w + v->k * d;
    m->b = v->b[v->k];
    int status = measure_margin(v, m, err);
    if (status) return status;
    write_primal(v, m);
    write_lagrangian(v, m);
    write_dual(v, m);
    write_kinds(v, m);
    write_intercept(v, m);
    write_duality(v, m);
    double *w = hsp_derivation_zeros(v, v->outputs * d), *b = hsp_derivation_zeros(v, v->outputs);
    if (!w || !b) return hsp_fail_memory(err);
    memcpy(w, v->w, (size_t)(v->outputs * d) * sizeof *w);
    memcpy(b, v->b, (size_t)v->outputs * sizeof *b);
    memcpy(w + v->k * d, m->combined, (size_t)d * sizeof *w);
    if (v->intercept == HSP_INTERCEPT_PENALISED) b[v->k] = m->balance;
    hsp_derivation_check(v, w, b, "The sum of alpha_i y_i x_i as weights");
    return HSP_OK;
}

static int explain_svm(hsp_derivation *v, hsp_error **err) {
    if (v->model->objective.joint) return hsp_explain_joint(v, err);
    margin m = {.loss = hsp_loss_find(v->model->objective.loss), .C = v->model->objective.C};
    m.box = m.loss == &hsp_loss_hinge;
    return write_sections(v, &m, err);
}

static int explain_hard_svm(hsp_derivation *v, hsp_error **err) {
    if (!v->model) return hsp_explain_no_margin(v, err);
    return write_sections(v, &(margin){.hard = true}, err);
}

const hsp_explanation hsp_explanation_svm = {
    .algorithm = "svm",
    .idea = "svm seeks the boundary with the widest margin, and allows rows inside it at a price.",
    .write = explain_svm};
const hsp_explanation hsp_explanation_hard_svm = {
    .algorithm = "hard-svm",
    .idea = "hard-svm seeks the separating boundary with the widest margin: the one farthest from the nearest rows.",
    .write = explain_hard_svm};
