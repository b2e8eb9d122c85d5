/* Describes the columns one by one, as listed by `halfspace inspect --json`. */
#include "base/hash.h"
#include "base/json.h"
#include "data/schema.h"
#include "inspect/checkup.h"
#include "table/kind.h"
#include "table/profile.h"

#include <math.h>
#include <string.h>

enum { LEVELS_LISTED = 5 };

/* ---- levels ---- */

/* The level of feature f of column c: the feature's name without "column=". */
static const char *level_name(const hsp_checkup *u, int64_t c, int64_t f) {
    const char *name = u->data->schema.name ? u->data->schema.name[f] : NULL;
    const char *column = u->encoding->column[c].name;
    size_t n = column ? strlen(column) : 0;
    return name && column && strncmp(name, column, n) == 0 && name[n] == '=' ? name + n + 1 : name ? name : "";
}

/* Lists the most frequent levels; ties in the order of the features. */
static void write_levels(const hsp_checkup *u, int64_t c, hsp_json *j) {
    const hsp_table_column *column = &u->encoding->column[c];
    int64_t told[LEVELS_LISTED];
    hsp_json_array(j, "levels");
    for (int k = 0; k < LEVELS_LISTED; k++) {
        int64_t best = -1;
        for (int64_t f = column->first; f < column->first + column->features; f++) {
            bool before = u->profile[c].missing > 0 && strcmp(level_name(u, c, f), "(missing)") == 0;
            for (int t = 0; t < k; t++) before |= told[t] == f;
            if (!before && (best < 0 || u->nonzeros[f] > u->nonzeros[best])) best = f;
        }
        if (best < 0) break;
        told[k] = best;
        hsp_json_object(j, NULL);
        hsp_json_string(j, "level", level_name(u, c, best));
        hsp_json_int(j, "rows", u->nonzeros[best]);
        hsp_json_object_end(j);
    }
    hsp_json_array_end(j);
}

/* Lists the words of a column of truth values as written in the file. */
static void write_words(const hsp_profile *p, hsp_json *j) {
    hsp_json_array(j, "levels");
    for (int64_t k = 0; p->dictionary && k < hsp_profile_levels(p) && k < LEVELS_LISTED; k++) {
        hsp_json_object(j, NULL);
        hsp_json_string(j, "level", hsp_intern_text(p->dictionary, k));
        hsp_json_int(j, "rows", p->count[k]);
        hsp_json_object_end(j);
    }
    hsp_json_array_end(j);
}

/* ---- numbers ---- */

/* The standard deviation of the values that are present, from that of the feature, where missing values are filled in. NaN:
 * unknown, as the feature is transformed. */
static double spread(const hsp_checkup *u, int64_t c) {
    int64_t f = hsp_checkup_feature(u, c);
    if (hsp_checkup_transform(u, c)) return NAN;
    double sd = u->stats.sd[f], mean = u->stats.mean[f];
    if (!u->profile || u->profile[c].missing == 0) return sd;
    const hsp_profile *p = &u->profile[c];
    double there = (double)p->numbers, missing = (double)p->missing, off = p->mean - mean;
    double fill = u->encoding->column[c].fill - mean;
    return sqrt(fmax((there + missing) * sd * sd - there * off * off - missing * fill * fill, 0) / there);
}

static void write_column(const hsp_checkup *u, int64_t c, hsp_json *j) {
    const hsp_kind *kind = hsp_checkup_kind(u, c);
    char buf[32];
    hsp_json_object(j, NULL);
    hsp_json_string(j, "name", hsp_schema_feature(u->schema, c, buf));
    hsp_json_string(j, "kind", kind ? kind->name : "numeric");
    hsp_json_int(j, "missing", u->profile ? u->profile[c].missing : 0);
    /* The number of distinct values, if known: all rows were sorted, or there are few values. */
    const hsp_column_summary *summary = u->summary ? &u->summary[c] : NULL;
    const hsp_profile *p = u->profile ? &u->profile[c] : NULL;
    bool few = p && p->distinct <= HSP_PROFILE_NUMBERS;
    if (summary && summary->numeric && hsp_checkup_sample(u) == u->data->x.n)
        hsp_json_int(j, "distinct", summary->distinct);
    else if (few && !hsp_checkup_kind(u, c)->reads_text)
        hsp_json_int(j, "distinct", (p->dictionary ? hsp_profile_levels(p) : 0) + p->distinct);
    else if (p && hsp_kind_one_hot(hsp_checkup_kind(u, c)))
        hsp_json_int(j, "distinct", u->encoding->column[c].features - (p->missing > 0));
    else
        hsp_json_null(j, "distinct");
    hsp_json_int(j, "features", kind ? u->encoding->column[c].features : 1);
    if (hsp_checkup_numeric(u, c)) {
        int64_t f = hsp_checkup_feature(u, c);
        hsp_json_number(j, "min", p ? p->least : u->stats.min[f]);
        hsp_json_number(j, "max", p ? p->greatest : u->stats.max[f]);
        hsp_json_number(j, "mean", p ? p->mean : u->stats.mean[f]);
        hsp_json_number(j, "sd", spread(u, c));
    }
    if (kind && hsp_kind_one_hot(kind)) write_levels(u, c, j);
    if (kind && kind->levels && kind->numbers > 0) write_words(&u->profile[c], j);
    hsp_json_object_end(j);
}

void hsp_checkup_write_columns(const hsp_checkup *u, hsp_json *j) {
    if (!u->summary) {
        hsp_json_null(j, "columns");
        return;
    }
    hsp_json_array(j, "columns");
    for (int64_t c = 0; c < u->columns; c++) write_column(u, c, j);
    hsp_json_array_end(j);
}
