#include "plot/part/legend.h"

#include "plot/draw/numeral.h"
#include "plot/draw/style.h"
#include "plot/part/scatter.h"

#include <math.h>
#include <stdio.h>

static const double line_height = 25, least_height = 18, note_height = 18, key_width = 30, gap = 12;
static const double beside = 28, narrow = 400;          /* the gap left of it; a sheet below this width has none */
static const int64_t least_rows = 100, most_rows = 400; /* clouds whose marks have a good size for a key */

static hsp_font name_font(const hsp_canvas *c) {
    const hsp_style *s = hsp_canvas_style(c);
    return (hsp_font){s->text, 500, s->ink};
}

static hsp_font note_font(const hsp_canvas *c) {
    const hsp_style *s = hsp_canvas_style(c);
    return (hsp_font){s->small, 400, s->quiet};
}

static hsp_font item_font(const hsp_canvas *c, const hsp_legend_item *i) {
    return i->name ? name_font(c) : note_font(c);
}

enum { CONDITION = 32 + HSP_NUMERAL };

/* "g > 0", "boundary g = 1.5" */
static const char *condition(const hsp_legend *l, const char *words, char *out) {
    char number[HSP_NUMERAL];
    snprintf(out, CONDITION, "%s %s", words, hsp_numeral_round(l->threshold, 3, number));
    return out;
}

static const char *sign_of(const hsp_legend *l, int64_t k, char out[CONDITION]) {
    return l->positive < 0 ? "" : condition(l, k == l->positive ? "g >" : "g \xE2\x89\xA4", out);
}

static const char *boundary_name(const hsp_legend *l, char out[CONDITION]) {
    return l->positive < 0 ? "boundary" : condition(l, "boundary g =", out);
}

/* In a dense cloud their colour is nearer to the ink. */
static void write_wrong(const hsp_legend *l, const hsp_style *s, char *out, size_t size) {
    char number[HSP_NUMERAL] = "";
    const char *shade = !hsp_scatter_dense(l->rows) ? "" : s->lift > 0 ? " (lighter)" : " (darker)";
    if (l->wrong > 0) hsp_numeral_decimal(l->wrong, 0, number);
    snprintf(out, size, "%s%smisclassified%s", number, number[0] ? " " : "", shade);
}

/* Dots of a dense cloud differ in colour alone, and there may be more classes than colours. */
static const char *shared_colours(const hsp_legend *l) {
    return hsp_scatter_dense(l->rows) && l->classes > HSP_STYLE_COLOURS ? "colours repeat after 24" : NULL;
}

static double legend_width(const hsp_legend *l, hsp_canvas *c, double max) {
    const hsp_font name = name_font(c), note = note_font(c);
    char text[2 * HSP_NUMERAL], sign[CONDITION];
    double room = max - key_width, widest = 0;
    for (int64_t k = 0; k < l->classes && k < 40; k++) {
        double side = l->positive < 0 ? 0 : gap + hsp_canvas_measure(c, sign_of(l, k, sign), &note, 0);
        widest = fmax(widest, side + hsp_canvas_measure(c, l->class_name[k], &name, room - side));
    }
    /* Only names are shortened. */
    if (l->wrong != 0) {
        write_wrong(l, hsp_canvas_style(c), text, sizeof text);
        widest = fmax(widest, hsp_canvas_measure(c, text, &note, 0));
    }
    if (l->boundary) widest = fmax(widest, hsp_canvas_measure(c, boundary_name(l, sign), &note, 0));
    if (shared_colours(l)) widest = fmax(widest, hsp_canvas_measure(c, shared_colours(l), &note, 0));
    for (int64_t i = 0; i < l->items; i++) {
        const hsp_font font = item_font(c, &l->item[i]);
        widest = fmax(widest, hsp_canvas_measure(c, l->item[i].text, &font, l->item[i].name ? room : 0));
        if (l->item[i].note) widest = fmax(widest, hsp_canvas_measure(c, l->item[i].note, &note, 0));
    }
    return key_width + widest;
}

double hsp_legend_room(const hsp_legend *l, hsp_canvas *c, double most) {
    double sheet = hsp_canvas_style(c)->width;
    return sheet < narrow ? 0 : beside + legend_width(l, c, fmin(most, 0.32 * sheet));
}

/* ---- drawing ---- */

static hsp_mark key_mark(const hsp_legend *l, hsp_canvas *c, int32_t k, bool marked) {
    int64_t rows = l->rows < least_rows ? least_rows : l->rows > most_rows ? most_rows : l->rows;
    hsp_mark m = hsp_scatter_mark(hsp_canvas_style(c), rows, k, marked);
    if (!hsp_scatter_dense(l->rows)) return m;
    double radius = m.radius;
    m = hsp_scatter_mark(hsp_canvas_style(c), l->rows, k, marked);
    m.radius = radius;
    return m;
}

static void draw_class(const hsp_legend *l, hsp_canvas *c, int64_t k, hsp_place2 at, double width) {
    const hsp_font name = name_font(c), note = note_font(c);
    char sign[CONDITION];
    hsp_mark m = key_mark(l, c, (int32_t)k, false);
    hsp_place2 centre = {at.x + 10, at.y - 0.36 * name.size};
    hsp_canvas_marks(c, &centre, 1, &m);
    double side = l->positive < 0 ? 0 : gap + hsp_canvas_measure(c, sign_of(l, k, sign), &note, 0);
    double taken = hsp_canvas_text(c, l->class_name[k], &name, (hsp_place2){at.x + key_width, at.y}, HSP_ALIGN_LEFT,
                                   width - key_width - side);
    if (side > 0)
        hsp_canvas_text(c, sign_of(l, k, sign), &note, (hsp_place2){at.x + key_width + taken + gap, at.y}, HSP_ALIGN_LEFT, 0);
}

/* A hollow mark with the edge of misclassified points. */
static void draw_wrong(const hsp_legend *l, hsp_canvas *c, hsp_place2 at, double width) {
    const hsp_font note = note_font(c);
    char text[2 * HSP_NUMERAL];
    hsp_mark m = key_mark(l, c, 0, true);
    const hsp_style *s = hsp_canvas_style(c);
    m.fill = hsp_scatter_dense(l->rows) ? hsp_style_mix(s->quiet, s->ink, 0.55) : s->paper; /* not the colour of a class */
    m.marker = HSP_MARKER_CIRCLE;
    hsp_place2 centre = {at.x + 10, at.y - 0.36 * note.size};
    hsp_canvas_marks(c, &centre, 1, &m);
    write_wrong(l, hsp_canvas_style(c), text, sizeof text);
    hsp_canvas_text(c, text, &note, (hsp_place2){at.x + key_width, at.y}, HSP_ALIGN_LEFT, width - key_width);
}

static double draw_item(const hsp_legend_item *i, hsp_canvas *c, hsp_place2 at, double width) {
    const hsp_font font = item_font(c, i), note = note_font(c);
    double middle = at.y - 0.36 * font.size;
    if (i->sample == HSP_SAMPLE_RING) {
        const hsp_place2 centre = {at.x + 10, middle};
        const hsp_mark dot = {.marker = HSP_MARKER_CIRCLE, .radius = 3, .fill = hsp_canvas_style(c)->rule, .alpha = 1};
        hsp_canvas_marks(c, &centre, 1, &dot);
        hsp_canvas_ring(c, centre, 7, &i->pen);
    } else if (i->sample == HSP_SAMPLE_LINE) {
        const hsp_place2 line[] = {{at.x, middle}, {at.x + 21, middle}};
        hsp_canvas_line(c, line, 2, &i->pen);
    }
    hsp_canvas_text(c, i->text, &font, (hsp_place2){at.x + key_width, at.y}, HSP_ALIGN_LEFT, width - key_width);
    if (!i->note) return line_height;
    hsp_canvas_text(c, i->note, &note, (hsp_place2){at.x + key_width, at.y + note_height}, HSP_ALIGN_LEFT,
                    width - key_width);
    return line_height + note_height;
}

/* The height of all that follows the classes. */
static double rest_height(const hsp_legend *l) {
    double height =
        gap + (shared_colours(l) ? note_height : 0) + (l->wrong != 0 ? line_height : 0) + (l->boundary ? line_height : 0);
    for (int64_t i = 0; i < l->items; i++) height += line_height + (l->item[i].note ? note_height : 0);
    return height;
}

void hsp_legend_draw(const hsp_legend *l, hsp_canvas *c, hsp_area sheet, double top, double width) {
    const hsp_font note = note_font(c);
    const hsp_area f = {sheet.x + sheet.w - width + beside, top, width - beside, sheet.y + sheet.h - top};
    if (width <= 0) return;
    double y = f.y + hsp_canvas_style(c)->text;
    double room = f.h - rest_height(l), step = fmin(line_height, fmax(least_height, room / (double)(l->classes + 1)));
    int64_t lines = (int64_t)fmax(2, room / step);
    int64_t shown = l->classes <= lines ? l->classes : lines - 1;
    char text[2 * HSP_NUMERAL], number[HSP_NUMERAL], sign[CONDITION];
    for (int64_t k = 0; k < shown; k++, y += step) draw_class(l, c, k, (hsp_place2){f.x, y}, f.w);
    if (shown < l->classes) {
        snprintf(text, sizeof text, "and %s more", hsp_numeral_decimal(l->classes - shown, 0, number));
        hsp_canvas_text(c, text, &note, (hsp_place2){f.x + key_width, y}, HSP_ALIGN_LEFT, f.w - key_width);
        y += step;
    }
    if (shared_colours(l)) {
        hsp_canvas_text(c, shared_colours(l), &note, (hsp_place2){f.x + key_width, y}, HSP_ALIGN_LEFT, f.w - key_width);
        y += note_height;
    }
    y += gap;
    if (l->wrong != 0) {
        draw_wrong(l, c, (hsp_place2){f.x, y}, f.w);
        y += line_height;
    }
    if (l->boundary) {
        const hsp_legend_item line = {.pen = {hsp_canvas_style(c)->ink, 2, 0, 1}, .text = boundary_name(l, sign)};
        y += draw_item(&line, c, (hsp_place2){f.x, y}, f.w);
    }
    for (int64_t i = 0; i < l->items; i++) y += draw_item(&l->item[i], c, (hsp_place2){f.x, y}, f.w);
}
