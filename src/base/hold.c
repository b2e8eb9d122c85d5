#include "base/hold.h"

#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"
#include "halfspace_internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

/* ---- files held back ---- */

typedef struct held_file {
    char *path;              /* owned: as the caller gave it */
    char *temporary;         /* owned; NULL: not complete yet */
    char *target;            /* owned; NULL: not complete yet */
    int lock;                /* a descriptor of the temporary file, which is locked; -1: none */
    mode_t mode;             /* the permissions of a new file at most */
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
    if (f->temporary) unlink(f->temporary);
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

int hsp_files_release(hsp_error **err) {
    held_file *all = take_all();
    int status = HSP_OK;
    for (held_file *f = all; f && !status; f = f->after) {
        if (!f->temporary) continue;
        if (rename(f->temporary, f->target) != 0) {
            status = hsp_fail_errno(err, f->path, "cannot write", errno);
        } else {
            hsp_free(f->temporary);
            f->temporary = NULL;
        }
    }
    free_all(all);
    return status;
}

void hsp_files_drop(void) {
    free_all(take_all());
}

/* ---- names of temporary files, and what killed processes left ---- */

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The part of the name that depends on the target, with a final '-'. */
static void put_prefix(const char *target, char out[24]) {
    const char *name = base_name(target);
    snprintf(out, 24, ".halfspace-%08x-", (unsigned)(XXH3_64bits(name, strlen(name)) & 0xffffffff));
}

char *hsp_hold_name(const char *target, uint32_t serial) {
    char prefix[24], *name = NULL;
    hsp_text text = {0};
    put_prefix(target, prefix);
    hsp_text_add_n(&text, target, (int64_t)(base_name(target) - target));
    hsp_text_format(&text, "%s%08x-%08x", prefix, (unsigned)getpid(), (unsigned)serial);
    return hsp_text_take(&text, &name, NULL) == HSP_OK ? name : NULL;
}

/* The process in the name of a temporary file of the target; 0: not such a name. */
static pid_t process_of(const char *name, const char *prefix) {
    size_t n = strlen(prefix);
    uint32_t pid = 0;
    if (strncmp(name, prefix, n) != 0 || strlen(name) != n + 17 || name[n + 8] != '-') return 0;
    for (size_t i = n; i < n + 17; i++) {
        const char *digits = "0123456789abcdef", *digit = strchr(digits, name[i]);
        if (i == n + 8) continue;
        if (!digit) return 0;
        if (i < n + 8) pid = pid << 4 | (uint32_t)(digit - digits);
    }
    return pid > 0 && pid <= INT32_MAX ? (pid_t)pid : 0;
}

/* A process of another machine or container may write here too: its lock is visible where its number is not. */
static void remove_abandoned(int folder, const char *name) {
    struct stat s;
    int fd = openat(folder, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) return;
    bool ours = fstat(fd, &s) == 0 && S_ISREG(s.st_mode) && s.st_uid == geteuid();
    if (ours && flock(fd, LOCK_EX | LOCK_NB) == 0) unlinkat(folder, name, 0);
    close(fd);
}

void hsp_hold_sweep(const char *target) {
    char prefix[24];
    int errnum = errno;
    size_t length = (size_t)(base_name(target) - target);
    char *folder = length > 0 ? hsp_strndup(target, length) : hsp_strdup(".");
    DIR *list = folder ? opendir(folder) : NULL;
    put_prefix(target, prefix);
    for (const struct dirent *e = list ? readdir(list) : NULL; e; e = readdir(list)) {
        pid_t process = process_of(e->d_name, prefix);
        if (process > 0 && kill(process, 0) != 0 && errno == ESRCH) remove_abandoned(dirfd(list), e->d_name);
    }
    if (list) closedir(list);
    hsp_free(folder);
    errno = errnum;
}
