/* The updates as a table for a terminal, with the symbols of the notes: g the score, y g the margin, eta the learning rate. */
#include "output.h"
#include "short_number.h"
#include "spark.h"
#include "steps.h"
#include "text_table.h"

#include <inttypes.h>
#include <math.h>

enum { MOST_WEIGHTS = 8, LINES_OF_A_PART = 500, MOST_ROWS = 4 };

static int64_t shown(const hsp_cli_steps *s) {
    return s->d < MOST_WEIGHTS ? s->d : MOST_WEIGHTS;
}

static const char *symbol_of_step(const hsp_cli_steps *s) {
    bool greek = hsp_cli_draws(stdout);
    if (s->dual) return greek ? "Δα" : "change of alpha";
    return greek ? "η" : "eta";
}

static void begin_part(const hsp_cli_steps *s, const hsp_model *m, hsp_cli_table *t) {
    char buf[HSP_LABEL_SIZE], name[HSP_CLI_NAME];
    hsp_cli_table_begin(t, (int)(8 + (s->problems > 1) + shown(s) + s->intercept));
    hsp_cli_cell(t, "k");
    hsp_cli_cell(t, "epoch");
    if (s->problems > 1) hsp_cli_cell(t, "class");
    hsp_cli_cell(t, "i");
    hsp_cli_cell(t, "y");
    hsp_cli_cell(t, "g");
    hsp_cli_cell(t, "y g");
    hsp_cli_cell(t, symbol_of_step(s));
    hsp_cli_cell(t, "loss");
    for (int64_t j = 0; j < shown(s); j++)
        hsp_cli_cellf(t, "w(%s)", hsp_cli_cut(hsp_cli_steps_name(s, m, j, buf), name));
    if (s->intercept) hsp_cli_cell(t, "b");
}

static void add_number(hsp_cli_table *t, double v) {
    if (isnan(v))
        hsp_cli_cell(t, "");
    else
        hsp_cli_cell_number(t, v);
}

static void add_rows(hsp_cli_table *t, const hsp_cli_step *step, const int64_t *rows) {
    char text[24 * (MOST_ROWS + 2)] = "";
    int used = 0;
    if (step->row >= 0) used = snprintf(text, sizeof text, "%" PRId64, step->row + 1);
    for (int64_t i = 0; i < step->rows && i < MOST_ROWS; i++)
        used += snprintf(text + used, sizeof text - (size_t)used, "%s%" PRId64, i ? ";" : "", rows[i] + 1);
    if (step->rows > MOST_ROWS) snprintf(text + used, sizeof text - (size_t)used, ";... (%" PRId64 ")", step->rows);
    hsp_cli_cell(t, text);
}

static void add_line(const hsp_cli_steps *s, const hsp_model *m, const hsp_cli_step *step, const int64_t *rows,
                     const double *w, hsp_cli_table *t) {
    const double figures[] = {step->y, step->score, step->margin, step->step, step->loss};
    hsp_cli_cellf(t, "%" PRId64, step->update);
    hsp_cli_cellf(t, "%" PRId64, step->epoch);
    if (s->problems > 1) hsp_cli_cell_name(t, hsp_cli_steps_class(s, m, step->problem));
    add_rows(t, step, rows);
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) add_number(t, figures[i]);
    for (int64_t j = 0; j < shown(s); j++) hsp_cli_cell_number(t, w[j]);
    if (s->intercept) hsp_cli_cell_number(t, step->b);
}

int hsp_cli_steps_print(hsp_cli_steps *s, const hsp_model *m, int64_t *rows, double *w) {
    const char *sides = s->problems > 1 ? "rrlrd" : "rrrd";
    hsp_cli_step step;
    int code = 0;
    bool more = hsp_cli_steps_next(s, &step, rows, w);
    while (more && !code) {
        hsp_cli_table t;
        begin_part(s, m, &t);
        for (int lines = 0; more && lines < LINES_OF_A_PART; lines++) {
            add_line(s, m, &step, rows, w, &t);
            more = hsp_cli_steps_next(s, &step, rows, w);
        }
        code = hsp_cli_table_print(&t, stdout, 0, sides);
    }
    if (!code && s->d > shown(s))
        printf("%" PRId64 " of %" PRId64 " weights are shown: --steps FILE.csv writes all of them\n", shown(s), s->d);
    return code;
}
