#include "base/error.h"
#include "base/map.h"
#include "base/memory.h"
#include "spool/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A file without a name: nothing is left behind, however the process ends. */
static int open_nameless(const char *folder) {
    char name[4096];
    int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != ENOENT && errno != EINVAL)) return fd;
    size_t n = strlen(folder);
    static const char ending[] = "/halfspace-XXXXXX";
    if (n + sizeof ending > sizeof name) return -1;
    memcpy(name, folder, n);
    memcpy(name + n, ending, sizeof ending);
    fd = mkostemp(name, O_CLOEXEC);
    if (fd >= 0) unlink(name);
    return fd;
}

static int fail_room(const hsp_spool_target *t, int errnum, hsp_error **err) {
    return hsp_fail(err, HSP_EIO, "no room for %lld bytes in %s (%s): make room there, or set TMPDIR to another folder",
                    (long long)t->size, t->folder, strerror(errnum));
}

int hsp_spool_target_open(hsp_spool_target *t, bool on_disk, int64_t size, hsp_error **err) {
    const char *folder = getenv("TMPDIR");
    *t = (hsp_spool_target){.fd = -1, .size = size, .folder = folder && *folder ? folder : "/var/tmp"};
    if (!on_disk) {
        t->memory = hsp_alloc(size > 0 ? size : 1, 1);
        return t->memory ? 0 : hsp_fail_memory(err);
    }
    t->fd = open_nameless(t->folder);
    if (t->fd < 0) return hsp_fail_errno(err, t->folder, "cannot create a temporary file in", errno);
    int errnum = size > 0 ? posix_fallocate(t->fd, 0, (off_t)size) : 0;
    if (errnum == 0) return 0;
    hsp_spool_target_close(t);
    return fail_room(t, errnum, err);
}

void hsp_spool_target_put(hsp_spool_target *t, int64_t at, const void *bytes, int64_t n) {
    if (n > 0 && t->memory) memcpy(t->memory + at, bytes, (size_t)n);
    for (const char *from = bytes; n > 0 && !t->memory;) {
        ssize_t put = pwrite(t->fd, from, (size_t)n, (off_t)at);
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) {
            int none = 0;
            atomic_compare_exchange_strong(&t->failed, &none, errno ? errno : EIO);
            return;
        }
        from += put;
        at += put;
        n -= put;
    }
}

int hsp_spool_target_map(hsp_spool_target *t, hsp_map **out, hsp_error **err) {
    int status, errnum = atomic_load(&t->failed);
    *out = NULL;
    if (errnum) {
        status = fail_room(t, errnum, err);
    } else if (t->memory) {
        status = hsp_map_take(t->memory, t->size, out, err);
        t->memory = NULL;
    } else {
        status = hsp_map_open_descriptor(t->fd, t->folder, out, err);
    }
    hsp_spool_target_close(t);
    return status;
}

void hsp_spool_target_close(hsp_spool_target *t) {
    hsp_free(t->memory);
    t->memory = NULL;
    if (t->fd >= 0) close(t->fd);
    t->fd = -1;
}
