/* The chart `projection`: both classes projected on the direction of the weights: histograms, means and standard deviations,
 * the threshold, and Fisher's criterion. */
#include "plot/chart/projection_view.h"
#include "plot/draw/canvas.h"
#include "plot/draw/numeral.h"
#include "plot/draw/style.h"
#include "plot/part/chart.h"
#include "plot/part/class_bars.h"
#include "plot/part/panel.h"
#include "plot/part/sentence.h"
#include "plot/part/sheet.h"

#include <math.h>
#include <stdio.h>

static void describe_class(const char *name, double mean, double deviation, char *out, size_t size) {
    char short_name[HSP_SHORT], m[HSP_NUMERAL], d[HSP_NUMERAL];
    hsp_sentence_cut(name, 16, short_name);
    hsp_numeral_round(isfinite(mean) ? mean : 0, 3, m);
    hsp_numeral_round(isfinite(deviation) ? deviation : 0, 3, d);
    if (!isfinite(mean))
        snprintf(out, size, "%s: no rows", short_name);
    else if (!isfinite(deviation))
        snprintf(out, size, "%s: at %s", short_name, m);
    else
        snprintf(out, size, "%s: mean %.80s, standard deviation %.80s", short_name, m, d);
}

static void describe_projection(const hsp_chart_input *in, char *first, char *second) {
    const hsp_report *s = in->study[0];
    char J[HSP_NUMERAL], right[HSP_NUMERAL], at[HSP_NUMERAL], rows[HSP_SHORT], beyond[HSP_SHORT];
    double criterion = hsp_report_number(s, "J");
    hsp_numeral_round(hsp_report_number(s, "threshold"), 3, at);
    hsp_class_bars_beyond(s, beyond);
    if (isfinite(criterion))
        snprintf(first, HSP_SENTENCE,
                 "Fisher's criterion J = (m\xE2\x82\x81 \xE2\x88\x92 m\xE2\x82\x82)\xC2\xB2 / (s\xE2\x82\x81\xC2\xB2 + "
                 "s\xE2\x82\x82\xC2\xB2) = %s; the threshold is at %s",
                 hsp_numeral_round(criterion, 4, J), at);
    else
        snprintf(first, HSP_SENTENCE, "%s for Fisher's criterion; the threshold is at %s",
                 hsp_report_number(s, "weighted") > 0 ? "too little weight" : "too few rows", at);
    snprintf(second, HSP_SENTENCE, "%s: %s classified correctly%s", hsp_sentence_rows(in, s, rows),
             hsp_sentence_percent(hsp_report_number(s, "correct"), hsp_report_number(s, "mass"), right), beyond);
}

/* Above the bars: the mean of each class, and one standard deviation on either side. */
static void draw_spreads(hsp_canvas *c, const hsp_panel *p, const double *mean, const double *deviation) {
    const hsp_style *s = hsp_canvas_style(c);
    for (int k = 0; k < 2; k++) {
        if (!isfinite(mean[k])) continue;
        hsp_colour colour = hsp_style_class_colour(s, k);
        double y = p->frame.y + 12 + 14 * k, x = hsp_panel_x(p, mean[k]);
        double half = isfinite(deviation[k]) ? hsp_panel_x(p, mean[k] + deviation[k]) - x : 0;
        hsp_canvas_clip(c, (hsp_area){p->frame.x - 4, p->frame.y, p->frame.w + 8, p->frame.h});
        hsp_canvas_line(c, (hsp_place2[]){{x - half, y}, {x + half, y}}, 2, &(hsp_pen){colour, 3, 0, 1});
        hsp_canvas_line(c, (hsp_place2[]){{x, y}, {x, p->frame.y + p->frame.h}}, 2, &(hsp_pen){colour, 1.4, 4, 1});
        hsp_mark dot = {HSP_MARKER_CIRCLE, 4.6, s->paper, 1, colour, 2};
        hsp_canvas_marks(c, &(hsp_place2){x, y}, 1, &dot);
        hsp_canvas_unclip(c);
    }
}

/* The bars and, for lda, the densities over them and the posterior below. */
static int draw_bars(const hsp_chart_input *in, hsp_class_bars *b, hsp_canvas *c, hsp_area f, hsp_error **err) {
    const double *mean, *deviation;
    const char *x_name = b->x_name;
    char key[2][2 * HSP_SHORT + 32];
    hsp_panel p;
    bool normals = hsp_projection_has_normals(in) && f.h >= 300;
    hsp_area above = normals ? (hsp_area){f.x, f.y, f.w, 0.62 * f.h} : f, below = {f.x, f.y + 0.64 * f.h, f.w, 0.36 * f.h};
    int status = HSP_CHART_ARRAYS(in->study[0], err, {"means", &mean, NULL}, {"deviations", &deviation, NULL});
    if (status != HSP_OK) return status;
    for (int k = 0; k < 2; k++) {
        describe_class(b->name[k], mean[k], deviation[k], key[k], sizeof key[k]);
        b->key[k] = key[k];
    }
    if (normals) b->x_name = NULL;
    status = hsp_class_bars_draw(b, c, above, &p);
    if (status == HSP_OK) draw_spreads(c, &p, mean, deviation);
    if (status == HSP_OK && hsp_projection_has_normals(in)) status = hsp_projection_normals(in, c, &p, err);
    p.x_name = x_name;
    return status == HSP_OK && normals ? hsp_projection_posterior(in, c, below, &p, err) : status;
}

/* What is drawn besides the bars. */
static void describe_more(const hsp_chart_input *in, bool plane, char *line) {
    bool pooled = hsp_report_number(in->study[0], "pooled") > 0;
    if (plane && hsp_report_count(in->study[0], "plane_covariances") > 0)
        hsp_sentence_format(line, "; ellipses: two standard deviations of %s", pooled ? "the pooled covariance" : "each class");
    if (hsp_projection_has_normals(in)) hsp_sentence_add(line, "; curves: the densities that lda assumes");
}

static int draw(const hsp_chart_input *in, hsp_canvas *c, hsp_error **err) {
    hsp_class_bars b = {.x_name = "projection on the weights, w\xC2\xB7x / |w|", .headroom = 0.16};
    char first[HSP_SENTENCE], second[HSP_SENTENCE];
    const hsp_style *s = hsp_canvas_style(c);
    bool plane = hsp_projection_has_plane(in) && s->width >= 640 && s->height >= 360;
    int status = hsp_class_bars_take(in, &b, err);
    if (status != HSP_OK) return status;
    describe_projection(in, first, second);
    describe_more(in, plane, second);
    hsp_area f = hsp_sheet_head(c, hsp_chart_title(in, "Projection on the weights"), first, second);
    if (!plane) return draw_bars(in, &b, c, f, err);
    double left = 0.5 * f.w;
    status = hsp_projection_plane(in, c, (hsp_area){f.x, f.y, left - 14, f.h}, err);
    return status == HSP_OK ? draw_bars(in, &b, c, (hsp_area){f.x + left + 14, f.y, left - 14, f.h}, err) : status;
}

const hsp_chart hsp_chart_projection = {
    .name = "projection",
    .help = "projection of the rows on the weights, with threshold and Fisher's criterion; two classes only",
    .takes = "MODEL DATA",
    .study = "projection",
    .uses = "--bins",
    .draw = draw,
};
