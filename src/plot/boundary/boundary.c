/* The chart `boundary`: the points, coloured by class; the tinted region of each class; the boundary between them; for models
 * with a margin the lines g = +-1 and the support vectors. */
#include "plot/boundary/boundary.h"

#include "plot/draw/numeral.h"
#include "plot/draw/picture_bytes.h"
#include "plot/part/sheet.h"

#include <math.h>
#include <string.h>

bool hsp_boundary_margins(const hsp_chart_input *in, const hsp_slice *s) {
    const char *asked = hsp_options_get(in->o, "margins");
    if (s->positive < 0 || !s->truth) return false;
    if (asked && strcmp(asked, "yes") == 0) return true;
    return s->margin_model && !(asked && strcmp(asked, "no") == 0);
}

/* ---- one view ---- */

static const double least_named = 130; /* width from which on the lines of a panel have names */

/* The ends of the lines g = +-1 in view, on the sheet, and their names; returns their number. There are none if g depends on
 * features that the plane does not show. */
static int64_t margin_lines(const hsp_view *v, hsp_place2 (*end)[2], hsp_line_name *name) {
    static const char *const text[] = {"g = 1", "g = \xE2\x88\x92"
                                                "1"};
    int64_t lines = 0;
    for (int side = 0; v->s->exact && !v->s->regions && side < 2; side++) {
        if (!hsp_view_level(v, side == 0 ? 1 : -1, end[lines])) continue;
        name[lines] = (hsp_line_name){end[lines], 1, text[side], hsp_canvas_style(v->c)->ink};
        lines++;
    }
    return lines;
}

/* Lines so close together that they share a name. */
static bool side_by_side(hsp_place2 (*end)[2]) {
    hsp_place2 a = end[0][0], b = end[0][1], q = end[1][0];
    double length = hypot(b.x - a.x, b.y - a.y);
    return fabs((b.x - a.x) * (q.y - a.y) - (b.y - a.y) * (q.x - a.x)) < 30 * length;
}

static int draw_margins(const hsp_view *v) {
    const hsp_pen pen = {hsp_canvas_style(v->c)->ink, 1.4, 5, 0.85};
    hsp_place2 end[2][2];
    hsp_line_name name[2];
    int64_t lines = margin_lines(v, end, name);
    hsp_canvas_clip(v->c, v->panel->frame);
    for (int64_t i = 0; i < lines; i++) hsp_canvas_line(v->c, end[i], 2, &pen);
    hsp_canvas_unclip(v->c);
    if (v->panel->frame.w < least_named) lines = 0; /* names would hide the lines */
    if (lines == 2 && side_by_side(end)) {
        name[0].text = "g = \xC2\xB1"
                       "1";
        lines = 1;
    }
    return hsp_line_names_draw(v->c, name, lines, v->panel->frame, v->panel->right);
}

/* Straight sides as one path, curved ones line by line. */
static void draw_border(const hsp_view *v, const hsp_regions *r, const hsp_place2 *border, hsp_colour colour, double width) {
    if (r->curved)
        hsp_regions_stroke(r, v->c, border, &(hsp_pen){.colour = colour, .width = width});
    else
        hsp_canvas_segments(v->c, border, r->borders, colour, width);
}

/* The boundary is drawn under few points, to hide none, but on top of many, which would hide it; there it has a casing of
 * paper. */
int hsp_boundary_fill_view(const hsp_view *v, const hsp_regions *r, bool margins) {
    const hsp_style *style = hsp_canvas_style(v->c);
    bool on_top = v->s->n > 2000;
    hsp_place2 *border = hsp_regions_border(r, v->panel);
    if (!border) return HSP_EMEMORY;
    hsp_canvas_clip(v->c, v->panel->frame);
    int status = hsp_regions_fill(r, v);
    if (!on_top) draw_border(v, r, border, style->ink, 2);
    if (status == HSP_OK) status = hsp_view_points(v, true);
    if (on_top) {
        draw_border(v, r, border, style->paper, 4);
        draw_border(v, r, border, style->ink, 2);
    }
    if (margins) hsp_view_ring_supports(v);
    hsp_canvas_unclip(v->c);
    hsp_free(border);
    if (status == HSP_OK && margins) status = v->s->regions ? hsp_curved_margins(v) : draw_margins(v);
    return status;
}

/* ---- the key ---- */

int64_t hsp_boundary_support_items(const hsp_style *style, hsp_supports count, const bool ringed[2], char *room,
                                   hsp_legend_item *item) {
    int64_t items = 0;
    for (int kind = 0; kind < 2; kind++) {
        int64_t n = kind == 0 ? count.on : count.bound;
        char *line = room + kind * HSP_VIEW_LINE, number[HSP_NUMERAL];
        if (n == 0) continue;
        line[0] = 0;
        hsp_sentence_format(line, "%s %s", hsp_numeral_decimal(n, 0, number),
                            kind == 0 ? "on the margin" : "inside the margin (bound)");
        item[items++] = (hsp_legend_item){.sample = ringed[kind] ? HSP_SAMPLE_RING : HSP_SAMPLE_NONE,
                                          .pen = hsp_view_ring(style, kind == 0 ? HSP_SUPPORT_ON : HSP_SUPPORT_BOUND),
                                          .text = line};
    }
    return items;
}

/* ---- one model ---- */

typedef struct boundary_picture {
    hsp_panel panel;
    hsp_regions regions;
    hsp_legend legend;
    hsp_legend_item item[3];
    char text[2 * HSP_VIEW_LINE];
    bool margins;
} boundary_picture;

static void make_legend(boundary_picture *p, const hsp_slice *s, const hsp_style *style) {
    hsp_legend *l = &p->legend;
    const bool ringed[] = {hsp_view_can_ring(s, HSP_SUPPORT_ON), hsp_view_can_ring(s, HSP_SUPPORT_BOUND)};
    *l = (hsp_legend){.rows = s->n,
                      .classes = s->classes,
                      .class_name = s->class_name,
                      .positive = s->positive,
                      .threshold = hsp_slice_threshold(s),
                      .wrong = s->truth ? s->n - s->correct : 0,
                      .boundary = p->regions.borders > 0,
                      .item = p->item};
    if (!p->margins) return;
    l->items = hsp_boundary_support_items(style, hsp_view_count_supports(s), ringed, p->text, p->item);
}

static void draw_head(const hsp_chart_input *in, const hsp_slice *s, const boundary_picture *p, hsp_canvas *c,
                      hsp_area *left) {
    char first[HSP_VIEW_LINE] = "", second[HSP_VIEW_LINE] = "";
    hsp_caption_count(s, first);
    hsp_caption_plane(s, in->study[0], first);
    hsp_caption_equation(s, second);
    if (p->margins && s->norm > 0 && !s->scaled) {
        hsp_sentence_add(second, "  \xC2\xB7  margin 1/|w| = ");
        hsp_sentence_add_number(second, 1 / s->norm, 3);
    }
    hsp_caption_absence(s, &p->regions, second);
    hsp_caption_spread(s, second);
    *left = hsp_sheet_head(c, hsp_chart_title(in, "Decision boundary"), first, second);
}

void hsp_boundary_lay_out(const hsp_slice *s, hsp_panel *p, hsp_canvas *c, hsp_area outer, bool margins) {
    const hsp_view v = {c, p, s};
    hsp_place2 end[2][2];
    hsp_line_name name[2];
    const char *const widest[] = {"g = \xE2\x88\x92"
                                  "1"};
    for (int turn = 0; turn < 2; turn++) {
        hsp_view_axes(s, p);
        hsp_view_lay_out(s, p, c, outer, margins && s->exact && !s->regions);
        if (!margins || p->right > 0 || p->frame.w < least_named) return;
        int64_t lines = margin_lines(&v, end, name);
        if (!hsp_line_names_right(name, lines, p->frame)) return;
        p->right = hsp_line_names_width(c, widest, 1, 80);
    }
}

static int draw_one(const hsp_chart_input *in, hsp_canvas *c, const hsp_slice *s) {
    const hsp_style *style = hsp_canvas_style(c);
    boundary_picture p = {.margins = hsp_boundary_margins(in, s)};
    hsp_area left;
    /* First for the ranges of the axes, on which the words above the panel depend. */
    hsp_boundary_lay_out(s, &p.panel, c, (hsp_area){0, 0, style->width, style->height}, p.margins);
    int status = hsp_regions_take(&p.panel, s, &p.regions);
    if (status == HSP_OK) {
        draw_head(in, s, &p, c, &left);
        make_legend(&p, s, style);
        double key = hsp_legend_room(&p.legend, c, 210), lane = hsp_view_lane_width(s, c);
        double above = p.margins && s->exact ? hsp_line_names_above(c) : 0;
        hsp_area outer = {left.x + lane, left.y + above, left.w - lane - key, left.h - above};
        p.panel = (hsp_panel){0};
        hsp_boundary_lay_out(s, &p.panel, c, outer, p.margins);
        hsp_regions_clear(&p.regions);
        status = hsp_regions_take(&p.panel, s, &p.regions);
        const hsp_view v = {c, &p.panel, s};
        if (status == HSP_OK) status = hsp_boundary_fill_view(&v, &p.regions, p.margins);
        hsp_view_draw_axes(&v);
        hsp_legend_draw(&p.legend, c, left, p.panel.frame.y, key);
    }
    hsp_regions_clear(&p.regions);
    return status;
}

/* ---- the chart ---- */

/* By name, in the same order; by number if one has no names. */
static bool same_features(const hsp_model *a, const hsp_model *b) {
    int64_t d = hsp_model_features(a);
    if (hsp_model_features(b) != d) return false;
    for (int64_t j = 0; j < d; j++) {
        const char *x = hsp_model_feature_name(a, j), *y = hsp_model_feature_name(b, j);
        if (x && y && strcmp(x, y) != 0) return false;
    }
    return true;
}

/* Whether the study is that of curved boundaries. */
static bool is_traced(const hsp_report *study) {
    const char *kind = hsp_report_text(study, "kind");
    return kind && strcmp(kind, "regions") == 0;
}

/* Whether both pictures have the same axes. */
static bool same_axes(const hsp_report *a, const hsp_report *b) {
    for (int k = 0; k < 2; k++) {
        const char *x = hsp_report_text_at(a, "axes", k), *y = hsp_report_text_at(b, "axes", k);
        if ((x == NULL) != (y == NULL) || (x && strcmp(x, y) != 0)) return false;
    }
    return true;
}

/* Models that are not linear in the columns share the columns, whatever their features. */
static int check_columns(const hsp_chart_input *in, int64_t i, hsp_error **err) {
    if (hsp_model_classes(in->model[i]) < 2 && in->models > 1)
        return hsp_fail(err, HSP_EUSAGE, "a regression has no boundary: its curve is drawn only for a single model");
    if (!same_axes(in->study[0], in->study[i]))
        return hsp_fail(err, HSP_EINPUT, "'%.60s' and '%.60s' have different axes: choose two columns with --x and --y",
                        in->name[0], in->name[i]);
    return HSP_OK;
}

static int check_models(const hsp_chart_input *in, hsp_error **err) {
    const char *margins = hsp_options_get(in->o, "margins");
    if (in->models > HSP_VIEW_MODELS)
        return hsp_fail(err, HSP_EUSAGE, "too many models, at most %d fit in one picture: leave some out", HSP_VIEW_MODELS);
    for (int64_t i = 0; i < in->models; i++) {
        const hsp_model *m = in->model[i];
        bool regression = hsp_model_classes(m) < 2, curved = in->studies == in->models && is_traced(in->study[i]);
        if (curved) {
            int status = check_columns(in, i, err);
            if (status != HSP_OK) return status;
        } else if (regression && (in->models > 1 || hsp_model_features(m) > 1))
            return hsp_fail(err, HSP_EUSAGE,
                            "a regression has no boundary: its line is drawn only for a single model of one feature");
        if (margins && strcmp(margins, "yes") == 0 && !regression && hsp_model_classes(m) > 2)
            return hsp_fail(err, HSP_EUSAGE, "--margins yes needs two classes: leave it out");
        if (!curved && !same_features(in->model[0], m)) /* they share the axes */
            return hsp_fail(err, HSP_EINPUT, "'%.60s' and '%.60s' have different features: draw each separately",
                            in->name[0], in->name[i]);
    }
    return HSP_OK;
}

static int draw(const hsp_chart_input *in, hsp_canvas *c, hsp_error **err) {
    hsp_slice slice[HSP_VIEW_MODELS];
    const char *layout = hsp_options_get(in->o, "layout");
    int64_t taken = 0;
    int status = check_models(in, err);
    while (status == HSP_OK && taken < in->models) {
        const hsp_report *study = in->study[is_traced(in->study[0]) ? taken : 0];
        status = hsp_slice_take(in->model[taken], hsp_chart_data(in, taken), study, &slice[taken], err);
        taken++;
    }
    for (int64_t i = 0; status == HSP_OK && i < taken; i++) /* the same axes for all */
        for (int64_t k = 0; k < taken; k++) slice[i].origin = slice[i].origin || slice[k].origin;
    if (status == HSP_OK && slice[0].classes < 2)
        status = hsp_boundary_regression(in, c, slice, err);
    else if (status == HSP_OK && in->models == 1)
        status = draw_one(in, c, slice);
    else if (status == HSP_OK && layout && strcmp(layout, "panels") == 0)
        status = hsp_boundary_panels(in, c, slice);
    else if (status == HSP_OK)
        status = hsp_boundary_overlay(in, c, slice);
    for (int64_t i = 0; i < taken; i++) hsp_slice_clear(&slice[i]);
    return status;
}

const hsp_chart hsp_chart_boundary = {
    .name = "boundary",
    .help = "data points, class regions and decision boundary of one or more models, in one panel or a panel each",
    .takes = "MODEL... DATA",
    .study = "plane",
    .uses = "--x --y --plane --margins --layout",
    .first_only = true,
    .curved = "regions",
    .draw = draw,
};
