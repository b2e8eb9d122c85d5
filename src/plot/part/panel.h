/* A panel: a frame with two axes, their names and a title, in which curves, areas and marks are drawn at places of the
 * data. Use: set the names, hsp_panel_range (or _log, _exact) for both axes, hsp_panel_lay_out, hsp_panel_axes, then draw.
 */
#ifndef HSP_PLOT_PART_PANEL_H
#define HSP_PLOT_PART_PANEL_H

#include "plot/draw/canvas.h"
#include "plot/part/axis.h"

typedef enum hsp_spread {
    HSP_SPREAD_AIR,   /* with air on either side */
    HSP_SPREAD_EXACT, /* from lo to hi, no more */
    HSP_SPREAD_ZERO,  /* from 0, exactly, with air above: lo is taken for 0 (bars, counts, errors) */
    HSP_SPREAD_LOG    /* logarithmic: what is not positive is not in view */
} hsp_spread;

typedef struct hsp_range {
    double lo, hi;
    hsp_spread spread;
} hsp_range;

typedef struct hsp_panel {
    /* to be set */
    const char *title;           /* over the panel, or NULL */
    const char *x_name, *y_name; /* or NULL */
    hsp_range x_range, y_range;
    bool x_whole, y_whole; /* what is counted has no ticks between whole numbers */
    bool square;           /* x and y have the same length on the sheet (ROC) */
    bool no_y_ticks;       /* heights that are shown otherwise */
    bool noted;            /* what the labels leave out (hsp_axis_note) is said elsewhere, once for several panels */
    bool grid;             /* faint lines at the ticks of y */
    double right;          /* room kept free right of the frame, for the labels of curves */
    /* by hsp_panel_lay_out */
    hsp_axis x, y;
    hsp_area frame; /* where the data are */
    hsp_area outer; /* what the panel has in all */
} hsp_panel;

/* The range of n numbers (those that are not finite are left out; without any: 0 to 1). For LOG only those above 0. */
hsp_range hsp_range_of(const double *v, int64_t n, hsp_spread spread);
/* The range that holds both. */
hsp_range hsp_range_join(hsp_range a, hsp_range b);

/* Shares the frame `outer` out: title, names, tick labels, and the data's own frame; fits the ticks to the room. */
void hsp_panel_lay_out(hsp_panel *p, hsp_canvas *c, hsp_area outer);
/* Draws title, axes, ticks, names and grid. */
void hsp_panel_axes(const hsp_panel *p, hsp_canvas *c);
/* A place of the data on the sheet. What is beyond the view is far out, never non-finite, when x and y are numbers. */
hsp_place2 hsp_panel_place(const hsp_panel *p, double x, double y);
double hsp_panel_x(const hsp_panel *p, double x);
double hsp_panel_y(const hsp_panel *p, double y);

#endif
