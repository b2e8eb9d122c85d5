#include "short_number.h"

#include "halfspace.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Decimal digits d[0] d[1] ... d[n-1] times 10^(point - n): "0.00123" is digits 123, point -2. */
typedef struct short_decimal {
    char digit[40];
    int n, point;
    bool negative;
} short_decimal;

/* Parses the output of hsp_format_number. */
static short_decimal decimal_of(double v) {
    char buf[32];
    short_decimal d = {.negative = false};
    hsp_format_number(v, buf);
    const char *p = buf;
    if (*p == '-') d.negative = true, p++;
    bool fraction = false;
    for (; *p && *p != 'e'; p++) {
        if (*p == '.') {
            fraction = true;
            continue;
        }
        if (!fraction) d.point++;
        if (d.n == 0 && *p == '0') {
            d.point--;
            continue;
        }
        if (d.n < (int)sizeof d.digit) d.digit[d.n++] = *p;
    }
    if (*p == 'e') {
        int sign = 1, exponent = 0;
        p++;
        if (*p == '-' || *p == '+') sign = *p++ == '-' ? -1 : 1;
        for (; *p; p++) exponent = exponent * 10 + (*p - '0');
        d.point += sign * exponent;
    }
    while (d.n > 0 && d.digit[d.n - 1] == '0') d.n--;
    return d;
}

static void round_decimal(short_decimal *d, int keep, hsp_cli_rounding rounding) {
    if (keep >= d->n) return;
    bool up = rounding == HSP_CLI_UP || d->digit[keep] >= '5';
    d->n = keep;
    while (up && d->n > 0 && d->digit[d->n - 1] == '9') d->n--;
    if (up && d->n == 0) {
        d->digit[d->n++] = '1';
        d->point++;
    } else if (up) {
        d->digit[d->n - 1]++;
    }
    while (d->n > 0 && d->digit[d->n - 1] == '0') d->n--;
}

static char *put_plain(char *p, const short_decimal *d) {
    for (int i = 0; i < d->point; i++) *p++ = i < d->n ? d->digit[i] : '0';
    if (d->point <= 0) *p++ = '0';
    if (d->n > d->point) {
        *p++ = '.';
        for (int i = d->point; i < 0; i++) *p++ = '0';
        for (int i = d->point > 0 ? d->point : 0; i < d->n; i++) *p++ = d->digit[i];
    }
    return p;
}

static char *put_scientific(char *p, const short_decimal *d) {
    *p++ = d->digit[0];
    if (d->n > 1) *p++ = '.';
    for (int i = 1; i < d->n; i++) *p++ = d->digit[i];
    return p + snprintf(p, 8, "e%d", d->point - 1);
}

const char *hsp_cli_short(double v, int digits, hsp_cli_rounding rounding, char *buf) {
    if (!isfinite(v)) return memcpy(buf, "-", 2);
    short_decimal d = decimal_of(v);
    round_decimal(&d, d.point > digits && d.point <= 15 ? d.point : digits, rounding);
    char *p = buf;
    if (d.n == 0) return memcpy(buf, "0", 2);
    if (d.negative) *p++ = '-';
    p = d.point > -4 && d.point <= 15 ? put_plain(p, &d) : put_scientific(p, &d);
    *p = '\0';
    return buf;
}

const char *hsp_cli_share(double v, char *buf) {
    for (int digits = 4; digits < 17; digits++) {
        hsp_cli_short(v, digits, HSP_CLI_NEAREST, buf);
        if (v >= 1 || strcmp(buf, "1") != 0) break;
    }
    return buf;
}

const char *hsp_cli_above(double gap, char *buf) {
    double percent = gap > 0 ? 100 * gap / (1 - gap) : 0;
    return hsp_cli_short(percent > 0 && percent < 1e-12 ? 1e-12 : percent, 2, HSP_CLI_UP, buf);
}
