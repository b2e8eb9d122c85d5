#include "course.h"
#include "short_number.h"
#include "spark.h"
#include "text_table.h"

#include <math.h>

enum { WIDTH = 32, LEAST = 3 };

static void put(hsp_cli_course *c, int at, const hsp_progress *p) {
    c->objective[at] = p->objective;
    c->error[at] = p->error;
    c->gap[at] = p->relative_gap;
}

void hsp_cli_course_add(hsp_cli_course *c, const hsp_progress *p) {
    if (p->problems > 1) c->several = true;
    if (!c->any) c->every = 1;
    c->last = *p;
    if (c->any && ++c->skipped < c->every) return;
    c->any = true;
    c->skipped = 0;
    if (c->count == HSP_CLI_COURSE_ROOM) { /* full: keep every second one */
        for (int i = 0; 2 * i < c->count; i++) {
            c->objective[i] = c->objective[2 * i];
            c->error[i] = c->error[2 * i];
            c->gap[i] = c->gap[2 * i];
        }
        c->count /= 2;
        c->every *= 2;
    }
    put(c, c->count++, p);
}

typedef enum scale { PLAIN, LOG, AS_IT_IS } scale; /* AS_IT_IS: logarithmic if the values span a wide range */

/* Whether all values are positive and span a wide range. */
static bool wide(const double *v, int n) {
    double least = (double)INFINITY, most = 0;
    for (int i = 0; i < n; i++) {
        if (!isfinite(v[i])) continue;
        least = fmin(least, v[i]);
        most = fmax(most, v[i]);
    }
    return least > 0 && most > 30 * least;
}

/* 0 has no logarithm: it is drawn below all other values. */
static void raise_zeros(double *v, int n) {
    double least = (double)INFINITY;
    for (int i = 0; i < n; i++)
        if (v[i] > 0 && v[i] < least) least = v[i];
    for (int i = 0; i < n; i++)
        if (v[i] == 0 && isfinite(least)) v[i] = least / 2;
}

static double first_of(const double *v, int n) {
    for (int i = 0; i < n; i++)
        if (isfinite(v[i])) return v[i];
    return (double)NAN;
}

/* "course   ▇▃▂▁  100 to 4.813, log scale". The first value is printed but not drawn: it would flatten all others. */
static void line(hsp_cli_table *t, const char *title, const double *v, int n, double last, scale by, const char *unit) {
    char spark[HSP_CLI_SPARK_BYTES], a[HSP_CLI_NUMBER], b[HSP_CLI_NUMBER];
    double drawn[HSP_CLI_COURSE_ROOM], first = first_of(v, n);
    if (!isfinite(first) || !isfinite(last)) return;
    for (int i = 1; i < n; i++) drawn[i - 1] = v[i];
    bool by_log = by == LOG || (by == AS_IT_IS && wide(drawn, n - 1));
    if (by_log) raise_zeros(drawn, n - 1);
    hsp_cli_cell(t, title);
    hsp_cli_cellf(t, "%s  %s to %s%s%s", hsp_cli_spark(drawn, n - 1, WIDTH, by_log, spark),
                  hsp_cli_short(first, 4, HSP_CLI_NEAREST, a), hsp_cli_short(last, 4, HSP_CLI_NEAREST, b), unit,
                  by_log ? ", log scale" : "");
}

void hsp_cli_course_lines(const hsp_cli_course *c, bool by_mistakes, hsp_cli_table *t) {
    int known = 0;
    if (c->several || c->count <= LEAST) return;
    if (by_mistakes)
        line(t, "mistakes", c->error, c->count, c->last.error, PLAIN, " of the rows");
    else
        line(t, "course", c->objective, c->count, c->last.objective, AS_IT_IS, "");
    for (int i = 1; i < c->count; i++) known += isfinite(c->gap[i]);
    if (known >= LEAST) line(t, "gap", c->gap, c->count, c->last.relative_gap, LOG, "");
}
