/* Any bytes as text of a number, and the first eight as the bits of one. Read: as the C library reads it. Written: reads
 * back to the same bits, by us and by the C library, and is written the same again. */
#include "base/number.h"
#include "halfspace.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t bits_of(double v) {
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

static void fail(const char *what, const char *text, double a, double b) {
    fprintf(stderr, "%s: '%s': %a, %a\n", what, text, a, b);
    abort();
}

/* v is finite. */
static void check_format(double v) {
    char text[32];
    double ours = 0;
    int n = hsp_format_number(v, text);
    if (n < 1 || n > 25 || (size_t)n != strlen(text)) fail("length", text, v, n);
    if (hsp_parse_number(text, (size_t)n, &ours) != 0 || bits_of(ours) != bits_of(v)) fail("reads back", text, v, ours);
    if (bits_of(strtod(text, NULL)) != bits_of(v)) fail("the C library reads back", text, v, strtod(text, NULL));
    char again[32];
    if (hsp_format_number(ours, again) != n || memcmp(text, again, (size_t)n) != 0) fail("written again", again, v, ours);
    /* No text with fewer digits reads back: the nearest with one digit less does not. */
    int digits = 0;
    for (const char *s = text; *s && *s != 'e'; s++) digits += *s >= '0' && *s <= '9' && (digits > 0 || *s != '0');
    char shorter[64];
    bool plain_zeros = fabs(v) >= 10 && !strpbrk(text, ".e"); /* 100 has three digits but one significant one */
    if (digits < 2 || plain_zeros) return;
    snprintf(shorter, sizeof shorter, "%.*e", digits - 2, v);
    if (strtod(shorter, NULL) == v) fail("not the shortest", text, v, strtod(shorter, NULL));
}

/* Bytes behind the text that may be read do not change what is read. */
static void check_padded(const char *text, size_t n, const char *end, double v) {
    char *copy = malloc(n + 64);
    if (!copy) abort();
    memcpy(copy, text, n);
    memset(copy + n, '1', 64);
    copy[n] = '\n';
    double padded = v;
    const char *stop = hsp_number_parse_padded(copy, &padded);
    if ((end == NULL) != (stop == NULL) || (end && stop - copy != end - text) || bits_of(padded) != bits_of(v))
        fail("padded", text, v, padded);
    free(copy);
}

/* text ends in NUL, which is not part of a number. */
static void check_parse(const char *text, size_t n) {
    double v = 0;
    const char *end = hsp_number_parse(text, text + n, &v);
    check_padded(text, n, end, v);
    if (!end) return;
    if (end <= text || end > text + n || isnan(v)) fail("bounds", text, v, (double)(end - text));
    char *copy = strndup(text, (size_t)(end - text)), *stop = NULL;
    if (!copy) abort();
    double theirs = strtod(copy, &stop);
    if (*stop || bits_of(theirs) != bits_of(v)) fail("the C library differs", copy, v, theirs);
    double whole = 0;
    int status = hsp_parse_number(text, n, &whole);
    if ((status == 0) != (end == text + n && isfinite(v))) fail("one number", text, v, whole);
    if (status == 0 && bits_of(whole) != bits_of(v)) fail("one number", text, v, whole);
    if (isfinite(v)) check_format(v);
    free(copy);
}

static void check_int(const char *text, size_t n) {
    int64_t v = -1;
    const char *end = hsp_number_parse_int(text, text + n, &v);
    if (!end) return;
    char back[32];
    int length = hsp_number_format_int(v, back);
    const char *digits = text;
    while (end - digits > 1 && *digits == '0') digits++;
    if (v < 0 || length != end - digits || memcmp(back, digits, (size_t)length) != 0) fail("integer", text, (double)v, 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = malloc(size + 1); /* a sanitizer sees a read beyond the NUL; `end` is before it */
    if (!text) abort();
    if (size > 0) memcpy(text, data, size);
    text[size] = '\0';
    check_parse(text, size);
    check_int(text, size);
    free(text);
    double v;
    if (size < sizeof v) return 0;
    memcpy(&v, data, sizeof v);
    if (isfinite(v)) check_format(v);
    char back[32];
    int64_t whole, read = 0;
    memcpy(&whole, data, sizeof whole);
    int n = hsp_number_format_int(whole, back);
    if (n < 1 || n > 20) abort();
    if (whole >= 0 && (hsp_number_parse_int(back, back + n, &read) != back + n || read != whole)) abort();
    return 0;
}
