/* halfspace verify: recompute the claims of a model or of a verdict on separability. */
#include "arguments.h"
#include "checks_report.h"
#include "fail.h"
#include "holdout.h"
#include "output.h"
#include "reading.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The object to check: a model or a proof. */
typedef struct claimant {
    hsp_model *model;
    hsp_report *proof;
} claimant;

/* ---- detect the kind ---- */

/* Reads all of f; of a regular file that does not begin with '{', only the beginning. NUL-terminated. 0 or an exit code. */
static int take_bytes(FILE *f, bool regular, const char *path, char **out, size_t *size) {
    size_t room = 0, n = 0, got;
    char *bytes = NULL;
    do {
        if (n + 1 >= room) {
            room = room ? 2 * room : 65536;
            char *grown = realloc(bytes, room);
            if (!grown) {
                free(bytes);
                return hsp_cli_fail_memory();
            }
            bytes = grown;
        }
        got = fread(bytes + n, 1, room - n - 1, f);
        n += got;
        bytes[n] = '\0';
    } while (got > 0 && !(regular && bytes[0] != '{'));
    *out = bytes;
    *size = n;
    if (!ferror(f)) return 0;
    free(bytes);
    return hsp_cli_fail(HSP_EXIT_SYSTEM, "%s: cannot read: %s", hsp_cli_input_name(path), strerror(errno));
}

static int load_model(const char *path, claimant *c) {
    hsp_error *err = NULL;
    return hsp_model_load(path, &c->model, &err) ? hsp_cli_report_error(&err) : 0;
}

/* Prints the error with `path`, since the library received only bytes or text. */
static int report_for(const char *path, hsp_error **err) {
    const char *message = hsp_error_message(*err), *file = hsp_error_file(*err);
    if (hsp_error_code(*err) != HSP_EINPUT) return hsp_cli_report_error(err);
    size_t known = file ? strlen(file) : 0;
    if (known && strncmp(message, file, known) == 0 && strncmp(message + known, ": ", 2) == 0) message += known + 2;
    int code = hsp_cli_fail(HSP_EXIT_USAGE, "%s: %s", hsp_cli_input_name(path), message);
    hsp_error_free(*err);
    *err = NULL;
    return code;
}

/* A model begins with "halfspace ", a proof with '{'. A pipe can be read only once, so its bytes are kept. */
static int load_claimant(const char *path, claimant *c) {
    hsp_error *err = NULL;
    char *bytes = NULL;
    size_t size = 0;
    struct stat s;
    FILE *f = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
    if (!f) return load_model(path, c); /* prints the error */
    bool known = fstat(fileno(f), &s) == 0, regular = known && S_ISREG(s.st_mode), folder = known && S_ISDIR(s.st_mode);
    int code = folder ? 0 : take_bytes(f, regular, path, &bytes, &size);
    if (f != stdin) fclose(f);
    if (code) return code;
    if (bytes && bytes[0] == '{') {
        if (hsp_report_parse(bytes, size, &c->proof, &err)) code = report_for(path, &err);
        free(bytes);
        return code;
    }
    if (folder || (regular && f != stdin))
        code = load_model(path, c);
    else if (hsp_model_load_memory(bytes, size, &c->model, &err))
        code = report_for(path, &err);
    free(bytes);
    return code;
}

/* ---- the command ---- */

static int check_operands(const hsp_cli_call *call) {
    int pipes = 0;
    for (int i = 0; i < call->operands; i++) pipes += strcmp(call->operand[i], "-") == 0;
    if (pipes > 1) return hsp_cli_fail(HSP_EXIT_USAGE, "only one file can be stdin: give names for the others");
    return 0;
}

static int print_result(const hsp_cli_call *call, const hsp_cli_source *source, const claimant *c,
                        const hsp_report *report) {
    int code = 0;
    if (call->json) hsp_cli_source_print(source, report);
    if (!call->quiet && (!call->json || call->verbose)) {
        hsp_cli_print_data(call->human, hsp_cli_input_name(call->operand[1]), source->tree);
        hsp_cli_print_assumed(call->human, source->tree);
        putc('\n', call->human);
        code = hsp_cli_print_checks(call->human, report, c->proof);
    }
    if (code) return code;
    if (hsp_report_flag(report, "verified") == 1) return HSP_EXIT_OK;
    const char *why = hsp_report_text(report, "first_false");
    hsp_cli_note(call, "not verified: %s", why ? why : "a claim does not hold");
    return HSP_EXIT_NO;
}

/* A report of hsp_verify_parts in the form of hsp_verify, whose report was the first. */
static hsp_report *as_verified(const hsp_report *first, const hsp_report *found) {
    static const char *const figures[] = {"objective", "dual_bound", "relative_gap"};
    hsp_report *out = NULL;
    hsp_json j = {0};
    hsp_json_object(&j, NULL);
    hsp_json_bool(&j, "verified", true);
    hsp_json_null(&j, "first_false");
    for (int k = 0; k < 3; k++) hsp_json_number(&j, figures[k], hsp_report_number(found, figures[k]));
    hsp_json_number(&j, "tolerance", hsp_report_number(first, "tolerance"));
    hsp_json_number(&j, "rows", hsp_report_number(first, "rows"));
    hsp_json_string(&j, "arithmetic", "double-double");
    hsp_json_array(&j, "checks");
    HSP_REPORT_EACH(check, hsp_report_member(found, "checks")) {
        hsp_json_object(&j, NULL);
        hsp_json_string(&j, "claim", hsp_report_text(check, "what"));
        hsp_json_number(&j, "claimed", hsp_report_number(check, "claimed"));
        hsp_json_number(&j, "found", hsp_report_number(check, "found"));
        hsp_json_bool(&j, "holds", true);
        hsp_json_object_end(&j);
    }
    hsp_json_array_end(&j);
    hsp_json_report(&j, "unchecked", hsp_report_member(found, "unchecked"));
    hsp_json_report(&j, "seconds", hsp_report_member(first, "seconds"));
    hsp_json_object_end(&j);
    return hsp_json_take(&j, &out, NULL) ? NULL : out;
}

/* Models that were trained over parts hold no multipliers, and state the hash of parts. The data are one part of them: if that
 * verifies the model, its report takes the place of the other one. */
static void verify_as_part(const hsp_cli_call *call, const hsp_model *m, const hsp_data *data, hsp_report **report) {
    hsp_part *part = NULL;
    hsp_engine *engine = NULL;
    hsp_report *found = NULL, *verified = NULL;
    int status = hsp_part_of_data(data, 0, call->options, &part, NULL);
    if (!status) status = hsp_engine_local(&part, 1, &engine, NULL);
    if (!status) status = hsp_verify_parts(m, engine, call->options, NULL, &found, NULL);
    if (!status && hsp_report_flag(found, "verified") == 1) verified = as_verified(*report, found);
    hsp_engine_free(engine);
    hsp_part_free(part);
    hsp_report_free(found);
    if (!verified) return;
    hsp_report_free(*report);
    *report = verified;
}

static int verify(const hsp_cli_call *call, const hsp_cli_source *source, hsp_cli_watch *watch, const claimant *c) {
    hsp_error *err = NULL;
    hsp_report *report = NULL;
    hsp_data *fit = NULL, *held = NULL;
    const char *certificate = call->operands > 2 ? call->operand[2] : NULL;
    int code = hsp_cli_holdout_split(call, source->data, &fit, &held);
    if (code) return code;
    const hsp_data *data = fit ? fit : source->data;
    int status = c->model ? hsp_verify(c->model, data, certificate, call->options, &watch->hooks, &report, &err)
                          : hsp_verify_separability(c->proof, data, call->options, &report, &err);
    hsp_cli_watch_end(watch);
    if (!status && c->model && !certificate && hsp_report_flag(report, "verified") != 1)
        verify_as_part(call, c->model, data, &report);
    hsp_data_free(fit);
    hsp_data_free(held);
    if (status) return c->proof ? report_for(call->operand[0], &err) : hsp_cli_report_error(&err);
    code = print_result(call, source, c, report);
    hsp_report_free(report);
    return code;
}

static int verify_command(hsp_cli_call *call) {
    claimant c = {0};
    hsp_cli_watch watch;
    hsp_cli_source source = {0};
    int code = check_operands(call);
    if (!code) code = hsp_cli_holdout_check(call);
    if (!code) code = load_claimant(call->operand[0], &c);
    if (!code && c.model) hsp_cli_warn_interrupted(call, call->operand[0], c.model);
    if (!code && c.proof && call->operands > 2)
        code = hsp_cli_fail(HSP_EXIT_USAGE, "%s is a proof of separability and needs no certificate: leave '%s' out",
                            hsp_cli_input_name(call->operand[0]), call->operand[2]);
    if (!code) {
        hsp_cli_watch_begin(&watch, call, NULL);
        code = hsp_cli_read(call, c.model, call->operand[1], &watch, &source);
    }
    if (!code) code = verify(call, &source, &watch, &c);
    hsp_cli_source_free(&source);
    hsp_model_free(c.model);
    hsp_report_free(c.proof);
    return code;
}

const hsp_cli_command hsp_cli_verify = {
    .name = "verify",
    .help = "check the claims of a model against its training data",
    .operands = "MODEL DATA [CERTIFICATE]",
    .synopsis = "MODEL DATA [CERTIFICATE] [options]",
    .detail =
        "DATA must be the training data, and reading options such as --weight must be those of the training; if the "
        "model was trained with --holdout, give the same --holdout. Objective, dual bound, gap, margins and support "
        "vectors are recomputed in double-double arithmetic by code that is independent of the solvers, and every number "
        "must be the same. CERTIFICATE is the file of `train --certificate`. MODEL can also be a file of `inspect "
        "--certificate`: then the proof of separability is checked. If a claim is false, or the dual bound cannot be "
        "checked, the first such claim is printed and the exit code is 1. Models of nearest-mean, fisher and lda claim "
        "no objective: exit code 2.",
    .takes = "read --stratify",
    .own = {{"holdout", NULL, 1, "X",
             "the --holdout of the training: the held-out rows are not checked; --stratify and --seed must also be as in "
             "the training"}},
    .example = {"halfspace verify squares.hsm squares.csv --holdout "
                "0.3",
                "halfspace verify small.hsm train.csv duals.csv --json",
                "halfspace verify setosa.json iris.csv"},
    .run = verify_command,
};
