/* Schemas of CSV files with the features a and b, as models that were trained on them have them. */
#ifndef HSP_TESTS_CSV_SCHEMA_H
#define HSP_TESTS_CSV_SCHEMA_H

#include "data/schema.h"

static char *csv_names[] __attribute__((unused)) = {"a", "b"};

/* The fields of a file of N columns with a header, the last of them the target; `column` says where a and b are. */
#define CSV_SCHEMA(N, TARGET, ...)                                                                         \
    {                                                                                                      \
        .format = "csv", .d = 2, .name = csv_names, .header = true, .delimiter = ',', .file_columns = (N), \
        .target_column = (N), .target = (TARGET), __VA_ARGS__                                              \
    }

/* The header a,b,label. */
static inline hsp_schema csv_schema(void) {
    static int64_t columns[] = {1, 2};
    return (hsp_schema)CSV_SCHEMA(3, "label", .column = columns);
}

#endif
