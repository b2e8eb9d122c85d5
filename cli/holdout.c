#include "holdout.h"
#include "arguments.h"
#include "fail.h"

#include <math.h>
#include <string.h>

int hsp_cli_holdout_check(const hsp_cli_call *call) {
    const char *text = hsp_cli_value(call, "holdout"), *stratify = hsp_options_get(call->options, "stratify");
    double v = (double)NAN;
    if (!text && stratify && strcmp(stratify, "yes") == 0)
        return hsp_cli_fail(HSP_EXIT_USAGE, "--stratify has no effect without --holdout: add --holdout X");
    if (!text) return 0;
    bool number = hsp_parse_number(text, strlen(text), &v) == 0;
    if (!number || !(v > 0) || v > 9e15 || (v >= 1 && v != (double)(int64_t)v))
        return hsp_cli_fail(HSP_EXIT_USAGE, "--holdout cannot be '%s': give a share below 1, or a number of rows", text);
    return 0;
}

/* Both parts need rows. Checked here because the errors of the split would name --test, not --holdout. */
static int check_counts(const char *holdout, const hsp_data *data) {
    double v = (double)NAN;
    long long n = hsp_data_rows(data);
    hsp_parse_number(holdout, strlen(holdout), &v);
    double held = v < 1 ? round(v * (double)n) : v;
    if (!(held >= 1))
        return hsp_cli_fail(HSP_EXIT_USAGE, "none of the %lld rows would be held out: use a larger --holdout", n);
    if (held >= (double)n)
        return hsp_cli_fail(HSP_EXIT_USAGE, "none of the %lld rows would be left for training: use a smaller --holdout", n);
    return 0;
}

/* The split gets its own options, so that the held-out share does not become an option of the model. */
int hsp_cli_holdout_split(const hsp_cli_call *call, const hsp_data *data, hsp_data **fit, hsp_data **held) {
    static const char *const kept[] = {"stratify", "seed", "threads", NULL};
    const char *holdout = hsp_cli_value(call, "holdout");
    hsp_error *err = NULL;
    hsp_options *o = NULL;
    *fit = *held = NULL;
    int code = holdout ? check_counts(holdout, data) : 0;
    if (code || !holdout) return code;
    int status = hsp_options_new(&o, &err);
    for (int i = 0; !status && kept[i]; i++) {
        const char *value = hsp_options_get(call->options, kept[i]);
        if (value) status = hsp_options_set(o, kept[i], value, &err);
    }
    if (!status) status = hsp_options_set(o, "test", holdout, &err);
    if (!status) status = hsp_data_split(data, o, fit, held, &err);
    hsp_options_free(o);
    return status ? hsp_cli_report_error(&err) : 0;
}
