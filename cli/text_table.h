/* Text tables with aligned columns. */
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
    bool failed; /* memory ran out; hsp_cli_table_print reports it */
} hsp_cli_table;

void hsp_cli_table_begin(hsp_cli_table *t, int columns);
/* Adds a cell (a copy), row by row from the left. NULL adds an empty one. */
void hsp_cli_cell(hsp_cli_table *t, const char *text);
void hsp_cli_cellf(hsp_cli_table *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The name of a feature, a column or a class for text. A name of more than 60 characters loses its middle, since either end
 * may distinguish it from others. Uses `buf` only for a shortened name. NULL gives "". */
enum { HSP_CLI_NAME = 4 * 60 + 4 };
const char *hsp_cli_cut(const char *name, char buf[HSP_CLI_NAME]);
/* Adds a cell with a name, shortened as above. */
void hsp_cli_cell_name(hsp_cli_table *t, const char *name);
/* Adds a cell with the text written to f (NULL: memory ran out), a memory stream over *text. Closes f, frees the text. */
void hsp_cli_cell_stream(hsp_cli_table *t, FILE *f, char **text);
/* Adds a short number of 6 digits; "-" when it is not finite. */
void hsp_cli_cell_number(hsp_cli_table *t, double v);
/* Adds a value of a report: "yes", "a, b, c" for a list of strings or numbers, "" for null. A list of more than `most`
 * items ends with their number. */
void hsp_cli_cell_value(hsp_cli_table *t, const hsp_report *value, int64_t most);
/* Prints the table with an indent of `indent` blanks and two blanks between columns, and frees it. `sides` has a letter for
 * each column, the last one also for all further columns: 'l' left, 'r' right, 'd' aligned at the decimal point. 0 or an
 * exit code. */
int hsp_cli_table_print(hsp_cli_table *t, FILE *f, int indent, const char *sides);

#endif
