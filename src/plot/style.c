#include "plot/style.h"

const hsp_style hsp_style_light = {
    .paper = 0xFFFFFF,
    .ink = 0x1B2430,
    .quiet = 0x5A6675,
    .rule = 0xA9B2BD,
    .tint = 0.10,
    .family = "Inter, DejaVu Sans, sans-serif",
    .width = 960,
    .height = 640,
    .margin = 32,
    .title = 23,
    .text = 14.5,
    .small = 13,
};

/* Blue and orange first: the pair that every kind of colour vision tells apart. All eight stay 16 CIELAB units apart or
 * more for the red-, green- and blue-blind (Machado, Oliveira and Fernandes 2009); beyond eight, and in grey print, the
 * markers carry the difference. */
static const hsp_colour palette[] = {0x1F6FB4, 0xE07A10, 0x159A78, 0xD277B0, 0x7CC4EA, 0xA8362A, 0xE0CC50, 0x4A4A68};

enum { COLOURS = sizeof palette / sizeof palette[0] };

hsp_colour hsp_style_class_colour(int64_t k) {
    hsp_colour colour = palette[k % COLOURS];
    return k / COLOURS % 2 == 0 ? colour : hsp_style_mix(colour, hsp_style_light.ink, 0.4);
}

hsp_marker hsp_style_class_marker(int64_t k) {
    return (hsp_marker)((k + k / COLOURS) % HSP_MARKERS);
}

hsp_colour hsp_style_mix(hsp_colour a, hsp_colour b, double t) {
    hsp_colour mixed = 0;
    for (int shift = 0; shift <= 16; shift += 8) {
        double from = (double)(a >> shift & 255), to = (double)(b >> shift & 255);
        mixed |= (hsp_colour)(from + t * (to - from) + 0.5) << shift;
    }
    return mixed;
}

hsp_colour hsp_style_class_tint(const hsp_style *s, int64_t k) {
    return hsp_style_mix(s->paper, hsp_style_class_colour(k), s->tint);
}
