/* A temporary folder of the test's own, as a fixture of its group. */
#ifndef HSP_TESTS_OWN_FOLDER_H
#define HSP_TESTS_OWN_FOLDER_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char folder[] = "test_read_XXXXXX";
static char path[200];

static inline const char *in_folder(const char *name) {
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static inline int make_folder(void **state) {
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static inline int remove_folder(void **state) {
    (void)state;
    return rmdir(folder);
}

#endif
