#include "spool/file_list.h"

#include "base/error.h"
#include "base/memory.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int64_t hsp_file_size(const char *path) {
    struct stat about;
    return stat(path, &about) == 0 && S_ISREG(about.st_mode) ? (int64_t)about.st_size : -1;
}

static int add(hsp_file_list *l, const char *path, hsp_error **err) {
    if (HSP_RESERVE(l->path, l->capacity, l->count + 1)) return hsp_fail_memory(err);
    char *copy = hsp_strdup(path);
    if (!copy) return hsp_fail_memory(err);
    l->path[l->count++] = copy;
    return 0;
}

static int by_bytes(const void *a, const void *b) {
    const char *const *x = a, *const *y = b;
    return strcmp(*x, *y);
}

/* Sorted here, because glob sorts by the locale. */
static int add_matches(hsp_file_list *l, const char *pattern, hsp_error **err) {
    glob_t found = {0};
    int result = glob(pattern, GLOB_NOSORT, NULL, &found), status = 0;
    if (result == GLOB_NOSPACE)
        status = hsp_fail_memory(err);
    else if (result != 0)
        status = hsp_fail(err, HSP_EINPUT, "no file matches '%s': check the folder and the pattern", pattern);
    else
        qsort(found.gl_pathv, found.gl_pathc, sizeof *found.gl_pathv, by_bytes);
    for (size_t i = 0; result == 0 && i < found.gl_pathc && status == 0; i++) status = add(l, found.gl_pathv[i], err);
    globfree(&found);
    return status;
}

int hsp_file_list_make(const char *const *names, int64_t count, hsp_file_list *out, hsp_error **err) {
    struct stat about;
    int status = 0;
    *out = (hsp_file_list){0};
    for (int64_t k = 0; k < count && status == 0; k++) {
        bool pattern = strpbrk(names[k], "*?[") && stat(names[k], &about) != 0;
        status = pattern ? add_matches(out, names[k], err) : add(out, names[k], err);
    }
    if (status < 0) hsp_file_list_clear(out);
    return status;
}

void hsp_file_list_clear(hsp_file_list *l) {
    for (int64_t k = 0; k < l->count; k++) hsp_free(l->path[k]);
    hsp_free(l->path);
    *l = (hsp_file_list){0};
}
