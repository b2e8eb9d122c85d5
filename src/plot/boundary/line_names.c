/* Names of lines, drawn where the lines leave the frame. */
#include "plot/boundary/boundary.h"
#include "plot/draw/canvas.h"
#include "plot/draw/picture_bytes.h"
#include "plot/draw/style.h"
#include "plot/part/curve.h"

#include <math.h>
#include <stdlib.h>

typedef enum edge { AT_RIGHT, ABOVE, AT_LEFT, NOWHERE } edge;

static const double touch = 0.75;

/* The edge of the frame at which the name of these segments is best drawn, and the point there. */
static edge best_end(const hsp_line_name *name, hsp_area f, hsp_place2 *at) {
    edge best = NOWHERE;
    for (int64_t i = 0; i < 2 * name->segments; i++) {
        hsp_place2 p = name->segment[i];
        edge here = fabs(p.x - f.x - f.w) < touch ? AT_RIGHT
                    : fabs(p.y - f.y) < touch     ? ABOVE
                    : fabs(p.x - f.x) < touch     ? AT_LEFT
                                                  : NOWHERE;
        if (here >= best) continue;
        best = here;
        *at = p;
    }
    return best;
}

static hsp_font name_font(const hsp_canvas *c, hsp_colour colour) {
    return (hsp_font){hsp_canvas_style(c)->small, 500, colour};
}

double hsp_line_names_above(const hsp_canvas *c) {
    return 1.3 * hsp_canvas_style(c)->small;
}

double hsp_line_names_width(hsp_canvas *c, const char *const *text, int64_t n, double max) {
    hsp_tag tag = {0};
    double widest = 0;
    for (int64_t i = 0; i < n; i++) {
        tag.text = text[i];
        widest = fmax(widest, hsp_tags_width(c, &tag, 1, max));
    }
    return widest;
}

bool hsp_line_names_right(const hsp_line_name *name, int64_t n, hsp_area f) {
    hsp_place2 at;
    for (int64_t i = 0; i < n; i++)
        if (best_end(&name[i], f, &at) == AT_RIGHT) return true;
    return false;
}

/* Names above the frame, in the order of their lines: moved right until none overlaps, then back into the frame. */
typedef struct above {
    double x, width; /* x: of the middle */
    const hsp_line_name *name;
} above;

static int by_x(const void *a, const void *b) {
    double p = ((const above *)a)->x, q = ((const above *)b)->x;
    return p < q ? -1 : p > q;
}

static int by_y(const void *a, const void *b) {
    double p = ((const hsp_tag *)a)->y, q = ((const hsp_tag *)b)->y;
    return p < q ? -1 : p > q;
}

/* Names just within the left edge, each on a box of paper. */
static void draw_left(hsp_canvas *c, hsp_tag *t, int64_t n, hsp_area f) {
    const hsp_style *style = hsp_canvas_style(c);
    double height = 1.4 * style->small, next = f.y;
    qsort(t, (size_t)n, sizeof *t, by_y);
    for (int64_t i = 0; i < n; i++) {
        const hsp_font font = name_font(c, t[i].colour);
        double width = hsp_canvas_measure(c, t[i].text, &font, f.w / 3);
        double top = fmin(fmax(t[i].y - height - 3, next), f.y + f.h - height);
        hsp_canvas_box(c, (hsp_area){f.x + 4, top, width + 8, height}, style->paper, 0.8);
        hsp_canvas_text(c, t[i].text, &font, (hsp_place2){f.x + 8, top + 0.76 * height}, HSP_ALIGN_LEFT, f.w / 3);
        next = top + height + 2;
    }
}

int hsp_line_names_draw(hsp_canvas *c, const hsp_line_name *name, int64_t n, hsp_area f, double right) {
    hsp_tag *tag = hsp_alloc_zero(2 * n, sizeof *tag), *left = tag ? tag + n : NULL;
    above *top = hsp_alloc_zero(n, sizeof *top);
    int64_t tags = 0, lefts = 0, tops = 0;
    int status = tag && top ? HSP_OK : HSP_EMEMORY;
    for (int64_t i = 0; status == HSP_OK && i < n; i++) {
        hsp_place2 at = {0, 0};
        edge where = best_end(&name[i], f, &at);
        hsp_tag made = {.y = at.y, .text = name[i].text, .colour = name[i].colour, .weight = (double)(n - i)};
        if (where == AT_RIGHT) tag[tags++] = made;
        if (where == AT_LEFT) left[lefts++] = made;
        if (where == ABOVE) top[tops++] = (above){.x = at.x, .name = &name[i]};
    }
    if (tags > 0 && hsp_tags_draw(c, tag, tags, f.x + f.w + 2, f.x + f.w + 10, f.y - 4, f.y + f.h + 4, right - 12) < 0)
        status = HSP_EMEMORY;
    if (tops > 0) {
        const double gap = 14;
        double most = fmax(24, (f.w - gap * (double)(tops - 1)) / (double)tops), from = f.x;
        qsort(top, (size_t)tops, sizeof *top, by_x);
        for (int64_t i = 0; i < tops; i++) {
            const hsp_font font = name_font(c, top[i].name->colour);
            top[i].width = hsp_canvas_measure(c, top[i].name->text, &font, fmin(200, most));
            top[i].x = fmax(top[i].x, from + top[i].width / 2);
            from = top[i].x + top[i].width / 2 + gap;
        }
        double to = f.x + f.w;
        for (int64_t i = tops - 1; i >= 0; i--) {
            const hsp_font font = name_font(c, top[i].name->colour);
            top[i].x = fmin(top[i].x, to - top[i].width / 2);
            to = top[i].x - top[i].width / 2 - gap;
            hsp_canvas_text(c, top[i].name->text, &font, (hsp_place2){top[i].x, f.y - 6}, HSP_ALIGN_CENTRE,
                            fmin(200, most));
        }
    }
    if (lefts > 0) draw_left(c, left, lefts, f);
    HSP_FREE(tag, top);
    return status;
}
