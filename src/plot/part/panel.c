#include "plot/part/panel.h"

#include "plot/draw/numeral.h"
#include "plot/draw/style.h"

#include <math.h>

enum { BESIDE = 8, BETWEEN = 10 }; /* gaps: axis to labels, labels to name */

/* ---- ranges ---- */

hsp_range hsp_range_of(const double *v, int64_t n, hsp_spread spread) {
    double lo = INFINITY, hi = -INFINITY;
    for (int64_t i = 0; i < n; i++) {
        if (!isfinite(v[i]) || (spread == HSP_SPREAD_LOG && v[i] <= 0)) continue;
        lo = fmin(lo, v[i]);
        hi = fmax(hi, v[i]);
    }
    return (hsp_range){lo, hi, spread};
}

hsp_range hsp_range_join(hsp_range a, hsp_range b) {
    return (hsp_range){fmin(a.lo, b.lo), fmax(a.hi, b.hi), a.spread};
}

static void fit_axis(hsp_axis *a, hsp_range r, int most) {
    if (!(r.lo <= r.hi)) r.lo = r.spread == HSP_SPREAD_LOG ? 0.1 : 0, r.hi = 1;
    switch (r.spread) {
    case HSP_SPREAD_LOG:
        hsp_axis_fit_log(a, r.lo, r.hi, most);
        return;
    case HSP_SPREAD_EXACT:
        if (r.lo < r.hi) {
            hsp_axis_fit_exact(a, r.lo, r.hi, most);
            return;
        }
        break;
    case HSP_SPREAD_ZERO:
        hsp_axis_fit_exact(a, 0, r.hi > 0 ? r.hi * 1.06 : 1, most);
        return;
    case HSP_SPREAD_PADDED:
        break;
    }
    hsp_axis_fit(a, r.lo, r.hi, most);
}

/* ---- layout ---- */

static hsp_font tick_font(const hsp_canvas *c) {
    const hsp_style *s = hsp_canvas_style(c);
    return (hsp_font){s->small, 400, s->quiet};
}

/* As many ticks as fit with their labels. */
static void fit_x(hsp_panel *p, hsp_canvas *c, const hsp_font *small) {
    double label = 0;
    for (int most = (int)(p->frame.w / 62);; most--) {
        fit_axis(&p->x, p->x_range, most);
        if (p->x_whole) hsp_axis_keep_whole(&p->x);
        label = hsp_axis_label_width(&p->x, c, small);
        if (most <= 4 || p->x.count < 2) break;
        double gap = p->frame.w * (hsp_axis_tick_place(&p->x, 1) - hsp_axis_tick_place(&p->x, 0));
        if (label + 14 <= gap) return;
    }
    hsp_axis_thin(&p->x, p->frame.w, label + 6);
}

static void fit_y(hsp_panel *p, const hsp_font *small) {
    fit_axis(&p->y, p->y_range, (int)(p->frame.h / 44));
    if (p->y_whole) hsp_axis_keep_whole(&p->y);
    hsp_axis_thin(&p->y, p->frame.h, 1.25 * small->size);
}

/* Whether an axis without a name has a note (what its labels leave out), which then needs a place of its own. */
static bool has_loose_note(const hsp_panel *p, const hsp_axis *a, const char *name, char *note) {
    hsp_axis_note(a, note);
    return note[0] && !name && !p->noted;
}

static void lay_out_once(hsp_panel *p, hsp_canvas *c, hsp_area outer) {
    const hsp_style *s = hsp_canvas_style(c);
    const hsp_font small = tick_font(c);
    /* Above the frame: the title, or the note of y. */
    double top = p->title || (!p->y_name && !p->no_y_ticks) ? 1.7 * s->text : 0.5 * s->small;
    char note[3 * HSP_NUMERAL];
    bool named = p->x_name || has_loose_note(p, &p->x, NULL, note);
    double below = BESIDE + s->small + 4 + (named ? BETWEEN + s->text : 0);
    p->outer = outer;
    p->frame.y = outer.y + top;
    p->frame.h = fmax(20, outer.h - top - below);
    fit_y(p, &small);
    double labels = p->no_y_ticks ? 0 : BESIDE + hsp_axis_label_width(&p->y, c, &small);
    double left = labels + (p->y_name ? BETWEEN + s->text : 0);
    p->frame.x = outer.x + left;
    p->frame.w = fmax(20, outer.w - left - p->right);
    if (p->square) {
        double side = fmin(p->frame.w, p->frame.h);
        p->frame.w = p->frame.h = side;
        fit_y(p, &small); /* fewer, and no wider, labels */
    }
    fit_x(p, c, &small);
    /* Half of the last label of x may lie beyond the frame. */
    double beyond = hsp_axis_label_width(&p->x, c, &small) / 2 - p->right;
    if (beyond > 0 && !p->square) {
        p->frame.w -= beyond;
        fit_x(p, c, &small);
    }
}

void hsp_panel_lay_out(hsp_panel *p, hsp_canvas *c, hsp_area outer) {
    char note[3 * HSP_NUMERAL];
    p->x = (hsp_axis){0};
    lay_out_once(p, c, outer);
    if (has_loose_note(p, &p->x, p->x_name, note)) lay_out_once(p, c, outer); /* it takes a line */
}

static void widen(hsp_range *r, const hsp_axis *a, double factor) {
    double middle = (double)((a->lo + a->hi) / 2), half = (double)((a->hi - a->lo) / 2) * factor;
    *r = (hsp_range){middle - half, middle + half, HSP_SPREAD_EXACT};
}

bool hsp_panel_lay_out_alike(hsp_panel *p, hsp_canvas *c, hsp_area outer) {
    const double most = 1.25;
    hsp_panel_lay_out(p, c, outer);
    for (int turn = 0; turn < 3; turn++) { /* again, as labels change the frame a little */
        double ux = (double)(p->x.hi - p->x.lo) / p->frame.w, uy = (double)(p->y.hi - p->y.lo) / p->frame.h;
        if (!isfinite(ux) || !isfinite(uy) || !(ux < 3 * uy && uy < 4 * ux)) return false;
        double tall = ux / uy;
        if (tall > most) {
            outer.h -= p->frame.h * (1 - most / tall);
            tall = most;
        }
        if (ux < uy)
            widen(&p->x_range, &p->x, uy / ux);
        else
            widen(&p->y_range, &p->y, tall);
        if (!(p->x_range.lo < p->x_range.hi) || !(p->y_range.lo < p->y_range.hi)) return false;
        hsp_panel_lay_out(p, c, outer);
    }
    return true;
}

/* The middle of a text of this length: that of the frame, or as near to it as the panel allows. */
static double middle_of(double from, double length, double outer_from, double outer_length, double text) {
    double middle = from + length / 2, least = outer_from + text / 2, most = outer_from + outer_length - text / 2;
    return least > most ? outer_from + outer_length / 2 : fmax(least, fmin(middle, most));
}

/* The name along its axis, followed by the note. If space is short the name is shortened, or left out if hardly a letter
 * would remain. */
static void draw_name(const hsp_panel *p, hsp_canvas *c, bool up, const char *name, double beside) {
    const hsp_style *s = hsp_canvas_style(c);
    const hsp_font font = {s->text, 500, s->ink}, plain = {s->text, 400, s->quiet};
    char note[3 * HSP_NUMERAL];
    hsp_axis_note(up ? &p->y : &p->x, note);
    double room = up ? p->outer.h : p->outer.w, noted = note[0] ? hsp_canvas_measure(c, note, &plain, 0) : 0;
    if (p->noted) note[0] = 0, noted = 0;
    double named = hsp_canvas_measure(c, name, &font, fmax(1, room - noted));
    if (named > room - noted || (hsp_canvas_measure(c, name, &font, 0) > named + 0.5 && named < 4 * s->text))
        name = "", named = 0;
    if (up) {
        double y = middle_of(p->frame.y, p->frame.h, p->outer.y, p->outer.h, named + noted);
        hsp_canvas_text_up(c, name, &font, (hsp_place2){beside, y + noted / 2}, fmax(1, room - noted));
        hsp_canvas_text_up(c, note, &plain, (hsp_place2){beside, y - named / 2}, 0);
    } else {
        double x = middle_of(p->frame.x, p->frame.w, p->outer.x, p->outer.w, named + noted);
        hsp_canvas_text(c, name, &font, (hsp_place2){x - noted / 2, beside}, HSP_ALIGN_CENTRE, fmax(1, room - noted));
        hsp_canvas_text(c, note, &plain, (hsp_place2){x + named / 2, beside}, HSP_ALIGN_CENTRE, 0);
    }
}

/* The title, followed by the note of y, which is never shortened. */
static void draw_title(const hsp_panel *p, hsp_canvas *c) {
    const hsp_style *s = hsp_canvas_style(c);
    const hsp_font head = {s->text, 600, s->ink}, plain = {s->text, 400, s->quiet};
    hsp_place2 at = {p->frame.x, p->outer.y + 0.8 * s->text};
    double room = p->outer.x + p->outer.w - at.x;
    char note[3 * HSP_NUMERAL];
    bool noted = !p->no_y_ticks && has_loose_note(p, &p->y, p->y_name, note);
    if (noted) room -= hsp_canvas_measure(c, note, &plain, 0);
    if (p->title) at.x += hsp_canvas_text(c, p->title, &head, at, HSP_ALIGN_LEFT, fmax(1, room));
    if (noted) hsp_canvas_text(c, note, &plain, at, HSP_ALIGN_LEFT, 0);
}

void hsp_panel_axes(const hsp_panel *p, hsp_canvas *c) {
    const hsp_style *s = hsp_canvas_style(c);
    const hsp_font small = tick_font(c);
    char note[3 * HSP_NUMERAL];
    hsp_area f = p->frame;
    if (p->grid) {
        hsp_place2 line[2 * HSP_AXIS_TICKS];
        for (int i = 0; i < p->y.count; i++) {
            double y = f.y + f.h * (1 - hsp_axis_tick_place(&p->y, i));
            line[2 * i] = (hsp_place2){f.x, y};
            line[2 * i + 1] = (hsp_place2){f.x + f.w, y};
        }
        hsp_canvas_segments(c, line, p->y.count, s->grid, 1);
    }
    hsp_axis_draw_x(&p->x, c, f, &small);
    if (!p->no_y_ticks) hsp_axis_draw_y(&p->y, c, f, &small);
    double below = f.y + f.h + BESIDE + s->small + 4 + BETWEEN + 0.75 * s->text;
    if (p->x_name || has_loose_note(p, &p->x, p->x_name, note)) draw_name(p, c, false, p->x_name ? p->x_name : "", below);
    if (p->y_name) draw_name(p, c, true, p->y_name, p->outer.x + 0.8 * s->text);
    draw_title(p, c);
}

/* ---- places ---- */

/* Within what Cairo can represent; NaN becomes far below. */
static double limited(double share) {
    return share > 100 ? 100 : share > -100 ? share : -100;
}

double hsp_panel_x(const hsp_panel *p, double x) {
    return p->frame.x + p->frame.w * limited(hsp_axis_place(&p->x, x));
}

double hsp_panel_y(const hsp_panel *p, double y) {
    return p->frame.y + p->frame.h * (1 - limited(hsp_axis_place(&p->y, y)));
}

hsp_place2 hsp_panel_place(const hsp_panel *p, double x, double y) {
    return (hsp_place2){hsp_panel_x(p, x), hsp_panel_y(p, y)};
}

bool hsp_panel_holds(const hsp_panel *p, hsp_place2 at) {
    hsp_area f = p->frame;
    return at.x >= f.x - 1 && at.x <= f.x + f.w + 1 && at.y >= f.y - 1 && at.y <= f.y + f.h + 1;
}
