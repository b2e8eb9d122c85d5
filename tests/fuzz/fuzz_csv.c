/* Any bytes as CSV: on their own, and for models with columns a, b and label, one of them trained with weights; then all of
 * it with weights in column 2 and numbers to predict. */
#include "../csv_schema.h"
#include "fuzz_read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const hsp_schema known = csv_schema();
    static int64_t others[] = {1, 3};
    const hsp_schema weighted = {.format = "csv",
                                 .d = 2,
                                 .delimiter = ',',
                                 .file_columns = 4,
                                 .target_column = 4,
                                 .weight_column = 2,
                                 .column = others};
    hsp_options *o = NULL;
    if (hsp_options_new(&o, NULL) != 0) abort();
    if (hsp_options_set(o, "format", "csv", NULL) != 0) abort();
    for (int i = 0; i < 2; i++) {
        check_read(data, size, o, NULL);
        check_read(data, size, o, &known);
        check_read(data, size, o, &weighted);
        if (hsp_options_set(o, "weight", "2", NULL) != 0 || hsp_options_set(o, "task", "regression", NULL) != 0) abort();
    }
    hsp_options_free(o);
    return 0;
}
