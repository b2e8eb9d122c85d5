/* The schema of a CSV file with the header a,b,label, as a model that was trained on it has it. */
#ifndef HSP_TESTS_CSV_SCHEMA_H
#define HSP_TESTS_CSV_SCHEMA_H

#include "data/schema.h"

static inline hsp_schema csv_schema(void) {
    static char *names[] = {"a", "b"};
    static int64_t columns[] = {1, 2};
    return (hsp_schema){.format = "csv",
                        .d = 2,
                        .name = names,
                        .header = true,
                        .delimiter = ',',
                        .file_columns = 3,
                        .target_column = 3,
                        .target = "label",
                        .column = columns};
}

#endif
