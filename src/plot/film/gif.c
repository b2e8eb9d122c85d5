/* GIF by giflib: one palette for the whole film, each frame the rectangle that changed, and in it only the pixels that did.
 * Whatever giflib reports, memory has run out: it writes to memory alone. */
#include "plot/draw/picture_bytes.h"
#include "plot/draw/style.h"
#include "plot/film/animation.h"
#include "plot/film/palette.h"

#ifdef HSP_HAVE_GIF

#include <gif_lib.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { CLEAR = HSP_PALETTE_MOST - 1 }; /* the place of "as before" */

typedef struct gif_state {
    const hsp_animation_plan *plan;
    hsp_bytes file;
    GifFileType *gif;
    hsp_palette palette;
    hsp_colour *last;
    GifPixelType *line;
    bool begun;
} gif_state;

static int append_gif_bytes(GifFileType *gif, const GifByteType *data, int n) {
    return hsp_bytes_add(gif->UserData, data, n) == HSP_OK ? n : 0;
}

static bool put_loop(GifFileType *gif) {
    static const GifByteType for_ever[] = {1, 0, 0};
    return EGifPutExtensionLeader(gif, APPLICATION_EXT_FUNC_CODE) == GIF_OK &&
           EGifPutExtensionBlock(gif, 11, "NETSCAPE2.0") == GIF_OK && EGifPutExtensionBlock(gif, 3, for_ever) == GIF_OK &&
           EGifPutExtensionTrailer(gif) == GIF_OK;
}

static bool put_screen(gif_state *s) {
    GifColorType colours[HSP_PALETTE_MOST] = {{0}};
    for (int k = 0; k < s->palette.count; k++)
        colours[k] = (GifColorType){(GifByteType)(s->palette.colour[k] >> 16), (GifByteType)(s->palette.colour[k] >> 8),
                                    (GifByteType)s->palette.colour[k]};
    ColorMapObject *map = GifMakeMapObject(HSP_PALETTE_MOST, colours);
    if (!map) return false;
    EGifSetGifVersion(s->gif, true);
    int status = EGifPutScreenDesc(s->gif, s->plan->width, s->plan->height, 8, 0, map);
    GifFreeMapObject(map);
    return status == GIF_OK && put_loop(s->gif);
}

static int begin_gif(void *vs, const hsp_animation_plan *plan, hsp_error **err) {
    gif_state *s = vs;
    s->plan = plan;
    if (plan->width > USHRT_MAX || plan->height > USHRT_MAX)
        return hsp_fail(err, HSP_EUSAGE, "a GIF has at most %d pixels a side: give a smaller --size", USHRT_MAX);
    s->last = hsp_alloc_zero((int64_t)plan->width * plan->height, sizeof *s->last);
    s->line = hsp_alloc_zero(plan->width, sizeof *s->line);
    if (!s->last || !s->line) return hsp_plot_fail_memory(err);
    if (hsp_palette_make(&s->palette, plan->sample, plan->samples, CLEAR)) return hsp_plot_fail_memory(err);
    s->gif = EGifOpen(&s->file, append_gif_bytes, NULL);
    return s->gif && put_screen(s) ? HSP_OK : hsp_plot_fail_memory(err);
}

static bool put_image(gif_state *s, const hsp_colour *pixel, hsp_patch at) {
    if (EGifPutImageDesc(s->gif, at.x, at.y, at.w, at.h, false, NULL) != GIF_OK) return false;
    for (int y = at.y; y < at.y + at.h; y++) {
        int64_t from = (int64_t)y * s->plan->width + at.x;
        for (int x = 0; x < at.w; x++) {
            bool same = s->begun && pixel[from + x] == s->last[from + x];
            s->line[x] = (GifPixelType)(same ? CLEAR : hsp_palette_place(&s->palette, pixel[from + x]));
        }
        if (EGifPutLine(s->gif, s->line, at.w) != GIF_OK) return false;
    }
    return true;
}

static int add_gif_frame(void *vs, const hsp_colour *pixel, int hundredths, hsp_error **err) {
    gif_state *s = vs;
    int w = s->plan->width, h = s->plan->height;
    hsp_patch at = s->begun ? hsp_patch_between(s->last, pixel, w, h) : (hsp_patch){0, 0, w, h};
    GifByteType body[4];
    GraphicsControlBlock control = {.DisposalMode = DISPOSE_DO_NOT,
                                    .DelayTime = hundredths < USHRT_MAX ? hundredths : USHRT_MAX,
                                    .TransparentColor = s->begun ? CLEAR : NO_TRANSPARENT_COLOR};
    EGifGCBToExtension(&control, body);
    if (EGifPutExtension(s->gif, GRAPHICS_EXT_FUNC_CODE, sizeof body, body) != GIF_OK || !put_image(s, pixel, at))
        return hsp_plot_fail_memory(err);
    memcpy(s->last, pixel, (size_t)w * (size_t)h * sizeof *pixel);
    s->begun = true;
    return HSP_OK;
}

static int end_gif(void *vs, hsp_error **err) {
    gif_state *s = vs;
    GifFileType *gif = s->gif;
    s->gif = NULL;
    if (EGifCloseFile(gif, NULL) != GIF_OK) return hsp_plot_fail_memory(err);
    return hsp_write_file(s->plan->path, s->file.data, (size_t)s->file.size, err);
}

static void free_gif(void *vs) {
    gif_state *s = vs;
    if (s->gif) EGifCloseFile(s->gif, NULL);
    hsp_palette_clear(&s->palette);
    HSP_FREE(s->file.data, s->last, s->line);
}

const hsp_encoder hsp_encoder_gif = {.name = "gif",
                                     .scale = 1,
                                     .state_size = sizeof(gif_state),
                                     .begin = begin_gif,
                                     .frame = add_gif_frame,
                                     .end = end_gif,
                                     .free = free_gif};

#else

const hsp_encoder hsp_encoder_gif = {
    .name = "gif",
    .missing =
        "this halfspace was built without GIF: write .apng or a folder, or build it with giflib (Debian: libgif-dev)"};

#endif
