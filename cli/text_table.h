/* Tables for people, in columns that line up. */
#ifndef HSP_CLI_TEXT_TABLE_H
#define HSP_CLI_TEXT_TABLE_H

#include "halfspace.h"
#include "short_number.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

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
void hsp_cli_cell_value(hsp_cli_table *t, const hsp_report *value, int64_t most);
/* Prints with `indent` blanks before and two between columns, each row on a line, and frees the table. `sides` has a
 * letter for each column, and the last letter serves the columns after it: 'l' left, 'r' right, 'd' by the decimal point.
 * 0 or an exit code. */
int hsp_cli_table_print(hsp_cli_table *t, FILE *f, int indent, const char *sides);

#endif
