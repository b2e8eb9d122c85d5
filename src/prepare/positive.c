#include "prepare/positive.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

#include <string.h>

enum { SHOWN = 6 }; /* classes listed in a message */

/* label: the rest of the list, which begins with a label that is not a class. */
static int fail_unknown(const hsp_classes *classes, const char *label, hsp_error **err) {
    hsp_text names = {0};
    int64_t length = (int64_t)strcspn(label, ",");
    int64_t shown = classes->count <= SHOWN ? classes->count : SHOWN;
    for (int64_t k = 0; k < shown; k++) {
        const char *between = k == 0 ? "" : k + 1 == classes->count ? " and " : ", ";
        hsp_text_format(&names, "%s'%s'", between, classes->name[k]);
    }
    if (shown < classes->count) hsp_text_format(&names, ", ... (%lld in all)", (long long)classes->count);
    int status = names.failed ? hsp_fail_memory(err)
                              : hsp_fail(err, HSP_EUSAGE, "--positive: '%.*s' is not a class of the data: choose from %s",
                                         (int)(length < 200 ? length : 200), label, names.s ? names.s : "none");
    hsp_text_free(&names);
    return status;
}

/* The chosen labels, separated by commas. */
static int join_labels(const hsp_classes *classes, const bool *chosen, char **out, hsp_error **err) {
    hsp_text t = {0};
    for (int64_t k = 0; k < classes->count; k++) {
        if (!chosen[k]) continue;
        if (t.length > 0) hsp_text_char(&t, ',');
        hsp_text_add(&t, classes->name[k]);
    }
    return hsp_text_take(&t, out, err);
}

/* "rest", or "not A,B" if the data have a label "rest": never a label of the data or the name of the group. */
static int name_rest(const hsp_classes *classes, const char *group, char **out, hsp_error **err) {
    hsp_text t = {0};
    hsp_text_add(&t, "rest");
    for (int64_t tries = 1; !t.failed && hsp_classes_find(classes, t.s, t.length) >= 0; tries++) {
        hsp_text_clear(&t);
        for (int64_t i = 0; i < tries; i++) hsp_text_add(&t, "not ");
        hsp_text_add(&t, group);
    }
    return hsp_text_take(&t, out, err);
}

/* Merges the classes into two: the chosen ones and the rest. */
static int merge_classes(const hsp_classes *classes, const bool *chosen, hsp_prepare *p, hsp_error **err) {
    char *group = NULL, *rest = NULL;
    int status = hsp_classes_copy(classes, &p->source, err);
    if (!status) status = join_labels(classes, chosen, &group, err);
    if (!status) status = name_rest(classes, group, &rest, err);
    if (status) goto done;
    if (!HSP_ALLOC(p->merged, classes->count) || !HSP_ALLOC_ZERO(p->classes.name, 2)) {
        status = hsp_fail_memory(err);
        goto done;
    }
    p->classes.count = 2;
    p->positive = strcmp(group, rest) > 0; /* never both numbers */
    p->classes.name[p->positive] = group;
    p->classes.name[1 - p->positive] = rest;
    group = rest = NULL;
    for (int64_t k = 0; k < classes->count; k++) p->merged[k] = (int32_t)(chosen[k] ? p->positive : 1 - p->positive);
done:
    HSP_FREE(group, rest);
    return status;
}

/* Of two classes, the chosen one becomes the positive class; of more, the chosen ones are merged into it. */
static int set_positive(const hsp_classes *classes, const bool *chosen, hsp_prepare *p, hsp_error **err) {
    int64_t count = 0, last = -1;
    for (int64_t k = 0; k < classes->count; k++) {
        if (chosen[k]) count++, last = k;
    }
    if (count == classes->count)
        return hsp_fail(err, HSP_EUSAGE,
                        classes->count == 2 ? "--positive names both classes: name one of them"
                                            : "--positive names all classes: leave at least one out");
    if (classes->count > 2) return merge_classes(classes, chosen, p, err);
    p->positive = last;
    return hsp_classes_copy(classes, &p->classes, err);
}

int hsp_prepare_positive(const hsp_classes *classes, const char *asked, hsp_prepare *p, hsp_error **err) {
    p->positive = classes->count == 2 ? 1 : -1;
    /* With fewer than two classes training fails later, with a better message. */
    if (!asked || classes->count < 2) return hsp_classes_copy(classes, &p->classes, err);
    bool *chosen = hsp_alloc(classes->count, sizeof *chosen);
    if (!chosen) return hsp_fail_memory(err);
    const char *unknown = hsp_classes_mark(classes, asked, chosen);
    int status = unknown ? fail_unknown(classes, unknown, err) : set_positive(classes, chosen, p, err);
    hsp_free(chosen);
    return status;
}
