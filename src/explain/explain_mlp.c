/* mlp: the forward and the backward pass of one row, and a finite difference as a check. The layers are those of the stored
 * columns, also with --scale. */
#include "base/error.h"
#include "data/matrix.h"
#include "explain/derivation.h"
#include "network/network.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { UNITS = 8 }; /* of a layer that are shown */

typedef struct passes {
    const hsp_network *net;
    int64_t row;
    double *a[HSP_NETWORK_LAYERS + 1];     /* signals of each layer; a[0] = x */
    double *z[HSP_NETWORK_LAYERS + 1];     /* before the activation */
    double *delta[HSP_NETWORK_LAYERS + 1]; /* d loss / d z */
    int64_t unit[HSP_NETWORK_LAYERS + 1][UNITS], units[HSP_NETWORK_LAYERS + 1]; /* shown */
    double loss;
} passes;

/* ---- the passes ---- */

static void fill_row(const hsp_derivation *v, int64_t i, double *x) {
    hsp_row row = hsp_matrix_row(&v->data->x, i);
    for (int64_t j = 0; j < v->rows.d; j++) x[j] = 0;
    for (int64_t t = 0; t < row.count; t++) x[hsp_row_id(row, t)] = hsp_row_value(row, t);
}

static void go_forward(const hsp_network *net, passes *p) {
    for (int64_t l = 1; l <= net->layers; l++) {
        const double *W = hsp_network_weights(net, l), *b = hsp_network_intercepts(net, l);
        int64_t in = net->size[l - 1];
        for (int64_t u = 0; u < net->size[l]; u++) {
            double sum = b[u];
            for (int64_t j = 0; j < in; j++) sum += W[u * in + j] * p->a[l - 1][j];
            p->z[l][u] = p->a[l][u] = sum;
        }
        if (l < net->layers) net->activation->apply(net->size[l], p->a[l]);
    }
}

/* The loss of the row, and its derivative by the scores into `out` (NULL: not wanted). */
static double loss_at(const hsp_derivation *v, const passes *p, double *out) {
    const double *g = p->z[p->net->layers];
    int64_t K = v->outputs;
    if (!hsp_derivation_is_class(v)) {
        if (out) out[0] = g[0] - v->data->target[p->row];
        return pow(v->data->target[p->row] - g[0], 2) / 2;
    }
    if (K == 1) {
        double y = v->rows.side[p->row] == v->prepare.positive ? 1 : -1, m = y * g[0];
        if (out) out[0] = -y / (1 + exp(m));
        return m > 0 ? log1p(exp(-m)) : -m + log1p(exp(m));
    }
    double most = -INFINITY, sum = 0;
    for (int64_t k = 0; k < K; k++) most = fmax(most, g[k]);
    for (int64_t k = 0; k < K; k++) sum += exp(g[k] - most);
    for (int64_t k = 0; out && k < K; k++) out[k] = exp(g[k] - most) / sum - (k == v->rows.side[p->row]);
    return most + log(sum) - g[v->rows.side[p->row]];
}

static void go_backward(const hsp_network *net, passes *p) {
    for (int64_t l = net->layers; l > 1; l--) {
        const double *W = hsp_network_weights(net, l);
        int64_t in = net->size[l - 1];
        for (int64_t j = 0; j < in; j++) {
            p->delta[l - 1][j] = 0;
            for (int64_t u = 0; u < net->size[l]; u++) p->delta[l - 1][j] += W[u * in + j] * p->delta[l][u];
        }
        net->activation->slope(in, p->a[l - 1], p->delta[l - 1]);
    }
}

/* The row with the largest loss. */
static int64_t worst_row(const hsp_derivation *v, passes *p) {
    int64_t worst = 0;
    double most = -1;
    for (int64_t i = 0; i < v->rows.n; i++) {
        if (v->rows.c[i] == 0) continue;
        p->row = i;
        for (int64_t k = 0; k < v->outputs; k++) p->z[p->net->layers][k] = hsp_derivation_score(v, k, i);
        double loss = loss_at(v, p, NULL);
        if (loss > most) most = loss, worst = i;
    }
    return worst;
}

/* The units with the largest |delta|, in order. */
static void choose_units(passes *p) {
    for (int64_t l = 1; l <= p->net->layers; l++) {
        int64_t size = p->net->size[l];
        for (int64_t u = 0; u < size; u++) {
            int64_t larger = 0;
            for (int64_t t = 0; t < size; t++)
                larger += fabs(p->delta[l][t]) > fabs(p->delta[l][u]) ||
                          (fabs(p->delta[l][t]) == fabs(p->delta[l][u]) && t < u);
            if (larger < UNITS) p->unit[l][p->units[l]++] = u;
        }
    }
}

static int allocate(hsp_derivation *v, passes *p, hsp_error **err) {
    for (int64_t l = 0; l <= p->net->layers; l++) {
        p->a[l] = hsp_derivation_zeros(v, p->net->size[l]);
        p->z[l] = hsp_derivation_zeros(v, p->net->size[l]);
        p->delta[l] = hsp_derivation_zeros(v, p->net->size[l]);
        if (!p->a[l] || !p->z[l] || !p->delta[l]) return hsp_fail_memory(err);
    }
    return HSP_OK;
}

/* ---- parts ---- */

/* The shown inputs of layer l: features, or units of the layer before. */
static int64_t inputs_of(const hsp_derivation *v, const passes *p, int64_t l, int64_t input[UNITS]) {
    int64_t count = l == 1 ? v->count : p->units[l - 1];
    for (int64_t j = 0; j < count; j++) input[j] = l == 1 ? v->shown[j] : p->unit[l - 1][j];
    return count;
}

static void put_units(hsp_derivation *v, const passes *p, const char *name, int64_t l, const double *full) {
    char key[32];
    double part[UNITS];
    for (int64_t u = 0; u < p->units[l]; u++) part[u] = full[p->unit[l][u]];
    snprintf(key, sizeof key, "%s_%lld", name, (long long)l);
    hsp_exposition_vector(&v->text, key, part, p->units[l]);
}

static hsp_figure part_of(hsp_derivation *v, const passes *p, int64_t l, const double *full) {
    double *part = hsp_derivation_zeros(v, UNITS);
    for (int64_t u = 0; part && u < p->units[l]; u++) part[u] = full[p->unit[l][u]];
    hsp_figure f = vector(part, p->units[l]);
    f.cut = p->units[l] < p->net->size[l];
    return f;
}

/* A table of the shown part of a matrix of layer l, and its value; b: one more column, or NULL. */
static void write_layer(hsp_derivation *v, const passes *p, int64_t l, const double *W, const double *b, const char *name) {
    hsp_exposition *e = &v->text;
    int64_t input[UNITS], count = inputs_of(v, p, l, input), in = p->net->size[l - 1];
    double cells[UNITS + 1], *part = hsp_derivation_zeros(v, UNITS * UNITS);
    char key[32], label[32];
    if (!part) return;
    hsp_exposition_table(e, l < p->net->layers ? "unit" : "output", NULL, 0);
    for (int64_t j = 0; j < count; j++) hsp_exposition_symbol(e, l == 1 ? "x" : "a", input[j] + 1);
    if (b) hsp_exposition_heading(e, "b");
    for (int64_t u = 0; u < p->units[l]; u++) {
        for (int64_t j = 0; j < count; j++)
            cells[j] = part[u * count + j] = W[p->unit[l][u] * in + input[j]];
        if (b) cells[count] = b[p->unit[l][u]];
        snprintf(label, sizeof label, "%lld", (long long)p->unit[l][u] + 1);
        hsp_exposition_row(e, label, cells, NULL);
    }
    hsp_exposition_table_end(e, NULL);
    snprintf(key, sizeof key, "%s_%lld", name, (long long)l);
    hsp_exposition_matrix(e, key, part, p->units[l], count);
}

/* ---- text ---- */

static void write_network(hsp_derivation *v, const passes *p) {
    hsp_exposition *e = &v->text;
    double sizes[HSP_NETWORK_LAYERS + 1];
    for (int64_t l = 0; l <= p->net->layers; l++) sizes[l] = (double)p->net->size[l];
    hsp_exposition_section(e, "The network");
    HSP_FORMULA(e, "a_0 = x,   z_l = W_l a_(l-1) + b_l,   a_l = f(z_l),   g = z_L~"
                   "a_0 = x, \\quad z_l = W_l a_{l-1} + b_l, \\quad a_l = f(z_l), \\quad g = z_L");
    HSP_SAY(e, "f is %1. The layers have `%2` units: the features first, the outputs "
               "last.", phrase(p->net->activation->name),
            vector(sizes, p->net->layers + 1));
    if (v->prepare.factor) HSP_SAY(e, "The layers below are those of the original columns, not of the scaled ones.");
    hsp_exposition_vector(e, "sizes", sizes, p->net->layers + 1);
    for (int64_t l = 1; l <= p->net->layers; l++) {
        if (p->units[l] < p->net->size[l])
            HSP_SAY(e, "`W_%1` and `b_%1`; of its %2 units the %3 that count most for the row below:", whole(l),
                    whole(p->net->size[l]), whole(p->units[l]));
        else
            HSP_SAY(e, "`W_%1` and `b_%1`:", whole(l));
        write_layer(v, p, l, hsp_network_weights(p->net, l), hsp_network_intercepts(p->net, l), "W");
        put_units(v, p, "b", l, hsp_network_intercepts(p->net, l));
    }
}

static void write_forward(hsp_derivation *v, passes *p) {
    hsp_exposition *e = &v->text;
    char label[HSP_ROW_LABEL];
    double number_of[UNITS];
    hsp_exposition_section(e, "The forward pass of one row");
    HSP_SAY(e, "Row %1 has the largest loss. Its features are `x = %2`.", word(hsp_derivation_row_label(v, p->row, label)),
            hsp_derivation_vector(v, p->a[0]));
    hsp_exposition_number(e, "row", (double)(p->row + 1));
    for (int64_t l = 1; l <= p->net->layers; l++) {
        HSP_FORMULA(e, "z_%1 = %2~z_{%1} = %2", whole(l), part_of(v, p, l, p->z[l]));
        if (l < p->net->layers) HSP_FORMULA(e, "a_%1 = f(z_%1) = %2~a_{%1} = f(z_{%1}) = "
                                               "%2", whole(l), part_of(v, p, l, p->a[l]));
        for (int64_t u = 0; u < p->units[l]; u++) number_of[u] = (double)(p->unit[l][u] + 1);
        char key[32];
        snprintf(key, sizeof key, "units_%lld", (long long)l);
        hsp_exposition_vector(e, key, number_of, p->units[l]);
        put_units(v, p, "z", l, p->z[l]);
        if (l < p->net->layers) put_units(v, p, "a", l, p->a[l]);
    }
    if (!hsp_derivation_is_class(v))
        HSP_SAY(e, "The target is %1, and the loss `(y - g)^2/2~\\tfrac12(y-g)^2` is "
                   "`%2`.", number(v->data->target[p->row]),
                number(p->loss));
    else
        HSP_SAY(e, v->outputs == 1 ? "With `y = %1` the loss `log(1 + exp(-y g))~\\log(1+e^{-yg})` is `%2`."
                                   : "Its class is number %1, and the loss `log sum_k exp(g_k) - g_y~\\log\\sum_k e^{g_k} "
                                     "- g_y` is "
                                     "`%2`.",
                number(v->outputs == 1 ? (v->rows.side[p->row] == v->prepare.positive ? 1 : -1) : v->rows.side[p->row] + 1),
                number(p->loss));
    hsp_exposition_number(e, "loss", p->loss);
}

static void write_backward(hsp_derivation *v, const passes *p) {
    hsp_exposition *e = &v->text;
    int64_t L = p->net->layers;
    hsp_exposition_section(e, "The backward pass");
    HSP_SAY(e, "`delta_l~\\delta_l` is the derivative of the loss by `z_l`. It starts at the scores and goes back through "
               "the "
               "weights:");
    HSP_FORMULA(e, "delta_L = dloss/dg,   delta_(l-1) = (W_l' delta_l) f'(z_(l-1)),   dW_l = delta_l a_(l-1)',   db_l = "
                   "delta_l~"
                   "\\delta_L = \\frac{\\partial\\ell}{\\partial g}, \\quad \\delta_{l-1} = (W_l^T\\delta_l)\\odot "
                   "f'(z_{l-1}), "
                   "\\quad \\frac{\\partial\\ell}{\\partial W_l} = \\delta_l a_{l-1}^T, \\quad "
                   "\\frac{\\partial\\ell}{\\partial b_l} = \\delta_l");
    for (int64_t l = L; l >= 1; l--) {
        HSP_FORMULA(e, "delta_%1 = %2~\\delta_{%1} = %2", whole(l), part_of(v, p, l, p->delta[l]));
        put_units(v, p, "delta", l, p->delta[l]);
    }
    for (int64_t l = 1; l <= L; l++) {
        int64_t in = p->net->size[l - 1];
        double *dW = hsp_derivation_zeros(v, p->net->size[l] * in);
        if (!dW) return;
        for (int64_t i = 0; i < p->net->size[l] * in; i++) dW[i] = p->delta[l][i / in] * p->a[l - 1][i % in];
        HSP_SAY(e, "`dW_%1 = delta_%1 a'~\\partial\\ell/\\partial W_{%1}`:", whole(l));
        write_layer(v, p, l, dW, NULL, "dW");
    }
}

/* The derivative by the weight of layer 1 with the largest derivative, by differences of the loss. */
static int write_check(hsp_derivation *v, passes *p, hsp_error **err) {
    hsp_exposition *e = &v->text;
    hsp_network *copy = NULL;
    int64_t in = p->net->size[0], unit = 0, feature = 0;
    double most = -1, worst = 0;
    for (int64_t i = 0; i < p->net->size[1] * in; i++) {
        double g = fabs(p->delta[1][i / in] * p->a[0][i % in]);
        if (g > most) most = g, unit = i / in, feature = i % in;
    }
    double back = p->delta[1][unit] * p->a[0][feature], at[2];
    for (int64_t k = 0; k < v->outputs; k++)
        worst = fmax(worst, fabs(p->z[p->net->layers][k] - hsp_derivation_score(v, k, p->row)));
    int status = hsp_network_new(p->net->size, p->net->layers, p->net->activation, &copy, err);
    if (status) return status;
    memcpy(copy->theta, p->net->theta, (size_t)hsp_network_parameters(p->net) * sizeof *copy->theta);
    double *w = hsp_network_weights(copy, 1) + unit * in + feature, centre = *w, h = 1e-5 * fmax(1, fabs(centre));
    for (int s = 0; s < 2; s++) {
        *w = centre + (s ? h : -h);
        go_forward(copy, p);
        at[s] = loss_at(v, p, NULL);
    }
    hsp_network_free(copy);
    double slope = (at[1] - at[0]) / (2 * h);
    hsp_exposition_section(e, "Check");
    HSP_SAY(e, "Move the weight from feature %1 to unit %2 by `+-h~\\pm h` and divide the change of the loss by 2h: the "
               "derivative "
               "is `%3`. Backpropagation gave `%4`.",
            whole(feature + 1), whole(unit + 1), number(slope), number(back));
    HSP_SAY(e, worst <= 1e-9 * fmax(1, fabs(p->z[p->net->layers][0])) ? "The scores of the forward pass are those of the "
                                                                        "model."
                                                                     : "The scores of the forward pass differ from those "
                                                                       "of the "
                                                                       "model by %1.",
            number(worst));
    hsp_exposition_vector(e, "weight", (double[]){(double)(unit + 1), (double)(feature + 1)}, 2);
    hsp_exposition_number(e, "finite_difference", slope);
    hsp_exposition_number(e, "backpropagated", back);
    hsp_exposition_number(e, "score_difference", worst);
    return HSP_OK;
}

static int explain_mlp(hsp_derivation *v, hsp_error **err) {
    passes p = {.net = v->model->network};
    int status = allocate(v, &p, err);
    if (status) return status;
    p.row = worst_row(v, &p);
    fill_row(v, p.row, p.a[0]);
    go_forward(p.net, &p);
    p.loss = loss_at(v, &p, p.delta[p.net->layers]);
    go_backward(p.net, &p);
    choose_units(&p);
    write_network(v, &p);
    write_forward(v, &p);
    write_backward(v, &p);
    return write_check(v, &p, err);
}

const hsp_explanation hsp_explanation_mlp = {
    .algorithm = "mlp",
    .idea = "mlp puts hidden units between the features and the scores, so that the boundary need not be straight.",
    .write = explain_mlp};
