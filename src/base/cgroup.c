#include "base/cgroup.h"

#include "base/clock.h"
#include "base/number.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Reads the start of a small file as text, through interruptions: half a number would be another limit. Returns its length, 0
 * when it cannot be read. */
static int64_t slurp(const char *path, char *out, int64_t size) {
    int fd;
    int64_t n = 0;
    ssize_t got = 1;
    out[0] = '\0';
    do fd = open(path, O_RDONLY | O_CLOEXEC);
    while (fd < 0 && errno == EINTR);
    if (fd < 0) return 0;
    while (n < size - 1 && got != 0) {
        got = read(fd, out + n, (size_t)(size - 1 - n));
        if (got > 0) n += got;
        if (got < 0 && errno != EINTR) n = got = 0;
    }
    close(fd);
    out[n] = '\0';
    return n;
}

/* Reads up to two positive numbers from folder/file. Returns how many; "max" and "-1", no limit, give 0. */
static int read_numbers(const char *folder, const char *file, int64_t v[2]) {
    char path[PATH_MAX], text[64];
    int length = snprintf(path, sizeof path, "%s/%s", folder, file), count = 0;
    if (length < 0 || length >= PATH_MAX) return 0;
    const char *p = text, *end = text + slurp(path, text, sizeof text);
    while (count < 2 && (p = hsp_number_parse_int(p, end, &v[count])) != NULL && v[count] > 0) {
        count++;
        if (p < end) p++;
    }
    return count;
}

/* The quota is CPU time per period, summed over all cores. */
static int64_t limit_of(hsp_cgroup_kind kind, const char *folder) {
    int64_t v[2], period[2];
    if (kind == HSP_CGROUP_MEMORY)
        return read_numbers(folder, "memory.max", v) > 0 || read_numbers(folder, "memory.limit_in_bytes", v) > 0
                   ? v[0]
                   : INT64_MAX;
    if (read_numbers(folder, "cpu.max", v) == 2) return (v[0] - 1) / v[1] + 1;
    if (read_numbers(folder, "cpu.cfs_quota_us", v) > 0 && read_numbers(folder, "cpu.cfs_period_us", period) > 0)
        return (v[0] - 1) / period[0] + 1;
    return INT64_MAX;
}

/* The smallest limit from the group up to the root: a group's limit holds for all groups below it. */
static int64_t least_upwards(hsp_cgroup_kind kind, const char *root, const char *group) {
    char folder[PATH_MAX];
    int64_t least = INT64_MAX;
    int length = snprintf(folder, sizeof folder, "%s%s", root, group);
    if (length < 0 || length >= PATH_MAX) return least;
    for (size_t n = (size_t)length, stop = strlen(root);;) {
        int64_t limit = limit_of(kind, folder);
        if (limit < least) least = limit;
        if (n <= stop) return least;
        do n--;
        while (n > stop && folder[n] != '/');
        folder[n] = '\0';
    }
}

/* Whether name is in the list "a,b,c". */
static bool is_listed(const char *list, size_t length, const char *name) {
    size_t n = strlen(name);
    for (const char *p = list, *end = list + length; p < end; p++) {
        size_t part = strcspn(p, ",:");
        if (part == n && strncmp(p, name, n) == 0) return true;
        p += part;
    }
    return false;
}

/* Lines of `groups` are "0::/group" (version 2) or "N:controllers:/group" (version 1, one hierarchy each). */
int64_t hsp_cgroup_limit_in(hsp_cgroup_kind kind, const char *groups, const char *root) {
    const char *controller = kind == HSP_CGROUP_MEMORY ? "memory" : "cpu";
    char group[PATH_MAX], mount[PATH_MAX];
    int64_t least = INT64_MAX;
    for (const char *line = groups; *line != '\0';) {
        size_t length = strcspn(line, "\n");
        const char *end = line + length, *names = memchr(line, ':', length);
        const char *path = names == NULL ? NULL : memchr(names + 1, ':', (size_t)(end - names - 1));
        line = *end == '\0' ? end : end + 1;
        if (path == NULL || end - path >= PATH_MAX) continue;
        bool second = path == names + 1;
        if (!second && !is_listed(names + 1, (size_t)(path - names - 1), controller)) continue;
        memcpy(group, path + 1, (size_t)(end - path - 1));
        group[end - path - 1] = '\0';
        int n = snprintf(mount, sizeof mount, "%s%s%s", root, second ? "" : "/", second ? "" : controller);
        int64_t limit = n < 0 || n >= PATH_MAX ? INT64_MAX : least_upwards(kind, mount, group);
        if (limit < least) least = limit;
    }
    return least;
}

/* The files are read once a second at most: that takes as long as a small fit. */
int64_t hsp_cgroup_limit(hsp_cgroup_kind kind) {
    static struct {
        _Atomic(int64_t) limit;
        _Atomic(double) until;
    } known[2];
    double now = hsp_clock_seconds();
    if (now < atomic_load(&known[kind].until)) return atomic_load(&known[kind].limit);
    char groups[8192];
    slurp("/proc/self/cgroup", groups, sizeof groups);
    int64_t limit = hsp_cgroup_limit_in(kind, groups, "/sys/fs/cgroup");
    atomic_store(&known[kind].limit, limit);
    atomic_store(&known[kind].until, now + 1);
    return limit;
}
