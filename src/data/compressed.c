#include "data/compressed.h"

#include "base/error.h"
#include "base/memory.h"
#include "data/array_input.h"

static int check_offsets(const hsp_compressed *c, const hsp_compressed_words *say, hsp_error **err) {
    for (int64_t i = 0; i < c->lines; i++)
        if (c->begin[i] < 0 || c->begin[i + 1] < c->begin[i])
            return hsp_fail(err, HSP_EINPUT, "%s %lld ends before it begins: give %s offsets that ascend from 0", say->line,
                            (long long)i, say->line);
    int64_t stored = c->begin[c->lines],
            least = c->index.shape[0] < c->value.shape[0] ? c->index.shape[0] : c->value.shape[0];
    if (stored <= least) return 0;
    return hsp_fail(err, HSP_EINPUT,
                    "the %s offsets end at %lld, but there are %lld entries: check the lengths of the arrays", say->line,
                    (long long)stored, (long long)least);
}

/* Makes the copied offsets begin at 0. */
static void cut_before_first(hsp_compressed *c) {
    int64_t first = c->own[0];
    for (int64_t i = 0; first > 0 && i <= c->lines; i++) c->own[i] -= first;
    c->index.data = (const char *)c->index.data + first * c->index.strides[0];
    c->value.data = (const char *)c->value.data + first * c->value.strides[0];
    c->index.shape[0] -= first;
    c->value.shape[0] -= first;
}

int hsp_compressed_open(const hsp_array *begin, const hsp_array *index, const hsp_array *value,
                        const hsp_compressed_words *say, hsp_compressed *c, hsp_error **err) {
    const hsp_array_form offsets = {say->begin, 1, HSP_DTYPES_INDEX, "int32 or int64"},
                         indices = {say->index, 1, HSP_DTYPES_INDEX, "int32 or int64"},
                         values = {"value", 1, HSP_DTYPES_FLOAT, "float32 or float64"};
    int status = hsp_array_check(begin, &offsets, err);
    if (!status) status = hsp_array_check(index, &indices, err);
    if (!status) status = hsp_array_check(value, &values, err);
    if (status) return status;
    *c = (hsp_compressed){.lines = begin->shape[0] - 1, .index = *index, .value = *value};
    if (c->lines < 1) return hsp_fail(err, HSP_EINPUT, "no %ss: give at least one", say->line);
    bool usable = begin->dtype == HSP_INT64 && begin->strides[0] == sizeof(int64_t) && hsp_array_in_place(begin) &&
                  *(const int64_t *)begin->data == 0;
    if (!usable && !HSP_ALLOC(c->own, c->lines + 1)) return hsp_fail_memory(err);
    if (!usable) hsp_array_integers(begin, 0, c->lines + 1, c->own);
    c->begin = usable ? begin->data : c->own;
    status = check_offsets(c, say, err);
    if (!status && c->own) cut_before_first(c);
    return status;
}

hsp_matrix hsp_compressed_matrix(int64_t n, int64_t d, int64_t stored, int32_t dtype) {
    return (hsp_matrix){.n = n,
                        .d = d,
                        .coding = dtype == HSP_FLOAT32 ? HSP_CODING_F32 : HSP_CODING_F64,
                        .dtype = dtype,
                        .stored = stored,
                        .nonzeros = stored};
}
