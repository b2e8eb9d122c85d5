/* Short, locale-independent numbers for text. */
#ifndef HSP_CLI_SHORT_NUMBER_H
#define HSP_CLI_SHORT_NUMBER_H

enum { HSP_CLI_NUMBER = 40 };                                                   /* bytes for any number below */
typedef enum hsp_cli_rounding { HSP_CLI_NEAREST, HSP_CLI_UP } hsp_cli_rounding; /* up: away from zero */

/* v with about `digits` significant digits; digits before the decimal point are never dropped. Returns buf. */
const char *hsp_cli_short(double v, int digits, hsp_cli_rounding rounding, char *buf);
/* Four digits for a share between 0 and 1; more where it would otherwise round to 0 or 1. */
const char *hsp_cli_share(double v, char *buf);
/* An upper bound, in per cent, of the excess of an objective over the optimum, for a relative gap below 1. The gap is
 * relative to the objective reached; relative to the optimum it is
 *     gap / (1 - gap).
 * Rounded up, so that the bound holds; below 1e-12 only rounding error remains. */
const char *hsp_cli_above(double gap, char *buf);

#endif
