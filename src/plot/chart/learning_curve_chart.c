/* The chart `learning-curve`: training and test error against the number of training rows. */
#include "plot/draw/canvas.h"
#include "plot/draw/numeral.h"
#include "plot/draw/picture_bytes.h"
#include "plot/draw/style.h"
#include "plot/part/chart.h"
#include "plot/part/curve.h"
#include "plot/part/error_curves.h"
#include "plot/part/panel.h"
#include "plot/part/sentence.h"
#include "plot/part/sheet.h"

#include <stdio.h>
#include <string.h>

typedef struct learning_picture {
    const hsp_report *s;
    int64_t n;
    bool squared;
    const double *rows, *mean[2], *sd[2]; /* training, test; of the study */
    double *middle[2], *lo[2], *hi[2];    /* as they are drawn: one block each, owned by middle */
} learning_picture;

static int take_means(const hsp_chart_input *in, learning_picture *p, hsp_error **err) {
    p->s = in->study[0];
    p->squared = hsp_report_number(p->s, "squared") > 0;
    int status =
        HSP_CHART_ARRAYS(p->s, err, {"rows", &p->rows, &p->n}, {"train_mean", &p->mean[0], NULL},
                         {"train_sd", &p->sd[0], NULL}, {"test_mean", &p->mean[1], NULL}, {"test_sd", &p->sd[1], NULL});
    if (status != HSP_OK) return status;
    double factor = hsp_errors_factor(p->squared);
    for (int a = 0; a < 2; a++) {
        p->middle[a] = hsp_alloc_zero(3 * p->n, sizeof *p->middle[a]);
        if (!p->middle[a]) return HSP_EMEMORY;
        p->lo[a] = p->middle[a] + p->n;
        p->hi[a] = p->lo[a] + p->n;
        for (int64_t i = 0; i < p->n; i++) {
            double mean = factor * p->mean[a][i], sd = factor * p->sd[a][i];
            p->middle[a][i] = mean;
            p->lo[a][i] = mean > sd ? mean - sd : 0;
            p->hi[a][i] = mean + sd;
        }
    }
    return HSP_OK;
}

static int draw_curves(const learning_picture *p, hsp_canvas *c, hsp_area f) {
    const hsp_style *style = hsp_canvas_style(c);
    static const char *const names[] = {"training", "test"};
    const double least = p->rows[0], most = p->rows[p->n - 1];
    hsp_curve curve[2];
    hsp_range range = hsp_errors_range(p->hi[1], p->n, p->squared);
    int status = HSP_OK;
    for (int a = 0; a < 2; a++) {
        hsp_colour colour = hsp_style_class_colour(style, a);
        curve[a] = (hsp_curve){p->n, p->rows, p->middle[a], names[a], {colour, 2.4, 0, 1}, false, false};
    }
    range = hsp_range_join(range, hsp_range_of(p->hi[0], p->n, range.spread));
    hsp_panel panel = {.x_name = "training rows",
                       .y_name = hsp_errors_name(p->squared),
                       .x_range = {least, most, most > 5 * least ? HSP_SPREAD_LOG : HSP_SPREAD_PADDED},
                       .y_range = range,
                       .x_whole = true,
                       .grid = true,
                       .right = hsp_curve_names_width(c, curve, 2, 200)};
    hsp_panel_lay_out(&panel, c, f);
    hsp_panel_axes(&panel, c);
    for (int a = 0; !status && a < 2; a++)
        status = hsp_curve_band(&panel, c, p->rows, p->lo[a], p->hi[a], p->n, curve[a].pen.colour, 0.16);
    return status ? status : hsp_errors_curves(&panel, c, curve, 2, true);
}

static int draw(const hsp_chart_input *in, hsp_canvas *c, hsp_error **err) {
    learning_picture p = {0};
    char first[HSP_SENTENCE], second[HSP_SENTENCE];
    int status = take_means(in, &p, err);
    if (status == HSP_OK) {
        char rows[HSP_NUMERAL], train[HSP_NUMERAL], test[HSP_NUMERAL], repeats[HSP_NUMERAL];
        double failed = hsp_report_number(p.s, "failed"), drawn = hsp_report_number(p.s, "repeats");
        hsp_sentence_subject(in, p.s, first);
        hsp_sentence_format(first,
                            ": mean of %s random subset%s of each size; bands: one standard deviation on either side",
                            hsp_sentence_count(drawn, repeats), drawn == 1 ? "" : "s");
        snprintf(second, HSP_SENTENCE, "all %s training rows: test error %s, training error %s",
                 hsp_sentence_count(p.rows[p.n - 1], rows), hsp_errors_write(p.mean[1][p.n - 1], p.squared, test),
                 hsp_errors_write(p.mean[0][p.n - 1], p.squared, train));
        if (failed > 0)
            hsp_sentence_format(second, "  \xC2\xB7  %s subset%s could not be trained on", hsp_sentence_count(failed, rows),
                                failed == 1 ? "" : "s");
        hsp_area f = hsp_sheet_head(c, hsp_chart_title(in, "Learning curve"), first, second);
        status = draw_curves(&p, c, f);
    }
    HSP_FREE(p.middle[0], p.middle[1]);
    return status;
}

const hsp_chart hsp_chart_learning_curve = {
    .name = "learning-curve",
    .help = "training and test error against the number of training rows",
    .takes = "DATA",
    .study = "learning-curve",
    .uses = "table train run split --repeats",
    .draw = draw,
};
