/* Reports columns that are linear functions of others. The levels of a category add up to 1 by construction: they may
 * explain numeric columns, but their dependence on one another is not reported. */
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "data/schema.h"
#include "inspect/checkup.h"
#include "inspect/relations.h"
#include "table/spelling.h"

#include <math.h>
#include <string.h>

enum { MOST_LEVELS = 50, TERMS_SHOWN = 6, MORE_ROWS = 10, SUPPORT = 10 };

typedef struct usable {
    int64_t p;
    int64_t *use; /* features: levels first, so that numbers are the dependent ones */
    bool *wanted;
} usable;

/* Whether the values are in a range where nothing below can overflow or underflow. */
static bool moderate(const hsp_checkup *u, int64_t f) {
    return u->stats.min[f] > -1e150 && u->stats.max[f] < 1e150 && u->stats.sd[f] > 1e-150;
}

static bool usable_number(const hsp_checkup *u, int64_t f) {
    return u->role[f] == HSP_ROLE_NUMBER && !u->constant[f] && u->twin[f] == f && moderate(u, f);
}

static bool usable_level(const hsp_checkup *u, int64_t f) {
    return u->role[f] == HSP_ROLE_LEVEL && !u->constant[f] && u->twin[f] == f &&
           u->encoding->column[u->owner[f]].features <= MOST_LEVELS;
}

static int64_t count_usable(const hsp_checkup *u, bool levels) {
    int64_t count = 0;
    for (int64_t f = 0; f < u->data->x.d; f++) count += usable_number(u, f) || (levels && usable_level(u, f));
    return count;
}

static int collect(const hsp_checkup *u, bool levels, usable *s) {
    s->use = hsp_alloc(s->p > 0 ? s->p : 1, sizeof *s->use);
    s->wanted = hsp_alloc(s->p > 0 ? s->p : 1, sizeof *s->wanted);
    if (!s->use || !s->wanted) return HSP_EMEMORY;
    int64_t count = 0;
    for (int numbers = !levels; numbers < 2; numbers++)
        for (int64_t f = 0; f < u->data->x.d; f++)
            if (numbers ? usable_number(u, f) : usable_level(u, f)) {
                s->wanted[count] = numbers;
                s->use[count++] = f;
            }
    return 0;
}

/* ---- the dependent column ---- */

/* How simple the right-hand side is if the relation is solved for feature k (-1: as it is): integer coefficients count
 * most, then positive ones. */
static int64_t simplicity(const double *a, int64_t p, int64_t k) {
    int64_t score = 0;
    double by = k < 0 ? 1 : -1 / a[k + 1];
    for (int64_t i = 0; i < p; i++) {
        if (a[i + 1] == 0 || i == k) continue;
        double v = a[i + 1] * by;
        score += 4 * (fabs(v - round(v)) <= 1e-9 * fabs(v)) + (v > 0);
    }
    if (k >= 0) score += 4 * (fabs(by - round(by)) <= 1e-9 * fabs(by)) + (by < 0); /* the old left-hand side */
    return score;
}

/* Solves relation a (for the feature `of`) for another feature if that is simpler, in place: "total = a + b" rather than "b
 * = total - a". Only numbers can be the dependent feature. Returns the dependent feature. */
static int64_t simplify(double *a, int64_t p, const bool *wanted, int64_t of) {
    int64_t best = -1, score = simplicity(a, p, -1), terms = 0;
    for (int64_t k = 0; k < p; k++) terms += a[k + 1] != 0;
    for (int64_t k = 0; k < p && terms <= TERMS_SHOWN; k++) {
        if (a[k + 1] == 0 || !wanted[k]) continue;
        int64_t other = simplicity(a, p, k);
        if (other > score) best = k, score = other;
    }
    if (best < 0) return of;
    double by = -1 / a[best + 1];
    for (int64_t i = 0; i <= p; i++) a[i] *= by;
    a[best + 1] = 0;
    a[of + 1] = -by;
    return best;
}

/* ---- findings ---- */

/* Adds a feature's name to a formula, in quotes if it could be read as a number or as an expression. */
static void describe_feature(const hsp_checkup *u, int64_t f, hsp_text *t) {
    char buf[32];
    const char *name = hsp_schema_feature(&u->data->schema, f, buf);
    bool plain = name[0] && !strchr("0123456789+-.", name[0]) && !strpbrk(name, " '+-*");
    hsp_text_format(t, plain ? "%s" : "'%s'", name);
}

static void log_sum(const hsp_checkup *u, const usable *s, const double *a, hsp_text *t) {
    bool any = false, positive = a[0] > 0;
    for (int64_t k = 0; k < s->p && positive; k++) positive = a[k + 1] <= 0;
    if (positive) hsp_finding_number(t, a[0], 6); /* 1 - a rather than -a + 1 */
    any = positive;
    for (int64_t k = 0; k < s->p; k++) {
        double v = a[k + 1], size = fabs(v);
        if (v == 0) continue;
        hsp_text_add(t, any ? (v < 0 ? " - " : " + ") : v < 0 ? "-" : "");
        if (fabs(size - 1) > 1e-9) {
            hsp_finding_number(t, fabs(size - round(size)) <= 1e-9 * size ? round(size) : size, 6);
            hsp_text_char(t, ' ');
        }
        describe_feature(u, s->use[k], t);
        any = true;
    }
    if (a[0] == 0 || positive) return;
    hsp_text_add(t, a[0] < 0 ? " - " : " + ");
    hsp_finding_number(t, fabs(a[0]), 6);
}

static void report_relation(hsp_checkup *u, const usable *s, double *a, int64_t of) {
    char buf[32];
    of = simplify(a, s->p, s->wanted, of);
    hsp_finding *f = hsp_findings_add(&u->findings, HSP_SEVERITY_WARNING, "collinear");
    /* Each column of the relation once, the dependent one first. */
    int64_t follows = u->owner[s->use[of]], before = -1;
    hsp_findings_column(&u->findings, follows);
    for (int64_t k = 0; k < s->p; k++) {
        int64_t c = u->owner[s->use[k]];
        if (a[k + 1] == 0 || c == before || c == follows) continue;
        hsp_findings_column(&u->findings, before = c); /* levels of one category are adjacent */
    }
    int64_t terms = 0, levels = 0;
    for (int64_t k = 0; k < s->p; k++) {
        terms += a[k + 1] != 0;
        levels += a[k + 1] != 0 && !s->wanted[k];
    }
    hsp_text_format(&f->text, "column '%s' is a linear function of ",
                    hsp_schema_feature(u->schema, u->owner[s->use[of]], buf));
    for (int64_t i = 1; i < f->columns && i <= TERMS_SHOWN; i++)
        hsp_text_format(&f->text, "%s'%s'", i > 1 ? ", " : "", hsp_schema_feature(u->schema, f->column[i], buf));
    if (f->columns > TERMS_SHOWN + 1) hsp_text_format(&f->text, ", ... (%lld)", (long long)f->columns - 1);
    hsp_text_format(&f->text, " in all %lld rows: ", (long long)u->data->x.n);
    if (levels == terms && f->columns == 2) {
        hsp_text_add(&f->text, "one number for each level");
    } else if (terms <= TERMS_SHOWN) {
        describe_feature(u, s->use[of], &f->text);
        hsp_text_add(&f->text, " = ");
        log_sum(u, s, a, &f->text);
    } else {
        hsp_text_format(&f->text, "a linear combination of %lld features", (long long)terms);
    }
    if (u->schema->format && strcmp(u->schema->format, "csv") == 0) {
        hsp_text_add(&f->fix, "--ignore ");
        hsp_type_column(&f->fix, u->schema, u->owner[s->use[of]]);
    }
}

static bool zero_or_one(const hsp_checkup *u, int64_t f) {
    return u->stats.min[f] == 0 && u->stats.max[f] == 1;
}

/* Whether columns of 0 and 1 add up to 1: a category that is already one-hot encoded. */
static bool add_up(const hsp_checkup *u, const usable *s, const double *a, int64_t of) {
    bool so = fabs(a[0] - 1) < 1e-9 && zero_or_one(u, s->use[of]);
    for (int64_t k = 0; so && k < s->p; k++) so = a[k + 1] == 0 || (fabs(a[k + 1] + 1) < 1e-9 && zero_or_one(u, s->use[k]));
    return so;
}

/* Whether the relation holds in enough rows that it is not due to chance. */
static bool supported(const hsp_checkup *u, const usable *s, const double *a, int64_t of) {
    int64_t terms = 0;
    for (int64_t k = 0; k < s->p; k++) terms += a[k + 1] != 0;
    return hsp_checkup_supported(u, s->use[of], SUPPORT + 2 * terms);
}

/* Reports several relations in one finding: sets that add up to 1, or those beyond the number listed one by one. */
static void report_together(hsp_checkup *u, const usable *s, const hsp_relations *r, const bool *which, bool sets) {
    hsp_finding *f = NULL;
    for (int64_t t = 0; t < r->count; t++) {
        if (!which[t]) continue;
        if (!f) f = hsp_findings_add(&u->findings, sets ? HSP_SEVERITY_NOTE : HSP_SEVERITY_WARNING, "collinear");
        hsp_findings_column(&u->findings, u->owner[s->use[r->of[t]]]);
    }
    if (!f) return;
    if (sets)
        hsp_finding_count(&f->text, f->columns, "set of columns adds", "sets of columns add");
    else
        hsp_finding_count(&f->text, f->columns, "more column is a linear function", "more columns are linear functions");
    hsp_text_add(&f->text, sets ? " up to 1 in all rows, like the levels of a category; the last column of each set: "
                                : " of others: ");
    hsp_findings_say_columns(&u->findings);
    if (!sets) hsp_findings_ignore(&u->findings);
}

/* which: room for one flag per relation. */
static void report_all(hsp_checkup *u, const usable *s, const hsp_relations *r, bool *which) {
    int64_t told = 0;
    for (int64_t t = 0; t < r->count; t++) {
        const double *a = r->a + t * (s->p + 1);
        which[t] = false;
        if (add_up(u, s, a, r->of[t]) || !supported(u, s, a, r->of[t])) continue;
        which[t] = told++ >= HSP_CHECKUP_LISTED;
        if (!which[t]) report_relation(u, s, r->a + t * (s->p + 1), r->of[t]);
    }
    report_together(u, s, r, which, false);
    for (int64_t t = 0; t < r->count; t++) which[t] = add_up(u, s, r->a + t * (s->p + 1), r->of[t]);
    report_together(u, s, r, which, true);
}

/* Whether there are enough rows that linear relations among p features are not due to chance. */
static bool enough_rows(const hsp_checkup *u, int64_t p) {
    return u->data->x.n >= p + MORE_ROWS + (p < MORE_ROWS ? p : MORE_ROWS);
}

/* Whether p features are few enough to search; records a skipped check if not. */
static bool can_search(hsp_checkup *u, int64_t p) {
    if (p > HSP_CHECKUP_COLUMNS)
        hsp_checkup_skip(u, "collinear columns (%lld features; at most %d are checked)", (long long)p,
                         (int)HSP_CHECKUP_COLUMNS);
    else if (!enough_rows(u, p) && u->data->x.n >= 2 * MORE_ROWS)
        hsp_checkup_skip(u, "collinear columns (%lld rows are too few for %lld features)", (long long)u->data->x.n,
                         (long long)p);
    return p <= HSP_CHECKUP_COLUMNS && enough_rows(u, p);
}

int hsp_check_collinear(hsp_checkup *u, hsp_error **err) {
    int64_t all = count_usable(u, true);
    bool levels = all <= HSP_CHECKUP_COLUMNS && enough_rows(u, all);
    usable s = {.p = levels ? all : count_usable(u, false)};
    if (s.p < 2 || !can_search(u, s.p)) return HSP_OK;
    hsp_relations r = {0};
    int status = collect(u, levels, &s) ? hsp_fail_memory(err) : HSP_OK;
    if (!status) status = hsp_relations_find(&u->data->x, &u->stats, s.use, s.wanted, s.p, u->threads, &r, err);
    bool *which = status ? NULL : hsp_alloc(r.count + 1, sizeof *which);
    if (!status && !which) status = hsp_fail_memory(err);
    if (!status) report_all(u, &s, &r, which);
    hsp_free(which);
    if (!status && r.open) hsp_checkup_skip(u, "some collinear columns (too expensive)");
    hsp_relations_clear(&r);
    HSP_FREE(s.use, s.wanted);
    return status;
}
