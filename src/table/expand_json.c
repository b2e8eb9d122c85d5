/* "expansion": {"cross": [[0, 2], ...], "degree": 2, "rff": {"waves": 100, "gamma": 0.1, "seed": "0000000000000001",
 * "mean": [...], "scale": [...]}}. Members that were not asked for are absent; the rest is derived from the columns. */
#include "base/error.h"
#include "base/json.h"
#include "base/json_read.h"
#include "base/json_value.h"
#include "base/memory.h"
#include "base/text.h"
#include "table/expand.h"
#include "table/fourier.h"
#include "table/rules_json.h"

#include <math.h>

/* ---- saving ---- */

static void save_fourier(const hsp_expansion *x, hsp_json *j) {
    char seed[17];
    hsp_hex(x->seed, seed);
    hsp_json_object(j, "rff");
    hsp_json_int(j, "waves", x->fourier);
    hsp_json_number(j, "gamma", x->gamma);
    hsp_json_string(j, "seed", seed);
    hsp_json_numbers(j, "mean", x->mean, x->numbers);
    hsp_json_numbers(j, "scale", x->scale, x->numbers);
    hsp_json_object_end(j);
}

void hsp_expansion_save(const hsp_expansion *x, hsp_json *j) {
    if (!x) return;
    hsp_json_object(j, "expansion");
    hsp_crosses_save(x->cross, x->crosses, j);
    if (x->degree > 1) hsp_json_int(j, "degree", x->degree);
    if (x->fourier > 0) save_fourier(x, j);
    hsp_json_object_end(j);
}

/* ---- loading ---- */

/* Reads `count` finite numbers, at least `least`. */
static int load_numbers(const hsp_json_loader *l, const char *key, int64_t count, double least, double **out) {
    const hsp_json_value *list = hsp_json_get(l->from, key);
    if (!hsp_json_is(list, HSP_JSON_ARRAY) || hsp_json_count(list) != count) return hsp_json_wrong(l, key);
    double *v = HSP_ALLOC(*out, count);
    if (!v) return hsp_fail_memory(l->err);
    for (int64_t i = 0; i < count; i++) {
        const hsp_json_value *number = hsp_json_item(list, i);
        v[i] = hsp_json_double(number);
        if (!isfinite(v[i]) || v[i] < least) return hsp_json_wrong(l, key);
    }
    return HSP_OK;
}

static int load_fourier(const hsp_json_loader *outer, hsp_expansion *x) {
    const hsp_json_value *from = hsp_json_get(outer->from, "rff");
    if (!from) return HSP_OK;
    const hsp_json_loader l = {from, outer->file, outer->err};
    if (!hsp_json_is(from, HSP_JSON_OBJECT)) return hsp_json_wrong(outer, "rff");
    int status = hsp_json_load_whole(&l, "waves", HSP_EXPAND_MOST, &x->fourier);
    if (!status && (x->fourier == 0 || x->numbers == 0)) status = hsp_json_wrong(&l, "waves");
    if (status) return status;
    const hsp_json_value *gamma = hsp_json_get(from, "gamma");
    x->gamma = hsp_json_double(gamma);
    if (!(x->gamma > 0 && isfinite(x->gamma))) return hsp_json_wrong(&l, "gamma");
    if (!hsp_json_hex(hsp_json_get(from, "seed"), &x->seed)) return hsp_json_wrong(&l, "seed");
    status = load_numbers(&l, "mean", x->numbers, -INFINITY, &x->mean);
    return status ? status : load_numbers(&l, "scale", x->numbers, 0, &x->scale);
}

static int load_members(const hsp_json_loader *l, int64_t room, const hsp_encoding *e, hsp_expansion *x) {
    x->first = e->base;
    x->degree = 1;
    int status = hsp_crosses_load(l, e->raw.d, &x->cross, &x->crosses);
    if (!status && hsp_expansion_numbers(e, x)) status = hsp_fail_memory(l->err);
    if (!status && hsp_json_get(l->from, "degree")) {
        status = hsp_json_load_whole(l, "degree", 2, &x->degree);
        if (!status && x->degree != 2) status = hsp_json_wrong(l, "degree");
    }
    if (!status) status = load_fourier(l, x);
    if (status) return status;
    int64_t cross;
    x->features = hsp_expansion_features(e, x, &cross);
    bool empty = x->crosses == 0 && x->degree == 1 && x->fourier == 0;
    if (x->features < 0 || e->base > room || x->features > room - e->base || empty) return hsp_json_wrong(l, "expansion");
    if (x->fourier > 0 && hsp_fourier_make(x)) return hsp_fail_memory(l->err);
    return HSP_OK;
}

int hsp_expansion_load(const hsp_json_loader *l, int64_t room, hsp_encoding *e) {
    const hsp_json_value *from = hsp_json_get(l->from, "expansion");
    e->expansion = NULL;
    if (!from) return HSP_OK;
    if (!hsp_json_is(from, HSP_JSON_OBJECT)) return hsp_json_wrong(l, "expansion");
    hsp_expansion *x = hsp_alloc_zero(1, sizeof *x);
    if (!x) return hsp_fail_memory(l->err);
    const hsp_json_loader inner = {from, l->file, l->err};
    int status = load_members(&inner, room, e, x);
    if (status)
        hsp_expansion_free(x);
    else
        e->expansion = x;
    return status;
}
