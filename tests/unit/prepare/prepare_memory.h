/* hsp_prepare_fit with allocations that fail. */
#ifndef TESTS_PREPARE_MEMORY_H
#define TESTS_PREPARE_MEMORY_H

#include "model/handmade.h"

/* Fits with the first allocation failing, then the second, and so on until none fails; the status is `expected` then. */
static inline void fit_short_of_memory(const hsp_data *data, const hsp_options *o, int expected) {
    for (int64_t k = 0;; k++) {
        hsp_prepare p;
        hsp_error *err = NULL;
        hsp_memory_fail_after(k);
        int status = hsp_prepare_fit(data, o, &p, &err);
        hsp_memory_fail_after(-1);
        hsp_prepare_clear(&p);
        hsp_error_free(err);
        if (status == expected) break;
        assert_int_equal(status, HSP_EMEMORY);
        assert_true(k < 100);
    }
}

#endif
