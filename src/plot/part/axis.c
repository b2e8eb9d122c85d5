#include "plot/part/axis.h"

#include "plot/draw/numeral.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double padding = 0.06; /* of the range, on either side */
static const double tick_length = 5, label_gap = 8;

/* v in units of 10^exponent, rounded by `to` with a small tolerance: a tick at the end of the range, as 1 from 0 to 1, is not
 * lost to rounding. */
static int64_t tick_at(const hsp_axis *a, long double v, long double (*to)(long double)) {
    return (int64_t)to(v / powl(10, a->exponent) + (to == floorl ? 1e-9L : -1e-9L));
}

/* The smallest of the steps 1, 2, 5 x 10^e that gives at most `most` ticks. */
static void set_ticks(hsp_axis *a, int most) {
    static const int steps[] = {1, 2, 5};
    long double range = a->hi - a->lo;
    a->exponent = (int)floorl(log10l(range / (long double)most)) - 1;
    for (int s = 0;; s++) {
        int step = steps[s % 3];
        if (s > 0 && s % 3 == 0) a->exponent++;
        int64_t first = tick_at(a, a->lo / step, ceill), last = tick_at(a, a->hi / step, floorl);
        if (last - first + 1 > most) continue;
        a->count = (int)(last - first + 1);
        for (int i = 0; i < a->count; i++) a->tick[i] = (first + i) * step;
        return;
    }
}

/* At least two ticks, even if that takes more than `most`: steps of 5 would leave one from -4 to 4. */
static void set_some_ticks(hsp_axis *a, int most) {
    most = most < 4 ? 4 : most > HSP_AXIS_TICKS ? HSP_AXIS_TICKS : most;
    set_ticks(a, most);
    while (a->count < 2 && most < HSP_AXIS_TICKS) set_ticks(a, ++most);
}

static int digits_of(int64_t n) {
    int count = 0;
    for (; n != 0; n /= 10) count++;
    return count;
}

static int64_t largest_tick(const hsp_axis *a) {
    int64_t first = a->tick[0] < 0 ? -a->tick[0] : a->tick[0];
    int64_t last = a->tick[a->count - 1] < 0 ? -a->tick[a->count - 1] : a->tick[a->count - 1];
    return first > last ? first : last; /* ticks ascend */
}

/* Labels of more than six digits lose the digits that they share; labels from 10^6 on or below 10^-3 lose their power of
 * ten. */
static void shorten_labels(hsp_axis *a) {
    a->offset = 0;
    a->power = 0;
    int64_t first = a->tick[0], last = a->tick[a->count - 1];
    if (digits_of(largest_tick(a)) > 6) {
        int64_t unit = 10; /* the roundest number near the middle that leaves short labels */
        while (unit < 2 * (last - first)) unit *= 10;
        a->offset = (int64_t)roundl((long double)(first + (last - first) / 2) / (long double)unit) * unit;
        for (int i = 0; i < a->count; i++) a->tick[i] -= a->offset;
    }
    int lead = digits_of(largest_tick(a)) + a->exponent - 1; /* power of ten of the largest label */
    if (lead >= 6 || lead < -3) a->power = 3 * (int)floor(lead / 3.0);
}

void hsp_axis_fit(hsp_axis *a, double lo, double hi, int most) {
    memset(a, 0, sizeof *a);
    long double size = fmaxl(fabsl((long double)lo), fabsl((long double)hi));
    long double half = ((long double)hi - (long double)lo) / 2, middle = (long double)lo + half;
    if (lo == hi) half = lo == 0 ? 1 : size / 10;
    half *= 1 + 2 * (long double)padding;
    half = fmaxl(half, fmaxl(size * 1e-12L, 1e-320L));
    a->lo = middle - half;
    a->hi = middle + half;
    set_some_ticks(a, most);
    shorten_labels(a);
}

void hsp_axis_fit_exact(hsp_axis *a, double lo, double hi, int most) {
    memset(a, 0, sizeof *a);
    a->lo = (long double)lo;
    a->hi = (long double)hi;
    set_some_ticks(a, most);
    shorten_labels(a);
}

void hsp_axis_keep_whole(hsp_axis *a) {
    long double first = ceill(a->lo), last = floorl(a->hi);
    if (a->log || a->exponent >= 0 || last < first) return;
    a->exponent = 0; /* the steps were less than 1, so these are fewer */
    a->count = (int)(last - first) + 1;
    for (int i = 0; i < a->count; i++) a->tick[i] = (int64_t)first + i;
    shorten_labels(a);
}

/* ---- logarithmic ---- */

static long double log_tick(const hsp_axis *a, int i) {
    int64_t power = a->tick[i] >= 0 ? a->tick[i] / 10 : -((9 - a->tick[i]) / 10);
    return (long double)power + log10l((long double)(a->tick[i] - 10 * power));
}

/* Ticks at every power of ten, or at every k-th if they are too many; with fewer than two steps between powers in view, at 1,
 * 2 and 5 times each. */
static void set_log_ticks(hsp_axis *a, int most) {
    int64_t first = (int64_t)ceill(a->lo), last = (int64_t)floorl(a->hi);
    int64_t step = 1;
    a->count = 0;
    if (last - first < 2) {
        static const int within[] = {1, 2, 5};
        for (int64_t p = first - 1; p <= last + 1; p++)
            for (int k = 0; k < 3 && a->count < HSP_AXIS_TICKS; k++) {
                a->tick[a->count] = 10 * p + within[k];
                long double at = log_tick(a, a->count);
                a->count += at >= a->lo && at <= a->hi;
            }
        return;
    }
    while ((last - first) / step + 1 > most) step++;
    /* Multiples of the step, so that 1 gets a tick if it is in view. */
    first = (int64_t)ceill((long double)first / (long double)step) * step;
    for (int64_t p = first; p <= last && a->count < HSP_AXIS_TICKS; p += step) a->tick[a->count++] = 10 * p + 1;
}

void hsp_axis_fit_log(hsp_axis *a, double lo, double hi, int most) {
    memset(a, 0, sizeof *a);
    a->log = true;
    a->lo = log10l((long double)lo);
    a->hi = log10l((long double)hi);
    long double pad = fmaxl((a->hi - a->lo) * 0.03L, a->hi - a->lo < 0.2L ? 0.5L : 0);
    a->lo -= pad;
    a->hi += pad;
    set_log_ticks(a, most < 4 ? 4 : most > HSP_AXIS_TICKS ? HSP_AXIS_TICKS : most);
}

double hsp_axis_place(const hsp_axis *a, double v) {
    if (a->log) return v > 0 ? (double)((log10l((long double)v) - a->lo) / (a->hi - a->lo)) : -100;
    return (double)(((long double)v - a->lo) / (a->hi - a->lo));
}

double hsp_axis_tick_place(const hsp_axis *a, int i) {
    if (a->log) return (double)((log_tick(a, i) - a->lo) / (a->hi - a->lo));
    long double v = (long double)(a->tick[i] + a->offset) * powl(10, a->exponent);
    return (double)((v - a->lo) / (a->hi - a->lo));
}

/* ---- fewer ticks ---- */

/* The tick that is kept when only every k-th is: 0 or a power of ten; else the first. */
static int kept_tick(const hsp_axis *a) {
    for (int i = 0; i < a->count; i++)
        if (a->log ? (a->tick[i] % 10 + 10) % 10 == 1 : a->tick[i] + a->offset == 0) return i;
    return 0;
}

static bool ticks_apart(const hsp_axis *a, int from, int step, double length, double least) {
    for (int i = from + step; i < a->count; i += step)
        if (length * (hsp_axis_tick_place(a, i) - hsp_axis_tick_place(a, i - step)) < least) return false;
    return true;
}

void hsp_axis_thin(hsp_axis *a, double length, double least) {
    if (ticks_apart(a, 0, 1, length, least)) return;
    int kept = kept_tick(a), count = 0, last = a->count - 1;
    /* Of 1, 2, 5 and 10 keep the powers alone, if two of them are in view. */
    int unit = a->log && kept + 3 <= last && a->tick[kept + 3] == a->tick[kept] + 10 ? 3 : 1, step = unit;
    while (step <= last && !(ticks_apart(a, kept % step, step, length, least) && kept % step + step <= last)) step += unit;
    if (step > last) { /* keep two that are far apart */
        a->tick[0] = a->tick[2 * kept > last ? 0 : kept];
        a->tick[1] = a->tick[2 * kept > last ? kept : last];
        a->count = 2;
        return;
    }
    for (int i = kept % step; i <= last; i += step) a->tick[count++] = a->tick[i];
    a->count = count;
}

/* ---- labels ---- */

/* As numbers if all are between 0.001 and 10000, else as powers. */
static const char *log_label(const hsp_axis *a, int i, char *out) {
    int64_t power = a->tick[i] >= 0 ? a->tick[i] / 10 : -((9 - a->tick[i]) / 10), digit = a->tick[i] - 10 * power;
    if (a->lo > -3.5L && a->hi < 4.5L) {
        for (; power > 0; power--) digit *= 10;
        return hsp_numeral_decimal(digit, (int)power, out);
    }
    char ten[HSP_NUMERAL];
    if (digit == 1) return hsp_numeral_power((int)power, out);
    snprintf(out, HSP_NUMERAL, "%d\xE2\x80\xAF\xC3\x97\xE2\x80\xAF%.80s", (int)digit, hsp_numeral_power((int)power, ten));
    return out;
}

const char *hsp_axis_label(const hsp_axis *a, int i, char *out) {
    return a->log ? log_label(a, i, out) : hsp_numeral_decimal(a->tick[i], a->exponent - a->power, out);
}

void hsp_axis_note(const hsp_axis *a, char *out) {
    char text[HSP_NUMERAL];
    int at = 0;
    out[0] = 0;
    if (a->offset != 0) {
        double offset = (double)((long double)a->offset * powl(10, a->exponent));
        at = snprintf(out, 3 * HSP_NUMERAL, " %s %s", offset < 0 ? "+" : "\xE2\x88\x92",
                      hsp_numeral_round(fabs(offset), 15, text));
    }
    if (a->power == 0) return;
    snprintf(out + at, (size_t)(3 * HSP_NUMERAL - at), " (\xC3\x97\xE2\x80\xAF%s)", hsp_numeral_power(a->power, text));
}

double hsp_axis_label_width(const hsp_axis *a, hsp_canvas *c, const hsp_font *font) {
    char label[HSP_NUMERAL];
    double widest = 0;
    for (int i = 0; i < a->count; i++) widest = fmax(widest, hsp_canvas_measure(c, hsp_axis_label(a, i, label), font, 0));
    return widest;
}

void hsp_axis_draw_x(const hsp_axis *a, hsp_canvas *c, hsp_area f, const hsp_font *font) {
    hsp_place2 line[2 * (HSP_AXIS_TICKS + 1)] = {{f.x, f.y + f.h}, {f.x + f.w, f.y + f.h}};
    char label[HSP_NUMERAL];
    for (int i = 0; i < a->count; i++) {
        double x = f.x + f.w * hsp_axis_tick_place(a, i);
        line[2 * i + 2] = (hsp_place2){x, f.y + f.h};
        line[2 * i + 3] = (hsp_place2){x, f.y + f.h + tick_length};
        hsp_canvas_text(c, hsp_axis_label(a, i, label), font, (hsp_place2){x, f.y + f.h + label_gap + font->size},
                        HSP_ALIGN_CENTRE, 0);
    }
    hsp_canvas_segments(c, line, a->count + 1, hsp_canvas_style(c)->rule, 1);
}

void hsp_axis_draw_y(const hsp_axis *a, hsp_canvas *c, hsp_area f, const hsp_font *font) {
    hsp_place2 line[2 * (HSP_AXIS_TICKS + 1)] = {{f.x, f.y}, {f.x, f.y + f.h}};
    char label[HSP_NUMERAL];
    for (int i = 0; i < a->count; i++) {
        double y = f.y + f.h * (1 - hsp_axis_tick_place(a, i));
        line[2 * i + 2] = (hsp_place2){f.x - tick_length, y};
        line[2 * i + 3] = (hsp_place2){f.x, y};
        hsp_axis_label(a, i, label);
        /* The baseline is half the height of a digit below the tick. */
        hsp_canvas_text(c, label, font, (hsp_place2){f.x - label_gap, y + 0.36 * font->size}, HSP_ALIGN_RIGHT, 0);
    }
    hsp_canvas_segments(c, line, a->count + 1, hsp_canvas_style(c)->rule, 1);
}
