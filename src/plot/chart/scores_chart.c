/* The chart `scores`: histograms of the scores of each class. Two classes share a panel; of more, each has its own, with the
 * lead of the true class over the best other one. */
#include "plot/draw/canvas.h"
#include "plot/draw/numeral.h"
#include "plot/draw/picture_bytes.h"
#include "plot/draw/style.h"
#include "plot/part/axis.h"
#include "plot/part/chart.h"
#include "plot/part/class_bars.h"
#include "plot/part/panel.h"
#include "plot/part/sentence.h"
#include "plot/part/sheet.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PANELS = 12 };

static void describe_rows(const hsp_chart_input *in, char *out) {
    char rows[HSP_SHORT], right[HSP_NUMERAL];
    const hsp_report *s = in->study[0];
    snprintf(out, HSP_SENTENCE, "%s: %s classified correctly", hsp_sentence_rows(in, s, rows),
             hsp_sentence_percent(hsp_report_number(s, "correct"), hsp_report_number(s, "mass"), right));
}

/* ---- two classes ---- */

/* The score above which the positive class is predicted: 0, unless a decision rule or a calibration moves it. */
static const char *threshold_of(const hsp_model *m, char *out) {
    const char *text = hsp_model_field(m, "score_threshold");
    double v;
    if (!text || hsp_parse_number(text, strlen(text), &v)) v = 0;
    return hsp_numeral_round(v, 3, out);
}

static int draw_two(const hsp_chart_input *in, hsp_canvas *c, hsp_error **err) {
    hsp_class_bars b = {.x_name = "score g"};
    hsp_panel p;
    char first[HSP_SENTENCE], second[HSP_SENTENCE], positive[HSP_SHORT], beyond[HSP_SHORT], threshold[HSP_NUMERAL];
    int status = hsp_class_bars_take(in, &b, err);
    if (status != HSP_OK) return status;
    describe_rows(in, first);
    hsp_class_bars_beyond(in->study[0], beyond);
    snprintf(second, HSP_SENTENCE, "rows with g > %s are predicted %s%s", threshold_of(in->model[0], threshold),
             hsp_sentence_name(b.name[b.positive], positive), beyond);
    hsp_area f = hsp_sheet_head(c, hsp_chart_title(in, "Scores by class"), first, second);
    return hsp_class_bars_draw(&b, c, f, &p);
}

/* ---- more ---- */

typedef struct one_class {
    int64_t class;
    double rows, right;
} one_class;

typedef struct many {
    const hsp_chart_input *in;
    const double *edge, *count; /* of the study */
    int64_t bins, classes;
    int64_t zero;    /* the bin that begins at the threshold; 0 or bins if that is out of view */
    one_class *list; /* owned */
} many;

static int most_mistakes_first(const void *a, const void *b) {
    const one_class *p = a, *q = b;
    double x = p->rows > 0 ? p->right / p->rows : 2, y = q->rows > 0 ? q->right / q->rows : 2;
    if (x != y) return x < y ? -1 : 1;
    return (p->class > q->class) - (p->class < q->class);
}

static int by_class(const void *a, const void *b) {
    const one_class *p = a, *q = b;
    return (p->class > q->class) - (p->class < q->class);
}

/* The number of panels that are large enough to read. */
static int64_t most_panels(const hsp_style *s) {
    hsp_area f = hsp_sheet_room(s);
    double rows = floor((f.h - 1.8 * s->text + 22) / 96), columns = fmin(3, floor((f.w + 22) / 150));
    double most = fmax(1, rows) * fmax(1, columns);
    return most < PANELS ? (int64_t)most : PANELS;
}

/* Moves the classes to draw to the front, at most `most`; returns their number. */
static int64_t choose_classes(many *d, int64_t most) {
    d->zero = 0;
    while (d->zero < d->bins && d->edge[d->zero] < 0) d->zero++;
    for (int64_t k = 0; k < d->classes; k++) {
        one_class *o = &d->list[k];
        o->class = k;
        for (int64_t b = 0; b < d->bins; b++) {
            o->rows += d->count[k * d->bins + b];
            if (b >= d->zero) o->right += d->count[k * d->bins + b];
        }
    }
    if (d->classes <= most) return d->classes;
    qsort(d->list, (size_t)d->classes, sizeof *d->list, most_mistakes_first);
    qsort(d->list, (size_t)most, sizeof *d->list, by_class);
    return most;
}

/* note, 3 HSP_NUMERAL: what the labels leave out, which is the same in all panels. */
static int draw_panel(const many *d, hsp_canvas *c, hsp_area f, const one_class *o, char *note) {
    const hsp_style *s = hsp_canvas_style(c);
    const double *count = d->count + o->class * d->bins;
    char name[HSP_SHORT], title[2 * HSP_SHORT], right[HSP_NUMERAL];
    hsp_sentence_name(hsp_report_text_at(d->in->study[0], "classes", o->class), name);
    snprintf(title, sizeof title, "%s: %s", name, o->rows > 0 ? hsp_sentence_percent(o->right, o->rows, right) : "no rows");
    hsp_panel p = {.title = title,
                   .x_range = {d->edge[0], d->edge[d->bins], HSP_SPREAD_PADDED},
                   .y_range = hsp_range_of(count, d->bins, HSP_SPREAD_ZERO),
                   .no_y_ticks = true,
                   .noted = true};
    hsp_panel_lay_out(&p, c, f);
    hsp_panel_axes(&p, c);
    hsp_axis_note(&p.x, note);
    int status = HSP_OK;
    if (d->zero > 0) status = hsp_class_bars_one(&p, c, d->edge, count, d->zero, s->quiet, 0.6);
    if (d->zero < d->bins && status == HSP_OK)
        status = hsp_class_bars_one(&p, c, d->edge + d->zero, count + d->zero, d->bins - d->zero,
                                    hsp_style_class_colour(s, o->class), 0.4);
    double x = hsp_panel_x(&p, 0);
    hsp_place2 line[] = {{x, p.frame.y}, {x, p.frame.y + p.frame.h}};
    if (x >= p.frame.x && x <= p.frame.x + p.frame.w) hsp_canvas_line(c, line, 2, &(hsp_pen){s->ink, 1.4, 0, 1});
    return status;
}

/* A few panels are drawn one above the other, if the sheet is high enough. */
static int columns_for(const hsp_style *s, int64_t panels) {
    hsp_area f = hsp_sheet_room(s);
    int wish = panels <= 3 ? 1 : panels <= 8 ? 2 : 3;
    while (wish < 3 && wish < panels && (f.h - 1.8 * s->text) / ceil((double)panels / wish) < 90) wish++;
    return wish;
}

static int draw_many(const hsp_chart_input *in, many *d, hsp_canvas *c) {
    char first[HSP_SENTENCE], second[HSP_SENTENCE], beyond[HSP_SHORT], some[80] = "", note[3 * HSP_NUMERAL] = "";
    const hsp_style *s = hsp_canvas_style(c);
    int64_t panels = choose_classes(d, most_panels(s));
    int status = HSP_OK, columns = columns_for(s, panels), rows = ((int)panels + columns - 1) / columns;
    describe_rows(in, first);
    hsp_class_bars_beyond(in->study[0], beyond);
    if (panels < d->classes)
        snprintf(some, sizeof some, "; the %lld of %lld classes with most mistakes", (long long)panels,
                 (long long)d->classes);
    snprintf(second, HSP_SENTENCE, "score of the true class minus the best other score; below 0 (grey) are mistakes%s%s",
             some, beyond);
    hsp_area f = hsp_sheet_head(c, hsp_chart_title(in, "Scores by class"), first, second);
    const hsp_font font = {s->text, 500, s->ink};
    const hsp_place2 under = {f.x + f.w / 2, f.y + f.h - 0.2 * s->text};
    f.h -= 1.8 * s->text;
    for (int i = 0; i < (int)panels && status == HSP_OK; i++)
        status = draw_panel(d, c, hsp_sheet_cell(f, rows, columns, 22, i), &d->list[i], note);
    snprintf(second, HSP_SENTENCE, "score difference of the true class%s", note);
    hsp_canvas_text(c, second, &font, under, HSP_ALIGN_CENTRE, f.w);
    return status;
}

static int draw(const hsp_chart_input *in, hsp_canvas *c, hsp_error **err) {
    if (hsp_model_outputs(in->model[0]) == 1) return draw_two(in, c, err);
    many d = {.in = in};
    int64_t edges = 0;
    int status = HSP_CHART_ARRAYS(in->study[0], err, {"edges", &d.edge, &edges}, {"counts", &d.count, &d.classes});
    if (status != HSP_OK) return status;
    d.bins = edges - 1;
    d.list = hsp_alloc_zero(d.classes, sizeof *d.list);
    if (!d.list) return HSP_EMEMORY;
    status = draw_many(in, &d, c);
    hsp_free(d.list);
    return status;
}

const hsp_chart hsp_chart_scores = {
    .name = "scores",
    .help = "distribution of the scores of each class around the threshold",
    .takes = "MODEL DATA",
    .study = "scores",
    .uses = "--bins",
    .draw = draw,
};
