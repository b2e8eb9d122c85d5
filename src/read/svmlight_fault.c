/* Messages on faulty rows of svmlight. */
#include "base/error.h"
#include "base/number.h"
#include "base/text.h"
#include "read/lines.h"
#include "read/svmlight.h"

#include <string.h>

#define SHAPE "write rows as `label id:value id:value ...`"

static hsp_place place(const hsp_svmlight_at *at, const char *p) {
    return (hsp_place){at->r->file, at->line, p - at->begin + 1};
}

static bool is_digit(char c) {
    return (unsigned char)(c - '0') < 10;
}

static const char *token_end(const char *p) {
    while (!hsp_svmlight_is_blank(*p) && !hsp_svmlight_is_line_end(*p)) p++;
    return p;
}

int hsp_svmlight_fail_nul(const hsp_svmlight_at *at, const char *p) {
    return hsp_fail_binary(at->err, place(at, p));
}

static int fail_id(const hsp_svmlight_at *at, const char *p, const char *colon) {
    char piece[HSP_EXCERPT];
    hsp_excerpt(piece, p, colon - p);
    const char *q = p + (p < colon && (*p == '-' || *p == '+'));
    bool whole = q < colon;
    for (const char *c = q; c < colon; c++) whole = whole && is_digit(*c);
    if (whole && *p == '-')
        return hsp_fail_at(at->err, HSP_EINPUT, place(at, p), "feature id %s is negative: use whole numbers from 0 or 1",
                           piece);
    if (!whole || *p == '+')
        return hsp_fail_at(at->err, HSP_EINPUT, place(at, p), "'%s' is not a feature id (a whole number): " SHAPE, piece);
    return hsp_fail_at(at->err, HSP_EINPUT, place(at, p), "feature id %s is too large: the largest is %d", piece,
                       HSP_SVMLIGHT_ID_LIMIT);
}

static int fail_value(const hsp_svmlight_at *at, const char *p, const char *end) {
    char piece[HSP_EXCERPT];
    hsp_excerpt(piece, p, end - p);
    hsp_place where = place(at, p);
    hsp_error **err = at->err;
    if (p == end)
        return hsp_fail_at(err, HSP_EINPUT, where, "the value after ':' is missing: " SHAPE ", without blanks around ':'");
    double v;
    if (hsp_number_parse(p, end, &v) == end)
        return hsp_fail_at(err, HSP_EINPUT, where, "value %s is too large for a double: scale the column down", piece);
    const char *q = p + (*p == '-' || *p == '+');
    if (end - q >= 3 && (hsp_text_same_letters(q, "nan", 3) || hsp_text_same_letters(q, "inf", 3)))
        return hsp_fail_at(err, HSP_EINPUT, where,
                           "value '%s' is not a finite number: give a number or leave the entry out", piece);
    if (memchr(p, ',', (size_t)(end - p)))
        return hsp_fail_at(err, HSP_EINPUT, where, "value '%s' is not a number: use a decimal point, not a comma", piece);
    return hsp_fail_at(err, HSP_EINPUT, where, "value '%s' is not a number: " SHAPE, piece);
}

int hsp_svmlight_fail_pair(const hsp_svmlight_at *at, const char *p) {
    const char *stop = token_end(p);
    for (const char *q = p; q < stop; q++)
        if ((unsigned char)*q < 32 || *q == 127)
            return hsp_fail_at(at->err, HSP_EINPUT, place(at, q), "the file is binary (byte %d): give a text file",
                               (int)(unsigned char)*q);
    const char *colon = memchr(p, ':', (size_t)(stop - p));
    if (!colon) {
        char piece[HSP_EXCERPT];
        return hsp_fail_at(at->err, HSP_EINPUT, place(at, p), "'%s' has no ':': " SHAPE, hsp_excerpt(piece, p, stop - p));
    }
    const char *q = p;
    while (q < colon && is_digit(*q)) q++;
    int64_t id;
    if (p == colon || q < colon || hsp_number_parse_int(p, colon, &id) != colon || id > HSP_SVMLIGHT_ID_LIMIT)
        return fail_id(at, p, colon);
    const char *comment = memchr(colon, '#', (size_t)(stop - colon));
    return fail_value(at, colon + 1, comment ? comment : stop);
}

int hsp_svmlight_fail_base(const hsp_svmlight_at *at, const char *p) {
    if (at->r->rule == HSP_BASE_BEGINNING)
        return hsp_fail_at(at->err, HSP_EINPUT, place(at, p),
                           "feature id 0, but the rows before are numbered from 1: use --base 0");
    return hsp_fail_at(at->err, HSP_EINPUT, place(at, p),
                       "feature id 0, but %s are numbered from 1: use --base 0 if the first feature is 0",
                       at->r->by_model ? "the model's features" : "ids");
}

int hsp_svmlight_fail_query(const hsp_svmlight_at *at, const char *p) {
    char piece[HSP_EXCERPT];
    return hsp_fail_at(at->err, HSP_EINPUT, place(at, p), "'%s' is not a query number: write qid:N, or leave it out",
                       hsp_excerpt(piece, p, token_end(p) - p));
}

int hsp_svmlight_fail_sum(const hsp_svmlight_at *at, uint32_t id) {
    return hsp_fail_at(at->err, HSP_EINPUT, place(at, at->begin),
                       "feature %u is given more than once and its values sum to infinity: give it once", id);
}

int hsp_svmlight_fail_label(const hsp_reader *r, int64_t line, int64_t column, bool labelled, hsp_error **err) {
    return hsp_fail_at(err, HSP_EINPUT, (hsp_place){r->file, line, column},
                       labelled ? "the row has a label, but the first row (line %lld) has none: label all rows or none"
                                : "the row has no label, but the first row (line %lld) has one: label all rows or none",
                       (long long)r->first);
}

int hsp_svmlight_fail_second_weight(const hsp_svmlight_at *at, const char *p) {
    return hsp_fail_at(at->err, HSP_EINPUT, place(at, p), "the weight, feature %lld, is given more than once: give it once",
                       (long long)at->r->weight);
}

int hsp_svmlight_fail_weight(const hsp_svmlight_at *at, const char *p, const char *end) {
    char piece[HSP_EXCERPT];
    return hsp_fail_at(at->err, HSP_EINPUT, place(at, p),
                       "the weight %s, feature %lld, is negative: give weights of at least 0",
                       hsp_excerpt(piece, p, end - p), (long long)at->r->weight);
}

int hsp_svmlight_fail_unweighted(const hsp_svmlight_at *at) {
    return hsp_fail_at(at->err, HSP_EINPUT, place(at, at->begin),
                       "the row has no weight (feature %lld): give it in every row, even if it is 0",
                       (long long)at->r->weight);
}
