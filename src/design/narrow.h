/* Some columns of a design as a design of their own, with rows of their own: products cost as much as these columns have
 * numbers. The rows are as they are transformed, so there are no factors; sparse rows keep their rank-one term. */
#ifndef HSP_DESIGN_NARROW_H
#define HSP_DESIGN_NARROW_H

#include "data/matrix.h"
#include "design/columns.h"
#include "design/design.h"
#include "halfspace.h"

typedef struct hsp_narrow {
    const hsp_design *of;       /* borrowed */
    int64_t count;              /* columns */
    int64_t *column;            /* owned: their numbers in `of`, in the order of the narrow design */
    int32_t *place;             /* owned, as many as `of` has columns: their place in it, or -1 */
    hsp_design *design;         /* owned; NULL until columns are chosen */
    hsp_matrix x;               /* owned arrays: its rows */
    double *p;                  /* owned: its rank-one term, or NULL */
    int64_t *entries;           /* owned: the stored numbers of each column of `of`; NULL if dense */
    int64_t room;               /* stored numbers for which x has memory */
    bool grows;                 /* set by the caller: dense rows leave room for more columns */
    const hsp_columns *columns; /* borrowed, set by the caller: those of `of`, to copy few of them faster; or NULL */
} hsp_narrow;

/* All columns are out at first. The caller clears it, after a failure too. */
int hsp_narrow_new(const hsp_design *of, hsp_narrow *out, hsp_error **err);
void hsp_narrow_clear(hsp_narrow *N);
/* Makes the design of `count` columns, which replaces the one before. */
int hsp_narrow_choose(hsp_narrow *N, const int64_t *column, int64_t count, hsp_error **err);
/* The number of columns that may be added behind those of the design, and adds them: only they are copied. */
int64_t hsp_narrow_room(const hsp_narrow *N);
int hsp_narrow_add(hsp_narrow *N, const int64_t *column, int64_t count, hsp_error **err);
/* Of sparse rows, the sums of the positive and of the negative numbers c_i z_ij of each column: up and down, d each. */
void hsp_design_sides(const hsp_design *D, const double *c, double *up, double *down);

#endif
