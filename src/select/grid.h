/* Grids: all combinations of values of training options, as the options grid and lambdas state them. */
#ifndef HSP_SELECT_GRID_H
#define HSP_SELECT_GRID_H

#include "halfspace.h"
#include "halfspace_internal.h"
#include "option/options.h"

enum { HSP_GRID_AXES = 8, HSP_GRID_POINTS = 10000 };

/* The values of one option. Numbers ascend. */
typedef struct hsp_grid_axis {
    const hsp_option *option;
    int64_t count;
    char **text;    /* owned, each too: in canonical form */
    double *number; /* owned: NaN where a value is a word; NULL: all are */
} hsp_grid_axis;

typedef struct hsp_grid {
    int64_t axes;
    hsp_grid_axis axis[HSP_GRID_AXES];
    int64_t points; /* 1 without axes */
    int32_t *value; /* owned: points x axes; -1: the algorithm of the point does not take the option */
} hsp_grid;         /* {0} can be cleared */

/* regression: of the default algorithm. HSP_EUSAGE: an option that is no training option, or is set too, a value that it does
 * not take, an empty range, an option that none of the algorithms takes. */
int hsp_grid_new(const hsp_options *o, bool regression, hsp_grid *out, hsp_error **err);
void hsp_grid_clear(hsp_grid *g);
/* Sets the options of a point. */
int hsp_grid_set(const hsp_grid *g, int64_t point, hsp_options *o, hsp_error **err);
/* The axis of an option; -1: none. */
int64_t hsp_grid_axis_of(const hsp_grid *g, const char *option);
/* The value of a point on an axis: text NULL and number NaN where it has none. */
const char *hsp_grid_text(const hsp_grid *g, int64_t point, int64_t axis);
double hsp_grid_number(const hsp_grid *g, int64_t point, int64_t axis);
/* How strong the penalty of a point is, for the comparison of points that differ only in it: lambda, or 1 / C; NaN: the grid
 * has neither, or not a number. */
double hsp_grid_strength(const hsp_grid *g, int64_t point);
/* Whether two points differ at most on this axis. */
bool hsp_grid_alike(const hsp_grid *g, int64_t a, int64_t b, int64_t axis);
/* Writes the values of a point as members of the open object, under the names of the options. */
void hsp_grid_write(const hsp_grid *g, int64_t point, hsp_json *j);

#endif
