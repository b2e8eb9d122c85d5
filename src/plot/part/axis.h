/* A numeric axis: the range in view, ticks at 1, 2 or 5 times a power of ten, and their labels. Ticks are integers, so that
 * labels are exact: never 0.30000000000000004. */
#ifndef HSP_PLOT_PART_AXIS_H
#define HSP_PLOT_PART_AXIS_H

#include "plot/draw/canvas.h"

enum { HSP_AXIS_TICKS = 32 };

typedef struct hsp_axis {
    long double lo, hi; /* the range in view, lo < hi; long double, as hi - lo may be beyond the range of doubles */
    int count;          /* ticks, ascending; 2 or more, but see hsp_axis_keep_whole */
    int64_t tick[HSP_AXIS_TICKS]; /* tick i is at (tick[i] + offset) x 10^exponent */
    int exponent;
    int64_t offset; /* left out of the labels if all numbers share their leading digits; else 0 */
    int power;      /* labels are in units of 10^power */
    bool log;       /* lo and hi are logarithms to base 10; tick i is at tick[i] % 10 x 10^(tick[i] / 10), rounded down */
} hsp_axis;

/* The range of the data, lo <= hi, finite, with padding; an empty or very narrow range is widened until doubles can resolve
 * it. Sets at most `most` ticks (4 if `most` is less). */
void hsp_axis_fit(hsp_axis *a, double lo, double hi, int most);
/* From lo to hi, lo < hi, without padding. */
void hsp_axis_fit_exact(hsp_axis *a, double lo, double hi, int most);
/* Logarithmic, 0 < lo <= hi. */
void hsp_axis_fit_log(hsp_axis *a, double lo, double hi, int most);
/* For counts: no ticks between whole numbers. One tick may be left; with no whole number in view nothing changes. */
void hsp_axis_keep_whole(hsp_axis *a);
/* Drops ticks until neighbours are at least `least` apart on an axis of this length; two are kept, if there were two. 0 and,
 * on a logarithmic axis, powers of ten are dropped last. */
void hsp_axis_thin(hsp_axis *a, double length, double least);
/* Share of the way from lo to hi; on a logarithmic axis far below 0 for v <= 0. */
double hsp_axis_place(const hsp_axis *a, double v);
double hsp_axis_tick_place(const hsp_axis *a, int i);
/* Label of tick i; returns out, which holds HSP_NUMERAL bytes. */
const char *hsp_axis_label(const hsp_axis *a, int i, char *out);
/* What the labels leave out, to follow the name of the axis: "" or e.g. " - 10^12 (x 10^3)"; out holds 3 HSP_NUMERAL. */
void hsp_axis_note(const hsp_axis *a, char *out);

/* The width of the widest label. */
double hsp_axis_label_width(const hsp_axis *a, hsp_canvas *c, const hsp_font *font);
/* Lines, ticks and labels of a horizontal axis under, and of a vertical axis left of, the frame. */
void hsp_axis_draw_x(const hsp_axis *a, hsp_canvas *c, hsp_area f, const hsp_font *font);
void hsp_axis_draw_y(const hsp_axis *a, hsp_canvas *c, hsp_area f, const hsp_font *font);

#endif
