/* What each column of a table in memory is, and how it is read. */
#include "read/arrow_table.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/number_marks.h"
#include "base/number_sign.h"
#include "base/pool.h"
#include "base/text.h"
#include "data/schema.h"
#include "option/column_list.h"
#include "option/options.h"
#include "read/table_match.h"
#include "table/date.h"
#include "table/rules.h"

#include <string.h>

enum { SAMPLE = 4096, DEFAULT_NAME = 32 }; /* rows; bytes */

/* ---- names ---- */

/* The n bytes at *s without the blanks round them. */
static int64_t trim(const char **s, int64_t n) {
    for (; n > 0 && hsp_csv_blank(**s, ','); n--) (*s)++;
    while (n > 0 && hsp_csv_blank((*s)[n - 1], ',')) n--;
    return n;
}

/* The names as the header of a CSV file. */
static int make_header(hsp_arrow_table *t, hsp_error **err) {
    hsp_csv_cells *first = &t->csv.first;
    int64_t columns = t->batches.columns;
    if (HSP_RESERVE(first->start, first->start_capacity, columns + 1) ||
        HSP_RESERVE(first->column, first->column_capacity, columns + 1))
        return hsp_fail_memory(err);
    for (int64_t c = 0; c < columns; c++) {
        const char *name = t->batches.schema.children[c]->name;
        int64_t n = name ? trim(&name, (int64_t)strlen(name)) : 0;
        first->start[c] = first->text.length;
        first->column[c] = 0;
        hsp_text_add_n(&first->text, name ? name : "", n);
        hsp_text_char(&first->text, '\0');
    }
    first->count = columns;
    return first->text.failed ? hsp_fail_memory(err) : 0;
}

static const char *column_name(const hsp_arrow_table *t, int64_t c, char buf[DEFAULT_NAME]) {
    const char *name = hsp_csv_cells_at(&t->csv.first, c);
    if (*name) return name;
    buf[0] = 'x';
    buf[1 + hsp_number_format_int(c + 1, buf + 1)] = '\0';
    return buf;
}

/* Adds the name of a column as it is typed after an option, or its number. */
static void type_column(const hsp_arrow_table *t, int64_t c, hsp_text *out) {
    const char *name = hsp_csv_cells_at(&t->csv.first, c);
    if (*name)
        hsp_column_list_quote(out, name, (int64_t)strlen(name));
    else
        hsp_text_int(out, c + 1);
}

/* ---- types ---- */

static int64_t role_of(const hsp_arrow_table *t, int64_t c) {
    return t->csv.layout.role[c];
}

/* Whether the cells of a column are numbers. */
static bool is_number(const hsp_arrow_table *t, int64_t c) {
    const hsp_arrow_column *column = &t->batches.column[c];
    return hsp_arrow_is_number(column) || (t->plain && !column->coded && column->type.kind == HSP_ARROW_BOOL);
}

/* A column that is used has a type that cannot be read. */
static int fail_type(const hsp_arrow_table *t, int64_t c, hsp_error **err) {
    char buf[DEFAULT_NAME], piece[HSP_EXCERPT], format[HSP_EXCERPT];
    const char *type = t->batches.column[c].type.name, *name = column_name(t, c, buf);
    const char *spelt = t->batches.schema.children[c]->format;
    if (!spelt) spelt = "none";
    if (!type) type = hsp_excerpt(format, spelt, (int64_t)strlen(spelt));
    hsp_text remedy = {0};
    hsp_text_add(&remedy, role_of(t, c) >= 0 ? ", or leave it out with --ignore " : ", or choose another column");
    if (role_of(t, c) >= 0) type_column(t, c, &remedy);
    int status = remedy.failed ? hsp_fail_memory(err)
                               : hsp_fail_file(err, t->csv.file,
                                               "column '%s' is of type %s, which is not supported: convert it to numbers, "
                                               "text or dates%s",
                                               hsp_excerpt(piece, name, (int64_t)strlen(name)), type, remedy.s);
    hsp_text_free(&remedy);
    return status;
}

/* ---- checks ---- */

static bool is_used(const hsp_arrow_table *t, int64_t c) {
    return role_of(t, c) != HSP_ROLE_SKIP;
}

static void check_column(void *ctx, int64_t c) {
    hsp_arrow_table *t = ctx;
    if (is_used(t, c)) t->found[c] = hsp_arrow_check(&t->batches, c);
}

/* Checks the columns that are used, by all threads. */
static int check_columns(hsp_arrow_table *t, const hsp_options *o, hsp_error **err) {
    int64_t columns = t->batches.columns;
    t->target = t->weight = -1;
    for (int64_t c = 0; c < columns; c++) {
        if (is_used(t, c) && t->batches.column[c].type.kind == HSP_ARROW_OTHER) return fail_type(t, c, err);
        if (role_of(t, c) == HSP_ROLE_TARGET) t->target = c;
        if (role_of(t, c) == HSP_ROLE_WEIGHT) t->weight = c;
    }
    if (!HSP_ALLOC_ZERO(t->found, columns + 1)) return hsp_fail_memory(err);
    hsp_pool_run(columns, hsp_pool_threads(hsp_options_int(o, "threads", 0)), check_column, t);
    for (int64_t c = 0; c < columns; c++) {
        char buf[DEFAULT_NAME];
        if (t->found[c].fault)
            return hsp_arrow_fail(&t->batches, c, &t->found[c], column_name(t, c, buf), t->csv.file, err);
    }
    return 0;
}

/* ---- what types declare ---- */

/* Whether a word can only be a level or a truth value: it is not a number, an amount or a date. */
static bool is_plain_word(const char *s, int64_t n) {
    double x;
    return !hsp_csv_is_number(s, n, &x) && !hsp_number_sign_find(s, n) && !hsp_number_marks_suit(s, n) &&
           !hsp_date_orders(s, n, NULL);
}

/* Whether a feature has a dictionary with words that would be something else without it. Of other words the rules of tables
 * make levels anyway. */
static bool is_category(const hsp_arrow_table *t, int64_t c) {
    if (role_of(t, c) < 0 || !t->batches.column[c].coded) return false;
    for (int64_t k = 0; k < t->batches.count; k++) {
        hsp_arrow_part p = hsp_arrow_part_of(&t->batches, k, c);
        for (int64_t i = 0; i < p.words.length; i++) {
            char buf[HSP_ARROW_SPELT];
            int64_t n;
            const char *s = hsp_arrow_spell(&p.words, i, buf, &n);
            if (s && !is_plain_word(s, n)) return true;
        }
    }
    return false;
}

/* Adds the column to the list, and marks it as text. */
static int declare_column(hsp_arrow_table *t, int64_t c, hsp_text *list, hsp_error **err) {
    hsp_schema *s = &t->csv.schema;
    int64_t j = role_of(t, c);
    if (!s->spelt && !HSP_ALLOC_ZERO(s->spelt, s->d + 1)) return hsp_fail_memory(err);
    s->spelt[j] = true;
    if (list->length > 0) hsp_text_char(list, ',');
    type_column(t, c, list);
    return 0;
}

/* A feature with a dictionary of numbers or dates is categorical, unless an option says otherwise. */
static int declare_categories(hsp_arrow_table *t, const hsp_options *o, hsp_options **own, hsp_error **err) {
    const char *asked = hsp_options_text(o, "categorical");
    hsp_table_rules rules = {0};
    hsp_text list = {0};
    int64_t declared = 0;
    int status = hsp_table_rules_make(o, &t->csv.schema, t->csv.file, &rules, err);
    if (asked) hsp_text_add(&list, asked);
    for (int64_t c = 0; c < t->batches.columns && status == 0; c++) {
        if (!is_category(t, c) || rules.kind[role_of(t, c)]) continue;
        status = declare_column(t, c, &list, err);
        declared++;
    }
    if (status == 0 && list.failed) status = hsp_fail_memory(err);
    if (status == 0 && declared > 0) status = hsp_options_copy(o, own, err);
    if (status == 0 && declared > 0) status = hsp_options_set(*own, "categorical", list.s, err);
    hsp_table_rules_clear(&rules);
    hsp_text_free(&list);
    return status;
}

/* ---- amounts ---- */

hsp_csv_view hsp_arrow_view(const hsp_arrow_part *p, int64_t i, char *buf) {
    int64_t n;
    const char *s = hsp_arrow_cell(p, i, buf, &n);
    if (!s) return (hsp_csv_view){.s = ""};
    n = trim(&s, n);
    return (hsp_csv_view){.s = s, .n = n};
}

/* Counts the signs in the first rows of column c. */
static void tally_column(const hsp_arrow_table *t, int64_t c, int64_t feature, hsp_csv_sign_tally *s) {
    const hsp_arrow_batches *b = &t->batches;
    for (int64_t k = 0; k < b->count && b->first[k] < SAMPLE; k++) {
        hsp_arrow_part p = hsp_arrow_part_of(b, k, c);
        for (int64_t i = 0; i < p.cells.length && b->first[k] + i < SAMPLE; i++) {
            char buf[HSP_ARROW_SPELT];
            hsp_csv_view v = hsp_arrow_view(&p, i, buf);
            hsp_csv_tally_sign(&t->csv, &v, feature, s);
        }
    }
}

/* Finds columns of amounts ($12.00) among those of texts. */
static int find_signs(hsp_arrow_table *t, const hsp_schema *known, hsp_error **err) {
    int64_t d = t->csv.schema.d;
    if (known) return hsp_csv_choose_signs(&t->csv, NULL, known, err);
    hsp_csv_sign_tally *tally = hsp_alloc_zero(d + 1, sizeof *tally);
    if (!tally) return hsp_fail_memory(err);
    for (int64_t c = 0; c < t->batches.columns; c++) {
        int64_t j = role_of(t, c);
        bool target = j == HSP_ROLE_TARGET && t->csv.regression;
        if ((j >= 0 || target) && !is_number(t, c)) tally_column(t, c, target ? -1 : j, &tally[target ? d : j]);
    }
    int status = hsp_csv_choose_signs(&t->csv, tally, NULL, err);
    hsp_free(tally);
    return status;
}

/* ---- what is read how ---- */

/* Whether the cells of a feature are read as text. */
static bool is_spelt(const hsp_arrow_table *t, int64_t c) {
    const hsp_schema *s = &t->csv.schema;
    bool strict = !s->table && t->found[c].missing; /* it will be an error */
    return !is_number(t, c) || t->found[c].odd || strict || (s->spelt && s->spelt[role_of(t, c)]);
}

/* Whether the rows are a table: a cell may be a word or missing. */
static bool is_table(const hsp_arrow_table *t, const hsp_options *o, const hsp_schema *known) {
    bool table = known ? known->table : t->csv.schema.missing || hsp_table_rules_asked(o);
    for (int64_t c = 0; !known && c < t->batches.columns; c++)
        table = table || (role_of(t, c) >= 0 && (!is_number(t, c) || t->found[c].missing || t->found[c].odd));
    return table;
}

/* Words of a row are stored in the order of the features. */
static void sort_by_feature(const hsp_arrow_table *t) {
    for (int64_t a = 1; a < t->spelts; a++) {
        int64_t c = t->spelt[a], b = a;
        for (; b > 0 && role_of(t, t->spelt[b - 1]) > role_of(t, c); b--) t->spelt[b] = t->spelt[b - 1];
        t->spelt[b] = c;
    }
}

static int plan_columns(hsp_arrow_table *t, const hsp_options *o, const hsp_schema *known, hsp_error **err) {
    hsp_csv_table *csv = &t->csv;
    int64_t columns = t->batches.columns;
    csv->schema.table = is_table(t, o, known);
    if (!HSP_ALLOC(csv->kept, csv->schema.d + 1) || !HSP_ALLOC(t->number, columns + 1) || !HSP_ALLOC(t->spelt, columns + 1))
        return hsp_fail_memory(err);
    for (int64_t j = 0; j < csv->schema.d; j++) csv->kept[j] = true;
    for (int64_t c = 0; c < columns; c++) {
        if (role_of(t, c) < 0) continue;
        if (is_spelt(t, c))
            t->spelt[t->spelts++] = c;
        else
            t->number[t->numbers++] = c;
    }
    sort_by_feature(t);
    return 0;
}

/* ---- the whole ---- */

int hsp_arrow_table_make(hsp_arrow_table *t, const hsp_options *o, const hsp_schema *known, hsp_options **own,
                         hsp_error **err) {
    int64_t columns = t->batches.columns;
    t->csv.marks = (hsp_csv_marks){.delimiter = ',', .quote = '"', .translated = true};
    t->plain = known && !known->table;
    if (columns == 0 || (columns == 1 && !known))
        return hsp_fail_file(err, t->csv.file, "%s, so no features: give a table with more columns",
                             columns == 0 ? "no columns" : "only one column");
    if (hsp_arrow_rows(&t->batches) == 0) return hsp_fail_file(err, t->csv.file, "no rows: give a table with rows");
    int status = make_header(t, err);
    if (status == 0) status = hsp_csv_table_columns(&t->csv, true, o, known, err);
    if (status == 0) status = check_columns(t, o, err);
    if (status == 0 && !known) status = declare_categories(t, o, own, err);
    if (status == 0 && !t->plain) status = find_signs(t, known, err);
    return status == 0 ? plan_columns(t, o, known, err) : status;
}

void hsp_arrow_table_clear(hsp_arrow_table *t) {
    hsp_arrow_batches_close(&t->batches);
    hsp_csv_table_clear(&t->csv);
    HSP_FREE(t->found, t->number, t->spelt);
    *t = (hsp_arrow_table){0};
}
