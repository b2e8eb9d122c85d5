/* One pass over all rows that does everything while a block of rows is in the cache: scores, weights of the rows that the
 * caller computes from them, sums of the rows by these weights, and their Gram matrix. Blocks and slabs depend only on the
 * data and are added in order: the same bits for any number of threads. x'_i are the transformed rows (design.h). */
#ifndef HSP_DESIGN_SWEEP_H
#define HSP_DESIGN_SWEEP_H

#include "design/design.h"
#include "halfspace.h"

enum { HSP_SWEEP_ROWS = 256 }; /* per block at most */

typedef struct hsp_sweep hsp_sweep;

/* gram: passes may compute Gram matrices. The design must outlive the sweep. */
int hsp_sweep_new(const hsp_design *D, bool gram, hsp_sweep **out, hsp_error **err);
void hsp_sweep_free(hsp_sweep *s);
/* Whether a pass computes the Gram matrix of dense rows of d columns as it goes, at no cost but that of its products. */
bool hsp_sweep_has_gram(const hsp_design *D);
/* The number of blocks; a block is rows hsp_sweep_begin(s, block) to hsp_sweep_begin(s, block + 1) - 1. */
int64_t hsp_sweep_blocks(const hsp_sweep *s);
int64_t hsp_sweep_begin(const hsp_sweep *s, int64_t block);
/* Whether a block is in the sample of one in `every`: a random one of each group of `every` consecutive blocks, so that sorted
 * or periodic rows are sampled evenly. */
bool hsp_sweep_drawn(int64_t block, int64_t every);

typedef struct hsp_pass {
    /* Only the blocks of a sample (hsp_sweep_drawn); the weights s, r and h of other rows must be 0. 0 or 1: all blocks. */
    int64_t every;
    /* scores_i = x'_i . w + b; w NULL: b. scored: they are given */
    const double *w;
    double b;
    bool scored;
    double *scores; /* n */
    /* Called once for each block, on any thread, after its scores are computed: sets the weights below of its rows. NULL: they
     * are given. */
    void *ctx;
    void (*weigh)(void *ctx, int64_t block, int64_t from, int64_t to);
    /* pull_s (d) = sum_i s_i x'_i; s NULL: not wanted */
    const double *s;
    double *pull_s;
    /* likewise pull_r (d) = sum_i r_i x'_i */
    const double *r;
    double *pull_r;
    /* sums (d) = sum_i h_i x'_i and mass = sum_i h_i; h NULL: not wanted */
    const double *h;
    double *sums;
    double mass;
    /* G (d x d, both triangles) = sum_i h_i (x'_i - m)(x'_i - m)', m = sums / mass when centred, else 0; NULL: not wanted.
     * near: an estimate of m, so that large means do not cost digits. Dense rows that are not centred need no h: all 1. */
    double *G;
    const double *near;
    bool centred;
} hsp_pass;

int hsp_sweep_run(hsp_sweep *s, hsp_pass *q, hsp_error **err); /* HSP_OK or HSP_EMEMORY */
/* out (d) = sum_i h_i (x'_i . v + offset) x'_i; returns sum_i h_i (x'_i . v + offset). Rows with h_i = 0 are skipped. t: n
 * numbers of scratch. */
double hsp_sweep_product(hsp_sweep *s, const double *h, const double *v, double offset, double *t, double *out);
/* out (d) = sum_i h_i z_ij^2 and first (d) = sum_i h_i z_ij, where z_i = x'_i - from when dense (from: d, or NULL), else
 * z_i = factor * x_i (see design.h). */
void hsp_sweep_squares(hsp_sweep *s, const double *h, const double *from, double *first, double *out);

#endif
