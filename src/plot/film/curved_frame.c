/* A curved boundary in a frame: the scores on a grid over the picture, bilinear between the points of the grid. The curve is
 * where they are 0. Which rows are misclassified is computed from their own scores. */
#include "plot/film/frame_sheet.h"

#include "halfspace_internal.h"
#include "plot/draw/canvas.h"
#include "plot/part/axis.h"
#include "plot/part/scatter.h"

#include <math.h>
#include <string.h>

enum { COLUMNS = HSP_FILM_COLUMNS, ROWS = HSP_FILM_ROWS, POINTS = COLUMNS * ROWS };

/* ---- the grid ---- */

/* The columns of the row at point (i, j) of the grid, j from the top. */
static void row_at(const hsp_film_sheet *s, int i, int j, double *x) {
    const hsp_film_curve *c = s->scene->curve;
    const hsp_axis *a = &s->panel.x, *b = &s->panel.y;
    double u = (double)(a->lo + (a->hi - a->lo) * i / (COLUMNS - 1));
    double v = s->scene->dimensions == 1 ? 0 : (double)(b->hi - (b->hi - b->lo) * j / (ROWS - 1));
    for (int64_t k = 0; k < c->columns; k++) {
        x[k] = c->lift[k] + c->lift[c->columns + k] * u + c->lift[2 * c->columns + k] * v;
        if (!isfinite(x[k])) x[k] = 0;
    }
}

/* The features at all points: the same in every frame. */
static int take_features(hsp_film_sheet *s, const double *x) {
    const hsp_film_curve *c = s->scene->curve;
    if (s->features) return HSP_OK;
    s->features = hsp_alloc_zero(POINTS * (c->stride - 1), sizeof *s->features);
    return s->features ? hsp_model_raw_features(c->model, c->data, x, POINTS, s->features, NULL) : HSP_EMEMORY;
}

/* w.x + b at all points. */
static void add_features(hsp_film_sheet *s, const double *w) {
    int64_t d = s->scene->curve->stride - 1;
    for (int k = 0; k < POINTS; k++) {
        const double *x = s->features + k * d;
        double g = w[d];
        for (int64_t j = 0; j < d; j++) g += w[j] * x[j];
        s->grid[k] = g;
    }
}

static int score_grid(hsp_film_sheet *s, int64_t frame) {
    const hsp_film_curve *c = s->scene->curve;
    const double *parameters = c->parameters + frame * c->stride;
    double *x = hsp_alloc_zero(POINTS * c->columns, sizeof *x);
    if (!s->grid) s->grid = hsp_alloc_zero(POINTS, sizeof *s->grid);
    int status = x && s->grid ? HSP_OK : HSP_EMEMORY;
    for (int k = 0; status == HSP_OK && k < POINTS; k++) row_at(s, k % COLUMNS, k / COLUMNS, x + k * c->columns);
    if (status == HSP_OK)
        status = c->data ? take_features(s, x) : hsp_model_score_with(c->model, parameters, x, POINTS, s->grid, NULL);
    if (status == HSP_OK && c->data) add_features(s, parameters);
    hsp_free(x);
    return status;
}

/* The score at a place of the sheet, which is moved into the frame. */
static double score_at(const hsp_film_sheet *s, double x, double y) {
    hsp_area f = s->panel.frame;
    double across = fmin(fmax((x - f.x) / f.w, 0), 1) * (COLUMNS - 1), down = fmin(fmax((y - f.y) / f.h, 0), 1) * (ROWS - 1);
    int i = (int)fmin(across, COLUMNS - 2), j = (int)fmin(down, ROWS - 2);
    const double *g = s->grid + j * COLUMNS + i;
    double a = across - i, b = down - j;
    return (1 - b) * ((1 - a) * g[0] + a * g[1]) + b * ((1 - a) * g[COLUMNS] + a * g[COLUMNS + 1]);
}

/* Copies the background of the class that each pixel belongs to. */
static void mix_sides(hsp_film_sheet *s) {
    memcpy(s->mixed, s->ground[HSP_FILM_NEGATIVE], (size_t)s->w * (size_t)s->h * sizeof *s->mixed);
    for (int y = 0; y < s->h; y++)
        for (int x = 0; x < s->w; x++) {
            size_t at = (size_t)y * (size_t)s->w + (size_t)x;
            if (score_at(s, (x + 0.5) / s->scale, (y + 0.5) / s->scale) > 0) s->mixed[at] = s->ground[HSP_FILM_POSITIVE][at];
        }
}

/* ---- the curve ---- */

static hsp_place2 point_of(const hsp_film_sheet *s, int i, int j) {
    hsp_area f = s->panel.frame;
    return (hsp_place2){f.x + f.w * i / (COLUMNS - 1), f.y + f.h * j / (ROWS - 1)};
}

/* The places where the score changes its sign on the sides of a cell, into out[4]; how many: 0, 2 or 4. Of four the first two
 * belong together, and the last two: they cut off the first and the third corner. */
static int cross_cell(const hsp_film_sheet *s, int i, int j, hsp_place2 *out) {
    const int di[] = {0, 1, 1, 0, 0}, dj[] = {0, 0, 1, 1, 0};
    int found = 0;
    for (int k = 3; k < 7; k++) { /* from the side before the first corner */
        int p = k % 4;
        double from = s->grid[(j + dj[p]) * COLUMNS + i + di[p]], to = s->grid[(j + dj[p + 1]) * COLUMNS + i + di[p + 1]];
        if ((from > 0) == (to > 0)) continue;
        hsp_place2 a = point_of(s, i + di[p], j + dj[p]), b = point_of(s, i + di[p + 1], j + dj[p + 1]);
        double t = from / (from - to);
        out[found++] = (hsp_place2){a.x + t * (b.x - a.x), a.y + t * (b.y - a.y)};
    }
    return found;
}

/* The segments of the curve; the caller frees them. NULL: no memory. */
static hsp_place2 *trace_curve(const hsp_film_sheet *s, int64_t *segments) {
    hsp_place2 *out = hsp_alloc_zero(4 * (COLUMNS - 1) * (ROWS - 1), sizeof *out);
    int64_t places = 0;
    for (int j = 0; out && j + 1 < ROWS; j++)
        for (int i = 0; i + 1 < COLUMNS; i++) places += cross_cell(s, i, j, out + places);
    *segments = places / 2;
    return out;
}

/* ---- the rows ---- */

/* Whether the boundary cuts the mark of a row, or the grid takes another side for it than its own score. */
static bool needs_mark(const hsp_film_sheet *s, hsp_place2 at, double radius, bool positive) {
    const double x[] = {0, 1, -1, 0, 0}, y[] = {0, 0, 0, 1, -1};
    for (int k = 0; k < 5; k++)
        if ((score_at(s, at.x + radius * x[k], at.y + radius * y[k]) > 0) != positive) return true;
    return false;
}

static void draw_marks(const hsp_film_sheet *s, int64_t frame) {
    const hsp_film_scene *c = s->scene;
    for (int64_t i = 0; c->wrong && i < c->n; i++) {
        if (c->truth[i] < 0) continue;
        bool wrong = c->wrong[frame * c->n + i], positive = (c->truth[i] == c->positive) != wrong;
        hsp_mark mark = hsp_scatter_mark(s->style, c->n, c->truth[i], wrong);
        hsp_place2 at = hsp_film_place(s, i);
        if (needs_mark(s, at, 1.5 * mark.radius + mark.edge + 1, positive)) hsp_canvas_marks(s->canvas, &at, 1, &mark);
    }
}

/* Weights of 0 give no row a class. */
static void draw_neutral(hsp_film_sheet *s) {
    hsp_canvas_image(s->canvas, (hsp_area){0, 0, s->style->width, s->style->height}, s->w, s->h, s->ground[HSP_FILM_NEUTRAL]);
}

int hsp_film_curve_draw(hsp_film_sheet *s, int64_t i) {
    int64_t segments = 0;
    if (hsp_film_blank(&s->scene->frame[i])) {
        draw_neutral(s);
        return HSP_OK;
    }
    int status = score_grid(s, i);
    if (status != HSP_OK) return status;
    mix_sides(s);
    hsp_canvas_image(s->canvas, (hsp_area){0, 0, s->style->width, s->style->height}, s->w, s->h, s->mixed);
    hsp_place2 *segment = trace_curve(s, &segments);
    if (!segment) return HSP_EMEMORY;
    hsp_canvas_clip(s->canvas, s->panel.frame);
    if (!s->scene->wrong) hsp_canvas_segments(s->canvas, segment, segments, s->style->paper, 4);
    hsp_canvas_segments(s->canvas, segment, segments, s->style->ink, 2.2);
    draw_marks(s, i);
    hsp_canvas_unclip(s->canvas);
    hsp_free(segment);
    return HSP_OK;
}
