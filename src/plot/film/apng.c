/* Animated PNG. The first frame is the picture that viewers without animation show; each later one is the rectangle that
 * changed, drawn over the frame before. */
#include "halfspace_internal.h"
#include "plot/draw/style.h"
#include "plot/film/png_bytes.h"

typedef struct apng_state {
    const hsp_animation_plan *plan; /* borrowed */
    hsp_png_work png;               /* owned */
    uint32_t sequence;              /* number of the next chunk of the animation */
} apng_state;

static int begin_apng(void *vs, const hsp_animation_plan *plan, hsp_error **err) {
    apng_state *s = vs;
    (void)err;
    s->plan = plan;
    int status = hsp_png_begin(&s->png.file, plan->width, plan->height, true);
    return status ? status : hsp_png_animation(&s->png.file, plan->frames);
}

static int add_apng_frame(void *vs, const hsp_colour *pixel, const hsp_colour *before, int hundredths, hsp_error **err) {
    apng_state *s = vs;
    (void)err;
    hsp_patch at = hsp_patch_between(before, pixel, s->plan->width, s->plan->height);
    int status = hsp_png_compress(&s->png.image, &s->png.raw, pixel, before, s->plan->width, at, true);
    if (!status) status = hsp_png_frame(&s->png.file, &s->sequence, at, hundredths, before != NULL);
    if (status) return status;
    return before ? hsp_png_later_image(&s->png.file, &s->sequence, &s->png.image)
                  : hsp_png_image(&s->png.file, &s->png.image);
}

static int end_apng(void *vs, hsp_error **err) {
    apng_state *s = vs;
    if (hsp_png_end(&s->png.file)) return HSP_EMEMORY;
    return hsp_write_file(s->plan->path, s->png.file.data, (size_t)s->png.file.size, err);
}

static void free_apng(void *vs) {
    hsp_png_work_clear(&((apng_state *)vs)->png);
}

const hsp_encoder hsp_encoder_apng = {.name = "apng",
                                      .scale = 1,
                                      .state_size = sizeof(apng_state),
                                      .begin = begin_apng,
                                      .frame = add_apng_frame,
                                      .end = end_apng,
                                      .free = free_apng};
