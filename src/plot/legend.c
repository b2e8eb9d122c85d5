#include "plot/legend.h"

#include "plot/numeral.h"
#include "plot/scatter.h"

#include <math.h>
#include <stdio.h>

static const double line_height = 25, key_width = 26, gap = 12;
static const int64_t least_rows = 100, most_rows = 400; /* sizes of marks that are well seen in a key */

static hsp_font name_font(const hsp_canvas *c) {
    const hsp_style *s = hsp_canvas_style(c);
    return (hsp_font){s->text, 500, s->ink};
}

static hsp_font note_font(const hsp_canvas *c) {
    const hsp_style *s = hsp_canvas_style(c);
    return (hsp_font){s->small, 400, s->quiet};
}

static const char *side_of(const hsp_legend *l, int64_t k) {
    return l->positive < 0 ? "" : k == l->positive ? "g > 0" : "g \xE2\x89\xA4 0";
}

static void say_wrong(const hsp_legend *l, char *out, size_t size) {
    char number[HSP_NUMERAL];
    hsp_numeral_decimal(l->wrong, 0, number);
    snprintf(out, size, "%s misclassified%s", number, hsp_scatter_dense(l->rows) ? " (darker)" : "");
}

double hsp_legend_width(const hsp_legend *l, hsp_canvas *c, double max) {
    const hsp_font name = name_font(c), note = note_font(c);
    char text[2 * HSP_NUMERAL];
    double room = max - key_width, widest = 0;
    for (int64_t k = 0; k < l->classes && k < 40; k++) {
        double side = l->positive < 0 ? 0 : gap + hsp_canvas_measure(c, side_of(l, k), &note, 0);
        widest = fmax(widest, side + hsp_canvas_measure(c, l->class_name[k], &name, room - side));
    }
    if (l->wrong > 0) {
        say_wrong(l, text, sizeof text);
        widest = fmax(widest, hsp_canvas_measure(c, text, &note, room));
    }
    if (l->boundary) widest = fmax(widest, hsp_canvas_measure(c, "boundary g = 0", &note, room));
    return key_width + widest;
}

static hsp_mark key_mark(const hsp_legend *l, hsp_canvas *c, int32_t k, bool marked) {
    int64_t rows = l->rows < least_rows ? least_rows : l->rows > most_rows ? most_rows : l->rows;
    return hsp_scatter_mark(hsp_canvas_style(c), rows, k, marked);
}

static void draw_class(const hsp_legend *l, hsp_canvas *c, int64_t k, hsp_place2 at, double width) {
    const hsp_font name = name_font(c), note = note_font(c);
    hsp_mark m = key_mark(l, c, (int32_t)k, false);
    hsp_place2 centre = {at.x + 8, at.y - 0.36 * name.size};
    hsp_canvas_marks(c, &centre, 1, &m);
    double side = l->positive < 0 ? 0 : gap + hsp_canvas_measure(c, side_of(l, k), &note, 0);
    double taken = hsp_canvas_text(c, l->class_name[k], &name, (hsp_place2){at.x + key_width, at.y}, HSP_ALIGN_LEFT,
                                   width - key_width - side);
    if (side > 0)
        hsp_canvas_text(c, side_of(l, k), &note, (hsp_place2){at.x + key_width + taken + gap, at.y}, HSP_ALIGN_LEFT, 0);
}

/* A hollow mark in the colour of the edge that marks the wrong ones. */
static void draw_wrong(const hsp_legend *l, hsp_canvas *c, hsp_place2 at, double width) {
    const hsp_font note = note_font(c);
    char text[2 * HSP_NUMERAL];
    hsp_mark m = key_mark(l, c, 0, true);
    if (hsp_scatter_dense(l->rows)) {
        m.edge = 0;
        m.fill = hsp_canvas_style(c)->ink;
    } else {
        m.fill = hsp_canvas_style(c)->paper;
    }
    m.marker = HSP_MARKER_CIRCLE;
    hsp_place2 centre = {at.x + 8, at.y - 0.36 * note.size};
    hsp_canvas_marks(c, &centre, 1, &m);
    say_wrong(l, text, sizeof text);
    hsp_canvas_text(c, text, &note, (hsp_place2){at.x + key_width, at.y}, HSP_ALIGN_LEFT, width - key_width);
}

void hsp_legend_draw(const hsp_legend *l, hsp_canvas *c, hsp_frame f) {
    const hsp_font note = note_font(c);
    double y = f.y + hsp_canvas_style(c)->text;
    int64_t lines = (int64_t)(f.h / line_height) - 3; /* the last three are for the rest of the key */
    int64_t shown = l->classes <= lines ? l->classes : lines - 1;
    char text[2 * HSP_NUMERAL], number[HSP_NUMERAL];
    for (int64_t k = 0; k < shown; k++, y += line_height) draw_class(l, c, k, (hsp_place2){f.x, y}, f.w);
    if (shown < l->classes) {
        hsp_numeral_decimal(l->classes - shown, 0, number);
        snprintf(text, sizeof text, "and %s more", number);
        hsp_canvas_text(c, text, &note, (hsp_place2){f.x + key_width, y}, HSP_ALIGN_LEFT, f.w - key_width);
        y += line_height;
    }
    y += gap;
    if (l->wrong > 0) {
        draw_wrong(l, c, (hsp_place2){f.x, y}, f.w);
        y += line_height;
    }
    if (!l->boundary) return;
    double middle = y - 0.36 * note.size;
    hsp_place2 line[] = {{f.x, middle}, {f.x + 16, middle}};
    hsp_canvas_segments(c, line, 1, hsp_canvas_style(c)->ink, 2);
    hsp_canvas_text(c, l->positive < 0 ? "boundary" : "boundary g = 0", &note, (hsp_place2){f.x + key_width, y},
                    HSP_ALIGN_LEFT, f.w - key_width);
}
