#include "plot/chart/residual_cloud.h"

#include "halfspace_internal.h"
#include "plot/draw/numeral.h"
#include "plot/draw/style.h"
#include "plot/part/panel.h"
#include "plot/part/scatter.h"
#include "plot/part/sentence.h"
#include "plot/part/sheet.h"

#include <math.h>
#include <stdio.h>

typedef struct residual_cloud {
    const hsp_report *s;
    const double *x, *y; /* of the study */
    int64_t n;
} residual_cloud;

static void describe_fit(const hsp_chart_input *in, const residual_cloud *d, char *first, char *second) {
    char shown[HSP_NUMERAL];
    double r2 = hsp_report_number(d->s, "r2");
    hsp_sentence_subject(in, d->s, first);
    second[0] = 0;
    hsp_sentence_add_number(second, hsp_report_number(d->s, "rows"), 15);
    hsp_sentence_add(second, " rows, RMSE ");
    hsp_sentence_add_number(second, hsp_report_number(d->s, "rmse"), 4);
    if (isfinite(r2)) {
        hsp_sentence_add(second, ", R\xC2\xB2 ");
        hsp_sentence_add_number(second, r2, 3);
    }
    if ((double)d->n < hsp_report_number(d->s, "rows"))
        hsp_sentence_format(second, "; %s of them are drawn", hsp_sentence_count((double)d->n, shown));
}

static void draw_line(const hsp_residual_view *view, const hsp_panel *p, hsp_canvas *c) {
    const hsp_style *s = hsp_canvas_style(c);
    double lo = (double)p->x.lo, hi = (double)p->x.hi;
    hsp_place2 line[] = {hsp_panel_place(p, lo, view->diagonal ? lo : 0), hsp_panel_place(p, hi, view->diagonal ? hi : 0)};
    hsp_canvas_line(c, line, 2, &(hsp_pen){s->ink, 1.4, 5, 1});
}

static int draw_points(const residual_cloud *d, const hsp_panel *p, hsp_canvas *c) {
    hsp_scatter_point *point = hsp_alloc_zero(d->n, sizeof *point);
    if (!point) return HSP_EMEMORY;
    for (int64_t i = 0; i < d->n; i++) point[i].at = hsp_panel_place(p, d->x[i], d->y[i]);
    int status = hsp_scatter_draw(c, point, d->n, p->frame, d->n);
    hsp_free(point);
    return status;
}

int hsp_residual_cloud_draw(const hsp_chart_input *in, hsp_canvas *c, const hsp_residual_view *view, hsp_error **err) {
    residual_cloud d = {.s = in->study[0]};
    char first[HSP_SENTENCE], second[HSP_SENTENCE];
    int status = HSP_CHART_ARRAYS(d.s, err, {"predicted", &d.x, &d.n}, {view->array, &d.y, NULL});
    if (status != HSP_OK) return status;
    describe_fit(in, &d, first, second);
    hsp_area f = hsp_sheet_head(c, hsp_chart_title(in, view->title), first, second);
    hsp_panel p = {.x_name = "prediction",
                   .y_name = view->y_name,
                   .x_range = hsp_range_of(d.x, d.n, HSP_SPREAD_PADDED),
                   .y_range = hsp_range_of(d.y, d.n, HSP_SPREAD_PADDED),
                   .grid = true};
    if (view->diagonal)
        p.x_range = p.y_range = hsp_range_join(p.x_range, p.y_range);
    else
        p.y_range = hsp_range_join(p.y_range, (hsp_range){0, 0, HSP_SPREAD_PADDED});
    hsp_panel_lay_out(&p, c, f);
    hsp_panel_axes(&p, c);
    hsp_canvas_clip(c, p.frame);
    status = draw_points(&d, &p, c);
    draw_line(view, &p, c);
    hsp_canvas_unclip(c);
    return status;
}
