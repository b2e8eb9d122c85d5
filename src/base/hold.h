/* Files held back until all files of a command are complete (hsp_file_hold in halfspace_internal.h). */
#ifndef HSP_BASE_HOLD_H
#define HSP_BASE_HOLD_H

#include <stdbool.h>
#include <sys/types.h>

/* Whether `path` is held back. *mode: the permissions that a new file may have at most. */
bool hsp_hold_finds(const char *path, mode_t *mode);
/* Takes over a complete temporary file, to be renamed to `target` by hsp_files_release: both names and `lock`, an open
 * descriptor of the file or -1, are then owned by the list. */
void hsp_hold_keep(const char *path, char *temporary, char *target, int lock);

#endif
