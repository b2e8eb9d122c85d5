/* Temporary files beside their targets: their names, those that killed processes left, and folders on the disk. */
#ifndef HSP_BASE_TEMPORARY_H
#define HSP_BASE_TEMPORARY_H

#include "halfspace.h"

#include <stdint.h>

/* The name of a temporary file for `target`, beside it: ".halfspace-TARGET-PROCESS-SERIAL" with 8 hexadecimal digits each.
 * TARGET is a hash of the name; the first half of SERIAL a hash of the time when the process started, the second half the
 * low half of `serial`. NULL: out of memory. */
char *hsp_temporary_name(const char *target, uint32_t serial);

/* Removes the temporary files in the folder of `target` that nobody will rename: with our kind of name, our owner, no lock,
 * and a process that has ended. */
void hsp_temporary_sweep(const char *target);
/* The same, unless this process swept that folder last. */
void hsp_temporary_sweep_once(const char *target);

/* Waits until the folder of `target` is on the disk, so that a file that was created or renamed there is found after a
 * power failure. HSP_EIO: a full or broken disk; the message names `path` and says that the file is there. Folders that
 * cannot be synced are no failure. */
int hsp_folder_sync(const char *target, const char *path, hsp_error **err);

#endif
