#include "plot/chart/weight_view.h"
#include "plot/draw/canvas.h"
#include "plot/draw/numeral.h"
#include "plot/draw/picture_bytes.h"
#include "plot/draw/style.h"
#include "plot/part/chart.h"
#include "plot/part/sentence.h"
#include "plot/part/sheet.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PANELS = 12, BARS = 200 };

/* ---- choosing ---- */

typedef struct sized {
    int64_t output;
    double size;
} sized;

static int longest_first(const void *a, const void *b) {
    const sized *p = a, *q = b;
    if (p->size != q->size) return p->size > q->size ? -1 : 1;
    return (p->output > q->output) - (p->output < q->output);
}

static int in_order(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

int64_t hsp_weights_choose(const hsp_weights *w, int64_t *output, int64_t most) {
    int64_t n = w->outputs < most ? w->outputs : most;
    for (int64_t k = 0; k < n; k++) output[k] = k;
    if (w->outputs <= most) return n;
    sized *all = hsp_alloc_zero(w->outputs, sizeof *all);
    if (!all) return HSP_EMEMORY;
    for (int64_t k = 0; k < w->outputs; k++) {
        all[k].output = k;
        for (int64_t j = 0; j < w->d; j++) all[k].size = hypot(all[k].size, w->w[k * w->d + j]);
    }
    qsort(all, (size_t)w->outputs, sizeof *all, longest_first);
    for (int64_t k = 0; k < n; k++) output[k] = all[k].output;
    qsort(output, (size_t)n, sizeof *output, in_order);
    hsp_free(all);
    return n;
}

typedef struct bar {
    int64_t feature;
    double w, length; /* the weight, and w sd: its effect for a change of the feature by one sd; without sds w */
} bar;

/* w sd, which may overflow. */
static double length_of(const hsp_weights *w, int64_t output, int64_t j) {
    double v = w->w[output * w->d + j] * (w->sd ? w->sd[j] : 1);
    return v > DBL_MAX ? DBL_MAX : v < -DBL_MAX ? -DBL_MAX : v;
}

/* The at most `top` longest bars of an output, without zeros, the first of equals first. Returns their number. */
static int64_t find_largest(const hsp_weights *w, int64_t output, int64_t top, bar *out) {
    int64_t n = 0;
    for (int64_t j = 0; j < w->d; j++) {
        double length = length_of(w, output, j), size = fabs(length);
        if (size == 0 || (n == top && size <= fabs(out[n - 1].length))) continue;
        int64_t at = n < top ? n++ : n - 1;
        for (; at > 0 && fabs(out[at - 1].length) < size; at--) out[at] = out[at - 1];
        out[at] = (bar){j, w->w[output * w->d + j], length};
    }
    return n;
}

static int by_length(const void *a, const void *b) {
    const bar *p = a, *q = b;
    if (p->length != q->length) return p->length > q->length ? -1 : 1;
    return (p->feature > q->feature) - (p->feature < q->feature);
}

/* ---- drawing ---- */

/* The bars of one output. */
typedef struct bar_panel {
    const hsp_weights *w;
    hsp_area f;         /* of the whole panel */
    double names, line; /* width of the names, height of a bar with its gap */
    double least, most; /* range of the bars of all panels, with 0: one scale for all */
    double minus, plus; /* widths of the figures of negative and of positive weights */
    bool both;          /* the figures state length and weight */
    const char *title;  /* or NULL */
} bar_panel;

static const char *feature_name(const hsp_weights *w, int64_t j, char *buf) {
    const char *label = hsp_model_feature_label(w->m, j, buf);
    return label ? label : "";
}

static double title_height(const bar_panel *p, const hsp_style *s) {
    return p->title ? 1.7 * s->text : 0;
}

static double widest_name(const hsp_weights *w, hsp_canvas *c, const bar *b, int64_t n, double max) {
    const hsp_font font = {hsp_canvas_style(c)->small, 400, 0};
    double widest = 0;
    char buf[32];
    for (int64_t i = 0; i < n; i++)
        widest = fmax(widest, hsp_canvas_measure(c, feature_name(w, b[i].feature, buf), &font, max));
    return widest;
}

enum { FIGURE = 2 * HSP_NUMERAL + 16 };

/* "0.83 (w = 0.012)"; the length alone where both do not fit, and without sds, where it is the weight. */
static const char *write_figure(bool both, const bar *b, char figure[FIGURE]) {
    char length[HSP_NUMERAL], weight[HSP_NUMERAL];
    hsp_numeral_round(b->length, 3, length);
    if (both)
        snprintf(figure, FIGURE, "%s (w = %s)", length, hsp_numeral_round(b->w, 3, weight));
    else
        snprintf(figure, FIGURE, "%s", length);
    return figure;
}

static hsp_font figure_font(const hsp_style *s) {
    return (hsp_font){0.9 * s->small, 400, s->quiet};
}

/* Bars from the line at 0 to either side, each followed by its value. */
static void draw_bars(const bar_panel *p, hsp_canvas *c, const bar *b, int64_t n) {
    const hsp_style *s = hsp_canvas_style(c);
    const hsp_font name = {s->small, 400, s->ink}, value = figure_font(s);
    double left = p->f.x + p->names + 10, right = p->f.x + p->f.w, top = p->f.y + title_height(p, s);
    double from = left + p->minus, to = fmax(from + 2, right - p->plus);
    /* Long double: the quotient of two doubles may be beyond the range of doubles. */
    long double unit = (long double)(to - from) / ((long double)p->most - (long double)p->least);
    double zero = from - (double)(unit * (long double)p->least);
    char buf[32], figure[FIGURE];
    for (int64_t i = 0; i < n; i++) {
        double y = top + ((double)i + 0.5) * p->line, half = fmin(0.34 * p->line, s->small),
               x = zero + (double)(unit * (long double)b[i].length);
        hsp_canvas_box(c, (hsp_area){fmin(x, zero), y - half, fabs(x - zero), 2 * half},
                       hsp_weights_colour(p->w, s, b[i].w < 0 ? -1 : 1), 0.85);
        hsp_canvas_text(c, feature_name(p->w, b[i].feature, buf), &name, (hsp_place2){left - 10, y + 0.36 * name.size},
                        HSP_ALIGN_RIGHT, p->names);
        hsp_canvas_text(c, write_figure(p->both, &b[i], figure), &value,
                        (hsp_place2){x + (b[i].w < 0 ? -6 : 6), y + 0.36 * value.size},
                        b[i].w < 0 ? HSP_ALIGN_RIGHT : HSP_ALIGN_LEFT, 0);
    }
    hsp_place2 line[] = {{zero, top}, {zero, top + (double)n * p->line}};
    hsp_canvas_line(c, line, 2, &(hsp_pen){s->rule, 1, 0, 1});
}

static void draw_panel(const bar_panel *p, hsp_canvas *c, bar *b, int64_t n) {
    const hsp_style *s = hsp_canvas_style(c);
    const hsp_font head = {s->text, 600, s->ink}, quiet = {s->small, 400, s->quiet};
    if (p->title) hsp_canvas_text(c, p->title, &head, (hsp_place2){p->f.x, p->f.y + s->text}, HSP_ALIGN_LEFT, p->f.w);
    qsort(b, (size_t)n, sizeof *b, by_length);
    if (n > 0)
        draw_bars(p, c, b, n);
    else
        hsp_canvas_text(c, "all weights are 0", &quiet, (hsp_place2){p->f.x, p->f.y + title_height(p, s) + s->small},
                        HSP_ALIGN_LEFT, p->f.w);
}

typedef struct bar_sheet {
    const hsp_weights *w;
    int64_t output[PANELS];
    int panels, rows, columns;
    int64_t top;           /* most bars of a panel */
    int64_t count[PANELS]; /* bars of each panel */
    bar *bar;              /* panels x top; owned */
} bar_sheet;

/* Chooses the grid of panels, and as many bars as fit. */
static void lay_out_bars(bar_sheet *t, hsp_canvas *c, hsp_area f) {
    const hsp_style *s = hsp_canvas_style(c);
    int64_t asked = 20;
    double v;
    const char *top = hsp_options_get(t->w->in->o, "top");
    if (top && !hsp_parse_number(top, strlen(top), &v)) asked = v > BARS ? BARS : (int64_t)v;
    if (asked > t->w->d) asked = t->w->d;
    double head = t->w->outputs > 1 ? 1.7 * s->text : 0;
    bool stacked = (double)t->panels * (head + 24 + (double)asked * 1.6 * s->small) <= f.h + 24;
    t->columns = stacked ? 1 : t->panels <= 3 ? t->panels : t->panels == 4 ? 2 : t->panels <= 9 ? 3 : 4;
    int widest = f.w > 190 ? (int)((f.w + 24) / 190) : 1;
    t->columns = t->columns < widest ? t->columns : widest;
    t->rows = (t->panels + t->columns - 1) / t->columns;
    hsp_area cell = hsp_sheet_cell(f, t->rows, t->columns, 24, 0);
    int64_t room = (int64_t)((cell.h - head) / (1.2 * s->small));
    t->top = asked < room ? asked : room > 1 ? room : 1;
}

/* Widens the scale and the columns of names and figures to those of panel i. */
static void include_panel(const bar_sheet *t, hsp_canvas *c, int i, double room, bar_panel *p) {
    const hsp_font font = figure_font(hsp_canvas_style(c));
    const bar *b = t->bar + i * t->top;
    p->names = fmax(p->names, widest_name(t->w, c, b, t->count[i], room));
    for (int64_t j = 0; j < t->count[i]; j++) {
        char figure[FIGURE];
        double width = hsp_canvas_measure(c, write_figure(p->both, &b[j], figure), &font, 0) + 8;
        p->least = fmin(p->least, b[j].length);
        p->most = fmax(p->most, b[j].length);
        if (b[j].length < 0)
            p->minus = fmax(p->minus, width);
        else
            p->plus = fmax(p->plus, width);
    }
}

/* What all panels share: the scale, and the widths of names and figures. In narrow panels the figures leave out the weights, so
 * that the bars keep a third of the width. */
static bar_panel shared_layout(const bar_sheet *t, hsp_canvas *c, hsp_area f) {
    double width = hsp_sheet_cell(f, t->rows, t->columns, 24, 0).w, room = (t->columns > 2 ? 0.42 : 0.36) * width;
    for (bool both = t->w->sd != NULL;; both = false) {
        bar_panel p = {.w = t->w, .both = both};
        for (int i = 0; i < t->panels; i++) include_panel(t, c, i, room, &p);
        if (!both || p.names + p.minus + p.plus <= 2 * width / 3) return p;
    }
}

static void draw_panels(const bar_sheet *t, hsp_canvas *c, hsp_area f) {
    const hsp_style *s = hsp_canvas_style(c);
    const bar_panel shared = shared_layout(t, c, f);
    for (int i = 0; i < t->panels; i++) {
        char title[2 * HSP_SHORT];
        bar_panel p = shared;
        if (t->w->outputs > 1) {
            char name[HSP_SHORT], b[HSP_NUMERAL];
            hsp_sentence_cut(hsp_model_class_name(t->w->m, t->output[i]), t->columns > 2 ? 16 : 30, name);
            snprintf(title, sizeof title, "%s, b = %.80s", name, hsp_numeral_round(t->w->b[t->output[i]], 3, b));
            p.title = title;
        }
        p.f = hsp_sheet_cell(f, t->rows, t->columns, 24, i);
        p.line = fmin(3.2 * s->small, (p.f.h - title_height(&p, s)) / (double)(t->count[i] > 0 ? t->count[i] : 1));
        draw_panel(&p, c, t->bar + i * t->top, t->count[i]);
    }
}

int hsp_weights_bars(const hsp_weights *w, hsp_canvas *c, const char *first, const char *second) {
    bar_sheet t = {.w = w};
    char noted[HSP_SENTENCE + 160];
    hsp_area room = hsp_sheet_room(hsp_canvas_style(c));
    double fit = fmax(1, floor((room.w + 24) / 190)) * fmax(1, floor((room.h + 24) / 90));
    int64_t n = hsp_weights_choose(w, t.output, fit < PANELS ? (int64_t)fit : PANELS), shown = 0;
    if (n < 0) return (int)n;
    t.panels = (int)n;
    lay_out_bars(&t, c, room);
    t.bar = hsp_alloc_zero(n * t.top, sizeof *t.bar);
    if (!t.bar) return HSP_EMEMORY;
    for (int i = 0; i < t.panels; i++) {
        t.count[i] = find_largest(w, t.output[i], t.top, t.bar + i * t.top);
        shown = t.count[i] > shown ? t.count[i] : shown;
    }
    int at = snprintf(noted, sizeof noted, "%s", first);
    if (shown > 0 && shown < w->d)
        at += snprintf(noted + at, sizeof noted - (size_t)at, "; the %" PRId64 " largest", shown);
    if (t.panels < w->outputs)
        snprintf(noted + at, sizeof noted - (size_t)at, "; %d of %" PRId64 " classes", t.panels, w->outputs);
    hsp_area f = hsp_sheet_head(c, hsp_chart_title(w->in, "Weights"), noted, second);
    draw_panels(&t, c, f);
    hsp_free(t.bar);
    return HSP_OK;
}
