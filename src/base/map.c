#include "base/map.h"

#include "base/memory.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the files that are mapped, for a handler of SIGBUS and to find out whether one was changed ---- */

/* Entries are used again and never freed, so that a signal handler can walk through them. */
typedef struct map_entry {
    _Atomic(uintptr_t) begin; /* 0: not in use */
    uintptr_t end;
    char *name;     /* owned: for messages, without control characters */
    char *path;     /* owned */
    struct stat as; /* as it was when it was mapped */
    bool watched;
    struct map_entry *next;
} map_entry;

static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER; /* of all but the walk of a handler */
static _Atomic(map_entry *) entries;
static char *changed; /* owned: the first file that was found to have changed when it was closed */

/* Whether the same file now has other bytes. One that was replaced is another file, and the mapped one has kept its bytes.
 * */
static bool has_changed(const map_entry *e) {
    struct stat now;
    return e->watched && stat(e->path, &now) == 0 && now.st_dev == e->as.st_dev && now.st_ino == e->as.st_ino &&
           (now.st_size != e->as.st_size || now.st_mtim.tv_sec != e->as.st_mtim.tv_sec ||
            now.st_mtim.tv_nsec != e->as.st_mtim.tv_nsec);
}

static map_entry *free_entry(void) {
    map_entry *e = atomic_load(&entries);
    while (e && atomic_load(&e->begin) != 0) e = e->next;
    if (e || !(e = hsp_alloc_zero(1, sizeof *e))) return e;
    e->next = atomic_load(&entries);
    atomic_store(&entries, e);
    return e;
}

/* NULL: out of memory. */
static map_entry *enter_file(const char *path, const struct stat *as, const char *bytes) {
    char *name = hsp_strdup(path), *copy = hsp_strdup(path);
    if (name) hsp_text_mask(name, name, (int64_t)strlen(name));
    pthread_mutex_lock(&guard);
    map_entry *e = name && copy ? free_entry() : NULL;
    if (e) {
        e->end = (uintptr_t)bytes + (uintptr_t)as->st_size;
        e->name = name;
        e->path = copy;
        e->as = *as;
        e->watched = true;
        atomic_store(&e->begin, (uintptr_t)bytes);
    }
    pthread_mutex_unlock(&guard);
    if (!e) HSP_FREE(name, copy);
    return e;
}

static void leave_file(map_entry *e) {
    pthread_mutex_lock(&guard);
    if (!changed && has_changed(e)) {
        changed = e->name;
        e->name = NULL;
    }
    atomic_store(&e->begin, 0);
    HSP_FREE(e->name, e->path);
    e->name = e->path = NULL;
    pthread_mutex_unlock(&guard);
}

const char *hsp_map_file_at(const void *address) {
    for (const map_entry *e = atomic_load(&entries); e; e = e->next) {
        uintptr_t begin = atomic_load(&e->begin);
        if (begin != 0 && (uintptr_t)address >= begin && (uintptr_t)address < e->end) return e->name;
    }
    return NULL;
}

static int fail_changed(const char *name, hsp_error **err) {
    return hsp_fail_at(err, HSP_EIO, (hsp_place){.file = name},
                       "another program changed the file while it was in use: leave it alone, and run again");
}

int hsp_map_fail(const void *bytes, hsp_error **err) {
    const char *name = hsp_map_file_at(bytes);
    return fail_changed(name ? name : "a mapped file", err);
}

int hsp_maps_check(hsp_error **err) {
    int status = HSP_OK;
    pthread_mutex_lock(&guard);
    if (changed) status = fail_changed(changed, err);
    hsp_free(changed);
    changed = NULL;
    for (map_entry *e = atomic_load(&entries); e && !status; e = e->next)
        if (atomic_load(&e->begin) != 0 && has_changed(e)) status = fail_changed(e->name, err);
    pthread_mutex_unlock(&guard);
    return status;
}

/* ---- maps ---- */

struct hsp_map {
    atomic_int_fast64_t holders;
    char *bytes; /* owned; NULL: empty */
    int64_t size;
    map_entry *file; /* owned: its bytes are from mmap, not from hsp_alloc; NULL: none */
};

static int new_map(char *bytes, int64_t size, map_entry *file, hsp_map **out) {
    hsp_map *m = hsp_alloc_zero(1, sizeof *m);
    if (!m) return HSP_EMEMORY;
    *m = (hsp_map){.holders = 1, .bytes = bytes, .size = size, .file = file};
    *out = m;
    return 0;
}

int hsp_map_take(char *bytes, int64_t size, hsp_map **out, hsp_error **err) {
    *out = NULL;
    if (new_map(bytes, size, NULL, out) == 0) return 0;
    hsp_free(bytes);
    return hsp_fail_memory(err);
}

int hsp_map_open_descriptor(int fd, const char *name, hsp_map **out, hsp_error **err) {
    *out = NULL;
    struct stat before, after;
    if (fstat(fd, &before) != 0) return hsp_fail_errno(err, name, "cannot open", errno);
    if (S_ISDIR(before.st_mode)) return hsp_fail_file(err, name, "is a directory: give a file");
    if (!S_ISREG(before.st_mode)) return hsp_fail_file(err, name, "is a pipe or a device: give a regular file");
    if (before.st_size == 0) return new_map(NULL, 0, NULL, out) ? hsp_fail_memory(err) : 0;
    void *bytes = mmap(NULL, (size_t)before.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (bytes == MAP_FAILED) return hsp_fail_errno(err, name, "cannot map", errno);
    int status = 0;
    map_entry *file = NULL;
    if (fstat(fd, &after) != 0 || after.st_size != before.st_size)
        status = hsp_fail_at(err, HSP_EIO, (hsp_place){.file = name},
                             "the file changed while it was opened: wait until it is complete");
    else if (!(file = enter_file(name, &before, bytes)) || new_map(bytes, before.st_size, file, out))
        status = hsp_fail_memory(err);
    if (status && file) leave_file(file);
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
    if (m->file) (void)posix_madvise(m->bytes, (size_t)m->size, POSIX_MADV_WILLNEED);
}

static void advise(const hsp_map *m, const void *from, int64_t bytes, int advice) {
    uintptr_t at = (uintptr_t)from, first = (uintptr_t)m->bytes;
    if (!m->file || bytes <= 0 || at < first || at - first >= (uintptr_t)m->size) return;
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

void hsp_map_unwatch(hsp_map *m) {
    if (m->file) m->file->watched = false;
}

hsp_map *hsp_map_share(hsp_map *m) {
    atomic_fetch_add(&m->holders, 1);
    return m;
}

void hsp_map_close(hsp_map *m) {
    if (!m || atomic_fetch_sub(&m->holders, 1) > 1) return;
    if (m->file) {
        leave_file(m->file);
        munmap(m->bytes, (size_t)m->size);
    } else {
        hsp_free(m->bytes);
    }
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
