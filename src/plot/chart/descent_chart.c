/* The chart `descent`: contours of the objective over two parameters, and the paths of three ways to descend it. */
#include "plot/draw/canvas.h"
#include "plot/draw/numeral.h"
#include "plot/draw/picture_bytes.h"
#include "plot/draw/style.h"
#include "plot/part/chart.h"
#include "plot/part/legend.h"
#include "plot/part/panel.h"
#include "plot/part/sentence.h"
#include "plot/part/sheet.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { RUNS = 3, NAMES = 8 };

#define DOT "  \xC2\xB7  "

typedef struct descent_view {
    const hsp_report *s;
    hsp_canvas *c;
    hsp_panel panel;
    const double *path, *path_begin;
    const double *line, *line_begin, *line_level, *levels;
    int64_t lines, level_count;
    const double *rate, *updates, *objective, *lowest, *u_range, *v_range;
    bool two; /* features */
    char axis[2][HSP_SHORT];
    char text[2 * RUNS + 1][HSP_SHORT], note[RUNS][HSP_SHORT]; /* of the key */
} descent_view;

static int take_study(descent_view *v, hsp_error **err) {
    const hsp_report *s = v->s;
    v->two = hsp_report_number(s, "dimensions") > 1;
    return HSP_CHART_ARRAYS(s, err, {"path", &v->path, NULL}, {"path_begin", &v->path_begin, NULL}, {"line", &v->line, NULL},
                            {"line_begin", &v->line_begin, NULL}, {"line_level", &v->line_level, &v->lines},
                            {"levels", &v->levels, &v->level_count}, {"rate", &v->rate, NULL},
                            {"updates", &v->updates, NULL}, {"objective", &v->objective, NULL},
                            {"lowest", &v->lowest, NULL}, {"u_range", &v->u_range, NULL}, {"v_range", &v->v_range, NULL});
}

/* ---- words ---- */

static void name_axes(descent_view *v) {
    for (int a = 0; a < 2; a++) {
        const char *name = hsp_report_text_at(v->s, "features", v->two ? a : 0);
        char apart[HSP_SHORT];
        hsp_sentence_cut(name ? name : "", 24, apart);
        if (!v->two && a == 1)
            snprintf(v->axis[a], HSP_SHORT, "intercept b");
        else
            snprintf(v->axis[a], HSP_SHORT, "weight of %.100s", apart);
    }
}

static void describe_objective(const descent_view *v, char *line) {
    const char *loss = hsp_report_text_at(v->s, "loss", 0), *penalty = hsp_report_text_at(v->s, "penalty", 0);
    bool penalised = penalty && strcmp(penalty, "none") != 0;
    hsp_sentence_format(line, "contours of the mean %s loss", loss ? loss : "");
    if (penalised) {
        hsp_sentence_format(line, " + \xCE\xBB R(w), penalty %s, \xCE\xBB = ", penalty);
        hsp_sentence_add_number(line, hsp_report_number(v->s, "lambda"), 3);
    }
    if (v->two && hsp_report_number(v->s, "has_intercept") > 0)
        hsp_sentence_add(line, DOT "at every point with the best intercept b");
}

static void describe_run(const hsp_chart_input *in, const descent_view *v, char *line) {
    char rows[HSP_SHORT];
    hsp_sentence_format(line, "%s" DOT "objective ", hsp_sentence_rows(in, v->s, rows));
    hsp_sentence_add_number(line, hsp_report_number(v->s, "start_objective"), 4);
    hsp_sentence_add(line, " at the start (ring), ");
    hsp_sentence_add_number(line, hsp_report_number(v->s, "lowest_objective"), 4);
    hsp_sentence_add(line, " at the lowest point in view (cross)");
}

/* ---- the picture ---- */

static hsp_place2 place_at(const descent_view *v, const double *at) {
    return hsp_panel_place(&v->panel, at[0], at[1]);
}

/* Draws n points of the plane as one line. 0 or HSP_EMEMORY. */
static int draw_points(const descent_view *v, const double *at, int64_t n, const hsp_pen *pen) {
    hsp_place2 *p = hsp_alloc_zero(n, sizeof *p);
    if (!p) return HSP_EMEMORY;
    for (int64_t i = 0; i < n; i++) p[i] = place_at(v, at + 2 * i);
    hsp_canvas_line(v->c, p, n, pen);
    hsp_free(p);
    return HSP_OK;
}

static hsp_colour level_colour(const descent_view *v, int64_t level) {
    const hsp_style *s = hsp_canvas_style(v->c);
    double share = v->level_count > 1 ? (double)level / (double)(v->level_count - 1) : 0;
    return hsp_style_mix(s->quiet, s->grid, 0.25 + 0.6 * share);
}

static int draw_contours(const descent_view *v) {
    int status = HSP_OK;
    for (int64_t k = 0; status == HSP_OK && k < v->lines; k++) {
        int64_t from = (int64_t)v->line_begin[k], to = (int64_t)v->line_begin[k + 1];
        const hsp_pen pen = {.colour = level_colour(v, (int64_t)v->line_level[k]), .width = 1.1};
        status = draw_points(v, v->line + 2 * from, to - from, &pen);
    }
    return status;
}

/* How far a place is from the paths, some points of which are tried, and from the names so far. */
static double clearance(const descent_view *v, hsp_place2 at, const hsp_place2 *taken, int64_t names) {
    int64_t points = (int64_t)v->path_begin[RUNS], step = points / 400 + 1;
    double least = INFINITY;
    for (int64_t i = 0; i < points; i += step) {
        hsp_place2 p = place_at(v, v->path + 2 * i);
        least = fmin(least, hypot(p.x - at.x, p.y - at.y));
    }
    for (int64_t k = 0; k < names; k++) least = fmin(least, hypot((taken[k].x - at.x) / 2, taken[k].y - at.y));
    return least;
}

/* The place on the lines of a level that is clearest; its clearance, or -1: none has space for a number. */
static double find_place(const descent_view *v, int64_t level, const hsp_place2 *taken, int64_t names, hsp_place2 *best) {
    hsp_area f = v->panel.frame;
    double most = -1;
    for (int64_t k = 0; k < v->lines; k++) {
        if ((int64_t)v->line_level[k] != level) continue;
        for (int64_t i = (int64_t)v->line_begin[k]; i < (int64_t)v->line_begin[k + 1]; i += 2) {
            hsp_place2 at = place_at(v, v->line + 2 * i);
            bool inside = at.x > f.x + 30 && at.x < f.x + f.w - 30 && at.y > f.y + 14 && at.y < f.y + f.h - 14;
            double clear = inside ? clearance(v, at, taken, names) : -1;
            if (clear > most) most = clear, *best = at;
        }
    }
    return most;
}

/* The value of every other level, where it hides no path. */
static void name_levels(const descent_view *v) {
    const hsp_style *s = hsp_canvas_style(v->c);
    const hsp_font font = {s->small, 400, s->quiet};
    hsp_place2 taken[NAMES], at = {0, 0};
    int64_t names = 0;
    for (int64_t level = 0; level < v->level_count && names < NAMES; level += 2) {
        char number[HSP_NUMERAL];
        if (find_place(v, level, taken, names, &at) < 18) continue;
        hsp_numeral_round(v->levels[level], 2, number);
        double width = hsp_canvas_measure(v->c, number, &font, 0);
        const hsp_area box = {at.x - width / 2 - 3, at.y - 0.6 * s->small, width + 6, 1.2 * s->small};
        hsp_canvas_box(v->c, box, s->paper, 1);
        hsp_canvas_text(v->c, number, &font, (hsp_place2){at.x, at.y + 0.36 * s->small}, HSP_ALIGN_CENTRE, 0);
        taken[names++] = at;
    }
}

/* The noisier, the thinner. */
static hsp_pen path_pen(const hsp_style *s, int k) {
    static const double width[RUNS] = {2.2, 1.6, 0.9};
    return (hsp_pen){.colour = hsp_style_class_colour(s, k), .width = width[k], .alpha = k == 2 ? 0.6 : 1};
}

static hsp_mark path_mark(const hsp_style *s, int k, double radius) {
    return (hsp_mark){hsp_style_class_marker(k), radius, hsp_style_class_colour(s, k), 1, s->paper, 1.2};
}

/* Few updates have a dot each. */
static int draw_paths(const descent_view *v) {
    const hsp_style *s = hsp_canvas_style(v->c);
    int status = HSP_OK;
    for (int k = RUNS - 1; status == HSP_OK && k >= 0; k--) {
        int64_t from = (int64_t)v->path_begin[k], to = (int64_t)v->path_begin[k + 1];
        const hsp_pen pen = path_pen(s, k);
        status = draw_points(v, v->path + 2 * from, to - from, &pen);
        const hsp_mark dot = {.marker = HSP_MARKER_CIRCLE, .radius = 2.6, .fill = pen.colour, .alpha = 1};
        for (int64_t i = from; to - from <= 60 && i < to; i++) {
            hsp_place2 at = place_at(v, v->path + 2 * i);
            hsp_canvas_marks(v->c, &at, 1, &dot);
        }
    }
    return status;
}

static void draw_ends(const descent_view *v) {
    const hsp_style *s = hsp_canvas_style(v->c);
    hsp_place2 low = place_at(v, v->lowest), start = place_at(v, v->path);
    const hsp_mark cross = {HSP_MARKER_CROSS, 5.5, s->ink, 1, s->paper, 1.4};
    const hsp_mark open = {HSP_MARKER_CIRCLE, 5, s->paper, 1, s->ink, 1.8};
    for (int k = RUNS - 1; k >= 0; k--) {
        hsp_place2 end = place_at(v, v->path + 2 * ((int64_t)v->path_begin[k + 1] - 1));
        const hsp_mark mark = path_mark(s, k, 6);
        hsp_canvas_marks(v->c, &end, 1, &mark);
    }
    hsp_canvas_marks(v->c, &start, 1, &open);
    hsp_canvas_marks(v->c, &low, 1, &cross);
}

/* ---- the key ---- */

static const char *const titles[RUNS] = {"gradient descent", "mini-batches", "SGD"};

static void describe_path(descent_view *v, int k) {
    char rate[HSP_NUMERAL], updates[HSP_NUMERAL], objective[HSP_NUMERAL];
    const char *schedule = hsp_report_text_at(v->s, "schedules", k);
    bool searched = schedule && strcmp(schedule, "line-search") == 0;
    if (k == 1)
        snprintf(v->text[2 * k], HSP_SHORT, "%s of %d", titles[k], (int)hsp_report_number(v->s, "batch"));
    else
        snprintf(v->text[2 * k], HSP_SHORT, "%s", titles[k]);
    hsp_numeral_round(isfinite(v->rate[k]) ? v->rate[k] : 0, 3, rate);
    snprintf(v->note[k], HSP_SHORT, "%s %s%s", searched ? "line search from" : "\xCE\xB7 =", rate,
             schedule && strcmp(schedule, "decay") == 0 ? ", decaying" : "");
    snprintf(v->text[2 * k + 1], HSP_SHORT, "%.90s after %s updates", hsp_numeral_round(v->objective[k], 4, objective),
             hsp_sentence_count(v->updates[k], updates));
}

static int64_t make_key(descent_view *v, hsp_legend_item *item) {
    const hsp_style *s = hsp_canvas_style(v->c);
    for (int k = 0; k < RUNS; k++) {
        describe_path(v, k);
        item[2 * k] = (hsp_legend_item){
            .sample = HSP_SAMPLE_LINE, .pen = path_pen(s, k), .name = true, .text = v->text[2 * k], .note = v->note[k]};
        item[2 * k + 1] = (hsp_legend_item){.sample = HSP_SAMPLE_NONE, .text = v->text[2 * k + 1]};
    }
    return 2 * RUNS;
}

/* ---- the sheet ---- */

static int draw(const hsp_chart_input *in, hsp_canvas *c, hsp_error **err) {
    descent_view v = {.s = in->study[0], .c = c};
    hsp_legend_item item[2 * RUNS];
    char first[HSP_SENTENCE] = "", second[HSP_SENTENCE] = "";
    int status = take_study(&v, err);
    if (status != HSP_OK) return status;
    name_axes(&v);
    describe_objective(&v, first);
    describe_run(in, &v, second);
    hsp_area left = hsp_sheet_head(c, hsp_chart_title(in, "Descent over the objective"), first, second);
    hsp_legend legend = {.positive = -1, .item = item, .items = make_key(&v, item)};
    double key = hsp_legend_room(&legend, c, 230);
    v.panel = (hsp_panel){.x_name = v.axis[0],
                          .y_name = v.axis[1],
                          .x_range = {v.u_range[0], v.u_range[1], HSP_SPREAD_EXACT},
                          .y_range = {v.v_range[0], v.v_range[1], HSP_SPREAD_EXACT}};
    hsp_panel_lay_out(&v.panel, c, (hsp_area){left.x, left.y, left.w - key, left.h});
    hsp_canvas_clip(c, v.panel.frame);
    status = draw_contours(&v);
    name_levels(&v);
    if (status == HSP_OK) status = draw_paths(&v);
    draw_ends(&v);
    hsp_canvas_unclip(c);
    hsp_panel_axes(&v.panel, c);
    hsp_legend_draw(&legend, c, left, v.panel.frame.y, key);
    return status;
}

const hsp_chart hsp_chart_descent = {
    .name = "descent",
    .help = "contours of the objective over two weights, and the paths of gradient descent, mini-batches and SGD",
    .takes = "DATA",
    .study = "descent",
    .uses = "--task --loss --penalty -C --lambda --l1-ratio --kink --intercept --positive --learning-rate --batch --order "
            "--max-epochs --init",
    .draw = draw,
};
