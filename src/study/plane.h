/* The plane of a picture: two numbers (u, v) for every row, and the row that is expected at every (u, v). */
#ifndef HSP_STUDY_PLANE_H
#define HSP_STUDY_PLANE_H

#include "data/matrix.h"
#include "halfspace.h"
#include "study/study.h"

typedef struct hsp_plane {
    const hsp_study_input *in;
    const hsp_matrix *x;
    int64_t n, d;       /* features: of the model, or of the data; the matrix may have fewer columns, or more */
    int dimensions;     /* 1 or 2 */
    double *mean, *sd;  /* d: of the rows, all counting the same */
    double *u, *v;      /* n: the study's */
    double *lift;       /* 3 x d: the study's */
    double share[2];    /* of the variance, NaN: not told */
    const char *method; /* static */
} hsp_plane;

/* u or v from a direction of `count` numbers (those of columns that the matrix does not have are left out). */
void hsp_plane_project(const hsp_plane *p, const double *direction, int64_t count, double offset, double *out);
/* u or v from feature j. */
void hsp_plane_feature(const hsp_plane *p, int64_t j, double *out);
/* lift by least squares of the features on (u, v). 0 or HSP_EMEMORY. */
int hsp_plane_lift(hsp_plane *p);

/* The first `count` (1 or 2) principal components of the columns, each times scale_j (d numbers; NULL: all 1); with
 * `without` (n numbers, or NULL) of what is left of the columns when they are predicted from it by least squares. out[k]:
 * n, the places of the rows, 0 in the mean. share[k]: of the variance. By Lanczos' iteration over the rows as they are
 * stored. */
int hsp_plane_components(const hsp_plane *p, const double *scale, const double *without, int count, double *const *out,
                         double *share, hsp_error **err);

#endif
