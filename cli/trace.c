#include "trace.h"
#include "fail.h"
#include "halfspace_internal.h"
#include "json_output.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int hsp_cli_trace_begin(hsp_cli_trace *t) {
    *t = (hsp_cli_trace){0};
    t->lines = open_memstream(&t->text, &t->size);
    if (!t->lines) return hsp_cli_fail_memory();
    fputs("problem,epoch,updates,steps,objective,mean_loss,error,norm,dual_bound,relative_gap,seconds,method,step\n", t->lines);
    return 0;
}

/* An unknown figure gives an empty cell. */
static void put_figure(const hsp_cli_trace *t, double v) {
    char buf[32] = "";
    if (isfinite(v)) hsp_format_number(v, buf);
    fprintf(t->lines, ",%s", buf);
}

void hsp_cli_trace_add(hsp_cli_trace *t, const hsp_progress *p) {
    const double figures[] = {
        p->objective, p->mean_loss, p->error, p->norm, p->dual_bound, p->relative_gap, hsp_cli_microseconds(p->seconds)};
    fprintf(t->lines, "%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64, p->problem, p->epoch, p->updates, p->steps);
    for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++) put_figure(t, figures[i]);
    fprintf(t->lines, ",%s", p->method);
    put_figure(t, p->step);
    putc('\n', t->lines);
}

/* Novikoff's bound of a problem; NaN when it has none. */
static double bound_of(const hsp_report *report, int64_t problem) {
    const hsp_report *problems = hsp_report_member(report, "problems");
    const hsp_report *own = hsp_cli_is_list(problems, NULL) ? hsp_report_item(problems, NULL, problem) : report;
    const hsp_report *perceptron = hsp_report_member(own, "perceptron");
    return hsp_report_number(perceptron, "bound");
}

static bool any_bound(const hsp_report *report) {
    int64_t problems = hsp_report_count(report, "problems");
    for (int64_t k = 0; k < (problems > 0 ? problems : 1); k++)
        if (isfinite(bound_of(report, k))) return true;
    return false;
}

/* Rewrites the lines, each with the bound of its problem. 0 or an exit code. */
static int add_bounds(hsp_cli_trace *t, const hsp_report *report) {
    fclose(t->lines); /* the memory stream stores its text through &t->text, so it cannot be moved */
    char *narrow = t->text;
    *t = (hsp_cli_trace){0};
    t->lines = open_memstream(&t->text, &t->size);
    if (!t->lines) {
        free(narrow);
        return hsp_cli_fail_memory();
    }
    bool head = true;
    for (const char *line = narrow, *end; *line; line = end + 1, head = false) {
        end = strchr(line, '\n');
        int64_t problem = 0;
        for (const char *digit = line; *digit >= '0' && *digit <= '9'; digit++) problem = 10 * problem + (*digit - '0');
        double bound = head ? (double)NAN : bound_of(report, problem);
        char cell[32] = "";
        if (isfinite(bound)) hsp_format_number(bound, cell);
        fwrite(line, 1, (size_t)(end - line), t->lines);
        fprintf(t->lines, ",%s\n", head ? "mistake_bound" : cell);
    }
    free(narrow);
    return fflush(t->lines) || ferror(t->lines) ? hsp_cli_fail_memory() : 0;
}

int hsp_cli_trace_write(hsp_cli_trace *t, const char *path, const hsp_report *report) {
    hsp_error *err = NULL;
    if (fflush(t->lines) || ferror(t->lines)) return hsp_cli_fail_memory();
    int code = any_bound(report) ? add_bounds(t, report) : 0;
    if (code) return code;
    if (hsp_write_file(path, t->text, t->size, &err)) return hsp_cli_report_error(&err);
    return 0;
}

void hsp_cli_trace_free(hsp_cli_trace *t) {
    if (t->lines) fclose(t->lines);
    free(t->text);
    *t = (hsp_cli_trace){0};
}
