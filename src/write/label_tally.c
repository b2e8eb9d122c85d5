#include "write/label_tally.h"

#include "base/memory.h"
#include "option/options.h"
#include "read/csv.h"

/* More distinct labels than these are not reported as classes, unless something needs them: they are probably numbers. */
#define MOST_CLASSES 1000

int hsp_label_tally_begin(hsp_label_tally *t, const hsp_options *o, hsp_error **err) {
    hsp_label_tally_free(t);
    bool regression = hsp_options_is(o, "task", "regression");
    *t = (hsp_label_tally){.need = hsp_options_flag(o, "stratify") ? "--stratify" : NULL, .known = !regression};
    if (t->need && regression)
        return hsp_fail(err, HSP_EUSAGE, "--stratify needs classes, and the data have a numeric target: leave it out");
    return hsp_labels_new(NULL, hsp_options_text(o, "map-label"), &t->labels, err);
}

/* The label with its "" unescaped; NULL: memory ran out. */
static const char *plain_label(hsp_label_tally *t, const hsp_raw_row *row, int64_t *length) {
    *length = row->label.n;
    if (!row->label.doubled) return row->label.s;
    hsp_text_clear(&t->spare);
    hsp_csv_copy(&t->spare, &row->label);
    *length = t->spare.length;
    return t->spare.failed ? NULL : t->spare.s;
}

const char *hsp_label_tally_replacement(hsp_label_tally *t, const hsp_raw_row *row, bool *failed) {
    int64_t length;
    *failed = false;
    if (!row->label.s) return NULL;
    const char *label = plain_label(t, row, &length);
    *failed = !label;
    return label ? hsp_labels_replacement(t->labels, label, length, failed) : NULL;
}

/* Whether the row has no label, which --map-label may give it. */
static bool lacks_label(hsp_label_tally *t, const hsp_raw_row *row, bool *failed) {
    *failed = false;
    return row->unlabelled && !hsp_label_tally_replacement(t, row, failed);
}

/* The provisional class of a row with a label, or a negative status. `rows` as in hsp_labels_class. */
static int64_t provisional_class(hsp_label_tally *t, const hsp_raw_row *row, int64_t rows, hsp_error **err) {
    int64_t length;
    int32_t class = 0;
    const char *label = plain_label(t, row, &length);
    if (!label) return hsp_fail_memory(err);
    int status = hsp_labels_class(t->labels, label, length, rows, (hsp_place){0}, &class, err);
    return status < 0 ? status : class;
}

int hsp_label_tally_add(hsp_label_tally *t, const hsp_raw_file *f, const hsp_raw_row *row, hsp_error **err) {
    bool failed;
    if (!t->known) return 0;
    if (lacks_label(t, row, &failed)) {
        t->known = false;
        return failed ? hsp_fail_memory(err) : t->need ? hsp_raw_fail_label(f, row, t->need, err) : 0;
    }
    int64_t class = provisional_class(t, row, 0, err);
    if (class < 0) return (int)class;
    if (class == t->met) { /* new: the labels count one row a class, whose numbers hsp_labels_finish sorts */
        class = provisional_class(t, row, 1, err);
        if (class < 0) return (int)class;
        if (HSP_RESERVE(t->count, t->count_capacity, class + 1)) return hsp_fail_memory(err);
        t->count[class] = 0;
        t->met++;
        if (!t->need && t->met > MOST_CLASSES) t->known = false;
    }
    t->count[class]++;
    return 0;
}

int hsp_label_tally_finish(hsp_label_tally *t, hsp_error **err) {
    int64_t classes = t->met, *count = NULL;
    t->known = t->known && classes > 0;
    if (!t->known) return 0;
    if (!HSP_ALLOC(t->rank, classes) || !HSP_ALLOC_ZERO(count, classes)) {
        hsp_free(count);
        return hsp_fail_memory(err);
    }
    for (int64_t k = 0; k < classes; k++) t->rank[k] = (int32_t)k;
    int status = hsp_labels_finish(t->labels, &t->classes, t->rank, err);
    for (int64_t k = 0; status == 0 && k < classes; k++) count[t->rank[k]] += t->count[k];
    hsp_free(t->count);
    t->count = count;
    return status;
}

int64_t hsp_label_tally_class(hsp_label_tally *t, const hsp_raw_row *row, hsp_error **err) {
    int64_t class = provisional_class(t, row, 0, err);
    if (class < 0) return class;
    /* A label that was not there when the rows were counted. */
    return class < t->met ? t->rank[class] : hsp_fail(err, HSP_EINPUT, "the file was changed while it was read");
}

void hsp_label_tally_report(const hsp_label_tally *t, const int64_t *count, hsp_json *j) {
    if (!t->known) {
        hsp_json_null(j, "classes");
        return;
    }
    hsp_json_object(j, "classes");
    for (int64_t k = 0; k < t->classes.count; k++) hsp_json_int(j, t->classes.name[k], count[k]);
    hsp_json_object_end(j);
}

void hsp_label_tally_free(hsp_label_tally *t) {
    hsp_labels_free(t->labels);
    hsp_text_free(&t->spare);
    hsp_classes_clear(&t->classes);
    HSP_FREE(t->count, t->rank);
    *t = (hsp_label_tally){0};
}
