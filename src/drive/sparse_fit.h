/* L1 and elastic penalties over parts: sparse_fit.c. */
#ifndef HSP_DRIVE_SPARSE_FIT_H
#define HSP_DRIVE_SPARSE_FIT_H

#include "drive/drive_problem.h"
#include "halfspace.h"

/* Runs until all problems, whose loss has a curvature and which are not joint, have stopped. */
int hsp_drive_by_columns(hsp_drive_problem *p, hsp_error **err);

#endif
