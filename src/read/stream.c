/* A stream is a source of raw bytes (descriptor or memory), a decoder, and the bytes peeked at but not consumed. A plain file
 * is read directly into the caller's buffer; compressed bytes go through `in`. */
#define XXH_STATIC_LINKING_ONLY
#include "read/stream.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#define CHUNK ((int64_t)64 * 1024) /* small, because new memory costs more than system calls */
#define PEEK_LIMIT ((int64_t)1 << 30)
#define PATIENCE 100 /* milliseconds that peek waits for more bytes once it has a line */

typedef enum coding { PLAIN, GZIP, ZSTD } coding;

/* Bytes that wait: those from `begin` to `end`. */
typedef struct window {
    char *bytes; /* owned */
    int64_t begin, end, capacity;
} window;

/* Where the raw bytes come from: a descriptor or memory. */
typedef struct raw_source {
    int fd; /* -1 for memory */
    bool close_fd;
    bool regular;       /* a file: reading does not wait */
    const char *memory; /* borrowed */
    int64_t at, size;   /* of the memory */
    bool over;          /* no more bytes */
} raw_source;

struct hsp_stream {
    char *name; /* owned */
    raw_source raw;
    bool translated; /* the memory is a translation to CSV */
    hsp_text own;    /* owned: its text */
    int64_t chunk;
    coding coding;
    bool detected; /* coding is known */
    window in;     /* raw bytes, at most CHUNK */
    window ahead;  /* decoded bytes that were peeked at */
    bool over;     /* the decoder has no more bytes */
    int64_t limit;      /* of memory; 0: what the machine allows, which is asked only when it matters */
    int64_t given, end; /* decoded bytes that were read, and where the data ends for the reader */
    z_stream gzip;
    bool gzip_open; /* gzip needs inflateEnd */
    bool inside;    /* a gzip member or zstd frame has begun and not ended */
    ZSTD_DCtx *zstd;
    XXH3_state_t *hash; /* of the raw bytes, in hash_memory, aligned to 64 bytes; NULL: not wanted */
    void *hash_memory;  /* owned */
};

/* ---- raw bytes ---- */

static int fail_cancelled(const hsp_stream *s, hsp_error **err) {
    return hsp_fail(err, HSP_ECANCELLED, "cancelled while reading %s", s->name);
}

/* Up to n raw bytes; 0 at the end. Waits for a stream that is not ready. */
static int64_t fetch_raw(hsp_stream *s, char *into, int64_t n, hsp_error **err) {
    if (n > s->chunk) n = s->chunk;
    if (s->raw.fd < 0) {
        if (n > s->raw.size - s->raw.at) n = s->raw.size - s->raw.at;
        if (n > 0) memcpy(into, s->raw.memory + s->raw.at, (size_t)n);
        s->raw.at += n;
        if (n == 0) s->raw.over = true;
        return n;
    }
    for (;;) {
        /* A worker thread blocks signals, so it polls the cancel flag. */
        if (!s->raw.regular && poll(&(struct pollfd){.fd = s->raw.fd, .events = POLLIN}, 1, 200) <= 0) {
            if (hsp_cancel_take()) return fail_cancelled(s, err);
            continue;
        }
        ssize_t got = read(s->raw.fd, into, (size_t)n);
        if (got >= 0) {
            if (got == 0) s->raw.over = true;
            return got;
        }
        if (errno == EAGAIN || errno == EWOULDBLOCK)
            poll(&(struct pollfd){.fd = s->raw.fd, .events = POLLIN}, 1, 1000);
        else if (errno != EINTR)
            return hsp_fail_errno(err, s->name, "cannot read", errno);
        if (hsp_cancel_take()) return fail_cancelled(s, err);
    }
}

static int64_t raw_read(hsp_stream *s, char *into, int64_t n, hsp_error **err) {
    int64_t got = fetch_raw(s, into, n, err);
    if (got > 0 && s->hash) XXH3_64bits_update(s->hash, into, (size_t)got);
    return got;
}

/* Whether the source has bytes, or is at its end, within that time. */
static bool source_ready(const hsp_stream *s, int milliseconds) {
    if (s->raw.fd < 0 || s->raw.regular || s->raw.over) return true;
    return poll(&(struct pollfd){.fd = s->raw.fd, .events = POLLIN}, 1, milliseconds) != 0;
}

/* Fills `in` when it is empty, unless the source is at its end. */
static int refill(hsp_stream *s, hsp_error **err) {
    if (s->in.begin < s->in.end || s->raw.over) return 0;
    int64_t got = raw_read(s, s->in.bytes, CHUNK, err);
    if (got < 0) return (int)got;
    s->in.begin = 0;
    s->in.end = got;
    return 0;
}

/* ---- decoders: up to n bytes, 0 at the end ---- */

static int fail_cut(hsp_stream *s, hsp_error **err) {
    return hsp_fail_file(err, s->name, "truncated file: recreate or download it again");
}

/* The decoders' own reasons are omitted, because they depend on how the bytes were cut. */
static int fail_damaged(hsp_stream *s, const char *what, hsp_error **err) {
    return hsp_fail_file(err, s->name, "damaged %s data: recreate or download the file again", what);
}

static int64_t read_plain(hsp_stream *s, char *into, int64_t n, hsp_error **err) {
    int64_t left = s->in.end - s->in.begin;
    if (left == 0) return s->raw.over ? 0 : raw_read(s, into, n, err);
    if (n > left) n = left;
    memcpy(into, s->in.bytes + s->in.begin, (size_t)n);
    s->in.begin += n;
    return n;
}

/* Between two gzip members: 1 when another one begins, 0 at the end of the data. Zero bytes after the last member are the
 * padding of tapes and block devices. */
static int next_member(hsp_stream *s, hsp_error **err) {
    for (;;) {
        int status = refill(s, err);
        if (status < 0) return status;
        if (s->in.begin == s->in.end) return 0;
        unsigned char c = (unsigned char)s->in.bytes[s->in.begin];
        if (c == 0x1f) return inflateReset(&s->gzip) == Z_OK ? 1 : fail_damaged(s, "gzip", err);
        if (c != 0)
            return hsp_fail_file(err, s->name, "extra bytes after the gzip data: recreate or download the file again");
        s->in.begin++;
    }
}

static int64_t read_gzip(hsp_stream *s, char *into, int64_t n, hsp_error **err) {
    for (;;) {
        int status = refill(s, err);
        if (status < 0) return status;
        if (!s->inside) {
            status = next_member(s, err);
            if (status <= 0) return status;
            s->inside = true;
        }
        s->gzip.next_in = (Bytef *)s->in.bytes + s->in.begin;
        s->gzip.avail_in = (uInt)(s->in.end - s->in.begin);
        s->gzip.next_out = (Bytef *)into;
        s->gzip.avail_out = (uInt)n;
        int result = inflate(&s->gzip, Z_NO_FLUSH);
        s->in.begin = s->in.end - s->gzip.avail_in;
        int64_t made = n - s->gzip.avail_out;
        if (result == Z_STREAM_END)
            s->inside = false;
        else if (result == Z_MEM_ERROR)
            return hsp_fail_memory(err);
        else if (result == Z_BUF_ERROR && made == 0 && s->raw.over)
            return fail_cut(s, err);
        else if (result != Z_OK && result != Z_BUF_ERROR)
            return fail_damaged(s, "gzip", err);
        if (made > 0) return made;
    }
}

static int64_t read_zstd(hsp_stream *s, char *into, int64_t n, hsp_error **err) {
    for (;;) {
        int status = refill(s, err);
        if (status < 0) return status;
        bool dry = s->in.begin == s->in.end;
        if (dry && !s->inside) return 0;
        ZSTD_inBuffer in = {s->in.bytes + s->in.begin, (size_t)(s->in.end - s->in.begin), 0};
        ZSTD_outBuffer out = {into, (size_t)n, 0};
        size_t result = ZSTD_decompressStream(s->zstd, &out, &in);
        if (ZSTD_isError(result)) {
            if (ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation) return hsp_fail_memory(err);
            if (ZSTD_getErrorCode(result) == ZSTD_error_frameParameter_windowTooLarge)
                return hsp_fail_file(err, s->name,
                                     "the zstd window is larger than 128 MiB: compress the file again without --long");
            return fail_damaged(s, "zstd", err);
        }
        s->in.begin += (int64_t)in.pos;
        s->inside = result != 0;
        if (out.pos > 0) return (int64_t)out.pos;
        if (dry && s->inside) return fail_cut(s, err);
    }
}

static int64_t decode(hsp_stream *s, char *into, int64_t n, hsp_error **err) {
    if (s->over || n <= 0) return 0;
    if (n > s->chunk) n = s->chunk;
    int64_t got = s->coding == GZIP   ? read_gzip(s, into, n, err)
                  : s->coding == ZSTD ? read_zstd(s, into, n, err)
                                      : read_plain(s, into, n, err);
    if (got == 0) s->over = true;
    return got;
}

/* ---- detection ---- */

static int open_decoder(hsp_stream *s, hsp_error **err) {
    if (s->coding == GZIP) {
        s->gzip.zalloc = hsp_zlib_alloc;
        s->gzip.zfree = hsp_zlib_free;
        if (inflateInit2(&s->gzip, 15 + 16) != Z_OK) return hsp_fail_memory(err);
        s->gzip_open = true;
    } else if (s->coding == ZSTD) {
        s->zstd = ZSTD_createDCtx();
        if (!s->zstd) return hsp_fail_memory(err);
    }
    return 0;
}

/* Detects the compression by the first bytes. A file that is only the start of a magic number is cut off. */
static int detect_coding(hsp_stream *s, hsp_error **err) {
    if (s->detected) return 0;
    s->detected = true;
    while (s->in.end < 4 && !s->raw.over) {
        int64_t got = raw_read(s, s->in.bytes + s->in.end, CHUNK - s->in.end, err);
        if (got < 0) return (int)got;
        s->in.end += got;
    }
    const unsigned char *b = (const unsigned char *)s->in.bytes;
    static const unsigned char zstd[4] = {0x28, 0xb5, 0x2f, 0xfd};
    int64_t n = s->in.end;
    if (n >= 2 && b[0] == 0x1f && b[1] == 0x8b)
        s->coding = GZIP;
    else if (n >= 4 && memcmp(b, zstd, 4) == 0)
        s->coding = ZSTD;
    else if (n >= 4 && (b[0] & 0xf0) == 0x50 && b[1] == 0x2a && b[2] == 0x4d && b[3] == 0x18)
        s->coding = ZSTD;
    else if ((n == 1 && b[0] == 0x1f) || (n >= 2 && n < 4 && memcmp(b, zstd, (size_t)n) == 0))
        return fail_cut(s, err);
    return open_decoder(s, err);
}

/* ---- opening and reading ---- */

static int make_stream(const char *name, hsp_stream **out, hsp_error **err) {
    hsp_stream *s = hsp_alloc_zero(1, sizeof *s);
    if (!s) return hsp_fail_memory(err);
    s->raw.fd = -1;
    s->chunk = CHUNK;
    s->end = INT64_MAX;
    s->name = hsp_strdup(name);
    s->in.bytes = hsp_alloc(CHUNK, 1);
    if (!s->name || !s->in.bytes) {
        hsp_stream_close(s);
        return hsp_fail_memory(err);
    }
    *out = s;
    return 0;
}

int hsp_stream_open(const char *path, hsp_stream **out, hsp_error **err) {
    *out = NULL;
    bool standard = strcmp(path, "-") == 0;
    hsp_stream *s = NULL;
    int status = make_stream(standard ? "<stdin>" : path, &s, err);
    if (status < 0) return status;
    struct stat about;
    do s->raw.fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    while (s->raw.fd < 0 && errno == EINTR && !hsp_cancel_pending());
    if (s->raw.fd < 0 && errno == EINTR && hsp_cancel_take()) { /* a pipe without a writer */
        status = fail_cancelled(s, err);
    } else if (s->raw.fd < 0 || fstat(s->raw.fd, &about) < 0) {
        status = hsp_fail_errno(err, s->name, "cannot open", errno);
    } else {
        s->raw.close_fd = !standard;
        s->raw.regular = S_ISREG(about.st_mode);
        if (S_ISDIR(about.st_mode)) status = hsp_fail_file(err, s->name, "is a directory: give a file");
    }
    if (status < 0)
        hsp_stream_close(s);
    else
        *out = s;
    return status;
}

int hsp_stream_open_memory(const void *bytes, int64_t size, const char *name, hsp_stream **out, hsp_error **err) {
    *out = NULL;
    hsp_stream *s = NULL;
    int status = make_stream(name, &s, err);
    if (status < 0) return status;
    s->raw.memory = bytes;
    s->raw.size = size;
    *out = s;
    return 0;
}

int hsp_stream_open_translation(hsp_text *text, const char *name, hsp_stream **out, hsp_error **err) {
    int status = hsp_stream_open_memory(text->s, text->length, name, out, err);
    if (status < 0) return status;
    (*out)->translated = true;
    (*out)->own = *text;
    *text = (hsp_text){0};
    return 0;
}

int hsp_stream_translation_again(const hsp_stream *s, hsp_stream **out, hsp_error **err) {
    int status = hsp_stream_open_memory(s->raw.memory, s->raw.size, s->name, out, err);
    if (status == 0) (*out)->translated = true;
    return status;
}

bool hsp_stream_translated(const hsp_stream *s) {
    return s->translated;
}

int64_t hsp_stream_peek(hsp_stream *s, int64_t n, const char **bytes, hsp_error **err) {
    *bytes = NULL;
    int status = detect_coding(s, err);
    if (status < 0) return status;
    if (n > PEEK_LIMIT) n = PEEK_LIMIT;
    if (s->ahead.begin > 0) {
        memmove(s->ahead.bytes, s->ahead.bytes + s->ahead.begin, (size_t)(s->ahead.end - s->ahead.begin));
        s->ahead.end -= s->ahead.begin;
        s->ahead.begin = 0;
    }
    if (hsp_reserve((void **)&s->ahead.bytes, &s->ahead.capacity, n, 1)) return hsp_fail_memory(err);
    while (s->ahead.end < n && !s->over) {
        bool line = s->ahead.end > 0 && memchr(s->ahead.bytes, '\n', (size_t)s->ahead.end);
        if (line && s->in.begin == s->in.end && !source_ready(s, PATIENCE)) break;
        int64_t got = decode(s, s->ahead.bytes + s->ahead.end, n - s->ahead.end, err);
        if (got < 0) return got;
        s->ahead.end += got;
    }
    *bytes = s->ahead.bytes;
    return s->ahead.end < n ? s->ahead.end : n;
}

/* Drops what was peeked at. */
static void drop_ahead(hsp_stream *s) {
    hsp_free(s->ahead.bytes);
    s->ahead.bytes = NULL;
    s->ahead.begin = s->ahead.end = s->ahead.capacity = 0;
}

/* The same without the end that a seek has set. */
static int64_t read_decoded(hsp_stream *s, char *into, int64_t n, hsp_error **err) {
    int status = detect_coding(s, err);
    if (status < 0) return status;
    int64_t left = s->ahead.end - s->ahead.begin;
    if (left == 0) return decode(s, into, n, err);
    if (n > left) n = left;
    if (n > s->chunk) n = s->chunk;
    memcpy(into, s->ahead.bytes + s->ahead.begin, (size_t)n);
    s->ahead.begin += n;
    if (n == left) drop_ahead(s);
    return n;
}

int64_t hsp_stream_read(hsp_stream *s, char *into, int64_t n, hsp_error **err) {
    if (n > s->end - s->given) n = s->end - s->given;
    int64_t got = n > 0 ? read_decoded(s, into, n, err) : 0;
    if (got > 0) s->given += got;
    return got;
}

static int fail_short(const hsp_stream *s, hsp_error **err) {
    return hsp_fail_file(err, s->name, "shorter than when it was planned: plan again, and do not change the file meanwhile");
}

/* Jumps in a plain file; false: it is none. */
static bool jump(hsp_stream *s, int64_t from) {
    if (hsp_stream_descriptor(s) < 0 || lseek(s->raw.fd, (off_t)from, SEEK_SET) != (off_t)from) return false;
    drop_ahead(s);
    s->in.begin = s->in.end = 0;
    s->over = s->raw.over = false;
    s->given = from;
    return true;
}

int hsp_stream_seek(hsp_stream *s, int64_t from, int64_t to, hsp_error **err) {
    char waste[4096];
    int status = detect_coding(s, err);
    if (status < 0) return status;
    s->end = INT64_MAX;
    while (s->given < from && !jump(s, from)) {
        int64_t left = from - s->given;
        int64_t got = hsp_stream_read(s, waste, left < (int64_t)sizeof waste ? left : (int64_t)sizeof waste, err);
        if (got < 0) return (int)got;
        if (got == 0) return fail_short(s, err);
    }
    s->end = to;
    return s->given == from ? 0 : hsp_fail(err, HSP_EINTERNAL, "%s was read past byte %lld", s->name, (long long)from);
}

bool hsp_stream_ready(hsp_stream *s) {
    return s->ahead.begin < s->ahead.end || s->in.begin < s->in.end || source_ready(s, 0);
}

bool hsp_stream_regular(const hsp_stream *s) {
    return s->raw.regular && s->raw.close_fd;
}

int hsp_stream_descriptor(const hsp_stream *s) {
    /* Not stdin: it may have been read before. */
    return s->raw.regular && s->raw.close_fd && s->detected && s->coding == PLAIN ? s->raw.fd : -1;
}

int hsp_stream_hash_begin(hsp_stream *s) {
    s->hash_memory = hsp_alloc(1, sizeof *s->hash + 64);
    if (!s->hash_memory) return HSP_EMEMORY;
    s->hash = (XXH3_state_t *)(((uintptr_t)s->hash_memory + 63) / 64 * 64);
    XXH3_INITSTATE(s->hash);
    XXH3_64bits_reset(s->hash);
    return 0;
}

uint64_t hsp_stream_hash(const hsp_stream *s) {
    return s->hash ? XXH3_64bits_digest(s->hash) : 0;
}

int64_t hsp_stream_limit(const hsp_stream *s) {
    return s->limit ? s->limit : hsp_memory_limit();
}

bool hsp_stream_exceeds(const hsp_stream *s, int64_t bytes, int64_t share) {
    enum { FEW = 8 << 20 };
    return (s->limit || bytes > FEW) && bytes > hsp_stream_limit(s) / share;
}

void hsp_stream_set_limit(hsp_stream *s, int64_t bytes) {
    s->limit = bytes;
}

int hsp_stream_fail_limit(const hsp_stream *s, hsp_error **err) {
    return hsp_fail_at(err, HSP_EMEMORY, (hsp_place){.file = s->name},
                       "needs more memory than the %lld MiB allowed: raise --max-memory",
                       (long long)(hsp_stream_limit(s) >> 20));
}

const char *hsp_stream_name(const hsp_stream *s) {
    return s->name;
}

int64_t hsp_stream_chunk(const hsp_stream *s) {
    return s->chunk;
}

void hsp_stream_set_chunk(hsp_stream *s, int64_t chunk) {
    s->chunk = chunk < 1 ? 1 : chunk > CHUNK ? CHUNK : chunk;
}

void hsp_stream_close(hsp_stream *s) {
    if (!s) return;
    if (s->gzip_open) inflateEnd(&s->gzip);
    ZSTD_freeDCtx(s->zstd);
    if (s->raw.close_fd) close(s->raw.fd);
    hsp_text_free(&s->own);
    HSP_FREE(s->hash_memory, s->ahead.bytes, s->in.bytes, s->name, s);
}
