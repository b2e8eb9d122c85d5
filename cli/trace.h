/* The trace of a training run as CSV: one line for each call of the progress hook. */
#ifndef HSP_CLI_TRACE_H
#define HSP_CLI_TRACE_H

#include "command.h"
#include <stdio.h>

typedef struct hsp_cli_trace {
    FILE *lines; /* a memory stream, so that the file is written as a whole or not at all */
    char *text;
    size_t size;
} hsp_cli_trace;

/* 0 or an exit code. */
int hsp_cli_trace_begin(hsp_cli_trace *t);
void hsp_cli_trace_add(hsp_cli_trace *t, const hsp_progress *p);
/* Writes the file. When the report of training has Novikoff's bound, for the run or for one of its problems, every line
 * gets another cell, mistake_bound. 0, or an exit code after printing an error. */
int hsp_cli_trace_write(hsp_cli_trace *t, const char *path, const hsp_report *report);
void hsp_cli_trace_free(hsp_cli_trace *t);

#endif
