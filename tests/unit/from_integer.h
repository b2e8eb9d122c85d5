/* Our integers as those of GMP, by which tests check them. */
#ifndef HSP_TESTS_FROM_INTEGER_H
#define HSP_TESTS_FROM_INTEGER_H

#include "base/integer.h"

#include <gmp.h>

static inline void from_integer(mpz_t out, hsp_integer_const v) {
    size_t n = (size_t)(v->size < 0 ? -v->size : v->size);
    mpz_import(out, n, -1, sizeof *v->limb, 0, 0, v->limb);
    if (v->size < 0) mpz_neg(out, out);
}

#endif
