/* What the commands that read data have in common: reading with the seconds it took, and saying what was read. */
#ifndef HSP_CLI_READING_H
#define HSP_CLI_READING_H

#include "report.h"
#include "watch.h"

/* A data set with its report, and how long it took. */
typedef struct hsp_cli_source {
    hsp_data *data;
    json_t *tree;   /* hsp_data_report */
    double seconds; /* without ... */
    double check;   /* ... those of a first look at all bytes of a file that was mapped; NaN: it was not */
} hsp_cli_source;

/* Loads the model that shall judge the data `with`, and says so when a cache was asked for: there is none with a model. 0
 * or an exit code after saying what is wrong. */
int hsp_cli_load(const hsp_cli_call *call, const char *path, const char *with, hsp_model **out);
/* Reads `path`; for the model `m` when it is not NULL. 0 or an exit code after saying what is wrong; free in either case.
 */
int hsp_cli_read(const hsp_cli_call *call, const hsp_model *m, const char *path, hsp_cli_watch *watch, hsp_cli_source *out);
/* The report of data that is there already. */
int hsp_cli_describe(const hsp_data *data, json_t **tree);
void hsp_cli_source_free(hsp_cli_source *s);
/* The seconds of reading, as members of the object `seconds`. */
void hsp_cli_source_seconds(const hsp_cli_source *s, json_t *seconds);
/* The member `seconds` of a report: reading, and the step after it. */
void hsp_cli_source_report(const hsp_cli_source *s, json_t *report, const char *step, double took);

/* "NAME: 100 rows, 2 features, 2 classes: -1 (50), 1 (50)", or "..., target 0.5 to 9.9". */
void hsp_cli_print_data(FILE *f, const char *name, const json_t *tree);
/* A line of what was assumed, when something was. */
void hsp_cli_print_assumed(FILE *f, const json_t *tree);
/* The warnings of a report from number `first` on, from 0; as notes when they do not warn but explain. */
void hsp_cli_print_warnings(const hsp_cli_call *call, const json_t *report, size_t first, bool as_notes);
/* One warning line when rows had values for features that the model does not know. */
void hsp_cli_note_unseen(const hsp_cli_call *call, const json_t *report);
/* Copies the keys (NULL-ended) that are there from one report into another. */
void hsp_cli_json_copy(json_t *to, const json_t *from, const char *const *keys);

#endif
