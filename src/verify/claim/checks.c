#include "verify/claim/checks.h"

#include "base/text.h"

#include <math.h>
#include <string.h>

void hsp_checks_open(hsp_checks *c) {
    *c = (hsp_checks){0};
    hsp_json_array(&c->list, NULL);
    hsp_json_array(&c->unchecked, NULL);
}

void hsp_checks_close(hsp_checks *c) {
    hsp_json_drop(&c->list);
    hsp_json_drop(&c->unchecked);
    hsp_free(c->first_false);
    *c = (hsp_checks){0};
}

/* "NAME is claimed to be CLAIMED, but is FOUND" */
static void write_difference(hsp_text *t, const char *name, const hsp_report *claimed, const hsp_report *found) {
    hsp_json j = {.out = t};
    hsp_text_format(t, "%s is claimed to be ", name);
    hsp_json_report(&j, NULL, claimed);
    hsp_text_add(t, ", but is ");
    j.comma = false;
    hsp_json_report(&j, NULL, found);
}

void hsp_checks_add(hsp_checks *c, const char *name, const hsp_report *claimed, const hsp_report *found, bool holds,
                    const char *message) {
    hsp_json *j = &c->list;
    hsp_json_object(j, NULL);
    hsp_json_string(j, "claim", name);
    hsp_json_report(j, "claimed", claimed);
    hsp_json_report(j, "found", found);
    hsp_json_bool(j, "holds", holds);
    hsp_json_object_end(j);
    if (holds || c->first_false) return;
    hsp_text t = {0};
    if (message)
        hsp_text_add(&t, message);
    else
        write_difference(&t, name, claimed, found);
    if (hsp_text_take(&t, &c->first_false, NULL)) c->failed = true;
}

void hsp_checks_unknown(hsp_checks *c, const char *what) {
    hsp_json_string(&c->unchecked, NULL, what);
}

void hsp_checks_same(hsp_checks *c, const char *name, const hsp_report *claimed, const hsp_report *found) {
    hsp_checks_add(c, name, claimed, found, hsp_report_equal(claimed, found), NULL);
}

void hsp_checks_number(hsp_checks *c, const char *name, const hsp_report *claimed, double found, double tolerance) {
    hsp_report value = hsp_report_of_number(found);
    double number = hsp_report_number(claimed, NULL);
    bool near = fabs(number - found) <= tolerance * fmax(fabs(found), 1e-300); /* false with NaN */
    hsp_checks_add(c, name, claimed, &value, near || hsp_report_equal(claimed, &value), NULL);
}

/* ---- trees ---- */

typedef struct comparison {
    hsp_checks *c;
    const char *const *skip; /* members to leave out; ends with NULL; or NULL */
    bool partial;            /* not everything can be recomputed: further claimed members are unchecked, not false */
} comparison;

static void compare(const comparison *q, const char *path, const hsp_report *claimed, const hsp_report *found);

static bool is_listed(const char *name, const char *const *list) {
    for (; list && *list; list++)
        if (strcmp(*list, name) == 0) return true;
    return false;
}

/* PATH.NAME, or PATH[INDEX] without a name; NULL when memory fails. */
static const char *join_path(hsp_checks *c, hsp_text *t, const char *path, const char *name, int64_t index) {
    hsp_text_clear(t);
    if (name)
        hsp_text_format(t, "%s%s%s", path, *path ? "." : "", name);
    else
        hsp_text_format(t, "%s[%lld]", path, (long long)index);
    if (t->failed) c->failed = true;
    return t->failed ? NULL : t->s;
}

/* First the members found, then those that are only claimed. */
static void check_object(const comparison *q, const char *path, const hsp_report *claimed, const hsp_report *found) {
    hsp_text t = {0};
    HSP_REPORT_EACH(member, found) {
        const char *name = hsp_report_name(member);
        if ((!q->partial && is_listed(name, q->skip)) || !join_path(q->c, &t, path, name, 0)) continue;
        compare(q, t.s, hsp_report_member(claimed, name), member);
    }
    HSP_REPORT_EACH(member, claimed) {
        const char *name = hsp_report_name(member);
        if (hsp_report_member(found, name) || is_listed(name, q->skip) || !join_path(q->c, &t, path, name, 0)) continue;
        if (!q->partial)
            hsp_checks_add(q->c, t.s, member, NULL, false, NULL); /* claimed, but not found */
        else if (hsp_report_kind(member, NULL) != HSP_REPORT_NULL)
            hsp_checks_unknown(q->c, t.s);
    }
    hsp_text_free(&t);
}

static void check_list(const comparison *q, const char *path, const hsp_report *claimed, const hsp_report *found) {
    const hsp_report *a = hsp_report_next(claimed, NULL), *b = hsp_report_next(found, NULL);
    hsp_text t = {0};
    for (int64_t i = 0; a || b; i++) {
        if (join_path(q->c, &t, path, NULL, i)) compare(q, t.s, a, b);
        if (a) a = hsp_report_next(claimed, a);
        if (b) b = hsp_report_next(found, b);
    }
    hsp_text_free(&t);
}

static void compare(const comparison *q, const char *path, const hsp_report *claimed, const hsp_report *found) {
    int kind = hsp_report_kind(found, NULL);
    bool alike = kind == hsp_report_kind(claimed, NULL);
    if (alike && kind == HSP_REPORT_OBJECT)
        check_object(q, path, claimed, found);
    else if (alike && kind == HSP_REPORT_LIST)
        check_list(q, path, claimed, found);
    else
        hsp_checks_same(q->c, path, claimed, found);
}

void hsp_checks_tree(hsp_checks *c, const char *path, const hsp_report *claimed, const hsp_report *found,
                     const char *const *skip) {
    compare(&(comparison){.c = c, .skip = skip}, path, claimed, found);
}

void hsp_checks_known(hsp_checks *c, const char *path, const hsp_report *claimed, const hsp_report *found,
                      const char *const *skip) {
    compare(&(comparison){.c = c, .skip = skip, .partial = true}, path, claimed, found);
}
