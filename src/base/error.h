/* The error object and how it is filled. Policy: internals return 0 or a negative hsp_status and fill *err once, where
 * the failure happens; callers pass it up untouched. err may be NULL throughout. */
#ifndef HSP_BASE_ERROR_H
#define HSP_BASE_ERROR_H

#include "halfspace.h"
#include "halfspace_internal.h"

/* Where in a file something is wrong. file NULL: nowhere; line or column 0: not known. */
typedef struct hsp_place {
    const char *file;
    int64_t line;
    int64_t column;
} hsp_place;

/* hsp_fail (halfspace_internal.h) with a place in a file. */
int hsp_fail_at(hsp_error **err, int code, hsp_place where, const char *format, ...) HSP_PRINTF(4, 5);
/* Out of memory; never allocates. */
int hsp_fail_memory(hsp_error **err);
/* A failed system call on `file`; adds the system's reason for `errnum`. Code: HSP_EINPUT for "no such file" and "is a
 * directory" (the user's slip), HSP_EIO for the rest. */
int hsp_fail_errno(hsp_error **err, const char *file, const char *action, int errnum);

/* Hands on an error that was made apart, by another thread: to *err if it is wanted and still NULL, else it is freed. */
void hsp_error_pass(hsp_error **err, hsp_error *made);

#endif
