/* The parts of the CSV reader: cells and records (csv_cell.c), what the file is like (csv_sniff.c), which column is what
 * (csv_schema.c, csv_match.c), rows (csv_row.c), what is wrong with them (csv_fault.c), the reader (csv.c). */
#ifndef HSP_READ_CSV_H
#define HSP_READ_CSV_H

#include "base/error.h"
#include "base/text.h"
#include "data/block.h"
#include "data/schema.h"
#include "halfspace.h"
#include "read/lines.h"

/* ---- cells and records ---- */

/* What stands between cells, and round those that have it inside; quote 0: nothing does. */
typedef struct hsp_csv_marks {
    char delimiter, quote;
} hsp_csv_marks;

/* One cell, borrowed from the record: without blanks round it and without its quotes. */
typedef struct hsp_csv_view {
    const char *s;
    int64_t n;
    const char *next; /* the delimiter after it, or the end of the record */
    bool quoted;
    bool doubled; /* it has "" for ", which hsp_csv_copy undoes */
} hsp_csv_view;

static inline bool hsp_csv_blank(char c, char delimiter) {
    return (c == ' ' || c == '\t') && c != delimiter;
}

/* Where the first cell of a record begins: cells between blanks are not empty. */
static inline const char *hsp_csv_first(const char *p, const char *end, char delimiter) {
    while (delimiter == ' ' && p < end && *p == ' ') p++;
    return p;
}

/* Where the cell after `next` begins, or NULL when there is none. */
static inline const char *hsp_csv_after(const char *next, const char *end, char delimiter) {
    if (next == end) return NULL;
    next++;
    if (delimiter != ' ') return next;
    while (next < end && *next == ' ') next++;
    return next == end ? NULL : next;
}

/* Records one after the other out of bytes that hold whole ones; the last may lack its line end. */
typedef struct hsp_csv_cursor {
    const char *file;
    const char *next, *end;   /* what is left of the bytes */
    const char *begin, *stop; /* the current record, without its line end */
    const char *lf;           /* no LF between `next` and here; may be NULL */
    int64_t line, next_line;  /* of the current record, and of `next` */
    bool word_met;            /* a cell that should hold a number and does not has ended it */
} hsp_csv_cursor;

static inline hsp_csv_cursor hsp_csv_cursor_over(const char *file, const char *bytes, const char *end, int64_t line) {
    return (hsp_csv_cursor){.file = file, .next = bytes, .end = end, .begin = bytes, .stop = bytes, .next_line = line};
}
/* The place of a byte of the current record. */
static inline hsp_place hsp_csv_place(const hsp_csv_cursor *k, const char *p) {
    return hsp_lines_place_in(k->file, k->line, k->begin, p);
}

/* The next record that is not blank becomes the current one, with all lines that its quotes span: 1, or 0 at the end, or a
 * negative status. */
int hsp_csv_record(hsp_csv_cursor *k, hsp_csv_marks m, hsp_error **err);
/* Where the last whole record of the bytes from p, where one begins, to `end` ends; NULL when none does. over: no more
 * follows, so all of them are whole. For hsp_chunks, which asks record by record: many at once are as good. */
const char *hsp_csv_ends(const char *p, const char *end, bool over, void *marks);

/* The cell at p. 0, or -1 when text follows the closing quote (v->next is there). */
int hsp_csv_split(const char *p, const char *end, hsp_csv_marks m, hsp_csv_view *v);
/* Appends the text of a cell. */
void hsp_csv_copy(hsp_text *t, const hsp_csv_view *v);
/* Fails at the first cell of the record with text after its closing quote; 0 when there is none. */
int hsp_csv_check_quotes(const hsp_csv_cursor *k, hsp_csv_marks m, hsp_error **err);
int64_t hsp_csv_count(const char *p, const char *end, hsp_csv_marks m);
/* Where cell n (from 0) begins; `end` when the record has fewer. */
const char *hsp_csv_nth(const char *p, const char *end, hsp_csv_marks m, int64_t n);

bool hsp_csv_is_missing(const char *s, int64_t n); /* empty, ?, NA, N/A, NaN, null */
/* The whole of the n bytes as a number, infinite when it overflows. */
bool hsp_csv_is_number(const char *s, int64_t n, double *v);

/* A record that is kept: its cells as strings. */
typedef struct hsp_csv_cells {
    hsp_text text;   /* NUL after each cell */
    int64_t *start;  /* of each cell in text */
    int64_t *column; /* byte in the line of each cell, from 1 */
    int64_t start_capacity, column_capacity;
    int64_t count, line;
} hsp_csv_cells; /* {0} is an empty one */

int hsp_csv_cells_read(hsp_csv_cells *c, const hsp_csv_cursor *k, hsp_csv_marks m, hsp_error **err);
void hsp_csv_cells_clear(hsp_csv_cells *c);
static inline const char *hsp_csv_cells_at(const hsp_csv_cells *c, int64_t i) {
    return c->text.s + c->start[i];
}

/* ---- what the file is like ---- */

/* The delimiter of the first n bytes of a file; `whole` when they are all of it. */
char hsp_csv_sniff_delimiter(const char *bytes, int64_t n, bool whole);
/* Whether the first record holds names; second may be empty. */
bool hsp_csv_sniff_header(const hsp_csv_cells *first, const hsp_csv_cells *second);

/* Whether an option names a column by a word that the first record has. */
bool hsp_csv_named(const hsp_csv_cells *first, const hsp_options *o);

/* ---- which column is what ---- */

enum { HSP_CSV_WEIGHT = -4, HSP_CSV_FREE = -3, HSP_CSV_SKIP = -2, HSP_CSV_TARGET = -1 };

typedef struct hsp_csv_layout {
    int64_t columns;
    int64_t *role;      /* of each column: the number of its feature, from 0, or HSP_CSV_TARGET, _WEIGHT or _SKIP */
    const char *reason; /* why the target is the target; static */
    int64_t ignored;    /* columns left out by option */
    int64_t extra;      /* columns that the model does not know */
    int64_t absent;     /* columns of the model that the file does not have; of a table only */
    bool matched;       /* by the model's names */
    bool weighted;      /* a column holds weights that are to be read */
} hsp_csv_layout;

typedef struct hsp_csv_request {
    const hsp_csv_cells *first; /* the first record */
    bool header;
    char delimiter;
    const hsp_options *o;
    const hsp_schema *known; /* or NULL */
    const char *file;
} hsp_csv_request;

/* Settles the roles and fills the schema. Clear both also after a failure. */
int hsp_csv_layout_make(const hsp_csv_request *q, hsp_csv_layout *out, hsp_schema *schema, hsp_error **err);
void hsp_csv_layout_clear(hsp_csv_layout *l);
/* The names by which a target is known, the likeliest first; and which of them s is, in capitals or not (HSP_CSV_USUAL:
 * none). */
enum { HSP_CSV_USUAL = 4 };
extern const char *const hsp_csv_usual_names[HSP_CSV_USUAL];
int hsp_csv_usual(const char *s);
/* The column of the file with the likeliest such name that is still free; -1: none. */
int64_t hsp_csv_usual_target(const hsp_csv_request *q, const hsp_csv_layout *l);
int64_t hsp_csv_free_columns(const hsp_csv_layout *l);

/* Gives the free columns the roles that the model's schema asks for. */
int hsp_csv_match(const hsp_csv_request *q, hsp_csv_layout *l, hsp_error **err);
/* 1 when the first record holds names of the model's columns, else 0, or a negative status. */
int hsp_csv_knows(const hsp_csv_cells *first, const hsp_schema *known, hsp_error **err);

/* ---- rows ---- */

/* Columns beside each other that are read alike: features in a row, or one other column. */
typedef struct hsp_csv_step {
    int64_t column; /* the first */
    int64_t count;
    int64_t role; /* of the first */
    bool cell;    /* one feature of a table, which often holds no number */
} hsp_csv_step;

/* A table as it was settled when it was opened; threads share it. */
typedef struct hsp_csv_table {
    const char *file;
    hsp_csv_marks marks;
    hsp_schema schema;
    hsp_csv_layout layout;
    hsp_csv_cells first; /* the first record */
    hsp_csv_step *step;
    int64_t steps;
    int64_t unused; /* the model's feature that held weights in training, so it is 0 here; -1: none */
    /* schema.table only */
    bool *cell;          /* of each column: whether its first cells hold other things than numbers */
    const char *missing; /* spellings that count as missing besides the usual ones, with commas between; NULL: none */
    bool for_model;      /* rows to predict need no labels: an empty cell is no error here */
    bool regression;     /* labels are numbers to predict */
    bool drops;          /* rows without a label are left out */
    char *mapped;        /* labels that are to be replaced, FROM=TO,..., which are none of the missing; NULL: none */
} hsp_csv_table;

/* Fills `step` from the layout, anew when it was filled before. 0 or HSP_EMEMORY. */
int hsp_csv_table_plan(hsp_csv_table *t);
/* Looks at the records of the cursor to its end, and marks the columns of features that hold other things than numbers in
 * t->cell, which is made. 1: there are some; 0: none; HSP_EMEMORY. */
int hsp_csv_table_look(hsp_csv_table *t, hsp_csv_cursor *k);
/* Whether a cell counts as missing in this table. */
bool hsp_csv_table_missing(const hsp_csv_table *t, const char *s, int64_t n);
void hsp_csv_table_clear(hsp_csv_table *t);

/* Empties the block and makes room for all rows that so many bytes can hold. 0 or HSP_EMEMORY. */
int hsp_csv_begin_rows(const hsp_csv_table *t, hsp_block *block, int64_t bytes);
/* The rows of a piece, with HSP_CHUNK_PAD after it, into the block, for which there is room; `spare` is for labels with "".
 * 0, or the status of the first fault, where it stops. */
int hsp_csv_read_rows(const hsp_csv_table *t, hsp_csv_cursor *k, hsp_block *block, hsp_text *spare, hsp_error **err);

/* ---- what is wrong with a row: all return a negative status ---- */

/* The cell of a feature is not a finite number. */
int hsp_csv_fail_cell(const hsp_csv_table *t, const hsp_csv_cursor *k, const hsp_csv_view *v, int64_t c, hsp_error **err);
int hsp_csv_fail_label(const hsp_csv_table *t, const hsp_csv_cursor *k, const hsp_csv_view *v, int64_t c, hsp_error **err);
int hsp_csv_fail_weight(const hsp_csv_table *t, const hsp_csv_cursor *k, const hsp_csv_view *v, int64_t c, hsp_error **err);
/* The record has something wrong with its form: text after a quote, or another number of cells. 0 when neither. */
int hsp_csv_check_form(const hsp_csv_table *t, const hsp_csv_cursor *k, hsp_error **err);

#endif
