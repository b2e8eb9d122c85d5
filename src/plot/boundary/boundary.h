/* Parts of the chart `boundary`. A view is one panel and one model in it. */
#ifndef HSP_PLOT_BOUNDARY_BOUNDARY_H
#define HSP_PLOT_BOUNDARY_BOUNDARY_H

#include "halfspace.h"
#include "plot/boundary/halfplane.h"
#include "plot/boundary/slice.h"
#include "plot/draw/canvas.h"
#include "plot/draw/style.h"
#include "plot/part/chart.h"
#include "plot/part/legend.h"
#include "plot/part/panel.h"
#include "plot/part/sentence.h"

enum { HSP_VIEW_LINE = HSP_SENTENCE, HSP_VIEW_MODELS = 9 };
enum { HSP_VIEW_IMAGE = 4000 }; /* points from which on a cloud is an image in vector files too */

extern const hsp_chart hsp_chart_boundary;

/* Everything is borrowed. */
typedef struct hsp_view {
    hsp_canvas *c;
    const hsp_panel *panel;
    const hsp_slice *s;
} hsp_view;

/* ---- class_regions.c ---- */

/* The regions in which each class has the highest score, as polygons of the unit square (0, 0) - (1, 1) that the panel shows,
 * y upwards; and their common sides. */
typedef struct hsp_regions {
    hsp_place2 *corner; /* region r has corners begin[r] .. begin[r+1]-1; owned, as all arrays here */
    int64_t *begin;
    int32_t *owner;     /* class of region r */
    int64_t count;      /* classes with a region in view */
    hsp_place2 *border; /* 2 ends each */
    int64_t borders;
    /* Of a curved boundary: a class has many polygons, and the sides are also joined to lines. */
    bool curved;
    hsp_place2 *line;    /* line k has points line_begin[k] .. line_begin[k+1]-1 */
    int64_t *line_begin; /* lines + 1 */
    int64_t lines;
    int64_t corners, corner_capacity, border_capacity;
} hsp_regions;

/* By the scores of the slice (classes, score, order, dimensions; it uses nothing else) and the axes of the panel, which must
 * be laid out. 0 or HSP_EMEMORY; clear it in either case. */
int hsp_regions_take(const hsp_panel *p, const hsp_slice *s, hsp_regions *out);
/* The part of the unit square where class order[i] has a higher score than class order[j]; on a tie everywhere all of it for
 * the class that comes first. */
hsp_halfplane hsp_regions_advantage(const hsp_panel *p, const hsp_slice *s, int64_t i, int64_t j);
void hsp_regions_clear(hsp_regions *r);
/* A place of the unit square on the sheet. */
hsp_place2 hsp_regions_place(const hsp_panel *p, hsp_place2 unit);
int hsp_regions_fill(const hsp_regions *r, const hsp_view *v); /* 0 or HSP_EMEMORY */
/* The common sides on the sheet: 2 x borders points, the caller's to free; NULL: no memory. */
hsp_place2 *hsp_regions_border(const hsp_regions *r, const hsp_panel *p);
/* Draws the sides as lines; border: what hsp_regions_border returned. */
void hsp_regions_stroke(const hsp_regions *r, hsp_canvas *c, const hsp_place2 *border, const hsp_pen *pen);
/* The part in view of the line g = level, on the sheet; false: none. Two classes, linear. */
bool hsp_view_level(const hsp_view *v, double level, hsp_place2 *ends);

/* ---- curved_regions.c: of the study "regions" ---- */

/* The range of an axis. */
void hsp_curved_range(const hsp_slice *s, const char *name, hsp_range *out);
/* As hsp_regions_take and hsp_regions_fill. */
int hsp_curved_take(const hsp_panel *p, const hsp_slice *s, hsp_regions *out);
int hsp_curved_fill(const hsp_regions *r, const hsp_view *v);
/* The lines g = +-1 with their names. 0 or HSP_EMEMORY. */
int hsp_curved_margins(const hsp_view *v);

/* ---- class_points.c ---- */

/* Sets names and ranges of the panel. */
void hsp_view_axes(const hsp_slice *s, hsp_panel *p);
/* Lays the panel out; `alike`: with the same unit on both axes, unless that wastes too much space. */
void hsp_view_lay_out(const hsp_slice *s, hsp_panel *p, hsp_canvas *c, hsp_area outer, bool alike);
/* The axes of the panel; with one feature the names of the lanes too, for which the caller leaves hsp_view_lane_width at the
 * left. */
void hsp_view_draw_axes(const hsp_view *v);
double hsp_view_lane_width(const hsp_slice *s, hsp_canvas *c);
/* The points; `mark`: misclassified ones are highlighted. 0 or HSP_EMEMORY. */
int hsp_view_points(const hsp_view *v, bool mark);
/* The number of rows on and within the margin. */
typedef struct hsp_supports {
    int64_t on, bound;
} hsp_supports;
hsp_supports hsp_view_count_supports(const hsp_slice *s);
/* Rings around them; hsp_view_can_ring: they are few enough of a kind. */
void hsp_view_ring_supports(const hsp_view *v);
bool hsp_view_can_ring(const hsp_slice *s, hsp_support_mark kind);
hsp_pen hsp_view_ring(const hsp_style *s, hsp_support_mark kind);

/* ---- line_names.c ---- */

/* A name at the end of a line that crosses the frame. */
typedef struct hsp_line_name {
    const hsp_place2 *segment; /* 2 ends each, on the sheet; borrowed */
    int64_t segments;
    const char *text; /* borrowed */
    hsp_colour colour;
} hsp_line_name;

/* Draws n names where their lines leave the frame: right of it (`right` is the width left there), above it, or just within
 * its left edge. 0 or HSP_EMEMORY. */
int hsp_line_names_draw(hsp_canvas *c, const hsp_line_name *name, int64_t n, hsp_area f, double right);
/* Whether one of them would be drawn at the right. */
bool hsp_line_names_right(const hsp_line_name *name, int64_t n, hsp_area f);
double hsp_line_names_width(hsp_canvas *c, const char *const *text, int64_t n, double max);
/* The height that they need above a frame. */
double hsp_line_names_above(const hsp_canvas *c);

/* ---- captions.c: all append to `line`, which holds HSP_VIEW_LINE ---- */

/* The name of axis a; borrowed. */
const char *hsp_caption_axis(const hsp_slice *s, int a);
/* "60 points" */
void hsp_caption_points(const hsp_slice *s, char *line);
/* "60 points, 58 correct (96 %)" */
void hsp_caption_count(const hsp_slice *s, char *line);
/* "2 mistakes", or "all correct" */
void hsp_caption_correct(const hsp_slice *s, char *line);
/* What the plane is, unless its axes are all features. */
void hsp_caption_plane(const hsp_slice *s, const hsp_report *study, char *line);
/* That equal points were moved apart, if they were. */
void hsp_caption_spread(const hsp_slice *s, char *line);
/* g(x) = ..., or the rule that assigns the regions. */
void hsp_caption_equation(const hsp_slice *s, char *line);
/* That no boundary is in view, if none is. */
void hsp_caption_absence(const hsp_slice *s, const hsp_regions *r, char *line);

/* ---- several_models.c, regression_line.c ---- */

/* Whether the margins of the model are to be drawn. */
bool hsp_boundary_margins(const hsp_chart_input *in, const hsp_slice *s);
/* Lays out the panel of one model, with space at the right for the names of its margin lines if they end there, or if
 * p->right is set. */
void hsp_boundary_lay_out(const hsp_slice *s, hsp_panel *p, hsp_canvas *c, hsp_area outer, bool margins);
/* Draws everything of one model within its frame: regions, points, boundary, margins. r: its regions over the panel. 0 or
 * HSP_EMEMORY. */
int hsp_boundary_fill_view(const hsp_view *v, const hsp_regions *r, bool margins);
/* The lines of the key for support vectors, at most 2; returns their number. Their texts are in `room`, 2 x HSP_VIEW_LINE. */
int64_t hsp_boundary_support_items(const hsp_style *style, hsp_supports count, const bool ringed[2], char *room,
                                   hsp_legend_item *item);
/* Several models in one panel, or in a panel each; a slice for each model. 0 or HSP_EMEMORY. */
int hsp_boundary_overlay(const hsp_chart_input *in, hsp_canvas *c, const hsp_slice *s);
int hsp_boundary_panels(const hsp_chart_input *in, hsp_canvas *c, const hsp_slice *s);
/* Regression on one feature: the points and the line. HSP_EINPUT: the data have no targets. */
int hsp_boundary_regression(const hsp_chart_input *in, hsp_canvas *c, const hsp_slice *s, hsp_error **err);

#endif
