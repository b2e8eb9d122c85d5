/* The end of a factorisation before its result. */
#include "base/clock.h"
#include "base/error.h"
#include "factor/factor.h"

bool hsp_factor_stopped(int64_t d) {
    return d >= HSP_FACTOR_POLLED && hsp_cancel_pending();
}

int hsp_factor_fail(int status, const char *otherwise, hsp_error **err) {
    if (status == HSP_EMEMORY) return hsp_fail_memory(err);
    if (status != HSP_ECANCELLED) return hsp_fail(err, status, "%s", otherwise);
    hsp_cancel_take();
    return hsp_fail(err, HSP_ECANCELLED, "interrupted before there was a result");
}
