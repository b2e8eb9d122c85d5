/* The methods of calibration, and what all of them share. */
#include "base/error.h"
#include "base/memory.h"
#include "calibrate/calibration.h"

#include <math.h>
#include <string.h>

const hsp_calibration_method *const hsp_calibration_table[] = {&hsp_calibration_platt, &hsp_calibration_isotonic,
                                                               &hsp_calibration_temperature, NULL};

const hsp_calibration_method *hsp_calibration_find(const char *name) {
    for (int64_t i = 0; name && hsp_calibration_table[i]; i++)
        if (strcmp(hsp_calibration_table[i]->name, name) == 0) return hsp_calibration_table[i];
    return NULL;
}

void hsp_calibration_clear(hsp_calibration *c) {
    HSP_FREE(c->begin, c->pairs);
    *c = (hsp_calibration){0};
}

/* Appends a map of `count` pairs. */
static int append_map(hsp_calibration *c, const hsp_calibration_pair *pairs, int64_t count) {
    int64_t used = c->begin[c->maps];
    hsp_calibration_pair *all = hsp_resize(c->pairs, used + count, sizeof *all);
    if (!all) return HSP_EMEMORY;
    memcpy(all + used, pairs, (size_t)count * sizeof *pairs);
    c->pairs = all;
    c->begin[++c->maps] = used + count;
    return HSP_OK;
}

/* The rows of one output against the rest: scores and classes into the two arrays, which have room. */
static hsp_calibration_rows rows_of_output(const hsp_calibration_rows *rows, int64_t k, double *score, int32_t *class) {
    for (int64_t i = 0; i < rows->n; i++) {
        score[i] = rows->score[i * rows->outputs + k];
        class[i] = rows->class[i] == k;
    }
    return (hsp_calibration_rows){.n = rows->n, .outputs = 1, .score = score, .class = class, .weight = rows->weight};
}

static int fit_map(const hsp_calibration_rows *rows, hsp_calibration *c, const char **odd, hsp_error **err) {
    hsp_calibration_pair *pairs = NULL;
    int64_t count = 0;
    const char *remark = NULL;
    int status = c->method->fit(rows, &pairs, &count, &remark, err);
    if (!status && append_map(c, pairs, count)) status = hsp_fail_memory(err);
    if (!*odd) *odd = remark;
    hsp_free(pairs);
    return status;
}

int hsp_calibration_fit(const hsp_calibration_method *method, const hsp_calibration_rows *rows, hsp_calibration *out,
                        const char **odd, hsp_error **err) {
    bool single = method->joint || rows->outputs == 1;
    int64_t maps = single ? 1 : rows->outputs, n = rows->n > 0 ? rows->n : 1;
    double *score = single ? NULL : hsp_alloc(n, sizeof *score);
    int32_t *class = single ? NULL : hsp_alloc(n, sizeof *class);
    *out = (hsp_calibration){.method = method, .begin = hsp_alloc_zero(maps + 1, sizeof *out->begin)};
    *odd = NULL;
    int status = out->begin && (single || (score && class)) ? HSP_OK : hsp_fail_memory(err);
    if (!status && single) status = fit_map(rows, out, odd, err);
    for (int64_t k = 0; !status && !single && k < maps; k++) {
        const hsp_calibration_rows own = rows_of_output(rows, k, score, class);
        status = fit_map(&own, out, odd, err);
    }
    if (!status && !hsp_calibration_fits(out, rows->outputs, out->begin[maps]))
        status = hsp_fail(err, HSP_EINPUT,
                          "the scores are too large or too small to calibrate: use other units, or try --scale standard");
    HSP_FREE(score, class);
    if (status) hsp_calibration_clear(out);
    return status;
}

double hsp_calibration_log_share(const hsp_calibration *c, int64_t k, double g) {
    double p, rest;
    if (c->method->joint) return c->pairs[0][0] * g;
    hsp_calibration_at(c, k, g, &p, &rest);
    return log(p);
}

void hsp_calibration_shares(const hsp_calibration *c, int64_t K, const double *score, double *p) {
    double most = -INFINITY, sum = 0;
    for (int64_t k = 0; k < K; k++) most = fmax(most, p[k] = hsp_calibration_log_share(c, k, score[k]));
    for (int64_t k = 0; k < K; k++) sum += p[k] = isinf(most) ? 1 : exp(p[k] - most);
    for (int64_t k = 0; k < K; k++) p[k] /= sum;
}

bool hsp_calibration_fits(const hsp_calibration *c, int64_t outputs, int64_t count) {
    if (c->maps != (c->method->joint ? 1 : outputs) || c->begin[0] != 0) return false;
    for (int64_t k = 0; k < c->maps; k++) {
        if (c->begin[k + 1] <= c->begin[k] || c->begin[k + 1] > count) return false;
        if (!c->method->knots && c->begin[k + 1] - c->begin[k] != 1) return false;
    }
    if (c->begin[c->maps] != count) return false;
    for (int64_t i = 0; i < count; i++)
        if (!isfinite(c->pairs[i][0]) || !isfinite(c->pairs[i][1])) return false;
    for (int64_t k = 0; k < c->maps; k++)
        if (!c->method->fits(c->pairs + c->begin[k], c->begin[k + 1] - c->begin[k])) return false;
    return true;
}
