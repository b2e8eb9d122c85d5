/* halfspace film: an animation of a training run, update by update. */
#include "arguments.h"
#include "fail.h"
#include "json_output.h"
#include "output.h"
#include "plot_library.h"
#include "reading.h"
#include "short_number.h"

#include <string.h>
#include <sys/stat.h>

typedef struct film_job {
    hsp_cli_call *call;
    hsp_cli_plot_library library;
    const char *in, *out;
    hsp_cli_source source;
    hsp_cli_watch watch;
    hsp_report *report; /* from the library */
    double seconds;     /* training and rendering */
} film_job;

static bool is_folder(const char *path) {
    struct stat s;
    size_t n = strlen(path);
    return (n > 0 && path[n - 1] == '/') || (stat(path, &s) == 0 && S_ISDIR(s.st_mode));
}

static int check_output(film_job *j) {
    if (!j->out) return hsp_cli_fail(HSP_EXIT_USAGE, "no output file: add -o FILE.gif, -o FILE.apng or -o FOLDER/");
    if (hsp_cli_is_stdout(j->out))
        return hsp_cli_fail(HSP_EXIT_USAGE,
                            "an animation cannot go to stdout: give -o FILE.gif, -o FILE.apng or -o FOLDER/");
    int code = hsp_cli_plot_plane(j->call);
    if (!code) code = hsp_cli_output_claim(j->call, "-o", j->out);
    if (code) return code;
    return is_folder(j->out) ? 0 : hsp_cli_output_check(j->out, j->in);
}

/* ---- output ---- */

static void print_json(const film_job *j) {
    static const char *const of_film[] = {"rows", "features", "frames", "updates", "format", "width", "height", NULL};
    static const char *const of_training[] = {"algorithm", "loss",           "epochs",   "stop_reason", "converged",
                                              "objective", "train_accuracy", "warnings", NULL};
    hsp_cli_object o;
    hsp_cli_object_begin(&o);
    hsp_cli_json_copy(&o.j, j->report, of_film);
    hsp_cli_json_copy(&o.j, hsp_report_member(j->report, "training"), of_training);
    hsp_json_string(&o.j, "assumed", hsp_report_text(j->source.tree, "assumed"));
    hsp_json_object(&o.j, "seconds");
    hsp_cli_source_seconds(&j->source, &o.j);
    hsp_cli_json_seconds(&o.j, "train", hsp_report_number(j->report, "train_seconds"));
    hsp_cli_json_seconds(&o.j, "film", j->seconds - hsp_report_number(j->report, "train_seconds"));
    hsp_json_object_end(&o.j);
    hsp_json_string(&o.j, "output", j->out);
    hsp_cli_object_print(&o);
}

/* "p.gif: perceptron on and.csv: 13 updates in 13 frames" */
static void print_line(const film_job *j) {
    FILE *f = j->call->human;
    char frames[HSP_CLI_NUMBER], updates[HSP_CLI_NUMBER];
    double shown = hsp_report_number(j->report, "frames"), all = hsp_report_number(j->report, "updates");
    hsp_cli_put_clean(f, j->out);
    fprintf(f, ": %s on ", hsp_report_text(hsp_report_member(j->report, "training"), "algorithm"));
    hsp_cli_put_clean(f, hsp_cli_input_name(j->in));
    fprintf(f, ": %s update%s in %s frames\n", hsp_cli_short(all, 15, HSP_CLI_NEAREST, updates), all == 1 ? "" : "s",
            hsp_cli_short(shown, 15, HSP_CLI_NEAREST, frames));
    hsp_cli_print_assumed(f, j->source.tree);
}

static int make_film(film_job *j) {
    hsp_error *err = NULL;
    hsp_cli_watch_begin(&j->watch, j->call, NULL);
    int code = hsp_cli_read(j->call, NULL, j->in, &j->watch, &j->source);
    if (code) return code;
    code = hsp_cli_output_begin(j->call, j->out);
    if (code) return code;
    double began = hsp_cli_now();
    int status = j->library.film(j->source.data, j->call->options, &j->watch.hooks, j->out, &j->report, &err);
    j->seconds = hsp_cli_now() - began;
    hsp_cli_watch_end(&j->watch);
    if (status) return hsp_cli_report_error(&err);
    if (j->call->json) print_json(j);
    if (!j->call->quiet && (!j->call->json || j->call->verbose)) print_line(j);
    hsp_cli_print_warnings(j->call, hsp_report_member(j->report, "training"), 0, false);
    return 0;
}

static int film_command(hsp_cli_call *call) {
    film_job j = {.call = call, .in = call->operand[0], .out = hsp_cli_value(call, "output")};
    const char *algorithm = hsp_cli_value(call, "algorithm"), *lambda = hsp_options_get(call->options, "lambda");
    hsp_error *err = NULL;
    if (lambda && strcmp(lambda, "auto") == 0)
        return hsp_cli_fail(HSP_EXIT_USAGE, "--lambda cannot be 'auto' in a film: give a number above 0");
    if (algorithm && hsp_options_set(call->options, "algorithm", algorithm, &err)) return hsp_cli_report_error(&err);
    int code = check_output(&j);
    if (!code) code = hsp_cli_plot_library_open(j.out, &j.library);
    if (!code) code = make_film(&j);
    hsp_cli_source_free(&j.source);
    hsp_report_free(j.report);
    return code;
}

const hsp_cli_command hsp_cli_film = {
    .name = "film",
    .help = "animate the decision boundary during training",
    .operands = "DATA",
    .synopsis = "DATA [-a ALGORITHM] -o FILE.gif|.apng|FOLDER/ [options]",
    .detail =
        "Needs two classes, or --positive. Each frame shows the boundary after one update and marks the row or batch "
        "that caused it (unless it used all rows); the first frame shows the start, the last one the result. If there "
        "are more updates than --frames, all early updates are shown, later ones at growing intervals, and always the "
        "last one. With mlp, --degree 2, --rff or --cross the boundary is a curve; DATA must then have one or two "
        "numeric columns and no others. --solver applies only to mlp. In a FOLDER the frames are written as "
        "frame-0001.png and so on.",
    .takes = "film picture --x --y read table train run !algorithm !task !strict !numeric-levels !delta "
             "!multiclass !no-certificate !loo !within !threshold !shrinkage !priors !calibrate !calibrate-folds !decide",
    .own = {{"output", "o", 1, "FILE|FOLDER", "output: .gif, .apng or .png (animated), or a folder of pictures"},
            {"algorithm", "a", 1, "NAME",
             "learning algorithm: perceptron, sgd, minibatch, gradient-descent, svm or mlp (default: perceptron)"},
            {"project", NULL, 1, "auto|lda|pca",
             "plane of the picture for more than two features; auto: the two most important features; lda: the "
             "discriminant plane; pca: the principal components (default: auto)"}},
    .example = {"halfspace film squares.csv -a perceptron -o perceptron.gif",
                "halfspace film squares.csv -a sgd --loss logistic --frames 200 --fps 20 -o sgd.apng",
                "halfspace film wdbc.csv -a svm --scale standard --project lda --theme dark -o frames/"},
    .run = film_command,
};
