/* The chart `boundary`: the points, coloured by class; the region of each class, tinted; the boundary between them. */
#include "plot/axis.h"
#include "plot/chart.h"
#include "plot/halfplane.h"
#include "plot/legend.h"
#include "plot/scatter.h"
#include "plot/slice.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 512 };

typedef struct picture {
    hsp_canvas *c;
    const hsp_style *style;
    hsp_slice s;
    hsp_axis x, y;      /* y is unused with one feature: there the classes have a lane each */
    hsp_frame frame;    /* where the data are */
    hsp_frame key;      /* where the legend is */
    hsp_place2 *border; /* segments of the boundary, 2 corners each */
    int64_t borders;
    int64_t regions; /* classes with a region in view */
    int64_t only;    /* the class of the last region: with one region, the only one */
    hsp_polygon polygon;
    hsp_place2 *corner; /* the polygon on the sheet */
} picture;

static bool one_feature(const picture *p) {
    return p->s.d == 1;
}

static hsp_place2 on_sheet(const picture *p, hsp_place2 unit) {
    return (hsp_place2){p->frame.x + unit.x * p->frame.w, p->frame.y + (1 - unit.y) * p->frame.h};
}

/* ---- regions ---- */

/* score(j) - score(k) over the view as a half-plane of the unit square, scaled to about 1: the numbers themselves may be
 * beyond a double's range. */
static hsp_halfplane advantage(const picture *p, int64_t j, int64_t k) {
    const hsp_slice_score *u = &p->s.score[j], *v = &p->s.score[k];
    long double wx = (long double)u->w[0] - v->w[0], wy = (long double)u->w[1] - v->w[1];
    long double a = wx * (p->x.hi - p->x.lo), b = 0, c = (long double)u->b - v->b + wx * p->x.lo;
    if (!one_feature(p)) {
        b = wy * (p->y.hi - p->y.lo);
        c += wy * p->y.lo;
    }
    long double size = fmaxl(fabsl(a), fmaxl(fabsl(b), fabsl(c)));
    if (size == 0) return (hsp_halfplane){0, 0, 0};
    return (hsp_halfplane){(double)(a / size), (double)(b / size), (double)(c / size)};
}

/* Cuts the view down to where class order[i] wins. */
static void cut_region(picture *p, int64_t i) {
    hsp_polygon_square(&p->polygon);
    for (int64_t j = 0; j < p->s.classes && p->polygon.count > 0; j++) {
        if (j == i) continue;
        hsp_halfplane h = advantage(p, p->s.order[i], p->s.order[j]);
        if (h.a == 0 && h.b == 0 && h.c == 0) h.c = i < j ? 1 : -1; /* a tie everywhere */
        hsp_polygon_cut(&p->polygon, h, j);
    }
}

/* Draws the regions and collects their common sides, each from the region that comes first. */
static int draw_regions(picture *p, hsp_error **err) {
    int64_t capacity = 0;
    if (hsp_polygon_new(&p->polygon, p->s.classes + 4)) return hsp_plot_fail_memory(err);
    p->corner = hsp_plot_alloc(p->s.classes + 4, sizeof *p->corner);
    if (!p->corner) return hsp_plot_fail_memory(err);
    for (int64_t i = 0; i < p->s.classes; i++) {
        cut_region(p, i);
        int64_t n = p->polygon.count;
        if (n == 0) continue;
        p->regions++;
        p->only = p->s.order[i];
        for (int64_t k = 0; k < n; k++) p->corner[k] = on_sheet(p, p->polygon.corner[k]);
        hsp_canvas_polygon(p->c, p->corner, n, hsp_style_class_tint(p->style, p->s.order[i]));
        if (hsp_plot_reserve((void **)&p->border, &capacity, 2 * (p->borders + n), sizeof *p->border))
            return hsp_plot_fail_memory(err);
        for (int64_t k = 0; k < n; k++) {
            if (p->polygon.side[k] <= i) continue;
            p->border[2 * p->borders] = p->corner[k];
            p->border[2 * p->borders + 1] = p->corner[(k + 1) % n];
            p->borders++;
        }
    }
    return HSP_OK;
}

/* ---- points ---- */

/* With one feature, every class has a lane of its own, in which the points are spread. */
static double lane_of(const picture *p, int64_t k, double spread) {
    double lane = 1 / (double)p->s.classes;
    return 1 - lane * ((double)k + 0.5 + 0.56 * (spread - 0.5));
}

static int draw_points(picture *p, hsp_error **err) {
    const hsp_slice *s = &p->s;
    hsp_scatter_point *point = hsp_plot_alloc(s->n, sizeof *point);
    if (!point) return hsp_plot_fail_memory(err);
    for (int64_t i = 0; i < s->n; i++) {
        int32_t k = s->truth ? s->truth[i] : s->answer[i];
        double y = one_feature(p) ? lane_of(p, k, hsp_scatter_jitter(i)) : hsp_axis_place(&p->y, s->y[i]);
        point[i].at = on_sheet(p, (hsp_place2){hsp_axis_place(&p->x, s->x[i]), y});
        point[i].group = k;
        point[i].marked = k != s->answer[i];
    }
    int64_t kept = hsp_scatter_thin(point, s->n, p->frame);
    int code = kept < 0 ? (int)kept : hsp_scatter_draw(p->c, point, kept, s->n);
    free(point);
    return code == HSP_OK ? HSP_OK : hsp_plot_fail_memory(err);
}

/* Few points lie on the boundary, which must not hide one; under many it would drown: there it lies on top, cased in paper.
 */
static int draw_points_and_border(picture *p, hsp_error **err) {
    bool on_top = p->s.n > 2000;
    if (!on_top) hsp_canvas_segments(p->c, p->border, p->borders, p->style->ink, 2);
    int code = draw_points(p, err);
    if (on_top) {
        hsp_canvas_segments(p->c, p->border, p->borders, p->style->paper, 4);
        hsp_canvas_segments(p->c, p->border, p->borders, p->style->ink, 2);
    }
    return code;
}

/* ---- words ---- */

static void put(char *line, const char *text) {
    size_t at = strlen(line);
    snprintf(line + at, LINE - at, "%s", text);
}

static const char *name_of(const hsp_slice *s, int a) {
    return s->name[a] ? s->name[a] : s->letter[a];
}

static void say_count(const picture *p, char *line) {
    const hsp_slice *s = &p->s;
    char number[HSP_NUMERAL];
    line[0] = 0;
    hsp_numeral_decimal(s->n, 0, number);
    put(line, number);
    put(line, s->n == 1 ? " point" : " points");
    if (!s->truth) {
        put(line, " without labels, coloured by the model\xE2\x80\x99s answer");
        return;
    }
    hsp_numeral_decimal(s->correct, 0, number);
    put(line, ", ");
    put(line, number);
    hsp_numeral_share(s->correct, s->n, number);
    put(line, " correct (");
    put(line, number);
    put(line, ")");
}

static void say_features(const hsp_slice *s, char *line) {
    char number[HSP_NUMERAL];
    if (s->d <= 2) return;
    hsp_numeral_decimal(s->d, 0, number);
    put(line, "  \xC2\xB7  the two features of ");
    put(line, number);
    put(line, s->d == 3 ? " that matter most, the other" : " that matter most, the others");
    put(line, " as predicted from them");
}

/* A boundary that is not there. */
static void say_absence(const picture *p, char *line) {
    const hsp_slice *s = &p->s;
    bool flat = true;
    if (p->regions != 1) return;
    for (int64_t k = 1; k < s->classes; k++)
        flat = flat && s->score[k].w[0] == s->score[0].w[0] && s->score[k].w[1] == s->score[0].w[1];
    put(line, flat ? "  \xC2\xB7  no boundary: the answer is always " : "  \xC2\xB7  the boundary lies outside the view");
    if (flat) put(line, s->class_name[p->only]);
}

/* Adds "+ 0.12 x" to the line, or "+ 0.12" without a name; the first term has no plus, and a factor of 1 is not spelt. */
static void put_term(char *line, double v, bool first, const char *times, const char *name) {
    char number[HSP_NUMERAL];
    hsp_numeral_round(fabs(v), 3, number);
    put(line, first ? (v < 0 ? "\xE2\x88\x92" : "") : v < 0 ? " \xE2\x88\x92 " : " + ");
    if (name && strcmp(number, "1") == 0) {
        put(line, name);
        return;
    }
    put(line, number);
    if (!name) return;
    put(line, times);
    put(line, name);
}

/* Names in the equation, when they are short; else the letters. */
static bool short_names(const hsp_slice *s) {
    for (int a = 0; a < 2 && a < s->d; a++)
        if (!s->name[a] || strlen(s->name[a]) > 28) return false;
    return true;
}

/* g(x) = 0.12 x1 + 0.09 x2 - 0.3, two classes, "about" when other features have a say too; for more classes, how they are
 * told apart. */
static void say_equation(const picture *p, char *line) {
    const hsp_slice *s = &p->s;
    line[0] = 0;
    if (s->positive < 0) {
        put(line, "each region is where its class has the largest score");
        return;
    }
    const hsp_slice_score *g = &s->score[s->positive];
    bool first = true, named = short_names(s);
    put(line, s->d > 2 ? "g(x) \xE2\x89\x88 " : "g(x) = ");
    for (int j = 0; j < 2 && j < s->d; j++) {
        if (g->w[j] == 0) continue;
        put_term(line, g->w[j], first, named ? " \xC2\xB7 " : "\xE2\x80\xAF", named ? s->name[j] : s->letter[j]);
        first = false;
    }
    if (g->b != 0 || first) put_term(line, g->b, first, NULL, NULL);
}

/* ---- the sheet ---- */

static void range_of(const double *v, int64_t n, double *lo, double *hi) {
    *lo = *hi = v[0];
    for (int64_t i = 1; i < n; i++) {
        *lo = fmin(*lo, v[i]);
        *hi = fmax(*hi, v[i]);
    }
}

static void make_legend(const picture *p, hsp_legend *l) {
    const hsp_slice *s = &p->s;
    l->rows = s->n;
    l->classes = s->classes;
    l->class_name = s->class_name;
    l->positive = s->positive;
    l->wrong = s->truth ? s->n - s->correct : 0;
    l->boundary = true;
}

static void fit_y(picture *p) {
    double lo, hi;
    if (one_feature(p)) return;
    range_of(p->s.y, p->s.n, &lo, &hi);
    hsp_axis_fit(&p->y, lo, hi, (int)(p->frame.h / 44));
}

/* As many ticks as there is room for, labels included. */
static void fit_x(picture *p, const hsp_font *small) {
    double lo, hi;
    range_of(p->s.x, p->s.n, &lo, &hi);
    for (int wish = (int)(p->frame.w / 62); wish >= 4; wish--) {
        hsp_axis_fit(&p->x, lo, hi, wish);
        double gap = p->frame.w * (hsp_axis_tick_place(&p->x, 1) - hsp_axis_tick_place(&p->x, 0));
        if (hsp_axis_label_width(&p->x, p->c, small) + 16 <= gap) return;
    }
}

/* Title and the two lines under it; the y below them. */
static double header_height(const picture *p) {
    return p->style->margin + p->style->title + 2 * 1.5 * p->style->text + 20;
}

static void draw_header(const picture *p) {
    const hsp_style *s = p->style;
    char line[LINE];
    double x = s->margin, room = s->width - 2 * s->margin, y = s->margin + 0.8 * s->title;
    hsp_canvas_text(p->c, "Decision boundary", &(hsp_font){s->title, 600, s->ink}, (hsp_place2){x, y}, HSP_ALIGN_LEFT,
                    room);
    const hsp_font font = {s->text, 400, s->quiet};
    say_count(p, line);
    say_features(&p->s, line);
    y += 1.9 * s->text;
    hsp_canvas_text(p->c, line, &font, (hsp_place2){x, y}, HSP_ALIGN_LEFT, room);
    say_equation(p, line);
    say_absence(p, line);
    y += 1.5 * s->text;
    hsp_canvas_text(p->c, line, &font, (hsp_place2){x, y}, HSP_ALIGN_LEFT, room);
}

/* Room left of the frame: the axis's name, its widest label. */
static double left_width(picture *p, const hsp_font *small) {
    double widest = 0;
    if (!one_feature(p)) return 12 + p->style->text + hsp_axis_label_width(&p->y, p->c, small);
    for (int64_t k = 0; k < p->s.classes && k < 40; k++)
        widest = fmax(widest, hsp_canvas_measure(p->c, p->s.class_name[k], small, 140));
    return 12 + widest;
}

static void lay_out(picture *p, const hsp_legend *l, const hsp_font *small) {
    const hsp_style *s = p->style;
    p->frame.y = header_height(p);
    p->frame.h = s->height - s->margin - p->frame.y - 2 * s->small - 22;
    fit_y(p);
    double left = s->margin + left_width(p, small);
    double legend = hsp_legend_width(l, p->c, 210);
    p->frame.x = left;
    p->frame.w = s->width - s->margin - legend - 28 - left;
    fit_x(p, small);
    p->key = (hsp_frame){left + p->frame.w + 28, p->frame.y, legend, p->frame.h};
}

/* The name of axis j, centred on `at`, and behind it what the labels leave out; only the name gives way when room is short.
 */
static void draw_name(const picture *p, int j, hsp_place2 at, double room) {
    const hsp_font font = {p->style->text, 500, p->style->ink}, plain = {p->style->text, 400, p->style->quiet};
    const char *name = name_of(&p->s, j);
    char note[3 * HSP_NUMERAL];
    hsp_axis_note(j == 0 ? &p->x : &p->y, note);
    double noted = note[0] ? hsp_canvas_measure(p->c, note, &plain, 0) : 0;
    double named = hsp_canvas_measure(p->c, name, &font, room - noted);
    if (j == 0) {
        hsp_canvas_text(p->c, name, &font, (hsp_place2){at.x - noted / 2, at.y}, HSP_ALIGN_CENTRE, room - noted);
        hsp_canvas_text(p->c, note, &plain, (hsp_place2){at.x + named / 2, at.y}, HSP_ALIGN_CENTRE, 0);
    } else {
        hsp_canvas_text_up(p->c, name, &font, (hsp_place2){at.x, at.y + noted / 2}, room - noted);
        hsp_canvas_text_up(p->c, note, &plain, (hsp_place2){at.x, at.y - named / 2}, 0);
    }
}

static void draw_axes(picture *p, const hsp_font *small) {
    const hsp_style *s = p->style;
    hsp_frame f = p->frame;
    hsp_axis_draw_x(&p->x, p->c, f, small);
    draw_name(p, 0, (hsp_place2){f.x + f.w / 2, s->height - s->margin - 2}, f.w);
    if (!one_feature(p)) {
        hsp_axis_draw_y(&p->y, p->c, f, small);
        draw_name(p, 1, (hsp_place2){s->margin + 0.8 * s->text, f.y + f.h / 2}, f.h);
        return;
    }
    if (f.h / (double)p->s.classes < 1.3 * small->size) return; /* lanes too narrow for names: the key has them */
    for (int64_t k = 0; k < p->s.classes; k++) {
        double y = f.y + f.h * (1 - lane_of(p, k, 0.5)) + 0.36 * small->size;
        hsp_canvas_text(p->c, p->s.class_name[k], small, (hsp_place2){f.x - 10, y}, HSP_ALIGN_RIGHT, 140);
    }
}

static int draw(const hsp_chart_input *in, hsp_canvas *c, hsp_error **err) {
    picture p = {.c = c, .style = hsp_canvas_style(c)};
    const hsp_font small = {p.style->small, 400, p.style->quiet};
    hsp_legend legend = {0};
    int code = hsp_slice_take(in->model, in->data, &p.s, err);
    if (code != HSP_OK) goto done;
    make_legend(&p, &legend);
    lay_out(&p, &legend, &small);
    hsp_canvas_clip(c, p.frame);
    code = draw_regions(&p, err);
    if (code == HSP_OK) code = draw_points_and_border(&p, err);
    hsp_canvas_unclip(c);
    if (code != HSP_OK) goto done;
    legend.boundary = p.borders > 0;
    hsp_legend_draw(&legend, c, p.key);
    draw_axes(&p, &small);
    draw_header(&p);
done:
    free(p.border);
    free(p.corner);
    hsp_polygon_clear(&p.polygon);
    hsp_slice_clear(&p.s);
    return code;
}

const hsp_chart hsp_chart_boundary = {
    .name = "boundary",
    .help = "the points of two features, the regions of the classes and the boundary between them",
    .needs_model = true,
    .needs_data = true,
    .draw = draw,
};
