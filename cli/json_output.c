#include "json_output.h"
#include "output.h"

#include <errno.h>
#include <math.h>
#include <time.h>

bool hsp_cli_is(const hsp_report *r, const char *name, int kind) {
    return hsp_report_kind(r, name) == kind;
}

bool hsp_cli_is_list(const hsp_report *r, const char *name) {
    return hsp_cli_is(r, name, HSP_REPORT_LIST) || hsp_cli_is(r, name, HSP_REPORT_ARRAY);
}

static void print_line(const char *line) {
    errno = 0;
    if (!line)
        hsp_cli_output_lost(ENOMEM);
    else if (puts(line) == EOF)
        hsp_cli_output_lost(errno ? errno : EIO);
}

void hsp_cli_object_begin(hsp_cli_object *o) {
    *o = (hsp_cli_object){0};
    o->j.out = &o->line;
    hsp_json_object(&o->j, NULL);
}

void hsp_cli_object_print(hsp_cli_object *o) {
    hsp_json_object_end(&o->j);
    print_line(o->line.failed ? NULL : o->line.s);
    hsp_text_free(&o->line);
}

void hsp_cli_print_json(const hsp_report *report) {
    char *line = NULL;
    hsp_report_json(report, &line, NULL);
    print_line(line);
    hsp_free(line);
}

double hsp_cli_microseconds(double seconds) {
    return (double)(int64_t)(seconds * 1e6 + 0.5) / 1e6;
}

void hsp_cli_json_seconds(hsp_json *j, const char *key, double seconds) {
    hsp_json_number(j, key, isfinite(seconds) ? hsp_cli_microseconds(seconds) : (double)NAN);
}

void hsp_cli_json_copy(hsp_json *j, const hsp_report *from, const char *const *keys) {
    for (; *keys; keys++) {
        const hsp_report *value = hsp_report_member(from, *keys);
        if (value) hsp_json_report(j, *keys, value);
    }
}

double hsp_cli_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
