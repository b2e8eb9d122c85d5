#include "plot/chart/losses_names.h"

#include <math.h>

enum { STRIDE = 5 }; /* of the points that a name is tried at, and that it must keep clear of */

static const double near = 7, enough = 46; /* from its own curve; from others: farther is no better */

static double distance(hsp_area box, hsp_place2 p) {
    double dx = fmax(fmax(box.x - p.x, p.x - box.x - box.w), 0), dy = fmax(fmax(box.y - p.y, p.y - box.y - box.h), 0);
    return hypot(dx, dy);
}

static double apart(hsp_area a, hsp_area b) {
    double dx = fmax(fmax(a.x - b.x - b.w, b.x - a.x - a.w), 0), dy = fmax(fmax(a.y - b.y - b.h, b.y - a.y - a.h), 0);
    return hypot(dx, dy);
}

static bool within(hsp_area box, hsp_area f) {
    return box.x >= f.x + 4 && box.y >= f.y + 2 && box.x + box.w <= f.x + f.w - 4 && box.y + box.h <= f.y + f.h - 4;
}

/* How good a place is: the distance to the nearest of the other curves and names; negative when it touches its own. */
static double merit(const hsp_panel *p, const hsp_curve *curve, int64_t n, int64_t own, hsp_area box,
                    const hsp_area *taken) {
    double least = enough;
    for (int64_t k = 0; k < n; k++)
        for (int64_t i = 0; i < curve[k].n; i += STRIDE) {
            if (!isfinite(curve[k].y[i])) continue;
            double far = distance(box, hsp_panel_place(p, curve[k].x[i], curve[k].y[i]));
            if (k == own && far < near - 2) return -1;
            if (k != own) least = fmin(least, far);
        }
    for (int64_t k = 0; k < own; k++) least = fmin(least, apart(box, taken[k]) - 4);
    return least;
}

void hsp_curve_names_within(const hsp_panel *p, hsp_canvas *c, const hsp_curve *curve, int64_t n) {
    hsp_area taken[HSP_CURVE_NAMES];
    for (int64_t k = 0; k < n && k < HSP_CURVE_NAMES; k++) {
        const hsp_font font = {hsp_canvas_style(c)->small, 600, curve[k].pen.colour};
        double width = hsp_canvas_measure(c, curve[k].name, &font, 160), height = 1.1 * font.size, best = 0;
        taken[k] = (hsp_area){-1e6, -1e6, 0, 0};
        for (int64_t i = 0; i < curve[k].n; i += STRIDE) {
            hsp_place2 at = hsp_panel_place(p, curve[k].x[i], curve[k].y[i]);
            for (int side = 0; side < 4; side++) {
                /* The box of a name on side `side` of a point: above left, above right, below left, below right. */
                double x = side % 2 == 0 ? at.x - width - near : at.x + near,
                       y = side < 2 ? at.y - height - near : at.y + near;
                hsp_area box = {x, y, width, height};
                double good = within(box, p->frame) ? merit(p, curve, n, k, box, taken) : -1;
                if (good <= best) continue;
                best = good;
                taken[k] = box;
            }
        }
        if (best > 0)
            hsp_canvas_text(c, curve[k].name, &font, (hsp_place2){taken[k].x, taken[k].y + 0.82 * height}, HSP_ALIGN_LEFT,
                            160);
    }
}
