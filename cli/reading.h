/* What the commands that read data have in common: reading with the seconds it took, and saying what was read. */
#ifndef HSP_CLI_READING_H
#define HSP_CLI_READING_H

#include "halfspace.h"
#include "watch.h"
#include <stdio.h>

/* A data set with its report, and how long it took. */
typedef struct hsp_cli_source {
    hsp_data *data;
    hsp_report *tree; /* hsp_data_report */
    double seconds;   /* without ... */
    double check;     /* ... those of a first look at all bytes of a file that was mapped; NaN: it was not */
} hsp_cli_source;

/* Loads the model that shall judge the data `with`, and says so when a cache was asked for: there is none with a model. 0
 * or an exit code after saying what is wrong. */
int hsp_cli_load(const hsp_cli_call *call, const char *path, const char *with, hsp_model **out);
/* Reads `path`; for the model `m` when it is not NULL. 0 or an exit code after saying what is wrong; free in either case.
 */
int hsp_cli_read(const hsp_cli_call *call, const hsp_model *m, const char *path, hsp_cli_watch *watch, hsp_cli_source *out);
/* The report of data that is there already. */
int hsp_cli_describe(const hsp_data *data, hsp_report **tree);
void hsp_cli_source_free(hsp_cli_source *s);
/* The seconds of reading, as members of the open object `seconds`. */
void hsp_cli_source_seconds(const hsp_cli_source *s, hsp_json *j);
/* The member `seconds`: reading, and the step after it. */
void hsp_cli_source_report(const hsp_cli_source *s, hsp_json *j, const char *step, double took);
/* Prints the report of the library as --json, its member `seconds` (with that of `step`) completed by those of reading. */
void hsp_cli_source_print(const hsp_cli_source *s, const hsp_report *report, const char *step);

/* "NAME: 100 rows, 2 features, 2 classes: -1 (50), 1 (50)", or "..., target 0.5 to 9.9". */
void hsp_cli_print_data(FILE *f, const char *name, const hsp_report *tree);
/* A line of what was assumed, when something was. */
void hsp_cli_print_assumed(FILE *f, const hsp_report *tree);
/* The warnings of a report from number `first` on, from 0; as notes when they do not warn but explain. */
void hsp_cli_print_warnings(const hsp_cli_call *call, const hsp_report *report, int64_t first, bool as_notes);
/* One warning line when rows had values for features that the model does not know. */
void hsp_cli_note_unseen(const hsp_cli_call *call, const hsp_report *report);
#endif
