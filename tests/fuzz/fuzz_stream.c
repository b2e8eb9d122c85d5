/* Any bytes as a stream that may be compressed: the same bytes come out, or the same kind of error, however much is asked for
 * at a time. Then the bytes compressed by zlib or by zstd, with one byte of the result changed: it is read to an end, and
 * unchanged to the bytes that went in. */
#include "read/stream.h"
#include "require.h"

#include <string.h>
#include <zlib.h>
#include <zstd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LIMIT = 1 << 20 };

/* All bytes of the stream, up to LIMIT, asked for `step` at a time after a peek. */
static int read_all(const void *bytes, size_t size, int64_t step, hsp_text *out) {
    hsp_stream *s = NULL;
    hsp_error *err = NULL;
    const char *begin;
    int status = hsp_stream_open_memory(bytes, (int64_t)size, "input", &s, &err);
    if (status == 0) {
        hsp_stream_set_chunk(s, step);
        int64_t got = hsp_stream_peek(s, step % 17 + 1, &begin, &err);
        REQUIRE(got <= step % 17 + 1);
        while (got > 0 && out->length < LIMIT) {
            char *to = hsp_text_room(out, step);
            REQUIRE(to);
            got = hsp_stream_read(s, to, step, &err);
            REQUIRE(got <= step);
            if (got > 0) out->length += got;
        }
        status = got < 0 ? (int)got : 0;
    }
    REQUIRE((status == 0) == (err == NULL) && status != HSP_EINTERNAL);
    if (err) REQUIRE(!strchr(hsp_error_message(err), '\n'));
    hsp_stream_close(s);
    hsp_error_free(err);
    return status;
}

static void check_steps(const void *bytes, size_t size) {
    hsp_text whole = {0}, parts = {0};
    int status = read_all(bytes, size, 1 << 16, &whole), other = read_all(bytes, size, 1 + (int64_t)(size % 29), &parts);
    int64_t least = whole.length < parts.length ? whole.length : parts.length;
    REQUIRE(status == other);
    REQUIRE(least == 0 || memcmp(whole.s, parts.s, (size_t)least) == 0);
    REQUIRE(status != 0 || whole.length == parts.length || least >= LIMIT);
    hsp_text_free(&whole);
    hsp_text_free(&parts);
}

/* Decompresses what was compressed after byte `at` was changed by `flip`. */
static void check_changed(const uint8_t *data, size_t size, uint8_t *packed, size_t n, size_t at, uint8_t flip) {
    hsp_text out = {0};
    packed[at % n] ^= flip;
    int status = read_all(packed, n, 4096, &out);
    if (flip == 0) REQUIRE(status == 0 && out.length == (int64_t)size && (size == 0 || memcmp(out.s, data, size) == 0));
    hsp_text_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    check_steps(data, size);
    if (size < 3 || size > 1 << 14) return 0;
    size_t at = data[0] | (size_t)data[1] << 8, body = size - 3, most = body + body / 100 + 256;
    uint8_t flip = data[2], *packed = malloc(most);
    REQUIRE(packed);
    z_stream z = {
        .next_in = (Bytef *)(uintptr_t)(data + 3), .avail_in = (uInt)body, .next_out = packed, .avail_out = (uInt)most};
    bool gzip = at & 1;
    size_t n = 0;
    if (gzip) {
        REQUIRE(deflateInit2(&z, 1, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY) == Z_OK &&
                deflate(&z, Z_FINISH) == Z_STREAM_END);
        n = most - z.avail_out;
        deflateEnd(&z);
    } else if (most >= ZSTD_compressBound(body)) {
        n = ZSTD_compress(packed, most, data + 3, body, 1);
        REQUIRE(!ZSTD_isError(n));
    }
    /* Bytes that are compressed twice are decompressed once. */
    if (n > 0) check_changed(data + 3, body, packed, n, at / 2, flip);
    free(packed);
    return 0;
}
