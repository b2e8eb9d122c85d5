/* Small pictures of numbers in a line of text, for terminals that show UTF-8. */
#ifndef HSP_CLI_SPARK_H
#define HSP_CLI_SPARK_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Whether they are drawn where f goes: a terminal, and UTF-8 by the name of the locale (LC_ALL, LC_CTYPE, LANG). */
bool hsp_cli_draws(FILE *f);
/* That of the names alone; any of them may be NULL or empty, which is as if it were not set. */
bool hsp_cli_is_utf8(const char *lc_all, const char *lc_ctype, const char *lang);

enum { HSP_CLI_SPARK = 40 };                          /* characters at most, of each of these */
enum { HSP_CLI_SPARK_BYTES = 3 * HSP_CLI_SPARK + 1 }; /* that hold them */

/* A line of n values as heights from the least to the greatest, in `width` characters (1 .. HSP_CLI_SPARK) or n when that
 * is fewer; of more values each character shows a mean. Logarithmic: by log v, of those above 0. What is not finite (or has
 * no logarithm) is a blank. Returns out, which holds HSP_CLI_SPARK_BYTES. */
const char *hsp_cli_spark(const double *v, int64_t n, int width, bool logarithmic, char *out);
/* A bar for a share between 0 and 1 of `width` characters, an eighth of one fine. Anything above 0 is seen, and only 1 is
 * full. "" for what is no share. */
const char *hsp_cli_share_bar(double share, int width, char *out);
/* A bar to the left or the right of a line in the middle, for a value between -1 and 1; `half` characters on either side
 * (1 .. (HSP_CLI_SPARK - 1) / 2), half of one fine; blanks fill the left side. */
const char *hsp_cli_signed_bar(double value, int half, char *out);
/* One character for a share between 0 and 1: from a blank, for 0 alone, to a full block. */
const char *hsp_cli_shade(double share);

#endif
