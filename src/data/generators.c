/* The generators. Of two classes, class 0 has the label 1 and class 1 the label -1; of more, labels are 1, 2, ... . The
 * driver rounds numbers to six decimals, unless a generator sets as_made. */
#include "base/memory.h"
#include "base/rng.h"
#include "data/generate.h"

#include <math.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

static double between(hsp_rng *r, double a, double b) {
    return a + (b - a) * hsp_rng_uniform(r);
}

static void add_noise(hsp_recipe *r, double *x) {
    if (r->noise == 0) return;
    for (int64_t j = 0; j < r->d; j++) x[j] += r->noise * hsp_rng_normal(&r->rng);
}

/* ---- squares: the two overlapping squares of the lecture notes ---- */

static int64_t squares(hsp_recipe *r, int64_t i, double *x, uint32_t *id, int64_t *k) {
    (void)id;
    *k = i >= (r->n + 1) / 2;
    for (int64_t j = 0; j < 2; j++) x[j] = *k == 0 ? between(&r->rng, -1, 10) : between(&r->rng, -10, 1);
    add_noise(r, x);
    return 2;
}

/* ---- blobs: normal clouds ---- */

/* Centres are on a circle in the first two columns, with neighbours at least five apart, and normal in the other columns;
 * with one column, on a line. */
static int blobs_begin(hsp_recipe *r) {
    double *centre = r->state = hsp_alloc(r->classes * r->d, sizeof *centre);
    if (!centre) return HSP_EMEMORY;
    double radius = fmax(4, 2.5 / sin(PI / (double)r->classes));
    for (int64_t k = 0; k < r->classes; k++, centre += r->d) {
        double angle = PI / 4 + 2 * PI * (double)k / (double)r->classes;
        centre[0] = radius * cos(angle);
        if (r->d == 1)
            centre[0] = 4 * (double)(r->classes - 1 - 2 * k);
        else
            centre[1] = radius * sin(angle);
        for (int64_t j = 2; j < r->d; j++) centre[j] = hsp_rng_normal(&r->rng);
    }
    return 0;
}

static int64_t blobs(hsp_recipe *r, int64_t i, double *x, uint32_t *id, int64_t *k) {
    (void)id;
    *k = i % r->classes;
    memcpy(x, r->state + *k * r->d, (size_t)r->d * sizeof *x);
    add_noise(r, x);
    return r->d;
}

/* ---- shapes that no line separates ---- */

static int64_t xor_clouds(hsp_recipe *r, int64_t i, double *x, uint32_t *id, int64_t *k) {
    (void)id;
    *k = i % 2;
    x[0] = hsp_rng_below(&r->rng, 2) ? 1 : -1;
    x[1] = *k == 0 ? -x[0] : x[0];
    add_noise(r, x);
    return 2;
}

static int64_t moons(hsp_recipe *r, int64_t i, double *x, uint32_t *id, int64_t *k) {
    (void)id;
    double t = between(&r->rng, 0, PI);
    *k = i % 2;
    x[0] = *k == 0 ? cos(t) : 1 - cos(t);
    x[1] = *k == 0 ? sin(t) : 0.5 - sin(t);
    add_noise(r, x);
    return 2;
}

static int64_t circles(hsp_recipe *r, int64_t i, double *x, uint32_t *id, int64_t *k) {
    (void)id;
    double t = between(&r->rng, 0, 2 * PI);
    *k = i % 2;
    double radius = *k == 0 ? 0.5 : 1;
    x[0] = radius * cos(t);
    x[1] = radius * sin(t);
    add_noise(r, x);
    return 2;
}

/* Two arms of one and a half turns, one of them half a turn ahead. The root spreads the points evenly along an arm. */
static int64_t spirals(hsp_recipe *r, int64_t i, double *x, uint32_t *id, int64_t *k) {
    (void)id;
    double t = sqrt(between(&r->rng, 0.01, 1));
    *k = i % 2;
    double angle = 3 * PI * t + (*k == 0 ? 0 : PI);
    x[0] = t * cos(angle);
    x[1] = t * sin(angle);
    add_noise(r, x);
    return 2;
}

/* ---- linear: a number to predict ---- */

/* y = 1 + 2 x1 - x2 + 2 x3 - x4 + ... + noise: the right weights are known. */
static int64_t linear(hsp_recipe *r, int64_t i, double *x, uint32_t *id, int64_t *k) {
    (void)i;
    (void)id;
    *k = 0;
    r->target = 1 + r->noise * hsp_rng_normal(&r->rng);
    for (int64_t j = 0; j < r->d; j++) {
        x[j] = round(between(&r->rng, -10, 10) * 1e6) / 1e6; /* as it will be written */
        r->target += j % 2 == 0 ? 2 * x[j] : -x[j];
    }
    return r->d;
}

/* ---- sparse: counts of words ---- */

/* A word is floor(exp(U log(d+1))) with U uniform. Word k then has the probability
 *     log((k+1)/k) / log(d+1)
 * which is close to Zipf's 1/k and needs no table. state: the hidden weights of words 1 .. d (30 % are not 0, the 20 most
 * frequent always are), then the mean weight of a drawn word. */
enum { LEAST_WORDS = 35, MOST_WORDS = 85, COMMON_WORDS = 20 };

static int sparse_begin(hsp_recipe *r) {
    double *w = r->state = hsp_alloc(r->d + 1, sizeof *w);
    if (!w) return HSP_EMEMORY;
    int64_t common = r->d > 4 * COMMON_WORDS ? COMMON_WORDS : 0;
    double mean = 0;
    for (int64_t k = 1; k <= r->d; k++) {
        bool counts = hsp_rng_below(&r->rng, 10) < 3 && k > common;
        w[k - 1] = counts ? hsp_rng_normal(&r->rng) : 0;
        mean += w[k - 1] * log1p(1 / (double)k) / log((double)r->d + 1);
    }
    w[r->d] = mean;
    return 0;
}

static const uint32_t NO_WORD = UINT32_MAX; /* ends a sorted row */

/* Words increase with their draws u, which are uniform: a counting sort by u brings each word near its place, and an
 * insertion sort does the rest. */
static void sort_words(const uint32_t *drawn, const double *u, int64_t n, uint32_t *word) {
    uint8_t place[MOST_WORDS], begin[MOST_WORDS + 1] = {0};
    for (int64_t t = 0; t < n; t++) {
        place[t] = (uint8_t)(u[t] * (double)n); /* below n, since u <= 1 - 2^-53 and n is small */
        begin[place[t] + 1]++;
    }
    for (int64_t t = 0; t < n; t++) begin[t + 1] = (uint8_t)(begin[t + 1] + begin[t]);
    for (int64_t t = 0; t < n; t++) word[begin[place[t]]++] = drawn[t];
    for (int64_t t = 1; t < n; t++) {
        uint32_t w = word[t];
        int64_t j = t;
        for (; j > 0 && word[j - 1] > w; j--) word[j] = word[j - 1];
        word[j] = w;
    }
    word[n] = NO_WORD;
}

static int64_t sparse(hsp_recipe *r, int64_t i, double *x, uint32_t *id, int64_t *k) {
    (void)i;
    uint32_t drawn[MOST_WORDS], word[MOST_WORDS + 1];
    double u[MOST_WORDS];
    int64_t words = LEAST_WORDS + hsp_rng_below(&r->rng, MOST_WORDS - LEAST_WORDS + 1);
    double score = -(double)words * r->state[r->d] + r->noise * hsp_rng_normal(&r->rng), scale = log((double)r->d + 1);
    for (int64_t t = 0; t < words; t++) {
        u[t] = hsp_rng_uniform(&r->rng);
        uint32_t w = (uint32_t)exp(u[t] * scale);
        drawn[t] = w < 1 ? 1 : w > r->d ? (uint32_t)r->d : w; /* the end may round up */
        score += r->state[drawn[t] - 1];
    }
    sort_words(drawn, u, words, word);
    *k = !(score > 0);
    /* Equal words become one entry with their count. */
    int64_t count = 0, first = 0;
    for (int64_t t = 0; t < words; t++) {
        if (word[t + 1] == word[t]) continue;
        id[count] = word[t];
        x[count++] = (double)(t + 1 - first);
        first = t + 1;
    }
    return count;
}

/* ---- decimals: numbers that are long to write ---- */

/* state: the weights of the plane between the classes. */
static int decimals_begin(hsp_recipe *r) {
    double *w = r->state = hsp_alloc(r->d, sizeof *w);
    if (!w) return HSP_EMEMORY;
    for (int64_t j = 0; j < r->d; j++) w[j] = hsp_rng_normal(&r->rng);
    return 0;
}

static int64_t decimals(hsp_recipe *r, int64_t i, double *x, uint32_t *id, int64_t *k) {
    (void)i;
    (void)id;
    double score = r->noise * hsp_rng_normal(&r->rng);
    for (int64_t j = 0; j < r->d; j++) {
        /* Between 1 and 2 doubles are denser than decimals of 16 digits. Numbers that 16 digits can express are redrawn. */
        double size;
        do size = 1 + hsp_rng_uniform(&r->rng);
        while (nearbyint(size * 1e15) / 1e15 == size);
        x[j] = hsp_rng_next(&r->rng) >> 63 ? -size : size;
        score += r->state[j] * x[j];
    }
    *k = !(score > 0);
    return r->d;
}

/* ---- correlated: columns that share hidden factors ---- */

/* Each column is a mixture of the factors plus its own noise, so that X'X is far from diagonal. The score is linear in the
 * row, with standard deviation SPREAD and mean LEAN, and the class is drawn: positive with the probability
 *     1 / (1 + exp(-score))
 * The classes overlap, and the maximum-likelihood plane is well determined. state: the loadings of column 1 on the factors,
 * of column 2, ...; then the weights of the score. */
enum { FACTORS = 6 };
static const double SPREAD = 3, LEAN = -0.5;

/* Scales the weights so that the score has the standard deviation SPREAD. */
static void scale_weights(hsp_recipe *r, double *w) {
    const double *load = r->state;
    double factor[FACTORS] = {0}, variance = 0;
    for (int64_t j = 0; j < r->d; j++, load += FACTORS) {
        for (int f = 0; f < FACTORS; f++) factor[f] += w[j] * load[f];
        variance += r->noise * w[j] * (r->noise * w[j]);
    }
    for (int f = 0; f < FACTORS; f++) variance += factor[f] * factor[f];
    double scale = SPREAD / sqrt(variance);
    for (int64_t j = 0; j < r->d; j++) w[j] = scale < HUGE_VAL ? w[j] * scale : 0;
}

static int correlated_begin(hsp_recipe *r) {
    double *load = r->state = hsp_alloc(r->d, (FACTORS + 1) * sizeof *load);
    if (!load) return HSP_EMEMORY;
    double *w = load + r->d * FACTORS;
    for (int64_t t = 0; t < r->d * FACTORS; t++) load[t] = hsp_rng_normal(&r->rng);
    for (int64_t j = 0; j < r->d; j++) w[j] = hsp_rng_normal(&r->rng);
    scale_weights(r, w);
    return 0;
}

/* exp(x) for -40 <= x <= 40 by correctly rounded operations only: labels must not depend on the C library's last bit. */
static double exponential(double x) {
    double k = nearbyint(x * 1.4426950408889634), t = x - k * 0.69314718055994531, sum = 1;
    for (int i = 14; i >= 1; i--) sum = 1 + sum * t / i;
    return ldexp(sum, (int)k);
}

/* Values have three decimals; the score is that of the rounded values. */
static int64_t correlated(hsp_recipe *r, int64_t i, double *x, uint32_t *id, int64_t *k) {
    (void)i;
    (void)id;
    const double *load = r->state, *w = load + r->d * FACTORS;
    double factor[FACTORS], score = LEAN;
    for (int f = 0; f < FACTORS; f++) factor[f] = hsp_rng_normal(&r->rng);
    for (int64_t j = 0; j < r->d; j++, load += FACTORS) {
        double v = r->noise * hsp_rng_normal(&r->rng);
        for (int f = 0; f < FACTORS; f++) v += load[f] * factor[f];
        x[j] = fabs(v) < 1e9 ? round(v * 1e3) / 1e3 + 0.0 : v; /* and no -0 */
        score += w[j] * x[j];
    }
    *k = hsp_rng_uniform(&r->rng) * (1 + exponential(-fmin(fmax(score, -40), 40))) >= 1;
    return r->d;
}

const hsp_generator hsp_generator_table[] = {
    {"squares", "two overlapping squares, 1 on [-1,10]^2 and -1 on [-10,1]^2; noise is added to the points", "csv", 2,
     false, false, false, 0, 0, false, NULL, squares},
    {"blobs", "a normal cloud for each class; noise is its standard deviation", "csv", 2, true, true, false, 1, 0, false,
     blobs_begin, blobs},
    {"xor",
     "four normal clouds at the corners of a square, opposite corners in one class; noise is their standard deviation",
     "csv", 2, false, false, false, 0.3, 0, false, NULL, xor_clouds},
    {"moons", "two interleaving half circles; noise is added to the points", "csv", 2, false, false, false, 0.1, 0, false,
     NULL, moons},
    {"circles", "two concentric circles; noise is added to the points", "csv", 2, false, false, false, 0.05, 0, false, NULL,
     circles},
    {"spirals", "two interleaving spirals; noise is added to the points", "csv", 2, false, false, false, 0.02, 0, false,
     NULL, spirals},
    {"sparse", "word counts that follow Zipf's law, classes from hidden weights; noise is added to the score", "svmlight",
     10000, true, false, false, 1, MOST_WORDS, true, sparse_begin, sparse},
    {"linear", "regression: y = 1 + 2 x1 - x2 + 2 x3 - x4 ..., x on [-10,10]; noise is added to y", "csv", 2, true, false,
     true, 1, 0, false, NULL, linear},
    {"decimals",
     "17-digit numbers with absolute values from 1 to 2, classes from a hidden hyperplane; noise is added to the score",
     "csv", 20, true, false, false, 1, 0, true, decimals_begin, decimals},
    {"correlated",
     "dense columns with six common factors, classes from a logistic model; noise is the part specific to each column",
     "csv", 54, true, false, false, 0.7, 0, true, correlated_begin, correlated},
    {0},
};

const hsp_generator *hsp_generator_find(const char *name) {
    for (const hsp_generator *g = hsp_generator_table; g->name; g++)
        if (strcmp(g->name, name) == 0) return g;
    return NULL;
}
