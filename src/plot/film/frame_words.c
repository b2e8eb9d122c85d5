/* The two lines under the title of a frame: the update and what it achieved, and the weights after it. */
#include "plot/draw/numeral.h"
#include "plot/film/frame_sheet.h"
#include "plot/part/sentence.h"

#include <inttypes.h>
#include <math.h>

#define DOT "  \xC2\xB7  "

static void add_moment(const hsp_film_scene *c, const hsp_film_frame *m, char *line) {
    char k[HSP_NUMERAL], all[HSP_NUMERAL];
    hsp_sentence_count((double)c->updates, all);
    if (m->model)
        hsp_sentence_format(line, "the model, after %s update%s and %" PRId64 " epoch%s", all, c->updates == 1 ? "" : "s",
                            m->epoch, m->epoch == 1 ? "" : "s");
    else if (m->updates == 0)
        hsp_sentence_add(line, "initial weights");
    else
        hsp_sentence_format(line, "update %s of %s, epoch %" PRId64, hsp_sentence_count((double)m->updates, k), all,
                            m->epoch);
}

static void add_mistakes(const hsp_film_scene *c, const hsp_film_frame *m, char *line) {
    char part[HSP_NUMERAL], whole[HSP_NUMERAL];
    int64_t rows = 0;
    for (int64_t i = 0; i < c->n; i++) rows += c->truth[i] >= 0;
    hsp_sentence_format(line, ": %s of %s rows misclassified", hsp_sentence_count((double)m->mistakes, part),
                        hsp_sentence_count((double)rows, whole));
}

static void add_objective(const hsp_film_frame *m, char *line) {
    char number[HSP_NUMERAL];
    bool now = m->model || m->objective_epoch == m->epoch;
    if (!isfinite(m->objective) || (!now && m->objective_epoch == 0)) return;
    hsp_sentence_format(line, "%s objective %s", hsp_film_blank(m) || m->mistakes >= 0 ? "," : ":",
                        hsp_numeral_round(m->objective, 4, number));
    if (!now) hsp_sentence_format(line, " after epoch %" PRId64, m->objective_epoch);
}

static void add_loss(const hsp_film_frame *m, char *line) {
    if (!isfinite(m->loss)) return;
    hsp_sentence_add(line, ", mean loss ");
    hsp_sentence_add_number(line, m->loss, 4);
}

/* "row 17, y = -1, y g = -0.4": the row that caused the update, or the batch. */
static void add_row(const hsp_film_scene *c, const hsp_film_frame *m, char *line) {
    if (m->batch_count > 0) hsp_sentence_format(line, "a batch of %" PRId64 " rows", m->batch_count);
    if (m->row < 0 || m->row >= c->n || m->model || !m->changed || c->truth[m->row] < 0) return;
    hsp_sentence_format(line, "row %" PRId64 ", y = %s", m->row + 1,
                        c->truth[m->row] == c->positive ? "+1" : "\xE2\x88\x92"
                                                                 "1");
    if (!isfinite(m->margin)) return;
    hsp_sentence_add(line, ", y g = ");
    hsp_sentence_add_number(line, m->margin, 3);
}

static void add_step(const hsp_film_scene *c, const hsp_film_frame *m, char *line) {
    if (!m->changed || m->model || !isfinite(m->step) || !c->rate) return;
    hsp_sentence_format(line, "%s%s = ", line[0] ? DOT : "", c->rate);
    hsp_sentence_add_number(line, m->step, 3);
}

/* What is only rounding error beside the other numbers is 0. */
static void add_number(const hsp_film_frame *m, double v, char *line) {
    double most = fmax(fabs(m->g[0]), fmax(fabs(m->g[1]), fabs(m->g[2])));
    hsp_sentence_add_number(line, fabs(v) > 1e-13 * most ? v : 0, 4);
}

static void add_weights(const hsp_film_scene *c, const hsp_film_frame *m, char *line) {
    if (line[0]) hsp_sentence_add(line, DOT);
    hsp_sentence_add(line, c->dimensions == 2 ? "w = (" : "w = ");
    add_number(m, m->g[1], line);
    if (c->dimensions == 2) {
        hsp_sentence_add(line, ", ");
        add_number(m, m->g[2], line);
        hsp_sentence_add(line, ")");
    }
    hsp_sentence_add(line, ", b = ");
    add_number(m, m->g[0], line);
}

void hsp_film_words(const hsp_film_scene *c, const hsp_film_frame *m, char *first, char *second) {
    first[0] = second[0] = 0;
    add_moment(c, m, first);
    if (hsp_film_blank(m)) hsp_sentence_add(first, ": all weights are 0");
    if (m->mistakes >= 0 && !hsp_film_blank(m)) add_mistakes(c, m, first);
    if (c->curve) add_loss(m, first);
    add_objective(m, first);
    char row[HSP_SENTENCE] = "";
    add_row(c, m, row);
    if (!c->exact) { /* the second line says what the plane is */
        if (row[0]) hsp_sentence_format(first, DOT "%s", row);
        return;
    }
    hsp_sentence_add(second, row);
    add_step(c, m, second);
    if (!c->curve && isfinite(m->g[0]) && isfinite(m->g[1]) && isfinite(m->g[2])) add_weights(c, m, second);
}
