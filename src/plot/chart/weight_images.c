#include "plot/chart/weight_view.h"
#include "plot/draw/canvas.h"
#include "plot/draw/numeral.h"
#include "plot/draw/picture_bytes.h"
#include "plot/draw/style.h"
#include "plot/part/chart.h"
#include "plot/part/sentence.h"
#include "plot/part/sheet.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { IMAGES = 30, SIDE = 4096 };

/* ---- which feature is which pixel ---- */

/* The number by which feature j is called, or -1. */
static int64_t number_of(const hsp_weights *w, int64_t j) {
    char buf[32];
    double v;
    const char *label = hsp_model_feature_label(w->m, j, buf);
    if (!label || hsp_parse_number(label, strlen(label), &v) || v < 0 || v > 1e15 || floor(v) != v) return -1;
    return (int64_t)v;
}

int hsp_weights_lay_image(hsp_weights *w, const char *size, hsp_error **err) {
    if (!hsp_style_parse_size(size, SIDE, &w->width, &w->height))
        return hsp_fail(err, HSP_EUSAGE, "'%.40s' is not an image size: write WIDTHxHEIGHT, like 28x28", size);
    int64_t pixels = w->width * w->height, least = INT64_MAX, most = -1;
    w->first = -1;
    if (w->d == pixels) return HSP_OK;
    for (int64_t j = 0; j < w->d && least >= 0; j++) {
        int64_t number = number_of(w, j);
        least = number < least ? number : least;
        most = number > most ? number : most;
    }
    w->first = least == 0 ? 0 : 1;
    if (w->d < pixels && least >= 0 && most - w->first < pixels) return HSP_OK;
    return hsp_fail(err, HSP_EUSAGE, "%lld features do not fill an image of %lld pixels (%s): give the right size",
                    (long long)w->d, (long long)pixels, size);
}

/* ---- colours ---- */

/* The weight of the deepest colour: the largest, or the 99.5th percentile if the largest would make the others pale. */
static int find_scale(const hsp_weights *w, const int64_t *output, int64_t n, double *scale) {
    double *size = hsp_alloc_zero(n * w->d, sizeof *size);
    if (!size) return HSP_EMEMORY;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < w->d; j++) size[i * w->d + j] = fabs(w->w[output[i] * w->d + j]);
    qsort(size, (size_t)(n * w->d), sizeof *size, hsp_ascending);
    double most = size[n * w->d - 1], usual = size[(int64_t)((double)(n * w->d - 1) * 0.995)];
    *scale = usual > 0 && usual < most / 2 ? usual : most;
    hsp_free(size);
    return HSP_OK;
}

/* ---- drawing ---- */

static void draw_image(const hsp_weights *w, hsp_canvas *c, int64_t output, hsp_area cell, const hsp_colour *pixel) {
    const hsp_style *s = hsp_canvas_style(c);
    const hsp_font font = {s->small, 600, s->ink}, quiet = {s->small, 400, s->quiet};
    char name[HSP_SHORT] = "", note[HSP_NUMERAL + 8], b[HSP_NUMERAL];
    double head = w->outputs > 1 ? 1.6 * s->small : 0;
    /* The image is below its name. */
    double room = fmax(4, cell.h - head), side = fmin(cell.w / (double)w->width, room / (double)w->height);
    hsp_area f = {cell.x, cell.y + head, side * (double)w->width, side * (double)w->height};
    hsp_place2 edge[] = {{f.x, f.y}, {f.x + f.w, f.y}, {f.x + f.w, f.y + f.h}, {f.x, f.y + f.h}, {f.x, f.y}};
    hsp_canvas_image(c, f, w->width, w->height, pixel);
    hsp_canvas_line(c, edge, 5, &(hsp_pen){s->rule, 1, 0, 1});
    if (w->outputs == 1) return;
    double taken = hsp_canvas_text(c, hsp_sentence_name(hsp_model_class_name(w->m, output), name), &font,
                                   (hsp_place2){f.x, cell.y + s->small}, HSP_ALIGN_LEFT, cell.w);
    snprintf(note, sizeof note, "b = %s", hsp_numeral_round(w->b[output], 2, b));
    if (taken + 16 + hsp_canvas_measure(c, note, &quiet, 0) < f.w)
        hsp_canvas_text(c, note, &quiet, (hsp_place2){f.x + f.w, cell.y + s->small}, HSP_ALIGN_RIGHT, 0);
}

/* The scale of the colours, along the bottom. */
static void draw_scale(const hsp_weights *w, hsp_canvas *c, hsp_area f, double scale) {
    enum { STEPS = 101 };
    const hsp_style *s = hsp_canvas_style(c);
    const hsp_font font = {s->small, 400, s->quiet};
    hsp_colour pixel[STEPS];
    char lo[HSP_NUMERAL], hi[HSP_NUMERAL];
    for (int i = 0; i < STEPS; i++) pixel[i] = hsp_weights_colour(w, s, (i - STEPS / 2) / (double)(STEPS / 2));
    double width = fmin(260, f.w), y = f.y + f.h - s->small - 14;
    hsp_canvas_image(c, (hsp_area){f.x, y, width, 9}, STEPS, 1, pixel);
    hsp_canvas_text(c, hsp_numeral_round(-scale, 2, lo), &font, (hsp_place2){f.x, f.y + f.h}, HSP_ALIGN_LEFT, 0);
    hsp_canvas_text(c, "0", &font, (hsp_place2){f.x + width / 2, f.y + f.h}, HSP_ALIGN_CENTRE, 0);
    hsp_canvas_text(c, hsp_numeral_round(scale, 2, hi), &font, (hsp_place2){f.x + width, f.y + f.h}, HSP_ALIGN_RIGHT, 0);
}

static int draw_all(const hsp_weights *w, hsp_canvas *c, const char *first, const char *second, const int64_t *output,
                    int n, hsp_colour *pixel) {
    const hsp_style *s = hsp_canvas_style(c);
    char noted[HSP_SENTENCE + 80];
    double scale = 0;
    int rows, columns, status = find_scale(w, output, n, &scale);
    if (status != HSP_OK) return status;
    snprintf(noted, sizeof noted, "%s", first);
    if (n < w->outputs)
        snprintf(noted, sizeof noted, "%s; the %d of %lld classes with the largest", first, n, (long long)w->outputs);
    hsp_area f = hsp_sheet_head(c, hsp_chart_title(w->in, "Weights"), noted, second), room = f;
    room.h -= s->small + 38;
    hsp_sheet_grid(room, n, (double)w->width / (double)w->height, &rows, &columns);
    for (int i = 0; i < n; i++) {
        for (int64_t k = 0; k < w->width * w->height; k++) pixel[k] = s->paper;
        for (int64_t j = 0; j < w->d; j++)
            pixel[w->first < 0 ? j : number_of(w, j) - w->first] =
                hsp_weights_colour(w, s, scale > 0 ? w->w[output[i] * w->d + j] / scale : 0);
        draw_image(w, c, output[i], hsp_sheet_cell(room, rows, columns, 20, i), pixel);
    }
    draw_scale(w, c, f, scale);
    return HSP_OK;
}

int hsp_weights_images(const hsp_weights *w, hsp_canvas *c, const char *first, const char *second) {
    int64_t output[IMAGES], n = hsp_weights_choose(w, output, IMAGES);
    if (n < 0) return (int)n;
    hsp_colour *pixel = hsp_alloc_zero(w->width * w->height, sizeof *pixel);
    if (!pixel) return HSP_EMEMORY;
    int status = draw_all(w, c, first, second, output, (int)n, pixel);
    hsp_free(pixel);
    return status;
}
