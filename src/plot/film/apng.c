/* Animated PNG: the first frame is the picture that a viewer without animations shows; each later one is the rectangle that
 * changed, laid over what was there. */
#include "plot/draw/picture_bytes.h"
#include "plot/draw/style.h"
#include "plot/film/png_bytes.h"

#include <stdlib.h>
#include <string.h>

typedef struct apng_state {
    const hsp_animation_plan *plan;
    hsp_png_work png;
    hsp_colour *last;
    uint32_t sequence;
    bool begun;
} apng_state;

static int64_t pixels(const hsp_animation_plan *plan) {
    return (int64_t)plan->width * plan->height;
}

static int begin_apng(void *vs, const hsp_animation_plan *plan, hsp_error **err) {
    apng_state *s = vs;
    s->plan = plan;
    s->last = hsp_alloc_zero(pixels(plan), sizeof *s->last);
    bool made = s->last && hsp_png_begin(&s->png.file, plan->width, plan->height, true) == HSP_OK &&
                hsp_png_animation(&s->png.file, plan->frames) == HSP_OK;
    return made ? HSP_OK : hsp_plot_fail_memory(err);
}

static int add_apng_frame(void *vs, const hsp_colour *pixel, int hundredths, hsp_error **err) {
    apng_state *s = vs;
    int w = s->plan->width, h = s->plan->height;
    bool first = !s->begun;
    hsp_patch at = first ? (hsp_patch){0, 0, w, h} : hsp_patch_between(s->last, pixel, w, h);
    int status = hsp_png_compress(&s->png.image, &s->png.raw, pixel, first ? NULL : s->last, w, at, true);
    if (!status) status = hsp_png_frame(&s->png.file, &s->sequence, at, hundredths, !first);
    if (!status)
        status = first ? hsp_png_image(&s->png.file, &s->png.image)
                       : hsp_png_later_image(&s->png.file, &s->sequence, &s->png.image);
    if (status) return hsp_plot_fail_memory(err);
    memcpy(s->last, pixel, (size_t)pixels(s->plan) * sizeof *pixel);
    s->begun = true;
    return HSP_OK;
}

static int end_apng(void *vs, hsp_error **err) {
    apng_state *s = vs;
    if (hsp_png_end(&s->png.file)) return hsp_plot_fail_memory(err);
    return hsp_write_file(s->plan->path, s->png.file.data, (size_t)s->png.file.size, err);
}

static void free_apng(void *vs) {
    apng_state *s = vs;
    hsp_png_work_clear(&s->png);
    hsp_free(s->last);
}

const hsp_encoder hsp_encoder_apng = {.name = "apng",
                                      .scale = 1,
                                      .state_size = sizeof(apng_state),
                                      .begin = begin_apng,
                                      .frame = add_apng_frame,
                                      .end = end_apng,
                                      .free = free_apng};
