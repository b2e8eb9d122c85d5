#include "part/tree.h"

#include "base/error.h"
#include "base/memory.h"
#include "part/moment_sums.h"
#include "part/pair_sum.h"
#include "part/spread_sums.h"

#include <string.h>

bool hsp_sum_shape_fits(const hsp_sum_shape *s) {
    const int64_t most = INT64_MAX / 64;
    if (s->length < 0 || s->length > most || s->pairs < 0 || s->groups < 0 || s->columns < 0) return false;
    if (s->rule == HSP_SUM_PLAIN) return s->pairs <= s->length / 2;
    if (s->rule == HSP_SUM_SPREAD) return s->length == hsp_spread_length(s->columns);
    return s->rule == HSP_SUM_MOMENTS && s->length == hsp_moment_sums_length(s->groups, s->columns, s->pairs != 0);
}

static void join_plain(const hsp_sum_shape *s, double *restrict left, const double *restrict right) {
    for (int64_t k = 0; k < s->pairs; k++) hsp_pair_join(left + 2 * k, right + 2 * k);
    for (int64_t k = 2 * s->pairs; k < s->length; k++) left[k] += right[k];
}

void hsp_sum_join(const hsp_sum_shape *s, double *left, const double *right) {
    if (s->rule == HSP_SUM_MOMENTS)
        hsp_moment_sums_join(s->groups, s->columns, s->pairs != 0, left, right);
    else if (s->rule == HSP_SUM_SPREAD)
        hsp_spread_join(s->columns, left, right);
    else
        join_plain(s, left, right);
}

double *hsp_tree_vector(hsp_tree *t) {
    if (t->spares == 0) return hsp_alloc_zero(t->shape.length + 1, sizeof(double));
    double *v = t->spare[--t->spares];
    memset(v, 0, (size_t)t->shape.length * sizeof *v);
    return v;
}

static void keep_spare(hsp_tree *t, double *v) {
    if (HSP_RESERVE(t->spare, t->spare_capacity, t->spares + 1))
        hsp_free(v);
    else
        t->spare[t->spares++] = v;
}

/* Joins the last two nodes if they are the halves of a larger one. */
static bool join_last(hsp_tree *t) {
    if (t->count < 2) return false;
    hsp_tree_node *left = &t->node[t->count - 2], *right = left + 1;
    if (left->level != right->level || left->index % 2 != 0 || right->index != left->index + 1) return false;
    hsp_sum_join(&t->shape, left->sums, right->sums);
    keep_spare(t, right->sums);
    *left = (hsp_tree_node){left->level + 1, left->index / 2, left->sums};
    t->count--;
    return true;
}

int hsp_tree_push(hsp_tree *t, int64_t level, int64_t index, double *sums, hsp_error **err) {
    hsp_tree_node n = {level, index, sums};
    int status = HSP_OK;
    if (t->count > 0 && hsp_tree_first(&n) < hsp_tree_end(&t->node[t->count - 1]))
        status = hsp_fail(err, HSP_EINPUT,
                          "block %lld of the rows was answered twice: give every part blocks of its own, and add each "
                          "reply once",
                          (long long)hsp_tree_first(&n));
    else if (HSP_RESERVE(t->node, t->capacity, t->count + 1))
        status = hsp_fail_memory(err);
    if (status) {
        hsp_free(sums);
        return status;
    }
    t->node[t->count++] = n;
    while (join_last(t)) continue;
    return HSP_OK;
}

/* Nodes that cannot be joined with a right half get an empty one. */
int hsp_tree_root(hsp_tree *t, int64_t blocks, const double **sums, hsp_error **err) {
    int64_t next = 0;
    *sums = NULL;
    for (int64_t k = 0; k < t->count && hsp_tree_first(&t->node[k]) == next; k++) next = hsp_tree_end(&t->node[k]);
    if (next < blocks || t->count == 0)
        return hsp_fail(err, HSP_EINPUT,
                        "block %lld of the rows is missing in the replies: give the parts all blocks from 0 on, and add all "
                        "replies",
                        (long long)next);
    if (next > blocks)
        return hsp_fail(err, HSP_EINPUT, "the replies have more blocks than the first one: keep the parts as they are");
    for (; t->count > 1; t->count--) {
        hsp_sum_join(&t->shape, t->node[t->count - 2].sums, t->node[t->count - 1].sums);
        keep_spare(t, t->node[t->count - 1].sums);
    }
    t->node[0].index = 0;
    t->node[0].level = HSP_TREE_LEVELS;
    *sums = t->node[0].sums;
    return HSP_OK;
}

void hsp_tree_clear(hsp_tree *t) {
    for (int64_t k = 0; k < t->count; k++) hsp_free(t->node[k].sums);
    for (int64_t k = 0; k < t->spares; k++) hsp_free(t->spare[k]);
    HSP_FREE(t->node, t->spare);
    *t = (hsp_tree){.shape = t->shape};
}
