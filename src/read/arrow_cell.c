/* Values in the buffers of an Arrow array. The interface does not require that buffers are aligned, so values are copied out;
 * compilers make single loads of it. */
#include "base/number.h"
#include "read/arrow.h"

#include <math.h>
#include <string.h>

/* A value of type T at place i of a buffer. */
#define LOAD(T, buffer, i, to)                                                   \
    do {                                                                         \
        T loaded;                                                                \
        memcpy(&loaded, (const char *)(buffer) + (i) * (int64_t)sizeof loaded, sizeof loaded); \
        (to) = loaded;                                                           \
    } while (0)

/* ---- single values ---- */

static int64_t load_int(const void *buffer, int bytes, int64_t i) {
    int64_t v = 0;
    switch (bytes) {
    case 1: LOAD(int8_t, buffer, i, v); break;
    case 2: LOAD(int16_t, buffer, i, v); break;
    case 4: LOAD(int32_t, buffer, i, v); break;
    default: LOAD(int64_t, buffer, i, v); break;
    }
    return v;
}

static uint64_t load_uint(const void *buffer, int bytes, int64_t i) {
    uint64_t v = 0;
    switch (bytes) {
    case 1: LOAD(uint8_t, buffer, i, v); break;
    case 2: LOAD(uint16_t, buffer, i, v); break;
    case 4: LOAD(uint32_t, buffer, i, v); break;
    default: LOAD(uint64_t, buffer, i, v); break;
    }
    return v;
}

/* An IEEE half: a sign, 5 bits of exponent, 10 of fraction. */
static double half_value(uint16_t bits) {
    int exponent = bits >> 10 & 31, fraction = bits & 1023;
    double v = exponent == 31 ? (fraction ? (double)NAN : (double)INFINITY)
               : exponent > 0 ? ldexp(1024 + fraction, exponent - 25)
                              : ldexp(fraction, -24);
    return bits >> 15 ? -v : v;
}

static double load_float(const void *buffer, int bytes, int64_t i) {
    double v = 0;
    uint16_t half;
    if (bytes == 2) {
        LOAD(uint16_t, buffer, i, half);
        return half_value(half);
    }
    if (bytes == 4)
        LOAD(float, buffer, i, v);
    else
        LOAD(double, buffer, i, v);
    return v;
}

/* Correctly rounded, like the same decimal in a file. */
static double load_decimal(const hsp_arrow_values *v, int64_t i) {
    char buf[HSP_ARROW_SPELT];
    int64_t n = hsp_arrow_spell_decimal(v, i, buf);
    double x = NAN;
    hsp_number_parse(buf, buf + n, &x);
    return x;
}

double hsp_arrow_number(const hsp_arrow_values *v, int64_t i) {
    const hsp_arrow_type *t = v->type;
    const void *data = t->kind == HSP_ARROW_NULL ? NULL : v->array->buffers[1];
    int64_t at = v->offset + i;
    switch (t->kind) {
    case HSP_ARROW_BOOL: return hsp_arrow_bit(data, at);
    case HSP_ARROW_INT: return (double)load_int(data, t->bytes, at);
    case HSP_ARROW_UINT: return (double)load_uint(data, t->bytes, at);
    case HSP_ARROW_FLOAT: return load_float(data, t->bytes, at);
    case HSP_ARROW_DECIMAL: return load_decimal(v, i);
    default: return NAN;
    }
}

int64_t hsp_arrow_index(const hsp_arrow_values *v, int64_t i) {
    const void *data = v->array->buffers[1];
    if (v->type->kind == HSP_ARROW_INT) return load_int(data, v->type->bytes, v->offset + i);
    uint64_t index = load_uint(data, v->type->bytes, v->offset + i);
    return index > INT64_MAX ? -1 : (int64_t)index;
}

/* ---- texts ---- */

/* A view is its length, then the text itself up to 12 bytes, else 4 bytes of it, the number of a buffer and the place
 * there. */
static const char *viewed_text(const hsp_arrow_values *v, int64_t i, int64_t *n) {
    enum { INLINE = 12, FIXED = 2 };
    const char *view = (const char *)v->array->buffers[1] + 16 * (v->offset + i);
    *n = load_int(view, 4, 0);
    if (*n <= INLINE) return view + 4;
    int64_t buffer = load_int(view, 4, 2), at = load_int(view, 4, 3), buffers = v->array->n_buffers - FIXED - 1;
    if (buffer < 0 || buffer >= buffers || at < 0) return NULL;
    const char *bytes = v->array->buffers[FIXED + buffer];
    return bytes && load_int(v->array->buffers[FIXED + buffers], 8, buffer) - at >= *n ? bytes + at : NULL;
}

const char *hsp_arrow_text(const hsp_arrow_values *v, int64_t i, int64_t *n) {
    if (v->type->kind == HSP_ARROW_VIEW) return viewed_text(v, i, n);
    int64_t at = v->offset + i, begin = load_int(v->array->buffers[1], v->type->bytes, at),
            end = load_int(v->array->buffers[1], v->type->bytes, at + 1);
    const char *bytes = v->array->buffers[2];
    *n = begin < 0 || end < begin ? -1 : end - begin;
    return *n == 0 ? "" : *n > 0 && bytes ? bytes + begin : NULL;
}

/* ---- columns of numbers ---- */

/* Copies values of type T as doubles. */
#define COPY(T)                                                       \
    do {                                                              \
        const char *at = (const char *)data + from * (int64_t)sizeof(T); \
        for (int64_t k = 0; k < count; k++) {                         \
            T loaded;                                                 \
            memcpy(&loaded, at + k * (int64_t)sizeof loaded, sizeof loaded); \
            to[k * step] = (double)loaded;                            \
        }                                                             \
    } while (0)

/* Those types whose values need only a conversion; false: it is another one. */
static bool copy_plain(const hsp_arrow_type *t, const void *data, int64_t from, int64_t count, double *to, int64_t step) {
    bool whole = t->kind == HSP_ARROW_INT, positive = t->kind == HSP_ARROW_UINT, real = t->kind == HSP_ARROW_FLOAT;
    if (real && t->bytes == 8)
        COPY(double);
    else if (real && t->bytes == 4)
        COPY(float);
    else if (whole && t->bytes == 8)
        COPY(int64_t);
    else if (whole && t->bytes == 4)
        COPY(int32_t);
    else if (whole && t->bytes == 2)
        COPY(int16_t);
    else if (whole)
        COPY(int8_t);
    else if (positive && t->bytes == 8)
        COPY(uint64_t);
    else if (positive && t->bytes == 4)
        COPY(uint32_t);
    else if (positive && t->bytes == 2)
        COPY(uint16_t);
    else if (positive)
        COPY(uint8_t);
    else
        return false;
    return true;
}

void hsp_arrow_numbers(const hsp_arrow_part *p, int64_t from, int64_t count, double *to, int64_t step) {
    const hsp_arrow_values *v = &p->cells;
    bool nothing = v->type->kind == HSP_ARROW_NULL;
    if (nothing || !copy_plain(v->type, v->array->buffers[1], v->offset + from, count, to, step))
        for (int64_t k = 0; k < count; k++) to[k * step] = hsp_arrow_number(v, from + k);
    if (nothing || v->array->null_count == 0 || !v->array->buffers[0]) return;
    for (int64_t k = 0; k < count; k++)
        if (!hsp_arrow_is_valid(v, from + k)) to[k * step] = NAN;
}

const char *hsp_arrow_cell(const hsp_arrow_part *p, int64_t i, char *buf, int64_t *n) {
    if (!p->coded) return hsp_arrow_spell(&p->cells, i, buf, n);
    *n = 0;
    if (!hsp_arrow_is_valid(&p->cells, i)) return NULL;
    return hsp_arrow_spell(&p->words, hsp_arrow_index(&p->cells, i), buf, n);
}
