/* Regions with curved borders, as the study "regions" has traced them. Lines are kept in places of the sheet. */
#include "plot/boundary/boundary.h"
#include "plot/draw/canvas.h"
#include "plot/draw/picture_bytes.h"
#include "plot/draw/style.h"
#include "plot/part/axis.h"
#include "plot/part/panel.h"

#include <string.h>

static const double *numbers_of(const hsp_slice *s, const char *name, int64_t *rows) {
    hsp_array a = {.size = sizeof a};
    bool found = hsp_report_array(s->regions, name, &a, NULL) == HSP_OK;
    *rows = found ? a.shape[0] : 0;
    return found ? a.data : NULL;
}

void hsp_curved_range(const hsp_slice *s, const char *name, hsp_range *out) {
    int64_t n;
    const double *v = numbers_of(s, name, &n);
    if (v && n == 2) *out = (hsp_range){v[0], v[1], HSP_SPREAD_EXACT};
}

static hsp_place2 unit_of(const hsp_panel *p, const double *at) {
    return (hsp_place2){hsp_axis_place(&p->x, at[0]), hsp_axis_place(&p->y, at[1])};
}

/* ---- lines ---- */

typedef struct traced_lines {
    hsp_place2 *point; /* on the sheet; owned */
    int64_t *begin;    /* lines + 1; owned */
    int64_t points, lines;
} traced_lines;

static int take_lines(const hsp_panel *p, const hsp_slice *s, const char *name, const char *begin_name, traced_lines *l) {
    int64_t begins;
    const double *at = numbers_of(s, name, &l->points), *begin = numbers_of(s, begin_name, &begins);
    l->lines = begins > 0 ? begins - 1 : 0;
    l->point = hsp_alloc_zero(l->points, sizeof *l->point);
    l->begin = hsp_alloc_zero(l->lines + 1, sizeof *l->begin);
    if (!l->point || !l->begin) return HSP_EMEMORY;
    for (int64_t k = 0; k < l->points; k++) l->point[k] = hsp_regions_place(p, unit_of(p, at + 2 * k));
    for (int64_t k = 0; begin && k <= l->lines; k++) l->begin[k] = (int64_t)begin[k];
    return HSP_OK;
}

/* Their segments, 2 ends each; *count of them. The caller frees them; NULL: no memory. */
static hsp_place2 *segments_of(const traced_lines *l, int64_t *count) {
    hsp_place2 *segment = hsp_alloc_zero(2 * l->points, sizeof *segment);
    *count = 0;
    for (int64_t k = 0; segment && k < l->lines; k++)
        for (int64_t i = l->begin[k]; i + 1 < l->begin[k + 1]; i++) {
            segment[2 * *count] = l->point[i];
            segment[2 * (*count)++ + 1] = l->point[i + 1];
        }
    return segment;
}

/* ---- regions ---- */

static int take_polygons(const hsp_panel *p, const hsp_slice *s, hsp_regions *r) {
    int64_t begins;
    const double *corner = numbers_of(s, "corner", &r->corners), *begin = numbers_of(s, "begin", &begins);
    const double *owner = numbers_of(s, "owner", &r->count);
    r->corner = hsp_alloc_zero(r->corners, sizeof *r->corner);
    r->begin = hsp_alloc_zero(r->count + 1, sizeof *r->begin);
    r->owner = hsp_alloc_zero(r->count, sizeof *r->owner);
    if (!r->corner || !r->begin || !r->owner) return HSP_EMEMORY;
    for (int64_t k = 0; k < r->corners; k++) r->corner[k] = unit_of(p, corner + 2 * k);
    for (int64_t k = 0; begin && k < begins; k++) r->begin[k] = (int64_t)begin[k];
    for (int64_t k = 0; k < r->count; k++) r->owner[k] = (int32_t)owner[k];
    return HSP_OK;
}

int hsp_curved_take(const hsp_panel *p, const hsp_slice *s, hsp_regions *r) {
    traced_lines l = {0};
    r->curved = true;
    int status = take_polygons(p, s, r);
    if (status == HSP_OK) status = take_lines(p, s, "border", "border_begin", &l);
    r->line = l.point;
    r->line_begin = l.begin;
    r->lines = l.lines;
    if (status != HSP_OK) return status;
    r->border = segments_of(&l, &r->borders);
    return r->border ? HSP_OK : HSP_EMEMORY;
}

/* All polygons of a class at once. */
int hsp_curved_fill(const hsp_regions *r, const hsp_view *v) {
    const hsp_style *style = hsp_canvas_style(v->c);
    hsp_place2 *corner = hsp_alloc_zero(r->corners, sizeof *corner);
    int64_t *begin = hsp_alloc_zero(r->count + 1, sizeof *begin);
    for (int64_t k = 0; corner && begin && k < v->s->classes; k++) {
        int64_t count = 0, corners = 0;
        for (int64_t p = 0; p < r->count; p++) {
            if (r->owner[p] != k) continue;
            for (int64_t i = r->begin[p]; i < r->begin[p + 1]; i++)
                corner[corners++] = hsp_regions_place(v->panel, r->corner[i]);
            begin[++count] = corners;
        }
        hsp_canvas_areas(v->c, corner, begin, count, hsp_style_class_tint(style, k));
    }
    bool whole = corner && begin;
    HSP_FREE(corner, begin);
    return whole ? HSP_OK : HSP_EMEMORY;
}

/* ---- margins ---- */

static int draw_level(const hsp_view *v, const traced_lines *l, const char *text) {
    const hsp_style *style = hsp_canvas_style(v->c);
    const hsp_pen pen = {style->ink, 1.4, 5, 0.85};
    hsp_line_name name = {.text = text, .colour = style->ink};
    hsp_place2 *segment = segments_of(l, &name.segments);
    if (!segment) return HSP_EMEMORY;
    name.segment = segment;
    hsp_canvas_clip(v->c, v->panel->frame);
    for (int64_t k = 0; k < l->lines; k++)
        hsp_canvas_line(v->c, l->point + l->begin[k], l->begin[k + 1] - l->begin[k], &pen);
    hsp_canvas_unclip(v->c);
    bool named = l->lines > 0 && !v->panel->title; /* a title stands where the names would */
    int status = named ? hsp_line_names_draw(v->c, &name, 1, v->panel->frame, v->panel->right) : HSP_OK;
    hsp_free(segment);
    return status;
}

int hsp_curved_margins(const hsp_view *v) {
    int status = HSP_OK;
    for (int side = 0; status == HSP_OK && side < 2; side++) {
        traced_lines l = {0};
        status = take_lines(v->panel, v->s, side == 0 ? "above" : "below", side == 0 ? "above_begin" : "below_begin", &l);
        if (status == HSP_OK)
            status = draw_level(v, &l,
                                side == 0 ? "g = 1"
                                          : "g = \xE2\x88\x92"
                                            "1");
        HSP_FREE(l.point, l.begin);
    }
    return status;
}
