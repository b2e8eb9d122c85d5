/* The error for an algorithm, loss, penalty, solver, generator or study that does not exist. */
#ifndef HSP_OPTION_UNKNOWN_NAME_H
#define HSP_OPTION_UNKNOWN_NAME_H

#include "halfspace.h"

/* Fails with HSP_EUSAGE, "unknown WHAT 'NAME': what to do". The advice is what does the same here if NAME is the word of
 * another program, else the nearest name, else the list of all names. name_at(i) is the i-th name; NULL ends. */
int hsp_fail_unknown_name(const char *what, const char *name, const char *(*name_at)(int64_t i), hsp_error **err);

#endif
