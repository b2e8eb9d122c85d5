/* Columns of amounts: cells like $12.00 and 5% are numbers, once the sign is dropped. */
#include "base/error.h"
#include "base/memory.h"
#include "base/number_marks.h"
#include "base/number_sign.h"
#include "base/text.h"
#include "data/schema.h"
#include "read/csv.h"

#include <math.h>
#include <string.h>

enum { SHOWN = 3 };

void hsp_csv_tally_sign(const hsp_csv_table *t, const hsp_csv_view *v, int64_t j, hsp_csv_sign_tally *s) {
    const hsp_number_marks marks = t->schema.rules.marks;
    double x;
    if (j < 0 ? hsp_csv_is_missing(v->s, v->n) : hsp_csv_table_missing(t, j, v->s, v->n)) return;
    if (hsp_number_marks_read(v->s, v->n, marks, &x)) {
        s->plain += x < 0 || x > 0;
        return;
    }
    int sign = hsp_number_sign_find(v->s, v->n);
    bool amount = sign && hsp_number_sign_read(v->s, v->n, sign, marks, &x) && isfinite(x);
    if (amount && !s->sign) s->sign = sign;
    if (amount && s->sign == sign)
        s->signed_cells++;
    else
        s->other++;
}

/* s: of each feature, and then of the target of regression. */
static void tally_rows(const hsp_csv_table *t, hsp_csv_cursor *k, hsp_csv_sign_tally *s) {
    const char delimiter = t->marks.delimiter;
    while (hsp_csv_record(k, t->marks, NULL) > 0) {
        const char *p = hsp_csv_first(k->begin, k->stop, delimiter);
        for (int64_t c = 0; p && c < t->layout.columns; c++) {
            hsp_csv_view v;
            int64_t j = t->layout.role[c];
            if (hsp_csv_split(p, k->stop, t->marks, &v) < 0) break;
            if (j >= 0) hsp_csv_tally_sign(t, &v, j, &s[j]);
            if (j == HSP_ROLE_TARGET && t->regression) hsp_csv_tally_sign(t, &v, -1, &s[t->schema.d]);
            p = hsp_csv_after(v.next, k->stop, delimiter);
        }
    }
}

/* A currency may be written in some cells only; a percentage beside plain numbers could be either, and parentheses are
 * negative numbers only beside others. A few other words are errors in a column of numbers, as everywhere. */
static bool has_sign(const hsp_csv_sign_tally *s) {
    if (s->signed_cells == 0 || s->signed_cells <= 9 * s->other) return false;
    return s->sign == HSP_SIGN_PERCENT ? s->plain == 0 : s->sign != HSP_SIGN_PARENTHESES || s->plain > 0;
}

static bool begins_with_sign(const char *p, const char *end) {
    if (*p == '(') return true;
    for (int k = 1; k < HSP_SIGN_PARENTHESES; k++) {
        const char *sign = hsp_number_sign[k];
        size_t n = strlen(sign);
        if (*p == *sign && (size_t)(end - p) >= n && memcmp(p, sign, n) == 0) return true;
    }
    return false;
}

/* Whether a sign stands anywhere in the bytes: most files have none, and their cells need not be split. One pass looks for the
 * first bytes of all signs, because files of numbers have hardly one of them. */
static bool has_any_sign(const char *from, const char *end) {
    bool first[256] = {['('] = true};
    for (int k = 1; k < HSP_SIGN_PARENTHESES; k++) first[(unsigned char)*hsp_number_sign[k]] = true;
    for (const char *p = from; p < end; p++)
        if (first[(unsigned char)*p] && begins_with_sign(p, end)) return true;
    return false;
}

/* Sets the signs of the columns of which the cells were counted; whether a feature has one. */
static bool set_signs(hsp_schema *schema, const hsp_csv_sign_tally *tally) {
    int64_t d = schema->d;
    bool any = false;
    for (int64_t j = 0; j < d; j++) {
        if ((schema->spelt && schema->spelt[j]) || !has_sign(&tally[j])) continue;
        schema->sign[j] = (uint8_t)tally[j].sign;
        any = true;
    }
    if (has_sign(&tally[d])) schema->rules.target_sign = (uint8_t)tally[d].sign;
    return any;
}

int hsp_csv_choose_signs(hsp_csv_table *t, const hsp_csv_sign_tally *tally, const hsp_schema *known, hsp_error **err) {
    hsp_schema *schema = &t->schema;
    if (!tally && !known->sign) return 0;
    if (!HSP_ALLOC_ZERO(schema->sign, schema->d + 1)) return hsp_fail_memory(err);
    if (!tally) {
        memcpy(schema->sign, known->sign, (size_t)schema->d);
        return 0;
    }
    if (set_signs(schema, tally)) return 0;
    hsp_free(schema->sign);
    schema->sign = NULL;
    return 0;
}

int hsp_csv_find_signs(hsp_csv_table *t, hsp_csv_cursor *k, const hsp_schema *known, hsp_error **err) {
    if (known) return hsp_csv_choose_signs(t, NULL, known, err);
    if (!has_any_sign(k->next, k->end)) return 0;
    hsp_csv_sign_tally *tally = hsp_alloc_zero(t->schema.d + 1, sizeof *tally);
    if (!tally) return hsp_fail_memory(err);
    tally_rows(t, k, tally);
    int status = hsp_csv_choose_signs(t, tally, NULL, err);
    hsp_free(tally);
    return status;
}

/* Adds ", $ dropped in 'price'". */
static void describe_sign(int sign, const char *name, hsp_text *t) {
    char piece[HSP_EXCERPT];
    hsp_excerpt(piece, name, (int64_t)strlen(name));
    if (sign == HSP_SIGN_PARENTHESES)
        hsp_text_format(t, ", (5) read as -5 in '%s'", piece);
    else
        hsp_text_format(t, ", %s dropped in '%s'", hsp_number_sign[sign], piece);
}

void hsp_csv_describe_numbers(const hsp_schema *s, hsp_text *t) {
    const hsp_number_marks m = s->rules.marks;
    int64_t shown = 0;
    if (m.decimal == ',') hsp_text_add(t, ", decimal comma");
    if (m.thousands == ' ') hsp_text_add(t, ", thousands separated by a space");
    if (m.thousands && m.thousands != ' ') hsp_text_format(t, ", thousands separated by '%c'", m.thousands);
    for (int64_t j = 0; s->sign && j < s->d; j++) {
        char buf[32];
        if (s->sign[j] && ++shown <= SHOWN) describe_sign(s->sign[j], hsp_schema_feature(s, j, buf), t);
    }
    if (shown > SHOWN) hsp_text_format(t, " and %lld more", (long long)(shown - SHOWN));
    if (s->rules.target_sign) describe_sign(s->rules.target_sign, s->target ? s->target : "the target", t);
}
