/* halfspace demo: the demonstration of the perceptron on two overlapping squares, in a folder of its own. */
#include "arguments.h"
#include "fail.h"
#include "json_output.h"
#include "metrics_report.h"
#include "output.h"
#include "plot_library.h"
#include "reading.h"
#include "short_number.h"
#include "text_table.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TRAIN, TEST, MODEL, PICTURE, FILES };
enum { ARGUMENTS = 24, SEED_BYTES = 24 };

static const long long LARGEST_SEED = 9000000000000000; /* as --seed */

static const char *const file_names[FILES] = {"train.csv", "test.csv", "perceptron.hsm", "boundary.png"};

typedef struct demonstration {
    hsp_cli_call *call;
    char *folder;
    char *path[FILES];
    bool ours, made;          /* the folder was empty; it did not exist */
    char seed[2][SEED_BYTES]; /* of the training and of the test data */
    bool draws;               /* the plot library is there */
    hsp_model *model;
    hsp_report *metrics; /* on the test data */
} demonstration;

/* ---- the folder ---- */

/* Whether the folder holds nothing; false: it does, or it is not a folder that can be read. */
static bool is_empty(const char *folder) {
    DIR *d = opendir(folder);
    bool empty = d != NULL;
    for (const struct dirent *e; d && (e = readdir(d));)
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0) empty = false;
    if (d) closedir(d);
    return empty;
}

/* Makes the folder that the user named; an existing one must be empty. */
static int make_named_folder(const char *folder, bool *made) {
    if (!*folder || hsp_cli_is_stdout(folder))
        return hsp_cli_fail(HSP_EXIT_USAGE, "-o needs the name of a folder: give -o FOLDER, or leave it out");
    *made = mkdir(folder, 0777) == 0;
    if (*made || (errno == EEXIST && is_empty(folder))) return 0;
    if (errno != EEXIST && errno != ENOTDIR) return hsp_cli_cannot_write(folder, errno);
    return hsp_cli_fail(HSP_EXIT_USAGE, "%s: not an empty folder: name a new one with -o, as its files stay untouched",
                        folder);
}

/* Makes the first of halfspace-demo, halfspace-demo-2, ... that does not exist. */
static int make_fresh_folder(char **out, bool *made) {
    enum { MOST = 1000 };
    for (int i = 1; i <= MOST; i++) {
        char name[64];
        snprintf(name, sizeof name, i == 1 ? "halfspace-demo" : "halfspace-demo-%d", i);
        char *copy = strdup(name);
        if (!copy) return hsp_cli_fail_memory();
        *made = mkdir(name, 0777) == 0;
        if (*made) {
            *out = copy;
            return 0;
        }
        free(copy);
        if (errno != EEXIST) return hsp_cli_cannot_write(name, errno);
    }
    return hsp_cli_fail(HSP_EXIT_USAGE, "halfspace-demo: %d folders of this name exist: name another with -o", MOST);
}

static int make_folder(demonstration *d) {
    const char *named = hsp_cli_value(d->call, "output");
    if (named && !(d->folder = strdup(named))) return hsp_cli_fail_memory();
    int code = named ? make_named_folder(named, &d->made) : make_fresh_folder(&d->folder, &d->made);
    if (!code) d->ours = true;
    for (int i = 0; i < FILES && !code; i++) {
        if (asprintf(&d->path[i], "%s/%s", d->folder, file_names[i]) >= 0) continue;
        d->path[i] = NULL;
        code = hsp_cli_fail_memory();
    }
    return code;
}

/* Removes what a failed run has written: nothing else was in the folder. */
static void clean_up(const demonstration *d) {
    for (int i = 0; d->ours && i < FILES; i++)
        if (d->path[i]) unlink(d->path[i]);
    if (d->made) rmdir(d->folder);
}

/* ---- the steps ---- */

/* Runs a command of the program, which it prints first: words end with NULL. */
static int run_command(const demonstration *d, const char *const *words) {
    bool silent = d->call->quiet || d->call->json;
    char *argv[ARGUMENTS + 2] = {(char *)"halfspace"};
    int argc = 1;
    for (; words[argc - 1]; argc++) argv[argc] = (char *)words[argc - 1];
    if (silent) {
        argv[argc++] = (char *)"--quiet";
    } else {
        printf("$ halfspace");
        for (int i = 1; i < argc; i++) {
            putchar(' ');
            hsp_cli_put_clean(stdout, argv[i]);
        }
        putchar('\n');
        hsp_cli_flush(); /* before what the command prints on stderr */
    }
    int code = hsp_cli_dispatch(argc, argv);
    if (!silent) putchar('\n');
    return code;
}

#define RUN(d, ...) run_command((d), (const char *const[ARGUMENTS]){__VA_ARGS__, NULL})

static int run_steps(demonstration *d) {
    char *const *p = d->path;
    int code = RUN(d, "generate", "squares", "--rows", "100", "--seed", d->seed[0], "-o", p[TRAIN]);
    if (!code) code = RUN(d, "generate", "squares", "--rows", "100", "--seed", d->seed[1], "-o", p[TEST]);
    if (!code)
        code = RUN(d, "train", p[TRAIN], "-a", "perceptron", "--learning-rate", "0.01", "--update-on", "mismatch", "--init",
                   "random", "--keep", "last", "--seed", d->seed[0], "-o", p[MODEL]);
    if (!code && !d->call->quiet && !d->call->json) code = RUN(d, "evaluate", p[MODEL], p[TEST]);
    if (!code && d->draws) code = RUN(d, "plot", "boundary", p[MODEL], p[TEST], "-o", p[PICTURE]);
    return code;
}

/* ---- the result ---- */

static int read_result(demonstration *d) {
    hsp_error *err = NULL;
    hsp_cli_watch watch;
    hsp_cli_source source = {0};
    int code = hsp_model_load(d->path[MODEL], &d->model, &err) ? hsp_cli_report_error(&err) : 0;
    hsp_cli_watch_begin(&watch, d->call, NULL);
    if (!code) code = hsp_cli_read(d->call, d->model, d->path[TEST], &watch, &source);
    hsp_cli_watch_end(&watch);
    if (!code && hsp_evaluate(d->model, source.data, d->call->options, NULL, &d->metrics, &err))
        code = hsp_cli_report_error(&err);
    hsp_cli_source_free(&source);
    return code;
}

static int get_weights(const demonstration *d, hsp_array *weights, hsp_array *intercepts) {
    hsp_error *err = NULL;
    *weights = *intercepts = (hsp_array){.size = sizeof *weights};
    if (hsp_model_array(d->model, "weights", weights, &err) || hsp_model_array(d->model, "intercepts", intercepts, &err))
        return hsp_cli_report_error(&err);
    return 0;
}

static void print_json(const demonstration *d, const double w[2], double b) {
    static const char *const names[FILES] = {"train", "test", "model", "picture"};
    hsp_cli_object o;
    hsp_cli_object_begin(&o);
    hsp_json_string(&o.j, "folder", d->folder);
    for (int i = 0; i < FILES; i++) hsp_json_string(&o.j, names[i], d->path[i]);
    hsp_json_bool(&o.j, "drawn", d->draws);
    hsp_json_numbers(&o.j, "weights", w, 2);
    hsp_json_number(&o.j, "intercept", b);
    hsp_json_number(&o.j, "accuracy", hsp_report_number(d->metrics, "accuracy"));
    hsp_cli_object_print(&o);
}

static int print_text(const demonstration *d, const double w[2], double b) {
    char buf[4 * HSP_CLI_NUMBER], first[HSP_CLI_NUMBER], second[HSP_CLI_NUMBER];
    hsp_cli_table t;
    hsp_cli_table_begin(&t, 2);
    hsp_cli_cell(&t, "weights w");
    hsp_cli_cellf(&t, "%s, %s", hsp_cli_short(w[0], 6, HSP_CLI_NEAREST, first),
                  hsp_cli_short(w[1], 6, HSP_CLI_NEAREST, second));
    hsp_cli_cell(&t, "bias b");
    hsp_cli_cellf(&t, "%s (the intercept of g(x) = w.x + b)", hsp_cli_short(b, 6, HSP_CLI_NEAREST, first));
    hsp_cli_cell(&t, "accuracy");
    hsp_cli_cell(&t, hsp_cli_accuracy(hsp_report_number(d->metrics, "accuracy"), hsp_report_number(d->metrics, "rows"),
                                      false, "test rows", buf));
    hsp_cli_cell(&t, "picture");
    hsp_cli_cell(&t, d->draws ? d->path[PICTURE] : "none: libhalfspace_plot is missing; build it with Cairo and Pango");
    hsp_cli_cell(&t, "folder");
    hsp_cli_cell(&t, d->folder);
    return hsp_cli_table_print(&t, stdout, 0, "l");
}

static int print_result(demonstration *d) {
    hsp_array weights, intercepts;
    int code = read_result(d);
    if (!code) code = get_weights(d, &weights, &intercepts);
    if (code) return code;
    const double *w = weights.data, *b = intercepts.data;
    if (d->call->json)
        print_json(d, w, *b);
    else if (!d->call->quiet)
        code = print_text(d, w, *b);
    return code;
}

static int demo_command(hsp_cli_call *call) {
    demonstration d = {.call = call, .draws = hsp_cli_plot_library_exists()};
    const char *given = hsp_options_get(call->options, "seed");
    double seed = 1;
    if (given) hsp_parse_number(given, strlen(given), &seed);
    for (int i = 0; i < 2; i++)
        snprintf(d.seed[i], SEED_BYTES, "%lld", ((long long)seed + i) % (LARGEST_SEED + 1));
    int code = make_folder(&d);
    if (!code) code = run_steps(&d);
    if (!code) code = print_result(&d);
    if (code == HSP_EXIT_USAGE || code == HSP_EXIT_SYSTEM) clean_up(&d);
    hsp_model_free(d.model);
    hsp_report_free(d.metrics);
    for (int i = 0; i < FILES; i++) free(d.path[i]);
    free(d.folder);
    return code;
}

const hsp_cli_command hsp_cli_demo = {
    .name = "demo",
    .help = "run the demonstration: a perceptron on two squares",
    .operands = "",
    .synopsis = "[-o FOLDER] [--seed S]",
    .detail = "Generates training and test data, trains, evaluates, prints the weights, the bias and the accuracy, and "
              "draws the boundary. The commands that it runs are printed before their outputs. Without -o the files go to "
              "a new folder `halfspace-demo`, or `halfspace-demo-2` and so on where that exists.",
    .takes = "",
    .own = {{"output", "o", 1, "FOLDER", "folder for the files: a new or an empty one"}},
    .example = {"halfspace demo", "halfspace demo -o squares --seed 7"},
    .run = demo_command,
};
