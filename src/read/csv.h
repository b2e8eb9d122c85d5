/* The parts of the CSV reader: cells and records (csv_cell.c), what the file is like (csv_sniff.c), which column is what
 * (csv_schema.c, csv_match.c), rows (csv.c). */
#ifndef HSP_READ_CSV_H
#define HSP_READ_CSV_H

#include "base/options.h"
#include "base/text.h"
#include "data/schema.h"
#include "read/lines.h"

#include <stdbool.h>

/* ---- cells and records ---- */

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

/* The cell at p. 0, or -1 when text follows the closing quote (v->next is there). */
int hsp_csv_split(const char *p, const char *end, char delimiter, hsp_csv_view *v);
/* Appends the text of a cell. */
void hsp_csv_copy(hsp_text *t, const hsp_csv_view *v);
/* The next record that is not blank becomes the current one of l, with all lines that its quotes span: 1, or 0 at the end,
 * or a negative status. */
int hsp_csv_record(hsp_lines *l, char delimiter, hsp_error **err);
/* Fails at the first cell of the record with text after its closing quote; 0 when there is none. */
int hsp_csv_check_quotes(const hsp_lines *l, char delimiter, hsp_error **err);
int64_t hsp_csv_count(const char *p, const char *end, char delimiter);
/* Where cell n (from 0) begins; `end` when the record has fewer. */
const char *hsp_csv_nth(const char *p, const char *end, char delimiter, int64_t n);

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

int hsp_csv_cells_read(hsp_csv_cells *c, const hsp_lines *l, char delimiter, hsp_error **err);
void hsp_csv_cells_clear(hsp_csv_cells *c);
static inline const char *hsp_csv_cells_at(const hsp_csv_cells *c, int64_t i) {
    return c->text.s + c->start[i];
}

/* ---- what the file is like ---- */

/* The delimiter of the first n bytes of a file; `whole` when they are all of it. */
char hsp_csv_sniff_delimiter(const char *bytes, int64_t n, bool whole);
/* Whether the first record holds names; second may be empty. */
bool hsp_csv_sniff_header(const hsp_csv_cells *first, const hsp_csv_cells *second);

/* ---- which column is what ---- */

enum { HSP_CSV_WEIGHT = -4, HSP_CSV_FREE = -3, HSP_CSV_SKIP = -2, HSP_CSV_TARGET = -1 };

typedef struct hsp_csv_layout {
    int64_t columns;
    int64_t *role;      /* of each column: the number of its feature, from 0, or HSP_CSV_TARGET, _WEIGHT or _SKIP */
    const char *reason; /* why the target is the target; static */
    int64_t ignored;    /* columns left out by option */
    int64_t extra;      /* columns that the model does not know */
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

#endif
