#include "base/map.h"

#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct hsp_map {
    atomic_int_fast64_t holders;
    char *bytes; /* owned; NULL: empty */
    int64_t size;
    bool mapped; /* bytes are from mmap, not from hsp_alloc */
};

static int new_map(char *bytes, int64_t size, bool mapped, hsp_map **out) {
    hsp_map *m = hsp_alloc_zero(1, sizeof *m);
    if (!m) return HSP_EMEMORY;
    *m = (hsp_map){.holders = 1, .bytes = bytes, .size = size, .mapped = mapped};
    *out = m;
    return 0;
}

int hsp_map_take(char *bytes, int64_t size, hsp_map **out, hsp_error **err) {
    *out = NULL;
    if (new_map(bytes, size, false, out) == 0) return 0;
    hsp_free(bytes);
    return hsp_fail_memory(err);
}

int hsp_map_open_descriptor(int fd, const char *name, hsp_map **out, hsp_error **err) {
    *out = NULL;
    struct stat before, after;
    if (fstat(fd, &before) != 0) return hsp_fail_errno(err, name, "cannot open", errno);
    if (S_ISDIR(before.st_mode)) return hsp_fail_file(err, name, "is a directory: give a file");
    if (!S_ISREG(before.st_mode)) return hsp_fail_file(err, name, "is a pipe or a device: give a regular file");
    if (before.st_size == 0) return new_map(NULL, 0, false, out) ? hsp_fail_memory(err) : 0;
    void *bytes = mmap(NULL, (size_t)before.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (bytes == MAP_FAILED) return hsp_fail_errno(err, name, "cannot map", errno);
    int status = 0;
    if (fstat(fd, &after) != 0 || after.st_size != before.st_size)
        status = hsp_fail_at(err, HSP_EIO, (hsp_place){.file = name},
                             "the file changed while it was opened: wait until it is complete");
    else if (new_map(bytes, before.st_size, true, out))
        status = hsp_fail_memory(err);
    if (status) munmap(bytes, (size_t)before.st_size);
    return status;
}

int hsp_map_open(const char *path, hsp_map **out, hsp_error **err) {
    *out = NULL;
    int fd;
    /* Non-blocking: opening a pipe without a writer would wait. */
    do fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    while (fd < 0 && errno == EINTR);
    if (fd < 0) return hsp_fail_errno(err, path, "cannot open", errno);
    int status = hsp_map_open_descriptor(fd, path, out, err);
    close(fd);
    return status;
}

const char *hsp_map_bytes(const hsp_map *m) {
    _Alignas(16) static const char nothing[16];
    return m->bytes ? m->bytes : nothing;
}

int64_t hsp_map_size(const hsp_map *m) {
    return m->size;
}

void hsp_map_expect(const hsp_map *m) {
    if (m->mapped) (void)posix_madvise(m->bytes, (size_t)m->size, POSIX_MADV_WILLNEED);
}

static void advise(const hsp_map *m, const void *from, int64_t bytes, int advice) {
    uintptr_t at = (uintptr_t)from, first = (uintptr_t)m->bytes;
    if (!m->mapped || bytes <= 0 || at < first || at - first >= (uintptr_t)m->size) return;
    int64_t page = sysconf(_SC_PAGESIZE), begin = (int64_t)(at - first), end = begin + bytes;
    begin -= begin % page;
    (void)madvise(m->bytes + begin, (size_t)((end < m->size ? end : m->size) - begin), advice);
}

void hsp_map_want(const hsp_map *m, const void *from, int64_t bytes) {
    advise(m, from, bytes, MADV_WILLNEED);
}

/* Nothing is written to a map, so no page differs from the file. */
void hsp_map_spare(const hsp_map *m, const void *from, int64_t bytes) {
    advise(m, from, bytes, MADV_DONTNEED);
}

hsp_map *hsp_map_share(hsp_map *m) {
    atomic_fetch_add(&m->holders, 1);
    return m;
}

void hsp_map_close(hsp_map *m) {
    if (!m || atomic_fetch_sub(&m->holders, 1) > 1) return;
    if (m->mapped)
        munmap(m->bytes, (size_t)m->size);
    else
        hsp_free(m->bytes);
    hsp_free(m);
}

static void close_map(void *m) {
    hsp_map_close(m);
}

hsp_owner *hsp_map_owner(hsp_map *m) {
    hsp_owner *o = hsp_owner_new(close_map, m);
    if (o) hsp_map_share(m);
    return o;
}
