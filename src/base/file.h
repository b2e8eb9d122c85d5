/* Atomic output: bytes go to a temporary file beside the target, and commit renames it over the target. Pipes, devices and
 * "-" (stdout) are written directly. halfspace_internal.h declares hsp_out_open, hsp_out_write, hsp_out_commit and
 * hsp_out_abandon. */
#ifndef HSP_BASE_FILE_H
#define HSP_BASE_FILE_H

#include "base/error.h"
#include "halfspace.h"
#include "halfspace_internal.h"

/* As hsp_out_open, without compression and with the group and the permissions of `source`, whose content the file copies.
 * */
int hsp_out_open_like(const char *path, const char *source, hsp_out **out, hsp_error **err);
/* Passes buffered bytes to the system, for pipes and terminals. */
int hsp_out_flush(hsp_out *o, hsp_error **err);
/* Whether the output is written directly, so that others may read it before commit; whether it is a terminal. */
bool hsp_out_is_direct(const hsp_out *o);
bool hsp_out_is_terminal(const hsp_out *o);
/* Commit does not wait for the disk, for files whose readers see that they are incomplete. Other programs still see all of
 * the file or none; a power failure within seconds may leave a part of it. */
void hsp_out_skip_sync(hsp_out *o);

/* The compression by the ending of a file's name, ignoring case: 'g' for .gz, 'z' for .zst, else 0. */
char hsp_path_compression(const char *path);

#endif
