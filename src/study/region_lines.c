/* Joins the segments of a border to lines, so that they can be dashed and have smooth corners. Ends that meet are equal to the
 * last bit: both come from the same change. */
#include "base/memory.h"
#include "halfspace.h"
#include "study/region_cells.h"

#include <stdlib.h>

/* End e (0 or 1) of a segment. */
typedef struct segment_end {
    double u, v;
    int64_t segment;
    int e;
    int64_t node; /* ends that meet have one node */
} segment_end;

typedef struct line_walk {
    const hsp_region_cells *g;
    segment_end *end;  /* 2 x borders, by node */
    int64_t *first;    /* nodes + 1: the ends of each node */
    int64_t *node;     /* 2 x borders: the node of each end of each segment */
    bool *used;        /* borders */
    int64_t nodes;
} line_walk;

static int by_place(const void *a, const void *b) {
    const segment_end *p = a, *q = b;
    if (p->u != q->u) return p->u < q->u ? -1 : 1;
    if (p->v != q->v) return p->v < q->v ? -1 : 1;
    return (2 * p->segment + p->e > 2 * q->segment + q->e) - (2 * p->segment + p->e < 2 * q->segment + q->e);
}

static void find_nodes(line_walk *w) {
    int64_t n = 2 * w->g->borders;
    for (int64_t k = 0; k < n; k++) {
        const double *at = w->g->border + 2 * k;
        w->end[k] = (segment_end){at[0], at[1], k / 2, (int)(k % 2), 0};
    }
    qsort(w->end, (size_t)n, sizeof *w->end, by_place);
    for (int64_t k = 0; k < n; k++) {
        bool next = k == 0 || w->end[k].u != w->end[k - 1].u || w->end[k].v != w->end[k - 1].v;
        if (next) w->first[w->nodes++] = k;
        w->node[2 * w->end[k].segment + w->end[k].e] = w->nodes - 1;
    }
    w->first[w->nodes] = n;
}

/* A segment of the node that is not used yet; -1: none. */
static int64_t next_segment(const line_walk *w, int64_t node) {
    for (int64_t k = w->first[node]; k < w->first[node + 1]; k++)
        if (!w->used[w->end[k].segment]) return w->end[k].segment;
    return -1;
}

static bool is_plain(const line_walk *w, int64_t node) {
    return w->first[node + 1] - w->first[node] == 2;
}

static void add_point(hsp_region_lines *out, const line_walk *w, int64_t node) {
    const segment_end *at = &w->end[w->first[node]];
    out->point[2 * out->points] = at->u;
    out->point[2 * out->points++ + 1] = at->v;
}

/* From a node along unused segments to the next node at which a line ends, or until all are used. */
static void walk_line(line_walk *w, int64_t node, hsp_region_lines *out) {
    int64_t segment = next_segment(w, node);
    add_point(out, w, node);
    while (segment >= 0) {
        w->used[segment] = true;
        node = w->node[2 * segment] == node ? w->node[2 * segment + 1] : w->node[2 * segment];
        add_point(out, w, node);
        segment = is_plain(w, node) ? next_segment(w, node) : -1;
    }
    out->begin[++out->lines] = out->points;
}

/* First the lines that end somewhere, then the closed ones. */
static void walk_all(line_walk *w, hsp_region_lines *out) {
    for (int closed = 0; closed < 2; closed++)
        for (int64_t node = 0; node < w->nodes; node++)
            while ((closed || !is_plain(w, node)) && next_segment(w, node) >= 0) walk_line(w, node, out);
}

int hsp_region_lines_join(const hsp_region_cells *g, hsp_region_lines *out) {
    int64_t n = g->borders;
    line_walk w = {.g = g};
    *out = (hsp_region_lines){0};
    w.end = hsp_alloc(2 * n, sizeof *w.end);
    w.first = hsp_alloc(2 * n + 1, sizeof *w.first);
    w.node = hsp_alloc(2 * n, sizeof *w.node);
    w.used = hsp_alloc_zero(n, sizeof *w.used);
    out->point = hsp_alloc(4 * n, sizeof *out->point); /* a line has a point more than segments */
    out->begin = hsp_alloc_zero(n + 1, sizeof *out->begin);
    bool whole = w.end && w.first && w.node && w.used && out->point && out->begin;
    if (whole && n > 0) {
        find_nodes(&w);
        walk_all(&w, out);
    }
    HSP_FREE(w.end, w.first, w.node, w.used);
    return whole ? 0 : HSP_EMEMORY;
}

void hsp_region_lines_clear(hsp_region_lines *l) {
    HSP_FREE(l->point, l->begin);
    *l = (hsp_region_lines){0};
}
