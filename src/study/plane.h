/* The plane of a scatter plot: two coordinates (u, v) for every row, and the expected row at every (u, v). */
#ifndef HSP_STUDY_PLANE_H
#define HSP_STUDY_PLANE_H

#include "data/matrix.h"
#include "halfspace.h"
#include "study/study.h"

typedef struct hsp_plane {
    const hsp_study_input *in;
    const hsp_matrix *x;
    int64_t n, d;       /* n rows; d features of the model, or of the data; the matrix may have fewer or more columns */
    int dimensions;     /* 1 or 2 */
    double *mean, *sd;  /* d: of the rows, unweighted */
    double *u, *v;      /* n: arrays of the study */
    double *lift;       /* 3 x d: an array of the study */
    double share[2];    /* of the variance; NaN: not reported */
    const double *influence; /* d: of the features, measured; NULL: that of the model's weights */
    const char *method; /* static */
} hsp_plane;

/* Chooses the plane as the options say, adds u, v, lift, dimensions, features, axes and method to the study, and sets the
 * members of p after `d`. The caller sets in, x, n, d, dimensions and influence, and frees mean and sd in any case. */
int hsp_plane_choose(hsp_plane *p, hsp_study *s, hsp_error **err);

/* Computes u or v from a direction of `count` numbers, ignoring columns that the matrix does not have. */
void hsp_plane_project(const hsp_plane *p, const double *direction, int64_t count, double offset, double *out);
/* Sets u or v to feature j. */
void hsp_plane_feature(const hsp_plane *p, int64_t j, double *out);
/* Sets lift by least squares of the features on (u, v). 0 or HSP_EMEMORY. */
int hsp_plane_lift(hsp_plane *p);

/* The first `count` (1 or 2) principal components of the columns, each times scale_j (d numbers; NULL: all 1). With
 * `without` (n numbers, or NULL), those of the residuals after a least-squares regression of the columns on it. out[k]: n
 * coordinates with mean 0. share[k]: share of the variance. Uses the Lanczos iteration on the stored rows. */
int hsp_plane_components(const hsp_plane *p, const double *scale, const double *without, int count, double *const *out,
                         double *share, hsp_error **err);

#endif
