/* Moving pictures: frames go in one after the other, a file or a folder comes out. One file an encoder. */
#ifndef HSP_PLOT_FILM_ANIMATION_H
#define HSP_PLOT_FILM_ANIMATION_H

#include "halfspace.h"
#include "plot/draw/style.h"

/* What is known before the first frame. */
typedef struct hsp_animation_plan {
    const char *path;
    int width, height; /* pixels */
    int64_t frames;
    const hsp_colour *sample; /* pixels in which every colour occurs that matters; `samples` of them */
    int64_t samples;
} hsp_animation_plan;

typedef struct hsp_encoder {
    const char *name;
    const char *missing; /* NULL; or why this build has it not: what to do */
    double scale;        /* pixels for one CSS pixel */
    size_t state_size;
    /* The state begins as zeros; the plan is borrowed and stays until `free`. */
    int (*begin)(void *state, const hsp_animation_plan *plan, hsp_error **err);
    /* width x height pixels 0xRRGGBB, row by row, shown for so many hundredths of a second. */
    int (*frame)(void *state, const hsp_colour *pixel, int hundredths, hsp_error **err);
    /* Writes what is not written yet; a file appears here, whole or not at all. */
    int (*end)(void *state, hsp_error **err);
    void (*free)(void *state); /* what begin allocated, also when it failed half-way */
} hsp_encoder;

extern const hsp_encoder hsp_encoder_gif, hsp_encoder_apng, hsp_encoder_folder;

/* By the path: .gif; .apng or .png; a folder, when it ends with a slash, is one, or has no ending. HSP_EUSAGE: another. */
int hsp_encoder_find(const char *path, const hsp_encoder **out, hsp_error **err);

/* ---- what encoders share ---- */

/* The least rectangle that holds all pixels in which two frames differ; of equal ones the first pixel. */
typedef struct hsp_patch {
    int x, y, w, h;
} hsp_patch;
hsp_patch hsp_patch_between(const hsp_colour *before, const hsp_colour *now, int width, int height);

#endif
