#include "predict/explain.h"

#include "base/error.h"
#include "base/memory.h"
#include "data/schema.h"
#include "write/writer.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { NUMBER = 32 }; /* upper bound of the bytes of a number and its comma */

/* Sums of finite products may overflow. */
static double clamp(long double v) {
    if (v != v) return 0;
    return v > (long double)DBL_MAX ? DBL_MAX : v < -(long double)DBL_MAX ? -DBL_MAX : (double)v;
}

static int find_baselines(hsp_explainer *x, hsp_error **err) {
    const hsp_model *m = x->m;
    int64_t d = m->prepare.schema.d;
    x->baseline = hsp_alloc(m->outputs, sizeof *x->baseline);
    if (!x->baseline) return hsp_fail_memory(err);
    for (int64_t k = 0; k < m->outputs; k++) {
        long double sum = (long double)m->b[k];
        for (int64_t j = 0; x->mean && j < d; j++) sum += (long double)m->w[k * d + j] * (long double)x->mean[j];
        x->baseline[k] = clamp(sum);
    }
    return HSP_OK;
}

static int name_features(hsp_explainer *x, hsp_error **err) {
    const hsp_schema *s = &x->m->prepare.schema;
    x->name = hsp_alloc(s->d + 1, sizeof *x->name);
    if (!x->name) return hsp_fail_memory(err);
    x->name[0] = 0;
    for (int64_t j = 0; j < s->d; j++) {
        char buf[32];
        const char *name = hsp_schema_feature(s, j, buf);
        hsp_csv_cell(&x->names, name, (int64_t)strlen(name), ',');
        x->name[j + 1] = x->names.length;
        if (x->name[j + 1] - x->name[j] > x->longest) x->longest = x->name[j + 1] - x->name[j];
    }
    return x->names.failed ? hsp_fail_memory(err) : HSP_OK;
}

int hsp_explainer_init(hsp_explainer *x, const hsp_model *m, int64_t top, hsp_error **err) {
    const hsp_extra *means = hsp_model_extra(m, "feature-means");
    *x = (hsp_explainer){.m = m, .top = top, .mean = means ? means->data : NULL};
    if (top == 0) return HSP_OK;
    if (top > HSP_EXPLAIN_MOST)
        return hsp_fail(err, HSP_EUSAGE, "--explain cannot be %lld: give a number from 1 to %d", (long long)top,
                        HSP_EXPLAIN_MOST);
    if (m->network) return hsp_model_no_weights(m, err);
    int status = find_baselines(x, err);
    return status ? status : name_features(x, err);
}

void hsp_explainer_clear(hsp_explainer *x) {
    HSP_FREE(x->baseline, x->name);
    hsp_text_free(&x->names);
    *x = (hsp_explainer){0};
}

void hsp_explainer_header(const hsp_explainer *x, hsp_text *t) {
    if (x->top == 0) return;
    hsp_text_add(t, ",baseline");
    for (int64_t k = 1; k <= x->top; k++) hsp_text_format(t, ",feature_%lld,contribution_%lld", (long long)k, (long long)k);
    hsp_text_add(t, ",contribution_other");
}

int64_t hsp_explainer_line(const hsp_explainer *x) {
    return x->top == 0 ? 0 : 2 * NUMBER + x->top * (NUMBER + 1 + x->longest);
}

/* The largest contributions so far, in order. */
typedef struct largest {
    hsp_contribution *list;
    int64_t count, most;
    double least; /* a contribution must be larger to be listed */
} largest;

static void insert(largest *l, int64_t feature, double value) {
    double size = fabs(value);
    if (!(size > l->least)) return;
    int64_t at = l->count < l->most ? l->count++ : l->count - 1;
    for (; at > 0 && fabs(l->list[at - 1].value) < size; at--) l->list[at] = l->list[at - 1];
    l->list[at] = (hsp_contribution){feature, value};
    if (l->count == l->most) l->least = fabs(l->list[l->count - 1].value);
}

/* w (x - m), which may overflow. */
static double contribution(double w, double x, double mean) {
    double v = w * (x - mean);
    return isfinite(v) ? v : clamp((long double)w * ((long double)x - (long double)mean));
}

static void add_dense(const hsp_explainer *x, const double *row, int64_t count, const double *w, largest *l) {
    int64_t d = x->m->prepare.schema.d;
    for (int64_t j = 0; j < d; j++) insert(l, j, contribution(w[j], j < count ? row[j] : 0, x->mean ? x->mean[j] : 0));
}

static void add_sparse(const hsp_explainer *x, const uint32_t *id, const double *value, int64_t count, const double *w,
                       largest *l) {
    int64_t d = x->m->prepare.schema.d, t = 0;
    if (!x->mean) {
        for (; t < count && (int64_t)id[t] < d; t++) insert(l, id[t], contribution(w[id[t]], value[t], 0));
        return;
    }
    for (int64_t j = 0; j < d; j++) {
        bool there = t < count && (int64_t)id[t] == j;
        insert(l, j, contribution(w[j], there ? value[t] : 0, x->mean[j]));
        t += there;
    }
}

int64_t hsp_explainer_find(const hsp_explainer *x, const hsp_block *block, int64_t i, int64_t output,
                           hsp_contribution *out) {
    const double *w = x->m->w + output * x->m->prepare.schema.d;
    largest l = {.list = out, .most = x->top};
    if (block->dense) {
        add_dense(x, block->value + i * block->d, block->d, w, &l);
    } else {
        int64_t begin = block->row[i];
        add_sparse(x, block->id + begin, block->value + begin, block->row[i + 1] - begin, w, &l);
    }
    return l.count;
}

static char *put_cell(char *out, double v) {
    *out++ = ',';
    return out + hsp_format_number(v, out);
}

char *hsp_explainer_put(const hsp_explainer *x, const hsp_block *block, int64_t i, int64_t output, double score,
                        char *out) {
    hsp_contribution list[HSP_EXPLAIN_MOST];
    int64_t count = hsp_explainer_find(x, block, i, output, list);
    long double rest = (long double)score - (long double)x->baseline[output];
    out = put_cell(out, x->baseline[output]);
    for (int64_t k = 0; k < x->top; k++) {
        *out++ = ',';
        if (k >= count) { /* no more features have an effect */
            *out++ = ',';
            continue;
        }
        int64_t j = list[k].feature, length = x->name[j + 1] - x->name[j];
        if (length > 0) memcpy(out, x->names.s + x->name[j], (size_t)length);
        out = put_cell(out + length, list[k].value);
        rest -= (long double)list[k].value;
    }
    return put_cell(out, clamp(rest));
}
