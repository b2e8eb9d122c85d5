/* The version of the library that is loaded, which may differ from the header's. */
#include "halfspace.h"

const char *hsp_version(void) {
    return HSP_VERSION;
}

int hsp_version_number(void) {
    return HSP_VERSION_NUMBER;
}
