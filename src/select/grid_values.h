/* The values of one option of a grid. */
#ifndef HSP_SELECT_GRID_VALUES_H
#define HSP_SELECT_GRID_VALUES_H

#include "halfspace.h"
#include "option/options.h"
#include "select/grid.h"

/* Parses
 *     X,X,...            a list; X|X|... where values contain commas
 *     LO:HI[:N]          N numbers (25 if it is not given) from LO to HI in equal ratios; also LO:HI:logN
 *     LO:HI:linN         N numbers at equal distances
 * into count, text and number of the axis, whose option is set. Numbers are sorted, whole numbers are rounded, and repeated
 * values left out. flag: the option of the command line that has them, for messages. The caller frees what was filled, also
 * after a failure. */
int hsp_grid_values(const hsp_option *p, const char *flag, const char *values, int64_t length, hsp_grid_axis *out,
                    hsp_error **err);
int hsp_grid_unknown_algorithm(const char *name, hsp_error **err);

#endif
