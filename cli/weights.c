#include "weights.h"
#include "fail.h"
#include "short_number.h"
#include "spark.h"
#include "text_table.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct ranked {
    int64_t j;
    double size; /* the largest |w_kj| sd_j over the outputs k */
} ranked;

static double at(const hsp_array *a, int64_t i, int64_t j) {
    double v;
    memcpy(&v, (const char *)a->data + i * a->strides[0] + j * a->strides[1], sizeof v);
    return v;
}

/* 1 if the sds are unknown. */
static double sd_of(const hsp_cli_linear *l, int64_t j) {
    return l->sd.data ? at(&l->sd, j, 0) : 1;
}

/* To six digits, those printed: sizes that differ by rounding alone, as those of equal columns do, keep the columns' order. */
static double as_printed(double v) {
    int power;
    double part = frexp(v, &power);
    return ldexp(rint(ldexp(part, 20)), power - 20);
}

static int largest_first(const void *a, const void *b) {
    const ranked *x = a, *y = b;
    if (x->size != y->size) return x->size < y->size ? 1 : -1;
    return x->j < y->j ? -1 : x->j > y->j;
}

static ranked *rank_features(const hsp_cli_linear *l, hsp_cli_weight_order order) {
    ranked *list = calloc((size_t)l->features + 1, sizeof *list);
    if (!list) return NULL;
    for (int64_t j = 0; j < l->features; j++) {
        list[j].j = j;
        for (int64_t k = 0; k < l->outputs; k++) {
            double size = fabs(at(&l->w, k, j)) * sd_of(l, j);
            if (size > list[j].size) list[j].size = size;
        }
        list[j].size = as_printed(list[j].size);
    }
    if (order == HSP_CLI_BY_SIZE) qsort(list, (size_t)l->features, sizeof *list, largest_first);
    return list;
}

enum { HALF = 8 }; /* width of a bar on each side, in characters */

/* The columns of the table, after the name of the feature. */
typedef struct weight_columns {
    bool bars, spread, odds; /* w sd; exp(w) and exp(w sd) */
    bool sds;                /* several outputs: the sd */
} weight_columns;

static weight_columns choose_columns(FILE *f, const hsp_cli_linear *l) {
    bool one = l->outputs == 1, known = l->sd.data != NULL;
    return (weight_columns){one && hsp_cli_draws(f), one && known, one && known && l->odds, !one && known};
}

static int count_columns(const hsp_cli_linear *l, const weight_columns *c) {
    return 1 + (int)l->outputs + c->bars + c->spread + 2 * c->odds + c->sds;
}

static void add_heads(hsp_cli_table *t, const hsp_cli_linear *l, const weight_columns *c) {
    if (l->outputs == 1 && !c->spread) return;
    hsp_cli_cell(t, "");
    if (l->outputs == 1) hsp_cli_cell(t, "weight");
    for (int64_t k = 0; l->outputs > 1 && k < l->outputs; k++) hsp_cli_cell_name(t, l->output(l->of, k));
    if (c->spread) hsp_cli_cell(t, "weight x sd");
    if (c->odds) hsp_cli_cell(t, "odds ratio");
    if (c->odds) hsp_cli_cell(t, "per sd");
    if (c->sds) hsp_cli_cell(t, "sd");
    if (c->bars) hsp_cli_cell(t, "");
}

/* An odds ratio, which may exceed all numbers. */
static void add_ratio(hsp_cli_table *t, double log_odds) {
    double ratio = exp(log_odds);
    char number[HSP_CLI_NUMBER];
    if (isinf(ratio))
        hsp_cli_cell(t, "> 1e308");
    else
        hsp_cli_cell(t, hsp_cli_short(ratio, 6, HSP_CLI_NEAREST, number));
}

static void add_feature(hsp_cli_table *t, const hsp_cli_linear *l, const weight_columns *c, int64_t j, double most) {
    char number[32], bar[HSP_CLI_SPARK_BYTES];
    double w = at(&l->w, 0, j), sd = sd_of(l, j);
    hsp_cli_cell_name(t, l->feature(l->of, j, number));
    for (int64_t k = 0; k < l->outputs; k++) hsp_cli_cell_number(t, at(&l->w, k, j));
    if (c->spread) hsp_cli_cell_number(t, w * sd);
    if (c->odds) add_ratio(t, w);
    if (c->odds) add_ratio(t, w * sd);
    if (c->sds) hsp_cli_cell_number(t, sd);
    if (c->bars) hsp_cli_cell(t, hsp_cli_signed_bar(most > 0 ? w * sd / most : 0, HALF, bar));
}

int hsp_cli_print_linear(FILE *f, const hsp_cli_linear *l, int64_t limit, hsp_cli_weight_order order) {
    ranked *list = rank_features(l, order);
    if (!list) return hsp_cli_fail_memory();
    const weight_columns c = choose_columns(f, l);
    double most = 0; /* largest of the listed sizes */
    for (int64_t i = 0; i < l->features && i < limit; i++) most = fmax(most, list[i].size);
    hsp_cli_table t;
    hsp_cli_table_begin(&t, count_columns(l, &c));
    add_heads(&t, l, &c);
    for (int64_t i = 0; i < l->features && i < limit; i++) add_feature(&t, l, &c, list[i].j, most);
    if (!l->homogeneous) {
        hsp_cli_cell(&t, "(intercept)");
        for (int64_t k = 0; k < l->outputs; k++) hsp_cli_cell_number(&t, at(&l->b, k, 0));
        for (int k = 1 + (int)l->outputs; k < t.columns; k++) hsp_cli_cell(&t, "");
    }
    free(list);
    return hsp_cli_table_print(&t, f, 2, !c.bars ? "ld" : c.odds ? "lddddl" : c.spread ? "lddl" : "ldl");
}

static const char *model_feature(const void *m, int64_t j, char *buf) {
    return hsp_model_feature_label(m, j, buf);
}

static const char *model_output(const void *m, int64_t k) {
    return hsp_model_class_name(m, k);
}

/* Fitted without an intercept, and none came from the shift of a scaling. */
static bool is_homogeneous(const hsp_model *m, const hsp_cli_linear *l) {
    const char *intercept = hsp_model_field(m, "intercept");
    bool zero = intercept && strcmp(intercept, "none") == 0;
    for (int64_t k = 0; k < l->outputs; k++) zero = zero && at(&l->b, k, 0) == 0;
    return zero;
}

int hsp_cli_print_weights(FILE *f, const hsp_model *m, int64_t limit, hsp_cli_weight_order order) {
    hsp_cli_linear l = {.w = {.size = sizeof(hsp_array)},
                        .b = {.size = sizeof(hsp_array)},
                        .sd = {.size = sizeof(hsp_array)},
                        .odds = hsp_model_field(m, "link") && strcmp(hsp_model_field(m, "link"), "logistic") == 0,
                        .outputs = hsp_model_outputs(m),
                        .features = hsp_model_features(m),
                        .feature = model_feature,
                        .output = model_output,
                        .of = m};
    hsp_error *err = NULL;
    if (hsp_model_array(m, "weights", &l.w, &err) || hsp_model_array(m, "intercepts", &l.b, &err))
        return hsp_cli_report_error(&err);
    hsp_model_array(m, "feature-sds", &l.sd, NULL);
    l.homogeneous = is_homogeneous(m, &l);
    return hsp_cli_print_linear(f, &l, limit, order);
}

/* What the signs of one output mean. */
static void print_meaning(FILE *f, const hsp_model *m) {
    if (hsp_model_outputs(m) > 1) return;
    if (hsp_model_classes(m) == 0) {
        fputs(" (prediction = intercept + sum of weight x feature)", f);
        return;
    }
    const char *positive = hsp_model_class_name(m, hsp_model_positive(m));
    char name[HSP_CLI_NAME];
    fputs(" (positive scores mean ", f);
    hsp_cli_put_clean(f, positive ? hsp_cli_cut(positive, name) : "the second class");
    putc(')', f);
}

void hsp_cli_print_weights_title(FILE *f, const hsp_model *m, int64_t limit, const char *hint) {
    int64_t d = hsp_model_features(m);
    hsp_array sd = {.size = sizeof sd};
    hsp_model_array(m, "feature-sds", &sd, NULL);
    fputs("\nweights", f);
    print_meaning(f, m);
    if (limit < d) fprintf(f, ", the %" PRId64 " largest of %" PRId64, limit, d);
    if (d > 1) fputs(sd.data ? " by |weight x sd|" : " by |weight|, as the model has no standard deviations", f);
    if (limit < d && hint) fprintf(f, " (%s)", hint);
    putc('\n', f);
}
