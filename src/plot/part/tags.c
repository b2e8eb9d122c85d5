/* Names beside curves. Those that overlap are moved apart with the least sum of squared moves: isotonic regression of the
 * desired positions by pooling adjacent violators. */
#include "plot/draw/canvas.h"
#include "plot/draw/picture_bytes.h"
#include "plot/draw/style.h"
#include "plot/part/curve.h"

#include <math.h>
#include <stdlib.h>

static const double line_height = 1.22; /* of the type size */

static hsp_font tag_font(const hsp_canvas *c, hsp_colour colour) {
    return (hsp_font){hsp_canvas_style(c)->small, 500, colour};
}

double hsp_tags_width(hsp_canvas *c, const hsp_tag *t, int64_t n, double max) {
    const hsp_font font = tag_font(c, 0);
    double widest = 0;
    for (int64_t i = 0; i < n; i++) widest = fmax(widest, hsp_canvas_measure(c, t[i].text, &font, max));
    return n > 0 ? widest + 16 : 0;
}

static int by_weight(const void *a, const void *b) {
    const hsp_tag *p = *(const hsp_tag *const *)a, *q = *(const hsp_tag *const *)b;
    if (p->weight != q->weight) return p->weight > q->weight ? -1 : 1;
    return (p > q) - (p < q);
}

static int by_place(const void *a, const void *b) {
    const hsp_tag *p = *(const hsp_tag *const *)a, *q = *(const hsp_tag *const *)b;
    if (p->y != q->y) return p->y < q->y ? -1 : 1;
    return (p > q) - (p < q);
}

/* A run of names that touch each other. */
typedef struct pool {
    double sum; /* of (desired position - rank within the run x height): count times the position of the first */
    int64_t count;
    int64_t first;
} pool;

static double place_of(const pool *p, double lo, double hi, double height) {
    double at = p->sum / (double)p->count;
    double last = hi - height * ((double)p->count - 0.5);
    return fmax(lo + height / 2, fmin(at, last));
}

/* Sets `at` of tags that are sorted by their desired positions. */
static void place_tags(hsp_tag **t, int64_t n, pool *run, double lo, double hi, double height) {
    int64_t runs = 0;
    for (int64_t i = 0; i < n; i++) {
        run[runs++] = (pool){t[i]->y, 1, i};
        while (runs > 1) {
            pool *a = &run[runs - 2], *b = &run[runs - 1];
            double end = place_of(a, lo, hi, height) + height * (double)a->count;
            if (end <= place_of(b, lo, hi, height) + 1e-9) break;
            a->sum += b->sum - height * (double)a->count * (double)b->count;
            a->count += b->count;
            runs--;
        }
    }
    for (int64_t r = 0; r < runs; r++)
        for (int64_t k = 0; k < run[r].count; k++)
            t[run[r].first + k]->at = place_of(&run[r], lo, hi, height) + height * (double)k;
}

int64_t hsp_tags_draw(hsp_canvas *c, hsp_tag *t, int64_t n, double from, double x, double lo, double hi, double max) {
    double height = line_height * hsp_canvas_style(c)->small;
    int64_t room = (int64_t)((hi - lo) / height);
    if (room < 1) room = 1;
    hsp_tag **order = hsp_alloc_zero(n, sizeof *order);
    pool *run = hsp_alloc_zero(n, sizeof *run);
    int64_t kept = n < room ? n : room;
    int64_t dropped = order && run ? n - kept : HSP_EMEMORY;
    for (int64_t i = 0; i < n; i++) t[i].dropped = true;
    for (int64_t i = 0; order && i < n; i++) order[i] = &t[i];
    if (dropped >= 0 && kept > 0) {
        qsort(order, (size_t)n, sizeof *order, by_weight);
        qsort(order, (size_t)kept, sizeof *order, by_place);
        place_tags(order, kept, run, lo, hi, height);
    }
    for (int64_t i = 0; dropped >= 0 && i < kept; i++) {
        hsp_tag *tag = order[i];
        const hsp_font font = tag_font(c, tag->colour);
        const hsp_place2 line[2] = {{from, tag->y}, {x - 3, tag->at}};
        tag->dropped = false;
        if (fabs(tag->at - tag->y) > 3) hsp_canvas_line(c, line, 2, &(hsp_pen){hsp_canvas_style(c)->rule, 0.8, 0, 1});
        hsp_canvas_text(c, tag->text, &font, (hsp_place2){x, tag->at + 0.36 * font.size}, HSP_ALIGN_LEFT, max);
    }
    HSP_FREE(order, run);
    return dropped;
}
