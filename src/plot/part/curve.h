/* Curves in a panel: lines through points of the data, steps, bands, bars; and their names beside their ends. */
#ifndef HSP_PLOT_PART_CURVE_H
#define HSP_PLOT_PART_CURVE_H

#include "plot/draw/canvas.h"
#include "plot/draw/style.h"
#include "plot/part/panel.h"

typedef struct hsp_curve {
    int64_t n;
    const double *x, *y; /* n each; a y that is not finite breaks the line */
    const char *name;    /* beside its right end; NULL: none */
    hsp_pen pen;
    bool steps; /* horizontal, then vertical */
    bool dots;  /* a dot at every point as well */
} hsp_curve;

/* Draws it, clipped to the frame; points that fall on the same pixel column are merged (their least and greatest kept), so
 * that a million make a small file. 0 or HSP_EMEMORY. */
int hsp_curve_draw(const hsp_panel *p, hsp_canvas *c, const hsp_curve *curve);
/* The area between two curves over the same x. */
int hsp_curve_band(const hsp_panel *p, hsp_canvas *c, const double *x, const double *lo, const double *hi, int64_t n,
                   hsp_colour colour, double alpha);
/* Bars of a histogram from 0: n heights over n + 1 edges, outlined along their top. */
int hsp_curve_bars(const hsp_panel *p, hsp_canvas *c, const double *edge, const double *height, int64_t n,
                   hsp_colour colour, double alpha);

/* A name beside a point of the sheet. */
typedef struct hsp_tag {
    double y; /* where it would like to stand */
    const char *text;
    hsp_colour colour;
    double weight; /* of two that want the same place, and when there is no room for all, the greater one stays */
    /* by hsp_tags_draw */
    double at;
    bool dropped;
} hsp_tag;

/* The width that the names take, at most max: for hsp_panel.right. */
double hsp_tags_width(hsp_canvas *c, const hsp_tag *t, int64_t n, double max);
/* Draws n names in a column whose left edge is x, between y = lo and hi, moved apart so that none overlaps (each as near to
 * its wish as can be), with a thin line to its wish (at x = from) where it was moved. Returns how many found no room. */
int64_t hsp_tags_draw(hsp_canvas *c, hsp_tag *t, int64_t n, double from, double x, double lo, double hi, double max);
/* Tags of the curves' right ends, drawn right of the frame within p->right. Curves without name are left out. */
int hsp_curve_name_ends(const hsp_panel *p, hsp_canvas *c, const hsp_curve *curve, int64_t n);

#endif
