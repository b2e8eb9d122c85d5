/* halfspace split: a reproducible split into training and test rows. */
#include "arguments.h"
#include "fail.h"
#include "json_output.h"
#include "output.h"
#include "reading.h"

typedef struct split_part {
    const char *path;
    hsp_data *data;
    hsp_report *tree;
} split_part;

static int check_outputs(hsp_cli_call *call, const char *in, split_part *parts) {
    if (!hsp_cli_value(call, "output")) return hsp_cli_fail(HSP_EXIT_USAGE, "no output files: add -o TRAIN TEST");
    parts[0].path = hsp_cli_value(call, "output");
    parts[1].path = hsp_cli_second_value(call, "output");
    bool both = hsp_cli_is_stdout(parts[0].path) && hsp_cli_is_stdout(parts[1].path);
    if (both || hsp_cli_same_file(parts[0].path, parts[1].path))
        return hsp_cli_fail(HSP_EXIT_USAGE, "-o names %s for both parts: give two names",
                            hsp_cli_output_name(parts[0].path));
    int code = 0;
    for (int i = 0; i < 2 && !code; i++) {
        code = hsp_cli_output_claim(call, "-o", parts[i].path);
        if (!code) code = hsp_cli_output_check(parts[i].path, in);
    }
    return code;
}

static int write_both(hsp_cli_call *call, const split_part *parts) {
    hsp_error *err = NULL;
    int code = 0;
    for (int i = 0; i < 2 && !code; i++) code = hsp_cli_output_begin(call, parts[i].path);
    if (code) return code;
    for (int i = 0; i < 2; i++)
        if (hsp_data_write(parts[i].data, parts[i].path, call->options, &err)) return hsp_cli_report_error(&err);
    return 0;
}

static void add_part(hsp_json *j, const char *name, const split_part *p) {
    static const char *const keys[] = {"rows", "classes", "targets", "weights", NULL};
    hsp_json_object(j, name);
    hsp_cli_json_copy(j, p->tree, keys);
    hsp_json_string(j, "output", p->path);
    hsp_json_object_end(j);
}

static void print_json(const hsp_cli_source *source, const split_part *parts, double written) {
    static const char *const keys[] = {"rows", "features", "nonzeros", "classes", "targets", "weights", "assumed", NULL};
    hsp_cli_object o;
    hsp_cli_object_begin(&o);
    hsp_cli_json_copy(&o.j, source->tree, keys);
    add_part(&o.j, "train", &parts[0]);
    add_part(&o.j, "test", &parts[1]);
    hsp_cli_source_report(source, &o.j, "write", written);
    hsp_cli_object_print(&o);
}

static void print_human(const hsp_cli_call *call, const hsp_cli_source *source, const split_part *parts) {
    for (int i = 0; i < 2; i++) hsp_cli_print_data(call->human, hsp_cli_output_name(parts[i].path), parts[i].tree);
    hsp_cli_print_assumed(call->human, source->tree);
}

static int split_command(hsp_cli_call *call) {
    hsp_error *err = NULL;
    hsp_cli_watch watch;
    hsp_cli_source source = {0};
    split_part parts[2] = {{0}};
    int code = check_outputs(call, call->operand[0], parts);
    if (code) return code;
    hsp_cli_watch_begin(&watch, call, NULL);
    code = hsp_cli_read(call, NULL, call->operand[0], &watch, &source);
    if (code) goto done;
    if (hsp_data_split(source.data, call->options, &parts[0].data, &parts[1].data, &err)) {
        code = hsp_cli_report_error(&err);
        goto done;
    }
    for (int i = 0; i < 2 && !code; i++) code = hsp_cli_describe(parts[i].data, &parts[i].tree);
    double began = hsp_cli_now();
    if (!code) code = write_both(call, parts);
    if (code) goto done;
    if (call->json) print_json(&source, parts, hsp_cli_now() - began);
    if (!call->quiet && (!call->json || call->verbose)) print_human(call, &source, parts);
done:
    for (int i = 0; i < 2; i++) {
        hsp_data_free(parts[i].data);
        hsp_report_free(parts[i].tree);
    }
    hsp_cli_source_free(&source);
    return code;
}

const hsp_cli_command hsp_cli_split = {
    .name = "split",
    .help = "split data into a training set and a test set",
    .operands = "DATA",
    .synopsis = "DATA --test X [--stratify] -o TRAIN TEST [options]",
    .detail = "The same seed gives the same split. Rows keep their order.",
    .takes = "split read write !strict",
    .own = {{"output", "o", 2, "TRAIN TEST", "output files"}},
    .example = {"halfspace split squares.csv --test 0.3 -o train.csv test.csv",
                "halfspace split words.svm.gz --test 1000 --stratify --seed 7 -o train.svm test.svm"},
    .copies_rows = true,
    .run = split_command,
};
