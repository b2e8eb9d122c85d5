/* Columns of amounts: cells like $12.00 and 5% are numbers, once the sign is dropped. */
#include "base/error.h"
#include "base/memory.h"
#include "base/number_marks.h"
#include "base/text.h"
#include "data/schema.h"
#include "read/csv.h"

#include <math.h>
#include <string.h>

enum { PERCENT = 2, SHOWN = 3 };

/* The cells of a column seen so far. */
typedef struct sign_tally {
    int sign;             /* 0: none yet */
    int64_t signed_cells; /* amounts with that sign */
    int64_t plain;        /* numbers without a sign, except 0 */
    int64_t other;        /* words, and amounts with another sign */
} sign_tally;

static void tally_cell(const hsp_csv_table *t, const hsp_csv_view *v, int64_t j, sign_tally *s) {
    const hsp_number_marks marks = t->schema.rules.marks;
    double x;
    if (hsp_csv_table_missing(t, j, v->s, v->n)) return;
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

static void tally_rows(const hsp_csv_table *t, hsp_csv_cursor *k, sign_tally *s) {
    const char delimiter = t->marks.delimiter;
    while (hsp_csv_record(k, t->marks, NULL) > 0) {
        const char *p = hsp_csv_first(k->begin, k->stop, delimiter);
        for (int64_t c = 0; p && c < t->layout.columns; c++) {
            hsp_csv_view v;
            int64_t j = t->layout.role[c];
            if (hsp_csv_split(p, k->stop, t->marks, &v) < 0) break;
            if (j >= 0) tally_cell(t, &v, j, &s[j]);
            p = hsp_csv_after(v.next, k->stop, delimiter);
        }
    }
}

/* A currency may be written in some cells only; a percentage beside plain numbers could be either. A few other words are
 * errors in a column of numbers, as everywhere. */
static bool has_sign(const hsp_schema *schema, const sign_tally *s, int64_t j) {
    bool spelt = schema->spelt && schema->spelt[j];
    return !spelt && s->signed_cells > 0 && s->signed_cells > 9 * s->other && (s->sign != PERCENT || s->plain == 0);
}

/* Whether a sign stands anywhere in the bytes: most files have none, and their cells need not be split. */
static bool has_any_sign(const char *from, const char *end) {
    for (int k = 1; k < HSP_NUMBER_SIGNS; k++)
        if (memmem(from, (size_t)(end - from), hsp_number_sign[k], strlen(hsp_number_sign[k]))) return true;
    return false;
}

int hsp_csv_find_signs(hsp_csv_table *t, hsp_csv_cursor *k, const hsp_schema *known, hsp_error **err) {
    hsp_schema *schema = &t->schema;
    int64_t d = schema->d;
    if (known ? !known->sign : !has_any_sign(k->next, k->end)) return 0;
    if (!HSP_ALLOC_ZERO(schema->sign, d + 1)) return hsp_fail_memory(err);
    if (known) {
        memcpy(schema->sign, known->sign, (size_t)d);
        return 0;
    }
    sign_tally *tally = hsp_alloc_zero(d + 1, sizeof *tally);
    if (!tally) return hsp_fail_memory(err);
    tally_rows(t, k, tally);
    bool any = false;
    for (int64_t j = 0; j < d; j++) {
        if (!has_sign(schema, &tally[j], j)) continue;
        schema->sign[j] = (uint8_t)tally[j].sign;
        any = true;
    }
    hsp_free(tally);
    if (any) return 0;
    hsp_free(schema->sign);
    schema->sign = NULL;
    return 0;
}

void hsp_csv_describe_numbers(const hsp_schema *s, hsp_text *t) {
    const hsp_number_marks m = s->rules.marks;
    int64_t shown = 0;
    if (m.decimal == ',') hsp_text_add(t, ", decimal comma");
    if (m.thousands == ' ') hsp_text_add(t, ", thousands separated by a space");
    if (m.thousands && m.thousands != ' ') hsp_text_format(t, ", thousands separated by '%c'", m.thousands);
    for (int64_t j = 0; s->sign && j < s->d; j++) {
        char buf[32], piece[HSP_EXCERPT];
        if (!s->sign[j] || ++shown > SHOWN) continue;
        const char *name = hsp_schema_feature(s, j, buf);
        hsp_text_format(t, ", %s dropped in '%s'", hsp_number_sign[s->sign[j]],
                        hsp_excerpt(piece, name, (int64_t)strlen(name)));
    }
    if (shown > SHOWN) hsp_text_format(t, " and %lld more", (long long)(shown - SHOWN));
}
