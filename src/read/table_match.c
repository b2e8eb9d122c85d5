#include "read/table_match.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "read/csv.h"

#include <string.h>

/* A header as of a CSV file: the names, or empty cells. */
static int make_cells(const hsp_table *t, int64_t columns, hsp_csv_cells *out, hsp_error **err) {
    *out = (hsp_csv_cells){.count = columns};
    if (hsp_reserve((void **)&out->start, &out->start_capacity, columns, sizeof *out->start) ||
        hsp_reserve((void **)&out->column, &out->column_capacity, columns, sizeof *out->column))
        return hsp_fail_memory(err);
    for (int64_t c = 0; c < columns; c++) {
        const char *name = t->name ? t->name[c] : "";
        out->start[c] = out->text.length;
        out->column[c] = 0;
        hsp_text_add_n(&out->text, name, (int64_t)strlen(name) + 1);
    }
    return out->text.failed ? hsp_fail_memory(err) : 0;
}

/* Assigns the roles of the free columns. */
static int match_free(const hsp_table *t, const hsp_schema *known, bool weighted, int64_t *role, hsp_error **err) {
    hsp_csv_cells cells;
    hsp_csv_layout layout = {.columns = t->columns, .role = role, .weighted = weighted};
    if (t->target >= 0) layout.reason = "as stored";
    int status = make_cells(t, t->columns, &cells, err);
    const hsp_csv_request q = {.first = &cells, .header = t->name != NULL, .known = known, .file = t->file};
    if (status == 0) status = hsp_csv_match(&q, &layout, err);
    hsp_csv_cells_clear(&cells);
    return status;
}

int hsp_table_match(const hsp_table *t, const hsp_schema *known, int64_t *role, hsp_error **err) {
    for (int64_t c = 0; c < t->columns; c++)
        role[c] = c == t->target ? HSP_ROLE_TARGET : c == t->weight ? HSP_ROLE_WEIGHT : HSP_ROLE_FREE;
    return match_free(t, known, t->weight >= 0, role, err);
}

/* Labels of another file count as one more column, the last, which no option may name. */
static int check_apart(const hsp_table *t, const hsp_csv_layout *l, hsp_error **err) {
    int64_t last = l->role[t->columns];
    if (last == HSP_ROLE_TARGET) return 0;
    return hsp_fail(
        err, HSP_EUSAGE, "--%s: %s has no column '%lld', as its labels are in another file: give a number from 1 to %lld",
        last == HSP_ROLE_WEIGHT ? "weight" : "ignore", t->file, (long long)t->columns + 1, (long long)t->columns);
}

int hsp_table_choose(const hsp_table *t, const hsp_options *o, const hsp_schema *known, bool apart, int64_t *role,
                     hsp_error **err) {
    hsp_csv_cells cells;
    hsp_csv_layout layout = {0};
    hsp_schema schema = {0};
    int status = make_cells(t, t->columns + apart, &cells, err);
    /* With labels in another file the options come first, then the model's columns are matched to the rest. */
    const hsp_csv_request q = {.first = &cells, .delimiter = ',', .o = o, .known = apart ? NULL : known, .file = t->file};
    if (status == 0) status = hsp_csv_layout_make(&q, &layout, &schema, err);
    if (status == 0 && apart) status = check_apart(t, &layout, err);
    for (int64_t c = 0; c < t->columns && status == 0; c++)
        role[c] = apart && known && layout.role[c] >= 0 ? HSP_ROLE_FREE : layout.role[c];
    if (status == 0 && apart && known) status = match_free(t, known, layout.weighted, role, err);
    hsp_csv_layout_clear(&layout);
    hsp_schema_clear(&schema);
    hsp_csv_cells_clear(&cells);
    return status;
}
