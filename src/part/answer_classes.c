/* The weight and the number of rows of each class, and the hash of the content, all after the agreement. */
#include "base/error.h"
#include "data/data.h"
#include "part/answer.h"

/* Per class: the sum of the row weights without those of the classes, and the rows of positive weight. A regression counts as
 * one class. */
enum { WEIGHT, ROWS, NUMBERS };

static int64_t groups_of(const hsp_request *q) {
    return q->rows.targets ? 1 : q->rows.classes;
}

static hsp_sum_shape shape_of(const hsp_request *q) {
    return (hsp_sum_shape){.rule = HSP_SUM_PLAIN, .length = NUMBERS * groups_of(q)};
}

static int answer_classes(hsp_answer *a, const hsp_part_block *b, double *sums, hsp_error **err) {
    const hsp_part_rows *rows = &b->rows;
    const hsp_data content = {.x = rows->x,
                              .classes = rows->classes ? *rows->classes : (hsp_classes){0},
                              .y = (int32_t *)(uintptr_t)rows->y,
                              .target = (double *)(uintptr_t)rows->target,
                              .weight = (double *)(uintptr_t)rows->weight};
    uint64_t hash;
    if (hsp_data_hash_rows(&content, a->threads, &hash)) return hsp_fail_memory(err);
    for (int64_t i = 0; i < b->n; i++) {
        double weight = rows->weight ? rows->weight[i] : 1, *of = sums + (b->class ? NUMBERS * b->class[i] : 0);
        of[WEIGHT] += weight;
        of[ROWS] += weight > 0;
    }
    a->reply.counts[HSP_COUNT_HASH] = (int64_t)((uint64_t)a->reply.counts[HSP_COUNT_HASH] + hash);
    return HSP_OK;
}

const hsp_answer_kind hsp_answer_classes = {shape_of, answer_classes};
