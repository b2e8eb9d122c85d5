/* Streams: plain, gzip, zstd; several members; cut and damaged at every place. */
#include "read_from.h"

#include "base/clock.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

/* A few kilobytes that do not compress well. */
static char *sample(size_t n) {
    char *s = hsp_alloc((int64_t)n, 1);
    uint32_t x = 1;
    for (size_t i = 0; i < n; i++) {
        x = x * 1664525u + 1013904223u;
        s[i] = (char)('a' + (x >> 24) % 20);
    }
    return s;
}

static size_t gzip(const char *s, size_t n, unsigned char *out, size_t room) {
    z_stream z = {0};
    assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    z.next_in = (Bytef *)s;
    z.avail_in = (uInt)n;
    z.next_out = out;
    z.avail_out = (uInt)room;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    size_t size = room - z.avail_out;
    deflateEnd(&z);
    return size;
}

static size_t zstd(const char *s, size_t n, unsigned char *out, size_t room) {
    size_t size = ZSTD_compress(out, room, s, n, 3);
    assert_false(ZSTD_isError(size));
    return size;
}

/* Everything of a stream over these bytes, into `into`: the length or a negative status. */
static int64_t slurp(const void *bytes, size_t n, int64_t chunk, char *into, size_t room, hsp_error **err) {
    hsp_stream *s = NULL;
    if (hsp_stream_open_memory(bytes, (int64_t)n, "t", &s, err) != 0) return HSP_EMEMORY;
    hsp_stream_set_chunk(s, chunk);
    int64_t got, length = 0;
    while ((got = hsp_stream_read(s, into + length, (int64_t)room - length, err)) > 0) length += got;
    if (got == 0) assert_int_equal(hsp_stream_read(s, into, 10, err), 0);
    hsp_stream_close(s);
    return got < 0 ? got : length;
}

enum { N = 3000, ROOM = 20000 };

static void same_bytes(void **state) {
    (void)state;
    char *text = sample(N), back[ROOM];
    unsigned char packed[ROOM];
    for (int i = 0; i < CHUNKS; i++) {
        assert_int_equal(slurp(text, N, chunks[i], back, ROOM, NULL), N);
        assert_memory_equal(text, back, N);
        size_t (*const pack[])(const char *, size_t, unsigned char *, size_t) = {gzip, zstd};
        for (int k = 0; k < 2; k++) {
            size_t n = pack[k](text, N, packed, ROOM);
            assert_int_equal(slurp(packed, n, chunks[i], back, ROOM, NULL), N);
            assert_memory_equal(text, back, N);
            /* Three members, one of them empty, are one file. */
            n += pack[k](text, 0, packed + n, ROOM - n);
            n += pack[k](text, 100, packed + n, ROOM - n);
            assert_int_equal(slurp(packed, n, chunks[i], back, ROOM, NULL), N + 100);
            assert_memory_equal(text, back + N, 100);
        }
    }
    hsp_free(text);
}

static void padding(void **state) {
    (void)state;
    char *text = sample(N), back[ROOM];
    unsigned char packed[ROOM] = {0};
    size_t n = gzip(text, N, packed, ROOM);
    for (int i = 0; i < CHUNKS; i++) assert_int_equal(slurp(packed, n + 512, chunks[i], back, ROOM, NULL), N);
    packed[n + 100] = 'x';
    hsp_error *err = NULL;
    assert_int_equal(slurp(packed, n + 512, 64, back, ROOM, &err), HSP_EINPUT);
    assert_string_equal(hsp_error_message(err), "t: extra bytes after the gzip data: recreate or download the file again");
    hsp_error_free(err);
    /* A skippable frame before a zstd frame. */
    memcpy(packed, "\x50\x2a\x4d\x18\x03\x00\x00\x00xyz", 11);
    n = 11 + zstd(text, N, packed + 11, ROOM - 11);
    for (int i = 0; i < CHUNKS; i++) assert_int_equal(slurp(packed, n, chunks[i], back, ROOM, NULL), N);
    hsp_free(text);
}

static void cut_off(void **state) {
    (void)state;
    char *text = sample(400), back[ROOM];
    unsigned char packed[ROOM];
    size_t (*const pack[])(const char *, size_t, unsigned char *, size_t) = {gzip, zstd};
    for (int k = 0; k < 2; k++) {
        size_t n = pack[k](text, 400, packed, ROOM);
        for (size_t cut = k == 0 ? 1 : 2; cut < n; cut++)
            for (int i = 0; i < 3; i++) {
                hsp_error *err = NULL;
                assert_int_equal(slurp(packed, cut, chunks[i], back, ROOM, &err), HSP_EINPUT);
                assert_string_equal(hsp_error_message(err), "t: truncated file: recreate or download it again");
                hsp_error_free(err);
            }
        assert_int_equal(slurp(packed, n, 1, back, ROOM, NULL), 400);
    }
    hsp_free(text);
}

/* One byte changed anywhere: an error or the same text (a byte of the header that is not read), never a crash; gzip and
 * zstd have checksums, but zstd's is optional and was not asked for, so other text is possible there. */
static void damaged(void **state) {
    (void)state;
    char *text = sample(400), back[ROOM];
    unsigned char packed[ROOM];
    size_t n = gzip(text, 400, packed, ROOM);
    int refused = 0;
    for (size_t at = 2; at < n; at++) {
        packed[at] ^= 0x55;
        int64_t got = slurp(packed, n, 64, back, ROOM, NULL);
        assert_true(got == HSP_EINPUT || (got == 400 && memcmp(text, back, 400) == 0));
        refused += got < 0;
        packed[at] ^= 0x55;
    }
    assert_true(refused > (int)n - 20);
    n = zstd(text, 400, packed, ROOM);
    for (size_t at = 4; at < n; at++) {
        packed[at] ^= 0x55;
        int64_t got = slurp(packed, n, 64, back, ROOM, NULL);
        assert_true(got >= 0 || got == HSP_EINPUT);
        packed[at] ^= 0x55;
    }
    hsp_free(text);
}

static void peeking(void **state) {
    (void)state;
    char *text = sample(N), back[ROOM];
    unsigned char packed[ROOM];
    size_t n = gzip(text, N, packed, ROOM);
    for (int i = 0; i < CHUNKS; i++) {
        hsp_stream *s = NULL;
        const char *bytes;
        assert_int_equal(hsp_stream_open_memory(packed, (int64_t)n, "t", &s, NULL), 0);
        hsp_stream_set_chunk(s, chunks[i]);
        assert_int_equal(hsp_stream_peek(s, 10, &bytes, NULL), 10);
        assert_memory_equal(bytes, text, 10);
        assert_int_equal(hsp_stream_peek(s, 1000, &bytes, NULL), 1000);
        assert_memory_equal(bytes, text, 1000);
        assert_int_equal(hsp_stream_peek(s, 10, &bytes, NULL), 10);
        int64_t got = hsp_stream_read(s, back, 7, NULL);
        assert_true(got >= 1 && got <= 7);
        assert_int_equal(hsp_stream_peek(s, ROOM, &bytes, NULL), N - got);
        assert_memory_equal(bytes, text + got, (size_t)(N - got));
        int64_t length = got;
        while ((got = hsp_stream_read(s, back + length, ROOM - length, NULL)) > 0) length += got;
        assert_int_equal(length, N);
        assert_memory_equal(text, back, N);
        assert_int_equal(hsp_stream_peek(s, 10, &bytes, NULL), 0);
        hsp_stream_close(s);
    }
    hsp_free(text);
}

static void paths(void **state) {
    (void)state;
    hsp_stream *s = NULL;
    hsp_error *err = NULL;
    assert_int_equal(hsp_stream_open(".", &s, &err), HSP_EINPUT);
    assert_null(s);
    assert_string_equal(hsp_error_message(err), ".: is a directory: give a file");
    hsp_error_free(err);
    err = NULL;
    assert_int_equal(hsp_stream_open("no/such/file", &s, &err), HSP_EINPUT);
    assert_null(s);
    hsp_error_free(err);
    assert_int_equal(hsp_stream_open("no/such/file", &s, NULL), HSP_EINPUT);
}

static void on_alarm(int number) {
    (void)number;
    hsp_cancel();
}

static void standard_input(void **state) {
    (void)state;
    int ends[2], kept = dup(0);
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], "1,2\n", 4), 4);
    close(ends[1]);
    dup2(ends[0], 0);
    hsp_stream *s = NULL;
    char back[100];
    assert_int_equal(hsp_stream_open("-", &s, NULL), 0);
    assert_string_equal(hsp_stream_name(s), "<stdin>");
    assert_int_equal(hsp_stream_read(s, back, 100, NULL), 4);
    assert_int_equal(hsp_stream_read(s, back, 100, NULL), 0);
    hsp_stream_close(s);
    assert_true(fcntl(0, F_GETFD) >= 0); /* stays open */
    dup2(kept, 0);
    close(kept);
    close(ends[0]);
}

static void *write_late(void *fd) {
    poll(NULL, 0, 20);
    assert_int_equal(write(*(int *)fd, "3\n", 2), 2);
    close(*(int *)fd);
    return NULL;
}

/* Another process may have made the stream non-blocking, as shells and terminals do. */
static void not_ready(void **state) {
    (void)state;
    int ends[2], kept = dup(0);
    assert_int_equal(pipe(ends), 0);
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    dup2(ends[0], 0);
    pthread_t writer;
    assert_int_equal(pthread_create(&writer, NULL, write_late, &ends[1]), 0);
    hsp_stream *s = NULL;
    char back[100];
    assert_int_equal(hsp_stream_open("-", &s, NULL), 0);
    assert_int_equal(hsp_stream_read(s, back, 100, NULL), 2);
    assert_int_equal(hsp_stream_read(s, back, 100, NULL), 0);
    hsp_stream_close(s);
    pthread_join(writer, NULL);
    dup2(kept, 0);
    close(kept);
    close(ends[0]);
}

/* The named pipe has no writer: opening it waits until it is cancelled. */
static void cancelled_while_opening(void **state) {
    (void)state;
    char folder[] = "stream-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/pipe", folder);
    assert_int_equal(mkfifo(path, 0600), 0);
    struct sigaction action = {.sa_handler = on_alarm}, before;
    sigaction(SIGALRM, &action, &before);
    struct itimerval often = {{0, 20000}, {0, 20000}}, never = {0};
    setitimer(ITIMER_REAL, &often, NULL);
    hsp_stream *s = NULL;
    hsp_error *err = NULL;
    int status = hsp_stream_open(path, &s, &err);
    setitimer(ITIMER_REAL, &never, NULL);
    sigaction(SIGALRM, &before, NULL);
    hsp_cancel_take();
    assert_int_equal(status, HSP_ECANCELLED);
    assert_null(s);
    assert_string_equal(hsp_error_message(err) + strlen("cancelled while reading "), path);
    hsp_error_free(err);
    unlink(path);
    rmdir(folder);
}

static void without_memory(void **state) {
    (void)state;
    char *text = sample(400), back[ROOM];
    unsigned char packed[ROOM];
    size_t n = gzip(text, 400, packed, ROOM);
    int64_t got = HSP_EMEMORY;
    for (int calls = 0; got < 0; calls++) {
        assert_true(calls < 50);
        hsp_error *err = NULL;
        hsp_memory_fail_after(calls);
        got = slurp(packed, n, 64, back, ROOM, &err);
        hsp_memory_fail_after(-1);
        assert_true(got == 400 || got == HSP_EMEMORY);
        hsp_error_free(err);
    }
    hsp_free(text);
}

int main(void) {
    const struct CMUnitTest t[] = {
        cmocka_unit_test(same_bytes),     cmocka_unit_test(padding),
        cmocka_unit_test(cut_off),        cmocka_unit_test(damaged),
        cmocka_unit_test(peeking),        cmocka_unit_test(paths),
        cmocka_unit_test(standard_input), cmocka_unit_test(without_memory),
        cmocka_unit_test(not_ready),      cmocka_unit_test(cancelled_while_opening),
    };
    return cmocka_run_group_tests(t, NULL, NULL);
}
