/* Any bytes as svmlight: on their own, and for models that count from 1 (with weights in feature 2), or know no base; then
 * all of it with weights in feature 2 and numbers to predict. */
#include "fuzz_read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const hsp_schema one = {.format = "svmlight", .d = 3, .base = 1, .weight_column = 3}, csv = {.format = "csv", .d = 2};
    hsp_options *o = NULL;
    if (hsp_options_new(&o, NULL) != 0) abort();
    if (hsp_options_set(o, "format", "svmlight", NULL) != 0) abort();
    for (int i = 0; i < 2; i++) {
        check_read(data, size, o, NULL);
        check_read(data, size, o, &one);
        check_read(data, size, o, &csv);
        if (hsp_options_set(o, "weight", "2", NULL) != 0 || hsp_options_set(o, "task", "regression", NULL) != 0) abort();
    }
    hsp_options_free(o);
    return 0;
}
