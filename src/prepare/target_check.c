#include "prepare/target_check.h"

#include "base/error.h"
#include "base/number.h"
#include "base/number_marks.h"
#include "base/number_sign.h"
#include "data/matrix.h"
#include "data/schema.h"
#include "data/table_frame.h"
#include "option/options.h"
#include "table/spelling.h"

#include <math.h>
#include <string.h>

enum { MOST_CLASSES = 20, ROWS_A_CLASS = 10 };

/* ---- the rule ---- */

/* How the classes of the data are spelt. */
typedef struct class_spelling {
    bool numbers;   /* all are numbers, or amounts */
    bool amounts;   /* some only with a sign, a decimal comma or separators of thousands: $12.00, 1.234,5 */
    bool fractions; /* and some are not whole */
} class_spelling;

/* Whether the label is a number if a sign or other marks are allowed; *v is NaN if the marks are not known. */
static bool is_amount(const char *label, double *v) {
    int64_t n = (int64_t)strlen(label);
    int sign = hsp_number_sign_find(label, n);
    *v = NAN;
    if (sign && hsp_number_sign_read(label, n, sign, (hsp_number_marks){0}, v)) return true;
    return hsp_number_marks_suit(label, n) != 0;
}

static class_spelling spelling_of(const hsp_classes *c) {
    class_spelling s = {.numbers = c->count > 0 && !hsp_classes_are_codes(c)};
    for (int64_t k = 0; k < c->count && s.numbers; k++) {
        double v;
        const char *label = c->name[k];
        if (hsp_label_is_number(label))
            hsp_number_parse(label, label + strlen(label), &v);
        else if (is_amount(label, &v))
            s.amounts = true;
        else
            return (class_spelling){0};
        s.fractions = s.fractions || v < floor(v) || v > floor(v);
    }
    return s;
}

static int64_t whole_rows(const hsp_data *data) {
    return data->whole_rows > 0 ? data->whole_rows : data->x.n;
}

bool hsp_target_unlike_classes(const hsp_data *data, const hsp_options *o) {
    int64_t classes = data->classes.count;
    if (!data->y || classes <= MOST_CLASSES || (o && hsp_options_is_set(o, "task")) ||
        (o && hsp_options_text(o, "positive")))
        return false;
    return classes > whole_rows(data) / ROWS_A_CLASS || spelling_of(&data->classes).fractions;
}

/* ---- another column that may be the label ---- */

/* Whether two cells are equal. */
static bool same_cell(hsp_cell a, hsp_cell b) {
    if (a.text && b.text) return a.length == b.length && memcmp(a.text, b.text, (size_t)a.length) == 0;
    return !a.text && !b.text && a.number >= b.number && a.number <= b.number;
}

/* Adds a cell to the at most two different ones met so far. False: it is a third. */
static bool add_different(hsp_cell cell, hsp_cell met[2], int *count) {
    for (int i = 0; i < *count; i++)
        if (same_cell(cell, met[i])) return true;
    if (*count == 2) return false;
    met[(*count)++] = cell;
    return true;
}

/* Whether column j of a table has two values. */
static bool column_has_two(const hsp_frame *f, int64_t j) {
    hsp_cell met[2];
    int count = 0;
    for (int64_t k = 0; k < f->blocks; k++)
        for (int64_t i = 0; i < f->block[k].rows; i++) {
            hsp_cells cells = hsp_block_cells(&f->block[k], i);
            hsp_cell cell = hsp_cells_at(&cells, j);
            if (hsp_cell_missing(cell) || !add_different(cell, met, &count)) return false;
        }
    return count == 2;
}

/* The same for a column of numbers. */
static bool feature_has_two(const hsp_matrix *x, int64_t j) {
    hsp_cell met[2];
    int count = 0;
    for (int64_t i = 0; i < x->n; i++) {
        hsp_row r = hsp_matrix_row(x, i);
        int64_t t = x->dense ? j : hsp_row_find(r, j);
        hsp_cell cell = {.number = t < r.count && hsp_row_id(r, t) == j ? hsp_row_value(r, t) : 0};
        if (!add_different(cell, met, &count)) return false;
    }
    return count == 2;
}

/* The column that looks like a label, as it has two values: the first of the file, else the only one. -1: none. */
static int64_t find_label(const hsp_data *data, const hsp_schema *columns) {
    int64_t found = -1, count = 0;
    if (!columns->column) return -1;
    for (int64_t j = 0; j < columns->d; j++) {
        bool two = data->frame ? column_has_two(data->frame, j) : feature_has_two(&data->x, j);
        if (two && columns->column[j] == 1) return j;
        if (two && count++ == 0) found = j;
    }
    return count == 1 ? found : -1;
}

/* ---- the message ---- */

static void add_target(const hsp_data *data, hsp_text *t) {
    char piece[HSP_EXCERPT];
    const hsp_schema *s = &data->schema;
    hsp_text_add(t, "the target");
    if (s->target)
        hsp_text_format(t, " '%s'", hsp_excerpt(piece, s->target, (int64_t)strlen(s->target)));
    else if (s->target_column > 0)
        hsp_text_format(t, " in column %lld", (long long)s->target_column);
}

static void add_remedy(const hsp_data *data, bool numbers, bool regresses, hsp_text *t) {
    const hsp_schema *s = data->frame ? &data->frame->schema : &data->schema;
    bool columns = data->schema.target_column > 0;
    int64_t label = columns ? find_label(data, s) : -1;
    char buf[32], piece[HSP_EXCERPT];
    if (numbers) hsp_text_format(t, "use --task regression%s", regresses ? "" : " -a ridge");
    if (columns) hsp_text_format(t, "%s--target ", numbers ? ", or " : "use ");
    if (label >= 0) {
        const char *name = hsp_schema_feature(s, label, buf);
        hsp_type_column(t, s, label);
        hsp_text_format(t, " (%scolumn '%s' has two values)", s->column[label] == 1 ? "the first " : "",
                        hsp_excerpt(piece, name, (int64_t)strlen(name)));
    } else if (columns) {
        hsp_text_add(t, "NAME for another column");
    }
    hsp_text_format(t, "%s--task classification makes each value a class", t->length > 0 ? "; " : "");
}

int hsp_target_describe(const hsp_data *data, bool regresses, hsp_text *wrong, hsp_text *remedy) {
    class_spelling s = spelling_of(&data->classes);
    add_target(data, wrong);
    const char *what = s.amounts     ? "amounts"
                       : s.fractions ? "numbers with fractions"
                       : s.numbers   ? "numbers"
                                     : "values";
    hsp_text_format(wrong, " holds %lld different %s in %lld rows, %s", (long long)data->classes.count, what,
                    (long long)whole_rows(data), s.numbers ? "not classes" : "too many for classes");
    add_remedy(data, s.numbers, regresses, remedy);
    return wrong->failed || remedy->failed ? HSP_EMEMORY : HSP_OK;
}

int hsp_target_check(const hsp_data *data, const hsp_options *o, bool regresses, hsp_error **err) {
    if (!hsp_target_unlike_classes(data, o)) return HSP_OK;
    hsp_text wrong = {0}, remedy = {0};
    int status = hsp_target_describe(data, regresses, &wrong, &remedy);
    status =
        status ? hsp_fail_memory(err) : hsp_fail_at(err, HSP_EINPUT, hsp_data_place(data), "%s: %s", wrong.s, remedy.s);
    hsp_text_free(&wrong);
    hsp_text_free(&remedy);
    return status;
}
