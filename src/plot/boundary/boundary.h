/* Parts of the chart `boundary`. A view is one panel and one model in it. */
#ifndef HSP_PLOT_BOUNDARY_BOUNDARY_H
#define HSP_PLOT_BOUNDARY_BOUNDARY_H

#include "halfspace.h"
#include "plot/boundary/slice.h"
#include "plot/draw/canvas.h"
#include "plot/draw/style.h"
#include "plot/part/chart.h"
#include "plot/part/legend.h"
#include "plot/part/panel.h"
#include "plot/part/sentence.h"

enum { HSP_VIEW_LINE = HSP_SENTENCE, HSP_VIEW_MODELS = 9 };

extern const hsp_chart hsp_chart_boundary;

typedef struct hsp_view {
    hsp_canvas *c;
    const hsp_panel *panel;
    const hsp_slice *s;
} hsp_view;

/* ---- class_regions.c ---- */

/* Where each class wins, as polygons of the unit square (0, 0) - (1, 1) that the panel shows, y upwards; and their common
 * sides. */
typedef struct hsp_regions {
    hsp_place2 *corner; /* region r has corners begin[r] .. begin[r+1]-1 */
    int64_t *begin;
    int32_t *owner;     /* class of region r */
    int64_t count;      /* classes with a region in view */
    hsp_place2 *border; /* 2 ends each */
    int64_t borders;
    int64_t corners, corner_capacity, border_capacity;
} hsp_regions;

/* By the axes of the panel, once they are fitted. Clear it in any case. */
int hsp_regions_take(const hsp_panel *p, const hsp_slice *s, hsp_regions *out, hsp_error **err);
void hsp_regions_clear(hsp_regions *r);
void hsp_regions_fill(const hsp_regions *r, const hsp_view *v);
/* The common sides on the sheet: 2 x borders places, to be freed; NULL: no memory. */
hsp_place2 *hsp_regions_border(const hsp_regions *r, const hsp_panel *p);
/* The part in view of the line g = level, on the sheet; false when there is none. Two classes. */
bool hsp_view_level(const hsp_view *v, double level, hsp_place2 *ends);

/* ---- class_points.c ---- */

/* The range of the axes, and how they are drawn. */
void hsp_view_axes(const hsp_slice *s, hsp_panel *p);
/* Lays the panel out; `alike`: with the same unit on both axes, where that does not waste the room. */
void hsp_view_lay_out(const hsp_slice *s, hsp_panel *p, hsp_canvas *c, hsp_area outer, bool alike);
/* The panel's axes; of one feature the names of the lanes, for which hsp_view_lane_width is kept free at the left. */
void hsp_view_draw_axes(const hsp_view *v);
double hsp_view_lane_width(const hsp_slice *s, hsp_canvas *c);
/* The points; `mark`: the misclassified stand out. */
int hsp_view_points(const hsp_view *v, bool mark, hsp_error **err);
/* Rows on and within the margin. */
typedef struct hsp_supports {
    int64_t on, bound;
} hsp_supports;
hsp_supports hsp_view_count_supports(const hsp_slice *s);
/* Rings around them, unless they are too many to be told apart. */
void hsp_view_ring_supports(const hsp_view *v);
bool hsp_view_can_ring(const hsp_slice *s, hsp_support_mark kind);
hsp_pen hsp_view_ring(const hsp_style *s, hsp_support_mark kind);

/* ---- line_names.c ---- */

/* A name at the end of a line that crosses the frame. */
typedef struct hsp_line_name {
    const hsp_place2 *segment; /* 2 ends each, on the sheet: borrowed */
    int64_t segments;
    const char *text;
    hsp_colour colour;
} hsp_line_name;

/* Draws n names where their lines leave the frame: right of it, above it, or just within its left edge. `right`: the room
 * there. 0 or HSP_EMEMORY. */
int hsp_line_names_draw(hsp_canvas *c, const hsp_line_name *name, int64_t n, hsp_area f, double right);
/* Whether one of them would stand at the right. */
bool hsp_line_names_right(const hsp_line_name *name, int64_t n, hsp_area f);
double hsp_line_names_width(hsp_canvas *c, const char *const *text, int64_t n, double max);
/* Room above a frame for them. */
double hsp_line_names_above(const hsp_canvas *c);

/* ---- captions.c; the buffers hold HSP_VIEW_LINE ---- */

const char *hsp_caption_axis(const hsp_slice *s, int a);
/* "60 points" */
void hsp_caption_points(const hsp_slice *s, char *line);
/* "60 points, 58 correct (96 %)" */
void hsp_caption_count(const hsp_slice *s, char *line);
/* "58 of 60 correct" */
void hsp_caption_correct(const hsp_slice *s, char *line);
/* What the plane is, when it is not just the features. */
void hsp_caption_plane(const hsp_slice *s, const hsp_study *study, char *line);
/* That points were moved apart, when they were. */
void hsp_caption_spread(const hsp_slice *s, char *line);
/* g(x) = ..., or how the regions are told apart. */
void hsp_caption_equation(const hsp_slice *s, char *line);
/* A boundary that is not there. */
void hsp_caption_absence(const hsp_slice *s, const hsp_regions *r, char *line);
/* What to call a model: a path less folders and ending. */
void hsp_caption_model(const char *name, char *line);

/* ---- several_models.c, regression_line.c ---- */

/* Whether the margins of the model are wanted. */
bool hsp_boundary_margins(const hsp_chart_input *in, const hsp_slice *s);
/* Lays out the panel of one model, with room at the right for the names of its margins when they are wanted and end there,
 * or when p->right is set. */
void hsp_boundary_lay_out(const hsp_slice *s, hsp_panel *p, hsp_canvas *c, hsp_area outer, bool margins);
/* Everything of one model within its frame: regions, points, boundary, margins. r: its regions over the panel. */
int hsp_boundary_fill_view(const hsp_view *v, const hsp_regions *r, bool margins, hsp_error **err);
/* The key's lines for what a view shows beside classes; at most 2, the texts in room (2 x HSP_VIEW_LINE). */
int64_t hsp_boundary_support_items(const hsp_style *style, hsp_supports count, const bool ringed[2], char *room,
                                   hsp_legend_item *item);
int hsp_boundary_overlay(const hsp_chart_input *in, hsp_canvas *c, const hsp_slice *s, hsp_error **err);
int hsp_boundary_panels(const hsp_chart_input *in, hsp_canvas *c, const hsp_slice *s, hsp_error **err);
/* One feature: the points and the line. */
int hsp_boundary_regression(const hsp_chart_input *in, hsp_canvas *c, const hsp_slice *s, hsp_error **err);

#endif
