/* PNG, as bytes (ISO/IEC 15948), and the three chunks that make it move (APNG). Images are 8 bits a channel, not
 * interlaced. */
#ifndef HSP_PLOT_FILM_PNG_BYTES_H
#define HSP_PLOT_FILM_PNG_BYTES_H

#include "plot/draw/picture_bytes.h"
#include "plot/draw/style.h"
#include "plot/film/animation.h"

/* What makers of PNG files keep between frames. */
typedef struct hsp_png_work {
    hsp_bytes file, image, raw; /* the file so far; compressed image data; the same before compression: owned */
} hsp_png_work;
void hsp_png_work_clear(hsp_png_work *w);

/* All of them: 0 or HSP_EMEMORY. */
int hsp_png_begin(hsp_bytes *out, int width, int height, bool alpha);
int hsp_png_end(hsp_bytes *out);
int hsp_png_animation(hsp_bytes *out, int64_t frames); /* for ever */
/* How the next image data is shown: where, and how long; over: on top of what is there, else in its place. sequence counts
 * the chunks of the animation. */
int hsp_png_frame(hsp_bytes *out, uint32_t *sequence, hsp_patch at, int hundredths, bool over);
/* `size` bytes of image data, already filtered and compressed: as the image of the file, or of a later frame. */
int hsp_png_image(hsp_bytes *out, const hsp_bytes *data);
int hsp_png_later_image(hsp_bytes *out, uint32_t *sequence, const hsp_bytes *data);

/* The rectangle `at` of a picture, compressed into `out`, which is emptied first: RGB; or with `before`, RGBA, where pixels
 * that have not changed are transparent. raw is room that is kept between calls. */
int hsp_png_compress(hsp_bytes *out, hsp_bytes *raw, const hsp_colour *pixel, const hsp_colour *before, int width,
                     hsp_patch at, bool alpha);

#endif
