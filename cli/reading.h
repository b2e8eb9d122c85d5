/* Functions that the commands that read data share: reading, timing, and describing the data. */
#ifndef HSP_CLI_READING_H
#define HSP_CLI_READING_H

#include "halfspace.h"
#include "watch.h"
#include <stdio.h>

/* A data set with its report and the time of reading. */
typedef struct hsp_cli_source {
    hsp_data *data;
    hsp_report *tree; /* hsp_data_report */
    double seconds;   /* without `check` */
    double check;     /* first pass over the bytes of a mapped file; NaN: not mapped */
} hsp_cli_source;

/* Loads the model to apply to the data `with`. A cache cannot be used with a model, and is refused. 0,
 * or an exit code after printing an error. */
int hsp_cli_load(const hsp_cli_call *call, const char *path, const char *with, hsp_model **out);
/* Warns if the training of the model, read from `path`, was interrupted before it converged. */
void hsp_cli_warn_interrupted(const hsp_cli_call *call, const char *path, const hsp_model *m);
/* Whether the algorithm predicts nothing but numbers, so that --task regression is its default: 1, 0 or a negative status. */
int hsp_cli_predicts_numbers(const char *algorithm, hsp_error **err);
/* Reads `path`, encoded for the model `m` unless it is NULL. 0, or an exit code after printing an error. The caller frees
 * *out in either case. */
int hsp_cli_read(const hsp_cli_call *call, const hsp_model *m, const char *path, hsp_cli_watch *watch, hsp_cli_source *out);
/* The report of data already in memory. */
int hsp_cli_describe(const hsp_data *data, hsp_report **tree);
void hsp_cli_source_free(hsp_cli_source *s);
/* Adds the times of reading as members of the open object `seconds`. */
void hsp_cli_source_seconds(const hsp_cli_source *s, hsp_json *j);
/* Adds the member `seconds`: the times of reading and of the step after it. */
void hsp_cli_source_report(const hsp_cli_source *s, hsp_json *j, const char *step, double took);
/* Prints the report of the library as --json. Its member `seconds` is rounded and, unless s is NULL, has those of s for
 * reading. */
void hsp_cli_source_print(const hsp_cli_source *s, const hsp_report *report);

/* "NAME: 100 rows, 2 features, 2 classes: -1 (50), 1 (50)", or "..., target 0.5 to 9.9". */
void hsp_cli_print_data(FILE *f, const char *name, const hsp_report *tree);
/* Prints a line with the assumptions, if there are any. */
void hsp_cli_print_assumed(FILE *f, const hsp_report *tree);
/* Prints the warnings of a report from index `first` on; as notes when they explain rather than warn. */
void hsp_cli_print_warnings(const hsp_cli_call *call, const hsp_report *report, int64_t first, bool as_notes);
/* Prints one warning when rows had values for features that the model does not have. */
void hsp_cli_note_unseen(const hsp_cli_call *call, const hsp_report *report);
#endif
