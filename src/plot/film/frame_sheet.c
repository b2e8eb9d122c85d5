/* A frame with a boundary is put together from two of three backgrounds, each drawn once. In the background of a class the rows
 * of the other class are marked as misclassified, so the side of the boundary decides how a row is shown. A film of a million
 * rows costs no more for each frame than one of ten. */
#include "plot/film/frame_sheet.h"

#include "plot/draw/numeral.h"
#include "plot/draw/picture_bytes.h"
#include "plot/part/axis.h"
#include "plot/part/panel.h"
#include "plot/part/scatter.h"
#include "plot/part/sentence.h"
#include "plot/part/sheet.h"

#include <math.h>
#include <string.h>

static const double narrow = 620; /* a sheet below this width has no key */
static const double key_width = 172, key_gap = 26, chart_height = 104, arrow = 44;

/* ---- places ---- */

hsp_place2 hsp_film_place(const hsp_film_sheet *s, int64_t i) {
    const hsp_film_scene *c = s->scene;
    hsp_place2 at = {hsp_panel_x(&s->panel, c->u[i] + c->spread[0] * (2 * hsp_scatter_jitter(2 * i) - 1)), 0};
    if (c->dimensions == 2) {
        at.y = hsp_panel_y(&s->panel, c->v[i] + c->spread[1] * (2 * hsp_scatter_jitter(2 * i + 1) - 1));
    } else { /* each class has its own lane, across which its rows are spread */
        double lane = 0.5 * (c->truth[i] + 0.5 + 0.56 * (hsp_scatter_jitter(i) - 0.5));
        at.y = s->panel.frame.y + s->panel.frame.h * lane;
    }
    return at;
}

/* The score at (x, y) of the sheet is a x + b y + c, up to a positive factor. */
typedef struct score_plane {
    double a, b, c;
} score_plane;

/* false: the score is 0 everywhere, or not finite. */
static bool plane_of(const hsp_film_sheet *s, const hsp_film_frame *m, score_plane *out) {
    const hsp_axis *x = &s->panel.x, *y = &s->panel.y;
    hsp_area f = s->panel.frame;
    bool flat = s->scene->dimensions == 1;
    long double u = m->g[1], v = flat ? 0 : m->g[2];
    long double across = u * (x->hi - x->lo), up = flat ? 0 : v * (y->hi - y->lo);
    long double corner = m->g[0] + u * x->lo + (flat ? 0 : v * y->lo);
    long double size = fmaxl(fabsl(corner), fmaxl(fabsl(across), fabsl(up)));
    if (!(size > 0) || !isfinite(size)) return false;
    double cx = (double)(across / size), cy = (double)(up / size), c0 = (double)(corner / size);
    *out = (score_plane){cx / f.w, -cy / f.h, c0 - cx * f.x / f.w + cy * (1 + f.y / f.h)};
    return true;
}

/* ---- what stays ---- */

static int draw_points(const hsp_film_sheet *s, hsp_canvas *c, int ground) {
    const hsp_film_scene *scene = s->scene;
    hsp_scatter_point *p = hsp_alloc_zero(scene->n, sizeof *p);
    int64_t count = 0;
    if (!p) return HSP_EMEMORY;
    for (int64_t i = 0; i < scene->n; i++) {
        if (scene->truth[i] < 0) continue;
        bool positive = scene->truth[i] == scene->positive;
        p[count++] = (hsp_scatter_point){.at = hsp_film_place(s, i),
                                         .group = scene->truth[i],
                                         .marked = scene->exact && ground != HSP_FILM_NEUTRAL &&
                                                   positive != (ground == HSP_FILM_POSITIVE)};
    }
    int status = hsp_scatter_draw(c, p, count, s->panel.frame, count);
    hsp_free(p);
    return status;
}

static double draw_entry(hsp_canvas *c, const hsp_mark *mark, const char *text, hsp_place2 at) {
    const hsp_style *s = hsp_canvas_style(c);
    const hsp_font font = {s->text, 400, s->ink};
    hsp_place2 centre = {at.x + 7, at.y - 0.34 * s->text};
    if (mark)
        hsp_canvas_marks(c, &centre, 1, mark);
    else
        hsp_canvas_ring(c, centre, 7, &(hsp_pen){.colour = s->ink, .width = 2});
    hsp_canvas_text(c, text, &font, (hsp_place2){at.x + 22, at.y}, HSP_ALIGN_LEFT, key_width - 22);
    return at.y + 1.75 * s->text;
}

static void draw_key(const hsp_film_sheet *s, hsp_canvas *c) {
    const hsp_film_scene *scene = s->scene;
    hsp_area f = s->panel.frame;
    hsp_place2 at = {f.x + f.w + key_gap, f.y + s->style->text};
    for (int k = 0; k < 3; k++) {
        hsp_mark mark = hsp_scatter_mark(s->style, scene->n, k == 2 ? 1 - scene->positive : k, k == 2);
        if (mark.radius < 4) mark.radius = 4;
        if (k == 2 && !scene->exact && !scene->wrong) break;
        at.y = draw_entry(c, &mark, k == 2 ? "misclassified" : scene->class_name[k], at);
    }
    if (scene->rows) draw_entry(c, NULL, scene->batch ? "in this batch" : "caused this update", at);
    if (s->chart.w > 0) {
        const hsp_font small = {s->style->small, 400, s->style->quiet};
        hsp_place2 base[] = {{s->chart.x, s->chart.y + s->chart.h}, {s->chart.x + s->chart.w, s->chart.y + s->chart.h}};
        hsp_canvas_segments(c, base, 1, s->style->rule, 1);
        hsp_canvas_text(c, s->by_mistakes ? "rows misclassified" : "objective", &small,
                        (hsp_place2){s->chart.x, s->chart.y - 2.2 * s->style->small}, HSP_ALIGN_LEFT, key_width);
    }
}

static int draw_ground(hsp_film_sheet *s, int ground) {
    hsp_canvas *c = NULL;
    int w, h, status = hsp_canvas_new_image(s->style, s->scale, &c, NULL);
    if (status != HSP_OK) return status;
    const hsp_film_scene *scene = s->scene;
    hsp_sheet_head(c, scene->title, " ", scene->note);
    int side = ground == HSP_FILM_POSITIVE ? scene->positive : 1 - scene->positive;
    if (ground != HSP_FILM_NEUTRAL) hsp_canvas_box(c, s->panel.frame, hsp_style_class_tint(s->style, side), 1);
    hsp_canvas_clip(c, s->panel.frame);
    status = draw_points(s, c, ground);
    hsp_canvas_unclip(c);
    hsp_panel_axes(&s->panel, c);
    if (s->panel.right > 0) draw_key(s, c);
    const uint32_t *pixel = status == HSP_OK ? hsp_canvas_pixels(c, &w, &h) : NULL;
    s->ground[ground] = pixel ? hsp_alloc_zero((int64_t)w * h, sizeof *pixel) : NULL;
    if (s->ground[ground]) memcpy(s->ground[ground], pixel, (size_t)w * (size_t)h * sizeof *pixel);
    if (s->ground[ground]) s->w = w, s->h = h;
    hsp_canvas_free(c);
    return s->ground[ground] ? HSP_OK : HSP_EMEMORY;
}

/* ---- making ---- */

bool hsp_film_blank(const hsp_film_frame *m) {
    return m->g[0] == 0 && m->g[1] == 0 && m->g[2] == 0;
}

/* The value of the small curve; NaN: none. The start has none: weights of 0 predict nothing, and their figures would dwarf the
 * others. */
static double value_of(const hsp_film_sheet *s, const hsp_film_frame *m) {
    return hsp_film_blank(m) ? NAN : s->by_mistakes ? (double)m->mistakes : m->objective;
}

static hsp_range range_of(const double *v, int64_t n, double spread) {
    hsp_range r = hsp_range_of(v, n, HSP_SPREAD_PADDED);
    return (hsp_range){r.lo - spread, r.hi + spread, r.spread};
}

/* What is drawn under the key: the vectors of two features, and the small curve, if there is space. The curve shows the
 * mistakes if they are known, else the objective. */
static void choose_side(hsp_film_sheet *s) {
    const hsp_film_scene *c = s->scene;
    hsp_area f = s->panel.frame;
    double x = f.x + f.w + key_gap, bottom = f.y + f.h, key = (3 + c->rows) * 1.75 * s->style->text + 10;
    s->by_mistakes = true;
    for (int64_t i = 0; i < c->frames; i++) s->by_mistakes &= c->frame[i].mistakes >= 0;
    for (int64_t i = 0; i < c->frames; i++) {
        double v = value_of(s, &c->frame[i]);
        if (isfinite(v) && v > s->most) s->most = v;
    }
    if (s->panel.right == 0) return;
    bool curve = s->most > 0 && c->frames > 1 && f.h >= 340, vectors = c->exact && c->dimensions == 2 && !c->curve;
    double height = f.h - key, taken = curve ? chart_height + 4.4 * s->style->small : 0;
    if (vectors && height - taken < HSP_VECTORS_LEAST) curve = false, taken = 0;
    if (vectors && height >= HSP_VECTORS_LEAST)
        s->vectors = (hsp_area){x, f.y + key, key_width, fmin(HSP_VECTORS_MOST, height - taken)};
    if (curve) s->chart = (hsp_area){x, bottom - chart_height, key_width - 40, chart_height};
}

static void lay_out_sheet(hsp_film_sheet *s) {
    const hsp_film_scene *c = s->scene;
    s->panel = (hsp_panel){.x_name = c->axis[0],
                           .y_name = c->dimensions == 2 ? c->axis[1] : NULL,
                           .x_range = range_of(c->u, c->n, c->spread[0]),
                           .y_range = {0, 1, HSP_SPREAD_EXACT},
                           .no_y_ticks = c->dimensions == 1,
                           .right = s->style->width < narrow ? 0 : key_width + key_gap};
    if (c->dimensions == 2) s->panel.y_range = range_of(c->v, c->n, c->spread[1]);
    hsp_area outer = hsp_sheet_head(s->canvas, c->title, " ", c->note);
    if (c->dimensions == 2 && c->exact && !c->curve)
        s->alike = hsp_panel_lay_out_alike(&s->panel, s->canvas, outer);
    else
        hsp_panel_lay_out(&s->panel, s->canvas, outer);
    choose_side(s);
}

int hsp_film_sheet_open(hsp_film_sheet *s, const hsp_film_scene *scene, const hsp_style *style, double scale,
                        hsp_error **err) {
    *s = (hsp_film_sheet){.scene = scene, .style = style, .scale = scale};
    int status = hsp_canvas_new_image(style, scale, &s->canvas, err);
    if (status != HSP_OK) return status;
    lay_out_sheet(s);
    for (int k = 0; k < HSP_FILM_GROUNDS && status == HSP_OK; k++) status = draw_ground(s, k);
    if (status == HSP_OK) s->mixed = hsp_alloc_zero((int64_t)s->w * s->h, sizeof *s->mixed);
    return s->mixed ? HSP_OK : HSP_EMEMORY;
}

void hsp_film_sheet_close(hsp_film_sheet *s) {
    hsp_canvas_free(s->canvas);
    for (int k = 0; k < HSP_FILM_GROUNDS; k++) hsp_free(s->ground[k]);
    HSP_FREE(s->mixed, s->grid, s->features);
}

/* ---- what moves ---- */

/* Copies the backgrounds of both sides of the boundary. Along a row of pixels the side changes at most once. */
static void mix_grounds(hsp_film_sheet *s, const score_plane *g) {
    size_t all = (size_t)s->w * (size_t)s->h * sizeof *s->mixed;
    memcpy(s->mixed, s->ground[g ? HSP_FILM_NEGATIVE : HSP_FILM_NEUTRAL], all);
    for (int y = 0; g && y < s->h; y++) {
        double rest = g->b * (y + 0.5) / s->scale + g->c, from = 0, to = s->w;
        if (g->a == 0 && rest <= 0) continue;
        double turn = g->a == 0
                          ? 0
                          : -rest / g->a * s->scale -
                                0.5; /* where the sign changes: pixels right of it are positive, or those left of it */
        if (g->a > 0) from = fmin(fmax(floor(turn) + 1, 0), s->w);
        if (g->a < 0) to = fmin(fmax(ceil(turn), 0), s->w);
        if (!(from < to)) continue;
        size_t offset = (size_t)y * (size_t)s->w + (size_t)from;
        memcpy(s->mixed + offset, s->ground[HSP_FILM_POSITIVE] + offset, (size_t)(to - from) * sizeof *s->mixed);
    }
}

/* The part of the boundary that is in the frame; false: none. */
static bool in_view(const hsp_film_sheet *s, const score_plane *g, hsp_place2 ends[2]) {
    hsp_area f = s->panel.frame;
    const hsp_place2 corner[] = {{f.x, f.y}, {f.x + f.w, f.y}, {f.x + f.w, f.y + f.h}, {f.x, f.y + f.h}};
    int found = 0;
    for (int k = 0; k < 4 && found < 2; k++) {
        hsp_place2 p = corner[k], q = corner[(k + 1) % 4];
        double at_p = g->a * p.x + g->b * p.y + g->c, at_q = g->a * q.x + g->b * q.y + g->c;
        if ((at_p > 0) == (at_q > 0)) continue;
        double t = at_p / (at_p - at_q);
        ends[found++] = (hsp_place2){p.x + t * (q.x - p.x), p.y + t * (q.y - p.y)};
    }
    return found == 2;
}

/* From the middle of the boundary. With all features in view it is w, as it is in the units of the axes: perpendicular to the
 * boundary if these are equal. In another plane w has no direction, and the arrow only shows the positive side. */
static void draw_arrow(const hsp_film_sheet *s, const hsp_film_frame *m, const score_plane *g, const hsp_place2 ends[2]) {
    const hsp_font font = {s->style->text, 600, s->style->ink};
    bool apart = s->scene->exact && s->scene->dimensions == 2 && !s->alike;
    double x = g->a, y = g->b;
    if (apart) {
        x = m->g[1] * s->panel.frame.w / (double)(s->panel.x.hi - s->panel.x.lo);
        y = -m->g[2] * s->panel.frame.h / (double)(s->panel.y.hi - s->panel.y.lo);
    }
    double length = hypot(x, y);
    if (!(length > 0) || !isfinite(length)) return;
    hsp_place2 from = {(ends[0].x + ends[1].x) / 2, (ends[0].y + ends[1].y) / 2};
    hsp_place2 tip = {from.x + arrow * x / length, from.y + arrow * y / length};
    hsp_film_arrow(s->canvas, from, tip, s->style->ink, 2);
    double beyond = s->scene->exact ? 11 : 22;
    hsp_place2 name = {tip.x + beyond * x / length, tip.y + 11 * y / length + 0.3 * s->style->text};
    hsp_canvas_text(s->canvas, s->scene->exact ? "w" : "g > 0", &font, name, HSP_ALIGN_CENTRE, 0);
}

/* The boundary before the update. */
static void draw_ghost(const hsp_film_sheet *s, const hsp_film_frame *m) {
    hsp_film_frame old = {.g = {m->before[0], m->before[1], m->before[2]}};
    score_plane g;
    hsp_place2 ends[2];
    if (!m->changed || !plane_of(s, &old, &g) || !in_view(s, &g, ends)) return;
    hsp_canvas_line(s->canvas, ends, 2, &(hsp_pen){.colour = s->style->quiet, .width = 1.6, .dash = 5});
}

/* Draws again the rows that the boundary cuts, which would be half right and half wrong, and, if the side does not show it, the
 * misclassified ones. */
static void draw_rows(const hsp_film_sheet *s, const score_plane *g, int64_t frame) {
    const hsp_film_scene *c = s->scene;
    const uint8_t *wrong = c->exact || !c->wrong ? NULL : c->wrong + frame * c->n;
    double length = hypot(g->a, g->b);
    for (int64_t i = 0; i < c->n; i++) {
        if (c->truth[i] < 0) continue;
        hsp_place2 at = hsp_film_place(s, i);
        double score = g->a * at.x + g->b * at.y + g->c;
        bool marked = c->exact ? (score > 0) != (c->truth[i] == c->positive) : wrong && wrong[i];
        hsp_mark mark = hsp_scatter_mark(s->style, c->n, c->truth[i], marked);
        bool near = fabs(score) <= length * (1.5 * mark.radius + mark.edge + 1);
        if (near || (wrong && marked)) hsp_canvas_marks(s->canvas, &at, 1, &mark);
    }
}

/* Draws the mark of the row again, which the boundary may hide, and a ring around it: a thin one for one of many. */
static void draw_row(const hsp_film_sheet *s, int64_t row, bool thin) {
    const hsp_film_scene *c = s->scene;
    if (row < 0 || row >= c->n || c->truth[row] < 0) return;
    hsp_place2 at = hsp_film_place(s, row);
    hsp_mark mark = hsp_scatter_mark(s->style, c->n, c->truth[row], false);
    if (mark.radius < 3) mark.radius = 3;
    mark.edge = fmax(mark.edge, 1);
    mark.edge_colour = s->style->paper;
    hsp_canvas_marks(s->canvas, &at, 1, &mark);
    double radius = mark.radius + (thin ? 4 : 6);
    hsp_canvas_ring(s->canvas, at, radius, &(hsp_pen){.colour = s->style->paper, .width = thin ? 3 : 5});
    hsp_canvas_ring(s->canvas, at, radius, &(hsp_pen){.colour = s->style->ink, .width = thin ? 1.5 : 2.4});
}

/* The small curve up to frame i, and its value there. */
static void draw_chart(const hsp_film_sheet *s, int64_t i) {
    const hsp_film_scene *c = s->scene;
    hsp_area f = s->chart;
    if (!(f.w > 0)) return;
    hsp_place2 line[512];
    int64_t n = 0, step = i / 500 + 1;
    double now = NAN;
    for (int64_t k = 0; k <= i; k += k + step <= i || k == i ? step : i - k) {
        double v = value_of(s, &c->frame[k]);
        if (!isfinite(v)) continue;
        line[n++] = (hsp_place2){f.x + f.w * (double)k / (double)(c->frames - 1), f.y + f.h * (1 - v / s->most)};
        now = v;
    }
    if (n == 0) return;
    hsp_canvas_line(s->canvas, line, n, &(hsp_pen){.colour = s->style->ink, .width = 1.6});
    hsp_mark dot = {.marker = HSP_MARKER_CIRCLE, .radius = 3, .fill = s->style->ink, .alpha = 1};
    hsp_canvas_marks(s->canvas, &line[n - 1], 1, &dot);
    char text[HSP_NUMERAL];
    const hsp_font font = {s->style->small, 600, s->style->ink};
    hsp_numeral_round(now, 4, text);
    double width = hsp_canvas_measure(s->canvas, text, &font, 0), x = fmin(line[n - 1].x + 8, f.x + key_width - width);
    hsp_canvas_text(s->canvas, text, &font, (hsp_place2){x, line[n - 1].y - 5}, HSP_ALIGN_LEFT, 0);
}

static void draw_boundary(const hsp_film_sheet *s, const score_plane *g, int64_t i) {
    const hsp_film_frame *m = &s->scene->frame[i];
    /* Many rows would hide the boundary: it is drawn on top of them. */
    hsp_place2 ends[2];
    bool few = s->scene->n <= HSP_FILM_FEW, seen = in_view(s, g, ends);
    hsp_canvas_clip(s->canvas, s->panel.frame);
    draw_ghost(s, m);
    if (seen && !few) hsp_canvas_segments(s->canvas, ends, 1, s->style->paper, 4);
    if (seen) hsp_canvas_segments(s->canvas, ends, 1, s->style->ink, 2.2);
    if (few) draw_rows(s, g, i);
    if (seen && hypot(ends[1].x - ends[0].x, ends[1].y - ends[0].y) > 60) draw_arrow(s, m, g, ends);
    hsp_canvas_unclip(s->canvas);
}

const hsp_colour *hsp_film_sheet_draw(hsp_film_sheet *s, int64_t i) {
    const hsp_film_frame *m = &s->scene->frame[i];
    char first[HSP_SENTENCE], second[HSP_SENTENCE];
    score_plane g;
    int w, h;
    if (s->scene->curve) {
        if (hsp_film_curve_draw(s, i)) return NULL;
    } else {
        bool some = plane_of(s, m, &g);
        mix_grounds(s, some ? &g : NULL);
        hsp_canvas_image(s->canvas, (hsp_area){0, 0, s->style->width, s->style->height}, s->w, s->h, s->mixed);
        if (some) draw_boundary(s, &g, i);
    }
    draw_row(s, m->row, false);
    for (int64_t k = 0; k < m->batch_count; k++) draw_row(s, s->scene->batch[m->batch + k], m->batch_count > 8);
    hsp_film_vectors_draw(s, m);
    draw_chart(s, i);
    hsp_film_words(s->scene, m, first, second);
    if (s->scene->exact && s->scene->dimensions == 2 && !s->alike && !s->scene->curve)
        hsp_sentence_add(second, "  \xC2\xB7  the axes have different units: w is not perpendicular to the boundary here");
    hsp_sheet_head(s->canvas, "", first, second);
    return hsp_canvas_pixels(s->canvas, &w, &h);
}
