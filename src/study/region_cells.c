/* Every cell is two triangles. A triangle whose corners have two values is cut by one segment; one with three values by three
 * segments that meet in its middle, which is at most a cell away from the true junction. Neighbours that share a side share the
 * point at which it is cut: there are neither gaps nor overlaps. */
#include "study/region_cells.h"

#include "base/memory.h"
#include "halfspace.h"

enum { RIGHT, UP, DIAGONAL, SIDES };

int hsp_region_cells_new(hsp_region_cells *g, int64_t columns, int64_t rows) {
    *g = (hsp_region_cells){.columns = columns, .rows = rows};
    g->value = hsp_alloc_zero(columns * rows, sizeof *g->value);
    g->at = hsp_alloc_zero(SIDES * columns * rows, sizeof *g->at);
    return g->value && g->at ? 0 : HSP_EMEMORY;
}

void hsp_region_cells_clear(hsp_region_cells *g) {
    HSP_FREE(g->value, g->at, g->change, g->corner, g->begin, g->owner, g->border);
    *g = (hsp_region_cells){0};
}

hsp_grid_place hsp_region_cells_point(const hsp_region_cells *g, int64_t column, int64_t row) {
    return (hsp_grid_place){(double)column / (double)(g->columns - 1), (double)row / (double)(g->rows - 1)};
}

/* ---- changes ---- */

static int add_change(hsp_region_cells *g, int64_t i, int64_t j, int side) {
    int64_t to_i = i + (side != UP), to_j = j + (side != RIGHT), from = j * g->columns + i, to = to_j * g->columns + to_i;
    int32_t *at = &g->at[SIDES * from + side];
    *at = -1;
    if (to_i >= g->columns || to_j >= g->rows || g->value[from] == g->value[to]) return 0;
    if (hsp_reserve((void **)&g->change, &g->change_capacity, g->changes + 1, sizeof *g->change)) return HSP_EMEMORY;
    *at = (int32_t)g->changes;
    g->change[g->changes++] = (hsp_grid_change){hsp_region_cells_point(g, i, j), hsp_region_cells_point(g, to_i, to_j),
                                                g->value[from]};
    return 0;
}

int hsp_region_cells_find(hsp_region_cells *g) {
    g->changes = 0;
    for (int64_t j = 0; j < g->rows; j++)
        for (int64_t i = 0; i < g->columns; i++)
            for (int side = 0; side < SIDES; side++)
                if (add_change(g, i, j, side)) return HSP_EMEMORY;
    return 0;
}

/* ---- cutting ---- */

static int add_polygon(hsp_region_cells *g, const hsp_grid_place *p, int64_t n, int32_t owner) {
    if (hsp_reserve((void **)&g->corner, &g->corner_capacity, 2 * (g->corners + n), sizeof *g->corner) ||
        hsp_reserve((void **)&g->begin, &g->begin_capacity, g->polygons + 2, sizeof *g->begin) ||
        hsp_reserve((void **)&g->owner, &g->owner_capacity, g->polygons + 1, sizeof *g->owner))
        return HSP_EMEMORY;
    g->begin[0] = 0;
    for (int64_t k = 0; k < n; k++) {
        g->corner[2 * g->corners] = p[k].u;
        g->corner[2 * g->corners++ + 1] = p[k].v;
    }
    g->owner[g->polygons++] = owner;
    g->begin[g->polygons] = g->corners;
    return 0;
}

static int add_border(hsp_region_cells *g, hsp_grid_place a, hsp_grid_place b) {
    if (hsp_reserve((void **)&g->border, &g->border_capacity, 4 * (g->borders + 1), sizeof *g->border)) return HSP_EMEMORY;
    double *to = g->border + 4 * g->borders++;
    to[0] = a.u, to[1] = a.v, to[2] = b.u, to[3] = b.v;
    return 0;
}

/* A corner of a triangle, and the point at which the side to the next one is cut. */
typedef struct corner {
    hsp_grid_place at, cut;
    int32_t value;
} corner;

static hsp_grid_place middle_of(const hsp_grid_change *c) {
    return (hsp_grid_place){(c->from.u + c->to.u) / 2, (c->from.v + c->to.v) / 2};
}

/* Three different values meet in the middle of the three cuts. */
static int cut_thrice(hsp_region_cells *g, const corner t[3], bool filled) {
    hsp_grid_place m = {(t[0].cut.u + t[1].cut.u + t[2].cut.u) / 3, (t[0].cut.v + t[1].cut.v + t[2].cut.v) / 3};
    for (int k = 0; k < 3; k++) {
        const hsp_grid_place part[] = {t[k].at, t[k].cut, m, t[(k + 2) % 3].cut};
        if (filled && add_polygon(g, part, 4, t[k].value)) return HSP_EMEMORY;
        if (add_border(g, t[k].cut, m)) return HSP_EMEMORY;
    }
    return 0;
}

static int cut_triangle(hsp_region_cells *g, const corner t[3], bool filled) {
    int odd = 0;
    if (t[0].value == t[1].value && t[1].value == t[2].value) {
        const hsp_grid_place whole[] = {t[0].at, t[1].at, t[2].at};
        return filled ? add_polygon(g, whole, 3, t[0].value) : 0;
    }
    if (t[0].value != t[1].value && t[1].value != t[2].value && t[0].value != t[2].value) return cut_thrice(g, t, filled);
    while (t[odd].value == t[(odd + 1) % 3].value || t[odd].value == t[(odd + 2) % 3].value) odd++;
    const corner *o = &t[odd], *p = &t[(odd + 1) % 3], *q = &t[(odd + 2) % 3];
    const hsp_grid_place tip[] = {o->at, o->cut, q->cut}, rest[] = {o->cut, p->at, q->at, q->cut};
    if (filled && (add_polygon(g, tip, 3, o->value) || add_polygon(g, rest, 4, p->value))) return HSP_EMEMORY;
    return add_border(g, o->cut, q->cut);
}

static corner corner_of(const hsp_region_cells *g, int64_t i, int64_t j) {
    return (corner){.at = hsp_region_cells_point(g, i, j), .value = g->value[j * g->columns + i]};
}

static void set_cut(const hsp_region_cells *g, corner *c, int64_t i, int64_t j, int side) {
    int32_t at = g->at[SIDES * (j * g->columns + i) + side];
    if (at >= 0) c->cut = middle_of(&g->change[at]);
}

/* The triangles under and over the diagonal of cell (i, j), counter-clockwise. */
static int cut_cell(hsp_region_cells *g, int64_t i, int64_t j, bool filled) {
    corner a = corner_of(g, i, j), b = corner_of(g, i + 1, j), c = corner_of(g, i + 1, j + 1), d = corner_of(g, i, j + 1);
    corner under[] = {a, b, c}, over[] = {a, c, d};
    set_cut(g, &under[0], i, j, RIGHT);
    set_cut(g, &under[1], i + 1, j, UP);
    set_cut(g, &under[2], i, j, DIAGONAL);
    set_cut(g, &over[0], i, j, DIAGONAL);
    set_cut(g, &over[1], i, j + 1, RIGHT);
    set_cut(g, &over[2], i, j, UP);
    return cut_triangle(g, under, filled) || cut_triangle(g, over, filled) ? HSP_EMEMORY : 0;
}

static bool is_pure(const hsp_region_cells *g, int64_t i, int64_t j) {
    const int32_t *low = g->value + j * g->columns + i, *high = low + g->columns;
    return low[0] == low[1] && low[0] == high[0] && low[0] == high[1];
}

/* Neighbouring cells of one value in a row are one rectangle. Returns the cell after them, or HSP_EMEMORY. */
static int64_t take_run(hsp_region_cells *g, int64_t i, int64_t j, bool filled) {
    int64_t end = i + 1;
    int32_t value = g->value[j * g->columns + i];
    while (end + 1 < g->columns && is_pure(g, end, j) && g->value[j * g->columns + end] == value) end++;
    const hsp_grid_place part[] = {hsp_region_cells_point(g, i, j), hsp_region_cells_point(g, end, j),
                                   hsp_region_cells_point(g, end, j + 1), hsp_region_cells_point(g, i, j + 1)};
    return filled && add_polygon(g, part, 4, value) ? HSP_EMEMORY : end;
}

int hsp_region_cells_cut(hsp_region_cells *g, bool filled) {
    for (int64_t j = 0; j + 1 < g->rows; j++)
        for (int64_t i = 0; i + 1 < g->columns;) {
            bool pure = is_pure(g, i, j);
            int64_t next = pure ? take_run(g, i, j, filled) : i + 1;
            if (next < 0 || (!pure && cut_cell(g, i, j, filled))) return HSP_EMEMORY;
            i = next;
        }
    return 0;
}
