/* A folder of the test, with a file to read and one to write; it must hold no other file at the end. */
#ifndef TEST_OWN_PATHS_H
#define TEST_OWN_PATHS_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char folder[] = "predict_XXXXXX";
static char in_path[64], out_path[64];

static int make_folder(void **state) {
    (void)state;
    if (!mkdtemp(folder)) return -1;
    snprintf(in_path, sizeof in_path, "%s/in", folder);
    snprintf(out_path, sizeof out_path, "%s/out.csv", folder);
    return 0;
}

static int drop_folder(void **state) {
    (void)state;
    unlink(in_path);
    unlink(out_path);
    return rmdir(folder); /* fails when a temporary file was left in it */
}

#endif
