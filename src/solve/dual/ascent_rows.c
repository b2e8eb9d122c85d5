/* The rows of ascent.h: their layout, and which of them are active. */
#include "base/error.h"
#include "base/memory.h"
#include "base/rng.h"
#include "data/matrix.h"
#include "design/design.h"
#include "design/packed.h"
#include "design/pieces.h"
#include "kernel/form.h"
#include "kernel/kernel.h"
#include "kernel/level.h"
#include "problem/margin_values.h"
#include "problem/problem.h"
#include "solve/dual/ascent.h"
#include "solve/margin/margin.h"
#include "solve/margin/polish.h"

#include <math.h>
#include <string.h>

/* The centre of the rows and their mean norm need not be exact: they are computed from a sample. */
enum { LEAST_SAMPLE = 512, SAMPLE_SHARE = 64 };
/* A centre whose square is at most this share of the rows' mean squared distance from it is not worth its cost. */
static const double NEAR = 0.03;
/* This many neighbours among the rows of the design stay together: a row fetched from a random place takes twice as long to
 * visit. Runs in random order converge like single rows, in up to 40 % more epochs where the rows are sorted. */
enum { RUN = 8 };
/* Rows are packed when half of them have been left out for some epochs, or after a number of epochs: a copy takes as long as
 * one or two epochs, and visits become a fifth faster. */
enum { PACK_FEW_AFTER = 3, PACK_AFTER = 10, REPAID = 5 };

/* ---- layout ---- */

static hsp_coding coding_of(const hsp_packed *P) {
    return P->copied ? P->x.coding : P->design->factor ? HSP_CODING_F64 : hsp_matrix_coding(P->design->x);
}

int hsp_ascent_form(const hsp_packed *P) {
    return hsp_form(true, P->copied ? P->x.ids : P->design->x->ids, (int)coding_of(P));
}

void hsp_ascent_add_row(hsp_ascent *s, const hsp_ascent_rows *R, int64_t place, const double *delta) {
    hsp_packed_row row = hsp_packed_at(R->x, place);
    if (s->width == 1)
        hsp_packed_axpy(R->x, delta[0], row, s->v);
    else if (row.count > 0)
        hsp_level_now()->scatter[hsp_ascent_form(R->x)](row.count, row.id, row.value, R->x->design->x->table, delta,
                                                        HSP_LANES, s->v);
}

/* |z_i - c|^2. Dense rows are centred before they are squared, to avoid cancellation. */
static double norm(const hsp_ascent *s, hsp_packed_row row, double cz) {
    hsp_coding coding = coding_of(s->set.all.x);
    const double *table = s->design->x->table;
    if (row.id || !s->c) return fmax(hsp_norms2[coding](row.value, table, row.count) + (s->cc - 2 * cz), 0);
    hsp_row r = {row.count, NULL, row.value, table, coding, HSP_IDS_32};
    double sum = 0;
    for (int64_t t = 0; t < r.count; t++) {
        double e = hsp_row_value(r, t) - s->c[t];
        sum += e * e;
    }
    return sum;
}

/* c <- the mean of some z_i, for a free intercept; the design's own p otherwise. */
static void take_centre(hsp_ascent *s, int64_t sample) {
    const hsp_packed *x = s->set.all.x;
    if (s->moving.steered) {
        for (int64_t place = 0; place < sample; place++)
            hsp_packed_axpy(x, 1 / (double)sample, hsp_packed_at(x, place), s->c);
    } else {
        memcpy(s->c, s->design->p, (size_t)s->design->d * sizeof *s->c);
    }
    s->cc = hsp_dot_f64(s->c, s->c, s->design->d);
}

HSP_ASCENT_INLINE void load_of_width(hsp_ascent *s, int64_t until, int width) {
    const hsp_ascent_rows *R = &s->set.all;
    for (; s->set.loaded < until; s->set.loaded++) {
        int64_t place = s->set.loaded, i = R->x->origin[place];
        hsp_packed_row row = hsp_packed_at(R->x, place);
        hsp_ascent_item e = hsp_ascent_at(R, place, width);
        *e.cz = s->c ? hsp_packed_dot(R->x, row, s->c) : 0;
        *e.norm = norm(s, row, *e.cz);
        *e.out = 0;
        for (int k = 0; k < width; k++) {
            const hsp_margin *m = k < s->count ? s->lane[k].m : NULL;
            e.alpha[k] = e.last[k] = 0;
            e.y[k] = m ? m->y[i] : 1;
            e.upper[k] = m ? m->upper[i] : 0;
            e.ridge[k] = m && m->ridge ? m->ridge[i] : 0;
        }
    }
}

void hsp_ascent_load(hsp_ascent *s, int64_t until) {
    HSP_ASCENT_BY_WIDTH(s, load_of_width, until);
}

/* The largest possible sum of the multipliers of a class, roughly. */
static double strength(const hsp_margin *m, double y) {
    double sum = 0;
    for (int64_t i = 0; i < m->design->n; i++) {
        if (m->y[i] != y || m->upper[i] == 0) continue;
        double q = m->ridge ? m->ridge[i] : 0;
        sum += fmin(m->upper[i], q > 0 ? 1 / (2 * q) : INFINITY);
    }
    return sum;
}

/* Whether a penalised intercept is better held: multipliers that can absorb any change of it, and rows whose own ridges do not
 * exceed the squares of their norms, as a ridge hides the column of ones. */
static bool worth_steering(const hsp_ascent *s, const hsp_ascent_task *task) {
    enum { MANY = 10 };
    const hsp_design *D = s->design;
    bool posed = s->intercept == HSP_INTERCEPT_PENALISED && task->m->problem && D->n >= HSP_ASCENT_SMALL;
    if (!posed || s->entropy || D->p) return false;
    double size = 0, rows = 0;
    for (int64_t i = 0; i < D->n; i += D->n / LEAST_SAMPLE + 1, rows++) size += hsp_row_norm2(hsp_design_row(D, i, NULL));
    for (int64_t k = 0; k < task->count; k++) {
        const hsp_margin *m = task->m + k;
        double ridge = 0;
        for (int64_t i = 0; m->ridge && i < D->n; i += D->n / LEAST_SAMPLE + 1) ridge += m->ridge[i];
        if (!(ridge <= size) || !(fmin(strength(m, 1), strength(m, -1)) * size >= MANY * rows)) return false;
    }
    return true;
}

/* rho of all lanes for an intercept that is steered; drops a centre that is not worth its cost. */
static void take_stiffness(hsp_ascent *s, int64_t sample) {
    double sum = 0;
    const hsp_packed *x = s->set.all.x;
    for (int64_t place = 0; place < sample; place++) {
        hsp_packed_row row = hsp_packed_at(x, place);
        sum += norm(s, row, hsp_packed_dot(x, row, s->c));
    }
    double mean = sample > 0 ? sum / (double)sample : 0;
    if (s->cc <= NEAR * mean) {
        hsp_free(s->c);
        s->c = NULL;
        s->cc = 0;
    }
    for (int k = 0; k < s->count; k++) {
        double weaker = fmin(strength(s->lane[k].m, 1), strength(s->lane[k].m, -1));
        double rho = fmax(0.01 * mean, weaker > 0 ? 3 / weaker : 0);
        s->moving.rho[k] = rho > 0 && isfinite(rho) ? rho : 1;
    }
}

HSP_ASCENT_INLINE void let_go_of_width(hsp_ascent *s, int width) {
    const hsp_ascent_set *set = &s->set;
    for (int64_t place = 0; place < set->loaded; place++) {
        hsp_ascent_item e = hsp_ascent_at(&set->all, place, width);
        *e.cz = 0;
        *e.norm = norm(s, hsp_packed_at(set->all.x, place), 0);
    }
    for (int64_t k = 0; set->now == &set->part && k < set->part.x->rows; k++) {
        hsp_ascent_item from = hsp_ascent_at(&set->all, set->part.home[k], width), to = hsp_ascent_at(&set->part, k, width);
        *to.cz = 0;
        *to.norm = *from.norm;
    }
}

void hsp_ascent_let_go(hsp_ascent *s) {
    hsp_ascent_moving *m = &s->moving;
    for (int k = 0; k < s->count; k++) m->value[k] += hsp_ascent_held_terms(s, k); /* the dual itself */
    hsp_free(s->c);
    s->c = NULL;
    s->cc = 0;
    m->steered = false;
    for (int k = 0; k < s->width; k++) {
        m->held[k] = m->b[k] = m->vc[k] = 0;
        m->rho[k] = 1;
    }
    if (s->width == 1)
        let_go_of_width(s, 1);
    else
        let_go_of_width(s, HSP_LANES);
}

static int make_lane(hsp_ascent *s, const hsp_ascent_task *task, int64_t k, hsp_error **err) {
    hsp_ascent_lane *lane = s->lane + k;
    int64_t n = s->design->n, d = s->design->d;
    *lane = (hsp_ascent_lane){.m = task->m + k};
    lane->one_sided = hsp_polish_one_class(lane->m);
    lane->pace.estimate = lane->figures.gap = INFINITY;
    lane->pace.ratio = 1.3;
    if (!s->repair) lane->figures.w = s->width == 1 && !s->design->p ? s->v : hsp_alloc(d, sizeof *lane->figures.w);
    lane->figures.scores = hsp_alloc_zero(n, sizeof *lane->figures.scores);
    lane->figures.best.primal = INFINITY;
    lane->figures.best.dual = -INFINITY;
    bool best = !s->repair || (HSP_ALLOC(lane->figures.best.scores, n) && HSP_ALLOC(lane->figures.best.alpha, n) &&
                               HSP_ALLOC(lane->figures.best.trial, n));
    s->moving.live[k] = 1;
    for (int64_t i = 0; s->entropy && i < n; i++) lane->figures.primal += M_LN2 * lane->m->upper[i]; /* of w = 0 */
    return best && (s->repair || lane->figures.w) && lane->figures.scores ? HSP_OK : hsp_fail_memory(err);
}

static int allocate(hsp_ascent *s, bool centred, bool lean, hsp_error **err) {
    int64_t n = s->design->n, d = s->design->d;
    s->v_memory = hsp_alloc_zero(d * s->width + HSP_LINE, sizeof *s->v_memory);
    s->v = s->v_memory ? hsp_design_aligned(s->v_memory) : NULL;
    bool singly = s->intercept == HSP_INTERCEPT_PENALISED && !s->moving.steered;
    bool whole = s->v && (!singly || HSP_ALLOC(s->set.turn, n)) && HSP_ALLOC(s->set.order, n) &&
                 HSP_ALLOC(s->set.bucket, n) &&
                 HSP_ALLOC(s->set.all.item, n * hsp_ascent_stride(s->width)) && HSP_ALLOC_ZERO(s->lane, s->count) &&
                 HSP_ALLOC_DOUBLES(2 * n, &s->scratch) && HSP_ALLOC_DOUBLES(lean ? n * s->width : -1, &s->repair) &&
                 HSP_ALLOC_DOUBLES(centred ? d : -1, &s->c);
    return whole ? HSP_OK : hsp_fail_memory(err);
}

static bool counts(const hsp_ascent *s, int64_t i) {
    for (int k = 0; k < s->count; k++)
        if (s->lane[k].m->upper[i] > 0) return true;
    return false;
}

/* The rows that count, in runs in random order; and memory for packed copies of them. */
static int lay_out_rows(hsp_ascent *s, hsp_error **err) {
    hsp_ascent_set *set = &s->set;
    int64_t n = s->design->n, runs = (n + RUN - 1) / RUN;
    for (int64_t k = 0; k < runs; k++) set->bucket[k] = k;
    hsp_rng_shuffle(&s->rng, set->bucket, runs);
    for (int64_t k = 0; k < runs; k++)
        for (int64_t i = set->bucket[k] * RUN; i < (set->bucket[k] + 1) * RUN && i < n; i++)
            if (counts(s, i)) set->order[set->rows++] = i;
    int status = hsp_packed_new(s->design, set->order, set->rows, &set->all.x, err);
    if (!status) status = hsp_packed_copy_of(set->all.x, hsp_packed_room(s->design), &set->part.x, err);
    if (status || !set->part.x) return status;
    bool allocated =
        HSP_ALLOC(set->part.item, set->rows * hsp_ascent_stride(s->width)) && HSP_ALLOC(set->part.home, set->rows);
    return allocated ? HSP_OK : hsp_fail_memory(err);
}

static void take_multipliers(hsp_ascent *s, int64_t k, const hsp_margin_point *start) {
    for (int64_t place = 0; place < s->set.rows; place++) {
        hsp_ascent_item e = hsp_ascent_at(&s->set.all, place, s->width);
        double a = start->alpha[s->set.all.x->origin[place]], u = e.upper[k];
        e.alpha[k] = a > 0 && a < INFINITY ? fmin(a, u) : 0;
        if (!s->entropy || !(e.alpha[k] > 0)) continue;
        e.alpha[k] = fmin(e.alpha[k], u * (1 - 0x1p-50));
        e.last[k] = log(e.alpha[k] / (u - e.alpha[k]));
    }
}

static void take_starts(hsp_ascent *s, const hsp_ascent_task *task) {
    const hsp_margin_point *const *start = task->start;
    const hsp_design *D = s->design;
    hsp_ascent_load(s, s->set.rows);
    for (int k = 0; k < s->count; k++)
        if (start[k]) take_multipliers(s, k, start[k]);
    hsp_ascent_recompute(s);
    for (int k = 0; s->moving.steered && k < s->count; k++) { /* the intercept for rows less c */
        if (!start[k]) continue;
        s->moving.b[k] = start[k]->b;
        if (s->intercept == HSP_INTERCEPT_PENALISED) s->moving.held[k] = s->moving.r[k];
        const double *w = start[k]->w;
        if (w) s->moving.b[k] += (s->c ? hsp_dot_f64(w, s->c, D->d) : 0) - (D->p ? hsp_dot_f64(w, D->p, D->d) : 0);
    }
    if (s->repair && !s->entropy && task->distant)
        hsp_ascent_measure_duals(s);
    else
        hsp_ascent_measure(s);
    for (int k = 0; k < s->count; k++) {
        if (!start[k]) continue;
        s->lane[k].pace.warm = true;
        s->moving.value[k] = s->lane[k].figures.dual - hsp_ascent_held_terms(s, k);
    }
}

int hsp_ascent_init(hsp_ascent *s, const hsp_ascent_task *task, hsp_error **err) {
    const hsp_margin *m = task->m;
    *s = (hsp_ascent){.design = m->design,
                      .intercept = m->intercept,
                      .width = task->count == 1 ? 1 : HSP_LANES,
                      .count = (int)task->count,
                      .entropy = task->entropy,
                      .followed = m->followed,
                      .aim = m->aim,
                      .rng = hsp_rng_new(task->seed, 70),
                      .next_measure = 1};
    bool free = m->intercept == HSP_INTERCEPT_FREE, any = false;
    s->moving.steered = free || worth_steering(s, task);
    int status = allocate(s, s->moving.steered || m->design->p, task->lean, err);
    for (int64_t k = 0; !status && k < s->count; k++) status = make_lane(s, task, k, err);
    if (!status) status = lay_out_rows(s, err);
    if (status) return status;
    int64_t rows = s->set.rows, sample = rows / SAMPLE_SHARE > LEAST_SAMPLE ? rows / SAMPLE_SHARE : LEAST_SAMPLE;
    if (sample > rows) sample = rows;
    if (s->c) take_centre(s, sample);
    for (int k = 0; k < s->width; k++) s->moving.rho[k] = m->intercept == HSP_INTERCEPT_NONE ? 0 : 1;
    for (int k = 0; k < s->width; k++) s->moving.over[k] = s->moving.pull[k] = 1;
    if (s->moving.steered) take_stiffness(s, sample);
    hsp_ascent_reactivate(s);
    for (int64_t k = 0; task->start && k < s->count; k++) any |= task->start[k] != NULL;
    if (any) take_starts(s, task);
    return HSP_OK;
}

void hsp_ascent_free(hsp_ascent *s) {
    hsp_ascent_set *set = &s->set;
    for (int k = 0; s->lane && k < s->count; k++) {
        if (s->lane[k].figures.w != s->v) hsp_free(s->lane[k].figures.w);
        const hsp_ascent_figures *f = &s->lane[k].figures;
        HSP_FREE(f->scores, f->best.scores, f->best.alpha, f->best.trial);
    }
    hsp_packed_free(set->all.x);
    hsp_packed_free(set->part.x);
    HSP_FREE(set->all.item, set->part.item, set->part.home, set->order, set->bucket, set->turn, s->v_memory, s->c,
             s->scratch, s->repair, s->lane);
}

/* ---- active rows ---- */

int64_t hsp_ascent_at_work(const hsp_ascent *s) {
    int64_t count = 0;
    for (int k = 0; k < s->count; k++) count += hsp_ascent_live(s, k);
    return count;
}

/* alpha and last of all lanes, from one place to another. */
static void copy_multipliers(const hsp_ascent *s, const hsp_ascent_rows *from, int64_t place, const hsp_ascent_rows *to,
                             int64_t there) {
    hsp_ascent_item e = hsp_ascent_at(from, place, s->width), f = hsp_ascent_at(to, there, s->width);
    memcpy(f.alpha, e.alpha, 2 * (size_t)s->width * sizeof *f.alpha);
}

void hsp_ascent_copy_home(hsp_ascent *s) {
    hsp_ascent_set *set = &s->set;
    for (int64_t k = 0; set->now == &set->part && k < set->part.x->rows; k++)
        copy_multipliers(s, &set->part, k, &set->all, set->part.home[k]);
}

void hsp_ascent_copy_out(hsp_ascent *s) {
    hsp_ascent_set *set = &s->set;
    for (int64_t k = 0; set->now == &set->part && k < set->part.x->rows; k++)
        copy_multipliers(s, &set->all, set->part.home[k], &set->part, k);
}

void hsp_ascent_reactivate(hsp_ascent *s) {
    hsp_ascent_set *set = &s->set;
    hsp_ascent_copy_home(s);
    if (set->now != &set->all) set->unchanged = 0;
    set->now = &set->all;
    for (int64_t place = 0; place < set->rows; place++) set->order[place] = place;
    set->active = set->rows;
    for (int k = 0; k < s->width; k++) {
        s->moving.high[k] = INFINITY;
        s->moving.low[k] = -INFINITY;
    }
}

/* Packs the active rows. */
static void pack_active(hsp_ascent *s) {
    hsp_ascent_set *set = &s->set;
    hsp_ascent_rows *from = set->now, *to = &set->part;
    int64_t stride = hsp_ascent_stride(s->width);
    hsp_ascent_copy_home(s);
    hsp_packed_take(from->x, set->order, set->active, to->x);
    for (int64_t k = 0; k < set->active; k++) {
        int64_t place = set->order[k];
        memmove(to->item + k * stride, from->item + place * stride, (size_t)stride * sizeof *to->item);
        to->home[k] = from == to ? to->home[place] : place;
        set->order[k] = k;
    }
    set->now = to;
    set->unchanged = 0;
    set->few = 0;
}

/* Whether the present pace reaches the aim before packed rows repay their copy. */
static bool is_nearly_done(const hsp_ascent *s) {
    double work;
    return s->width == 1 && s->aim > 0 && hsp_ascent_need(s, 0, s->aim, &work) < REPAID;
}

void hsp_ascent_compact(hsp_ascent *s) {
    hsp_ascent_set *set = &s->set;
    int64_t kept = 0;
    for (int64_t k = 0; k < set->active; k++) {
        int64_t place = set->order[k];
        double *out = hsp_ascent_at(set->now, place, s->width).out;
        if (*out == 0) set->order[kept++] = place;
        *out = 0;
    }
    set->active = kept;
    set->unchanged++;
    set->few = 2 * kept <= set->now->x->rows ? set->few + 1 : 0;
    bool long_enough = set->now == &set->all && set->unchanged >= PACK_AFTER;
    if (set->part.x && kept > 0 && !is_nearly_done(s) && (set->few >= PACK_FEW_AFTER || long_enough)) pack_active(s);
}

/* Whether the dual of a row at a bound slopes inwards in a lane that has not reached its aim. */
HSP_ASCENT_INLINE bool violates(const hsp_ascent *s, int64_t place, int width) {
    hsp_ascent_item e = hsp_ascent_at(&s->set.all, place, width);
    int64_t i = s->set.all.x->origin[place];
    for (int k = 0; k < (width == 1 ? 1 : s->count); k++) {
        const hsp_ascent_figures *figures = &s->lane[k].figures;
        if (!hsp_ascent_live(s, k) || figures->gap <= s->aim) continue;
        double slope = e.y[k] * (figures->scores[i] + figures->own_b) - 1 + e.ridge[k] * e.alpha[k];
        if (slope < 0 ? e.alpha[k] < e.upper[k] : slope > 0 && e.alpha[k] > 0) return true;
    }
    return false;
}

/* Lets go of the rows left out that violate their conditions; returns their number. All other rows left out stay marked. */
HSP_ASCENT_INLINE int64_t free_violators(hsp_ascent *s, bool part, int width) {
    hsp_ascent_set *set = &s->set;
    int64_t back = 0;
    for (int64_t place = 0; place < set->rows; place++) *hsp_ascent_at(&set->all, place, width).out = 1;
    for (int64_t k = 0; k < set->active; k++)
        *hsp_ascent_at(&set->all, part ? set->part.home[set->order[k]] : set->order[k], width).out = 0;
    for (int64_t place = 0; place < set->rows; place++) {
        double *out = hsp_ascent_at(&set->all, place, width).out;
        if (*out == 0 || !violates(s, place, width)) continue;
        *out = 0;
        back++;
    }
    return back;
}

void hsp_ascent_take_back(hsp_ascent *s) {
    hsp_ascent_set *set = &s->set;
    if (set->active == set->rows) return;
    int64_t back = HSP_ASCENT_BY_WIDTH(s, free_violators, set->now == &set->part), kept = 0;
    for (int64_t place = 0; place < set->rows; place++) {
        double *out = hsp_ascent_at(&set->all, place, s->width).out;
        if (back > 0 && *out == 0) set->order[kept++] = place;
        *out = 0;
    }
    if (back == 0) return;
    set->now = &set->all;
    set->active = kept;
    set->unchanged = 0;
    if (set->part.x && 2 * kept <= set->rows) pack_active(s);
}

void hsp_ascent_recompute(hsp_ascent *s) {
    hsp_ascent_moving *m = &s->moving;
    int64_t d = s->design->d;
    memset(s->v, 0, (size_t)(d * s->width) * sizeof *s->v);
    memset(m->r, 0, sizeof m->r);
    for (int64_t place = 0; place < s->set.loaded; place++) {
        hsp_ascent_item e = hsp_ascent_at(&s->set.all, place, s->width);
        double delta[HSP_LANES], any = 0;
        for (int k = 0; k < s->width; k++) any += e.alpha[k];
        if (any == 0) continue;
        for (int k = 0; k < s->width; k++) m->r[k] += delta[k] = e.alpha[k] * e.y[k];
        hsp_ascent_add_row(s, &s->set.all, place, delta);
    }
    memset(m->vc, 0, sizeof m->vc);
    if (s->c && s->width == 1) m->vc[0] = hsp_dot_f64(s->v, s->c, d);
    for (int64_t j = 0; s->c && s->width > 1 && j < d; j++)
        for (int k = 0; k < s->width; k++) m->vc[k] += s->v[j * s->width + k] * s->c[j];
    s->recomputed = s->epoch;
}
