#include "study/class_gaussians.h"

#include "model/model.h"
#include "prepare/prepare.h"

#include <math.h>
#include <string.h>

enum { POINTS = 301 };

/* ---- the plane ---- */

/* With equal covariances, as lda has them: the mean of both, by their degrees of freedom. */
static bool pool_covariances(const hsp_model *m, double *S) {
    const hsp_extra *mass = hsp_model_extra(m, "class-mass");
    if (!mass || !(mass->data[0] + mass->data[1] > 2)) return false;
    double a = mass->data[0] - 1, b = mass->data[1] - 1;
    for (int k = 0; k < 4; k++) S[k] = S[4 + k] = (a * S[k] + b * S[4 + k]) / (a + b);
    return true;
}

static int add_covariances(const hsp_model *m, hsp_study *s, hsp_error **err) {
    const hsp_extra *from = hsp_model_extra(m, "class-covariances");
    bool lda = strcmp(m->algorithm, "lda") == 0, fisher = strcmp(m->algorithm, "fisher") == 0;
    double S[8];
    if (!from || !(lda || fisher)) return HSP_OK;
    memcpy(S, from->data, sizeof S);
    if (lda && !pool_covariances(m, S)) return HSP_OK;
    double *to = hsp_study_add(s, "plane_covariances", 2, 4, err);
    if (!to) return HSP_EMEMORY;
    memcpy(to, S, sizeof S);
    return hsp_study_set(s, "pooled", lda, err);
}

static int add_plane(const hsp_model *m, hsp_study *s, hsp_error **err) {
    const hsp_extra *mean = hsp_model_extra(m, "class-means");
    double *to = hsp_study_add(s, "plane_means", 2, 2, err);
    if (!to) return HSP_EMEMORY;
    memcpy(to, mean->data, 4 * sizeof *to);
    double *w = hsp_study_add(s, "plane_weights", 3, 0, err);
    if (!w) return HSP_EMEMORY;
    w[0] = m->w[0], w[1] = m->w[1], w[2] = m->b[0];
    return add_covariances(m, s, err);
}

/* ---- densities ---- */

typedef struct densities {
    double *at, *density, *expected, *posterior; /* POINTS; 2 x POINTS each */
    double mean[2], sd;
} densities;

/* Under the model z = w.x / |w| is normal in each class, with mean w.mu_k / |w| and one variance. As w = S^-1 (mu+ - mu-),
 *     w' S w = w.(mu+ - mu-),
 * whatever S is. */
static bool find_normals(const hsp_model *m, long double norm, densities *t) {
    const hsp_extra *mean = hsp_model_extra(m, "class-means");
    int64_t d = m->prepare.schema.d, plus = m->prepare.positive;
    long double dot[2] = {0, 0};
    for (int k = 0; k < 2; k++)
        for (int64_t j = 0; j < d; j++) dot[k] += (long double)m->w[j] * mean->data[k * d + j];
    long double variance = (dot[plus] - dot[1 - plus]) / (norm * norm);
    t->mean[0] = (double)(dot[0] / norm);
    t->mean[1] = (double)(dot[1] / norm);
    t->sd = (double)sqrtl(variance);
    return variance > 0 && isfinite(t->sd) && isfinite(t->mean[0]) && isfinite(t->mean[1]);
}

static double normal(double z, double mean, double sd) {
    double t = (z - mean) / sd;
    return exp(-t * t / 2) / (sd * sqrt(2 * acos(-1)));
}

static int add_densities(const hsp_study_input *in, long double norm, const double *edges, int64_t bins, hsp_study *s,
                         hsp_error **err) {
    const hsp_model *m = in->model;
    densities t;
    if (!find_normals(m, norm, &t)) return HSP_OK;
    t.at = hsp_study_add(s, "density_at", POINTS, 0, err);
    t.density = t.at ? hsp_study_add(s, "density", 2, POINTS, err) : NULL;
    t.expected = t.density ? hsp_study_add(s, "expected", 2, POINTS, err) : NULL;
    t.posterior = t.expected ? hsp_study_add(s, "posterior", 2, POINTS, err) : NULL;
    if (!t.posterior) return HSP_EMEMORY;
    double mass[2] = {0, 0}, width = (edges[bins] - edges[0]) / (double)bins, lo = edges[0] - width, hi = edges[bins] + width;
    for (int64_t i = 0; i < in->data->x.n; i++) {
        const char *label = in->data->classes.name[in->data->y[i]];
        int64_t k = hsp_prepare_class(&m->prepare, label, (int64_t)strlen(label));
        if (k == 0 || k == 1) mass[k] += in->data->weight ? in->data->weight[i] : 1;
    }
    for (int64_t i = 0; i < POINTS; i++) {
        double z = lo + (hi - lo) * (double)i / (POINTS - 1), p[2], g = (double)(norm * z + m->b[0]);
        t.at[i] = z;
        hsp_model_probabilities(m, &g, p);
        for (int k = 0; k < 2; k++) {
            t.density[k * POINTS + i] = normal(z, t.mean[k], t.sd);
            t.expected[k * POINTS + i] = mass[k] * width * t.density[k * POINTS + i];
            t.posterior[k * POINTS + i] = p[k];
        }
    }
    return hsp_study_set(s, "density_sd", t.sd, err);
}

int hsp_class_gaussians_add(const hsp_study_input *in, long double norm, const double *edges, int64_t bins, hsp_study *s,
                            hsp_error **err) {
    const hsp_model *m = in->model;
    int status = HSP_OK;
    if (!hsp_model_extra(m, "class-means") || m->prepare.positive < 0) return HSP_OK;
    if (m->prepare.schema.d == 2 && in->data->x.d == 2) status = add_plane(m, s, err);
    if (!status && strcmp(m->algorithm, "lda") == 0 && m->link == HSP_LINK_LOGISTIC)
        status = add_densities(in, norm, edges, bins, s, err);
    return status;
}
