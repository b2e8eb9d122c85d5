/* Writes the dual vector to a file, and checks the lines of such a file. */
#include "verify/claim/certificate_file.h"

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/pool.h"
#include "base/text.h"
#include "data/data.h"
#include "write/writer.h"

#include <string.h>

int hsp_certificate_columns(const hsp_claim *c, const char *names[HSP_CERTIFICATE_COLUMNS]) {
    int count = 0;
    bool plain = c->joint || !c->class;
    names[count++] = "row";
    if (c->K > 1) names[count++] = "class";
    names[count++] = plain ? "multiplier" : "alpha";
    names[count++] = plain ? "score" : "margin";
    if (!hsp_claim_margins(c)) return count;
    names[count++] = "slack";
    names[count++] = "kind";
    return count;
}

void hsp_certificate_clear(hsp_certificate_file *f) {
    HSP_FREE(f->a, f->margin, f->slack, f->kind);
    hsp_dual_free(f->dual);
    *f = (hsp_certificate_file){0};
}

/* The sign that converts multipliers and scores to those of the file. */
static double sign_of(const hsp_audit *u, int64_t i) {
    return u->c.joint || !u->c.class ? 1 : u->y[i];
}

static bool same(double a, double b) {
    return memcmp(&a, &b, sizeof a) == 0;
}

bool hsp_certificate_fault_find(const hsp_certificate_file *f, const hsp_audit *u, int64_t k, const hsp_figures *figures,
                                hsp_certificate_fault *out) {
    double tolerance = hsp_support_tolerance(figures->gap);
    if (figures->absent) return false;
    for (int64_t l = 0; l < u->width; l++)
        for (int64_t i = 0; i < u->c.n; i++) {
            int64_t at = i * f->outputs + k + l;
            double margin = sign_of(u, i) * u->g[l * u->c.n + i] + 0.0;
            *out = (hsp_certificate_fault){i, u->c.joint || !u->c.class ? "score" : "margin", f->margin[at], margin};
            if (!same(f->margin[at], margin)) return true;
            if (!f->slack) continue;
            double slack = hsp_support_slack(margin);
            hsp_support_kind kind = hsp_support_of(margin, tolerance);
            *out = (hsp_certificate_fault){i, "slack", f->slack[at], slack};
            if (!same(f->slack[at], slack)) return true;
            *out = (hsp_certificate_fault){i, "kind", f->kind[at], kind};
            if (f->kind[at] != (signed char)kind) return true;
        }
    return false;
}

/* ---- writing ---- */

typedef struct writing {
    hsp_audit u;
    double *a; /* the multipliers before they are confined */
    hsp_out *out;
    hsp_text text;
} writing;

static void write_header(writing *w) {
    const char *names[HSP_CERTIFICATE_COLUMNS];
    int count = hsp_certificate_columns(&w->u.c, names);
    for (int i = 0; i < count; i++) {
        if (i) hsp_text_char(&w->text, ',');
        hsp_text_add(&w->text, names[i]);
    }
    hsp_text_char(&w->text, '\n');
}

static int write_line(writing *w, int64_t i, const char *class, double a, double margin, double tolerance,
                      hsp_error **err) {
    hsp_text *t = &w->text;
    if (!isfinite(a) || !isfinite(margin))
        return hsp_fail(err, HSP_EINPUT,
                        "the scores overflow, so there is no certificate to write: leave --certificate out");
    hsp_text_int(t, i + 1);
    hsp_text_char(t, ',');
    if (class) {
        hsp_csv_cell(t, class, (int64_t)strlen(class), ',');
        hsp_text_char(t, ',');
    }
    hsp_text_number(t, a);
    hsp_text_char(t, ',');
    hsp_text_number(t, margin);
    if (hsp_claim_margins(&w->u.c)) {
        hsp_text_char(t, ',');
        hsp_text_number(t, hsp_support_slack(margin));
        hsp_text_char(t, ',');
        hsp_text_add(t, hsp_support_names[hsp_support_of(margin, tolerance)]);
    }
    hsp_text_char(t, '\n');
    return hsp_write_flush(t, w->out, false, err);
}

static int write_problem(writing *w, int64_t k, hsp_error **err) {
    hsp_audit *u = &w->u;
    hsp_figures f;
    int64_t n = u->c.n;
    int status = hsp_audit_scores(u, k, &f, err);
    if (status || f.absent) return status;
    memcpy(w->a, u->a, (size_t)(n * u->width) * sizeof *w->a);
    status = hsp_audit_finish(u, k, &f, err);
    double tolerance = hsp_support_tolerance(f.gap);
    for (int64_t l = 0; l < u->width; l++) {
        const char *class = u->c.K > 1 ? u->c.m->prepare.classes.name[k + l] : NULL;
        for (int64_t i = 0; !status && i < n; i++) {
            double sign = sign_of(u, i), a = sign * w->a[l * n + i] + 0.0, margin = sign * u->g[l * n + i] + 0.0;
            status = write_line(w, i, class, a, margin, tolerance, err);
        }
    }
    return status;
}

/* Whether the claims were made with a dual vector that the model no longer has. */
static bool lost_dual(const hsp_model *m) {
    const char *multipliers = hsp_report_text(m->claims, "multipliers");
    return !m->dual && multipliers && strcmp(multipliers, "stored") == 0;
}

int hsp_certificate_write(const hsp_model *m, const hsp_data *data, const char *path, hsp_error **err) {
    writing w = {0};
    hsp_data *own = NULL;
    int status = hsp_model_encode(m, data, hsp_pool_threads(0), &own, err);
    if (!status) status = hsp_audit_open(m, &m->objective, own ? own : data, m->dual, hsp_pool_threads(0), &w.u, err);
    if (!status && (!hsp_audit_multipliers(&w.u) || lost_dual(m)))
        status = hsp_fail(err, HSP_EINPUT,
                          "the model has no dual vector, so there is no certificate to write: leave --certificate out");
    if (!status) {
        w.a = hsp_alloc(w.u.c.n * w.u.width + 1, sizeof *w.a);
        status = w.a ? hsp_out_open(path, '?', &w.out, err) : hsp_fail_memory(err);
    }
    if (!status) write_header(&w);
    for (int64_t k = 0; !status && k < hsp_claim_problems(&w.u.c); k++) status = write_problem(&w, k, err);
    if (!status) status = hsp_write_flush(&w.text, w.out, true, err);
    if (!status)
        status = hsp_out_commit(w.out, err);
    else
        hsp_out_abandon(w.out);
    hsp_free(w.a);
    hsp_text_free(&w.text);
    hsp_audit_close(&w.u);
    hsp_data_free(own);
    return status;
}
