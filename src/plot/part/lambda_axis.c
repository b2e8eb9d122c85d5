#include "plot/part/lambda_axis.h"

#include "plot/draw/numeral.h"
#include "plot/draw/style.h"

#include <math.h>

enum { TICK = 5, LABEL = 8 }; /* lengths as those of axis.c */

void hsp_lambda_axis_set(hsp_panel *p, const double *lambda, int64_t n) {
    p->x_name = "penalty \xCE\xBB (weaker to the right)";
    p->x_range = hsp_range_of(lambda, n, HSP_SPREAD_LOG);
}

double hsp_lambda_axis_at(const hsp_panel *p, double lambda) {
    return exp(log(p->x_range.lo) + log(p->x_range.hi) - log(lambda));
}

void hsp_lambda_axis_places(const hsp_panel *p, const double *lambda, int64_t n, double *x) {
    for (int64_t i = 0; i < n; i++) x[i] = hsp_lambda_axis_at(p, lambda[i]);
}

void hsp_lambda_axis_draw(const hsp_panel *p, hsp_canvas *c) {
    const hsp_style *s = hsp_canvas_style(c);
    const hsp_font small = {s->small, 400, s->quiet};
    hsp_panel bare = *p;
    hsp_area f = p->frame;
    hsp_place2 line[2 * HSP_AXIS_TICKS];
    char label[HSP_NUMERAL];
    bare.x.count = 0;
    hsp_panel_axes(&bare, c);
    for (int i = 0; i < p->x.count; i++) {
        double x = f.x + f.w * (1 - hsp_axis_tick_place(&p->x, i));
        line[2 * i] = (hsp_place2){x, f.y + f.h};
        line[2 * i + 1] = (hsp_place2){x, f.y + f.h + TICK};
        hsp_canvas_text(c, hsp_axis_label(&p->x, i, label), &small, (hsp_place2){x, f.y + f.h + LABEL + small.size},
                        HSP_ALIGN_CENTRE, 0);
    }
    hsp_canvas_segments(c, line, p->x.count, s->rule, 1);
}

void hsp_lambda_axis_mark(const hsp_panel *p, hsp_canvas *c, double lambda, double y, const char *words) {
    const hsp_style *s = hsp_canvas_style(c);
    const hsp_font font = {s->small, 500, s->ink};
    hsp_area f = p->frame;
    hsp_place2 at = hsp_panel_place(p, hsp_lambda_axis_at(p, lambda), y), line[2] = {{at.x, f.y - 2}, {at.x, at.y - 5}};
    if (line[1].y > line[0].y) hsp_canvas_line(c, line, 2, &(hsp_pen){s->quiet, 1, 3, 1});
    hsp_canvas_ring(c, at, 5, &(hsp_pen){s->ink, 1.6, 0, 1});
    double half = hsp_canvas_measure(c, words, &font, f.w) / 2;
    double x = fmin(fmax(at.x, f.x + half), f.x + f.w + p->right - half);
    hsp_canvas_text(c, words, &font, (hsp_place2){x, f.y - 7}, HSP_ALIGN_CENTRE, f.w);
}
