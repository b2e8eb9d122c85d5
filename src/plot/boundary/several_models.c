/* Several models over the same points: their boundaries in one panel, or a panel for each. */
#include "plot/boundary/boundary.h"
#include "plot/draw/canvas.h"
#include "plot/draw/numeral.h"
#include "plot/draw/picture_bytes.h"
#include "plot/draw/style.h"
#include "plot/part/axis.h"
#include "plot/part/chart.h"
#include "plot/part/legend.h"
#include "plot/part/panel.h"
#include "plot/part/sentence.h"
#include "plot/part/sheet.h"

#include <stdio.h>
#include <string.h>

/* What is drawn of one of several models. */
typedef struct line_set {
    const char *name; /* borrowed */
    char note[HSP_VIEW_LINE];
    hsp_regions regions; /* owned */
    hsp_place2 *border;  /* owned */
    hsp_pen pen;
    double distance, level; /* of the nearest row, if all are correct: in the units of the features, and as a score */
    bool margins;           /* its margin is shown */
} line_set;

/* Strong colours first, without those of the classes. */
static hsp_colour model_colour(const hsp_style *s, int64_t classes, int64_t i) {
    static const int64_t order[] = {2, 5, 7, 3, 4, 6, 10, 13, 11, 12, 15, 14};
    for (size_t k = 0; k < sizeof order / sizeof order[0]; k++)
        if (order[k] >= classes && i-- == 0) return hsp_style_class_colour(s, order[k]);
    return s->ink;
}

static const double roomy = 640; /* width from which on the key has both figures of a model */

static bool margins_refused(const hsp_chart_input *in) {
    const char *asked = hsp_options_get(in->o, "margins");
    return asked && strcmp(asked, "no") == 0;
}

static void describe_lines(const hsp_chart_input *in, const hsp_style *style, const hsp_slice *s, int64_t i, line_set *l) {
    static const double dash[] = {0, 7, 3, 12, 0, 7, 3, 12, 0};
    l->name = in->name[i];
    l->pen = (hsp_pen){model_colour(style, s->classes, i), 2.4, dash[i % 9], 1};
    hsp_caption_correct(s, l->note);
    l->distance = hsp_slice_distance(s, &l->level);
    l->margins = s->truth && s->correct == s->n && l->distance > 0 && !margins_refused(in);
    if (!l->margins) return;
    if (style->width < roomy) l->note[0] = 0; /* a model with a margin makes no mistake */
    hsp_sentence_add(l->note, l->note[0] ? ", margin " : "margin ");
    hsp_sentence_add_number(l->note, l->distance, 3);
}

/* ---- overlay ---- */

/* Whether the lines at the distance of the nearest point are drawn: for up to four models. The key has the margins of all. */
static bool draws_margin(const line_set *l, const hsp_slice *s, int64_t models) {
    return l->margins && s->exact && models <= 4;
}

static void describe_overlay(const hsp_chart_input *in, const hsp_slice *s, const line_set *l, char *first, char *second) {
    bool margins = false;
    hsp_caption_points(s, first);
    if (!s->truth) hsp_sentence_add(first, " without labels, coloured by the prediction of the first model");
    hsp_caption_plane(s, in->study[0], first);
    for (int64_t i = 0; i < in->models; i++) margins = margins || draws_margin(&l[i], s, in->models);
    hsp_sentence_add(second, margins
                                 ? "thin lines: margins of the boundaries without mistakes, through their nearest points"
                                 : "each line is the decision boundary of one model");
    hsp_caption_spread(s, second);
}

/* Two thin lines, at least one of which passes through the nearest point. */
static void draw_margin_lines(const hsp_view *v, const line_set *l) {
    const hsp_pen pen = {l->pen.colour, 1, 0, 0.8};
    hsp_place2 end[2];
    for (int side = -1; side <= 1; side += 2)
        if (hsp_view_level(v, side * l->level, end)) hsp_canvas_line(v->c, end, 2, &pen);
}

static void clear_lines(line_set *l, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        hsp_free(l[i].border);
        l[i].border = NULL;
        hsp_regions_clear(&l[i].regions);
    }
}

/* The boundaries over the panel as it is laid out, and their names. */
static int take_lines(const hsp_panel *panel, const hsp_style *style, const hsp_slice *s, line_set *l, int64_t n,
                      hsp_line_name *name) {
    clear_lines(l, n);
    for (int64_t i = 0; i < n; i++) {
        int status = hsp_regions_take(panel, &s[i], &l[i].regions);
        if (status == HSP_OK) l[i].border = hsp_regions_border(&l[i].regions, panel);
        if (!l[i].border) return HSP_EMEMORY;
        /* Text is thin: mix in some ink. */
        name[i] =
            (hsp_line_name){l[i].border, l[i].regions.borders, l[i].name, hsp_style_mix(l[i].pen.colour, style->ink, 0.35)};
    }
    return HSP_OK;
}

static int draw_lines(hsp_canvas *c, const hsp_panel *panel, const hsp_slice *s, const line_set *l, int64_t n) {
    bool on_top = s->n > 2000;
    int status = HSP_OK;
    hsp_canvas_clip(c, panel->frame);
    for (int turn = 0; turn < 2 && status == HSP_OK; turn++) {
        if ((turn == 0) == on_top) {
            status = hsp_view_points(&(hsp_view){c, panel, s}, false);
            continue;
        }
        for (int64_t i = 0; i < n; i++)
            if (draws_margin(&l[i], &s[i], n)) draw_margin_lines(&(hsp_view){c, panel, &s[i]}, &l[i]);
        for (int64_t i = 0; i < n; i++) {
            const hsp_pen paper = {hsp_canvas_style(c)->paper, l[i].pen.width + 2.4, 0, 1};
            if (on_top) hsp_regions_stroke(&l[i].regions, c, l[i].border, &paper);
            hsp_regions_stroke(&l[i].regions, c, l[i].border, &l[i].pen);
        }
    }
    hsp_canvas_unclip(c);
    return status;
}

/* Space for names is left at the right only if a line ends there. */
static int draw_panel_of_all(const hsp_slice *s, hsp_canvas *c, line_set *l, int64_t n, bool alike, hsp_area outer,
                             hsp_panel *panel) {
    hsp_line_name name[HSP_VIEW_MODELS];
    const char *text[HSP_VIEW_MODELS];
    int status = HSP_OK;
    for (int64_t i = 0; i < n; i++) text[i] = l[i].name;
    for (int turn = 0; status == HSP_OK && turn < 2; turn++) {
        hsp_view_axes(s, panel);
        hsp_view_lay_out(s, panel, c, outer, alike);
        status = take_lines(panel, hsp_canvas_style(c), s, l, n, name);
        if (status != HSP_OK || turn > 0 || !hsp_line_names_right(name, n, panel->frame)) break;
        panel->right = hsp_line_names_width(c, text, n, 130);
    }
    if (status == HSP_OK) status = draw_lines(c, panel, s, l, n);
    return status == HSP_OK ? hsp_line_names_draw(c, name, n, panel->frame, panel->right) : status;
}

/* Whether the key can say for all models which scores are positive. */
static bool same_threshold(const hsp_slice *s, int64_t models) {
    for (int64_t i = 1; i < models; i++)
        if (hsp_slice_threshold(&s[i]) != hsp_slice_threshold(&s[0])) return false;
    return true;
}

int hsp_boundary_overlay(const hsp_chart_input *in, hsp_canvas *c, const hsp_slice *s) {
    const hsp_style *style = hsp_canvas_style(c);
    line_set *l = hsp_alloc_zero(in->models, sizeof *l);
    if (!l) return HSP_EMEMORY;
    hsp_legend_item item[HSP_VIEW_MODELS];
    hsp_panel panel = {0};
    bool alike = false;
    for (int64_t i = 0; i < in->models; i++) {
        describe_lines(in, style, &s[i], i, &l[i]);
        item[i] =
            (hsp_legend_item){.pen = l[i].pen, .name = true, .text = l[i].name, .note = l[i].note[0] ? l[i].note : NULL};
        alike = alike || draws_margin(&l[i], &s[i], in->models);
    }
    char first[HSP_VIEW_LINE] = "", second[HSP_VIEW_LINE] = "";
    describe_overlay(in, s, l, first, second);
    hsp_area left = hsp_sheet_head(c, hsp_chart_title(in, "Decision boundaries"), first, second);
    hsp_legend legend = {.rows = s->n,
                         .classes = s->classes,
                         .class_name = s->class_name,
                         .positive = same_threshold(s, in->models) ? s->positive : -1,
                         .threshold = hsp_slice_threshold(s),
                         .items = in->models,
                         .item = item};
    double key = hsp_legend_room(&legend, c, 210), above = hsp_line_names_above(c), lane = hsp_view_lane_width(s, c);
    hsp_area outer = {left.x + lane, left.y + above, left.w - lane - key, left.h - above};
    int status = draw_panel_of_all(s, c, l, in->models, alike, outer, &panel);
    hsp_view_draw_axes(&(hsp_view){c, &panel, s});
    hsp_legend_draw(&legend, c, left, panel.frame.y, key);
    clear_lines(l, in->models);
    hsp_free(l);
    return status;
}

/* ---- panels ---- */

/* What the panels have in common. */
typedef struct panel_grid {
    hsp_area area;
    int rows, columns;
    bool alike;
    hsp_panel model; /* the layout of each */
} panel_grid;

static hsp_area cell_of(const panel_grid *g, const hsp_slice *s, hsp_canvas *c, int i) {
    hsp_area cell = hsp_sheet_cell(g->area, g->rows, g->columns, 22, i);
    double lane = hsp_view_lane_width(s, c), above = g->alike ? hsp_line_names_above(c) : 0;
    return (hsp_area){cell.x + lane, cell.y + above, cell.w - lane, cell.h - above};
}

/* "svm . all correct, margin 0.3"; narrow: without the margin. */
static void title_of(const hsp_chart_input *in, const hsp_slice *s, int i, bool narrow, char *title) {
    char correct[HSP_VIEW_LINE] = "";
    double level, distance = hsp_slice_distance(s, &level);
    snprintf(title, HSP_VIEW_LINE, "%s", in->name[i]);
    hsp_caption_correct(s, correct);
    if (!correct[0]) return;
    hsp_sentence_format(title, " \xC2\xB7 %s", correct);
    if (narrow || s->correct < s->n || !(distance > 0) || margins_refused(in)) return;
    hsp_sentence_add(title, ", margin ");
    hsp_sentence_add_number(title, distance, 3);
}

/* Without the names of the axes, which are drawn once for all panels. */
static int draw_panel(const hsp_chart_input *in, hsp_canvas *c, const hsp_slice *s, const panel_grid *g, int i) {
    char title[HSP_VIEW_LINE] = "";
    hsp_panel panel = g->model;
    hsp_regions regions;
    bool margins = hsp_boundary_margins(in, s);
    hsp_area cell = cell_of(g, s, c, i);
    title_of(in, s, i, false, title);
    const hsp_font head = {hsp_canvas_style(c)->text, 600, 0};
    if (hsp_canvas_measure(c, title, &head, 0) > cell.w) title_of(in, s, i, true, title);
    panel.title = title;
    cell.h = g->model.outer.h;
    hsp_panel_lay_out(&panel, c, cell);
    if (g->alike) panel.outer.y -= hsp_line_names_above(c); /* the title is above the names of lines */
    int status = hsp_regions_take(&panel, s, &regions);
    const hsp_view v = {c, &panel, s};
    if (status == HSP_OK) status = hsp_boundary_fill_view(&v, &regions, margins);
    hsp_regions_clear(&regions);
    hsp_view_draw_axes(&v);
    return status;
}

/* The layout that all panels share, with space for the names of margin lines if one of them needs it. */
static void lay_out_model(const hsp_chart_input *in, hsp_canvas *c, const hsp_slice *s, panel_grid *g) {
    hsp_area cell = cell_of(g, s, c, 0);
    double right = 0;
    for (int64_t i = 0; g->alike && i < in->models && right == 0; i++) {
        hsp_panel tried = {.title = ""};
        hsp_boundary_lay_out(&s[i], &tried, c, cell, hsp_boundary_margins(in, &s[i]));
        right = tried.right;
    }
    g->model = (hsp_panel){.right = right};
    hsp_view_axes(s, &g->model);
    g->model.title = "";
    g->model.x_name = g->model.y_name = NULL;
    g->model.noted = true;
    hsp_view_lay_out(s, &g->model, c, cell, g->alike);
}

/* The name of an axis and what its labels leave out. */
static void axis_name(const hsp_slice *s, int a, const hsp_axis *axis, char *line) {
    char note[3 * HSP_NUMERAL];
    line[0] = 0;
    hsp_axis_note(axis, note);
    hsp_sentence_format(line, "%s%s", hsp_caption_axis(s, a), note);
}

/* The names of the axes, once: below the last row and left of all panels. */
static void draw_axis_names(hsp_canvas *c, const hsp_slice *s, const panel_grid *g) {
    const hsp_style *style = hsp_canvas_style(c);
    const hsp_font font = {style->text, 500, style->ink};
    char name[HSP_VIEW_LINE];
    hsp_area first = cell_of(g, s, c, 0), last = cell_of(g, s, c, (g->rows - 1) * g->columns);
    double bottom = last.y + g->model.outer.h, top = first.y;
    axis_name(s, 0, &g->model.x, name);
    hsp_canvas_text(c, name, &font, (hsp_place2){g->area.x + g->area.w / 2, bottom + 10 + 0.75 * style->text},
                    HSP_ALIGN_CENTRE, g->area.w);
    if (s->dimensions == 1) return;
    axis_name(s, 1, &g->model.y, name);
    hsp_canvas_text_up(c, name, &font, (hsp_place2){g->area.x - 24 + 0.8 * style->text, (top + bottom) / 2}, bottom - top);
}

int hsp_boundary_panels(const hsp_chart_input *in, hsp_canvas *c, const hsp_slice *s) {
    char first[HSP_VIEW_LINE] = "", text[2 * HSP_VIEW_LINE];
    hsp_legend_item item[2];
    hsp_supports supports = {0};
    panel_grid g = {0};
    hsp_legend legend = {.rows = s->n,
                         .classes = s->classes,
                         .class_name = s->class_name,
                         .positive = same_threshold(s, in->models) ? s->positive : -1,
                         .threshold = hsp_slice_threshold(s),
                         .boundary = true,
                         .item = item};
    for (int64_t i = 0; i < in->models; i++) {
        bool margins = hsp_boundary_margins(in, &s[i]);
        hsp_supports found = margins ? hsp_view_count_supports(&s[i]) : (hsp_supports){0};
        supports.on += found.on;
        supports.bound += found.bound;
        g.alike = g.alike || (margins && s[i].exact && !s[i].regions);
        if (s[i].truth && s[i].correct < s[i].n) legend.wrong = -1;
    }
    hsp_caption_points(s, first);
    hsp_caption_plane(s, in->study[0], first);
    hsp_caption_spread(s, first);
    hsp_area left = hsp_sheet_head(c, hsp_chart_title(in, "Decision boundaries"), first, "");
    legend.items = hsp_boundary_support_items(hsp_canvas_style(c), supports, (const bool[]){true, true}, text, item);
    for (int64_t i = 0; i < legend.items; i++) /* for all panels together: without numbers */
        item[i].text = i == 0 && supports.on > 0 ? "on the margin" : "inside the margin (bound)";
    double key = hsp_legend_room(&legend, c, 180), names = s->dimensions > 1 ? 24 : 0;
    g.area = (hsp_area){left.x + names, left.y, left.w - key - names, left.h - 24};
    hsp_sheet_grid(g.area, (int)in->models, 1.15, &g.rows, &g.columns);
    if (in->models == 4) g.rows = g.columns = 2;
    if (in->models > 4) {
        g.columns = 3;
        g.rows = (int)(in->models + 2) / 3;
    }
    lay_out_model(in, c, s, &g);
    int status = HSP_OK;
    for (int i = 0; status == HSP_OK && i < in->models; i++) status = draw_panel(in, c, &s[i], &g, i);
    draw_axis_names(c, s, &g);
    hsp_legend_draw(&legend, c, left, left.y, key);
    return status;
}
