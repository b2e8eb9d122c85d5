/* A folder of numbered pictures, frame-0001.png and so on, with as many pixels as other PNGs. */
#include "halfspace_internal.h"
#include "plot/draw/picture_bytes.h"
#include "plot/draw/style.h"
#include "plot/film/png_bytes.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct folder_state {
    const hsp_animation_plan *plan; /* borrowed */
    hsp_png_work png;               /* owned */
    char *name;                     /* owned: of the current file, `room` bytes */
    size_t room;
    int64_t count; /* files so far */
} folder_state;

static int make_folder(void *vs, const hsp_animation_plan *plan, hsp_error **err) {
    folder_state *s = vs;
    s->plan = plan;
    s->room = strlen(plan->path) + 40;
    s->name = hsp_alloc_zero((int64_t)s->room, 1);
    if (!s->name) return HSP_EMEMORY;
    if (mkdir(plan->path, 0777) == 0 || errno == EEXIST) return HSP_OK;
    bool slip = errno == ENOENT || errno == ENOTDIR;
    return hsp_fail(err, slip ? HSP_EUSAGE : HSP_EIO, "cannot create the folder '%.200s' (%s): give another name",
                    plan->path, strerror(errno));
}

static int write_picture(void *vs, const hsp_colour *pixel, const hsp_colour *before, int hundredths, hsp_error **err) {
    folder_state *s = vs;
    (void)before, (void)hundredths;
    int w = s->plan->width, h = s->plan->height;
    s->png.file.size = 0;
    int status = hsp_png_compress(&s->png.image, &s->png.raw, pixel, NULL, w, (hsp_patch){0, 0, w, h}, false);
    if (!status) status = hsp_png_begin(&s->png.file, w, h, false);
    if (!status) status = hsp_png_image(&s->png.file, &s->png.image);
    if (!status) status = hsp_png_end(&s->png.file);
    if (status) return status;
    size_t n = strlen(s->plan->path);
    const char *slash = n > 0 && s->plan->path[n - 1] == '/' ? "" : "/";
    snprintf(s->name, s->room, "%s%sframe-%04" PRId64 ".png", s->plan->path, slash, ++s->count);
    return hsp_write_file(s->name, s->png.file.data, (size_t)s->png.file.size, err);
}

static int end_folder(void *vs, hsp_error **err) {
    (void)vs, (void)err;
    return HSP_OK;
}

static void free_folder(void *vs) {
    folder_state *s = vs;
    hsp_png_work_clear(&s->png);
    hsp_free(s->name);
}

const hsp_encoder hsp_encoder_folder = {.name = "folder",
                                        .scale = 2,
                                        .state_size = sizeof(folder_state),
                                        .begin = make_folder,
                                        .frame = write_picture,
                                        .end = end_folder,
                                        .free = free_folder};
