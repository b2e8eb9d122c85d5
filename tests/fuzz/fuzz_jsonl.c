/* Any bytes as JSON lines: on their own, and for a model with columns a, b and label; then with weights in column 2 and
 * numbers to predict. */
#include "../csv_schema.h"
#include "fuzz_read.h"
#include "mutate_rows.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const hsp_schema known = csv_schema();
    check_reads(data, size, "jsonl", (const hsp_schema *const[]){&known}, 1);
    return 0;
}
