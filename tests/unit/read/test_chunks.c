/* Pieces: all bytes, once, in order, cut at record ends only, padded; long records; slow pipes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "read/chunks.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

/* The whole text through pieces of a stream of `chunk` bytes at a time; checks each. */
static void check_pieces(const char *text, size_t n, int64_t chunk, hsp_record_end *ends, char separator) {
    hsp_stream *s = NULL;
    hsp_chunks c = {0};
    hsp_chunk k = {0};
    size_t at = 0;
    int status;
    assert_int_equal(hsp_stream_open_memory(text, (int64_t)n, "text", &s, NULL), 0);
    hsp_stream_set_chunk(s, chunk);
    assert_int_equal(hsp_chunks_open(&c, s, ends, NULL, NULL), 0);
    while ((status = hsp_chunks_next(&c, &k, NULL)) > 0) {
        size_t size = (size_t)(k.end - k.begin);
        assert_true(size > 0 && at + size <= n);
        assert_memory_equal(k.begin, text + at, size);
        at += size;
        assert_true(at == n || text[at - 1] == separator);
        assert_true(k.end[0] == '\n');
        for (int i = 1; i < HSP_CHUNK_PAD; i++) assert_int_equal(k.end[i], 0);
    }
    assert_int_equal(status, 0);
    assert_int_equal(at, n);
    assert_int_equal(hsp_chunks_next(&c, &k, NULL), 0);
    hsp_chunk_free(&k);
    hsp_chunks_close(&c);
    hsp_stream_close(s);
}

static void lines_stay_whole(void **state) {
    (void)state;
    static const char *const texts[] = {"",
                                        "a",
                                        "a\n",
                                        "\n\n\n",
                                        "one\ntwo\nthree\nfour is longer than the rest of them\nfive",
                                        "crlf\r\nnext\r\n\r\nlast",
                                        "a\nb\r\nc\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        for (int64_t chunk = 1; chunk <= 64; chunk++) check_pieces(texts[i], strlen(texts[i]), chunk, NULL, '\n');
    static const char macintosh[] = "one\rtwo\rthree\r\rfour\r";
    for (int64_t chunk = 1; chunk <= 32; chunk++) check_pieces(macintosh, strlen(macintosh), chunk, NULL, '\r');
}

/* Records that end with a ';'. */
static const char *semicolon(const char *p, const char *end, bool over, void *ctx) {
    (void)ctx;
    const char *s = memchr(p, ';', (size_t)(end - p));
    return s ? s + 1 : over ? end : NULL;
}

static void records_of_another_kind(void **state) {
    (void)state;
    static const char text[] = "a\nb;c;\n\n\nd;eeeeeeeeeeeeeeeeeeeeeeeeeeeeeee\n;;f\n";
    for (int64_t chunk = 1; chunk <= 50; chunk++) check_pieces(text, strlen(text), chunk, semicolon, ';');
}

static void marks(void **state) {
    (void)state;
    hsp_stream *s = NULL;
    hsp_chunks c = {0};
    hsp_chunk k = {0};
    hsp_error *err = NULL;
    hsp_stream_open_memory("\xef\xbb\xbfhead\nrow\n", 12, "text", &s, NULL);
    assert_int_equal(hsp_chunks_open(&c, s, NULL, NULL, NULL), 0);
    assert_int_equal(hsp_chunks_skip(&c, 5, NULL), 0);
    assert_int_equal(hsp_chunks_next(&c, &k, NULL), 1);
    assert_memory_equal(k.begin, "row\n\n", 5);
    hsp_chunk_free(&k);
    hsp_chunks_close(&c);
    hsp_stream_close(s);
    hsp_stream_open_memory("\xff\xfeh\0", 4, "text", &s, NULL);
    assert_int_equal(hsp_chunks_open(&c, s, NULL, NULL, &err), HSP_EINPUT);
    assert_string_equal(hsp_error_message(err), "text:1:1: is UTF-16 text: save it as UTF-8");
    hsp_error_free(err);
    hsp_chunks_close(&c);
    hsp_stream_close(s);
}

/* What a pipe has sent is a piece when no more bytes come for the moment, but never half a line. */
static void slow_pipe(void **state) {
    (void)state;
    int ends[2], before = dup(STDIN_FILENO);
    assert_int_equal(pipe(ends), 0);
    assert_true(dup2(ends[0], STDIN_FILENO) >= 0);
    close(ends[0]);
    hsp_stream *s = NULL;
    hsp_chunks c = {0};
    hsp_chunk k = {0};
    assert_int_equal(write(ends[1], "one\ntwo\nthr", 11), 11);
    assert_int_equal(hsp_stream_open("-", &s, NULL), 0);
    const char *bytes;
    assert_int_equal(hsp_stream_peek(s, 65536, &bytes, NULL), 11); /* does not wait for 64 KiB */
    assert_int_equal(hsp_chunks_open(&c, s, NULL, NULL, NULL), 0);
    assert_int_equal(hsp_chunks_next(&c, &k, NULL), 1);
    assert_int_equal(k.end - k.begin, 8);
    assert_memory_equal(k.begin, "one\ntwo\n", 8);
    assert_int_equal(write(ends[1], "ee\nfour", 7), 7);
    assert_int_equal(hsp_chunks_next(&c, &k, NULL), 1);
    assert_memory_equal(k.begin, "three\n\n", 7);
    close(ends[1]);
    assert_int_equal(hsp_chunks_next(&c, &k, NULL), 1);
    assert_memory_equal(k.begin, "four\n", 5);
    assert_int_equal(hsp_chunks_next(&c, &k, NULL), 0);
    hsp_chunk_free(&k);
    hsp_chunks_close(&c);
    hsp_stream_close(s);
    dup2(before, STDIN_FILENO);
    close(before);
}

static void failing_allocator(void **state) {
    (void)state;
    static const char text[] = "one\ntwo is rather long\nthree\n";
    for (int n = 0; n < 20; n++) {
        hsp_stream *s = NULL;
        hsp_chunks c = {0};
        hsp_chunk k = {0};
        hsp_error *err = NULL;
        hsp_memory_fail_after(n);
        int status = hsp_stream_open_memory(text, sizeof text - 1, "text", &s, &err);
        if (s) hsp_stream_set_chunk(s, 4);
        if (status == 0) status = hsp_chunks_open(&c, s, NULL, NULL, &err);
        if (status == 0)
            while ((status = hsp_chunks_next(&c, &k, &err)) > 0) {
            }
        hsp_memory_fail_after(-1);
        assert_true(status == 0 || status == HSP_EMEMORY);
        hsp_error_free(err);
        hsp_chunk_free(&k);
        hsp_chunks_close(&c);
        hsp_stream_close(s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_stay_whole), cmocka_unit_test(records_of_another_kind), cmocka_unit_test(marks),
        cmocka_unit_test(slow_pipe),        cmocka_unit_test(failing_allocator),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
