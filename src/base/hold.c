#include "base/hold.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/temporary.h"
#include "halfspace_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Where a complete file is: still under its temporary name; in the place of a file that did not exist; in that of a file
 * which has the temporary name now; in its place for good. */
typedef enum held_state { WAITING, ADDED, SWAPPED, PLACED } held_state;

typedef struct held_file {
    char *path;      /* owned: as the caller gave it */
    char *temporary; /* owned; NULL: not complete yet */
    char *target;    /* owned; NULL: not complete yet */
    int lock;        /* a descriptor of the temporary file, which is locked; -1: none */
    mode_t mode;     /* the permissions of a new file at most */
    held_state state;
    struct held_file *after; /* owned */
} held_file;

static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static held_file *first; /* owned; in the order of hsp_file_hold */

static held_file *find_held(const char *path) {
    held_file *f = first;
    while (f && strcmp(f->path, path) != 0) f = f->after;
    return f;
}

/* Owner and mode bits of the file that the new one copies from; a group that differs gets no access. */
static mode_t mode_like(const char *source) {
    struct stat s;
    if (!source || strcmp(source, "-") == 0 || stat(source, &s) != 0 || !S_ISREG(s.st_mode)) return 0666;
    mode_t group = s.st_gid == getegid() ? s.st_mode & 0060 : 0;
    return 0600 | group | (s.st_mode & 0006);
}

int hsp_file_hold(const char *path, const char *source, hsp_error **err) {
    if (strcmp(path, "-") == 0) return HSP_OK;
    held_file *f = hsp_alloc_zero(1, sizeof *f);
    if (f) f->path = hsp_strdup(path);
    if (!f || !f->path) {
        hsp_free(f);
        return hsp_fail_memory(err);
    }
    f->lock = -1;
    f->mode = mode_like(source);
    pthread_mutex_lock(&guard);
    held_file **end = &first;
    while (*end) end = &(*end)->after;
    *end = f;
    pthread_mutex_unlock(&guard);
    return HSP_OK;
}

bool hsp_hold_finds(const char *path, mode_t *mode) {
    pthread_mutex_lock(&guard);
    const held_file *f = find_held(path);
    if (f) *mode = f->mode;
    pthread_mutex_unlock(&guard);
    return f != NULL;
}

static void forget_temporary(held_file *f) {
    if (f->temporary && (f->state == WAITING || f->state == SWAPPED)) unlink(f->temporary);
    if (f->lock >= 0) close(f->lock);
    HSP_FREE(f->temporary, f->target);
    f->temporary = f->target = NULL;
    f->lock = -1;
}

void hsp_hold_keep(const char *path, char *temporary, char *target, int lock) {
    pthread_mutex_lock(&guard);
    held_file *f = find_held(path);
    if (f) {
        forget_temporary(f); /* written twice: the last one counts */
        f->temporary = temporary;
        f->target = target;
        f->lock = lock;
    }
    pthread_mutex_unlock(&guard);
    if (f) return;
    forget_temporary(&(held_file){.temporary = temporary, .target = target, .lock = lock}); /* dropped in the meantime */
}

static held_file *take_all(void) {
    pthread_mutex_lock(&guard);
    held_file *all = first;
    first = NULL;
    pthread_mutex_unlock(&guard);
    return all;
}

static void free_all(held_file *f) {
    while (f) {
        held_file *after = f->after;
        forget_temporary(f);
        HSP_FREE(f->path, f);
        f = after;
    }
}

static bool same_folder(const char *a, const char *b) {
    const char *end_a = strrchr(a, '/'), *end_b = strrchr(b, '/');
    size_t n = end_a ? (size_t)(end_a - a) + 1 : 0, m = end_b ? (size_t)(end_b - b) + 1 : 0;
    return n == m && memcmp(a, b, n) == 0;
}

/* Syncs the folders of the renamed files, each once if files of a folder follow one another. */
static int sync_folders(const held_file *all, hsp_error **err) {
    int status = HSP_OK;
    const char *synced = NULL;
    for (const held_file *f = all; f && !status; f = f->after) {
        if (!f->target || f->state == WAITING || (synced && same_folder(f->target, synced))) continue;
        synced = f->target;
        status = hsp_folder_sync(f->target, f->path, err);
    }
    return status;
}

static bool is_complete(const held_file *f) {
    return f->temporary != NULL;
}

/* Gives a file its name such that it can be undone: a file that has the name gets the temporary one. Where the file system
 * cannot exchange two names, the old file goes. 0 or an errno. */
static int place_file(held_file *f) {
    f->state = SWAPPED;
    if (renameat2(AT_FDCWD, f->temporary, AT_FDCWD, f->target, RENAME_EXCHANGE) == 0) return 0;
    bool none = errno == ENOENT;
    f->state = WAITING;
    if (!none && errno != EINVAL && errno != ENOSYS && errno != EOPNOTSUPP) return errno;
    if (rename(f->temporary, f->target) != 0) return errno;
    f->state = none ? ADDED : PLACED;
    return 0;
}

static void take_back(held_file *f) {
    if (f->state == ADDED) unlink(f->target);
    if (f->state == SWAPPED) (void)renameat2(AT_FDCWD, f->temporary, AT_FDCWD, f->target, RENAME_EXCHANGE);
    f->state = WAITING;
}

int hsp_files_release(hsp_error **err) {
    held_file *all = take_all(), *last = NULL;
    int status = HSP_OK;
    for (held_file *f = all; f; f = f->after)
        if (is_complete(f)) last = f;
    for (held_file *f = all; f && !status; f = f->after) {
        if (!is_complete(f)) continue;
        struct stat s;
        /* Exchanging names would move a folder away. */
        int errnum = stat(f->target, &s) == 0 && S_ISDIR(s.st_mode) ? EISDIR : 0;
        if (!errnum && f != last) errnum = place_file(f);
        if (!errnum && f == last && rename(f->temporary, f->target) != 0) errnum = errno;
        if (!errnum && f == last) f->state = PLACED;
        if (errnum) status = hsp_fail_errno(err, f->path, "cannot write", errnum);
    }
    for (held_file *f = all; f && status; f = f->after) take_back(f);
    if (!status) status = sync_folders(all, err);
    free_all(all); /* and the files that were replaced */
    return status;
}

void hsp_files_drop(void) {
    free_all(take_all());
}
