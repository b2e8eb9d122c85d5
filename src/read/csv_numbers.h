/* Numbers in plain records. The padding of a piece begins with a '\n', so loops need not check for its end. */
#ifndef HSP_READ_CSV_NUMBERS_H
#define HSP_READ_CSV_NUMBERS_H

#include "read/csv.h"

#include <stdbool.h>

static inline const char *hsp_csv_skip_blanks(const char *p, char delimiter) {
    while (hsp_csv_blank(*p, delimiter)) p++;
    return p;
}

/* Skips to the content of a cell; delimiting blanks belong to the delimiter before it. */
static inline const char *hsp_csv_skip_to_cell(const char *p, char delimiter) {
    while (*p == ' ') p++;
    return hsp_csv_skip_blanks(p, delimiter);
}

static inline bool hsp_csv_is_line_end(char c) {
    return c == '\n' || c == '\r';
}

/* Parses a number, blanks and quotes round it allowed. Returns what follows it, or NULL, also for a code if they are to be
 * found. */
const char *hsp_csv_plain_number(const char *p, char delimiter, bool codes, double *x);
/* Parses numbers with a delimiter after each into x up to end. Returns the start of the next cell, or NULL when a number is
 * not plain. */
const char *hsp_csv_plain_numbers(const char *p, char delimiter, bool codes, double *x, const double *end);

#endif
