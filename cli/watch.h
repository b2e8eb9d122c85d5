/* The hooks of a running command: progress bar, trace, and with --verbose the messages of the library. */
#ifndef HSP_CLI_WATCH_H
#define HSP_CLI_WATCH_H

#include "command.h"
#include "course.h"
#include "progress.h"
#include "steps.h"
#include "trace.h"

typedef struct hsp_cli_watch {
    hsp_hooks hooks; /* pass &watch.hooks to the library */
    hsp_cli_bar bar;
    hsp_cli_trace *trace;     /* or NULL */
    hsp_cli_course *course;   /* or NULL; set it after hsp_cli_watch_begin */
    hsp_cli_steps *steps;     /* or NULL; see hsp_cli_watch_steps */
    const hsp_cli_call *call; /* borrowed */
    int64_t warned;           /* warnings of the library that were printed */
} hsp_cli_watch;

/* The hooks point to `watch`, so it must not move while they are in use. */
void hsp_cli_watch_begin(hsp_cli_watch *watch, const hsp_cli_call *call, hsp_cli_trace *trace);
/* Records every update from now on. */
void hsp_cli_watch_steps(hsp_cli_watch *watch, hsp_cli_steps *steps);
void hsp_cli_watch_end(hsp_cli_watch *watch);

#endif
