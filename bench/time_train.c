/* Trains as often as it is asked, in one process, as a program that calls the library does:
 *
 *     time_train DATA [NAME=VALUE...]      the data, read once, and options for all runs
 *
 * Each line of stdin is a run: options NAME=VALUE with blanks between. For each the report comes back as one line of JSON,
 * or the error as a line that begins with '!'. */
#include "halfspace.h"
#include "halfspace_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int set(hsp_options *o, char *word, hsp_error **err) {
    char *value = strchr(word, '=');
    if (!value) return hsp_fail(err, HSP_EUSAGE, "options are NAME=VALUE");
    *value++ = '\0';
    return hsp_options_set(o, word, value, err);
}

static int set_all(hsp_options *o, char *const words[], int count, hsp_error **err) {
    for (int k = 0; k < count; k++) {
        char *copy = strdup(words[k]);
        int status = copy ? set(o, copy, err) : HSP_EMEMORY;
        free(copy);
        if (status) return status;
    }
    return HSP_OK;
}

static int run(const hsp_data *data, char *const common[], int count, char *line, char **json, hsp_error **err) {
    hsp_options *o = NULL;
    hsp_model *model = NULL;
    hsp_report *report = NULL;
    int status = hsp_options_new(&o, err);
    if (!status) status = set_all(o, common, count, err);
    for (char *word = strtok(line, " \n"); !status && word; word = strtok(NULL, " \n")) status = set(o, word, err);
    if (!status) status = hsp_train(data, o, NULL, &model, &report, err);
    if (!status) status = hsp_report_json(report, json, err);
    hsp_report_free(report);
    hsp_model_free(model);
    hsp_options_free(o);
    return status;
}

static int fail(hsp_error *err) {
    fprintf(stderr, "time_train: %s\n", err ? hsp_error_message(err) : "out of memory");
    hsp_error_free(err);
    return 2;
}

int main(int argc, char *argv[]) {
    hsp_options *o = NULL;
    hsp_data *data = NULL;
    hsp_error *err = NULL;
    if (argc < 2) {
        fprintf(stderr, "usage: time_train DATA [NAME=VALUE...]\n");
        return 2;
    }
    int status = hsp_options_new(&o, &err);
    if (!status) status = set_all(o, argv + 2, argc - 2, &err);
    if (!status) status = hsp_data_read(argv[1], o, NULL, &data, &err);
    hsp_options_free(o);
    if (status) return fail(err);
    char line[4096];
    while (fgets(line, sizeof line, stdin)) {
        char *json = NULL;
        if (run(data, argv + 2, argc - 2, line, &json, &err)) {
            printf("! %s\n", err ? hsp_error_message(err) : "out of memory");
            hsp_error_free(err);
            err = NULL;
        } else {
            puts(json);
        }
        hsp_free(json);
        fflush(stdout);
    }
    hsp_data_free(data);
    return 0;
}
