/* A piece is filled with the rest of the one before, then from the stream. Cuts are searched from the end, unless records
 * may span lines. */
#include "read/chunks.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

void hsp_chunk_free(hsp_chunk *c) {
    hsp_free(c->memory);
    *c = (hsp_chunk){0};
}

int hsp_chunks_open(hsp_chunks *c, hsp_stream *stream, hsp_record_end *ends, void *ctx, hsp_error **err) {
    *c = (hsp_chunks){.stream = stream, .ends = ends, .ctx = ctx};
    const char *bytes;
    int64_t n = hsp_stream_peek(stream, 3, &bytes, err);
    if (n < 0) return (int)n;
    if (n >= 2 && (memcmp(bytes, "\xff\xfe", 2) == 0 || memcmp(bytes, "\xfe\xff", 2) == 0))
        return hsp_fail_at(err, HSP_EINPUT, (hsp_place){hsp_stream_name(stream), 1, 1}, "is UTF-16 text: save it as UTF-8");
    c->marked = n >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0;
    return c->marked ? hsp_chunks_skip(c, 3, err) : 0;
}

int hsp_chunks_skip(hsp_chunks *c, int64_t bytes, hsp_error **err) {
    char waste[4096];
    while (bytes > 0) {
        int64_t got = hsp_stream_read(c->stream, waste, bytes < (int64_t)sizeof waste ? bytes : (int64_t)sizeof waste, err);
        if (got <= 0) return (int)got;
        bytes -= got;
        c->at += got;
    }
    return 0;
}

int hsp_chunks_seek(hsp_chunks *c, int64_t from, int64_t to, hsp_error **err) {
    int status = hsp_stream_seek(c->stream, from, to, err);
    c->rest_size = 0;
    c->over = false;
    c->at = from;
    return status;
}

/* CRLF, LF and CR each end a line. */
int64_t hsp_chunk_place(const hsp_chunk *k, int64_t lines) {
    const char *s = k->begin;
    for (; lines > 0 && s < k->end; s++)
        if (*s == '\n' || (*s == '\r' && s[1] != '\n')) lines--;
    return k->at + (s - k->begin);
}

void hsp_chunks_close(hsp_chunks *c) {
    hsp_free(c->rest);
    *c = (hsp_chunks){0};
}

/* ---- cuts ---- */

/* The end of the last whole record. *from: the start of the first record not known to be whole; moved on. */
static int64_t last_record(const hsp_chunks *c, const char *s, int64_t n, int64_t *from) {
    if (!c->ends) {
        /* A CR at the very end may be half of a CRLF. */
        const char *lf = n > 0 ? memrchr(s, '\n', (size_t)n) : NULL;
        if (lf) return lf + 1 - s;
        const char *cr = n > 1 ? memrchr(s, '\r', (size_t)(n - 1)) : NULL;
        return cr ? cr + 1 - s : 0;
    }
    const char *next;
    while (*from < n && (next = c->ends(s + *from, s + n, false, c->ctx))) *from = next - s;
    return *from;
}

/* ---- pieces ---- */

static int64_t capacity_of(const hsp_chunk *k) {
    return k->capacity - HSP_CHUNK_PAD;
}

/* Begins a piece with the rest of the last one. */
static int begin_chunk(hsp_chunks *c, hsp_chunk *k, hsp_error **err) {
    int64_t needed = c->rest_size + 1 + HSP_CHUNK_PAD, usual = hsp_stream_chunk(c->stream) + HSP_CHUNK_PAD;
    if (needed < usual) needed = usual;
    if (k->capacity < needed) {
        hsp_chunk_free(k);
        k->memory = hsp_alloc(needed, 1);
        if (!k->memory) return hsp_fail_memory(err);
        k->capacity = needed;
    }
    if (c->rest_size > 0) memcpy(k->memory, c->rest, (size_t)c->rest_size);
    return 0;
}

static int make_larger(const hsp_chunks *c, hsp_chunk *k, hsp_error **err) {
    if (capacity_of(k) >= HSP_RECORD_LIMIT)
        return hsp_fail_file(err, hsp_stream_name(c->stream),
                             "a line is longer than 1 GiB: check that this is a text file");
    if (hsp_stream_exceeds(c->stream, capacity_of(k), 8)) return hsp_stream_fail_limit(c->stream, err);
    int64_t wider = capacity_of(k) < HSP_RECORD_LIMIT / 2 ? 2 * capacity_of(k) : HSP_RECORD_LIMIT;
    char *memory = hsp_resize(k->memory, wider + HSP_CHUNK_PAD, 1);
    if (!memory) return hsp_fail_memory(err);
    k->memory = memory;
    k->capacity = wider + HSP_CHUNK_PAD;
    return 0;
}

/* Ends the piece at `cut` of its n bytes and keeps the rest for the next. */
static int end_chunk(hsp_chunks *c, hsp_chunk *k, int64_t cut, int64_t n, hsp_error **err) {
    c->rest_size = n - cut;
    if (hsp_reserve((void **)&c->rest, &c->rest_capacity, c->rest_size, 1)) return hsp_fail_memory(err);
    if (c->rest_size > 0) memcpy(c->rest, k->memory + cut, (size_t)c->rest_size);
    k->begin = k->memory;
    k->end = k->memory + cut;
    k->at = c->at;
    c->at += cut;
    memset(k->end, 0, HSP_CHUNK_PAD);
    *k->end = '\n';
    return 1;
}

int hsp_chunks_next(hsp_chunks *c, hsp_chunk *k, hsp_error **err) {
    int status = begin_chunk(c, k, err);
    if (status < 0) return status;
    int64_t n = c->rest_size, whole = 0;
    while (!c->over) {
        if (n == capacity_of(k)) {
            int64_t cut = last_record(c, k->memory, n, &whole);
            if (cut > 0) return end_chunk(c, k, cut, n, err);
            status = make_larger(c, k, err);
            if (status < 0) return status;
        }
        int64_t got = hsp_stream_read(c->stream, k->memory + n, capacity_of(k) - n, err);
        if (got < 0) return (int)got;
        if (got == 0) c->over = true;
        n += got;
        if (got > 0 && !hsp_stream_ready(c->stream)) {
            int64_t cut = last_record(c, k->memory, n, &whole);
            if (cut > 0) return end_chunk(c, k, cut, n, err);
        }
    }
    return n > 0 ? end_chunk(c, k, n, n, err) : 0;
}
