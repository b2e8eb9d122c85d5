/* Rounds that ask for moments. */
#ifndef HSP_DRIVE_MOMENT_ROUNDS_H
#define HSP_DRIVE_MOMENT_ROUNDS_H

#include "drive/drive.h"
#include "halfspace.h"

/* Weight, rows and means of each class (K, K, K x d), and with `scatter` the sum of the scatters about them (d x d). The rows
 * of a regression are one class, whose target is a last column of means and scatter. */
int hsp_drive_ask_moments(hsp_drive *d, bool scatter, double *mass, double *rows, double *mean, double *S, hsp_error **err);
/* The scatter of class k alone. */
int hsp_drive_ask_scatter(hsp_drive *d, int64_t k, double *S, hsp_error **err);

#endif
