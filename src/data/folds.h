/* Folds: which rows are tested together. Stratified by class; rows of one group stay together; in time order each fold is
 * tested by models of earlier rows only. */
#ifndef HSP_DATA_FOLDS_H
#define HSP_DATA_FOLDS_H

#include "data/data.h"
#include "halfspace.h"

typedef struct hsp_folds {
    int64_t n, count, repeats; /* rows, folds of a repeat, repeats */
    int32_t *fold;             /* repeats x n: the fold that tests the row; -1: none (the earliest rows in time order) */
    bool by_time;              /* fold k is tested by models of the rows of folds below k and of the rows of no fold */
} hsp_folds;

/* Options folds (a number or loo: each row, or each group, is a fold), repeats, seed; groups and times of the data.
 * HSP_EUSAGE: options that exclude each other; HSP_EINPUT: too few rows, groups or times, or a fold of weight 0. */
int hsp_folds_new(const hsp_data *data, const hsp_options *o, hsp_folds *out, hsp_error **err);
void hsp_folds_clear(hsp_folds *f);
/* The rows that fold k of repeat r tests, or on which its model is trained, ascending; rows has room for n. */
int64_t hsp_folds_tested(const hsp_folds *f, int64_t r, int64_t k, int64_t *rows);
int64_t hsp_folds_trained(const hsp_folds *f, int64_t r, int64_t k, int64_t *rows);

#endif
