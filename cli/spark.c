#include "spark.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/* ---- terminals ---- */

static bool names_utf8(const char *name) {
    const char *at = strchr(name, '.'); /* language_COUNTRY.ENCODING@variant */
    return at && (strncasecmp(at, ".UTF-8", 6) == 0 || strncasecmp(at, ".UTF8", 5) == 0);
}

bool hsp_cli_is_utf8(const char *lc_all, const char *lc_ctype, const char *lang) {
    const char *const names[] = {lc_all, lc_ctype, lang};
    for (int i = 0; i < 3; i++)
        if (names[i] && *names[i]) return names_utf8(names[i]);
    return false;
}

bool hsp_cli_draws(FILE *f) {
    const char *term = getenv("TERM");
    int file = fileno(f);
    if (file < 0 || isatty(file) != 1 || !term || strcmp(term, "dumb") == 0) return false;
    return hsp_cli_is_utf8(getenv("LC_ALL"), getenv("LC_CTYPE"), getenv("LANG"));
}

/* ---- lines ---- */

/* Appends one of U+2580 .. U+259F, which all have three bytes. */
static char *put_block(char *to, int last) {
    *to++ = '\xE2';
    *to++ = '\x96';
    *to++ = (char)last;
    return to;
}

enum { LOWER_EIGHTH = 0x81, FULL = 0x88, LEFT_EIGHTH = 0x8F, LEFT_HALF = 0x8C, RIGHT_HALF = 0x90 };

static double height_of(double v, bool logarithmic) {
    if (!logarithmic) return isfinite(v) ? v : (double)NAN;
    return v > 0 && isfinite(v) ? log(v) : (double)NAN;
}

/* The mean of the heights from `begin` to `end`; NaN when there are none. Divides before subtracting, so that
 * nothing overflows. */
static double mean_height(const double *v, int64_t begin, int64_t end, bool logarithmic) {
    double mean = 0;
    int64_t count = 0;
    for (int64_t i = begin; i < end; i++) {
        double h = height_of(v[i], logarithmic);
        if (isnan(h)) continue;
        count++;
        mean += h / (double)count - mean / (double)count;
    }
    return count > 0 ? mean : (double)NAN;
}

const char *hsp_cli_spark(const double *v, int64_t n, int width, bool logarithmic, char *out) {
    double h[HSP_CLI_SPARK], low = (double)INFINITY, high = -(double)INFINITY;
    int64_t most = width < 1 ? 1 : width > HSP_CLI_SPARK ? HSP_CLI_SPARK : width, k = n < most ? n : most;
    for (int64_t i = 0; i < k; i++) {
        h[i] = mean_height(v, i * n / k, (i + 1) * n / k, logarithmic);
        low = fmin(low, h[i]);
        high = fmax(high, h[i]);
    }
    char *to = out;
    for (int64_t i = 0; i < k; i++) {
        double share = high > low ? (h[i] / 2 - low / 2) / (high / 2 - low / 2) : 0;
        if (isnan(h[i]))
            *to++ = ' ';
        else
            to = put_block(to, LOWER_EIGHTH + (int)(share * 7 + 0.5));
    }
    *to = '\0';
    return out;
}

/* ---- bars ---- */

const char *hsp_cli_share_bar(double share, int width, char *out) {
    char *to = out;
    if (share >= 0 && share <= 1 && width >= 1 && width <= HSP_CLI_SPARK) {
        int all = 8 * width, eighths = (int)(share * all + 0.5);
        if (eighths == 0 && share > 0) eighths = 1;
        if (eighths == all && share < 1) eighths = all - 1;
        for (; eighths >= 8; eighths -= 8) to = put_block(to, FULL);
        if (eighths > 0) to = put_block(to, LEFT_EIGHTH - (eighths - 1));
    }
    *to = '\0';
    return out;
}

const char *hsp_cli_signed_bar(double value, int half, char *out) {
    static const char middle[] = "\xE2\x94\x82"; /* box drawing, light vertical */
    char *to = out;
    if (half < 1) half = 1;
    if (half > (HSP_CLI_SPARK - 1) / 2) half = (HSP_CLI_SPARK - 1) / 2;
    double size = fabs(value) < 1 ? fabs(value) : 1; /* NaN gives 1, but no bar below */
    int halves = isnan(value) ? 0 : (int)(size * 2 * half + 0.5);
    if (halves == 0 && value != 0 && !isnan(value)) halves = 1;
    int left = value < 0 ? halves : 0, right = value > 0 ? halves : 0;
    for (int i = (left + 1) / 2; i < half; i++) *to++ = ' ';
    if (left % 2) to = put_block(to, RIGHT_HALF);
    for (int i = 0; i < left / 2; i++) to = put_block(to, FULL);
    memcpy(to, middle, 3);
    to += 3;
    for (int i = 0; i < right / 2; i++) to = put_block(to, FULL);
    if (right % 2) to = put_block(to, LEFT_HALF);
    *to = '\0';
    return out;
}

const char *hsp_cli_shade(double share) {
    static const char *const shades[] = {"\xE2\x96\x91", "\xE2\x96\x92", "\xE2\x96\x93", "\xE2\x96\x88"};
    if (!(share > 0)) return " ";
    return shades[share >= 0.75 ? 3 : share >= 0.5 ? 2 : share >= 0.25 ? 1 : 0];
}
