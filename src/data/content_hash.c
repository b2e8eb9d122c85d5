/* The bytes that are hashed, little-endian: for each row its canonical label and a NUL (the NUL alone without labels), then
 * column (4 bytes) and value (8 bytes) of each non-zero, then 0xffffffff. Targets (8 bytes each) and a 'T', weights (8 bytes
 * each) and a 'W' follow if there are any. More than 4096 rows are hashed in pieces of 4096 (doubled until there are at most
 * 256 pieces), and the eight bytes of a piece's digest take the place of its rows. */
#include "base/memory.h"
#include "base/pool.h"
#include "data/data.h"
#include "data/matrix.h"
#include "kernel/level.h"

#include <string.h>

enum { CELLS = 256, PIECE = 4096, MOST_PIECES = 256 };
/* Bytes are hashed many at a time: those just stored are read again by wider loads, which wait for the stores. */
enum { BUFFER = 16384, FULL = BUFFER - CELLS * HSP_HASH_CELL };

/* Collects the bytes before they are hashed. */
typedef struct content_stream {
    hsp_hash_stream hash;
    const hsp_level *level;
    size_t filled;
    unsigned char bytes[BUFFER];
} content_stream;

static void open_stream(content_stream *s) {
    s->level = hsp_level_now();
    s->level->hash.open(&s->hash);
    s->filled = 0;
}

static void flush_stream(content_stream *s) {
    s->level->hash.add(&s->hash, s->bytes, s->filled);
    s->filled = 0;
}

static uint64_t close_stream(content_stream *s) {
    flush_stream(s);
    return s->level->hash.close(&s->hash);
}

static void add_bytes(content_stream *s, const void *from, size_t count) {
    if (s->filled + count > BUFFER) flush_stream(s);
    if (count > BUFFER) {
        s->level->hash.add(&s->hash, from, count);
        return;
    }
    memcpy(s->bytes + s->filled, from, count);
    s->filled += count;
}

static void add_word(content_stream *s, uint64_t v) {
    unsigned char word[8];
    for (int k = 0; k < 8; k++) word[k] = (unsigned char)(v >> (8 * k));
    add_bytes(s, word, sizeof word);
}

static const unsigned char END_OF_ROW[4] = {0xff, 0xff, 0xff, 0xff};

/* The same of a short row of floats, with room for all of it. */
static inline void add_short_row(content_stream *s, const float *value, int64_t count) {
    s->filled += s->level->hash.single_cells(0, value, count, s->bytes + s->filled);
    memcpy(s->bytes + s->filled, END_OF_ROW, sizeof END_OF_ROW);
    s->filled += sizeof END_OF_ROW;
}

static void add_row(content_stream *s, hsp_row r) {
    uint32_t id[CELLS];
    double value[CELLS];
    bool single = !r.id && r.coding == HSP_CODING_F32;
    for (int64_t from = 0; from < r.count; from += CELLS) {
        if (s->filled > FULL) flush_stream(s);
        if (single) {
            int64_t count = r.count - from < CELLS ? r.count - from : CELLS;
            s->filled += s->level->hash.single_cells(from, hsp_row_at(r, from), count, s->bytes + s->filled);
            continue;
        }
        int64_t count = hsp_row_decode(r, from, CELLS, r.id ? id : NULL, value);
        s->filled += s->level->hash.cells(from, r.id ? id : NULL, value, count, s->bytes + s->filled);
    }
    add_bytes(s, END_OF_ROW, sizeof END_OF_ROW);
}

static void add_numbers(content_stream *s, const double *v, int64_t n, const char *what) {
    if (!v) return;
    for (int64_t i = 0; i < n; i++) {
        double number = v[i] == 0 ? 0 : v[i]; /* -0 is 0 */
        uint64_t bits;
        memcpy(&bits, &number, sizeof bits);
        add_word(s, bits);
    }
    add_bytes(s, what, 1);
}

/* ---- pieces ---- */

typedef struct content_pieces {
    const hsp_data *data;
    uint64_t piece[MOST_PIECES];
    int64_t pieces, rows; /* rows in a piece, but for the last */
} content_pieces;

static void add_rows(content_stream *s, const hsp_data *data, int64_t from, int64_t to) {
    const hsp_matrix *x = &data->x;
    bool fast = x->dense && hsp_matrix_coding(x) == HSP_CODING_F32 && x->d <= CELLS;
    for (int64_t i = from; i < to; i++) {
        const char *label = data->y ? data->classes.name[data->y[i]] : NULL;
        if (label) {
            add_bytes(s, label, strlen(label) + 1);
        } else {
            if (s->filled == BUFFER) flush_stream(s);
            s->bytes[s->filled++] = 0;
        }
        if (fast) {
            if (s->filled > FULL - sizeof END_OF_ROW) flush_stream(s);
            add_short_row(s, (const float *)x->value + i * hsp_matrix_stride(x), x->d);
        } else {
            add_row(s, hsp_matrix_row(x, i));
        }
    }
}

static int64_t piece_rows(int64_t n) {
    int64_t rows = PIECE;
    while (rows * MOST_PIECES < n) rows *= 2;
    return rows;
}

static void hash_piece(void *ctx, int64_t k) {
    content_pieces *h = ctx;
    int64_t n = h->data->x.n, end = (k + 1) * h->rows;
    content_stream s;
    open_stream(&s);
    add_rows(&s, h->data, k * h->rows, end < n ? end : n);
    h->piece[k] = close_stream(&s);
}

/* ---- rows apart ---- */

enum { APART = 256 }; /* rows of a task */

typedef struct rows_apart {
    const hsp_data *data;
    uint64_t *sum; /* of each task */
} rows_apart;

static void hash_apart(void *ctx, int64_t k) {
    const rows_apart *h = ctx;
    const hsp_data *data = h->data;
    int64_t end = (k + 1) * APART < data->x.n ? (k + 1) * APART : data->x.n;
    content_stream s;
    h->sum[k] = 0;
    for (int64_t i = k * APART; i < end; i++) {
        open_stream(&s);
        add_rows(&s, data, i, i + 1);
        add_numbers(&s, data->target ? data->target + i : NULL, 1, "T");
        add_numbers(&s, data->weight ? data->weight + i : NULL, 1, "W");
        h->sum[k] += close_stream(&s);
    }
}

int hsp_data_hash_rows(const hsp_data *rows, int threads, uint64_t *out) {
    int64_t tasks = (rows->x.n + APART - 1) / APART;
    rows_apart h = {rows, hsp_alloc(tasks + 1, sizeof *h.sum)};
    *out = 0;
    if (!h.sum) return HSP_EMEMORY;
    hsp_pool_run(tasks, threads, hash_apart, &h);
    for (int64_t k = 0; k < tasks; k++) *out += h.sum[k];
    hsp_free(h.sum);
    return HSP_OK;
}

/* ---- all rows ---- */

uint64_t hsp_data_hash(const hsp_data *data) {
    content_stream s;
    open_stream(&s);
    if (data->x.n <= PIECE)
        add_rows(&s, data, 0, data->x.n);
    else {
        content_pieces h = {.data = data, .rows = piece_rows(data->x.n)};
        h.pieces = (data->x.n + h.rows - 1) / h.rows;
        hsp_pool_run(h.pieces, hsp_pool_threads(0), hash_piece, &h);
        for (int64_t k = 0; k < h.pieces; k++) add_word(&s, h.piece[k]);
    }
    add_numbers(&s, data->target, data->x.n, "T");
    add_numbers(&s, data->weight, data->x.n, "W");
    return close_stream(&s);
}

/* ---- rows that come some at a time ---- */

struct hsp_data_hashing {
    const hsp_data *data;
    int64_t rows; /* in a piece, but for the last; 0: there are no pieces */
    void *memory; /* owned: this, at an address that suits the streams */
    content_stream whole, piece;
};

int hsp_data_hashing_new(const hsp_data *data, hsp_data_hashing **out) {
    enum { ALIGNED = _Alignof(hsp_data_hashing) };
    *out = NULL;
    char *memory = hsp_alloc(1, sizeof **out + ALIGNED);
    if (!memory) return HSP_EMEMORY;
    hsp_data_hashing *h = *out = (hsp_data_hashing *)(void *)(memory + (ALIGNED - (uintptr_t)memory % ALIGNED));
    h->memory = memory;
    h->data = data;
    h->rows = data->x.n <= PIECE ? 0 : piece_rows(data->x.n);
    open_stream(&h->whole);
    return HSP_OK;
}

void hsp_data_hashing_free(hsp_data_hashing *h) {
    if (h) hsp_free(h->memory);
}

void hsp_data_hashing_rows(hsp_data_hashing *h, int64_t from, int64_t to) {
    if (h->rows == 0) {
        add_rows(&h->whole, h->data, from, to);
        return;
    }
    for (int64_t end; from < to; from = end) {
        int64_t next = (from / h->rows + 1) * h->rows;
        if (next > h->data->x.n) next = h->data->x.n;
        end = to < next ? to : next;
        if (from % h->rows == 0) open_stream(&h->piece);
        add_rows(&h->piece, h->data, from, end);
        if (end == next) add_word(&h->whole, close_stream(&h->piece));
    }
}

uint64_t hsp_data_hashing_end(hsp_data_hashing *h) {
    add_numbers(&h->whole, h->data->target, h->data->x.n, "T");
    add_numbers(&h->whole, h->data->weight, h->data->x.n, "W");
    return close_stream(&h->whole);
}
