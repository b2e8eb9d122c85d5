/* The update as vectors, beside the picture: w before it, what it adds, and w after it, from one origin. The circle has a round
 * radius, which changes only when the vectors outgrow it, so that lengths can be compared from frame to frame. */
#include "plot/draw/canvas.h"
#include "plot/draw/numeral.h"
#include "plot/draw/style.h"
#include "plot/film/frame_sheet.h"
#include "plot/part/sentence.h"

#include <math.h>
#include <stdio.h>

enum { BEFORE, CHANGE, AFTER, VECTORS };

static const double line_height = 17, sample = 18;

static hsp_colour colour_of(const hsp_film_sheet *s, int kind) {
    const hsp_style *style = s->style;
    return kind == BEFORE ? hsp_style_mix(style->quiet, style->paper, 0.25)
           : kind == CHANGE ? hsp_style_class_colour(style, 2)
                            : style->ink;
}

static double width_of(int kind) {
    return kind == AFTER ? 2.4 : 2;
}

void hsp_film_arrow(hsp_canvas *c, hsp_place2 from, hsp_place2 tip, hsp_colour colour, double width) {
    double dx = tip.x - from.x, dy = tip.y - from.y, length = hypot(dx, dy);
    if (!(length > 0.5)) return;
    double x = dx / length, y = dy / length, size = fmin(9, 0.7 * length), half = 0.5 * size;
    hsp_place2 neck = {tip.x - size * x, tip.y - size * y};
    hsp_place2 head[] = {tip, {neck.x - half * y, neck.y + half * x}, {neck.x + half * y, neck.y - half * x}};
    hsp_canvas_segments(c, (hsp_place2[]){from, tip}, 1, hsp_canvas_style(c)->paper, width + 3);
    hsp_canvas_segments(c, (hsp_place2[]){from, neck}, 1, colour, width);
    hsp_canvas_area(c, head, 3, colour, 1);
}

/* ---- the key ---- */

/* The name of each vector, and its length. */
static void draw_key(const hsp_film_sheet *s, const double length[VECTORS], int from) {
    const hsp_font font = {s->style->small, 400, s->style->ink}, quiet = {s->style->small, 400, s->style->quiet};
    const char *const name[VECTORS] = {"w before", s->scene->change, from == AFTER ? "w" : "w after"};
    hsp_area f = s->vectors;
    double y = f.y + f.h - (VECTORS - 1) * line_height - 4;
    for (int k = from; k < VECTORS; k++, y += line_height) {
        double middle = y - 0.34 * s->style->small, x = f.x + sample + 8;
        char number[HSP_NUMERAL];
        hsp_film_arrow(s->canvas, (hsp_place2){f.x, middle}, (hsp_place2){f.x + sample, middle}, colour_of(s, k), width_of(k));
        hsp_numeral_round(length[k], 2, number);
        double room = f.w - sample - 14 - hsp_canvas_measure(s->canvas, number, &quiet, 0);
        hsp_canvas_text(s->canvas, name[k], &font, (hsp_place2){x, y}, HSP_ALIGN_LEFT, room);
        hsp_canvas_text(s->canvas, number, &quiet, (hsp_place2){f.x + f.w, y}, HSP_ALIGN_RIGHT, 0);
    }
}

/* ---- the vectors ---- */

/* The least of a few round numbers times a power of ten that is not below v. */
static double round_up(double v) {
    static const double digits[] = {1, 1.5, 2, 3, 4, 5, 7, 10};
    double power = pow(10, floor(log10(v)));
    for (int k = 0; k < 7; k++)
        if (v <= digits[k] * power) return digits[k] * power;
    return 10 * power;
}

/* How often a vector of this length on the sheet is enlarged to be seen: a power of ten. */
static double enlarged(double length) {
    double zoom = 1;
    while (length > 0 && length * zoom < 4 && zoom < 1e6) zoom *= 10;
    return zoom;
}

static void draw_circle(const hsp_film_sheet *s, hsp_place2 centre, double radius, double length) {
    const hsp_font font = {s->style->small, 400, s->style->quiet};
    char number[HSP_NUMERAL];
    hsp_canvas_ring(s->canvas, centre, radius, &(hsp_pen){.colour = s->style->rule, .width = 1});
    hsp_numeral_round(length, 2, number);
    hsp_place2 at = {centre.x + 0.78 * radius, centre.y + 0.92 * radius};
    hsp_canvas_text(s->canvas, number, &font, at, HSP_ALIGN_LEFT, fmax(1, s->vectors.x + s->vectors.w - at.x));
}

/* Beside the circle: how often the change is enlarged. */
static void name_zoom(const hsp_film_sheet *s, double zoom) {
    const hsp_font font = {s->style->small, 600, colour_of(s, CHANGE)};
    char text[HSP_SHORT];
    snprintf(text, sizeof text, "\xC3\x97 %d", (int)zoom);
    hsp_canvas_text(s->canvas, text, &font, (hsp_place2){s->vectors.x + s->vectors.w, s->vectors.y + s->style->small},
                    HSP_ALIGN_RIGHT, 0);
}

/* From the centre of the circle, whose radius on the sheet is `radius` and stands for `whole`. */
static void draw_vectors(const hsp_film_sheet *s, const hsp_film_frame *m, double radius, double whole) {
    double unit = radius / whole;
    hsp_place2 centre = {s->vectors.x + radius + 2, s->vectors.y + radius + 2};
    hsp_place2 before = {centre.x + unit * m->before[1], centre.y - unit * m->before[2]};
    hsp_place2 after = {centre.x + unit * m->g[1], centre.y - unit * m->g[2]};
    double dx = m->g[1] - m->before[1], dy = m->g[2] - m->before[2], zoom = m->changed ? enlarged(unit * hypot(dx, dy)) : 1;
    hsp_place2 added = {before.x + zoom * unit * dx, before.y - zoom * unit * dy};
    const double length[VECTORS] = {hypot(m->before[1], m->before[2]), hypot(dx, dy), hypot(m->g[1], m->g[2])};
    draw_circle(s, centre, radius, whole);
    if (m->changed) hsp_film_arrow(s->canvas, centre, before, colour_of(s, BEFORE), width_of(BEFORE));
    hsp_film_arrow(s->canvas, centre, after, colour_of(s, AFTER), width_of(AFTER));
    if (m->changed) hsp_film_arrow(s->canvas, before, added, colour_of(s, CHANGE), width_of(CHANGE));
    const hsp_mark dot = {.marker = HSP_MARKER_CIRCLE, .radius = 2.6, .fill = s->style->ink, .alpha = 1};
    hsp_canvas_marks(s->canvas, &centre, 1, &dot);
    draw_key(s, length, m->changed ? BEFORE : AFTER);
    if (zoom > 1) name_zoom(s, zoom);
}

void hsp_film_vectors_draw(const hsp_film_sheet *s, const hsp_film_frame *m) {
    hsp_area f = s->vectors;
    double longest = fmax(hypot(m->g[1], m->g[2]), m->changed ? hypot(m->before[1], m->before[2]) : 0);
    if (!(f.w > 0) || !(longest > 0) || !isfinite(longest)) return;
    double radius = fmin((f.h - VECTORS * line_height - 18) / 2, f.w / 2 - 12), whole = round_up(longest);
    if (whole > 0 && isfinite(whole) && isfinite(radius / whole)) draw_vectors(s, m, radius, whole);
}
