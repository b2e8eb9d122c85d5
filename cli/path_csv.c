#include "path_csv.h"
#include "fail.h"
#include "halfspace_internal.h"
#include "json_output.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void put_number(FILE *f, double v) {
    char buf[HSP_NUMBER_SIZE] = "";
    if (isfinite(v)) hsp_format_number(v, buf);
    fputs(buf, f);
}

/* A name as a cell, quoted where it must be. */
static void put_name(FILE *f, const char *name) {
    bool quoted = strpbrk(name, ",\"\r\n") != NULL;
    if (quoted) putc('"', f);
    fputs("w:", f);
    for (; *name; name++) {
        if (*name == '"') putc('"', f);
        putc(*name, f);
    }
    if (quoted) putc('"', f);
}

static void put_header(FILE *f, const hsp_report *r, bool folds) {
    fputs("lambda,objective,relative_gap,nonzeros,", f);
    if (folds) fputs("mean,sd,", f);
    fputs("intercept", f);
    for (int64_t a = 0; a < hsp_report_count(r, "active_columns"); a++) {
        putc(',', f);
        put_name(f, hsp_report_text_at(r, "active_features", a));
    }
    putc('\n', f);
}

/* The weights of point i in the active columns: of a matrix, or of columns and values. */
static void take_weights(const hsp_report *r, int64_t i, double *w) {
    int64_t count = hsp_report_count(r, "active_columns"), t = 0;
    hsp_array rows = {.size = sizeof rows};
    bool whole = hsp_report_array(r, "weights", &rows, NULL) == 0;
    const hsp_report *item = whole ? NULL : hsp_report_item(r, "weights", i);
    for (int64_t a = 0; a < count; a++) {
        double column = hsp_report_number_at(r, "active_columns", a);
        w[a] = whole ? ((const double *)rows.data)[i * rows.shape[1] + (int64_t)column] : 0;
        if (whole || hsp_report_number_at(item, "columns", t) != column) continue;
        w[a] = hsp_report_number_at(item, "values", t++);
    }
}

static void put_line(FILE *f, const hsp_report *r, int64_t i, bool folds, double *w) {
    static const char *const members[] = {"lambdas", "objectives", "relative_gaps", "nonzeros", "mean", "sd", "intercepts"};
    for (int k = 0; k < 7; k++) {
        if (!folds && (k == 4 || k == 5)) continue;
        if (k) putc(',', f);
        put_number(f, hsp_report_number_at(r, members[k], i));
    }
    take_weights(r, i, w);
    for (int64_t a = 0; a < hsp_report_count(r, "active_columns"); a++) {
        putc(',', f);
        put_number(f, w[a]);
    }
    putc('\n', f);
}

int hsp_cli_path_csv(const char *path, const hsp_report *r) {
    hsp_error *err = NULL;
    char *text = NULL;
    size_t size = 0;
    bool folds = hsp_report_text(r, "metric") != NULL;
    double *w = hsp_alloc_zero(hsp_report_count(r, "active_columns") + 1, sizeof *w);
    FILE *f = w ? open_memstream(&text, &size) : NULL;
    if (!f) {
        hsp_free(w);
        return hsp_cli_fail_memory();
    }
    put_header(f, r, folds);
    for (int64_t i = 0; i < hsp_report_count(r, "lambdas"); i++) put_line(f, r, i, folds, w);
    bool failed = fclose(f) != 0;
    int code = failed ? hsp_cli_fail_memory() : hsp_write_file(path, text, size, &err) ? hsp_cli_report_error(&err) : 0;
    free(text);
    hsp_free(w);
    return code;
}
