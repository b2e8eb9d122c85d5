/* Any bytes as a data file, as they are and with the checksums repaired, so that the code behind them is reached too: a
 * file that is accepted can be used row by row, and gives the same data by both ways of reading. */
#include "../csv_schema.h"
#include "../unit/read/read_next.h"
#include "base/memory.h"
#include "read/hsd.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static hsp_map *map_of(const uint8_t *bytes, size_t size) {
    char *copy = hsp_alloc(size > 0 ? (int64_t)size : 1, 1);
    hsp_map *map = NULL;
    if (!copy) abort();
    if (size > 0) memcpy(copy, bytes, size);
    if (hsp_map_take(copy, (int64_t)size, &map, NULL) != 0) abort();
    return map;
}

/* Columns and labels, as far as they may be read. */
static void walk(const hsp_data *data) {
    double sum = 0;
    for (int64_t i = 0; i < data->x.n; i++) {
        hsp_row r = hsp_matrix_row(&data->x, i);
        for (int64_t t = 0; t < r.count; t++) {
            if (hsp_row_id(r, t) < 0 || hsp_row_id(r, t) >= data->x.d) abort();
            sum += hsp_row_value(r, t) * 1e-300;
        }
        if (data->y && !data->classes.name[data->y[i]]) abort();
    }
    if (sum != sum) abort();
}

static void by_rows(const uint8_t *bytes, size_t size, const hsp_schema *known) {
    hsp_stream *stream = NULL;
    hsp_reading g = {.kind = &hsp_reader_hsd, .line = 1};
    hsp_parcel p = {0};
    hsp_error *err = NULL;
    int status = hsp_stream_open_memory(bytes, (int64_t)size, "input", &stream, &err);
    if (status == 0) status = g.kind->open(stream, NULL, known, &g, &err);
    while (status == 0 && (status = read_next(&g, &p, &err)) > 0) status = 0;
    if ((status == 0) != (err == NULL) || status == HSP_EINTERNAL) abort();
    if (err && strchr(hsp_error_message(err), '\n')) abort();
    hsp_error_free(err);
    hsp_parcel_free(&p);
    hsp_reading_close(&g);
    hsp_stream_close(stream);
}

static void look(const uint8_t *bytes, size_t size) {
    const hsp_schema csv = csv_schema();
    const hsp_schema ids = {.format = "svmlight", .d = 3, .base = 1, .weight_column = 3};
    hsp_map *map = map_of(bytes, size);
    hsp_hsd *f = NULL;
    hsp_data *data = NULL;
    hsp_error *err = NULL;
    int status = hsp_hsd_open(map, "input", &f, &err);
    if (status == 0) status = hsp_hsd_check(f, 1, &err);
    if (status == 0) status = hsp_hsd_data(f, &data, &err);
    hsp_hsd_close(f);
    hsp_map_close(map);
    if ((status == 0) != (err == NULL) || status == HSP_EINTERNAL) abort();
    if (err && strchr(hsp_error_message(err), '\n')) abort();
    if (status == 0) {
        walk(data);
        /* A schema may ask for wide rows of which almost nothing is stored. */
        bool small = data->x.d < 100000;
        if (small) by_rows(bytes, size, NULL);
        if (small) by_rows(bytes, size, &csv);
        if (small) by_rows(bytes, size, &ids);
    }
    hsp_data_free(data);
    hsp_error_free(err);
}

/* Total, digests (one at most: inputs are small) and checksum, computed for these bytes. */
static void mend(uint8_t *bytes, size_t size) {
    long long header = 0;
    char line[129] = "";
    memcpy(line, bytes, size < 128 ? size : 128);
    const char *at = strstr(line, " header "), *end = strchr(line, '\n');
    if (!at || !end) return;
    for (const char *s = at + 8; *s >= '0' && *s <= '9' && header < 1 << 24; s++) header = 10 * header + (*s - '0');
    size_t head = (size_t)(end + 1 - line) + (size_t)header;
    if (head + 16 > size || size - head - 16 > 1 << 22) return;
    size_t body = size - head - 16;
    char total[16];
    char *slot = strstr(line, " total ");
    if (slot && slot + 22 <= end) {
        unsigned long long v = size;
        for (int k = 14; k >= 0; k--, v /= 10) total[k] = (char)('0' + v % 10);
        memcpy(bytes + (slot + 7 - line), total, 15);
    }
    uint64_t digest = XXH3_64bits(bytes + head, body);
    memcpy(bytes + head + body, &digest, 8);
    uint8_t *sealed = malloc(head + 8);
    if (!sealed) abort();
    memcpy(sealed, bytes, head);
    memcpy(sealed + head, &digest, 8);
    uint64_t sum = XXH3_64bits(sealed, head + 8);
    memcpy(bytes + size - 8, &sum, 8);
    free(sealed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    look(data, size);
    uint8_t *copy = malloc(size > 0 ? size : 1);
    if (!copy) abort();
    if (size > 0) memcpy(copy, data, size);
    if (size > 0) mend(copy, size);
    look(copy, size);
    free(copy);
    return 0;
}
