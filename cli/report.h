/* What the program prints: JSON trees, and tables and numbers for people. Nothing here follows the locale. */
#ifndef HSP_CLI_REPORT_H
#define HSP_CLI_REPORT_H

#include "command.h"

#include <jansson.h>

/* ---- JSON ---- */

/* Parses a report of the library and frees the text. Every number becomes a real, so that none is too large. NULL after
 * saying what is wrong. */
json_t *hsp_cli_json_take(char *text);
/* One line, keys in their order, reals in the shortest form that reads back to the same bits; not finite: null. Free it
 * with hsp_free; NULL when memory runs out. */
char *hsp_cli_json_line(const json_t *value);
/* The one object of --json: to stdout, with the end of the line. What goes wrong is reported by hsp_cli_flush. */
void hsp_cli_json_print(const json_t *object);
/* Seconds for a report: whole microseconds, more digits would be noise. */
double hsp_cli_microseconds(double seconds);
json_t *hsp_cli_json_seconds(double seconds);
/* The member `seconds` of a report: what two steps took. */
void hsp_cli_json_set_seconds(json_t *report, const char *first, double a, const char *second, double b);
/* Text, or null for NULL or for text that is not UTF-8 when it cannot be repaired. */
json_t *hsp_cli_json_text(const char *text);
/* The number at key, or NaN when it is absent or null; the text, or NULL. */
double hsp_cli_json_number(const json_t *object, const char *key);
const char *hsp_cli_json_string(const json_t *object, const char *key);

/* Seconds on a clock that only goes forward. */
double hsp_cli_now(void);

/* ---- numbers for people ---- */

enum { HSP_CLI_NUMBER = 40 };                                                   /* bytes that hold any number below */
typedef enum hsp_cli_rounding { HSP_CLI_NEAREST, HSP_CLI_UP } hsp_cli_rounding; /* up: away from zero */

/* v with about `digits` significant digits; the digits before the point are always all there. Returns buf. */
const char *hsp_cli_short(double v, int digits, hsp_cli_rounding rounding, char *buf);
/* Four digits for a share between 0 and 1, and more where they are needed to tell it from 0 and 1. */
const char *hsp_cli_share(double v, char *buf);
/* How far above the best possible, in per cent, an objective with this relative gap (below 1) lies at most. The gap is a
 * share of the objective reached; against the best possible that is gap / (1 - gap). Rounded up, so that it never promises
 * more than is known; below 1e-12 only rounding is left to tell. */
const char *hsp_cli_above(double gap, char *buf);

/* ---- tables for people ---- */

typedef struct hsp_cli_table {
    int columns;
    int64_t cells, capacity;
    char **cell;
    bool failed; /* memory ran out; print says so */
} hsp_cli_table;

void hsp_cli_table_begin(hsp_cli_table *t, int columns);
/* Adds a cell (a copy), row by row from the left. NULL is an empty one. */
void hsp_cli_cell(hsp_cli_table *t, const char *text);
void hsp_cli_cellf(hsp_cli_table *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A name (of a feature, a column, a class) for people: one of more than 60 characters without its middle, as both ends may
 * tell it from others. `buf` is used when something is cut. NULL is "". */
enum { HSP_CLI_NAME = 4 * 60 + 4 };
const char *hsp_cli_cut(const char *name, char buf[HSP_CLI_NAME]);
/* A cell with such a name. */
void hsp_cli_cell_name(hsp_cli_table *t, const char *name);
/* A cell with what was written to f (NULL: memory ran out), a stream in memory over *text: closes it and frees the text. */
void hsp_cli_cell_stream(hsp_cli_table *t, FILE *f, char **text);
/* A short number of 6 digits; "-" when it is not finite. */
void hsp_cli_cell_number(hsp_cli_table *t, double v);
/* A value of a report: "yes", "a, b, c" for a list of strings or numbers, "" for null. More than `most` in a list end with
 * how many there are. */
void hsp_cli_cell_value(hsp_cli_table *t, const json_t *value, size_t most);
/* Prints with `indent` blanks before and two between columns, each row on a line, and frees the table. `sides` has a
 * letter for each column, and the last letter serves the columns after it: 'l' left, 'r' right, 'd' by the decimal point.
 * 0 or an exit code. */
int hsp_cli_table_print(hsp_cli_table *t, FILE *f, int indent, const char *sides);

#endif
