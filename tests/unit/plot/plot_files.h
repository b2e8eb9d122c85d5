/* A folder of the test's own for what it draws, as a fixture of its group. */
#ifndef HSP_TESTS_PLOT_FILES_H
#define HSP_TESTS_PLOT_FILES_H

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "test-plot-XXXXXX";

static inline int make_folder(void **state) {
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

/* Fails when something was left there. */
static inline int remove_folder(void **state) {
    (void)state;
    return rmdir(folder);
}

/* A path in the folder; good for 64 calls. */
static inline const char *in_folder(const char *name) {
    static char path[64][200];
    static int turn;
    turn = (turn + 1) % 64;
    snprintf(path[turn], sizeof path[turn], "%s/%s", folder, name);
    return path[turn];
}

/* Removes what is in a folder; how many files there were, those in folders too. */
static inline int sweep(const char *path) {
    int count = 0;
    DIR *d = opendir(path);
    for (struct dirent *e = d ? readdir(d) : NULL; e; e = readdir(d)) {
        char *name = NULL;
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0) continue;
        assert_true(asprintf(&name, "%s/%s", path, e->d_name) > 0);
        count += sweep(name);
        count += unlink(name) == 0;
        rmdir(name);
        free(name);
    }
    if (d) closedir(d);
    return count;
}

static inline int sweep_folder(void **state) {
    sweep(folder);
    return remove_folder(state);
}

/* The bytes of a file and a NUL, to be freed; n may be NULL. */
static inline char *contents(const char *path, size_t *n) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    size_t size = (size_t)ftell(file);
    rewind(file);
    char *text = calloc(1, size + 1);
    assert_true(text && fread(text, 1, size, file) == size);
    fclose(file);
    if (n) *n = size;
    return text;
}

#endif
