/* The section "The data": what the symbols of the derivation stand for in this data set. */
#include "explain/opening.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void describe_classes(hsp_derivation *v) {
    hsp_exposition *e = &v->text;
    int64_t K = v->rows.K, most = K < HSP_SHOWN_CLASSES ? K : HSP_SHOWN_CLASSES;
    double *mass = hsp_derivation_zeros(v, K), *rows = hsp_derivation_zeros(v, K);
    if (!mass || !rows) return;
    for (int64_t i = 0; i < v->rows.n; i++) {
        mass[v->rows.side[i]] += v->rows.c[i];
        rows[v->rows.side[i]]++;
    }
    if (K == 2) {
        int64_t plus = v->prepare.positive;
        HSP_SAY(e, "`y = +1` stands for class '%1' (%2 row%5), `y = -1` for class '%3' (%4 row%6).",
                word(hsp_derivation_class(v, plus)), number(rows[plus]), word(hsp_derivation_class(v, 1 - plus)),
                number(rows[1 - plus]), phrase(rows[plus] == 1 ? "" : "s"), phrase(rows[1 - plus] == 1 ? "" : "s"));
    } else {
        bool empty = false;
        for (int64_t k = 0; k < K; k++) empty |= rows[k] == 0;
        HSP_SAY(e, "There are `K = %1` classes.%2", whole(K), phrase(empty ? " A class without rows is never predicted." : ""));
        hsp_exposition_table(e, "class", (const char *const[]){"rows", "sum of weights"}, 2);
        for (int64_t k = 0; k < most; k++)
            hsp_exposition_row(e, hsp_derivation_class(v, k), (double[]){rows[k], mass[k]}, NULL);
        hsp_exposition_table_end(e, NULL);
        hsp_derivation_leave_classes(v, K - most);
    }
    hsp_exposition_vector(e, "class_rows", rows, K);
    hsp_exposition_vector(e, "class_mass", mass, K);
}

static void describe_targets(hsp_derivation *v) {
    double mean = 0, square = 0;
    for (int64_t i = 0; i < v->rows.n; i++) mean += v->rows.c[i] * v->rows.y[i] / v->rows.mass;
    for (int64_t i = 0; i < v->rows.n; i++) square += v->rows.c[i] * pow(v->rows.y[i] - mean, 2) / v->rows.mass;
    HSP_SAY(&v->text, "`y` is the number to predict: its mean is %1, its standard deviation %2.", number(mean),
            number(sqrt(square)));
    hsp_exposition_number(&v->text, "target_mean", mean);
    hsp_exposition_number(&v->text, "target_sd", sqrt(square));
}

static void describe_columns(hsp_derivation *v) {
    hsp_exposition *e = &v->text;
    char buf[HSP_LABEL_SIZE], symbol[64];
    double column[HSP_SHOWN_FEATURES];
    int64_t m = v->count;
    for (int64_t j = 0; j < m; j++) column[j] = (double)(v->shown[j] + 1);
    if (v->rows.d > m)
        HSP_SAY(e,
                "Of the %1 features the text shows the %2 with the largest |weight x standard deviation|. Vectors then end "
                "in ..., and matrices show the rows and columns of these features. All results are computed from all "
                "features.",
                whole(v->rows.d), whole(m));
    const char *const scaled[] = {"column", "`shift~s_j`", "`factor~f_j`"}, *const plain[] = {"column"};
    bool moved = v->prepare.factor != NULL;
    hsp_exposition_table(e, "feature", moved ? scaled : plain, moved ? 3 : 1);
    for (int64_t j = 0; j < m; j++) {
        double shift = v->prepare.shift ? v->prepare.shift[v->shown[j]] : 0;
        double factor = moved ? v->prepare.factor[v->shown[j]] : 1;
        snprintf(symbol, sizeof symbol, "`x_%lld~x_{%lld}`", (long long)(v->shown[j] + 1),
                 (long long)(v->shown[j] + 1));
        hsp_exposition_row(e, hsp_derivation_feature(v, v->shown[j], buf), (double[]){column[j], shift, factor}, symbol);
    }
    hsp_exposition_table_end(e, "symbol");
    hsp_exposition_vector(e, "columns", column, m);
}

static void describe_scaling(hsp_derivation *v) {
    if (!v->prepare.factor) return;
    if (v->model && v->model->network)
        HSP_SAY(&v->text, "Training replaces every column by `(x - shift) factor~(x_j - s_j)\\, f_j` (--scale %1).",
                word(v->prepare.scale));
    else
        HSP_SAY(&v->text,
                "--scale %1 replaces every column by `(x - shift) factor~x_j \\leftarrow (x_j - s_j)\\, f_j`. From here "
                "on `x` "
                "is the scaled row. The last section returns to original units.",
                word(v->prepare.scale));
    double *shift = hsp_derivation_zeros(v, v->rows.d);
    for (int64_t j = 0; shift && v->prepare.shift && j < v->rows.d; j++) shift[j] = v->prepare.shift[j];
    if (!shift) return;
    hsp_derivation_put(v, "shift", shift);
    hsp_derivation_put(v, "factor", v->prepare.factor);
}

static bool has_weights(const hsp_derivation *v) {
    for (int64_t i = 0; i < v->rows.n; i++)
        if (v->rows.c[i] != 1) return true;
    return false;
}

void hsp_derivation_open(hsp_derivation *v, const hsp_explanation *what) {
    hsp_exposition *e = &v->text;
    hsp_exposition_section(e, "The data");
    HSP_SAY(e, what->idea);
    HSP_SAY(e, "There are `n = %1` rows `x` with `d = %2` feature%3.", whole(v->rows.n), whole(v->rows.d),
            phrase(v->rows.d == 1 ? "" : "s"));
    hsp_exposition_number(e, "n", (double)v->rows.n);
    hsp_exposition_number(e, "d", (double)v->rows.d);
    if (hsp_derivation_is_class(v))
        describe_classes(v);
    else
        describe_targets(v);
    if (has_weights(v))
        HSP_SAY(e, "Row i has the weight `c_i` (row weight x class weight), and the weights sum to `%1`.",
                number(v->rows.mass));
    hsp_exposition_number(e, "mass", v->rows.mass);
    describe_columns(v);
    describe_scaling(v);
}
