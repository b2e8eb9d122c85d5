/* GIF by giflib: one palette for the whole film; each frame is the rectangle that changed, and in it only the pixels that
 * did. giflib writes to memory here, so whatever it reports, memory has run out. */
#include "halfspace_internal.h"
#include "plot/draw/picture_bytes.h"
#include "plot/draw/style.h"
#include "plot/film/animation.h"
#include "plot/film/palette.h"

#ifdef HSP_HAVE_GIF

#include <gif_lib.h>
#include <limits.h>

enum { CLEAR = HSP_PALETTE_MOST - 1 }; /* the entry of the palette that means "as before" */

typedef struct gif_state {
    const hsp_animation_plan *plan; /* borrowed */
    hsp_bytes file;                 /* owned, as all that follows */
    GifFileType *gif;
    hsp_palette palette;
    GifPixelType *line; /* of pixels */
} gif_state;

static int append_gif_bytes(GifFileType *gif, const GifByteType *data, int n) {
    return hsp_bytes_add(gif->UserData, data, n) == HSP_OK ? n : 0;
}

static bool put_screen(gif_state *s) {
    static const GifByteType for_ever[] = {1, 0, 0};
    GifColorType colours[HSP_PALETTE_MOST] = {{0}};
    for (int k = 0; k < s->palette.count; k++)
        colours[k] = (GifColorType){(GifByteType)(s->palette.colour[k] >> 16), (GifByteType)(s->palette.colour[k] >> 8),
                                    (GifByteType)s->palette.colour[k]};
    ColorMapObject *map = GifMakeMapObject(HSP_PALETTE_MOST, colours);
    if (!map) return false;
    EGifSetGifVersion(s->gif, true);
    int status = EGifPutScreenDesc(s->gif, s->plan->width, s->plan->height, 8, 0, map);
    GifFreeMapObject(map);
    return status == GIF_OK && EGifPutExtensionLeader(s->gif, APPLICATION_EXT_FUNC_CODE) == GIF_OK &&
           EGifPutExtensionBlock(s->gif, 11, "NETSCAPE2.0") == GIF_OK &&
           EGifPutExtensionBlock(s->gif, 3, for_ever) == GIF_OK && EGifPutExtensionTrailer(s->gif) == GIF_OK;
}

static int begin_gif(void *vs, const hsp_animation_plan *plan, hsp_error **err) {
    gif_state *s = vs;
    s->plan = plan;
    if (plan->width > USHRT_MAX || plan->height > USHRT_MAX)
        return hsp_fail(err, HSP_EUSAGE, "a GIF has at most %d pixels per side: use a smaller --size", USHRT_MAX);
    s->line = hsp_alloc_zero(plan->width, sizeof *s->line);
    if (!s->line || hsp_palette_make(&s->palette, plan->sample, plan->samples, CLEAR)) return HSP_EMEMORY;
    s->gif = EGifOpen(&s->file, append_gif_bytes, NULL);
    return s->gif && put_screen(s) ? HSP_OK : HSP_EMEMORY;
}

static bool put_image(gif_state *s, const hsp_colour *pixel, const hsp_colour *before, hsp_patch at) {
    if (EGifPutImageDesc(s->gif, at.x, at.y, at.w, at.h, false, NULL) != GIF_OK) return false;
    for (int y = at.y; y < at.y + at.h; y++) {
        int64_t from = (int64_t)y * s->plan->width + at.x;
        for (int x = 0; x < at.w; x++) {
            bool same = before && pixel[from + x] == before[from + x];
            s->line[x] = (GifPixelType)(same ? CLEAR : hsp_palette_place(&s->palette, pixel[from + x]));
        }
        if (EGifPutLine(s->gif, s->line, at.w) != GIF_OK) return false;
    }
    return true;
}

static int add_gif_frame(void *vs, const hsp_colour *pixel, const hsp_colour *before, int hundredths, hsp_error **err) {
    gif_state *s = vs;
    (void)err;
    hsp_patch at = hsp_patch_between(before, pixel, s->plan->width, s->plan->height);
    GifByteType body[4];
    GraphicsControlBlock control = {.DisposalMode = DISPOSE_DO_NOT,
                                    .DelayTime = hundredths < USHRT_MAX ? hundredths : USHRT_MAX,
                                    .TransparentColor = before ? CLEAR : NO_TRANSPARENT_COLOR};
    EGifGCBToExtension(&control, body);
    bool made =
        EGifPutExtension(s->gif, GRAPHICS_EXT_FUNC_CODE, sizeof body, body) == GIF_OK && put_image(s, pixel, before, at);
    return made ? HSP_OK : HSP_EMEMORY;
}

static int end_gif(void *vs, hsp_error **err) {
    gif_state *s = vs;
    GifFileType *gif = s->gif;
    s->gif = NULL;
    /* giflib ignores what the last bytes of an image and the trailer report. */
    if (EGifCloseFile(gif, NULL) != GIF_OK || s->file.failed) return HSP_EMEMORY;
    return hsp_write_file(s->plan->path, s->file.data, (size_t)s->file.size, err);
}

static void free_gif(void *vs) {
    gif_state *s = vs;
    if (s->gif) EGifCloseFile(s->gif, NULL);
    hsp_palette_clear(&s->palette);
    HSP_FREE(s->file.data, s->line);
}

const hsp_encoder hsp_encoder_gif = {.name = "gif",
                                     .scale = 1,
                                     .state_size = sizeof(gif_state),
                                     .begin = begin_gif,
                                     .frame = add_gif_frame,
                                     .end = end_gif,
                                     .free = free_gif};

#else

const hsp_encoder hsp_encoder_gif = {.name = "gif",
                                     .missing = "this halfspace was built without GIF support: write .apng or a folder, or "
                                                "build it with giflib (Debian: libgif-dev)"};

#endif
