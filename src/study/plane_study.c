/* The study "plane": the two axes of a scatter plot. One or two features are plotted as they are. With more features the
 * axes are the requested features (the others at their means), the two most influential for the model, the discriminant
 * plane, or the principal components. Except for requested features, the other features take their expected values at
 * (u, v), by least squares over the rows: a plane through the data. A plane that fixes them at their means may be far from
 * every row, and may even show the classes on the wrong sides. */
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "data/data.h"
#include "model/model.h"
#include "network/network.h"
#include "option/options.h"
#include "prepare/prepare.h"
#include "study/plane.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- features and their names ---- */

static const char *label_of(const hsp_plane *p, int64_t j, char *buf) {
    const hsp_model *m = p->in->model;
    const char *name = hsp_data_feature_name(p->in->data, j);
    if (!m) return hsp_data_feature_label(p->in->data, j, buf);
    return name && !hsp_model_feature_name(m, j) ? name : hsp_model_feature_label(m, j, buf);
}

static int unknown_feature(const hsp_plane *p, const char *option, const char *text, hsp_error **err) {
    int nearest = INT32_MAX;
    int64_t best = -1;
    char buf[32], wanted[HSP_EXCERPT], meant[HSP_EXCERPT];
    int64_t length = (int64_t)strlen(text);
    for (int64_t j = 0; j < p->d; j++) {
        const char *label = label_of(p, j, buf);
        int64_t other = label ? (int64_t)strlen(label) : 0;
        if (!label || other > length + 4 || other < length - 4) continue;
        int distance = hsp_text_distance(text, label);
        if (distance >= nearest) continue;
        nearest = distance;
        best = j;
    }
    hsp_excerpt(wanted, text, length);
    double number;
    bool counted = hsp_parse_number(text, (size_t)length, &number) == HSP_OK;
    if (!counted && best >= 0 && nearest <= 2 + length / 4) {
        const char *label = label_of(p, best, buf);
        return hsp_fail(err, HSP_EUSAGE, "--%s: unknown feature '%s': did you mean '%s'?", option, wanted,
                        hsp_excerpt(meant, label, (int64_t)strlen(label)));
    }
    return hsp_fail(err, HSP_EUSAGE, "--%s: unknown feature '%s': give a name, or a number from 1 to %" PRId64, option,
                    wanted, p->d);
}

/* Finds a feature by its name, else by its number; *j is -1 when the option is not given. */
static int find_feature(const hsp_plane *p, const char *option, int64_t *j, hsp_error **err) {
    const char *text = hsp_options_text(p->in->o, option);
    char buf[32];
    double number;
    *j = -1;
    if (!text || !*text) return HSP_OK;
    for (int64_t k = 0; k < p->d; k++) {
        const char *label = label_of(p, k, buf);
        if (!label || strcmp(label, text) != 0) continue;
        *j = k;
        return HSP_OK;
    }
    if (hsp_parse_number(text, strlen(text), &number) == HSP_OK && number == floor(number) && number >= 1 &&
        number <= (double)p->d) {
        *j = (int64_t)number - 1;
        return HSP_OK;
    }
    return unknown_feature(p, option, text, err);
}

/* ---- influence of the features ---- */

/* How much feature j can separate the scores: the range of its weights over the classes times its standard deviation. A
 * weight that all classes share favours none. Without a model: the standard deviation. */
static double influence(const hsp_plane *p, int64_t j) {
    const hsp_model *m = p->in->model;
    if (p->influence) return p->sd[j] > 0 ? p->influence[j] : 0;
    if (!m) return p->sd[j];
    if (m->network) return hsp_network_influence(m->network, j) * p->sd[j];
    double least = m->w[j], most = least;
    if (m->outputs == 1) least = fmin(least, 0), most = fmax(most, 0); /* the score of the other class is 0 */
    for (int64_t k = 1; k < m->outputs; k++) {
        least = fmin(least, m->w[k * p->d + j]);
        most = fmax(most, m->w[k * p->d + j]);
    }
    double size = (most - least) * p->sd[j];
    return isnan(size) ? 0 : size; /* overflow */
}

/* The feature with the largest influence except `not`; the first of equals. */
static int64_t most_influential(const hsp_plane *p, int64_t not ) {
    int64_t best = -1;
    double most = -1;
    for (int64_t j = 0; j < p->d; j++) {
        double size = j == not ? -1 : influence(p, j);
        if (size <= most) continue;
        most = size;
        best = j;
    }
    return best;
}

/* ---- methods ---- */

static int describe_feature(const hsp_plane *p, hsp_study *s, int64_t j, hsp_error **err) {
    char buf[32];
    return hsp_study_add_text(s, "axes", label_of(p, j, buf), err);
}

/* Uses features x and y (-1: only x), with the others at their means. */
static int take_features(hsp_plane *p, hsp_study *s, const char *method, int64_t x, int64_t y, hsp_error **err) {
    p->method = method;
    hsp_plane_feature(p, x, p->u);
    memcpy(p->lift, p->mean, (size_t)p->d * sizeof *p->lift);
    p->lift[x] = 0;
    p->lift[p->d + x] = 1;
    int status = describe_feature(p, s, x, err);
    if (status || y < 0) return status;
    hsp_plane_feature(p, y, p->v);
    p->lift[y] = 0;
    p->lift[2 * p->d + y] = 1;
    return describe_feature(p, s, y, err);
}

/* Whether feature k is an affine function of feature j and adds nothing to a plot, like "no" and "yes" of one column.
 * Overwrites u and v. */
static bool repeats(const hsp_plane *p, int64_t j, int64_t k) {
    long double uu = 0, uv = 0, vv = 0;
    hsp_plane_feature(p, j, p->u);
    hsp_plane_feature(p, k, p->v);
    for (int64_t i = 0; i < p->n; i++) {
        long double u = (long double)p->u[i] - p->mean[j], v = (long double)p->v[i] - p->mean[k];
        uu += u * u;
        uv += u * v;
        vv += v * v;
    }
    return uv * uv > (1 - 1e-9L) * uu * vv;
}

enum { MOST_REPEATED = 8 }; /* features that may be skipped */

/* The most influential feature that does not repeat the first. Repeats are excluded by setting their deviation to 0. */
static int64_t second_influential(hsp_plane *p, int64_t first) {
    int64_t next = most_influential(p, first), second = next;
    for (int t = 0; t < MOST_REPEATED && influence(p, second) > 0; t++) {
        if (!repeats(p, first, second)) return second;
        p->sd[second] = 0;
        second = most_influential(p, first);
    }
    return next;
}

/* Orders the two features by column. */
static int take_influence(hsp_plane *p, hsp_study *s, hsp_error **err) {
    int64_t first = most_influential(p, -1), second = second_influential(p, first);
    int64_t x = first < second ? first : second, y = first < second ? second : first;
    int status = take_features(p, s, "influence", x, y, err);
    if (status) return status;
    return hsp_plane_lift(p) ? hsp_fail_memory(err) : HSP_OK;
}

static int take_components(hsp_plane *p, hsp_study *s, hsp_error **err) {
    double *const out[] = {p->u, p->v};
    const hsp_model *m = p->in->model;
    p->method = "pca";
    int status = hsp_plane_components(p, m ? m->prepare.factor : NULL, NULL, 2, out, p->share, err);
    if (!status) status = hsp_study_add_text(s, "axes", "first principal component", err);
    if (!status) status = hsp_study_add_text(s, "axes", "second principal component", err);
    if (!status && hsp_plane_lift(p)) status = hsp_fail_memory(err);
    return status;
}

/* The second axis: the first principal component of the standardised columns after projecting out the first axis. */
static int take_rest(hsp_plane *p, hsp_study *s, hsp_error **err) {
    double *scale = hsp_alloc(p->d, sizeof *scale), share;
    double *const out[] = {p->v};
    if (!scale) return hsp_fail_memory(err);
    for (int64_t j = 0; j < p->d; j++) scale[j] = p->sd[j] > 0 && isfinite(1 / p->sd[j]) ? 1 / p->sd[j] : 0;
    int status = hsp_plane_components(p, scale, p->u, 1, out, &share, err);
    if (!status) status = hsp_study_add_text(s, "axes", "principal component of the rest", err);
    hsp_free(scale);
    return status;
}

/* The matrix has d x d numbers. */
enum { MOST_LDA_FEATURES = 8000 };

static int train_lda(const hsp_plane *p, hsp_model **m, hsp_error **err) {
    const hsp_study_input *in = p->in;
    hsp_options *o = NULL;
    *m = NULL;
    if (!in->data->y || in->data->classes.count < 2)
        return hsp_fail(err, HSP_EUSAGE, "--project lda needs rows of at least two classes: use --project pca");
    if (p->x->d > MOST_LDA_FEATURES)
        return hsp_fail(err, HSP_EUSAGE,
                        "--project lda needs the covariances of all %" PRId64
                        " features, which are too many: use --project pca",
                        p->x->d);
    int status = hsp_options_new(&o, err);
    if (!status) status = hsp_options_set(o, "algorithm", "lda", err);
    if (!status) status = hsp_options_set_int(o, "threads", in->threads, err);
    if (!status) status = hsp_train(in->data, o, NULL, m, NULL, err);
    hsp_options_free(o);
    return status;
}

static int take_discriminants(hsp_plane *p, hsp_study *s, hsp_error **err) {
    hsp_model *m = NULL;
    p->method = "lda";
    int status = train_lda(p, &m, err);
    const hsp_extra *V = m ? hsp_model_extra(m, "directions") : NULL;
    const hsp_extra *offset = m ? hsp_model_extra(m, "direction-offsets") : NULL;
    if (!status && (!V || !offset))
        status =
            hsp_fail(err, HSP_EINPUT, "the class means are equal, so there is no discriminant plane: use --project pca");
    if (!status) {
        hsp_plane_project(p, V->data, V->columns, offset->data[0], p->u);
        status = hsp_study_add_text(s, "axes", V->rows > 1 ? "first discriminant" : "discriminant", err);
    }
    if (!status && V->rows > 1) {
        hsp_plane_project(p, V->data + V->columns, V->columns, offset->data[1], p->v);
        status = hsp_study_add_text(s, "axes", "second discriminant", err);
    } else if (!status) {
        status = take_rest(p, s, err);
    }
    if (!status && hsp_plane_lift(p)) status = hsp_fail_memory(err);
    hsp_model_free(m);
    return status;
}

/* ---- the study ---- */

/* Columns missing in the matrix are 0 in every row. */
static int measure_columns(hsp_plane *p, hsp_error **err) {
    hsp_column_stats stats;
    p->mean = hsp_alloc_zero(p->d, sizeof *p->mean);
    p->sd = hsp_alloc_zero(p->d, sizeof *p->sd);
    if (!p->mean || !p->sd || hsp_column_stats_fit(p->x, &stats)) return hsp_fail_memory(err);
    int64_t both = p->d < p->x->d ? p->d : p->x->d;
    memcpy(p->mean, stats.mean, (size_t)both * sizeof *p->mean);
    memcpy(p->sd, stats.sd, (size_t)both * sizeof *p->sd);
    hsp_column_stats_clear(&stats);
    return HSP_OK;
}

static int choose_plane(hsp_plane *p, hsp_study *s, hsp_error **err) {
    const hsp_options *o = p->in->o;
    bool lda = hsp_options_is(o, "plane", "lda"), pca = hsp_options_is(o, "plane", "pca");
    int64_t x, y;
    int status = find_feature(p, "x", &x, err);
    if (!status) status = find_feature(p, "y", &y, err);
    if (status) return status;
    if ((lda || pca) && (x >= 0 || y >= 0))
        return hsp_fail(err, HSP_EUSAGE, "--project %s has axes of its own: leave --x and --y out", lda ? "lda" : "pca");
    if (x >= 0 || y >= 0) {
        if (x == y) return hsp_fail(err, HSP_EUSAGE, "--x and --y name the same feature: choose two");
        if (p->d == 1 && y >= 0)
            return hsp_fail(err, HSP_EUSAGE,
                            "--y: there is only one feature, which is on the horizontal axis: leave --y out");
        if (x < 0) x = most_influential(p, y);
        if (y < 0 && p->d > 1) y = most_influential(p, x);
        return take_features(p, s, "chosen", x, y, err);
    }
    if (p->d == 1) return take_features(p, s, "features", 0, -1, err);
    if (lda) return take_discriminants(p, s, err);
    if (p->d == 2 && !pca) return take_features(p, s, "features", 0, 1, err);
    return pca || !(p->in->model || p->influence) ? take_components(p, s, err) : take_influence(p, s, err);
}

int hsp_plane_choose(hsp_plane *p, hsp_study *s, hsp_error **err) {
    p->share[0] = p->share[1] = NAN;
    p->u = hsp_study_add_quiet(s, "u", p->n, 0, err);
    p->v = p->u ? hsp_study_add_quiet(s, "v", p->n, 0, err) : NULL;
    p->lift = p->v ? hsp_study_add_quiet(s, "lift", 3, p->d, err) : NULL;
    int status = p->lift ? measure_columns(p, err) : HSP_EMEMORY;
    if (!status) status = choose_plane(p, s, err);
    if (!status) status = hsp_study_set(s, "dimensions", p->dimensions, err);
    if (!status) status = hsp_study_set(s, "features", (double)p->d, err);
    if (!status && isfinite(p->share[0])) status = hsp_study_set(s, "share_u", p->share[0], err);
    if (!status && isfinite(p->share[1])) status = hsp_study_set(s, "share_v", p->share[1], err);
    if (!status) status = hsp_study_add_text(s, "method", p->method, err);
    return status;
}

static int study_plane(const hsp_study_input *in, hsp_study *s, hsp_error **err) {
    hsp_plane p = {.in = in, .x = &in->data->x, .n = in->data->x.n};
    p.d = in->model ? in->model->prepare.schema.d : p.x->d;
    p.dimensions = p.d > 1 ? 2 : 1;
    if (p.d < 1) return hsp_fail(err, HSP_EINPUT, "no features to draw: give at least one");
    if (p.n < 1) return hsp_fail(err, HSP_EINPUT, "no rows to draw: give a file with data");
    if (p.x->dense && p.x->d != p.d)
        return hsp_fail_at(err, HSP_EINPUT, hsp_data_place(in->data),
                           "%" PRId64 " features, but the model has %" PRId64
                           ": give data with the features of the training data",
                           p.x->d, p.d);
    int status = hsp_plane_choose(&p, s, err);
    HSP_FREE(p.mean, p.sd);
    return status;
}

const hsp_study_entry hsp_study_plane = {
    .name = "plane",
    .help = "the plane of a boundary plot, and the expected row at each of its points",
    .needs_data = true,
    .run = study_plane,
};
