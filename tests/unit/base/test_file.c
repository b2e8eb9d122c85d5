/* Files appear whole or not at all, keep links and permissions, and leave nothing behind. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/rng.h"
#include "base/temporary.h"
#include "halfspace_internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

/* Each test runs in an empty directory of its own, and must leave it with the files that it names. */
static char folder[] = "hsp-test-file-XXXXXX";
static char home[4096];

static int enter(void **state) {
    (void)state;
    const char *base = getenv("TMPDIR");
    memcpy(folder + sizeof folder - 7, "XXXXXX", 6);
    return getcwd(home, sizeof home) == NULL || chdir(base != NULL ? base : P_tmpdir) != 0 || mkdtemp(folder) == NULL ||
           chdir(folder) != 0;
}

static int count_files(void) {
    DIR *d = opendir(".");
    int n = -2; /* "." and ".." */
    while (readdir(d) != NULL) n++;
    closedir(d);
    return n;
}

static int leave(void **state) {
    (void)state;
    DIR *d = opendir(".");
    for (struct dirent *f; (f = readdir(d)) != NULL;)
        if (strcmp(f->d_name, ".") != 0 && strcmp(f->d_name, "..") != 0 && unlink(f->d_name) != 0) rmdir(f->d_name);
    closedir(d);
    return chdir("..") != 0 || rmdir(folder) != 0 || chdir(home) != 0;
}

static size_t slurp(const char *path, char *out, size_t size) {
    FILE *f = fopen(path, "rb");
    if (f == NULL) fail_msg("no file %s", path);
    size_t n = fread(out, 1, size, f);
    fclose(f);
    return n;
}

static void check_content(const char *path, const char *want) {
    char got[100];
    size_t n = slurp(path, got, sizeof got);
    assert_int_equal(n, strlen(want));
    assert_memory_equal(got, want, n);
}

static void put(const char *path, const char *text) {
    hsp_error *e = NULL;
    if (hsp_write_file(path, text, strlen(text), &e) != HSP_OK) fail_msg("%s", hsp_error_message(e));
}

static void refuse(const char *path, int code, const char *message) {
    hsp_error *e = NULL;
    assert_int_equal(hsp_write_file(path, "x", 1, &e), code);
    assert_string_equal(hsp_error_message(e), message);
    hsp_error_free(e);
}

static mode_t mode_of(const char *path) {
    struct stat s;
    assert_int_equal(stat(path, &s), 0);
    return s.st_mode & 07777;
}

static void whole_or_not_at_all(void **state) {
    (void)state;
    hsp_out *o;
    put("f", "old");
    assert_int_equal(hsp_out_open("f", 0, &o, NULL), HSP_OK);
    assert_int_equal(hsp_out_write(o, "new", 3, NULL), HSP_OK);
    assert_int_equal(hsp_out_flush(o, NULL), HSP_OK);
    check_content("f", "old");
    assert_int_equal(count_files(), 2);
    assert_int_equal(hsp_out_write(o, "er", 2, NULL), HSP_OK);
    assert_int_equal(hsp_out_commit(o, NULL), HSP_OK);
    check_content("f", "newer");
    assert_int_equal(hsp_out_open("f", 0, &o, NULL), HSP_OK);
    hsp_out_write(o, "lost", 4, NULL);
    hsp_out_abandon(o);
    hsp_out_abandon(NULL);
    check_content("f", "newer");
    put("empty", "");
    check_content("empty", "");
    assert_int_equal(count_files(), 2);
}

static void permissions(void **state) {
    (void)state;
    mode_t before = umask(027);
    put("new", "x");
    assert_int_equal(mode_of("new"), 0640);
    chmod("new", 0604);
    put("new", "y");
    assert_int_equal(mode_of("new"), 0604);
    umask(before);
    hsp_out *o;
    assert_int_equal(mkdir("sub", 0777), 0);
    assert_int_equal(hsp_out_open("sub/f", 0, &o, NULL), HSP_OK);
    hsp_out_abandon(o);
    assert_int_equal(rmdir("sub"), 0);
}

static void links(void **state) {
    (void)state;
    assert_int_equal(mkdir("sub", 0777), 0);
    put("sub/real", "old");
    assert_int_equal(symlink("real", "sub/link"), 0);
    assert_int_equal(symlink("sub/link", "chain"), 0);
    put("chain", "new");
    check_content("sub/real", "new");
    struct stat s;
    assert_true(lstat("chain", &s) == 0 && S_ISLNK(s.st_mode));
    assert_true(lstat("sub/link", &s) == 0 && S_ISLNK(s.st_mode));
    assert_int_equal(symlink("sub/later", "dangling"), 0);
    put("dangling", "made");
    check_content("sub/later", "made");
    assert_int_equal(symlink("loop", "loop"), 0);
    refuse("loop", HSP_EIO, "loop: cannot write: Too many levels of symbolic links: check the symbolic links");
    assert_int_equal(unlink("sub/real") | unlink("sub/link") | unlink("sub/later"), 0);
    assert_int_equal(rmdir("sub"), 0); /* no other file was left in it */
}

static void wrong_targets(void **state) {
    (void)state;
    hsp_out *o = (hsp_out *)1;
    assert_int_equal(mkdir("sub", 0777), 0);
    refuse("sub", HSP_EINPUT, "sub: cannot write: Is a directory: name a file, not a folder");
    refuse("sub/", HSP_EINPUT, "sub/: cannot write: Is a directory: name a file, not a folder");
    refuse("none/", HSP_EINPUT, "none/: cannot write: Is a directory: name a file, not a folder");
    refuse("none/f", HSP_EINPUT, "none/f: cannot write: No such file or directory: check the name and the folder");
    refuse("", HSP_EINPUT, ": cannot write: No such file or directory: check the name and the folder");
    put("f", "x");
    refuse("f/g", HSP_EIO, "f/g: cannot write: Not a directory: a part of the path is a file, not a folder");
    assert_int_equal(hsp_out_open(NULL, 0, &o, NULL), HSP_EUSAGE);
    assert_null(o);
    assert_int_equal(hsp_out_open("f", 'x', &o, NULL), HSP_EUSAGE);
    assert_null(o);
    char *name = malloc(400);
    memset(name, 'x', 399);
    name[399] = '\0';
    assert_int_equal(hsp_write_file(name, "x", 1, NULL), HSP_EIO);
    free(name);
    assert_int_equal(count_files(), 2);
}

static void longest_name(void **state) {
    (void)state;
    char name[256];
    memset(name, 'n', 255);
    name[255] = '\0';
    put(name, "x");
    check_content(name, "x");
    assert_int_equal(count_files(), 1);
}

/* Root may do anything: the test runs as the user nobody, in a child. */
static void read_only(void **state) {
    (void)state;
    enum { NOBODY = 65534 };
    put("f", "kept");
    chmod("f", 0444);
    if (geteuid() == 0 && (chown("f", NOBODY, NOBODY) != 0 || chown(".", NOBODY, NOBODY) != 0)) skip();
    pid_t child = fork();
    if (child == 0) {
        hsp_error *e = NULL;
        if (geteuid() == 0 && setresuid(NOBODY, NOBODY, NOBODY) != 0) _exit(1);
        int status = hsp_write_file("f", "x", 1, &e);
        const char *want = "f: cannot write: Permission denied: check the permissions";
        _exit(status == HSP_EIO && strcmp(hsp_error_message(e), want) == 0 ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    check_content("f", "kept");
    assert_int_equal(count_files(), 1);
}

static void devices(void **state) {
    (void)state;
    struct stat s;
    put("/dev/null", "gone");
    assert_true(stat("/dev/null", &s) == 0 && S_ISCHR(s.st_mode));
    if (access("/dev/full", W_OK) == 0)
        refuse("/dev/full", HSP_EIO,
               "/dev/full: cannot write: No space left on device: free some space or choose another disk");
    assert_int_equal(mkfifo("pipe", 0666), 0);
    int reader = open("pipe", O_RDONLY | O_NONBLOCK);
    put("pipe", "through");
    char got[10];
    assert_int_equal(read(reader, got, sizeof got), 7);
    close(reader);
    assert_int_equal(count_files(), 1);
}

/* A pipe of a few pages that does not block: short writes and EAGAIN throughout. */
static void *drain(void *fd) {
    char bytes[777];
    int64_t sum = 0;
    for (ssize_t n; (n = read(*(int *)fd, bytes, sizeof bytes)) > 0;)
        for (ssize_t i = 0; i < n; i++) sum += bytes[i];
    return (void *)(intptr_t)sum;
}

static void standard_output(void **state) {
    (void)state;
    enum { N = 500000 };
    int ends[2], saved = dup(STDOUT_FILENO);
    assert_int_equal(pipe2(ends, 0), 0);
    fcntl(ends[1], F_SETFL, O_NONBLOCK);
    fcntl(ends[1], F_SETPIPE_SZ, 4096);
    char *bytes = malloc(N);
    memset(bytes, 1, N);
    pthread_t reader;
    assert_int_equal(pthread_create(&reader, NULL, drain, &ends[0]), 0);
    fflush(stdout);
    dup2(ends[1], STDOUT_FILENO);
    close(ends[1]);
    hsp_out *o = NULL;
    int status = hsp_out_open("-", '?', &o, NULL);
    for (int i = 0; status == HSP_OK && i < 1000; i++) status = hsp_out_write(o, bytes, 100, NULL);
    if (status == HSP_OK) status = hsp_out_flush(o, NULL);
    if (status == HSP_OK) status = hsp_out_write(o, bytes, N, NULL);
    if (status == HSP_OK) status = hsp_out_commit(o, NULL);
    dup2(saved, STDOUT_FILENO);
    close(saved);
    void *sum;
    pthread_join(reader, &sum);
    close(ends[0]);
    free(bytes);
    assert_int_equal(status, HSP_OK);
    assert_int_equal((intptr_t)sum, 100000 + N);
    assert_int_equal(count_files(), 0);
}

/* The reader of a pipe closes it. */
static void broken_pipe(void **state) {
    (void)state;
    signal(SIGPIPE, SIG_IGN);
    assert_int_equal(mkfifo("pipe", 0666), 0);
    int reader = open("pipe", O_RDONLY | O_NONBLOCK);
    hsp_out *o;
    hsp_error *e = NULL;
    assert_int_equal(hsp_out_open("pipe", 0, &o, NULL), HSP_OK);
    close(reader);
    assert_int_equal(hsp_out_write(o, "x", 1, NULL), HSP_OK);
    assert_int_equal(hsp_out_flush(o, &e), HSP_EIO);
    assert_string_equal(hsp_error_message(e), "pipe: cannot write: Broken pipe: the reading program has stopped");
    hsp_error_free(e);
    assert_int_equal(hsp_out_write(o, "x", 1, NULL), HSP_EIO);
    assert_int_equal(hsp_out_flush(o, NULL), HSP_EIO);
    assert_int_equal(hsp_out_commit(o, NULL), HSP_EIO);
}

/* A limit on file sizes stands in for a full disk. */
static void no_space(void **state) {
    (void)state;
    static char bytes[300000];
    struct rlimit before, small;
    put("f", "kept");
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before);
    small = before;
    small.rlim_cur = 100000;
    setrlimit(RLIMIT_FSIZE, &small);
    hsp_error *e = NULL;
    int status = hsp_write_file("f", bytes, sizeof bytes, &e);
    setrlimit(RLIMIT_FSIZE, &before);
    assert_int_equal(status, HSP_EIO);
    assert_string_equal(hsp_error_message(e),
                        "f: cannot write: File too large: choose another disk or raise the limit on file sizes");
    hsp_error_free(e);
    check_content("f", "kept");
    assert_int_equal(count_files(), 1);
}

/* Pieces of every size, random and repetitive, through each compressor and back. */
static void write_pieces(const char *path, char compress, const char *bytes, int64_t n, bool flush) {
    hsp_rng r = hsp_rng_new((uint64_t)n, 0);
    hsp_out *o;
    assert_int_equal(hsp_out_open(path, compress, &o, NULL), HSP_OK);
    for (int64_t at = 0; at < n;) {
        int64_t part = hsp_rng_below(&r, hsp_rng_below(&r, 5) == 0 ? 400000 : 100);
        if (part > n - at) part = n - at;
        assert_int_equal(hsp_out_write(o, bytes + at, part, NULL), HSP_OK);
        if (flush && at % 7 == 0) assert_int_equal(hsp_out_flush(o, NULL), HSP_OK);
        at += part;
    }
    assert_int_equal(hsp_out_commit(o, NULL), HSP_OK);
}

static void check_gzip(const char *path, const char *bytes, int64_t n) {
    char *got = malloc((size_t)n + 1);
    gzFile f = gzopen(path, "rb");
    assert_int_equal(gzread(f, got, (unsigned)n + 1), n);
    assert_false(gzdirect(f));
    assert_int_equal(gzclose(f), Z_OK);
    assert_memory_equal(got, bytes, (size_t)n);
    free(got);
}

static void check_zstd(const char *path, const char *bytes, int64_t n) {
    size_t room = (size_t)n + 100000;
    char *packed = malloc(room), *got = malloc((size_t)n + 1);
    size_t size = slurp(path, packed, room), left = 1, at = 0;
    ZSTD_DCtx *d = ZSTD_createDCtx();
    ZSTD_inBuffer in = {packed, size, 0};
    ZSTD_outBuffer out = {got, (size_t)n + 1, 0};
    while (in.pos < in.size) {
        left = ZSTD_decompressStream(d, &out, &in);
        assert_false(ZSTD_isError(left));
        assert_true(in.pos > at || out.pos > 0);
        at = in.pos;
    }
    assert_int_equal(left, 0);
    assert_int_equal(out.pos, n);
    assert_memory_equal(got, bytes, (size_t)n);
    ZSTD_freeDCtx(d);
    free(packed);
    free(got);
}

static void compression(void **state) {
    (void)state;
    enum { N = 2000000 };
    char *bytes = malloc(N), *plain = malloc(N + 1);
    hsp_rng r = hsp_rng_new(1, 0);
    for (int i = 0; i < N; i++) bytes[i] = (char)(i < N / 2 ? (int)hsp_rng_below(&r, 128) : i % 10);
    static const int64_t sizes[] = {0, 1, 131071, 131072, 131073, N};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (int flush = 0; flush < 2; flush++) {
            write_pieces("f.gz", '?', bytes, sizes[i], flush);
            check_gzip("f.gz", bytes, sizes[i]);
            write_pieces("f.zst", '?', bytes, sizes[i], flush);
            check_zstd("f.zst", bytes, sizes[i]);
            write_pieces("other", 'g', bytes, sizes[i], flush);
            check_gzip("other", bytes, sizes[i]);
            write_pieces("plain.gz", 0, bytes, sizes[i], flush);
            assert_int_equal(slurp("plain.gz", plain, N + 1), sizes[i]);
            assert_memory_equal(plain, bytes, (size_t)sizes[i]);
        }
    assert_int_equal(count_files(), 4);
    free(bytes);
    free(plain);
}

/* What was flushed can be read at the other end, also through a compressor. */
static void flushed(void **state) {
    (void)state;
    static const char kinds[] = {0, 'g', 'z'};
    assert_int_equal(mkfifo("pipe", 0666), 0);
    for (int i = 0; i < 3; i++) {
        char packed[1000], got[100] = {0};
        int reader = open("pipe", O_RDONLY | O_NONBLOCK);
        hsp_out *o;
        assert_int_equal(hsp_out_open("pipe", kinds[i], &o, NULL), HSP_OK);
        assert_int_equal(hsp_out_write(o, "hello", 5, NULL), HSP_OK);
        assert_true(read(reader, packed, sizeof packed) < 0);
        assert_int_equal(hsp_out_flush(o, NULL), HSP_OK);
        ssize_t n = read(reader, packed, sizeof packed);
        assert_true(n >= 5);
        if (kinds[i] == 0) memcpy(got, packed, (size_t)n);
        if (kinds[i] == 'g') {
            z_stream z = {.next_in = (Bytef *)packed, .avail_in = (uInt)n, .next_out = (Bytef *)got, .avail_out = 99};
            assert_int_equal(inflateInit2(&z, 31), Z_OK);
            assert_int_equal(inflate(&z, Z_NO_FLUSH), Z_OK);
            inflateEnd(&z);
        }
        if (kinds[i] == 'z') {
            ZSTD_DCtx *d = ZSTD_createDCtx();
            ZSTD_decompressStream(d, &(ZSTD_outBuffer){got, 99, 0}, &(ZSTD_inBuffer){packed, (size_t)n, 0});
            ZSTD_freeDCtx(d);
        }
        assert_string_equal(got, "hello");
        assert_int_equal(hsp_out_commit(o, NULL), HSP_OK);
        close(reader);
    }
}

/* The same bytes give the same file: it holds no time and no name. */
static void reproducible(void **state) {
    (void)state;
    char a[200], b[200];
    write_pieces("a.gz", '?', "hello", 5, false);
    write_pieces("b.gz", '?', "hello", 5, false);
    size_t n = slurp("a.gz", a, sizeof a);
    assert_int_equal(slurp("b.gz", b, sizeof b), n);
    assert_memory_equal(a, b, n);
    write_pieces("c.GZ", '?', "hello", 5, false);
    check_gzip("c.GZ", "hello", 5);
    write_pieces("c.Zst", '?', "hello", 5, false);
    check_zstd("c.Zst", "hello", 5);
    assert_int_equal(hsp_path_compression("d.gz.csv"), 0);
    assert_int_equal(hsp_path_compression("gz"), 0);
    put(".gz", "a name that is only an ending");
    write_pieces(".zst", '?', "plain", 5, false);
    check_content(".zst", "plain");
}

static void failing_allocator(void **state) {
    (void)state;
    const char *const paths[] = {"f", "f.gz", "f.zst", "link"};
    assert_int_equal(symlink("target", "link"), 0);
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        int status = HSP_EMEMORY;
        for (int64_t allowed = 0; status != HSP_OK; allowed++) {
            hsp_out *o = NULL;
            hsp_error *e = NULL;
            int files = count_files();
            hsp_memory_fail_after(allowed);
            status = hsp_out_open(paths[i], '?', &o, &e);
            if (status == HSP_OK) status = hsp_out_write(o, "x", 1, &e);
            if (status == HSP_OK) status = hsp_out_commit(o, &e);
            hsp_memory_fail_after(-1);
            assert_int_equal(hsp_error_code(e), status);
            hsp_error_free(e);
            if (status != HSP_OK) assert_int_equal(status, HSP_EMEMORY);
            if (status != HSP_OK) assert_int_equal(count_files(), files);
            assert_true(allowed < 50);
        }
    }
    assert_int_equal(count_files(), 5);
}

static void held_files_appear_together(void **state) {
    (void)state;
    put("a", "old");
    assert_int_equal(hsp_file_hold("a", NULL, NULL) + hsp_file_hold("b", NULL, NULL) + hsp_file_hold("-", NULL, NULL), 0);
    assert_int_equal(hsp_file_hold("never", NULL, NULL), 0);
    put("a", "first");
    put("a", "new"); /* the last one counts */
    put("b", "other");
    put("c", "not held");
    check_content("a", "old");
    assert_int_equal(access("b", F_OK), -1);
    check_content("c", "not held");
    assert_int_equal(hsp_files_release(NULL), HSP_OK);
    check_content("a", "new");
    check_content("b", "other");
    assert_int_equal(count_files(), 3);
    put("a", "at once");
    check_content("a", "at once");
}

static void dropped_files_leave_the_old_ones(void **state) {
    (void)state;
    put("a", "old");
    assert_int_equal(hsp_file_hold("a", NULL, NULL) + hsp_file_hold("b", NULL, NULL), 0);
    put("a", "new");
    put("b", "new");
    hsp_files_drop();
    hsp_files_drop();
    check_content("a", "old");
    assert_int_equal(count_files(), 1);
    /* A file that cannot be renamed is an error; nothing is left behind. */
    assert_int_equal(hsp_file_hold("d", NULL, NULL) + hsp_file_hold("b", NULL, NULL), 0);
    put("d", "new");
    put("b", "new");
    assert_int_equal(mkdir("d", 0777), 0);
    hsp_error *e = NULL;
    assert_int_equal(hsp_files_release(&e), HSP_EINPUT);
    assert_string_equal(hsp_error_message(e), "d: cannot write: Is a directory: name a file, not a folder");
    hsp_error_free(e);
    assert_int_equal(count_files(), 2);
}

static void copies_are_as_private_as_their_source(void **state) {
    (void)state;
    umask(022);
    put("secret", "x");
    assert_int_equal(chmod("secret", 0600), 0);
    assert_int_equal(hsp_file_hold("copy", "secret", NULL), 0);
    put("copy", "x");
    assert_int_equal(hsp_files_release(NULL), HSP_OK);
    assert_int_equal(mode_of("copy"), 0600);
    assert_int_equal(hsp_file_hold("other", "-", NULL), 0);
    put("other", "x");
    assert_int_equal(hsp_files_release(NULL), HSP_OK);
    assert_int_equal(mode_of("other"), 0644);
    hsp_out *o;
    assert_int_equal(hsp_out_open_like("like", "secret", &o, NULL), HSP_OK);
    assert_int_equal(hsp_out_commit(o, NULL), HSP_OK);
    assert_int_equal(mode_of("like"), 0600);
}

/* Only a file with our kind of name, of a process that does not run, is removed: one that does not exist, or that has the
 * number of a process which started at another time. */
static void abandoned_files_are_removed(void **state) {
    (void)state;
    char *mine = hsp_temporary_name("a", 1);
    pid_t dead = fork();
    if (dead == 0) _exit(0);
    waitpid(dead, NULL, 0);
    char abandoned[40], locked[40], reused[40], unknown[40], wrong[40];
    snprintf(abandoned, sizeof abandoned, "%.20s%08x-00000001", mine, (unsigned)dead);
    snprintf(locked, sizeof locked, "%.20s%08x-00000002", mine, (unsigned)dead);
    snprintf(reused, sizeof reused, "%.29s%c%s", mine, mine[29] == '1' ? '2' : '1', mine + 30);
    snprintf(unknown, sizeof unknown, "%.29s0000%s", mine, mine + 33);
    snprintf(wrong, sizeof wrong, "%.20s%08x-0000000g", mine, (unsigned)dead);
    const char *kept[] = {mine, locked, unknown, wrong, ".halfspace-x", ".halfspace-00000000-00000000-00000001"};
    enum { KEPT = sizeof kept / sizeof *kept };
    for (size_t i = 0; i < KEPT; i++) put(kept[i], "x");
    put(abandoned, "x");
    put(reused, "x");
    int fd = open(locked, O_RDONLY | O_CLOEXEC);
    assert_int_equal(flock(fd, LOCK_EX), 0);
    hsp_temporary_sweep("no-such-folder/a");
    assert_int_equal(count_files(), KEPT + 2);
    hsp_temporary_sweep("other");
    assert_int_equal(count_files(), KEPT);
    for (size_t i = 0; i < KEPT; i++) assert_int_equal(access(kept[i], F_OK), 0);
    close(fd);
    hsp_temporary_sweep("./a");
    assert_int_equal(count_files(), KEPT - 1);
    hsp_free(mine);
}

/* Writing a file sweeps its folder, the first time; files that are being written stay. */
static void the_next_file_sweeps_the_folder(void **state) {
    (void)state;
    hsp_out *o;
    char *mine = hsp_temporary_name("a", 1), abandoned[40];
    pid_t dead = fork();
    if (dead == 0) _exit(0);
    waitpid(dead, NULL, 0);
    snprintf(abandoned, sizeof abandoned, "%.20s%08x-00000001", mine, (unsigned)dead);
    FILE *f = fopen(abandoned, "w");
    fclose(f);
    hsp_temporary_sweep_once("/none"); /* the folder may have the number of the one before */
    assert_int_equal(hsp_out_open("b", 0, &o, NULL), HSP_OK);
    assert_int_equal(count_files(), 1);
    hsp_temporary_sweep("b");
    assert_int_equal(hsp_out_commit(o, NULL), HSP_OK);
    check_content("b", "");
    hsp_free(mine);
}

#define IN_FOLDER(f) cmocka_unit_test_setup_teardown(f, enter, leave)

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_FOLDER(whole_or_not_at_all),
        IN_FOLDER(permissions),
        IN_FOLDER(links),
        IN_FOLDER(wrong_targets),
        IN_FOLDER(longest_name),
        IN_FOLDER(read_only),
        IN_FOLDER(devices),
        IN_FOLDER(standard_output),
        IN_FOLDER(broken_pipe),
        IN_FOLDER(no_space),
        IN_FOLDER(compression),
        IN_FOLDER(reproducible),
        IN_FOLDER(flushed),
        IN_FOLDER(failing_allocator),
        IN_FOLDER(held_files_appear_together),
        IN_FOLDER(dropped_files_leave_the_old_ones),
        IN_FOLDER(copies_are_as_private_as_their_source),
        IN_FOLDER(abandoned_files_are_removed),
        IN_FOLDER(the_next_file_sweeps_the_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
