/* Any bytes as svmlight: on their own, and for models that count from 1 (with weights in feature 2), or know no base; then
 * all of it with weights in feature 2 and numbers to predict. */
#include "fuzz_read.h"
#include "mutate_rows.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const hsp_schema one = {.format = "svmlight", .d = 3, .base = 1, .weight_column = 3}, csv = {.format = "csv", .d = 2};
    check_reads(data, size, "svmlight", (const hsp_schema *const[]){&one, &csv}, 2);
    return 0;
}
