/* Any bytes as CSV: on their own, and for models with columns a, b and label, one of them trained with weights; then all of
 * it with weights in column 2 and numbers to predict. */
#include "../csv_schema.h"
#include "fuzz_read.h"
#include "mutate_rows.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static int64_t others[] = {1, 3};
    const hsp_schema known = csv_schema(), weighted = {.format = "csv",
                                                       .d = 2,
                                                       .delimiter = ',',
                                                       .file_columns = 4,
                                                       .target_column = 4,
                                                       .weight_column = 2,
                                                       .column = others};
    check_reads(data, size, "csv", (const hsp_schema *const[]){&known, &weighted}, 2);
    return 0;
}
