/* An engine that writes every reply to a file, and answers from it when a fit is resumed. A fit asks the same questions when it
 * gets the same answers, so it arrives where it was, with the same bits, without a pass over the rows.
 *
 *   "hspjrnl1"                                        8 bytes
 *   records: XXH3-64 of the request, bytes of the reply, XXH3-64 of the reply (8 bytes each), then the reply
 *
 * Each record is on the disk before the fit goes on. One that is not complete, because the process was killed, is cut off. */
#include "base/error.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/temporary.h"
#include "halfspace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

static const char MAGIC[8] = "hspjrnl1";

typedef struct journal_record {
    uint64_t request, size, checksum;
} journal_record;

typedef struct journal {
    hsp_engine engine; /* first */
    const hsp_engine *inner;
    char *path; /* owned */
    int fd;
    hsp_map *old;    /* owned: the replies of the run before; NULL: none */
    int64_t at, end; /* the next of them; where they end */
    int64_t asked;
} journal;

static int write_all(int fd, const void *bytes, size_t n) {
    for (const char *p = bytes; n > 0;) {
        ssize_t put = write(fd, p, n);
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) return errno ? errno : EIO;
        p += put;
        n -= (size_t)put;
    }
    return 0;
}

/* The record at `at` of the old file if it is whole. */
static bool read_record(const journal *j, int64_t at, int64_t size, journal_record *r) {
    const char *bytes = hsp_map_bytes(j->old);
    if (size - at < (int64_t)sizeof *r) return false;
    memcpy(r, bytes + at, sizeof *r);
    at += (int64_t)sizeof *r;
    return r->size <= (uint64_t)(size - at) && XXH3_64bits(bytes + at, (size_t)r->size) == r->checksum;
}

static int open_old(journal *j, hsp_error **err) {
    journal_record r;
    int status = hsp_map_open(j->path, &j->old, err);
    if (status < 0) return status;
    hsp_map_unwatch(j->old);
    int64_t size = hsp_map_size(j->old), whole = (int64_t)sizeof MAGIC;
    /* Killed before the first bytes were written, or they were not on the disk in a power failure: a checkpoint without
     * replies. */
    static const char zeros[sizeof MAGIC];
    int64_t first = size < whole ? size : whole;
    if (size < whole && memcmp(hsp_map_bytes(j->old), MAGIC, (size_t)first) == 0) return 0;
    if (memcmp(hsp_map_bytes(j->old), zeros, (size_t)first) == 0) return 0;
    if (size < whole || memcmp(hsp_map_bytes(j->old), MAGIC, sizeof MAGIC) != 0)
        return hsp_fail_file(err, j->path, "not a checkpoint: give the file of --checkpoint of the run that was stopped");
    j->at = j->end = (int64_t)sizeof MAGIC;
    while (read_record(j, j->end, size, &r)) j->end += (int64_t)sizeof r + (int64_t)r.size;
    return 0;
}

static int open_file(journal *j, bool resume, hsp_error **err) {
    int status = resume ? open_old(j, err) : 0;
    if (status < 0) return status;
    do j->fd = open(j->path, resume ? O_WRONLY | O_CLOEXEC : O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    while (j->fd < 0 && errno == EINTR);
    if (j->fd < 0 && errno == EEXIST)
        return hsp_fail(err, HSP_EUSAGE, "%s exists: continue the run that wrote it with --resume, or remove it", j->path);
    if (j->fd < 0) return hsp_fail_errno(err, j->path, "cannot write", errno);
    int errnum = 0;
    if (ftruncate(j->fd, (off_t)j->end) != 0 || lseek(j->fd, 0, SEEK_END) < 0) errnum = errno;
    if (!errnum && j->end == 0) errnum = write_all(j->fd, MAGIC, sizeof MAGIC);
    if (!errnum && !resume && hsp_folder_sync(j->path, j->path, NULL) < 0) errnum = EIO;
    if (errnum && !resume) unlink(j->path);
    return errnum ? hsp_fail_errno(err, j->path, "cannot write", errnum) : 0;
}

static int keep(journal *j, uint64_t request, const void *reply, size_t size, char *why) {
    const journal_record r = {request, size, XXH3_64bits(reply, size)};
    int errnum = write_all(j->fd, &r, sizeof r);
    if (!errnum) errnum = write_all(j->fd, reply, size);
    while (!errnum && fdatasync(j->fd) != 0 && errno != EINVAL) errnum = errno == EINTR ? 0 : errno;
    if (!errnum) return 0;
    snprintf(why, HSP_WHY_SIZE, "%s: cannot write: %s: make room and use --resume", j->path, strerror(errnum));
    return HSP_EIO;
}

enum { AGREEMENT = 2 }; /* questions that are asked again: their replies cover the columns and the content of the rows */

/* Answers from the old file. */
static int answer_old(journal *j, const void *request, size_t request_size, const void **reply, size_t *reply_size,
                      char *why) {
    journal_record r;
    memcpy(&r, hsp_map_bytes(j->old) + j->at, sizeof r);
    const char *bytes = hsp_map_bytes(j->old) + j->at + sizeof r;
    bool same = r.request == XXH3_64bits(request, request_size);
    if (same && j->asked < AGREEMENT) {
        const void *now;
        size_t size;
        int status = j->inner->ask(j->inner->user, request, request_size, &now, &size, why);
        if (status < 0) return status;
        same = size == r.size && memcmp(now, bytes, size) == 0;
    }
    if (!same) {
        snprintf(why, HSP_WHY_SIZE, "%s: a checkpoint of other data or options: give those of the run that was stopped",
                 j->path);
        return HSP_EINPUT;
    }
    j->at += (int64_t)sizeof r + (int64_t)r.size;
    *reply = bytes;
    *reply_size = (size_t)r.size;
    return 0;
}

static int ask(void *user, const void *request, size_t request_size, const void **reply, size_t *reply_size, char *why) {
    journal *j = user;
    int status;
    if (j->at < j->end) {
        status = answer_old(j, request, request_size, reply, reply_size, why);
    } else {
        status = j->inner->ask(j->inner->user, request, request_size, reply, reply_size, why);
        if (status == 0) status = keep(j, XXH3_64bits(request, request_size), *reply, *reply_size, why);
    }
    j->asked++;
    return status;
}

int hsp_engine_checkpoint(const hsp_engine *inner, const char *path, int resume, hsp_engine **out, hsp_error **err) {
    *out = NULL;
    journal *j = hsp_alloc_zero(1, sizeof *j);
    if (!j) return hsp_fail_memory(err);
    j->inner = inner;
    j->fd = -1;
    j->engine = *inner;
    j->engine.user = j;
    j->engine.ask = ask;
    int status = hsp_copy_string(&j->path, path) ? hsp_fail_memory(err) : open_file(j, resume, err);
    if (status < 0)
        hsp_engine_checkpoint_free(&j->engine);
    else
        *out = &j->engine;
    return status;
}

void hsp_engine_checkpoint_free(hsp_engine *engine) {
    if (!engine) return;
    journal *j = engine->user;
    if (j->fd >= 0) close(j->fd);
    hsp_map_close(j->old);
    HSP_FREE(j->path, j);
}
