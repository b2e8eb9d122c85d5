/* The parts of the CSV reader: cells and records (csv_cell.c), detection of delimiter and header (csv_sniff.c), roles of
 * columns (csv_schema.c, csv_match.c), spellings of missing values (csv_missing.c), rows (csv_row.c), their plain
 * numbers (csv_numbers.c), messages on faulty rows (csv_fault.c), what was assumed (csv_assumed.c), the reader (csv.c).
 * Tables from memory (arrow_reader.c) follow the same rules with the same functions. */
#ifndef HSP_READ_CSV_H
#define HSP_READ_CSV_H

#include "base/error.h"
#include "base/text.h"
#include "data/block.h"
#include "data/schema.h"
#include "halfspace.h"
#include "read/chunks.h"
#include "read/kept.h"
#include "read/lines.h"
#include "read/sides.h"
#include "read/table_match.h"

/* ---- cells and records ---- */

/* The delimiter, the quote round cells that contain it, and the first character of lines that are comments; quote or comment
 * 0: none. */
typedef struct hsp_csv_marks {
    char delimiter, quote, comment;
    bool translated; /* each record was a line of a file in another form: it counts as one, and its columns are unknown */
} hsp_csv_marks;

/* A cell, borrowed from the record, without the blanks and quotes round it. */
typedef struct hsp_csv_view {
    const char *s;
    int64_t n;
    const char *next; /* the delimiter after it, or the end of the record */
    bool quoted;
    bool doubled; /* it contains "" for ", which hsp_csv_copy unescapes */
} hsp_csv_view;

static inline bool hsp_csv_blank(char c, char delimiter) {
    return (c == ' ' || c == '\t') && c != delimiter;
}

/* Where the first cell of a record begins; with blanks as delimiter no cell is empty. */
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

/* Iterates over records in bytes that hold whole ones; the last may lack its line end. */
typedef struct hsp_csv_cursor {
    const char *file;
    const char *next, *end;   /* the rest of the bytes */
    const char *begin, *stop; /* the current record, without its line end */
    const char *lf;           /* no LF between `next` and here; may be NULL */
    int64_t line, next_line;  /* of the current record, and of `next` */
    int64_t word_column;      /* it stopped at a cell of this feature, from 1, that is not a number; 0: it did not */
    bool translated;          /* as in the marks of the current record */
} hsp_csv_cursor;

static inline hsp_csv_cursor hsp_csv_cursor_over(const char *file, const char *bytes, const char *end, int64_t line) {
    return (hsp_csv_cursor){.file = file, .next = bytes, .end = end, .begin = bytes, .stop = bytes, .next_line = line};
}
/* The place of a byte of the current record. */
static inline hsp_place hsp_csv_place(const hsp_csv_cursor *k, const char *p) {
    if (k->translated) return (hsp_place){k->file, k->line, 0};
    return hsp_lines_place_in(k->file, k->line, k->begin, p);
}

/* Moves to the next record that is neither blank nor a comment, with all lines that its quotes span: 1, or 0 at the end, or
 * a negative status. */
int hsp_csv_record(hsp_csv_cursor *k, hsp_csv_marks m, hsp_error **err);
/* The end of the last whole record from p, the start of one, to `end`; NULL: there is none. over: the data ends at `end`.
 * An hsp_record_end, which may skip several records in one call. */
const char *hsp_csv_ends(const char *p, const char *end, bool over, void *marks);

/* The cell at p. 0, or -1 when text follows the closing quote, at v->next. */
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

/* A copy of a record: its cells as strings. */
typedef struct hsp_csv_cells {
    hsp_text text;   /* NUL after each cell */
    int64_t *start;  /* owned: of each cell in text */
    int64_t *column; /* owned: byte in the line of each cell, from 1 */
    int64_t start_capacity, column_capacity;
    int64_t count;
    int64_t line; /* 0: the header of a translation, which is no line of the file */
} hsp_csv_cells;  /* {0} is an empty one */

int hsp_csv_cells_read(hsp_csv_cells *c, const hsp_csv_cursor *k, hsp_csv_marks m, hsp_error **err);
void hsp_csv_cells_clear(hsp_csv_cells *c);
static inline const char *hsp_csv_cells_at(const hsp_csv_cells *c, int64_t i) {
    return c->text.s + c->start[i];
}

/* ---- detection of delimiter and header ---- */

/* The delimiter that --delimiter names: a character, "tab" or "space"; 0: it cannot be one. */
char hsp_csv_delimiter(const char *name);
/* Detects the delimiter from the first n bytes of a file; whole: they are all of it. expected: the delimiter of the training
 * file, which is tried first; 0: none. */
char hsp_csv_sniff_delimiter(const char *bytes, int64_t n, bool whole, hsp_csv_marks marks, char expected);
/* Detects whether the first record holds names; second may be empty. */
bool hsp_csv_sniff_header(const hsp_csv_cells *first, const hsp_csv_cells *second);
/* Whether the first record is a header of numbers, 0, 1, 2, ..., as pandas writes it: 1 or 0, or HSP_EMEMORY. rows: the
 * records after it. */
int hsp_csv_numbered_header(const hsp_csv_cells *first, hsp_csv_cursor *rows, hsp_csv_marks m, hsp_error **err);

/* Whether an option names a column by a cell of the first record. */
bool hsp_csv_named(const hsp_csv_cells *first, const hsp_options *o);

/* ---- roles of columns ---- */

typedef struct hsp_csv_layout {
    int64_t columns;
    int64_t *role;           /* owned: of each column (table_match.h) */
    const char *reason;      /* static: why the target is that column */
    int64_t ignored;         /* columns left out by option */
    int64_t extra;           /* columns that the model does not have */
    int64_t absent;          /* columns of the model that the file does not have; tables only */
    bool matched;            /* by the model's names */
    bool weighted;           /* a column holds weights to be read */
    int64_t side[HSP_SIDES]; /* the columns of groups and times, from 1; 0: none */
} hsp_csv_layout;

typedef struct hsp_csv_request {
    const hsp_csv_cells *first; /* the first record */
    bool header;
    char delimiter;
    const hsp_options *o;
    const hsp_schema *known; /* or NULL */
    const char *file;
    bool bare; /* rows are only copied: no column need be a feature */
} hsp_csv_request;

/* HSP_EINPUT when the first record has one cell because the delimiter that the user gave does not occur in it; else 0. */
int hsp_csv_check_delimiter(const hsp_csv_request *q, hsp_error **err);
/* Assigns the roles and fills the schema. Clear both also after a failure. */
int hsp_csv_layout_make(const hsp_csv_request *q, hsp_csv_layout *out, hsp_schema *schema, hsp_error **err);
void hsp_csv_layout_clear(hsp_csv_layout *l);
/* The usual names of a target, the most likely first; the index of s among them, ignoring case (HSP_CSV_USUAL: none). */
enum { HSP_CSV_USUAL = 4 };
extern const char *const hsp_csv_usual_names[HSP_CSV_USUAL];
int hsp_csv_usual(const char *s);
/* The free column with the most likely of these names; -1: none. */
int64_t hsp_csv_usual_target(const hsp_csv_request *q, const hsp_csv_layout *l);
int64_t hsp_csv_free_columns(const hsp_csv_layout *l);

/* The column that an option names, from 0; or a negative status. */
int64_t hsp_csv_find_column(const hsp_csv_request *q, const char *option, const char *s, int64_t n, hsp_error **err);

/* Assigns the roles of the free columns by the model's schema. */
int hsp_csv_match(const hsp_csv_request *q, hsp_csv_layout *l, hsp_error **err);
/* 1 when the first record holds names of the model's columns, else 0, or a negative status. */
int hsp_csv_header_matches(const hsp_csv_cells *first, const hsp_schema *known, hsp_error **err);

/* The column, from 0, by its name, else by its number from 1; without a header also by its default name, x1, x2, ... Or a
 * negative status; option: for the message. */
int64_t hsp_csv_find_column(const hsp_csv_request *q, const char *option, const char *s, int64_t n, hsp_error **err);

/* ---- spellings of missing values ---- */

typedef struct hsp_csv_spelling hsp_csv_spelling;
/* Those that are added to the usual ones: by the model, and by --missing-values. */
typedef struct hsp_csv_missing {
    hsp_csv_spelling *blank; /* owned */
    int64_t count, capacity;
} hsp_csv_missing; /* {0} is an empty one */

/* *stored: the list as a model stores it, replaced; NULL: there is none. Clear `out` also after a failure. */
int hsp_csv_missing_make(const hsp_csv_request *q, const hsp_csv_layout *l, hsp_csv_missing *out, char **stored,
                         hsp_error **err);
void hsp_csv_missing_clear(hsp_csv_missing *m);
/* Whether some of them apply to the feature. */
bool hsp_csv_missing_names(const hsp_csv_missing *m, int64_t feature);
/* Whether a cell of the feature is one of them. */
bool hsp_csv_missing_has(const hsp_csv_missing *m, int64_t feature, const char *s, int64_t n);
/* The same for a cell that is a number. */
bool hsp_csv_missing_has_number(const hsp_csv_missing *m, int64_t feature, double v);

/* ---- rows ---- */

/* Adjacent columns that are parsed alike: features in order, or one other column. */
typedef struct hsp_csv_step {
    int64_t column; /* the first */
    int64_t count;
    int64_t role; /* of the first */
    bool cell;    /* a feature of a table, whose cells may be words */
} hsp_csv_step;

/* The columns of --keep. */
typedef struct hsp_csv_keep {
    int64_t *column; /* owned, from 0 */
    int64_t count, capacity;
} hsp_csv_keep;

/* The lines before the first record. */
typedef struct hsp_csv_preamble {
    int64_t skipped, title; /* lines skipped by option, and as a title */
    hsp_text note;          /* owned: a warning that names the title; empty: none */
} hsp_csv_preamble;

/* The properties of a file, determined when it is opened. Threads share it. */
typedef struct hsp_csv_table {
    const char *file;
    const char *form; /* static: the form of a translation; NULL: jsonl */
    hsp_csv_marks marks;
    hsp_schema schema;
    hsp_csv_layout layout;
    hsp_csv_cells first; /* the first record */
    hsp_csv_step *step;
    int64_t steps;
    bool by_position;  /* the model's columns are ids of svmlight */
    int64_t unused;    /* the model's feature that held weights in training, set to 0; -1: none */
    hsp_csv_keep keep; /* columns that are passed through */
    bool finds_codes;  /* numbers that are codes (hsp_number_is_code) make the file a table */
    bool marked;       /* numbers have a decimal comma or separators of thousands (schema.rules.marks) */
    hsp_csv_preamble before;
    /* schema.table only */
    bool *cell; /* owned, of each column: some of its first cells are not numbers, or codes */
    bool *kept; /* owned, of each feature: it has words or codes, so that its numbers are kept as spelt */
    hsp_csv_missing missing;
    bool for_model;  /* rows to predict need no labels: an empty cell is allowed */
    bool regression; /* labels are numbers to predict */
    bool drops;      /* rows without a label are left out */
    char *mapped;    /* owned: --map-label FROM=TO,...; a FROM is never missing; NULL: none */
} hsp_csv_table;

/* HSP_EUSAGE for options of tables that have no effect because the model is not one of a table. */
int hsp_csv_check_known(const hsp_options *o, const hsp_schema *known, hsp_error **err);
/* Determines the columns by the first record, which t has: layout, schema, spellings of missing values, how numbers are
 * written. */
int hsp_csv_table_columns(hsp_csv_table *t, bool header, const hsp_options *o, const hsp_schema *known, hsp_error **err);
/* Fills `step` from the layout, replacing an earlier one. 0 or HSP_EMEMORY. */
int hsp_csv_table_plan(hsp_csv_table *t);
/* Allocates t->cell and t->kept and marks the features that have a cell that is not a number, or a code, in the records of
 * the cursor. 1: there are some; 0: none; HSP_EMEMORY. */
int hsp_csv_table_find_words(hsp_csv_table *t, hsp_csv_cursor *k);
/* Makes it a table that keeps the spellings of these features, too; NULL: of all. 0 or HSP_EMEMORY. */
int hsp_csv_table_keep(hsp_csv_table *t, const bool *kept);
/* The signs of the cells of a column seen so far. */
typedef struct hsp_csv_sign_tally {
    int sign;             /* 0: none yet */
    int64_t signed_cells; /* amounts with that sign */
    int64_t plain;        /* numbers without a sign, except 0 */
    int64_t other;        /* words, and amounts with another sign */
} hsp_csv_sign_tally;

/* Counts a cell of feature j; -1: of the target. */
void hsp_csv_tally_sign(const hsp_csv_table *t, const hsp_csv_view *v, int64_t j, hsp_csv_sign_tally *s);
/* Finds the columns of amounts by the tallies of the features and then of the target of regression, or (NULL) takes them from
 * the model's schema. */
int hsp_csv_choose_signs(hsp_csv_table *t, const hsp_csv_sign_tally *tally, const hsp_schema *known, hsp_error **err);
/* Finds the columns of amounts ($12.00, 5%) by the records of the cursor, or takes them from the model's schema. */
int hsp_csv_find_signs(hsp_csv_table *t, hsp_csv_cursor *k, const hsp_schema *known, hsp_error **err);
/* Adds the form of the file, the target, the weights; or all that was assumed of a table with so many rows. */
void hsp_csv_describe_form(const hsp_csv_table *table, hsp_text *t);
void hsp_csv_describe_target(const hsp_csv_table *table, hsp_text *t);
void hsp_csv_describe_weights(const hsp_schema *s, hsp_text *t);
void hsp_csv_describe(const hsp_csv_table *table, int64_t rows, hsp_text *t);
/* Adds how numbers are written: ", decimal comma", ", $ dropped in 'price'". */
void hsp_csv_describe_numbers(const hsp_schema *s, hsp_text *t);
/* Whether a cell of feature j counts as missing in this table. */
bool hsp_csv_table_missing(const hsp_csv_table *t, int64_t j, const char *s, int64_t n);
void hsp_csv_table_clear(hsp_csv_table *t);

/* Empties the block and allocates for as many rows as `bytes` can hold. 0 or HSP_EMEMORY. */
int hsp_csv_begin_rows(const hsp_csv_table *t, hsp_block *block, int64_t bytes);
/* Parses the rows of a piece, which has HSP_CHUNK_PAD bytes after it, into the block; `spare`: scratch for cells with "".
 * Stops at the first fault: 0 or its status. */
int hsp_csv_read_rows(const hsp_csv_table *t, hsp_csv_cursor *k, hsp_block *block, hsp_text *spare, hsp_error **err);

/* The steps of it for tables that are not text. A cell of feature j: sets x[j], and adds a word to the row of the block that
 * will be completed next. 0 or HSP_EMEMORY. */
int hsp_csv_take_cell(const hsp_csv_table *t, const hsp_csv_view *v, int64_t j, double *x, hsp_block *block,
                      hsp_text *spare);
/* Whether a label is missing: blank or spelt so, unless --map-label or a model has such a label. */
bool hsp_csv_lacks_label(const hsp_csv_table *t, const hsp_csv_view *v);
/* Spells a target with marks or a sign as a plain number, in `spare`. One that is not a number stays, and is reported
 * later. */
int hsp_csv_spell_target(const hsp_csv_table *t, hsp_csv_view *label, hsp_text *spare, hsp_error **err);

/* ---- cells that are passed through (csv_keep.c) ---- */

/* Finds the columns of --keep; none without the option. */
int hsp_csv_keep_find(const hsp_csv_request *q, hsp_csv_keep *out, hsp_error **err);
/* Appends the name of the k-th. */
void hsp_csv_keep_name(const hsp_csv_table *t, int64_t k, hsp_text *out);
/* The cells of the rows of a block, which were parsed from the chunk with its first byte on `line`. 0 or HSP_EMEMORY. */
int hsp_csv_keep_cells(const hsp_csv_table *t, const hsp_chunk *chunk, int64_t line, const hsp_block *rows, hsp_kept *out);
/* The same of the column of groups or times. */
int hsp_csv_side_cells(const hsp_csv_table *t, const hsp_chunk *chunk, int64_t line, const hsp_block *rows, hsp_side side,
                       hsp_kept *out);

/* ---- faults of a row: all return a negative status ---- */

/* The cell of a feature is not a finite number. */
int hsp_csv_fail_cell(const hsp_csv_table *t, const hsp_csv_cursor *k, const hsp_csv_view *v, int64_t c, hsp_error **err);
int hsp_csv_fail_label(const hsp_csv_table *t, const hsp_csv_cursor *k, const hsp_csv_view *v, int64_t c, hsp_error **err);
int hsp_csv_fail_weight(const hsp_csv_table *t, const hsp_csv_cursor *k, const hsp_csv_view *v, int64_t c, hsp_error **err);
/* Text after a closing quote, or a wrong number of cells; 0 when neither. */
int hsp_csv_check_form(const hsp_csv_table *t, const hsp_csv_cursor *k, hsp_error **err);

#endif
