/* The rows' equations of interior.h: branch-free loops, a chunk at a time, over fixed blocks of rows whose sums are added in
 * order. Directions are handled as relative changes, so that the step to the boundary is 1 / the largest of them. */
#include "base/error.h"
#include "base/memory.h"
#include "base/pool.h"
#include "design/design.h"
#include "kernel/kernel.h"
#include "problem/margin_values.h"
#include "problem/problem.h"
#include "solve/margin/interior.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { CHUNK = HSP_INTERIOR_CHUNK, ROWS_IN_BLOCK = 8192 };
/* z of rows without a bound: so large that no step matters. */
static const double BOUNDLESS = 1e300;
/* Corrections bring products to between LOW and 1 / LOW times their goal. */
static const double LOW = 0.1;

static inline double larger(double a, double b) {
    return a > b ? a : b;
}

static inline double smaller(double a, double b) {
    return a < b ? a : b;
}

/* ---- the program's rows ---- */

/* 1 / the mean squared distance of the rows from their mean: the size of multipliers without a bound. */
static double natural_size(hsp_interior_rows *r) {
    const hsp_design *D = r->m->design;
    double mean = 0, largest;
    for (int64_t i = 0; i < D->n; i++) r->e[i] = r->m->upper[i] > 0;
    hsp_design_norms(D, r->e, &mean, &largest);
    double about = mean;
    if (r->m->intercept == HSP_INTERCEPT_FREE) {
        double count = hsp_sum_f64(r->e, D->n);
        hsp_design_adjoint(D, r->e, r->now.dw);
        about -= hsp_dot_f64(r->now.dw, r->now.dw, D->d) / count / count;
    }
    if (!(about > 1e-9 * mean)) about = mean;
    return about > 0 && isfinite(1 / about) ? 1 / about : 1;
}

/* The size of row i's multiplier. */
static double size_of(const hsp_interior_rows *r, int64_t i) {
    double u = r->m->upper[i], q = r->m->ridge ? r->m->ridge[i] : 0;
    return u < INFINITY ? u : q > 0 ? 1 / q : r->size;
}

static bool same_rows(const hsp_margin *m) {
    for (int64_t i = 1; i < m->design->n; i++)
        if (m->upper[i] != m->upper[0] || (m->ridge && m->ridge[i] != m->ridge[0])) return false;
    return m->design->n > 0 && m->upper[0] > 0;
}

static bool any_hard(const hsp_margin *m) {
    for (int64_t i = 0; i < m->design->n; i++)
        if (m->upper[i] == INFINITY && !(m->ridge && m->ridge[i] > 0)) return true;
    return false;
}

static void take_sizes(hsp_interior_rows *r) {
    const hsp_margin *m = r->m;
    int64_t n = m->design->n, held = r->alike ? CHUNK : n;
    double sum = 0, count = 0;
    r->size = any_hard(m) ? natural_size(r) : 1;
    for (int64_t i = 0; i < n; i++) {
        sum += m->upper[i] > 0 ? size_of(r, i) : 0;
        count += m->upper[i] > 0;
    }
    double least = count > 0 ? sum / count : 1;
    for (int64_t i = 0; i < held; i++) {
        int64_t row = r->alike ? 0 : i;
        bool on = m->upper[row] > 0, bounded = m->upper[row] < INFINITY;
        r->on[i] = on;
        r->k[i] = on ? fmax(size_of(r, row), least) : 0;
        r->kx[i] = bounded ? r->k[i] : 0;
        r->q[i] = !on ? 1 : m->ridge ? m->ridge[row] : 0;
        r->total += r->k[i] + r->kx[i];
    }
    if (r->alike) r->total = (double)n * (r->k[0] + r->kx[0]);
}

static void place_direction(struct hsp_interior_direction *dir, double **memory, int64_t n, int64_t d) {
    double **rows[] = {&dir->cs, &dir->cx, &dir->change, &dir->step};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++, *memory += n) *rows[k] = *memory;
    dir->dw = *memory;
    dir->r = *memory + d;
    *memory += 2 * d;
}

int hsp_interior_rows_init(hsp_interior_rows *r, const hsp_margin *m, hsp_error **err) {
    int64_t n = m->design->n, d = m->design->d;
    *r = (hsp_interior_rows){.m = m, .alike = same_rows(m)};
    int64_t held = r->alike ? CHUNK : n;
    double **rows[] = {&r->alpha, &r->z, &r->s, &r->xi, &r->scores, &r->W, &r->side, &r->e},
           **own[] = {&r->k, &r->kx, &r->q, &r->on};
    r->blocks = n / ROWS_IN_BLOCK < 1                     ? 1
                : n / ROWS_IN_BLOCK < HSP_INTERIOR_BLOCKS ? n / ROWS_IN_BLOCK
                                                          : HSP_INTERIOR_BLOCKS;
    r->memory = hsp_alloc_zero((16 + HSP_OF) * n + 4 * held + 4 * d, sizeof *r->memory);
    if (!r->memory) return hsp_fail_memory(err);
    double *memory = r->memory;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++, memory += n) *rows[k] = memory;
    for (size_t k = 0; k < sizeof own / sizeof *own; k++, memory += held) *own[k] = memory;
    r->R = memory;
    memory += HSP_OF * n;
    place_direction(&r->now, &memory, n, d);
    place_direction(&r->other, &memory, n, d);
    take_sizes(r);
    return HSP_OK;
}

void hsp_interior_rows_free(hsp_interior_rows *r) {
    hsp_free(r->memory);
}

static void begin_row(hsp_interior_rows *r, int64_t i, double mu) {
    double k = size_of(r, i), g = r->m->y[i] * (r->scores[i] + r->b) - 1, q = r->m->ridge ? r->m->ridge[i] : 0;
    mu *= r->k[r->alike ? 0 : i] / k;
    if (r->m->upper[i] < INFINITY) { /* g = mu (1 / a - 1 / (1 - a)) */
        double c = g / mu, root = sqrt(c * c + 4), a = 2 / (c + 2 + root), rest = 2 / (2 - c + root);
        r->alpha[i] = k * a;
        r->z[i] = k * rest;
        r->s[i] = mu / a + q * r->alpha[i];
        r->xi[i] = mu / rest;
    } else {
        double root = sqrt(g * g + 4 * mu), a = q > 0 ? g > 0 ? 2 * mu / (g + root) : (root - g) / 2 : mu / fmax(g, 0.5);
        r->alpha[i] = k * a;
        r->s[i] = mu / a;
    }
}

void hsp_interior_rows_begin(hsp_interior_rows *r, double mu) {
    int64_t n = r->m->design->n;
    for (int64_t i = 0; i < n; i++) {
        r->alpha[i] = 1;
        r->z[i] = BOUNDLESS;
        r->s[i] = r->xi[i] = 0;
        if (r->m->upper[i] > 0) begin_row(r, i, mu);
    }
    struct hsp_interior_direction *ways[] = {&r->now, &r->other};
    for (int k = 0; k < 2; k++)
        memset(ways[k]->cs, 0, (size_t)(4 * n + 2 * r->m->design->d) * sizeof *ways[k]->cs), ways[k]->db = 0;
}

/* ---- the loops ---- */

typedef struct chunk {
    int64_t at, count;
    const double *y, *k, *kx, *q, *on;
} chunk;

static chunk chunk_at(const hsp_interior_rows *r, int64_t at, int64_t end) {
    int64_t own = r->alike ? 0 : at;
    return (chunk){.at = at,
                   .count = end - at < CHUNK ? end - at : CHUNK,
                   .y = r->m->y + at,
                   .k = r->k + own,
                   .kx = r->kx + own,
                   .q = r->q + own,
                   .on = r->on + own};
}

typedef void loop(hsp_interior_rows *r, chunk c, hsp_interior_sums *sums);

typedef struct pass {
    hsp_interior_rows *r;
    loop *run;
} pass;

static void run_block(void *ctx, int64_t block) {
    const pass *p = ctx;
    hsp_interior_rows *r = p->r;
    int64_t n = r->m->design->n, end = n * (block + 1) / r->blocks;
    r->part[block] = (hsp_interior_sums){0};
    for (int64_t at = n * block / r->blocks; at < end; at += CHUNK) p->run(r, chunk_at(r, at, end), &r->part[block]);
}

static hsp_interior_sums run_all(hsp_interior_rows *r, loop *run) {
    pass p = {.r = r, .run = run};
    hsp_pool_run(r->blocks, r->m->design->threads, run_block, &p);
    hsp_interior_sums all = r->part[0];
    for (int64_t b = 1; b < r->blocks; b++) {
        const hsp_interior_sums *part = &r->part[b];
        all.products += part->products;
        all.plus += part->plus;
        all.minus += part->minus;
        all.ridge_plus += part->ridge_plus;
        all.ridge_minus += part->ridge_minus;
        all.weights += part->weights;
        all.side += part->side;
        all.heaviest = larger(part->heaviest, all.heaviest);
        all.second += part->second;
        all.e += part->e;
        all.shortest = larger(part->shortest, all.shortest);
        all.broken += part->broken;
    }
    return all;
}

/* The largest of x and `most`; NaN is ignored. */
static double largest(double most, const double *x, int64_t count) {
    enum { LANES = 8 };
    double top[LANES];
    for (int l = 0; l < LANES; l++) top[l] = most;
    int64_t i = 0;
    for (; i + LANES <= count; i += LANES)
        for (int l = 0; l < LANES; l++) top[l] = x[i + l] > top[l] ? x[i + l] : top[l];
    for (; i < count; i++) top[0] = x[i] > top[0] ? x[i] : top[0];
    for (int l = 0; l < LANES; l++) most = top[l] > most ? top[l] : most;
    return most;
}

static void advance(hsp_interior_rows *r, chunk c) {
    double *restrict alpha = r->alpha + c.at, *restrict z = r->z + c.at, *restrict s = r->s + c.at;
    double *restrict xi = r->xi + c.at, *restrict scores = r->scores + c.at, t = r->t;
    const double *restrict step = r->now.step + c.at, *restrict cs = r->now.cs + c.at, *restrict cx = r->now.cx + c.at;
    const double *restrict change = r->now.change + c.at, *restrict k = c.k, *restrict kx = c.kx;
    for (int64_t i = 0; i < c.count; i++) {
        double ds = (cs[i] - s[i] * step[i]) / alpha[i] - s[i], dx = (cx[i] + xi[i] * step[i]) / z[i] - xi[i];
        alpha[i] = larger(alpha[i] + t * step[i], DBL_MIN);
        double up = larger(s[i] + t * ds, DBL_MIN), x = larger(xi[i] + t * dx, DBL_MIN);
        s[i] = k[i] > 0 ? up : 0;
        z[i] = larger(z[i] - t * step[i], DBL_MIN);
        xi[i] = kx[i] > 0 ? x : 0;
        scores[i] += t * change[i];
    }
}

static void move(hsp_interior_rows *r, chunk c, hsp_interior_sums *sums) {
    double a[CHUNK], plus[CHUNK], ridge[CHUNK], ridge_plus[CHUNK], products[CHUNK], side[CHUNK];
    if (r->t > 0) advance(r, c);
    const double *restrict alpha = r->alpha + c.at, *restrict z = r->z + c.at, *restrict s = r->s + c.at;
    const double *restrict xi = r->xi + c.at, *restrict scores = r->scores + c.at, *restrict y = c.y;
    const double *restrict q = c.q, *restrict on = c.on;
    double *restrict W = r->W + c.at, *restrict left = r->side + c.at, *restrict R = r->R + HSP_OF * c.at, b = r->b;
    for (int64_t i = 0; i < c.count; i++) {
        double x = on[i] * alpha[i];
        W[i] = on[i] / (q[i] + s[i] / alpha[i] + xi[i] / z[i]);
        left[i] = 1 - y[i] * (scores[i] + b) - q[i] * x;
        side[i] = y[i] * W[i] * left[i];
        a[i] = x;
        plus[i] = x * (0.5 + 0.5 * y[i]);
        ridge[i] = q[i] * x * x;
        ridge_plus[i] = ridge[i] * (0.5 + 0.5 * y[i]);
        products[i] = s[i] * alpha[i] + xi[i] * z[i];
    }
    for (int64_t i = 0; i < c.count; i++) {
        R[HSP_OF * i + HSP_OF_WEIGHTS] = W[i];
        R[HSP_OF * i + HSP_OF_ALPHA] = y[i] * a[i];
        R[HSP_OF * i + HSP_OF_PLUS] = plus[i];
        R[HSP_OF * i + HSP_OF_SIDE] = side[i];
    }
    double all = hsp_sum_f64(a, c.count), up = hsp_sum_f64(plus, c.count), bent = hsp_sum_f64(ridge, c.count);
    double bent_up = hsp_sum_f64(ridge_plus, c.count);
    sums->plus += up;
    sums->minus += all - up;
    sums->ridge_plus += bent_up;
    sums->ridge_minus += bent - bent_up;
    sums->products += hsp_sum_f64(products, c.count);
    sums->weights += hsp_sum_f64(W, c.count);
    sums->side += hsp_sum_f64(side, c.count);
    sums->heaviest = largest(sums->heaviest, W, c.count);
}

hsp_interior_sums hsp_interior_rows_move(hsp_interior_rows *r, double t) {
    r->t = t;
    r->b += t * r->now.db;
    return run_all(r, move);
}

static void predict(hsp_interior_rows *r, chunk c, hsp_interior_sums *sums) {
    double most[CHUNK], second[CHUNK];
    const double *restrict alpha = r->alpha + c.at, *restrict z = r->z + c.at, *restrict s = r->s + c.at;
    const double *restrict xi = r->xi + c.at, *restrict W = r->W + c.at, *restrict side = r->side + c.at;
    const double *restrict change = r->now.change + c.at, *restrict y = c.y;
    double *restrict step = r->now.step + c.at, db = r->now.db;
    for (int64_t i = 0; i < c.count; i++) {
        step[i] = W[i] * (side[i] - y[i] * (change[i] + db));
        double ra = step[i] / alpha[i], rz = step[i] / z[i];
        most[i] = larger(larger(-ra, 1 + ra), larger(rz, 1 - rz));
        second[i] = s[i] * alpha[i] * (ra * (1 + ra)) + xi[i] * z[i] * (rz * (rz - 1));
    }
    sums->second += hsp_sum_f64(second, c.count);
    sums->shortest = largest(sums->shortest, most, c.count);
}

hsp_interior_sums hsp_interior_rows_predict(hsp_interior_rows *r) {
    return run_all(r, predict);
}

static void correct(hsp_interior_rows *r, chunk c, hsp_interior_sums *sums) {
    const double *restrict alpha = r->alpha + c.at, *restrict z = r->z + c.at, *restrict s = r->s + c.at;
    const double *restrict xi = r->xi + c.at, *restrict W = r->W + c.at, *restrict y = c.y;
    const double *restrict step = r->now.step + c.at, *restrict k = c.k, *restrict kx = c.kx;
    double *restrict cs = r->now.cs + c.at, *restrict cx = r->now.cx + c.at, *restrict e = r->e + c.at, goal = r->goal;
    for (int64_t i = 0; i < c.count; i++) {
        double ra = step[i] / alpha[i], rz = step[i] / z[i];
        cs[i] = goal * k[i] + step[i] * s[i] * (1 + ra);
        cx[i] = goal * kx[i] + step[i] * xi[i] * (rz - 1);
        e[i] = y[i] * W[i] * (cs[i] / alpha[i] - cx[i] / z[i]);
    }
    sums->e += hsp_sum_f64(e, c.count);
}

hsp_interior_sums hsp_interior_rows_correct(hsp_interior_rows *r, double goal) {
    r->goal = goal;
    return run_all(r, correct);
}

static void aim(hsp_interior_rows *r, const struct hsp_interior_direction *dir, chunk c, hsp_interior_sums *sums) {
    double most[CHUNK], broken[CHUNK];
    const double *restrict alpha = r->alpha + c.at, *restrict z = r->z + c.at, *restrict s = r->s + c.at;
    const double *restrict xi = r->xi + c.at, *restrict W = r->W + c.at, *restrict side = r->side + c.at;
    const double *restrict cs = dir->cs + c.at, *restrict cx = dir->cx + c.at, *restrict change = dir->change + c.at;
    const double *restrict y = c.y;
    double *restrict step = dir->step + c.at, db = dir->db;
    for (int64_t i = 0; i < c.count; i++) {
        double ia = 1 / alpha[i], iz = 1 / z[i], ca = cs[i] * ia, cz = cx[i] * iz;
        step[i] = W[i] * (side[i] + ca - cz - y[i] * (change[i] + db));
        double ra = step[i] * ia, rz = step[i] * iz;
        double top = larger(rz, -ra); /* 0 / 0 of rows without a bound or without a weight is ignored */
        top = larger(1 + ra - ca / s[i], top);
        most[i] = larger(1 - rz - cz / xi[i], top);
        broken[i] = step[i] * 0;
    }
    sums->broken += hsp_sum_f64(broken, c.count);
    sums->shortest = largest(sums->shortest, most, c.count);
}

static void aim_now(hsp_interior_rows *r, chunk c, hsp_interior_sums *sums) {
    aim(r, &r->now, c, sums);
}

static void aim_other(hsp_interior_rows *r, chunk c, hsp_interior_sums *sums) {
    aim(r, &r->other, c, sums);
}

hsp_interior_sums hsp_interior_rows_aim(hsp_interior_rows *r, struct hsp_interior_direction *dir) {
    return run_all(r, dir == &r->now ? aim_now : aim_other);
}

/* The change that brings a product to between LOW and 1 / LOW times its goal k, downwards by k / LOW at most. */
static inline double towards(double product, double k) {
    double up = larger(LOW * k - product, 0), down = smaller(k / LOW - product, 0);
    return up + larger(down, -k / LOW);
}

static void centre(hsp_interior_rows *r, chunk c, hsp_interior_sums *sums) {
    const double *restrict alpha = r->alpha + c.at, *restrict z = r->z + c.at, *restrict s = r->s + c.at;
    const double *restrict xi = r->xi + c.at, *restrict W = r->W + c.at, *restrict y = c.y;
    const double *restrict cs = r->now.cs + c.at, *restrict cx = r->now.cx + c.at, *restrict step = r->now.step + c.at;
    const double *restrict k = c.k, *restrict kx = c.kx;
    double *restrict to_s = r->other.cs + c.at, *restrict to_x = r->other.cx + c.at, *restrict e = r->e + c.at;
    double goal = r->goal, t = r->t;
    for (int64_t i = 0; i < c.count; i++) {
        double ia = 1 / alpha[i], iz = 1 / z[i];
        double ds = (cs[i] - s[i] * step[i]) * ia - s[i], dx = (cx[i] + xi[i] * step[i]) * iz - xi[i];
        double more_s = towards((s[i] + t * ds) * (alpha[i] + t * step[i]), goal * k[i]);
        double more_x = towards((xi[i] + t * dx) * (z[i] - t * step[i]), goal * kx[i]);
        to_s[i] = cs[i] + more_s;
        to_x[i] = cx[i] + more_x;
        e[i] = y[i] * W[i] * (more_s * ia - more_x * iz);
    }
    sums->e += hsp_sum_f64(e, c.count);
}

hsp_interior_sums hsp_interior_rows_centre(hsp_interior_rows *r, double goal, double t) {
    r->goal = goal;
    r->t = t;
    return run_all(r, centre);
}
