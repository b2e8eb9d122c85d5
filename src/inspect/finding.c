#include "inspect/finding.h"

#include "base/memory.h"
#include "table/spelling.h"

#include <math.h>
#include <string.h>

enum { LISTED = 8 };

hsp_finding *hsp_findings_add(hsp_findings *l, hsp_severity severity, const char *what) {
    hsp_finding *f = &l->lost;
    if (!l->failed && hsp_reserve((void **)&l->item, &l->capacity, l->count + 1, sizeof *l->item) == 0) {
        f = &l->item[l->count++];
        *f = (hsp_finding){0};
    } else {
        l->failed = true;
    }
    f->severity = severity;
    f->what = what;
    return f;
}

static hsp_finding *newest(hsp_findings *l) {
    return l->failed || l->count == 0 ? &l->lost : &l->item[l->count - 1];
}

void hsp_findings_column(hsp_findings *l, int64_t j) {
    hsp_finding *f = newest(l);
    if (hsp_reserve((void **)&f->column, &f->column_capacity, f->columns + 1, sizeof *f->column))
        l->failed = true;
    else
        f->column[f->columns++] = j;
}

void hsp_findings_say_columns(hsp_findings *l) {
    hsp_finding *f = newest(l);
    char buf[32];
    hsp_text_add(&f->text, f->columns == 1 ? "column" : "columns");
    for (int64_t i = 0; i < f->columns && i < LISTED; i++)
        hsp_text_format(&f->text, "%s '%s'", i ? "," : "", hsp_schema_feature(l->schema, f->column[i], buf));
    if (f->columns > LISTED) hsp_text_format(&f->text, ", ... (%lld)", (long long)f->columns);
}

void hsp_findings_ignore(hsp_findings *l) {
    hsp_finding *f = newest(l);
    if (!l->schema->format || strcmp(l->schema->format, "csv") != 0 || f->columns == 0 || f->columns > LISTED) return;
    hsp_text_add(&f->fix, "--ignore ");
    for (int64_t i = 0; i < f->columns; i++) {
        if (i > 0) hsp_text_char(&f->fix, ',');
        hsp_type_column(&f->fix, l->schema, f->column[i]);
    }
}

/* ---- figures ---- */

void hsp_finding_number(hsp_text *t, double v, int digits) {
    double size = fabs(v);
    if (!(size > 0) || !isfinite(v)) {
        hsp_text_add(t, "0");
        return;
    }
    /* Dividing an integer by a power of ten gives the double nearest to the decimal number. */
    int places = digits - 1 - (int)floor(log10(size));
    if (size < 1e15 && size == floor(size)) places = 0;
    if (places > 300 || places < -300)
        hsp_text_number(t, v);
    else if (places >= 0)
        hsp_text_number(t, round(v * pow(10, places)) / pow(10, places));
    else
        hsp_text_number(t, round(v));
}

void hsp_finding_percent(hsp_text *t, double share) {
    double percent = round(share * 1e4) / 100;
    if (share > 0 && percent < 0.01) {
        hsp_text_add(t, "less than 0.01 %");
        return;
    }
    if (share < 1 && percent > 99.99) percent = 99.99;
    hsp_text_number(t, percent);
    hsp_text_add(t, " %");
}

void hsp_finding_count(hsp_text *t, int64_t count, const char *one, const char *many) {
    hsp_text_format(t, "%lld %s", (long long)count, count == 1 ? one : many);
}

/* ---- writing ---- */

static void write_one(const hsp_findings *l, const hsp_finding *f, hsp_json *j) {
    static const char *const severities[] = {"error", "warning", "note"};
    char buf[32];
    hsp_json_object(j, NULL);
    hsp_json_string(j, "severity", severities[f->severity]);
    hsp_json_string(j, "what", f->what);
    hsp_json_array(j, "columns");
    for (int64_t i = 0; i < f->columns; i++) hsp_json_string(j, NULL, hsp_schema_feature(l->schema, f->column[i], buf));
    hsp_json_array_end(j);
    hsp_json_string(j, "text", f->text.s);
    hsp_json_string(j, "fix", f->fix.s);
    hsp_json_object_end(j);
}

int hsp_findings_write(const hsp_findings *l, hsp_json *j) {
    bool failed = l->failed;
    hsp_json_array(j, "findings");
    for (int severity = HSP_SEVERITY_ERROR; severity <= HSP_SEVERITY_NOTE; severity++) {
        for (int64_t i = 0; i < l->count; i++) {
            const hsp_finding *f = &l->item[i];
            failed |= f->text.failed || f->fix.failed;
            if ((int)f->severity == severity) write_one(l, f, j);
        }
    }
    hsp_json_array_end(j);
    return failed ? HSP_EMEMORY : HSP_OK;
}

static void clear_one(hsp_finding *f) {
    hsp_free(f->column);
    hsp_text_free(&f->text);
    hsp_text_free(&f->fix);
}

void hsp_findings_clear(hsp_findings *l) {
    for (int64_t i = 0; i < l->count; i++) clear_one(&l->item[i]);
    clear_one(&l->lost);
    hsp_free(l->item);
    *l = (hsp_findings){.schema = l->schema};
}
