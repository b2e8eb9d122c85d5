/* The chart `confusion`: a cell for each pair of classes, true classes down, predicted ones across, as dark as its share of the
 * row. Counts are written if all of them fit. */
#include "plot/draw/canvas.h"
#include "plot/draw/numeral.h"
#include "plot/draw/picture_bytes.h"
#include "plot/draw/style.h"
#include "plot/part/chart.h"
#include "plot/part/sentence.h"
#include "plot/part/sheet.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BOXES = 40 }; /* up to this many classes the cells are separate boxes; of more an image */

/* How counts are written, the same in all cells: in full, as "12 k", or not at all. */
typedef enum figures { FIGURES_FULL, FIGURES_SHORT, FIGURES_NONE } figures;

typedef struct confusion {
    const hsp_chart_input *in;
    const hsp_report *s;
    const double *count; /* K x K, of the study */
    int64_t K;
    double *sum; /* K: of the rows; owned */
    hsp_area f;  /* of the cells */
    double cell_w, cell_h;
    double type;            /* type size of the names */
    int64_t every, every_x; /* every k-th class is named, down and across */
    bool upright;           /* names below the columns read upwards */
    figures form;
    double figure; /* type size of the counts */
    bool shares;   /* percentages are written below the counts */
} confusion;

static const char *class_name(const confusion *d, int64_t k) {
    const char *name = hsp_report_text_at(d->s, "classes", k);
    return name ? name : "";
}

/* By the share of the cell in its row. */
static hsp_colour cell_colour(const confusion *d, const hsp_style *s, int64_t i, int64_t j) {
    double count = d->count[i * d->K + j];
    return count > 0 ? hsp_style_sequential(s, 0.08 + 0.92 * (count / d->sum[i])) : hsp_style_mix(s->paper, s->grid, 0.6);
}

/* ---- words ---- */

static void describe_confusion(const confusion *d, char *first, char *second) {
    char part[HSP_NUMERAL], whole[HSP_NUMERAL], right[HSP_NUMERAL], rows[HSP_SHORT], a[HSP_SHORT], b[HSP_SHORT];
    double correct = hsp_report_number(d->s, "correct"), mass = hsp_report_number(d->s, "mass"), most = 0;
    int64_t i = 0, j = 0;
    snprintf(first, HSP_SENTENCE, "%s: %s correct, %s of %s", hsp_sentence_rows(d->in, d->s, rows),
             hsp_sentence_percent(correct, mass, part), hsp_sentence_count(correct, right),
             hsp_sentence_count(mass, whole));
    for (int64_t k = 0; k < d->K; k++)
        for (int64_t l = 0; l < d->K; l++)
            if (k != l && d->count[k * d->K + l] > most) most = d->count[k * d->K + l], i = k, j = l;
    bool weighted = hsp_report_number(d->s, "weighted") > 0;
    if (most > 0)
        snprintf(second, HSP_SENTENCE, "most common mistake: %s predicted as %s, %s%s%s",
                 hsp_sentence_name(class_name(d, i), a), hsp_sentence_name(class_name(d, j), b), weighted ? "weight " : "",
                 most == 1 && !weighted ? "once" : hsp_sentence_count(most, part), most == 1 || weighted ? "" : " times");
    else
        snprintf(second, HSP_SENTENCE, "no mistakes");
}

/* ---- layout ---- */

static double widest_name(const confusion *d, hsp_canvas *c, double max) {
    const hsp_font font = {d->type, 400, 0};
    double widest = 0;
    for (int64_t k = 0; k < d->K; k += d->every) widest = fmax(widest, hsp_canvas_measure(c, class_name(d, k), &font, max));
    return widest;
}

/* ---- drawing ---- */

static void draw_names(const confusion *d, hsp_canvas *c, hsp_area sheet) {
    const hsp_style *s = hsp_canvas_style(c);
    const hsp_font font = {d->type, 400, s->quiet}, head = {s->text, 500, s->ink};
    double bottom = d->f.y + d->f.h, room = fmax(10, d->f.x - sheet.x - 1.7 * s->text - 10);
    double under = sheet.y + sheet.h - 1.7 * s->text - bottom - 8;
    for (int64_t k = 0; k < d->K; k += d->every) {
        double y = d->f.y + ((double)k + 0.5) * d->cell_h;
        hsp_canvas_text(c, class_name(d, k), &font, (hsp_place2){d->f.x - 10, y + 0.36 * d->type}, HSP_ALIGN_RIGHT, room);
    }
    for (int64_t k = 0; k < d->K; k += d->every_x) {
        double x = d->f.x + ((double)k + 0.5) * d->cell_w;
        if (d->upright) {
            double length = hsp_canvas_measure(c, class_name(d, k), &font, under);
            hsp_canvas_text_up(c, class_name(d, k), &font, (hsp_place2){x + 0.36 * d->type, bottom + 8 + length / 2},
                               under);
        } else {
            hsp_canvas_text(c, class_name(d, k), &font, (hsp_place2){x, bottom + 6 + d->type}, HSP_ALIGN_CENTRE,
                            d->cell_w * (double)d->every_x - 6);
        }
    }
    hsp_canvas_text_up(c, "true class", &head, (hsp_place2){sheet.x + 0.8 * s->text, d->f.y + d->f.h / 2}, d->f.h);
    hsp_canvas_text(c, "predicted class", &head, (hsp_place2){d->f.x + d->f.w / 2, sheet.y + sheet.h - 0.3 * s->text},
                    HSP_ALIGN_CENTRE, d->f.w + 60);
}

/* 12 345 in full, or "12 k" with two or three digits. */
static void write_count(figures form, double v, char *out) {
    static const char *const units[] = {"", "k", "M", "G", "T", "P"};
    int unit = 0;
    if (form == FIGURES_FULL || v < 1000) {
        hsp_sentence_count(form == FIGURES_FULL || floor(v) == v ? v : round(v * 10) / 10, out);
        return;
    }
    for (; v >= 999.5 && unit < 5; unit++) v /= 1000;
    hsp_sentence_count(v < 9.95 ? round(v * 10) / 10 : round(v), out);
    size_t at = strlen(out);
    snprintf(out + at, HSP_NUMERAL - at, "\xE2\x80\xAF%s", units[unit]);
}

static double gap_of(const confusion *d) {
    return d->cell_h > 16 ? 2 : d->cell_h > 6 ? 1 : 0;
}

/* The widest of the counts, or of the shares, that are written. */
static double widest_figure(const confusion *d, hsp_canvas *c, figures form, bool shares, double size) {
    const hsp_font font = {size, 500, 0};
    char text[HSP_NUMERAL];
    double widest = 0;
    for (int64_t e = 0; e < d->K * d->K; e++) {
        if (d->count[e] == 0) continue;
        if (shares)
            hsp_sentence_percent(d->count[e], d->sum[e / d->K], text);
        else
            write_count(form, d->count[e], text);
        widest = fmax(widest, hsp_canvas_measure(c, text, &font, 0));
    }
    return widest;
}

/* The count and, if both fit, the share of the row below it. */
static void write_cell(const confusion *d, hsp_canvas *c, int64_t i, int64_t j, hsp_area f, hsp_colour ground) {
    char count[HSP_NUMERAL], part[HSP_NUMERAL];
    hsp_colour ink = hsp_style_text_on(hsp_canvas_style(c), ground);
    const hsp_font font = {d->figure, 500, ink}, small = {0.85 * d->figure, 400, hsp_style_mix(ground, ink, 0.75)};
    double v = d->count[i * d->K + j], y = f.y + f.h / 2 + (d->shares ? -0.25 : 0.36) * font.size;
    if (v == 0 || d->form == FIGURES_NONE) return;
    write_count(d->form, v, count);
    hsp_canvas_text(c, count, &font, (hsp_place2){f.x + f.w / 2, y}, HSP_ALIGN_CENTRE, 0);
    if (d->shares)
        hsp_canvas_text(c, hsp_sentence_percent(v, d->sum[i], part), &small,
                        (hsp_place2){f.x + f.w / 2, y + 1.4 * font.size}, HSP_ALIGN_CENTRE, 0);
}

static void draw_boxes(confusion *d, hsp_canvas *c) {
    const hsp_style *s = hsp_canvas_style(c);
    /* The first form in which all counts fit their cells: in full, short, short and small; else none is written. */
    double w = d->cell_w - gap_of(d), h = d->cell_h - gap_of(d), size = fmin(1.6 * s->small, fmax(s->small, 0.12 * h));
    static const double share_of_size[] = {1, 1, 0.85, 0.7};
    d->form = FIGURES_NONE;
    for (int way = 0; way < 4 && d->form == FIGURES_NONE; way++) {
        figures form = way == 0 ? FIGURES_FULL : FIGURES_SHORT;
        d->figure = share_of_size[way] * (way == 0 ? size : fmin(size, s->small));
        if (h >= 1.1 * d->figure && widest_figure(d, c, form, false, d->figure) <= w - 4) d->form = form;
    }
    d->shares = h > 3.4 * d->figure && widest_figure(d, c, d->form, true, 0.85 * d->figure) < w - 6;
    const double gap = gap_of(d);
    for (int64_t i = 0; i < d->K; i++) {
        for (int64_t j = 0; j < d->K; j++) {
            hsp_area f = {d->f.x + (double)j * d->cell_w, d->f.y + (double)i * d->cell_h, d->cell_w - gap, d->cell_h - gap};
            hsp_colour colour = cell_colour(d, s, i, j);
            hsp_canvas_box(c, f, colour, 1);
            write_cell(d, c, i, j, f, colour);
        }
    }
}

static int draw_image(const confusion *d, hsp_canvas *c) {
    hsp_colour *pixel = hsp_alloc_zero(d->K * d->K, sizeof *pixel);
    if (!pixel) return HSP_EMEMORY;
    for (int64_t i = 0; i < d->K; i++)
        for (int64_t j = 0; j < d->K; j++) pixel[i * d->K + j] = cell_colour(d, hsp_canvas_style(c), i, j);
    hsp_canvas_image(c, d->f, d->K, d->K, pixel);
    hsp_free(pixel);
    return HSP_OK;
}

/* The scale of the colours. */
static void draw_scale(const confusion *d, hsp_canvas *c, hsp_area sheet) {
    enum { STEPS = 64 };
    const hsp_style *s = hsp_canvas_style(c);
    const hsp_font font = {s->small, 400, s->quiet};
    hsp_colour pixel[STEPS];
    double height = fmin(d->f.h, 160), x = d->f.x + d->f.w + 22;
    if (x + 70 > sheet.x + sheet.w || height < 4.5 * s->small) return;
    for (int i = 0; i < STEPS; i++) pixel[i] = hsp_style_sequential(s, 1 - 0.92 * i / (STEPS - 1.0));
    double top = d->f.y + 1.8 * s->small;
    hsp_canvas_text(c, "class share", &font, (hsp_place2){x, d->f.y + s->small}, HSP_ALIGN_LEFT, sheet.x + sheet.w - x);
    hsp_canvas_image(c, (hsp_area){x, top, 12, height - 1.8 * s->small}, 1, STEPS, pixel);
    hsp_canvas_text(c, "100 %", &font, (hsp_place2){x + 18, top + 0.8 * s->small}, HSP_ALIGN_LEFT, 0);
    hsp_canvas_text(c, "0 %", &font, (hsp_place2){x + 18, d->f.y + height}, HSP_ALIGN_LEFT, 0);
}

static int draw_sheet(confusion *d, hsp_canvas *c) {
    char first[HSP_SENTENCE], second[HSP_SENTENCE];
    int status = HSP_OK;
    describe_confusion(d, first, second);
    hsp_area f = hsp_sheet_head(c, hsp_chart_title(d->in, "Confusion matrix"), first, second);
    /* Names take what they need, up to a fifth of the sheet; cells are at most three times as wide as high. */
    const hsp_style *s = hsp_canvas_style(c);
    double least = 0.62 * s->small, K = (double)d->K, guess = (f.h - 60) / K;
    d->type = fmin(s->small, fmax(least, 0.8 * guess));
    d->every = (int64_t)ceil(1.15 * d->type / guess);
    if (d->every < 1) d->every = 1;
    double axis = 1.7 * s->text, names = widest_name(d, c, 0.2 * f.w), scale = 100;
    double w = f.w - axis - names - 10 - scale;
    d->cell_w = w / K;
    d->cell_w = fmin(d->cell_w, (d->K > 12 ? 1.6 : 3) * guess);
    d->upright = widest_name(d, c, 0.2 * f.w) + 8 > d->cell_w * (double)d->every;
    double under = d->upright ? fmin(names, 0.22 * f.h) + 10 : 1.8 * d->type;
    double h = fmax(20, f.h - under - axis - 4);
    d->cell_h = h / K;
    d->cell_w = fmin(d->cell_w, (d->K > 12 ? 1.6 : 3) * d->cell_h);
    d->every_x = d->upright ? (int64_t)fmax(1, ceil(1.15 * d->type / d->cell_w)) : d->every;
    d->f = (hsp_area){f.x + axis + names + 10, f.y + 4, d->cell_w * K, h};
    if (d->K <= BOXES)
        draw_boxes(d, c);
    else
        status = draw_image(d, c);
    draw_names(d, c, f);
    draw_scale(d, c, f);
    return status;
}

static int draw(const hsp_chart_input *in, hsp_canvas *c, hsp_error **err) {
    confusion d = {.in = in, .s = in->study[0]};
    int status = HSP_CHART_ARRAYS(d.s, err, {"counts", &d.count, &d.K});
    if (status != HSP_OK) return status;
    d.sum = hsp_alloc_zero(d.K, sizeof *d.sum);
    if (!d.sum) return HSP_EMEMORY;
    for (int64_t i = 0; i < d.K; i++)
        for (int64_t j = 0; j < d.K; j++) d.sum[i] += d.count[i * d.K + j];
    status = draw_sheet(&d, c);
    hsp_free(d.sum);
    return status;
}

const hsp_chart hsp_chart_confusion = {
    .name = "confusion",
    .help = "confusion matrix: predicted against true classes",
    .takes = "MODEL DATA",
    .study = "confusion",
    .draw = draw,
};
