/* For the sources that are compiled once for each level. HSP_LEVEL is the name of the level, the compiler's flags select the
 * instructions, and HSP_OF_LEVEL(hsp_x_) appends the name. */
#ifndef HSP_KERNEL_OF_LEVEL_H
#define HSP_KERNEL_OF_LEVEL_H

#include "kernel/kernel.h"
#include "kernel/level.h"

#define HSP_PASTE(a, b) a##b
#define HSP_PASTE_VALUE(a, b) HSP_PASTE(a, b)
#define HSP_OF_LEVEL(name) HSP_PASTE_VALUE(name, HSP_LEVEL)
#define INLINE static inline __attribute__((always_inline))

/* The kernels of dense rows: with AVX2 those of dense_rows.c, which is compiled for v3 only. */
#ifdef __AVX2__
extern const hsp_dense_rows hsp_dense_rows_v3;
#define HSP_DENSE_ROWS hsp_dense_rows_v3
#else
#define HSP_DENSE_ROWS hsp_dense_rows_plain
#endif

/* row_blocks.c */
void HSP_OF_LEVEL(hsp_pulls_)(int64_t rows, int64_t d, const double *x, int64_t x_step, int count,
                              const double *const *weight, double *const *out);
void HSP_OF_LEVEL(hsp_pack_rows_)(int64_t rows, int64_t d, const double *x, int64_t x_step, const double *centre,
                                  int64_t step, double *out, const double *weight, double *weighted);

/* triangle.c */
void HSP_OF_LEVEL(hsp_triangle_forward_)(const hsp_triangle *t);
void HSP_OF_LEVEL(hsp_triangle_backward_)(const hsp_triangle *t);
void HSP_OF_LEVEL(hsp_pack_across_)(int64_t rows, int64_t d, const double *x, int64_t x_step, double sign, int64_t step,
                                    double *out);
void HSP_OF_LEVEL(hsp_pack_along_)(int64_t outputs, int64_t d, const double *x, int64_t x_step, double sign, int64_t step,
                                   double *out);
void HSP_OF_LEVEL(hsp_rotate_)(const hsp_rotations *r);
void HSP_OF_LEVEL(hsp_rotate_pair_)(int64_t n, double c, double s, double *restrict a, double *restrict b);
void HSP_OF_LEVEL(hsp_symmetric_)(int64_t d, const double *A, int64_t step, const double *v, double *y);

/* moved_rows.c */
void HSP_OF_LEVEL(hsp_moved_scores_)(const hsp_moved_rows *rows, const void *x, int64_t count, const double *w,
                                     double *out);
void HSP_OF_LEVEL(hsp_moved_pulls_)(const hsp_moved_rows *rows, const void *x, int64_t count, const double *r, double *out);
void HSP_OF_LEVEL(hsp_moved_pack_)(const hsp_moved_rows *q, const void *x, int64_t count, const double *centre,
                                   int64_t width, int64_t step, double *out, const double *weight, double *weighted);

/* many_rows.c */
void HSP_OF_LEVEL(hsp_many_scores_)(const hsp_moved_rows *q, const void *x, int64_t count, const double *W, int64_t K,
                                    double *out);
void HSP_OF_LEVEL(hsp_many_pulls_)(const hsp_moved_rows *q, const void *x, int64_t count, const double *R, int64_t K,
                                   double *out);

/* tile_single.c */
void HSP_OF_LEVEL(hsp_pack_single_)(int64_t rows, int64_t d, const double *x, int64_t x_step, const double *centre,
                                    const double *scale, const double *weight, int64_t step, float *out);
void HSP_OF_LEVEL(hsp_multiply_single_)(const hsp_product_single *p);

/* hash_stream.c */
void HSP_OF_LEVEL(hsp_hash_open_)(hsp_hash_stream *s);
void HSP_OF_LEVEL(hsp_hash_add_)(hsp_hash_stream *s, const void *bytes, size_t count);
uint64_t HSP_OF_LEVEL(hsp_hash_close_)(hsp_hash_stream *s);
size_t HSP_OF_LEVEL(hsp_hash_cells_)(int64_t first, const uint32_t *id, const double *value, int64_t count,
                                     unsigned char *to);
size_t HSP_OF_LEVEL(hsp_hash_single_cells_)(int64_t first, const float *value, int64_t count, unsigned char *to);

/* column_tally.c */
int64_t HSP_OF_LEVEL(hsp_tally_)(int64_t rows, int64_t columns, const double *x, const hsp_tally *t);
void HSP_OF_LEVEL(hsp_spread_)(int64_t rows, int64_t d, const double *x, int64_t x_step, const double *pivot, double *s,
                               double *q);
void HSP_OF_LEVEL(hsp_spread_single_)(int64_t rows, int64_t d, const float *x, int64_t x_step, const double *pivot,
                                      double *s, double *q);
uint64_t HSP_OF_LEVEL(hsp_present_)(const double *x, int64_t n);

/* curves.c */
void HSP_OF_LEVEL(hsp_logistic_)(const double *y, const double *g, int64_t rows, double *value, double *slope,
                                 double *curve);
void HSP_OF_LEVEL(hsp_entropy_)(const double *y, const double *r, int64_t rows, double *out);
void HSP_OF_LEVEL(hsp_exps_)(int64_t count, const double *x, double *out);
void HSP_OF_LEVEL(hsp_log1ps_)(int64_t count, const double *x, double *out);
void HSP_OF_LEVEL(hsp_tanhs_)(int64_t count, const double *x, double *out);

/* adam_step.c */
void HSP_OF_LEVEL(hsp_adam_)(const hsp_adam_rates *a, int64_t count, const double *gradient, double *mean, double *square,
                             double *w);

#endif
