/* Arrays of NumPy: a table of numbers in a mapped file, of any width and byte order, by rows (C) or columns (Fortran). */
#ifndef HSP_READ_NPY_H
#define HSP_READ_NPY_H

#include "base/map.h"
#include "halfspace.h"

typedef struct hsp_npy {
    hsp_map *map; /* a reference */
    char *name;   /* owned; for errors */
    char kind;    /* 'f' float, 'i' and 'u' integers, 'b' true or false */
    int bytes;    /* of a number */
    bool swapped, fortran;
    int64_t n, columns; /* columns is 1 for an array of one dimension */
    const char *cells;  /* borrowed from the map */
} hsp_npy;              /* {0} can be closed */

bool hsp_npy_begins(const char *bytes, int64_t n);
/* Adds a reference to the map; checks every bound against its size. Close it also after a failure. */
int hsp_npy_open(hsp_npy *a, hsp_map *map, const char *name, hsp_error **err);
void hsp_npy_close(hsp_npy *a);
/* "float64", "uint8", ...; into buf, 16 bytes. */
const char *hsp_npy_type(const hsp_npy *a, char *buf);
/* Copies rows `from` to `from + count` of a column to out[0], out[step], ... A value that is not finite, or an integer that
 * no double equals, becomes NaN. Returns whether there was one. */
bool hsp_npy_column(const hsp_npy *a, int64_t c, int64_t from, int64_t count, double *out, int64_t step);
/* Reports a number that became NaN: HSP_EINPUT. Row and column from 0, in the message from 1. */
int hsp_npy_fail(const hsp_npy *a, int64_t i, int64_t c, hsp_error **err);

#endif
