/* Encoders of films: frames go in one after the other, a file or a folder of pictures comes out. One file for each encoder. */
#ifndef HSP_PLOT_FILM_ANIMATION_H
#define HSP_PLOT_FILM_ANIMATION_H

#include "halfspace.h"
#include "plot/draw/style.h"

/* What an encoder knows before the first frame; everything is borrowed. */
typedef struct hsp_animation_plan {
    const char *path;
    int width, height; /* pixels */
    int64_t frames;
    const hsp_colour *sample; /* `samples` pixels that contain all important colours */
    int64_t samples;
} hsp_animation_plan;

typedef struct hsp_encoder {
    const char *name;
    const char *missing; /* NULL, or the message of a build without it */
    double scale;        /* pixels for one CSS pixel */
    size_t state_size;
    /* The state is all zeros at first. The plan is borrowed until `free`. HSP_EUSAGE, HSP_EIO or HSP_EMEMORY; the last needs no
     * message, here and below: hsp_film adds it. */
    int (*begin)(void *state, const hsp_animation_plan *plan, hsp_error **err);
    /* Adds a frame of width x height pixels 0xRRGGBB, row by row, which is shown for `hundredths` of a second. before: the
     * previous frame, NULL for the first. */
    int (*frame)(void *state, const hsp_colour *pixel, const hsp_colour *before, int hundredths, hsp_error **err);
    /* Writes what is not written yet; a file appears now, whole or not at all. */
    int (*end)(void *state, hsp_error **err);
    void (*free)(void *state); /* frees what `begin` allocated, after a failure too, but not the state */
} hsp_encoder;

extern const hsp_encoder hsp_encoder_gif, hsp_encoder_apng, hsp_encoder_folder;

/* The encoder of a path: .gif; .apng or .png; a folder if it is one, ends with a slash or has no ending. HSP_EUSAGE: another
 * ending, NULL, or an encoder that this build lacks. */
int hsp_encoder_find(const char *path, const hsp_encoder **out, hsp_error **err);

/* ---- what encoders share ---- */

/* The smallest rectangle that contains all pixels in which two frames differ; of equal ones the first pixel; without a frame
 * before (NULL) all of it. */
typedef struct hsp_patch {
    int x, y, w, h;
} hsp_patch;
hsp_patch hsp_patch_between(const hsp_colour *before, const hsp_colour *now, int width, int height);

#endif
