/* How every picture looks: one palette, one set of sizes. Charts take colours and sizes from here and nowhere else. */
#ifndef HSP_PLOT_STYLE_H
#define HSP_PLOT_STYLE_H

#include <stdint.h>

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

/* One theme. A dark one is a second object of this type. Sizes are CSS pixels. */
typedef struct hsp_style {
    hsp_colour paper;   /* behind everything */
    hsp_colour ink;     /* titles, the boundary */
    hsp_colour quiet;   /* subtitles, tick labels */
    hsp_colour rule;    /* axis lines and ticks */
    double tint;        /* share of a class's colour in its region */
    const char *family; /* fonts, the wished one first */
    double width, height;
    double margin;             /* around everything */
    double title, text, small; /* type sizes */
} hsp_style;

extern const hsp_style hsp_style_light;

/* Colour and marker of class k, any k >= 0: 64 classes differ in the pair. */
hsp_colour hsp_style_class_colour(int64_t k);
hsp_marker hsp_style_class_marker(int64_t k);
/* The opaque colour of class k's region on the theme's paper. */
hsp_colour hsp_style_class_tint(const hsp_style *s, int64_t k);
/* a + t (b - a), channel by channel. */
hsp_colour hsp_style_mix(hsp_colour a, hsp_colour b, double t);

#endif
