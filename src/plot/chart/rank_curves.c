/* Of many classes only the worst have a name and a colour, as they need attention; the others are grey, behind them. Of several
 * models with more than two classes each is shown by the mean of its curves. */
#include "plot/chart/rank_curves.h"

#include "plot/draw/numeral.h"
#include "plot/draw/picture_bytes.h"
#include "plot/draw/style.h"
#include "plot/part/curve.h"
#include "plot/part/key.h"
#include "plot/part/panel.h"
#include "plot/part/sentence.h"
#include "plot/part/sheet.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAMED = 8, BEHIND = 100, GRID = 1000, MOST_PLACES = 20000 };

typedef struct rank_curve {
    const char *name;
    double *x, *y; /* n each, as they are drawn; owned */
    int64_t n;
    double area;
    double ring_x, ring_y; /* the point of the model's own threshold; NaN: not shown */
    int64_t number;        /* of the class or model, for its colour */
    bool named;
    char figure[HSP_NUMERAL];
} rank_curve;

typedef struct rank_drawing {
    const hsp_chart_input *in;
    const hsp_rank_view *v;
    rank_curve *curve; /* owned */
    int64_t curves, named, behind;
    bool means; /* each curve is the mean over the classes of a model */
} rank_drawing;

/* The arrays of one study, borrowed. */
typedef struct rank_arrays {
    const double *begin, *x, *y, *area, *model_x, *model_y;
    int64_t curves;
} rank_arrays;

static int find_arrays(const hsp_report *s, const hsp_rank_view *v, rank_arrays *a, hsp_error **err) {
    return HSP_CHART_ARRAYS(s, err, {"begin", &a->begin, NULL}, {v->x, &a->x, NULL}, {v->y, &a->y, NULL},
                            {v->area, &a->area, &a->curves}, {v->model_x, &a->model_x, NULL},
                            {v->model_y, &a->model_y, NULL});
}

/* ---- the curves ---- */

static int allocate_curve_points(rank_curve *k, int64_t n) {
    k->x = hsp_alloc_zero(n, sizeof *k->x);
    k->y = hsp_alloc_zero(n, sizeof *k->y);
    return k->x && k->y ? HSP_OK : HSP_EMEMORY;
}

/* hsp_curve_draw draws steps from the left, with a height that holds from its x on. Here a height holds up to its x, so each
 * point gets the height of the next. */
static int take_curve(const rank_arrays *a, int64_t c, bool steps, rank_curve *k) {
    int64_t from = (int64_t)a->begin[c], n = (int64_t)a->begin[c + 1] - from;
    int status = allocate_curve_points(k, n + 1);
    if (status != HSP_OK || n == 0) return status;
    for (int64_t i = 0; i < n; i++) {
        k->x[i + (steps ? 1 : 0)] = a->x[from + i];
        k->y[i] = a->y[from + i];
    }
    k->n = n + (steps ? 1 : 0);
    if (steps) k->y[n] = k->y[n - 1];
    k->ring_x = a->model_x[c];
    k->ring_y = a->model_y[c];
    return HSP_OK;
}

/* The height of a curve at x: its limit from the left or, with `after`, from the right. */
static double height_at(const double *x, const double *y, int64_t n, double at, bool steps, bool after) {
    int64_t low = 0, high = n; /* searches the first point at x or beyond; with `after`, beyond it */
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (after ? x[middle] <= at : x[middle] < at)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == n) return y[n - 1];
    if (steps || low == 0 || x[low] == at) return y[low];
    return y[low - 1] + (y[low] - y[low - 1]) * (at - x[low - 1]) / (x[low] - x[low - 1]);
}

static double mean_height(const rank_arrays *a, double at, bool steps, bool after) {
    double sum = 0, count = 0;
    for (int64_t c = 0; c < a->curves; c++) {
        int64_t from = (int64_t)a->begin[c], n = (int64_t)a->begin[c + 1] - from;
        if (n > 0) sum += height_at(a->x + from, a->y + from, n, at, steps, after), count++;
    }
    return sum / count;
}

/* The x of all points of all curves, ascending and each once, or a grid if they are very many. Returns their number. */
static int64_t gather_places(const rank_arrays *a, double *place, int64_t points) {
    if (points > MOST_PLACES) {
        for (int64_t i = 0; i <= GRID; i++) place[i] = (double)i / GRID;
        return GRID + 1;
    }
    memcpy(place, a->x, (size_t)points * sizeof *place);
    qsort(place, (size_t)points, sizeof *place, hsp_ascending);
    int64_t kept = 0;
    for (int64_t i = 0; i < points; i++)
        if (i == 0 || place[i] > place[kept - 1]) place[kept++] = place[i];
    return kept;
}

/* The mean over the classes that have a curve. */
static int take_mean(const rank_arrays *a, bool steps, rank_curve *k) {
    int64_t points = (int64_t)a->begin[a->curves], n;
    double *place = hsp_alloc_zero(points > GRID ? points : GRID + 1, sizeof *place), sum = 0, count = 0;
    int status = place ? allocate_curve_points(k, 2 * (points > GRID ? points : GRID + 1) + 2) : HSP_EMEMORY;
    n = status == HSP_OK ? gather_places(a, place, points) : 0;
    for (int64_t i = 0; i < n; i++) {
        if (!steps) k->x[k->n] = place[i], k->y[k->n++] = mean_height(a, place[i], steps, false);
        k->x[k->n] = steps && i == 0 ? 0 : place[steps ? i - 1 : i];
        k->y[k->n++] = mean_height(a, place[i], steps, !steps);
    }
    if (steps && n > 0) k->x[k->n] = place[n - 1], k->y[k->n] = k->y[k->n - 1], k->n++;
    for (int64_t c = 0; c < a->curves; c++)
        if (isfinite(a->area[c])) sum += a->area[c], count++;
    k->area = sum / count;
    hsp_free(place);
    return status;
}

static int take_model(rank_drawing *d, int64_t i, hsp_error **err) {
    rank_arrays a;
    rank_curve *k = &d->curve[d->curves++];
    *k = (rank_curve){.name = d->in->name[i], .number = i, .ring_x = NAN, .ring_y = NAN};
    int status = find_arrays(d->in->study[i], d->v, &a, err);
    if (status != HSP_OK) return status;
    k->area = a.area[0];
    if (a.curves == 1) return take_curve(&a, 0, d->v->steps, k);
    d->means = true;
    return take_mean(&a, d->v->steps, k);
}

static int take_classes(rank_drawing *d, const rank_arrays *a) {
    for (int64_t c = 0; c < a->curves; c++) {
        rank_curve *k = &d->curve[d->curves++];
        *k = (rank_curve){.number = c, .area = a->area[c], .ring_x = NAN, .ring_y = NAN};
        k->name = hsp_report_text_at(d->in->study[0], "classes", c);
        int status = take_curve(a, c, d->v->steps, k);
        if (status != HSP_OK) return status;
    }
    return HSP_OK;
}

static int worst_first(const void *a, const void *b) {
    const rank_curve *p = a, *q = b;
    double x = isfinite(p->area) ? p->area : 2, y = isfinite(q->area) ? q->area : 2;
    if (x != y) return x < y ? -1 : 1;
    return (p->number > q->number) - (p->number < q->number);
}

/* Which curves have a name. */
static void choose_named_curves(rank_drawing *d) {
    bool many = d->curves > NAMED;
    if (many && d->in->models == 1) qsort(d->curve, (size_t)d->curves, sizeof *d->curve, worst_first);
    d->named = many ? NAMED : d->curves;
    for (int64_t i = 0; i < d->named; i++) {
        d->curve[i].named = true;
        if (many) d->curve[i].number = i;
        hsp_sentence_area(d->curve[i].area, d->curve[i].figure);
    }
    d->behind = d->curves - d->named < BEHIND ? d->curves - d->named : BEHIND;
}

static int collect_curves(rank_drawing *d, hsp_error **err) {
    rank_arrays a = {0};
    int status = d->in->models == 1 ? find_arrays(d->in->study[0], d->v, &a, err) : hsp_chart_check_positive(d->in, err);
    if (status != HSP_OK) return status;
    d->curve = hsp_alloc_zero(d->in->models == 1 ? a.curves : d->in->models, sizeof *d->curve);
    if (!d->curve) return HSP_EMEMORY;
    if (d->in->models == 1) status = take_classes(d, &a);
    for (int64_t i = 0; i < d->in->models && d->in->models > 1 && status == HSP_OK; i++) status = take_model(d, i, err);
    if (status == HSP_OK) choose_named_curves(d);
    return status;
}

/* ---- words ---- */

/* The names of two classes. */
static void name_both(const hsp_chart_input *in, int most, char *positive, char *other) {
    int64_t k = hsp_model_positive(in->model[0]);
    hsp_sentence_cut(hsp_model_class_name(in->model[0], k), most, positive);
    hsp_sentence_cut(hsp_model_class_name(in->model[0], 1 - k), most, other);
}

static void write_classes(const hsp_chart_input *in, char *out, size_t size) {
    char positive[HSP_SHORT], other[HSP_SHORT];
    name_both(in, 30, positive, other);
    snprintf(out, size, "%s against %s", positive, other);
}

static double mean_area(const rank_drawing *d) {
    double sum = 0, count = 0;
    for (int64_t i = 0; i < d->curves; i++)
        if (isfinite(d->curve[i].area)) sum += d->curve[i].area, count++;
    return sum / count;
}

static void describe_curves(const rank_drawing *d, char *first, char *second) {
    char area[HSP_NUMERAL], classes[2 * HSP_SHORT + 16];
    hsp_sentence_rows(d->in, d->in->study[0], second);
    if (d->in->models > 1) {
        if (d->means)
            snprintf(first, HSP_SENTENCE, "%lld models; for each the mean of its one-vs-rest curves",
                     (long long)d->in->models);
        else {
            write_classes(d->in, classes, sizeof classes);
            snprintf(first, HSP_SENTENCE, "%s, by %lld models", classes, (long long)d->in->models);
        }
    } else if (hsp_model_outputs(d->in->model[0]) == 1) {
        write_classes(d->in, classes, sizeof classes);
        snprintf(first, HSP_SENTENCE, "%s: %s %s", classes, d->v->area_words, d->curve[0].figure);
    } else {
        snprintf(first, HSP_SENTENCE, "each class against the rest, ranked by score difference: mean %s %s",
                 d->v->area_words, hsp_sentence_area(mean_area(d), area));
    }
}

static void write_notes(const rank_drawing *d, char *first, char *second) {
    char x[HSP_NUMERAL], y[HSP_NUMERAL], positive[HSP_SHORT], other[HSP_SHORT];
    const rank_curve *k = &d->curve[0];
    bool rings = false;
    for (int64_t i = 0; i < d->named; i++) rings = rings || (isfinite(d->curve[i].ring_x) && isfinite(d->curve[i].ring_y));
    first[0] = second[0] = 0;
    if (d->curves == 1 && rings) {
        hsp_sentence_percent(k->ring_x, 1, x);
        hsp_sentence_percent(k->ring_y, 1, y);
        snprintf(first, HSP_SENTENCE, "\xE2\x97\x8B threshold of the model");
        name_both(d->in, 14, positive, other);
        if (d->v->roc)
            snprintf(second, HSP_SENTENCE, "%s of %s found, %s of %s misclassified", y, positive, x, other);
        else
            snprintf(second, HSP_SENTENCE, "%s of %s found, %s of the positive predictions are %s", x, positive, y,
                     positive);
    } else if (!d->means && rings) {
        snprintf(first, HSP_SENTENCE, "\xE2\x97\x8B threshold of the model");
    }
    if (d->curves > d->named) {
        long long others = (long long)(d->curves - d->named);
        snprintf(second, HSP_SENTENCE,
                 d->in->models > 1 ? "%lld more models in grey" : "the %lld others, none worse, in grey", others);
    }
}

/* ---- drawing ---- */

static void draw_reference(const rank_drawing *d, const hsp_panel *p, hsp_canvas *c) {
    const hsp_style *s = hsp_canvas_style(c);
    const hsp_pen pen = {s->rule, 1.2, 5, 1};
    const hsp_font font = {s->small, 400, s->quiet};
    double lo = 0, hi = 1;
    if (!d->v->roc) {
        const double *rate;
        if (d->means || (d->in->models == 1 && d->curves > 1)) return;
        if (HSP_CHART_ARRAYS(d->in->study[0], NULL, {"base_rate", &rate, NULL})) return;
        lo = hi = rate[0];
    }
    hsp_place2 line[] = {hsp_panel_place(p, 0, lo), hsp_panel_place(p, 1, hi)};
    hsp_canvas_line(c, line, 2, &pen);
    if (p->frame.w < 220) return;
    if (d->v->roc) {
        hsp_place2 at = hsp_panel_place(p, 0.7, 0.7);
        hsp_canvas_text(c, "chance", &font, (hsp_place2){at.x + 8, at.y + s->small}, HSP_ALIGN_LEFT, 0);
    } else {
        double y = line[0].y > p->frame.y + 3 * s->small ? line[0].y - 6 : line[0].y + 1.2 * s->small;
        hsp_canvas_text(c, "chance", &font, (hsp_place2){p->frame.x + 8, y}, HSP_ALIGN_LEFT, 0);
    }
}

static int draw_curves(const rank_drawing *d, const hsp_panel *p, hsp_canvas *c) {
    const hsp_style *s = hsp_canvas_style(c);
    int status = HSP_OK;
    for (int64_t i = d->named + d->behind - 1; i >= 0 && status == HSP_OK; i--) { /* the named ones on top */
        const rank_curve *k = &d->curve[i];
        hsp_colour colour = k->named ? hsp_style_class_colour(s, k->number) : hsp_style_mix(s->paper, s->rule, 0.6);
        hsp_curve line = {.n = k->n, .x = k->x, .y = k->y, .pen = {colour, k->named ? 2.2 : 1, 0, 1}, .steps = d->v->steps};
        if (k->n > 0) status = hsp_curve_draw(p, c, &line);
    }
    for (int64_t i = 0; i < d->named && status == HSP_OK; i++) {
        const rank_curve *k = &d->curve[i];
        if (!isfinite(k->ring_x) || !isfinite(k->ring_y)) continue;
        hsp_place2 at = hsp_panel_place(p, k->ring_x, k->ring_y);
        if (!hsp_panel_holds(p, at)) continue;
        hsp_mark m = {HSP_MARKER_CIRCLE, 4.6, s->paper, 1, hsp_style_class_colour(s, k->number), 2};
        hsp_canvas_marks(c, &at, 1, &m);
    }
    return status;
}

/* The side of a square at the best corner that all named curves pass through, with a margin; 1: not all come near it. */
static double corner_side(const rank_drawing *d) {
    double farthest = 0;
    for (int64_t i = 0; i < d->named; i++) {
        const rank_curve *k = &d->curve[i];
        double nearest = k->n > 0 ? 1 : 0;
        for (int64_t j = 0; j < k->n; j++) nearest = fmin(nearest, fmax(d->v->roc ? k->x[j] : 1 - k->x[j], 1 - k->y[j]));
        farthest = fmax(farthest, nearest);
    }
    static const double sides[] = {0.01, 0.02, 0.05, 0.1, 0.2, 0.4};
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++)
        if (sides[i] >= 2 * farthest && farthest > 0) return sides[i];
    return 1;
}

/* Good curves differ only near the corner: draw it again, enlarged, if there is space. */
static int draw_corner(const rank_drawing *d, hsp_canvas *c, hsp_area f) {
    double side = corner_side(d);
    if (side >= 1 || f.w < 180 || f.h < 180) return HSP_OK;
    hsp_panel p = {.title = "enlarged corner",
                   .x_range = {d->v->roc ? 0 : 1 - side, d->v->roc ? side : 1, HSP_SPREAD_EXACT},
                   .y_range = {1 - side, 1, HSP_SPREAD_EXACT},
                   .square = true,
                   .grid = true};
    hsp_panel_lay_out(&p, c, f);
    hsp_panel_axes(&p, c);
    return draw_curves(d, &p, c);
}

static int draw_sheet(const rank_drawing *d, hsp_canvas *c) {
    char first[HSP_SENTENCE], second[HSP_SENTENCE], note1[HSP_SENTENCE], note2[HSP_SENTENCE];
    hsp_key_line line[NAMED];
    describe_curves(d, first, second);
    write_notes(d, note1, note2);
    for (int64_t i = 0; i < d->named; i++) {
        const rank_curve *k = &d->curve[i];
        line[i] = (hsp_key_line){k->name, k->figure, {hsp_style_class_colour(hsp_canvas_style(c), k->number), 2.6, 0, 1}};
    }
    hsp_area f = hsp_sheet_head(c, hsp_chart_title(d->in, d->v->title), first, second);
    hsp_key key = {.head = d->in->models > 1 ? "model" : "class",
                   .figure_head = d->v->area_name,
                   .line = line,
                   .lines = d->named,
                   .note = note1[0] ? note1 : NULL,
                   .note2 = note2[0] ? note2 : NULL};
    bool aside = hsp_canvas_style(c)->aside != NULL; /* the page writes the key */
    double beside = aside ? 0 : fmin(0.42 * f.w, fmax(hsp_key_width(&key, c, 0.42 * f.w), 200)),
           gap = aside ? 0 : 0.04 * f.w;
    hsp_panel p = {.x_name = d->v->x_name,
                   .y_name = d->v->y_name,
                   .x_range = {0, 1, HSP_SPREAD_EXACT},
                   .y_range = {0, 1, HSP_SPREAD_EXACT},
                   .square = true,
                   .grid = true};
    hsp_panel_lay_out(&p, c, (hsp_area){f.x, f.y, f.w - beside - gap, f.h});
    hsp_panel_axes(&p, c);
    draw_reference(d, &p, c);
    int status = draw_curves(d, &p, c);
    hsp_area right = {p.frame.x + p.frame.w + gap, p.frame.y, f.x + f.w - p.frame.x - p.frame.w - gap, p.frame.h};
    double under = hsp_key_draw(&key, c, right) + 16, floor_y = f.y + f.h;
    if (status == HSP_OK) status = draw_corner(d, c, (hsp_area){right.x, under, right.w, floor_y - under});
    return status;
}

int hsp_rank_curves_draw(const hsp_chart_input *in, hsp_canvas *c, const hsp_rank_view *v, hsp_error **err) {
    rank_drawing d = {.in = in, .v = v};
    int status = collect_curves(&d, err);
    if (status == HSP_OK) status = draw_sheet(&d, c);
    for (int64_t i = 0; i < d.curves; i++) HSP_FREE(d.curve[i].x, d.curve[i].y);
    hsp_free(d.curve);
    return status;
}
