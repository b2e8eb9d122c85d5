/* Reports target leakage: columns that alone predict the label almost perfectly, by a threshold or by the majority class of
 * each level. Each side of a threshold, and each level, must have at least five rows. */
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "data/matrix.h"
#include "data/schema.h"
#include "inspect/checkup.h"
#include "table/kind.h"

#include <math.h>

enum { LEAK_ROWS = 50, LEAK_SIDE = 5, LEAK_TABLE = 1 << 24 };
static const double gives_away = 0.995 - 1e-9, close_by = 0.99; /* less 1e-9, because sums of shares are rounded */

/* ---- categories and truth values ---- */

/* count (features x classes): rows of each class where the feature is not 0. */
static void count_levels(const hsp_checkup *u, const bool *wanted, int64_t *count) {
    const hsp_matrix *x = &u->data->x;
    int64_t classes = u->data->classes.count;
    for (int64_t i = 0; i < x->n; i++) {
        hsp_row r = hsp_matrix_row(x, i);
        for (int64_t t = 0; t < r.count; t++) {
            int64_t j = hsp_row_id(r, t);
            if (wanted[j] && hsp_row_value(r, t) != 0) count[j * classes + u->data->y[i]]++;
        }
    }
}

/* The largest contribution of these rows to the sum of recalls, if one class is predicted for all of them. */
static double from_rows(const hsp_checkup *u, const int64_t *count) {
    double most = 0;
    int64_t rows = 0;
    for (int64_t k = 0; k < u->data->classes.count; k++) {
        rows += count[k];
        if (u->class_counts[k] >= LEAK_SIDE) most = fmax(most, (double)count[k] / (double)u->class_counts[k]);
    }
    return rows >= LEAK_SIDE ? most : 0;
}

static double accuracy_of(const hsp_checkup *u, int64_t c, int64_t *count, int64_t counted) {
    const hsp_table_column *column = &u->encoding->column[c];
    int64_t classes = u->data->classes.count, *of = count + column->first * classes;
    double sum = 0;
    if (column->kind->numbers > 0) { /* 1 or 0 */
        sum = from_rows(u, of);
        for (int64_t k = 0; k < classes; k++) of[k] = u->class_counts[k] - of[k];
        return (sum + from_rows(u, of)) / (double)counted;
    }
    for (int64_t f = 0; f < column->features; f++) sum += from_rows(u, of + f * classes);
    return sum / (double)counted;
}

int hsp_check_levels_leak(hsp_checkup *u, hsp_error **err) {
    int64_t d = u->data->x.d, classes = u->data->classes.count, counted = 0, any = 0;
    if (!u->encoding || !u->data->y || !u->summary || u->data->x.n < LEAK_ROWS || d * classes > LEAK_TABLE) return HSP_OK;
    for (int64_t k = 0; k < classes; k++) counted += u->class_counts[k] >= LEAK_SIDE;
    if (counted < 2) return HSP_OK;
    bool *wanted = hsp_alloc_zero(d > 0 ? d : 1, sizeof *wanted);
    int64_t *count = hsp_alloc_zero(d > 0 ? d * classes : 1, sizeof *count);
    if (wanted && count) {
        for (int64_t f = 0; f < d; f++) {
            const hsp_kind *kind = u->owner[f] >= 0 ? hsp_checkup_kind(u, u->owner[f]) : NULL;
            wanted[f] = kind && kind->levels;
            any += wanted[f];
        }
        if (any > 0) count_levels(u, wanted, count);
        for (int64_t c = 0; c < u->columns; c++) {
            const hsp_kind *kind = hsp_checkup_kind(u, c);
            if (!kind->levels || u->encoding->column[c].features < 1) continue;
            u->summary[c].accuracy = accuracy_of(u, c, count, counted);
            u->summary[c].coded = true;
            u->summary[c].threshold = NAN;
        }
    }
    int status = wanted && count ? HSP_OK : hsp_fail_memory(err);
    HSP_FREE(wanted, count);
    return status;
}

/* ---- findings ---- */

static void report_leak(hsp_checkup *u, int64_t c) {
    const hsp_column_summary *summary = &u->summary[c];
    char buf[32];
    hsp_finding *f = hsp_findings_add(&u->findings, summary->coded ? HSP_SEVERITY_WARNING : HSP_SEVERITY_NOTE, "leak");
    hsp_findings_column(&u->findings, c);
    hsp_text_format(&f->text, "column '%s' alone predicts the class with a balanced accuracy of ",
                    hsp_schema_feature(u->schema, c, buf));
    hsp_finding_number(&f->text, floor(summary->accuracy * 1e4 + 1e-5) / 1e4, 4);
    if (summary->numeric && isfinite(summary->threshold)) {
        hsp_text_add(&f->text, ", with threshold ");
        hsp_finding_number(&f->text, summary->threshold, 4);
    }
    if (summary->numeric && hsp_checkup_sample(u) < u->data->x.n)
        hsp_text_format(&f->text, " (on a sample of %lld rows)", (long long)hsp_checkup_sample(u));
    hsp_text_add(&f->text, ": check that it is known before the class is");
    hsp_findings_ignore(&u->findings);
}

/* A numeric measurement that predicts the label is reported only if no other column comes close. Otherwise the classes are
 * simply far apart. */
void hsp_check_leaks(hsp_checkup *u) {
    int64_t able = 0, present = 0;
    for (int64_t c = 0; u->summary && c < u->columns; c++) {
        able += u->summary[c].accuracy >= close_by;
        present += !hsp_checkup_left_out(u, c);
    }
    for (int64_t c = 0; u->summary && present > 1 && c < u->columns; c++)
        if (u->summary[c].accuracy >= gives_away && (u->summary[c].coded || able == 1)) report_leak(u, c);
}
