/* A cell keeps its spelling. Quotes are added only where the new delimiter requires them, or where a reader that detects the
 * delimiter could be misled. */
#include "write/row_output.h"

#include "option/options.h"
#include "read/csv.h"
#include "read/reader.h"
#include "read/stream.h"
#include "read/table_match.h"
#include "write/writer.h"

#include <string.h>

#define SAMPLE 65536

static bool is_left_out(const hsp_csv_layout *l, int64_t c) {
    return l->role && c < l->columns && l->role[c] == HSP_ROLE_SKIP;
}

/* Whether an unquoted cell from p to end, blanks round it included, must be quoted. Quotes inside such a cell are plain
 * characters, unless the file had no quoted cells at all. */
static bool needs_quotes(const hsp_row_output *w, const char *p, const char *end) {
    for (; p < end; p++)
        if (*p == w->delimiter || *p == ',' || *p == ';' || *p == '\t' || (*p == '"' && !w->from->table.marks.quote))
            return true;
    return false;
}

/* Adds the cell v, which begins at p with its blanks. */
static void add_cell(hsp_row_output *w, const char *p, const hsp_csv_view *v) {
    if (v->quoted && !w->verbatim)
        hsp_text_add_n(&w->text, v->s - 1, v->n + 2);
    else if (!w->verbatim && needs_quotes(w, p, v->next))
        hsp_csv_cell(&w->text, v->s, v->n, w->delimiter);
    else
        hsp_text_add_n(&w->text, p, v->next - p);
}

/* Whether the text has only blanks from there on. */
static bool is_blank(const hsp_text *t, int64_t from) {
    while (from < t->length && (t->s[from] == ' ' || t->s[from] == '\t')) from++;
    return from == t->length;
}

/* Adds the cells of a record, whose label --map-label may replace; row NULL: the header. */
static int add_cells(hsp_row_output *w, const char *begin, const char *stop, const hsp_raw_row *row, hsp_error **err) {
    const hsp_csv_table *t = &w->from->table;
    const char *p = hsp_csv_first(begin, stop, t->marks.delimiter);
    int64_t before = w->text.length, cells = 0;
    for (int64_t c = 0; p; c++) {
        hsp_csv_view v;
        bool failed = false;
        hsp_csv_split(p, stop, t->marks, &v);
        if (!is_left_out(&t->layout, c)) {
            if (cells++ > 0) hsp_text_char(&w->text, w->delimiter);
            bool label = w->labels && row && c == t->schema.target_column - 1;
            const char *instead = label ? hsp_label_tally_replacement(w->labels, row, &failed) : NULL;
            if (instead)
                hsp_csv_cell(&w->text, instead, (int64_t)strlen(instead), w->delimiter);
            else
                add_cell(w, p, &v);
        }
        if (failed) return hsp_fail_memory(err);
        p = hsp_csv_after(v.next, stop, t->marks.delimiter);
    }
    if (cells == 1 && is_blank(&w->text, before)) { /* a blank line would not be a row */
        w->text.length = before;
        hsp_text_add(&w->text, "\"\"");
    }
    hsp_text_char(&w->text, '\n');
    return 0;
}

/* Cells may keep every byte when the file is read as before: the same delimiter, found in the same way, between the same
 * cells. */
static bool stays_readable(const hsp_row_output *w) {
    const hsp_csv_table *t = &w->from->table;
    return t->marks.delimiter == w->delimiter && t->marks.quote && t->layout.ignored == 0 &&
           hsp_options_is(w->from->options, "delimiter", "auto");
}

/* Keeps whole rows, up to the size that a reader looks at. */
static void keep_sample(hsp_row_output *w, int64_t from) {
    int64_t n = w->text.length - from;
    if (w->sample.length + n < SAMPLE) hsp_text_add_n(&w->sample, w->text.s + from, n);
}

/* Adds the cells of the header, which is the last record of the head: lines before it may be any text. */
static int add_header(hsp_row_output *w, const char *begin, const char *end, hsp_error **err) {
    hsp_csv_cursor line = hsp_csv_cursor_over(NULL, begin, end, 1);
    while (hsp_csv_record(&line, (hsp_csv_marks){.delimiter = w->from->table.marks.delimiter}, NULL) > 0) {
        hsp_csv_cursor k = hsp_csv_cursor_over(NULL, line.begin, end, 1);
        if (hsp_csv_record(&k, w->from->table.marks, NULL) <= 0 || k.next < end) continue;
        return add_cells(w, k.begin, k.stop, NULL, err);
    }
    return 0;
}

static int add_head(hsp_row_output *w, hsp_error **err) {
    const hsp_text *head = &w->from->head;
    const char *begin = head->s ? head->s : "";
    if (w->delimiter) {
        int64_t mark = w->from->chunks.marked ? 3 : 0;
        return w->from->table.schema.header ? add_header(w, begin + mark, begin + head->length, err) : 0;
    }
    hsp_text_add_n(&w->text, begin, head->length);
    keep_sample(w, 0);
    return 0;
}

int hsp_row_output_open(hsp_row_output *w, const char *path, const hsp_raw_file *from, char delimiter,
                        hsp_label_tally *labels, hsp_error **err) {
    *w = (hsp_row_output){.from = from, .delimiter = delimiter, .labels = labels};
    w->verbatim = stays_readable(w);
    int status = hsp_out_open(path, '?', &w->out, err);
    return status < 0 ? status : add_head(w, err);
}

int hsp_row_output_doubt(const hsp_row_output *w, const char *path, hsp_text *note, hsp_error **err) {
    const hsp_csv_table *t = &w->from->table;
    hsp_raw_file *part = NULL;
    hsp_stream *stream = NULL;
    if (w->delimiter || t->layout.columns == 0 || w->sample.length == 0) return 0;
    int status = hsp_stream_open_memory(w->sample.s, w->sample.length, path, &stream, err);
    if (status < 0) return status;
    status = hsp_raw_open(stream, path, &hsp_reader_csv, w->from->options, &part, NULL);
    if (status < 0) return status == HSP_EMEMORY ? hsp_fail_memory(err) : 0;
    char found = part->table.marks.delimiter, right = t->marks.delimiter;
    if (found != right) {
        hsp_text_format(note, "the first lines of %s suggest another delimiter: read it with --delimiter ", path);
        if (right == '\t' || right == ' ')
            hsp_text_add(note, right == ' ' ? "space" : "tab");
        else
            hsp_text_format(note, "'%c'", right);
    } else if (part->table.schema.header != t->schema.header) {
        hsp_text_format(note, "the first lines of %s %s a header: read it with --header %s", path,
                        t->schema.header ? "do not show" : "look like", t->schema.header ? "yes" : "no");
    }
    hsp_raw_close(part);
    return note->failed ? hsp_fail_memory(err) : 0;
}

int hsp_row_output_add(hsp_row_output *w, const hsp_raw_row *row, hsp_error **err) {
    int64_t before = w->text.length;
    w->rows++;
    if (w->delimiter) {
        int status = add_cells(w, row->begin, row->stop, row, err);
        if (status < 0) return status;
    } else {
        hsp_text_add_n(&w->text, row->begin, row->next - row->begin);
        if (row->next == row->stop) hsp_text_add(&w->text, w->from->line_end);
        keep_sample(w, before);
    }
    return hsp_write_flush(&w->text, w->out, false, err);
}

int hsp_row_output_commit(hsp_row_output *w, hsp_error **err) {
    int status = hsp_write_flush(&w->text, w->out, true, err);
    if (status < 0) return status;
    hsp_out *out = w->out;
    w->out = NULL;
    return hsp_out_commit(out, err);
}

void hsp_row_output_abandon(hsp_row_output *w) {
    hsp_out_abandon(w->out);
    hsp_text_free(&w->text);
    hsp_text_free(&w->sample);
    *w = (hsp_row_output){0};
}
