/* Some rows of a design in an order of their own, for methods that visit one row at a time, many times. They are read where
 * they are, or from a copy in which they lie one after the other, coded as the source codes them (scaled columns: as
 * doubles). Of a copy a part can be kept, so that rows which still matter lie side by side.
 *
 * Nothing of this shows outside: rows are named by their place, and a row is summed in the order in which the source stores
 * it, with the same bits from a copy and without. */
#ifndef HSP_DESIGN_PACKED_H
#define HSP_DESIGN_PACKED_H

#include "data/matrix.h"
#include "design/design.h"
#include "halfspace.h"
#include "kernel/kernel.h"

typedef struct hsp_packed {
    int64_t rows, d;
    const hsp_design *design; /* borrowed */
    int64_t *origin;          /* which of the design's rows stands at a place */
    bool copied;
    hsp_matrix x;         /* copied: the rows; its table is the source's */
    int64_t room, places; /* copied: numbers and rows for which there is room */
    int64_t bytes;        /* of that */
    double *tile;         /* d: room for a scaled row that is not copied; NULL: not needed */
    hsp_dot_of_form *dot; /* of its rows */
    hsp_axpy_of_form *axpy;
} hsp_packed;

/* The rows named in `order`, in that order, where they are. HSP_OK or HSP_EMEMORY. */
int hsp_packed_new(const hsp_design *D, const int64_t *order, int64_t rows, hsp_packed **out, hsp_error **err);
/* Room for copies of all rows of P, and none there; memory that is never written to costs nothing. *out is NULL when they
 * would take more than `most` bytes. */
int hsp_packed_copy_of(const hsp_packed *P, int64_t most, hsp_packed **out, hsp_error **err);
void hsp_packed_free(hsp_packed *P);
/* What a copy may take: half of the machine's memory, less what the data themselves take. */
int64_t hsp_packed_room(const hsp_design *D);
/* The rows of P at these places become those of Q, a copy of rows of P; Q may be P itself, then places ascend. On the
 * design's threads where there are many. */
void hsp_packed_take(const hsp_packed *P, const int64_t *places, int64_t count, hsp_packed *Q);

/* A row as P's kernels want it. */
typedef struct hsp_packed_row {
    const void *id, *value;
    int64_t count;
} hsp_packed_row;

/* The row at a place (as hsp_design_row has it: centring of sparse rows is the caller's). One user at a time. */
static inline hsp_packed_row hsp_packed_at(const hsp_packed *P, int64_t place) {
    if (!P->copied) {
        hsp_row r = hsp_design_row(P->design, P->origin[place], P->tile);
        return (hsp_packed_row){r.id, r.value, r.count};
    }
    int64_t begin = P->x.row ? P->x.row[place] : place * P->d, end = P->x.row ? P->x.row[place + 1] : begin + P->d;
    const char *id = P->x.id ? (const char *)P->x.id + (begin << (P->x.narrow ? 1 : 2)) : NULL;
    return (hsp_packed_row){id, (const char *)P->x.value + begin * (int64_t)hsp_coding_size(P->x.coding), end - begin};
}
static inline double hsp_packed_dot(const hsp_packed *P, hsp_packed_row r, const double *v) {
    return P->dot(r.id, r.value, P->design->x->table, r.count, v);
}
static inline void hsp_packed_axpy(const hsp_packed *P, double a, hsp_packed_row r, double *v) {
    P->axpy(a, r.id, r.value, P->design->x->table, r.count, v);
}
/* Asks for the beginning of a row that will be wanted soon. */
void hsp_packed_prefetch(const hsp_packed *P, int64_t place);

#endif
