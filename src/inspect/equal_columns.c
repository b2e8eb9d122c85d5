/* Finds equal columns. A hash of each column's nonzeros, computed row by row, gives candidates; a second pass compares each
 * with the first column of the same hash. Only nonzeros are read, so the cost for CSR is proportional to what it stores. */
#include "base/error.h"
#include "base/memory.h"
#include "data/matrix.h"
#include "inspect/twins.h"

#include <stdlib.h>
#include <string.h>

typedef struct column_digest {
    uint64_t hash;
    int64_t nonzeros, j;
} column_digest;

/* Mixes the 64 bits: the finaliser of MurmurHash3. */
static uint64_t mixed(uint64_t h) {
    h ^= h >> 33;
    h *= 0xff51afd7ed558ccdULL;
    h ^= h >> 33;
    h *= 0xc4ceb9fe1a85ec53ULL;
    return h ^ (h >> 33);
}

static int by_digest(const void *a, const void *b) {
    const column_digest *p = a, *q = b;
    if (p->hash != q->hash) return p->hash < q->hash ? -1 : 1;
    if (p->nonzeros != q->nonzeros) return p->nonzeros < q->nonzeros ? -1 : 1;
    return p->j < q->j ? -1 : p->j > q->j;
}

/* Computes the hash of each column: the sum over its rows of a hash of (row, value). */
static void digest(const hsp_matrix *x, column_digest *columns) {
    for (int64_t i = 0; i < x->n; i++) {
        hsp_row r = hsp_matrix_row(x, i);
        uint64_t place = mixed((uint64_t)i + 1);
        for (int64_t t = 0; t < r.count; t++) {
            double v = hsp_row_value(r, t);
            if (v == 0) continue;
            uint64_t bits;
            memcpy(&bits, &v, sizeof bits);
            column_digest *c = &columns[hsp_row_id(r, t)];
            c->hash += mixed(bits ^ place);
            c->nonzeros++;
        }
    }
}

/* Sorts the digests and writes the first column of each run of equal ones to twin. Returns the number of columns that are
 * not the first. */
static int64_t pair(column_digest *columns, int64_t count, int64_t *twin) {
    int64_t later = 0;
    qsort(columns, (size_t)count, sizeof *columns, by_digest);
    for (int64_t i = 1; i < count; i++) {
        const column_digest *before = &columns[i - 1], *c = &columns[i];
        if (c->hash != before->hash || c->nonzeros != before->nonzeros) continue;
        twin[c->j] = twin[before->j];
        later++;
    }
    return later;
}

/* same[j]: rows in which column j and its twin have the same nonzero. */
static void compare(const hsp_matrix *x, const int64_t *twin, double *row, int64_t *same) {
    for (int64_t i = 0; i < x->n; i++) {
        hsp_row r = hsp_matrix_row(x, i);
        for (int64_t t = 0; t < r.count; t++) row[hsp_row_id(r, t)] = hsp_row_value(r, t);
        for (int64_t t = 0; t < r.count; t++) {
            int64_t j = hsp_row_id(r, t);
            if (twin[j] != j && row[j] != 0 && row[j] == row[twin[j]]) same[j]++;
        }
        for (int64_t t = 0; t < r.count; t++) row[hsp_row_id(r, t)] = 0;
    }
}

static int confirm(const hsp_matrix *x, const column_digest *columns, int64_t count, int64_t *twin) {
    double *row = hsp_alloc_zero(x->d, sizeof *row);
    int64_t *same = hsp_alloc_zero(x->d, sizeof *same);
    if (row && same) {
        compare(x, twin, row, same);
        /* equal digests imply equal numbers of nonzeros */
        for (int64_t i = 0; i < count; i++)
            if (same[columns[i].j] != columns[i].nonzeros) twin[columns[i].j] = columns[i].j;
    }
    int status = row && same ? HSP_OK : HSP_EMEMORY;
    HSP_FREE(row, same);
    return status;
}

int hsp_inspect_columns(const hsp_matrix *x, const bool *skip, int64_t *twin, hsp_error **err) {
    int64_t count = 0;
    column_digest *columns = hsp_alloc_zero(x->d > 0 ? x->d : 1, sizeof *columns);
    if (!columns) return hsp_fail_memory(err);
    digest(x, columns);
    for (int64_t j = 0; j < x->d; j++) {
        twin[j] = columns[j].j = j;
        if (!skip || !skip[j]) columns[count++] = columns[j];
    }
    int status = pair(columns, count, twin) > 0 ? confirm(x, columns, count, twin) : HSP_OK;
    hsp_free(columns);
    return status ? hsp_fail_memory(err) : HSP_OK;
}
