/* Fits a path as often as it is asked, in one process that holds the rows, as its peers do in bench/paths:
 *
 *     time_path DATA
 *
 * Each line of stdin is a run: options NAME=VALUE with blanks between. For each the processor seconds and the seconds by
 * the clock come back as one line, or the error as a line that begins with '!'. */
#include "halfspace.h"
#include "halfspace_internal.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static double seconds_of(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int set_options(hsp_options *o, char *line, hsp_error **err) {
    int status = HSP_OK;
    for (char *word = strtok(line, " \n"); !status && word; word = strtok(NULL, " \n")) {
        char *value = strchr(word, '=');
        if (!value) return hsp_fail(err, HSP_EUSAGE, "options are NAME=VALUE");
        *value++ = '\0';
        status = hsp_options_set(o, word, value, err);
    }
    return status;
}

static int answer(const hsp_data *data, char *line, hsp_error **err) {
    hsp_options *o = NULL;
    hsp_report *report = NULL;
    int status = hsp_options_new(&o, err);
    if (!status) status = set_options(o, line, err);
    double cpu = seconds_of(CLOCK_PROCESS_CPUTIME_ID), wall = seconds_of(CLOCK_MONOTONIC);
    if (!status) status = hsp_path(data, o, NULL, &report, err);
    if (!status) printf("%.6f %.6f\n", seconds_of(CLOCK_PROCESS_CPUTIME_ID) - cpu, seconds_of(CLOCK_MONOTONIC) - wall);
    hsp_report_free(report);
    hsp_options_free(o);
    return status;
}

int main(int argc, char *argv[]) {
    hsp_data *data = NULL;
    hsp_error *err = NULL;
    char line[4096];
    if (argc != 2 || hsp_data_read(argv[1], NULL, NULL, &data, &err)) {
        fprintf(stderr, "time_path: %s\n",
                argc != 2 ? "usage: time_path DATA"
                : err     ? hsp_error_message(err)
                          : "out of memory");
        hsp_error_free(err);
        return 2;
    }
    while (fgets(line, sizeof line, stdin)) {
        if (answer(data, line, &err)) printf("! %s\n", err ? hsp_error_message(err) : "out of memory");
        hsp_error_free(err);
        err = NULL;
        fflush(stdout);
    }
    hsp_data_free(data);
    return 0;
}
