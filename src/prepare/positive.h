/* The positive class, and the classes that --positive merges into it. */
#ifndef HSP_PREPARE_POSITIVE_H
#define HSP_PREPARE_POSITIVE_H

#include "data/data.h"
#include "halfspace.h"
#include "prepare/prepare.h"

/* Fills classes, positive, source and merged of p. asked: "LABEL[,LABEL...]" as for hsp_classes_mark, or NULL: the greater of
 * two classes. More than two classes are merged into those asked for and the rest. */
int hsp_prepare_positive(const hsp_classes *classes, const char *asked, hsp_prepare *p, hsp_error **err);

#endif
