/* The class of positive scores, and what --positive merges into it. */
#ifndef HSP_PREPARE_POSITIVE_H
#define HSP_PREPARE_POSITIVE_H

#include "data/data.h"
#include "halfspace.h"
#include "prepare/prepare.h"

/* Fills classes, positive, source and merged of p. asked: "LABEL[,LABEL...]", or NULL for the greater of two. Of more than
 * two classes, those that are asked for are told from the rest. A label may hold commas itself: the longest that is a class
 * holds. */
int hsp_prepare_positive(const hsp_classes *classes, const char *asked, hsp_prepare *p, hsp_error **err);

#endif
