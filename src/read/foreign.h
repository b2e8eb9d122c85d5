/* Files that hold no rows for a reader: recognised by their first bytes, so that the message can name what they are. */
#ifndef HSP_READ_FOREIGN_H
#define HSP_READ_FOREIGN_H

#include "halfspace.h"

#include <stdbool.h>

/* HSP_EINPUT, with what the file is and what to do, when its first n bytes are those of a model, an archive, a spreadsheet, a
 * document or another format that no reader takes; else 0. `text`: also check for formats made of text (JSON, HTML). */
int hsp_foreign_check(const char *file, const char *bytes, int64_t n, bool text, hsp_error **err);

/* HSP_EINPUT when the first n bytes of a file that is to be read as svmlight have no `id:value`, but the commas, semicolons
 * or tabs of a CSV file; else 0. */
int hsp_foreign_check_svmlight(const char *file, const char *bytes, int64_t n, bool asked, hsp_error **err);

#endif
