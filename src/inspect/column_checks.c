/* Findings on single columns: missing values, constant columns, ids, outliers, differences in scale, single and rare
 * levels. */
#include "base/hash.h"
#include "base/text.h"
#include "data/schema.h"
#include "inspect/checkup.h"
#include "prepare/prepare.h"
#include "table/encoding.h"
#include "table/kind.h"
#include "table/profile.h"
#include "table/spelling.h"

#include <math.h>
#include <string.h>

enum { ID_ROWS = 20, CODE_ROWS = 100, MANY_LEVELS = 50, FAR_REPORTED = 5, LISTED_APART = 8 };

static const char *name(const hsp_checkup *u, int64_t c, char *buf) {
    return hsp_schema_feature(u->schema, c, buf);
}

/* ---- missing ---- */

/* "'Cabin' 687, 'Age' 177": the columns of the newest finding, most missing values first. */
static void describe_missing(const hsp_checkup *u, const hsp_finding *f, hsp_text *t) {
    enum { SHOWN = 6 };
    char buf[32];
    int64_t shown = 0, below = INT64_MAX;
    while (shown < f->columns && shown < SHOWN) {
        int64_t most = 0;
        for (int64_t i = 0; i < f->columns; i++) {
            int64_t count = u->profile[f->column[i]].missing;
            if (count < below && count > most) most = count;
        }
        for (int64_t i = 0; i < f->columns && shown < SHOWN; i++) {
            if (u->profile[f->column[i]].missing != most) continue;
            hsp_text_format(t, "%s'%s' %lld", shown ? ", " : "", name(u, f->column[i], buf), (long long)most);
            shown++;
        }
        below = most;
    }
    if (f->columns > SHOWN) hsp_text_add(t, ", ...");
}

void hsp_check_missing(hsp_checkup *u) {
    int64_t cells = 0, lacking = 0;
    for (int64_t c = 0; u->profile && c < u->columns; c++) {
        if (hsp_checkup_left_out(u, c)) continue;
        cells += u->profile[c].missing;
        lacking += u->profile[c].missing > 0;
    }
    if (cells == 0) return;
    bool asked = !u->encoding->unasked; /* the user chose how to handle them */
    hsp_finding *f = hsp_findings_add(&u->findings, asked ? HSP_SEVERITY_NOTE : HSP_SEVERITY_ERROR, "missing");
    for (int64_t c = 0; c < u->columns; c++)
        if (u->profile[c].missing > 0 && !hsp_checkup_left_out(u, c)) hsp_findings_column(&u->findings, c);
    hsp_finding_count(&f->text, cells, "missing value in ", "missing values in ");
    hsp_finding_count(&f->text, lacking, "column (", "columns (");
    describe_missing(u, f, &f->text);
    hsp_text_add(&f->text, asked ? "): filled as requested" : "), which training refuses by default");
    if (!asked) hsp_text_add(&f->fix, "--missing mean");
}

/* ---- unrecognised columns ---- */

/* Turns an error into a finding, without the file name: "line 7: column 'age' holds '12o' ...: correct it". */
static void report_refusal(hsp_checkup *u, const char *what, const char *text) {
    const char *file = u->data->source, *line = text + (file ? strlen(file) : 0);
    hsp_finding *f = hsp_findings_add(&u->findings, HSP_SEVERITY_ERROR, what);
    if (file && strncmp(text, file, strlen(file)) == 0 && strstr(line, ": ")) {
        text = strstr(line, ": ") + 2;
        if (*line == ':' && line[1] != ' ') hsp_text_format(&f->text, "line %.*s: ", (int)(text - line - 3), line + 1);
    }
    const char *colon = strstr(text, ": ");
    hsp_text_add_n(&f->text, text, colon ? colon - text : (int64_t)strlen(text));
    if (colon) hsp_text_add(&f->fix, colon + 2);
}

/* Reports why training would refuse the table, except for missing values. */
void hsp_check_kinds(hsp_checkup *u) {
    const hsp_encoding *e = u->encoding;
    const char *refusal = u->data->refusal;
    bool told = e && e->unasked && u->data->x.d > 0; /* the finding on missing values reports it */
    for (int64_t c = 0; e && c < u->columns; c++) {
        if (!e->column[c].trouble) continue;
        report_refusal(u, "unreadable", e->column[c].trouble);
        hsp_findings_column(&u->findings, c);
        told = true;
    }
    if (refusal && !told) {
        report_refusal(u, u->data->x.d == 0 ? "no-features" : "unreadable", refusal);
    } else if (u->data->x.d == 0) {
        hsp_finding *f = hsp_findings_add(&u->findings, HSP_SEVERITY_ERROR, "no-features");
        hsp_text_add(&f->text, "no column is left as a feature");
        hsp_text_add(&f->fix, "correct a column, or name one with --categorical or --text");
    }
}

/* ---- constant, one level, rare levels ---- */

void hsp_check_constant(hsp_checkup *u) {
    hsp_finding *f = NULL;
    for (int64_t j = 0; j < u->data->x.d; j++) {
        if (!u->constant[j] || u->role[j] != HSP_ROLE_NUMBER || !hsp_checkup_numeric(u, u->owner[j])) continue;
        if (!f) f = hsp_findings_add(&u->findings, HSP_SEVERITY_NOTE, "constant");
        hsp_findings_column(&u->findings, u->owner[j]);
    }
    if (!f) return;
    hsp_findings_say_columns(&u->findings);
    if (f->columns == 1) {
        hsp_text_add(&f->text, " is always ");
        int64_t c = f->column[0];
        hsp_finding_number(&f->text, u->profile ? u->profile[c].least : u->stats.min[hsp_checkup_feature(u, c)], 6);
        hsp_text_add(&f->text, ", so it carries no information");
    } else {
        hsp_text_format(&f->text, " are constant in all %lld rows, so they carry no information", (long long)u->data->x.n);
    }
    hsp_findings_ignore(&u->findings);
}

static void one_level(hsp_checkup *u, int64_t c) {
    const hsp_profile *p = &u->profile[c];
    const char *level = hsp_intern_text(p->dictionary, 0);
    char buf[32], held[HSP_EXCERPT];
    hsp_finding *f = hsp_findings_add(&u->findings, HSP_SEVERITY_WARNING, "one-level");
    hsp_findings_column(&u->findings, c);
    hsp_text_format(&f->text, "column '%s' is '%s' in all %lld rows, so it carries no information", name(u, c, buf),
                    hsp_excerpt(held, level, (int64_t)strlen(level)), (long long)p->cells);
    hsp_findings_ignore(&u->findings);
}

/* Reports a text column with the same words in all rows. */
static void one_text(hsp_checkup *u, int64_t c) {
    const hsp_table_column *column = &u->encoding->column[c];
    char buf[32];
    for (int64_t k = 0; k < column->features; k++)
        if (!u->constant[column->first + k]) return;
    hsp_finding *f = hsp_findings_add(&u->findings, HSP_SEVERITY_WARNING, "one-level");
    hsp_findings_column(&u->findings, c);
    hsp_text_format(&f->text, "column '%s' has the same words in all %lld rows, so it carries no information",
                    name(u, c, buf), (long long)u->data->x.n);
    hsp_findings_ignore(&u->findings);
}

/* Whether at least half of the levels of column c are several words. */
static bool holds_texts(const hsp_checkup *u, int64_t c) {
    const hsp_profile *p = &u->profile[c];
    int64_t levels = p->dictionary ? hsp_profile_levels(p) : 0, texts = 0;
    for (int64_t k = 0; k < levels; k++) texts += strchr(hsp_intern_text(p->dictionary, k), ' ') != NULL;
    return texts > 0 && 2 * texts >= levels;
}

/* Reports columns with many levels that occur once, since each is a feature that is 1 in a single row. A penalty keeps their
 * weights small, and to pool them would lose what they have in common with their like, so there is a remedy only for texts. */
static void check_rare(hsp_checkup *u, int64_t c) {
    const hsp_table_column *column = &u->encoding->column[c];
    int64_t once = 0;
    for (int64_t k = 0; k < column->features; k++) once += u->nonzeros[column->first + k] == 1;
    if (column->features <= MANY_LEVELS || 2 * once <= column->features) return;
    char buf[32];
    bool texts = holds_texts(u, c);
    hsp_finding *f = hsp_findings_add(&u->findings, texts ? HSP_SEVERITY_WARNING : HSP_SEVERITY_NOTE, "rare-levels");
    hsp_findings_column(&u->findings, c);
    hsp_text_format(&f->text, "column '%s' has %lld levels, %lld of which occur only once%s", name(u, c, buf),
                    (long long)column->features, (long long)once,
                    texts ? ", and most are several words" : ": their weights fit noise unless a penalty keeps them small");
    if (!texts) return;
    hsp_text_add(&f->fix, "--text ");
    hsp_type_column(&f->fix, u->schema, c);
}

static bool has_one_level(hsp_checkup *u, int64_t c) {
    const hsp_profile *p = &u->profile[c];
    return hsp_checkup_kind(u, c)->levels && p->dictionary && hsp_profile_levels(p) == 1 && p->numbers == 0 &&
           p->missing == 0;
}

/* A few columns are reported one by one, with their level; many in one finding. */
static void check_one_level(hsp_checkup *u) {
    int64_t found = 0;
    for (int64_t c = 0; c < u->columns; c++) found += has_one_level(u, c);
    for (int64_t c = 0; found <= LISTED_APART && c < u->columns; c++)
        if (has_one_level(u, c)) one_level(u, c);
    if (found <= LISTED_APART) return;
    hsp_finding *f = hsp_findings_add(&u->findings, HSP_SEVERITY_WARNING, "one-level");
    for (int64_t c = 0; c < u->columns; c++)
        if (has_one_level(u, c)) hsp_findings_column(&u->findings, c);
    hsp_findings_say_columns(&u->findings);
    hsp_text_format(&f->text, " have a single level in all %lld rows, so they carry no information",
                    (long long)u->data->x.n);
    hsp_findings_ignore(&u->findings);
}

void hsp_check_levels(hsp_checkup *u) {
    if (u->profile) check_one_level(u);
    for (int64_t c = 0; u->profile && c < u->columns; c++) {
        const hsp_kind *kind = hsp_checkup_kind(u, c);
        if (kind->reads_text) one_text(u, c);
        if (hsp_kind_one_hot(kind)) check_rare(u, c);
    }
}

/* ---- ids ---- */

/* Whether the name ends in "id", "Id", "_id", "key", ...: common names of a column that numbers the rows. */
static bool named_id(const char *s) {
    static const char *const ends[] = {"id", "uuid", "guid", "key", "index", "rownum", "row"};
    size_t n = strlen(s);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        size_t k = strlen(ends[i]);
        if (n < k || !hsp_text_same_letters(s + n - k, ends[i], (int64_t)k)) continue;
        if (n == k || strchr("_-. ", s[n - k - 1]) || (s[n - k] >= 'A' && s[n - k] <= 'Z' && s[n - k - 1] >= 'a'))
            return true;
    }
    return false;
}

static void id_numbers(hsp_checkup *u, int64_t c) {
    const hsp_column_summary *summary = &u->summary[c];
    int64_t n = u->data->x.n, j = hsp_checkup_feature(u, c);
    char buf[32];
    const char *called = name(u, c, buf);
    double least = u->profile ? u->profile[c].least : u->stats.min[j];
    double greatest = u->profile ? u->profile[c].greatest : u->stats.max[j];
    bool differ = summary->whole && summary->distinct == summary->values && summary->values == n;
    bool counts = summary->counting && greatest - least == (double)(n - 1);
    bool code = differ && n >= CODE_ROWS && greatest >= 10 * (double)n;
    if (!summary->counting && !(differ && n >= ID_ROWS && named_id(called)) && !code) return;
    bool sure = summary->counting || named_id(called);
    hsp_finding *f = hsp_findings_add(&u->findings, sure ? HSP_SEVERITY_WARNING : HSP_SEVERITY_NOTE, "id-like");
    hsp_findings_column(&u->findings, c);
    hsp_text_format(&f->text, "column '%s' ", called);
    hsp_text_add(&f->text, counts ? "numbers the rows from " : summary->counting ? "increases from row to row, from " : "");
    if (summary->counting) {
        hsp_finding_number(&f->text, least, 15);
        hsp_text_add(&f->text, " to ");
        hsp_finding_number(&f->text, greatest, 15);
    } else {
        hsp_text_format(&f->text, "holds %lld whole numbers, all distinct", (long long)n);
    }
    hsp_text_add(&f->text, ", like an id");
    hsp_findings_ignore(&u->findings);
}

static void id_words(hsp_checkup *u, int64_t c) {
    const hsp_profile *p = &u->profile[c];
    const hsp_kind *kind = hsp_checkup_kind(u, c);
    char buf[32];
    int64_t levels = p->dictionary ? hsp_profile_levels(p) : 0;
    bool categorical = hsp_kind_one_hot(kind);
    if (u->encoding->column[c].trouble || (!categorical && !kind->left_out) || levels < p->words || p->words < ID_ROWS ||
        2 * p->words <= p->cells || p->numbers > 0)
        return;
    hsp_finding *f = hsp_findings_add(&u->findings, categorical ? HSP_SEVERITY_WARNING : HSP_SEVERITY_NOTE, "id-like");
    hsp_findings_column(&u->findings, c);
    hsp_text_format(&f->text, "column '%s' holds %lld values, all distinct, like an id%s", name(u, c, buf),
                    (long long)p->words, categorical ? "" : ", and is ignored");
    if (u->data->x.d > 0) {
        hsp_findings_ignore(&u->findings);
    } else { /* no other feature is left, so suggest to use this one */
        hsp_text_add(&f->fix, "--text ");
        hsp_type_column(&f->fix, u->schema, c);
    }
}

/* Reports a column whose cells are all missing. */
static void empty_column(hsp_checkup *u, int64_t c) {
    char buf[32];
    if (u->profile[c].missing < u->profile[c].cells || u->profile[c].cells == 0) return;
    hsp_finding *f = hsp_findings_add(&u->findings, HSP_SEVERITY_WARNING, "missing");
    hsp_findings_column(&u->findings, c);
    hsp_text_format(&f->text, "column '%s' is empty: all its %lld cells are missing", name(u, c, buf),
                    (long long)u->profile[c].cells);
    hsp_findings_ignore(&u->findings);
}

void hsp_check_ids(hsp_checkup *u) {
    for (int64_t c = 0; c < u->columns; c++) {
        if (u->profile) {
            id_words(u, c);
            empty_column(u, c);
        }
        if (u->summary && u->summary[c].numeric && u->data->x.n >= ID_ROWS && u->columns > 1) id_numbers(u, c);
    }
}

/* ---- scale ---- */

void hsp_check_scale(hsp_checkup *u) {
    const double *sd = u->stats.sd;
    int64_t least = -1, most = -1;
    for (int64_t j = 0; j < u->data->x.d; j++) {
        if (!(sd[j] > 0) || (u->quantity && !u->quantity[j])) continue;
        if (least < 0 || sd[j] < sd[least]) least = j;
        if (most < 0 || sd[j] > sd[most]) most = j;
    }
    double ratio = hsp_scale_ratio(&u->stats, u->data->x.d, u->quantity);
    if (!(ratio >= 1e4) || least < 0 || u->scaled) return;
    char one[32], other[32];
    hsp_finding *f = hsp_findings_add(&u->findings, HSP_SEVERITY_WARNING, "scale");
    if (u->owner[most] >= 0) hsp_findings_column(&u->findings, u->owner[most]);
    if (u->owner[least] >= 0 && u->owner[least] != u->owner[most]) hsp_findings_column(&u->findings, u->owner[least]);
    hsp_text_format(&f->text, "the standard deviation of '%s' is ", hsp_schema_feature(&u->data->schema, most, one));
    hsp_finding_number(&f->text, ratio, 3);
    hsp_text_format(&f->text, " times that of '%s' (", hsp_schema_feature(&u->data->schema, least, other));
    hsp_finding_number(&f->text, sd[most], 3);
    hsp_text_add(&f->text, " and ");
    hsp_finding_number(&f->text, sd[least], 3);
    hsp_text_add(&f->text, "): no penalty or step size suits both");
    hsp_text_add(&f->fix, "--scale standard");
}

/* ---- outliers ---- */

/* 99, -999, 9999 and the like: common codes for a missing value. */
static bool code_of_missing(double v) {
    v = fabs(v);
    for (double nines = 99; nines < 1e9; nines = nines * 10 + 9)
        if (v == nines) return true;
    return false;
}

/* Proposes bounds just inside those of outliers; where there are none, the smallest or largest value. Quartiles stay as they
 * are, so that no outlier is left. */
static void propose_clip(const hsp_checkup *u, int64_t c, hsp_text *fix) {
    enum { INSIDE = 9 }; /* interquartile ranges, of the 10 beyond which values are outliers */
    const hsp_column_summary *summary = &u->summary[c];
    int64_t j = hsp_checkup_feature(u, c);
    double range = summary->upper - summary->lower, least = u->stats.min[j], greatest = u->stats.max[j];
    if (hsp_checkup_transform(u, c)) return;
    if (least < summary->lower - 10 * range) least = summary->lower - INSIDE * range;
    if (greatest > summary->upper + 10 * range) greatest = summary->upper + INSIDE * range;
    double size = fmax(fabs(least), fabs(greatest)) / range;
    int digits = (int)fmin(fmax(3 + ceil(log10(size)), 3), 17); /* rounding moves a bound by less than half a range */
    hsp_text_add(fix, "--transform ");
    hsp_type_column(fix, u->schema, c);
    hsp_text_add(fix, "=clip:");
    hsp_finding_number(fix, least, digits);
    hsp_text_char(fix, ':');
    hsp_finding_number(fix, greatest, digits);
}

static void one_outlier(hsp_checkup *u, int64_t c) {
    const hsp_column_summary *summary = &u->summary[c];
    bool code = summary->alone && code_of_missing(summary->worst);
    char buf[32];
    hsp_finding *f = hsp_findings_add(&u->findings, code ? HSP_SEVERITY_WARNING : HSP_SEVERITY_NOTE, "outliers");
    hsp_findings_column(&u->findings, c);
    hsp_text_format(&f->text, "column '%s' has ", name(u, c, buf));
    hsp_finding_count(&f->text, summary->far, "outlier", "outliers");
    hsp_text_add(&f->text, ": ");
    hsp_finding_number(&f->text, summary->worst, 6);
    hsp_text_format(&f->text, " in row %lld", (long long)summary->worst_row + 1);
    if (summary->worst_count > 1) hsp_text_format(&f->text, " and %lld more", (long long)summary->worst_count - 1);
    hsp_text_add(&f->text, summary->worst_count > 1 ? " are " : " is ");
    hsp_finding_number(&f->text, summary->distance, 3);
    hsp_text_add(&f->text, " interquartile ranges outside the quartiles, ");
    hsp_finding_number(&f->text, summary->lower, 4);
    hsp_text_add(&f->text, " and ");
    hsp_finding_number(&f->text, summary->upper, 4);
    if (hsp_checkup_transform(u, c)) hsp_text_format(&f->text, ", after %s", hsp_checkup_transform(u, c)->rule.kind->name);
    if (hsp_checkup_sample(u) < u->data->x.n)
        hsp_text_format(&f->text, " (from a sample of %lld rows)", (long long)hsp_checkup_sample(u));
    if (code) hsp_text_add(&f->text, " (a code for a missing value?)");
    if (!u->schema->format || strcmp(u->schema->format, "csv") != 0) return;
    if (!code) {
        propose_clip(u, c, &f->fix);
        return;
    }
    hsp_text_add(&f->fix, "--missing-values ");
    hsp_type_column(&f->fix, u->schema, c);
    hsp_text_char(&f->fix, '=');
    hsp_text_number(&f->fix, summary->worst);
    hsp_text_add(&f->fix, " --missing mean");
}

/* The next column in descending order of distance after `last` (ties by column; -1: start). Returns -1 at the end. */
static int64_t next_outlier(const hsp_checkup *u, int64_t last) {
    int64_t next = -1;
    for (int64_t c = 0; c < u->columns; c++) {
        if (u->summary[c].far == 0 || c == last) continue;
        double d = u->summary[c].distance, limit = last < 0 ? INFINITY : u->summary[last].distance;
        if (d > limit || (d == limit && c < last)) continue;
        if (next < 0 || d > u->summary[next].distance) next = c;
    }
    return next;
}

void hsp_check_outliers(hsp_checkup *u) {
    if (!u->summary) return;
    int64_t c = next_outlier(u, -1);
    for (int reported = 0; c >= 0 && reported < FAR_REPORTED; reported++) {
        one_outlier(u, c);
        c = next_outlier(u, c);
    }
    if (c < 0) return;
    hsp_finding *f = hsp_findings_add(&u->findings, HSP_SEVERITY_NOTE, "outliers");
    for (; c >= 0; c = next_outlier(u, c)) hsp_findings_column(&u->findings, c);
    hsp_findings_say_columns(&u->findings);
    hsp_text_add(&f->text, f->columns == 1 ? " also holds" : " also hold");
    hsp_text_add(&f->text, " values more than 10 interquartile ranges outside the quartiles");
}
