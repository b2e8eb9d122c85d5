/* A panel: a frame with two axes, their names and a title, in which curves, areas and marks are drawn in the coordinates of
 * the data. Use: set names and ranges, hsp_panel_lay_out, hsp_panel_axes, then draw. */
#ifndef HSP_PLOT_PART_PANEL_H
#define HSP_PLOT_PART_PANEL_H

#include "plot/draw/canvas.h"
#include "plot/part/axis.h"

typedef enum hsp_spread {
    HSP_SPREAD_PADDED, /* with padding on either side */
    HSP_SPREAD_EXACT,  /* from lo to hi */
    HSP_SPREAD_ZERO,   /* from 0 to hi with padding above; lo is ignored (bars, counts, errors) */
    HSP_SPREAD_LOG     /* logarithmic: only positive numbers are in view */
} hsp_spread;

typedef struct hsp_range {
    double lo, hi;
    hsp_spread spread;
} hsp_range;

typedef struct hsp_panel {
    /* set by the caller, texts borrowed */
    const char *title;           /* over the panel, or NULL */
    const char *x_name, *y_name; /* or NULL */
    hsp_range x_range, y_range;
    bool x_whole, y_whole; /* counts: no ticks between whole numbers */
    bool square;           /* x and y have the same length on the sheet (ROC) */
    bool no_y_ticks;       /* neither ticks nor labels on y */
    bool noted;            /* the caller draws the notes (hsp_axis_note), once for several panels */
    bool grid;             /* faint lines at the ticks of y */
    double right;          /* width kept free right of the frame, for the names of curves */
    /* set by hsp_panel_lay_out */
    hsp_axis x, y;
    hsp_area frame; /* where the data are */
    hsp_area outer; /* all that the panel takes */
} hsp_panel;

/* The range of those of n numbers that are finite (and for LOG positive); if there are none the axis goes from 0 to 1. */
hsp_range hsp_range_of(const double *v, int64_t n, hsp_spread spread);
/* The least range that contains both; its kind is that of a. */
hsp_range hsp_range_join(hsp_range a, hsp_range b);

/* Divides `outer` among title, names, tick labels and the frame of the data, and chooses ticks that fit. */
void hsp_panel_lay_out(hsp_panel *p, hsp_canvas *c, hsp_area outer);
/* The same with one unit for both axes, so that right angles look right. A frame that is too wide shows more of x; one that
 * is too tall shows a little more of y and is shortened for the rest. false: the ranges differ so much that most of the frame
 * would be empty, and the units differ. */
bool hsp_panel_lay_out_alike(hsp_panel *p, hsp_canvas *c, hsp_area outer);
/* Draws title, axes, ticks, names and grid. */
void hsp_panel_axes(const hsp_panel *p, hsp_canvas *c);
/* Data coordinates to the sheet: finite for all x and y, far outside the frame for what is out of view. */
hsp_place2 hsp_panel_place(const hsp_panel *p, double x, double y);
double hsp_panel_x(const hsp_panel *p, double x);
double hsp_panel_y(const hsp_panel *p, double y);
/* Whether a point of the sheet is in the frame, to within a pixel. */
bool hsp_panel_holds(const hsp_panel *p, hsp_place2 at);

#endif
