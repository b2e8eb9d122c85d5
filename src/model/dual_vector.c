/* The dual vector of a model: sparse, since most rows of a margin are not support vectors. */
#include "base/error.h"
#include "base/memory.h"
#include "model/model.h"

#include <math.h>
#include <string.h>

static hsp_dual *allocate(int64_t outputs, int64_t count) {
    hsp_dual *a = hsp_alloc_zero(1, sizeof *a);
    if (!a) return NULL;
    a->outputs = outputs;
    a->begin = hsp_alloc_zero(outputs + 1, sizeof *a->begin);
    a->row = hsp_alloc(count > 0 ? count : 1, sizeof *a->row);
    a->value = hsp_alloc(count > 0 ? count : 1, sizeof *a->value);
    if (a->begin && a->row && a->value) return a;
    hsp_dual_free(a);
    return NULL;
}

int hsp_dual_new(const double *dense, int64_t n, int64_t outputs, hsp_dual **out, hsp_error **err) {
    *out = NULL;
    if (n > UINT32_MAX)
        return hsp_fail(err, HSP_EUSAGE, "the dual vector has too many rows for a model: use --no-certificate");
    int64_t count = 0;
    for (int64_t t = 0; t < n * outputs; t++) count += dense[t] != 0;
    hsp_dual *a = allocate(outputs, count);
    if (!a) return hsp_fail_memory(err);
    count = 0;
    for (int64_t k = 0; k < outputs; k++) {
        for (int64_t i = 0; i < n; i++) {
            if (dense[i * outputs + k] == 0) continue;
            a->row[count] = (uint32_t)i;
            a->value[count++] = dense[i * outputs + k];
        }
        a->begin[k + 1] = count;
    }
    *out = a;
    return HSP_OK;
}

void hsp_dual_free(hsp_dual *a) {
    if (!a) return;
    HSP_FREE(a->begin, a->row, a->value, a);
}

void hsp_dual_spread(const hsp_dual *a, int64_t k, int64_t n, double *out) {
    for (int64_t i = 0; i < n; i++) out[i] = 0;
    for (int64_t t = a->begin[k]; t < a->begin[k + 1]; t++)
        if ((int64_t)a->row[t] < n) out[a->row[t]] = a->value[t];
}

/* Whether the offsets ascend to the end, the rows ascend and exist, and the values are finite and not 0. */
static bool sound(const hsp_dual *a, int64_t count, int64_t n) {
    if (a->begin[0] != 0 || a->begin[a->outputs] != count) return false;
    for (int64_t k = 0; k < a->outputs; k++) {
        if (a->begin[k + 1] < a->begin[k] || a->begin[k + 1] > count) return false;
        for (int64_t t = a->begin[k]; t < a->begin[k + 1]; t++) {
            if ((int64_t)a->row[t] >= n || (t > a->begin[k] && a->row[t] <= a->row[t - 1])) return false;
            if (!isfinite(a->value[t]) || a->value[t] == 0) return false;
        }
    }
    return true;
}

bool hsp_dual_fits(const hsp_dual *a, int64_t outputs, int64_t n) {
    return a->outputs == outputs && sound(a, a->begin[outputs], n);
}

int hsp_dual_load(const void *begin, const void *row, const void *value, int64_t outputs, int64_t count, int64_t n,
                  hsp_dual **out, hsp_error **err) {
    *out = NULL;
    hsp_dual *a = allocate(outputs, count);
    if (!a) return hsp_fail_memory(err);
    memcpy(a->begin, begin, (size_t)(outputs + 1) * sizeof *a->begin);
    if (count > 0) {
        memcpy(a->row, row, (size_t)count * sizeof *a->row);
        memcpy(a->value, value, (size_t)count * sizeof *a->value);
    }
    if (!sound(a, count, n)) {
        hsp_dual_free(a);
        return HSP_EINPUT;
    }
    *out = a;
    return HSP_OK;
}

int hsp_model_drop_dual(hsp_model *m) {
    int had = m->dual != NULL;
    hsp_dual_free(m->dual);
    m->dual = NULL;
    return had;
}
