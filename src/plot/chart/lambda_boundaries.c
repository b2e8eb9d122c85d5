/* One panel of the chart `lambda`: how the boundary moves. */
#include "plot/boundary/halfplane.h"
#include "plot/boundary/slice.h"
#include "plot/chart/lambda_view.h"
#include "plot/draw/canvas.h"
#include "plot/draw/numeral.h"
#include "plot/draw/picture_bytes.h"
#include "plot/draw/style.h"
#include "plot/part/axis.h"
#include "plot/part/chart.h"
#include "plot/part/panel.h"
#include "plot/part/scatter.h"

#include <math.h>
#include <stdio.h>

enum { BETWEEN = 11 }; /* two lambdas in the key */

typedef struct lambda_plane {
    const hsp_lambda_view *v;
    hsp_canvas *c;
    hsp_panel panel;
    char letter[2][HSP_NUMERAL]; /* of its axes */
    int64_t n, classes;
    const int32_t *label; /* n */
    double *x, *y;        /* n each */
    hsp_polygon polygon;
    hsp_place2 *border; /* segments of one lambda, 2 corners each */
    int64_t borders, capacity;
} lambda_plane;

/* ---- points ---- */

static int take_points(const hsp_chart_input *in, lambda_plane *p, hsp_error **err) {
    hsp_array labels = {.size = sizeof labels};
    p->n = hsp_data_rows(in->data);
    p->classes = hsp_data_classes(in->data);
    int status = hsp_data_array(in->data, "labels", &labels, err);
    if (status) return status;
    p->label = labels.data;
    p->x = hsp_alloc_zero(2 * p->n, sizeof *p->x);
    if (!p->x) return hsp_plot_fail_memory(err);
    p->y = p->x + p->n;
    for (int64_t i = 0; !status && i < p->n; i++) {
        double row[2];
        status = hsp_data_row(in->data, i, row, err);
        p->x[i] = row[0];
        p->y[i] = row[1];
    }
    return status;
}

static int draw_points(const lambda_plane *p, hsp_error **err) {
    hsp_scatter_point *point = hsp_alloc_zero(p->n, sizeof *point);
    if (!point) return hsp_plot_fail_memory(err);
    for (int64_t i = 0; i < p->n; i++)
        point[i] = (hsp_scatter_point){.at = hsp_panel_place(&p->panel, p->x[i], p->y[i]), .group = p->label[i]};
    int64_t kept = hsp_scatter_thin(point, p->n, p->panel.frame);
    int status = kept < 0 ? (int)kept : hsp_scatter_draw(p->c, point, kept, p->n);
    hsp_free(point);
    return status ? hsp_plot_fail_memory(err) : HSP_OK;
}

/* ---- boundaries ---- */

/* Where output j scores more than output k, over the view as the unit square; of two classes the other's score is 0. */
static hsp_halfplane advantage(const lambda_plane *p, int64_t i, int64_t j, int64_t k) {
    const hsp_lambda_view *v = p->v;
    const double *w = v->weights + i * v->outputs * 2, *b = v->intercepts + i * v->outputs;
    bool two = v->outputs == 1;
    long double sign = two && j == 0 ? -1 : 1, wx = w[0], wy = w[1], at = b[0];
    if (!two) {
        wx = (long double)w[2 * j] - w[2 * k];
        wy = (long double)w[2 * j + 1] - w[2 * k + 1];
        at = (long double)b[j] - b[k];
    }
    const hsp_axis *x = &p->panel.x, *y = &p->panel.y;
    long double A = sign * wx * (x->hi - x->lo), B = sign * wy * (y->hi - y->lo);
    long double C = sign * (at + wx * x->lo + wy * y->lo), size = fmaxl(fabsl(A), fmaxl(fabsl(B), fabsl(C)));
    if (size == 0) return (hsp_halfplane){0, 0, j < k ? 1 : -1};
    return (hsp_halfplane){(double)(A / size), (double)(B / size), (double)(C / size)};
}

static int find_borders(lambda_plane *p, int64_t i) {
    int64_t regions = p->v->outputs == 1 ? 2 : p->v->outputs;
    p->borders = 0;
    for (int64_t j = 0; j < regions; j++) {
        hsp_polygon_square(&p->polygon);
        for (int64_t k = 0; k < regions && p->polygon.count > 0; k++)
            if (k != j) hsp_polygon_cut(&p->polygon, advantage(p, i, j, k), k);
        int64_t n = p->polygon.count;
        if (hsp_reserve((void **)&p->border, &p->capacity, 2 * (p->borders + n), sizeof *p->border)) return HSP_EMEMORY;
        for (int64_t s = 0; s < n; s++) {
            if (p->polygon.side[s] <= j) continue; /* each side once, the edges of the view never */
            hsp_place2 a = p->polygon.corner[s], b = p->polygon.corner[(s + 1) % n];
            hsp_area f = p->panel.frame;
            p->border[2 * p->borders] = (hsp_place2){f.x + a.x * f.w, f.y + (1 - a.y) * f.h};
            p->border[2 * p->borders + 1] = (hsp_place2){f.x + b.x * f.w, f.y + (1 - b.y) * f.h};
            p->borders++;
        }
    }
    return HSP_OK;
}

/* How far the boundaries move from lambda i to lambda j: the distance of (w, b) over the view, each of length 1. */
static double movement(const lambda_plane *p, int64_t i, int64_t j) {
    double sum = 0;
    int64_t regions = p->v->outputs == 1 ? 2 : p->v->outputs;
    for (int64_t k = 1; k < regions; k++) {
        hsp_halfplane g = advantage(p, i, k, 0), h = advantage(p, j, k, 0);
        double u = sqrt(g.a * g.a + g.b * g.b + g.c * g.c), v = sqrt(h.a * h.a + h.b * h.b + h.c * h.c);
        sum += hypot(hypot(g.a / u - h.a / v, g.b / u - h.b / v), g.c / u - h.c / v);
    }
    return sum;
}

/* Of the `count` lambdas in seen, a few at even steps of movement, the first and the last among them. The boundaries of
 * many classes are nets: fewer of those. */
static void choose_among(const lambda_plane *p, hsp_lambda_view *v, const int64_t *seen, int64_t count) {
    int64_t most = v->outputs <= 3 ? HSP_LAMBDA_CHOSEN : v->outputs <= 6 ? 3 : 2;
    double total = 0, gone = 0;
    for (int64_t k = 1; k < count; k++) total += movement(p, seen[k - 1], seen[k]);
    for (int64_t k = 0; k < count; k++) {
        if (k > 0) gone += movement(p, seen[k - 1], seen[k]);
        bool due = gone >= total * (double)v->chosen_count / (double)(most - 1) * (1 - 1e-12);
        if (k + 1 == count || (due && v->chosen_count < most - 1)) v->chosen[v->chosen_count++] = seen[k];
    }
}

/* Those whose boundary is in view. */
static int choose_lambdas(lambda_plane *p, hsp_lambda_view *v, hsp_error **err) {
    int64_t *seen = hsp_alloc_zero(v->L, sizeof *seen), count = 0;
    int status = seen ? HSP_OK : HSP_EMEMORY;
    for (int64_t i = 0; status == HSP_OK && i < v->L; i++) {
        status = find_borders(p, i);
        if (p->borders > 0) seen[count++] = i;
    }
    if (status == HSP_OK) choose_among(p, v, seen, count);
    hsp_free(seen);
    return status ? hsp_plot_fail_memory(err) : HSP_OK;
}

/* All of them cased in paper first, so that none is cut by another. */
static int draw_borders(lambda_plane *p, hsp_error **err) {
    const hsp_style *s = hsp_canvas_style(p->c);
    int64_t count = p->v->chosen_count;
    for (int64_t t = 0; t < 2 * count; t++) {
        bool cased = t >= count;
        if (find_borders(p, p->v->chosen[t % count])) return hsp_plot_fail_memory(err);
        hsp_colour colour = cased ? hsp_lambda_colour(p->v, s, t % count) : s->paper;
        hsp_canvas_segments(p->c, p->border, p->borders, colour, cased ? 2.2 : 4.4);
    }
    return HSP_OK;
}

/* ---- keys, in lines over the frame ---- */

static void draw_classes(const hsp_chart_input *in, const lambda_plane *p, double y) {
    const hsp_style *s = hsp_canvas_style(p->c);
    const hsp_font font = {s->small, 500, s->ink}, quiet = {s->small, 400, s->quiet};
    double x = p->panel.frame.x, end = p->panel.frame.x + p->panel.frame.w;
    for (int64_t k = 0; k < p->classes; k++) {
        const char *name = hsp_data_class_name(in->data, k);
        double width = 16 + hsp_canvas_measure(p->c, name ? name : "", &font, 120);
        double rest = k + 1 < p->classes ? 100 : 0;
        if (k > 0 && x + width + rest > end) {
            char more[64];
            snprintf(more, sizeof more, "and %lld more", (long long)(p->classes - k));
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

static double lambdas_width(const lambda_plane *p, int digits, const hsp_font *font) {
    char number[HSP_NUMERAL];
    double width = 0;
    for (int64_t k = 0; k < p->v->chosen_count; k++) {
        hsp_numeral_round(p->v->lambda[p->v->chosen[k]], digits, number);
        width += hsp_canvas_measure(p->c, number, font, 0) + (k > 0 ? BETWEEN : 0);
    }
    return width;
}

/* With two digits, as the best is told, where there is room. */
static void draw_lambdas(const lambda_plane *p, double y) {
    const hsp_style *s = hsp_canvas_style(p->c);
    double x = p->panel.frame.x, room = p->panel.frame.w;
    const hsp_font quiet = {s->small, 400, s->quiet};
    if (p->v->chosen_count == 0) {
        hsp_canvas_text(p->c, "no boundary passes through the view", &quiet, (hsp_place2){x, y}, HSP_ALIGN_LEFT, room);
        return;
    }
    x += hsp_canvas_text(p->c, "boundary for \xCE\xBB =", &quiet, (hsp_place2){x, y}, HSP_ALIGN_LEFT, room) + 8;
    const hsp_font bold = {s->small, 600, s->ink};
    double end = p->panel.frame.x + room + 20;
    int digits = x + lambdas_width(p, 2, &bold) <= end ? 2 : 1;
    for (int64_t k = p->v->chosen_count - 1; k >= 0; k--) {
        char number[HSP_NUMERAL];
        hsp_colour colour = hsp_lambda_colour(p->v, s, k);
        const hsp_font font = {s->small, 600, hsp_style_mix(colour, s->ink, 0.15)};
        hsp_numeral_round(p->v->lambda[p->v->chosen[k]], digits, number);
        if (x + hsp_canvas_measure(p->c, number, &font, 0) > end) return;
        x += hsp_canvas_text(p->c, number, &font, (hsp_place2){x, y}, HSP_ALIGN_LEFT, 0) + BETWEEN;
    }
}

int hsp_lambda_boundaries(const hsp_chart_input *in, hsp_canvas *c, hsp_area f, hsp_lambda_view *v, hsp_error **err) {
    const hsp_style *s = hsp_canvas_style(c);
    lambda_plane p = {.v = v, .c = c};
    int status = take_points(in, &p, err);
    if (status == HSP_OK && hsp_polygon_new(&p.polygon, v->outputs + 6)) status = hsp_plot_fail_memory(err);
    if (status == HSP_OK) {
        const char *a = hsp_study_text(p.v->s, "features", 0), *b = hsp_study_text(p.v->s, "features", 1);
        p.panel = (hsp_panel){.x_name = a ? hsp_slice_axis(a, p.letter[0]) : NULL,
                              .y_name = b ? hsp_slice_axis(b, p.letter[1]) : NULL,
                              .x_range = hsp_range_of(p.x, p.n, HSP_SPREAD_AIR),
                              .y_range = hsp_range_of(p.y, p.n, HSP_SPREAD_AIR)};
        hsp_panel_lay_out(&p.panel, p.c, (hsp_area){f.x, f.y + p.v->above, f.w, f.h - p.v->above});
        status = choose_lambdas(&p, v, err);
    }
    if (status == HSP_OK) {
        hsp_lambda_title(c, f, p.panel.frame.x, "Boundary");
        hsp_panel_axes(&p.panel, c);
        hsp_canvas_clip(c, p.panel.frame);
        status = draw_points(&p, err);
        if (status == HSP_OK) status = draw_borders(&p, err);
        hsp_canvas_unclip(c);
        draw_classes(in, &p, p.panel.frame.y - 8 - 1.5 * s->small);
        draw_lambdas(&p, p.panel.frame.y - 8);
    }
    hsp_polygon_clear(&p.polygon);
    HSP_FREE(p.border, p.x);
    return status;
}
