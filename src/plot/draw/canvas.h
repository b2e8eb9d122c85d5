/* The drawing surface: Cairo for shapes, Pango for text; the same drawing as PNG, SVG or PDF. Lengths are CSS pixels, and y
 * points down. Drawing functions return no status: Cairo keeps the first error, which hsp_canvas_write reports. */
#ifndef HSP_PLOT_DRAW_CANVAS_H
#define HSP_PLOT_DRAW_CANVAS_H

#include "halfspace.h"
#include "plot/draw/picture_bytes.h"
#include "plot/draw/style.h"

typedef struct hsp_canvas hsp_canvas;

typedef struct hsp_place2 {
    double x, y;
} hsp_place2;

typedef struct hsp_area {
    double x, y, w, h;
} hsp_area;

typedef enum hsp_align { HSP_ALIGN_LEFT, HSP_ALIGN_CENTRE, HSP_ALIGN_RIGHT } hsp_align;

typedef struct hsp_font {
    double size;
    int weight; /* 400 regular, 500 medium, 600 semibold */
    hsp_colour colour;
} hsp_font;

/* How lines are drawn. dash: length of each dash and of the gap after it; 0: solid. */
typedef struct hsp_pen {
    hsp_colour colour;
    double width;
    double dash;
    double alpha; /* 0 means 1 */
} hsp_pen;

/* How the marks of one kind are drawn. edge: width of the outline; 0: none. */
typedef struct hsp_mark {
    hsp_marker marker;
    double radius;
    hsp_colour fill;
    double alpha;
    hsp_colour edge_colour;
    double edge;
} hsp_mark;

/* A sheet of the style's size, filled with the style's paper. The ending of path chooses the kind of file: .png, .svg or .pdf,
 * in lower or upper case. Nothing is written yet. *out is the caller's (hsp_canvas_free), NULL on failure; the style is
 * borrowed until then. HSP_EUSAGE: another ending. HSP_EMEMORY. */
int hsp_canvas_new(const char *path, const hsp_style *style, hsp_canvas **out, hsp_error **err);
/* The same in memory, without a file: `scale` pixels for one CSS pixel. HSP_EMEMORY. */
int hsp_canvas_new_image(const hsp_style *style, double scale, hsp_canvas **out, hsp_error **err);
/* The pixels of a sheet in memory, *width x *height values 0x00RRGGBB, row by row without padding; borrowed until the next
 * call or hsp_canvas_free. NULL: no memory. */
const uint32_t *hsp_canvas_pixels(hsp_canvas *c, int *width, int *height);
/* Ends the drawing; after it the canvas may only be freed. *out: the bytes of the file, borrowed. HSP_EMEMORY; HSP_EINTERNAL:
 * Cairo refused something. */
int hsp_canvas_finish(hsp_canvas *c, const hsp_bytes **out, hsp_error **err);
/* The same, and writes the file, whole or not at all: HSP_EIO and what else hsp_write_file returns. */
int hsp_canvas_write(hsp_canvas *c, const char *path, hsp_error **err);
void hsp_canvas_free(hsp_canvas *c); /* NULL is allowed */
const hsp_style *hsp_canvas_style(const hsp_canvas *c);

/* The width of one line of text in any script; invalid UTF-8 and control characters are replaced. With max > 0 a longer text
 * is shortened to that width, by an ellipsis in its middle. */
double hsp_canvas_measure(hsp_canvas *c, const char *text, const hsp_font *font, double max);
/* Draws such a line; `at`: where the baseline begins, has its middle, or ends. Returns the width taken. */
double hsp_canvas_text(hsp_canvas *c, const char *text, const hsp_font *font, hsp_place2 at, hsp_align align, double max);
/* The same for a sentence, from `at` on: what is too long loses its end. (Names lose their middle: they often begin alike.) */
double hsp_canvas_sentence(hsp_canvas *c, const char *text, const hsp_font *font, hsp_place2 at, double max);
/* hsp_canvas_text, reading upwards, centred on `at`. */
void hsp_canvas_text_up(hsp_canvas *c, const char *text, const hsp_font *font, hsp_place2 at, double max);

/* Between these two calls nothing is drawn outside the frame. */
void hsp_canvas_clip(hsp_canvas *c, hsp_area f);
void hsp_canvas_unclip(hsp_canvas *c);
/* The polygon with these corners, filled. */
void hsp_canvas_area(hsp_canvas *c, const hsp_place2 *p, int64_t n, hsp_colour colour, double alpha);
/* n polygons of one colour as one path, so that no seams show between neighbours: polygon k has corners begin[k] ..
 * begin[k + 1] - 1, and all have the same orientation. */
void hsp_canvas_areas(hsp_canvas *c, const hsp_place2 *p, const int64_t *begin, int64_t n, hsp_colour colour);
void hsp_canvas_box(hsp_canvas *c, hsp_area f, hsp_colour colour, double alpha);
/* A line through n points, round at its corners. */
void hsp_canvas_line(hsp_canvas *c, const hsp_place2 *p, int64_t n, const hsp_pen *pen);
/* A circle, not filled. */
void hsp_canvas_ring(hsp_canvas *c, hsp_place2 at, double radius, const hsp_pen *pen);
/* width x height colours, row by row from the top, stretched over the frame as squares with sharp edges. */
void hsp_canvas_image(hsp_canvas *c, hsp_area f, int64_t width, int64_t height, const hsp_colour *pixel);
/* What is drawn between these two calls becomes one image within the frame, in SVG and PDF too: a file of several thousand
 * marks would be huge. The calls do not nest, and no text may be drawn between them. */
void hsp_canvas_raster(hsp_canvas *c, hsp_area f);
void hsp_canvas_unraster(hsp_canvas *c);
/* n separate segments, segment i from p[2i] to p[2i+1]. */
void hsp_canvas_segments(hsp_canvas *c, const hsp_place2 *p, int64_t n, hsp_colour colour, double width);
/* n marks as one path: alpha does not add up where they overlap. */
void hsp_canvas_marks(hsp_canvas *c, const hsp_place2 *p, int64_t n, const hsp_mark *m);

#endif
