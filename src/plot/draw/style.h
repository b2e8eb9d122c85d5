/* Colours and sizes of all pictures: one palette, one set of sizes. Charts take them from here alone. */
#ifndef HSP_PLOT_DRAW_STYLE_H
#define HSP_PLOT_DRAW_STYLE_H

#include "halfspace.h"
#include "plot/draw/picture_bytes.h"

#include <stdbool.h>

typedef uint32_t hsp_colour; /* 0xRRGGBB, sRGB */

typedef enum hsp_marker {
    HSP_MARKER_CIRCLE,
    HSP_MARKER_TRIANGLE,
    HSP_MARKER_SQUARE,
    HSP_MARKER_DIAMOND,
    HSP_MARKER_TRIANGLE_DOWN,
    HSP_MARKER_HEXAGON,
    HSP_MARKER_PLUS,
    HSP_MARKER_CROSS,
    HSP_MARKERS
} hsp_marker;

/* What a page sets in its own type beside a drawing. A style that points to one keeps titles, sentences and keys off the sheet;
 * the lines of the key are left here. */
enum { HSP_ASIDE_LINES = 16, HSP_ASIDE_FIGURE = 96 };
typedef struct hsp_aside {
    int64_t lines;
    struct {
        const char *name; /* borrowed from what the chart was drawn from */
        char figure[HSP_ASIDE_FIGURE];
        hsp_colour colour;
        bool dashed;
    } line[HSP_ASIDE_LINES];
} hsp_aside;

/* A theme: light or dark. Sizes are CSS pixels. */
typedef struct hsp_style {
    hsp_colour paper;   /* behind everything */
    hsp_colour ink;     /* titles, the boundary */
    hsp_colour quiet;   /* subtitles, tick labels */
    hsp_colour rule;    /* axis lines and ticks */
    hsp_colour grid;    /* faint lines behind the data */
    double tint;        /* share of a class's colour in its region */
    double lift;        /* share of white in the colours of classes, on dark paper; 0 on light */
    const char *family; /* fonts, the preferred one first */
    double width, height;
    double margin;             /* around everything */
    double title, text, small; /* type sizes */
    hsp_aside *aside;          /* NULL: words are drawn on the sheet */
} hsp_style;

extern const hsp_style hsp_style_light, hsp_style_dark;

/* The style that the options theme and size ask for. HSP_EUSAGE: a size out of range. */
int hsp_style_choose(const hsp_options *o, hsp_style *out, hsp_error **err);
/* Two whole numbers "WxH", each from 1 to `most`; false: text is not that (or NULL). */
bool hsp_style_parse_size(const char *text, int64_t most, int64_t *width, int64_t *height);

enum { HSP_STYLE_COLOURS = 24 }; /* different colours of classes; class 24 has the first one again */

/* Colour and marker of class k, any k >= 0; the pairs of 192 classes differ. Curves have the same colours. */
hsp_colour hsp_style_class_colour(const hsp_style *s, int64_t k);
hsp_marker hsp_style_class_marker(int64_t k);
/* The opaque colour of class k's region on the theme's paper. */
hsp_colour hsp_style_class_tint(const hsp_style *s, int64_t k);
/* For signed quantities, t in [-1, 1]: from orange through the paper at 0 to blue. */
hsp_colour hsp_style_diverging(const hsp_style *s, double t);
/* For shares, t in [0, 1]: from the paper at 0 to a deep blue, in visually even steps. */
hsp_colour hsp_style_sequential(const hsp_style *s, double t);
/* For members of an ordered family (values of lambda), t in [0, 1]: all are easy to see on the paper. */
hsp_colour hsp_style_ordered(const hsp_style *s, double t);
/* The colour of text on this ground: ink or paper, whichever has more contrast. */
hsp_colour hsp_style_text_on(const hsp_style *s, hsp_colour ground);
/* a + t (b - a), channel by channel. */
hsp_colour hsp_style_mix(hsp_colour a, hsp_colour b, double t);

#endif
