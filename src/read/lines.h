/* Line and column of a byte in text. Line ends are LF, CRLF or a lone CR. */
#ifndef HSP_READ_LINES_H
#define HSP_READ_LINES_H

#include "base/error.h"
#include "halfspace.h"

/* The place of p in text that begins at `from`, on line `line` of the file. */
hsp_place hsp_lines_place_in(const char *file, int64_t line, const char *from, const char *p);
/* There is a NUL byte at that place: HSP_EINPUT. */
int hsp_fail_binary(hsp_error **err, hsp_place where);

#endif
