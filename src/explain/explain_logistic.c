/* logistic (and ridge with a loss that has no closed form): likelihood, gradient, Hessian, Newton's method. */
#include "base/error.h"
#include "explain/convex.h"
#include "explain/derivation.h"
#include "explain/explain_logistic.h"
#include "explain/symmetric.h"
#include "loss/loss.h"
#include "problem/problem.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NEWTON_STEPS = 12 };

typedef struct descent {
    hsp_convex c;
    int64_t size;  /* parameters */
    int64_t shown; /* the output whose parameters are shown */
    bool odds;     /* the scores are log-odds */
    bool wide;     /* too many parameters for the Hessian */
    bool l1;
    double *start, *gradient, *H, *step, *theta;
    double F0;
} descent;

static void write_objective(hsp_derivation *v, descent *t) {
    hsp_exposition *e = &v->text;
    const hsp_problem *p = t->c.p;
    hsp_exposition_section(e, t->odds ? "The likelihood" : "The objective");
    if (t->odds && t->c.K == 1) {
        HSP_SAY(e, "The score `g = w.x + b~g = w\\cdot x+b` is the log-odds of class '%1':",
                word(hsp_derivation_class(v, v->outputs == 1 ? v->prepare.positive : v->k)));
        HSP_FORMULA(e, "P(y|x) = 1/(1 + exp(-y g)),   -log P = log(1 + exp(-y g))~"
                       "P(y\\mid x) = \\frac{1}{1+e^{-yg}}, \\quad -\\log P = \\log(1+e^{-yg})");
    } else if (t->odds) {
        HSP_SAY(e, "Each class has a score `g_k = w_k.x + b_k~g_k = w_k\\cdot x+b_k`, and the scores give probabilities:");
        HSP_FORMULA(e, "P(k|x) = exp(g_k) / sum_l exp(g_l),   -log P(y|x) = log sum_l exp(g_l) - g_y~"
                       "P(k\\mid x) = \\frac{e^{g_k}}{\\sum_l e^{g_l}}, \\quad -\\log P(y\\mid x) = \\log\\sum_l e^{g_l} "
                       "- g_y");
    } else {
        HSP_SAY(e, "The loss of a row is %1.", phrase(p->loss->formula));
    }
    if (p->penalty->penalises)
        HSP_SAY(e, "Training minimises the mean of the losses with the penalty `R(w) =` %3. Here `lambda = %1~\\lambda = "
                   "%1`, that "
                   "is `C = 1/(lambda sum c) = %2~C = 1/(\\lambda\\sum c) = %2`:",
                number(p->lambda), number(p->C), phrase(p->penalty->formula));
    else
        HSP_SAY(e, "Training minimises the mean of the losses, without a penalty:");
    HSP_FORMULA(e, p->penalty->penalises
                       ? "F(w, b) = lambda R(w) + 1/sum c  sum_i c_i loss_i~F(w,b) = \\lambda R(w) + \\frac{1}{\\sum "
                         "c}\\sum_i "
                         "c_i\\,\\ell_i"
                       : "F(w, b) = 1/sum c  sum_i c_i loss_i~F(w,b) = \\frac{1}{\\sum c}\\sum_i c_i\\,\\ell_i");
    HSP_SAY(e, "At `w = 0, b = 0`%2 it is `F = %1`.", number(t->F0),
            phrase(t->odds ? " every class has the same probability, and" : ""));
    hsp_exposition_number(e, "lambda", p->lambda);
    hsp_exposition_number(e, "C", p->penalty->penalises ? p->C : (double)NAN);
    hsp_exposition_number(e, "start_objective", t->F0);
}

static void say_class(hsp_derivation *v, const descent *t) {
    if (t->c.K > 1)
        HSP_SAY(&v->text, "The part of class '%1', the one with the most rows on the wrong side:",
                word(hsp_derivation_class(v, t->shown)));
}

static void write_gradient(hsp_derivation *v, descent *t) {
    hsp_exposition *e = &v->text;
    const double *g = t->gradient + t->shown * t->c.q;
    hsp_exposition_section(e, "The gradient");
    if (t->odds && t->c.K == 1)
        HSP_FORMULA(e, "dF/dtheta = 1/sum c  sum_i c_i (p_i - t_i) (1, x_i) + lambda dR/dtheta,  p = P(+|x),  t = 1 for "
                       "+, else 0~"
                       "\\nabla_\\theta F = \\frac{1}{\\sum c}\\sum_i c_i (p_i - t_i)(1, x_i) + \\lambda\\nabla_\\theta R, "
                       "\\quad p = P(+\\mid x), \\quad t \\in \\{0,1\\}");
    else if (t->odds)
        HSP_FORMULA(e, "dF/dtheta_k = 1/sum c  sum_i c_i (P(k|x_i) - [y_i = k]) (1, x_i) + lambda dR/dtheta_k~"
                       "\\nabla_{\\theta_k} F = \\frac{1}{\\sum c}\\sum_i c_i (P(k\\mid x_i) - [y_i = k])(1, x_i) + "
                       "\\lambda\\nabla_{\\theta_k} R");
    else
        HSP_FORMULA(e, "dF/dtheta = 1/sum c  sum_i c_i loss'(g_i) (1, x_i) + lambda dR/dtheta~"
                       "\\nabla_\\theta F = \\frac{1}{\\sum c}\\sum_i c_i\\,\\ell'(g_i)(1, x_i) + \\lambda\\nabla_\\theta "
                       "R");
    say_class(v, t);
    for (int64_t i = 0; i < t->size; i++)
        if (fabs(t->gradient[i]) < 1e-15 * hsp_convex_norm(t->gradient, t->size)) t->gradient[i] = 0;
    HSP_SAY(e, "theta is the intercept and the weights. At `theta = 0~\\theta = 0` the gradient is `%1`, and its norm is "
               "`%2`.%3",
            hsp_convex_vector(v, &t->c, g), number(hsp_convex_norm(t->gradient, t->size)),
            phrase(v->intercept == HSP_INTERCEPT_NONE ? " There is no intercept." : ""));
    hsp_exposition_vector(e, "gradient", hsp_convex_part(v, &t->c, g), hsp_convex_count(v, &t->c));
    hsp_exposition_number(e, "gradient_norm", hsp_convex_norm(t->gradient, t->size));
    if (t->c.K > 1) hsp_exposition_number(e, "class", (double)(t->shown + 1));
}

static void write_hessian(hsp_derivation *v, descent *t) {
    hsp_exposition *e = &v->text;
    int64_t m = hsp_convex_count(v, &t->c), first = t->shown * t->c.q;
    double *part = hsp_derivation_zeros(v, m * m);
    char buf[HSP_LABEL_SIZE];
    if (!part) return;
    for (int64_t i = 0; i < m * m; i++) {
        int64_t a = i / m, b = i % m, o = t->c.ones;
        int64_t row = o && a == 0 ? 0 : v->shown[a - o] + o, column = o && b == 0 ? 0 : v->shown[b - o] + o;
        part[i] = t->H[(first + row) * t->size + first + column];
    }
    hsp_exposition_section(e, "The Hessian");
    if (t->odds && t->c.K == 1)
        HSP_FORMULA(e, "H = 1/sum c  sum_i c_i p_i (1 - p_i) (1, x_i)(1, x_i)' + lambda I~"
                       "H = \\frac{1}{\\sum c}\\sum_i c_i\\,p_i(1-p_i)(1,x_i)(1,x_i)^T + \\lambda I");
    else if (t->odds)
        HSP_FORMULA(e, "H_kl = 1/sum c  sum_i c_i p_ik ([k = l] - p_il) (1, x_i)(1, x_i)' + [k = l] lambda I~"
                       "H_{kl} = \\frac{1}{\\sum c}\\sum_i c_i\\,p_{ik}([k=l]-p_{il})(1,x_i)(1,x_i)^T + [k=l]\\lambda I");
    else
        HSP_FORMULA(e, "H = 1/sum c  sum_i c_i loss''(g_i) (1, x_i)(1, x_i)' + lambda I~"
                       "H = \\frac{1}{\\sum c}\\sum_i c_i\\,\\ell''(g_i)(1,x_i)(1,x_i)^T + \\lambda I");
    HSP_SAY(e, "The intercept is penalised only with --intercept penalised. At `theta = 0~\\theta = 0`%1:",
            phrase(t->c.K > 1 ? ", the block of the class above" : ""));
    hsp_exposition_table(e, "", NULL, 0);
    if (t->c.ones) hsp_exposition_heading(e, "1");
    for (int64_t j = 0; j < v->count; j++) hsp_exposition_symbol(e, "x", v->shown[j] + 1);
    for (int64_t i = 0; i < m; i++) hsp_exposition_row(e, hsp_convex_label(v, &t->c, i, buf), part + i * m, NULL);
    hsp_exposition_table_end(e, NULL);
    hsp_exposition_matrix(e, "hessian", part, m, m);
}

/* One Newton step from theta, halved until F falls; F there. */
static int newton_step(hsp_derivation *v, descent *t, double *F, hsp_error **err) {
    hsp_symmetric S;
    memset(t->H, 0, (size_t)(t->size * t->size) * sizeof *t->H);
    int status = hsp_convex_hessian(v, &t->c, t->theta, t->H, err);
    if (!status) status = hsp_symmetric_new(v, t->H, t->size, &S, err);
    if (status) return status;
    double before = hsp_convex_at(v, &t->c, t->theta, t->gradient), *base = t->start;
    hsp_symmetric_solve(&S, t->gradient, t->step);
    memcpy(base, t->theta, (size_t)t->size * sizeof *base);
    for (double share = 1; share > 1e-6; share /= 2) {
        for (int64_t i = 0; i < t->size; i++) t->theta[i] = base[i] - share * t->step[i];
        *F = hsp_convex_at(v, &t->c, t->theta, t->gradient);
        if (*F <= before) return HSP_OK;
    }
    return HSP_OK;
}

static int write_newton(hsp_derivation *v, descent *t, hsp_error **err) {
    hsp_exposition *e = &v->text;
    double F = t->F0, table[NEWTON_STEPS + 1][2] = {{t->F0, hsp_convex_norm(t->gradient, t->size)}};
    int steps = 0, status = newton_step(v, t, &F, err);
    if (status) return status;
    hsp_exposition_section(e, "One Newton step");
    HSP_SAY(e, "Newton's method replaces F by the parabola with the same gradient and Hessian, and goes to its minimum:");
    HSP_FORMULA(e, "theta_1 = theta_0 - H^-1 dF/dtheta = %1~\\theta_1 = \\theta_0 - H^{-1}\\nabla F = %1",
                hsp_convex_vector(v, &t->c, t->theta + t->shown * t->c.q));
    HSP_SAY(e, "F falls from `%1` to `%2`.", number(t->F0), number(F));
    hsp_exposition_vector(e, "newton_step", hsp_convex_part(v, &t->c, t->theta + t->shown * t->c.q), hsp_convex_count(v,
            &t->c));
    hsp_exposition_number(e, "newton_objective", F);
    for (steps = 1; steps <= NEWTON_STEPS; steps++) {
        table[steps][0] = F;
        table[steps][1] = hsp_convex_norm(t->gradient, t->size);
        if (table[steps][1] < 1e-11 * (1 + table[0][1]) || steps == NEWTON_STEPS) break;
        status = newton_step(v, t, &F, err);
        if (status) return status;
    }
    hsp_exposition_section(e, "Newton's method to the end");
    HSP_SAY(e, "Near the minimum each step about doubles the number of correct digits. A step after which F would rise is "
               "halved.");
    hsp_exposition_table(e, "step", (const char *const[]){"`F`", "norm of the gradient"}, 2);
    for (int i = 0; i <= steps; i++) {
        char label[24];
        snprintf(label, sizeof label, "%d", i);
        hsp_exposition_row(e, label, table[i], NULL);
    }
    hsp_exposition_table_end(e, NULL);
    if (table[steps][1] > 1e-6 * table[0][1])
        HSP_SAY(e, "The gradient has not vanished: without a penalty, and with classes that can be separated, F has no "
                   "minimum "
                   "and the weights grow without end.");
    hsp_exposition_matrix(e, "newton", &table[0][0], steps + 1, 2);
    return HSP_OK;
}

static void write_rows(hsp_derivation *v, const descent *t) {
    hsp_exposition *e = &v->text;
    int64_t row[HSP_SHOWN_ROWS], used = hsp_derivation_examples(v, row);
    double rows[HSP_SHOWN_ROWS], cells[HSP_SHOWN_ROWS][3];
    char label[HSP_ROW_LABEL];
    if (!t->odds || t->c.K > 1) return;
    hsp_exposition_section(e, "Some rows");
    HSP_SAY(e, "The first row of each class, the row nearest to a boundary and the one farthest on the wrong side, with "
               "the "
               "trained weights. `p - t~p - t` is the weight with which a row pulls in the gradient.");
    hsp_exposition_table(e, "row", (const char *const[]){"`g`", "`p = 1/(1 + exp(-g))~p = "
                                                                "1/(1+e^{-g})`", "`p - t~p - t`"}, 3);
    for (int64_t r = 0; r < used; r++) {
        double g = hsp_derivation_score(v, v->k, row[r]), p = 1 / (1 + exp(-g));
        rows[r] = (double)(row[r] + 1);
        cells[r][0] = g, cells[r][1] = p, cells[r][2] = p - (v->rows.y[row[r]] > 0);
        hsp_exposition_row(e, hsp_derivation_row_label(v, row[r], label), cells[r], NULL);
    }
    hsp_exposition_table_end(e, NULL);
    hsp_exposition_vector(e, "rows", rows, used);
    hsp_exposition_matrix(e, "row_figures", &cells[0][0], used, 3);
}

/* What all classes share changes no probability: it is taken out, so that parameters can be compared. */
static void centre_classes(const descent *t, double *theta) {
    int64_t q = t->c.q, K = t->c.K;
    for (int64_t i = 0; K > 1 && i < q; i++) {
        double mean = 0;
        for (int64_t k = 0; k < K; k++) mean += theta[k * q + i] / (double)K;
        for (int64_t k = 0; k < K; k++) theta[k * q + i] -= mean;
    }
}

/* The objective and the gradient at the trained weights, beside the end of Newton's method. */
static void write_check(hsp_derivation *v, descent *t) {
    hsp_exposition *e = &v->text;
    double *g = hsp_derivation_zeros(v, t->size), *theta = hsp_derivation_zeros(v, t->size), difference = 0, size = 0;
    if (!g || !theta) return;
    hsp_convex_trained(v, &t->c, theta);
    double F = hsp_convex_at(v, &t->c, theta, g);
    bool newton = !t->wide && !t->l1;
    hsp_exposition_section(e, "Check");
    HSP_SAY(e, "At the weights of halfspace train `F = %1`%2.", number(F),
            phrase(t->l1 ? "" : ", and the gradient is almost 0"));
    if (!t->l1) HSP_SAY(e, "The norm of the gradient there is %1.", number(hsp_convex_norm(g, t->size)));
    hsp_exposition_number(e, "trained_objective", F);
    hsp_exposition_number(e, "trained_gradient_norm", hsp_convex_norm(g, t->size));
    if (newton) {
        double end = hsp_convex_at(v, &t->c, t->theta, NULL);
        centre_classes(t, theta);
        centre_classes(t, t->theta);
        for (int64_t i = 0; i < t->size; i++) {
            difference = fmax(difference, fabs(theta[i] - t->theta[i]));
            size = fmax(size, fabs(theta[i]));
        }
        HSP_SAY(e, "Newton's method above ended at `F = %1`; its theta differs from the trained one by at most %2, where "
                   "the "
                   "largest parameter is %3. The certificate of the fit allows a relative gap of %4.",
                number(end), number(difference), number(size), number(v->model->certificate.tolerance));
        hsp_exposition_number(e, "newton_end", end);
        hsp_exposition_number(e, "difference", difference);
    }
}

static int prepare_descent(hsp_derivation *v, descent *t, hsp_error **err) {
    t->size = t->c.K * t->c.q;
    t->wide = t->size > HSP_EXPLAIN_COLUMNS;
    t->l1 = t->c.p->penalty->penalises && t->c.p->rho > 0;
    t->odds = (t->c.p->loss->traits & HSP_LOSS_ODDS) != 0;
    t->shown = t->c.K > 1 ? hsp_derivation_hardest(v) : 0;
    t->start = hsp_derivation_zeros(v, t->size);
    t->gradient = hsp_derivation_zeros(v, t->size);
    t->step = hsp_derivation_zeros(v, t->size);
    t->theta = hsp_derivation_zeros(v, t->size);
    t->H = hsp_derivation_zeros(v, t->wide ? 1 : t->size * t->size);
    return t->start && t->gradient && t->step && t->theta && t->H ? HSP_OK : hsp_fail_memory(err);
}

static int write_sections(hsp_derivation *v, descent *t, hsp_error **err) {
    t->F0 = hsp_convex_at(v, &t->c, t->start, t->gradient);
    write_objective(v, t);
    write_gradient(v, t);
    if (t->wide)
        HSP_SAY(&v->text, "The Hessian has %1 x %1 numbers and is left out, and Newton's method with it.", whole(t->size));
    else {
        int status = hsp_convex_hessian(v, &t->c, t->start, t->H, err);
        if (status) return status;
        write_hessian(v, t);
        if (!t->l1) status = write_newton(v, t, err);
        if (status) return status;
    }
    if (t->l1) hsp_convex_write_kkt(v, &t->c);
    write_rows(v, t);
    write_check(v, t);
    return HSP_OK;
}

int hsp_explain_newton(hsp_derivation *v, hsp_error **err) {
    descent t = {0};
    if (!v->model->objective.joint) hsp_derivation_one_class(v);
    int status = hsp_convex_new(v, &t.c, err);
    if (!status) status = prepare_descent(v, &t, err);
    if (!status) status = write_sections(v, &t, err);
    hsp_convex_free(&t.c);
    return status;
}

const hsp_explanation hsp_explanation_logistic = {
    .algorithm = "logistic",
    .idea = "logistic regression chooses the weights under which the labels are most probable.",
    .write = hsp_explain_newton};
