/* Control groups, simulated by a folder of the test. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/cgroup.h"

#include <errno.h>
#include <ftw.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char root[256];

static int make_root(void **state) {
    (void)state;
    const char *base = getenv("TMPDIR");
    snprintf(root, sizeof root, "%.200s/hsp-test-cgroup-XXXXXX", base != NULL ? base : P_tmpdir);
    return mkdtemp(root) == NULL;
}

static int remove_one(const char *path, const struct stat *s, int flag, struct FTW *f) {
    (void)s, (void)flag, (void)f;
    return remove(path);
}

static int remove_root(void **state) {
    (void)state;
    return nftw(root, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static void put(const char *folder, const char *file, const char *text) {
    char path[1024];
    snprintf(path, sizeof path, "%s%s", root, folder);
    for (char *p = path + strlen(root) + 1; p[-1] != '\0' && *p != '\0'; p++) {
        if (*p != '/') continue;
        *p = '\0';
        mkdir(path, 0777);
        *p = '/';
    }
    mkdir(path, 0777);
    snprintf(path, sizeof path, "%s%s/%s", root, folder, file);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void check(hsp_cgroup_kind kind, const char *groups, int64_t want) {
    assert_true(hsp_cgroup_limit_in(kind, groups, root) == want);
}

static void version_two(void **state) {
    (void)state;
    put("/a/b", "memory.max", "max\n");
    put("/a", "memory.max", "5000\n");
    put("/a/b", "cpu.max", "150000 100000\n");
    put("/a", "cpu.max", "max 100000\n");
    check(HSP_CGROUP_MEMORY, "0::/a/b\n", 5000);
    check(HSP_CGROUP_MEMORY, "0::/a/b", 5000);
    check(HSP_CGROUP_MEMORY, "0::/\n", INT64_MAX);
    check(HSP_CGROUP_CORES, "0::/a/b\n", 2);
    check(HSP_CGROUP_CORES, "0::/a\n", INT64_MAX);
    put("/a/b", "memory.max", "4000\n");
    check(HSP_CGROUP_MEMORY, "0::/a/b\n", 4000);
    check(HSP_CGROUP_MEMORY, "0::/a/b/gone\n", 4000);
    put("", "memory.max", "300\n");
    check(HSP_CGROUP_MEMORY, "0::/a/b\n", 300);
}

static void version_one(void **state) {
    (void)state;
    const char *groups = "4:cpuset:/z\n3:cpu,cpuacct:/job\n2:memory:/job\n1:name=systemd:/x\n0::/other\n";
    put("/memory/job", "memory.limit_in_bytes", "7000\n");
    put("/memory", "memory.limit_in_bytes", "9223372036854771712\n");
    put("/cpu/job", "cpu.cfs_quota_us", "50000\n");
    put("/cpu/job", "cpu.cfs_period_us", "100000\n");
    put("/cpuset/z", "cpu.cfs_quota_us", "1\n");
    check(HSP_CGROUP_MEMORY, groups, 7000);
    check(HSP_CGROUP_CORES, groups, 1);
    put("/cpu/job", "cpu.cfs_quota_us", "-1\n");
    check(HSP_CGROUP_CORES, groups, INT64_MAX);
    put("/cpu/job", "cpu.cfs_quota_us", "400001\n");
    check(HSP_CGROUP_CORES, groups, 5);
}

static void broken(void **state) {
    (void)state;
    static const char *const groups[] = {
        "", "\n", "\n\n", ":", "::", "0:", "0::", "x", "0:memory", "::\n::\n", "0::../..", "0:,:/"};
    for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++) check(HSP_CGROUP_MEMORY, groups[i], INT64_MAX);
    static const char *const limits[] = {"", "0\n", "-5\n", "x", "99999999999999999999\n", "max", "\n7"};
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        put("/a", "memory.max", limits[i]);
        put("/a", "cpu.max", limits[i]);
        check(HSP_CGROUP_MEMORY, "0::/a", INT64_MAX);
        check(HSP_CGROUP_CORES, "0::/a", INT64_MAX);
    }
    put("/a", "cpu.max", "100 0\n");
    check(HSP_CGROUP_CORES, "0::/a", INT64_MAX);
    char *long_group = malloc(20000);
    memcpy(long_group, "0::", 3);
    memset(long_group + 3, '/', 19996);
    long_group[19999] = '\0';
    check(HSP_CGROUP_MEMORY, long_group, INT64_MAX);
    long_group[4095] = '\0';
    check(HSP_CGROUP_MEMORY, long_group, INT64_MAX);
    free(long_group);
}

/* Every other call of read is interrupted, the others read a byte. */
static bool interrupted;
static int interruptions;
ssize_t __real_read(int fd, void *into, size_t n);
ssize_t __wrap_read(int fd, void *into, size_t n);
ssize_t __wrap_read(int fd, void *into, size_t n) {
    if (!interrupted) return __real_read(fd, into, n);
    if (interruptions++ % 2 == 1) return __real_read(fd, into, n < 1 ? n : 1);
    errno = EINTR;
    return -1;
}

static void interruptions_change_no_limit(void **state) {
    (void)state;
    put("/a", "memory.max", "123456789\n");
    put("/a", "cpu.max", "300000 100000\n");
    interrupted = true;
    check(HSP_CGROUP_MEMORY, "0::/a\n", 123456789);
    check(HSP_CGROUP_CORES, "0::/a\n", 3);
    interrupted = false;
    assert_true(interruptions > 40);
}

static void this_process(void **state) {
    (void)state;
    assert_true(hsp_cgroup_limit(HSP_CGROUP_MEMORY) > 1 << 20);
    assert_true(hsp_cgroup_limit(HSP_CGROUP_CORES) >= 1);
}

#define IN_ROOT(f) cmocka_unit_test_setup_teardown(f, make_root, remove_root)

int main(void) {
    const struct CMUnitTest tests[] = {IN_ROOT(version_two), IN_ROOT(version_one), IN_ROOT(broken),
                                       IN_ROOT(interruptions_change_no_limit), cmocka_unit_test(this_process)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
