/* hsp_json, the streaming JSON writer. Plots and the program use it too, so halfspace_internal.h declares it. */
#ifndef HSP_BASE_JSON_H
#define HSP_BASE_JSON_H

#include "halfspace_internal.h"

#endif
