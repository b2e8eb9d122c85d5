/* A sequence of rows of a design, for methods that visit single rows many times. Rows are read in place, or from a copy in
 * which they are contiguous, in the coding of the source (doubles when columns are scaled). A copy can be reduced to some of
 * its rows, so that those still in use stay contiguous.
 *
 * Rows are addressed by their place in the sequence. Sums go in the order in which the source stores a row: the same bits with
 * and without a copy. */
#ifndef HSP_DESIGN_PACKED_H
#define HSP_DESIGN_PACKED_H

#include "data/matrix.h"
#include "design/design.h"
#include "halfspace.h"
#include "kernel/kernel.h"

typedef struct hsp_packed {
    int64_t rows, d;
    const hsp_design *design; /* borrowed */
    int64_t *origin;          /* owned: the row of the design at each place */
    bool copied;
    hsp_matrix x;         /* copied: the rows, owned; its table is borrowed from the source */
    int64_t room, places; /* copied: capacity in numbers and in rows */
    int64_t bytes;        /* of that capacity */
    double *tile;         /* owned: d, for a scaled row in place; NULL: not needed */
    hsp_dot_of_form *dot; /* kernels of its rows */
    hsp_axpy_of_form *axpy;
} hsp_packed;

/* The rows `order`, in place. HSP_OK or HSP_EMEMORY. */
int hsp_packed_new(const hsp_design *D, const int64_t *order, int64_t rows, hsp_packed **out, hsp_error **err);
/* An empty copy with capacity for all rows of P (unused memory is never touched). *out is NULL when it would take more than
 * `most` bytes. */
int hsp_packed_copy_of(const hsp_packed *P, int64_t most, hsp_packed **out, hsp_error **err);
void hsp_packed_free(hsp_packed *P);
/* Bytes that a copy may take: half of the memory limit, less the data. */
int64_t hsp_packed_room(const hsp_design *D);
/* Copies the rows of P at these places to Q, a copy of P; Q may be P itself, then places must ascend. Uses the design's
 * threads. */
void hsp_packed_take(const hsp_packed *P, const int64_t *places, int64_t count, hsp_packed *Q);

/* A row in the form of P's kernels. */
typedef struct hsp_packed_row {
    const void *id, *value;
    int64_t count;
} hsp_packed_row;

/* The row at a place, as hsp_design_row gives it: sparse rows are not centred. One user at a time. */
static inline hsp_packed_row hsp_packed_at(const hsp_packed *P, int64_t place) {
    if (!P->copied) {
        hsp_row r = hsp_design_row(P->design, P->origin[place], P->tile);
        return (hsp_packed_row){r.id, r.value, r.count};
    }
    int64_t begin = P->x.row ? P->x.row[place] : place * P->d, end = P->x.row ? P->x.row[place + 1] : begin + P->d;
    const char *id = P->x.id ? (const char *)P->x.id + begin * (int64_t)hsp_matrix_id_size(&P->x) : NULL;
    return (hsp_packed_row){id, (const char *)P->x.value + begin * (int64_t)hsp_coding_size(P->x.coding), end - begin};
}
static inline double hsp_packed_dot(const hsp_packed *P, hsp_packed_row r, const double *v) {
    return P->dot(r.id, r.value, P->design->x->table, r.count, v);
}
static inline void hsp_packed_axpy(const hsp_packed *P, double a, hsp_packed_row r, double *v) {
    P->axpy(a, r.id, r.value, P->design->x->table, r.count, v);
}
/* Prefetches the start of a row. */
void hsp_packed_prefetch(const hsp_packed *P, int64_t place);

#endif
