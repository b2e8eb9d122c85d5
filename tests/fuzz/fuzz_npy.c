/* Any bytes as an array of NumPy: on their own, for models that know their columns by place or by id, with weights and
 * numbers to predict. */
#include "../unit/read/read_next.h"
#include "read/reader.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_all(const uint8_t *bytes, size_t size, const hsp_options *o, const hsp_schema *known) {
    hsp_stream *stream = NULL;
    hsp_reading g = {.kind = &hsp_reader_npy, .line = 1};
    hsp_parcel p = {0};
    hsp_error *err = NULL;
    int status = hsp_stream_open_memory(bytes, (int64_t)size, "input", &stream, &err);
    if (status == 0) status = g.kind->open(stream, o, known, &g, &err);
    int64_t rows = 0;
    while (status == 0 && (status = read_next(&g, &p, &err)) > 0) {
        rows += p.block.rows;
        status = 0;
    }
    if ((status == 0) != (err == NULL) || status == HSP_EINTERNAL) abort();
    if (status == 0 && (rows < 1 || !g.assumed->s)) abort();
    if (err && strchr(hsp_error_message(err), '\n')) abort();
    hsp_error_free(err);
    hsp_parcel_free(&p);
    hsp_reading_close(&g);
    hsp_stream_close(stream);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static int64_t columns[] = {1, 3};
    const hsp_schema placed = {.format = "npy", .d = 2, .file_columns = 3, .target_column = 2, .column = columns};
    const hsp_schema ids = {.format = "svmlight", .d = 2, .base = 1};
    hsp_options *o = NULL;
    if (hsp_options_new(&o, NULL) != 0) abort();
    for (int i = 0; i < 2; i++) {
        read_all(data, size, o, NULL);
        read_all(data, size, o, &placed);
        read_all(data, size, o, &ids);
        if (hsp_options_set(o, "weight", "2", NULL) != 0 || hsp_options_set(o, "target", "1", NULL) != 0) abort();
    }
    hsp_options_free(o);
    return 0;
}
