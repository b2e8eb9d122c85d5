/* Curves in a panel: lines through points of the data, steps, bands, bars; and their names beside their ends. */
#ifndef HSP_PLOT_PART_CURVE_H
#define HSP_PLOT_PART_CURVE_H

#include "plot/draw/canvas.h"
#include "plot/draw/style.h"
#include "plot/part/panel.h"

typedef struct hsp_curve {
    int64_t n;
    const double *x, *y; /* n each, borrowed; a value that is not finite breaks the line */
    const char *name;    /* beside its right end, borrowed; NULL: none */
    hsp_pen pen;
    bool steps; /* horizontal, then vertical */
    bool dots;  /* a dot at every point as well */
} hsp_curve;

/* Draws it, clipped to the frame. Points of the same pixel column are merged (the lowest and the highest are kept), so that a
 * million points make a small file. 0 or HSP_EMEMORY. */
int hsp_curve_draw(const hsp_panel *p, hsp_canvas *c, const hsp_curve *curve);
/* The dots alone, of the points in the frame; they are not clipped at its edge. 0 or HSP_EMEMORY. */
int hsp_curve_dots(const hsp_panel *p, hsp_canvas *c, const hsp_curve *curve);
/* The area between two curves over the same x. 0 or HSP_EMEMORY. */
int hsp_curve_band(const hsp_panel *p, hsp_canvas *c, const double *x, const double *lo, const double *hi, int64_t n,
                   hsp_colour colour, double alpha);
/* Bars of a histogram from 0: n heights over n + 1 edges, outlined along their top. 0 or HSP_EMEMORY. */
int hsp_curve_bars(const hsp_panel *p, hsp_canvas *c, const double *edge, const double *height, int64_t n,
                   hsp_colour colour, double alpha);

/* A name beside a point of the sheet. */
typedef struct hsp_tag {
    double y;         /* the desired position */
    const char *text; /* borrowed */
    hsp_colour colour;
    double weight; /* if there is no space for all, those of the greatest weights are drawn */
    /* set by hsp_tags_draw */
    double at;    /* the position that it got */
    bool dropped; /* it is not drawn */
} hsp_tag;

/* The width that n names take, each at most max wide: for hsp_panel.right. */
double hsp_tags_width(hsp_canvas *c, const hsp_tag *t, int64_t n, double max);
/* Draws n names in a column whose left edge is x, between y = lo and hi. They are moved apart until none overlaps, with the
 * least sum of squared moves; a thin line joins a moved name to (from, its desired y). Returns how many were dropped,
 * or HSP_EMEMORY. */
int64_t hsp_tags_draw(hsp_canvas *c, hsp_tag *t, int64_t n, double from, double x, double lo, double hi, double max);
/* The names of curves at their right ends, right of the frame within p->right; hsp_curve_names_width: the width that they
 * take there. Curves without a name have none. 0 or HSP_EMEMORY. */
double hsp_curve_names_width(hsp_canvas *c, const hsp_curve *curve, int64_t n, double max);
int hsp_curve_name_ends(const hsp_panel *p, hsp_canvas *c, const hsp_curve *curve, int64_t n);

#endif
