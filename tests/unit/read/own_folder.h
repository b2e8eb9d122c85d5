/* A temporary folder of the test, as a fixture of its group. */
#ifndef HSP_TESTS_OWN_FOLDER_H
#define HSP_TESTS_OWN_FOLDER_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char folder[] = "test-XXXXXX";

static inline int make_folder(void **state) {
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

/* Fails when a file was left there. */
static inline int remove_folder(void **state) {
    (void)state;
    return rmdir(folder);
}

/* A path in the folder, valid until 64 further calls. */
static inline const char *in_folder(const char *name) {
    static char path[64][200];
    static int turn;
    turn = (turn + 1) % 64;
    snprintf(path[turn], sizeof path[turn], "%s/%s", folder, name);
    return path[turn];
}

#endif
