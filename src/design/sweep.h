/* One pass over all rows that does everything while a block of them is in cache: the scores, what somebody makes of them
 * (weights of the rows: this room knows nothing of losses), sums of the rows by those weights, and their Gram matrix.
 * Blocks and slabs are cut by the data alone and joined in order: the same bits for any number of threads. x'_i are the
 * rows after the column transform (see design.h). */
#ifndef HSP_DESIGN_SWEEP_H
#define HSP_DESIGN_SWEEP_H

#include "design/design.h"
#include "halfspace.h"

enum { HSP_SWEEP_ROWS = 256 }; /* of a block, at most */

typedef struct hsp_sweep hsp_sweep;

/* `gram`: Gram matrices will be asked for. The design must outlive the sweep. */
int hsp_sweep_new(const hsp_design *D, bool gram, hsp_sweep **out, hsp_error **err);
void hsp_sweep_free(hsp_sweep *s);
/* Blocks of a pass: rows hsp_sweep_begin(s, block) to hsp_sweep_begin(s, block + 1). */
int64_t hsp_sweep_blocks(const hsp_sweep *s);
int64_t hsp_sweep_begin(const hsp_sweep *s, int64_t block);
/* Whether a block is in the sample of one in `every`: one of each so many in a row, now this one, now that one, so that
 * rows in some order or with some period are met all alike. */
bool hsp_sweep_drawn(int64_t block, int64_t every);

typedef struct hsp_pass {
    /* Only the blocks of a sample (hsp_sweep_drawn): the weights s, r and h of all other rows are 0 already. 0 or 1: all.
     */
    int64_t every;
    /* scores_i = x'_i . w + b; w NULL: b, and the rows are not looked at for it; scored: they are there already */
    const double *w;
    double b;
    bool scored;
    double *scores; /* n */
    /* Called once for each block, its scores being known, on any thread: fills in the weights below for its rows. NULL:
     * they are there already. */
    void *ctx;
    void (*look)(void *ctx, int64_t block, int64_t from, int64_t to);
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
     * `near` is where m may be expected, so that large means do not cost digits. */
    double *G;
    const double *near;
    bool centred;
} hsp_pass;

int hsp_sweep_run(hsp_sweep *s, hsp_pass *q, hsp_error **err); /* HSP_OK or HSP_EMEMORY */
/* out (d) = sum_i h_i (x'_i . v + offset) x'_i, and sum_i h_i (x'_i . v + offset); rows with h_i = 0 cost nothing. t: n
 * numbers of scratch. */
double hsp_sweep_product(hsp_sweep *s, const double *h, const double *v, double offset, double *t, double *out);
/* out (d) = sum_i h_i z_ij^2, and first (d) = sum_i h_i z_ij, of the stored rows: z_i = x'_i when dense, else factor * x_i
 * (see design.h). `from` (d, dense rows only, or NULL) is taken from the rows first. */
void hsp_sweep_squares(hsp_sweep *s, const double *h, const double *from, double *first, double *out);

#endif
