/* The chunks of a PNG file (ISO/IEC 15948) and those of an animated one (APNG). Images have 8 bits for each channel and are
 * not interlaced. All functions that return int: 0 or HSP_EMEMORY. */
#ifndef HSP_PLOT_FILM_PNG_BYTES_H
#define HSP_PLOT_FILM_PNG_BYTES_H

#include "plot/draw/picture_bytes.h"
#include "plot/draw/style.h"
#include "plot/film/animation.h"

/* Buffers that encoders keep between frames. */
typedef struct hsp_png_work {
    hsp_bytes file, image, raw; /* owned: the file so far; compressed image data; the same before compression */
} hsp_png_work;
void hsp_png_work_clear(hsp_png_work *w);

int hsp_png_begin(hsp_bytes *out, int width, int height, bool alpha);
int hsp_png_end(hsp_bytes *out);
int hsp_png_animation(hsp_bytes *out, int64_t frames); /* repeated forever */
/* Where and how long the next image is shown; over: blended over the frame before, else in its place. *sequence counts the
 * chunks of the animation. */
int hsp_png_frame(hsp_bytes *out, uint32_t *sequence, hsp_patch at, int hundredths, bool over);
/* Compressed image data: of the first image, or of a later frame. */
int hsp_png_image(hsp_bytes *out, const hsp_bytes *data);
int hsp_png_later_image(hsp_bytes *out, uint32_t *sequence, const hsp_bytes *data);

/* Compresses the rectangle `at` of a picture of this width into `out`, in place of its old content: RGB, or RGBA with
 * `alpha`, where pixels that are as in `before` (or NULL) are transparent. raw: scratch that the caller keeps. */
int hsp_png_compress(hsp_bytes *out, hsp_bytes *raw, const hsp_colour *pixel, const hsp_colour *before, int width,
                     hsp_patch at, bool alpha);

#endif
