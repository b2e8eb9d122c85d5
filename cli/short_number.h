/* Numbers for people: short, locale-free. */
#ifndef HSP_CLI_SHORT_NUMBER_H
#define HSP_CLI_SHORT_NUMBER_H

enum { HSP_CLI_NUMBER = 40 };                                                   /* bytes that hold any number below */
typedef enum hsp_cli_rounding { HSP_CLI_NEAREST, HSP_CLI_UP } hsp_cli_rounding; /* up: away from zero */

/* v with about `digits` significant digits; the digits before the point are always all there. Returns buf. */
const char *hsp_cli_short(double v, int digits, hsp_cli_rounding rounding, char *buf);
/* Four digits for a share between 0 and 1, and more where they are needed to tell it from 0 and 1. */
const char *hsp_cli_share(double v, char *buf);
/* How far above the best possible, in per cent, an objective with this relative gap (below 1) lies at most. The gap is a
 * share of the objective reached; against the best possible that is gap / (1 - gap). Rounded up, so that it never promises
 * more than is known; below 1e-12 only rounding is left to tell. */
const char *hsp_cli_above(double gap, char *buf);

#endif
