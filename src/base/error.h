/* The error object and how it is filled. Policy: internals return 0 or a negative hsp_status and fill *err once, where
 * the failure happens; callers pass it up untouched. err may be NULL throughout. */
#ifndef HSP_BASE_ERROR_H
#define HSP_BASE_ERROR_H

#include "halfspace.h"
#include "halfspace_internal.h"

/* A place in a file. file NULL: no place; line or column 0: unknown. */
typedef struct hsp_place {
    const char *file;
    int64_t line;
    int64_t column;
} hsp_place;

/* hsp_fail (halfspace_internal.h) with a place in a file. */
int hsp_fail_at(hsp_error **err, int code, hsp_place where, const char *format, ...) HSP_PRINTF(4, 5);
/* The file as a whole is wrong: HSP_EINPUT. */
int hsp_fail_file(hsp_error **err, const char *file, const char *format, ...) HSP_PRINTF(3, 4);
/* Out of memory; never allocates. */
int hsp_fail_memory(hsp_error **err);
/* A system call on `file` failed with `errnum`. HSP_EINPUT for "no such file" and "is a directory", which are mistakes of
 * the user, else HSP_EIO. */
int hsp_fail_errno(hsp_error **err, const char *file, const char *action, int errnum);

/* Moves an error that another thread has made to *err; frees it when err is NULL or *err is set. */
void hsp_error_pass(hsp_error **err, hsp_error *made);

#endif
