/* Files written whole or not at all: bytes go to a temporary name beside the target, which is renamed over it by commit.
 * Pipes, devices and "-" (stdout) are written directly. */
#ifndef HSP_BASE_FILE_H
#define HSP_BASE_FILE_H

#include "base/error.h"
#include "halfspace.h"

typedef struct hsp_out hsp_out;

/* compress 0: as it is; 'g': gzip; 'z': zstd; '?': by the path's ending (.gz, .zst). */
int hsp_out_open(const char *path, char compress, hsp_out **out, hsp_error **err);
int hsp_out_write(hsp_out *o, const void *bytes, int64_t n, hsp_error **err);
/* Pushes what is buffered to the system; for pipes and terminals. */
int hsp_out_flush(hsp_out *o, hsp_error **err);
/* Whether somebody may read while it is being written (not so for a file, which appears whole); and whether that is a
 * person at a terminal. */
bool hsp_out_passes_on(const hsp_out *o);
bool hsp_out_watched(const hsp_out *o);
/* Commit shall not wait until the disk has all: for what can be made again. Every other program still sees the whole file
 * or none; only when the power fails within seconds of it may a part be there. */
void hsp_out_hasten(hsp_out *o);
/* Flushes, syncs the content unless hastened, renames; frees o also on failure (then nothing is left behind). */
int hsp_out_commit(hsp_out *o, hsp_error **err);
/* Gives up: removes the temporary file and frees o. NULL is allowed. */
void hsp_out_abandon(hsp_out *o);

/* What the ending of a file's name says, in capitals or not: 'g' for .gz, 'z' for .zst, else 0. */
char hsp_path_compression(const char *path);

#endif
