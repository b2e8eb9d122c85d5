#include "plot/draw/numeral.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MINUS "\xE2\x88\x92"
#define NARROW "\xE2\x80\xAF" /* a narrow no-break space */
#define TIMES "\xC3\x97"

const char *hsp_numeral_decimal(int64_t n, int exponent, char *out) {
    char digits[24];
    uint64_t size = n < 0 ? (uint64_t)0 - (uint64_t)n : (uint64_t)n;
    int count = snprintf(digits, sizeof digits, "%" PRIu64, size);
    int at = n < 0 ? snprintf(out, HSP_NUMERAL, MINUS) : 0;
    int whole = count + exponent; /* digits before the point */
    if (whole <= 0) out[at++] = '0';
    if (n == 0 && whole > 1) whole = 1;
    for (int i = 0; i < whole; i++) {
        if (whole > 4 && i > 0 && (whole - i) % 3 == 0) at += snprintf(out + at, (size_t)(HSP_NUMERAL - at), NARROW);
        out[at++] = i < count ? digits[i] : '0';
    }
    if (exponent < 0) {
        out[at++] = '.';
        for (int i = whole; i < count; i++) out[at++] = i < 0 ? '0' : digits[i];
    }
    out[at] = 0;
    return out;
}

const char *hsp_numeral_power(int power, char *out) {
    static const char *const raised[] = {"\xE2\x81\xB0", "\xC2\xB9",     "\xC2\xB2",     "\xC2\xB3",     "\xE2\x81\xB4",
                                         "\xE2\x81\xB5", "\xE2\x81\xB6", "\xE2\x81\xB7", "\xE2\x81\xB8", "\xE2\x81\xB9"};
    char digits[16];
    int at = snprintf(out, HSP_NUMERAL, "10%s", power < 0 ? "\xE2\x81\xBB" : "");
    snprintf(digits, sizeof digits, "%d", abs(power));
    for (const char *p = digits; *p; p++) at += snprintf(out + at, (size_t)(HSP_NUMERAL - at), "%s", raised[*p - '0']);
    return out;
}

void hsp_numeral_subscript(const char *digits, char *out) {
    for (; *digits; digits++) out += snprintf(out, 4, "\xE2\x82%c", 0x80 + (*digits - '0'));
    *out = 0;
}

const char *hsp_numeral_round(double v, int digits, char *out) {
    if (v == 0) {
        snprintf(out, HSP_NUMERAL, "0");
        return out;
    }
    int lead =
        (int)floor(log10(fabs(v))); /* power of ten of the first digit; off by one near powers of ten, corrected below */
    int exponent = lead - digits + 1;
    int64_t n = (int64_t)llroundl((long double)v / powl(10, exponent));
    while (n % 10 == 0 && n != 0) {
        n /= 10;
        exponent++;
    }
    int count = snprintf(NULL, 0, "%" PRId64, n < 0 ? -n : n);
    lead = exponent + count - 1;
    if (lead >= -4 && lead < 6) {
        for (; exponent > 0; exponent--) n *= 10;
        return hsp_numeral_decimal(n, exponent, out);
    }
    char power[HSP_NUMERAL], factor[HSP_NUMERAL];
    hsp_numeral_power(lead, power);
    if (n == 1 || n == -1)
        snprintf(out, HSP_NUMERAL, "%s%.40s", n < 0 ? MINUS : "", power);
    else
        snprintf(out, HSP_NUMERAL, "%.40s" NARROW TIMES NARROW "%.40s", hsp_numeral_decimal(n, 1 - count, factor), power);
    return out;
}

const char *hsp_numeral_share(int64_t part, int64_t whole, char *out) {
    int64_t parts = whole > 200 ? 1000 : 100;
    int64_t share = (int64_t)((long double)part * (long double)parts / (long double)whole + 0.5L);
    if (part < whole && share >= parts) share = parts - 1;
    if (part > 0 && share == 0) share = 1;
    bool tenths = parts == 1000 && share % 10 != 0;
    hsp_numeral_decimal(tenths || parts == 100 ? share : share / 10, tenths ? -1 : 0, out);
    size_t at = strlen(out);
    snprintf(out + at, HSP_NUMERAL - at, NARROW "%%");
    return out;
}
