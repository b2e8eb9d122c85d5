#include "auto_training.h"
#include "arguments.h"
#include "compare_report.h"
#include "fail.h"
#include "json_output.h"
#include "output.h"
#include "reading.h"

#include <string.h>

bool hsp_cli_auto_asked(const hsp_cli_call *call) {
    const char *algorithm = hsp_options_get(call->options, "algorithm");
    return algorithm && strcmp(algorithm, "auto") == 0;
}

/* An option that only the comparison has; groups and times are also those of a calibration. */
static bool is_of_comparison(int64_t i) {
    const char *group = hsp_option_field(i, "group"), *name = hsp_option_field(i, "name");
    if (strcmp(name, "group") == 0 || strcmp(name, "time") == 0) return false;
    return strcmp(group, "folds") == 0 || strcmp(group, "compare") == 0 || strcmp(name, "repeats") == 0;
}

int hsp_cli_auto_check(const hsp_cli_call *call) {
    static const char *const records[] = {"trace", "steps"};
    bool asked = hsp_cli_auto_asked(call);
    for (int64_t i = 0; !asked && i < hsp_option_count(); i++) {
        const char *name = hsp_option_field(i, "name");
        if (is_of_comparison(i) && hsp_options_given(call->options, name) == 1)
            return hsp_cli_fail(HSP_EXIT_USAGE,
                                "--%s is for the comparison of -a auto: leave it out, add -a auto, or use `halfspace cv`",
                                name);
    }
    for (size_t i = 0; asked && i < sizeof records / sizeof *records; i++)
        if (hsp_cli_value(call, records[i]))
            return hsp_cli_fail(HSP_EXIT_USAGE, "--%s records one fit, and -a auto makes many: name the algorithm", records[i]);
    return 0;
}

/* A copy of a part of a report. */
static int copy_report(const hsp_report *part, hsp_report **out) {
    hsp_json j = {0};
    hsp_json_report(&j, NULL, part);
    return hsp_json_take(&j, out, NULL) ? hsp_cli_fail_memory() : 0;
}

int hsp_cli_auto_train(const hsp_cli_call *call, const hsp_data *data, const hsp_hooks *hooks, hsp_model **model,
                       hsp_report **training, hsp_report **comparison) {
    hsp_error *err = NULL;
    int status = hsp_compare(data, call->options, hooks, model, comparison, &err);
    return status ? hsp_cli_report_error(&err) : copy_report(hsp_report_member(*comparison, "train"), training);
}

int hsp_cli_auto_print(const hsp_cli_call *call, const hsp_report *data, const hsp_report *comparison) {
    hsp_cli_print_data(call->human, hsp_cli_input_name(call->operand[0]), data);
    hsp_cli_print_assumed(call->human, data);
    putc('\n', call->human);
    int code = hsp_cli_print_comparison(call->human, comparison);
    if (!code) fprintf(call->human, "\n%s\n", hsp_report_text(hsp_report_member(comparison, "choice"), "reason"));
    return code;
}
