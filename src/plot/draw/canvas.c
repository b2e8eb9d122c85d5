#include "plot/draw/canvas.h"
#include "halfspace_internal.h"

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <cairo.h>
#include <math.h>
#include <pango/pangocairo.h>
#include <string.h>

struct hsp_canvas {
    const hsp_style *style;   /* borrowed */
    cairo_surface_t *surface; /* owned */
    cairo_t *cr;              /* owned: the context that is drawn to, of `surface` or of `layer` */
    PangoLayout *layout;      /* owned */
    hsp_bytes file;           /* owned: the bytes of the file so far; Cairo appends those of SVG and PDF while it draws */
    bool png;
    cairo_t *beneath;       /* owned: the file's context while `layer` is drawn to; else NULL */
    cairo_surface_t *layer; /* owned: the image of hsp_canvas_raster, or NULL */
    hsp_area layer_frame;
    uint32_t *pixel; /* owned: what hsp_canvas_pixels returns; NULL before its first call */
};

static const double png_scale = 2; /* pixels of a PNG for one CSS pixel: sharp on projectors and dense displays */

enum { TEXT_BYTES = 480 }; /* no label that fits a sheet is longer; bounds the cost of laying out a very long name */

/* ---- the file ---- */

static cairo_status_t append_file_bytes(void *user, const unsigned char *data, unsigned int n) {
    return hsp_bytes_add(user, data, n) ? CAIRO_STATUS_NO_MEMORY : CAIRO_STATUS_SUCCESS;
}

/* The ending of path says what kind of file is drawn; path NULL: an image in memory, `scale` pixels for a CSS pixel. */
static int open_surface(hsp_canvas *c, const char *path, double scale, hsp_error **err) {
    double width = c->style->width, height = c->style->height;
    c->png = path && hsp_path_ends_in(path, ".png");
    if (!path || c->png) {
        if (c->png) scale = png_scale;
        c->surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)(width * scale), (int)(height * scale));
    } else if (hsp_path_ends_in(path, ".svg")) {
        c->surface = cairo_svg_surface_create_for_stream(append_file_bytes, &c->file, width, height);
        cairo_svg_surface_set_document_unit(c->surface, CAIRO_SVG_UNIT_PX);
    } else if (hsp_path_ends_in(path, ".pdf")) {
        scale = 0.75; /* a CSS pixel is 1/96 inch, a PDF unit 1/72 */
        c->surface = cairo_pdf_surface_create_for_stream(append_file_bytes, &c->file, width * scale, height * scale);
        cairo_pdf_surface_set_metadata(c->surface, CAIRO_PDF_METADATA_CREATE_DATE, ""); /* the same bytes every time */
    } else {
        return hsp_fail(err, HSP_EUSAGE, "unknown file extension of '%.200s': use .png, .svg or .pdf", path);
    }
    c->cr = cairo_create(c->surface);
    cairo_scale(c->cr, scale, scale);
    return cairo_status(c->cr) == CAIRO_STATUS_SUCCESS ? HSP_OK : HSP_EMEMORY;
}

/* No hinting: text has the same width in all three kinds of file. */
static int open_layout(hsp_canvas *c) {
    c->layout = pango_cairo_create_layout(c->cr);
    if (!c->layout) return HSP_EMEMORY;
    cairo_font_options_t *o = cairo_font_options_create();
    cairo_font_options_set_hint_style(o, CAIRO_HINT_STYLE_NONE);
    cairo_font_options_set_hint_metrics(o, CAIRO_HINT_METRICS_OFF);
    cairo_font_options_set_antialias(o, CAIRO_ANTIALIAS_GRAY);
    PangoContext *context = pango_layout_get_context(c->layout);
    pango_cairo_context_set_font_options(context, o);
    pango_cairo_context_set_resolution(context, 96);
    pango_context_set_round_glyph_positions(context, FALSE);
    cairo_font_options_destroy(o);
    pango_layout_context_changed(c->layout);
    pango_layout_set_single_paragraph_mode(c->layout, TRUE);
    pango_layout_set_ellipsize(c->layout, PANGO_ELLIPSIZE_MIDDLE);
    return HSP_OK;
}

static void set_colour(hsp_canvas *c, hsp_colour k, double alpha) {
    cairo_set_source_rgba(c->cr, (double)(k >> 16 & 255) / 255, (double)(k >> 8 & 255) / 255, (double)(k & 255) / 255,
                          alpha);
}

static int open_canvas(const char *path, const hsp_style *style, double scale, hsp_canvas **out, hsp_error **err) {
    *out = NULL;
    hsp_canvas *c = hsp_alloc_zero(1, sizeof *c);
    if (!c) return HSP_EMEMORY;
    c->style = style;
    int status = open_surface(c, path, scale, err);
    if (status == HSP_OK) status = open_layout(c);
    if (status != HSP_OK) {
        hsp_canvas_free(c);
        return status;
    }
    set_colour(c, style->paper, 1);
    cairo_paint(c->cr);
    *out = c;
    return HSP_OK;
}

int hsp_canvas_new(const char *path, const hsp_style *style, hsp_canvas **out, hsp_error **err) {
    return open_canvas(path, style, 1, out, err);
}

int hsp_canvas_new_image(const hsp_style *style, double scale, hsp_canvas **out, hsp_error **err) {
    return open_canvas(NULL, style, scale, out, err);
}

const uint32_t *hsp_canvas_pixels(hsp_canvas *c, int *width, int *height) {
    cairo_surface_flush(c->surface);
    const unsigned char *from = cairo_image_surface_get_data(c->surface);
    int w = cairo_image_surface_get_width(c->surface), h = cairo_image_surface_get_height(c->surface);
    int stride = cairo_image_surface_get_stride(c->surface);
    if (!c->pixel) c->pixel = hsp_alloc_zero((int64_t)w * h, sizeof *c->pixel);
    if (!c->pixel || !from) return NULL;
    for (int y = 0; y < h; y++) {
        uint32_t *to = c->pixel + (int64_t)y * w;
        memcpy(to, from + (int64_t)y * stride, (size_t)w * sizeof *to);
        for (int x = 0; x < w; x++) to[x] &= 0xFFFFFF;
    }
    *width = w;
    *height = h;
    return c->pixel;
}

/* Cairo names the drawing of an SVG by a count of the surfaces that the process has made. Without it the same picture is the
 * same bytes. */
static void drop_surface_number(hsp_bytes *file) {
    static const char name[] = "id=\"surface";
    unsigned char *at = file->data ? memmem(file->data, (size_t)file->size, name, sizeof name - 1) : NULL;
    if (!at) return;
    at += sizeof name - 1;
    unsigned char *rest = at, *end = file->data + file->size;
    while (rest < end && *rest >= '0' && *rest <= '9') rest++;
    memmove(at, rest, (size_t)(end - rest));
    file->size -= rest - at;
}

int hsp_canvas_finish(hsp_canvas *c, const hsp_bytes **out, hsp_error **err) {
    cairo_status_t s = cairo_status(c->cr);
    if (s == CAIRO_STATUS_SUCCESS && c->png) s = cairo_surface_write_to_png_stream(c->surface, append_file_bytes, &c->file);
    cairo_surface_finish(c->surface);
    if (s == CAIRO_STATUS_SUCCESS) s = cairo_surface_status(c->surface);
    /* Cairo forgets some failures of appending while it finishes a PDF. */
    if (s == CAIRO_STATUS_NO_MEMORY || c->file.failed) return HSP_EMEMORY;
    if (s != CAIRO_STATUS_SUCCESS)
        return hsp_fail(err, HSP_EINTERNAL, "the picture could not be drawn (%s): please report this bug",
                        cairo_status_to_string(s));
    if (cairo_surface_get_type(c->surface) == CAIRO_SURFACE_TYPE_SVG) drop_surface_number(&c->file);
    *out = &c->file;
    return HSP_OK;
}

int hsp_canvas_write(hsp_canvas *c, const char *path, hsp_error **err) {
    const hsp_bytes *file = NULL;
    int status = hsp_canvas_finish(c, &file, err);
    return status == HSP_OK ? hsp_write_file(path, file->data, (size_t)file->size, err) : status;
}

void hsp_canvas_free(hsp_canvas *c) {
    if (!c) return;
    if (c->layout) g_object_unref(c->layout);
    if (c->layer) cairo_surface_destroy(c->layer);
    if (c->beneath) cairo_destroy(c->beneath);
    if (c->cr) cairo_destroy(c->cr);
    if (c->surface) cairo_surface_destroy(c->surface);
    HSP_FREE(c->file.data, c->pixel, c);
}

const hsp_style *hsp_canvas_style(const hsp_canvas *c) {
    return c->style;
}

/* ---- text ---- */

/* Leaves the text in c->layout, for show_layout. */
double hsp_canvas_measure(hsp_canvas *c, const char *text, const hsp_font *font, double max) {
    char line[TEXT_BYTES + 16];
    /* Copy text as UTF-8 without control characters, at most TEXT_BYTES of it. */
    size_t n = 0;
    const unsigned char *s = (const unsigned char *)text;
    while (*s && n < TEXT_BYTES) {
        gunichar u = g_utf8_get_char_validated((const char *)s, -1);
        if (u == (gunichar)-1 || u == (gunichar)-2) {
            n += (size_t)g_unichar_to_utf8(0xFFFD, line + n);
            s++;
            continue;
        }
        if ((u & 0xFFFE) == 0xFFFE || (u >= 0xFDD0 && u <= 0xFDEF)) u = 0xFFFD; /* noncharacters: Cairo refuses them */
        bool turns =
            u == 0x61C || u == 0x200E || u == 0x200F || (u >= 0x202A && u <= 0x202E) || (u >= 0x2066 && u <= 0x2069);
        if (turns) u = 0xFFFD; /* what follows would appear in another order */
        bool control = u < 32 || (u >= 127 && u < 160) || u == 0x2028 || u == 0x2029;
        n += (size_t)g_unichar_to_utf8(control ? ' ' : u, line + n);
        s = (const unsigned char *)g_utf8_next_char((const char *)s);
    }
    if (*s) n += (size_t)g_unichar_to_utf8(0x2026, line + n);
    line[n] = 0;
    PangoFontDescription *d = pango_font_description_new();
    pango_font_description_set_family_static(d, c->style->family);
    pango_font_description_set_absolute_size(d, font->size * PANGO_SCALE);
    pango_font_description_set_weight(d, (PangoWeight)font->weight);
    pango_layout_set_font_description(c->layout, d);
    pango_font_description_free(d);
    pango_layout_set_text(c->layout, line, -1);
    pango_layout_set_width(c->layout, -1);
    PangoRectangle r;
    pango_layout_get_extents(c->layout, NULL, &r);
    /* Only text that is too long gets a width: a width moves right-to-left text to its far end. */
    if (max > 0 && r.width > (int)(max * PANGO_SCALE)) {
        pango_layout_set_width(c->layout, (int)(max * PANGO_SCALE));
        pango_layout_get_extents(c->layout, NULL, &r);
    }
    return (double)r.width / PANGO_SCALE;
}

/* Draws the layout from x on, with its baseline at the current origin. */
static void show_layout(hsp_canvas *c, double x, hsp_colour colour) {
    PangoRectangle r;
    pango_layout_get_extents(c->layout, NULL, &r);
    double baseline = (double)pango_layout_get_baseline(c->layout) / PANGO_SCALE;
    cairo_move_to(c->cr, x - (double)r.x / PANGO_SCALE, -baseline);
    set_colour(c, colour, 1);
    pango_cairo_show_layout(c->cr, c->layout);
}

double hsp_canvas_text(hsp_canvas *c, const char *text, const hsp_font *font, hsp_place2 at, hsp_align align, double max) {
    double width = hsp_canvas_measure(c, text, font, max);
    cairo_save(c->cr);
    cairo_translate(c->cr, at.x, at.y);
    show_layout(c, align == HSP_ALIGN_LEFT ? 0 : align == HSP_ALIGN_CENTRE ? -width / 2 : -width, font->colour);
    cairo_restore(c->cr);
    return width;
}

double hsp_canvas_sentence(hsp_canvas *c, const char *text, const hsp_font *font, hsp_place2 at, double max) {
    pango_layout_set_ellipsize(c->layout, PANGO_ELLIPSIZE_END);
    double width = hsp_canvas_text(c, text, font, at, HSP_ALIGN_LEFT, max);
    pango_layout_set_ellipsize(c->layout, PANGO_ELLIPSIZE_MIDDLE);
    return width;
}

void hsp_canvas_text_up(hsp_canvas *c, const char *text, const hsp_font *font, hsp_place2 at, double max) {
    double width = hsp_canvas_measure(c, text, font, max);
    cairo_save(c->cr);
    cairo_translate(c->cr, at.x, at.y);
    cairo_rotate(c->cr, -acos(0));
    show_layout(c, -width / 2, font->colour);
    cairo_restore(c->cr);
}

/* ---- shapes ---- */

void hsp_canvas_clip(hsp_canvas *c, hsp_area f) {
    cairo_save(c->cr);
    cairo_rectangle(c->cr, f.x, f.y, f.w, f.h);
    cairo_clip(c->cr);
}

void hsp_canvas_unclip(hsp_canvas *c) {
    cairo_restore(c->cr);
}

void hsp_canvas_area(hsp_canvas *c, const hsp_place2 *p, int64_t n, hsp_colour colour, double alpha) {
    if (n < 3) return;
    cairo_new_path(c->cr);
    for (int64_t i = 0; i < n; i++) cairo_line_to(c->cr, p[i].x, p[i].y);
    cairo_close_path(c->cr);
    set_colour(c, colour, alpha);
    cairo_fill(c->cr);
}

void hsp_canvas_areas(hsp_canvas *c, const hsp_place2 *p, const int64_t *begin, int64_t n, hsp_colour colour) {
    cairo_new_path(c->cr);
    for (int64_t k = 0; k < n; k++) {
        cairo_new_sub_path(c->cr);
        for (int64_t i = begin[k]; i < begin[k + 1]; i++) cairo_line_to(c->cr, p[i].x, p[i].y);
        cairo_close_path(c->cr);
    }
    set_colour(c, colour, 1);
    cairo_fill(c->cr);
}

void hsp_canvas_box(hsp_canvas *c, hsp_area f, hsp_colour colour, double alpha) {
    cairo_rectangle(c->cr, f.x, f.y, f.w, f.h);
    set_colour(c, colour, alpha);
    cairo_fill(c->cr);
}

static void stroke(hsp_canvas *c, const hsp_pen *pen) {
    double dash[2] = {pen->dash, pen->dash};
    set_colour(c, pen->colour, pen->alpha == 0 ? 1 : pen->alpha);
    cairo_set_line_width(c->cr, pen->width);
    cairo_set_line_cap(c->cr, pen->dash > 0 ? CAIRO_LINE_CAP_BUTT : CAIRO_LINE_CAP_ROUND);
    cairo_set_line_join(c->cr, CAIRO_LINE_JOIN_ROUND);
    cairo_set_dash(c->cr, dash, pen->dash > 0 ? 2 : 0, 0);
    cairo_stroke(c->cr);
    cairo_set_dash(c->cr, NULL, 0, 0);
}

void hsp_canvas_line(hsp_canvas *c, const hsp_place2 *p, int64_t n, const hsp_pen *pen) {
    if (n < 2) return;
    cairo_new_path(c->cr);
    for (int64_t i = 0; i < n; i++) cairo_line_to(c->cr, p[i].x, p[i].y);
    stroke(c, pen);
}

void hsp_canvas_ring(hsp_canvas *c, hsp_place2 at, double radius, const hsp_pen *pen) {
    cairo_new_path(c->cr);
    cairo_arc(c->cr, at.x, at.y, radius, 0, 4 * acos(0));
    cairo_close_path(c->cr);
    stroke(c, pen);
}

/* Pixels along each side of one square of an image. Viewers of SVG blur an image that they stretch, whatever filter the file
 * asks for, so there a square gets enough pixels to make the blur finer than the sheet. */
static int pixels_per_square(const hsp_canvas *c, hsp_area f, int64_t width, int64_t height) {
    const double finer = 4, most = 4096;
    if (cairo_surface_get_type(c->surface) == CAIRO_SURFACE_TYPE_IMAGE) return 1;
    double wish = fmax(f.w / (double)width, f.h / (double)height) * finer;
    return (int)fmax(1, fmin(floor(wish), floor(most / (double)(width > height ? width : height))));
}

void hsp_canvas_image(hsp_canvas *c, hsp_area f, int64_t width, int64_t height, const hsp_colour *pixel) {
    int times = pixels_per_square(c, f, width, height), w = (int)width * times, h = (int)height * times;
    cairo_surface_t *image = cairo_image_surface_create(CAIRO_FORMAT_RGB24, w, h);
    unsigned char *to = cairo_image_surface_get_data(image);
    if (to) {
        cairo_surface_flush(image);
        for (int64_t y = 0; y < height * times; y++) {
            const hsp_colour *from = pixel + y / times * width;
            for (int64_t x = 0; x < width * times; x++)
                memcpy(to + y * cairo_image_surface_get_stride(image) + x * (int64_t)sizeof *from, &from[x / times],
                       sizeof *from);
        }
        cairo_surface_mark_dirty(image);
        cairo_save(c->cr);
        cairo_translate(c->cr, f.x, f.y);
        cairo_scale(c->cr, f.w / w, f.h / h);
        cairo_set_source_surface(c->cr, image, 0, 0);
        cairo_pattern_set_filter(cairo_get_source(c->cr), CAIRO_FILTER_NEAREST);
        cairo_rectangle(c->cr, 0, 0, w, h);
        cairo_fill(c->cr);
        cairo_restore(c->cr);
    }
    cairo_surface_destroy(image);
}

/* Does nothing where the surface is an image already. */
void hsp_canvas_raster(hsp_canvas *c, hsp_area f) {
    if (cairo_surface_get_type(c->surface) == CAIRO_SURFACE_TYPE_IMAGE || c->layer) return;
    int width = (int)ceil(f.w * png_scale), height = (int)ceil(f.h * png_scale);
    c->layer = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, width, height);
    c->layer_frame = f;
    c->beneath = c->cr;
    c->cr = cairo_create(c->layer);
    cairo_scale(c->cr, png_scale, png_scale);
    cairo_translate(c->cr, -f.x, -f.y);
}

void hsp_canvas_unraster(hsp_canvas *c) {
    if (!c->layer) return;
    cairo_destroy(c->cr);
    c->cr = c->beneath;
    c->beneath = NULL;
    cairo_save(c->cr);
    cairo_translate(c->cr, c->layer_frame.x, c->layer_frame.y);
    cairo_scale(c->cr, 1 / png_scale, 1 / png_scale);
    cairo_set_source_surface(c->cr, c->layer, 0, 0);
    cairo_paint(c->cr);
    cairo_restore(c->cr);
    cairo_surface_destroy(c->layer);
    c->layer = NULL;
}

void hsp_canvas_segments(hsp_canvas *c, const hsp_place2 *p, int64_t n, hsp_colour colour, double width) {
    if (n < 1) return;
    cairo_new_path(c->cr);
    for (int64_t i = 0; i < n; i++) {
        cairo_move_to(c->cr, p[2 * i].x, p[2 * i].y);
        cairo_line_to(c->cr, p[2 * i + 1].x, p[2 * i + 1].y);
    }
    set_colour(c, colour, 1);
    cairo_set_line_width(c->cr, width);
    cairo_set_line_cap(c->cr, CAIRO_LINE_CAP_ROUND);
    cairo_stroke(c->cr);
}

/* Corners of the markers around 0, each with about the area of a circle of radius 1. A circle has none: it is drawn as a dot
 * of a round pen. */
static const struct {
    int corners;
    hsp_place2 corner[12];
} outline[HSP_MARKERS] = {
    [HSP_MARKER_TRIANGLE] = {3, {{0, -1.38}, {1.26, 0.86}, {-1.26, 0.86}}},
    [HSP_MARKER_SQUARE] = {4, {{-0.9, -0.9}, {0.9, -0.9}, {0.9, 0.9}, {-0.9, 0.9}}},
    [HSP_MARKER_DIAMOND] = {4, {{0, -1.3}, {1.3, 0}, {0, 1.3}, {-1.3, 0}}},
    [HSP_MARKER_TRIANGLE_DOWN] = {3, {{0, 1.38}, {-1.26, -0.86}, {1.26, -0.86}}},
    [HSP_MARKER_HEXAGON] = {6, {{0, -1.12}, {0.97, -0.56}, {0.97, 0.56}, {0, 1.12}, {-0.97, 0.56}, {-0.97, -0.56}}},
    [HSP_MARKER_PLUS] = {12,
                         {{-0.4, -1.2},
                          {0.4, -1.2},
                          {0.4, -0.4},
                          {1.2, -0.4},
                          {1.2, 0.4},
                          {0.4, 0.4},
                          {0.4, 1.2},
                          {-0.4, 1.2},
                          {-0.4, 0.4},
                          {-1.2, 0.4},
                          {-1.2, -0.4},
                          {-0.4, -0.4}}},
    [HSP_MARKER_CROSS] = {12,
                          {{-0.57, -1.13},
                           {0, -0.57},
                           {0.57, -1.13},
                           {1.13, -0.57},
                           {0.57, 0},
                           {1.13, 0.57},
                           {0.57, 1.13},
                           {0, 0.57},
                           {-0.57, 1.13},
                           {-1.13, 0.57},
                           {-0.57, 0},
                           {-1.13, -0.57}}},
};

static void stroke_dots(hsp_canvas *c, const hsp_place2 *p, int64_t n, double radius) {
    cairo_new_path(c->cr);
    for (int64_t i = 0; i < n; i++) {
        cairo_move_to(c->cr, p[i].x, p[i].y);
        cairo_line_to(c->cr, p[i].x, p[i].y);
    }
    cairo_set_line_cap(c->cr, CAIRO_LINE_CAP_ROUND);
    cairo_set_line_width(c->cr, 2 * radius);
    cairo_stroke(c->cr);
}

void hsp_canvas_marks(hsp_canvas *c, const hsp_place2 *p, int64_t n, const hsp_mark *m) {
    if (n < 1) return;
    if (m->marker == HSP_MARKER_CIRCLE) {
        if (m->edge > 0) {
            set_colour(c, m->edge_colour, m->alpha);
            stroke_dots(c, p, n, m->radius + m->edge);
        }
        set_colour(c, m->fill, m->alpha);
        stroke_dots(c, p, n, m->radius);
        return;
    }
    cairo_new_path(c->cr);
    for (int64_t i = 0; i < n; i++) {
        cairo_new_sub_path(c->cr); /* closing a path leaves a current point, from which a line would start */
        for (int k = 0; k < outline[m->marker].corners; k++) {
            hsp_place2 q = outline[m->marker].corner[k];
            cairo_line_to(c->cr, p[i].x + m->radius * q.x, p[i].y + m->radius * q.y);
        }
        cairo_close_path(c->cr);
    }
    if (m->edge > 0) {
        set_colour(c, m->edge_colour, m->alpha);
        cairo_set_line_join(c->cr, CAIRO_LINE_JOIN_ROUND);
        cairo_set_line_width(c->cr, 2 * m->edge);
        cairo_stroke_preserve(c->cr);
    }
    set_colour(c, m->fill, m->alpha);
    cairo_fill(c->cr);
}
