#include "plot/scatter.h"

#include <math.h>
#include <stdlib.h>

/* Below this many points each mark is drawn by itself and has a paper-coloured edge, so that it is seen whole. */
static const int64_t single_marks = 400;
/* Otherwise each group's marks are drawn in so many turns, the groups taking turns too: none covers the others. */
enum { TURNS = 32 };

static uint64_t mix(uint64_t z) {
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

double hsp_scatter_jitter(int64_t i) {
    return (double)(mix((uint64_t)i * UINT64_C(0x9E3779B97F4A7C15) + 1) >> 11) * 0x1p-53;
}

static double radius_of(int64_t n) {
    return fmin(5.4, fmax(1.5, 5.4 * pow(100.0 / (double)(n < 1 ? 1 : n), 0.22)));
}

hsp_mark hsp_scatter_mark(const hsp_style *s, int64_t n, int32_t group, bool marked) {
    double r = radius_of(n);
    hsp_mark m = {.marker = r < 2 ? HSP_MARKER_CIRCLE : hsp_style_class_marker(group),
                  .radius = r,
                  .fill = hsp_style_class_colour(group),
                  .alpha = 1,
                  .edge_colour = marked ? s->ink : s->paper,
                  .edge = marked  ? fmax(0.6, 0.34 * r)
                          : r < 2 ? 0
                                  : 0.16 * r};
    return m;
}

/* ---- thinning ---- */

static uint64_t cell_of(const hsp_scatter_point *p, hsp_frame f, double cell) {
    uint64_t column = (uint64_t)((p->at.x - f.x) / cell), row = (uint64_t)((p->at.y - f.y) / cell);
    return ((uint64_t)(uint32_t)p->group << 33 | (uint64_t)(p->marked != 0) << 32 | (column & 0xFFFF) << 16 |
            (row & 0xFFFF)) +
           1;
}

/* An open-addressed set of cells; the table doubles when half full, so that it is as large as what is kept, not as n. */
typedef struct cells {
    uint64_t *key; /* 0: free */
    int64_t size;  /* a power of two */
    int64_t used;
} cells;

static bool insert(cells *c, uint64_t key) {
    uint64_t mask = (uint64_t)c->size - 1, i = mix(key) & mask;
    for (; c->key[i]; i = (i + 1) & mask)
        if (c->key[i] == key) return false;
    c->key[i] = key;
    c->used++;
    return true;
}

static int grow(cells *c) {
    cells larger = {hsp_plot_alloc(2 * c->size, sizeof *larger.key), 2 * c->size, 0};
    if (!larger.key) return HSP_EMEMORY;
    for (int64_t i = 0; i < c->size; i++)
        if (c->key[i]) insert(&larger, c->key[i]);
    free(c->key);
    *c = larger;
    return HSP_OK;
}

int64_t hsp_scatter_thin(hsp_scatter_point *p, int64_t n, hsp_frame f) {
    double cell = n <= single_marks ? 0.25 : n <= 5000 ? 0.5 : 1.75;
    cells c = {hsp_plot_alloc(1024, sizeof *c.key), 1024, 0};
    int64_t kept = 0;
    if (!c.key) return HSP_EMEMORY;
    for (int64_t i = 0; i < n; i++) {
        if (2 * c.used >= c.size && grow(&c)) {
            kept = HSP_EMEMORY;
            break;
        }
        if (insert(&c, cell_of(&p[i], f, cell))) p[kept++] = p[i];
    }
    free(c.key);
    return kept;
}

/* ---- drawing ---- */

/* Marked last; then by turn; then by group, so that a turn of a group is one run. Ties keep the order of the jitter. */
typedef struct slot {
    uint64_t order; /* marked, turn, group, random bits: sorts into the order of drawing */
    hsp_scatter_point p;
} slot;

static int by_order(const void *a, const void *b) {
    uint64_t x = ((const slot *)a)->order, y = ((const slot *)b)->order;
    return x < y ? -1 : x > y;
}

static uint64_t order_of(const hsp_scatter_point *p, int64_t i, bool single) {
    uint64_t random = mix((uint64_t)i + 77);
    uint64_t marked = (uint64_t)(p->marked != 0) << 63;
    if (single) return marked | random >> 1;
    return marked | (random % TURNS) << 56 | (uint64_t)((uint32_t)p->group & 0xFFFFFF) << 32 | random >> 32;
}

static void draw_runs(hsp_canvas *c, const slot *s, int64_t n, int64_t total, hsp_place2 *run) {
    bool single = n <= single_marks;
    for (int64_t i = 0; i < n;) {
        int64_t count = 0;
        hsp_scatter_point first = s[i].p;
        for (; i < n && s[i].p.group == first.group && s[i].p.marked == first.marked && !(single && count > 0); i++)
            run[count++] = s[i].p.at;
        hsp_mark m = hsp_scatter_mark(hsp_canvas_style(c), total, first.group, first.marked != 0);
        hsp_canvas_marks(c, run, count, &m);
    }
}

int hsp_scatter_draw(hsp_canvas *c, const hsp_scatter_point *p, int64_t n, int64_t total) {
    int code = HSP_EMEMORY;
    slot *s = hsp_plot_alloc(n, sizeof *s);
    hsp_place2 *run = hsp_plot_alloc(n, sizeof *run);
    if (!s || !run) goto done;
    for (int64_t i = 0; i < n; i++) s[i] = (slot){order_of(&p[i], i, n <= single_marks), p[i]};
    qsort(s, (size_t)n, sizeof *s, by_order);
    draw_runs(c, s, n, total, run);
    code = HSP_OK;
done:
    free(s);
    free(run);
    return code;
}
