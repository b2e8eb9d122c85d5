/* Messages on faulty rows of a CSV file. */
#include "base/error.h"
#include "base/number_marks.h"
#include "base/text.h"
#include "read/csv.h"
#include "table/spelling.h"

#include <math.h>
#include <string.h>

/* Adds "column 'age'", or "column 3" without a header. */
static void add_column(const hsp_csv_table *table, int64_t c, hsp_text *t) {
    char piece[HSP_EXCERPT];
    const char *name = table->schema.header ? hsp_csv_cells_at(&table->first, c) : "";
    if (*name)
        hsp_text_format(t, "column '%s'", hsp_excerpt(piece, name, (int64_t)strlen(name)));
    else
        hsp_text_format(t, "column %lld", (long long)(c + 1));
}

/* When the target was guessed, the column of words may be the target. */
static void add_guess(const hsp_csv_table *table, hsp_text *t) {
    const char *reason = table->layout.reason ? table->layout.reason : "";
    bool by_letter = strcmp(reason, "by name") == 0 && table->schema.target && strlen(table->schema.target) == 1;
    if (table->schema.target_column == 0 || !(by_letter || strcmp(reason, "the last") == 0)) return;
    hsp_text_add(t, " (the target is ");
    add_column(table, table->schema.target_column - 1, t);
    hsp_text_add(t, "; choose another with --target)");
}

/* Fails at the cell with this message, which is freed. */
static int fail_with(const hsp_csv_cursor *k, const hsp_csv_view *v, hsp_text *t, hsp_error **err) {
    int status =
        t->failed ? hsp_fail_memory(err) : hsp_fail_at(err, HSP_EINPUT, hsp_csv_place(k, v->s - v->quoted), "%s", t->s);
    hsp_text_free(t);
    return status;
}

int hsp_csv_fail_cell(const hsp_csv_table *t, const hsp_csv_cursor *k, const hsp_csv_view *v, int64_t c, hsp_error **err) {
    if (!err) return HSP_EINPUT; /* the message is made when the piece is parsed again */
    hsp_text text = {0};
    char piece[HSP_EXCERPT];
    double x;
    hsp_excerpt(piece, v->s, v->n);
    add_column(t, c, &text);
    const char *word = v->s + (v->n > 0 && (*v->s == '-' || *v->s == '+'));
    if (hsp_csv_is_missing(v->s, v->n) || hsp_blank_word(v->s, v->n)) {
        hsp_text_add(&text, " has a missing value: fill it in or remove the row");
    } else if (hsp_csv_is_number(v->s, v->n, &x) && isfinite(x)) {
        hsp_text_format(&text, " holds %s, but its numbers are read with a decimal comma: use --decimal .", piece);
    } else if (hsp_csv_is_number(v->s, v->n, &x)) {
        hsp_text_format(&text, " holds %s, too large for a double: scale the column down", piece);
    } else if (v->s + v->n - word >= 3 && v->s + v->n - word <= 8 && hsp_text_same_letters(word, "inf", 3)) {
        hsp_text_format(&text, " holds '%s', which is not finite: give a number or remove the row", piece);
    } else if (hsp_number_marks_suit(v->s, v->n)) {
        hsp_text_format(&text, " holds '%s': use %s to read it as a number", piece,
                        hsp_number_marks_options(hsp_number_marks_suit(v->s, v->n)));
    } else {
        hsp_text_format(&text, " holds '%s', which is not a number: ", piece);
        if (!t->schema.header && k->line == t->first.line)
            hsp_text_add(&text, "use --header yes if this line holds column names; otherwise ");
        hsp_text_add(&text, "ignore the column with ");
        const char *name = t->schema.header ? hsp_csv_cells_at(&t->first, c) : "";
        bool plain = *name && strlen(name) <= 40 && !strpbrk(name, " ,'\"$\\`;&|<>()*?[#!~\t\r\n");
        if (plain)
            hsp_text_format(&text, "--ignore %s", name);
        else
            hsp_text_format(&text, "--ignore %lld", (long long)(c + 1));
        hsp_text_add(&text, ", or encode it as numbers");
        add_guess(t, &text);
    }
    return fail_with(k, v, &text, err);
}

int hsp_csv_fail_label(const hsp_csv_table *t, const hsp_csv_cursor *k, const hsp_csv_view *v, int64_t c, hsp_error **err) {
    if (!err) return HSP_EINPUT;
    hsp_text text = {0};
    char piece[HSP_EXCERPT];
    hsp_excerpt(piece, v->s, v->n);
    bool empty = !hsp_csv_is_missing(v->s, v->n) || v->n == 0;
    hsp_text_add(&text, "the label is missing in ");
    add_column(t, c, &text);
    if (!empty) hsp_text_format(&text, ", which holds '%s'", piece);
    hsp_text_add(&text, ": fill it in, remove the row, or use --missing drop");
    if (!empty && !t->regression) hsp_text_format(&text, ", or --map-label '%s=OTHER' to make it a class", piece);
    return fail_with(k, v, &text, err);
}

int hsp_csv_fail_weight(const hsp_csv_table *t, const hsp_csv_cursor *k, const hsp_csv_view *v, int64_t c,
                        hsp_error **err) {
    if (!err) return HSP_EINPUT;
    hsp_text text = {0};
    char piece[HSP_EXCERPT];
    double x;
    hsp_excerpt(piece, v->s, v->n);
    bool missing = hsp_csv_is_missing(v->s, v->n);
    if (missing) hsp_text_add(&text, "the weight is missing in ");
    add_column(t, c, &text);
    if (missing)
        hsp_text_add(&text, ": fill it in or remove the row");
    else if (hsp_csv_is_number(v->s, v->n, &x) && isfinite(x))
        hsp_text_format(&text, " holds the negative weight %s: give weights of at least 0", piece);
    else
        hsp_text_format(&text, " holds '%s', which is not a weight: give finite weights of at least 0", piece);
    return fail_with(k, v, &text, err);
}

int hsp_csv_check_form(const hsp_csv_table *t, const hsp_csv_cursor *k, hsp_error **err) {
    int status = hsp_csv_check_quotes(k, t->marks, err);
    if (status < 0) return status;
    const char *begin = k->begin, *end = k->stop;
    int64_t count = hsp_csv_count(begin, end, t->marks);
    if (count == t->layout.columns) return 0;
    const char *at = hsp_csv_nth(begin, end, t->marks, t->layout.columns); /* the first too many, or the end */
    return hsp_fail_at(err, HSP_EINPUT, hsp_csv_place(k, at),
                       "row has %lld cell%s, expected %lld as in line %lld: check the delimiters and quotes",
                       (long long)count, count == 1 ? "" : "s", (long long)t->layout.columns, (long long)t->first.line);
}
