/* The studies "roc" and "pr": each class against the rest at every threshold. One pass over the sorted scores for each
 * class; equal scores share a threshold, as in the areas that `evaluate` reports. */
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "data/data.h"
#include "eval/metrics.h"
#include "study/labelled_scores.h"

#include <math.h>

enum { MOST = 2000 }; /* points kept of a curve; more are not visible */

/* A threshold, and the rows at or above it. */
typedef struct threshold_cut {
    double score;
    double positive, negative; /* sums of weights at or above */
} threshold_cut;

typedef struct ranking {
    hsp_labelled_scores g;
    hsp_ranked *ranked, *spare; /* n each */
    threshold_cut *cuts;        /* n + 1, of one curve; thinned in place */
    int64_t count;
    double positives, negatives;
    threshold_cut decided;     /* the rows that the model assigns to the class; without a score */
    double *x, *y, *threshold; /* of all curves; arrays of the study */
    int64_t used;
} ranking;

static void clear_ranking(ranking *r) {
    HSP_FREE(r->ranked, r->spare, r->cuts);
    hsp_labelled_scores_clear(&r->g);
}

/* The model predicts the first class of a tie. Its own point therefore counts predictions, not leads above 0. */
static void rank_scores(ranking *r, int64_t class) {
    const hsp_labelled_scores *g = &r->g;
    r->decided = (threshold_cut){0};
    for (int64_t i = 0; i < g->n; i++) {
        double weight = hsp_labelled_scores_weight(g, i);
        bool positive = g->truth[i] == class;
        r->ranked[i] = (hsp_ranked){hsp_labelled_scores_lead(g, i, class), positive ? weight : 0, positive ? 0 : weight};
        if (g->answer[i] != class) continue;
        r->decided.positive += r->ranked[i].positive;
        r->decided.negative += r->ranked[i].negative;
    }
    hsp_rank_sort(r->ranked, r->spare, g->n);
}

/* ---- roc ---- */

/* Whether b is on the line from a to c; exact for unweighted rows. */
static bool straight(const threshold_cut *a, const threshold_cut *b, const threshold_cut *c) {
    double p = b->positive - a->positive, q = b->negative - a->negative;
    return p * (c->negative - b->negative) == q * (c->positive - b->positive);
}

static void drop_straight(ranking *r) {
    int64_t kept = 1;
    for (int64_t i = 1; i < r->count; i++) {
        bool last = i + 1 == r->count;
        if (last || !straight(&r->cuts[kept - 1], &r->cuts[i], &r->cuts[i + 1])) r->cuts[kept++] = r->cuts[i];
    }
    r->count = kept;
}

static int64_t step_of(const ranking *r, int64_t i) {
    double along = r->cuts[i].positive / r->positives + r->cuts[i].negative / r->negatives;
    return (int64_t)(along * (MOST - 2) / 2);
}

/* Both coordinates increase, so steps of 2/MOST along their sum bound the error by that length. The last point before a
 * long segment is kept too; the steps that the segment skips compensate for it. */
static void thin_roc(ranking *r) {
    if (r->count <= MOST) return;
    int64_t kept = 0, last = -1;
    for (int64_t i = 0; i < r->count; i++) {
        int64_t step = step_of(r, i);
        bool ends = i + 1 == r->count || step_of(r, i + 1) > step + 1;
        if (step != last || ends) r->cuts[kept++] = r->cuts[i];
        last = step;
    }
    r->count = kept;
}

static double put_roc(ranking *r) {
    if (!(r->positives > 0 && r->negatives > 0)) return (double)NAN;
    drop_straight(r);
    thin_roc(r);
    for (int64_t i = 0; i < r->count; i++, r->used++) {
        r->x[r->used] = r->cuts[i].negative / r->negatives;
        r->y[r->used] = r->cuts[i].positive / r->positives;
        r->threshold[r->used] = r->cuts[i].score;
    }
    return hsp_rank_auc(r->ranked, r->g.n);
}

/* ---- precision and recall ---- */

static double precision_of(const threshold_cut *c) {
    return c->positive / (c->positive + c->negative);
}

/* Steps of recall, at most MOST / 4: half of them evenly spaced, half on a logarithmic scale towards recall 1, where good
 * classifiers differ. */
static int64_t recall_step(const ranking *r, int64_t i) {
    const double decades = 4;
    double recall = fmin(r->cuts[i].positive / r->positives, 1), fine = log10(1 / (1 - recall + pow(10, -decades)));
    return (int64_t)((recall + fmax(fine, 0) / decades) / 2 * (MOST / 4));
}

/* Keeps the smallest, the largest and the last precision of every step of recall. */
static void thin_pr(ranking *r) {
    if (r->count <= MOST) return;
    int64_t kept = 0;
    for (int64_t i = 0, next; i < r->count; i = next) {
        int64_t step = recall_step(r, i), least = i, greatest = i;
        for (next = i; next < r->count && recall_step(r, next) == step; next++) {
            if (precision_of(&r->cuts[next]) < precision_of(&r->cuts[least])) least = next;
            if (precision_of(&r->cuts[next]) > precision_of(&r->cuts[greatest])) greatest = next;
        }
        int64_t first = least < greatest ? least : greatest, second = least < greatest ? greatest : least;
        threshold_cut a = r->cuts[first], b = r->cuts[second], c = r->cuts[next - 1];
        r->cuts[kept++] = a;
        if (second > first) r->cuts[kept++] = b;
        if (next - 1 > second) r->cuts[kept++] = c;
    }
    r->count = kept;
}

static double put_pr(ranking *r) {
    if (!(r->positives > 0)) return (double)NAN;
    /* Average precision uses the thresholds at which recall grows; the last of a run of equal precision is enough. */
    int64_t kept = 0;
    double recalled = 0;
    for (int64_t i = 1; i < r->count; i++) {
        if (r->cuts[i].positive <= recalled) continue;
        recalled = r->cuts[i].positive;
        if (kept > 0 && precision_of(&r->cuts[kept - 1]) == precision_of(&r->cuts[i])) kept--;
        r->cuts[kept++] = r->cuts[i];
    }
    r->count = kept;
    thin_pr(r);
    for (int64_t i = 0; i < r->count; i++, r->used++) {
        r->x[r->used] = r->cuts[i].positive / r->positives;
        r->y[r->used] = precision_of(&r->cuts[i]);
        r->threshold[r->used] = r->cuts[i].score;
    }
    return hsp_rank_average_precision(r->ranked, r->g.n);
}

/* ---- both ---- */

typedef struct rank_kind {
    const char *x, *y, *area;
    const char *model_x, *model_y; /* names of the coordinates of the model's own threshold */
    double (*put)(ranking *r);     /* appends a curve and returns its area; NaN and no points if undefined */
    const char *lacking;
} rank_kind;

/* The figures of the curves, one for each. */
typedef struct rank_figures {
    double *begin; /* C + 1 */
    double *area, *model_x, *model_y;
    double *base_rate; /* or NULL */
} rank_figures;

/* Rounding may make the sum of a part exceed that of the whole. NaN for 0 / 0. */
static double share_of(double part, double whole) {
    double share = part / whole;
    return share > 1 ? 1 : share;
}

static int put_curves(ranking *r, const rank_kind *as, const rank_figures *f) {
    bool roc = as->put == put_roc;
    for (int64_t c = 0; c < r->g.curves; c++) {
        if (hsp_cancel_pending()) return HSP_ECANCELLED;
        f->begin[c] = (double)r->used;
        rank_scores(r, hsp_labelled_scores_class(&r->g, c));
        /* All thresholds, in descending order. */
        threshold_cut at = {INFINITY, 0, 0};
        r->count = 0;
        r->cuts[r->count++] = at;
        for (int64_t i = r->g.n - 1, next; i >= 0; i = next) {
            at.score = r->ranked[i].score;
            for (next = i; next >= 0 && r->ranked[next].score == at.score; next--) {
                at.positive += r->ranked[next].positive;
                at.negative += r->ranked[next].negative;
            }
            const threshold_cut *before = &r->cuts[r->count - 1];
            if (at.positive == before->positive && at.negative == before->negative) continue; /* rows of weight 0 */
            r->cuts[r->count++] = at;
        }
        r->positives = at.positive;
        r->negatives = at.negative;
        f->area[c] = as->put(r);
        f->model_x[c] = roc ? share_of(r->decided.negative, r->negatives) : share_of(r->decided.positive, r->positives);
        f->model_y[c] = roc ? share_of(r->decided.positive, r->positives) : precision_of(&r->decided);
        if (f->base_rate) f->base_rate[c] = r->positives / r->g.mass;
    }
    f->begin[r->g.curves] = (double)r->used;
    return HSP_OK;
}

static int add_figures(const rank_kind *as, int64_t C, hsp_study *s, rank_figures *f, hsp_error **err) {
    const struct {
        const char *name;
        double **at;
        int64_t count;
    } list[] = {{"begin", &f->begin, C + 1},
                {as->area, &f->area, C},
                {as->model_x, &f->model_x, C},
                {as->model_y, &f->model_y, C},
                {as->put == put_pr ? "base_rate" : NULL, &f->base_rate, C}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        if (!list[i].name) continue;
        *list[i].at = hsp_study_add(s, list[i].name, list[i].count, 0, err);
        if (!*list[i].at) return HSP_EMEMORY;
    }
    return HSP_OK;
}

static int trace_curves(ranking *r, const rank_kind *as, hsp_study *s, hsp_error **err) {
    int64_t C = r->g.curves, each = r->g.n + 1 < MOST ? r->g.n + 1 : MOST;
    rank_figures f = {0};
    if (add_figures(as, C, s, &f, err)) return HSP_EMEMORY;
    r->x = hsp_study_add(s, as->x, C * each, 0, err);
    r->y = r->x ? hsp_study_add(s, as->y, C * each, 0, err) : NULL;
    r->threshold = r->y ? hsp_study_add(s, "threshold", C * each, 0, err) : NULL;
    if (!r->threshold) return HSP_EMEMORY;
    if (put_curves(r, as, &f)) {
        return hsp_fail(err, HSP_ECANCELLED, "interrupted before the curves were complete");
    }
    hsp_study_shorten(s, as->x, r->used);
    hsp_study_shorten(s, as->y, r->used);
    hsp_study_shorten(s, "threshold", r->used);
    return HSP_OK;
}

static int study_ranks(const hsp_study_input *in, const rank_kind *as, hsp_study *s, hsp_error **err) {
    ranking r = {0};
    int status = hsp_labelled_scores_make(in, true, s, &r.g, err);
    if (!status) {
        int64_t n = r.g.n;
        r.ranked = hsp_alloc(n, sizeof *r.ranked);
        r.spare = hsp_alloc(n, sizeof *r.spare);
        r.cuts = hsp_alloc(n + 1, sizeof *r.cuts);
        status = r.ranked && r.spare && r.cuts ? HSP_OK : hsp_fail_memory(err);
    }
    if (!status) status = trace_curves(&r, as, s, err);
    if (!status && r.used == 0) status = hsp_fail_at(err, HSP_EINPUT, hsp_data_place(in->data), "%s", as->lacking);
    clear_ranking(&r);
    return status;
}

static int run_roc(const hsp_study_input *in, hsp_study *s, hsp_error **err) {
    static const rank_kind roc = {"fpr",
                                  "tpr",
                                  "auc",
                                  "model_fpr",
                                  "model_tpr",
                                  put_roc,
                                  "rows of only one class: a ROC curve needs rows of both classes"};
    return study_ranks(in, &roc, s, err);
}

static int run_pr(const hsp_study_input *in, hsp_study *s, hsp_error **err) {
    static const rank_kind pr = {"recall",
                                 "precision",
                                 "average_precision",
                                 "model_recall",
                                 "model_precision",
                                 put_pr,
                                 "no row of the positive class: give rows of both classes"};
    return study_ranks(in, &pr, s, err);
}

const hsp_study_entry hsp_study_roc = {
    .name = "roc",
    .help = "ROC curve: true against false positive rate at every threshold",
    .needs_model = true,
    .needs_data = true,
    .run = run_roc,
};

const hsp_study_entry hsp_study_pr = {
    .name = "pr",
    .help = "precision-recall curve: precision against recall at every threshold",
    .needs_model = true,
    .needs_data = true,
    .run = run_pr,
};
