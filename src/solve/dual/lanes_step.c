/* Loops over lanes without a branch, which the compiler makes vectors of, of the width that the processor has. Nothing is
 * fused, so the bits do not depend on it. */
#include "solve/dual/lanes_step.h"

#include "kernel/level.h"

#include <math.h>

#define INLINE static inline __attribute__((always_inline))
enum { N = HSP_LANES };
/* Slopes of the dual below this are rounding; multipliers below that are 0. */
#define ROUNDING 1e-14
#define LEAST 1e-290

/* Four lanes at once: a register of AVX2. Macros, since such vectors cannot be passed on everywhere. */
enum { WIDE = 4 };
typedef double vec __attribute__((vector_size(8 * WIDE)));
typedef double vec_at __attribute__((vector_size(8 * WIDE), aligned(8), may_alias));
typedef int64_t mask __attribute__((vector_size(8 * WIDE)));
#define LOAD(p) (*(const vec_at *)((p) + k))
#define STORE(p, v) (*(vec_at *)((p) + k) = (v))
#define PICK(m, a, b) ((vec)(((m) & (mask)(a)) | (~(m) & (mask)(b))))
#define LARGER(a, b) PICK((a) > (b), a, b)
#define SMALLER(a, b) PICK((a) < (b), a, b)
#define ANY(m) (((m)[0] | (m)[1] | (m)[2] | (m)[3]) != 0)

/* Hinge and squared hinge: the minimum along the coordinate, clipped. */
INLINE unsigned margin_body(hsp_lanes_state *s, const hsp_lanes_visit *v, const bool squared) {
    const vec zero = {0};
    mask moved = {0}, wanted = {0};
#pragma GCC unroll 2
    for (int k = 0; k < N; k += WIDE) {
        vec y = LOAD(v->y), u = LOAD(v->upper), q = LOAD(v->ridge), a = LOAD(v->alpha);
        vec e = y * LOAD(v->score) - 1 + q * a;
        mask low = a <= zero, high = a >= u, live = LOAD(s->live) > zero;
        vec slope = PICK((low & (e >= zero)) | (high & (e <= zero)), zero, e);
        mask wants = live & ~((low & (e > LOAD(s->high))) | (high & (e < LOAD(s->low))));
        wanted |= wants;
        STORE(s->gap, LOAD(s->gap) + (squared ? slope * slope * LOAD(v->weight) : u * LARGER(-e, zero) + a * e));
        STORE(s->top, LARGER(slope, LOAD(s->top)));
        STORE(s->bottom, SMALLER(slope, LOAD(s->bottom)));
        vec to = a - slope / (v->norm + LOAD(s->rho) + q);
        to = LARGER(to, zero);
        to = SMALLER(to, u);
        mask moves = live & ((slope > ROUNDING) | (slope < -ROUNDING)) & (to != a);
        moved |= moves;
        STORE(s->moved, LOAD(s->moved) + PICK(moves, zero + 1, zero));
        STORE(s->wanted, LOAD(s->wanted) + PICK(wants, zero + 1, zero));
        STORE(v->alpha, PICK(moves, to, a));
        STORE(v->delta, PICK(moves, y * (to - a), zero));
    }
    return (ANY(moved) ? HSP_LANES_MOVED : 0) | (ANY(wanted) ? HSP_LANES_WANTED : 0);
}

/* Logistic: the logit t of the multiplier that is best for a row with margin z at the multiplier a is the zero of t + z + q
 * (u sigma(t) - a). By its symmetry the zero may be taken as below 0, where the function is convex: Newton's method falls
 * to it from above, and is there after one step from below. It starts at the logit of the last visit and ends where all
 * residuals have fallen to a hundredth. */
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
            mask on = size > (turn == 0 ? 1e-15 * scale : LARGER(0.01 * LOAD(first), 1e-15 * scale));
            vec next = t - f / (1 + q * u * p / (1 + e));
            open |= on;
            STORE(l->t, turn < MOST ? PICK(on, SMALLER(next, zero), t) : t);
        }
        if (turn == MOST || !ANY(open)) return;
    }
}

INLINE unsigned logistic_body(hsp_lanes_state *s, const hsp_lanes_visit *v) {
    const vec zero = {0};
    logits l;
    mask moved = {0}, flip[N / WIDE];
#pragma GCC unroll 2
    for (int k = 0; k < N; k += WIDE) {
        vec a = LOAD(v->alpha), u = LOAD(v->weight), z = LOAD(v->y) * LOAD(v->score), q = v->norm + LOAD(s->rho);
        vec size = LARGER(z, -z), t = PICK(a > zero, LOAD(v->logit), -size);
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
        vec a = LOAD(v->alpha), u = LOAD(l.u), y = LOAD(v->y), z = y * LOAD(v->score), e = LOAD(l.e), t = LOAD(l.t);
        vec size = LARGER(z, -z), slope = PICK(a > zero, LOAD(v->logit) + z, u + size);
        vec sigma = PICK(flip[k / WIDE], 1 / (1 + e), e / (1 + e)), to = u * sigma;
        to = PICK(to > LEAST, to, zero);
        vec bend = LARGER(a * (1 - a / u), to * (1 - sigma)), share = PICK(a > zero, slope * slope / 2 * bend, u);
        vec far = LARGER(slope, -slope), step = to - a;
        mask moves = (LOAD(s->live) > zero) & ((a <= zero) | (far > 1e-14 * (1 + size))) & (to != a);
        moved |= moves;
        STORE(s->gap, LOAD(s->gap) + PICK(u > zero, share, zero));
        STORE(s->top, LARGER(PICK(moves, LARGER(step, -step), zero), LOAD(s->top)));
        STORE(s->moved, LOAD(s->moved) + PICK(moves, zero + 1, zero));
        STORE(s->wanted, LOAD(s->wanted) + 1);
        STORE(v->logit, PICK(moves, PICK(flip[k / WIDE], -t, t), LOAD(v->logit)));
        STORE(v->alpha, PICK(moves, to, a));
        STORE(v->delta, PICK(moves, y * step, zero));
    }
    return (ANY(moved) ? HSP_LANES_MOVED : 0) | HSP_LANES_WANTED;
}

static unsigned hinge_any(hsp_lanes_state *s, const hsp_lanes_visit *v) {
    return margin_body(s, v, false);
}

static unsigned squared_any(hsp_lanes_state *s, const hsp_lanes_visit *v) {
    return margin_body(s, v, true);
}

static unsigned logistic_any(hsp_lanes_state *s, const hsp_lanes_visit *v) {
    return logistic_body(s, v);
}

#ifdef __x86_64__
#define AVX2 __attribute__((target("avx2")))
AVX2 static unsigned hinge_avx2(hsp_lanes_state *s, const hsp_lanes_visit *v) {
    return margin_body(s, v, false);
}

AVX2 static unsigned squared_avx2(hsp_lanes_state *s, const hsp_lanes_visit *v) {
    return margin_body(s, v, true);
}

AVX2 static unsigned logistic_avx2(hsp_lanes_state *s, const hsp_lanes_visit *v) {
    return logistic_body(s, v);
}
#endif

hsp_lanes_step *hsp_lanes_step_of(const hsp_loss *loss) {
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx2"))
        return loss == &hsp_loss_hinge ? hinge_avx2 : loss == &hsp_loss_squared_hinge ? squared_avx2 : logistic_avx2;
#endif
    return loss == &hsp_loss_hinge ? hinge_any : loss == &hsp_loss_squared_hinge ? squared_any : logistic_any;
}
