/* The file of --predictions: one line for each row that a fold tests, in the order of the data, repeat after repeat. Columns
 * that `predict` has too have the same names. */
#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "data/data.h"
#include "model/model.h"
#include "select/cv.h"
#include "write/writer.h"

#include <math.h>
#include <string.h>

static void add_cell(hsp_text *t, const char *s) {
    hsp_csv_cell(t, s, (int64_t)strlen(s), ',');
}

/* ",score:NAME" and the like */
static void add_named(hsp_text *t, const char *prefix, const char *name) {
    hsp_text whole = {0};
    hsp_text_add(&whole, prefix);
    hsp_text_add(&whole, name);
    hsp_text_char(t, ',');
    if (whole.failed)
        t->failed = true;
    else
        add_cell(t, whole.s);
    hsp_text_free(&whole);
}

static void add_header(const hsp_cv *cv, const hsp_cv_scores *s, hsp_text *t) {
    const hsp_classes *classes = &s->m->prepare.classes;
    hsp_text_add(t, cv->folds.repeats > 1 ? "row,repeat,fold,label,prediction" : "row,fold,label,prediction");
    if (!s->predicted) {
        hsp_text_char(t, '\n');
        return;
    }
    if (s->m->outputs == 1) hsp_text_add(t, ",score");
    for (int64_t k = 0; s->m->outputs > 1 && k < s->m->outputs; k++) add_named(t, "score:", classes->name[k]);
    for (int64_t k = 0; s->probability && k < classes->count; k++) add_named(t, "p:", classes->name[k]);
    hsp_text_char(t, '\n');
}

static void add_numbers(hsp_text *t, const double *v, int64_t count) {
    for (int64_t k = 0; k < count; k++) {
        hsp_text_char(t, ',');
        hsp_text_number(t, v[k]);
    }
}

static void add_row(const hsp_cv *cv, const hsp_cv_scores *s, int64_t at, hsp_text *t) {
    const hsp_model *m = s->m;
    int64_t n = cv->data->x.n, i = at % n;
    hsp_text_int(t, i + 1);
    if (cv->folds.repeats > 1) hsp_text_format(t, ",%lld", (long long)(at / n) + 1);
    hsp_text_format(t, ",%lld,", (long long)cv->folds.fold[at] + 1);
    if (s->predicted) {
        add_cell(t, m->prepare.classes.name[s->truth[at]]);
        hsp_text_char(t, ',');
        add_cell(t, m->prepare.classes.name[s->predicted[at]]);
        add_numbers(t, s->score + at * m->outputs, m->outputs);
        if (s->probability) add_numbers(t, s->probability + at * m->prepare.classes.count, m->prepare.classes.count);
    } else {
        hsp_text_number(t, cv->data->target[i]);
        add_numbers(t, s->score + at, 1);
    }
    hsp_text_char(t, '\n');
}

int hsp_cv_write_predictions(const hsp_cv *cv, const hsp_cv_scores *s, const char *path, hsp_error **err) {
    hsp_text t = {0};
    hsp_out *out = NULL;
    int status = hsp_out_open(path, '?', &out, err);
    if (status) return status;
    add_header(cv, s, &t);
    for (int64_t at = 0; !status && at < cv->data->x.n * cv->folds.repeats; at++) {
        if (cv->folds.fold[at] < 0 || isnan(s->score[at * s->m->outputs])) continue; /* not tested */
        add_row(cv, s, at, &t);
        status = hsp_write_flush(&t, out, false, err);
    }
    if (!status) status = hsp_write_flush(&t, out, true, err);
    hsp_text_free(&t);
    if (!status) return hsp_out_commit(out, err);
    hsp_out_abandon(out);
    return status;
}
