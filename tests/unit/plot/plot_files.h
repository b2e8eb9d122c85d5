/* The folder of a test for what it draws: emptying it, and the files in it. */
#ifndef HSP_TESTS_PLOT_FILES_H
#define HSP_TESTS_PLOT_FILES_H

#include "read/own_folder.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Removes what is in a folder; the number of files, those in its folders included. */
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
