/* The texts of a picture and where they are: for tests linked with --wrap of the canvas functions that write. A file
 * has only glyphs, no words. */
#ifndef HSP_TESTS_WRITTEN_H
#define HSP_TESTS_WRITTEN_H

#include "plot/draw/canvas.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

typedef struct written_text {
    char text[240];
    hsp_area box;
    bool cut; /* too long for its space */
} written_text;

enum { WRITTEN = 4096 };
static written_text written[WRITTEN];
static int written_count;

double __real_hsp_canvas_text(hsp_canvas *c, const char *text, const hsp_font *font, hsp_place2 at, hsp_align align,
                              double max);
double __wrap_hsp_canvas_text(hsp_canvas *c, const char *text, const hsp_font *font, hsp_place2 at, hsp_align align,
                              double max);
double __real_hsp_canvas_sentence(hsp_canvas *c, const char *text, const hsp_font *font, hsp_place2 at, double max);
double __wrap_hsp_canvas_sentence(hsp_canvas *c, const char *text, const hsp_font *font, hsp_place2 at, double max);
void __real_hsp_canvas_text_up(hsp_canvas *c, const char *text, const hsp_font *font, hsp_place2 at, double max);
void __wrap_hsp_canvas_text_up(hsp_canvas *c, const char *text, const hsp_font *font, hsp_place2 at, double max);

/* Boxes are as high as capital letters. */
static void written_note(hsp_canvas *c, const char *text, const hsp_font *font, double x, double y, double w, bool up,
                         double max) {
    if (!*text || written_count == WRITTEN) return;
    written_text *t = &written[written_count++];
    double high = 0.72 * font->size;
    snprintf(t->text, sizeof t->text, "%s", text);
    t->box = up ? (hsp_area){x - high, y, high, w} : (hsp_area){x, y - high, w, high};
    t->cut = max > 0 && hsp_canvas_measure(c, text, font, 0) > max + 0.01;
}

double __wrap_hsp_canvas_text(hsp_canvas *c, const char *text, const hsp_font *font, hsp_place2 at, hsp_align align,
                              double max) {
    double w = __real_hsp_canvas_text(c, text, font, at, align, max);
    double x = align == HSP_ALIGN_LEFT ? at.x : align == HSP_ALIGN_CENTRE ? at.x - w / 2 : at.x - w;
    written_note(c, text, font, x, at.y, w, false, max);
    return w;
}

double __wrap_hsp_canvas_sentence(hsp_canvas *c, const char *text, const hsp_font *font, hsp_place2 at, double max) {
    double w = __real_hsp_canvas_sentence(c, text, font, at, max);
    written_note(c, text, font, at.x, at.y, w, false, max);
    return w;
}

void __wrap_hsp_canvas_text_up(hsp_canvas *c, const char *text, const hsp_font *font, hsp_place2 at, double max) {
    double w = hsp_canvas_measure(c, text, font, max);
    __real_hsp_canvas_text_up(c, text, font, at, max);
    written_note(c, text, font, at.x, at.y - w / 2, w, true, max);
}

/* ---- questions ---- */

/* How many texts have these words. */
__attribute__((unused)) static int written_with(const char *words) {
    int n = 0;
    for (int i = 0; i < written_count; i++) n += strstr(written[i].text, words) != NULL;
    return n;
}

/* Prints the first pair that overlaps, and what is off the sheet, to stderr; true when there is none. */
__attribute__((unused)) static bool written_apart(double width, double height) {
    for (int i = 0; i < written_count; i++) {
        hsp_area f = written[i].box;
        if (f.x < -0.5 || f.y < -0.5 || f.x + f.w > width + 0.5 || f.y + f.h > height + 0.5) {
            fprintf(stderr, "'%s' leaves the sheet: %.0f, %.0f\n", written[i].text, f.x, f.y);
            return false;
        }
        for (int j = 0; j < i; j++) {
            hsp_area g = written[j].box;
            double w = fmin(f.x + f.w, g.x + g.w) - fmax(f.x, g.x), h = fmin(f.y + f.h, g.y + g.h) - fmax(f.y, g.y);
            if (!(w > 0.5 && h > 0.5)) continue;
            fprintf(stderr, "'%s' lies on '%s'\n", written[i].text, written[j].text);
            return false;
        }
    }
    return true;
}

/* The first text that was cut, except those that contain `name`; true when there is none. */
__attribute__((unused)) static bool written_whole(const char *name) {
    for (int i = 0; i < written_count; i++)
        if (written[i].cut && !(name && strstr(written[i].text, name))) {
            fprintf(stderr, "'%s' is cut\n", written[i].text);
            return false;
        }
    return true;
}

#endif
