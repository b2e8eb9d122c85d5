/* How an algorithm is trained over parts: one file for each kind, and the table in method_table.c. */
#ifndef HSP_DRIVE_METHOD_H
#define HSP_DRIVE_METHOD_H

#include "drive/drive.h"
#include "halfspace.h"

typedef struct hsp_drive_method {
    const char *algorithm;
    /* Sets formulation and notes of d->fit, and its weights, intercepts and results. */
    int (*fit)(hsp_drive *d, hsp_error **err);
} hsp_drive_method;

extern const hsp_drive_method hsp_drive_methods[]; /* ends with an algorithm NULL */

int hsp_drive_fit_logistic(hsp_drive *d, hsp_error **err);
int hsp_drive_fit_svm(hsp_drive *d, hsp_error **err);
int hsp_drive_fit_ridge(hsp_drive *d, hsp_error **err);
int hsp_drive_fit_least_squares(hsp_drive *d, hsp_error **err);
int hsp_drive_fit_means(hsp_drive *d, hsp_error **err);
int hsp_drive_fit_lda(hsp_drive *d, hsp_error **err);
int hsp_drive_fit_fisher(hsp_drive *d, hsp_error **err);

#endif
