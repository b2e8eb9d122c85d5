/* One panel of the chart `lambda`: the boundaries of some values of lambda. */
#include "plot/boundary/boundary.h"
#include "plot/boundary/halfplane.h"
#include "plot/boundary/slice.h"
#include "plot/chart/lambda_view.h"
#include "plot/draw/canvas.h"
#include "plot/draw/numeral.h"
#include "plot/draw/picture_bytes.h"
#include "plot/draw/style.h"
#include "plot/part/chart.h"
#include "plot/part/panel.h"
#include "plot/part/scatter.h"

#include <math.h>
#include <stdio.h>

enum { BETWEEN = 11 }; /* gap between two lambdas in the key */

typedef struct lambda_plane {
    const hsp_lambda_view *v;
    hsp_canvas *c;
    hsp_panel panel;
    char letter[2][HSP_NUMERAL]; /* names of its axes */
    int64_t n;
    const int32_t *label; /* n, of the data */
    double *x, *y;        /* n each: one block, owned by x */
    hsp_slice slice;      /* the scores of one lambda over the panel; owns score and order */
    hsp_regions regions;  /* of that lambda; owned */
} lambda_plane;

/* ---- points ---- */

static int take_points(const hsp_chart_input *in, lambda_plane *p, hsp_error **err) {
    hsp_array labels = {.size = sizeof labels};
    p->n = hsp_data_rows(in->data);
    int status = hsp_data_array(in->data, "labels", &labels, err);
    if (status) return status;
    p->label = labels.data;
    p->x = hsp_alloc_zero(2 * p->n, sizeof *p->x);
    if (!p->x) return HSP_EMEMORY;
    p->y = p->x + p->n;
    for (int64_t i = 0; !status && i < p->n; i++) {
        double row[2];
        status = hsp_data_row(in->data, i, row, err);
        p->x[i] = row[0];
        p->y[i] = row[1];
    }
    return status;
}

static int draw_points(const lambda_plane *p) {
    hsp_scatter_point *point = hsp_alloc_zero(p->n, sizeof *point);
    if (!point) return HSP_EMEMORY;
    for (int64_t i = 0; i < p->n; i++)
        point[i] = (hsp_scatter_point){.at = hsp_panel_place(&p->panel, p->x[i], p->y[i]), .group = p->label[i]};
    int status = hsp_scatter_draw(p->c, point, p->n, p->panel.frame, p->n);
    hsp_free(point);
    return status;
}

/* ---- boundaries ---- */

/* Of two classes, which have one output, the first keeps the score 0. */
static int allocate_scores(lambda_plane *p) {
    hsp_slice *s = &p->slice;
    s->dimensions = 2;
    s->classes = p->v->outputs == 1 ? 2 : p->v->outputs;
    s->score = hsp_alloc_zero(s->classes, sizeof *s->score);
    s->order = hsp_alloc_zero(s->classes, sizeof *s->order);
    for (int64_t k = 0; s->order && k < s->classes; k++) s->order[k] = (int32_t)k;
    return s->score && s->order ? HSP_OK : HSP_EMEMORY;
}

static void set_scores(lambda_plane *p, int64_t i) {
    int64_t outputs = p->v->outputs, first = p->slice.classes - outputs;
    const double *w = p->v->weights + i * outputs * 2, *b = p->v->intercepts + i * outputs;
    for (int64_t k = 0; k < outputs; k++) p->slice.score[first + k] = (hsp_slice_score){{w[2 * k], w[2 * k + 1]}, b[k]};
}

static int find_regions(lambda_plane *p, int64_t i) {
    set_scores(p, i);
    hsp_regions_clear(&p->regions);
    return hsp_regions_take(&p->panel, &p->slice, &p->regions);
}

/* How far the boundaries move from lambda i to lambda j: the distance of the (w, b) of both over the view, scaled to length
 * 1. */
static double movement(lambda_plane *p, int64_t i, int64_t j) {
    double sum = 0;
    for (int64_t k = 1; k < p->slice.classes; k++) {
        set_scores(p, i);
        hsp_halfplane g = hsp_regions_advantage(&p->panel, &p->slice, k, 0);
        set_scores(p, j);
        hsp_halfplane h = hsp_regions_advantage(&p->panel, &p->slice, k, 0);
        double u = sqrt(g.a * g.a + g.b * g.b + g.c * g.c), v = sqrt(h.a * h.a + h.b * h.b + h.c * h.c);
        sum += hypot(hypot(g.a / u - h.a / v, g.b / u - h.b / v), g.c / u - h.c / v);
    }
    return sum;
}

/* Chooses a few of the `count` lambdas in `seen`, at even steps of movement, with the first and the last; fewer for many
 * classes, whose boundaries are nets. */
static void choose_among(lambda_plane *p, hsp_lambda_view *v, const int64_t *seen, int64_t count) {
    int64_t most = v->outputs <= 3 ? HSP_LAMBDA_CHOSEN : v->outputs <= 6 ? 3 : 2;
    double total = 0, gone = 0;
    for (int64_t k = 1; k < count; k++) total += movement(p, seen[k - 1], seen[k]);
    for (int64_t k = 0; k < count; k++) {
        if (k > 0) gone += movement(p, seen[k - 1], seen[k]);
        bool due = gone >= total * (double)v->chosen_count / (double)(most - 1) * (1 - 1e-12);
        if (k + 1 == count || (due && v->chosen_count < most - 1)) v->chosen[v->chosen_count++] = seen[k];
    }
}

/* Among those whose boundary is in view. */
static int choose_lambdas(lambda_plane *p, hsp_lambda_view *v) {
    int64_t *seen = hsp_alloc_zero(v->L, sizeof *seen), count = 0;
    int status = seen ? HSP_OK : HSP_EMEMORY;
    for (int64_t i = 0; status == HSP_OK && i < v->L; i++) {
        status = find_regions(p, i);
        if (p->regions.borders > 0) seen[count++] = i;
    }
    if (status == HSP_OK) choose_among(p, v, seen, count);
    hsp_free(seen);
    return status;
}

/* First wider lines in the colour of the paper, under all, then the lines: each has a casing, and none is cut by that of
 * another. */
static int draw_borders(lambda_plane *p) {
    const hsp_style *s = hsp_canvas_style(p->c);
    int64_t count = p->v->chosen_count;
    for (int64_t t = 0; t < 2 * count; t++) {
        bool cased = t >= count;
        hsp_colour colour = cased ? hsp_lambda_colour(p->v, s, t % count) : s->paper;
        int status = find_regions(p, p->v->chosen[t % count]);
        hsp_place2 *border = status == HSP_OK ? hsp_regions_border(&p->regions, &p->panel) : NULL;
        if (!border) return HSP_EMEMORY;
        hsp_canvas_segments(p->c, border, p->regions.borders, colour, cased ? 2.2 : 4.4);
        hsp_free(border);
    }
    return HSP_OK;
}

/* ---- keys, in lines above the frame ---- */

static void draw_classes(const hsp_chart_input *in, const lambda_plane *p, double y) {
    const hsp_style *s = hsp_canvas_style(p->c);
    const hsp_font font = {s->small, 500, s->ink}, quiet = {s->small, 400, s->quiet};
    double x = p->panel.frame.x, end = p->panel.frame.x + p->panel.frame.w;
    int64_t classes = hsp_data_classes(in->data);
    for (int64_t k = 0; k < classes; k++) {
        const char *name = hsp_data_class_name(in->data, k);
        double width = 16 + hsp_canvas_measure(p->c, name ? name : "", &font, 120);
        double rest = k + 1 < classes ? 100 : 0;
        if (k > 0 && x + width + rest > end) {
            char more[64];
            snprintf(more, sizeof more, "and %lld more", (long long)(classes - k));
            hsp_canvas_text(p->c, more, &quiet, (hsp_place2){x, y}, HSP_ALIGN_LEFT, fmax(1, end - x));
            return;
        }
        hsp_mark mark = hsp_scatter_mark(s, 1, (int32_t)k, false);
        mark.radius = 4;
        hsp_canvas_marks(p->c, &(hsp_place2){x + 5, y - 0.36 * s->small}, 1, &mark);
        hsp_canvas_text(p->c, name ? name : "", &font, (hsp_place2){x + 16, y}, HSP_ALIGN_LEFT, 120);
        x += width + 18;
    }
}

static double lambdas_width(const hsp_lambda_view *v, hsp_canvas *c, int digits, const hsp_font *font) {
    char number[HSP_NUMERAL];
    double width = 0;
    for (int64_t k = 0; k < v->chosen_count; k++) {
        width += hsp_canvas_measure(c, hsp_numeral_round(v->lambda[v->chosen[k]], digits, number), font, 0) +
                 (k > 0 ? BETWEEN : 0);
    }
    return width;
}

/* With two digits, like the best lambda, if there is space. */
void hsp_lambda_key(const hsp_lambda_view *v, hsp_canvas *c, hsp_area frame, const char *words) {
    const hsp_style *s = hsp_canvas_style(c);
    double x = frame.x, y = frame.y - 8, room = frame.w;
    const hsp_font quiet = {s->small, 400, s->quiet};
    if (v->chosen_count == 0) {
        hsp_canvas_text(c, "no boundary passes through the view", &quiet, (hsp_place2){x, y}, HSP_ALIGN_LEFT, room);
        return;
    }
    x += hsp_canvas_text(c, words, &quiet, (hsp_place2){x, y}, HSP_ALIGN_LEFT, room) + 8;
    const hsp_font bold = {s->small, 600, s->ink};
    double end = frame.x + room + 20;
    int digits = x + lambdas_width(v, c, 2, &bold) <= end ? 2 : 1;
    for (int64_t k = v->chosen_count - 1; k >= 0; k--) {
        char number[HSP_NUMERAL];
        hsp_colour colour = hsp_lambda_colour(v, s, k);
        const hsp_font font = {s->small, 600, hsp_style_mix(colour, s->ink, 0.15)};
        hsp_numeral_round(v->lambda[v->chosen[k]], digits, number);
        if (x + hsp_canvas_measure(c, number, &font, 0) > end) return;
        x += hsp_canvas_text(c, number, &font, (hsp_place2){x, y}, HSP_ALIGN_LEFT, 0) + BETWEEN;
    }
}

int hsp_lambda_boundaries(const hsp_chart_input *in, hsp_canvas *c, hsp_area f, hsp_lambda_view *v, hsp_error **err) {
    const hsp_style *s = hsp_canvas_style(c);
    lambda_plane p = {.v = v, .c = c};
    int status = take_points(in, &p, err);
    if (status == HSP_OK) status = allocate_scores(&p);
    if (status == HSP_OK) {
        const char *a = hsp_report_text_at(p.v->s, "features", 0), *b = hsp_report_text_at(p.v->s, "features", 1);
        p.panel = (hsp_panel){.x_name = a ? hsp_slice_axis(a, p.letter[0]) : NULL,
                              .y_name = b ? hsp_slice_axis(b, p.letter[1]) : NULL,
                              .x_range = hsp_range_of(p.x, p.n, HSP_SPREAD_PADDED),
                              .y_range = hsp_range_of(p.y, p.n, HSP_SPREAD_PADDED)};
        hsp_panel_lay_out(&p.panel, p.c, (hsp_area){f.x, f.y + p.v->above, f.w, f.h - p.v->above});
        status = choose_lambdas(&p, v);
    }
    if (status == HSP_OK) {
        hsp_lambda_title(c, f, p.panel.frame.x, "Boundary");
        hsp_panel_axes(&p.panel, c);
        hsp_canvas_clip(c, p.panel.frame);
        status = draw_points(&p);
        if (status == HSP_OK) status = draw_borders(&p);
        hsp_canvas_unclip(c);
        draw_classes(in, &p, p.panel.frame.y - 8 - 1.5 * s->small);
        hsp_lambda_key(v, c, p.panel.frame, "boundary for \xCE\xBB =");
    }
    hsp_regions_clear(&p.regions);
    hsp_slice_clear(&p.slice);
    hsp_free(p.x);
    return status;
}
