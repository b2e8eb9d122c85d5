#include "trace.h"
#include "fail.h"
#include "report.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

int hsp_cli_trace_begin(hsp_cli_trace *t) {
    *t = (hsp_cli_trace){0};
    t->lines = open_memstream(&t->text, &t->size);
    if (!t->lines) return hsp_cli_fail_memory();
    fputs("problem,epoch,updates,steps,objective,mean_loss,error,norm,dual_bound,relative_gap,seconds,method\n", t->lines);
    return 0;
}

void hsp_cli_trace_add(hsp_cli_trace *t, const hsp_progress *p) {
    const double figures[] = {
        p->objective, p->mean_loss, p->error, p->norm, p->dual_bound, p->relative_gap, hsp_cli_microseconds(p->seconds)};
    fprintf(t->lines, "%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64, p->problem, p->epoch, p->updates, p->steps);
    for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++) {
        char buf[32] = ""; /* what is unknown is an empty cell */
        if (isfinite(figures[i])) hsp_format_number(figures[i], buf);
        fprintf(t->lines, ",%s", buf);
    }
    fprintf(t->lines, ",%s\n", p->method);
}

int hsp_cli_trace_write(hsp_cli_trace *t, const char *path) {
    hsp_error *err = NULL;
    if (fflush(t->lines) || ferror(t->lines)) return hsp_cli_fail_memory();
    if (hsp_write_file(path, t->text, t->size, &err)) return hsp_cli_report_error(&err);
    return 0;
}

void hsp_cli_trace_free(hsp_cli_trace *t) {
    if (t->lines) fclose(t->lines);
    free(t->text);
    *t = (hsp_cli_trace){0};
}
