/* Preloaded into the program, makes exactly one system call of ours fail, or ends the process there; and writes down what
 * happens to files. Calls of other libraries (fonts, the C library) pass through.
 *
 *   HSP_FAULT=KIND:N:WHAT    the call of that kind whose number, from 1, is N. KIND: a row of `kinds`, or "change" for any
 *                            call that changes files. WHAT: the name of an error, "short" (a part is read or written),
 *                            "kill" (before the call) or "half" (a part is written, then the process is killed)
 *   HSP_FAULT_COUNTS=FILE    receives "KIND COUNT" lines at the end
 *   HSP_FAULT_LOG=FILE       receives the calls that change files: lines "OPERATION\tPATH[\tMORE]", after a write its bytes
 *                            and a line end
 */
#undef _FILE_OFFSET_BITS
#undef _FORTIFY_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#pragma GCC visibility push(default)

/* What <fcntl.h> and <unistd.h> turn open and read into with _FORTIFY_SOURCE. */
int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
ssize_t __read_chk(int fd, void *into, size_t n, size_t room);

enum kind {
    OPEN,
    READ,
    WRITE,
    SYNC,
    RENAME,
    MMAP,
    THREAD,
    CLOSE,
    TRUNCATE,
    STAT,
    LOCK,
    UNLINK,
    MKDIR,
    DUPLICATE,
    SEEK,
    CHANGE,
    KINDS
};
static const char *const kinds[KINDS] = {"open",     "read", "write", "sync",   "rename", "mmap",      "thread", "close",
                                         "truncate", "stat", "lock",  "unlink", "mkdir",  "duplicate", "seek",   "change"};

static const struct {
    const char *name;
    int number;
} errors[] = {{"EIO", EIO},       {"ENOSPC", ENOSPC}, {"EINTR", EINTR},  {"ENOMEM", ENOMEM},
              {"EMFILE", EMFILE}, {"EAGAIN", EAGAIN}, {"ENOLCK", ENOLCK}};

enum { NOTHING = 0, SHORT = -1, KILL = -2, HALF = -3 }; /* what happens; positive: an errno */

static atomic_long calls[KINDS];
static enum kind failing = KINDS;
static long failing_call;
static int failing_how;
static int log_file = -1;

/* ---- settings ---- */

static int how_named(const char *name) {
    if (strcmp(name, "short") == 0) return SHORT;
    if (strcmp(name, "kill") == 0) return KILL;
    if (strcmp(name, "half") == 0) return HALF;
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (strcmp(name, errors[i].name) == 0) return errors[i].number;
    return NOTHING;
}

__attribute__((constructor)) static void read_settings(void) {
    const char *fault = getenv("HSP_FAULT"), *log = getenv("HSP_FAULT_LOG");
    const char *number = fault ? strchr(fault, ':') : NULL, *how = number ? strchr(number + 1, ':') : NULL;
    for (int k = 0; how && k < KINDS; k++)
        if (strlen(kinds[k]) == (size_t)(number - fault) && strncmp(kinds[k], fault, strlen(kinds[k])) == 0) failing = k;
    for (const char *p = number; how && ++p < how;) failing_call = 10 * failing_call + (*p - '0');
    if (how) failing_how = how_named(how + 1);
    if (fault && (failing == KINDS || failing_how == NOTHING || failing_call == 0)) _exit(99);
    if (log) log_file = (int)syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
}

__attribute__((destructor)) static void write_counts(void) {
    const char *name = getenv("HSP_FAULT_COUNTS");
    char text[40];
    int fd = name ? (int)syscall(SYS_openat, AT_FDCWD, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666) : -1;
    for (int k = 0; fd >= 0 && k < KINDS; k++) {
        int n = snprintf(text, sizeof text, "%s %ld\n", kinds[k], atomic_load(&calls[k]));
        if (syscall(SYS_write, fd, text, (size_t)n) != n) _exit(99);
    }
}

/* ---- whose call, and what happens to it ---- */

static bool is_ours(const void *caller) {
    Dl_info about;
    if (!dladdr(caller, &about) || !about.dli_fname) return false;
    const char *slash = strrchr(about.dli_fname, '/'), *name = slash ? slash + 1 : about.dli_fname;
    return strstr(name, "halfspace") != NULL;
}

static int strike(enum kind kind, const void *caller) {
    if (!is_ours(caller)) return NOTHING;
    long call = atomic_fetch_add(&calls[kind], 1) + 1;
    if (kind != failing || call != failing_call) return NOTHING;
    if (failing_how == KILL) kill(getpid(), SIGKILL);
    return failing_how;
}

/* The same for a call that changes files, which counts twice. */
static int strike_change(enum kind kind, const void *caller) {
    int how = strike(CHANGE, caller), own = strike(kind, caller);
    return how != NOTHING ? how : own;
}

#define REAL(name) ((__typeof__(&name))real_function(#name))
#define CALLER __builtin_return_address(0)

static void *real_function(const char *name) {
    void *f = dlsym(RTLD_NEXT, name);
    if (!f) _exit(99);
    return f;
}

/* ---- the log ---- */

static char *path_of[1024]; /* of the descriptors that are open for writing, and of folders */

static void put(const char *format, ...) {
    char line[2 * 4096];
    if (log_file < 0) return;
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (syscall(SYS_write, log_file, line, (size_t)n) != n) _exit(99);
}

static const char *path_at(int fd) {
    return fd >= 0 && fd < 1024 ? path_of[fd] : NULL;
}

static void name_descriptor(int fd, const char *path) {
    if (fd < 0 || fd >= 1024) return;
    free(path_of[fd]);
    path_of[fd] = path ? strdup(path) : NULL;
}

static void log_write(int fd, const void *bytes, size_t n, off_t at) {
    if (log_file < 0 || !path_at(fd)) return;
    put("write\t%s\t%lld\t%zu\n", path_at(fd), (long long)at, n);
    if (syscall(SYS_write, log_file, bytes, n) != (long)n || syscall(SYS_write, log_file, "\n", 1) != 1) _exit(99);
}

/* ---- opening ---- */

static int open_file(int folder, const char *path, int flags, mode_t mode, const void *caller) {
    bool creates = (flags & O_CREAT) != 0, nameless = (flags & O_TMPFILE) == O_TMPFILE;
    int how = creates ? strike_change(OPEN, caller) : strike(OPEN, caller);
    if (how > 0) {
        errno = how;
        return -1;
    }
    int fd = REAL(openat)(folder, path, flags, mode);
    if (fd < 0 || !is_ours(caller)) return fd;
    bool folder_opened = (flags & O_DIRECTORY) != 0 && !nameless;
    name_descriptor(fd, nameless || (!folder_opened && (flags & O_ACCMODE) == O_RDONLY) ? NULL : path);
    if (creates) put("create\t%s\n", path);
    return fd;
}

#define MODE(flags)                                     \
    mode_t mode = 0;                                    \
    if (((flags) & (O_CREAT | O_TMPFILE)) != 0) {       \
        va_list arguments;                              \
        va_start(arguments, flags);                     \
        mode = (mode_t)va_arg(arguments, unsigned int); \
        va_end(arguments);                              \
    }

int open(const char *path, int flags, ...) {
    MODE(flags)
    return open_file(AT_FDCWD, path, flags, mode, CALLER);
}

int open64(const char *path, int flags, ...) {
    MODE(flags)
    return open_file(AT_FDCWD, path, flags, mode, CALLER);
}

int openat(int folder, const char *path, int flags, ...) {
    MODE(flags)
    bool ours = is_ours(CALLER);
    return ours ? open_file(folder, path, flags, mode, CALLER) : REAL(openat)(folder, path, flags, mode);
}

int openat64(int folder, const char *path, int flags, ...) {
    MODE(flags)
    bool ours = is_ours(CALLER);
    return ours ? open_file(folder, path, flags, mode, CALLER) : REAL(openat)(folder, path, flags, mode);
}

int __open_2(const char *path, int flags) {
    return open_file(AT_FDCWD, path, flags, 0, CALLER);
}

int __open64_2(const char *path, int flags) {
    return open_file(AT_FDCWD, path, flags, 0, CALLER);
}

FILE *fopen(const char *path, const char *how_opened) {
    int how = strike(OPEN, CALLER);
    if (how <= 0) return REAL(fopen)(path, how_opened);
    errno = how;
    return NULL;
}

FILE *fopen64(const char *path, const char *how_opened) {
    int how = strike(OPEN, CALLER);
    if (how <= 0) return REAL(fopen)(path, how_opened);
    errno = how;
    return NULL;
}

/* ---- reading and writing ---- */

static ssize_t read_file(int fd, void *into, size_t n, const void *caller) {
    int how = strike(READ, caller);
    if (how > 0) {
        errno = how;
        return -1;
    }
    return REAL(read)(fd, into, how == SHORT && n > 1 ? 1 : n);
}

ssize_t read(int fd, void *into, size_t n) {
    return read_file(fd, into, n, CALLER);
}

ssize_t __read_chk(int fd, void *into, size_t n, size_t room) {
    (void)room;
    return read_file(fd, into, n, CALLER);
}

/* How many of n bytes to write; -1: none, with errno. */
static ssize_t bytes_to_write(size_t n, int *how, const void *caller) {
    *how = strike_change(WRITE, caller);
    if (*how > 0) {
        errno = *how;
        return -1;
    }
    return (ssize_t)(*how != NOTHING && n > 1 ? n / 2 : n);
}

ssize_t write(int fd, const void *bytes, size_t n) {
    if (!is_ours(CALLER)) return REAL(write)(fd, bytes, n);
    int how;
    off_t at = log_file >= 0 && path_at(fd) ? lseek(fd, 0, SEEK_CUR) : 0;
    ssize_t part = bytes_to_write(n, &how, CALLER);
    if (part < 0) return -1;
    ssize_t written = REAL(write)(fd, bytes, (size_t)part);
    if (written > 0) log_write(fd, bytes, (size_t)written, at);
    if (how == HALF) kill(getpid(), SIGKILL);
    return written;
}

static ssize_t write_at(int fd, const void *bytes, size_t n, off_t at, const void *caller) {
    int how;
    ssize_t part = bytes_to_write(n, &how, caller);
    if (part < 0) return -1;
    ssize_t written = REAL(pwrite)(fd, bytes, (size_t)part, at);
    if (written > 0) log_write(fd, bytes, (size_t)written, at);
    if (how == HALF) kill(getpid(), SIGKILL);
    return written;
}

ssize_t pwrite(int fd, const void *bytes, size_t n, off_t at) {
    return is_ours(CALLER) ? write_at(fd, bytes, n, at, CALLER) : REAL(pwrite)(fd, bytes, n, at);
}

ssize_t pwrite64(int fd, const void *bytes, size_t n, off_t at) {
    return is_ours(CALLER) ? write_at(fd, bytes, n, at, CALLER) : REAL(pwrite)(fd, bytes, n, at);
}

/* ---- calls that return 0 or -1 ---- */

/* Fails the call with an error, or makes it and writes `...` down, a format for the log. */
#define FAIL_OR(kind, call, ...)                               \
    do {                                                       \
        int how_ = strike_change(kind, CALLER);                \
        if (how_ > 0) {                                        \
            errno = how_;                                      \
            return -1;                                         \
        }                                                      \
        int status_ = (call);                                  \
        if (status_ == 0 && is_ours(CALLER)) put(__VA_ARGS__); \
        return status_;                                        \
    } while (0)

int fsync(int fd) {
    FAIL_OR(SYNC, REAL(fsync)(fd), "sync\t%s\n", path_at(fd) ? path_at(fd) : "?");
}

int fdatasync(int fd) {
    FAIL_OR(SYNC, REAL(fdatasync)(fd), "sync\t%s\n", path_at(fd) ? path_at(fd) : "?");
}

int rename(const char *from, const char *to) {
    FAIL_OR(RENAME, REAL(rename)(from, to), "rename\t%s\t%s\n", from, to);
}

int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags) {
    FAIL_OR(RENAME, REAL(renameat2)(from_folder, from, to_folder, to, flags), "%s\t%s\t%s\n",
            flags & RENAME_EXCHANGE ? "exchange" : "rename", from, to);
}

int unlink(const char *path) {
    FAIL_OR(UNLINK, REAL(unlink)(path), "unlink\t%s\n", path);
}

int unlinkat(int folder, const char *path, int flags) {
    FAIL_OR(UNLINK, REAL(unlinkat)(folder, path, flags), "unlink\t%s%s%s\n", path_at(folder) ? path_at(folder) : "",
            path_at(folder) ? "/" : "", path);
}

int mkdir(const char *path, mode_t mode) {
    FAIL_OR(MKDIR, REAL(mkdir)(path, mode), "mkdir\t%s\n", path);
}

int ftruncate(int fd, off_t size) {
    FAIL_OR(TRUNCATE, REAL(ftruncate)(fd, size), "truncate\t%s\t%lld\n", path_at(fd) ? path_at(fd) : "?", (long long)size);
}

int ftruncate64(int fd, off_t size) {
    FAIL_OR(TRUNCATE, REAL(ftruncate)(fd, size), "truncate\t%s\t%lld\n", path_at(fd) ? path_at(fd) : "?", (long long)size);
}

int posix_fallocate(int fd, off_t from, off_t size) {
    int how = strike_change(TRUNCATE, CALLER);
    return how > 0 ? how : REAL(posix_fallocate)(fd, from, size);
}

int posix_fallocate64(int fd, off_t from, off_t size) {
    int how = strike_change(TRUNCATE, CALLER);
    return how > 0 ? how : REAL(posix_fallocate)(fd, from, size);
}

/* A descriptor is closed whatever close returns. */
int close(int fd) {
    int how = strike(CLOSE, CALLER), status = REAL(close)(fd);
    if (is_ours(CALLER)) name_descriptor(fd, NULL);
    if (how <= 0 || status != 0) return status;
    errno = how;
    return -1;
}

/* Fails the call with an error, or makes it. */
#define STRUCK_OR(kind, failed, call)    \
    do {                                 \
        int how_ = strike(kind, CALLER); \
        if (how_ <= 0) return (call);    \
        errno = how_;                    \
        return (failed);                 \
    } while (0)

int flock(int fd, int operation) {
    STRUCK_OR(LOCK, -1, REAL(flock)(fd, operation));
}

off_t lseek(int fd, off_t at, int whence) {
    STRUCK_OR(SEEK, -1, REAL(lseek)(fd, at, whence));
}

off_t lseek64(int fd, off_t at, int whence) {
    STRUCK_OR(SEEK, -1, REAL(lseek)(fd, at, whence));
}

int stat(const char *path, struct stat *out) {
    STRUCK_OR(STAT, -1, REAL(stat)(path, out));
}

int stat64(const char *path, struct stat64 *out) {
    STRUCK_OR(STAT, -1, REAL(stat64)(path, out));
}

int fstat(int fd, struct stat *out) {
    STRUCK_OR(STAT, -1, REAL(fstat)(fd, out));
}

int fstat64(int fd, struct stat64 *out) {
    STRUCK_OR(STAT, -1, REAL(fstat64)(fd, out));
}

void *mmap(void *at, size_t n, int protection, int flags, int fd, off_t from) {
    STRUCK_OR(MMAP, MAP_FAILED, REAL(mmap)(at, n, protection, flags, fd, from));
}

void *mmap64(void *at, size_t n, int protection, int flags, int fd, off_t from) {
    STRUCK_OR(MMAP, MAP_FAILED, REAL(mmap)(at, n, protection, flags, fd, from));
}

int fcntl(int fd, int command, ...) {
    va_list arguments;
    va_start(arguments, command);
    void *more = va_arg(arguments, void *);
    va_end(arguments);
    if (command != F_DUPFD_CLOEXEC) return REAL(fcntl)(fd, command, more);
    STRUCK_OR(DUPLICATE, -1, REAL(fcntl)(fd, command, more));
}

int fcntl64(int fd, int command, ...) {
    va_list arguments;
    va_start(arguments, command);
    void *more = va_arg(arguments, void *);
    va_end(arguments);
    if (command != F_DUPFD_CLOEXEC) return REAL(fcntl)(fd, command, more);
    STRUCK_OR(DUPLICATE, -1, REAL(fcntl)(fd, command, more));
}

int pthread_create(pthread_t *out, const pthread_attr_t *attributes, void *(*start)(void *), void *argument) {
    int how = strike(THREAD, CALLER);
    return how > 0 ? how : REAL(pthread_create)(out, attributes, start, argument);
}
