#include "eval/importance.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/pool.h"
#include "base/rng.h"
#include "base/text.h"
#include "data/matrix.h"
#include "data/schema.h"
#include "eval/metrics.h"
#include "network/network.h"
#include "option/options.h"
#include "table/encoding.h"
#include "table/expand.h"
#include "table/kind.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* The time is bounded by the sizes, so that results do not depend on the machine: at most this many columns, those whose
 * weights matter most, and at most this many scores, on a sample of the rows. */
enum { MOST_COLUMNS = 1000, LEAST_ROWS = 1000 };
#define MOST_SCORES 400000000.0

/* A column whose cells are shuffled, and the result. */
typedef struct shuffled_column {
    const char *name;        /* borrowed; NULL: feature `first` has a number, not a name */
    int64_t first, features; /* made of its cells */
    double size;             /* of its weights */
    double mean, sd;         /* increase of the metric; sd NaN: one repeat */
} shuffled_column;

/* Measured by all threads; read by them, except for the results of their own columns. */
typedef struct shuffle_study {
    const hsp_model *m;
    const hsp_data *data;
    const hsp_encoding *e; /* with an expansion; else NULL */
    int64_t n, K, repeats;
    int64_t *row;   /* n, owned: the rows of the sample */
    int32_t *truth; /* of all rows, owned; NULL: regression */
    double *score;  /* n x K, owned */
    double mass;    /* sum of the weights of the sample */
    double value;   /* of the metric */
    uint64_t seed;
    shuffled_column *column; /* owned */
    int64_t columns, measured;
    hsp_advance *advance;
    atomic_int status;
} shuffle_study;

/* ---- the metric ---- */

static const char *metric_name(const hsp_model *m) {
    return m->prepare.regression ? "rmse" : !hsp_model_has_probabilities(m) ? "error" : "log_loss";
}

/* The loss of a row of the data at the given scores; p: scratch for the probabilities. */
static double loss_of(const shuffle_study *s, int64_t row, const double *score, double *p) {
    if (!s->truth) return (s->data->target[row] - score[0]) * (s->data->target[row] - score[0]);
    if (!hsp_model_probabilities(s->m, score, p)) return hsp_model_decide(s->m, score) != s->truth[row];
    return -log(fmax(p[s->truth[row]], HSP_LEAST_PROBABILITY));
}

static double weight_of(const shuffle_study *s, int64_t row) {
    return s->data->weight ? s->data->weight[row] : 1;
}

/* The metric from the weighted sum of the losses. */
static double finish_metric(const shuffle_study *s, double sum) {
    return hsp_metrics_clamp((long double)(s->truth ? sum / s->mass : sqrt(sum / s->mass)));
}

/* ---- scores of shuffled rows ---- */

/* Scratch of one column. */
typedef struct shuffle_room {
    double *part; /* n x K: what the column adds to each score */
    int64_t *order;
    double *score, *p;
    /* with an expansion: a row that is put together */
    uint32_t *id;
    double *value;
    int64_t id_capacity, value_capacity;
    hsp_encode_room encode;
} shuffle_room;

static bool open_room(const shuffle_study *s, shuffle_room *r) {
    int64_t classes = s->m->prepare.classes.count;
    return HSP_ALLOC(r->part, s->n * s->K) && HSP_ALLOC(r->order, s->n) && HSP_ALLOC(r->score, s->K) &&
           HSP_ALLOC(r->p, (classes > s->K ? classes : s->K) + 1);
}

static void close_room(shuffle_room *r) {
    HSP_FREE(r->part, r->order, r->score, r->p, r->id, r->value);
    hsp_encode_room_free(&r->encode);
}

/* Whether a score is not a sum over the columns, so that whole rows are put together and scored. */
static bool takes_rows(const shuffle_study *s) {
    return s->e || s->m->network;
}

static void find_parts(const shuffle_study *s, const shuffled_column *c, shuffle_room *r) {
    int64_t d = s->m->prepare.schema.d, end = c->first + c->features;
    for (int64_t i = 0; i < s->n; i++) {
        hsp_row x = hsp_matrix_row(&s->data->x, s->row[i]);
        double *part = r->part + i * s->K;
        for (int64_t k = 0; k < s->K; k++) part[k] = 0;
        for (int64_t t = x.id ? hsp_row_find(x, c->first) : c->first; t < x.count && hsp_row_id(x, t) < end; t++) {
            double v = hsp_row_value(x, t);
            for (int64_t k = 0; k < s->K; k++) part[k] += s->m->w[k * d + hsp_row_id(x, t)] * v;
        }
    }
}

/* Appends the entries of a row with ids from `from` to `to` - 1. */
static void copy_entries(const hsp_row *x, int64_t from, int64_t to, hsp_emit *out) {
    for (int64_t t = x->id ? hsp_row_find(*x, from) : from; t < x->count && hsp_row_id(*x, t) < to; t++)
        hsp_emit_one(out, hsp_row_id(*x, t), hsp_row_value(*x, t));
}

/* Scores row i with the column's cell of row `from`: puts the features of the columns together, and expands them again if the
 * table has an expansion. */
static int score_expanded(const shuffle_study *s, const shuffled_column *c, int64_t i, int64_t from, shuffle_room *r) {
    hsp_row own = hsp_matrix_row(&s->data->x, s->row[i]), other = hsp_matrix_row(&s->data->x, s->row[from]);
    int64_t base = s->e ? s->e->base : s->m->prepare.schema.d, most = own.count + other.count + 1;
    if (s->e) most += hsp_expansion_most(s->e, most);
    if (HSP_RESERVE(r->id, r->id_capacity, most) || HSP_RESERVE(r->value, r->value_capacity, most)) return HSP_EMEMORY;
    hsp_emit row = {r->id, r->value, 0};
    copy_entries(&own, 0, c->first, &row);
    copy_entries(&other, c->first, c->first + c->features, &row);
    copy_entries(&own, c->first + c->features, base, &row);
    if (s->e && hsp_expand_row(s->e, &r->encode, &row)) return HSP_EMEMORY;
    hsp_model_score_row(s->m, hsp_row_sparse(row.count, row.id, row.value), r->score);
    return HSP_OK;
}

/* The metric with the column's cells in the order of r->order. */
static int measure_order(const shuffle_study *s, const shuffled_column *c, shuffle_room *r, double *out) {
    double sum = 0;
    for (int64_t i = 0; i < s->n; i++) {
        int64_t from = r->order[i];
        if (takes_rows(s)) {
            if (score_expanded(s, c, i, from, r)) return HSP_EMEMORY;
        } else {
            /* The difference first: where it is 0, the score keeps its bits. */
            for (int64_t k = 0; k < s->K; k++)
                r->score[k] = s->score[i * s->K + k] + (r->part[from * s->K + k] - r->part[i * s->K + k]);
        }
        sum += weight_of(s, s->row[i]) * loss_of(s, s->row[i], r->score, r->p);
    }
    *out = finish_metric(s, sum);
    return HSP_OK;
}

static void measure_column(void *ctx, int64_t index) {
    shuffle_study *s = ctx;
    shuffled_column *c = &s->column[index];
    shuffle_room r = {0};
    int status = open_room(s, &r) ? HSP_OK : HSP_EMEMORY;
    if (!status && !takes_rows(s)) find_parts(s, c, &r);
    double mean = 0, squares = 0;
    for (int64_t k = 0; k < s->repeats && !status; k++) {
        if (hsp_advance_rows(s->advance, s->n)) status = HSP_ECANCELLED;
        hsp_rng rng = hsp_rng_new(s->seed, (uint64_t)(1 + c->first * s->repeats + k));
        for (int64_t i = 0; i < s->n; i++) r.order[i] = i;
        hsp_rng_shuffle(&rng, r.order, s->n);
        double value = 0;
        if (!status) status = measure_order(s, c, &r, &value);
        double increase = value - s->value, step = increase - mean; /* Welford's update */
        mean += step / (double)(k + 1);
        squares += step * (increase - mean);
    }
    c->mean = mean;
    c->sd = s->repeats > 1 ? sqrt(squares / (double)(s->repeats - 1)) : (double)NAN;
    close_room(&r);
    if (status) atomic_store(&s->status, status);
}

/* ---- columns and rows ---- */

/* The sum of the absolute weights of feature j. */
static double size_of(const hsp_model *m, int64_t j) {
    double sum = 0;
    if (m->network) return hsp_network_influence(m->network, j);
    for (int64_t k = 0; k < m->outputs; k++) sum += fabs(m->w[k * m->prepare.schema.d + j]);
    return sum;
}

static void add_column(shuffle_study *s, const char *name, int64_t first, int64_t features) {
    const hsp_extra *sds = hsp_model_extra(s->m, "feature-sds");
    shuffled_column c = {.name = name, .first = first, .features = features};
    for (int64_t j = first; j < first + features; j++)
        c.size += size_of(s->m, j) * (sds ? sds->data[j] : 1);
    s->column[s->columns++] = c;
}

static int by_weight(const void *a, const void *b) {
    const shuffled_column *p = a, *q = b;
    if (p->size != q->size) return p->size > q->size ? -1 : 1;
    return (p->first > q->first) - (p->first < q->first);
}

static int by_importance(const void *a, const void *b) {
    const shuffled_column *p = a, *q = b;
    if (p->mean != q->mean) return p->mean > q->mean ? -1 : 1;
    return (p->first > q->first) - (p->first < q->first);
}

/* Lists the columns; of too many, those of the largest weights come first and are measured. */
static int list_columns(shuffle_study *s, hsp_error **err) {
    const hsp_encoding *e = s->m->prepare.encoding;
    const hsp_schema *schema = &s->m->prepare.schema;
    int64_t count = e ? e->raw.d : schema->d;
    if (!HSP_ALLOC(s->column, count + 1)) return hsp_fail_memory(err);
    for (int64_t j = 0; j < count; j++) {
        if (!e)
            add_column(s, schema->name ? schema->name[j] : NULL, j, 1);
        else if (e->column[j].features > 0)
            add_column(s, e->column[j].name, e->column[j].first, e->column[j].features);
    }
    s->measured = s->columns;
    if (s->columns <= MOST_COLUMNS) return HSP_OK;
    qsort(s->column, (size_t)s->columns, sizeof *s->column, by_weight);
    s->measured = MOST_COLUMNS;
    return HSP_OK;
}

/* Draws the sample and scores it. */
static int draw_rows(shuffle_study *s, hsp_error **err) {
    int64_t all = s->data->x.n;
    double share = MOST_SCORES / ((double)s->measured * (double)s->repeats * (double)s->K + 1);
    s->n = share < (double)all ? (int64_t)fmax(share, LEAST_ROWS) : all;
    if (s->n > all) s->n = all;
    if (!HSP_ALLOC(s->row, all) || !HSP_ALLOC(s->score, s->n * s->K)) return hsp_fail_memory(err);
    for (int64_t i = 0; i < all; i++) s->row[i] = i;
    hsp_rng rng = hsp_rng_new(s->seed, 0);
    if (s->n < all) hsp_rng_shuffle(&rng, s->row, all);
    double *p = hsp_alloc(s->m->prepare.classes.count + 1, sizeof *p), sum = 0;
    if (!p) return hsp_fail_memory(err);
    for (int64_t i = 0; i < s->n; i++) {
        double *score = s->score + i * s->K;
        hsp_model_score_row(s->m, hsp_matrix_row(&s->data->x, s->row[i]), score);
        s->mass += weight_of(s, s->row[i]);
        sum += weight_of(s, s->row[i]) * loss_of(s, s->row[i], score, p);
    }
    hsp_free(p);
    s->value = finish_metric(s, sum);
    return s->mass > 0 ? HSP_OK : hsp_fail(err, HSP_EINPUT, "all rows of the sample have weight 0: leave --importance out");
}

/* ---- the report ---- */

static void write_study(const shuffle_study *s, hsp_json *j) {
    hsp_json_object(j, "importance");
    hsp_json_string(j, "metric", metric_name(s->m));
    hsp_json_number(j, "value", s->value);
    hsp_json_int(j, "repeats", s->repeats);
    hsp_json_int(j, "rows", s->n);
    hsp_json_int(j, "columns_in_all", s->columns);
    hsp_json_array(j, "columns");
    for (int64_t k = 0; k < s->measured; k++) {
        const shuffled_column *c = &s->column[k];
        char buf[32];
        hsp_json_object(j, NULL);
        hsp_json_string(j, "column", c->name ? c->name : hsp_schema_feature(&s->m->prepare.schema, c->first, buf));
        hsp_json_number(j, "mean", c->mean);
        hsp_json_number(j, "sd", c->sd);
        hsp_json_object_end(j);
    }
    hsp_json_array_end(j);
    hsp_json_object_end(j);
}

static int run_study(shuffle_study *s, int threads, hsp_error **err) {
    int status = HSP_OK;
    if (!s->m->prepare.regression) {
        status = HSP_ALLOC(s->truth, s->data->x.n) ? hsp_metrics_truth(s->m, s->data, s->truth, err) : hsp_fail_memory(err);
    }
    if (!status) status = list_columns(s, err);
    if (!status) status = draw_rows(s, err);
    if (status) return status;
    hsp_pool_run(s->measured, threads, measure_column, s);
    status = atomic_load(&s->status);
    if (status == HSP_ECANCELLED) return hsp_fail(err, status, "interrupted before all columns were shuffled");
    if (status) return hsp_fail_memory(err);
    qsort(s->column, (size_t)s->measured, sizeof *s->column, by_importance);
    return HSP_OK;
}

int hsp_importance_report(const hsp_model *m, const hsp_data *data, const hsp_options *o, hsp_advance *advance, hsp_json *j,
                          hsp_error **err) {
    int64_t repeats = hsp_options_int(o, "importance", 0);
    if (repeats == 0) {
        hsp_json_null(j, "importance");
        return HSP_OK;
    }
    const hsp_encoding *e = m->prepare.encoding;
    shuffle_study s = {.m = m,
                       .data = data,
                       .e = e && e->expansion ? e : NULL,
                       .K = m->outputs,
                       .repeats = repeats,
                       .seed = (uint64_t)hsp_options_int(o, "seed", 1),
                       .advance = advance};
    int status = run_study(&s, hsp_pool_threads(hsp_options_int(o, "threads", 0)), err);
    if (!status) write_study(&s, j);
    HSP_FREE(s.row, s.truth, s.score, s.column);
    return status;
}
