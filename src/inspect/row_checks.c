/* Findings on rows and classes: rare classes, repeated and contradicting rows, rows not in random order. */
#include "base/error.h"
#include "base/text.h"
#include "data/data.h"
#include "inspect/checkup.h"
#include "prepare/label_case.h"
#include "prepare/target_check.h"
#include "table/spelling.h"

#include <math.h>
#include <string.h>

enum { FEW_ROWS = 20, RARE_ROWS = 10, CLASSES_SHOWN = 6, ORDER_ROWS = 20, TREND_CLASSES = 100 };

/* ---- classes ---- */

static bool rare(const hsp_checkup *u, int64_t k) {
    return u->class_counts[k] > 0 && u->class_counts[k] < RARE_ROWS;
}

static bool outweighed(const hsp_checkup *u, int64_t k) {
    return u->class_counts[k] >= RARE_ROWS && 100 * u->class_counts[k] < u->data->x.n;
}

/* "'spy' (2), 'perl' (3)": the classes selected by `counts`, at most a few. */
static void describe_classes(const hsp_checkup *u, bool (*counts)(const hsp_checkup *, int64_t), hsp_text *t) {
    int64_t shown = 0;
    for (int64_t k = 0; k < u->data->classes.count; k++) {
        if (!counts(u, k) || ++shown > CLASSES_SHOWN) continue;
        hsp_text_format(t, "%s'%s' (%lld)", shown > 1 ? ", " : "", u->data->classes.name[k], (long long)u->class_counts[k]);
    }
    if (shown > CLASSES_SHOWN) hsp_text_add(t, ", ...");
}

static int64_t how_many(const hsp_checkup *u, bool (*counts)(const hsp_checkup *, int64_t)) {
    int64_t count = 0;
    for (int64_t k = 0; k < u->data->classes.count; k++) count += counts(u, k);
    return count;
}

static bool occurs(const hsp_checkup *u, int64_t k) {
    return u->class_counts[k] > 0;
}

int hsp_check_target(hsp_checkup *u, hsp_error **err) {
    hsp_finding *f = hsp_findings_add(&u->findings, HSP_SEVERITY_ERROR, "not-classes");
    if (hsp_target_describe(u->data, true, &f->text, &f->fix)) return hsp_fail_memory(err);
    hsp_checkup_skip(u, "separability (the target is not a class)");
    return HSP_OK;
}

void hsp_check_title(hsp_checkup *u) {
    const char *title = u->data->title, *last = NULL;
    for (const char *p = title; p && (p = strstr(p, ": ")); p += 2) last = p;
    if (!last) return;
    hsp_finding *f = hsp_findings_add(&u->findings, HSP_SEVERITY_WARNING, "title");
    hsp_text_add_n(&f->text, title, last - title);
    const char *option = strstr(last, "--");
    hsp_text_add(&f->fix, option ? option : last + 2);
}

int hsp_check_label_case(hsp_checkup *u, hsp_error **err) {
    hsp_text wrong = {0}, remedy = {0};
    int status = hsp_label_case_describe(u->data, &wrong, &remedy);
    if (status > 0) {
        hsp_finding *f = hsp_findings_add(&u->findings, HSP_SEVERITY_WARNING, "label-case");
        hsp_text_add(&f->text, wrong.s);
        hsp_text_add(&f->fix, remedy.s);
    }
    hsp_text_free(&wrong);
    hsp_text_free(&remedy);
    return status < 0 ? hsp_fail_memory(err) : HSP_OK;
}

/* Proposes to merge the rare classes, if that makes a class that is not rare and all labels can be typed. */
static void merge_rare(const hsp_checkup *u, int64_t few, hsp_text *fix) {
    enum { MOST = 50 };
    static const char merged[] = "rare";
    const hsp_classes *classes = &u->data->classes;
    int64_t rows = 0;
    bool first = true;
    for (int64_t k = 0; k < classes->count; k++) {
        const char *label = classes->name[k];
        if (strcmp(label, merged) == 0) return;
        if (!rare(u, k)) continue;
        rows += u->class_counts[k];
        if (!hsp_can_type(label, (int64_t)strlen(label)) || strchr(label, '=')) return;
    }
    if (few < 2 || few > MOST || few == how_many(u, occurs) || rows < RARE_ROWS) return;
    hsp_text_add(fix, "--map-label '");
    for (int64_t k = 0; k < classes->count; k++) {
        if (!rare(u, k)) continue;
        hsp_text_format(fix, "%s%s=%s", first ? "" : ",", classes->name[k], merged);
        first = false;
    }
    hsp_text_char(fix, '\'');
}

void hsp_check_classes(hsp_checkup *u) {
    if (!u->data->y) return;
    int64_t few = how_many(u, rare), light = how_many(u, outweighed);
    if (how_many(u, occurs) == 1) {
        hsp_finding *f = hsp_findings_add(&u->findings, HSP_SEVERITY_ERROR, "one-class");
        hsp_text_add(&f->text, "all rows have the same class, ");
        describe_classes(u, occurs, &f->text);
        hsp_text_add(&f->text, ": a classifier needs two");
        if (u->schema->format && strcmp(u->schema->format, "csv") == 0) hsp_text_add(&f->fix, "--target COLUMN");
        return;
    }
    if (few > 0 && u->data->x.n >= FEW_ROWS) {
        hsp_finding *f = hsp_findings_add(&u->findings, HSP_SEVERITY_WARNING, "rare-class");
        hsp_text_format(&f->text, "%lld of %lld classes ha%s fewer than %d rows: ", (long long)few,
                        (long long)u->data->classes.count, few == 1 ? "s" : "ve", (int)RARE_ROWS);
        describe_classes(u, rare, &f->text);
        merge_rare(u, few, &f->fix);
    }
    if (light > 0) {
        hsp_finding *f = hsp_findings_add(&u->findings, HSP_SEVERITY_WARNING, "imbalance");
        hsp_text_format(&f->text, "%lld of %lld classes ha%s less than 1 %% of the %lld rows: ", (long long)light,
                        (long long)u->data->classes.count, light == 1 ? "s" : "ve", (long long)u->data->x.n);
        describe_classes(u, outweighed, &f->text);
        hsp_text_add(&f->text, "; accuracy hardly depends on them, balanced accuracy does");
    }
}

/* ---- equal rows ---- */

void hsp_check_rows(hsp_checkup *u) {
    int64_t n = u->data->x.n, repeated = u->rows.repeated, conflicting = u->rows.conflicting;
    if (u->encoding && u->encoding->incomplete) { /* the columns left out may differ */
        hsp_checkup_skip(u, "duplicate rows (some columns are ignored)");
        return;
    }
    if (conflicting > 0) {
        bool many = 100 * conflicting >= n;
        hsp_finding *f =
            hsp_findings_add(&u->findings, many ? HSP_SEVERITY_WARNING : HSP_SEVERITY_NOTE, "conflicting-rows");
        hsp_finding_count(&f->text, conflicting, "row", "rows");
        hsp_text_add(&f->text, " (");
        hsp_finding_percent(&f->text, (double)conflicting / (double)n);
        hsp_text_add(&f->text, ") have the same features as a row of another class, so every classifier makes at least ");
        hsp_finding_count(&f->text, u->rows.errors, "error", "errors");
        hsp_text_add(&f->text, " (");
        hsp_finding_percent(&f->text, (double)u->rows.errors / (double)n);
        hsp_text_add(&f->text, ") on these rows");
    }
    if (repeated > 0) {
        bool many = 10 * repeated >= n && n >= 50 && u->columns >= 5;
        hsp_finding *f = hsp_findings_add(&u->findings, many ? HSP_SEVERITY_WARNING : HSP_SEVERITY_NOTE, "duplicate-rows");
        hsp_finding_count(&f->text, repeated, "row", "rows");
        hsp_text_add(&f->text, " (");
        hsp_finding_percent(&f->text, (double)repeated / (double)n);
        hsp_text_format(&f->text,
                        ") ha%s the same features as an earlier row: after a random split, equal rows are in both parts",
                        repeated == 1 ? "s" : "ve");
    }
}

/* ---- order ---- */

/* Counts the runs of one class. Mean and variance in a random order: Barton and David, Biometrika 44, 1957. */
static int64_t count_runs(const hsp_checkup *u, double *mean, double *variance) {
    double n = (double)u->data->x.n, squares = 0, cubes = 0;
    int64_t runs = 1;
    for (int64_t i = 1; i < u->data->x.n; i++) runs += u->data->y[i] != u->data->y[i - 1];
    for (int64_t k = 0; k < u->data->classes.count; k++) {
        double share = (double)u->class_counts[k] / n;
        squares += share * share;
        cubes += share * share * share;
    }
    *mean = n * (1 - squares) + 1;
    *variance = (n * n * (squares + squares * squares - 2 * cubes) - n * (1 - squares)) / (n - 1);
    return runs;
}

/* No option puts the rows in another order, and few uses depend on it: the text names those. */
#define OF_ORDER                                                                                                        \
    "; take samples with `halfspace split`, not the first rows, and train -a perceptron, which visits the rows in the " \
    "order of the file, with --order shuffle"

static void report_sorted(hsp_checkup *u, int64_t runs, double mean, bool wholly) {
    hsp_finding *f = hsp_findings_add(&u->findings, HSP_SEVERITY_NOTE, "order");
    if (wholly)
        hsp_text_add(&f->text, "the rows are sorted by class");
    else
        hsp_text_add(&f->text, "rows of the same class are grouped");
    hsp_text_format(&f->text, ": %lld runs of one class, where a random order has about %lld" OF_ORDER, (long long)runs,
                    (long long)llround(mean));
}

/* The class whose share differs most between the two halves, in standard deviations under a random order. */
static int64_t worst_half(const hsp_checkup *u, double *deviations, double *first, double *second) {
    int64_t n = u->data->x.n, half = n / 2, worst = -1;
    *deviations = 0;
    for (int64_t k = 0; k < u->data->classes.count; k++) {
        int64_t in = 0;
        double of = (double)u->class_counts[k], a = (double)half, b = (double)(n - half);
        if (of == 0 || of == (double)n) continue;
        for (int64_t i = 0; i < half; i++) in += u->data->y[i] == k;
        double variance = of * ((double)n - of) * a * b / ((double)n * (double)n * ((double)n - 1)); /* hypergeometric */
        double z = fabs((double)in - of * a / (double)n) / sqrt(variance);
        if (!(z > *deviations)) continue;
        worst = k;
        *deviations = z;
        *first = (double)in / a;
        *second = (of - (double)in) / b;
    }
    return worst;
}

static void report_trend(hsp_checkup *u, int64_t k, double first, double second) {
    hsp_finding *f = hsp_findings_add(&u->findings, HSP_SEVERITY_NOTE, "order");
    hsp_text_format(&f->text, "class '%s' is ", u->data->classes.name[k]);
    hsp_finding_percent(&f->text, first);
    hsp_text_add(&f->text, " of the first half of the rows and ");
    hsp_finding_percent(&f->text, second);
    hsp_text_add(&f->text, " of the second: the rows are not in random order" OF_ORDER);
}

void hsp_check_order(hsp_checkup *u) {
    if (!u->data->y || u->data->x.n < ORDER_ROWS || how_many(u, occurs) < 2) return;
    double mean, variance, deviations, first = 0, second = 0;
    int64_t runs = count_runs(u, &mean, &variance);
    bool wholly = runs == how_many(u, occurs) && mean - (double)runs >= 5; /* a class of one row may be last by chance */
    if (wholly || (double)runs < mean - 6 * sqrt(variance)) {
        report_sorted(u, runs, mean, wholly);
        return;
    }
    if (u->data->classes.count > TREND_CLASSES) return;
    int64_t k = worst_half(u, &deviations, &first, &second);
    if (k >= 0 && deviations > 6) report_trend(u, k, first, second);
}
