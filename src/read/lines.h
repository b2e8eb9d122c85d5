/* Places in text by line and column, and pieces of it for messages. Line ends are LF, CRLF or a lone CR. */
#ifndef HSP_READ_LINES_H
#define HSP_READ_LINES_H

#include "base/error.h"

/* The place of p in text that begins at `from`, on line `line` of the file. */
hsp_place hsp_lines_place_in(const char *file, int64_t line, const char *from, const char *p);
/* A NUL byte at that place. */
int hsp_fail_binary(hsp_error **err, hsp_place where);

/* A piece of the file for a message: at most 40 bytes of it, whole characters, "..." after them when it is longer. */
#define HSP_EXCERPT 48
const char *hsp_excerpt(char buf[HSP_EXCERPT], const char *s, int64_t n);

#endif
