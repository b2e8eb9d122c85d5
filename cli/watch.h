/* The hooks of a running command: progress bar, trace, and with --verbose what the library has to say. */
#ifndef HSP_CLI_WATCH_H
#define HSP_CLI_WATCH_H

#include "command.h"
#include "course.h"
#include "progress.h"
#include "trace.h"

typedef struct hsp_cli_watch {
    hsp_hooks hooks; /* hand &watch.hooks to the library */
    hsp_cli_bar bar;
    hsp_cli_trace *trace;     /* or NULL */
    hsp_cli_course *course;   /* or NULL; set it after hsp_cli_watch_begin */
    const hsp_cli_call *call; /* borrowed */
    int64_t warned;           /* warnings that the library had and that were said */
} hsp_cli_watch;

/* `watch` must stay where it is while the hooks are in use. */
void hsp_cli_watch_begin(hsp_cli_watch *watch, const hsp_cli_call *call, hsp_cli_trace *trace);
void hsp_cli_watch_end(hsp_cli_watch *watch);

#endif
