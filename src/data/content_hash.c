/* Bytes that are hashed, little-endian: for each row its canonical label and a NUL (the NUL alone without labels), then
 * for each non-zero its column (4 bytes) and value (8 bytes), then 0xffffffff. Targets (8 bytes) and a 'T', weights (8
 * bytes) and a 'W' follow where there are any. */
#define XXH_STATIC_LINKING_ONLY
#include "data/data.h"

#include <string.h>
#include <xxhash.h>

enum { CELL = 12, CELLS = 340 };

static void pack(unsigned char *to, uint64_t v, int bytes) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    memcpy(to, &v, (size_t)bytes);
#else
    for (int k = 0; k < bytes; k++) to[k] = (unsigned char)(v >> (8 * k));
#endif
}

static void hash_row(XXH3_state_t *state, hsp_row r) {
    unsigned char cell[CELLS * CELL];
    int filled = 0;
    for (int64_t t = 0; t < r.count; t++) {
        double v = hsp_row_value(r, t);
        if (v == 0) continue;
        uint64_t bits;
        memcpy(&bits, &v, sizeof bits);
        pack(cell + filled, r.id ? r.id[t] : (uint64_t)t, 4);
        pack(cell + filled + 4, bits, 8);
        filled += CELL;
        if (filled < CELLS * CELL) continue;
        XXH3_64bits_update(state, cell, (size_t)filled);
        filled = 0;
    }
    XXH3_64bits_update(state, cell, (size_t)filled);
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

uint64_t hsp_data_hash(const hsp_data *data) {
    XXH3_state_t state; /* on the stack: hashing cannot fail */
    XXH3_INITSTATE(&state);
    XXH3_64bits_reset(&state);
    for (int64_t i = 0; i < data->x.n; i++) {
        const char *label = data->y ? data->classes.name[data->y[i]] : "";
        XXH3_64bits_update(&state, label, strlen(label) + 1);
        hash_row(&state, hsp_matrix_row(&data->x, i));
    }
    hash_numbers(&state, data->target, data->x.n, "T");
    hash_numbers(&state, data->weight, data->x.n, "W");
    return XXH3_64bits_digest(&state);
}
