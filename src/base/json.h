/* The streaming JSON writer, hsp_json: the pictures and the program write with it too, so halfspace_internal.h declares it.
 */
#ifndef HSP_BASE_JSON_H
#define HSP_BASE_JSON_H

#include "halfspace_internal.h"

#endif
