/* Labels in a file of their own, one for each row: an array of NumPy, or text with a label on each line. */
#ifndef HSP_READ_LABEL_FILE_H
#define HSP_READ_LABEL_FILE_H

#include "base/map.h"
#include "halfspace.h"
#include "read/npy.h"

typedef struct hsp_label_file {
    char *name; /* owned */
    int64_t count;
    bool array;
    hsp_npy numbers; /* when it is an array */
    hsp_map *text;   /* a reference; when it is text */
    int64_t *begin;  /* owned: count + 1, where each line begins */
} hsp_label_file;    /* {0} can be closed */

/* Opens it and checks every label. Close it also after a failure. */
int hsp_label_file_open(hsp_label_file *f, const char *path, hsp_error **err);
/* Fails unless there is a label for each row; data: the name of the data file, for errors. */
int hsp_label_file_fits(const hsp_label_file *f, int64_t rows, const char *data, hsp_error **err);
/* The label of row i, in the file or in buf (32 bytes). Thread-safe. */
const char *hsp_label_file_at(const hsp_label_file *f, int64_t i, int64_t *length, char *buf);
void hsp_label_file_close(hsp_label_file *f);

#endif
