/* Any bytes as CSV: on their own, and for a model with columns a, b and label. */
#include "fuzz_read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static char *names[] = {"a", "b"};
    static int64_t columns[] = {1, 2};
    const hsp_schema known = {.format = "csv",
                              .d = 2,
                              .name = names,
                              .header = true,
                              .delimiter = ',',
                              .file_columns = 3,
                              .target_column = 3,
                              .target = "label",
                              .column = columns};
    hsp_options *o = NULL;
    if (hsp_options_new(&o, NULL) != 0) abort();
    if (hsp_options_set(o, "format", "csv", NULL) != 0) abort();
    check_read(data, size, o, NULL);
    check_read(data, size, o, &known);
    hsp_options_free(o);
    return 0;
}
