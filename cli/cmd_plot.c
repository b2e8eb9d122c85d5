/* halfspace plot: charts. */
#include "arguments.h"
#include "fail.h"
#include "json_output.h"
#include "output.h"
#include "plot_library.h"
#include "reading.h"

#include <stdlib.h>
#include <string.h>

typedef struct plot_job {
    hsp_cli_call *call;
    hsp_cli_plot_library library;
    hsp_figure *figure;
    const char *kind, *out;
    char takes[32];    /* operands of the chart, "MODEL... DATA" */
    int files;         /* operands after the kind */
    const char **file; /* borrowed */
    hsp_model **model;
    int models;
    hsp_cli_source *source; /* rows encoded for each model; empty: shared with an earlier one. No models: one */
    hsp_cli_watch watch;
} plot_job;

/* ---- operands ---- */

/* Whether a chart of data trains by the algorithm of the options: it takes the whole group. */
static bool trains_chosen(const hsp_report *chart) {
    const char *options = hsp_report_text(chart, "options"), *at = options ? strstr(options, "train") : NULL;
    return at && (at == options || at[-1] == ' ');
}

/* Looks up the operands of the chart; the library reports an unknown kind. */
static int find_operands(plot_job *j) {
    hsp_error *err = NULL;
    hsp_report *list = NULL;
    if (j->library.list(&list, &err)) return hsp_cli_report_error(&err);
    HSP_REPORT_EACH(entry, list) {
        const char *name = hsp_report_text(entry, "name"), *takes = hsp_report_text(entry, "takes");
        if (!name || !takes || strcmp(name, j->kind) != 0) continue;
        snprintf(j->takes, sizeof j->takes, "%s", takes);
        j->call->own_algorithms = !trains_chosen(entry);
    }
    hsp_report_free(list);
    return 0;
}

static bool takes(const plot_job *j, const char *what) {
    return strstr(j->takes, what) != NULL;
}

/* Compares the files with the operands of the chart: "MODEL... DATA" needs at least two. */
static int check_files(const plot_job *j) {
    bool many = takes(j, "...");
    int least = takes(j, "MODEL") + takes(j, "DATA") + takes(j, "TRACE");
    const char *blank = *j->takes ? " " : "";
    if (j->files < least)
        return hsp_cli_fail(HSP_EXIT_USAGE, "the chart '%s' needs %s: usage: halfspace plot %s%s%s -o FILE.png|.svg|.pdf",
                            j->kind, j->takes, j->kind, blank, j->takes);
    if (j->files > least && !many)
        return hsp_cli_fail(HSP_EXIT_USAGE, "unexpected argument '%s': usage: halfspace plot %s%s%s -o FILE.png|.svg|.pdf",
                            j->file[least], j->kind, blank, j->takes);
    const char *last = j->files > 0 ? j->file[j->files - 1] : "";
    size_t n = strlen(last);
    if (takes(j, "DATA") && n > 4 && strcmp(last + n - 4, ".hsm") == 0)
        return hsp_cli_fail(HSP_EXIT_USAGE, "%s is a model, not data: usage: halfspace plot %s %s -o FILE.png|.svg|.pdf",
                            last, j->kind, j->takes);
    int pipes = 0;
    for (int i = 0; i < j->files; i++) pipes += strcmp(j->file[i], "-") == 0;
    if (pipes > 1) return hsp_cli_fail(HSP_EXIT_USAGE, "only one file can be stdin: give names for the others");
    return 0;
}

/* ---- the parts of the figure ---- */

static int load_models(plot_job *j) {
    int count = takes(j, "MODEL") ? j->files - takes(j, "DATA") : 0, code = 0;
    const char *data = takes(j, "DATA") ? j->file[j->files - 1] : "";
    j->model = calloc((size_t)count + 1, sizeof *j->model);
    j->source = calloc((size_t)count + 1, sizeof *j->source);
    if (!j->model || !j->source) return hsp_cli_fail_memory();
    for (; j->models < count && !code; j->models += !code)
        code = hsp_cli_load(j->call, j->file[j->models], data, &j->model[j->models]);
    return code;
}

/* The rows as model i encodes them: shared with an earlier model of the same encoding, or read. Not encoded without
 * a model. */
static int read_rows(plot_job *j, int i, const hsp_data **out) {
    const char *path = j->file[j->files - 1];
    for (int k = 0; k < i; k++) {
        if (!j->source[k].data || !hsp_model_reads_alike(j->model[k], j->model[i])) continue;
        *out = j->source[k].data;
        return 0;
    }
    if (i > 0 && strcmp(path, "-") == 0)
        return hsp_cli_fail(HSP_EXIT_USAGE,
                            "stdin can be read only once, and %s and %s may read it differently: save it to a file",
                            j->file[0], j->file[i]);
    int code = hsp_cli_read(j->call, j->models ? j->model[i] : NULL, path, &j->watch, &j->source[i]);
    *out = j->source[i].data;
    return code;
}

static int add_models(plot_job *j) {
    hsp_error *err = NULL;
    int code = 0;
    for (int i = 0; i < j->models && !code; i++) {
        const hsp_data *data = NULL;
        const char *name = hsp_cli_input_name(j->file[i]);
        if (takes(j, "DATA")) code = read_rows(j, i, &data);
        if (!code && j->library.figure_add_model_data(j->figure, j->model[i], data, name, &err))
            code = hsp_cli_report_error(&err);
    }
    return code;
}

static int add_data(plot_job *j) {
    hsp_error *err = NULL;
    if (!takes(j, "DATA")) return 0;
    const char *path = j->file[j->files - 1];
    const hsp_data *data = j->source[0].data;
    int code = data ? 0 : read_rows(j, 0, &data);
    const char *slash = strrchr(path, '/'), *name = slash && slash[1] ? slash + 1 : hsp_cli_input_name(path);
    if (!code && j->library.figure_set_data(j->figure, data, name, &err)) code = hsp_cli_report_error(&err);
    return code;
}

static int add_traces(plot_job *j) {
    hsp_error *err = NULL;
    for (int i = 0; takes(j, "TRACE") && i < j->files; i++)
        if (j->library.figure_add_trace(j->figure, j->file[i], &err)) return hsp_cli_report_error(&err);
    return 0;
}

/* ---- output ---- */

static int print_json(const plot_job *j, double drawn) {
    static const char *const keys[] = {"rows", "assumed", NULL};
    hsp_error *err = NULL;
    hsp_report *studies = NULL;
    if (j->library.figure_report(j->figure, &studies, &err)) return hsp_cli_report_error(&err);
    hsp_cli_object o;
    hsp_cli_object_begin(&o);
    hsp_json_string(&o.j, "kind", j->kind);
    if (j->source[0].tree) {
        hsp_cli_json_copy(&o.j, j->source[0].tree, keys);
        for (int i = 1; i < j->models; i++) j->source[0].seconds += j->source[i].seconds;
        hsp_cli_source_report(&j->source[0], &o.j, "draw", drawn);
    } else {
        hsp_json_object(&o.j, "seconds");
        hsp_cli_json_seconds(&o.j, "draw", drawn);
        hsp_json_object_end(&o.j);
    }
    hsp_json_string(&o.j, "output", j->out);
    hsp_json_report(&o.j, "studies", studies);
    hsp_cli_object_print(&o);
    hsp_report_free(studies);
    return 0;
}

/* Whether nothing was read for model i, or an earlier model had the same assumptions. */
static bool was_printed(const plot_job *j, int i) {
    const char *assumed = hsp_report_text(j->source[i].tree, "assumed");
    bool said = !assumed;
    for (int k = 0; k < i && !said; k++) {
        const char *earlier = hsp_report_text(j->source[k].tree, "assumed");
        said = earlier && strcmp(assumed, earlier) == 0;
    }
    return said;
}

/* "p.png: boundary of m.hsm over and.csv" */
static void print_line(const plot_job *j) {
    FILE *f = j->call->human;
    hsp_cli_put_clean(f, j->out);
    fputs(": ", f);
    hsp_cli_put_clean(f, j->kind);
    for (int i = 0; i < j->files; i++) {
        bool data = i > 0 && takes(j, "DATA") && i == j->files - 1;
        fputs(i == 0 ? " of " : data ? " over " : ", ", f);
        hsp_cli_put_clean(f, hsp_cli_input_name(j->file[i]));
    }
    putc('\n', f);
    for (int i = 0; i == 0 || i < j->models; i++)
        if (!was_printed(j, i)) hsp_cli_print_assumed(f, j->source[i].tree);
}

static int draw_figure(plot_job *j) {
    hsp_error *err = NULL;
    int code = j->library.figure_new(j->kind, j->call->options, &j->figure, &err) ? hsp_cli_report_error(&err) : 0;
    if (!code) code = find_operands(j);
    if (!code) code = check_files(j);
    for (int i = 0; !code && i < j->files; i++) code = hsp_cli_output_check(j->out, j->file[i]);
    if (!code) code = load_models(j);
    hsp_cli_watch_begin(&j->watch, j->call, NULL);
    if (!code) code = add_models(j);
    if (!code) code = add_data(j);
    if (!code) code = add_traces(j);
    if (code) return code;
    double began = hsp_cli_now();
    code = hsp_cli_output_begin(j->call, j->out);
    if (code) return code;
    if (j->library.figure_draw(j->figure, j->out, &j->watch.hooks, &err)) code = hsp_cli_report_error(&err);
    hsp_cli_watch_end(&j->watch);
    if (code) return code;
    if (j->call->json) code = print_json(j, hsp_cli_now() - began);
    if (!j->call->quiet && (!j->call->json || j->call->verbose)) print_line(j);
    return code;
}

/* Kinds are words without a dot; a file that happens to have the name of a kind is not meant. */
static bool is_file_name(const char *kind) {
    return strchr(kind, '.') || strchr(kind, '/');
}

static int plot_command(hsp_cli_call *call) {
    plot_job j = {.call = call,
                  .kind = call->operand[0],
                  .out = hsp_cli_value(call, "output"),
                  .files = call->operands - 1,
                  .file = call->operand + 1};
    if (is_file_name(j.kind))
        return hsp_cli_fail(HSP_EXIT_USAGE,
                            "%s is the name of a file, and the KIND of chart comes first: write `halfspace plot KIND %s "
                            "...`, where KIND is boundary, roc, weights or another one of `halfspace plot --help`",
                            j.kind, j.kind);
    if (!j.out) return hsp_cli_fail(HSP_EXIT_USAGE, "no output file: add -o FILE.png, -o FILE.svg or -o FILE.pdf");
    if (hsp_cli_is_stdout(j.out))
        return hsp_cli_fail(HSP_EXIT_USAGE, "a picture cannot go to stdout: give -o FILE.png, -o FILE.svg or -o FILE.pdf");
    int code = hsp_cli_plot_plane(call);
    if (!code) code = hsp_cli_output_claim(call, "-o", j.out);
    if (!code) code = hsp_cli_output_check(j.out, NULL);
    if (!code) code = hsp_cli_plot_library_open(j.out, &j.library);
    if (!code) code = draw_figure(&j);
    if (j.figure) j.library.figure_free(j.figure);
    for (int i = 0; j.source && (i == 0 || i < j.models); i++) hsp_cli_source_free(&j.source[i]);
    for (int i = 0; i < j.models; i++) hsp_model_free(j.model[i]);
    free(j.source);
    free(j.model);
    return code;
}

const hsp_cli_command hsp_cli_plot = {
    .name = "plot",
    .help = "draw a chart of data, models or training runs",
    .operands = "KIND [FILE]...",
    .synopsis = "KIND [FILE...] -o FILE.png|.svg|.pdf [options]",
    .detail = "KIND decides which files and options a chart takes. The list below names them; a heading, such as "
              "Training, stands for all options under it. Charts of DATA also take the options under Reading, and all "
              "charts those under Picture. TRACE is a file of `train --trace`. Charts that take only DATA train models "
              "with the given options. --json also prints the numbers of the chart, except for `boundary` and `weights`; "
              "-o is still needed.",
    .takes = "path --folds --metric picture chart study read table train run split !no-certificate !loo !stratify "
             "!calibrate !calibrate-folds !decide",
    .own = {{"output", "o", 1, "FILE", "output file: .png, .svg or .pdf"},
            {"project", NULL, 1, "auto|lda|pca",
             "plane of the picture for more than two features; auto: the two most important features; lda: the "
             "discriminant plane; pca: the principal components (default: auto)"}},
    .example = {"halfspace plot boundary squares.hsm squares.csv -o squares.png",
                "halfspace plot boundary hard.hsm soft.hsm points.csv -o both.svg --theme dark",
                "halfspace plot roc logistic.hsm lda.hsm test.csv -o roc.pdf",
                "halfspace plot path wdbc.csv --scale standard -o path.png", "halfspace plot losses -o losses.png"},
    .kind_at = hsp_cli_plot_kind_at,
    .run = plot_command,
};
