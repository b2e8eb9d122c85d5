/* Sums of the rows of each group, in one pass over fixed slabs. */
#include "base/error.h"
#include "base/memory.h"
#include "base/pool.h"
#include "data/matrix.h"
#include "design/feed.h"
#include "design/gram_sparse.h"
#include "design/pieces.h"
#include "kernel/kernel.h"
#include "kernel/level.h"

#include <string.h>

typedef struct group_pass {
    const hsp_design *D;
    const double *c;
    const int32_t *group;
    int64_t groups;
    double *mass, *sums; /* of slab 0 */
    double *more;        /* of the others: groups + groups * d each */
    hsp_slabs slabs;
    hsp_slots slots;
    bool plain; /* one group of dense rows of floats or doubles */
    hsp_moved_rows stored;
} group_pass;

/* One group of rows as they are stored, some at a time: the same operations in the same order. */
static void sum_stored(const group_pass *p, int64_t slab, double *mass, double *sums) {
    enum { ROWS = 256 };
    double ones[ROWS];
    for (int i = 0; i < ROWS; i++) ones[i] = 1;
    for (int64_t i = p->slabs.begin[slab], end = p->slabs.begin[slab + 1], count; i < end; i += count) {
        count = end - i < ROWS ? end - i : ROWS;
        const double *c = p->c ? p->c + i : ones;
        for (int64_t k = 0; k < count; k++) mass[0] += c[k];
        hsp_level_now()->moved.pulls(&p->stored, hsp_matrix_row(p->D->x, i).value, count, c, sums);
    }
}

static void sum_slab(void *ctx, int64_t slab) {
    group_pass *p = ctx;
    int64_t d = p->D->d, size = p->groups + p->groups * d;
    double *mass = slab == 0 ? p->mass : p->more + (slab - 1) * size;
    double *sums = slab == 0 ? p->sums : mass + p->groups;
    double *tile = hsp_slots_take(&p->slots);
    memset(mass, 0, (size_t)p->groups * sizeof *mass);
    memset(sums, 0, (size_t)(p->groups * d) * sizeof *sums);
    if (p->plain) {
        sum_stored(p, slab, mass, sums);
        hsp_slots_give(&p->slots, tile);
        return;
    }
    for (int64_t i = p->slabs.begin[slab]; i < p->slabs.begin[slab + 1]; i++) {
        double c = p->c ? p->c[i] : 1;
        if (c == 0) continue;
        int64_t k = p->group ? p->group[i] : 0;
        mass[k] += c;
        hsp_row_axpy(c, hsp_design_row(p->D, i, tile), sums + k * d);
    }
    hsp_slots_give(&p->slots, tile);
}

int hsp_design_group_sums_stored(const hsp_design *D, const double *c, const int32_t *group, int64_t groups, double *mass,
                                 double *sums) {
    group_pass p = {.D = D, .c = c, .group = group, .groups = groups, .mass = mass, .sums = sums};
    p.plain = hsp_feed_moved(D, &p.stored) && groups == 1;
    int64_t size = groups + groups * D->d, most = D->x->stored / (16 * (size > 0 ? size : 1));
    p.slabs = hsp_design_cut(D->n, c, most < 8 ? most : 8);
    int status = hsp_slots_new(p.slabs.count, D->threads, D->factor ? D->d : 1, &p.slots);
    if (!status && p.slabs.count > 1 && !(p.more = hsp_alloc((p.slabs.count - 1) * size, sizeof *p.more)))
        status = HSP_EMEMORY;
    if (!status) {
        hsp_pool_run(p.slabs.count, D->threads, sum_slab, &p);
        for (int64_t s = 1; s < p.slabs.count; s++) {
            const double *from = p.more + (s - 1) * size;
            hsp_axpy_f64(1, from, mass, groups);
            hsp_axpy_f64(1, from + groups, sums, groups * D->d);
        }
    }
    hsp_free(p.more);
    hsp_slots_free(&p.slots);
    return status;
}

int hsp_design_group_sums(const hsp_design *D, const double *c, const int32_t *group, int64_t groups, double *mass,
                          double *sums, hsp_error **err) {
    if (hsp_design_group_sums_stored(D, c, group, groups, mass, sums)) return hsp_fail_memory(err);
    for (int64_t k = 0; D->p && k < groups; k++) hsp_axpy_f64(-mass[k], D->p, sums + k * D->d, D->d);
    return HSP_OK;
}
