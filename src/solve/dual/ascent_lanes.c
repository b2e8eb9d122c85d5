/* Visits of ascent.h to the rows of several problems at once: branch-free loops over lanes, which the compiler vectorises for
 * the width of the processor. No operations are fused, so the bits do not depend on the width. The formulas are those of
 * ascent_visit.c. */
#include "design/packed.h"
#include "kernel/level.h"
#include "solve/dual/ascent.h"
#include "solve/dual/vectors.h"

#include <math.h>

#define INLINE static inline __attribute__((always_inline))
enum { N = HSP_LANES };
/* The overhead of a visit, in numbers visited. */
enum { OVERHEAD_BOX = 30, OVERHEAD_ENTROPY = 100 };
#define ROUNDING HSP_ASCENT_ROUNDING
#define LEAST HSP_ASCENT_LEAST

/* A visit: the row's item, the scores of the lanes (with the intercepts), and y times the changes, which it fills in. */
typedef struct visit {
    hsp_ascent_item e;
    double score[N], delta[N];
    bool moved; /* a multiplier changed */
} visit;

/* The minimum along the coordinate of each lane, clipped to its box. */
INLINE void move_in_boxes(hsp_ascent_moving *s, visit *v) {
    const vec zero = {0};
    mask moved = {0}, wanted = {0};
    double norm = *v->e.norm;
#pragma GCC unroll 2
    for (int k = 0; k < N; k += WIDE) {
        vec y = LOAD(v->e.y), u = LOAD(v->e.upper), q = LOAD(v->e.ridge), a = LOAD(v->e.alpha);
        vec e = y * LOAD(v->score) - 1 + q * a, left = q * a - e, curve = norm + LOAD(s->rho) + q;
        mask low = a <= zero, high = a >= u, live = LOAD(s->live) > zero;
        vec slope = PICK((low & (e >= zero)) | (high & (e <= zero)), zero, e);
        wanted |= live & ~((low & (e > LOAD(s->high))) | (high & (e < LOAD(s->low))));
        vec share = PICK(left >= q * u, (u - a) * (left - q * (u + a) / 2),
                         PICK(left > zero, slope * slope / (2 * q), a * (q * a / 2 - left)));
        vec flat = PICK(slope < zero, u, zero), to = PICK(curve > zero, a - LOAD(s->over) * slope / curve, flat);
        to = PICK(to < LEAST, zero, to);
        to = SMALLER(to, u);
        mask matters = live & ((slope > ROUNDING) | (slope < -ROUNDING)), moves = matters & (to != a) & (to < INFINITY);
        moved |= moves;
        vec step = PICK(moves, to - a, zero);
        STORE(s->top, LARGER(slope, LOAD(s->top)));
        STORE(s->bottom, SMALLER(slope, LOAD(s->bottom)));
        STORE(s->share, LOAD(s->share) + PICK(matters, share, zero));
        STORE(s->value, LOAD(s->value) - step * (slope + curve * step / 2));
        STORE(s->updates, LOAD(s->updates) + PICK(moves, zero + 1, zero));
        STORE(v->e.last, e);
        STORE(v->e.alpha, PICK(moves, to, a));
        STORE(v->delta, y * step);
    }
    v->moved = ANY(moved);
    *v->e.out = !ANY(wanted);
}

/* Logistic: the logit t of the best multiplier for a row with margin z at the multiplier a is the zero of
 *
 *     t + z + q (u sigma(t) - a)
 *
 * By symmetry the zero may be assumed below 0, where the function is convex: Newton's method decreases to it from above, and
 * is above it after one step from below. It starts at the logit of the last visit and ends where all residuals have fallen to
 * a tenth: the next visit continues. */
typedef struct logits {
    double t[N], e[N]; /* at most 0, and its exponential */
    double z[N], a[N], q[N], u[N];
} logits;

INLINE void solve_logits(const hsp_level *level, logits *l) {
    enum { MOST = 8 };
    double first[N];
    for (int turn = 0;; turn++) {
        mask open = {0};
        level->exps(N, l->t, l->e);
#pragma GCC unroll 2
        for (int k = 0; k < N; k += WIDE) {
            const vec zero = {0};
            vec t = LOAD(l->t), z = LOAD(l->z), e = LOAD(l->e), q = LOAD(l->q), u = LOAD(l->u), p = e / (1 + e);
            vec f = t + z + q * (u * p - LOAD(l->a)), size = LARGER(f, -f), scale = LARGER(z, -z) - t;
            if (turn == 0) STORE(first, size);
            mask on = size > (turn == 0 ? 1e-15 * scale : LARGER(0.1 * LOAD(first), 1e-15 * scale));
            vec next = t - f / (1 + q * u * p / (1 + e));
            open |= on;
            STORE(l->t, turn < MOST ? PICK(on, SMALLER(next, zero), t) : t);
        }
        if (turn == MOST || !ANY(open)) return;
    }
}

INLINE void move_entropies(hsp_ascent_moving *s, visit *v) {
    const vec zero = {0};
    logits l;
    mask moved = {0}, flip[N / WIDE];
#pragma GCC unroll 2
    for (int k = 0; k < N; k += WIDE) {
        vec a = LOAD(v->e.alpha), u = LOAD(v->e.upper), own = LOAD(v->e.ridge);
        vec z = LOAD(v->e.y) * LOAD(v->score) + own * a, q = *v->e.norm + LOAD(s->rho) + own;
        vec size = LARGER(z, -z), t = PICK(a > zero, LOAD(v->e.last), -size);
        mask other = z + q * (u / 2 - a) < zero;
        flip[k / WIDE] = other;
        t = PICK(other, -t, t);
        STORE(l.t, SMALLER(t, zero));
        STORE(l.z, PICK(other, -z, z));
        STORE(l.a, PICK(other, u - a, a));
        STORE(l.q, q);
        STORE(l.u, u);
    }
    solve_logits(hsp_level_now(), &l);
#pragma GCC unroll 2
    for (int k = 0; k < N; k += WIDE) {
        vec a = LOAD(v->e.alpha), u = LOAD(l.u), y = LOAD(v->e.y), e = LOAD(l.e), t = LOAD(l.t);
        vec z = y * LOAD(v->score) + LOAD(v->e.ridge) * a;
        vec size = LARGER(z, -z), slope = PICK(a > zero, LOAD(v->e.last) + z, u + size);
        vec sigma = PICK(flip[k / WIDE], 1 / (1 + e), e / (1 + e)), to = u * sigma;
        to = PICK(to > LEAST, to, zero);
        vec bend = LARGER(a * (1 - a / u), to * (1 - sigma)), share = PICK(a > zero, slope * slope / 2 * bend, u);
        vec far = LARGER(slope, -slope), step = to - a;
        mask moves = (LOAD(s->live) > zero) & ((a <= zero) | (far > ROUNDING * (1 + size))) & (to != a);
        moved |= moves;
        STORE(s->share, LOAD(s->share) + PICK(moves, share, zero));
        STORE(s->top, LARGER(PICK(moves, LARGER(step, -step), zero), LOAD(s->top)));
        STORE(s->updates, LOAD(s->updates) + PICK(moves, zero + 1, zero));
        STORE(v->e.last, PICK(moves, PICK(flip[k / WIDE], -t, t), LOAD(v->e.last)));
        STORE(v->e.alpha, PICK(moves, to, a));
        STORE(v->delta, PICK(moves, y * step, zero));
    }
    v->moved = ANY(moved);
}

typedef void move_lanes(hsp_ascent_moving *s, visit *v);

static void boxes_any(hsp_ascent_moving *s, visit *v) {
    move_in_boxes(s, v);
}

static void entropies_any(hsp_ascent_moving *s, visit *v) {
    move_entropies(s, v);
}

#ifdef __x86_64__
#define AVX2 __attribute__((target("avx2")))
AVX2 static void boxes_avx2(hsp_ascent_moving *s, visit *v) {
    move_in_boxes(s, v);
}

AVX2 static void entropies_avx2(hsp_ascent_moving *s, visit *v) {
    move_entropies(s, v);
}
#endif

/* For this processor: the same bits from each. */
static move_lanes *move_of(bool entropy) {
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx2")) return entropy ? entropies_avx2 : boxes_avx2;
#endif
    return entropy ? entropies_any : boxes_any;
}

static inline void prefetch(const hsp_ascent_rows *R, int64_t place) {
    const char *item = (const char *)hsp_ascent_at(R, place, N).alpha;
    for (size_t at = 0; at < (size_t)hsp_ascent_stride(N) * sizeof(double); at += 64) __builtin_prefetch(item + at);
    hsp_packed_prefetch(R->x, place);
}

void hsp_ascent_visit_lanes(hsp_ascent *s, const int64_t *place, int64_t count, const int64_t *next, int64_t upcoming) {
    const hsp_ascent_rows *R = s->set.now;
    const hsp_level *level = hsp_level_now();
    const double *table = R->x->design->x->table;
    hsp_ascent_moving *m = &s->moving;
    move_lanes *move = move_of(s->entropy);
    int form = hsp_ascent_form(R->x), overhead = s->entropy ? OVERHEAD_ENTROPY : OVERHEAD_BOX;
    for (int64_t at = 0; at < count; at++) {
        visit v = {.e = hsp_ascent_at(R, place[at], N)};
        hsp_packed_row row = hsp_packed_at(R->x, place[at]);
        double cz = *v.e.cz;
        if (at < upcoming) prefetch(R, next[at]);
        for (int k = 0; k < N; k++) v.score[k] = m->b[k] + (m->r[k] - m->held[k]) * (m->rho[k] + s->cc - cz) - m->vc[k];
        if (row.count > 0) level->gather[form](row.count, row.id, row.value, table, s->v, N, v.score);
        m->work += (double)(row.count + overhead);
        move(m, &v);
        if (!v.moved) continue;
        if (row.count > 0) level->scatter[form](row.count, row.id, row.value, table, v.delta, N, s->v);
        for (int k = 0; k < N; k++) {
            m->r[k] += v.delta[k];
            m->vc[k] += v.delta[k] * cz;
        }
    }
}
