#include "steps.h"
#include "fail.h"
#include "halfspace_internal.h"
#include "output.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double most_cells = 1e8;

/* ---- checks ---- */

/* The algorithms that change the parameters update by update, and the solver with which they do; NULL: always. */
static const struct {
    const char *algorithm, *solver;
} updating[] = {{"perceptron", NULL}, {"gradient-descent", NULL}, {"sgd", NULL},         {"minibatch", NULL},
                {"mlp", NULL},        {"svm", "dual"},            {"logistic", "dual"}};

static bool is_algorithm(const char *name) {
    hsp_report *list = NULL;
    bool found = false;
    if (hsp_list("algorithms", &list, NULL)) return false;
    for (int64_t i = 0; i < hsp_report_count(list, NULL); i++) {
        const char *listed = hsp_report_text(hsp_report_item(list, NULL, i), "name");
        found |= listed && strcmp(listed, name) == 0;
    }
    hsp_report_free(list);
    return found;
}

/* An unknown name passes: its own error names the right one. */
static int check_algorithm(const hsp_cli_call *call) {
    const char *algorithm = hsp_options_get(call->options, "algorithm"), *solver = hsp_options_get(call->options, "solver");
    for (size_t i = 0; i < sizeof updating / sizeof *updating; i++) {
        if (strcmp(updating[i].algorithm, algorithm) != 0) continue;
        if (!updating[i].solver || (solver && strcmp(solver, updating[i].solver) == 0)) return 0;
        return hsp_cli_fail(HSP_EXIT_USAGE, "--steps shows single updates, and %s makes them with --solver %s alone: add it",
                            algorithm, updating[i].solver);
    }
    if (!is_algorithm(algorithm)) return 0;
    return hsp_cli_fail(HSP_EXIT_USAGE,
                        "--steps shows single updates, and %s makes none: use -a perceptron, gradient-descent, sgd, "
                        "minibatch or mlp, or svm or logistic with --solver dual",
                        algorithm);
}

int hsp_cli_steps_check(const hsp_cli_call *call) {
    const char *scale = hsp_options_get(call->options, "scale");
    if (scale && strcmp(scale, "none") != 0)
        return hsp_cli_fail(HSP_EXIT_USAGE,
                            "--steps shows updates with the columns of the data, and --scale changes them: leave one of "
                            "the two out");
    return check_algorithm(call);
}

int hsp_cli_steps_complete(const hsp_cli_steps *s) {
    if (s->failed) return hsp_cli_cannot_write("the temporary file of --steps", s->failed);
    if (s->too_many)
        return hsp_cli_fail(HSP_EXIT_USAGE,
                            "--steps would have more than 1e8 cells: stop earlier with --max-updates or --max-epochs");
    if (s->count == 0 || s->together)
        return hsp_cli_fail(HSP_EXIT_USAGE,
                            "this run made no single updates to show, as its method solves all classes at once: leave --steps "
                            "out, or name one class with --positive");
    return 0;
}

/* ---- recording ---- */

int hsp_cli_steps_begin(hsp_cli_steps *s) {
    *s = (hsp_cli_steps){.problem = -1};
    s->lines = tmpfile();
    return s->lines ? 0 : hsp_cli_cannot_write("the temporary file of --steps", errno);
}

static bool copy_names(hsp_cli_steps *s, const hsp_update *u) {
    s->names = calloc((size_t)u->features + 1, sizeof *s->names);
    for (int64_t j = 0; s->names && j < u->features; j++)
        if (!(s->names[j] = strdup(u->names[j]))) return false;
    return s->names != NULL;
}

static bool take_first(hsp_cli_steps *s, const hsp_update *u) {
    s->d = u->features;
    s->problems = u->problems;
    s->intercept = u->has_intercept;
    return !u->names || copy_names(s, u);
}

/* Cells of a line: the eight of the update, the class, the weights, the intercept. */
static double cells_of(const hsp_cli_steps *s) {
    return 8 + (s->problems > 1) + (double)s->d + s->intercept;
}

int hsp_cli_steps_add(hsp_cli_steps *s, const hsp_update *u) {
    hsp_cli_step line = {.update = u->updates,
                         .epoch = u->passes,
                         .problem = u->problem,
                         .row = u->row,
                         .rows = u->row_count,
                         .y = u->y,
                         .score = u->score,
                         .margin = u->margin,
                         .step = u->step,
                         .loss = u->loss,
                         .b = u->intercept};
    if (s->count == 0 && !take_first(s, u)) s->failed = ENOMEM;
    if (u->problem != s->problem && u->updates > 0) s->together = true;
    s->problem = u->problem;
    if (u->row_count > s->most_rows) s->most_rows = u->row_count;
    s->too_many = (double)++s->count * cells_of(s) > most_cells;
    if (s->too_many || s->together || s->failed || u->features != s->d) return 1;
    size_t rows = (size_t)u->row_count, d = (size_t)s->d;
    errno = 0;
    if (fwrite(&line, sizeof line, 1, s->lines) != 1 ||
        (rows > 0 && fwrite(u->rows, sizeof *u->rows, rows, s->lines) != rows) ||
        fwrite(u->weights, sizeof *u->weights, d, s->lines) != d)
        s->failed = errno ? errno : EIO;
    return s->failed;
}

bool hsp_cli_steps_next(hsp_cli_steps *s, hsp_cli_step *step, int64_t *rows, double *w) {
    size_t d = (size_t)s->d;
    errno = 0;
    if (fread(step, sizeof *step, 1, s->lines) == 1) {
        size_t n = (size_t)step->rows;
        if (fread(rows, sizeof *rows, n, s->lines) == n && fread(w, sizeof *w, d, s->lines) == d) return true;
    }
    if (ferror(s->lines)) s->failed = errno ? errno : EIO;
    return false;
}

/* ---- writing ---- */

/* Text on its way to a file. */
typedef struct sink {
    hsp_out *out;
    hsp_error *err;
    int status; /* of the first failure: nothing is written after it */
} sink;

static void put(sink *k, const char *text) {
    if (!k->status) k->status = hsp_out_write(k->out, text, (int64_t)strlen(text), &k->err);
}

/* A cell of CSV, quoted where it must be. */
static void put_quoted(sink *k, const char *prefix, const char *name) {
    bool quoted = strpbrk(name, ",\"\r\n") || name[0] == ' ' || (*name && name[strlen(name) - 1] == ' ');
    char c[2] = {0};
    if (quoted) put(k, "\"");
    put(k, prefix);
    for (; *name; name++) {
        c[0] = *name;
        if (*name == '"') put(k, c);
        put(k, c);
    }
    if (quoted) put(k, "\"");
}

static void put_count(sink *k, int64_t v) {
    char text[24];
    snprintf(text, sizeof text, "%" PRId64, v);
    put(k, text);
}

static void put_number(sink *k, double v) {
    char text[32];
    hsp_format_number(v, text);
    put(k, text);
}

static void put_known(sink *k, double v) {
    put(k, ",");
    if (!isnan(v)) put_number(k, v);
}

const char *hsp_cli_steps_name(const hsp_cli_steps *s, const hsp_model *m, int64_t j, char *buf) {
    return s->names ? s->names[j] : hsp_model_feature_label(m, j, buf);
}

const char *hsp_cli_steps_class(const hsp_cli_steps *s, const hsp_model *m, int64_t problem) {
    const char *name = s->problems > 1 ? hsp_model_class_name(m, problem) : NULL;
    return s->problems > 1 && !name ? "" : name;
}

static void put_header(sink *k, const hsp_cli_steps *s, const hsp_model *m) {
    char buf[HSP_LABEL_SIZE];
    put(k, "update,epoch");
    if (s->problems > 1) put(k, ",class");
    put(k, ",row,y,score,margin,step,loss");
    for (int64_t j = 0; j < s->d; j++) {
        put(k, ",");
        put_quoted(k, "w:", hsp_cli_steps_name(s, m, j, buf));
    }
    put(k, s->intercept ? ",b\n" : "\n");
}

static void put_rows(sink *k, const hsp_cli_step *step, const int64_t *rows) {
    if (step->row >= 0) put_count(k, step->row + 1);
    for (int64_t t = 0; t < step->rows; t++) {
        if (t > 0) put(k, ";");
        put_count(k, rows[t] + 1);
    }
}

static void put_line(sink *k, const hsp_cli_steps *s, const hsp_model *m, const hsp_cli_step *step, const int64_t *rows,
                     const double *w) {
    const double figures[] = {step->y, step->score, step->margin, step->step, step->loss};
    put_count(k, step->update);
    put(k, ",");
    put_count(k, step->epoch);
    put(k, ",");
    const char *class = hsp_cli_steps_class(s, m, step->problem);
    if (class) {
        put_quoted(k, "", class);
        put(k, ",");
    }
    put_rows(k, step, rows);
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) put_known(k, figures[i]);
    for (int64_t j = 0; j < s->d; j++) {
        put(k, ",");
        put_number(k, w[j]);
    }
    if (s->intercept) {
        put(k, ",");
        put_number(k, step->b);
    }
    put(k, "\n");
}

static int write_csv(hsp_cli_steps *s, const char *path, const hsp_model *m, int64_t *rows, double *w) {
    sink k = {0};
    hsp_cli_step step;
    k.status = hsp_out_open(path, '?', &k.out, &k.err);
    if (k.status) return hsp_cli_report_error(&k.err);
    put_header(&k, s, m);
    while (!k.status && hsp_cli_steps_next(s, &step, rows, w)) put_line(&k, s, m, &step, rows, w);
    if (k.status || s->failed)
        hsp_out_abandon(k.out);
    else
        k.status = hsp_out_commit(k.out, &k.err);
    return k.status ? hsp_cli_report_error(&k.err) : 0;
}

int hsp_cli_steps_write(hsp_cli_steps *s, const char *path, const hsp_model *m) {
    int64_t *rows = calloc((size_t)s->most_rows + 1, sizeof *rows);
    double *w = calloc((size_t)s->d + 1, sizeof *w);
    int code = rows && w ? 0 : hsp_cli_fail_memory();
    if (!code && (fflush(s->lines) || fseek(s->lines, 0, SEEK_SET))) s->failed = errno;
    if (!code && !s->failed)
        code = hsp_cli_is_stdout(path) && isatty(STDOUT_FILENO) == 1 ? hsp_cli_steps_print(s, m, rows, w)
                                                                      : write_csv(s, path, m, rows, w);
    if (!code && s->failed) code = hsp_cli_cannot_write("the temporary file of --steps", s->failed);
    free(rows);
    free(w);
    return code;
}

void hsp_cli_steps_free(hsp_cli_steps *s) {
    if (s->lines) fclose(s->lines);
    for (int64_t j = 0; s->names && s->names[j]; j++) free(s->names[j]);
    free(s->names);
    *s = (hsp_cli_steps){0};
}
