/* The drawing surface: Cairo for shapes, Pango for text. One drawing, three kinds of file. Lengths are CSS pixels, y goes
 * down. Nothing here fails on its own: what goes wrong while drawing is kept and reported by hsp_canvas_write. */
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

/* How lines are drawn. dash 0: solid; else lengths of dash and gap. */
typedef struct hsp_pen {
    hsp_colour colour;
    double width;
    double dash;
    double alpha; /* 0 means 1 */
} hsp_pen;

/* How marks of one kind are drawn. edge 0: none. */
typedef struct hsp_mark {
    hsp_marker marker;
    double radius;
    hsp_colour fill;
    double alpha;
    hsp_colour edge_colour;
    double edge;
} hsp_mark;

/* A sheet of the style's size in the style's paper. The kind of file is told by the ending of path: .png, .svg or .pdf, in
 * any case; another is HSP_EUSAGE. Nothing is written yet. */
int hsp_canvas_new(const char *path, const hsp_style *style, hsp_canvas **out, hsp_error **err);
/* A sheet in memory, of style->width x height pixels times scale. */
int hsp_canvas_new_image(const hsp_style *style, double scale, hsp_canvas **out, hsp_error **err);
/* Its pixels, 0x00RRGGBB, row by row without gaps between the rows; stays until the next call or free. */
const uint32_t *hsp_canvas_pixels(hsp_canvas *c, int *width, int *height);
/* Ends the drawing and writes the file, whole or not at all. The canvas is then only good for hsp_canvas_free. */
int hsp_canvas_write(hsp_canvas *c, const char *path, hsp_error **err);
void hsp_canvas_free(hsp_canvas *c); /* NULL is allowed */
const hsp_style *hsp_canvas_style(const hsp_canvas *c);

/* One line of text, any script, any bytes (broken UTF-8 and control characters are replaced). With max > 0 it is ellipsised
 * to that width. Returns the width taken. */
double hsp_canvas_measure(hsp_canvas *c, const char *text, const hsp_font *font, double max);
/* (x, y): where the baseline begins, has its middle, or ends. */
double hsp_canvas_text(hsp_canvas *c, const char *text, const hsp_font *font, hsp_place2 at, hsp_align align, double max);
/* The same at the left for a sentence: where it is too long its end goes, of other text the middle, as names that begin
 * alike shall stay different. */
double hsp_canvas_sentence(hsp_canvas *c, const char *text, const hsp_font *font, hsp_place2 at, double max);
/* The same as hsp_canvas_text, reading upwards, centred on `at`. */
void hsp_canvas_text_up(hsp_canvas *c, const char *text, const hsp_font *font, hsp_place2 at, double max);

/* Between these two calls nothing is drawn outside the frame. */
void hsp_canvas_clip(hsp_canvas *c, hsp_area f);
void hsp_canvas_unclip(hsp_canvas *c);
/* The polygon with these corners, filled. */
void hsp_canvas_area(hsp_canvas *c, const hsp_place2 *p, int64_t n, hsp_colour colour, double alpha);
void hsp_canvas_box(hsp_canvas *c, hsp_area f, hsp_colour colour, double alpha);
/* A line through n points, round at its corners. */
void hsp_canvas_line(hsp_canvas *c, const hsp_place2 *p, int64_t n, const hsp_pen *pen);
/* A circle, not filled. */
void hsp_canvas_ring(hsp_canvas *c, hsp_place2 at, double radius, const hsp_pen *pen);
/* width x height colours, row by row from the top, stretched over the frame: as sharp squares. */
void hsp_canvas_image(hsp_canvas *c, hsp_area f, int64_t width, int64_t height, const hsp_colour *pixel);
/* What is drawn between these two calls is one image within the frame, also in SVG and PDF: for clouds of so many marks
 * that a file of them would be huge. Does not nest, and no text in between. */
void hsp_canvas_raster(hsp_canvas *c, hsp_area f);
void hsp_canvas_unraster(hsp_canvas *c);
/* n separate segments: from p[2i] to p[2i+1]. */
void hsp_canvas_segments(hsp_canvas *c, const hsp_place2 *p, int64_t n, hsp_colour colour, double width);
/* n marks in one stroke of the pen: where they overlap each other, alpha does not add up. */
void hsp_canvas_marks(hsp_canvas *c, const hsp_place2 *p, int64_t n, const hsp_mark *m);

#endif
