/* Checks the columns of record batches before anything else reads them. */
#include "base/error.h"
#include "base/text.h"
#include "data/number_form.h"
#include "read/arrow.h"
#include "read/chunks.h"
#include "table/date.h"

#include <math.h>
#include <string.h>

/* Whole numbers from here on have 16 digits, so they may be codes (number_form.h). */
#define FIRST_CODE 1e15

/* ---- arrays as a whole ---- */

/* Whether lengths and counts are possible, and the array has `rows` values from the first. */
static bool is_long_enough(const struct ArrowArray *a, int64_t rows) {
    const int64_t most = INT64_MAX / 64;
    return a->offset >= 0 && a->offset <= most && a->length >= rows && a->length <= most && a->null_count >= -1;
}

/* The number of buffers of a type; views have at least that many. */
static int64_t buffers_of(hsp_arrow_kind kind) {
    return kind == HSP_ARROW_NULL ? 0 : kind == HSP_ARROW_TEXT || kind == HSP_ARROW_VIEW ? 3 : 2;
}

static hsp_arrow_fault check_buffers(const struct ArrowArray *a, const hsp_arrow_type *t, int64_t rows) {
    int64_t needed = buffers_of(t->kind), n = a->n_buffers;
    if (t->kind == HSP_ARROW_VIEW ? n < needed : n != needed) return HSP_ARROW_BUFFERS;
    if (needed == 0 || rows == 0) return HSP_ARROW_SOUND;
    if (!a->buffers || !a->buffers[1] || (a->null_count > 0 && !a->buffers[0])) return HSP_ARROW_NO_BUFFER;
    if (t->kind == HSP_ARROW_VIEW && n > needed && !a->buffers[n - 1]) return HSP_ARROW_NO_BUFFER;
    return HSP_ARROW_SOUND;
}

/* rows: from the first value on, which must be there. */
static hsp_arrow_fault check_array(const struct ArrowArray *a, const hsp_arrow_type *t, int64_t rows) {
    if (!is_long_enough(a, rows)) return HSP_ARROW_LENGTH;
    return check_buffers(a, t, rows);
}

/* ---- values ---- */

static hsp_arrow_fault check_text(const hsp_arrow_values *v, int64_t i) {
    int64_t n;
    const char *s = hsp_arrow_text(v, i, &n);
    if (!s || n < 0) return HSP_ARROW_OFFSETS;
    if (n > HSP_RECORD_LIMIT) return HSP_ARROW_LONG;
    return memchr(s, '\0', (size_t)n) ? HSP_ARROW_NUL : HSP_ARROW_SOUND;
}

static hsp_arrow_fault check_date(const hsp_arrow_values *v, int64_t i) {
    int64_t rest, days = hsp_arrow_days(v, i, &rest);
    return hsp_date_days_valid((double)days) ? HSP_ARROW_SOUND : HSP_ARROW_CALENDAR;
}

/* Whether a number is infinite or may be a code, so that it has to be spelt. */
static bool is_odd(const hsp_arrow_values *v, int64_t i) {
    double x = hsp_arrow_number(v, i);
    if (v->type->kind == HSP_ARROW_FLOAT) return isinf(x);
    if (v->type->kind != HSP_ARROW_DECIMAL) return x >= FIRST_CODE;
    char buf[HSP_ARROW_SPELT];
    return !isfinite(x) || hsp_number_is_code(buf, hsp_arrow_spell_decimal(v, i, buf));
}

static hsp_arrow_fault check_value(const hsp_arrow_values *v, int64_t i, hsp_arrow_findings *found) {
    switch (v->type->kind) {
    case HSP_ARROW_TEXT:
    case HSP_ARROW_VIEW: return check_text(v, i);
    case HSP_ARROW_DATE:
    case HSP_ARROW_TIME: return check_date(v, i);
    case HSP_ARROW_FLOAT:
        if (isnan(hsp_arrow_number(v, i))) {
            found->missing = true;
            break;
        }
        /* fall through */
    default: found->odd = found->odd || is_odd(v, i);
    }
    return HSP_ARROW_SOUND;
}

/* Whether numbers without nulls are all finite and none may be a code, as in most columns. */
static bool all_usual(const hsp_arrow_values *v) {
    enum { PIECE = 256 };
    const hsp_arrow_part part = {.cells = *v};
    double x[PIECE], most = v->type->kind == HSP_ARROW_FLOAT ? (double)INFINITY : FIRST_CODE;
    for (int64_t from = 0; from < v->length; from += PIECE) {
        int64_t count = v->length - from < PIECE ? v->length - from : PIECE;
        int usual = 1;
        hsp_arrow_numbers(&part, from, count, x, 1);
        for (int64_t k = 0; k < count; k++) usual &= (x[k] < most) & (x[k] > -INFINITY);
        if (!usual) return false;
    }
    return true;
}

/* Whether nothing can be wrong or odd with the values. */
static bool is_plain(const hsp_arrow_values *v) {
    const hsp_arrow_type *t = v->type;
    if (t->kind == HSP_ARROW_NULL || (v->array->null_count != 0 && v->array->buffers[0])) return false;
    bool whole = t->kind == HSP_ARROW_INT || t->kind == HSP_ARROW_UINT;
    if (t->kind == HSP_ARROW_BOOL || (whole && t->bytes < 8)) return true;
    return (whole || t->kind == HSP_ARROW_FLOAT) && all_usual(v);
}

/* Sets the first fault of the values and its place. */
static void check_values(const hsp_arrow_values *v, hsp_arrow_findings *found) {
    if (v->length == 0 || is_plain(v)) return;
    for (int64_t i = 0; i < v->length && !found->fault; i++) {
        if (hsp_arrow_is_valid(v, i))
            found->fault = check_value(v, i, found);
        else
            found->missing = true;
        found->row = i;
    }
}

/* ---- columns ---- */

/* Indices and words of a dictionary. The words are not rows: they have no place. */
static void check_coded(const hsp_arrow_part *p, hsp_arrow_findings *found) {
    hsp_arrow_findings words = {0};
    check_values(&p->words, &words);
    found->fault = words.fault;
    found->row = -1;
    for (int64_t i = 0; i < p->cells.length && !found->fault; i++) {
        if (!hsp_arrow_is_valid(&p->cells, i)) {
            found->missing = true;
            continue;
        }
        int64_t index = hsp_arrow_index(&p->cells, i);
        found->fault = index >= 0 && index < p->words.length ? HSP_ARROW_SOUND : HSP_ARROW_INDEX;
        found->row = i;
    }
}

static hsp_arrow_fault check_whole(const hsp_arrow_batches *b, int64_t batch, int64_t c) {
    const struct ArrowArray *rows = &b->batch[batch], *a = rows->children[c];
    const hsp_arrow_column *column = &b->column[c];
    hsp_arrow_fault fault = check_array(a, column->coded ? &column->index : &column->type, rows->offset + rows->length);
    if (fault || !column->coded) return fault;
    if (!a->dictionary || !a->dictionary->release) return HSP_ARROW_DICTIONARY;
    return a->dictionary->length < 0 ? HSP_ARROW_LENGTH : check_array(a->dictionary, &column->type, a->dictionary->length);
}

hsp_arrow_findings hsp_arrow_check(const hsp_arrow_batches *b, int64_t c) {
    hsp_arrow_findings found = {0};
    for (int64_t k = 0; k < b->count && !found.fault; k++) {
        found.batch = k;
        found.row = -1;
        found.fault = check_whole(b, k, c);
        if (found.fault) break;
        hsp_arrow_part p = hsp_arrow_part_of(b, k, c);
        if (p.coded)
            check_coded(&p, &found);
        else
            check_values(&p.cells, &found);
    }
    return found;
}

/* ---- messages ---- */

int hsp_arrow_fail(const hsp_arrow_batches *b, int64_t c, const hsp_arrow_findings *found, const char *name,
                   const char *file, hsp_error **err) {
    static const char *const what[] = {
        [HSP_ARROW_LENGTH] = "has fewer values than the record batch has rows: export the table again",
        [HSP_ARROW_BUFFERS] = "has a number of buffers that its type does not have: export the table again",
        [HSP_ARROW_NO_BUFFER] = "lacks a buffer: export the table again",
        [HSP_ARROW_DICTIONARY] = "lacks its dictionary: export the table again",
        [HSP_ARROW_OFFSETS] = "has a text that is out of its buffer: export the table again",
        [HSP_ARROW_INDEX] = "has an index that is not in its dictionary: export the table again",
        [HSP_ARROW_NUL] = "has a text with a NUL character: remove it",
        [HSP_ARROW_LONG] = "has a text of more than 1 GiB: shorten it",
        [HSP_ARROW_CALENDAR] = "has a date out of the years 1 to 9999: correct it, or leave it null"};
    char piece[HSP_EXCERPT];
    hsp_excerpt(piece, name, (int64_t)strlen(name));
    const hsp_arrow_type *t = &b->column[c].type;
    if (found->row >= 0)
        return hsp_fail_at(err, HSP_EINPUT, (hsp_place){file, b->first[found->batch] + found->row + 1, 0},
                           "column '%s' %s", piece, what[found->fault]);
    return hsp_fail_file(err, file, "column '%s' of type %s in record batch %lld %s", piece, t->name,
                         (long long)found->batch + 1, what[found->fault]);
}
