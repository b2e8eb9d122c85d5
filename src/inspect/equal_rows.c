/* Finds equal rows: hashed on all threads, sorted by hash, compared where hashes are equal. */
#include "base/error.h"
#include "base/memory.h"
#include "base/pool.h"
#include "data/matrix.h"
#include "inspect/twins.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { PIECE = 1024, NUMBERS = 256 };

/* Rounds to separate unequal rows with the same hash; rows left after that count as different. With XXH3 such collisions
 * only occur by design. */
enum { ROUNDS = 8 };

typedef struct row_digest {
    uint64_t hash;
    int64_t i;
} row_digest;

typedef struct row_hashing {
    const hsp_matrix *x;
    row_digest *rows;
} row_hashing;

/* Equal rows of one matrix are stored as equal bytes, except for the sign of zeros in dense rows. */
static uint64_t hash_row(const hsp_matrix *m, hsp_row r) {
    uint64_t h = 0;
    if (r.id) {
        h = XXH3_64bits_withSeed(r.id, (size_t)r.count * hsp_row_id_size(r), h);
        return XXH3_64bits_withSeed(r.value, (size_t)r.count * hsp_matrix_value_size(m), h);
    }
    double piece[NUMBERS];
    for (int64_t t = 0; t < r.count; t += NUMBERS) {
        int64_t n = r.count - t < NUMBERS ? r.count - t : NUMBERS;
        for (int64_t k = 0; k < n; k++) piece[k] = hsp_row_value(r, t + k) + 0.0; /* -0 becomes 0 */
        h = XXH3_64bits_withSeed(piece, (size_t)n * sizeof *piece, h);
    }
    return h;
}

static void hash_piece(void *ctx, int64_t k) {
    const row_hashing *h = ctx;
    int64_t n = h->x->n, end = (k + 1) * PIECE;
    for (int64_t i = k * PIECE; i < end && i < n; i++)
        h->rows[i] = (row_digest){hash_row(h->x, hsp_matrix_row(h->x, i)), i};
}

static int by_digest(const void *a, const void *b) {
    const row_digest *p = a, *q = b;
    if (p->hash != q->hash) return p->hash < q->hash ? -1 : 1;
    return p->i < q->i ? -1 : p->i > q->i;
}

static bool equal(const hsp_matrix *x, int64_t i, int64_t k) {
    hsp_row a = hsp_matrix_row(x, i), b = hsp_matrix_row(x, k);
    if (a.count != b.count) return false;
    if (a.id && a.count > 0 && memcmp(a.id, b.id, (size_t)a.count * hsp_row_id_size(a)) != 0) return false;
    for (int64_t t = 0; t < a.count; t++)
        if (hsp_row_value(a, t) != hsp_row_value(b, t)) return false;
    return true;
}

/* The size of the largest class of these equal rows, whose hashes were replaced by their classes. */
static int64_t largest_class(row_digest *rows, int64_t count) {
    int64_t largest = 0;
    qsort(rows, (size_t)count, sizeof *rows, by_digest);
    for (int64_t begin = 0, end; begin < count; begin = end) {
        for (end = begin + 1; end < count && rows[end].hash == rows[begin].hash;) end++;
        if (end - begin > largest) largest = end - begin;
    }
    return largest;
}

/* Counts the equal rows among those with one hash. Each round moves one group of equal rows to the front of the rest. */
static void count_run(const hsp_matrix *x, const int32_t *y, row_digest *rows, int64_t count, hsp_equal_rows *out) {
    for (int round = 0; round < ROUNDS && count > 1; round++) {
        int64_t first = rows[0].i, members = 0;
        bool conflict = false;
        for (int64_t k = 0; k < count; k++) {
            row_digest row = rows[k];
            if (row.i != first && !equal(x, first, row.i)) continue;
            conflict |= y && y[row.i] != y[first];
            if (y) row.hash = (uint64_t)y[row.i];
            rows[k] = rows[members];
            rows[members++] = row;
        }
        out->repeated += members - 1;
        if (conflict) {
            out->conflicting += members;
            out->errors += members - largest_class(rows, members);
        }
        rows += members;
        count -= members;
    }
}

int hsp_inspect_rows(const hsp_matrix *x, const int32_t *y, int threads, hsp_equal_rows *out, hsp_error **err) {
    *out = (hsp_equal_rows){0};
    row_hashing h = {.x = x, .rows = hsp_alloc(x->n > 0 ? x->n : 1, sizeof *h.rows)};
    if (!h.rows) return hsp_fail_memory(err);
    hsp_pool_run((x->n + PIECE - 1) / PIECE, threads, hash_piece, &h);
    qsort(h.rows, (size_t)x->n, sizeof *h.rows, by_digest);
    for (int64_t begin = 0, end; begin < x->n; begin = end) {
        for (end = begin + 1; end < x->n && h.rows[end].hash == h.rows[begin].hash;) end++;
        if (end - begin > 1) count_run(x, y, h.rows + begin, end - begin, out);
    }
    hsp_free(h.rows);
    return HSP_OK;
}
