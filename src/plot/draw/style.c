#include "plot/draw/style.h"

#include <math.h>
#include <string.h>

/* What both themes share, and the colours of one. */
#define THEME(...)                                                                                                        \
    {                                                                                                                     \
        .family = "Inter, DejaVu Sans, sans-serif", .width = 960, .height = 640, .margin = 32, .title = 23, .text = 14.5, \
        .small = 13, __VA_ARGS__                                                                                          \
    }

const hsp_style hsp_style_light = THEME(.paper = 0xFFFFFF, .ink = 0x1B2430, .quiet = 0x5A6675, .rule = 0xA9B2BD,
                                        .grid = 0xECEFF2, .tint = 0.10, .lift = 0);

const hsp_style hsp_style_dark = THEME(.paper = 0x14181F, .ink = 0xEEF1F5, .quiet = 0xA3AEBB, .rule = 0x56616E,
                                       .grid = 0x252C36, .tint = 0.20, .lift = 0.22);

/* Blue and orange first: every kind of colour vision can distinguish them. All eight stay at least 16 CIELAB units apart for
 * the red-, green- and blue-blind (Machado, Oliveira and Fernandes 2009). Beyond eight, and in grey print, the markers make
 * the difference. */
static const hsp_colour palette[] = {0x1F6FB4, 0xE07A10, 0x159A78, 0xD277B0, 0x7CC4EA, 0xA8362A, 0xE0CC50, 0x4A4A68};

enum { COLOURS = sizeof palette / sizeof palette[0] };

/* Used after these and their darker variants (lighter on dark paper): at least 25 CIELAB units from all of them and from each
 * other, in both themes. Chosen one by one, each the farthest from all before. */
static const hsp_colour more[] = {0xB4005A, 0x78E178, 0x9687FF, 0x2D7800, 0x5A0078, 0x1E3CA5, 0x3C3C0F, 0x690F4B};

_Static_assert(2 * COLOURS + sizeof more / sizeof more[0] == HSP_STYLE_COLOURS, "each class has its colour");
enum { LEAST_SIZE = 240, MOST_SIZE = 8000 }; /* CSS pixels: space for a word; half of what an image surface can hold */

/* ---- choosing ---- */

static bool parse_whole(const char *text, size_t n, int64_t most, int64_t *out) {
    double v;
    if (n < 1 || n > 9 || strspn(text, "0123456789") < n || hsp_parse_number(text, n, &v)) return false;
    *out = (int64_t)v;
    return v >= 1 && v <= (double)most;
}

bool hsp_style_parse_size(const char *text, int64_t most, int64_t *width, int64_t *height) {
    size_t n = text ? strcspn(text, "x") : 0;
    return n > 0 && text[n] == 'x' && parse_whole(text, n, most, width) &&
           parse_whole(text + n + 1, strlen(text + n + 1), most, height);
}

int hsp_style_choose(const hsp_options *o, hsp_style *out, hsp_error **err) {
    const char *theme = hsp_options_get(o, "theme"), *size = hsp_options_get(o, "size");
    int64_t width, height;
    *out = theme && strcmp(theme, "dark") == 0 ? hsp_style_dark : hsp_style_light;
    if (!size) return HSP_OK;
    if (!hsp_style_parse_size(size, MOST_SIZE, &width, &height) || width < LEAST_SIZE || height < LEAST_SIZE)
        return hsp_fail(err, HSP_EUSAGE,
                        "'%.40s' is not a picture size: write WIDTHxHEIGHT, each from %d to %d, like 960x640", size,
                        LEAST_SIZE, MOST_SIZE);
    out->width = (double)width;
    out->height = (double)height;
    /* On a small sheet type and margins shrink, to leave space for the data. */
    const double wide = 560, high = 400, least = 0.62;
    double share = fmax(least, fmin(1, fmin(out->width / wide, out->height / high)));
    out->margin *= share;
    out->title *= share;
    out->text *= share;
    out->small *= share;
    return HSP_OK;
}

/* ---- colours ---- */

hsp_colour hsp_style_class_colour(const hsp_style *s, int64_t k) {
    int64_t at = k % HSP_STYLE_COLOURS;
    hsp_colour colour = at < 2 * COLOURS ? palette[at % COLOURS] : more[at - 2 * COLOURS];
    if (at / COLOURS == 1) colour = hsp_style_mix(colour, s->lift > 0 ? 0xFFFFFF : s->ink, 0.4);
    return s->lift > 0 ? hsp_style_mix(colour, 0xFFFFFF, s->lift) : colour;
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
    return hsp_style_mix(s->paper, hsp_style_class_colour(s, k), s->tint);
}

static double unit(double t) {
    return t > 1 ? 1 : t > 0 ? t : 0; /* NaN is 0 */
}

hsp_colour hsp_style_diverging(const hsp_style *s, double t) {
    return hsp_style_mix(s->paper, hsp_style_class_colour(s, t < 0 ? 1 : 0), pow(unit(fabs(t)), 0.8));
}

hsp_colour hsp_style_sequential(const hsp_style *s, double t) {
    static const hsp_colour deep = 0x0B4A86;
    hsp_colour middle = hsp_style_class_colour(s, 0);
    t = unit(t);
    if (s->lift > 0) return hsp_style_mix(s->paper, hsp_style_mix(middle, 0xFFFFFF, 0.25), t);
    return t < 0.6 ? hsp_style_mix(s->paper, middle, t / 0.6) : hsp_style_mix(middle, deep, (t - 0.6) / 0.4);
}

/* From orange through rose to deep blue. Lightness falls all the way, so the order shows in grey too. */
hsp_colour hsp_style_ordered(const hsp_style *s, double t) {
    static const hsp_colour stop[] = {0xF2A33A, 0xD9688A, 0x8A5BB0, 0x2B4C9B};
    double place = unit(t) * 3;
    int i = place >= 2 ? 2 : (int)place;
    hsp_colour colour = hsp_style_mix(stop[i], stop[i + 1], place - i);
    return s->lift > 0 ? hsp_style_mix(colour, 0xFFFFFF, s->lift) : colour;
}

static double lightness(hsp_colour c) {
    return 0.299 * (double)(c >> 16 & 255) + 0.587 * (double)(c >> 8 & 255) + 0.114 * (double)(c & 255);
}

hsp_colour hsp_style_text_on(const hsp_style *s, hsp_colour ground) {
    double ink = fabs(lightness(s->ink) - lightness(ground)), paper = fabs(lightness(s->paper) - lightness(ground));
    return ink >= paper ? s->ink : s->paper;
}
