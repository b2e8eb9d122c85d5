#include "reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct newton {
    const double *x, *y;
    int64_t n, d, size; /* size = d + 1: the last is b */
    double C, beta, shift;
    double *v, *step, *grad, *hess, *margin;
    int32_t *nonzero; /* scratch for one row */
} newton;

static double softplus(double t) {
    return t > 0 ? t + log1p(exp(-t)) : log1p(exp(t));
}

static double sigmoid(double t) {
    return t > 0 ? 1 / (1 + exp(-t)) : exp(t) / (1 + exp(t));
}

static double objective(const newton *s, const double *v) {
    double R = 0, L = 0;
    for (int64_t j = 0; j < s->d; j++) R += v[j] * v[j] / 2;
    for (int64_t i = 0; i < s->n; i++) {
        const double *x = s->x + i * s->d;
        double g = v[s->d];
        for (int64_t j = 0; j < s->d; j++) g += x[j] * v[j];
        s->margin[i] = s->y[i] * g;
        L += softplus(s->beta * (s->shift - s->margin[i])) / s->beta;
    }
    return R + s->C * L;
}

/* Gradient and Hessian at the margins of the last objective(v). */
static void derivatives(newton *s) {
    int64_t m = s->size;
    memset(s->hess, 0, (size_t)(m * m) * sizeof *s->hess);
    for (int64_t j = 0; j < m; j++) s->grad[j] = j < s->d ? s->v[j] : 0;
    for (int64_t j = 0; j < s->d; j++) s->hess[j * m + j] = 1;
    for (int64_t i = 0; i < s->n; i++) {
        const double *x = s->x + i * s->d;
        double p = sigmoid(s->beta * (s->shift - s->margin[i])), first = -s->C * s->y[i] * p;
        double second = s->C * s->beta * p * (1 - p);
        int64_t count = 0;
        for (int64_t j = 0; j < s->d; j++)
            if (x[j] != 0) s->nonzero[count++] = (int32_t)j;
        for (int64_t a = 0; a < count; a++) {
            int64_t j = s->nonzero[a];
            s->grad[j] += first * x[j];
            for (int64_t b = 0; b <= a; b++) s->hess[j * m + s->nonzero[b]] += second * x[j] * x[s->nonzero[b]];
            s->hess[s->d * m + j] += second * x[j];
        }
        s->grad[s->d] += first;
        s->hess[s->d * m + s->d] += second;
    }
}

/* Solves H step = -grad by Cholesky, with a hair on the diagonal for the unpenalised offset. */
static bool direction(newton *s) {
    int64_t m = s->size;
    double *L = s->hess;
    for (int64_t j = 0; j < m; j++) L[j * m + j] += 1e-12 * (1 + L[j * m + j]);
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j <= i; j++) {
            double t = L[i * m + j];
            for (int64_t k = 0; k < j; k++) t -= L[i * m + k] * L[j * m + k];
            if (i == j && !(t > 0)) return false;
            L[i * m + j] = i == j ? sqrt(t) : t / L[j * m + j];
        }
    for (int64_t i = 0; i < m; i++) {
        double t = -s->grad[i];
        for (int64_t k = 0; k < i; k++) t -= L[i * m + k] * s->step[k];
        s->step[i] = t / L[i * m + i];
    }
    for (int64_t i = m - 1; i >= 0; i--) {
        double t = s->step[i];
        for (int64_t k = i + 1; k < m; k++) t -= L[k * m + i] * s->step[k];
        s->step[i] = t / L[i * m + i];
    }
    return true;
}

static bool minimise(newton *s, double *trial) {
    double P = objective(s, s->v);
    for (int turn = 0; turn < 100; turn++) {
        derivatives(s);
        if (!direction(s)) return false;
        double slope = 0, t = 1, next = P;
        for (int64_t j = 0; j < s->size; j++) slope += s->grad[j] * s->step[j];
        if (-slope < 1e-11 * (1 + fabs(P))) break;
        for (int halvings = 0; halvings < 40; halvings++, t /= 2) {
            for (int64_t j = 0; j < s->size; j++) trial[j] = s->v[j] + t * s->step[j];
            next = objective(s, trial);
            if (next <= P + 1e-4 * t * slope) break;
        }
        memcpy(s->v, trial, (size_t)s->size * sizeof *trial);
        P = next;
    }
    objective(s, s->v); /* leaves the margins of v */
    return true;
}

/* The dual value of the multipliers a_i = sigmoid(beta (shift - m_i)), balanced between the classes, and the primal. */
static reference certify(const newton *s, bool hinge, double *u) {
    double plus = 0, minus = 0, sum = 0, R = 0, L = 0, U = 0;
    for (int64_t i = 0; i < s->n; i++) {
        double a = sigmoid(s->beta * (s->shift - s->margin[i]));
        if (s->y[i] > 0)
            plus += a;
        else
            minus += a;
    }
    memset(u, 0, (size_t)s->d * sizeof *u);
    for (int64_t i = 0; i < s->n; i++) {
        double a = sigmoid(s->beta * (s->shift - s->margin[i])), m = s->margin[i];
        a *= s->y[i] > 0 ? fmin(1, minus / plus) : fmin(1, plus / minus);
        sum += hinge ? a : -(a > 0 ? a * log(a) : 0) - (a < 1 ? (1 - a) * log1p(-a) : 0);
        L += hinge ? fmax(0, 1 - m) : softplus(-m);
        for (int64_t j = 0; j < s->d; j++) u[j] += s->C * a * s->y[i] * s->x[i * s->d + j];
    }
    for (int64_t j = 0; j < s->d; j++) {
        R += s->v[j] * s->v[j] / 2;
        U += u[j] * u[j] / 2;
    }
    return (reference){.primal = R + s->C * L, .dual = s->C * sum - U};
}

bool reference_solve(const double *x, const double *y, int64_t n, int64_t d, double C, bool hinge, reference *out) {
    newton s = {.x = x, .y = y, .n = n, .d = d, .size = d + 1, .C = C, .shift = hinge ? 1 : 0};
    size_t size = (size_t)s.size;
    s.v = calloc(size, sizeof(double));
    s.step = calloc(size, sizeof(double));
    s.grad = calloc(size, sizeof(double));
    s.hess = calloc(size * size, sizeof(double));
    s.margin = calloc((size_t)n, sizeof(double));
    s.nonzero = calloc(size, sizeof(int32_t));
    double *trial = calloc(size, sizeof(double));
    bool good = s.v && s.step && s.grad && s.hess && s.margin && s.nonzero && trial;
    for (s.beta = 1; good && s.beta <= (hinge ? 4096 : 1); s.beta *= 4) good = minimise(&s, trial);
    s.beta /= 4;
    if (good) *out = certify(&s, hinge, trial);
    free(s.v);
    free(s.step);
    free(s.grad);
    free(s.hess);
    free(s.margin);
    free(s.nonzero);
    free(trial);
    return good;
}
