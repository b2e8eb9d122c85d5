/* Names of files and patterns such as 'part-*.svm' as a list of files. */
#ifndef HSP_SPOOL_FILE_LIST_H
#define HSP_SPOOL_FILE_LIST_H

#include "halfspace.h"

typedef struct hsp_file_list {
    char **path; /* owned, each too */
    int64_t count, capacity;
} hsp_file_list; /* {0} can be cleared */

/* A name that is no file and has *, ? or [ stands for the files that match, in bytewise order. HSP_EINPUT: none matches. */
int hsp_file_list_make(const char *const *names, int64_t count, hsp_file_list *out, hsp_error **err);
void hsp_file_list_clear(hsp_file_list *l);
/* Bytes of a regular file; -1: it is none. */
int64_t hsp_file_size(const char *path);

#endif
