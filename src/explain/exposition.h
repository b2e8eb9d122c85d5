/* The text of an explanation: sections of sentences, formulas and tables, each with its named values. One source of sentences
 * gives plain text and Markdown: a formula stands between backticks with both spellings, `plain~TeX`, or with one that serves
 * for both. %1, %2, ... stand for the figures after the format, in any order and any number of times. */
#ifndef HSP_EXPLAIN_EXPOSITION_H
#define HSP_EXPLAIN_EXPOSITION_H

#include "base/json.h"
#include "base/text.h"

#include <stdbool.h>

/* A number, a vector, a name of the user (word) or words of ours (phrase) in a sentence. */
typedef struct hsp_figure {
    enum { HSP_FIGURE_NUMBER, HSP_FIGURE_WHOLE, HSP_FIGURE_VECTOR, HSP_FIGURE_WORD, HSP_FIGURE_PHRASE } kind;
    double number;
    const double *v; /* a vector of n numbers */
    int64_t n;
    bool cut; /* "..." after the last number */
    const char *word;
} hsp_figure;

static inline hsp_figure number(double v) {
    return (hsp_figure){.kind = HSP_FIGURE_NUMBER, .number = v};
}
static inline hsp_figure whole(int64_t v) {
    return (hsp_figure){.kind = HSP_FIGURE_WHOLE, .n = v};
}
static inline hsp_figure vector(const double *v, int64_t n) {
    return (hsp_figure){.kind = HSP_FIGURE_VECTOR, .v = v, .n = n};
}
static inline hsp_figure word(const char *s) {
    return (hsp_figure){.kind = HSP_FIGURE_WORD, .word = s};
}

static inline hsp_figure phrase(const char *s) {
    return (hsp_figure){.kind = HSP_FIGURE_PHRASE, .word = s};
}

enum { HSP_TABLE_WIDTH = 12 }; /* columns of a table of the text */

typedef struct hsp_exposition {
    bool markdown;
    bool failed;     /* memory ran out */
    bool listing;    /* an item was added last */
    bool dense;      /* a formula or a table was added last */
    hsp_json out;    /* the report: an object with the list `sections` open */
    hsp_text title;  /* of the open section; all texts are owned */
    hsp_text text;   /* of it */
    hsp_json values; /* of it */
    hsp_text line;   /* scratch */
    /* The open table. */
    hsp_text header[HSP_TABLE_WIDTH + 2]; /* of the labels, the columns, the notes */
    int width;
    char **label, **note; /* owned, `height` of each, with each text */
    double *cell;         /* height x width; NaN: empty */
    int64_t height, labels, notes, cells;
} hsp_exposition;

/* Opens the report; hsp_exposition_free also after a failure. */
void hsp_exposition_open(hsp_exposition *e, bool markdown, const char *algorithm);
void hsp_exposition_free(hsp_exposition *e);

void hsp_exposition_section(hsp_exposition *e, const char *title);
void hsp_exposition_close(hsp_exposition *e); /* ends the last section and the list of sections */

/* A paragraph, a formula on a line of its own, or an item of a list. */
void hsp_exposition_say(hsp_exposition *e, const char *format, const hsp_figure *figures);
void hsp_exposition_formula(hsp_exposition *e, const char *format, const hsp_figure *figures);
void hsp_exposition_item(hsp_exposition *e, const char *format, const hsp_figure *figures);
#define HSP_SAY(e, format, ...) hsp_exposition_say(e, format, (const hsp_figure[]){{0}, ##__VA_ARGS__})
#define HSP_FORMULA(e, format, ...) hsp_exposition_formula(e, format, (const hsp_figure[]){{0}, ##__VA_ARGS__})
#define HSP_ITEM(e, format, ...) hsp_exposition_item(e, format, (const hsp_figure[]){{0}, ##__VA_ARGS__})

/* Values of the section by name: a number, a vector, a matrix. */
void hsp_exposition_number(hsp_exposition *e, const char *name, double v);
void hsp_exposition_vector(hsp_exposition *e, const char *name, const double *v, int64_t n);
void hsp_exposition_matrix(hsp_exposition *e, const char *name, const double *v, int64_t rows, int64_t columns);

/* A table: the header of its labels, then a header for each column (may be formulas), then rows with `width` numbers each.
 * `heading` adds a column whose header is a name, taken as it is. note: text at the end of the row, or NULL. */
void hsp_exposition_table(hsp_exposition *e, const char *corner, const char *const *columns, int width);
void hsp_exposition_heading(hsp_exposition *e, const char *name);
void hsp_exposition_symbol(hsp_exposition *e, const char *symbol, int64_t index); /* a column headed x_3 */
void hsp_exposition_row(hsp_exposition *e, const char *label, const double *cells, const char *note);
void hsp_exposition_table_end(hsp_exposition *e, const char *notes); /* notes: the header of the notes, or NULL */

/* Adds the format with its figures to t; `names`: not a format but a name, taken as it is. */
void hsp_exposition_render(hsp_text *t, bool markdown, const char *format, const hsp_figure *figures);
void hsp_exposition_name(hsp_text *t, bool markdown, const char *name);
/* Six significant digits; TeX: powers of ten as such. */
void hsp_exposition_digits(hsp_text *t, bool tex, double v);
/* Rounded to a number of significant digits. */
double hsp_exposition_rounded(double v, int digits);
/* Characters of UTF-8 text. */
int64_t hsp_exposition_characters(const char *s);

#endif
