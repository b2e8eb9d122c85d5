/* The study "calibration": predicted probabilities against observed frequencies, for each class against the rest, in bins
 * of equal weight. */
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "eval/metrics.h"
#include "model/model.h"
#include "option/options.h"
#include "study/labelled_scores.h"

#include <math.h>

enum { BARS = 20, BINS = 10 };

typedef struct calibration {
    hsp_labelled_scores g;
    double *p;                  /* n x classes */
    hsp_ranked *ranked, *spare; /* n each; the scores are probabilities */
    int64_t bins;
    double *predicted, *observed, *low, *high, *count; /* of all curves; arrays of the study */
    int64_t used;
} calibration;

/* Consecutive rows of similar probability. */
typedef struct bin {
    double mass, hits, squares; /* sums of the weights, of those of the class, of their squares */
    double sum;                 /* weight x probability */
} bin;

static int allocate_curve(calibration *c, hsp_error **err) {
    const hsp_labelled_scores *g = &c->g;
    if (g->n > INT64_MAX / g->classes) return hsp_fail_memory(err);
    c->p = hsp_alloc(g->n * g->classes, sizeof *c->p);
    c->ranked = hsp_alloc(g->n, sizeof *c->ranked);
    c->spare = hsp_alloc(g->n, sizeof *c->spare);
    if (!c->p || !c->ranked || !c->spare) return hsp_fail_memory(err);
    for (int64_t i = 0; i < g->n; i++) hsp_model_probabilities(g->m, g->score + i * g->outputs, c->p + i * g->classes);
    return HSP_OK;
}

static void clear_calibration(calibration *c) {
    HSP_FREE(c->p, c->ranked, c->spare);
    hsp_labelled_scores_clear(&c->g);
}

/* The 95 % Wilson interval of a proportion. Weighted rows enter with their effective sample size. */
static void put_interval(calibration *c, double share, const bin *b) {
    const double z = 1.959963984540054, n = b->mass * b->mass / b->squares;
    double middle = (share + z * z / (2 * n)) / (1 + z * z / n);
    double half = z / (1 + z * z / n) * sqrt(share * (1 - share) / n + z * z / (4 * n * n));
    c->low[c->used] = fmin(share, fmax(0, middle - half));
    c->high[c->used] = fmax(share, fmin(1, middle + half));
}

/* Returns the contribution of the bin to the expected calibration error. */
static double put_bin(calibration *c, const bin *b) {
    double predicted = fmin(1, b->sum / b->mass), observed = fmin(1, b->hits / b->mass);
    c->predicted[c->used] = predicted;
    c->observed[c->used] = observed;
    c->count[c->used] = b->mass;
    put_interval(c, observed, b);
    c->used++;
    return b->mass / c->g.mass * fabs(predicted - observed);
}

/* Rows of equal probability share a bin, so there may be fewer bins than requested. */
static double put_curve(calibration *c) {
    bin b = {0};
    double done = 0, ece = 0;
    int64_t n = c->g.n, closed = 0;
    for (int64_t i = 0, next; i < n; i = next) {
        for (next = i; next < n && c->ranked[next].score == c->ranked[i].score; next++) {
            double weight = c->ranked[next].positive + c->ranked[next].negative;
            b.mass += weight;
            b.squares += weight * weight;
            b.hits += c->ranked[next].positive;
            b.sum += weight * c->ranked[next].score;
            done += weight;
        }
        double due = done / c->g.mass * (double)c->bins;
        if (b.mass <= 0 || (next < n && due < (double)(closed + 1))) continue;
        ece += put_bin(c, &b);
        b = (bin){0};
        closed = (int64_t)floor(due);
    }
    return ece;
}

/* Ranks the rows by the probability of the class and counts them in bars of equal width. */
static void rank_rows(calibration *c, int64_t class, double *bars) {
    const hsp_labelled_scores *g = &c->g;
    for (int64_t i = 0; i < g->n; i++) {
        double weight = hsp_labelled_scores_weight(g, i), p = c->p[i * g->classes + class];
        bool positive = g->truth[i] == class;
        c->ranked[i] = (hsp_ranked){p, positive ? weight : 0, positive ? 0 : weight};
        int64_t bar = (int64_t)(p * BARS);
        bars[bar < BARS ? bar : BARS - 1] += weight;
    }
    hsp_rank_sort(c->ranked, c->spare, g->n);
}

static double brier_of(const calibration *c) {
    const hsp_labelled_scores *g = &c->g;
    double sum = 0;
    for (int64_t i = 0; i < g->n; i++) {
        double square = 0;
        for (int64_t l = 0; l < g->curves; l++) {
            int64_t k = hsp_labelled_scores_class(g, l);
            double apart = c->p[i * g->classes + k] - (g->truth[i] == k ? 1 : 0);
            square += apart * apart;
        }
        sum += hsp_labelled_scores_weight(g, i) * square;
    }
    return sum / g->mass;
}

static int add_arrays(calibration *c, hsp_study *s, hsp_error **err) {
    int64_t room = c->g.curves * (c->bins + 1); /* one more: rounding may leave a small last bin */
    const struct {
        const char *name;
        double **at;
    } list[] = {{"predicted", &c->predicted},
                {"observed", &c->observed},
                {"low", &c->low},
                {"high", &c->high},
                {"count", &c->count}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        *list[i].at = hsp_study_add(s, list[i].name, room, 0, err);
        if (!*list[i].at) return HSP_EMEMORY;
    }
    return HSP_OK;
}

static int put_curves(calibration *c, hsp_study *s, hsp_error **err) {
    int64_t C = c->g.curves;
    double *begin = hsp_study_add(s, "begin", C + 1, 0, err);
    double *ece = begin ? hsp_study_add(s, "ece", C, 0, err) : NULL;
    double *edges = ece ? hsp_study_add(s, "edges", BARS + 1, 0, err) : NULL;
    double *bars = edges ? hsp_study_add(s, "histogram", C, BARS, err) : NULL;
    if (!bars || add_arrays(c, s, err)) return HSP_EMEMORY;
    for (int i = 0; i <= BARS; i++) edges[i] = (double)i / BARS;
    for (int64_t k = 0; k < C; k++) {
        if (hsp_cancel_pending()) return hsp_fail(err, HSP_ECANCELLED, "interrupted before the curves were complete");
        begin[k] = (double)c->used;
        rank_rows(c, hsp_labelled_scores_class(&c->g, k), bars + k * BARS);
        ece[k] = put_curve(c);
    }
    begin[C] = (double)c->used;
    hsp_study_shorten(s, "predicted", c->used);
    hsp_study_shorten(s, "observed", c->used);
    hsp_study_shorten(s, "low", c->used);
    hsp_study_shorten(s, "high", c->used);
    hsp_study_shorten(s, "count", c->used);
    return hsp_study_set(s, "brier", brier_of(c), err);
}

static int study_calibration(const hsp_study_input *in, hsp_study *s, hsp_error **err) {
    const hsp_model *m = in->model;
    calibration c = {.bins = hsp_options_int(in->o, "bins", BINS)};
    if (!hsp_model_has_probabilities(m) && !m->prepare.regression) return hsp_model_no_probabilities(m, err);
    int status = hsp_labelled_scores_make(in, true, s, &c.g, err);
    if (!status) status = allocate_curve(&c, err);
    if (!status) status = put_curves(&c, s, err);
    clear_calibration(&c);
    return status;
}

const hsp_study_entry hsp_study_calibration = {
    .name = "calibration",
    .help = "predicted probabilities against observed frequencies",
    .needs_model = true,
    .needs_data = true,
    .run = study_calibration,
};
