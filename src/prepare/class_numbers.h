/* Options that give each class a number: LABEL=X,... */
#ifndef HSP_PREPARE_CLASS_NUMBERS_H
#define HSP_PREPARE_CLASS_NUMBERS_H

#include "data/data.h"
#include "halfspace.h"

/* Parses LABEL=X,... into number[classes], NaN where a class is not named; `like` shows how to write it. */
int hsp_class_numbers(const hsp_classes *classes, const char *option, const char *text, const char *like, double *number,
                      hsp_error **err);

#endif
