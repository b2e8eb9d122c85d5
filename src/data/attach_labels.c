/* Labels as codes into names. */
#include "base/error.h"
#include "base/memory.h"
#include "data/array_input.h"
#include "data/data.h"
#include "data/labels.h"

#include <limits.h>
#include <string.h>

enum { PIECE = 1024 };

/* ---- names ---- */

static int check_names(const char *const *names, int64_t count, hsp_error **err) {
    if (!names || count < 1) return hsp_fail(err, HSP_EUSAGE, "no names of classes were given: give at least one");
    for (int64_t k = 0; k < count; k++) {
        const char *name = names[k] ? names[k] : "";
        int64_t length = (int64_t)strlen(name);
        hsp_label_trim(&name, &length);
        if (length == 0)
            return hsp_fail(err, HSP_EINPUT, "the name of class %lld (from 0) is empty: give every class a name",
                            (long long)k);
    }
    return 0;
}

/* Two names of one class are an error. first: room for `count`. */
static int check_twins(const char *const *names, const int32_t *rank, int64_t count, int64_t classes, int64_t *first,
                       hsp_error **err) {
    for (int64_t c = 0; c < classes; c++) first[c] = -1;
    for (int64_t k = 0; k < count; k++) {
        int64_t other = first[rank[k]];
        if (other >= 0)
            return hsp_fail(err, HSP_EINPUT,
                            "the names '%.100s' and '%.100s' (%lld and %lld, from 0) are the same label: rename one",
                            names[other], names[k], (long long)other, (long long)k);
        first[rank[k]] = k;
    }
    return 0;
}

/* The classes, and the one of each name: as if there were one row of each. */
static int sort_names(const char *const *names, int64_t count, hsp_classes *classes, int32_t *rank, hsp_error **err) {
    hsp_labels *labels = NULL;
    int64_t *first = hsp_alloc(count, sizeof *first);
    int status = first ? hsp_labels_new(NULL, NULL, &labels, err) : hsp_fail_memory(err);
    for (int64_t k = 0; !status && k < count; k++)
        status = hsp_labels_class(labels, names[k], (int64_t)strlen(names[k]), 1, (hsp_place){0}, &rank[k], err);
    if (!status) status = hsp_labels_finish(labels, classes, rank, err);
    if (!status) status = check_twins(names, rank, count, classes->count, first, err);
    hsp_labels_free(labels);
    hsp_free(first);
    return status;
}

/* ---- rows ---- */

static int rank_rows(const hsp_array *codes, int64_t n, const int32_t *rank, int64_t count, int32_t *y, hsp_error **err) {
    int64_t code[PIECE];
    for (int64_t from = 0; from < n; from += PIECE) {
        int64_t some = n - from < PIECE ? n - from : PIECE;
        hsp_array_integers(codes, from, some, code);
        for (int64_t t = 0; t < some; t++) {
            if (code[t] < 0 || code[t] >= count)
                return hsp_fail(err, HSP_EINPUT,
                                "row %lld (from 0) has the code %lld, but codes are 0 to %lld: check the codes",
                                (long long)(from + t), (long long)code[t], (long long)count - 1);
            y[from + t] = rank[code[t]];
        }
    }
    return 0;
}

int hsp_data_set_labels(hsp_data *data, const hsp_array *codes, const char *const *names, int64_t count, hsp_error **err) {
    static const hsp_array_form form = {"codes", 1, HSP_DTYPES_INTEGER, "integers or bool"};
    int64_t n = data->x.n;
    int32_t *rank = NULL, *y = NULL;
    hsp_classes classes = {0};
    int status = hsp_array_check_rows(codes, &form, n, err);
    if (!status) status = check_names(names, count, err);
    if (!status && (!HSP_ALLOC(rank, count) || !HSP_ALLOC(y, n))) status = hsp_fail_memory(err);
    if (!status) status = sort_names(names, count, &classes, rank, err);
    if (!status) status = rank_rows(codes, n, rank, count, y, err);
    if (!status) {
        hsp_data_drop_labels(data);
        data->classes = classes;
        data->y = y;
        classes = (hsp_classes){0};
        y = NULL;
    }
    hsp_classes_clear(&classes);
    HSP_FREE(rank, y);
    return status;
}
