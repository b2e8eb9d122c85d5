#include "base/temporary.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The folder of a file; NULL: out of memory. */
static char *folder_of(const char *target) {
    size_t length = (size_t)(base_name(target) - target);
    return length > 0 ? hsp_strndup(target, length) : hsp_strdup(".");
}

/* ---- processes ---- */

/* A hash of the time when a process started, 16 bits; 0: not known. Numbers of processes are used again, in containers from
 * 1 on; together with the start they are not. */
static uint32_t start_of(pid_t process) {
    char path[40], text[1024];
    int64_t n = 0, ticks = 0;
    snprintf(path, sizeof path, "/proc/%lld/stat", (long long)process);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return 0;
    for (ssize_t got; n < (int64_t)sizeof text && (got = read(fd, text + n, sizeof text - (size_t)n)) != 0;) {
        if (got > 0) n += got;
        if (got < 0 && errno != EINTR) n = 0;
        if (got < 0 && errno != EINTR) break;
    }
    close(fd);
    /* The second field, in parentheses, may hold anything; the start is the 22nd, the 20th after it. */
    const char *end = text + n, *p = n > 0 ? memrchr(text, ')', (size_t)n) : NULL;
    for (int field = 2; p && field < 22; field++) p = memchr(p + 1, ' ', (size_t)(end - p - 1));
    if (!p || !hsp_number_parse_int(p + 1, end, &ticks)) return 0;
    return (uint32_t)(XXH3_64bits(&ticks, sizeof ticks) % 0xffff + 1);
}

static uint32_t own_start(void) {
    static atomic_uint_least64_t known; /* process and start: a fork changes both */
    uint64_t now = (uint64_t)getpid() << 32, was = atomic_load(&known);
    if ((was & ~(uint64_t)UINT32_MAX) == now) return (uint32_t)was;
    uint32_t start = start_of(getpid());
    atomic_store(&known, now | start);
    return start;
}

static bool is_running(pid_t process, uint32_t start) {
    if (kill(process, 0) != 0 && errno == ESRCH) return false;
    uint32_t now = process == getpid() ? own_start() : start_of(process);
    return now == 0 || start == 0 || now == start;
}

/* ---- names ---- */

static const char mark[] = ".halfspace-";

char *hsp_temporary_name(const char *target, uint32_t serial) {
    char *name = NULL;
    hsp_text text = {0};
    const char *base = base_name(target);
    hsp_text_add_n(&text, target, (int64_t)(base - target));
    hsp_text_format(&text, "%s%08x-%08x-%04x%04x", mark, (unsigned)(XXH3_64bits(base, strlen(base)) & 0xffffffff),
                    (unsigned)getpid(), (unsigned)own_start(), (unsigned)(serial & 0xffff));
    return hsp_text_take(&text, &name, NULL) == HSP_OK ? name : NULL;
}

/* Takes 8 digits, and the '-' before them. */
static bool take_digits(const char **s, uint32_t *out) {
    static const char digits[] = "0123456789abcdef";
    *out = 0;
    for (int i = 0; i < 8; i++) {
        const char *digit = (*s)[i] ? strchr(digits, (*s)[i]) : NULL;
        if (!digit) return false;
        *out = *out << 4 | (uint32_t)(digit - digits);
    }
    *s += 8;
    return true;
}

/* Whether it is the name of a temporary file whose process has ended. */
static bool is_abandoned(const char *name) {
    uint32_t target, process, serial;
    const char *s = name + sizeof mark - 1;
    if (strncmp(name, mark, sizeof mark - 1) != 0 || !take_digits(&s, &target) || *s++ != '-' ||
        !take_digits(&s, &process) || *s++ != '-' || !take_digits(&s, &serial) || *s != '\0')
        return false;
    return process > 0 && process <= INT32_MAX && !is_running((pid_t)process, serial >> 16);
}

/* ---- folders ---- */

/* A process of another machine or container may write here too: its lock is visible where its number is not. */
static void remove_abandoned(int folder, const char *name) {
    struct stat s;
    int fd = openat(folder, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) return;
    bool ours = fstat(fd, &s) == 0 && S_ISREG(s.st_mode) && s.st_uid == geteuid();
    if (ours && flock(fd, LOCK_EX | LOCK_NB) == 0) unlinkat(folder, name, 0);
    close(fd);
}

void hsp_temporary_sweep(const char *target) {
    int errnum = errno;
    char *folder = folder_of(target);
    DIR *list = folder ? opendir(folder) : NULL;
    for (const struct dirent *e = list ? readdir(list) : NULL; e; e = readdir(list))
        if (is_abandoned(e->d_name)) remove_abandoned(dirfd(list), e->d_name);
    if (list) closedir(list);
    hsp_free(folder);
    errno = errnum;
}

void hsp_temporary_sweep_once(const char *target) {
    static atomic_uint_least64_t last;
    struct stat s;
    int errnum = errno;
    char *folder = folder_of(target);
    if (folder && stat(folder, &s) == 0) {
        uint64_t place = (uint64_t)s.st_dev * 0x9e3779b97f4a7c15 ^ (uint64_t)s.st_ino;
        if (atomic_exchange(&last, place) != place) hsp_temporary_sweep(target);
    }
    hsp_free(folder);
    errno = errnum;
}

int hsp_folder_sync(const char *target, const char *path, hsp_error **err) {
    char *folder = folder_of(target);
    int fd = -1, failed = 0;
    while (folder && (fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0 && errno == EINTR) continue;
    hsp_free(folder);
    if (fd < 0) return HSP_OK; /* one that may be written but not read */
    do failed = fsync(fd) != 0 ? errno : 0;
    while (failed == EINTR);
    close(fd);
    if (failed != ENOSPC && failed != EDQUOT && failed != EIO) return HSP_OK;
    return hsp_fail_at(err, HSP_EIO, (hsp_place){.file = path},
                       "its folder cannot be synced (%s): check the disk; the file was written all the same",
                       strerrordesc_np(failed));
}
