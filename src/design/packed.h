/* A working copy of some rows of a design for methods that visit one row at a time, many times: the rows lie one after the
 * other in the order in which they will be wanted, coded as the source codes them (scaled columns: as doubles). Columns
 * that are too many for the caches are relabelled, those that most rows have first, so that the part of a vector over the
 * columns that is always wanted is small and stays near.
 *
 * Nothing of this shows outside: rows are named by their place, vectors over the columns are brought into the copy's order
 * and back, and a row is summed in the order in which the source stores it. Where there is no room for a copy the rows are
 * read from the design instead, more slowly, with the same bits. */
#ifndef HSP_DESIGN_PACKED_H
#define HSP_DESIGN_PACKED_H

#include "design/design.h"

typedef struct hsp_packed {
    int64_t rows, d;
    const hsp_design *design; /* borrowed */
    int64_t *origin;          /* rows: which of the design's stands at a place */
    bool copied;              /* false: there was no room */
    hsp_matrix x;             /* copied: the rows; its table is the source's */
    uint32_t *label;          /* d: where a column is now; NULL: where it was */
    double *tile;             /* d: room for a row that is not copied and is scaled; NULL: not needed */
    int64_t bytes;            /* of the copy */
} hsp_packed;

/* A copy of the rows named in `order`, in that order, unless it takes more than `most` bytes. HSP_OK or HSP_EMEMORY. */
int hsp_packed_new(const hsp_design *D, const int64_t *order, int64_t rows, int64_t most, hsp_packed **out,
                   hsp_error **err);
void hsp_packed_free(hsp_packed *P);
/* What a copy may take: half of the machine's memory, less what the data themselves take. */
int64_t hsp_packed_room(const hsp_design *D);

/* Vectors over the columns: to the order of the copy, and back. Not in place. */
void hsp_packed_in(const hsp_packed *P, const double *w, double *v);
void hsp_packed_out(const hsp_packed *P, const double *v, double *w);

/* z . v of the row at a place (as hsp_design_row has it: centring of sparse rows is the caller's), and v += a z. One user
 * at a time. */
double hsp_packed_dot(const hsp_packed *P, int64_t place, const double *v);
void hsp_packed_axpy(const hsp_packed *P, double a, int64_t place, double *v);
/* Asks for the beginning of a row that will be wanted soon. */
void hsp_packed_prefetch(const hsp_packed *P, int64_t place);

/* out[origin] = z . v + b for all rows of the copy, other rows are left alone; on the design's threads. */
void hsp_packed_scores(const hsp_packed *P, const double *v, double b, double *out);
/* v = sum of r[origin] z over the rows of the copy, in their order. */
void hsp_packed_adjoint(const hsp_packed *P, const double *r, double *v);

/* Asks for large pages under a new array that will be read at random: fewer waits for addresses. Advice alone. */
void hsp_packed_large_pages(void *array, int64_t bytes);

#endif
