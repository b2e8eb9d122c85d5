/* The bytes that are hashed, little-endian: for each row its canonical label and a NUL (the NUL alone without labels), then
 * column (4 bytes) and value (8 bytes) of each non-zero, then 0xffffffff. Targets (8 bytes each) and a 'T', weights (8 bytes
 * each) and a 'W' follow if there are any. More than 4096 rows are hashed in pieces of 4096 (doubled until there are at most
 * 256 pieces), and the eight bytes of a piece's digest take the place of its rows. */
#define XXH_STATIC_LINKING_ONLY
#include "base/pool.h"
#include "data/data.h"

#include <string.h>
#include <xxhash.h>

enum { CELL = 12, CELLS = 340, PIECE = 4096, MOST_PIECES = 256 };

static void pack(unsigned char *to, uint64_t v, int bytes) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    memcpy(to, &v, (size_t)bytes);
#else
    for (int k = 0; k < bytes; k++) to[k] = (unsigned char)(v >> (8 * k));
#endif
}

static void hash_row(XXH3_state_t *state, hsp_row r) {
    unsigned char cell[CELLS * CELL];
    uint32_t id[CELLS];
    double value[CELLS];
    for (int64_t from = 0; from < r.count; from += CELLS) {
        int64_t count = hsp_row_decode(r, from, CELLS, id, value);
        size_t filled = 0;
        for (int64_t t = 0; t < count; t++) {
            uint64_t bits;
            memcpy(&bits, &value[t], sizeof bits);
            pack(cell + filled, id[t], 4);
            pack(cell + filled + 4, bits, 8);
            filled += value[t] != 0 ? CELL : 0;
        }
        XXH3_64bits_update(state, cell, filled);
    }
    XXH3_64bits_update(state, "\xff\xff\xff\xff", 4);
}

static void hash_numbers(XXH3_state_t *state, const double *v, int64_t n, const char *what) {
    if (!v) return;
    for (int64_t i = 0; i < n; i++) {
        unsigned char cell[8];
        double number = v[i] == 0 ? 0 : v[i]; /* -0 is 0 */
        uint64_t bits;
        memcpy(&bits, &number, sizeof bits);
        pack(cell, bits, 8);
        XXH3_64bits_update(state, cell, sizeof cell);
    }
    XXH3_64bits_update(state, what, 1);
}

/* ---- pieces ---- */

typedef struct content_pieces {
    const hsp_data *data;
    uint64_t piece[MOST_PIECES];
    int64_t pieces, rows; /* rows in a piece, but for the last */
} content_pieces;

static void reset_hash(XXH3_state_t *state) {
    XXH3_INITSTATE(state);
    XXH3_64bits_reset(state);
}

static void hash_rows(XXH3_state_t *state, const hsp_data *data, int64_t from, int64_t to) {
    for (int64_t i = from; i < to; i++) {
        const char *label = data->y ? data->classes.name[data->y[i]] : "";
        XXH3_64bits_update(state, label, strlen(label) + 1);
        hash_row(state, hsp_matrix_row(&data->x, i));
    }
}

static void hash_piece(void *ctx, int64_t k) {
    content_pieces *h = ctx;
    int64_t n = h->data->x.n, end = (k + 1) * h->rows;
    XXH3_state_t state;
    reset_hash(&state);
    hash_rows(&state, h->data, k * h->rows, end < n ? end : n);
    h->piece[k] = XXH3_64bits_digest(&state);
}

uint64_t hsp_data_hash(const hsp_data *data) {
    XXH3_state_t state; /* on the stack: hashing cannot fail */
    reset_hash(&state);
    if (data->x.n <= PIECE)
        hash_rows(&state, data, 0, data->x.n);
    else {
        content_pieces h = {.data = data, .rows = PIECE};
        while (h.rows * MOST_PIECES < data->x.n) h.rows *= 2;
        h.pieces = (data->x.n + h.rows - 1) / h.rows;
        hsp_pool_run(h.pieces, hsp_pool_threads(0), hash_piece, &h);
        for (int64_t k = 0; k < h.pieces; k++) {
            unsigned char digest[8];
            pack(digest, h.piece[k], 8);
            XXH3_64bits_update(&state, digest, sizeof digest);
        }
    }
    hash_numbers(&state, data->target, data->x.n, "T");
    hash_numbers(&state, data->weight, data->x.n, "W");
    return XXH3_64bits_digest(&state);
}
