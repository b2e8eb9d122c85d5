#include "plot/part/key.h"

#include "plot/draw/style.h"

#include <math.h>
#include <stdio.h>

static const double swatch = 22, gap = 10, line_height = 1.75; /* of the type size */

/* 0 if the figures would leave no space for the names. */
static double figures_width(const hsp_key *k, hsp_canvas *c, double max) {
    const hsp_font font = {hsp_canvas_style(c)->text, 400, 0}, head = {hsp_canvas_style(c)->small, 400, 0};
    double widest = k->figure_head ? hsp_canvas_measure(c, k->figure_head, &head, 0) : 0;
    for (int64_t i = 0; i < k->lines; i++)
        if (k->line[i].figure) widest = fmax(widest, hsp_canvas_measure(c, k->line[i].figure, &font, 0));
    bool fits = max - swatch - gap - widest - 2 * gap > 2 * font.size;
    return widest > 0 && fits ? widest + 2 * gap : 0;
}

/* The width of the list, without the notes. */
static double list_width(const hsp_key *k, hsp_canvas *c, double max) {
    const hsp_font font = {hsp_canvas_style(c)->text, 500, 0};
    double beside = swatch + gap + figures_width(k, c, max), widest = 60;
    for (int64_t i = 0; i < k->lines; i++)
        widest = fmax(widest, hsp_canvas_measure(c, k->line[i].name, &font, fmax(1, max - beside)));
    return fmin(max, widest + beside);
}

/* Leaves the lines to the page. */
static void keep_lines(const hsp_key *k, hsp_aside *aside) {
    aside->lines = k->lines < HSP_ASIDE_LINES ? k->lines : HSP_ASIDE_LINES;
    for (int64_t i = 0; i < aside->lines; i++) {
        aside->line[i].name = k->line[i].name;
        aside->line[i].colour = k->line[i].pen.colour;
        aside->line[i].dashed = k->line[i].pen.dash > 0;
        snprintf(aside->line[i].figure, HSP_ASIDE_FIGURE, "%s", k->line[i].figure ? k->line[i].figure : "");
    }
}

double hsp_key_width(const hsp_key *k, hsp_canvas *c, double max) {
    const hsp_font font = {hsp_canvas_style(c)->small, 400, 0};
    if (hsp_canvas_style(c)->aside) return 0;
    double widest = list_width(k, c, max);
    if (k->note) widest = fmax(widest, hsp_canvas_measure(c, k->note, &font, max));
    if (k->note2) widest = fmax(widest, hsp_canvas_measure(c, k->note2, &font, max));
    return fmin(max, widest);
}

static double draw_notes(const hsp_key *k, hsp_canvas *c, double x, double y, double room) {
    const hsp_style *s = hsp_canvas_style(c);
    const hsp_font quiet = {s->small, 400, s->quiet};
    const char *const notes[] = {k->note, k->note2};
    y += 0.3 * s->small;
    for (int i = 0; i < 2; i++) {
        if (!notes[i] || hsp_canvas_measure(c, notes[i], &quiet, 0) > room)
            continue; /* a note that does not fit is left out */
        hsp_canvas_text(c, notes[i], &quiet, (hsp_place2){x, y}, HSP_ALIGN_LEFT, room);
        y += 1.4 * s->small;
    }
    return y;
}

double hsp_key_draw(const hsp_key *k, hsp_canvas *c, hsp_area f) {
    const hsp_style *s = hsp_canvas_style(c);
    const hsp_font quiet = {s->small, 400, s->quiet};
    if (s->aside) {
        keep_lines(k, s->aside);
        return f.y;
    }
    double figures = figures_width(k, c, f.w), width = list_width(k, c, f.w), step = line_height * s->text,
           y = f.y + s->text;
    double notes = (k->note ? 1.7 * s->small : 0) + (k->note2 ? 1.4 * s->small : 0);
    if (k->head) {
        hsp_canvas_text(c, k->head, &quiet, (hsp_place2){f.x, y}, HSP_ALIGN_LEFT, fmax(1, width - figures));
        if (k->figure_head && figures > 0)
            hsp_canvas_text(c, k->figure_head, &quiet, (hsp_place2){f.x + width, y}, HSP_ALIGN_RIGHT, 0);
        y += step;
    }
    int64_t room = (int64_t)((f.y + f.h - notes - y) / step) + 1;
    bool noted = k->lines <= room; /* names have priority over notes */
    if (!noted) room = (int64_t)((f.y + f.h - y) / step) + 1;
    int64_t shown = k->lines <= room ? k->lines : room > 1 ? room - 1 : 0;
    for (int64_t i = 0; i < shown; i++, y += step) {
        const hsp_font name = {s->text, 500, s->ink}, figure = {s->text, 400, s->ink};
        double middle = y - 0.36 * s->text;
        hsp_canvas_line(c, (hsp_place2[]){{f.x, middle}, {f.x + swatch, middle}}, 2, &k->line[i].pen);
        hsp_canvas_text(c, k->line[i].name, &name, (hsp_place2){f.x + swatch + gap, y}, HSP_ALIGN_LEFT,
                        fmax(1, width - swatch - gap - figures));
        if (k->line[i].figure && figures > 0)
            hsp_canvas_text(c, k->line[i].figure, &figure, (hsp_place2){f.x + width, y}, HSP_ALIGN_RIGHT, 0);
    }
    if (shown < k->lines) {
        char more[64];
        snprintf(more, sizeof more, "and %lld more", (long long)(k->lines - shown));
        hsp_canvas_text(c, more, &quiet, (hsp_place2){f.x, y}, HSP_ALIGN_LEFT, f.w);
        y += step;
    }
    return noted ? draw_notes(k, c, f.x, y, f.w) : y;
}

static const double between = 24, after_box = 8;

bool hsp_key_row_fits(hsp_canvas *c, const char *const *name, int64_t n, double room) {
    const hsp_font font = {hsp_canvas_style(c)->text, 500, 0};
    double each = (room + between) / (double)n - 0.8 * font.size - after_box - between;
    for (int64_t i = 0; i < n; i++)
        if (hsp_canvas_measure(c, name[i], &font, 0) > each) return false;
    return true;
}

void hsp_key_row(hsp_canvas *c, const hsp_key_line *line, int64_t n, double x, double y, double room) {
    const hsp_style *s = hsp_canvas_style(c);
    const hsp_font name = {s->text, 500, s->ink};
    const double box = 0.8 * s->text, each = (room + between) / (double)n - box - after_box - between;
    for (int64_t i = 0; i < n; i++) {
        hsp_area f = {x, y - box + 1, box, box};
        hsp_canvas_box(c, f, line[i].pen.colour, 0.55);
        hsp_place2 edge[] = {{f.x, f.y}, {f.x + f.w, f.y}, {f.x + f.w, f.y + f.h}, {f.x, f.y + f.h}, {f.x, f.y}};
        hsp_canvas_line(c, edge, 5, &(hsp_pen){line[i].pen.colour, 1.5, 0, 1});
        x += box + after_box;
        x += hsp_canvas_text(c, line[i].name, &name, (hsp_place2){x, y}, HSP_ALIGN_LEFT, fmax(10, each)) + between;
    }
}
