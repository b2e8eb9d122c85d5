/* Sparklines and bars in a line of text, for terminals with UTF-8. */
#ifndef HSP_CLI_SPARK_H
#define HSP_CLI_SPARK_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Whether to draw on f: it is a terminal, and the locale (LC_ALL, LC_CTYPE, LANG) is a UTF-8 one. */
bool hsp_cli_draws(FILE *f);
/* Whether these locale names give UTF-8; NULL or an empty name counts as not set. */
bool hsp_cli_is_utf8(const char *lc_all, const char *lc_ctype, const char *lang);

enum { HSP_CLI_SPARK = 40 };                          /* maximal number of characters */
enum { HSP_CLI_SPARK_BYTES = 3 * HSP_CLI_SPARK + 1 }; /* their size */

/* A sparkline of n values, scaled from the smallest to the largest, in `width` characters (1 .. HSP_CLI_SPARK) or n if that
 * is less; with more values than characters, each shows a mean. Logarithmic: scaled by log v. Values that are not finite
 * (or have no logarithm) are blank. Returns out, which has HSP_CLI_SPARK_BYTES. */
const char *hsp_cli_spark(const double *v, int64_t n, int width, bool logarithmic, char *out);
/* A bar of `width` characters for a share between 0 and 1, with a resolution of 1/8 character. Any share above 0 is
 * visible, and only 1 is full. "" for a value that is not a share. */
const char *hsp_cli_share_bar(double share, int width, char *out);
/* A bar to the left or right of a centre line for a value between -1 and 1: `half` characters on each side (1 ..
 * (HSP_CLI_SPARK - 1) / 2), with a resolution of 1/2 character; blanks pad the left side. */
const char *hsp_cli_signed_bar(double value, int half, char *out);
/* One character for a share between 0 and 1: from a blank, only for 0, to a full block. */
const char *hsp_cli_shade(double share);

#endif
