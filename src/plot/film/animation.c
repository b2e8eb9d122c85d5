#include "plot/film/animation.h"

#include "plot/draw/picture_bytes.h"

#include <string.h>
#include <sys/stat.h>

static bool is_folder(const char *path) {
    struct stat s;
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    if (stat(path, &s) == 0) return S_ISDIR(s.st_mode);
    return *name == 0 || (!strchr(name, '.') && strcmp(name, "-") != 0);
}

int hsp_encoder_find(const char *path, const hsp_encoder **out, hsp_error **err) {
    *out = NULL;
    if (path && *path && is_folder(path))
        *out = &hsp_encoder_folder;
    else if (path && hsp_path_ends_in(path, ".gif"))
        *out = &hsp_encoder_gif;
    else if (path && (hsp_path_ends_in(path, ".png") || hsp_path_ends_in(path, ".apng")))
        *out = &hsp_encoder_apng;
    if (*out && (*out)->missing) return hsp_fail(err, HSP_EUSAGE, "%s", (*out)->missing);
    if (*out) return HSP_OK;
    return hsp_fail(err, HSP_EUSAGE, "unknown file extension of '%.200s': use .gif or .apng, or give a folder",
                    path ? path : "");
}

hsp_patch hsp_patch_between(const hsp_colour *before, const hsp_colour *now, int width, int height) {
    size_t row = (size_t)width * sizeof *now;
    int top = 0, bottom = height, left = width, right = 0;
    if (!before) return (hsp_patch){0, 0, width, height};
    while (top < bottom && memcmp(before + (int64_t)top * width, now + (int64_t)top * width, row) == 0) top++;
    if (top == bottom) return (hsp_patch){0, 0, 1, 1};
    while (memcmp(before + (int64_t)(bottom - 1) * width, now + (int64_t)(bottom - 1) * width, row) == 0) bottom--;
    for (int y = top; y < bottom; y++) {
        const hsp_colour *a = before + (int64_t)y * width, *b = now + (int64_t)y * width;
        for (int x = 0; x < left; x++)
            if (a[x] != b[x]) left = x;
        for (int x = width; x > right; x--)
            if (a[x - 1] != b[x - 1]) right = x;
    }
    return (hsp_patch){left, top, right - left, bottom - top};
}
