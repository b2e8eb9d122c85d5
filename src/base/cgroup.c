/* How much memory there is for this process: the machine's, or what its control group allows (a container's). */
#include "base/memory.h"
#include "base/number.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The beginning of a small file as text; its length, 0 when it cannot be read. */
static int64_t slurp(const char *path, char *out, int64_t size) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    int64_t n = 0;
    out[0] = '\0';
    if (fd < 0) return 0;
    for (ssize_t got; n < size - 1 && (got = read(fd, out + n, (size_t)(size - 1 - n))) > 0;) n += got;
    close(fd);
    out[n] = '\0';
    return n;
}

/* The least number in `file` from the group up to the root: each level limits those below. "max" and missing files
 * limit nothing. */
static int64_t least_upwards(const char *root, const char *group, const char *file, int64_t limit) {
    char path[PATH_MAX], text[64];
    size_t n = strlen(group);
    for (;;) {
        int length = snprintf(path, sizeof path, "%s%.*s/%s", root, (int)n, group, file);
        int64_t got = length > 0 && length < PATH_MAX ? slurp(path, text, sizeof text) : 0, bytes;
        if (hsp_number_parse_int(text, text + got, &bytes) != NULL && bytes > 0 && bytes < limit) limit = bytes;
        if (n == 0) return limit;
        do n--;
        while (n > 0 && group[n] != '/');
    }
}

int64_t hsp_memory_limit(void) {
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    int64_t limit = pages > 0 && page > 0 ? (int64_t)pages * page : INT64_MAX;
    char groups[8192];
    if (slurp("/proc/self/cgroup", groups, sizeof groups) == 0) return limit;
    /* Lines "0::/group" (version 2) and "N:memory:/group" (version 1). */
    char *rest = NULL;
    for (char *line = strtok_r(groups, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest)) {
        char *names = strchr(line, ':'), *group = names == NULL ? NULL : strchr(names + 1, ':');
        if (group == NULL) continue;
        *group++ = '\0';
        if (names[1] == '\0') limit = least_upwards("/sys/fs/cgroup", group, "memory.max", limit);
        if (strcmp(names + 1, "memory") == 0)
            limit = least_upwards("/sys/fs/cgroup/memory", group, "memory.limit_in_bytes", limit);
    }
    return limit;
}
