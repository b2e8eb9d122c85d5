/* Any bytes as JSON lines: on their own, and for a model with columns a, b and label; then with weights in column 2 and
 * numbers to predict. */
#include "../csv_schema.h"
#include "fuzz_read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const hsp_schema known = csv_schema();
    hsp_options *o = NULL;
    if (hsp_options_new(&o, NULL) != 0) abort();
    if (hsp_options_set(o, "format", "jsonl", NULL) != 0) abort();
    for (int i = 0; i < 2; i++) {
        check_read(data, size, o, NULL);
        check_read(data, size, o, &known);
        if (hsp_options_set(o, "weight", "2", NULL) != 0 || hsp_options_set(o, "task", "regression", NULL) != 0) abort();
    }
    hsp_options_free(o);
    return 0;
}
