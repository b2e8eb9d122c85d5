/* A numeric axis: the range in view, ticks at 1, 2 or 5 times a power of ten, and their labels. Ticks are kept as integers,
 * so that labels are exact: never 0.30000000000000004. */
#ifndef HSP_PLOT_PART_AXIS_H
#define HSP_PLOT_PART_AXIS_H

#include "plot/draw/canvas.h"

enum { HSP_AXIS_TICKS = 32 };

typedef struct hsp_axis {
    long double lo, hi;           /* in view, lo < hi; long double, as hi - lo may exceed a double's range */
    int count;                    /* ticks, 2 at least */
    int64_t tick[HSP_AXIS_TICKS]; /* tick i stands at (tick[i] + offset) x 10^exponent */
    int exponent;
    int64_t offset; /* taken off the labels when all numbers share their leading digits; else 0 */
    int power;      /* labels are in units of 10^power */
    bool log; /* lo and hi are logarithms to base 10; tick i stands at tick[i] % 10 x 10^(tick[i] / 10) (rounded down) */
} hsp_axis;

/* The range of the data, lo <= hi, finite, with air around; an empty or too narrow range is widened to one that doubles
 * can tell apart. At most `wish` ticks (>= 4) are set. */
void hsp_axis_fit(hsp_axis *a, double lo, double hi, int wish);
/* From lo to hi, lo < hi, without air. */
void hsp_axis_fit_exact(hsp_axis *a, double lo, double hi, int wish);
/* Logarithmic, 0 < lo <= hi. */
void hsp_axis_fit_log(hsp_axis *a, double lo, double hi, int wish);
/* Ticks of what is counted: none between whole numbers. It may be one; nothing is changed when none is in view. */
void hsp_axis_keep_whole(hsp_axis *a);
/* Leaves ticks out until neighbours are at least `least` apart on an axis of this length; two stay, if there were two. 0
 * and, on a logarithmic axis, powers of ten go last. */
void hsp_axis_thin(hsp_axis *a, double length, double least);
/* Share of the way from lo to hi; on a logarithmic axis far below 0 for v <= 0. */
double hsp_axis_place(const hsp_axis *a, double v);
double hsp_axis_tick_place(const hsp_axis *a, int i);
/* Label of tick i; out holds HSP_NUMERAL bytes. */
void hsp_axis_label(const hsp_axis *a, int i, char *out);
/* What the labels leave out, to stand behind the axis name: "" or e.g. " - 10^12 (x 10^3)"; out holds 3 HSP_NUMERAL. */
void hsp_axis_note(const hsp_axis *a, char *out);

/* The widest label in the font. */
double hsp_axis_label_width(const hsp_axis *a, hsp_canvas *c, const hsp_font *font);
/* Lines, ticks and labels of a horizontal axis under, and of a vertical axis left of, the frame. */
void hsp_axis_draw_x(const hsp_axis *a, hsp_canvas *c, hsp_area f, const hsp_font *font);
void hsp_axis_draw_y(const hsp_axis *a, hsp_canvas *c, hsp_area f, const hsp_font *font);

#endif
