/* The normal densities of the classes that lda assumes along its discriminant, and the posterior that follows from them. */
#include "plot/chart/projection_view.h"
#include "plot/draw/canvas.h"
#include "plot/draw/style.h"
#include "plot/part/chart.h"
#include "plot/part/curve.h"
#include "plot/part/panel.h"

#include <stdio.h>

bool hsp_projection_has_normals(const hsp_chart_input *in) {
    return hsp_report_count(in->study[0], "posterior") > 0;
}

static int draw_curves(const hsp_chart_input *in, hsp_canvas *c, const hsp_panel *p, const char *name, hsp_error **err) {
    const double *at, *value;
    int64_t n;
    int status = HSP_CHART_ARRAYS(in->study[0], err, {"density_at", &at, &n}, {name, &value, NULL});
    for (int k = 0; status == HSP_OK && k < 2; k++) {
        const hsp_style *s = hsp_canvas_style(c);
        const hsp_pen pen = {hsp_style_mix(hsp_style_class_colour(s, k), s->ink, 0.25), 2.2, k == 0 ? 0 : 7, 1};
        const hsp_curve curve = {.n = n, .x = at, .y = value + k * n, .pen = pen};
        status = hsp_curve_draw(p, c, &curve);
    }
    return status;
}

int hsp_projection_normals(const hsp_chart_input *in, hsp_canvas *c, const hsp_panel *p, hsp_error **err) {
    return draw_curves(in, c, p, "expected", err);
}

int hsp_projection_posterior(const hsp_chart_input *in, hsp_canvas *c, hsp_area f, const hsp_panel *over, hsp_error **err) {
    const hsp_style *s = hsp_canvas_style(c);
    hsp_panel p = {.x_name = over->x_name,
                   .y_name = "posterior",
                   .x_range = {(double)over->x.lo, (double)over->x.hi, HSP_SPREAD_EXACT},
                   .y_range = {0, 1.04, HSP_SPREAD_EXACT},
                   .grid = true};
    /* The frames must be aligned, whatever the widths of the labels. */
    hsp_panel_lay_out(&p, c, f);
    hsp_area shifted = {f.x + over->frame.x - p.frame.x, f.y, f.w - (over->frame.x - p.frame.x), f.h};
    hsp_panel_lay_out(&p, c, shifted);
    p.frame.x = over->frame.x;
    p.frame.w = over->frame.w;
    hsp_panel_axes(&p, c);
    double x = hsp_panel_x(&p, hsp_report_number(in->study[0], "threshold"));
    if (x >= p.frame.x && x <= p.frame.x + p.frame.w) {
        const hsp_place2 line[] = {{x, p.frame.y}, {x, p.frame.y + p.frame.h}};
        hsp_canvas_line(c, line, 2, &(hsp_pen){s->ink, 1.6, 0, 1});
    }
    return draw_curves(in, c, &p, "posterior", err);
}
