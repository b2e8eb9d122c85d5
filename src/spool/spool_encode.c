#include "base/memory.h"
#include "data/block.h"
#include "data/digest_codes.h"
#include "data/matrix.h"
#include "data/shape.h"
#include "kernel/form.h"
#include "spool/spool.h"

#include <string.h>

/* The entries of a row as ids and values of CSR, without zeros. */
static void pick_entries(hsp_spool_rows_of *r, const hsp_shape *s, const hsp_block *b, int64_t i) {
    int64_t begin = b->dense ? i * b->d : b->row[i], end = b->dense ? begin + b->d : b->row[i + 1], at = r->stored;
    uint16_t *narrow = (uint16_t *)(void *)r->id;
    uint32_t *wide = (uint32_t *)(void *)r->id;
    for (int64_t t = begin; t < end; t++) {
        int64_t j = b->dense ? t - begin : (int64_t)b->id[t] - s->base;
        if (b->value[t] == 0) continue;
        if (j < 0 || j >= s->d) {
            r->wrong = true;
            return;
        }
        if (s->ids == HSP_IDS_16)
            narrow[at] = (uint16_t)j;
        else
            wide[at] = (uint32_t)j;
        r->value[at++] = b->value[t];
    }
    r->count[i] = at - r->stored;
    r->stored = at;
}

/* The values of all columns of a row. */
static void spread_entries(hsp_spool_rows_of *r, const hsp_shape *s, const hsp_block *b, int64_t i) {
    double *to = r->value + i * s->d;
    memset(to, 0, (size_t)s->d * sizeof *to);
    for (int64_t t = b->row[i]; t < b->row[i + 1]; t++) {
        int64_t j = (int64_t)b->id[t] - s->base;
        if (j < 0 || j >= s->d)
            r->wrong = true;
        else
            to[j] = b->value[t];
    }
}

static int encode_values(hsp_spool_rows_of *r, const hsp_shape *s, const double *v) {
    int64_t n = r->stored;
    if (HSP_RESERVE(r->out, r->out_capacity, n * (int64_t)hsp_coding_size(s->coding) + 1)) return HSP_EMEMORY;
    float *single = (float *)(void *)r->out;
    if (s->coding == HSP_CODING_F64 && n > 0) memcpy(r->out, v, (size_t)n * sizeof *v);
    for (int64_t t = 0; s->coding == HSP_CODING_F32 && t < n; t++) {
        single[t] = (float)v[t];
        r->wrong = r->wrong || (double)single[t] != v[t];
    }
    if (s->coding == HSP_CODING_CODE8)
        r->wrong = r->wrong || !hsp_codes_encode(&r->codes, v, n, r->out) || r->codes.count != s->codes.count;
    for (int64_t t = 0; s->coding == HSP_CODING_ONE && t < n; t++) r->wrong = r->wrong || v[t] != s->table[0];
    return 0;
}

int hsp_spool_encode(hsp_spool_rows_of *r, const hsp_shape *s, const hsp_block *b) {
    int64_t most = s->dense ? b->rows * s->d : b->rows == 0 ? 0 : b->dense ? b->rows * b->d : b->row[b->rows];
    bool direct = s->dense && b->dense;
    r->wrong = b->dense && b->d != s->d;
    r->stored = 0;
    if (r->wrong) return 0;
    if (HSP_RESERVE(r->count, r->count_capacity, b->rows + 1) ||
        (!direct && HSP_RESERVE(r->value, r->value_capacity, most + 1)) ||
        (!s->dense && HSP_RESERVE(r->id, r->id_capacity, (most + 1) * (int64_t)hsp_ids_size(s->ids))))
        return HSP_EMEMORY;
    for (int64_t i = 0; !direct && i < b->rows; i++) {
        if (s->dense)
            spread_entries(r, s, b, i);
        else
            pick_entries(r, s, b, i);
    }
    if (s->dense) r->stored = most;
    return r->wrong ? 0 : encode_values(r, s, direct ? b->value : r->value);
}

void hsp_spool_rows_free(hsp_spool_rows_of *r) {
    HSP_FREE(r->count, r->id, r->value, r->out);
}
