#include "plot/axis.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double air = 0.06; /* of the range, on either side */
static const double tick_length = 5, label_gap = 8;

static int64_t tick_at(const hsp_axis *a, long double v, long double (*to)(long double)) {
    return (int64_t)to(v / powl(10, a->exponent));
}

/* The smallest of the steps 1, 2, 5 x 10^e that needs at most `wish` ticks. */
static void set_ticks(hsp_axis *a, int wish) {
    static const int steps[] = {1, 2, 5};
    long double range = a->hi - a->lo;
    a->exponent = (int)floorl(log10l(range / (long double)wish)) - 1;
    for (int s = 0;; s++) {
        int step = steps[s % 3];
        if (s > 0 && s % 3 == 0) a->exponent++;
        int64_t first = tick_at(a, a->lo / step, ceill), last = tick_at(a, a->hi / step, floorl);
        if (last - first + 1 > wish) continue;
        a->count = (int)(last - first + 1);
        for (int i = 0; i < a->count; i++) a->tick[i] = (first + i) * step;
        return;
    }
}

static int digits_of(int64_t n) {
    int count = 0;
    for (; n != 0; n /= 10) count++;
    return count;
}

static int64_t largest(const hsp_axis *a) {
    int64_t most = 0;
    for (int i = 0; i < a->count; i++) {
        int64_t size = a->tick[i] < 0 ? -a->tick[i] : a->tick[i];
        if (size > most) most = size;
    }
    return most;
}

/* Labels of more than six digits lose the ones they share, and labels beyond 10^6 or within 10^-3 their power of ten. */
static void shorten(hsp_axis *a) {
    a->offset = 0;
    a->power = 0;
    int64_t first = a->tick[0], last = a->tick[a->count - 1];
    if (digits_of(largest(a)) > 6) {
        int64_t unit = 10; /* the roundest number near the middle that leaves short labels */
        while (unit < 2 * (last - first)) unit *= 10;
        a->offset = (int64_t)roundl((long double)(first + (last - first) / 2) / (long double)unit) * unit;
        for (int i = 0; i < a->count; i++) a->tick[i] -= a->offset;
    }
    int lead = digits_of(largest(a)) + a->exponent - 1; /* power of ten of the largest label */
    if (lead >= 6 || lead < -3) a->power = 3 * (int)floor(lead / 3.0);
}

void hsp_axis_fit(hsp_axis *a, double lo, double hi, int wish) {
    memset(a, 0, sizeof *a);
    long double size = fmaxl(fabsl((long double)lo), fabsl((long double)hi));
    long double half = ((long double)hi - (long double)lo) / 2, middle = (long double)lo + half;
    if (lo == hi) half = lo == 0 ? 1 : size / 10;
    half *= 1 + 2 * (long double)air;
    half = fmaxl(half, fmaxl(size * 1e-12L, 1e-320L));
    a->lo = middle - half;
    a->hi = middle + half;
    set_ticks(a, wish < 4 ? 4 : wish > HSP_AXIS_TICKS ? HSP_AXIS_TICKS : wish);
    shorten(a);
}

double hsp_axis_place(const hsp_axis *a, double v) {
    return (double)(((long double)v - a->lo) / (a->hi - a->lo));
}

double hsp_axis_tick_place(const hsp_axis *a, int i) {
    long double v = (long double)(a->tick[i] + a->offset) * powl(10, a->exponent);
    return (double)((v - a->lo) / (a->hi - a->lo));
}

void hsp_axis_label(const hsp_axis *a, int i, char *out) {
    hsp_numeral_decimal(a->tick[i], a->exponent - a->power, out);
}

void hsp_axis_note(const hsp_axis *a, char *out) {
    char text[HSP_NUMERAL];
    int at = 0;
    out[0] = 0;
    if (a->offset != 0) {
        double offset = (double)((long double)a->offset * powl(10, a->exponent));
        hsp_numeral_round(fabs(offset), 15, text);
        at = snprintf(out, 3 * HSP_NUMERAL, " %s %s", offset < 0 ? "+" : "\xE2\x88\x92", text);
    }
    if (a->power == 0) return;
    hsp_numeral_power(a->power, text);
    snprintf(out + at, (size_t)(3 * HSP_NUMERAL - at), " (\xC3\x97\xE2\x80\xAF%s)", text);
}

double hsp_axis_label_width(const hsp_axis *a, hsp_canvas *c, const hsp_font *font) {
    char label[HSP_NUMERAL];
    double widest = 0;
    for (int i = 0; i < a->count; i++) {
        hsp_axis_label(a, i, label);
        widest = fmax(widest, hsp_canvas_measure(c, label, font, 0));
    }
    return widest;
}

void hsp_axis_draw_x(const hsp_axis *a, hsp_canvas *c, hsp_frame f, const hsp_font *font) {
    hsp_place2 line[2 * (HSP_AXIS_TICKS + 1)] = {{f.x, f.y + f.h}, {f.x + f.w, f.y + f.h}};
    char label[HSP_NUMERAL];
    for (int i = 0; i < a->count; i++) {
        double x = f.x + f.w * hsp_axis_tick_place(a, i);
        line[2 * i + 2] = (hsp_place2){x, f.y + f.h};
        line[2 * i + 3] = (hsp_place2){x, f.y + f.h + tick_length};
        hsp_axis_label(a, i, label);
        hsp_canvas_text(c, label, font, (hsp_place2){x, f.y + f.h + label_gap + font->size}, HSP_ALIGN_CENTRE, 0);
    }
    hsp_canvas_segments(c, line, a->count + 1, hsp_canvas_style(c)->rule, 1);
}

void hsp_axis_draw_y(const hsp_axis *a, hsp_canvas *c, hsp_frame f, const hsp_font *font) {
    hsp_place2 line[2 * (HSP_AXIS_TICKS + 1)] = {{f.x, f.y}, {f.x, f.y + f.h}};
    char label[HSP_NUMERAL];
    for (int i = 0; i < a->count; i++) {
        double y = f.y + f.h * (1 - hsp_axis_tick_place(a, i));
        line[2 * i + 2] = (hsp_place2){f.x - tick_length, y};
        line[2 * i + 3] = (hsp_place2){f.x, y};
        hsp_axis_label(a, i, label);
        /* Half a figure's height below the tick: the figure is centred on it. */
        hsp_canvas_text(c, label, font, (hsp_place2){f.x - label_gap, y + 0.36 * font->size}, HSP_ALIGN_RIGHT, 0);
    }
    hsp_canvas_segments(c, line, a->count + 1, hsp_canvas_style(c)->rule, 1);
}
