#include "select/grid_values.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/text.h"
#include "classifier/classifier.h"
#include "option/options.h"
#include "option/unknown_name.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_VALUES = 1000, USUAL_VALUES = 25 };

static bool is_numeric(const hsp_option *p) {
    return p->type == HSP_OPTION_INT || p->type == HSP_OPTION_REAL || p->type == HSP_OPTION_NUMBER_OR_CHOICE;
}

static const char *algorithm_at(int64_t i) {
    return hsp_classifier_table[i] ? hsp_classifier_table[i]->name : NULL;
}

int hsp_grid_unknown_algorithm(const char *name, hsp_error **err) {
    return hsp_fail_unknown_name("algorithm", name, algorithm_at, err);
}

/* ---- failures ---- */

/* --lambdas keeps the message that it shares with plots. */
static int fail_range(const hsp_option *p, const char *flag, const char *values, int64_t length, hsp_error **err) {
    char shown[HSP_EXCERPT];
    hsp_excerpt(shown, values, length);
    if (strcmp(flag, "lambdas") == 0)
        return hsp_fail(err, HSP_EUSAGE,
                        "--lambdas cannot be '%s': give LO:HI[:N] with 0 < LO < HI and N from 2 to 1000, or up to 1000 "
                        "positive numbers separated by commas",
                        shown);
    return hsp_fail(
        err, HSP_EUSAGE,
        "--grid %s cannot be '%s': give LO:HI:logN with 0 < LO < HI, or LO:HI:linN with LO < HI, N from 2 to 1000", p->name,
        shown);
}

static int fail_list(const hsp_option *p, const char *values, int64_t length, hsp_error **err) {
    char shown[HSP_EXCERPT];
    return hsp_fail(err, HSP_EUSAGE, "--grid %s cannot be '%s': give from 1 to 1000 values, separated by commas", p->name,
                    hsp_excerpt(shown, values, length));
}

/* ---- one value ---- */

/* Checks a value as the option does, and appends it. */
static int add_value(hsp_options *scratch, const hsp_option *p, const char *flag, const char *text, hsp_grid_axis *a,
                     hsp_error **err) {
    hsp_error *inner = NULL;
    if (hsp_options_set(scratch, p->name, text, &inner)) {
        int code = hsp_error_code(inner);
        if (code == HSP_EMEMORY) {
            hsp_error_pass(err, inner);
            return code;
        }
        hsp_fail(err, code, "--%s: %s", flag, hsp_error_message(inner));
        hsp_error_free(inner);
        return code;
    }
    const char *canonical = hsp_options_text(scratch, p->name);
    for (int64_t i = 0; i < a->count; i++)
        if (strcmp(a->text[i], canonical) == 0) return HSP_OK;
    if (!(a->text[a->count] = hsp_strdup(canonical))) return hsp_fail_memory(err);
    if (a->number) a->number[a->count] = hsp_options_real(scratch, p->name, NAN);
    a->count++;
    return HSP_OK;
}

/* ---- ranges ---- */

/* A whole number of n bytes, from 2 to MOST_VALUES; 0: it is none. */
static int64_t count_of(const char *s, const char *end) {
    int64_t n = 0;
    if (s == end || hsp_number_parse_int(s, end, &n) != end || n < 2 || n > MOST_VALUES) return 0;
    return n;
}

typedef struct number_range {
    double lo, hi;
    int64_t count;
    bool equal_steps;
} number_range;

static bool read_range(const char *s, const char *end, number_range *r) {
    *r = (number_range){.count = USUAL_VALUES};
    const char *at = hsp_number_parse(s, end, &r->lo);
    if (!at || at == end || *at != ':') return false;
    at = hsp_number_parse(at + 1, end, &r->hi);
    if (!at || (at != end && *at != ':')) return false;
    if (at != end) {
        at++;
        bool worded = end - at > 3 && (memcmp(at, "lin", 3) == 0 || memcmp(at, "log", 3) == 0);
        r->equal_steps = worded && at[1] == 'i';
        r->count = count_of(worded ? at + 3 : at, end);
    }
    return r->count > 0 && isfinite(r->lo) && isfinite(r->hi) && r->lo < r->hi && (r->equal_steps || r->lo > 0);
}

static double value_of(const number_range *r, int64_t i) {
    double share = (double)i / (double)(r->count - 1);
    if (i == 0) return r->lo;
    if (i == r->count - 1) return r->hi;
    if (r->equal_steps) return r->lo + (r->hi - r->lo) * share;
    double a = log10(r->lo), b = log10(r->hi);
    return pow(10, a + (b - a) * share); /* powers of ten are exact */
}

static int add_range(hsp_options *scratch, const hsp_option *p, const char *flag, const char *values, int64_t length,
                     hsp_grid_axis *a, hsp_error **err) {
    number_range r;
    char digits[HSP_NUMBER_SIZE];
    int status = HSP_OK;
    if (!read_range(values, values + length, &r)) return fail_range(p, flag, values, length, err);
    for (int64_t i = 0; !status && i < r.count; i++) {
        double v = value_of(&r, i);
        hsp_format_number(p->type == HSP_OPTION_INT ? round(v) : v, digits);
        status = add_value(scratch, p, flag, digits, a, err);
    }
    return status;
}

/* ---- lists ---- */

static int add_list(hsp_options *scratch, const hsp_option *p, const char *flag, const char *values, int64_t length,
                    hsp_grid_axis *a, hsp_error **err) {
    const char *end = values + length;
    char between = memchr(values, '|', (size_t)length) ? '|' : ',';
    int status = HSP_OK;
    for (const char *s = values; !status; s++) {
        const char *stop = memchr(s, between, (size_t)(end - s));
        if (!stop) stop = end;
        const char *from = s, *to = stop;
        while (from < to && *from == ' ') from++;
        while (to > from && to[-1] == ' ') to--;
        if (from == to || a->count == MOST_VALUES)
            return is_numeric(p) && strcmp(flag, "lambdas") == 0 ? fail_range(p, flag, values, length, err)
                                                                 : fail_list(p, values, length, err);
        char *text = hsp_strndup(from, (size_t)(to - from));
        status = text ? add_value(scratch, p, flag, text, a, err) : hsp_fail_memory(err);
        hsp_free(text);
        s = stop;
        if (stop == end) break;
    }
    return status;
}

/* ---- the axis ---- */

/* Sorts numbers; words come after them, in their order. */
static void sort_values(hsp_grid_axis *a) {
    for (int64_t i = 1; a->number && i < a->count; i++) {
        double v = a->number[i];
        char *text = a->text[i];
        int64_t k = i;
        for (; k > 0 && !isnan(v) && !(a->number[k - 1] <= v); k--) {
            a->number[k] = a->number[k - 1];
            a->text[k] = a->text[k - 1];
        }
        a->number[k] = v;
        a->text[k] = text;
    }
}

/* --lambdas takes positive numbers only. */
static bool is_positive(const hsp_grid_axis *a) {
    for (int64_t i = 0; i < a->count; i++)
        if (!(a->number[i] > 0)) return false;
    return true;
}

int hsp_grid_values(const hsp_option *p, const char *flag, const char *values, int64_t length, hsp_grid_axis *out,
                    hsp_error **err) {
    hsp_options *scratch = NULL;
    bool short_form = strcmp(flag, "lambdas") == 0;
    int status = hsp_options_new(&scratch, err);
    out->text = hsp_alloc_zero(MOST_VALUES, sizeof *out->text);
    if (is_numeric(p)) out->number = hsp_alloc(MOST_VALUES, sizeof *out->number);
    if (!status && (!out->text || (is_numeric(p) && !out->number))) status = hsp_fail_memory(err);
    hsp_error *inner = NULL;
    if (!status && is_numeric(p) && memchr(values, ':', (size_t)length))
        status = add_range(scratch, p, flag, values, length, out, &inner);
    else if (!status)
        status = add_list(scratch, p, flag, values, length, out, &inner);
    if (short_form && status != HSP_EMEMORY && (status || !is_positive(out))) {
        hsp_error_free(inner);
        inner = NULL;
        status = fail_range(p, flag, values, length, &inner);
    }
    if (inner) hsp_error_pass(err, inner);
    if (!status) sort_values(out);
    hsp_options_free(scratch);
    return status;
}
