/* Any bytes as svmlight: on their own, and for models that count from 1 or know no base. */
#include "fuzz_read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const hsp_schema one = {.format = "svmlight", .d = 3, .base = 1}, csv = {.format = "csv", .d = 2};
    hsp_options *o = NULL;
    if (hsp_options_new(&o, NULL) != 0) abort();
    if (hsp_options_set(o, "format", "svmlight", NULL) != 0) abort();
    check_read(data, size, o, NULL);
    check_read(data, size, o, &one);
    check_read(data, size, o, &csv);
    hsp_options_free(o);
    return 0;
}
