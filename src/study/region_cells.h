/* The regions of a function with few values over a rectangle, from its values on a grid: triangles of the grid are cut where
 * the value changes along their sides, which the caller finds by bisection, so that regions share their borders exactly. */
#ifndef HSP_STUDY_REGION_CELLS_H
#define HSP_STUDY_REGION_CELLS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct hsp_grid_place {
    double u, v; /* from 0 to 1 */
} hsp_grid_place;

/* A change of the value along a side of a triangle, between `from` and `to`. */
typedef struct hsp_grid_change {
    hsp_grid_place from, to;
    int32_t value; /* at `from` */
} hsp_grid_change;

typedef struct hsp_region_cells {
    int64_t columns, rows; /* points of the grid, 2 or more each */
    int32_t *value;        /* rows x columns: owned, set by the caller before hsp_region_cells_find */
    /* set by hsp_region_cells_find: the changes, which the caller narrows */
    hsp_grid_change *change; /* owned */
    int64_t changes, change_capacity;
    int32_t *at; /* 3 x rows x columns, owned: the change on the sides to the right, up and diagonally of a point; -1: none */
    /* set by hsp_region_cells_cut: polygons, all with the same orientation, and segments of their borders */
    double *corner; /* 2 each: u, v; owned */
    int64_t corners, corner_capacity;
    int64_t *begin, *owner; /* polygon p has corners begin[p] .. begin[p + 1] - 1, and this value; owned */
    int64_t polygons, begin_capacity, owner_capacity;
    double *border; /* 4 each: two ends; owned */
    int64_t borders, border_capacity;
} hsp_region_cells;

/* A grid without values. HSP_EMEMORY; clear it in any case. */
int hsp_region_cells_new(hsp_region_cells *g, int64_t columns, int64_t rows);
void hsp_region_cells_clear(hsp_region_cells *g);
/* The point of the grid. */
hsp_grid_place hsp_region_cells_point(const hsp_region_cells *g, int64_t column, int64_t row);
/* Lists the changes. 0 or HSP_EMEMORY. */
int hsp_region_cells_find(hsp_region_cells *g);
/* Cuts the cells at the middle of each change. With `filled` false only borders are made. 0 or HSP_EMEMORY. */
int hsp_region_cells_cut(hsp_region_cells *g, bool filled);

/* ---- region_lines.c ---- */

/* The borders as lines: line k has the points begin[k] .. begin[k + 1] - 1; a closed one ends where it begins. */
typedef struct hsp_region_lines {
    double *point; /* 2 each: u, v; owned */
    int64_t points;
    int64_t *begin; /* lines + 1; owned */
    int64_t lines;
} hsp_region_lines;

/* 0 or HSP_EMEMORY; clear it in any case. */
int hsp_region_lines_join(const hsp_region_cells *g, hsp_region_lines *out);
void hsp_region_lines_clear(hsp_region_lines *l);

#endif
