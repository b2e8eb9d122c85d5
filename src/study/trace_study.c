/* The study "trace": the columns of a file of `train --trace`, and the whole run: its problems combined, epoch by epoch. */
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "problem/problem.h"
#include "read/stream.h"
#include "study/study.h"

#include <math.h>
#include <string.h>

enum {
    PROBLEM,
    EPOCH,
    UPDATES,
    STEPS,
    OBJECTIVE,
    MEAN_LOSS,
    ERROR,
    NORM,
    DUAL_BOUND,
    RELATIVE_GAP,
    SECONDS,
    BOUND,
    NUMBERS
};

static const char *const names[NUMBERS] = {"problem", "epoch", "updates",    "steps",        "objective", "mean_loss",
                                           "error",   "norm",  "dual_bound", "relative_gap", "seconds",   "mistake_bound"};
static const char method_name[] = "method";

enum { METHOD = NUMBERS, OTHER, MOST_CELLS = 64 };

typedef struct trace {
    const char *path;
    hsp_text text; /* the whole file */
    int64_t line;  /* from 1 */
    int cells;
    int meaning[MOST_CELLS]; /* of each column: one of the enumerators above */
    double *v;               /* rows x NUMBERS */
    int64_t rows, capacity;
    hsp_study *s;
    const char *method; /* the last method read; points into text */
    int64_t method_length;
} trace;

static int fail_at(const trace *t, const char *at, const char *line, const char *what, hsp_error **err) {
    return hsp_fail_at(err, HSP_EINPUT, (hsp_place){t->path, t->line, at ? at - line + 1 : 0}, "%s", what);
}

static int read_all(trace *t, hsp_error **err) {
    hsp_stream *in = NULL;
    int status = hsp_stream_open(t->path, &in, err);
    while (!status) {
        char *room = hsp_text_room(&t->text, 1 << 16);
        int64_t got = room ? hsp_stream_read(in, room, 1 << 16, err) : hsp_fail_memory(err);
        if (got <= 0) {
            status = (int)got;
            break;
        }
        t->text.length += got;
    }
    hsp_stream_close(in);
    hsp_text_add(&t->text, "");
    if (!status && t->text.failed) status = hsp_fail_memory(err);
    return status;
}

/* ---- lines and cells ---- */

/* Sets *line to the line at *at, without its end, and moves *at past it. Returns false at the end of the text. */
static bool next_line(trace *t, const char **at, const char **line, int64_t *length) {
    const char *end = t->text.s + t->text.length;
    if (!t->text.s || *at >= end) return false;
    const char *stop = memchr(*at, '\n', (size_t)(end - *at));
    if (!stop) stop = end;
    *line = *at;
    *length = stop - *at;
    *at = stop < end ? stop + 1 : end;
    if (*length > 0 && (*line)[*length - 1] == '\r') --*length;
    t->line++;
    return true;
}

static const char *cell_end(const char *cell, const char *end) {
    const char *comma = cell < end ? memchr(cell, ',', (size_t)(end - cell)) : NULL;
    return comma ? comma : end;
}

static int meaning_of(const char *cell, int64_t n) {
    for (int k = 0; k < NUMBERS; k++)
        if ((int64_t)strlen(names[k]) == n && memcmp(names[k], cell, (size_t)n) == 0) return k;
    return n == (int64_t)strlen(method_name) && memcmp(method_name, cell, (size_t)n) == 0 ? METHOD : OTHER;
}

static int read_header(trace *t, const char *line, int64_t length, hsp_error **err) {
    bool there[OTHER + 1] = {false};
    const char *end = line + length;
    for (const char *cell = line;;) {
        const char *stop = cell_end(cell, end);
        if (t->cells == MOST_CELLS)
            return fail_at(t, cell, line, "too many columns for a training trace: create one with `train --trace`", err);
        int meaning = meaning_of(cell, stop - cell);
        if (meaning != OTHER && there[meaning])
            return fail_at(t, cell, line, "duplicate column name: create the trace again with `train --trace`", err);
        there[meaning] = true;
        t->meaning[t->cells++] = meaning;
        if (stop == end) break;
        cell = stop + 1;
    }
    for (int k = 0; k < BOUND; k++)
        if (!there[k])
            return hsp_fail_at(err, HSP_EINPUT, (hsp_place){t->path, t->line, 0},
                               "not a training trace, column '%s' is missing: create one with `train --trace`", names[k]);
    return HSP_OK;
}

/* Adds the method to the list, in order of use. */
static int note_method(trace *t, const char *cell, int64_t n, hsp_error **err) {
    char name[64];
    if (n == 0 || (n == t->method_length && memcmp(cell, t->method, (size_t)n) == 0)) return HSP_OK;
    t->method = cell;
    t->method_length = n;
    int64_t kept = n < (int64_t)sizeof name - 1 ? n : (int64_t)sizeof name - 1;
    memcpy(name, cell, (size_t)kept);
    name[kept] = 0;
    for (int64_t i = 0;; i++) {
        const char *said = hsp_study_text(t->s, "methods", i);
        if (!said) return hsp_study_add_text(t->s, "methods", name, err);
        if (strcmp(said, name) == 0) return HSP_OK;
    }
}

static int read_number(const trace *t, int meaning, const char *cell, const char *stop, const char *line, double *v,
                       hsp_error **err) {
    *v = NAN;
    if (stop == cell && meaning != PROBLEM && meaning != EPOCH) return HSP_OK;
    if (hsp_parse_number(cell, (size_t)(stop - cell), v) || !isfinite(*v)) {
        char excerpt[HSP_EXCERPT];
        return hsp_fail_at(err, HSP_EINPUT, (hsp_place){t->path, t->line, cell - line + 1},
                           "'%s' in column %s is not a number: create the trace again with `train --trace`",
                           hsp_excerpt(excerpt, cell, stop - cell), names[meaning]);
    }
    bool counts = meaning == PROBLEM || meaning == EPOCH;
    if (counts && (*v < 0 || *v != floor(*v) || *v > 0x1p53))
        return fail_at(t, cell, line,
                       "a problem or epoch is not a whole number from 0: create the trace again with `train --trace`", err);
    return HSP_OK;
}

static int read_row(trace *t, const char *line, int64_t length, hsp_error **err) {
    if (hsp_reserve((void **)&t->v, &t->capacity, (t->rows + 1) * NUMBERS, sizeof *t->v)) return hsp_fail_memory(err);
    double *v = t->v + t->rows * NUMBERS;
    const char *cell = line, *end = line + length;
    int c = 0;
    v[BOUND] = NAN;
    for (;; c++) {
        const char *stop = cell_end(cell, end);
        if (c == t->cells)
            return fail_at(t, cell, line, "more cells than in the first line: create the trace again with `train --trace`",
                           err);
        int meaning = t->meaning[c], status = HSP_OK;
        if (meaning < NUMBERS)
            status = read_number(t, meaning, cell, stop, line, &v[meaning], err);
        else if (meaning == METHOD)
            status = note_method(t, cell, stop - cell, err);
        if (status) return status;
        if (stop == end) break;
        cell = stop + 1;
    }
    if (c + 1 < t->cells)
        return fail_at(
            t, NULL, line,
            "fewer cells than in the first line, the file may be truncated: create the trace again with `train --trace`",
            err);
    t->rows++;
    return HSP_OK;
}

static int read_rows(trace *t, hsp_error **err) {
    const char *at = t->text.s, *line;
    int64_t length;
    int status = HSP_OK;
    if (!next_line(t, &at, &line, &length))
        return hsp_fail_at(err, HSP_EINPUT, (hsp_place){t->path, 0, 0}, "empty file: create a trace with `train --trace`");
    status = read_header(t, line, length, err);
    while (!status && next_line(t, &at, &line, &length)) {
        if (length == 0) continue;
        status = read_row(t, line, length, err);
        if (!status && at[-1] != '\n')
            status = fail_at(
                t, NULL, line,
                "no newline at the end, the last number may be truncated: create the trace again, or add a newline", err);
    }
    if (!status && t->rows == 0)
        status = hsp_fail_at(err, HSP_EINPUT, (hsp_place){t->path, 0, 0},
                             "no epochs, as the model was solved in closed form: trace an iterative solver");
    return status;
}

/* ---- the whole run ---- */

typedef struct join {
    int64_t problems, epochs;
    double *last;   /* problems x NUMBERS: the last row of each problem */
    int64_t *order; /* row indices by epoch, in file order within an epoch */
} join;

static void sort_rows(const trace *t, int64_t *order, int64_t *spare) {
    int64_t n = t->rows;
    for (int64_t i = 0; i < n; i++) order[i] = i;
    for (int64_t width = 1; width < n; width *= 2) { /* merge sort, because it is stable */
        for (int64_t from = 0; from < n; from += 2 * width) {
            int64_t middle = from + width < n ? from + width : n, to = from + 2 * width < n ? from + 2 * width : n;
            int64_t a = from, b = middle;
            for (int64_t k = from; k < to; k++) {
                bool left = a < middle && (b >= to || t->v[order[a] * NUMBERS + EPOCH] <= t->v[order[b] * NUMBERS + EPOCH]);
                spare[k] = left ? order[a++] : order[b++];
            }
        }
        memcpy(order, spare, (size_t)n * sizeof *order);
    }
}

/* Sums over the problems, except that error and mean loss are means, |w| is the norm of all weights, and the time is the
 * largest. */
static void put_together(const join *j, int64_t epoch, double *run, int64_t rows, int64_t at) {
    double sum[NUMBERS] = {0};
    for (int64_t k = 0; k < j->problems; k++) {
        const double *v = j->last + k * NUMBERS;
        for (int c = 0; c < NUMBERS; c++) {
            if (c == SECONDS)
                sum[c] = fmax(sum[c], v[c]);
            else
                sum[c] += c == NORM ? v[c] * v[c] : v[c];
        }
    }
    sum[EPOCH] = (double)epoch;
    sum[ERROR] /= (double)j->problems;
    sum[MEAN_LOSS] /= (double)j->problems;
    sum[NORM] = sqrt(sum[NORM]);
    sum[RELATIVE_GAP] = j->problems == 1 ? j->last[RELATIVE_GAP] : hsp_relative_gap(sum[OBJECTIVE], sum[DUAL_BOUND]);
    if (j->problems == 1) sum[NORM] = j->last[NORM];
    for (int c = 0; c < NUMBERS; c++) run[c * rows + at] = sum[c];
}

static int add_run(const trace *t, join *j, hsp_study *s, hsp_error **err) {
    double *run = hsp_alloc(NUMBERS * j->epochs, sizeof *run);
    int status = run ? HSP_OK : hsp_fail_memory(err);
    if (!status) {
        int64_t at = 0;
        for (int64_t i = 0; i < j->problems * NUMBERS; i++) j->last[i] = NAN;
        for (int64_t i = 0; i < t->rows; i++) {
            const double *v = t->v + j->order[i] * NUMBERS;
            memcpy(j->last + (int64_t)v[PROBLEM] * NUMBERS, v, NUMBERS * sizeof *v);
            bool more = i + 1 < t->rows && t->v[j->order[i + 1] * NUMBERS + EPOCH] == v[EPOCH];
            if (!more) put_together(j, (int64_t)v[EPOCH], run, j->epochs, at++);
        }
    }
    for (int c = EPOCH; !status && c < NUMBERS; c++) {
        char name[32] = "run_";
        memcpy(name + 4, names[c], strlen(names[c]) + 1);
        double *v = hsp_study_add(s, name, j->epochs, 0, err);
        status = v ? HSP_OK : HSP_EMEMORY;
        if (v) memcpy(v, run + c * j->epochs, (size_t)j->epochs * sizeof *v);
    }
    hsp_free(run);
    return status;
}

/* Problems are numbered from 0, and each must have a line. */
static int count_problems(const trace *t, join *j, hsp_error **err) {
    bool *seen = hsp_alloc_zero(t->rows, sizeof *seen);
    double most = 0;
    int64_t found = 0;
    if (!seen) return hsp_fail_memory(err);
    for (int64_t i = 0; i < t->rows; i++) {
        double k = t->v[i * NUMBERS + PROBLEM];
        most = fmax(most, k);
        if (k >= (double)t->rows || seen[(int64_t)k]) continue;
        seen[(int64_t)k] = true;
        found++;
    }
    hsp_free(seen);
    j->problems = found;
    if (most + 1 == (double)found) return HSP_OK;
    return hsp_fail_at(
        err, HSP_EINPUT, (hsp_place){t->path, 0, 0},
        "some problems have no line, a part of the file may be missing: create the trace again with `train --trace`");
}

static int put_run(const trace *t, hsp_study *s, hsp_error **err) {
    join j = {.epochs = 1};
    int status = count_problems(t, &j, err);
    if (status) return status;
    j.last = hsp_alloc(j.problems * NUMBERS, sizeof *j.last);
    j.order = hsp_alloc(t->rows, sizeof *j.order);
    int64_t *spare = hsp_alloc(t->rows, sizeof *spare);
    status = j.last && j.order && spare ? HSP_OK : hsp_fail_memory(err);
    if (!status) {
        sort_rows(t, j.order, spare);
        for (int64_t i = 1; i < t->rows; i++)
            j.epochs += t->v[j.order[i] * NUMBERS + EPOCH] != t->v[j.order[i - 1] * NUMBERS + EPOCH];
        status = add_run(t, &j, s, err);
    }
    if (!status) status = hsp_study_set(s, "problems", (double)j.problems, err);
    HSP_FREE(j.last, j.order, spare);
    return status;
}

static int put_columns(const trace *t, hsp_study *s, hsp_error **err) {
    for (int c = 0; c < NUMBERS; c++) {
        double *v = hsp_study_add(s, names[c], t->rows, 0, err);
        if (!v) return HSP_EMEMORY;
        for (int64_t i = 0; i < t->rows; i++) v[i] = t->v[i * NUMBERS + c];
    }
    return HSP_OK;
}

int hsp_study_read_trace(const char *path, hsp_report **out, hsp_error **err) {
    trace t = {.path = path};
    *out = NULL;
    int status = read_all(&t, err);
    if (!status) status = hsp_study_new("trace", &t.s, err);
    if (!status) status = read_rows(&t, err);
    if (!status) status = put_columns(&t, t.s, err);
    if (!status) status = put_run(&t, t.s, err);
    hsp_text_free(&t.text);
    hsp_free(t.v);
    if (!status) status = hsp_study_report(t.s, out, err);
    hsp_study_free(t.s);
    return status;
}
