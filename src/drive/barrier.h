/* The hinge over parts: barrier.c. */
#ifndef HSP_DRIVE_BARRIER_H
#define HSP_DRIVE_BARRIER_H

#include "drive/drive_problem.h"
#include "halfspace.h"

/* Runs until all problems, whose loss is the hinge, have stopped. gram: by Hessians; else by products of them. */
int hsp_drive_by_barrier(hsp_drive_problem *p, bool gram, hsp_error **err);

#endif
