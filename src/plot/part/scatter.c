#include "plot/part/scatter.h"

#include "plot/draw/picture_bytes.h"

#include <math.h>
#include <stdlib.h>

/* Up to this many points each mark is drawn on its own, with an edge of the colour of the paper, so that all of it shows. */
static const int64_t single_marks = 400;
/* Otherwise the marks of a group are drawn in this many batches, and the groups take turns: none covers the others. */
enum { TURNS = 32 };

static uint64_t mix(uint64_t z) {
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

double hsp_scatter_jitter(int64_t i) {
    return (double)(mix((uint64_t)i * UINT64_C(0x9E3779B97F4A7C15) + 1) >> 11) * 0x1p-53;
}

bool hsp_scatter_dense(int64_t n) {
    return n > 10000;
}

hsp_mark hsp_scatter_mark(const hsp_style *s, int64_t n, int32_t group, bool marked) {
    double r = fmin(5.4, fmax(1.4, 5.4 * pow(100.0 / (double)(n < 1 ? 1 : n), 0.22)));
    hsp_colour colour = hsp_style_class_colour(s, group);
    if (hsp_scatter_dense(n))
        return (hsp_mark){.marker = HSP_MARKER_CIRCLE,
                          .radius = r,
                          .fill = marked ? hsp_style_mix(colour, s->ink, 0.55) : colour,
                          .alpha = 1};
    return (hsp_mark){.marker = hsp_style_class_marker(group),
                      .radius = r,
                      .fill = colour,
                      .alpha = 1,
                      .edge_colour = marked ? s->ink : s->paper,
                      .edge = marked ? fmax(0.6, 0.34 * r) : 0.16 * r};
}

/* Opacity of a dot of a dense cloud, by the points that it represents: 1, 2-3, 4-7, 8 and more. */
static const double opacity[] = {0.3, 0.5, 0.75, 1};

static int level_of(const hsp_scatter_point *p) {
    return p->count < 2 ? 0 : p->count < 4 ? 1 : p->count < 8 ? 2 : 3;
}

/* ---- thinning ---- */

static uint64_t cell_of(const hsp_scatter_point *p, hsp_area f, double cell) {
    uint64_t column = (uint64_t)((p->at.x - f.x) / cell), row = (uint64_t)((p->at.y - f.y) / cell);
    return ((uint64_t)(uint32_t)p->group << 33 | (uint64_t)(p->marked != 0) << 32 | (column & 0xFFFF) << 16 |
            (row & 0xFFFF)) +
           1;
}

/* A hash table with open addressing from a cell to the point that was kept there. It doubles when half full: its size
 * follows the points that are kept, not n. */
typedef struct cells {
    struct {
        uint64_t key; /* 0: free */
        int64_t kept;
    } * slot;     /* owned */
    int64_t size; /* a power of two */
    int64_t used;
} cells;

/* The point that is kept in the cell: `kept` if it is the first there. */
static int64_t insert_cell(cells *c, uint64_t key, int64_t kept) {
    uint64_t mask = (uint64_t)c->size - 1, i = mix(key) & mask;
    for (; c->slot[i].key; i = (i + 1) & mask)
        if (c->slot[i].key == key) return c->slot[i].kept;
    c->slot[i].key = key;
    c->slot[i].kept = kept;
    c->used++;
    return kept;
}

static int grow_cells(cells *c) {
    cells larger = {hsp_alloc_zero(2 * c->size, sizeof *larger.slot), 2 * c->size, 0};
    if (!larger.slot) return HSP_EMEMORY;
    for (int64_t i = 0; i < c->size; i++)
        if (c->slot[i].key) insert_cell(&larger, c->slot[i].key, c->slot[i].kept);
    hsp_free(c->slot);
    *c = larger;
    return HSP_OK;
}

int64_t hsp_scatter_thin(hsp_scatter_point *p, int64_t n, hsp_area f) {
    double cell = n <= single_marks ? 0.25 : hsp_scatter_dense(n) ? 1.75 : 0.5;
    cells c = {hsp_alloc_zero(1024, sizeof *c.slot), 1024, 0};
    int64_t kept = 0;
    if (!c.slot) return HSP_EMEMORY;
    for (int64_t i = 0; i < n; i++) {
        if (2 * c.used >= c.size && grow_cells(&c)) {
            kept = HSP_EMEMORY;
            break;
        }
        int64_t at = insert_cell(&c, cell_of(&p[i], f, cell), kept);
        if (at == kept) {
            p[kept] = p[i];
            p[kept++].count = 1;
        } else if (p[at].count < INT32_MAX) {
            p[at].count++;
        }
    }
    hsp_free(c.slot);
    return kept;
}

/* ---- drawing ---- */

typedef struct crowd_slot {
    uint64_t order; /* sorts into the order of drawing */
    hsp_scatter_point p;
} crowd_slot;

static int by_order(const void *a, const void *b) {
    uint64_t x = ((const crowd_slot *)a)->order, y = ((const crowd_slot *)b)->order;
    return x < y ? -1 : x > y;
}

/* Few points: in random order, marked ones last. Many: by batch, then group, mark and opacity, so that equal marks follow
 * each other; marked ones last unless the cloud is dense. */
static uint64_t order_of(const hsp_scatter_point *p, int64_t i, int64_t n, int64_t total) {
    uint64_t random = mix((uint64_t)i + 77), marked = p->marked != 0, last = hsp_scatter_dense(total) ? 0 : marked;
    if (n <= single_marks) return last << 63 | random >> 1;
    return last << 63 | (random % TURNS) << 56 | (uint64_t)((uint32_t)p->group & 0xFFFFFF) << 32 | marked << 31 |
           (uint64_t)level_of(p) << 29 | random >> 35;
}

int hsp_scatter_draw(hsp_canvas *c, hsp_scatter_point *p, int64_t all, hsp_area f, int64_t total) {
    int64_t n = hsp_scatter_thin(p, all, f);
    if (n < 0) return HSP_EMEMORY;
    int status = HSP_EMEMORY;
    crowd_slot *s = hsp_alloc_zero(n, sizeof *s);
    hsp_place2 *run = hsp_alloc_zero(n, sizeof *run);
    if (!s || !run) goto done;
    for (int64_t i = 0; i < n; i++) s[i] = (crowd_slot){order_of(&p[i], i, n, total), p[i]};
    qsort(s, (size_t)n, sizeof *s, by_order);
    bool single = n <= single_marks, dense = hsp_scatter_dense(total);
    for (int64_t i = 0; i < n;) {
        int64_t count = 0;
        hsp_scatter_point first = s[i].p;
        do run[count++] = s[i++].p.at;
        while (i < n && !single && s[i].p.group == first.group && s[i].p.marked == first.marked &&
               (!dense || level_of(&s[i].p) == level_of(&first)));
        hsp_mark m = hsp_scatter_mark(hsp_canvas_style(c), total, first.group, first.marked != 0);
        if (dense) m.alpha = opacity[level_of(&first)];
        hsp_canvas_marks(c, run, count, &m);
    }
    status = HSP_OK;
done:
    HSP_FREE(s, run);
    return status;
}
