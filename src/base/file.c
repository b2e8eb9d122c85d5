#include "base/file.h"

#include "base/hold.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/rng.h"
#include "base/temporary.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#define BUFFER 131072
#define LINKS 40 /* symbolic links followed at most, as by Linux */

struct hsp_out {
    int fd;
    int failed;    /* the status of the first failure: nothing is written after it */
    char compress; /* 0, 'g', 'z' */
    bool skip_sync;
    bool terminal;                  /* control characters are made visible */
    unsigned char before, previous; /* the last two bytes written to a terminal */
    bool held;                      /* commit leaves the renaming to hsp_files_release */
    int lock;                       /* a second descriptor of a file that is complete and not renamed yet; -1: none */
    char *path;                     /* owned: as the user gave it, for messages */
    char *target;                   /* owned: what temporary is renamed to, links resolved; NULL when written directly */
    char *temporary;                /* owned; NULL when written directly */
    z_stream gzip;
    ZSTD_CCtx *zstd; /* owned; NULL unless compress is 'z' */
    int64_t used;
    char plain[BUFFER];  /* bytes not yet compressed or written */
    char packed[BUFFER]; /* output of the compressor */
};

static const char *name_of(const hsp_out *o) {
    return strcmp(o->path, "-") == 0 ? "<stdout>" : o->path;
}

static int fail_system(hsp_out *o, const char *action, int errnum, hsp_error **err) {
    o->failed = hsp_fail_errno(err, name_of(o), action, errnum);
    return o->failed;
}

/* Writes all n bytes, through interruptions, short writes and streams that are not ready. */
static int write_all(hsp_out *o, const char *bytes, int64_t n, hsp_error **err) {
    while (n > 0) {
        ssize_t written = write(o->fd, bytes, (size_t)(n < 1 << 30 ? n : 1 << 30));
        if (written >= 0) {
            bytes += written;
            n -= written;
        } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
            poll(&(struct pollfd){.fd = o->fd, .events = POLLOUT}, 1, 1000);
        } else if (errno == EFAULT) {
            return o->failed = hsp_map_fail(bytes, err);
        } else if (errno != EINTR) {
            return fail_system(o, "cannot write", errno, err);
        }
    }
    return HSP_OK;
}

/* Writes to a terminal: labels may hold escape sequences, which would act on it, or turn the direction of writing. Control
 * characters other than tab and line feed appear as \\xHH. So does the last byte of C1 characters, whose first byte is 0xc2,
 * and of those that turn the direction. */
static int write_visible(hsp_out *o, const char *bytes, int64_t n, hsp_error **err) {
    char piece[1024];
    int64_t used = 0;
    int status = HSP_OK;
    for (int64_t i = 0; i < n && !status; i++) {
        unsigned char c = (unsigned char)bytes[i];
        const char last[] = {(char)o->before, (char)o->previous, (char)c};
        bool second = o->previous == 0xc2 && c >= 0x80 && c < 0xa0,
             line_end = c == '\r' && i + 1 < n && bytes[i + 1] == '\n',
             turns = hsp_text_turns(last, 3) || hsp_text_turns(last + 1, 2);
        if ((c < 0x20 && c != '\t' && c != '\n' && !line_end) || c == 0x7f || second || turns)
            used += snprintf(piece + used, 5, "\\x%02x", c);
        else
            piece[used++] = (char)c;
        o->before = o->previous;
        o->previous = c;
        if (used + 5 > (int64_t)sizeof piece || i + 1 == n) {
            status = write_all(o, piece, used, err);
            used = 0;
        }
    }
    return status;
}

typedef enum push_mode { PUSH_MORE, PUSH_FLUSH, PUSH_END } push_mode;

static int push_gzip(hsp_out *o, const char *bytes, int64_t n, push_mode mode, hsp_error **err) {
    static const int flush[] = {Z_NO_FLUSH, Z_SYNC_FLUSH, Z_FINISH};
    do {
        int64_t part = n < 1 << 30 ? n : 1 << 30;
        o->gzip.next_in = (Bytef *)(uintptr_t)bytes;
        o->gzip.avail_in = (uInt)part;
        do {
            o->gzip.next_out = (Bytef *)o->packed;
            o->gzip.avail_out = BUFFER;
            deflate(&o->gzip, part < n ? Z_NO_FLUSH : flush[mode]);
            int status = write_all(o, o->packed, BUFFER - (int64_t)o->gzip.avail_out, err);
            if (status != HSP_OK) return status;
        } while (o->gzip.avail_out == 0);
        bytes += part;
        n -= part;
    } while (n > 0);
    return HSP_OK;
}

static int push_zstd(hsp_out *o, const char *bytes, int64_t n, push_mode mode, hsp_error **err) {
    static const ZSTD_EndDirective end[] = {ZSTD_e_continue, ZSTD_e_flush, ZSTD_e_end};
    ZSTD_inBuffer in = {bytes, (size_t)n, 0};
    for (;;) {
        ZSTD_outBuffer out = {o->packed, BUFFER, 0};
        size_t left = ZSTD_compressStream2(o->zstd, &out, &in, end[mode]);
        if (ZSTD_isError(left)) {
            o->failed =
                ZSTD_getErrorCode(left) == ZSTD_error_memory_allocation
                    ? hsp_fail_memory(err)
                    : hsp_fail(err, HSP_EINTERNAL, "zstd failed (%s): please report this bug", ZSTD_getErrorName(left));
            return o->failed;
        }
        int status = write_all(o, o->packed, (int64_t)out.pos, err);
        if (status != HSP_OK) return status;
        if (mode == PUSH_MORE ? in.pos == in.size : left == 0) return HSP_OK;
    }
}

static int push(hsp_out *o, const char *bytes, int64_t n, push_mode mode, hsp_error **err) {
    if (o->compress == 'g') return push_gzip(o, bytes, n, mode, err);
    if (o->compress == 'z') return push_zstd(o, bytes, n, mode, err);
    return o->terminal ? write_visible(o, bytes, n, err) : write_all(o, bytes, n, err);
}

static int push_buffer(hsp_out *o, push_mode mode, hsp_error **err) {
    int64_t n = o->used;
    o->used = 0;
    return push(o, o->plain, n, mode, err);
}

char hsp_path_compression(const char *path) {
    size_t n = strlen(path);
    if (n > 3 && hsp_text_same_letters(path + n - 3, ".gz", 3)) return 'g';
    if (n > 4 && hsp_text_same_letters(path + n - 4, ".zst", 4)) return 'z';
    return 0;
}

static int open_compressor(hsp_out *o, char compress, hsp_error **err) {
    if (compress == '?') compress = hsp_path_compression(o->path);
    if (compress == 'g') {
        enum { GZIP = 16, MEMORY = 8 };
        o->gzip.zalloc = hsp_zlib_alloc;
        o->gzip.zfree = hsp_zlib_free;
        if (deflateInit2(&o->gzip, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + GZIP, MEMORY, Z_DEFAULT_STRATEGY) != Z_OK)
            return hsp_fail_memory(err);
    } else if (compress == 'z') {
        o->zstd = ZSTD_createCCtx();
        if (o->zstd == NULL) return hsp_fail_memory(err);
        ZSTD_CCtx_setParameter(o->zstd, ZSTD_c_checksumFlag, 1);
    }
    o->compress = compress;
    return HSP_OK;
}

/* Where the last component of the path begins. */
static size_t name_start(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash == NULL ? 0 : (size_t)(slash - path) + 1;
}

/* Sets the target: the path with symbolic links resolved, whether the file exists or not. */
static int follow_links(hsp_out *o, hsp_error **err) {
    char link[PATH_MAX];
    o->target = hsp_strdup(o->path);
    for (int i = 0; i < LINKS && o->target != NULL; i++) {
        ssize_t n = readlink(o->target, link, sizeof link);
        if (n < 0) return HSP_OK;
        hsp_text next = {0};
        if (link[0] != '/') hsp_text_add_n(&next, o->target, (int64_t)name_start(o->target));
        hsp_text_add_n(&next, link, n);
        hsp_free(o->target);
        if (hsp_text_take(&next, &o->target, err) != HSP_OK) return HSP_EMEMORY;
    }
    return o->target == NULL ? hsp_fail_memory(err) : hsp_fail_errno(err, o->path, "cannot write", ELOOP);
}

/* Opens a temporary file beside the target, and locks it for as long as it is written. Not mkstemp: open applies the umask,
 * which cannot be read safely while other threads run. */
static int open_temporary(hsp_out *o, mode_t mode, hsp_error **err) {
    static atomic_uint_least64_t serial;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    hsp_rng rng = hsp_rng_new((uint64_t)now.tv_nsec ^ (uint64_t)now.tv_sec << 30,
                              (uint64_t)getpid() << 32 ^ atomic_fetch_add(&serial, 1));
    for (int attempt = 0; attempt < 100; attempt++) {
        o->temporary = hsp_temporary_name(o->target, (uint32_t)(hsp_rng_next(&rng) >> 32));
        if (o->temporary == NULL) return hsp_fail_memory(err);
        do o->fd = open(o->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        while (o->fd < 0 && errno == EINTR);
        if (o->fd >= 0) {
            /* Without support for locks the file is never removed by others. */
            if (flock(o->fd, LOCK_EX | LOCK_NB) != 0) errno = 0;
            return HSP_OK;
        }
        int errnum = errno;
        hsp_free(o->temporary);
        o->temporary = NULL;
        if (errnum != EEXIST) return hsp_fail_errno(err, o->path, "cannot write", errnum);
    }
    return hsp_fail_errno(err, o->path, "cannot write", EEXIST);
}

static int open_target(hsp_out *o, mode_t mode, hsp_error **err) {
    struct stat s;
    if (strcmp(o->path, "-") == 0) {
        o->fd = STDOUT_FILENO;
        return HSP_OK;
    }
    bool exists = stat(o->path, &s) == 0;
    size_t n = strlen(o->path);
    if ((exists && S_ISDIR(s.st_mode)) || n == 0 || o->path[n - 1] == '/')
        return hsp_fail_errno(err, o->path, "cannot write", n == 0 ? ENOENT : EISDIR);
    if (exists && !S_ISREG(s.st_mode)) {
        do o->fd = open(o->path, O_WRONLY | O_CLOEXEC);
        while (o->fd < 0 && errno == EINTR);
        return o->fd < 0 ? hsp_fail_errno(err, o->path, "cannot write", errno) : HSP_OK;
    }
    /* rename would replace a write-protected file too. */
    if (exists && faccessat(AT_FDCWD, o->path, W_OK, AT_EACCESS) != 0)
        return hsp_fail_errno(err, o->path, "cannot write", errno);
    o->held = hsp_hold_finds(o->path, &mode);
    int status = follow_links(o, err);
    if (status == HSP_OK) hsp_temporary_sweep_once(o->target);
    if (status == HSP_OK) status = open_temporary(o, mode, err);
    /* Some file systems keep no permissions: not a failure. */
    if (status == HSP_OK && exists && fchmod(o->fd, s.st_mode & 07777) != 0) errno = 0;
    return status;
}

static int open_out(const char *path, char compress, mode_t mode, hsp_out **out, hsp_error **err) {
    *out = NULL;
    if (path == NULL || (compress != 0 && compress != 'g' && compress != 'z' && compress != '?'))
        return hsp_fail(err, HSP_EUSAGE, "a file to write needs a name and a known compression: give 0, 'g', 'z' or '?'");
    hsp_out *o = hsp_alloc(1, sizeof *o);
    if (o == NULL) return hsp_fail_memory(err);
    memset(o, 0, offsetof(hsp_out, plain));
    o->fd = o->lock = -1;
    o->path = hsp_strdup(path);
    int status = o->path == NULL ? hsp_fail_memory(err) : open_compressor(o, compress, err);
    if (status == HSP_OK) status = open_target(o, mode, err);
    if (status == HSP_OK) o->terminal = hsp_out_is_terminal(o);
    if (status == HSP_OK)
        *out = o;
    else
        hsp_out_abandon(o);
    return status;
}

int hsp_out_open(const char *path, char compress, hsp_out **out, hsp_error **err) {
    return open_out(path, compress, 0666, out, err);
}

int hsp_out_open_like(const char *path, const char *source, hsp_out **out, hsp_error **err) {
    struct stat s;
    int status = open_out(path, 0, 0600, out, err); /* never readable by others, not even while it is empty */
    if (status != HSP_OK || stat(source, &s) != 0) return status;
    bool same_group = fchown((*out)->fd, (uid_t)-1, s.st_gid) == 0;
    /* Some file systems keep no permissions: not a failure. */
    if (fchmod((*out)->fd, s.st_mode & (same_group ? 0666 : 0606)) != 0) errno = 0;
    return HSP_OK;
}

static int fail_again(const hsp_out *o, hsp_error **err) {
    return hsp_fail_at(err, o->failed, (hsp_place){.file = name_of(o)}, "cannot write: an earlier write failed: try again");
}

int hsp_out_write(hsp_out *o, const void *bytes, int64_t n, hsp_error **err) {
    if (o->failed != HSP_OK) return fail_again(o, err);
    if (n <= 0) return HSP_OK;
    if (n > BUFFER - o->used) {
        int status = push_buffer(o, PUSH_MORE, err);
        if (status != HSP_OK) return status;
        if (n >= BUFFER) return push(o, bytes, n, PUSH_MORE, err);
    }
    memcpy(o->plain + o->used, bytes, (size_t)n);
    o->used += n;
    return HSP_OK;
}

int hsp_out_flush(hsp_out *o, hsp_error **err) {
    return o->failed != HSP_OK ? fail_again(o, err) : push_buffer(o, PUSH_FLUSH, err);
}

bool hsp_out_is_terminal(const hsp_out *o) {
    return o->temporary == NULL && isatty(o->fd) == 1;
}

bool hsp_out_is_direct(const hsp_out *o) {
    return o->temporary == NULL;
}

void hsp_out_skip_sync(hsp_out *o) {
    o->skip_sync = true;
}

/* Puts the complete temporary file in the place of the target, now or with all files that are held. */
static int place_temporary(hsp_out *o, hsp_error **err) {
    if (o->held) {
        hsp_hold_keep(o->path, o->temporary, o->target, o->lock);
        o->temporary = o->target = NULL;
        o->lock = -1;
    } else if (rename(o->temporary, o->target) != 0) {
        return fail_system(o, "cannot write", errno, err);
    } else {
        hsp_free(o->temporary);
        o->temporary = NULL;
        if (!o->skip_sync) return hsp_folder_sync(o->target, o->path, err);
    }
    return HSP_OK;
}

/* Not every file can be synced: only a full or broken disk is a failure. */
static int sync_and_close(hsp_out *o, hsp_error **err) {
    int status = HSP_OK;
    bool sync = o->temporary != NULL && !o->skip_sync;
    int failed = 0;
    if (sync) do
            failed = fdatasync(o->fd) != 0 ? errno : 0;
        while (failed == EINTR);
    if (failed == ENOSPC || failed == EDQUOT || failed == EIO) status = fail_system(o, "cannot write", failed, err);
    if (o->fd == STDOUT_FILENO) return status;
    int fd = o->fd;
    if (o->temporary) o->lock = fcntl(fd, F_DUPFD_CLOEXEC, 3); /* another process must not remove it as abandoned */
    o->fd = -1;
    if (close(fd) != 0 && errno != EINTR && status == HSP_OK) status = fail_system(o, "cannot write", errno, err);
    return status;
}

int hsp_out_commit(hsp_out *o, hsp_error **err) {
    int status = o->failed != HSP_OK ? fail_again(o, err) : push_buffer(o, PUSH_END, err);
    if (status == HSP_OK) status = sync_and_close(o, err);
    if (status == HSP_OK && o->temporary != NULL) status = place_temporary(o, err);
    hsp_out_abandon(o);
    return status;
}

void hsp_out_abandon(hsp_out *o) {
    if (o == NULL) return;
    int errnum = errno;
    if (o->fd >= 0 && o->fd != STDOUT_FILENO) close(o->fd);
    if (o->lock >= 0) close(o->lock);
    if (o->temporary != NULL) unlink(o->temporary);
    if (o->compress == 'g') deflateEnd(&o->gzip);
    ZSTD_freeCCtx(o->zstd);
    HSP_FREE(o->temporary, o->target, o->path, o);
    errno = errnum;
}

int hsp_write_file(const char *path, const void *bytes, size_t n, hsp_error **err) {
    hsp_out *o = NULL;
    int status = hsp_out_open(path, 0, &o, err);
    if (status != HSP_OK) return status;
    status = hsp_out_write(o, bytes, (int64_t)n, err);
    if (status == HSP_OK) return hsp_out_commit(o, err);
    hsp_out_abandon(o);
    return status;
}
