/* What was assumed about a table, as one line. */
#include "base/text.h"
#include "data/schema.h"
#include "read/csv.h"

#include <string.h>

static void add_delimiter(char delimiter, hsp_text *t) {
    static const struct {
        char delimiter;
        const char *name;
    } names[] = {{',', "comma"}, {';', "semicolon"}, {'\t', "tab"}, {' ', "space"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].delimiter == delimiter) {
            hsp_text_add(t, names[i].name);
            return;
        }
    if (delimiter > ' ')
        hsp_text_format(t, "delimiter %c", delimiter);
    else
        hsp_text_format(t, "delimiter with code %d", delimiter);
}

void hsp_csv_describe_form(const hsp_csv_table *table, hsp_text *t) {
    const hsp_schema *s = &table->schema;
    if (table->marks.translated) {
        hsp_text_add(t, table->form ? table->form : "jsonl");
        return;
    }
    hsp_text_add(t, "csv, ");
    add_delimiter(s->delimiter, t);
    int64_t skipped = table->before.skipped + table->before.title;
    if (skipped > 0) hsp_text_format(t, ", %lld line%s skipped", (long long)skipped, skipped == 1 ? "" : "s");
    if (table->marks.comment) hsp_text_format(t, ", comments after %c", table->marks.comment);
    hsp_text_add(t, s->header ? ", header" : ", no header");
    if (!table->marks.quote) hsp_text_add(t, ", quotes read literally");
}

void hsp_csv_describe_target(const hsp_csv_table *table, hsp_text *t) {
    const hsp_schema *s = &table->schema;
    char piece[HSP_EXCERPT];
    if (s->target_column == 0)
        hsp_text_add(t, ", no target");
    else if (s->target)
        hsp_text_format(t, ", target '%s' (%s)", hsp_excerpt(piece, s->target, (int64_t)strlen(s->target)),
                        table->layout.reason);
    else
        hsp_text_format(t, ", target column %lld (%s)", (long long)s->target_column, table->layout.reason);
}

void hsp_csv_describe_weights(const hsp_schema *s, hsp_text *t) {
    char piece[HSP_EXCERPT];
    if (s->weight)
        hsp_text_format(t, ", weights '%s'", hsp_excerpt(piece, s->weight, (int64_t)strlen(s->weight)));
    else if (s->weight_column > 0)
        hsp_text_format(t, ", weights in column %lld", (long long)s->weight_column);
}

/* ", groups 'patient'"; ", times in column 3" */
static void describe_sides(const hsp_csv_table *table, hsp_text *t) {
    static const char *const what[HSP_SIDES] = {"groups", "times"};
    char piece[HSP_EXCERPT];
    for (int side = 0; side < HSP_SIDES; side++) {
        int64_t c = table->layout.side[side] - 1;
        const char *name = c >= 0 && table->schema.header ? hsp_csv_cells_at(&table->first, c) : "";
        if (c >= 0 && *name)
            hsp_text_format(t, ", %s '%s'", what[side], hsp_excerpt(piece, name, (int64_t)strlen(name)));
        else if (c >= 0)
            hsp_text_format(t, ", %s in column %lld", what[side], (long long)c + 1);
    }
}

void hsp_csv_describe(const hsp_csv_table *table, int64_t rows, hsp_text *t) {
    const hsp_schema *s = &table->schema;
    const hsp_csv_layout *layout = &table->layout;
    hsp_csv_describe_form(table, t);
    if (layout->matched) hsp_text_add(t, ", columns matched by name");
    if (table->by_position) hsp_text_add(t, ", columns matched to the model's ids by position");
    hsp_csv_describe_target(table, t);
    hsp_csv_describe_weights(s, t);
    describe_sides(table, t);
    hsp_text_format(t, ", %lld %s%s", (long long)s->d, s->table ? "column" : "feature", s->d == 1 ? "" : "s");
    hsp_csv_describe_numbers(s, t);
    int64_t ignored = layout->ignored, extra = layout->extra;
    if (ignored > 0) hsp_text_format(t, ", %lld column%s ignored", (long long)ignored, ignored == 1 ? "" : "s");
    if (extra > 0) hsp_text_format(t, ", %lld other column%s ignored", (long long)extra, extra == 1 ? "" : "s");
    int64_t absent = hsp_schema_absent(s);
    if (absent > 0) hsp_text_format(t, ", %lld column%s of the model missing", (long long)absent, absent == 1 ? "" : "s");
    hsp_text_format(t, ", %lld row%s", (long long)rows, rows == 1 ? "" : "s");
}
