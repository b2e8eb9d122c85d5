/* Millions of numbers against a slow reader in rationals, and against the C library. Two million by default;
 * HALFSPACE_NUMBERS=10000000 in the environment for another count. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <gmp.h>

#include "base/double_bits.h"
#include "base/number.h"
#include "base/pool.h"
#include "base/rng.h"

#include <math.h>

#define TEXT 1024 /* room for a number */
#define INFINITE (UINT64_C(0x7ff) << 52)

/* ---- the slow reader ---- */

/* The double nearest to top / bottom, ties to even; both positive. */
static uint64_t nearest(mpz_t top, mpz_t bottom) {
    long s = 70 - (long)mpz_sizeinbase(top, 2) + (long)mpz_sizeinbase(bottom, 2);
    mpz_t q, rest;
    mpz_inits(q, rest, NULL);
    /* top / bottom = (q + a remainder below 1) 2^-s with 70 or 71 bits in q */
    mpz_mul_2exp(s > 0 ? top : bottom, s > 0 ? top : bottom, (mp_bitcnt_t)(s > 0 ? s : -s));
    mpz_tdiv_qr(q, rest, top, bottom);
    long high = (long)mpz_sizeinbase(q, 2) - 1 - s, unit = high - 52 > -1074 ? high - 52 : -1074, drop = unit + s;
    uint64_t m = 0;
    bool half = mpz_tstbit(q, (mp_bitcnt_t)(drop - 1)), more = mpz_sgn(rest) != 0;
    more = more || mpz_scan1(q, 0) < (mp_bitcnt_t)(drop - 1);
    mpz_tdiv_q_2exp(q, q, (mp_bitcnt_t)drop);
    m = mpz_get_ui(q);
    m += half && (more || (m & 1));
    mpz_clears(q, rest, NULL);
    if (high > 1100) return INFINITE;
    uint64_t bits = unit == -1074 ? m : ((uint64_t)(unit + 1074) << 52) + m;
    return bits < INFINITE ? bits : INFINITE;
}

/* text is [-+]digits[.digits][e[-+]digits], whole. */
static uint64_t read_slowly(const char *text) {
    char digits[TEXT];
    int count = 0;
    long exponent = 0;
    uint64_t sign = *text == '-' ? UINT64_C(1) << 63 : 0;
    bool point = false;
    for (text += *text == '-' || *text == '+'; *text && *text != 'e' && *text != 'E'; text++) {
        if (*text == '.') {
            point = true;
            continue;
        }
        digits[count++] = *text;
        exponent -= point;
    }
    digits[count] = '\0';
    if (*text) {
        size_t n = strspn(text + 1, "+-0"); /* an exponent of this many digits overflows or underflows anyway */
        exponent += strlen(text + 1 + n) > 9 ? (text[1] == '-' ? -900000000 : 900000000) : strtol(text + 1, NULL, 10);
    }
    mpz_t top, bottom, power;
    mpz_inits(top, bottom, power, NULL);
    mpz_set_str(top, digits, 10);
    mpz_set_ui(bottom, 1);
    uint64_t bits = 0;
    long size = (long)strlen(digits + strspn(digits, "0")) + exponent;
    if (mpz_sgn(top) != 0 && size > 400) bits = INFINITE;
    if (mpz_sgn(top) != 0 && size <= 400 && size >= -400) {
        mpz_ui_pow_ui(power, 10, (unsigned long)labs(exponent));
        mpz_mul(exponent > 0 ? top : bottom, exponent > 0 ? top : bottom, power);
        bits = nearest(top, bottom);
    }
    mpz_clears(top, bottom, power, NULL);
    return bits | sign;
}

/* ---- numbers of many kinds; each writes one to text ---- */

typedef void writes(hsp_rng *r, char *text);

static double any_finite(hsp_rng *r) {
    double v;
    do v = from_bits(hsp_rng_next(r));
    while (!isfinite(v));
    return v;
}

static int some_digits(hsp_rng *r, char *text, int count) {
    for (int k = 0; k < count; k++) text[k] = (char)('0' + hsp_rng_below(r, 10));
    text[count] = '\0';
    return count;
}

static void full_digits(hsp_rng *r, char *text) {
    snprintf(text, TEXT, "%.16e", any_finite(r));
}

static void shortest(hsp_rng *r, char *text) {
    double v = hsp_rng_below(r, 2) ? any_finite(r) : ldexp(hsp_rng_uniform(r) - 0.5, (int)hsp_rng_below(r, 40) - 30);
    text[hsp_number_format(v, text)] = '\0';
}

static void long_mantissa(hsp_rng *r, char *text) {
    int n = hsp_rng_below(r, 2) ? 1 : 0, whole = (int)hsp_rng_below(r, 41);
    if (n) *text = '-';
    n += some_digits(r, text + n, whole);
    text[n++] = '.';
    n += some_digits(r, text + n, 41 - whole);
    if (hsp_rng_below(r, 2)) snprintf(text + n, 20, "e%d", (int)hsp_rng_below(r, 700) - 350);
}

/* Exactly halfway between a double and the next one; or with one more digit, at any distance. */
static void halfway(hsp_rng *r, char *text) {
    static const int wide[] = {4, 60, 60, 120, 1070};
    int range = wide[hsp_rng_below(r, 5)], k = (int)hsp_rng_below(r, 2 * range) - range;
    uint64_t m = hsp_rng_next(r) >> 11 | UINT64_C(1) << 52;
    if (hsp_rng_below(r, 8) == 0) m = UINT64_C(1) << 52;
    if (hsp_rng_below(r, 20) == 0) {
        k = -1074; /* denormals and 0 */
        m = (hsp_rng_next(r) >> 12) >> hsp_rng_below(r, 53);
    }
    if (k > 971) k = 971;
    mpz_t half, power;
    mpz_inits(half, power, NULL);
    mpz_set_ui(half, 2 * m + 1);
    if (k >= 1)
        mpz_mul_2exp(half, half, (mp_bitcnt_t)(k - 1));
    else {
        mpz_ui_pow_ui(power, 5, (unsigned long)(1 - k));
        mpz_mul(half, half, power);
    }
    int exponent = k >= 1 ? 0 : k - 1, how = (int)hsp_rng_below(r, 4);
    if (how == 1) mpz_sub_ui(half, half, 1);
    mpz_get_str(text, 10, half);
    mpz_clears(half, power, NULL);
    size_t n = strlen(text);
    if (how > 1) {
        size_t zeros = (size_t)hsp_rng_below(r, how == 2 ? 4 : 120);
        memset(text + n, '0', zeros);
        memcpy(text + n + zeros, how == 2 ? "1" : "0", 2);
        exponent -= (int)zeros + 1;
    }
    if (exponent != 0) snprintf(text + strlen(text), 20, "e%d", exponent);
}

static void denormal(hsp_rng *r, char *text) {
    double v = from_bits((hsp_rng_next(r) >> 11) >> hsp_rng_below(r, 53));
    snprintf(text, TEXT, "%.*e", (int)hsp_rng_below(r, 25), v);
}

static void near_infinity(hsp_rng *r, char *text) {
    static const char *const begin[] = {"1.797693134862315", "17976931348623157", "1.7976931348623158",
                                        "179769313486231580793", "1.79769"};
    static const int power[] = {308, 292, 308, 288, 308};
    int which = (int)hsp_rng_below(r, 5), n = (int)strlen(begin[which]);
    memcpy(text, begin[which], (size_t)n);
    n += some_digits(r, text + n, (int)hsp_rng_below(r, 20));
    snprintf(text + n, 20, "e%d", power[which]);
}

static void huge_exponent(hsp_rng *r, char *text) {
    int n = some_digits(r, text, 1 + (int)hsp_rng_below(r, 25));
    int64_t e = (int64_t)(hsp_rng_next(r) >> (1 + hsp_rng_below(r, 60)));
    snprintf(text + n, 40, "%c%s%lld", hsp_rng_below(r, 2) ? 'e' : 'E', hsp_rng_below(r, 2) ? "-" : "+", (long long)e);
}

/* Zeros before and after, so that the last significant digit is anywhere. */
static void zeros(hsp_rng *r, char *text) {
    int before = (int)hsp_rng_below(r, 40), after = (int)hsp_rng_below(r, 40), n = 0;
    if (hsp_rng_below(r, 3) > 0) {
        memset(text, '0', (size_t)before);
        n = before;
        text[n++] = '.';
        before = (int)hsp_rng_below(r, 30);
    }
    memset(text + n, '0', (size_t)before);
    n += before;
    n += some_digits(r, text + n, 1 + (int)hsp_rng_below(r, 22));
    memset(text + n, '0', (size_t)after);
    n += after;
    text[n] = '\0';
    if (hsp_rng_below(r, 2)) snprintf(text + n, 20, "e%d", (int)hsp_rng_below(r, 120) - 60);
}

static void whole_number(hsp_rng *r, char *text) {
    static const char *const tail[] = {"", "", ".", ".0", ".5", ".50000000000000000001", "e0", "e1", "e-1", "e22", "e-22"};
    static const int power[] = {24, 53, 54, 63, 64};
    int k = power[hsp_rng_below(r, 5)];
    uint64_t v = (k == 64 ? 0 : UINT64_C(1) << k) + (uint64_t)hsp_rng_below(r, 2000) - 1000;
    if (k == 64 && hsp_rng_below(r, 2) == 0)
        snprintf(text, TEXT, "1844674407370955%d", (int)hsp_rng_below(r, 10000)); /* on either side of 2^64 */
    else
        snprintf(text, TEXT, "%llu%s", (unsigned long long)v, tail[hsp_rng_below(r, 11)]);
}

/* As files have them. */
static void everyday(hsp_rng *r, char *text) {
    int n = 0, whole = (int)hsp_rng_below(r, 10) - 2, fraction = (int)hsp_rng_below(r, 20) - 1;
    if (hsp_rng_below(r, 3) == 0) text[n++] = "+-"[hsp_rng_below(r, 2)];
    n += some_digits(r, text + n, whole < 1 ? 1 : whole);
    if (fraction >= 0) text[n++] = '.';
    n += some_digits(r, text + n, fraction < 0 ? 0 : fraction);
    if (hsp_rng_below(r, 5) == 0) snprintf(text + n, 20, "e%d", (int)hsp_rng_below(r, 60) - 30);
}

static writes *const kinds[] = {full_digits,   shortest,      long_mantissa, halfway,      everyday, denormal,
                                near_infinity, huge_exponent, zeros,         whole_number, everyday};
enum { KINDS = sizeof kinds / sizeof *kinds, TASKS = 64 };

/* ---- the comparison ---- */

typedef struct trial {
    int64_t count[TASKS];
    char wrong[TASKS][2 * TEXT]; /* what failed first; "": nothing */
} trial;

/* The bytes from s to `end` as a number, by all the functions that read one: they agree, also on text that is not a
 * number. */
static bool all_agree(const char *s, const char *end, const char **stop, uint64_t *bits) {
    double bounded = -7, padded = -7;
    *stop = hsp_number_parse(s, end, &bounded);
    *bits = bits_of(bounded);
    if (!*stop && *bits != bits_of(-7)) return false;
    return hsp_number_parse_padded(s, &padded) == *stop && bits_of(padded) == *bits;
}

static void check_one(hsp_rng *r, int64_t i, const char *text, char *wrong) {
    static const char nasty[] = "0123456789..eeEE+-+-:/#, \t";
    char buffer[64 + TEXT + 80];
    size_t n = strlen(text);
    char *s = buffer + i % 64, *end = s + n;
    memcpy(s, text, n);
    memset(end, 0, 80);
    int follows = (int)(i / 64 % 256);
    *end = memchr(nasty, follows, 20) ? '\n' : (char)follows; /* bytes that cannot continue the number */
    end[1] = (char)('0' + i % 10);
    end[2] = '\n';
    const char *stop = NULL;
    uint64_t bits = 0, slow = read_slowly(text);
    bool same = all_agree(s, end + 2, &stop, &bits) && stop == end && bits == slow;
    double alone = -7;
    same = same && hsp_number_parse(s, end, &alone) == end && bits_of(alone) == slow;
    if (i % 8 == 0) same = same && bits_of(strtod(text, NULL)) == slow;
    /* Bytes that continue the number, or begin in its middle. */
    for (int k = 0; k < 4; k++) end[k] = nasty[hsp_rng_below(r, sizeof nasty - 1)];
    end[4] = '\n';
    same = same && all_agree(s + hsp_rng_below(r, (int64_t)n), end + 4, &stop, &bits);
    if (!same)
        snprintf(wrong, 2 * TEXT, "'%s' followed by byte %d at %d: %a, not %a", text, follows, (int)(i % 64),
                 from_bits(bits), from_bits(slow));
}

static void compare_range(void *ctx, int64_t task) {
    trial *t = ctx;
    hsp_rng r = hsp_rng_new(5, (uint64_t)task);
    char text[TEXT];
    for (int64_t i = 0; i < t->count[task] && !*t->wrong[task]; i++) {
        kinds[i % KINDS](&r, text);
        check_one(&r, i, text, t->wrong[task]);
    }
}

static void millions(void **state) {
    (void)state;
    const char *asked = getenv("HALFSPACE_NUMBERS");
    int64_t count = 2000000;
    if (asked) assert_non_null(hsp_number_parse_int(asked, asked + strlen(asked), &count));
    trial *t = calloc(1, sizeof *t);
    assert_non_null(t);
    for (int k = 0; k < TASKS; k++) t->count[k] = count / TASKS + 1;
    hsp_pool_run(TASKS, hsp_pool_threads(0), compare_range, t);
    for (int k = 0; k < TASKS; k++)
        if (*t->wrong[k]) fail_msg("%.600s", t->wrong[k]);
    free(t);
}

/* The slow reader itself, on known values. */
static void slow_reader(void **state) {
    (void)state;
    assert_true(from_bits(read_slowly("1")) == 1 && from_bits(read_slowly("-0.75e1")) == -7.5);
    assert_int_equal(read_slowly("-0"), UINT64_C(1) << 63);
    assert_int_equal(read_slowly("9007199254740993"), bits_of(9007199254740992.0));
    assert_int_equal(read_slowly("9007199254740995"), bits_of(9007199254740996.0));
    assert_int_equal(read_slowly("9007199254740993.000000000000000000000001"), bits_of(9007199254740994.0));
    assert_int_equal(read_slowly("4.9e-324"), 1);
    assert_int_equal(read_slowly("2.4703282292062327e-324"), 0);
    assert_int_equal(read_slowly("2.4703282292062328e-324"), 1);
    assert_int_equal(read_slowly("2.2250738585072014e-308"), UINT64_C(1) << 52);
    assert_int_equal(read_slowly("1.7976931348623157e308"), INFINITE - 1);
    assert_int_equal(read_slowly("1.797693134862315808e308"), INFINITE);
    assert_int_equal(read_slowly("1e-99999999999999999999"), 0);
    assert_int_equal(read_slowly("1e+99999999999999999999"), INFINITE);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(slow_reader), cmocka_unit_test(millions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
