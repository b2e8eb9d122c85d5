#include "plot/part/class_bars.h"

#include "plot/draw/numeral.h"
#include "plot/draw/picture_bytes.h"
#include "plot/part/curve.h"

#include <math.h>
#include <stdio.h>

int hsp_class_bars_take(const hsp_chart_input *in, hsp_class_bars *b, hsp_error **err) {
    const hsp_report *s = in->study[0];
    int64_t groups = 0, edges = 0;
    int status = HSP_CHART_ARRAYS(s, err, {"edges", &b->edge, &edges}, {"counts", &b->count, &groups});
    if (status != HSP_OK || groups != 2) return hsp_fail(err, HSP_EUSAGE, "only two classes share a line");
    b->bins = edges - 1;
    b->threshold = hsp_report_number(s, "threshold");
    b->positive = hsp_model_positive(in->model[0]);
    b->whole = !(hsp_report_number(s, "weighted") > 0);
    b->y_name = b->whole ? "rows" : "weight of the rows";
    for (int k = 0; k < 2; k++) b->name[k] = b->key[k] = hsp_model_class_name(in->model[0], k);
    return HSP_OK;
}

void hsp_class_bars_beyond(const hsp_report *s, char *out) {
    double beyond = hsp_report_number(s, "below") + hsp_report_number(s, "above");
    char count[HSP_NUMERAL];
    out[0] = 0;
    if (!(beyond > 0)) return;
    snprintf(out, HSP_SHORT, "; %s outside the axis %s in the outermost bars", hsp_sentence_count(beyond, count),
             beyond == 1 ? "is" : "are");
}

/* The class that is predicted left of the threshold (side 0) or right of it (side 1). out: HSP_SHORT + 32 bytes. */
static void write_side(const hsp_class_bars *b, int side, char *out) {
    char name[HSP_SHORT];
    snprintf(out, HSP_SHORT + 32, side == 1 ? "predicted %s \xE2\x86\x92" : "\xE2\x86\x90 predicted %s",
             hsp_sentence_name(b->name[side == 1 ? b->positive : 1 - b->positive], name));
}

static const double beside = 8;

/* The width for the words of a side: all of them, but at most a third of the frame; a longer name is shortened. */
static double side_width(const hsp_class_bars *b, hsp_canvas *c, const hsp_panel *p, int side) {
    const hsp_font font = {hsp_canvas_style(c)->small, 400, 0};
    char text[HSP_SHORT + 32];
    write_side(b, side, text);
    return fmin(hsp_canvas_measure(c, text, &font, 0) + beside + 1, p->frame.w / 3);
}

/* Widens the range of x until the words on both sides of the threshold fit. */
static void widen_for_words(const hsp_class_bars *b, hsp_canvas *c, hsp_panel *p, hsp_area f) {
    double lo = (double)p->x.lo, hi = (double)p->x.hi, t = b->threshold;
    double left = side_width(b, c, p, 0) / p->frame.w, right = side_width(b, c, p, 1) / p->frame.w;
    if (!(t >= lo && t <= hi) || left + right > 0.9) return;
    double lower = fmin(lo, t - (hi - t) * left / (1 - left)), wider = fmax(hi, t + (t - lo) * right / (1 - right));
    if (!(isfinite(wider - lower)) || (wider <= hi && lower >= lo)) return;
    p->x_range = (hsp_range){lower, wider, HSP_SPREAD_EXACT};
    hsp_panel_lay_out(p, c, f);
}

/* The threshold, and the class that is predicted on either side of it. */
static void draw_threshold(const hsp_class_bars *b, const hsp_panel *p, hsp_canvas *c) {
    const hsp_style *s = hsp_canvas_style(c);
    const hsp_font font = {s->small, 400, s->quiet};
    double x = hsp_panel_x(p, b->threshold), left = p->frame.x, right = left + p->frame.w, y = p->frame.y - 7;
    char text[HSP_SHORT + 32];
    if (x >= left && x <= right) {
        hsp_place2 line[] = {{x, p->frame.y - 16}, {x, p->frame.y + p->frame.h}};
        hsp_canvas_line(c, line, 2, &(hsp_pen){s->ink, 1.6, 0, 1});
    }
    double least = hsp_canvas_measure(c, "\xE2\x86\x90 predicted \xE2\x80\xA6", &font, 0) + beside;
    write_side(b, 0, text);
    double room = fmin(x, right) - left;
    if (room >= least)
        hsp_canvas_text(c, text, &font, (hsp_place2){fmin(x, right) - beside, y}, HSP_ALIGN_RIGHT, room - beside);
    write_side(b, 1, text);
    room = right - fmax(x, left);
    if (room >= least)
        hsp_canvas_text(c, text, &font, (hsp_place2){fmax(x, left) + beside, y}, HSP_ALIGN_LEFT, room - beside);
}

int hsp_class_bars_one(const hsp_panel *p, hsp_canvas *c, const double *edge, const double *count, int64_t bins,
                       hsp_colour colour, double alpha) {
    int64_t first = 0, end = bins;
    while (first < end && count[first] == 0) first++;
    while (end > first && count[end - 1] == 0) end--;
    return first < end ? hsp_curve_bars(p, c, edge + first, count + first, end - first, colour, alpha) : HSP_OK;
}

int hsp_class_bars_draw(const hsp_class_bars *b, hsp_canvas *c, hsp_area f, hsp_panel *p) {
    const hsp_style *s = hsp_canvas_style(c);
    hsp_key_line key[2];
    double head = 1.6 * s->text, over = 1.8 * s->small;
    hsp_range heights = hsp_range_of(b->count, 2 * b->bins, HSP_SPREAD_ZERO);
    heights.hi *= 1 + b->headroom;
    *p = (hsp_panel){.x_name = b->x_name,
                     .y_name = b->y_name,
                     .x_range = {b->edge[0], b->edge[b->bins], HSP_SPREAD_PADDED},
                     .y_range = heights,
                     .y_whole = b->whole,
                     .grid = true};
    const hsp_area outer = {f.x, f.y + head + over, f.w, f.h - head - over};
    hsp_panel_lay_out(p, c, outer);
    widen_for_words(b, c, p, outer);
    hsp_panel_axes(p, c);
    bool brief = !hsp_key_row_fits(c, b->key, 2, p->frame.w); /* the names of the classes alone */
    for (int k = 0; k < 2; k++)
        key[k] = (hsp_key_line){brief ? b->name[k] : b->key[k], NULL, {hsp_style_class_colour(s, k), 2, 0, 1}};
    hsp_key_row(c, key, 2, p->frame.x, f.y + s->text, p->frame.w);
    int status = HSP_OK;
    for (int k = 0; k < 2 && status == HSP_OK; k++)
        status = hsp_class_bars_one(p, c, b->edge, b->count + k * b->bins, b->bins, hsp_style_class_colour(s, k), 0.4);
    draw_threshold(b, p, c);
    return status;
}
