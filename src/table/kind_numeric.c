#include "base/error.h"
#include "base/json_read.h"
#include "base/memory.h"
#include "data/block.h"
#include "data/table_frame.h"
#include "data/unseen_levels.h"
#include "table/fill.h"
#include "table/odd_cell.h"
#include "table/spelling.h"

#include <math.h>

static int fail_word(const hsp_column_cells *s, hsp_error **err) {
    hsp_odd_cell odd;
    hsp_odd_cell_find(s, hsp_cell_is_word, NULL, &odd);
    return hsp_fail_at(err, HSP_EINPUT, odd.where,
                       "column '%s' holds '%s', which is not a number (like %lld of its %lld values): correct it, or use "
                       "--missing-values '%s' to count it as missing",
                       odd.column, odd.held, (long long)s->p->words, (long long)(s->p->words + s->p->numbers), odd.held);
}

/* ---- rows ---- */

typedef struct number_list {
    double *v; /* owned */
    int64_t n, capacity;
} number_list;

static bool wants_rows(const hsp_column_cells *s) {
    if (s->p->words > 0) return false; /* an error */
    return hsp_table_rules_transform(s->r, s->j) || (s->r->missing == HSP_MISSING_MEDIAN && s->p->numbers > 0);
}

static int gather(const hsp_column_cells *s, const hsp_frame *rows, void **gathered, hsp_error **err) {
    number_list *l = *gathered;
    if (!l) l = *gathered = hsp_alloc_zero(1, sizeof *l);
    if (!l || (!l->v && HSP_RESERVE(l->v, l->capacity, s->p->numbers + 1))) return hsp_fail_memory(err);
    for (int64_t k = 0; k < rows->blocks; k++) {
        const hsp_block *b = &rows->block[k];
        for (int64_t i = 0; i < b->rows && l->n <= s->p->numbers; i++) {
            double x = hsp_block_number(b, i, s->j);
            l->v[l->n] = x;
            l->n += !isnan(x);
        }
    }
    return HSP_OK;
}

static void drop_gathered(void *gathered) {
    number_list *l = gathered;
    HSP_FREE(l->v, l);
}

/* ---- learning ---- */

static bool is_outside(hsp_cell cell, const void *ctx) {
    return isnan(hsp_transform_apply(ctx, cell.number));
}

static int fail_domain(const hsp_column_cells *s, const hsp_transform *t, hsp_error **err) {
    hsp_odd_cell odd;
    hsp_odd_cell_find(s, is_outside, t, &odd);
    return hsp_fail_at(err, HSP_EINPUT, odd.where,
                       "column '%s' holds %s, and %s is defined for %s: correct it, or use --transform '%s'=rank, or none",
                       odd.column, odd.held, t->rule.kind->name, t->rule.kind->domain, odd.column);
}

/* Learns the transform from the n numbers v, and applies it to them; into intervals it does not. */
static int learn_transform(const hsp_column_cells *s, const hsp_transform_rule *rule, double *v, int64_t n,
                           hsp_table_column *c, hsp_error **err) {
    const hsp_transform unlearnt = {.rule = *rule};
    for (int64_t i = 0; rule->kind->domain && i < n; i++)
        if (isnan(hsp_transform_apply(&unlearnt, v[i]))) return fail_domain(s, &unlearnt, err);
    if (hsp_transform_learn(rule, v, n, &c->transform)) return hsp_fail_memory(err);
    for (int64_t i = 0; !rule->kind->intervals && i < n; i++) v[i] = hsp_transform_apply(c->transform, v[i]);
    return HSP_OK;
}

static void count_features(hsp_table_column *c) {
    if (c->transform) c->features = hsp_transform_features(c->transform) + c->indicator;
}

static int learn(const hsp_column_cells *s, hsp_table_column *c, hsp_error **err) {
    const hsp_transform_rule *rule = hsp_table_rules_transform(s->r, s->j);
    number_list *l = s->gathered;
    if (s->p->words > 0) return fail_word(s, err);
    if (!l) {
        hsp_fill_set(s, s->p->numbers > 0 ? s->p->mean : 0, c);
        return HSP_OK;
    }
    int status = rule ? learn_transform(s, rule, l->v, l->n, c, err) : HSP_OK;
    if (!status) hsp_fill_learn(s, l->v, l->n, c);
    count_features(c);
    return status;
}

/* ---- encoding ---- */

/* The number x, transformed. HSP_EINPUT: it is outside of the domain. */
static int emit_transformed(const hsp_table_column *c, double x, hsp_emit *out) {
    double v = hsp_transform_apply(c->transform, x);
    if (isnan(v)) return HSP_EINPUT;
    if (c->transform->rule.kind->intervals)
        hsp_emit_one(out, c->first + (int64_t)v, 1);
    else
        hsp_emit_one(out, c->first, v);
    return HSP_OK;
}

static int encode(const hsp_table_column *c, hsp_cell cell, hsp_encode_room *room, hsp_emit *out, hsp_unseen *unseen) {
    (void)room, (void)unseen;
    if (!hsp_cell_is_number(cell)) return HSP_EINPUT;
    if (c->transform) return emit_transformed(c, cell.number, out);
    hsp_emit_one(out, c->first, cell.number);
    return HSP_OK;
}

/* In place of an interval a missing cell has its indicator, if there is one. */
static void encode_missing(const hsp_table_column *c, hsp_emit *out) {
    if (!c->transform || !c->transform->rule.kind->intervals)
        hsp_fill_missing(c, out);
    else if (c->indicator)
        hsp_fill_indicate(c, out);
    else
        emit_transformed(c, c->fill, out);
}

/* One interval or number, and the indicator. */
static int64_t most(const hsp_table_column *c, int64_t length) {
    (void)length;
    return 1 + c->indicator;
}

static void feature(const hsp_table_column *c, int64_t k, hsp_text *t) {
    if (c->transform && k < hsp_transform_features(c->transform))
        hsp_transform_name(c->transform, c->name, k, t);
    else
        hsp_fill_name(c, c->transform ? 1 : k, t);
}

/* ---- models ---- */

static void save(const hsp_table_column *c, hsp_json *j) {
    hsp_fill_save(c, j);
    hsp_transform_save(c->transform, j);
}

static int load(const hsp_json_loader *l, int64_t room, hsp_table_column *c) {
    int status = hsp_fill_load(l, room, c);
    if (!status) status = hsp_transform_load(l, &c->transform);
    if (!status) count_features(c);
    return status;
}

const hsp_kind hsp_kind_numeric = {.name = "numeric",
                                   .help = "a number, as it is or transformed",
                                   .cells = "numbers",
                                   .askable = true,
                                   .numbers = 1,
                                   .as_is = true,
                                   .wants_rows = wants_rows,
                                   .gather = gather,
                                   .drop_gathered = drop_gathered,
                                   .learn = learn,
                                   .most = most,
                                   .encode = encode,
                                   .encode_missing = encode_missing,
                                   .feature = feature,
                                   .save = save,
                                   .load = load};
