#include "watch.h"
#include "fail.h"

#include <string.h>

static int on_progress(void *user, const hsp_progress *p) {
    hsp_cli_watch *watch = user;
    /* A trace has the lines of the model's own training. */
    bool trains =
        strcmp(p->method, "read") != 0 && strcmp(p->method, "folds") != 0 && strcmp(p->method, "compare") != 0;
    if (watch->trace && trains) hsp_cli_trace_add(watch->trace, p);
    if (watch->course && trains) hsp_cli_course_add(watch->course, p);
    hsp_cli_bar_show(&watch->bar, p);
    return 0;
}

static int on_update(void *user, const hsp_update *u) {
    return hsp_cli_steps_add(((hsp_cli_watch *)user)->steps, u);
}

static void on_log(void *user, int level, const char *line) {
    hsp_cli_watch *watch = user;
    if (!watch->call->verbose && level >= 0) return; /* the result lists the assumptions */
    hsp_cli_bar_erase(&watch->bar);
    watch->warned += level < 0;
    if (level < 0)
        hsp_cli_warn(watch->call, "%s", line);
    else
        hsp_cli_fail(0, "%s", line);
}

void hsp_cli_watch_begin(hsp_cli_watch *watch, const hsp_cli_call *call, hsp_cli_trace *trace) {
    *watch = (hsp_cli_watch){.trace = trace, .call = call};
    watch->hooks = (hsp_hooks){.size = sizeof(hsp_hooks), .user = watch, .progress = on_progress, .log = on_log};
    hsp_cli_bar_begin(&watch->bar, call);
}

void hsp_cli_watch_steps(hsp_cli_watch *watch, hsp_cli_steps *steps) {
    watch->steps = steps;
    watch->hooks.update = on_update;
}

void hsp_cli_watch_end(hsp_cli_watch *watch) {
    hsp_cli_bar_erase(&watch->bar);
}
