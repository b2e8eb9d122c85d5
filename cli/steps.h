/* The updates of a training run, for `train --steps`: recorded one by one in a temporary file, and written at the end of the
 * run as CSV or, on a terminal, as a table. */
#ifndef HSP_CLI_STEPS_H
#define HSP_CLI_STEPS_H

#include "command.h"

#include <stdio.h>

/* One update: the numbers of a line of the file. Numbers that a line does not have are NaN. */
typedef struct hsp_cli_step {
    int64_t update, epoch, problem;
    int64_t row, rows; /* from 0, -1: none; the size of the batch */
    double y, score, margin, step, loss, b;
} hsp_cli_step;

typedef struct hsp_cli_steps {
    FILE *lines;       /* owned: a record for each line, the rows of its batch, and its weights */
    int64_t count;      /* lines */
    int64_t d;          /* weights of a line */
    int64_t problems;   /* more than 1: one-vs-rest */
    int64_t problem;    /* of the last line */
    int64_t most_rows;  /* of a batch */
    bool intercept;     /* fitted */
    bool too_many;      /* cells: the run was stopped */
    bool together;      /* a problem began with other updates than its own: several were solved at once */
    int failed;         /* errno of a write that failed; 0: none */
    char **names;       /* owned: d names of the parameters; NULL: those of the model's features */
    bool dual;          /* steps are changes of multipliers; set it before they are written */
} hsp_cli_steps;

/* Checks, before the data are read, that the algorithm makes single updates and that nothing forbids to show them. 0 or an
 * exit code. */
int hsp_cli_steps_check(const hsp_cli_call *call);
/* 0 or an exit code. */
int hsp_cli_steps_begin(hsp_cli_steps *s);
/* Adds a line. Non-zero stops the run. */
int hsp_cli_steps_add(hsp_cli_steps *s, const hsp_update *u);
/* After the run: whether all its updates were recorded. 0 or an exit code. */
int hsp_cli_steps_complete(const hsp_cli_steps *s);
/* Writes them to `path`, as a table if it is stdout on a terminal. 0 or an exit code. */
int hsp_cli_steps_write(hsp_cli_steps *s, const char *path, const hsp_model *m);
void hsp_cli_steps_free(hsp_cli_steps *s);

/* ---- for steps_table.c ---- */

/* The lines from the first on: fills in the step, the rows of its batch (most_rows + 1) and the weights (d). False at the
 * end, or after a failed read (s->failed). */
bool hsp_cli_steps_next(hsp_cli_steps *s, hsp_cli_step *step, int64_t *rows, double *w);
/* The name of weight j; `buf` as of hsp_model_feature_label. */
const char *hsp_cli_steps_name(const hsp_cli_steps *s, const hsp_model *m, int64_t j, char *buf);
/* The class of a problem, or NULL with two classes. */
const char *hsp_cli_steps_class(const hsp_cli_steps *s, const hsp_model *m, int64_t problem);
/* Prints the table to stdout. 0 or an exit code. */
int hsp_cli_steps_print(hsp_cli_steps *s, const hsp_model *m, int64_t *rows, double *w);

#endif
